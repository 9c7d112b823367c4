#pragma once
// NAME=VALUE: sizes, tuning parameters and inputs, and the sizes that the shapes of inputs tell.
#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/npy.hpp"
#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "driver/verify.hpp"
#include "ir/term.hpp"

namespace hoist::cli {

/// One NAME=VALUE.
struct Assignment {
  std::string name, value;
};

/// Sizes and tuning parameters alone, for commands that run nothing. Throws Failure: a value that is no size,
/// a name that the program does not have or that is an input's.
driver::NamedSizes read_sizes(const ir::Program& program, const std::vector<std::string>& values);

/// Everything that a run needs.
struct Arguments {
  driver::NamedSizes sizes;  ///< all size variables, given or told by inputs, and the tuning parameters given
  arith::Bindings bindings;
  std::vector<Data> inputs;
  /// By flattened input: a file whose elements are read when they are needed. Its tensor above has none.
  std::vector<std::optional<NpyFile>> files;
};
/// Whether files are read at once, or, as far as they can be, in parts by whoever needs them.
enum class FileReading : std::uint8_t { AtOnce, InParts };
/// Reads inputs and finds the sizes. `random_seed` stands for every input that is not given. Throws Failure;
/// see the tests of the command line for what is told of each mistake.
Arguments read_arguments(const ir::Program& program, const std::vector<std::string>& values,
                         const std::optional<std::uint64_t>& random_seed,
                         FileReading reading = FileReading::AtOnce);

/// --steps, which does what `text` says, and --feed.
void add_steps_options(CLI::App& command, std::optional<std::size_t>& count, std::string& feed,
                       const std::string& text);
/// What they say. Throws Failure.
driver::Steps read_steps(const ir::Program& program, const std::optional<std::size_t>& count,
                         const std::string& feed);

}  // namespace hoist::cli
