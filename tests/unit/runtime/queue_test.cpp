// What queue.hpp promises, on every device there is, and on a fake CUDA driver that runs in random orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "random_commands.hpp"
#include "runtime/devices.hpp"
#include "runtime/queue.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace testing;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::string message_of(const Result<Times>& result) {
  return result ? "ended well" : text_of(result.error());
}
std::string message_of(const Result<void>& result) { return result ? "ended well" : text_of(result.error()); }

template <class Element>
std::span<const std::byte> bytes_of(const std::vector<Element>& elements) {
  return std::as_bytes(std::span(elements));
}

/// The backends; "fake" is the fake CUDA driver, "delayed" the same in random orders, "synchronous" any
/// device through the queues of the default.
class EveryQueue : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string kind = GetParam();
    const bool is_fake = kind == "fake" || kind == "delayed";
    if (is_fake) {
      driver_.emplace("HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA);
      nvrtc_.emplace("HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA);
    }
    if (kind == "delayed") seed_.emplace("FAKE_CUDA_SEED", "1");
    auto opened = open_device(is_fake ? "cuda:0" : kind == "synchronous" ? "host" : kind);
    if (!opened && kind == "opencl") GTEST_SKIP() << "there is no device " << kind;
    ASSERT_TRUE(succeeded(opened));
    device = std::move(*opened);
  }

  Partitioning partitions(std::size_t count) {
    if (GetParam() == "synchronous") return must(synchronous_partitions(*device, count, "as asked for"));
    return must(device->partitions(count));
  }

  /// The kernel of a program that no other is, where it has a note of its own.
  std::unique_ptr<Kernel> scaled_sum(const std::string& note = {}) {
    program_ =
        must(device->build(fmt::format("{}\n// {}\n", scaled_sum_source(device->info().language), note)));
    return must(program_->kernel("scaled_sum"));
  }

  /// Runs the commands on so many partitions, and compares everything.
  void expect_serial(std::uint64_t seed, std::size_t partition_count, bool is_pinned);

  std::optional<ScopedVariable> driver_, nvrtc_, seed_;
  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program_;
};

std::vector<Argument> sum_arguments(const Buffer& left, const Buffer& right, const Buffer& sum,
                                    std::size_t count) {
  return {&left, &right, &sum, ScalarValue::of_real(Scalar::F32, 0.5),
          ScalarValue::of_integer(Scalar::I32, static_cast<std::int64_t>(count))};
}
constexpr Range sum_range_of(std::size_t groups) { return {{16 * groups, 1, 1}, {16, 1, 1}}; }
const Range sum_range = sum_range_of(4);

void EveryQueue::expect_serial(std::uint64_t seed, std::size_t partition_count, bool is_pinned) {
  const RandomCommands given = random_commands(seed, 60);
  const std::unique_ptr<Kernel> kernel = scaled_sum(fmt::format("seed {}", seed));
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (const auto& array : given.before.buffers) buffers.push_back(upload(*device, array));
  std::vector<std::unique_ptr<HostMemory>> hosts;
  for (const auto& array : given.before.hosts) {
    hosts.push_back(must(is_pinned ? device->host_memory(array.size() * sizeof(float))
                                   : plain_memory(array.size() * sizeof(float), "not pinned")));
    std::memcpy(hosts.back()->bytes().data(), array.data(), array.size() * sizeof(float));
  }
  Partitioning made = partitions(partition_count);
  std::vector<std::unique_ptr<Queue>> queues;
  for (std::size_t at = 0; at < given.queues; ++at)
    queues.push_back(must(made.partitions[at % partition_count]->queue()));

  std::vector<Event> events;
  for (const RandomCommand& command : given.commands) {
    Queue& queue = *queues[command.queue];
    queue.keep_times(events.size() % 3 != 0);  // which changes nothing of what is done
    std::vector<Event> after;
    for (const std::size_t each : command.after) after.push_back(events[each]);
    const Piece& to = command.writes;
    const std::size_t bytes = (to.end - to.begin) * sizeof(float), offset = to.begin * sizeof(float);
    const auto host = [&](const Piece& piece) {
      return hosts[piece.array]->bytes().subspan(piece.begin * sizeof(float), bytes);
    };
    switch (command.kind) {
      case RandomCommand::Kind::Upload:
        events.push_back(must(queue.upload(*buffers[to.array], offset, host(command.reads[0]), after)));
        break;
      case RandomCommand::Kind::Download: {
        const Piece& from = command.reads[0];
        events.push_back(
            must(queue.download(*buffers[from.array], from.begin * sizeof(float), host(to), after)));
        break;
      }
      case RandomCommand::Kind::Copy: {
        const Piece& from = command.reads[0];
        events.push_back(must(queue.copy(*buffers[from.array], from.begin * sizeof(float), *buffers[to.array],
                                         offset, bytes, after)));
        break;
      }
      case RandomCommand::Kind::Fill:
        events.push_back(must(queue.fill(*buffers[to.array], offset, bytes, command.value, after)));
        break;
      case RandomCommand::Kind::ScaledSum: {
        const auto arguments =
            sum_arguments(*buffers[command.reads[0].array], *buffers[command.reads[1].array],
                          *buffers[to.array], given.before.buffers[0].size());
        events.push_back(must(queue.launch(*kernel, arguments, sum_range_of(command.groups), after)));
        break;
      }
    }
  }
  for (const auto& queue : queues) must(queue->finish());
  for (const Event& event : events) EXPECT_TRUE(event.has_ended());
  for (std::size_t at = 0; at < buffers.size(); ++at)
    EXPECT_TRUE(download<float>(*device, *buffers[at]) == given.expected.buffers[at]) << "buffer " << at;
  for (std::size_t at = 0; at < hosts.size(); ++at)
    EXPECT_EQ(
        std::memcmp(hosts[at]->bytes().data(), given.expected.hosts[at].data(), hosts[at]->bytes().size()), 0)
        << "array " << at;
}

TEST_P(EveryQueue, RandomCommandsDoWhatTheyDoOneAfterTheOther) {
  const std::size_t most = std::min<std::size_t>(device->info().compute_units, 4);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const ScopedVariable order("FAKE_CUDA_SEED",
                               GetParam() == "delayed" ? std::optional(std::to_string(seed)) : std::nullopt);
    expect_serial(seed, 1 + seed % most, seed % 3 != 0);
  }
}

TEST_P(EveryQueue, CommandsOfAQueueFollowEachOtherInTime) {
  const auto kernel = scaled_sum();
  const std::vector<float> data(1 << 16, 1);
  const auto left = upload(*device, data), sum = upload(*device, data);
  Partitioning made = partitions(1);
  ASSERT_EQ(made.partitions.size(), 1u);
  EXPECT_EQ(made.partitions[0]->compute_units(), device->info().compute_units);
  const auto queue = must(made.partitions[0]->queue());
  const double before = host_seconds();
  std::vector<Event> events{must(queue->upload(*left, 0, bytes_of(data), {}))};
  for (int repetition = 0; repetition < 3; ++repetition)
    events.push_back(
        must(queue->launch(*kernel, sum_arguments(*left, *left, *sum, data.size()), sum_range, {})));
  events.push_back(must(queue->barrier({})));
  must(queue->finish());
  const double after = host_seconds();
  double last = 0;
  for (const Event& event : events) {
    EXPECT_TRUE(event.has_ended());
    const Times times = must(event.wait());
    EXPECT_LE(times.start, times.end);
    EXPECT_GE(times.start, last - 2e-5);
    last = times.end;
    // The fake driver's clock runs by itself.
    if (GetParam() == "fake" || GetParam() == "delayed") continue;
    EXPECT_GT(times.start, before - 1e-3);
    EXPECT_LT(times.end, after + 1e-3);
  }
}

TEST_P(EveryQueue, WithoutTimesItsCommandsEndAsWell) {
  const auto kernel = scaled_sum();
  const std::vector<float> data(256, 1);
  const auto left = upload(*device, data), sum = upload(*device, data);
  Partitioning made = partitions(1);
  const auto queue = must(made.partitions[0]->queue()), other = must(made.partitions[0]->queue());
  queue->keep_times(false);
  const Event there = must(queue->upload(*left, 0, bytes_of(data), {}));
  const Event summed =
      must(other->launch(*kernel, sum_arguments(*left, *left, *sum, data.size()), sum_range, {{there}}));
  EXPECT_TRUE(succeeded(there.wait()));
  EXPECT_TRUE(there.has_ended());
  // Times are of the queue that a command was given to.
  queue->keep_times(true);
  const Event last = must(queue->barrier({{summed}}));
  EXPECT_GE(must(last.wait()).start, must(summed.wait()).end - 2e-5);
}

TEST_P(EveryQueue, AFailureGoesOnToAllThatWaitForIt) {
  const std::vector<float> data(64, 3);
  const auto buffer = upload(*device, std::vector<float>(64, 1));
  Partitioning made = partitions(1);
  const auto first = must(made.partitions[0]->queue()), second = must(made.partitions[0]->queue());
  const Event failed = Event::failed(device_error("the disk is on fire").value());
  std::vector<float> back(64, -1);
  const Event event = must(first->upload(*buffer, 0, bytes_of(data), std::span(&failed, 1)));
  const Event follower = must(first->fill(*buffer, 0, 4, 0, {}));
  const Event waiter =
      must(second->download(*buffer, 0, std::as_writable_bytes(std::span(back)), std::span(&event, 1)));
  EXPECT_THAT(message_of(event.wait()),
              AllOf(HasSubstr("the disk is on fire"), HasSubstr("an upload of 256 bytes"),
                    HasSubstr("was not run because of it")));
  EXPECT_THAT(message_of(follower.wait()), HasSubstr("the disk is on fire"));
  EXPECT_THAT(message_of(waiter.wait()), HasSubstr("the disk is on fire"));
  EXPECT_TRUE(event.has_ended());
  EXPECT_EQ(back, std::vector<float>(64, -1));
  EXPECT_THAT(message_of(first->finish()), HasSubstr("the disk is on fire"));
  EXPECT_THAT(message_of(second->finish()), HasSubstr("the disk is on fire"));
  // What was not run did nothing, and the queues begin anew.
  EXPECT_EQ(download<float>(*device, *buffer), std::vector<float>(64, 1));
  must(must(first->upload(*buffer, 0, bytes_of(data), {})).wait());
  must(must(second->download(*buffer, 0, std::as_writable_bytes(std::span(back)), {})).wait());
  EXPECT_EQ(back, data);
  must(first->finish());
  must(second->finish());
}

TEST_P(EveryQueue, MovesRows) {
  constexpr std::size_t width = 24, height = 10, columns = 5;
  std::vector<float> data(width * height);
  for (std::size_t at = 0; at < data.size(); ++at) data[at] = static_cast<float>(at);
  const std::vector<float> zeros(data.size());
  const auto first = upload(*device, zeros), second = upload(*device, zeros);
  Partitioning made = partitions(1);
  const auto queue = must(made.partitions[0]->queue());
  // Rows 2 to 8, columns 7 to 11: from the array as it is, to another buffer, and packed.
  const Rows rows{(2 * width + 7) * sizeof(float), columns * sizeof(float), 7, width * sizeof(float)};
  const std::byte* const from = bytes_of(data).data() + rows.offset;
  must(queue->upload_rows(*first, rows, from, rows.pitch, {}));
  must(queue->copy_rows(*first, *second, rows, {}));
  std::vector<float> packed(7 * columns), all(data.size());
  const auto packed_bytes = std::as_writable_bytes(std::span(packed));
  must(must(queue->download_rows(*second, rows, packed_bytes.data(), rows.bytes, {})).wait());
  must(must(queue->download(*second, 0, std::as_writable_bytes(std::span(all)), {})).wait());
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const bool is_moved = row >= 2 && row < 9 && column >= 7 && column < 12;
      EXPECT_EQ(all[row * width + column], is_moved ? data[row * width + column] : 0);
      if (is_moved) {
        EXPECT_EQ(packed[(row - 2) * columns + column - 7], data[row * width + column]);
      }
    }
  }
  // Back from packed memory; a single row; no rows.
  must(must(queue->upload_rows(*first, {0, rows.bytes, 7, rows.pitch}, packed_bytes.data(), rows.bytes, {}))
           .wait());
  must(must(queue->download(*first, 0, std::as_writable_bytes(std::span(all)), {})).wait());
  EXPECT_EQ(all[0], packed[0]);
  EXPECT_EQ(all[6 * width + 4], packed.back());
  must(must(queue->copy_rows(*first, *second, {0, rows.bytes}, {})).wait());
  must(must(queue->copy_rows(*first, *second, {0, rows.bytes, 0, rows.pitch}, {})).wait());
  // Rows that end behind their buffer.
  const Rows outside{rows.offset, rows.bytes, 9, rows.pitch};
  EXPECT_FALSE(queue->upload_rows(*first, outside, from, rows.pitch, {}));
  EXPECT_FALSE(queue->download_rows(*first, outside, packed_bytes.data(), rows.bytes, {}));
  EXPECT_FALSE(queue->copy_rows(*first, *second, outside, {}));
  must(queue->finish());
}

TEST_P(EveryQueue, RefusesAtOnceWhatCannotBe) {
  const auto kernel = scaled_sum();
  std::vector<float> data(8);
  const auto small = upload(*device, std::vector<float>(4)), large = upload(*device, data);
  Partitioning made = partitions(1);
  const auto queue = must(made.partitions[0]->queue());
  const auto refusals = {queue->upload(*small, 4, bytes_of(std::vector<float>(4)), {}),
                         queue->download(*small, 8, std::as_writable_bytes(std::span(data)), {}),
                         queue->copy(*large, 20, *small, 0, 16, {}),
                         queue->copy(*large, 0, *large, 4, 16, {}),
                         queue->fill(*small, 1, 16, 0, {}),
                         queue->launch(*kernel, sum_arguments(*small, *small, *large, 1),
                                       {{1 << 20, 1, 1}, {1 << 20, 1, 1}}, {})};
  for (const auto& refused : refusals) {
    ASSERT_FALSE(refused);
    EXPECT_THAT(text_of(refused.error()), HasSubstr(device->info().id));
  }
  // They are as if they had not been.
  must(queue->finish());
}

TEST_P(EveryQueue, HasCommandsThatDoNothing) {
  const auto kernel = scaled_sum();
  const auto buffer = upload(*device, std::vector<float>{1, 2}), empty = must(device->allocate(0));
  Partitioning made = partitions(1);
  const auto queue = must(made.partitions[0]->queue());
  for (const Event& event :
       {must(queue->upload(*empty, 0, {}, {})), must(queue->download(*buffer, 8, {}, {})),
        must(queue->copy(*buffer, 0, *buffer, 0, 8, {})), must(queue->copy(*empty, 0, *buffer, 4, 0, {})),
        must(queue->fill(*buffer, 4, 0, 7, {})), must(queue->launch(*kernel, {}, {{0, 1, 1}, {1, 1, 1}}, {})),
        Event()})
    must(event.wait());
  must(queue->finish());
  EXPECT_EQ(download<float>(*device, *buffer), (std::vector<float>{1, 2}));
}

TEST_P(EveryQueue, PartitionsShareOutTheComputeUnits) {
  const std::size_t units = device->info().compute_units;
  for (std::size_t count = 1; count <= std::min<std::size_t>(units, 9); ++count) {
    const Partitioning made = partitions(count);
    ASSERT_EQ(made.partitions.size(), count);
    EXPECT_EQ(made.are_separate || !made.note.empty(), true);
    std::size_t sum = 0;
    for (const auto& each : made.partitions) sum += each->compute_units();
    EXPECT_EQ(sum, made.are_separate ? units : count * units);
  }
  for (const std::size_t count : {std::size_t{0}, units + 1}) {
    const auto refused =
        GetParam() == "synchronous" ? synchronous_partitions(*device, count, "") : device->partitions(count);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::User);
    EXPECT_THAT(text_of(refused.error()), HasSubstr(fmt::format("choose 1 to {} partitions", units)));
  }
}

TEST_P(EveryQueue, AQueueWaitsForItsCommandsWhenItGoes) {
  const std::vector<float> data(1 << 18, 5);
  const auto buffer = upload(*device, std::vector<float>(data.size()));
  auto memory = must(device->host_memory(data.size() * sizeof(float)));
  std::memcpy(memory->bytes().data(), data.data(), memory->bytes().size());
  Event event;
  {
    Partitioning made = partitions(1);
    const auto queue = must(made.partitions[0]->queue());
    event = must(queue->upload(*buffer, 0, memory->bytes(), {}));
  }
  EXPECT_TRUE(event.has_ended());
  must(event.wait());
  EXPECT_EQ(download<float>(*device, *buffer), data);
}

TEST_P(EveryQueue, PartitionsComeAndGo) {
  const auto kernel = scaled_sum();
  const std::vector<float> ones(256, 1);
  const auto in = upload(*device, ones), out = upload(*device, ones);
  const std::size_t most = std::min<std::size_t>(device->info().compute_units, 5);
  for (std::size_t round = 0; round < 40; ++round) {
    Partitioning made = partitions(1 + round % most);
    std::vector<std::unique_ptr<Queue>> queues;
    for (const auto& partition : made.partitions) queues.push_back(must(partition->queue()));
    // Partitions may go before their queues.
    made.partitions.clear();
    for (const auto& queue : queues)
      must(queue->launch(*kernel, sum_arguments(*in, *in, *out, 256), sum_range, {}));
    if (round % 2 == 0) {
      for (const auto& queue : queues) must(queue->finish());
    }
  }
  EXPECT_EQ(download<float>(*device, *out), std::vector<float>(256, 1.5));
}

TEST_P(EveryQueue, PinsMemoryOrSaysWhyNot) {
  std::vector<std::byte> own(100000);
  for (auto& memory : {must(device->host_memory(1 << 20)), must(device->pin(own))}) {
    EXPECT_EQ(memory->is_pinned(), memory->note().empty());
    std::memset(memory->bytes().data(), 7, memory->bytes().size());
  }
  EXPECT_EQ(own.front(), std::byte{7});
  EXPECT_GE(device->stream_facts().most_partitions, 1u);
}

INSTANTIATE_TEST_SUITE_P(Runtime, EveryQueue,
                         ::testing::Values("synchronous", "host", "opencl", "fake", "delayed"),
                         [](const auto& test) { return test.param; });

// ---- The host

TEST(HostQueue, KernelsKeepToTheProcessorsOfTheirPartition) {
  const auto device = must(open_device("host"));
  const std::size_t units = device->info().compute_units;
  if (units < 2) GTEST_SKIP() << "there is one processor";
  const auto program = must(device->build(R"(
#include <cstddef>
#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif
extern "C" void where(void* const* arguments, const std::size_t*) {
  int* threads = static_cast<int*>(arguments[0]);
  int* processors = static_cast<int*>(arguments[1]);
#pragma omp parallel
  {
#ifdef _OPENMP
#pragma omp single
    *threads = omp_get_num_threads();
    processors[omp_get_thread_num()] = sched_getcpu();
#endif
  }
})"));
  const auto kernel = must(program->kernel("where"));
  std::vector<int> seen;
  Partitioning made = must(device->partitions(2));
  ASSERT_TRUE(made.are_separate);
  for (const auto& partition : made.partitions) {
    const auto threads = upload(*device, std::vector<int>{-1});
    const auto processors = upload(*device, std::vector<int>(partition->compute_units(), -1));
    const auto queue = must(partition->queue());
    const Argument arguments[] = {threads.get(), processors.get()};
    must(queue->launch(*kernel, arguments, {}, {}));
    must(queue->finish());
    const int count = download<int>(*device, *threads).front();
    if (count == -1) GTEST_SKIP() << "the compiler has no OpenMP";
    EXPECT_EQ(static_cast<std::size_t>(count), partition->compute_units());
    for (const int processor : download<int>(*device, *processors)) seen.push_back(processor);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end()) << "a processor is in both partitions";
}

TEST(HostQueue, BuffersMayBeTheCallersMemory) {
  const auto device = must(open_device("host"));
  const auto program = must(device->build(scaled_sum_source(target::Language::Host)));
  const auto kernel = must(program->kernel("scaled_sum"));
  alignas(64) std::array<float, 5> memory{0, 1, 2, 3, 4};
  std::array<float, 4> sum{};
  const std::span<float> left = std::span(memory).subspan(1);  // aligned to elements alone
  const auto in = must(device->buffer_in(std::as_writable_bytes(left)));
  const auto out = must(device->buffer_in(std::as_writable_bytes(std::span(sum))));
  ASSERT_TRUE(in && out);
  must(device->launch(*kernel, sum_arguments(*in, *in, *out, 4), {}));
  EXPECT_EQ(sum, (std::array<float, 4>{1.5, 3, 4.5, 6}));
  must(device->read(*out, std::as_writable_bytes(std::span(sum))));
  EXPECT_EQ(sum, (std::array<float, 4>{1.5, 3, 4.5, 6}));
}

// ---- OpenCL

TEST(OpenclQueue, AKernelRunsInSeveralSizesAtOnce) {
  auto opened = open_device("opencl");
  if (!opened) GTEST_SKIP() << "there is no device opencl";
  Device& device = **opened;
  const std::size_t queues = std::min<std::size_t>(device.info().compute_units, 4), most = 16 * queues;
  const Partitioning made = must(device.partitions(queues));
  // Each round has a program that the driver does not know yet.
  for (int round = 0; round < 3; ++round) {
    const auto program = must(device.build(fmt::format(R"(
__kernel void steps(__global float* at, int count) {{
  float x = 0;
  for (int i = 0; i < count; ++i) x = 0.5f * x + 1;
  at[get_global_id(0)] = x + {};
}})",
                                                       round)));
    const auto kernel = must(program->kernel("steps"));
    std::vector<std::unique_ptr<Queue>> all;
    std::vector<std::unique_ptr<Buffer>> out;
    for (std::size_t at = 0; at < queues; ++at) {
      all.push_back(must(made.partitions[at]->queue()));
      out.push_back(upload(device, std::vector<float>(most)));
      // Each has more groups than those before it, and begins while these run.
      const std::int64_t steps = at + 1 == queues ? 1 : 50'000'000;
      const Argument arguments[] = {out.back().get(), ScalarValue::of_integer(Scalar::I32, steps)};
      must(all.back()->launch(*kernel, arguments, sum_range_of(at + 1), {}));
    }
    for (std::size_t at = 0; at < queues; ++at) {
      must(all[at]->finish());
      std::vector<float> expected(most);
      std::fill_n(expected.begin(), 16 * (at + 1),
                  static_cast<float>(round) + (at + 1 == queues ? 1.0F : 2.0F));
      EXPECT_EQ(download<float>(device, *out[at]), expected) << "queue " << at;
    }
  }
}

// ---- CUDA, on the fake driver

class FakeQueue : public ::testing::Test {
 protected:
  void SetUp() override {
    device = must(open_device("cuda:0"));
    program = must(device->build(scaled_sum_source(target::Language::Cuda)));
    kernel = must(program->kernel("scaled_sum"));
  }
  ScopedVariable driver_{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA},
      nvrtc_{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::unique_ptr<Kernel> kernel;
};

TEST_F(FakeQueue, AMissingDependenceShows) {
  std::size_t wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const ScopedVariable order("FAKE_CUDA_SEED", std::to_string(seed));
    const auto memory = must(device->host_memory(64 * sizeof(float)));
    const auto back = must(device->host_memory(64 * sizeof(float)));
    const auto buffer = upload(*device, std::vector<float>(64));
    const std::vector<float> data(64, 2);
    std::memcpy(memory->bytes().data(), data.data(), memory->bytes().size());
    Partitioning made = must(device->partitions(1));
    const auto first = must(made.partitions[0]->queue()), second = must(made.partitions[0]->queue());
    must(first->upload(*buffer, 0, memory->bytes(), {}));
    must(second->download(*buffer, 0, back->bytes(), {}));
    must(second->finish());
    must(first->finish());
    wrong += std::memcmp(back->bytes().data(), data.data(), back->bytes().size()) != 0;
  }
  EXPECT_GT(wrong, 3u);
  EXPECT_LT(wrong, 17u);
}

TEST_F(FakeQueue, CopiesAndKernelsOverlap) {
  constexpr std::size_t count = 1 << 19;  // 2 MiB, 2.1 ms on the fake driver's clock
  const std::vector<float> data(count, 1);
  const auto up = must(device->host_memory(count * sizeof(float))),
             down = must(device->host_memory(count * sizeof(float)));
  const auto a = upload(*device, data), b = upload(*device, data), c = upload(*device, data);
  const auto span = [&](std::size_t engines, std::size_t units) {
    const ScopedVariable copies("FAKE_CUDA_COPY_ENGINES", std::to_string(engines));
    Partitioning made = must(device->partitions(units));
    std::vector<std::unique_ptr<Queue>> queues;
    for (int queue = 0; queue < 4; ++queue)
      queues.push_back(must(made.partitions[static_cast<std::size_t>(queue) % units]->queue()));
    std::vector<Event> events{must(queues[0]->upload(*a, 0, up->bytes(), {})),
                              must(queues[1]->download(*b, 0, down->bytes(), {}))};
    for (const std::size_t queue : {2, 3})
      events.push_back(must(queues[queue]->launch(*kernel, sum_arguments(*b, *b, *c, 1), sum_range, {})));
    double start = 1e300, end = 0;
    for (const Event& event : events) {
      const Times times = must(event.wait());
      start = std::min(start, times.start);
      end = std::max(end, times.end);
    }
    return end - start;
  };
  EXPECT_NEAR(span(2, 1), 3.0e-3, 1e-4);      // two kernels, beside which both copies end
  EXPECT_NEAR(span(1, 1), 2 * 2.1e-3, 1e-4);  // one copy after the other
  EXPECT_NEAR(span(2, 2), 3.0e-3, 1e-4);      // two kernels of half the multiprocessors, at once
}

TEST_F(FakeQueue, PartitionsAreGreenContexts) {
  const Partitioning seven = must(device->partitions(7));
  EXPECT_TRUE(seven.are_separate);
  EXPECT_EQ(seven.note, "");
  for (const auto& each : seven.partitions) {
    EXPECT_GE(each->compute_units(), 18u);
    EXPECT_LE(each->compute_units(), 20u);
  }
  const StreamFacts facts = device->stream_facts();
  EXPECT_EQ(facts.most_partitions, 66u);
  EXPECT_EQ(facts.partition_granularity, 2u);
  EXPECT_EQ(facts.copy_engines, 2u);
  EXPECT_TRUE(facts.needs_pinned);
  EXPECT_TRUE(facts.notes.empty());
  // More than there are groups of multiprocessors.
  const Partitioning many = must(device->partitions(100));
  EXPECT_FALSE(many.are_separate);
  EXPECT_THAT(many.note, HasSubstr("into 66 parts at most"));
}

TEST_F(FakeQueue, OlderDriversHaveNoPartitionsOrOnlyEqualOnes) {
  {
    const ScopedVariable none("FAKE_CUDA_GREEN", "0");
    const Partitioning made = must(device->partitions(2));
    EXPECT_FALSE(made.are_separate);
    EXPECT_THAT(made.note, HasSubstr("divides no multiprocessors"));
    EXPECT_EQ(made.partitions[1]->compute_units(), 132u);
    must(must(made.partitions[1]->queue())->finish());
    EXPECT_THAT(device->stream_facts().notes, ::testing::Contains(HasSubstr("no green contexts")));
    EXPECT_EQ(device->stream_facts().most_partitions, 1u);
  }
  {
    const ScopedVariable none("FAKE_CUDA_GREEN", "3");
    const Partitioning made = must(device->partitions(2));
    EXPECT_FALSE(made.are_separate);
    EXPECT_THAT(made.note, HasSubstr("take no commands"));
    must(must(made.partitions[1]->queue())->finish());
  }
  const ScopedVariable equal("FAKE_CUDA_GREEN", "1");
  const Partitioning made = must(device->partitions(7));
  EXPECT_TRUE(made.are_separate);
  EXPECT_EQ(made.partitions[0]->compute_units(), 18u);
  EXPECT_THAT(made.note, HasSubstr("6 of the 132 multiprocessors are in no partition"));
}

TEST_F(FakeQueue, WithoutPinnedMemoryTransfersAreStaged) {
  for (const char* pinned : {"60000000", "0"}) {
    const ScopedVariable little("FAKE_CUDA_PINNED", pinned);
    // The last that have the device open take its staging buffers with them.
    kernel.reset();
    program.reset();
    device.reset();
    device = must(open_device("cuda:0"));
    constexpr std::size_t count = 20 << 20;  // 80 MiB
    const auto memory = must(device->host_memory(count * sizeof(float)));
    EXPECT_FALSE(memory->is_pinned());
    EXPECT_THAT(memory->note(), AllOf(HasSubstr("pins no 80 MiB"), HasSubstr("through staging buffers")));
    std::vector<float> data(count), back(count);
    std::iota(data.begin(), data.end(), 0.F);
    std::memcpy(memory->bytes().data(), data.data(), memory->bytes().size());
    const auto buffer = must(device->allocate(count * sizeof(float)));
    Partitioning made = must(device->partitions(1));
    const auto first = must(made.partitions[0]->queue()), second = must(made.partitions[0]->queue());
    const Event there = must(first->upload(*buffer, 0, memory->bytes(), {}));
    const Event filled = must(first->fill(*buffer, 0, 4, 0xFF, {}));
    must(second->download(*buffer, 0, std::as_writable_bytes(std::span(back)), std::span(&filled, 1)));
    must(there.wait());
    must(second->finish());
    std::memset(data.data(), 0xFF, 4);
    EXPECT_EQ(std::memcmp(back.data(), data.data(), count * sizeof(float)), 0);
  }
}

TEST_F(FakeQueue, AKernelThatFailsHalfWayLosesTheDevicesStateOnly) {
  for (const bool is_delayed : {false, true}) {
    const ScopedVariable order("FAKE_CUDA_SEED", is_delayed ? std::optional<std::string>("3") : std::nullopt);
    const auto memory = must(device->host_memory(1024));
    std::memset(memory->bytes().data(), 1, 1024);
    auto a = upload(*device, std::vector<float>(256, 1)), b = upload(*device, std::vector<float>(256, 7));
    Partitioning made = must(device->partitions(2));
    const auto first = must(made.partitions[0]->queue()), second = must(made.partitions[1]->queue());
    must(must(first->download(*b, 0, memory->bytes(), {})).wait());
    const ScopedVariable second_launch("FAKE_CUDA_FAIL_LAUNCH", "2");
    const auto launch = [&](Queue& queue) {
      return queue.launch(*kernel, sum_arguments(*a, *a, *b, 256), sum_range, {});
    };
    std::vector<Result<Event>> events;
    events.push_back(launch(*first));
    events.push_back(launch(*second));
    if (events.back())
      events.push_back(first->download(*b, 0, memory->bytes().first(64), std::span(&*events[1], 1)));
    std::size_t failed = 0;
    for (const auto& event : events) {
      const std::string message = event ? message_of(event->wait()) : text_of(event.error());
      if (message == "ended well") continue;
      if (failed++ == 0) {
        EXPECT_THAT(message, AllOf(HasSubstr("failed"), HasSubstr("the device was reset")));
      } else {
        EXPECT_THAT(message, HasSubstr("is lost"));
      }
    }
    EXPECT_GE(failed, 1u);
    // What had come before is whole.
    float seen = 0;
    std::memcpy(&seen, memory->bytes().data() + 512, sizeof seen);
    EXPECT_EQ(seen, 7);
    // Each queue says so once more and then stays lost; so does its partition.
    EXPECT_THAT(message_of(first->finish()), HasSubstr("reset"));
    EXPECT_THAT(message_of(second->finish()), HasSubstr("reset"));
    EXPECT_THAT(message_of(second->finish()), HasSubstr("a queue of device cuda:0 (Fake) is lost"));
    EXPECT_FALSE(launch(*first));
    EXPECT_FALSE(made.partitions[0]->queue());
    // All is made anew.
    program = must(device->build(scaled_sum_source(target::Language::Cuda)));
    kernel = must(program->kernel("scaled_sum"));
    a = upload(*device, std::vector<float>(256, 1));
    b = upload(*device, std::vector<float>(256));
    Partitioning again = must(device->partitions(2));
    const auto queue = must(again.partitions[1]->queue());
    must(launch(*queue));
    must(queue->finish());
    EXPECT_EQ(download<float>(*device, *b), std::vector<float>(256, 1.5));
  }
}

TEST_F(FakeQueue, OneCopyEngineIsTold) {
  const ScopedVariable one("FAKE_CUDA_COPY_ENGINES", "1");
  EXPECT_EQ(device->stream_facts().copy_engines, 1u);
  EXPECT_THAT(device->stream_facts().notes, ::testing::Contains(HasSubstr("one copy engine")));
}

}  // namespace
}  // namespace hoist::runtime
