#pragma once
// What Hoist asks of MPI, as a table of functions of C. The library that fills it (src/mpi) is compiled with
// the headers of one MPI, whose types and constants are its own: MPI_COMM_WORLD is an address in Open MPI and
// a number in MPICH, so Hoist itself could be opened with one of them only.
#include <cstddef>

namespace hoist::ranks {

struct Shim {
  /// Of this table.
  static constexpr int current_version = 2;
  /// The function that the library has: const Shim* hoist_mpi().
  static constexpr const char* entry = "hoist_mpi";

  int version;
  /// Which MPI it was compiled with: "Open MPI v4.1.4, ...".
  const char* (*library)();
  /// Whether it says that messages may begin and end in memory of CUDA devices.
  int (*reaches_devices)();
  // All of these return 0, or an error of MPI's that `error_text` explains.
  int (*start)();
  int (*finish)();
  int (*ranks)(int* rank, int* size, int* rank_of_node);
  /// Non-blocking; the memory stays until the request has ended, which `test` says, or `wait` waits for.
  /// Either frees the request then, and makes it null.
  int (*send)(const void* from, std::size_t bytes, int to, int tag, void** request);
  int (*receive)(void* to, std::size_t bytes, int from, int tag, void** request);
  int (*test)(void** request);
  int (*wait)(void** request);
  /// The bytes of each rank, one after the other, at each rank.
  int (*all_gather)(const void* mine, int bytes, void* all);
  void (*abort)(int status);
  void (*error_text)(int error, char* text, std::size_t bytes);
};

}  // namespace hoist::ranks
