#pragma once
// Streams, events, pinned memory and green contexts of the fake CUDA driver (fake_cuda.cpp), on a clock of
// their own: copies take a millisecond a megabyte (twice that of memory that is not pinned), kernels 1.5 ms
// on the whole device and as much longer as a green context has fewer multiprocessors. What shares an engine
// of a device (uploads and copies from other devices, downloads, the kernels of a context) takes turns.
// Nothing runs at the same time in truth.
//
// What a stream is given runs at once; with FAKE_CUDA_SEED it runs when somebody waits, in a random order
// that keeps only what streams and events order, so that a dependence which is missing shows. A driver waits
// with freeing memory until nobody uses it; here the process ends, for others than the driver may keep
// memory. Environment variables:
//   FAKE_CUDA_SEED          the seed of that order
//   FAKE_CUDA_PINNED        bytes that can be pinned (all)
//   FAKE_CUDA_GREEN         0: the driver divides no multiprocessors; 1: it makes no context of several
//                           groups; 3: their streams take no events
//   FAKE_CUDA_COPY_ENGINES  how many there are (2)
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "runtime/cuda/driver.hpp"

namespace fake {

using namespace hoist::runtime::cuda;

constexpr unsigned int multiprocessors = 132;

/// Why the context is of no use; and what it will be once somebody waits.
extern CUresult lost, pending;
/// Held by every function that touches the driver's state.
extern std::recursive_mutex mutex;

long number(const char* variable, long otherwise);

enum class Engine { Upload, Download, Compute };
/// Gives a stream something to run, which uses memory at these addresses: its status, where it is no success,
/// is what the context is lost by.
void give(CUstream stream, Engine engine, double seconds, std::function<CUresult()> run,
          std::vector<CUdeviceptr> uses = {});
/// Ends the process where something that was not run yet uses this memory, which is about to be freed.
void check_unused(CUdeviceptr memory, std::size_t bytes);
/// How long a kernel takes in this stream.
double kernel_seconds(CUstream stream);
/// Runs what the stream, or all streams, were given.
void run_stream(CUstream stream);
void run_all();
/// Forgets streams and events, of a context that is reset.
void forget_all();
bool is_pinned(const void* memory, std::size_t bytes);
/// Whether copies to the one context's device reach the memory of the other's.
bool is_reached(CUcontext to, CUcontext from);

}  // namespace fake
