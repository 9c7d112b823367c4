#include "learn/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.hpp"

namespace hoist::learn {

namespace {

Json floats(const std::vector<float>& numbers) {
  Json json = Json::array();
  for (const float number : numbers) json.push_back(shortest(number));
  return json;
}

/// Examples are kept by their first column: where that alone is farther than the nearest are, all behind it
/// is. So the first column should be the one that tells most.
class Neighbours : public StoredRegressor {
 public:
  explicit Neighbours(std::size_t count) : count_(count) {}

  void fit(const Examples& examples) override {
    expect_no_weights(examples, "a search for neighbours");
    const Matrix& rows = examples.rows;
    std::vector<std::size_t> order(rows.count());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return rows.at(a, 0) < rows.at(b, 0); });
    width_ = rows.width;
    points_.clear();
    targets_.clear();
    for (const std::size_t i : order) {
      for (const double number : rows.row(i)) points_.push_back(static_cast<float>(number));
      targets_.push_back(static_cast<float>(examples.targets[i]));
    }
  }

  std::vector<Prediction> predict(const Matrix& rows) const override {
    std::vector<Prediction> result;
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const auto row = rows.row(i);
      double sum = 0, squares = 0;
      const std::vector<Neighbour> nearest = nearest_to({row.begin(), row.end()});
      for (const Neighbour& each : nearest) {
        const double target = targets_[each.place];
        sum += target;
        squares += target * target;
      }
      const auto count = static_cast<double>(nearest.size());
      const double mean = sum / count;
      result.push_back({mean, std::sqrt(std::max(squares / count - mean * mean, 0.0))});
    }
    return result;
  }

  Json to_json() const override { return {{"points", floats(points_)}, {"targets", floats(targets_)}}; }
  void read(const Json& learned, std::size_t width) override {
    width_ = width;
    points_ = learned.at("points").get<std::vector<float>>();
    targets_ = learned.at("targets").get<std::vector<float>>();
    if (targets_.empty() || points_.size() != targets_.size() * width)
      throw_user("its points and targets differ in number");
  }

 private:
  struct Neighbour {
    float distance = std::numeric_limits<float>::infinity();  ///< squared
    std::size_t place = 0;
    bool operator<(const Neighbour& other) const {
      return distance != other.distance ? distance < other.distance : place < other.place;
    }
  };

  void consider(const std::vector<float>& point, std::size_t place, std::vector<Neighbour>& nearest) const {
    const float* other = points_.data() + place * width_;
    float distance = 0;
    for (std::size_t c = 0; c < width_; ++c) distance += (point[c] - other[c]) * (point[c] - other[c]);
    Neighbour candidate{distance, place};
    for (Neighbour& each : nearest) {
      if (candidate < each) std::swap(candidate, each);
    }
  }

  std::vector<Neighbour> nearest_to(const std::vector<float>& point) const {
    std::vector<Neighbour> nearest(std::min(count_, targets_.size()));
    std::size_t above = 0, end = targets_.size();
    for (std::size_t until = end; above < until;) {  // the first whose first column is not less
      const std::size_t middle = (above + until) / 2;
      if (points_[middle * width_] < point[0]) {
        above = middle + 1;
      } else {
        until = middle;
      }
    }
    std::size_t below = above;  // one behind the next on that side
    const auto is_near = [&](std::size_t place) {
      const float gap = points_[place * width_] - point[0];
      return gap * gap <= nearest.back().distance;
    };
    for (bool rises = true, falls = true; rises || falls;) {
      rises = rises && above < end && is_near(above);
      if (rises) consider(point, above++, nearest);
      falls = falls && below > 0 && is_near(below - 1);
      if (falls) consider(point, --below, nearest);
    }
    return nearest;
  }

  const std::size_t count_;
  std::size_t width_ = 1;
  std::vector<float> points_;  ///< of the examples, ascending by the first column
  std::vector<float> targets_;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_neighbours(std::size_t count) {
  return std::make_unique<Neighbours>(count);
}

}  // namespace hoist::learn
