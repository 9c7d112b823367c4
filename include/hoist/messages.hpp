#pragma once
// What Hoist asks of MPI, as a table of functions of C. hoist/mpi.hpp fills it with the MPI whose headers an
// application is compiled with. Types and constants of MPIs differ (a communicator is an address in Open MPI,
// a number in MPICH), so a library that is compiled with the headers of one could be used with that one only.
#include <cstddef>

namespace hoist::api {

/// Functions on a communicator, which `self` stands for. Those that give a number give 0, or an error of
/// MPI's that `error_text` explains.
struct Messages {
  /// Of this table.
  static constexpr int current_version = 4;

  int version;
  /// Which MPI it is: "Open MPI v4.1.4, ...".
  const char* (*library)();
  /// Whether it says that messages may begin and end in memory of CUDA devices.
  int (*reaches_devices)();
  int (*ranks)(void* self, int* rank, int* size, int* rank_of_node);
  /// Non-blocking; the memory stays until the request has ended, which `test` says. It frees the request
  /// then, and makes it null.
  int (*send)(void* self, const void* from, std::size_t bytes, int to, int tag, void** request);
  int (*receive)(void* self, void* to, std::size_t bytes, int from, int tag, void** request);
  int (*test)(void** request);
  /// The bytes of each rank, one after the other, at each rank.
  int (*all_gather)(void* self, const void* mine, int bytes, void* all);
  /// Ends all ranks.
  void (*abort)(void* self, int status);
  void (*error_text)(int error, char* text, std::size_t bytes);
  /// Frees the communicator, unless MPI has been ended before; all ranks do it together.
  void (*release)(void* self);
};

}  // namespace hoist::api
