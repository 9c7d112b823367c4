#pragma once
// Reading text word by word, with errors that carry their place: what the parser of loop IR is made of.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace hoist::loop {

bool is_name_start(char c);
bool is_name_part(char c);
bool is_digit(char c);

/// A place in a text that moves forward. Space is skipped before everything that is read.
class TextReader {
 public:
  explicit TextReader(const std::string& text) : text_(text) {}

 protected:
  std::size_t skip_space();
  bool is_name_at(std::size_t at) const { return at < text_.size() && is_name_start(text_[at]); }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_at_end() { return skip_space() == text_.size(); }

  /// The word that comes next, not read; empty where there is none.
  std::string_view peek_word() const;
  std::string_view word();
  std::string name() { return std::string(word()); }
  std::int64_t natural();
  std::string quoted();

  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  bool accept_word(std::string_view wanted);
  void expect_word(std::string_view wanted);

  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  [[noreturn]] static void fail_at(std::size_t begin, std::size_t end, std::string message);
  [[noreturn]] void fail_here(std::string message);

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace hoist::loop
