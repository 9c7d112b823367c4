#pragma once
// Tables as text: a line for each row, its cells with commas between, quoted as in RFC 4180 where they must
// be. Cells hold no line ends.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace hoist::model {

/// A cell, quoted where a reader would take it apart.
std::string quoted_cell(const std::string& text);
/// The number with six significant digits; a whole one with all.
void append_number(std::string& text, double number);

/// What stands above a table of a learned task: "TITLE,VERSION", and lines for the class of devices and for
/// where the table comes from.
struct TableOrigin {
  std::string device_class;
  std::map<std::string, std::string> provenance;
};
std::string origin_text(std::string_view title, int version, const std::string& device_class,
                        const std::map<std::string, std::string>& provenance);

/// Goes through a table line by line, and says of what is wrong where it is.
class TableLines {
 public:
  /// `name` is the file's, `kind` what it should be: "a table of measurements". Both must outlive this.
  TableLines(std::string_view text, const std::string& name, const char* kind)
      : text_(text), name_(name), kind_(kind) {}

  /// Throws Failure, as the others do.
  [[noreturn]] void wrong(const std::string& what, const std::string& why = {}) const;

  /// False behind the last line.
  bool next();
  std::string_view line() const { return line_; }
  /// The cells of the line.
  const std::vector<std::string>& split();
  /// A finite number; `column` is what it is of.
  double number(std::string_view cell, std::string_view column) const;
  /// One from `least` to `most`.
  double number(std::string_view cell, std::string_view column, double least, double most) const;
  /// Reads what origin_text writes, up to the line behind it.
  TableOrigin read_origin(std::string_view title, int version);

 private:
  std::size_t read_quoted(std::size_t at, std::string& cell) const;

  std::string_view text_, line_;
  const std::string& name_;
  const char* kind_;
  std::size_t at_ = 0, number_ = 0;
  std::vector<std::string> cells_;
};

}  // namespace hoist::model
