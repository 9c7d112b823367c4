#include "interpret/located_step.hpp"

namespace hoist::interpret {
namespace {

/// An expression on one line, and no more of it than one reads.
std::string shortened(std::string text) {
  constexpr std::size_t most = 80;
  const std::size_t end = std::min(text.find('\n'), most);
  return text.size() <= end ? text : text.substr(0, end) + " ...";
}

class LocatedStep final : public Step {
 public:
  LocatedStep(std::unique_ptr<Step> step, ir::Term term, std::vector<ir::Binder> scope)
      : step_(std::move(step)), term_(term), scope_(std::move(scope)) {}
  bool is_view() const override { return step_->is_view(); }
  void run(Machine& machine) override {
    try {
      step_->run(machine);
    } catch (const Failure& failure) {
      Error error = failure.error();
      error.diagnostics.at(0).message += ", in " + shortened(ir::to_string(term_, scope_));
      throw Failure(std::move(error));
    }
  }

 private:
  std::unique_ptr<Step> step_;
  ir::Term term_;
  std::vector<ir::Binder> scope_;
};

}  // namespace

std::unique_ptr<Step> located_step(std::unique_ptr<Step> step, ir::Term term, std::vector<ir::Binder> scope) {
  return std::make_unique<LocatedStep>(std::move(step), term, std::move(scope));
}

}  // namespace hoist::interpret
