#pragma once
// The ranks that run a program together. hoist/mpi.hpp makes a Communicator of MPI's.
#include <cstdint>
#include <hoist/messages.hpp>
#include <hoist/result.hpp>
#include <memory>

namespace hoist::api {

struct Access;
struct CommunicatorState;

/// A copy of an application's communicator, on which Hoist's messages meet nobody else's. Copies of the
/// handle stand for the same one, which is freed with the last of them and of what was compiled with it: by
/// all ranks together, as MPI_Comm_free is called, or after MPI_Finalize.
class HOIST_EXPORT Communicator {
 public:
  int rank() const;
  int size() const;
  /// Among the ranks of the same machine: which of its devices a rank may take.
  int rank_of_node() const;
  /// "Open MPI v4.1.4, ...".
  std::string library() const;
  /// A number that no other of this process has; of the ranks' copies each has its own.
  std::uint64_t id() const;

  /// What this rank has found wrong, or nothing, so that no rank waits for one that does not come; all ranks
  /// call it. Where one has an error all get one: it its own, the others that of the first, with its rank.
  Result<void> agree(const std::optional<Error>& found) const;
  /// Whether all ranks give the same number; all ranks call it.
  Result<bool> have_same(std::uint64_t number) const;

  /// For hoist/mpi.hpp. Takes `self` over, which `messages` are called with; the table stays.
  static Result<Communicator> over(const Messages& messages, void* self);
  /// For bindings of other languages, which compile nothing: a copy of the communicator that MPI_Comm_c2f
  /// gives this number for, by the library libhoist-mpi.so, of a process in which the MPI runs that
  /// MPI_Get_library_version describes so. All ranks call it. User errors: the library is not there, or was
  /// compiled for another MPI; MPI does not run; no communicator, or one between two groups.
  static Result<Communicator> of_number(int number, const std::string& library);

 private:
  friend struct Access;
  explicit Communicator(std::shared_ptr<CommunicatorState> state) : state_(std::move(state)) {}
  std::shared_ptr<CommunicatorState> state_;
};

}  // namespace hoist::api
