#pragma once
// Features of streams as the paper's learners see them: raw and combined ones, of which those that correlate
// with others are left out, scaled, and made principal components of (Zhang et al., TPDS 2020, sections 3.2
// and 6.6.2).
#include <span>
#include <string>
#include <vector>

#include "learn/principal_components.hpp"
#include "learn/scaling.hpp"
#include "predict/stream_table.hpp"

namespace hoist::predict {

/// "loop_nest", ..., "instructions_per_byte": the raw features, then combined ones.
const std::vector<std::string>& stream_input_names();

class StreamInputs {
 public:
  /// On a logarithmic scale or, as the paper has them, as they are.
  enum class Scale : std::uint8_t { Linear, Logarithmic };

  /// Learns which columns remain, their ranges, and components, from a row of features for each program. What
  /// is unknown of a program has the mean of the others.
  StreamInputs(std::span<const StreamRecord* const> records, Scale scale);

  /// Of the columns that remain.
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// What remains, from 0 to 1, cut at the ends.
  Matrix scaled(std::span<const StreamFeatures> programs) const;
  /// The principal components of that, standardised: at most nine.
  Matrix components(std::span<const StreamFeatures> programs) const;

  /// What share of the variance of the components comes from each feature that remains, after varimax
  /// rotation, in each of them (learn/varimax.hpp).
  const Matrix& variance_shares() const { return variance_shares_; }

 private:
  Matrix raw(std::span<const StreamFeatures> programs) const;

  Scale scale_;
  std::vector<double> means_;         ///< of each raw and combined feature, where it is known
  std::vector<std::size_t> columns_;  ///< that remain
  learn::RangeScaling ranges_;
  learn::Standardization standardization_;
  learn::PrincipalComponents components_;
  Matrix variance_shares_;
};

}  // namespace hoist::predict
