#pragma once
// Programs on the ranks of an application's MPI communicator:
//
//   MPI_Init(&argc, &argv);
//   auto ranks = hoist::communicator(MPI_COMM_WORLD).value();
//   auto step = compile(program, hoist::Ranks{.communicator = ranks, .device = device}, sizes).value();
//
// This header alone needs mpi.h, and is compiled with the application. So any MPI will do, and libhoist needs
// none.
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdio>
#include <hoist/hoist.hpp>
#include <string>
#include <vector>

namespace hoist {

/// How Messages (hoist/messages.hpp) are sent by MPI.
namespace by_mpi {

/// The most bytes of one message: MPI counts in int.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// A transfer, as one message or several.
struct Request {
  std::vector<MPI_Request> parts;
};

struct Self {
  MPI_Comm communicator = MPI_COMM_NULL;
};
inline MPI_Comm of(void* self) { return static_cast<Self*>(self)->communicator; }

inline const char* library() {
  static const std::string text = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::string line(version, static_cast<std::size_t>(length));
    return line.substr(0, line.find('\n'));
  }();
  return text.c_str();
}

inline int reaches_devices() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support();
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int does = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &does) == MPI_SUCCESS && does != 0 ? 1 : 0;
#else
  return 0;
#endif
}

inline int ranks(void* self, int* rank, int* size, int* rank_of_node) {
  int error = MPI_Comm_rank(of(self), rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(of(self), size);
  MPI_Comm node = MPI_COMM_NULL;
  if (error == MPI_SUCCESS)
    error = MPI_Comm_split_type(of(self), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
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

inline int send(void* self, const void* from, std::size_t bytes, int to, int tag, void** request) {
  return in_parts(bytes, request, [&](std::size_t offset, int count, MPI_Request* part) {
    return MPI_Isend(static_cast<const char*>(from) + offset, count, MPI_BYTE, to, tag, of(self), part);
  });
}

inline int receive(void* self, void* to, std::size_t bytes, int from, int tag, void** request) {
  return in_parts(bytes, request, [&](std::size_t offset, int count, MPI_Request* part) {
    return MPI_Irecv(static_cast<char*>(to) + offset, count, MPI_BYTE, from, tag, of(self), part);
  });
}

inline void drop(void** request) {
  delete static_cast<Request*>(*request);
  *request = nullptr;
}

inline int test(void** request) {
  auto& parts = static_cast<Request*>(*request)->parts;
  int has_ended = 0;
  const int error =
      MPI_Testall(static_cast<int>(parts.size()), parts.data(), &has_ended, MPI_STATUSES_IGNORE);
  if (error == MPI_SUCCESS && has_ended != 0) drop(request);
  return error;
}

inline int all_gather(void* self, const void* mine, int bytes, void* all) {
  return MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, of(self));
}

inline void abort(void* self, int status) { MPI_Abort(of(self), status); }

inline void error_text(int error, char* text, std::size_t bytes) {
  char told[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(error, told, &length);
  std::snprintf(text, bytes, "%s", told);
}

inline void release(void* self) {
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  auto* mine = static_cast<Self*>(self);
  if (has_ended == 0) MPI_Comm_free(&mine->communicator);
  delete mine;
}

inline constexpr api::Messages messages{api::Messages::current_version,
                                        library,
                                        reaches_devices,
                                        ranks,
                                        send,
                                        receive,
                                        test,
                                        all_gather,
                                        abort,
                                        error_text,
                                        release};

/// Why no copy can be made of a communicator; null where one can.
inline const char* fault_of(MPI_Comm given) {
  int is_running = 0, has_ended = 0, is_between_groups = 0;
  MPI_Initialized(&is_running);
  MPI_Finalized(&has_ended);
  if (has_ended != 0) return "MPI has been ended: MPI_Finalize comes after all that uses a communicator";
  if (is_running == 0) return "MPI does not run: call MPI_Init first";
  if (given == MPI_COMM_NULL)
    return "the communicator is MPI_COMM_NULL: this process is not one of its ranks";
  if (MPI_Comm_test_inter(given, &is_between_groups) != MPI_SUCCESS) return "it is no communicator";
  if (is_between_groups != 0) return "the communicator is one between two groups: give that of one group";
  return nullptr;
}

/// A copy whose errors are told, not fatal. All ranks call it.
inline int copy_of(MPI_Comm given, void** self) {
  auto* made = new Self;
  const int error = MPI_Comm_dup(given, &made->communicator);
  if (error != MPI_SUCCESS) {
    delete made;
    return error;
  }
  *self = made;
  return MPI_Comm_set_errhandler(made->communicator, MPI_ERRORS_RETURN);
}

}  // namespace by_mpi

/// A copy of the communicator, for Hoist's messages. All of its ranks call it, after MPI_Init; the copy goes
/// before MPI_Finalize, or with it. User errors: MPI does not run, MPI_COMM_NULL, a communicator between two
/// groups.
inline Result<Communicator> communicator(MPI_Comm given) {
  if (const char* fault = by_mpi::fault_of(given)) return Error{ErrorKind::User, {{fault, {}, {}, {}, {}}}};
  void* self = nullptr;
  if (const int error = by_mpi::copy_of(given, &self)) {
    char text[MPI_MAX_ERROR_STRING] = {};
    by_mpi::error_text(error, text, sizeof text);
    return Error{ErrorKind::Device,
                 {{"MPI does not copy the communicator: " + std::string(text), {}, {}, {}, {}}}};
  }
  return Communicator::over(by_mpi::messages, self);
}

}  // namespace hoist
