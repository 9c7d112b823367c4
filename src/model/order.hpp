#pragma once
// What running the candidates of a task in some order costs until a good one is found. Failed candidates cost
// a run and no kernel time, since none was measured.
#include <cstdint>
#include <vector>

namespace hoist::model {

/// What it takes until a candidate has at least some share of the best throughput, that candidate included.
struct Reach {
  double runs = 0;
  double seconds = 0;  ///< of kernels: the medians of those that were run
};

/// For candidates with these times, NaN where they failed, of which one ran at least: run in the given order.
Reach reach_in_order(const std::vector<double>& seconds, const std::vector<std::uint32_t>& order,
                     double share);
/// The exact expectation over all orders.
Reach reach_at_random(const std::vector<double>& seconds, double share);

/// The greatest throughput, over the best of the task, after so many runs.
struct CurvePoint {
  std::size_t runs = 0;
  double in_order = 0, at_random = 0;  ///< the latter is the exact expectation over all orders
};
/// After 1, 2, … 10 runs, and then at steps of a quarter, to the last.
std::vector<CurvePoint> best_so_far(const std::vector<double>& seconds,
                                    const std::vector<std::uint32_t>& order);

/// Places by falling score; those with the same score in an order that the seed decides.
std::vector<std::uint32_t> order_by(const std::vector<double>& scores, std::uint64_t seed);

}  // namespace hoist::model
