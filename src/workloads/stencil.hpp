#pragma once
// The nine stencils on which Stock, Pouchet and Sadayappan (2012) judge their models, after S. J. Deitz,
// B. L. Chamberlain and L. Snyder (Eliminating redundancies in sum-of-product array computations, ICS 2001).
//
// The paper tells their names, that they are partial derivatives, the biharmonic operator, parts of NAS MG
// and noise cleaning, in two or three dimensions, in a single pass from one array to another, of fewer than
// 25 points, with a coefficient that is not trivial; no definition. All nine are reconstructed from what the
// names stand for in the literature, and results on them are not comparable with the paper's rows:
//
//   disothree   the isotropic derivative of Frei and Chen (1977) along rows, 3 x 3
//   disofive    the same weights, the cosine of the angle to the row, 5 x 5
//   drowthree   the row gradient of Sobel, 3 x 3
//   dlilbiharm  the biharmonic operator, second order, 13 points (Abramowitz and Stegun, 25.3)
//   dbigbiharm  the biharmonic operator, fourth order, 25 points, one more than the paper allows (the same)
//   dresid      the operator A of resid in NAS MG, 21 points that are not zero
//   drprjthree  the weights of rprj3 in NAS MG, 27 points, at every point and not at every second one
//   inoiseone   the mask 1 1 1, 1 2 1, 1 1 1 by 10, of Pratt's Digital Image Processing
//   inoisetwo   the mask 1 2 1, 2 4 2, 1 2 1 by 16, of the same
//
// A program of a stencil is written in the same way whatever stencil it is: windows of what it reads, and of
// each window a weighted sum. `stencil_family.hpp` has 104 more.
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/scalar.hpp"

namespace hoist::workloads {

/// A point relative to the one that is computed: of two dimensions the last two numbers, the first being 0.
struct Offset {
  int plane = 0, row = 0, column = 0;
};

struct Term {
  double coefficient = 0;
  std::vector<Offset> points;  ///< whose sum is multiplied
};

struct Stencil {
  std::string name;
  std::string meaning;  ///< "the biharmonic operator, 13 points"
  int dimensions = 2;   ///< of its arrays: 2 or 3
  /// How far it reads on both sides, by planes, rows and columns; 0 in dimensions that it does not extend in.
  std::array<int, 3> reach{};
  std::vector<Term> terms;
  /// How often each element is added and multiplied, 1 or 2. It is added to itself, and multiplied by itself,
  /// before the second time, so that no compiler computes that from the coefficients.
  int additions = 1, multiplications = 1;

  std::size_t points() const;
};

/// In the order above.
std::span<const Stencil> stencils();
/// User error: a name of none of them.
Result<Stencil> stencil_named(std::string_view name);

/// Its program: from an array with a border as wide as the stencil reaches, in the dimensions that it extends
/// in, to one without. "def disothree(u: [H + 2][W + 2]f32): [H][W]f32 = ...".
std::string program_of(const Stencil& stencil, Scalar type);

}  // namespace hoist::workloads
