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

/// Where two terms differ, innermost first.
inline std::string difference(ir::Term a, ir::Term b) {
  if (a == b) return {};
  const auto shown = [](ir::Term term) { return ir::to_string(term) + ": " + ir::to_string(term.type()); };
  const auto left = ir::children(a);
  const auto right = ir::children(b);
  if (a->node.index() == b->node.index() && left.size() == right.size()) {
    for (std::size_t index = 0; index < left.size(); ++index) {
      const std::string inner = difference(left[index], right[index]);
      if (!inner.empty()) return inner;
    }
  }
  return "kinds " + std::to_string(a->node.index()) + " and " + std::to_string(b->node.index()) + "\n" +
         shown(a) + "\n  and\n" + shown(b);
}

/// Printing and reading back gives the same term.
inline void expect_round_trip(const ir::Program& program) {
  const std::string text = ir::to_string(program);
  const Source source{"printed", text};
  const auto again = parse_program(source);
  ASSERT_TRUE(again) << text << again.error().render(&source);
  EXPECT_EQ(again->function, program.function) << text << "\ndiffers in\n"
                                               << difference(program.function, again->function);
  EXPECT_EQ(again->name, program.name);
}

}  // namespace hoist::lang
