#include "measure/worker/station.hpp"

#include <utility>

#include "measure/worker/worker.hpp"

namespace hoist::measure {

namespace {

/// Drivers may take some time to start; arrays to be copied.
constexpr double setup_seconds = 120;

OutcomeKind kind_of(runtime::Ending ending) {
  switch (ending) {
    case runtime::Ending::TimedOut:
      return OutcomeKind::Timeout;
    case runtime::Ending::OutOfMemory:
      return OutcomeKind::OutOfMemory;
    default:
      return OutcomeKind::Crash;
  }
}

}  // namespace

Result<void> Station::be_ready() {
  const bool is_alive = worker_ && worker_->is_alive();
  if (is_alive && is_set_up_) return {};
  if (!is_alive) {
    worker_.reset();
    asked_ = 0;
    auto started = runtime::Worker::start({.program = options_.program,
                                           .arguments = {worker_argument, options_.role},
                                           .shared = options_.memory,
                                           .memory = options_.most_memory,
                                           .is_cancelled = options_.is_cancelled});
    if (!started) return tl::unexpected(started.error());
    worker_ = std::move(*started);
  }
  // Until it is known to be well it is nobody's: where it is not, the next to ask gets a new one.
  std::optional<runtime::Worker> worker = std::exchange(worker_, std::nullopt);
  const runtime::Reply reply = worker->ask(messages::to_bytes(options_.task), setup_seconds);
  if (reply.ending != runtime::Ending::Answered)
    return device_error("a worker process could not be made ready: " + reply.text);
  const messages::Json answer = messages::from_bytes(reply.text);
  if (answer.contains("error"))
    return device_error("a worker process could not be made ready: " + answer["error"].get<std::string>());
  worker_ = std::move(worker);
  is_set_up_ = true;
  return {};
}

void Station::change_task(messages::Json task) {
  options_.task = std::move(task);
  is_set_up_ = false;
}

void Station::end_by(const std::atomic<bool>* is_cancelled) {
  options_.is_cancelled = is_cancelled;
  if (worker_) worker_->end_by(is_cancelled);
}

Answer Station::ask(const messages::Json& request, double seconds) {
  Answer answer;
  if (auto ready = be_ready(); !ready) {
    answer.outcome.kind = OutcomeKind::DeviceLost;
    answer.outcome.message = ready.error().diagnostics.front().message;
    answer.is_cancelled = options_.is_cancelled && *options_.is_cancelled;
    return answer;
  }
  ++asked_;
  const runtime::Reply reply = worker_->ask(messages::to_bytes(request), seconds);
  answer.outcome.kind = kind_of(reply.ending);
  answer.outcome.message = reply.text;
  if (reply.ending == runtime::Ending::Answered) {
    try {
      messages::Json json = messages::from_bytes(reply.text);
      answer.outcome = messages::outcome_of(json);
      answer.more = std::move(json["more"]);
      return answer;
    } catch (const messages::Json::exception&) {
      // A kernel that writes anywhere may write there, too.
      answer.outcome = {};
      answer.outcome.kind = OutcomeKind::Crash;
      answer.outcome.message = "the worker process gave an answer that cannot be read";
    }
  }
  answer.is_cancelled = reply.ending == runtime::Ending::Cancelled;
  worker_.reset();
  return answer;
}

}  // namespace hoist::measure
