#pragma once
// Figures of lists of numbers.
#include <vector>

namespace hoist::learn {

/// The coefficient of correlation (Pearson); 0 where one list is constant or shorter than 2.
double correlation(const std::vector<double>& one, const std::vector<double>& other);
/// The same of their ranks (Spearman); equal numbers share the mean of their ranks.
double rank_correlation(const std::vector<double>& one, const std::vector<double>& other);
/// The rank of each number, 0 for the least; equal numbers share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& numbers);
/// The geometric mean of positive numbers; 0 for none.
double geometric_mean(const std::vector<double>& numbers);
double mean(const std::vector<double>& numbers);
double median(std::vector<double> numbers);

/// How much a feature says of an outcome: mutual information over the sum of both entropies, I / (H + H), as
/// the papers have it; 0 where they are independent, 0.5 where each determines the other. Lists with more
/// different values than `bins` are cut into that many bins with the same number of values; equal values are
/// never parted.
double redundancy(const std::vector<double>& one, const std::vector<double>& other, std::size_t bins);

}  // namespace hoist::learn
