#include "cli/program_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "arith/parse.hpp"
#include "lang/lang.hpp"

namespace hoist::cli {

namespace {

Source read_source(const std::string& file, const char* what) {
  if (file == "-") {
    Source source{"<stdin>", std::string(std::istreambuf_iterator<char>(std::cin), {})};
    if (std::cin.bad()) throw_user("standard input cannot be read");
    return source;
  }
  if (std::filesystem::is_directory(file)) throw_user(fmt::format("{} is a directory, not {}", file, what));
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw_user(fmt::format("{} cannot be read: {}", file, std::strerror(errno)), {},
               errno == ENOENT && what == std::string_view("a program")
                   ? "a program is a text file such as kernels/dot.hoist; - is standard input"
                   : "");
  }
  return {file, std::string(std::istreambuf_iterator<char>(stream), {})};
}

/// "64,4": the parts at the outermost commas.
std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char letter : text) {
    if (letter == '(') ++depth;
    if (letter == ')') --depth;
    if (letter == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

std::array<arith::Expr, 3> parse_launch(const std::string& option, const std::string& text,
                                        const ir::Program& program, const driver::NamedSizes& sizes) {
  arith::Scope scope;
  for (arith::Expr size : program.sizes) scope.declare_size(size->name);
  for (const auto& [name, value] : sizes) scope.names[name] = arith::constant(value);
  const std::vector<std::string> parts = split_at_commas(text);
  if (parts.size() > 3) throw_user(fmt::format("{} {}: a launch has at most three dimensions", option, text));
  std::array<arith::Expr, 3> result{1, 1, 1};
  for (std::size_t d = 0; d < parts.size(); ++d) {
    auto size = arith::parse(parts[d], scope);
    if (!size) {
      throw_user(fmt::format("{} {}: {}", option, text, size.error().diagnostics.front().message), {},
                 "give numbers of work-items by dimension: 64,4");
    }
    if (auto value = size->constant(); value && *value < 1) {
      throw_user(fmt::format("{} {}: a launch has at least one work-item in each dimension", option, text));
    }
    result[d] = *size;
  }
  return result;
}

}  // namespace

std::string read_text_file(const std::string& file) { return read_source(file, "a text").text; }

Source read_program_text(const std::string& file) { return read_source(file, "a program"); }

void add_program_options(CLI::App& command, ProgramOptions& options, const std::string& values_text) {
  command.add_option("FILE", options.file, "The program's text; - is standard input")
      ->required()
      ->option_text(" ");
  command.add_option("VALUES", options.values, values_text)->option_text(" ");
  command.add_option("--entry", options.entry, "The definition to take; otherwise the last of the file")
      ->option_text("NAME");
}

ir::Program read_program(Session& session, const ProgramOptions& options) {
  session.source = read_program_text(options.file);
  session.program = need(lang::parse_program(*session.source, {.entry = options.entry}));
  return *session.program;
}

void add_lowering_options(CLI::App& command, LoweringOptions& options) {
  std::string passes;
  for (const std::string& pass : lower::optional_passes()) passes += (passes.empty() ? "" : ", ") + pass;
  command
      .add_option("--without", options.without,
                  "Leave out a pass of the compiler; may be repeated: " + passes)
      ->option_text("PASS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--local-size", options.local_size, "How many work-items a work-group of every kernel has")
      ->option_text("X,Y,Z");
  command.add_option("--global-size", options.global_size, "How many work-items every kernel has in all")
      ->option_text("X,Y,Z");
}

lower::Options lowering_options(const LoweringOptions& given, const ir::Program& program,
                                const driver::NamedSizes& sizes) {
  lower::Options options;
  for (const std::string& pass : given.without) need(lower::disable_pass(options, pass));
  if (!given.local_size.empty()) {
    options.local_size = parse_launch("--local-size", given.local_size, program, sizes);
  }
  if (!given.global_size.empty()) {
    options.global_size = parse_launch("--global-size", given.global_size, program, sizes);
  }
  return options;
}

void check_launches(const loop::Plan& plan, const LoweringOptions& given) {
  if (given.local_size.empty() && given.global_size.empty()) return;
  for (const loop::Kernel& kernel : plan.kernels) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto global = kernel.launch.global[d].constant();
      const auto local = kernel.launch.local[d].constant();
      if (global && local && *global % *local != 0) {
        throw_user(fmt::format("{}: groups of {} work-items do not divide the {} work-items of dimension {}",
                               kernel.name, *local, *global, d),
                   {}, "give a --local-size that divides the --global-size");
      }
    }
  }
}

}  // namespace hoist::cli
