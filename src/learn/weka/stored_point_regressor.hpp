#pragma once
// What the learners of Weka have in common here: they predict each row by itself, and a number alone.
#include <span>
#include <vector>

#include "learn/learners.hpp"

namespace hoist::learn {

class StoredPointRegressor : public StoredRegressor {
 public:
  std::vector<Prediction> predict(const Matrix& rows) const final {
    std::vector<Prediction> result;
    for (std::size_t i = 0; i < rows.count(); ++i) result.push_back({predicted(rows.row(i)), 0});
    return result;
  }

 private:
  virtual double predicted(std::span<const double> row) const = 0;
};

}  // namespace hoist::learn
