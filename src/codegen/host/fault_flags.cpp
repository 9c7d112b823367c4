#include "codegen/host/fault_flags.hpp"

#include <algorithm>
#include <optional>

#include "codegen/host/loop_nest.hpp"
#include "codegen/host/work_items.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::Block;

/// What a branch stores if it does nothing but to store a literal where always the same place is: whether it
/// does so once or often makes no difference, nor when.
const loop::Store* told_by(const loop::Statement& statement) {
  const auto* branch = std::get_if<loop::If>(&statement.node);
  if (!branch || branch->then_body.size() != 1 || !branch->else_body.empty()) return nullptr;
  const auto* store = std::get_if<loop::Store>(&branch->then_body[0].node);
  const bool is_plain = store && store->index.constant() && !store->update && !store->is_asynchronous &&
                        std::holds_alternative<loop::Literal>(store->value->node);
  return is_plain ? store : nullptr;
}

bool reads(const Block& block, const loop::Buffer& buffer) {
  bool found = false;
  loop::for_each_value(block, [&](const loop::ValuePtr& value) {
    const auto* load = std::get_if<loop::Load>(&value->node);
    found = found || (load && load->buffer.get() == &buffer);
  });
  return found;
}

class Collector {
 public:
  explicit Collector(const loop::Kernel& kernel) : kernel_(kernel), names_(kernel) {}

  /// `analysis` is that of the innermost parallel loop around, if it has work-items' loops in blocks.
  Block collected(Block block, const WorkItemAnalysis* analysis = nullptr) {
    Block result;
    for (loop::Statement& statement : block) {
      auto* loop = std::get_if<loop::For>(&statement.node);
      if (!loop) {
        result.push_back(std::move(statement));
        continue;
      }
      if (loop->parallelism != loop::Parallelism::Sequential && !loop::has_parallel_loop(loop->body)) {
        const WorkItemAnalysis own(kernel_, *loop);
        loop->body = collected(std::move(loop->body), &own);
      } else if (analysis && !analysis->is_moved(*loop) && loop->reorderable && is_straight(loop->body)) {
        append_collecting(std::move(*loop), result);
        continue;
      } else {
        loop->body = collected(std::move(loop->body), analysis);
      }
      result.push_back(std::move(statement));
    }
    return result;
  }

 private:
  void append_collecting(loop::For loop, Block& result) {
    Block behind;
    for (loop::Statement& statement : loop.body) {
      const loop::Store* store = told_by(statement);
      if (!store || reads(loop.body, *store->buffer)) continue;
      const loop::ValueType type{Scalar::I32, 1};
      const auto flag =
          std::make_shared<const loop::Variable>(loop::Variable{names_.fresh("is_told"), type, true});
      const auto zero = loop::literal(ScalarValue::of_integer(Scalar::I32, 0));
      const auto one = loop::literal(ScalarValue::of_integer(Scalar::I32, 1));
      auto& branch = std::get<loop::If>(statement.node);
      const auto chosen = loop::operation(ScalarOp::Select, {branch.condition, one, zero});
      result.push_back({loop::Let{flag, zero, {}}});
      loop::If told{loop::operation(ScalarOp::NotEqual, {loop::reference(flag), zero}),
                    std::move(branch.then_body),
                    {}};
      behind.push_back({std::move(told)});
      statement = {loop::Assign{flag, loop::operation(ScalarOp::BitOr, {loop::reference(flag), chosen})}};
    }
    result.push_back({std::move(loop)});
    std::move(behind.begin(), behind.end(), std::back_inserter(result));
  }

  const loop::Kernel& kernel_;
  loop::NameSource names_;
};

}  // namespace

loop::Kernel collect_faults(loop::Kernel kernel) {
  Block body = Collector(kernel).collected(kernel.body);
  kernel.body = std::move(body);
  return kernel;
}

}  // namespace hoist::codegen
