#pragma once
// Other programs that a command runs in its place.
#include <optional>
#include <string>
#include <vector>

namespace hoist::cli {

/// Runs a program to its end with what this one has for input and output: words[0], which is looked for on
/// the path where it has no slash, with the arguments after it. Gives its exit status; nothing where there is
/// no such program. Throws Failure.
std::optional<int> run_program(std::vector<std::string> words);

}  // namespace hoist::cli
