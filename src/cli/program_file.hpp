#pragma once
// FILE, NAME=VALUE ... and the options that every command on a program shares.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "driver/compile.hpp"
#include "ir/term.hpp"
#include "lower/lower.hpp"
#include "runtime/device.hpp"

namespace hoist::cli {

struct ProgramOptions {
  std::string file;
  std::string entry;
  std::vector<std::string> values;  ///< NAME=VALUE as they were given
};
/// Adds FILE, --entry and, with a description of them, NAME=VALUE.
void add_program_options(CLI::App& command, ProgramOptions& options, const std::string& values_text);

/// Reads and parses the file ("-": standard input), and keeps both in the session. Throws Failure.
ir::Program read_program(Session& session, const ProgramOptions& options);

/// The text of a program's file ("-": standard input), which need not parse. Throws Failure.
Source read_program_text(const std::string& file);

/// The text of a file ("-": standard input). Throws Failure.
std::string read_text_file(const std::string& file);

/// What changes how a program is lowered.
struct LoweringOptions {
  std::vector<std::string> without;
  std::string local_size, global_size;
};
void add_lowering_options(CLI::App& command, LoweringOptions& options);
/// Options for lowering `program`, whose sizes the launch may mention unless `sizes` gives them values.
/// Throws Failure.
lower::Options lowering_options(const LoweringOptions& given, const ir::Program& program,
                                const driver::NamedSizes& sizes);
/// User error when the launch that was asked for cannot be: a group that does not divide it. Throws Failure.
void check_launches(const loop::Plan& plan, const LoweringOptions& given);

}  // namespace hoist::cli
