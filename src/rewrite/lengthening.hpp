#pragma once
// Nests over more elements than there are, so that tiles divide them: what is computed of those that were
// added is left out again.
#include <vector>

#include "rewrite/nest.hpp"

namespace hoist::rewrite {

/// Tiles of usual sizes are multiples of this.
inline constexpr std::int64_t usual_tile = 8;
/// Whether it divides a length, or all of that is one tile. A length that is a tuning parameter is chosen
/// with what divides it.
bool is_multiple_of_usual_tile(arith::Expr length);
/// Whether tiles of usual sizes divide a length, or all of it is one: then guards bring nothing. These are
/// multiples of `usual_tile`, and even ones between half and the whole of 32 and of 64: 1000 has 20 and 40,
/// but 1016 has 8 and 254 alone.
bool has_usual_tiles(arith::Expr length);
/// Whether chunks of a reduction do, multiples of `usual_tile`, or all of it is one, which may be longer.
bool has_usual_chunks(arith::Expr length);

/// How many more elements make whole chunks.
arith::Expr missing(arith::Expr length, arith::Expr chunk);

/// The array with more elements, of any values, behind those of its outer dimensions.
ir::Term with_more(ir::Term array, const std::vector<arith::Expr>& more);
/// The nest over `more` elements behind those of each dimension. Arrays that it reads get copies of their
/// last element there, or more of the border that they have; windows become more windows of such.
Nest lengthened(const Nest& nest, const std::vector<arith::Expr>& more);
/// The first so many elements of each dimension.
ir::Term shortened(ir::Term array, const std::vector<arith::Expr>& lengths);

}  // namespace hoist::rewrite
