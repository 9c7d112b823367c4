// A stencil along a row reads overlapping vectors,
//
//   for i: w[16*i + 32 +: 16] = v[16*i + 31 +: 16] + v[16*i + 32 +: 16] + v[16*i + 33 +: 16]
//
// of which all but one cross cache lines. Here each vector is loaded once, and two are kept (scalar
// replacement; Callahan, Carr and Kennedy, 1990):
//
//   var a = v[16 +: 16], b = v[32 +: 16]
//   for i { let c = v[16*i + 48 +: 16]; w[16*i + 32 +: 16] = <a b from 15> + b + <b c from 1>; a = b; b = c }
//
// Where rows are a multiple of the first-level cache's size apart, this is worth more than the loads: their
// lines are in each other's way.
//
// `Windows::note` collects the windows: the loads whose indices differ by constants. `Windows::loop` prints
// them, and `Windows::value_of` is what takes a load's place.
#include "codegen/host/row_windows.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/host/vectors.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;
using loop::ValuePtr;

constexpr std::int64_t widest_window = 4;  ///< vectors

/// An index as a multiple of the width and what is left.
struct Place {
  Expr multiple;
  std::int64_t rest = 0;
};

std::optional<Place> place_of(Expr index, std::int64_t width) {
  const arith::Facts& facts = index->facts;
  if (facts.modulus % width != 0) return std::nullopt;
  const std::int64_t rest = facts.remainder % width;
  return Place{index - rest, rest};
}

class Windows {
 public:
  Windows(Expr variable, int width, loop::NameSource& names)
      : variable_(variable), width_(width), names_(names) {}

  /// Whether the body's loads may be made earlier than they stand.
  bool note(const Block& body) {
    bool is_possible = true;
    std::set<const loop::Buffer*> written;
    loop::for_each_statement(body, [&](const loop::Statement& statement) {
      if (const auto* store = std::get_if<loop::Store>(&statement.node)) written.insert(store->buffer.get());
      is_possible = is_possible && (std::holds_alternative<loop::Store>(statement.node) ||
                                    std::holds_alternative<loop::Let>(statement.node) ||
                                    std::holds_alternative<loop::Comment>(statement.node));
    });
    loop::for_each_value(body, [&](const ValuePtr& value) {
      const auto* operation = std::get_if<loop::Operation>(&value->node);
      if (operation && (operation->op == ScalarOp::Select || operation->op == ScalarOp::And ||
                        operation->op == ScalarOp::Or))
        is_possible = false;
      const auto* load = std::get_if<loop::Load>(&value->node);
      if (load && !written.contains(load->buffer.get())) note(value, *load);
    });
    return is_possible && !loads_.empty();
  }

  WindowedLoop loop(const Block& body, Expr count) {
    WindowedLoop result;
    loop::For loop;
    loop.variable = variable_;
    loop.start = 0;
    loop.stop = count;
    loop.step = 1;
    Block moves;
    for (Window& window : windows_) {
      // What is used at once need not stay in a register.
      if (window.first < window.last) result.registers += static_cast<int>(window.last - window.first + 1);
      for (std::int64_t slot = window.first; slot <= window.last; ++slot) {
        const bool is_new = slot == window.last;
        const auto vector = std::make_shared<loop::Variable>(
            loop::Variable{names_.fresh("row"), {window.type, width_}, !is_new});
        const Expr place = window.place + slot * width_;
        const Expr at = is_new ? place : arith::substitute(place, {{variable_.get(), 0}});
        (is_new ? loop.body : result.block)
            .push_back({loop::Let{vector, loop::load(window.buffer, at, width_), {}}});
        window.vectors.push_back(loop::reference(vector));
        if (slot > window.first)
          moves.push_back({loop::Assign{variable_of(window, slot - 1), window.vectors.back()}});
      }
    }
    const Block computed = loop::map_values(body, [&](const ValuePtr& value) {
      const auto found = loads_.find(value.get());
      return found == loads_.end() ? value : value_of(found->second, value);
    });
    loop.body.insert(loop.body.end(), computed.begin(), computed.end());
    loop.body.insert(loop.body.end(), moves.begin(), moves.end());
    result.block.push_back({std::move(loop)});
    return result;
  }

 private:
  /// Neighbouring vectors of one array, by their distance from the first that was found.
  struct Window {
    loop::BufferPtr buffer;
    Scalar type;
    Expr place;
    std::int64_t first = 0, last = 0;
    std::vector<ValuePtr> vectors;
  };
  struct Part {
    std::size_t window = 0;
    std::int64_t slot = 0, rest = 0;
  };

  void note(const ValuePtr& value, const loop::Load& load) {
    if (value->type.width != width_ || exact_stride(load.index, variable_) != width_) return;
    // A vector that has an element of the array has no other elements than the array's.
    const auto scalars = load.buffer->scalars.constant();
    const auto place = place_of(load.index, width_);
    if (!place || !scalars || *scalars % width_ != 0) return;
    const std::int64_t beyond = place->rest > 0 ? 1 : 0;
    for (std::size_t at = 0; at < windows_.size(); ++at) {
      Window& window = windows_[at];
      const auto distance = (place->multiple - window.place).constant();
      if (window.buffer != load.buffer || !distance) continue;
      const std::int64_t slot = *distance / width_;
      const std::int64_t first = std::min(window.first, slot), last = std::max(window.last, slot + beyond);
      if (last - first >= widest_window) continue;
      window.first = first;
      window.last = last;
      loads_[value.get()] = {at, slot, place->rest};
      return;
    }
    loads_[value.get()] = {windows_.size(), 0, place->rest};
    windows_.push_back({load.buffer, value->type.scalar, place->multiple, 0, beyond, {}});
  }

  static loop::VariablePtr variable_of(const Window& window, std::int64_t slot) {
    const ValuePtr& vector = window.vectors[static_cast<std::size_t>(slot - window.first)];
    return std::get<loop::Reference>(vector->node).variable;
  }

  ValuePtr value_of(const Part& part, const ValuePtr& load) const {
    const Window& window = windows_[part.window];
    const auto at = static_cast<std::size_t>(part.slot - window.first);
    if (part.rest == 0) return window.vectors[at];
    std::vector<ValuePtr> lanes;
    for (int lane = 0; lane < load->type.width; ++lane) {
      const int from = lane + static_cast<int>(part.rest);
      const bool is_next = from >= width_;
      lanes.push_back(
          loop::component(window.vectors[at + (is_next ? 1 : 0)], is_next ? from - width_ : from));
    }
    return loop::make_vector(std::move(lanes), width_);
  }

  Expr variable_;
  int width_;
  loop::NameSource& names_;
  std::vector<Window> windows_;
  std::map<const loop::Value*, Part> loads_;
};

}  // namespace

std::optional<WindowedLoop> with_windows(const Block& body, Expr variable, Expr count, int width,
                                         loop::NameSource& names) {
  Windows windows(variable, width, names);
  if (!windows.note(body)) return std::nullopt;
  return windows.loop(body, count);
}

}  // namespace hoist::codegen
