#include "execute/device_message.hpp"

#include <utility>

namespace hoist::execute {

Result<void> DeviceMessage::start() {
  if (!start_) return {};
  const Start start = std::exchange(start_, nullptr);
  if (auto waited = runtime::wait_for(after_); !waited) {
    outcome_ = tl::unexpected(waited.error());
    return waited;
  }
  started_at_ = runtime::host_seconds();
  auto message = start();
  if (!message) {
    outcome_ = tl::unexpected(message.error());
    return tl::unexpected(message.error());
  }
  message_ = *message;
  return {};
}

bool DeviceMessage::has_ended() {
  if (outcome_ || start_) return outcome_.has_value();
  const auto ended = communicator_.has_ended(message_);
  return !ended || *ended;
}

Result<runtime::Times> DeviceMessage::wait() {
  if (!outcome_) outcome_ = ended();
  return *outcome_;
}

Result<runtime::Times> DeviceMessage::ended() {
  if (auto started = start(); !started) return tl::unexpected(started.error());
  if (auto waited = communicator_.wait(message_); !waited) return tl::unexpected(waited.error());
  return runtime::Times{started_at_, runtime::host_seconds()};
}

}  // namespace hoist::execute
