#pragma once
// The language's text: reads programs, reports every error of a file.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"

namespace hoist::lang {

struct Options {
  std::string entry;  ///< the definition that is the program; empty: the last
};

/// Parses, resolves and types a file. All errors are collected, each with its span; render with
/// Error::render(&source).
Result<ir::Program> parse_program(const Source& source, const Options& options = {});
/// What a program's text says of it beside its meaning.
struct Outline {
  std::string documentation;                                  ///< the comment above its definition
  std::vector<std::pair<std::string, Span>> parameters = {};  ///< the place of each, in order; sizes, too
};
/// Of the definition that is the program; empty where parse_program finds none.
Outline outline_of(const Source& source, const Options& options = {});
/// The same text laid out in one way: the tokens and comments stay, lines are indented by what they are part
/// of, and those that are too long are broken. What is formatted stays as it is. Errors are the parser's.
Result<std::string> formatted(const Source& source);
/// Names of the prelude that definitions of the file hide, in order: what the file means by them is its own.
std::vector<std::string> shadowed_names(const Source& source);
/// The prelude's text (written in the language itself).
const std::string& prelude();

/// Words and symbols that have a meaning of their own, for editors: those of primitives, scalar functions and
/// scalar types are in the tables of ir and base.
std::vector<std::string_view> keywords();
std::vector<std::string_view> symbols();  ///< of two that begin alike the longer one comes first
/// "id", "clamp", ...: names of the language that are neither primitives nor scalar functions.
std::vector<std::string_view> words_of_the_language();

/// One definition of the prelude, for the reference manual.
struct PreludeDefinition {
  std::string name;
  std::string header;         ///< "slide2(n: size, step: size, x)"
  std::string documentation;  ///< the comment above it
};
/// All of them, in order.
std::vector<PreludeDefinition> prelude_definitions();

}  // namespace hoist::lang
