// Non-temporal stores need vectors that begin at a multiple of their size, which compilers do not make of
// loops by themselves. So a row that is stored past the caches,
//
//   for x in [0, 1000): stream v[1001*y + x] = ...
//
// becomes three loops: over the scalars up to the next multiple of the width, over those that are left at the
// end, over vectors. The scalars go through the caches, and must be in no line with vectors that do not: such
// a line would be written to memory twice.
//
//   for x in [0, head): v[1001*y + x] = ...                       head = (8 - 1001*y % 8) % 8
//   for x in [0, (1000 - head) % 8): v[1001*y + head + (1000 - head) / 8 * 8 + x] = ...
//   for i in [0, (1000 - head) / 8): stream v[1001*y + head + 8*i +: 8] = ...
//
// Where all rows begin alike, several are computed at a time, as many as there are registers for the vectors
// that they read (unroll-and-jam; row_windows.cpp): a stencil's rows share most of those.
//
// Places count from the array's beginning. Where that is no multiple of a vector's size, the printed store
// finds out, and goes through the caches (`stream_vector` in helpers.cpp).
#include "codegen/host/streamed_rows.hpp"

#include <optional>

#include "codegen/host/loop_nest.hpp"
#include "codegen/host/row_windows.hpp"
#include "codegen/host/vectors.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;

constexpr std::int64_t least_vectors = 8;  ///< of a row: shorter ones are mostly edges
constexpr std::int64_t most_jammed = 8;    ///< rows at a time
constexpr std::int64_t most_planes = 4;
/// Rows computed one by one that read more wait for what they compute, not for memory.
constexpr std::size_t most_loads = 16;
/// Of shorter rows one of each plane is computed at a time, or one by one: processors fetch in advance what
/// follows in the same page of memory, and many short stretches at a time end before that helps.
constexpr std::int64_t least_jammed_bytes = 7 * 1024;

/// The streamed store of scalars side by side in a loop's own body, if there is one, and if all other stores
/// are streamed, too.
const loop::Store* streamed_store(const loop::For& loop) {
  const loop::Store* found = nullptr;
  for (const loop::Statement& statement : loop.body) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    if (!store) continue;
    if (!store->is_streamed) return nullptr;
    if (store->value->type.width == 1 && exact_stride(store->index, loop.variable) == 1) found = store;
  }
  return found;
}

std::size_t loads_in(const Block& body) {
  std::size_t count = 0;
  loop::for_each_value(
      body, [&](const loop::ValuePtr& value) { count += std::holds_alternative<loop::Load>(value->node); });
  return count;
}

/// A row that vectors serve.
struct Row {
  const loop::For* loop = nullptr;
  Block vectors;  ///< the body, as many iterations side by side
  std::int64_t width = 1;
  Expr head, rest;  ///< scalars before the first vector; those from there on
};

class Rows {
 public:
  Rows(const loop::Kernel& kernel, std::int64_t vector_bytes)
      : kernel_(kernel), names_(kernel), vector_bytes_(vector_bytes) {}

  Block converted(Block block) {
    Block result;
    for (loop::Statement& statement : block) {
      if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->then_body = converted(std::move(branch->then_body));
        branch->else_body = converted(std::move(branch->else_body));
      }
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop && append_jammed(*loop, result)) continue;
      const auto row = loop ? row_of(*loop) : std::nullopt;
      if (row && loads_in(row->vectors) <= most_loads) {
        append_row(*row, result);
        continue;
      }
      if (loop) loop->body = converted(std::move(loop->body));
      result.push_back(std::move(statement));
    }
    return result;
  }

 private:
  std::optional<Row> row_of(const loop::For& loop) const {
    if (loop.parallelism == loop::Parallelism::Sequential || !loop.start.is_constant(0)) return std::nullopt;
    const loop::Store* store = streamed_store(loop);
    const auto most = most_iterations(kernel_, loop);
    if (!store || !most) return std::nullopt;
    Row row;
    row.loop = &loop;
    row.width = vector_bytes_ / static_cast<std::int64_t>(size_of(store->buffer->type.scalar));
    if (row.width < 2 || *most < least_vectors * row.width) return std::nullopt;
    auto vectors = vectorised(loop.body, loop.variable, static_cast<int>(row.width));
    if (!vectors) return std::nullopt;
    row.vectors = *std::move(vectors);
    const Expr begin = arith::substitute(store->index, {{loop.variable.get(), 0}});
    row.head = (row.width - begin % row.width) % row.width;
    // A task may have fewer iterations than there are to the next vector.
    if (!loop.stop.constant()) row.head = arith::minimum(row.head, loop.stop);
    row.rest = loop.stop - row.head;
    return row;
  }

  void append_row(const Row& row, Block& result) {
    append_edges(row, {}, result);
    loop::For vectors = *row.loop;
    const Expr count = row.rest / row.width;
    vectors.variable = arith::index(names_.fresh(row.loop->variable->name), 0, count);
    vectors.stop = count;
    vectors.body = loop::clone_with_fresh_names(
        row.vectors, names_, {{row.loop->variable.get(), row.head + row.width * vectors.variable}});
    result.push_back({std::move(vectors)});
  }

  /// The scalars before the first vector, and those behind the last.
  void append_edges(const Row& row, const arith::Substitution& around, Block& result) {
    append_scalars(row, 0, row.head, around, result);
    append_scalars(row, row.head + row.rest / row.width * row.width, row.rest % row.width, around, result);
  }
  void append_scalars(const Row& row, Expr first, Expr count, arith::Substitution around, Block& result) {
    if (count.is_constant(0)) return;
    loop::For part = *row.loop;
    part.variable = arith::index(names_.fresh(row.loop->variable->name), 0, count);
    part.stop = count;
    around[row.loop->variable.get()] = first + part.variable;
    part.body = loop::clone_with_fresh_names(row.loop->body, names_, around);
    result.push_back({std::move(part)});
  }

  /// A loop of one iteration: what is inside is no work-item's of the loops around.
  loop::For once(const loop::For& like, Block body) {
    loop::For result = like;
    result.variable = arith::index(names_.fresh("once"), 0, 1);
    result.stop = 1;
    result.body = std::move(body);
    return result;
  }

  // ---- Several rows at a time

  /// The loop over rows, or over planes of short rows, with several of them in each iteration: what they read
  /// together, they read once.
  bool append_jammed(const loop::For& outer, Block& result) {
    const Expr rows = outer.stop;
    const auto most_rows = most_iterations(kernel_, outer);
    const loop::For* const plane = plane_of(outer);
    const auto row = only_row_of(plane == nullptr ? outer : *plane);
    if (!row || !most_rows || !row->head.constant()) return false;
    const bool is_long = *row->loop->stop.constant() / row->width * vector_bytes_ >= least_jammed_bytes;
    if (plane != nullptr && is_long) return false;
    const std::int64_t most = plane != nullptr ? most_planes : is_long ? most_jammed : 1;
    for (std::int64_t jam = most; jam >= 1; jam /= 2) {
      if (*most_rows < jam) continue;
      auto jammed = jammed_rows(outer, plane, *row, jam, rows / jam);
      if (!jammed) continue;
      const Expr done = rows / jam * jam;
      result.push_back({*std::move(jammed)});
      if (done == rows) return true;
      loop::For others = outer;
      others.variable = arith::index(names_.fresh(outer.variable->name), 0, rows - done);
      others.stop = rows - done;
      others.body =
          loop::clone_with_fresh_names(outer.body, names_, {{outer.variable.get(), others.variable + done}});
      const Block converted_others = converted({{std::move(others)}});
      result.insert(result.end(), converted_others.begin(), converted_others.end());
      return true;
    }
    return false;
  }

  /// The loop over the rows of a plane, where the loop over planes has nothing else in it.
  static const loop::For* plane_of(const loop::For& outer) {
    if (outer.parallelism == loop::Parallelism::Sequential || !outer.start.is_constant(0) ||
        outer.body.size() != 1)
      return nullptr;
    const auto* plane = std::get_if<loop::For>(&outer.body.front().node);
    return plane != nullptr && loop::has_parallel_loop(plane->body) ? plane : nullptr;
  }

  /// The row of a loop that has nothing but parallel loops in it, whose results nobody reads: then
  /// iterations, and what is in them, may be in any order.
  std::optional<Row> only_row_of(const loop::For& outer) const {
    if (outer.parallelism == loop::Parallelism::Sequential || !outer.start.is_constant(0))
      return std::nullopt;
    std::optional<Row> found;
    for (const loop::Statement& statement : outer.body) {
      const auto* loop = std::get_if<loop::For>(&statement.node);
      if (!loop || loop->parallelism == loop::Parallelism::Sequential) return std::nullopt;
      std::optional<Row> row = row_of(*loop);
      if (row && found) return std::nullopt;
      if (row) found = std::move(row);
    }
    bool are_streamed = true;
    loop::for_each_statement(outer.body, [&](const loop::Statement& statement) {
      const auto* store = std::get_if<loop::Store>(&statement.node);
      are_streamed = are_streamed && (!store || store->is_streamed);
    });
    return are_streamed ? std::move(found) : std::nullopt;
  }

  /// Nothing where that would take more registers than there are.
  std::optional<loop::For> jammed_rows(const loop::For& outer, const loop::For* plane, const Row& row,
                                       std::int64_t jam, Expr count) {
    loop::For result = outer;
    result.variable = arith::index(names_.fresh(outer.variable->name), 0, count);
    result.stop = count;
    result.body.clear();
    arith::Substitution around;
    loop::For rows = plane == nullptr ? outer : *plane;
    if (plane != nullptr) {
      rows.variable = arith::index(names_.fresh(plane->variable->name), 0, plane->stop);
      around[plane->variable.get()] = rows.variable;
    }
    const Expr vectors = row.rest / row.width;
    const Expr place = arith::index(names_.fresh(row.loop->variable->name), 0, vectors);
    Block middle;
    for (std::int64_t at = 0; at < jam; ++at) {
      arith::Substitution vector = around;
      vector[outer.variable.get()] = jam * result.variable + at;
      vector[row.loop->variable.get()] = row.head + row.width * place;
      const Block own = loop::clone_with_fresh_names(row.vectors, names_, vector);
      middle.insert(middle.end(), own.begin(), own.end());
    }
    auto windowed = with_windows(middle, place, vectors, static_cast<int>(row.width), names_);
    if (!windowed || windowed->registers > registers() * 3 / 4) return std::nullopt;
    loop::For each;
    each.variable = arith::index(names_.fresh(outer.variable->name), 0, jam);
    each.start = 0;
    each.stop = jam;
    each.step = 1;
    around[outer.variable.get()] = jam * result.variable + each.variable;
    Block block;
    for (const loop::Statement& statement : (plane == nullptr ? outer : *plane).body) {
      if (std::get_if<loop::For>(&statement.node) == row.loop) continue;
      const Block copy = loop::clone_with_fresh_names({statement}, names_, around);
      each.body.insert(each.body.end(), copy.begin(), copy.end());
    }
    append_edges(row, around, each.body);
    if (!each.body.empty()) block.push_back({std::move(each)});
    block.push_back({once(*row.loop, std::move(windowed->block))});
    if (plane == nullptr) {
      result.body = std::move(block);
    } else {
      rows.body = std::move(block);
      result.body.push_back({std::move(rows)});
    }
    return result;
  }

  int registers() const { return vector_bytes_ >= 64 ? 32 : 16; }

  const loop::Kernel& kernel_;
  loop::NameSource names_;
  std::int64_t vector_bytes_;
};

}  // namespace

loop::Kernel vectorise_streamed_rows(loop::Kernel kernel, std::int64_t vector_bytes) {
  kernel.body = Rows(kernel, vector_bytes).converted(kernel.body);
  return kernel;
}

}  // namespace hoist::codegen
