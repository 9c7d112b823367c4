// What a building worker does: it lowers candidates and has the device's compiler build them. It is asked for
// one of four things:
//
//   build     the usual one: the binary, which the process that measures loads
//   share     several candidates in one source, so that the compiler starts, and reads what all kernels need,
//             once for all; the names of each candidate's kernels get a suffix. Long sources are left out.
//             Where this fails, whoever asked has each built alone.
//   print     only the source, of a candidate whose build took too long
//   rehearse  runs a candidate that was built once, where the driver compiles at the first launch
//             (runtime::Builder::compiles_at_launch). Builders do this side by side; in the process that
//             measures, one candidate would wait for the other. What comes of the run is of no account.
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <numeric>

#include "execute/executable.hpp"
#include "measure/worker/device_inputs.hpp"
#include "measure/worker/duty.hpp"
#include "runtime/devices.hpp"
#include "target/json.hpp"

namespace hoist::measure {

namespace {

constexpr int yielding = 10;  ///< niceness
/// Programs with larger arrays are not rehearsed: each builder would have a copy of them.
constexpr std::size_t most_rehearsed_bytes = std::size_t{128} << 20;
/// Bytes of source up to which candidates are built together: half of contractions' loops in other orders
/// have 16 to 56 KiB, and take a fifth less of the compiler so. Longer ones would keep the others waiting.
constexpr std::size_t most_shared_source = std::size_t{48} << 10;

constexpr std::size_t most_kept = 8;  ///< binaries

class BuildingDuty : public Duty {
 public:
  using Duty::Duty;

 private:
  Result<void> open(const Json& task) override {
    // Builders take all cores: without this the device would wait while who measures on it waits for one.
    setpriority(PRIO_PROCESS, 0, yielding);
    auto builder = runtime::open_builder(target::from_json(task["device"], {}));
    if (!builder) return tl::unexpected(builder.error());
    builder_ = std::move(*builder);
    built_.clear();
    input_places_ = task["inputs"];
    return read_options(task, builder_->info());
  }

  void candidate(const Json& request, Outcome& outcome, Json& more) override {
    const BuildingStep step = request["step"];
    if (step == BuildingStep::Share) return share(request["candidates"], outcome, more);
    const driver::Compiled made = compiled(request);
    outcome.source = made.source;
    if (step == BuildingStep::Print) return;
    if (step == BuildingStep::Rehearse) return rehearse(made);
    need_or_give_up(execute::check_fits(made, builder_->info()), OutcomeKind::DoesNotFit);
    if (made.source.size() > request["longest_source"])
      throw GivenUp{
          OutcomeKind::Timeout,
          fmt::format("not built: its source has {} bytes, and a shorter one took too long to build",
                      made.source.size())};
    more = build(made.source, outcome);
  }

  Json build(const std::string& source, Outcome& outcome) {
    const auto known = std::ranges::find(built_, source, &BuiltSource::source);
    if (known != built_.end()) {
      outcome.build = known->built.facts;
      outcome.build.seconds = 0;
      return answer_of(known->built, true);
    }
    auto built = builder_->build(source);
    if (!built)
      throw GivenUp{kind_of_build_failure(built.error(), builder_->info()), words_of(built.error())};
    outcome.build = built->facts;
    if (built_.size() == most_kept) built_.pop_front();
    built_.push_back({source, std::move(*built)});
    return answer_of(built_.back().built, false);
  }

  Json answer_of(const runtime::Built& built, bool is_reused) const {
    return {{"binary", messages::binary(built.binary)},
            {"can_rehearse", builder_->compiles_at_launch()},
            {"is_reused", is_reused}};
  }

  /// The answer has the common source as the outcome's, and for each candidate its own as one of "sources",
  /// which is empty where the candidate was left out.
  void share(const Json& candidates, Outcome& outcome, Json& more) {
    loop::Plan together;
    Json sources = Json::array();
    std::size_t shared = 0;
    for (const Json& candidate : candidates) {
      sources.push_back("");
      try {
        driver::Compiled made = compiled(candidate);
        need_or_give_up(execute::check_fits(made, builder_->info()), OutcomeKind::DoesNotFit);
        if (made.source.size() > most_shared_source) continue;
        sources.back() = made.source;
        std::ranges::move(made.plan.kernels, std::back_inserter(together.kernels));
        ++shared;
      } catch (const GivenUp&) {
        // Building it alone tells why.
      }
    }
    if (shared < 2) throw GivenUp{OutcomeKind::NotCompiled, "too few candidates have short sources"};
    outcome.source = need_or_give_up(driver::source_of(together, builder_->info()), OutcomeKind::NotCompiled);
    more = build(outcome.source, outcome);
    more["sources"] = std::move(sources);
  }

  void rehearse(const driver::Compiled& made) {
    const auto plan = execute::launch_plan(made.plan);
    if (!plan ||
        std::accumulate(plan->memory.begin(), plan->memory.end(), std::size_t{0}) > most_rehearsed_bytes)
      return;
    if (!device_) {
      device_ = need_or_give_up(runtime::open_device(builder_->info().id), OutcomeKind::DriverError);
      inputs_ =
          need_or_give_up(DeviceInputs::write(*device_, memory(), input_places_), OutcomeKind::OutOfMemory);
    }
    auto executable = need_or_give_up(prepare(*device_, made), OutcomeKind::DriverError);
    const auto bound = need_or_give_up(inputs_.bind(executable), OutcomeKind::DriverError);
    need_or_give_up(executable.run(bound), OutcomeKind::DriverError);
  }

  struct BuiltSource {
    std::string source;
    runtime::Built built;
  };

  std::unique_ptr<runtime::Builder> builder_;
  /// The last ones: candidates whose kernels learn the size of their groups at the launch are one source.
  std::deque<BuiltSource> built_;
  Json input_places_;
  std::unique_ptr<runtime::Device> device_;  ///< opened for the first rehearsal
  DeviceInputs inputs_;
};

}  // namespace

std::unique_ptr<Duty> building_duty(runtime::SharedMemory memory) {
  return std::make_unique<BuildingDuty>(std::move(memory));
}

}  // namespace hoist::measure
