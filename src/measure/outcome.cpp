#include "measure/outcome.hpp"

#include "base/error.hpp"

namespace hoist::measure {

std::string_view name_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Ok:
      return "ok";
    case OutcomeKind::StoppedEarly:
      return "stopped early";
    case OutcomeKind::NotCompiled:
      return "not compiled";
    case OutcomeKind::DoesNotFit:
      return "does not fit";
    case OutcomeKind::BuildFailed:
      return "build failed";
    case OutcomeKind::WrongResult:
      return "wrong result";
    case OutcomeKind::Crash:
      return "crash";
    case OutcomeKind::Timeout:
      return "timeout";
    case OutcomeKind::DriverError:
      return "driver error";
    case OutcomeKind::OutOfMemory:
      return "out of memory";
    case OutcomeKind::DeviceLost:
      return "device lost";
  }
  throw Bug("not an outcome");
}

}  // namespace hoist::measure
