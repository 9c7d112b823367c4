// Vectors that are read where none begins, in vectors that begin there. Devices read a vector at once where
// its place is a multiple of its size; else they read it scalar by scalar:
//
//   out[i] = u[4 * i + 2 .. 4 * i + 5]     to     u_1 = u[4 * i .. 4 * i + 3]
//                                                 u_2 = u[4 * i + 4 .. 4 * i + 7]
//                                                 out[i] = (u_1.z, u_1.w, u_2.x, u_2.y)
//
// which is done in arrays that the kernel only reads, where it is known how far the place is from such a
// multiple, and both vectors are inside the array. The windows of neighbours have most of these vectors in
// common: they are read once (shared_loads.hpp).
#include <algorithm>

#include "lower/passes.hpp"
#include "lower/shared_loads.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using loop::Block;
using loop::Statement;
using loop::ValuePtr;

/// No device reads more at once.
constexpr std::int64_t most_bytes = 16;

/// How far an index is behind a multiple of `width`; nothing where that is not known.
std::optional<std::int64_t> distance_from_multiple(Expr index, std::int64_t width) {
  const arith::Facts& facts = index->facts;
  if (facts.modulus % width != 0) return std::nullopt;  // modulus 0: the index is a constant
  return ((facts.remainder % width) + width) % width;
}

class Aligner {
 public:
  Aligner(const std::unordered_set<const loop::Buffer*>& written, loop::NameSource& names)
      : written_(written), names_(names) {}

  Block run(Block block) {
    bool has_changed = false;
    for (Statement& statement : block) visit(statement, has_changed);
    return has_changed ? with_shared_loads(std::move(block), written_, names_) : block;
  }

 private:
  void visit(Statement& statement, bool& has_changed) {
    const auto aligned = [&](ValuePtr& value) {
      if (!value) return;
      ValuePtr next =
          loop::map_value(value, [this](const ValuePtr& each) { return in_aligned_vectors(each); });
      has_changed = has_changed || next != value;
      value = std::move(next);
    };
    if (auto* loop = std::get_if<loop::For>(&statement.node)) {
      loop->body = run(std::move(loop->body));
    } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
      aligned(branch->condition);
      for (Block* inner : {&branch->then_body, &branch->else_body}) {
        for (Statement& each : *inner) visit(each, has_changed);
      }
    } else if (auto* let = std::get_if<loop::Let>(&statement.node)) {
      aligned(let->value);
    } else if (auto* assign = std::get_if<loop::Assign>(&statement.node)) {
      aligned(assign->value);
    } else if (auto* store = std::get_if<loop::Store>(&statement.node); store && !store->is_asynchronous) {
      aligned(store->value);
    }
  }

  ValuePtr in_aligned_vectors(const ValuePtr& value) const {
    const auto* load = std::get_if<loop::Load>(&value->node);
    const std::int64_t width = value->type.width;
    // Elements beside those that are asked for may be read where nobody writes.
    if (load == nullptr || width < 2 || load->buffer->space != loop::AddressSpace::Global ||
        written_.count(load->buffer.get()) > 0 || load->buffer->is_pointer || load->buffer->image)
      return value;
    const auto bytes = static_cast<std::int64_t>(size_of(value->type.scalar));
    const std::int64_t piece = std::min(width, std::max<std::int64_t>(most_bytes / bytes, 1));
    if (piece < 2 || width % piece != 0 || arith::is_divisor(arith::constant(width), load->index))
      return value;
    const auto distance = distance_from_multiple(load->index, piece);
    if (!distance) return value;
    const Expr begin = load->index - *distance;
    const std::int64_t read = *distance == 0 ? width : width + piece;
    if (!arith::is_less_equal(0, begin) || !arith::is_less_equal(begin + read, load->buffer->scalars))
      return value;
    std::vector<ValuePtr> pieces, components;
    for (std::int64_t at = 0; at < read; at += piece)
      pieces.push_back(loop::load(load->buffer, begin + at, static_cast<int>(piece)));
    for (std::int64_t lane = 0; lane < width; ++lane) {
      const std::int64_t place = *distance + lane;
      components.push_back(
          loop::component(pieces[static_cast<std::size_t>(place / piece)], static_cast<int>(place % piece)));
    }
    return loop::make_vector(std::move(components), static_cast<int>(width));
  }

  const std::unordered_set<const loop::Buffer*>& written_;
  loop::NameSource& names_;
};

}  // namespace

void align_vectors(loop::Kernel& kernel, loop::NameSource& names) {
  const auto written = written_buffers(kernel.body);
  kernel.body = Aligner(written, names).run(std::move(kernel.body));
}

}  // namespace hoist::lower
