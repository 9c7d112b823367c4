#include "predict/stream_inputs.hpp"

#include <cmath>

#include "learn/column_selection.hpp"
#include "learn/varimax.hpp"

namespace hoist::predict {

namespace {

constexpr double most_correlation = 0.7;    ///< section 3.2.1
constexpr std::size_t component_count = 9;  ///< section 6.6.2

/// A combined feature: one raw one over the sum of others (section 3.2.1 combines counts to rates so).
struct Combined {
  const char* name;
  StreamFeature part;
  std::vector<StreamFeature> whole;
};
const std::vector<Combined>& combined_features() {
  using enum StreamFeature;
  static const std::vector<Combined> features = {
      {"instructions_per_byte", Instructions, {TransferBytes}},
      {"divergence_rate", DivergentBranches, {Branches}},
      {"kernel_share", KernelSeconds, {UploadSeconds, KernelSeconds, DownloadSeconds}},
      {"download_share", DownloadBytes, {UploadBytes, DownloadBytes}},
  };
  return features;
}

double value_of(const Combined& combined, const StreamFeatures& features) {
  double whole = 0;
  for (const StreamFeature each : combined.whole)
    whole += features.get_or(each, std::numeric_limits<double>::quiet_NaN());
  const double part = features.get_or(combined.part, std::numeric_limits<double>::quiet_NaN());
  return whole == 0 ? 0 : part / whole;
}

/// NaN where they are unknown.
std::vector<double> numbers_of(const StreamFeatures& given, StreamInputs::Scale scale) {
  const StreamFeatures features = given.completed();
  std::vector<double> numbers;
  for (std::size_t i = 0; i < stream_feature_count; ++i)
    numbers.push_back(
        features.get_or(static_cast<StreamFeature>(i), std::numeric_limits<double>::quiet_NaN()));
  for (const Combined& each : combined_features()) numbers.push_back(value_of(each, features));
  if (scale == StreamInputs::Scale::Logarithmic) {
    // Rates and seconds below this are nothing.
    constexpr double least = 1e-9;
    for (double& each : numbers) each = std::log(each + least);
  }
  return numbers;
}

}  // namespace

const std::vector<std::string>& stream_input_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < stream_feature_count; ++i)
      all.emplace_back(name_of(static_cast<StreamFeature>(i)));
    for (const Combined& each : combined_features()) all.emplace_back(each.name);
    return all;
  }();
  return names;
}

StreamInputs::StreamInputs(std::span<const StreamRecord* const> records, Scale scale) : scale_(scale) {
  std::vector<StreamFeatures> programs;
  for (const StreamRecord* each : records) programs.push_back(each->features);
  std::vector<double> sums(stream_input_names().size());
  std::vector<double> counts(sums.size());
  for (const StreamFeatures& each : programs) {
    const std::vector<double> numbers = numbers_of(each, scale_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(numbers[i])) continue;
      sums[i] += numbers[i];
      counts[i] += 1;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) means_.push_back(counts[i] > 0 ? sums[i] / counts[i] : 0);
  const Matrix all = raw(programs);
  columns_ = learn::uncorrelated_columns(all, most_correlation);
  // With one program, or programs that are alike, nothing tells them apart.
  if (columns_.empty()) columns_ = {0};
  const Matrix remaining = learn::select_columns(all, columns_);
  ranges_ = learn::RangeScaling::of(remaining);
  const Matrix in_range = ranges_.apply(remaining);
  standardization_ = learn::Standardization::of(in_range);
  const Matrix standardized = standardization_.apply(in_range);
  components_ = learn::PrincipalComponents::of_count(standardized, component_count);
  variance_shares_ = learn::variance_shares(learn::varimax(learn::loadings(components_, standardized)));
}

Matrix StreamInputs::raw(std::span<const StreamFeatures> programs) const {
  Matrix rows{means_.size(), {}};
  for (const StreamFeatures& each : programs) {
    std::vector<double> numbers = numbers_of(each, scale_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(numbers[i])) numbers[i] = means_[i];
    }
    rows.add(numbers);
  }
  return rows;
}

Matrix StreamInputs::scaled(std::span<const StreamFeatures> programs) const {
  return ranges_.apply(learn::select_columns(raw(programs), columns_));
}

Matrix StreamInputs::components(std::span<const StreamFeatures> programs) const {
  return components_.project(standardization_.apply(scaled(programs)));
}

}  // namespace hoist::predict
