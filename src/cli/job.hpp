#pragma once
// The processes that run one command together, as mpirun starts them: what they agree on, and how all of them
// end where one fails.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/need.hpp"
#include "cli/session.hpp"
#include "ranks/communicator.hpp"

namespace hoist::cli {

class Job {
 public:
  /// Throws Failure: those of Communicator::of_launcher. From here on rank 0 alone prints.
  static Job of_launcher();

  bool has_others() const { return communicator_ != nullptr; }
  std::size_t rank() const { return has_others() ? communicator_->rank() : 0; }
  std::size_t size() const { return has_others() ? communicator_->size() : 1; }
  std::size_t rank_of_node() const { return has_others() ? communicator_->rank_of_node() : 0; }
  ranks::Communicator* communicator() { return communicator_.get(); }

  /// A command's work. Where it throws at one rank what the others do not know of, that rank tells it on one
  /// line and ends them all; nobody waits for a rank that will not come.
  Status run(const Session& session, bool is_json, const std::function<Status()>& work);

  /// What each rank does by itself; all ranks call it, within `run`. Where it fails at some of them, all
  /// leave `run`, and the error of the first of them is told once.
  void together(const std::function<void()>& work);
  /// One value of each rank, by rank.
  template <class T>
  std::vector<T> gathered(const T& mine) {
    if (!has_others()) return {mine};
    return need(communicator_->all_gather(mine));
  }

 private:
  Error told(const Error& error) const;
  [[noreturn]] void end_all(const Error& error);

  std::unique_ptr<ranks::Communicator> communicator_;  ///< null: there is one process
};

}  // namespace hoist::cli
