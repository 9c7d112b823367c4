#include "cli/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "ranks/agreement.hpp"

namespace hoist::cli {
namespace {

/// An error that every rank knows of, and that this one tells.
class AgreedFailure : public Failure {
 public:
  using Failure::Failure;
};

/// The same at a rank that has nothing to tell.
struct ToldElsewhere {
  Status status;
};

}  // namespace

Job Job::of_launcher() {
  Job job;
  job.communicator_ = need(ranks::Communicator::of_launcher());
  if (job.rank() != 0) print_nothing();
  return job;
}

/// The error as one line that names the rank.
Error Job::told(const Error& error) const {
  std::string text;
  for (const Diagnostic& each : error.diagnostics) {
    text += (text.empty() ? "" : "; ") + each.message;
    if (!each.note.empty()) text += " (" + each.note + ")";
    if (!each.help.empty()) text += "; " + each.help;
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fail(error.kind, fmt::format("rank {} of {}: {}", rank(), size(), text)).value();
}

void Job::end_all(const Error& error) {
  report(told(error), nullptr);
  communicator_->abort(status_of(error.kind));
}

Status Job::run(const Session& session, bool is_json, const std::function<Status()>& work) {
  if (!has_others()) return work();
  // A launcher ends all ranks when the first has left with an error: all stay until it is told.
  const auto leave = [&](Status status) {
    communicator_->all_gather(status);
    return status;
  };
  try {
    return work();
  } catch (const ToldElsewhere& elsewhere) {
    return leave(elsewhere.status);
  } catch (const AgreedFailure& failure) {
    const Source* source = session.source ? &*session.source : nullptr;
    const Status status = status_of(failure.error().kind);
    report(failure.error(), source);
    if (is_json) print_json(error_json(failure.error(), source, status));
    need(finish_output());
    return leave(status);
  } catch (const Failure& failure) {
    end_all(failure.error());
  } catch (const std::bad_alloc&) {
    end_all(device_error("not enough memory").value());
  } catch (const std::exception& failure) {
    end_all(fail(ErrorKind::Bug, failure.what()).value());
  }
}

void Job::together(const std::function<void()>& work) {
  if (!has_others()) return work();
  const std::optional<Error> failure = ranks::failure_of(work);
  const std::vector<int> statuses = gathered<int>(failure ? status_of(failure->kind) : done);
  const auto first = std::find_if(statuses.begin(), statuses.end(), [](int each) { return each != done; });
  if (first == statuses.end()) return;
  if (first - statuses.begin() != static_cast<std::ptrdiff_t>(rank()))
    throw ToldElsewhere{static_cast<Status>(*first)};
  // Where the first rank fails the others mostly do, too: then the error is that of any command.
  const bool is_of_all = std::find(statuses.begin(), statuses.end(), done) == statuses.end();
  throw AgreedFailure(is_of_all ? *failure : told(*failure));
}

}  // namespace hoist::cli
