#pragma once
// A message of MPI from or to a device's memory, as a command that others come after.
#include <functional>
#include <optional>
#include <vector>

#include "ranks/communicator.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

class DeviceMessage final : public runtime::Event::Command {
 public:
  using Start = std::function<Result<ranks::Communicator::Message>()>;
  /// `start` hands it to MPI, when the events have ended; not before start() is called, or wait().
  DeviceMessage(ranks::Communicator& communicator, std::vector<runtime::Event> after, Start start)
      : communicator_(communicator), after_(std::move(after)), start_(std::move(start)) {}

  /// Waits for what it comes after.
  Result<void> start();
  bool has_ended() override;
  Result<runtime::Times> wait() override;

 private:
  Result<runtime::Times> ended();

  ranks::Communicator& communicator_;
  std::vector<runtime::Event> after_;
  Start start_;  ///< null: it was started
  double started_at_ = 0;
  ranks::Communicator::Message message_;
  std::optional<Result<runtime::Times>> outcome_;
};

}  // namespace hoist::execute
