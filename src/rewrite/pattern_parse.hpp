#pragma once
// Private to rewrite: the language's parser on the texts of rules.
#include <memory>
#include <string>
#include <string_view>

#include "lang/parser.hpp"
#include "rewrite/pattern.hpp"

namespace hoist::rewrite {

/// "x: [n]_" and an expression, as a definition with these parameters. Throws Failure on bad text.
class ParsedText {
 public:
  ParsedText(std::string_view declarations, std::string_view expression);
  ParsedText(const ParsedText&) = delete;
  ParsedText& operator=(const ParsedText&) = delete;
  const lang::syntax::Definition& definition() const;

 private:
  std::string text_;
  std::unique_ptr<lang::syntax::File> file_;
};

/// A size expression over the law's metavariables. Throws Failure on names that are none.
SizePattern read_size(Law& law, const lang::syntax::Expression& expression);

}  // namespace hoist::rewrite
