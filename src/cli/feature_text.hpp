#pragma once
// Features as text and as JSON.
#include <span>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "features/definition.hpp"

namespace hoist::cli {

Json features_json(std::span<const features::Definition> definitions, const std::vector<double>& values);
std::string features_text(std::span<const features::Definition> definitions,
                          const std::vector<double>& values);

/// Prints what there is to read off the hot loop of each kernel in an assembly text.
void show_assembly_features(const std::string& text, const std::vector<std::string>& kernels, bool as_json);

}  // namespace hoist::cli
