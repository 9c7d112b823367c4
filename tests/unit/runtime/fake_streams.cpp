#include "fake_streams.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fake {

CUresult lost = CUDA_SUCCESS;
CUresult pending = CUDA_SUCCESS;
std::recursive_mutex mutex;

long number(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atol(text) : otherwise;
}

namespace {

/// When those of a device will be free.
struct Engines {
  double upload = 0, download = 0, compute = 0;
};

struct Green {
  unsigned int multiprocessors = 0;
  Engines* engines = nullptr;
  int streams = 0;  ///< those that were not destroyed
  double free_at = 0;
};

/// What an event stands for since it was recorded: who waits for it waits for that, also when the event is
/// recorded anew.
struct Record {
  bool is_done = false;
  double time = 0;
};
using RecordPtr = std::shared_ptr<Record>;

struct Event {
  RecordPtr last;  ///< null before the first
  bool tells_time = true;

  bool is_done() const { return !last || last->is_done; }
};

struct Item {
  std::function<CUresult()> run;  ///< of work; none of the others
  std::vector<CUdeviceptr> uses;
  Engine engine = Engine::Compute;
  double seconds = 0, given_at = 0;
  RecordPtr recorded, awaited;
};

struct Stream {
  std::deque<Item> items;
  double time = 0;  ///< when the last has ended
  Engines* engines = nullptr;
  Green* green = nullptr;
};

std::map<CUstream, std::unique_ptr<Stream>> streams;
std::map<CUevent, Event> events;
std::map<CUgreenCtx, std::unique_ptr<Green>> greens;
std::map<const char*, std::size_t> pinned;
std::set<void*> allocated_by_driver;
std::map<CUcontext, Engines> engines;                  ///< by the device's context
std::set<std::pair<CUcontext, CUcontext>> reached_by;  ///< who reaches whom
double host_time = 0;
// The driver's own streams have the handles 1 and 2, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD, for every
// process.
constexpr std::uintptr_t last_of_own_streams = 2;
std::uintptr_t last_handle = last_of_own_streams;
thread_local CUcontext current = nullptr;
thread_local std::vector<CUcontext> covered;  ///< below the current one on the thread's stack

template <class Handle>
Handle next_handle() {
  return reinterpret_cast<Handle>(++last_handle);
}

std::mt19937& random_numbers() {
  static std::mt19937 generator;
  static std::string seeded_with;
  const char* seed = std::getenv("FAKE_CUDA_SEED");
  if (seed != nullptr && seeded_with != seed) {
    seeded_with = seed;
    generator.seed(static_cast<unsigned int>(std::atol(seed)));
  }
  return generator;
}

bool is_lazy() { return std::getenv("FAKE_CUDA_SEED") != nullptr; }

double& free_at(const Stream& stream, Engine engine) {
  if (engine == Engine::Compute) return stream.green ? stream.green->free_at : stream.engines->compute;
  const bool is_shared = number("FAKE_CUDA_COPY_ENGINES", 2) < 2;
  return engine == Engine::Upload || is_shared ? stream.engines->upload : stream.engines->download;
}

bool is_ready(const Stream& stream) {
  if (stream.items.empty()) return false;
  const Item& item = stream.items.front();
  return !item.awaited || item.awaited->is_done;
}

void step(Stream& stream) {
  const Item item = std::move(stream.items.front());
  stream.items.pop_front();
  if (item.awaited) {
    stream.time = std::max(stream.time, item.awaited->time);
  } else if (item.recorded) {
    stream.time = std::max(stream.time, item.given_at);
    item.recorded->is_done = true;
    item.recorded->time = stream.time;
  } else {
    double& free = free_at(stream, item.engine);
    stream.time = free = std::max({stream.time, free, item.given_at}) + item.seconds;
    if (lost != CUDA_SUCCESS || pending != CUDA_SUCCESS) return;
    pending = item.run();
  }
}

/// Runs what is ready, in a random order, until the condition holds.
template <class Condition>
void run_until(Condition&& is_enough) {
  while (!is_enough()) {
    std::vector<Stream*> ready;
    for (const auto& [handle, stream] : streams) {
      if (is_ready(*stream)) ready.push_back(stream.get());
    }
    if (ready.empty()) {
      std::fprintf(stderr, "fake CUDA: what is waited for waits for what was not given\n");
      std::abort();
    }
    step(*ready[random_numbers()() % ready.size()]);
  }
}

void add(Stream& stream, Item item) {
  item.given_at = host_time;
  stream.items.push_back(std::move(item));
  if (!is_lazy()) run_until([&] { return stream.items.empty(); });
}

CUresult waited() {
  if (lost == CUDA_SUCCESS) lost = pending;
  return lost;
}

Stream* find(CUstream handle) {
  const auto known = streams.find(handle);
  if (known != streams.end()) return known->second.get();
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == 0 || number > last_of_own_streams) return nullptr;
  auto& made = streams[handle] = std::make_unique<Stream>();
  made->engines = &engines[current];
  return made.get();
}

Event* find(CUevent handle) {
  const auto known = events.find(handle);
  return known == events.end() ? nullptr : &known->second;
}

CUresult pin(char* memory, std::size_t bytes) {
  std::size_t all = bytes;
  for (const auto& [at, size] : pinned) {
    all += size;
    if (at < memory + bytes && memory < at + size) return 712;  // CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
  }
  if (const long most = number("FAKE_CUDA_PINNED", -1); most >= 0 && all > static_cast<std::size_t>(most))
    return CUDA_ERROR_OUT_OF_MEMORY;
  pinned[memory] = bytes;
  return CUDA_SUCCESS;
}

}  // namespace

void give(CUstream handle, Engine engine, double seconds, std::function<CUresult()> run,
          std::vector<CUdeviceptr> uses) {
  Stream* const stream = find(handle);
  if (stream == nullptr) std::abort();
  add(*stream, {.run = std::move(run),
                .uses = std::move(uses),
                .engine = engine,
                .seconds = seconds,
                .given_at = 0,
                .recorded = {},
                .awaited = {}});
}

void check_unused(CUdeviceptr memory, std::size_t bytes) {
  for (const auto& [handle, stream] : streams) {
    for (const Item& item : stream->items) {
      for (const CUdeviceptr use : item.uses) {
        if (use < memory || use >= memory + bytes) continue;
        std::fprintf(stderr, "fake CUDA: memory is freed that something uses which was not run yet\n");
        std::abort();
      }
    }
  }
}

double kernel_seconds(CUstream handle) {
  const Stream* const stream = find(handle);
  const double share =
      stream && stream->green ? static_cast<double>(stream->green->multiprocessors) / multiprocessors : 1;
  return 1.5e-3 / share;
}

void run_stream(CUstream handle) {
  Stream* const stream = find(handle);
  if (stream == nullptr) return;
  run_until([&] { return stream->items.empty(); });
  host_time = std::max(host_time, stream->time);
}

void run_all() {
  for (const auto& [handle, stream] : streams) run_stream(handle);
}

void forget_all() {
  streams.clear();
  events.clear();
}

bool is_reached(CUcontext to, CUcontext from) { return reached_by.contains({to, from}); }

bool is_pinned(const void* memory, std::size_t bytes) {
  const char* const begin = static_cast<const char*>(memory);
  const auto after = pinned.upper_bound(begin);
  if (after == pinned.begin()) return false;
  const auto& [at, size] = *std::prev(after);
  return begin + bytes <= at + size;
}

}  // namespace fake

using namespace fake;

extern "C" {

#define LOCK const std::lock_guard lock(mutex)

CUresult cuCtxSetCurrent(CUcontext context) {
  LOCK;
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  LOCK;
  covered.push_back(current);
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  LOCK;
  if (covered.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (context != nullptr) *context = current;
  current = covered.back();
  covered.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int) {
  LOCK;
  if (peer == current) return CUDA_ERROR_INVALID_VALUE;
  return reached_by.emplace(current, peer).second ? CUDA_SUCCESS : 704;  // ..._PEER_ACCESS_ALREADY_ENABLED
}
CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  LOCK;
  if (lost != CUDA_SUCCESS) return lost;
  *stream = next_handle<CUstream>();
  auto made = std::make_unique<Stream>();
  const auto green = greens.find(reinterpret_cast<CUgreenCtx>(current));
  made->engines = green != greens.end() ? green->second->engines : &engines[current];
  if (green != greens.end()) {
    made->green = green->second.get();
    ++made->green->streams;
  }
  made->time = host_time;
  streams[*stream] = std::move(made);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  LOCK;
  Stream* const known = find(stream);
  if (known == nullptr) return CUDA_ERROR_INVALID_VALUE;
  run_stream(stream);
  if (known->green != nullptr) --known->green->streams;
  streams.erase(stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  LOCK;
  run_stream(stream);
  return waited();
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  LOCK;
  Stream* const known = find(stream);
  Event* const awaited = find(event);
  if (known == nullptr || awaited == nullptr) return CUDA_ERROR_INVALID_VALUE;
  add(*known, {.run = {},
               .uses = {},
               .engine = Engine::Compute,
               .seconds = 0,
               .given_at = 0,
               .recorded = {},
               .awaited = awaited->last});
  return lost;
}
CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  LOCK;
  if (lost != CUDA_SUCCESS) return lost;
  *event = next_handle<CUevent>();
  events[*event].tells_time = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) {
  LOCK;
  return events.erase(event) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  LOCK;
  Stream* const known = find(stream);
  Event* const recorded = find(event);
  if (known == nullptr || recorded == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (known->green != nullptr && number("FAKE_CUDA_GREEN", 2) == 3) return 400;  // CUDA_ERROR_INVALID_HANDLE
  recorded->last = std::make_shared<Record>();
  add(*known, {.run = {},
               .uses = {},
               .engine = Engine::Compute,
               .seconds = 0,
               .given_at = 0,
               .recorded = recorded->last,
               .awaited = {}});
  return lost;
}
CUresult cuEventSynchronize(CUevent event) {
  LOCK;
  Event* const known = find(event);
  if (known == nullptr) return CUDA_ERROR_INVALID_VALUE;
  run_until([&] { return known->is_done(); });
  if (known->last) host_time = std::max(host_time, known->last->time);
  return waited();
}
// Whoever asks again and again is to see an end.
CUresult cuEventQuery(CUevent event) {
  LOCK;
  Event* const known = find(event);
  if (known == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!known->is_done()) {
    bool is_first = true;
    run_until([&] { return !std::exchange(is_first, false); });
  }
  if (!known->is_done()) return CUDA_ERROR_NOT_READY;
  return waited();
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  LOCK;
  const Event* const first = find(start);
  const Event* const second = find(end);
  if (first == nullptr || second == nullptr || !first->last || !second->last) return CUDA_ERROR_INVALID_VALUE;
  if (!first->tells_time || !second->tells_time) return 400;  // CUDA_ERROR_INVALID_HANDLE
  if (!first->is_done() || !second->is_done()) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>((second->last->time - first->last->time) * 1e3);
  return lost;
}

CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned int) {
  LOCK;
  void* const made = std::malloc(bytes);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  if (const CUresult status = pin(static_cast<char*>(made), bytes); status != CUDA_SUCCESS) {
    std::free(made);
    return status;
  }
  allocated_by_driver.insert(made);
  *memory = made;
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  LOCK;
  if (allocated_by_driver.erase(memory) == 0) return CUDA_ERROR_INVALID_VALUE;
  run_all();
  pinned.erase(static_cast<char*>(memory));
  std::free(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned int) {
  LOCK;
  return pin(static_cast<char*>(memory), bytes);
}
CUresult cuMemHostUnregister(void* memory) {
  LOCK;
  run_all();
  return pinned.erase(static_cast<char*>(memory)) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Groups of two multiprocessors. A description is the number that a context of it will have.
CUresult cuDeviceGetDevResource(CUdevice, CUdevResource* resource, int type) {
  if (number("FAKE_CUDA_GREEN", 2) == 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
  *resource = {};
  resource->type = type;
  resource->sm = {multiprocessors, 2, 2};
  return CUDA_SUCCESS;
}
CUresult cuDevSmResourceSplitByCount(CUdevResource* groups, unsigned int* count, const CUdevResource* whole,
                                     CUdevResource* rest, unsigned int flags, unsigned int least) {
  if (flags != CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING || least > whole->sm.smCount)
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned int each = std::max((least + 1) / 2 * 2, 2U), most = whole->sm.smCount / each;
  *count = groups == nullptr ? most : std::min(*count, most);
  if (groups == nullptr) return CUDA_SUCCESS;
  for (unsigned int at = 0; at < *count; ++at) {
    groups[at] = *whole;
    groups[at].sm.smCount = each;
  }
  if (rest != nullptr) {
    *rest = *whole;
    rest->sm.smCount = whole->sm.smCount - *count * each;
  }
  return CUDA_SUCCESS;
}
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* description, CUdevResource* resources,
                                   unsigned int count) {
  if (count == 0 || (count > 1 && number("FAKE_CUDA_GREEN", 2) == 1)) return CUDA_ERROR_INVALID_VALUE;
  std::uintptr_t all = 0;
  for (unsigned int at = 0; at < count; ++at) all += resources[at].sm.smCount;
  *description = reinterpret_cast<CUdevResourceDesc>(all);
  return CUDA_SUCCESS;
}
CUresult cuGreenCtxCreate(CUgreenCtx* context, CUdevResourceDesc description, CUdevice, unsigned int flags) {
  LOCK;
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  auto green = std::make_unique<Green>();
  green->multiprocessors = static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(description));
  green->engines = &engines[current];
  // Its own address is no other context's handle.
  *context = reinterpret_cast<CUgreenCtx>(green.get());
  greens[*context] = std::move(green);
  return CUDA_SUCCESS;
}
CUresult cuGreenCtxDestroy(CUgreenCtx context) {
  LOCK;
  const auto known = greens.find(context);
  if (known == greens.end()) return CUDA_ERROR_INVALID_VALUE;
  // Streams must go first, unless their context is lost.
  if (known->second->streams > 0 && lost == CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& [handle, stream] : streams) {
    if (stream->green == known->second.get()) stream->green = nullptr;
  }
  greens.erase(known);
  return CUDA_SUCCESS;
}
CUresult cuCtxFromGreenCtx(CUcontext* context, CUgreenCtx green) {
  LOCK;
  if (!greens.contains(green)) return CUDA_ERROR_INVALID_VALUE;
  *context = reinterpret_cast<CUcontext>(green);
  return CUDA_SUCCESS;
}
}
