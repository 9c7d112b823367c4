#include "model/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hoist::model {

namespace {

/// A scale is logarithmic from this ratio of the greatest to the least that is not 0.
constexpr double large_ratio = 10;

double unit_of(const Matrix& numbers, std::uint32_t feature) {
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (std::size_t i = 0; i < numbers.count(); ++i) {
    const double number = numbers.at(i, feature);
    if (number < 0) return 0;
    if (number > 0) least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  return greatest > large_ratio * least ? least : 0;
}

}  // namespace

double Inputs::scaled(std::uint32_t feature, double number) const {
  const double unit = units_[feature];
  return unit > 0 ? std::log1p(std::max(number, 0.0) / unit) : number;
}

void Inputs::fit(const MeasuredCandidates& examples) {
  const auto count = static_cast<std::uint32_t>(examples.features.size());
  units_.clear();
  columns_.clear();
  for (std::uint32_t feature = 0; feature < count; ++feature) {
    units_.push_back(unit_of(examples.numbers, feature));
    columns_.push_back({feature, false});
  }
  // Where the median is the same for all tasks, the difference to it says what the feature itself does.
  const std::vector<double> first = middles(examples.populations.front());
  std::vector<bool> varies(count);
  for (const Population& population : examples.populations) {
    const std::vector<double> middle = middles(population);
    for (std::uint32_t feature = 0; feature < count; ++feature)
      varies[feature] = varies[feature] || middle[feature] != first[feature];
  }
  for (std::uint32_t feature = 0; feature < count; ++feature) {
    if (varies[feature]) columns_.push_back({feature, true});
  }
  drop_constant_columns(examples);
}

void Inputs::drop_constant_columns(const MeasuredCandidates& examples) {
  const Matrix all = apply(examples);
  const auto single = [&](std::size_t row, std::size_t column) {
    return static_cast<float>(all.at(row, column));
  };
  std::vector<Column> telling;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    bool varies = false;
    for (std::size_t i = 1; i < all.count() && !varies; ++i) varies = single(i, column) != single(0, column);
    if (varies) telling.push_back(columns_[column]);
  }
  columns_ = std::move(telling);
}

std::vector<double> Inputs::middles(const Population& population) const {
  std::vector<double> result;
  for (std::uint32_t feature = 0; feature < units_.size(); ++feature)
    result.push_back(scaled(feature, population.middle[feature]));
  return result;
}

void Inputs::apply(std::span<const double> row, const std::vector<double>& middles,
                   std::vector<double>& scaled_numbers, double* to) const {
  for (std::uint32_t feature = 0; feature < units_.size(); ++feature)
    scaled_numbers[feature] = scaled(feature, row[feature]);
  for (const Column& column : columns_) {
    const double number = scaled_numbers[column.feature];
    *to++ = column.is_relative ? number - middles[column.feature] : number;
  }
}

Matrix Inputs::apply(const Matrix& numbers, const Population& population) const {
  Matrix result{width(), std::vector<double>(width() * numbers.count())};
  const std::vector<double> middle = middles(population);
  std::vector<double> room(units_.size());
  for (std::size_t i = 0; i < numbers.count(); ++i)
    apply(numbers.row(i), middle, room, result.numbers.data() + i * width());
  return result;
}

Matrix Inputs::apply(const MeasuredCandidates& examples) const {
  Matrix result{width(), std::vector<double>(width() * examples.numbers.count())};
  std::vector<std::vector<double>> middle;
  for (const Population& population : examples.populations) middle.push_back(middles(population));
  std::vector<double> room(units_.size());
  for (std::size_t i = 0; i < examples.numbers.count(); ++i)
    apply(examples.numbers.row(i), middle[examples.tasks[i]], room, result.numbers.data() + i * width());
  return result;
}

Json Inputs::to_json() const {
  Json columns = Json::array();
  for (const Column& column : columns_) columns.push_back({column.feature, column.is_relative});
  return {{"units", units_}, {"columns", columns}};
}

void Inputs::from_json(const Json& json, std::size_t features) {
  units_ = json.at("units").get<std::vector<double>>();
  if (units_.size() != features) throw_user("its number of inputs is not its number of features");
  columns_.clear();
  for (const Json& column : json.at("columns")) {
    columns_.push_back({column.at(0).get<std::uint32_t>(), column.at(1).get<bool>()});
    if (columns_.back().feature >= units_.size())
      throw_user("a column belongs to a feature that does not exist");
  }
}

}  // namespace hoist::model
