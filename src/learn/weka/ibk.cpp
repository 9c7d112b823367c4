#include "learn/weka/ibk.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "learn/weka/column_ranges.hpp"
#include "learn/weka/stored_numbers.hpp"
#include "learn/weka/stored_point_regressor.hpp"

namespace hoist::learn {

namespace {

class Ibk : public StoredPointRegressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "IBk");
    examples_ = {examples.rows, examples.targets};
    ranges_ = column_ranges(examples.rows);
  }
  Json to_json() const override { return json_of(examples_); }

 private:
  void read(const Json& learned, std::size_t width) override { fit(read_examples(learned, width)); }

  double predicted(std::span<const double> row) const override {
    std::vector<ColumnRange> ranges = ranges_;
    std::vector<double> place;
    for (std::size_t column = 0; column < row.size(); ++column) {
      ranges[column].include(row[column]);
      place.push_back(ranges[column].scaled(row[column]));
    }
    double least = std::numeric_limits<double>::infinity(), sum = 0, count = 0;
    for (std::size_t i = 0; i < examples_.targets.size(); ++i) {
      const auto example = examples_.rows.row(i);
      double squares = 0;
      for (std::size_t column = 0; column < row.size() && squares <= least; ++column) {
        const double difference = place[column] - ranges[column].scaled(example[column]);
        squares += difference * difference;
      }
      if (squares > least) continue;
      if (squares < least) {
        least = squares;
        sum = count = 0;
      }
      sum += examples_.targets[i];
      ++count;
    }
    return sum / count;
  }

  Examples examples_;
  std::vector<ColumnRange> ranges_;
};

}  // namespace

std::unique_ptr<StoredRegressor> make_ibk() { return std::make_unique<Ibk>(); }

}  // namespace hoist::learn
