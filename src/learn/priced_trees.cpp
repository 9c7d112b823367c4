#include "learn/priced_trees.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "learn/boosted_trees.hpp"
#include "learn/statistics.hpp"

namespace hoist::learn {

namespace {

constexpr int ensembles = 5;
/// Less than this is nothing, on a logarithmic scale.
constexpr double least_amount = 1e-9;

/// Ranges of rows that have the same group.
std::vector<std::pair<std::size_t, std::size_t>> ranges_of(const Examples& examples) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t i = 0; i < examples.targets.size(); ++i) {
    const bool is_new = i == 0 || (!examples.groups.empty() && examples.groups[i] != examples.groups[i - 1]);
    if (is_new) ranges.emplace_back(i, i);
    ranges.back().second = i + 1;
  }
  return ranges;
}

/// How much each row counts, 1 in the mean: each group the same, the fast rows of a group more.
std::vector<double> shares_of(const Examples& examples) {
  constexpr double least = 0.1;  // of the slowest row, where the fastest has 1 more
  std::vector<double> shares(examples.targets.size());
  for (const auto& [first, last] : ranges_of(examples)) {
    const double best = *std::max_element(examples.targets.begin() + static_cast<std::ptrdiff_t>(first),
                                          examples.targets.begin() + static_cast<std::ptrdiff_t>(last));
    for (std::size_t i = first; i < last; ++i)
      shares[i] = (least + examples.targets[i] / best) / static_cast<double>(last - first);
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& each : shares) each *= static_cast<double>(shares.size()) / sum;
  return shares;
}

double price_of(std::span<const double> row, const std::vector<double>& prices) {
  return std::max(std::inner_product(prices.begin(), prices.end(), row.begin(), 0.0), least_amount);
}

/// Numbers that are not negative with which the rows' sums are nearest to 1, by weighted least squares.
std::vector<double> nearest_to_one(const Matrix& rows, const std::vector<double>& shares) {
  constexpr int rounds = 3000;
  const std::size_t width = rows.width;
  std::vector<double> among(width * width), with_one(width), result(width);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto row = rows.row(i);
    for (std::size_t a = 0; a < width; ++a) {
      with_one[a] += shares[i] * row[a];
      for (std::size_t b = 0; b < width; ++b) among[a * width + b] += shares[i] * row[a] * row[b];
    }
  }
  // One number at a time until they stay.
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t a = 0; a < width; ++a) {
      const double own = among[a * width + a];
      if (own <= 0) continue;
      double rest = with_one[a] + own * result[a];
      for (std::size_t b = 0; b < width; ++b) rest -= among[a * width + b] * result[b];
      result[a] = std::max(rest / own, 0.0);
    }
  }
  return result;
}

/// Prices by which the first columns are the time of a unit of work. Errors are relative to the geometric
/// mean of a time and what it was priced at in the round before, so that too little counts as much as too
/// much.
std::vector<double> prices_of(const Examples& examples, std::size_t costs,
                              const std::vector<double>& shares) {
  constexpr int rounds = 6;
  std::vector<double> prices;
  for (int round = 0; round < rounds; ++round) {
    Matrix relative{costs, {}};
    std::vector<double> weights;
    std::vector<double> amounts(costs);
    for (std::size_t i = 0; i < examples.rows.count(); ++i) {
      const auto row = examples.rows.row(i);
      const double time = 1 / examples.targets[i];
      const double scale = prices.empty() ? 1 : time / price_of(row, prices);
      for (std::size_t column = 0; column < costs; ++column) amounts[column] = row[column] / time;
      relative.add(amounts);
      weights.push_back(shares[i] * scale);
    }
    prices = nearest_to_one(relative, weights);
  }
  return prices;
}

class PricedTrees : public StoredRanker {
 public:
  PricedTrees(std::size_t costs, const Training& training) : costs_(costs), training_(training) {}

  void fit(const Examples& examples) override {
    expect_no_weights(examples, "priced trees");
    const std::vector<double> shares = shares_of(examples);
    prices_ = prices_of(examples, std::min(costs_, examples.rows.width), shares);
    Examples left{{}, std::vector<double>(examples.targets.size()), shares, examples.groups};
    for (const auto& [first, last] : ranges_of(examples)) {
      double sum = 0, share = 0;
      for (std::size_t i = first; i < last; ++i) {
        left.targets[i] = std::log(examples.targets[i] * price_of(examples.rows.row(i), prices_));
        sum += shares[i] * left.targets[i];
        share += shares[i];
      }
      for (std::size_t i = first; i < last; ++i) left.targets[i] -= sum / share;
      add_inputs(examples.rows, first, last, left.rows);
    }
    trees_.clear();
    for (int number = 0; number < ensembles; ++number) {
      trees_.push_back(make_boosted_trees(
          {training_.seed + static_cast<std::uint64_t>(number), training_.threads, training_.effort}));
      trees_.back()->fit(left);
    }
  }

  std::vector<double> scores(const Matrix& rows) const override {
    std::vector<double> result;
    if (rows.count() == 0) return result;
    for (std::size_t i = 0; i < rows.count(); ++i)
      result.push_back(-std::log(price_of(rows.row(i), prices_)));
    Matrix inputs;
    add_inputs(rows, 0, rows.count(), inputs);
    for (const auto& trees : trees_) {
      const std::vector<Prediction> votes = trees->predict(inputs);
      for (std::size_t i = 0; i < votes.size(); ++i)
        result[i] += votes[i].mean / static_cast<double>(trees_.size());
    }
    return result;
  }

  Json to_json() const override {
    Json trees = Json::array();
    for (const auto& each : trees_) trees.push_back(each->to_json());
    return {{"prices", prices_}, {"trees", std::move(trees)}};
  }

 private:
  void read(const Json& learned, std::size_t width) override {
    prices_ = learned.at("prices").get<std::vector<double>>();
    if (prices_.size() > width) throw_user("there are more prices than columns");
    trees_.clear();
    for (const Json& each : learned.at("trees")) {
      trees_.push_back(make_boosted_trees(training_));
      if (const auto read = trees_.back()->from_json(each, inputs_for(width)); !read)
        throw Failure(read.error());
    }
    if (trees_.empty()) throw_user("there are no trees");
  }

  static std::size_t inputs_for(std::size_t width) { return 2 * (width + 1); }

  /// What trees see of rows that are one group.
  void add_inputs(const Matrix& rows, std::size_t first, std::size_t last, Matrix& inputs) const {
    const std::size_t width = rows.width + 1;
    std::vector<std::vector<double>> columns(width);
    for (std::size_t i = first; i < last; ++i) {
      const auto row = rows.row(i);
      for (std::size_t column = 0; column < rows.width; ++column)
        columns[column].push_back(std::log(std::max(row[column], least_amount)));
      columns.back().push_back(std::log(price_of(row, prices_)));
    }
    std::vector<double> middle;
    for (const auto& column : columns) middle.push_back(median(column));
    std::vector<double> numbers(inputs_for(rows.width));
    for (std::size_t i = first; i < last; ++i) {
      const auto row = rows.row(i);
      for (std::size_t column = 0; column < width; ++column) {
        const double scaled = columns[column][i - first];
        numbers[column] = column < rows.width ? row[column] : scaled;
        numbers[width + column] = scaled - middle[column];
      }
      inputs.add(numbers);
    }
  }

  std::size_t costs_;
  Training training_;
  std::vector<double> prices_;
  std::vector<std::unique_ptr<StoredRegressor>> trees_;
};

}  // namespace

std::unique_ptr<StoredRanker> make_priced_trees(std::size_t costs, const Training& training) {
  return std::make_unique<PricedTrees>(costs, training);
}

}  // namespace hoist::learn
