#include "unit/predict/simulated_streams.hpp"

#include <algorithm>
#include <cmath>

namespace hoist::predict::simulated {

namespace {

double between(Random& random, double least, double most) {
  return std::exp(std::log(least) + random.unit() * std::log(most / least));
}

double kernel_seconds(const Device& device, const Program& program, double iterations, double partitions) {
  const double units = device.units / partitions;
  const double items = program.items_of_iteration * iterations;
  const double efficiency = items / (items + device.items_of_unit * units);
  const double computing =
      items * program.instructions_of_item / (units * device.instructions_of_unit * efficiency);
  // One partition alone can have half of what all of them share, or its part where that is more.
  const double bytes = items * program.bytes_of_item;
  const double arrays =
      program.shared_bytes + (program.upload_of_iteration + program.download_of_iteration) * iterations;
  const double rate =
      device.memory_rate / std::max(1.0, partitions / 1.3) * (arrays < device.cache_bytes ? 2 : 1);
  return program.kernels * (device.launch + device.launch_of_unit * units) +
         std::max(computing, bytes / rate / std::sqrt(efficiency));
}

StreamFeatures features_of(const Device& device, const Program& program, double iterations, Random& random) {
  using enum StreamFeature;
  StreamFeatures features;
  const double items = program.items_of_iteration * iterations;
  const double upload = program.upload_of_iteration * iterations + program.shared_bytes;
  const double download = program.download_of_iteration * iterations;
  const auto measured = [&](double seconds) { return seconds * std::exp(device.noise * random.normal()); };
  features.set(LoopNest, 1);
  features.set(LoopCount, iterations);
  features.set(UploadBytes, std::round(upload));
  features.set(DownloadBytes, std::round(download));
  features.set(RedundantBytes, std::round(program.upload_of_iteration * program.halo_iterations));
  features.set(MostTasks, std::floor(iterations / static_cast<double>(program.granularity)));
  features.set(LeastIterations, static_cast<double>(program.granularity));
  features.set(SharedBytes, std::round(program.shared_bytes));
  features.set(InputArrays, program.input_arrays);
  features.set(OutputArrays, program.output_arrays);
  features.set(Kernels, program.kernels);
  features.set(WorkItems, items);
  features.set(GroupSize, 128);
  features.set(Instructions, std::round(items * program.instructions_of_item));
  features.set(GlobalBytes, std::round(items * program.bytes_of_item));
  features.set(UploadSeconds, measured(program.input_arrays * device.latency + upload / device.upload_rate));
  features.set(KernelSeconds, measured(kernel_seconds(device, program, iterations, 1)));
  features.set(DownloadSeconds,
               measured(program.output_arrays * device.latency + download / device.download_rate));
  return features.completed();
}

}  // namespace

Device gpu() {
  Device device;
  device.partitions = {1, 2, 4, 8};
  device.tasks = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  return device;
}

Device coprocessor() {
  Device device;
  device.partitions = {1, 2, 4, 7, 14, 28, 56};
  device.tasks = {1, 2, 4, 8, 14, 16, 28, 56, 112, 224};
  device.upload_rate = device.download_rate = 6e9;
  device.latency = 3e-5;
  device.launch = 2e-5;
  device.launch_of_unit = 2e-6;
  device.command = 8e-6;
  device.partition = 5e-5;
  device.units = 224;
  device.items_of_unit = 64;
  device.instructions_of_unit = 1e9;
  device.memory_rate = 1.5e11;
  device.is_duplex = false;
  device.is_in_order = true;
  device.noise = 0.02;
  return device;
}

Device processor() {
  Device device;
  device.device_class = "pocl-cpu-opencl";
  device.partitions = {1, 2};
  device.tasks = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  device.upload_rate = device.download_rate = 8e9;
  device.latency = 2e-6;
  device.launch = 1e-5;
  device.command = 3e-6;
  device.units = 2;
  device.items_of_unit = 32;
  device.instructions_of_unit = 4e9;
  device.memory_rate = 1.5e10;
  device.cache_bytes = 1e6;
  device.noise = 0.02;
  return device;
}

Program program(std::string name, Random& random) {
  Program result;
  result.name = std::move(name);
  result.items_of_iteration = std::floor(between(random, 1, 4096));
  const double bytes = between(random, 2, 32);
  result.upload_of_iteration = result.items_of_iteration * bytes * random.unit();
  result.download_of_iteration = random.unit() < 0.2 ? 0 : result.items_of_iteration * bytes * random.unit();
  result.instructions_of_item = between(random, 4, 4000);
  result.bytes_of_item = bytes * between(random, 1, 8);
  result.shared_bytes = random.unit() < 0.4 ? between(random, 1e4, 1e7) : 0;
  result.halo_iterations = random.unit() < 0.4 ? std::floor(between(random, 1, 9)) : 0;
  result.input_arrays = 1 + static_cast<double>(random.below(3));
  result.output_arrays = result.download_of_iteration > 0 ? 1 + static_cast<double>(random.below(2)) : 0;
  result.kernels = 1 + static_cast<double>(random.below(2));
  result.granularity = static_cast<std::int64_t>(1 + random.below(4));
  return result;
}

double seconds(const Device& device, const Program& program, double iterations,
               const StreamConfiguration& configuration) {
  const auto partitions = static_cast<std::size_t>(configuration.partitions);
  double host = (static_cast<double>(partitions) - 1) * device.partition;
  double upload_free = host + program.shared_bytes / device.upload_rate, download_free = upload_free;
  std::vector<double> partition_free(partitions, upload_free), queue_free(partitions, upload_free);
  double end = upload_free;
  const double tasks = static_cast<double>(configuration.tasks);
  for (std::int64_t task = 0; task < configuration.tasks; ++task) {
    const std::size_t own = static_cast<std::size_t>(task) % partitions;
    const double from = std::floor(iterations * static_cast<double>(task) / tasks);
    const double count = std::floor(iterations * static_cast<double>(task + 1) / tasks) - from;
    const double uploaded = count + (task > 0 ? program.halo_iterations : 0);
    host += device.command * program.input_arrays;
    const double upload_start = std::max({host, upload_free, device.is_in_order ? queue_free[own] : 0});
    const double uploaded_at = upload_start + program.input_arrays * device.latency +
                               uploaded * program.upload_of_iteration / device.upload_rate;
    upload_free = uploaded_at;
    host += device.command * program.kernels;
    const double kernel_start = std::max({host, uploaded_at, partition_free[own]});
    const double computed_at =
        kernel_start + kernel_seconds(device, program, count, static_cast<double>(configuration.partitions));
    partition_free[own] = computed_at;
    host += device.command * program.output_arrays;
    double& engine_free = device.is_duplex ? download_free : upload_free;
    const double download_start = std::max({host, computed_at, device.is_duplex ? engine_free : uploaded_at});
    const double bytes = count * program.download_of_iteration;
    const double moving = program.output_arrays * device.latency + bytes / device.download_rate;
    // With one engine, a download that waits for its kernel lets later uploads pass.
    engine_free = device.is_duplex ? download_start + moving : engine_free + moving;
    queue_free[own] = download_start + moving;
    end = std::max({end, queue_free[own], engine_free});
  }
  return end;
}

StreamTable table(const Device& device, std::size_t programs, std::size_t sizes, std::uint64_t seed) {
  StreamTable table{device.device_class, {{"by", "a simulation"}}, {}};
  Random random(seed);
  for (std::size_t i = 0; i < programs; ++i) {
    const Program each = program(fmt::format("program_{}", i), random);
    for (std::size_t size = 0; size < sizes; ++size) {
      const double bytes = 2e5 * std::pow(8, static_cast<double>(size)) * between(random, 0.5, 2);
      const double of_iteration = each.upload_of_iteration + each.download_of_iteration;
      const double iterations = std::max(std::floor(bytes / of_iteration), 8.0);
      StreamRecord record;
      record.program = record.group = each.name;
      record.size = fmt::format("N={}", iterations);
      record.features = features_of(device, each, iterations, random);
      for (const std::int64_t partitions : device.partitions) {
        for (const std::int64_t tasks : device.tasks) {
          if (tasks < partitions || static_cast<double>(tasks * each.granularity) > iterations) continue;
          const double exact = seconds(device, each, iterations, {partitions, tasks});
          record.timed.push_back({{partitions, tasks}, exact * std::exp(device.noise * random.normal()), 1});
        }
      }
      table.records.push_back(std::move(record));
    }
  }
  return table;
}

}  // namespace hoist::predict::simulated
