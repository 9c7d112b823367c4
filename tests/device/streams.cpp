// What streams gain on a device: uploads, a kernel and downloads alone and overlapped, from pinned memory and
// not, on queues that share the device and on partitions of it. Results are checked, element by element; the
// exit status is 1 where one is wrong or a command fails.
//
//   build/release/device_streams [DEVICE [MEGABYTES [TRACE.json]]]
//
// The kernel computes as long as an upload takes, as far as the numbers of its rounds allow, so the limit of
// what overlapping gains is 3. The trace, of the last run, is for `hoist report --trace`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <utility>

#include "base/need.hpp"
#include "base/stopwatch.hpp"
#include "report/trace.hpp"
#include "runtime/devices.hpp"
#include "runtime/measure.hpp"
#include "runtime/queue.hpp"

namespace {

using namespace hoist;
using namespace hoist::runtime;

// y[i] = x[i] after so many rounds of halving and adding 1, all of which a float holds.
constexpr const char* cuda_source = R"(
extern "C" __global__ void rounds(const float* x, float* y, int count, int rounds) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float v = x[i];
    for (int k = 0; k < rounds; ++k) v = v * 0.5f + 1.0f;
    y[i] = v;
  }
})";
constexpr const char* opencl_source = R"(
__kernel void rounds(__global const float* x, __global float* y, int count, int rounds) {
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
    float v = x[i];
    for (int k = 0; k < rounds; ++k) v = v * 0.5f + 1.0f;
    y[i] = v;
  }
})";
constexpr const char* host_source = R"(
#include <cstddef>
extern "C" void rounds(void* const* arguments, const std::size_t*) {
  const float* x = static_cast<const float*>(arguments[0]);
  float* y = static_cast<float*>(arguments[1]);
  const int count = *static_cast<const int*>(arguments[2]), rounds = *static_cast<const int*>(arguments[3]);
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    float v = x[i];
    for (int k = 0; k < rounds; ++k) v = v * 0.5f + 1.0f;
    y[i] = v;
  }
})";

const char* source_for(target::Language language) {
  switch (language) {
    case target::Language::Cuda:
      return cuda_source;
    case target::Language::OpenCL:
      return opencl_source;
    case target::Language::Host:
      return host_source;
  }
  return "";
}

float expected(float v, int rounds) {
  for (int k = 0; k < rounds; ++k) v = v * 0.5F + 1.0F;
  return v;
}

/// The median of five, after one that is not counted.
double seconds_of(const std::function<void()>& run) {
  const auto timed = [&]() -> Result<double> {
    const auto start = std::chrono::steady_clock::now();
    run();
    return seconds_since(start);
  };
  return need(measure(timed, 5, 1)).median;
}

class Bench {
 public:
  Bench(const std::string& id, std::size_t megabytes)
      : device_(need(open_device(id))), count_(megabytes * 1000000 / sizeof(float)) {
    program_ = need(device_->build(source_for(device_->info().language)));
    kernel_ = need(program_->kernel("rounds"));
  }

  bool run(const std::string& trace_file) {
    const target::Target& info = device_->info();
    const StreamFacts facts = device_->stream_facts();
    fmt::print("device            {} ({}), {} compute units, {}\n", info.id, info.name, info.compute_units,
               info.driver);
    fmt::print("copy engines      {}\nmost partitions   {} of multiples of {} compute units\n",
               facts.copy_engines, facts.most_partitions, facts.partition_granularity);
    for (const std::string& note : facts.notes) fmt::print("note              {}\n", note);
    make_arrays();
    measure_alone();
    measure_partitions();
    measure_overlap(facts);
    if (!trace_file.empty()) std::ofstream(trace_file) << report::trace_json(trace_);
    return is_right_;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(float); }
  static double gigabytes(std::size_t bytes, double seconds) {
    return static_cast<double>(bytes) * 1e-9 / seconds;
  }

  void make_arrays() {
    const auto start = std::chrono::steady_clock::now();
    x_ = need(device_->host_memory(bytes()));
    y_ = need(device_->host_memory(bytes()));
    fmt::print("host memory       {} in {:.3f} s{}\n", x_->is_pinned() ? "pinned" : "not pinned",
               seconds_since(start), x_->note().empty() ? "" : ": " + x_->note());
    auto* x = reinterpret_cast<float*>(x_->bytes().data());
    for (std::size_t at = 0; at < count_; ++at) x[at] = static_cast<float>(at % 1000);
    plain_ = need(plain_memory(bytes(), "as a program's own array is"));
    std::memcpy(plain_->bytes().data(), x, bytes());
    const auto pinning = std::chrono::steady_clock::now();
    const auto pinned = need(device_->pin(plain_->bytes()));
    fmt::print("pinning an array  {} in {:.3f} s\n", pinned->is_pinned() ? "done" : "not done",
               seconds_since(pinning));
  }

  void measure_alone() {
    Partitioning whole = need(device_->partitions(1));
    const auto queue = need(whole.partitions[0]->queue()), other = need(whole.partitions[0]->queue());
    const auto in = need(device_->allocate(bytes())), out = need(device_->allocate(bytes()));
    const auto rate = [&](const char* name, std::size_t moved, const std::function<void()>& body) {
      const double seconds = seconds_of(body);
      fmt::print("{:<18}{:8.3f} ms {:8.2f} GB/s\n", name, seconds * 1e3, gigabytes(moved, seconds));
      return seconds;
    };
    upload_ = rate("upload, pinned", bytes(), [&] {
      need(queue->upload(*in, 0, x_->bytes(), {}));
      need(queue->finish());
    });
    download_ = rate("download, pinned", bytes(), [&] {
      need(queue->download(*in, 0, y_->bytes(), {}));
      need(queue->finish());
    });
    rate("both at once", 2 * bytes(), [&] {
      need(queue->upload(*in, 0, x_->bytes(), {}));
      need(other->download(*out, 0, y_->bytes(), {}));
      need(queue->finish());
      need(other->finish());
    });
    rate("upload, plain", bytes(), [&] {
      need(queue->upload(*in, 0, plain_->bytes(), {}));
      need(queue->finish());
    });
    rate("download, plain", bytes(), [&] {
      need(queue->download(*in, 0, plain_->bytes(), {}));
      need(queue->finish());
    });
    const auto kernel = [&] {
      need(launch(*queue, *in, *out, count_));
      need(queue->finish());
    };
    // More rounds until the kernel takes longer than an upload, then as many as that asks for.
    rounds_ = 1;
    double fewer = seconds_of(kernel), more = fewer;
    int last = rounds_;
    while (more < upload_ && rounds_ < (1 << 24)) {
      fewer = more;
      last = std::exchange(rounds_, 2 * rounds_);
      more = seconds_of(kernel);
    }
    if (more > fewer)
      rounds_ =
          last + static_cast<int>((upload_ - fewer) / (more - fewer) * static_cast<double>(rounds_ - last));
    kernel_seconds_ = seconds_of(kernel);
    fmt::print("kernel            {:8.3f} ms of {} rounds\n", kernel_seconds_ * 1e3, rounds_);
    serial_ = seconds_of([&] {
      need(queue->upload(*in, 0, x_->bytes(), {}));
      need(launch(*queue, *in, *out, count_));
      need(queue->download(*out, 0, y_->bytes(), {}));
      need(queue->finish());
    });
    check("one queue");
    fmt::print("one queue         {:8.3f} ms, the limit is {:.3f} ms, {:.2f} times\n", serial_ * 1e3,
               limit() * 1e3, serial_ / limit());
  }

  /// The kernel in each of some partitions, alone: partitions that are real take it so many times as long.
  void measure_partitions() {
    for (const std::size_t count : {2, 4}) {
      if (count > device_->info().compute_units) continue;
      Partitioning made = need(device_->partitions(count));
      const auto queue = need(made.partitions[0]->queue());
      const auto in = need(device_->allocate(bytes())), out = need(device_->allocate(bytes()));
      need(queue->upload(*in, 0, x_->bytes(), {}));
      need(queue->finish());
      const double seconds = seconds_of([&] {
        need(launch(*queue, *in, *out, count_));
        need(queue->finish());
      });
      fmt::print("1 of {} partitions {:8.3f} ms, {:.2f} times the whole device's; {} compute units{}\n",
                 count, seconds * 1e3, seconds / kernel_seconds_, made.partitions[0]->compute_units(),
                 made.note.empty() ? "" : "; " + made.note);
    }
  }

  void measure_overlap(const StreamFacts& facts) {
    for (const bool is_partitioned : {false, true}) {
      for (const std::size_t streams : {2, 3, 4, 8}) {
        const std::size_t most = is_partitioned ? facts.most_partitions : 64;
        if (streams > most) continue;
        for (const std::size_t tasks : {streams, 4 * streams, 16 * streams}) {
          overlap(is_partitioned, streams, tasks);
        }
      }
    }
  }

  /// Tasks dealt out to streams, each with two pairs of buffers for the parts that are in flight.
  void overlap(bool is_partitioned, std::size_t streams, std::size_t tasks) {
    Partitioning made = need(device_->partitions(is_partitioned ? streams : 1));
    const std::size_t part = (count_ + tasks - 1) / tasks;
    std::vector<std::unique_ptr<Queue>> queues;
    std::vector<std::unique_ptr<Buffer>> in, out;
    for (std::size_t stream = 0; stream < streams; ++stream) {
      queues.push_back(need(made.partitions[is_partitioned ? stream : 0]->queue()));
      in.push_back(need(device_->allocate(part * sizeof(float))));
      out.push_back(need(device_->allocate(part * sizeof(float))));
    }
    std::memset(y_->bytes().data(), 0, bytes());
    struct Given {
      TraceRecord record;
      Event event;
    };
    std::vector<Given> given;
    const double seconds = seconds_of([&] {
      given.clear();
      for (std::size_t task = 0; task < tasks; ++task) {
        const std::size_t first = std::min(task * part, count_), count = std::min(part, count_ - first);
        const std::size_t stream = task % streams, offset = first * sizeof(float),
                          size = count * sizeof(float);
        Queue& queue = *queues[stream];
        const auto note = [&](TraceRecord::Kind kind, const char* name, std::size_t moved, Event event) {
          given.push_back({{kind, name, is_partitioned ? stream : 0, is_partitioned ? 0 : stream, task,
                            std::nullopt, 0, 0, moved},
                           std::move(event)});
        };
        if (count == 0) continue;
        note(TraceRecord::Kind::Upload, "x", size,
             need(queue.upload(*in[stream], 0, x_->bytes().subspan(offset, size), {})));
        note(TraceRecord::Kind::Launch, "rounds", 0, need(launch(queue, *in[stream], *out[stream], count)));
        note(TraceRecord::Kind::Download, "y", size,
             need(queue.download(*out[stream], 0, y_->bytes().subspan(offset, size), {})));
      }
      for (const auto& queue : queues) need(queue->finish());
    });
    trace_ = {
        .title = fmt::format("{} tasks on {} {}", tasks, streams, is_partitioned ? "partitions" : "queues"),
        .facts = {{"device", fmt::format("{} ({})", device_->info().id, device_->info().name)}},
        .records = {}};
    for (Given& each : given) {
      const Times times = need(each.event.wait());
      each.record.start = times.start;
      each.record.end = times.end;
      trace_.records.push_back(std::move(each.record));
    }
    const std::string name =
        fmt::format("{} {}, {} tasks", streams, is_partitioned ? "partitions" : "queues", tasks);
    fmt::print("{:<24}{:8.3f} ms, {:.2f} times one queue, {:.3f} of the limit{}\n", name, seconds * 1e3,
               serial_ / seconds, limit() / seconds,
               is_partitioned && !made.are_separate ? " (" + made.note + ")" : "");
    check(name);
  }

  /// The slowest of the three alone.
  double limit() const { return std::max({upload_, kernel_seconds_, download_}); }

  Result<Event> launch(Queue& queue, const Buffer& in, const Buffer& out, std::size_t count) {
    const Argument arguments[] = {&in, &out,
                                  ScalarValue::of_integer(Scalar::I32, static_cast<std::int64_t>(count)),
                                  ScalarValue::of_integer(Scalar::I32, rounds_)};
    constexpr std::size_t group = 256;
    const std::size_t groups = std::clamp<std::size_t>((count + group - 1) / group, 1, 4096);
    return queue.launch(*kernel_, arguments, {{groups * group, 1, 1}, {group, 1, 1}}, {});
  }

  void check(const std::string& what) {
    std::vector<float> right(1000);
    for (std::size_t at = 0; at < right.size(); ++at) right[at] = expected(static_cast<float>(at), rounds_);
    const auto* y = reinterpret_cast<const float*>(y_->bytes().data());
    for (std::size_t at = 0; at < count_; ++at) {
      if (y[at] == right[at % 1000]) continue;
      fmt::print("WRONG: {}: element {} is {}, not {}\n", what, at, y[at], right[at % 1000]);
      is_right_ = false;
      return;
    }
  }

  std::unique_ptr<Device> device_;
  std::size_t count_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<HostMemory> x_, y_, plain_;
  int rounds_ = 1;
  double upload_ = 0, kernel_seconds_ = 0, download_ = 0, serial_ = 0;
  bool is_right_ = true;
  Trace trace_;
};

}  // namespace

int main(int count, char** words) {
  try {
    const std::string device = count > 1 ? words[1] : default_device();
    const std::size_t megabytes = count > 2 ? std::max(std::atoi(words[2]), 1) : 256;
    const bool is_right = Bench(device, megabytes).run(count > 3 ? words[3] : "");
    fmt::print("{}\n", is_right ? "all results are right" : "results are wrong");
    return is_right ? 0 : 1;
  } catch (const Failure& failure) {
    std::cerr << failure.what() << "\n";
    return 1;
  }
}
