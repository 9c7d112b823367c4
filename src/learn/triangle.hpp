#pragma once
// Cholesky's factor of a matrix that grows by a row at a time.
#include <cmath>
#include <cstddef>
#include <vector>

namespace hoist::learn {

/// A lower triangle L; the matrix is L times its transpose.
class Triangle {
 public:
  std::size_t size() const { return size_; }
  void clear() { shrink(0); }
  /// To the first `size` rows and columns of the matrix; no more than it has.
  void shrink(std::size_t size) {
    size_ = size;
    numbers_.resize(size * (size + 1) / 2);
  }
  /// The matrix grows by this row, its last number on the diagonal. False, and nothing is done, where it
  /// would no longer be positive definite.
  bool append(std::vector<double> row) {
    solve(row.data());
    double diagonal = row.back();
    for (std::size_t k = 0; k < size_; ++k) diagonal -= row[k] * row[k];
    if (!(diagonal > 0)) return false;
    row.back() = std::sqrt(diagonal);
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    ++size_;
    return true;
  }
  /// Solves L x = b in place.
  void solve(double* b) const {
    const double* row = numbers_.data();
    for (std::size_t i = 0; i < size_; row += ++i) b[i] = (b[i] - product(row, b, i)) / row[i];
  }
  /// Solves for the transpose of L in place.
  void solve_transposed(double* b) const {
    const double* row = numbers_.data() + numbers_.size();
    for (std::size_t i = size_; i-- > 0;) {
      row -= i + 1;
      b[i] /= row[i];
      for (std::size_t k = 0; k < i; ++k) b[k] -= row[k] * b[i];
    }
  }
  double log_determinant() const {
    double sum = 0;
    const double* row = numbers_.data();
    for (std::size_t i = 0; i < size_; row += ++i) sum += std::log(row[i]);
    return 2 * sum;
  }

 private:
  /// Four sums side by side: a compiler may not change the order of one.
  static double product(const double* a, const double* b, std::size_t count) {
    double sums[4] = {};
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[k + lane] * b[k + lane];
    }
    for (; k < count; ++k) sums[0] += a[k] * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  std::size_t size_ = 0;
  std::vector<double> numbers_;  ///< row by row, each one number longer
};

}  // namespace hoist::learn
