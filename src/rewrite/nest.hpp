#pragma once
// Nests of maps in one form, whatever patterns and layouts the text wrote them with: lengths, the arrays that
// are read with the dimensions that select of each, and the function of their elements. What works on nests
// works by structure: a matrix product is a nest of two dimensions over two arrays of which each has one; so
// is the update of a tile of its result, with a third array that has both.
#include <optional>
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// An array that a nest reads.
struct NestInput {
  ir::Term array;                 ///< its first dimensions are `dims` of the nest
  std::vector<std::size_t> dims;  ///< ascending
  ir::Term element;               ///< the free variable that stands for its element in the body
};

struct Nest {
  std::vector<arith::Expr> lengths;  ///< of the dimensions, the outermost first
  std::vector<NestInput> inputs;
  ir::Term body;

  std::size_t rank() const { return lengths.size(); }
};

constexpr std::size_t any_depth = 64;

/// The nest that a term is, of at most `depth` maps directly in each other; nothing where it is no map. An
/// inner map over something that is computed from outer elements is a nest over views of those: only layouts
/// are taken apart.
std::optional<Nest> nest_of(ir::Term term, std::size_t depth = any_depth);

/// The nest as maps in each other. Every dimension must have an input.
ir::Term to_term(const Nest& nest);
/// The same with low-level maps: `ops` and their dimension (of parallel ones) for each dimension of the nest.
struct MapKind {
  ir::Op op = ir::Op::Map;
  std::int64_t dimension = 0;
};
ir::Term to_term(const Nest& nest, const std::vector<MapKind>& kinds);

/// What a view of the nest's elements is as an array over the dimensions that it depends on: the array, and
/// those dimensions. `view` is a term of the body.
NestInput input_of(const Nest& nest, ir::Term view);
/// Whether the element's variable occurs in the term.
bool mentions(ir::Term term, ir::Term variable);
/// Leaves out inputs that the body does not use, unless a dimension has no other.
void drop_unused(Nest& nest);

/// A map of this kind.
ir::Term map_call(MapKind kind, ir::Term function, ir::Term data);

// ---- Layouts of arrays whose dimensions are moved and cut.

/// A call of one argument.
inline ir::Term call1(ir::Op op, std::vector<arith::Expr> sizes, ir::Term x) {
  return ir::call(op, std::move(sizes), {x});
}
/// The type of elements `depth` dimensions inside.
ir::Type inside_type(ir::Type type, std::size_t depth);
/// fn on the elements `depth` dimensions inside.
ir::Term map_inside(ir::Term array, std::size_t depth, const std::function<ir::Term(ir::Term)>& fn);
/// Dimension `from` becomes dimension `to`; those between move by one.
ir::Term move_dimension(ir::Term array, std::size_t from, std::size_t to);
/// Tiles of so many dimensions as one array: [n][m][h][w]t to [n * h][m * w]t.
ir::Term joined_tiles(ir::Term tiles, std::size_t dimensions);

}  // namespace hoist::rewrite
