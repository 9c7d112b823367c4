#pragma once
// Fewer columns: those that say what others say already are left out.
#include <vector>

#include "base/matrix.hpp"

namespace hoist::learn {

/// The places of the columns that remain, ascending: a column is left out where it is constant, or where its
/// correlation (Pearson) with one that remains before it is above `limit`, whatever the sign. So earlier
/// columns are preferred.
std::vector<std::size_t> uncorrelated_columns(const Matrix& rows, double limit);

/// The columns at these places, in that order.
Matrix select_columns(const Matrix& rows, const std::vector<std::size_t>& columns);

}  // namespace hoist::learn
