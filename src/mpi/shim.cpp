// libhoist-mpi.so: the table of ranks/shim.hpp on the MPI that this is compiled with.
#include "ranks/shim.hpp"

#include <hoist/mpi.hpp>

namespace hoist::ranks {
namespace {

int start(void** self) {
  int is_running = 0, provided = 0;
  int error = MPI_Initialized(&is_running);
  if (error == MPI_SUCCESS && is_running == 0)
    error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return error == MPI_SUCCESS ? by_mpi::copy_of(MPI_COMM_WORLD, self) : error;
}

int finish() { return MPI_Finalize(); }

const char* copy(int number, void** self) {
  int is_running = 0;
  MPI_Initialized(&is_running);
  const MPI_Comm given = is_running != 0 ? MPI_Comm_f2c(number) : MPI_COMM_NULL;
  if (const char* fault = by_mpi::fault_of(given)) return fault;
  return by_mpi::copy_of(given, self) == MPI_SUCCESS ? nullptr : "MPI does not copy the communicator";
}

constexpr Shim table{api::Messages::current_version, &by_mpi::messages, start, finish, copy};

}  // namespace
}  // namespace hoist::ranks

extern "C" __attribute__((visibility("default"))) const hoist::ranks::Shim* hoist_mpi() {
  return &hoist::ranks::table;
}
