#pragma once
// libhoist-mpi.so, by which Hoist itself speaks MPI: src/mpi compiles it with the headers of one MPI.
#include <cstddef>
#include <hoist/messages.hpp>

namespace hoist::ranks {

struct Shim {
  /// The function that the library has: const Shim* hoist_mpi().
  static constexpr const char* entry = "hoist_mpi";

  int version;  ///< of the table of messages, and of this one
  const api::Messages* messages;
  /// Starts MPI unless it runs, and gives a communicator of all ranks. An error of MPI's, or 0.
  int (*start)(void** self);
  int (*finish)();
  /// A copy of the communicator that MPI_Comm_c2f gives this number for. A text that says why there is none;
  /// null where there is.
  const char* (*copy)(int number, void** self);
};

}  // namespace hoist::ranks
