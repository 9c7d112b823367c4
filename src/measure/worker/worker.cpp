#include "measure/worker/worker.hpp"

#include <cstring>

#include "measure/worker/duty.hpp"
#include "runtime/guard.hpp"

namespace hoist::measure {

std::optional<int> run_as_worker(int count, char** arguments) {
  if (count < 3 || std::strcmp(arguments[1], worker_argument) != 0) return std::nullopt;
  const bool builds = std::strcmp(arguments[2], building) == 0;
  const auto duty =
      builds ? building_duty(runtime::shared_by_parent()) : measuring_duty(runtime::shared_by_parent());
  return runtime::serve([&](const std::string& request) { return duty->answer(request); });
}

}  // namespace hoist::measure
