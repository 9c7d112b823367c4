#include "openmp/text_layout.hpp"

namespace hoist::openmp {

Layout Layout::made(Kind kind, std::string text, std::vector<std::shared_ptr<const Node>> parts) {
  Layout result;
  result.node_ = std::make_shared<Node>(Node{kind, std::move(text), std::move(parts)});
  return result;
}

Layout::Layout(std::string text) : node_(std::make_shared<Node>(Node{Kind::Text, std::move(text), {}})) {}
Layout Layout::line(std::string flat) { return made(Kind::Line, std::move(flat), {}); }
Layout Layout::hard_line() { return made(Kind::HardLine, "", {}); }
Layout Layout::group(Layout inner) { return made(Kind::Group, "", {inner.node_}); }
Layout Layout::nested(Layout inner) { return made(Kind::Nested, "", {inner.node_}); }
Layout operator+(const Layout& a, const Layout& b) {
  return Layout::made(Layout::Kind::Sequence, "", {a.node_, b.node_});
}

Layout Layout::joined(const std::vector<Layout>& parts, const Layout& between) {
  Layout result;
  for (std::size_t i = 0; i < parts.size(); ++i) result = i == 0 ? parts[i] : result + between + parts[i];
  return result;
}

bool Layout::fits(int room, std::vector<Item> items) {
  while (room >= 0 && !items.empty()) {
    const Item item = items.back();
    items.pop_back();
    switch (item.node->kind) {
      case Kind::Text:
        room -= static_cast<int>(item.node->text.size());
        break;
      case Kind::Line:
        if (!item.is_flat) return true;
        room -= static_cast<int>(item.node->text.size());
        break;
      case Kind::HardLine:
        return !item.is_flat;
      case Kind::Group:
        items.push_back({item.indent, item.is_flat, item.node->parts[0].get()});
        break;
      case Kind::Nested:
      case Kind::Sequence:
        for (std::size_t i = item.node->parts.size(); i-- > 0;)
          items.push_back({item.indent, item.is_flat, item.node->parts[i].get()});
        break;
    }
  }
  return room >= 0;
}

std::string Layout::text(int width, int indent) const {
  std::string result(static_cast<std::size_t>(indent), ' ');
  int column = indent;
  std::vector<Item> items{{indent, false, node_.get()}};
  while (!items.empty()) {
    const Item item = items.back();
    items.pop_back();
    switch (item.node->kind) {
      case Kind::Text:
        result += item.node->text;
        column += static_cast<int>(item.node->text.size());
        break;
      case Kind::Line:
        if (item.is_flat) {
          result += item.node->text;
          column += static_cast<int>(item.node->text.size());
          break;
        }
        [[fallthrough]];
      case Kind::HardLine:
        result += "\n" + std::string(static_cast<std::size_t>(item.indent), ' ');
        column = item.indent;
        break;
      case Kind::Group: {
        const Node* inner = item.node->parts[0].get();
        std::vector<Item> rest = items;
        rest.push_back({item.indent, true, inner});
        items.push_back({item.indent, item.is_flat || fits(width - column, rest), inner});
        break;
      }
      case Kind::Nested:
        items.push_back({item.indent + 2, item.is_flat, item.node->parts[0].get()});
        break;
      case Kind::Sequence:
        for (std::size_t i = item.node->parts.size(); i-- > 0;)
          items.push_back({item.indent, item.is_flat, item.node->parts[i].get()});
        break;
    }
  }
  return result;
}

}  // namespace hoist::openmp
