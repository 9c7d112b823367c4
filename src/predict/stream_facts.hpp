#pragma once
// What a model of streams sees of a program.
#include <string>
#include <utility>
#include <vector>

#include "loop/kernel.hpp"
#include "target/target.hpp"

namespace hoist::predict {

/// How a plan can be cut (tasks::TaskFacts), and what its launches do in all, as features::features_of
/// estimates it: the static ones of docs/streams.md. All sizes of the plan are numbers. Throws Failure.
std::vector<std::pair<std::string, double>> stream_facts(const loop::Plan& plan,
                                                         const target::Target& device);

}  // namespace hoist::predict
