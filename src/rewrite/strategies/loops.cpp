#include "rewrite/strategies/loops.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "rewrite/nest.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

/// Vectors that sums take of a processor's registers, and copies of what computes an element in a body.
constexpr std::int64_t most_sums = 32, most_copies = 128;

/// A nest of scalars and how many maps it is of.
struct Loops {
  Term term;
  std::vector<Expr> lengths;  ///< of the maps
  Term body;
};

tl::expected<Loops, Declined> loops_of(Term term, const Context& context) {
  if (!context.enclosing.empty() || context.open_maps > 0 || context.unshared > 0)
    return declined("it is inside another pattern");
  const auto nest = nest_of(term);
  if (!nest) return declined("it is no map");
  if (!ir::is_scalar(nest->body.type())) return declined("its elements are no scalars");
  std::vector<MapKind> kinds(nest->rank(), MapKind{Op::MapSeq});
  kinds[0] = MapKind{Op::MapGlobal, 0};
  return Loops{to_term(*nest, kinds), nest->lengths, nest->body};
}

/// Of the first reduction in a term; nothing where there is none, or of no constant length.
std::optional<std::int64_t> length_of_reduction(Term term) {
  if (const auto* call = term.as<ir::Call>(); call && ir::is_reduce(call->op))
    return call->arguments.back().type()->size.constant();
  for (const Term child : ir::children(term)) {
    if (const auto length = length_of_reduction(child)) return length;
  }
  return std::nullopt;
}

/// Gives loops of maps the lengths that they have: what was found for some may serve others. Why it cannot
/// be, else.
std::optional<Declined> with_own_lengths(const Loops& loops, std::vector<std::int64_t>& lengths) {
  const std::size_t maps = loops.lengths.size();
  if (lengths.size() < maps) return Declined{"it has other loops"};
  std::int64_t reduced = 1;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    if (l >= maps) {
      reduced *= lengths[l];
      continue;
    }
    const auto length = loops.lengths[l].constant();
    if (!length || *length == 1) return Declined{"a map has no loop"};
    lengths[l] = *length;
  }
  if (lengths.size() > maps && length_of_reduction(loops.body) != reduced)
    return Declined{"its reduction has another length"};
  return std::nullopt;
}

Outcome ordered(Term term, Context& context, std::size_t lanes_of, std::int64_t width,
                std::vector<std::int64_t> lengths) {
  const auto loops = loops_of(term, context);
  if (!loops) return tl::unexpected(loops.error());
  const std::size_t maps = loops->lengths.size();
  if (lanes_of == 0 || lanes_of > lengths.size()) return declined("it has other loops");
  if (const auto refused = with_own_lengths(*loops, lengths)) return tl::unexpected(*refused);
  if (lengths[lanes_of - 1] % width != 0) return declined("lanes do not divide their loop");
  Term result = call1(Op::LoopLanes, {static_cast<std::int64_t>(lanes_of), width}, loops->term);
  Expr sums = 1, copies = 1;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    const std::int64_t rounds = lengths[l] / (l + 1 == lanes_of ? width : 1);
    if (rounds == 1) continue;
    const Expr jam = context.choose("jam");
    result = call1(Op::LoopJam, {static_cast<std::int64_t>(l + 1), rounds, jam}, result);
    if (l < maps) sums = sums * jam;
    copies = copies * jam;
  }
  result = call1(Op::LoopLimit, {sums, most_sums}, result);
  result = call1(Op::LoopLimit, {copies, most_copies}, result);
  for (std::size_t left = lengths.size(); left > 1; --left)
    result = call1(Op::LoopAt, {context.choose("at"), static_cast<std::int64_t>(left)}, result);
  return result;
}

/// How a role is written before a loop's length.
std::string_view letter_of(LoopRole role) {
  switch (role) {
    case LoopRole::Rows:
      return "r";
    case LoopRole::Lanes:
      return "l";
    case LoopRole::OfRows:
      return "m";
    case LoopRole::OfLanes:
      return "n";
    case LoopRole::Other:
      return "";
  }
  return "";
}

/// Loops of one operand alone, and of the reduction, are cut where they are longer.
constexpr std::int64_t longest_whole = 32;

/// Makes the schedule of a blocked nest. What it chooses is told by open_sizes, in the same order.
class Blocker {
 public:
  Blocker(const Blocking& blocking, const Loops& loops, Context& context)
      : blocking_(blocking), maps_(loops.lengths.size()), context_(context), result_(loops.term) {}

  Term run() {
    const std::size_t count = blocking_.loops.size();
    for (std::size_t l = 0; l < count; ++l) cut(l);
    result_ = call1(Op::LoopLanes, {number(lanes_), blocking_.width}, result_);
    result_ = call1(Op::LoopJam, {number(lanes_), vectors_ * lane_tiles_, vectors_}, result_);
    result_ = call1(Op::LoopJam, {number(rows_), sums_of_rows_ * row_tiles_, sums_of_rows_}, result_);
    limit(sums_of_rows_ * vectors_, most_accumulators);
    limit(least_accumulators, sums_of_rows_ * vectors_);
    limit(vectors_, most_vectors);
    limit(depth_ * (row_block_ + lane_block_), blocking_.scalars);
    limit(std::min(least_depth, whole_depth_), depth_);
    place();
    const auto pack = [&](std::size_t operand, std::size_t outside) {
      result_ = call1(Op::LoopPack, {static_cast<std::int64_t>(operand), static_cast<std::int64_t>(outside)},
                      result_);
    };
    pack(blocking_.lanes_operand.number, outside_lanes_);
    pack(blocking_.rows_operand.number, outside_rows_);
    return result_;
  }

 private:
  // Sums that a processor's 32 vector registers hold beside what they are made of, and those that hide the
  // latency of their additions.
  static constexpr std::int64_t most_accumulators = 28, least_accumulators = 16, most_vectors = 4;
  // Shorter tiles are not worth their copies.
  static constexpr std::int64_t least_depth = 128, least_rows = 48, least_columns = 64;

  static std::int64_t number(std::size_t l) { return static_cast<std::int64_t>(l) + 1; }

  void limit(Expr least, Expr most) { result_ = call1(Op::LoopLimit, {least, most}, result_); }

  /// The number of the loop over the tiles.
  std::size_t tile(std::size_t l, Expr size) {
    result_ = call1(Op::LoopTile, {number(l), size}, result_);
    return blocking_.loops.size() + tiles_++;
  }
  /// A tile of a power of two iterations; nothing where it is the whole loop.
  Expr cut_plainly(std::size_t l, std::vector<std::size_t>& tiles) {
    const std::int64_t length = blocking_.loops[l].length;
    if (length <= longest_whole) return length;
    const Expr size = context_.choose("b");
    limit(size, 2 * length - 1);
    tiles.push_back(tile(l, size));
    return size;
  }

  void cut(std::size_t l) {
    const auto& [role, length] = blocking_.loops[l];
    if (l >= maps_) {
      depth_ = depth_ * cut_plainly(l, depth_tiles_);
      whole_depth_ *= length;
      return;
    }
    switch (role) {
      case LoopRole::Rows: {
        rows_ = l;
        sums_of_rows_ = context_.choose("rows");
        row_tiles_ = context_.choose("b");
        const Expr block = sums_of_rows_ * row_tiles_, blocks = block * context_.choose("b");
        limit(blocks, std::max(2 * length - 1, most_accumulators));
        limit(std::min(least_rows, length), block);
        row_block_ = row_block_ * block;
        outer_tiles_.push_back(tile(l, blocks));
        row_loops_.insert(row_loops_.begin(), tile(l, block));
        return;
      }
      case LoopRole::Lanes: {
        lanes_ = l;
        vectors_ = context_.choose("vectors");
        lane_tiles_ = context_.choose("b");
        const Expr block = blocking_.width * vectors_ * lane_tiles_;
        limit(block, std::max(2 * length - 1, most_vectors * blocking_.width));
        limit(std::min(least_columns, length), block);
        lane_block_ = lane_block_ * block;
        lane_tile_loops_.push_back(tile(l, block));
        return;
      }
      case LoopRole::OfRows:
        row_block_ = row_block_ * cut_plainly(l, row_loops_);
        inner_loops_.push_back(l);
        return;
      case LoopRole::OfLanes:
        lane_block_ = lane_block_ * cut_plainly(l, lane_tile_loops_);
        inner_loops_.insert(inner_loops_.begin(), l);
        return;
      case LoopRole::Other:
        other_loops_.push_back(l);
        return;
    }
  }

  void place() {
    std::vector<std::size_t> left(blocking_.loops.size() + tiles_);
    std::iota(left.begin(), left.end(), 0U);
    std::size_t placed = 0;
    const auto put = [&](const std::vector<std::size_t>& loops) {
      for (const std::size_t each : loops) {
        const auto at = std::find(left.begin(), left.end(), each);
        result_ = call1(Op::LoopAt, {at - left.begin() + 1, static_cast<std::int64_t>(left.size())}, result_);
        left.erase(at);
        ++placed;
      }
    };
    put(other_loops_);
    put(outer_tiles_);
    put(lane_tile_loops_);
    put(depth_tiles_);
    outside_lanes_ = placed;
    put(row_loops_);
    outside_rows_ = placed;
    put(inner_loops_);
    // Left are rows and lanes, in this order or the other, and the reduction.
    const Expr at = context_.choose("at");
    limit(at, 2);
    result_ = call1(Op::LoopAt, {at, static_cast<std::int64_t>(left.size())}, result_);
  }

  const Blocking& blocking_;
  const std::size_t maps_;
  Context& context_;
  Term result_;

  std::size_t rows_ = 0, lanes_ = 0, tiles_ = 0;
  Expr sums_of_rows_ = 1, vectors_ = 1;  ///< of a body
  Expr row_tiles_ = 1, lane_tiles_ = 1;  ///< bodies in a tile
  Expr row_block_ = 1, lane_block_ = 1;  ///< what a copy has of all loops of its operand alone
  Expr depth_ = 1;                       ///< of the reduction in a tile
  std::int64_t whole_depth_ = 1;
  std::vector<std::size_t> other_loops_, outer_tiles_, lane_tile_loops_, depth_tiles_, row_loops_,
      inner_loops_;
  std::size_t outside_lanes_ = 0, outside_rows_ = 0;  ///< loops around a copy
};

Outcome blocked(Term term, Context& context, Blocking blocking) {
  const auto loops = loops_of(term, context);
  if (!loops) return tl::unexpected(loops.error());
  std::vector<std::int64_t> lengths;
  for (const Blocking::Loop& each : blocking.loops) lengths.push_back(each.length);
  if (const auto refused = with_own_lengths(*loops, lengths)) return tl::unexpected(*refused);
  const std::size_t maps = loops->lengths.size();
  if (blocking.loops.size() == maps) return declined("it has no reduction");
  const auto count = [&](LoopRole role) {
    return std::count_if(blocking.loops.begin(), blocking.loops.begin() + static_cast<std::ptrdiff_t>(maps),
                         [&](const Blocking::Loop& each) { return each.role == role; });
  };
  if (count(LoopRole::Rows) != 1 || count(LoopRole::Lanes) != 1)
    return declined("one of its loops is that of the rows, another that of the lanes");
  for (std::size_t l = 0; l < lengths.size(); ++l) blocking.loops[l].length = lengths[l];
  return Blocker(blocking, *loops, context).run();
}

}  // namespace

std::vector<BlockedSize> open_sizes(const Blocking& blocking, std::size_t maps) {
  using Of = BlockedSize::Of;
  std::vector<BlockedSize> sizes;
  int blocks = 0;
  const auto add_block = [&](Of of, std::size_t loop) {
    sizes.push_back({of, loop, ++blocks == 1 ? "b" : fmt::format("b{}", blocks)});
  };
  for (std::size_t l = 0; l < blocking.loops.size(); ++l) {
    const auto& [role, length] = blocking.loops[l];
    if (l < maps && role == LoopRole::Rows) {
      sizes.push_back({Of::Rows, l, "rows"});
      add_block(Of::RowTiles, l);
      add_block(Of::RowBlocks, l);
    } else if (l < maps && role == LoopRole::Lanes) {
      sizes.push_back({Of::Vectors, l, "vectors"});
      add_block(Of::LaneTiles, l);
    } else if ((l >= maps || role != LoopRole::Other) && length > longest_whole) {
      add_block(Of::Tile, l);
    }
  }
  sizes.push_back({Of::InnerOrder, 0, "at"});
  return sizes;
}

Strategy block_loops(Blocking blocking) {
  const auto text = [](const Blocking::Operand& operand) {
    return operand.along == 0 ? fmt::format("{}", operand.number)
                              : fmt::format("{}.{}", operand.number, operand.along);
  };
  std::string name = fmt::format("blockLoops({},{},{},{}", blocking.width, blocking.scalars,
                                 text(blocking.rows_operand), text(blocking.lanes_operand));
  for (const Blocking::Loop& each : blocking.loops)
    name += fmt::format(",{}{}", letter_of(each.role), each.length);
  name += ")";
  return step(std::move(name), [blocking = std::move(blocking)](Term term, Context& context) {
    return blocked(term, context, blocking);
  });
}

Strategy order_loops(std::size_t lanes_of, std::int64_t width, std::vector<std::int64_t> lengths) {
  std::string name = fmt::format("orderLoops({},{},{})", lanes_of, width, fmt::join(lengths, ","));
  return step(std::move(name), [=, lengths = std::move(lengths)](Term term, Context& context) {
    return ordered(term, context, lanes_of, width, lengths);
  });
}

Strategy plain_loops() {
  return step("plainLoops", [](Term term, Context& context) -> Outcome {
    auto loops = loops_of(term, context);
    if (!loops) return tl::unexpected(loops.error());
    return loops->term;
  });
}

}  // namespace hoist::rewrite
