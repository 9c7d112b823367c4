#pragma once
// The ranks that run something together: who this process is among them, and messages between them. MPI does
// it all, through a table of functions: an application's, or that of a library which is opened only where a
// launcher (mpirun, srun) has started the process (shim.hpp).
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ranks/shim.hpp"

namespace hoist::ranks {

class Communicator {
 public:
  /// A message on its way. Its memory stays until it has ended.
  class Message {
   public:
    Message() = default;

   private:
    friend class Communicator;
    explicit Message(void* request) : request_(request) {}
    void* request_ = nullptr;  ///< null: it has ended
  };

  /// Null where no launcher has started this process, or it alone. User errors: a launcher has, but the
  /// library is not there or another, or the launcher is that of another MPI.
  static Result<std::unique_ptr<Communicator>> of_launcher();
  /// On an application's table, which stays, with the `self` that it is called with, which is taken over.
  /// User error: a table of another version.
  static Result<std::unique_ptr<Communicator>> over(const api::Messages& messages, void* self);
  /// A copy of the communicator that MPI_Comm_c2f gives this number for, in a process in which the MPI runs
  /// that calls itself `library`. User errors: Hoist's library for MPI is not there, or was compiled for
  /// another one; there is no such communicator.
  static Result<std::unique_ptr<Communicator>> of_number(int number, const std::string& library);
  /// Frees the communicator, and ends MPI where it was started for a launcher; all ranks do it together. Not
  /// called where the job is aborted.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  /// Among the ranks of the same machine.
  std::size_t rank_of_node() const { return static_cast<std::size_t>(rank_of_node_); }
  /// "Open MPI v4.1.4".
  std::string library() const { return messages_->library(); }
  /// Whether messages may begin and end in a device's memory: HOIST_MPI_DEVICE_MEMORY says so (1, or 0), or
  /// else the library does.
  bool reaches_devices() const;

  /// Messages between two ranks are told apart by their numbers, as far as some thousands are on their way.
  Result<Message> send(std::span<const std::byte> from, std::size_t to, std::size_t number);
  Result<Message> receive(std::span<std::byte> to, std::size_t from, std::size_t number);
  Result<bool> has_ended(Message& message);
  Result<void> wait(Message& message);
  /// Whether what this process waits for needs none of its processors: then they look for messages all the
  /// time.
  void set_computes_elsewhere(bool is_elsewhere) { computes_elsewhere_ = is_elsewhere; }
  bool computes_elsewhere() const { return computes_elsewhere_; }

  /// The bytes of every rank, which are equally many, one rank after the other. All ranks call it.
  Result<std::vector<std::byte>> all_gather(std::span<const std::byte> mine);
  /// The same of one value.
  template <class T>
  Result<std::vector<T>> all_gather(const T& mine) {
    auto bytes = all_gather(std::as_bytes(std::span(&mine, 1)));
    if (!bytes) return tl::unexpected(std::move(bytes.error()));
    std::vector<T> result(size());
    std::copy(bytes->begin(), bytes->end(), std::as_writable_bytes(std::span(result)).begin());
    return result;
  }

  /// Ends all ranks at once, wherever they are, with this exit status.
  [[noreturn]] void abort(int status);

 private:
  explicit Communicator(const api::Messages* messages) : messages_(messages) {}
  Result<void> checked(int error, const char* what) const;
  Result<void> read_ranks();

  const api::Messages* messages_;
  void* self_ = nullptr;
  const Shim* started_by_ = nullptr;  ///< what ends MPI; null: others do
  bool computes_elsewhere_ = false;
  int rank_ = 0, size_ = 1, rank_of_node_ = 0;
};

}  // namespace hoist::ranks
