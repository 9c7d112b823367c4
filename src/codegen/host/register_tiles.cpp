// Register blocking: unroll and jam of the loop around a loop whose iterations become lanes of vectors. Each
// element of
//
//   for i: for j: acc = 0; for k: acc = acc + a[i][k] * b[k][j];  c[i][j] = acc
//
// loads two numbers for each product. A tile of 6 rows and 4 vectors of columns,
//
//   for i in tiles of 6: for j in tiles of 64:
//     24 accumulators = 0;  for k: load 4 vectors of b[k], 6 scalars of a; 24 products;  store 24 vectors
//
// loads ten for 24 vectors of them, and keeps its accumulators in registers. In this file rows are the
// iterations of the outer loop, columns those of the inner one, whatever arrays they index.
//
// Read `tile_rows` first. It cuts the rows into chunks, which threads share, and a chunk into tiles. Inside a
// chunk the loop over tiles of columns is the outer one: what the columns read stays in the nearest caches
// while all rows of the chunk use it. `Columns` says how the columns are cut; where no vectors divide them
// the last vector begins earlier, and computes some elements again. `Jam` makes one body of the copies for
// the elements of a tile; in a triangle, where their loops end a few iterations apart, these follow one by
// one. Where neighbouring columns lie apart, but sums are along memory, as in a product with a transposed
// matrix, lanes are of sums (sums.hpp), and a column takes the place of a vector. Where lengths are not
// known, where nothing is shared by rows, or where lanes would differ, loops stay as they are. The number of
// rows may be one that the kernel is given, a task's: what follows from it is computed before the loops
// (`named`), and rows that are no whole tile are computed one by one.
#include "codegen/host/register_tiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "codegen/host/loop_nest.hpp"
#include "codegen/host/sums.hpp"
#include "codegen/host/vectors.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;

constexpr std::int64_t most_rows = 6, most_vectors = 4;  ///< of a tile
constexpr std::int64_t most_rows_of_chunk = 256;
constexpr std::int64_t chunks_for_threads = 16;
constexpr std::int64_t most_statements = 512;  ///< of a tile's body
constexpr int least_lanes = 4;

bool is_outer(const loop::For& loop) {
  return loop.parallelism == loop::Parallelism::Global && loop.start.is_constant(0) &&
         loop.step.is_constant(1);
}

std::int64_t statements_in(const Block& block) {
  std::int64_t count = 0;
  loop::for_each_statement(block, [&](const loop::Statement&) { ++count; });
  return count;
}

/// Bounds of copies of a loop that are as far apart belong to rows next to each other, as in a triangle.
constexpr std::int64_t nearly = 2 * most_rows;

bool is_near(Expr a, Expr b) {
  const auto difference = (a - b).constant();
  return difference && std::abs(*difference) <= nearly;
}

/// Makes one body that does what several copies do.
class Jam {
 public:
  explicit Jam(loop::NameSource& names) : names_(names) {}

  /// Nothing where the copies' loops differ by more than a few iterations at their ends.
  std::optional<Block> together(std::vector<Block> copies) {
    Block result;
    for (std::size_t at = 0; at < copies[0].size(); ++at) {
      if (std::holds_alternative<loop::For>(copies[0][at].node)) {
        std::vector<loop::For> loops;
        for (Block& copy : copies) loops.push_back(std::move(std::get<loop::For>(copy[at].node)));
        if (!append_loop(loops, result)) return std::nullopt;
        continue;
      }
      const bool is_comment = std::holds_alternative<loop::Comment>(copies[0][at].node);
      for (std::size_t copy = 0; copy < (is_comment ? 1 : copies.size()); ++copy)
        result.push_back(std::move(copies[copy][at]));
    }
    return result;
  }

 private:
  /// A loop of the iterations that all have, between those that only some have.
  bool append_loop(const std::vector<loop::For>& loops, Block& result) {
    Expr start = loops[0].start, stop = loops[0].stop;
    for (const loop::For& loop : loops) {
      if (loop.step != loops[0].step || !is_near(loop.start, start) || !is_near(loop.stop, stop))
        return false;
      start = arith::maximum(start, loop.start);
      stop = arith::minimum(stop, loop.stop);
    }
    const bool are_alike = std::all_of(loops.begin(), loops.end(), [&](const loop::For& loop) {
      return loop.start == start && loop.stop == stop;
    });
    if (are_alike) return append_common(loops, loops[0].variable, start, stop, result);
    if (!loops[0].step.is_constant(1)) return false;
    for (const loop::For& loop : loops)
      append_part(loop, loop.start, arith::minimum(start, loop.stop), result);
    const Expr variable = arith::index(names_.fresh(loops[0].variable->name), start, stop);
    if (!append_common(loops, variable, start, stop, result)) return false;
    for (const loop::For& loop : loops) append_part(loop, arith::maximum(start, stop), loop.stop, result);
    return true;
  }

  bool append_common(const std::vector<loop::For>& loops, Expr variable, Expr start, Expr stop,
                     Block& result) {
    std::vector<Block> bodies;
    for (const loop::For& loop : loops)
      bodies.push_back(loop::clone_with_fresh_names(loop.body, names_, {{loop.variable.get(), variable}}));
    auto body = together(std::move(bodies));
    if (!body) return false;
    loop::For common = loops[0];
    common.variable = variable;
    common.start = start;
    common.stop = stop;
    common.body = *std::move(body);
    result.push_back({std::move(common)});
    return true;
  }

  void append_part(const loop::For& loop, Expr start, Expr stop, Block& result) {
    if (arith::is_less_equal(stop, start)) return;
    loop::For part = loop;
    part.variable = arith::index(names_.fresh(loop.variable->name), start, stop);
    part.start = start;
    part.stop = stop;
    part.body = loop::clone_with_fresh_names(loop.body, names_, {{loop.variable.get(), part.variable}});
    result.push_back({std::move(part)});
  }

  loop::NameSource& names_;
};

/// How the columns of a loop are cut into vectors, and these into tiles: so many tiles of most_vectors, then
/// one or two of other vectors.
struct Columns {
  std::int64_t tiles = 0;
  std::vector<std::vector<std::int64_t>> others;  ///< where the vectors of the other tiles begin

  Columns(std::int64_t count, std::int64_t lanes, std::int64_t vectors) {
    const std::int64_t tile = lanes * vectors;
    tiles = count / tile;
    if (count % tile == 0) return;
    // What is left over goes together with a whole tile, so that there are vectors to begin earlier.
    if (tiles > 0) --tiles;
    const std::int64_t first = tiles * tile, rest = (count - first + lanes - 1) / lanes;
    for (std::int64_t vector = 0; vector < rest; ++vector) {
      if (vector == 0 || (rest > vectors && vector == (rest + 1) / 2)) others.emplace_back();
      others.back().push_back(std::min(first + vector * lanes, count - lanes));
    }
  }
};

/// What is known of an inner loop whose iterations are to be lanes, or one by one with lanes of their own.
struct Plan {
  int lanes;
  Block body;                  ///< of a vector, for the loop's variable
  std::int64_t accumulators;   ///< of a vector
  std::int64_t rows, vectors;  ///< of a tile
};

class Tiling {
 public:
  Tiling(const loop::Kernel& kernel, std::int64_t vector_bytes)
      : kernel_(kernel), names_(kernel), vector_bytes_(vector_bytes) {}

  Block tiled(Block block) {
    Block result;
    for (loop::Statement& statement : block) {
      before_.clear();
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop && is_outer(*loop)) visit(*loop, 1);
      std::move(before_.begin(), before_.end(), std::back_inserter(result));
      result.push_back(std::move(statement));
    }
    return result;
  }

 private:
  /// Finds the innermost but one of the parallel loops; `count` is that of the iterations around.
  void visit(loop::For& loop, std::int64_t count) {
    auto* inner = loop.body.size() == 1 ? std::get_if<loop::For>(&loop.body[0].node) : nullptr;
    if (inner && is_outer(*inner) && loop::has_parallel_loop(inner->body)) {
      visit(*inner, count * loop.stop.constant().value_or(1));
    } else {
      tile_rows(loop, count);
    }
  }

  /// How an inner loop is tiled, if it can be: with vectors of columns, or with vectors along the sums.
  std::optional<Plan> plan_of(const loop::For& rows, const loop::For& columns) {
    const auto row_count = most_iterations(kernel_, rows), count = columns.stop.constant();
    if (!row_count || !count || *row_count < 2 || !is_outer(columns) || !shares_loads(rows, columns))
      return std::nullopt;
    auto lanes = static_cast<int>(vector_bytes_ / largest_scalar(columns.body));
    while (lanes > *count) lanes /= 2;
    const bool repeats = *count % lanes != 0;
    if (lanes >= least_lanes && !(repeats && reads_what_it_writes(columns.body))) {
      auto body = vectorised(columns.body, columns.variable, lanes);
      if (body) return with_tile({lanes, *std::move(body), 0, 0, 0}, rows, *row_count, *count);
    }
    auto sums = summed_by_vectors(columns.body, vector_bytes_, names_);
    if (!sums) return std::nullopt;
    return with_tile({1, *std::move(sums), 0, 0, 0}, rows, *row_count, *count);
  }

  /// The plan with as many rows and vectors as fit the registers.
  std::optional<Plan> with_tile(Plan plan, const loop::For& rows, std::int64_t row_count,
                                std::int64_t count) const {
    for (const loop::Statement& statement : plan.body) {
      const auto* let = std::get_if<loop::Let>(&statement.node);
      if (let && let->variable->is_mutable && let->variable->type.width > 1) ++plan.accumulators;
    }
    if (plan.accumulators == 0) return std::nullopt;
    // Two registers beside the accumulators and what the rows share.
    const std::int64_t registers = (vector_bytes_ >= 64 ? 32 : 16) - 2;
    const std::int64_t statements = statements_in(plan.body);
    const std::int64_t vectors = std::min(vector_bytes_ >= 64 ? most_vectors : most_vectors / 2,
                                          (count + plan.lanes - 1) / plan.lanes);
    for (std::int64_t across = 1; across <= vectors; ++across) {
      const std::int64_t down = std::min({(registers - across) / (plan.accumulators * across), most_rows,
                                          most_statements / (statements * across), row_count});
      if (down < 2 || down * across < plan.rows * plan.vectors) continue;
      plan.rows = down;
      plan.vectors = across;
    }
    if (plan.vectors == 0) return std::nullopt;
    if (!rows.stop.constant()) return plan;
    for (std::int64_t fewer = plan.rows; fewer >= 2 && fewer + 2 >= plan.rows; --fewer) {
      if (row_count % fewer == 0) {
        plan.rows = fewer;
        break;
      }
    }
    return plan;
  }

  /// Whether rows load some elements alike in the loops of the body: all of them, or neighbours, as windows
  /// that overlap.
  static bool shares_loads(const loop::For& rows, const loop::For& columns) {
    std::set<std::pair<const loop::Buffer*, const arith::Node*>> loaded;
    for (const loop::Statement& statement : columns.body) {
      if (!std::holds_alternative<loop::For>(statement.node)) continue;
      loop::for_each_value(statement, [&](const loop::ValuePtr& value) {
        const auto* load = std::get_if<loop::Load>(&value->node);
        if (load) loaded.emplace(load->buffer.get(), load->index.get());
      });
    }
    return std::any_of(loaded.begin(), loaded.end(), [&](const auto& load) {
      const Expr index(load.second);
      const Expr next = arith::substitute(index, {{rows.variable.get(), rows.variable + 1}});
      return loaded.contains({load.first, next.get()});
    });
  }

  static std::int64_t largest_scalar(const Block& body) {
    std::size_t bytes = sizeof(float);
    loop::for_each_value(body, [&](const loop::ValuePtr& value) {
      if (std::holds_alternative<loop::Load>(value->node))
        bytes = std::max(bytes, size_of(value->type.scalar));
    });
    return static_cast<std::int64_t>(bytes);
  }

  static bool reads_what_it_writes(const Block& body) {
    std::set<const loop::Buffer*> written;
    loop::for_each_statement(body, [&](const loop::Statement& statement) {
      const auto* store = std::get_if<loop::Store>(&statement.node);
      if (store) written.insert(store->buffer.get());
    });
    bool found = false;
    loop::for_each_value(body, [&](const loop::ValuePtr& value) {
      const auto* load = std::get_if<loop::Load>(&value->node);
      found = found || (load && written.contains(load->buffer.get()));
    });
    return found;
  }

  void tile_rows(loop::For& rows, std::int64_t count_around) {
    std::vector<std::optional<Plan>> plans;
    std::int64_t tile = 0;  // rows of the tiles of all loops in it
    for (const loop::Statement& statement : rows.body) {
      const auto* columns = std::get_if<loop::For>(&statement.node);
      plans.push_back(columns ? plan_of(rows, *columns) : std::nullopt);
      if (!plans.back()) {
        if (!columns && !std::holds_alternative<loop::If>(statement.node)) return;
        continue;
      }
      tile = tile == 0 ? plans.back()->rows : std::min(tile, plans.back()->rows);
    }
    if (tile == 0) return;
    Block before;
    const Expr tiles = named("tiles", rows.stop / tile, before);
    const Expr tiles_of_chunk = chunk_of(tiles, tile, count_around, before);
    loop::For chunks = rows;
    // Rows that are no whole tile need a chunk, too.
    chunks.stop = named("chunks", arith::maximum((tiles + tiles_of_chunk - 1) / tiles_of_chunk, 1), before);
    chunks.variable = arith::index(names_.fresh(rows.variable->name), 0, chunks.stop);
    const Rows all{&rows,
                   chunks.variable * (tiles_of_chunk * tile),
                   tile,
                   arith::minimum(tiles_of_chunk, tiles - chunks.variable * tiles_of_chunk),
                   named("rows_left", rows.stop % tile, before),
                   loop::test({arith::Relation::LessEqual, chunks.stop - 1, chunks.variable})};
    Block body;
    for (std::size_t at = 0; at < rows.body.size(); ++at) {
      const bool is_tiled =
          plans[at] && append_tiles(all, std::get<loop::For>(rows.body[at].node), *plans[at], body);
      if (plans[at] && !is_tiled) return;
      if (!plans[at]) append_rows(all, rows.body[at], body);
    }
    chunks.body = std::move(body);
    rows = std::move(chunks);
    before_ = std::move(before);
  }

  /// How many tiles a chunk has: threads have some chunks each.
  Expr chunk_of(Expr tiles, std::int64_t tile, std::int64_t count_around, Block& before) {
    const auto known = tiles.constant();
    if (!known) {
      const Expr even = count_around * tiles / chunks_for_threads;
      return named("tiles_of_chunk", arith::maximum(arith::minimum(most_rows_of_chunk / tile, even), 1),
                   before);
    }
    std::int64_t tiles_of_chunk = 1;
    while (2 * tiles_of_chunk * tile <= most_rows_of_chunk &&
           count_around * *known / (2 * tiles_of_chunk) >= chunks_for_threads)
      tiles_of_chunk *= 2;
    return tiles_of_chunk;
  }

  /// A bound that is computed once, where it is no constant.
  Expr named(const char* name, Expr bound, Block& before) {
    if (bound.constant()) return bound;
    const auto variable =
        std::make_shared<loop::Variable>(loop::Variable{names_.fresh(name), {Scalar::I64, 1}, false});
    const Expr data = arith::data(variable->name, *bound->facts.minimum, *bound->facts.maximum + 1);
    before.push_back({loop::Let{variable, loop::index_value(bound, Scalar::I64), data}});
    return data;
  }

  /// The rows of a chunk.
  struct Rows {
    const loop::For* loop;
    Expr first;
    std::int64_t tile;
    Expr tiles;
    Expr rest;               ///< rows that are left over behind the last tile of all
    loop::ValuePtr is_last;  ///< whether they belong to the chunk
  };

  /// What is not tiled, for one row after the other.
  void append_rows(const Rows& rows, const loop::Statement& statement, Block& result) {
    const auto with_row = [&](Expr row) {
      return loop::clone_with_fresh_names({statement}, names_, {{rows.loop->variable.get(), row}});
    };
    loop::For each = sequential("row", rows.tiles * rows.tile);
    each.body = with_row(rows.first + each.variable);
    result.push_back({std::move(each)});
    if (rows.rest.is_constant(0)) return;
    loop::For left_over = sequential("row", rows.rest);
    left_over.body = with_row(rows.loop->stop - rows.rest + left_over.variable);
    append_if(rows.is_last, {{std::move(left_over)}}, result);
  }

  /// False where the elements of a tile have loops that are not alike.
  bool append_tiles(const Rows& rows, const loop::For& columns, const Plan& plan, Block& result) {
    const Columns cut(*columns.stop.constant(), plan.lanes, plan.vectors);
    const auto append = [&](Expr first_column, const std::vector<std::int64_t>& vectors, Block& to) {
      loop::For tiles = sequential("tile", rows.tiles);
      const auto body_of = [&](Expr first_row, std::int64_t count) {
        std::vector<Block> copies;
        for (std::int64_t row = 0; row < count; ++row) {
          for (const std::int64_t vector : vectors) {
            copies.push_back(loop::clone_with_fresh_names(plan.body, names_,
                                                          {{rows.loop->variable.get(), first_row + row},
                                                           {columns.variable.get(), first_column + vector}}));
          }
        }
        return Jam(names_).together(std::move(copies));
      };
      auto body = body_of(rows.first + tiles.variable * rows.tile, rows.tile);
      if (!body) return false;
      tiles.body = *std::move(body);
      to.push_back({std::move(tiles)});
      if (rows.rest.is_constant(0)) return true;
      const Expr first_left = rows.loop->stop - rows.rest;
      if (const auto known = rows.rest.constant()) {
        auto rest = body_of(first_left, *known);
        if (!rest) return false;
        append_if(rows.is_last, *std::move(rest), to);
        return true;
      }
      loop::For each = sequential("row", rows.rest);
      auto rest = body_of(first_left + each.variable, 1);
      if (!rest) return false;
      each.body = *std::move(rest);
      append_if(rows.is_last, {{std::move(each)}}, to);
      return true;
    };
    if (cut.tiles > 0) {
      std::vector<std::int64_t> vectors;
      for (std::int64_t at = 0; at < plan.vectors; ++at) vectors.push_back(at * plan.lanes);
      loop::For whole = sequential(columns.variable->name, cut.tiles);
      if (!append(whole.variable * (plan.vectors * plan.lanes), vectors, whole.body)) return false;
      result.push_back({std::move(whole)});
    }
    return std::all_of(cut.others.begin(), cut.others.end(),
                       [&](const auto& vectors) { return append(0, vectors, result); });
  }

  loop::For sequential(std::string_view name, Expr stop) {
    loop::For loop;
    loop.variable = arith::index(names_.fresh(name), 0, stop);
    loop.start = 0;
    loop.stop = stop;
    loop.step = 1;
    return loop;
  }

  static void append_if(const loop::ValuePtr& condition, Block body, Block& result) {
    loop::If branch;
    branch.condition = condition;
    branch.then_body = std::move(body);
    result.push_back({std::move(branch)});
  }

  const loop::Kernel& kernel_;
  loop::NameSource names_;
  std::int64_t vector_bytes_;
  Block before_;  ///< of the loop that is being tiled: bounds that are no constants
};

}  // namespace

loop::Kernel tile_for_registers(loop::Kernel kernel, std::int64_t vector_bytes) {
  kernel.body = Tiling(kernel, vector_bytes).tiled(kernel.body);
  return kernel;
}

}  // namespace hoist::codegen
