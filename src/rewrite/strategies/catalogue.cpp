// The table of strategies, and strategies from text.
//
// `entries` is what `hoist rules --strategies` lists. `strategy_from_text` reads a name with its arguments,
// numbers first and a list of sizes last, and makes the strategy. `hoist explain` replays derivations through
// it, so whatever a derivation's step is called must be readable here.
#include "rewrite/strategies/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "rewrite/sites.hpp"
#include "rewrite/strategies/hierarchy.hpp"
#include "rewrite/strategies/hoisting.hpp"
#include "rewrite/strategies/interchange.hpp"
#include "rewrite/strategies/loops.hpp"
#include "rewrite/strategies/memory.hpp"
#include "rewrite/strategies/merging.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/strategies/normal_forms.hpp"
#include "rewrite/strategies/reductions.hpp"
#include "rewrite/strategies/stencils.hpp"
#include "rewrite/strategies/tiled_stages.hpp"
#include "rewrite/strategies/vectors.hpp"

namespace hoist::rewrite {

namespace {

constexpr StrategyEntry entries[] = {
    {"fuse", "fuse", "fuses what produces an array with what consumes it, wherever it can", false},
    {"simplify", "simplify", "removes patterns that undo each other or do nothing", false},
    {"normalize", "normalize", "simplify and fuse until neither changes anything", false},
    {"interchange", "interchange", "exchanges the two maps of a nest", true},
    {"reorder", "reorder(dimensions)",
     "puts the maps of a nest into another order: reorder(1,0) puts the second map outside", true},
    {"tile", "tile(dimensions, [sizes])", "cuts a nest of maps into tiles; tiles of windows overlap", true},
    {"tileItems", "tileItems(dimensions, [sizes])", "tiles, each computed by a work-item (mapGlb)", true},
    {"tileGroups", "tileGroups(dimensions, [sizes])", "tiles, each computed by a work-group (mapWrg)", true},
    {"tileLocal", "tileLocal(dimensions, [sizes])",
     "tiles of a group's tile, each computed by a work-item of it (mapLcl)", true},
    {"tileItemsGuarded", "tileItemsGuarded(dimensions, [sizes])",
     "tiles of any size for work-items: the array is padded to whole tiles, and the result cut", true},
    {"tileGroupsGuarded", "tileGroupsGuarded(dimensions, [sizes])", "tiles of any size for work-groups",
     true},
    {"tileBlocks", "tileBlocks(dimensions, [sizes])",
     "tiles that take a block of elements here and there: for each dimension the size of tile and block",
     true},
    {"tileLocalBlocks", "tileLocalBlocks(dimensions, [sizes])",
     "such tiles in blocks, each computed by a work-item of the group", true},
    {"tileAccumulationLocal", "tileAccumulationLocal",
     "cuts the accumulators of a reduction of arrays into tiles, each updated by a work-item of the group",
     true},
    {"tileAccumulationLocalBlocks", "tileAccumulationLocalBlocks",
     "the same, with tiles in blocks as tileBlocks", true},
    {"hoistReduce", "hoistReduce", "turns a nest of maps around a reduction into a reduction around the nest",
     true},
    {"hoistReduceByChunks", "hoistReduceByChunks([size])",
     "the same by chunks: a loop over chunks around the nest, which reduces one chunk", true},
    {"hoistReduceByChunksGuarded", "hoistReduceByChunksGuarded([size])",
     "the same by chunks of any size: the last is filled up with what leaves the result as it is", true},
    {"hoistReduceByColumns", "hoistReduceByColumns",
     "the same by columns, where the reduced array is made of rows that are joined", true},
    {"splitReduction", "splitReduction([size])",
     "splits a reduction inside a nest in chunks over groups, then reduces what they leave", true},
    {"splitReductionGuarded", "splitReductionGuarded([size])",
     "the same by chunks of any size, the last filled up in the same ways", true},
    {"mapVectors", "mapVectors(width)", "computes a nest of scalars in vectors along its innermost dimension",
     true},
    {"vectorWindows", "vectorWindows(width)",
     "reads windows of w elements and their neighbours as a vector of w and the scalars beside it", true},
    {"streamWindows", "streamWindows(width, [size])",
     "computes a stencil by work-items with several elements of the outermost dimension each, in vectors "
     "along the innermost dimension, with the window in registers",
     true},
    {"streamWindowsGuarded", "streamWindowsGuarded(width, [size])",
     "the same of any size: up to the next multiple of 8, and what is beyond the end is left out", true},
    {"mergeItems", "mergeItems(width, [sizes])",
     "computes a stencil by groups of merged work-items: for each dimension, the outermost first, how many "
     "work-items a group has, how many blocks of neighbours a work-item computes, how many rounds a block "
     "has, "
     "and how many elements, or vectors along the innermost dimension, a round computes by straight code",
     true},
    {"items", "items(dimensions)", "computes a nest of maps by work-items (mapGlb), one element each", true},
    {"groups", "groups(dimensions)", "computes a nest of maps by work-groups (mapWrg), one element each",
     true},
    {"itemsInGroups", "itemsInGroups",
     "puts the work-items of a nest of mapGlb in groups (mapWrg, mapLcl) whose lengths it chooses", true},
    {"local", "local(dimensions)",
     "computes a nest of maps by a group's work-items (mapLcl), one element each", true},
    {"reduceInGroup", "reduceInGroup(width, [size])",
     "computes a reduction by the work-items of a group, in vectors; chooses the number of work-items", true},
    {"rowInGroup", "rowInGroup(width, [size])",
     "computes what goes through a row several times by the work-items of a group, each of which has its "
     "part "
     "in registers, in vectors; chooses the number of work-items",
     true},
    {"reduceByGroups", "reduceByGroups(width, [sizes])",
     "computes a reduction by groups, then of their results by one group; chooses chunks and work-items",
     true},
    {"dotVectors", "dotVectors(width)", "computes a sum of products by the dot product of vectors", true},
    {"sites", "sites(processor[, stages])",
     "takes a program of several nests apart: scans, iterations and choices are mapped by default for a gpu "
     "or a cpu, the nests between them stay as they are; up to so many stages are one nest",
     false},
    {"stages", "stages", "binds by let what costs more to compute again than to store", false},
    {"tileStages", "tileStages(dimensions, [sizes])",
     "computes a chain of stages by work-groups, tile by tile, each stage's part in local memory", true},
    {"rollStages", "rollStages(dimensions, [sizes])",
     "the same with rolling buffers: strips in rounds of some rows, the last size, of which what the next "
     "round needs is kept",
     true},
    {"mapSite", "mapSite(processor)", "maps one nest by default for a gpu or a cpu", true},
    {"orderLoops", "orderLoops(lanes, width, lengths...)",
     "computes a nest by one kernel whose loops, of these lengths, are in an order that it chooses, with "
     "several "
     "iterations of each in a body, those of one as the lanes of vectors",
     true},
    {"blockLoops", "blockLoops(width, scalars, rows' operand, lanes' operand, loops...)",
     "computes a nest by one kernel in tiles for the caches, with copies of up to so many scalars of what "
     "its "
     "operands read there, each of which is written with a point and the loop along which its elements are "
     "neighbours after it; each of its loops is written as its length, with r before it where its iterations "
     "are rows of a body, l where they are lanes, m and n where it is another of the same operand alone",
     true},
    {"plainLoops", "plainLoops", "computes a nest by one kernel, its loops as they stand in each other",
     true},
    {"map", "map",
     "maps what is not mapped yet: nests inside mapWrg to mapLcl, outermost nests to mapGlb, others to loops",
     false},
    {"toImage", "toImage(input)",
     "reads an input of the program, counted from the last one, as an image, where the device has images",
     true},
    {"toLocal", "toLocal(part, along, width, stored, pitch[, even|boxes|flat])",
     "makes a group copy an array that its work-items read to local memory: which array, along which "
     "dimension neighbouring work-items copy, how many elements at once, which dimension is innermost in "
     "local "
     "memory, how much longer than its elements a row is there; even: as many elements by each work-item; "
     "boxes: a box of the group's shape after the other; flat: one element after the other, whatever rows "
     "they are of",
     true},
    {"toPrivate", "toPrivate(part, width)",
     "makes the loop of a work-item read an array into registers first", true},
    {"prefetch", "prefetch", "makes a loop that begins with a copy make the copy for its next step instead",
     true},
};

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    if (c == ' ') continue;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// 16 or ?t.
arith::Expr size_from_text(const std::string& text) {
  const bool is_parameter =
      text.size() > 1 && text[0] == '?' && std::all_of(text.begin() + 1, text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
  if (is_parameter) return arith::parameter(text.substr(1));
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < 1)
    throw_user(fmt::format("'{}' is no size", text), {}, "write a number, or ?name for a tuning parameter");
  return value;
}

std::vector<arith::Expr> sizes_of(const std::string& text) {
  std::vector<arith::Expr> sizes;
  for (const std::string& each : parts_of(text)) sizes.push_back(size_from_text(each));
  return sizes;
}

/// The arguments of a strategy in its text.
struct Arguments {
  const StrategyEntry& entry;
  std::vector<std::string> texts;

  [[noreturn]] void refuse() const {
    throw_user(fmt::format("the arguments of {} are not as {}", entry.name, entry.signature), {},
               "sizes are written [16,?t]: numbers, or tuning parameters");
  }
  void expect(std::size_t least, std::size_t most) const {
    if (texts.size() < least || texts.size() > most) refuse();
  }
  std::size_t number(std::size_t position, std::size_t least, std::size_t most) const {
    const std::string& text = texts[position];
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse();
    if (value < least || value > most)
      throw_user(fmt::format("{}: {} is not between {} and {}", entry.name, value, least, most));
    return value;
  }
  /// The list at a position, of `wanted` sizes; none where the text ends before.
  std::vector<arith::Expr> sizes(std::size_t position, std::size_t wanted) const {
    if (position >= texts.size()) return {};
    const std::string& text = texts[position];
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') refuse();
    std::vector<arith::Expr> list = sizes_of(text.substr(1, text.size() - 2));
    if (list.size() != wanted)
      throw_user(fmt::format("{} takes {} sizes here, not {}", entry.name, wanted, list.size()));
    return list;
  }
};

constexpr std::size_t most_dimensions = 6;

/// tile, tileGroups, tileLocalBlocks, ...
std::optional<Tiling> tiling_of(std::string_view name) {
  if (name == "tile") return Tiling{};
  if (name == "tileItems") return Tiling{Dealing::Neighbours, TileOwner::WorkItem};
  if (name == "tileGroups") return Tiling{Dealing::Neighbours, TileOwner::Group};
  if (name == "tileLocal") return Tiling{Dealing::Neighbours, TileOwner::ItemOfGroup};
  if (name == "tileItemsGuarded") return Tiling{Dealing::Neighbours, TileOwner::WorkItem, true};
  if (name == "tileGroupsGuarded") return Tiling{Dealing::Neighbours, TileOwner::Group, true};
  if (name == "tileBlocks") return Tiling{Dealing::Blocks, TileOwner::Open};
  if (name == "tileLocalBlocks") return Tiling{Dealing::Blocks, TileOwner::ItemOfGroup};
  return std::nullopt;
}

void read_tile(const Arguments& arguments, Tiling tiling, NamedStrategy& result) {
  arguments.expect(1, 2);
  const std::size_t dimensions = arguments.number(0, 1, most_dimensions);
  result.choices = arguments.sizes(1, tiling.dealing == Dealing::Blocks ? 2 * dimensions : dimensions);
  result.strategy = tile_nest(dimensions, tiling);
}

void read_reorder(const Arguments& arguments, NamedStrategy& result) {
  arguments.expect(2, most_dimensions);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < arguments.texts.size(); ++i) {
    order.push_back(arguments.number(i, 0, arguments.texts.size() - 1));
    if (std::count(order.begin(), order.end(), order.back()) > 1)
      throw_user("reorder: a dimension is named twice");
  }
  result.strategy = reorder_nest(std::move(order));
}

void read_vectors(const Arguments& arguments, NamedStrategy& result) {
  const bool is_stream = arguments.entry.name.starts_with("streamWindows");
  arguments.expect(1, is_stream ? 2 : 1);
  const auto width = static_cast<std::int64_t>(arguments.number(0, 1, 16));
  if (arguments.entry.name == "mapVectors") {
    result.strategy = map_in_vectors(width);
    return;
  }
  result.choices = arguments.sizes(1, 1);
  const bool is_guarded = arguments.entry.name.ends_with("Guarded");
  result.strategy = is_stream ? stream_windows(width, is_guarded) : vector_windows(width);
}

/// Four sizes for each of one to three dimensions, or none.
void read_merging(const Arguments& arguments, NamedStrategy& result) {
  arguments.expect(1, 2);
  constexpr std::size_t sizes_of_dimension = 4, most = 12;
  result.strategy = merge_work_items(static_cast<std::int64_t>(arguments.number(0, 1, 16)));
  if (arguments.texts.size() == 1) return;
  const auto given = static_cast<std::size_t>(std::ranges::count(arguments.texts[1], ',')) + 1;
  if (given % sizes_of_dimension != 0 || given > most)
    throw_user(fmt::format("mergeItems takes 4, 8 or 12 sizes here, not {}", given));
  result.choices = arguments.sizes(1, given);
}

void read_reduction(const Arguments& arguments, NamedStrategy& result) {
  const std::string_view name = arguments.entry.name;
  const std::size_t chosen = name == "reduceByGroups" ? 2 : name == "dotVectors" ? 0 : 1;
  arguments.expect(1, chosen > 0 ? 2 : 1);
  const auto width = static_cast<std::int64_t>(arguments.number(0, 1, 16));
  result.choices = arguments.sizes(1, chosen);
  result.strategy = name == "reduceByGroups"  ? reduce_by_groups(width)
                    : name == "reduceInGroup" ? reduce_in_group(width)
                    : name == "rowInGroup"    ? row_in_group(width)
                                              : dot_vectors(width);
}

Strategy plain_strategy(std::string_view name) {
  if (name == "fuse") return fuse();
  if (name == "simplify") return simplify();
  if (name == "normalize") return normalize();
  if (name == "interchange") return interchange();
  if (name == "hoistReduce") return hoist_reduce();
  if (name == "hoistReduceByColumns") return hoist_reduce_by_columns();
  if (name == "tileAccumulationLocal")
    return tile_accumulation({Dealing::Neighbours, TileOwner::ItemOfGroup});
  if (name == "tileAccumulationLocalBlocks")
    return tile_accumulation({Dealing::Blocks, TileOwner::ItemOfGroup});
  if (name == "itemsInGroups") return items_in_groups();
  if (name == "map") return map_hierarchy();
  if (name == "prefetch") return prefetch_copies();
  if (name == "stages") return split_in_stages();
  if (name == "plainLoops") return plain_loops();
  throw Bug(fmt::format("no strategy is behind the name {}", name));
}

/// Those that choose the size of chunks of what is reduced.
std::optional<Strategy> by_chunks_of(std::string_view name) {
  if (name == "hoistReduceByChunks") return hoist_reduce_by_chunks();
  if (name == "hoistReduceByChunksGuarded") return hoist_reduce_by_guarded_chunks();
  if (name == "splitReduction") return split_reduction();
  if (name == "splitReductionGuarded") return split_reduction_guarded();
  return std::nullopt;
}

Strategy read_local_copy(const Arguments& arguments) {
  arguments.expect(5, 6);
  constexpr std::size_t most_parts = 8, widest = 16;
  GroupCopy copy;
  copy.part = arguments.number(0, 0, most_parts);
  copy.along = arguments.number(1, 0, most_dimensions);
  copy.width = static_cast<std::int64_t>(arguments.number(2, 1, widest));
  copy.stored = arguments.number(3, 0, most_dimensions);
  copy.pitch = static_cast<std::int64_t>(arguments.number(4, 0, widest));
  if (arguments.texts.size() == 6) {
    const std::string& order = arguments.texts[5];
    if (order != "even" && order != "boxes" && order != "flat") arguments.refuse();
    copy.order = order == "even" ? CopyOrder::Even : order == "boxes" ? CopyOrder::Boxes : CopyOrder::Flat;
  }
  return copy_to_local(copy);
}

target::Processor read_processor(const Arguments& arguments) {
  if (arguments.texts[0] == "gpu") return target::Processor::Gpu;
  if (arguments.texts[0] == "cpu") return target::Processor::Cpu;
  throw_user(fmt::format("{}: '{}' is no processor", arguments.entry.name, arguments.texts[0]), {},
             "write gpu or cpu");
}

Strategy read_loops(const Arguments& arguments) {
  constexpr std::size_t most_loops = 16, widest = 64, longest = std::size_t{1} << 31U;
  arguments.expect(3, most_loops + 2);
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 2; i < arguments.texts.size(); ++i)
    lengths.push_back(static_cast<std::int64_t>(arguments.number(i, 1, longest)));
  const std::size_t lanes_of = arguments.number(0, 1, lengths.size());
  const auto width = static_cast<std::int64_t>(arguments.number(1, 1, widest));
  return order_loops(lanes_of, width, std::move(lengths));
}

Blocking read_blocking(Arguments arguments) {
  constexpr std::size_t most_loops = 16, widest = 64, longest = std::size_t{1} << 31U, first_loop = 4;
  arguments.expect(first_loop + 2, first_loop + most_loops);
  Blocking blocking;
  blocking.width = static_cast<std::int64_t>(arguments.number(0, 1, widest));
  blocking.scalars = static_cast<std::int64_t>(arguments.number(1, 1, longest));
  const auto operand = [&](std::size_t position) {
    Blocking::Operand read;
    std::string& text = arguments.texts[position];
    if (const std::size_t point = text.find('.'); point != std::string::npos) {
      std::string whole = std::exchange(text, text.substr(point + 1));
      read.along = arguments.number(position, 1, most_loops);
      text = whole.substr(0, point);
    }
    read.number = arguments.number(position, 1, most_loops);
    return read;
  };
  blocking.rows_operand = operand(2);
  blocking.lanes_operand = operand(3);
  for (std::size_t i = first_loop; i < arguments.texts.size(); ++i) {
    std::string& text = arguments.texts[i];
    Blocking::Loop loop;
    if (text.starts_with('r')) loop.role = LoopRole::Rows;
    if (text.starts_with('l')) loop.role = LoopRole::Lanes;
    if (text.starts_with('m')) loop.role = LoopRole::OfRows;
    if (text.starts_with('n')) loop.role = LoopRole::OfLanes;
    if (loop.role != LoopRole::Other) text.erase(0, 1);
    loop.length = static_cast<std::int64_t>(arguments.number(i, 1, longest));
    blocking.loops.push_back(loop);
  }
  return blocking;
}

Arguments arguments_in(const std::string& text) {
  const std::size_t open = text.find('(');
  const std::string name = text.substr(0, open);
  const auto* entry = std::ranges::find(entries, name, &StrategyEntry::name);
  if (entry == std::end(entries)) throw_user(fmt::format("there is no strategy '{}'", name));
  Arguments arguments{*entry, {}};
  if (open != std::string::npos) {
    if (text.back() != ')') throw_user(fmt::format("'{}' lacks its closing parenthesis", text));
    arguments.texts = parts_of(text.substr(open + 1, text.size() - open - 2));
  }
  return arguments;
}

NamedStrategy read(const std::string& text) {
  Arguments arguments = arguments_in(text);
  const std::string name(arguments.entry.name);
  NamedStrategy result{&arguments.entry, {}, {}};
  if (const auto tiling = tiling_of(name)) {
    read_tile(arguments, *tiling, result);
  } else if (name == "reorder") {
    read_reorder(arguments, result);
  } else if (name == "toImage") {
    arguments.expect(1, 1);
    constexpr std::size_t most_inputs = 64;
    result.strategy = read_as_image(arguments.number(0, 0, most_inputs));
  } else if (name == "mergeItems") {
    read_merging(arguments, result);
  } else if (name == "toLocal") {
    result.strategy = read_local_copy(arguments);
  } else if (name == "sites") {
    arguments.expect(1, 2);
    constexpr std::size_t most_stages = 64;
    result.strategy = split_in_sites(read_processor(arguments),
                                     arguments.texts.size() > 1 ? arguments.number(1, 2, most_stages) : 1);
  } else if (name == "orderLoops") {
    result.strategy = read_loops(arguments);
  } else if (name == "blockLoops") {
    result.strategy = block_loops(read_blocking(arguments));
  } else if (name == "mapSite") {
    arguments.expect(1, 1);
    result.strategy = map_site(read_processor(arguments));
  } else if (name == "tileStages" || name == "rollStages") {
    arguments.expect(1, 2);
    const std::size_t dimensions = arguments.number(0, 1, 3);
    const bool rolls = name == "rollStages";
    result.choices = arguments.sizes(1, rolls ? dimensions + 1 : dimensions);
    result.strategy = rolls ? roll_stages(dimensions) : tile_stages(dimensions);
  } else if (name == "toPrivate") {
    arguments.expect(2, 2);
    result.strategy =
        copy_to_private(arguments.number(0, 0, 8), static_cast<std::int64_t>(arguments.number(1, 1, 16)));
  } else if (name == "items" || name == "groups" || name == "local") {
    arguments.expect(1, 1);
    const TileOwner owner = name == "items"    ? TileOwner::WorkItem
                            : name == "groups" ? TileOwner::Group
                                               : TileOwner::ItemOfGroup;
    result.strategy = map_nest(arguments.number(0, 1, most_dimensions), owner);
  } else if (name == "reduceInGroup" || name == "rowInGroup" || name == "reduceByGroups" ||
             name == "dotVectors") {
    read_reduction(arguments, result);
  } else if (name == "mapVectors" || name == "vectorWindows" || name.starts_with("streamWindows")) {
    read_vectors(arguments, result);
  } else if (const auto by_chunks = by_chunks_of(name)) {
    arguments.expect(0, 1);
    result.choices = arguments.sizes(0, 1);
    result.strategy = *by_chunks;
  } else {
    if (!arguments.texts.empty()) throw_user(fmt::format("{} takes no arguments", name));
    result.strategy = plain_strategy(name);
  }
  return result;
}

}  // namespace

std::span<const StrategyEntry> all_strategies() { return entries; }

Result<std::vector<arith::Expr>> sizes_from_text(const std::string& text) {
  return catch_failure([&] { return sizes_of(text); });
}

Result<NamedStrategy> strategy_from_text(const std::string& text) {
  return catch_failure([&] { return read(text); });
}

Result<Blocking> blocking_from_text(const std::string& text) {
  return catch_failure([&] {
    Arguments arguments = arguments_in(text);
    if (arguments.entry.name != "blockLoops") throw_user(fmt::format("'{}' blocks no loops", text));
    return read_blocking(std::move(arguments));
  });
}

}  // namespace hoist::rewrite
