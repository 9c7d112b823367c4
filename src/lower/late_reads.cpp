#include "lower/late_reads.hpp"

#include <algorithm>
#include <unordered_map>

#include "loop/traverse.hpp"

namespace hoist::lower {

using loop::ValuePtr;

namespace {

/// Finds late reads in the statements of a kernel, or in some of them.
class LateReads {
 public:
  LateReads(const loop::Block& block, const BufferSet& buffers, bool by_many) : buffers_(buffers) {
    if (by_many) loop::for_each_statement(block, [&](const loop::Statement& each) { note(each); });
    for (const loop::Statement& statement : block) {
      // From the first statement that writes to it on, a buffer is being overwritten.
      if (!by_many) {
        note(statement);
        loop::for_each_block(statement, [&](const loop::Block& inner) {
          loop::for_each_statement(inner, [&](const loop::Statement& each) { note(each); });
        });
      }
      visit(statement);
    }
  }

  BufferSet found;

 private:
  using Indices = std::vector<arith::Expr>;

  static bool contains(const Indices& indices, arith::Expr index) {
    return std::find(indices.begin(), indices.end(), index) != indices.end();
  }
  static bool may_be_equal(arith::Expr a, arith::Expr b) {
    return !arith::is_less(a, b) && !arith::is_less(b, a);
  }

  void note(const loop::Statement& statement) {
    auto* store = std::get_if<loop::Store>(&statement.node);
    if (!store || !buffers_.contains(store->buffer.get())) return;
    Indices& written = written_[store->buffer.get()];
    if (contains(written, store->index)) found.insert(store->buffer.get());
    written.push_back(store->index);
  }

  void visit(const loop::Statement& statement) {
    loop::for_each_root_value(statement, [&](const ValuePtr& root) {
      loop::for_each_value(root, [&](const ValuePtr& value) {
        if (auto* load = std::get_if<loop::Load>(&value->node)) read(load->buffer.get(), load->index);
      });
    });
    if (auto* store = std::get_if<loop::Store>(&statement.node);
        store && buffers_.contains(store->buffer.get())) {
      done_[store->buffer.get()].push_back(store->index);
    }
    loop::for_each_block(statement, [&](const loop::Block& inner) {
      for (const loop::Statement& each : inner) visit(each);
    });
  }

  void read(const loop::Buffer* buffer, arith::Expr index) {
    const auto written = written_.find(buffer);
    if (written == written_.end()) return;
    const Indices& done = done_[buffer];
    const bool is_overwritten =
        std::any_of(done.begin(), done.end(), [&](arith::Expr each) { return may_be_equal(each, index); });
    if (!contains(written->second, index) || is_overwritten) found.insert(buffer);
  }

  const BufferSet& buffers_;
  std::unordered_map<const loop::Buffer*, Indices> written_, done_;
};

bool is_one_work_item(const loop::LaunchRange& launch) {
  bool is_one = true;
  for (const arith::Expr& extent : launch.global) is_one &= extent.is_constant(1);
  return is_one;
}

/// Finds late reads in the host's steps.
class LateSteps {
 public:
  LateSteps(const loop::Plan& plan, const BufferSet& buffers) : plan_(plan), buffers_(buffers) {}

  void visit(const std::vector<loop::PlanStep>& steps) {
    for (const loop::PlanStep& step : steps) {
      if (auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
        visit(plan_.kernels[launch->kernel]);
      } else if (auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
        read(copy->from.get());
        write(copy->to.get());
      } else {
        // What one round writes another may read.
        auto& repeat = std::get<loop::RepeatStep>(step.node);
        for (int round = 0; round < 2; ++round) {
          visit(repeat.test);
          for (const loop::BufferPtr& each : {repeat.count_from, repeat.condition}) read(each.get());
          visit(repeat.body);
        }
      }
    }
  }

  BufferSet found;

 private:
  void visit(const loop::Kernel& kernel) {
    loop::for_each_value(kernel.body, [&](const ValuePtr& value) {
      if (auto* load = std::get_if<loop::Load>(&value->node)) read(load->buffer.get());
    });
    found.merge(read_late(kernel.body, buffers_, !is_one_work_item(kernel.launch)));
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      if (auto* store = std::get_if<loop::Store>(&statement.node)) write(store->buffer.get());
      // What lies behind a pointer is not followed.
      if (auto* alias = std::get_if<loop::Alias>(&statement.node);
          alias && buffers_.contains(alias->target.get()))
        found.insert(alias->target.get());
    });
  }
  void read(const loop::Buffer* buffer) {
    if (written_.contains(buffer)) found.insert(buffer);
  }
  void write(const loop::Buffer* buffer) {
    if (buffers_.contains(buffer)) written_.insert(buffer);
  }

  const loop::Plan& plan_;
  const BufferSet& buffers_;
  BufferSet written_;
};

}  // namespace

BufferSet read_late(const loop::Block& block, const BufferSet& buffers, bool by_many) {
  return LateReads(block, buffers, by_many).found;
}

BufferSet read_late(const loop::Plan& plan, const std::vector<loop::PlanStep>& steps,
                    const BufferSet& buffers) {
  LateSteps late(plan, buffers);
  late.visit(steps);
  return late.found;
}

}  // namespace hoist::lower
