#pragma once
// What the tests of the language share.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ir/print.hpp"
#include "lang/lang.hpp"

namespace hoist::lang {

inline std::string read_file(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The program, or a failure that shows the errors.
inline ir::Program program_of(const std::string& text, const std::string& entry = {}) {
  const Source source{"test", text};
  auto program = parse_program(source, {entry});
  if (!program) throw std::runtime_error(program.error().render(&source));
  return *program;
}

/// The errors of a text, rendered; empty if it has none.
inline std::string errors_of(const std::string& text, const std::string& entry = {}) {
  const Source source{"test", text};
  const auto program = parse_program(source, {entry});
  return program ? std::string() : program.error().render(&source);
}

/// The type of the function, "([N]f32) -> [N]f32".
inline std::string type_of(const std::string& text) {
  return ir::to_string(program_of(text).function.type());
}

/// Printing and reading back gives the same term.
inline void expect_round_trip(const ir::Program& program) {
  const std::string text = ir::to_string(program);
  const Source source{"printed", text};
  const auto again = parse_program(source);
  ASSERT_TRUE(again) << text << again.error().render(&source);
  EXPECT_EQ(again->function, program.function) << text << "\nreads as\n" << ir::to_string(*again);
  EXPECT_EQ(again->name, program.name);
}

}  // namespace hoist::lang
