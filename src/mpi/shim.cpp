// libhoist-mpi.so: the table of ranks/shim.hpp on the MPI that this is compiled with.
#include "ranks/shim.hpp"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace hoist::ranks {
namespace {

/// The most bytes of one message: MPI counts in int.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// A transfer, as one message or several.
struct Request {
  std::vector<MPI_Request> parts;
};

const char* library() {
  static const std::string text = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::string line(version, static_cast<std::size_t>(length));
    return line.substr(0, line.find('\n'));
  }();
  return text.c_str();
}

int reaches_devices() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support();
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int does = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &does) == MPI_SUCCESS && does != 0;
#else
  return 0;
#endif
}

int start() {
  int is_running = 0, provided = 0;
  int error = MPI_Initialized(&is_running);
  if (error == MPI_SUCCESS && is_running == 0)
    error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return error;
}

int finish() { return MPI_Finalize(); }

int ranks(int* rank, int* size, int* rank_of_node) {
  int error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(MPI_COMM_WORLD, size);
  MPI_Comm node = MPI_COMM_NULL;
  if (error == MPI_SUCCESS)
    error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(node, rank_of_node);
  if (node != MPI_COMM_NULL) MPI_Comm_free(&node);
  return error;
}

/// Calls give(offset, count, request) for each message of a transfer.
template <class Give>
int in_parts(std::size_t bytes, void** request, Give&& give) {
  auto* made = new Request;
  *request = made;
  for (std::size_t offset = 0; offset < bytes; offset += most_bytes) {
    made->parts.push_back(MPI_REQUEST_NULL);
    const int count = static_cast<int>(std::min(most_bytes, bytes - offset));
    const int error = give(offset, count, &made->parts.back());
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int send(const void* from, std::size_t bytes, int to, int tag, void** request) {
  return in_parts(bytes, request, [&](std::size_t offset, int count, MPI_Request* part) {
    return MPI_Isend(static_cast<const char*>(from) + offset, count, MPI_BYTE, to, tag, MPI_COMM_WORLD, part);
  });
}

int receive(void* to, std::size_t bytes, int from, int tag, void** request) {
  return in_parts(bytes, request, [&](std::size_t offset, int count, MPI_Request* part) {
    return MPI_Irecv(static_cast<char*>(to) + offset, count, MPI_BYTE, from, tag, MPI_COMM_WORLD, part);
  });
}

void drop(void** request) {
  delete static_cast<Request*>(*request);
  *request = nullptr;
}

int test(void** request) {
  auto& parts = static_cast<Request*>(*request)->parts;
  int has_ended = 0;
  const int error =
      MPI_Testall(static_cast<int>(parts.size()), parts.data(), &has_ended, MPI_STATUSES_IGNORE);
  if (error == MPI_SUCCESS && has_ended != 0) drop(request);
  return error;
}

int wait(void** request) {
  auto& parts = static_cast<Request*>(*request)->parts;
  const int error = MPI_Waitall(static_cast<int>(parts.size()), parts.data(), MPI_STATUSES_IGNORE);
  if (error == MPI_SUCCESS) drop(request);
  return error;
}

int all_gather(const void* mine, int bytes, void* all) {
  return MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

void abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void error_text(int error, char* text, std::size_t bytes) {
  char told[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(error, told, &length);
  std::snprintf(text, bytes, "%s", told);
}

constexpr Shim table{Shim::current_version,
                     library,
                     reaches_devices,
                     start,
                     finish,
                     ranks,
                     send,
                     receive,
                     test,
                     wait,
                     all_gather,
                     abort,
                     error_text};

}  // namespace
}  // namespace hoist::ranks

extern "C" __attribute__((visibility("default"))) const hoist::ranks::Shim* hoist_mpi() {
  return &hoist::ranks::table;
}
