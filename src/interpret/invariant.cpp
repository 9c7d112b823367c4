#include "interpret/invariant.hpp"

#include <algorithm>

namespace hoist::interpret {
namespace {

class CountRunsStep final : public Step {
 public:
  explicit CountRunsStep(FrameIndex counter) : counter_(counter) {}
  void run(Machine& machine) override { ++machine.frame[counter_].integer; }

 private:
  FrameIndex counter_;
};

class OnceStep final : public Step {
 public:
  OnceStep(FrameIndex counter, Block block) : counter_(counter), block_(std::move(block)) {}
  void run(Machine& machine) override {
    const std::int64_t now = machine.frame[counter_].integer;
    if (last_run_ == now) return;
    block_.run(machine);
    last_run_ = now;
  }

 private:
  FrameIndex counter_;
  Block block_;
  std::int64_t last_run_ = -1;  // counters start at 0
};

}  // namespace

const std::vector<std::uint32_t>& LooseVariables::of(ir::Term term) {
  if (const auto found = known_.find(term); found != known_.end()) return found->second;
  std::vector<std::uint32_t> indices;
  if (const auto* bound = term.as<ir::Bound>()) {
    indices.push_back(bound->index);
  } else if (term->loose > 0) {
    const auto* lambda = term.as<ir::Lambda>();
    const auto binders = lambda ? static_cast<std::uint32_t>(lambda->parameters.size()) : 0U;
    for (ir::Term child : ir::children(term)) {
      for (std::uint32_t index : of(child)) {
        if (index >= binders) indices.push_back(index - binders);
      }
    }
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  }
  return known_.emplace(term, std::move(indices)).first->second;
}

std::unique_ptr<Step> count_runs_step(FrameIndex counter) { return std::make_unique<CountRunsStep>(counter); }

std::unique_ptr<Step> once_step(FrameIndex counter, Block block) {
  return std::make_unique<OnceStep>(counter, std::move(block));
}

}  // namespace hoist::interpret
