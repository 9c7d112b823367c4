#pragma once
// Made-up devices that run made-up streamed programs, command by command, for tests of what chooses streams
// before there are measurements. What comes of it are no measurements, and is never shown as such.
#include "base/random.hpp"
#include "predict/stream_table.hpp"

namespace hoist::predict::simulated {

struct Device {
  const char* device_class = "nvidia-h200-cuda";
  std::vector<std::int64_t> partitions, tasks;  ///< that are timed
  double upload_rate = 5e10, download_rate = 5e10;
  double latency = 8e-6;  ///< of a transfer
  double launch = 4e-6;
  double launch_of_unit = 0;  ///< more for each compute unit of the partition: threads that begin together
  double command = 2e-6;      ///< of the host
  double partition = 3e-6;
  double units = 128;
  double items_of_unit = 1024;  ///< work-items by which a unit is half as efficient as it can be
  double instructions_of_unit = 1e9;
  double memory_rate = 2e12;  ///< of all units together
  double cache_bytes = 5e7;   ///< tasks that fit are twice as fast to read
  bool is_duplex = true;      ///< uploads and downloads overlap
  bool is_in_order = false;   ///< a partition has a single queue
  double noise = 0.01;        ///< standard deviation of the logarithm of a run's time
};
Device gpu();          ///< two copy engines, eight partitions
Device coprocessor();  ///< one copy engine, many partitions, threads that cost
Device processor();    ///< two cores, transfers that are copies

struct Program {
  std::string name;
  double upload_of_iteration = 0, download_of_iteration = 0;  ///< bytes
  double items_of_iteration = 1, instructions_of_item = 1, bytes_of_item = 8;
  double shared_bytes = 0, halo_iterations = 0;
  double input_arrays = 1, output_arrays = 1, kernels = 1;
  std::int64_t granularity = 1;  ///< the fewest iterations of a task
};
Program program(std::string name, Random& random);

/// Seconds of a run without noise: the commands of all tasks in the order in which the host gives them, each
/// begun when the host has given it, its engine and its queue are free and what it waits for has ended.
double seconds(const Device& device, const Program& program, double iterations,
               const StreamConfiguration& configuration);

/// So many programs at so many sizes each, with their features.
StreamTable table(const Device& device, std::size_t programs, std::size_t sizes, std::uint64_t seed);

}  // namespace hoist::predict::simulated
