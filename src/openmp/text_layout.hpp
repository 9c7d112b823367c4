#pragma once
// Text that is broken into lines where it is too long: groups stand on one line, or have all their breaks.
//
// Wadler, "A prettier printer", 2003, in the strict form of Lindig.
#include <memory>
#include <string>
#include <vector>

namespace hoist::openmp {

class Layout {
 public:
  Layout() = default;
  Layout(std::string text);                                // NOLINT: text is its own layout
  Layout(const char* text) : Layout(std::string(text)) {}  // NOLINT
  /// A space, or a new line where the group around is broken; `flat` stands for it on one line.
  static Layout line(std::string flat = " ");
  /// A new line in any case.
  static Layout hard_line();
  static Layout group(Layout inner);
  /// Lines inside begin two columns further.
  static Layout nested(Layout inner);
  friend Layout operator+(const Layout& a, const Layout& b);
  /// With `between` between them.
  static Layout joined(const std::vector<Layout>& parts, const Layout& between);

  std::string text(int width, int indent) const;

 private:
  enum class Kind { Text, Line, HardLine, Group, Nested, Sequence };
  struct Node {
    Kind kind = Kind::Text;
    std::string text;
    std::vector<std::shared_ptr<const Node>> parts;
  };
  struct Item {
    int indent;
    bool is_flat;
    const Node* node;
  };
  static Layout made(Kind kind, std::string text, std::vector<std::shared_ptr<const Node>> parts);
  static bool fits(int room, std::vector<Item> items);

  std::shared_ptr<const Node> node_ = std::make_shared<Node>();
};

}  // namespace hoist::openmp
