#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Truth;
using loop::Block;
using loop::LoopForm;
using loop::Parallelism;

class Simplifier {
 public:
  explicit Simplifier(const loop::LaunchRange& launch) : launch_(launch) {}

  Block run(Block block) {
    Block result;
    result.reserve(block.size());
    for (loop::Statement& statement : block) {
      if (auto* loop_statement = std::get_if<loop::For>(&statement.node)) {
        run_loop(std::move(*loop_statement), result);
      } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        run_branch(std::move(*branch), result);
      } else {
        result.push_back(std::move(statement));
      }
    }
    return result;
  }

 private:
  /// The number of work-items (or groups) that share the loop's iterations.
  arith::Expr lanes(const loop::For& loop_statement) const {
    auto d = static_cast<std::size_t>(loop_statement.dimension);
    switch (loop_statement.parallelism) {
      case Parallelism::Global:
        return launch_.global[d];
      case Parallelism::Group:
        return arith::exact_quotient(launch_.global[d], launch_.local[d]);
      case Parallelism::Local:
        return launch_.local[d];
      case Parallelism::Sequential:
        break;
    }
    return 1;
  }

  void run_loop(loop::For loop_statement, Block& result) {
    if (loop_statement.parallelism == Parallelism::Sequential) {
      if (arith::is_less_equal(loop_statement.stop, loop_statement.start)) return;
      bool runs_once = arith::is_less(loop_statement.start, loop_statement.stop) &&
                       arith::is_less_equal(loop_statement.stop, loop_statement.start + loop_statement.step);
      if (runs_once) {
        Block body = loop::substitute(std::move(loop_statement.body),
                                      {{loop_statement.variable.get(), loop_statement.start}});
        if (!loop_statement.condition) return append(run(std::move(body)), result);
        loop::If guard;
        guard.condition = loop_statement.condition;
        guard.then_body = std::move(body);
        return run_branch(std::move(guard), result);
      }
    } else if (loop_statement.form == LoopForm::Loop) {
      arith::Expr count = lanes(loop_statement);
      if (arith::equal(loop_statement.stop, count) == Truth::Yes) {
        loop_statement.form = LoopForm::ExactlyOnce;
      } else if (arith::is_less_equal(loop_statement.stop, count) ||
                 arith::is_less_equal(arith::upper_bound(loop_statement.stop), count)) {
        loop_statement.form = LoopForm::AtMostOnce;
      }
      if (loop_statement.form != LoopForm::Loop && count.is_constant(1)) {
        // One work-item: its id is 0.
        Block body = loop::substitute(std::move(loop_statement.body), {{loop_statement.variable.get(), 0}});
        if (loop_statement.form == LoopForm::ExactlyOnce) return append(run(std::move(body)), result);
        loop::If guard;
        guard.condition = loop::test({arith::Relation::Less, 0, loop_statement.stop});
        guard.then_body = std::move(body);
        return run_branch(std::move(guard), result);
      }
    }
    loop_statement.body = run(std::move(loop_statement.body));
    result.push_back({std::move(loop_statement)});
  }

  void run_branch(loop::If branch, Block& result) {
    const Truth truth = truth_of(branch.condition);
    if (truth == Truth::Yes) return append(run(std::move(branch.then_body)), result);
    if (truth == Truth::No) return append(run(std::move(branch.else_body)), result);
    branch.then_body = run(std::move(branch.then_body));
    branch.else_body = run(std::move(branch.else_body));
    if (branch.then_body.empty() && branch.else_body.empty()) return;
    result.push_back({std::move(branch)});
  }

  static void append(Block from, Block& to) {
    for (loop::Statement& statement : from) to.push_back(std::move(statement));
  }

  const loop::LaunchRange& launch_;
};

}  // namespace

arith::Truth truth_of(const loop::ValuePtr& condition) {
  if (auto* test = std::get_if<loop::Test>(&condition->node)) return arith::holds(test->predicate);
  auto* operation = std::get_if<loop::Operation>(&condition->node);
  if (!operation || (operation->op != ScalarOp::And && operation->op != ScalarOp::Or)) return Truth::Unknown;
  const Truth decides = operation->op == ScalarOp::And ? Truth::No : Truth::Yes;
  const Truth a = truth_of(operation->operands[0]), b = truth_of(operation->operands[1]);
  if (a == decides || b == decides) return decides;
  return a == b ? a : Truth::Unknown;
}

loop::Block simplified_control_flow(Block block, const loop::LaunchRange& launch) {
  return Simplifier(launch).run(std::move(block));
}

void simplify_control_flow(loop::Kernel& kernel) {
  kernel.body = simplified_control_flow(std::move(kernel.body), kernel.launch);
}

}  // namespace hoist::lower
