#pragma once
// Tensor contractions by their names, as K. Stock, L.-N. Pouchet and P. Sadayappan (Using machine learning to
// improve automatic vectorization, ACM TACO 8(4), 2012) write them: the indices of the result and of both
// operands. "ijk-ilk-jl" is C[i][j][k] = sum over l of A[i][l][k] * B[j][l].
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/scalar.hpp"

namespace hoist::workloads {

/// Each index, a letter from i to z, appears in exactly two of the three.
struct Contraction {
  std::string result, left, right;

  /// Those of the result, then the contracted ones in the order of the left operand.
  std::string indices() const;
  bool operator==(const Contraction&) const = default;
};
std::string to_string(const Contraction& contraction);

/// User error: a text that is not such a name.
Result<Contraction> contraction_named(std::string_view name);

/// The same contraction by the paper's names: the left operand has the first index of the result; indices are
/// named i, j, k and so on in the order of the result, then of the left operand. Contractions that are equal
/// but for their indices' names and the order of their operands have one canonical form.
Contraction canonical(const Contraction& contraction);

/// Its program: "def contraction_ijk_ilk_jl(A: [I][L][K]f32, B: [J][L]f32): [I][J][K]f32 = ...". Sizes have
/// the names of their indices, in upper case.
std::string program_of(const Contraction& contraction, Scalar type);

/// The 19 of CCSD (coupled cluster), on which the paper judges its models.
std::span<const std::string_view> ccsd_contractions();

/// 30 random ones to learn from, made as the paper's were: 4 of 3 indices, 10 of 4, 5 of 5 and 11 of 6, of
/// which 1 to 4 are contracted; canonical, different, and none of the 19. From four indices on both operands
/// have an index of the result. Of three indices only three contractions beside ij-ik-kj have that, so that
/// some of those may be a tensor times a vector or the like. Which ones the paper drew is not known.
std::vector<Contraction> training_contractions(std::uint64_t seed);

/// Extents by index with which all three tensors together stay within `bytes`. The fastest dimension of each
/// tensor is a multiple of `lanes`; from there on the smallest extent that can be is doubled, the first index
/// first. Unsupported where not even the first choice stays within `bytes`.
Result<std::map<char, std::int64_t>> resident_extents(const Contraction& contraction, std::int64_t lanes,
                                                      std::size_t element_bytes, std::size_t bytes);

}  // namespace hoist::workloads
