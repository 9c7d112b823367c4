#pragma once
// The text of loop IR: prints, and parses back to the same program.
#include <string>

#include "base/error.hpp"
#include "loop/kernel.hpp"

namespace hoist::loop {

std::string to_string(const ValuePtr& value);
std::string to_string(const Block& block);
std::string to_string(const Kernel& kernel);
std::string to_string(const Plan& plan);

/// Reads what to_string(plan) wrote; print(parse(text)) == text. Errors carry spans into `text`.
Result<Plan> parse_plan(const std::string& text);

}  // namespace hoist::loop
