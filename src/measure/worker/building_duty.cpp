#include <sys/resource.h>

#include "execute/executable.hpp"
#include "measure/worker/duty.hpp"
#include "runtime/devices.hpp"

namespace hoist::measure {

namespace {

constexpr int yielding = 10;  ///< niceness

class BuildingDuty : public Duty {
 public:
  using Duty::Duty;

 private:
  Result<void> open(const Json& task) override {
    // Builders take all cores: without this the device would wait while who measures on it waits for one.
    setpriority(PRIO_PROCESS, 0, yielding);
    auto builder = runtime::open_builder(task["device"]);
    if (!builder) return tl::unexpected(builder.error());
    builder_ = std::move(*builder);
    return read_options(task, builder_->info());
  }

  void candidate(const Json& request, Outcome& outcome, Json& more) override {
    const driver::Compiled made = compiled(request);
    outcome.source = made.source;
    need_or_give_up(execute::check_fits(made, builder_->info()), OutcomeKind::DoesNotFit);
    auto built = builder_->build(made.source);
    if (!built)
      throw GivenUp{kind_of_build_failure(built.error(), builder_->info()), words_of(built.error())};
    outcome.build = std::move(built->facts);
    more = messages::binary(built->binary);
  }

  std::unique_ptr<runtime::Builder> builder_;
};

}  // namespace

std::unique_ptr<Duty> building_duty(runtime::SharedMemory memory) {
  return std::make_unique<BuildingDuty>(std::move(memory));
}

}  // namespace hoist::measure
