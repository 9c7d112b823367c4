#include "tune/structure.hpp"

#include <algorithm>
#include <set>

#include "loop/local_memory.hpp"
#include "loop/traverse.hpp"
#include "space/formula.hpp"

namespace hoist::tune {

namespace {

using arith::Expr;

constexpr std::int64_t line_bytes = 128;

std::size_t count_different(std::vector<std::int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return static_cast<std::size_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

/// The ids of a warp's work-items in one kernel, as values of its parallel loops' variables.
class Warp {
 public:
  explicit Warp(const loop::Kernel& kernel) {
    for (std::size_t d = 0; d < 3; ++d) lengths_[d] = kernel.launch.local[d].constant().value_or(1);
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      const auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop == nullptr) return;
      variables_.push_back(loop->variable);
      starts_.push_back(loop->start.constant().value_or(0));
      const bool is_own =
          loop->parallelism == loop::Parallelism::Local || loop->parallelism == loop::Parallelism::Global;
      dimensions_.push_back(is_own ? loop->dimension : -1);
    });
  }

  /// The lines that loads of `scalars` scalars at the index touch, over the least that they could; nothing
  /// for an index that is only known when the kernel runs.
  std::optional<double> lines(Expr index, std::int64_t scalars, std::int64_t scalar_bytes) const {
    for (Expr variable : arith::variables(index)) {
      if (std::find(variables_.begin(), variables_.end(), variable) == variables_.end()) return std::nullopt;
    }
    const space::Formula formula(index, variables_);
    std::vector<std::int64_t> touched, places;
    const std::int64_t items =
        std::min<std::int64_t>(loop::warp_size, lengths_[0] * lengths_[1] * lengths_[2]);
    std::vector<std::int64_t> slots = starts_;
    for (std::int64_t item = 0; item < items; ++item) {
      const std::int64_t own[3] = {item % lengths_[0], item / lengths_[0] % lengths_[1],
                                   item / (lengths_[0] * lengths_[1])};
      for (std::size_t i = 0; i < slots.size(); ++i) {
        if (dimensions_[i] >= 0) slots[i] = own[dimensions_[i]];
      }
      const auto place = formula(slots);
      if (!place) return std::nullopt;
      places.push_back(*place);
      touched.push_back(*place * scalar_bytes / line_bytes);
      touched.push_back(((*place + scalars) * scalar_bytes - 1) / line_bytes);
    }
    const auto bytes =
        static_cast<double>(count_different(places)) * static_cast<double>(scalars * scalar_bytes);
    const double least = std::max(1.0, bytes / line_bytes);
    return static_cast<double>(count_different(touched)) / least;
  }

 private:
  std::int64_t lengths_[3] = {1, 1, 1};
  std::vector<Expr> variables_;       ///< of all loops
  std::vector<std::int64_t> starts_;  ///< their first values
  std::vector<int> dimensions_;       ///< of those whose value is a work-item's id; else -1
};

class Reader {
 public:
  Reader(const loop::Kernel& kernel, Structure& structure) : warp_(kernel), structure_(structure) {}

  void read(const loop::Block& block) {
    // Values that go to local memory by way of a variable.
    loop::for_each_statement(block, [&](const loop::Statement& statement) {
      if (!stores_to_local(statement)) return;
      loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
        loop::for_each_value(root, [&](const loop::ValuePtr& value) {
          if (const auto* reference = std::get_if<loop::Reference>(&value->node))
            copied_.insert(reference->variable.get());
        });
      });
    });
    loop::for_each_statement(block, [&](const loop::Statement& statement) { read(statement); });
  }

 private:
  static bool stores_to_local(const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    return store != nullptr && store->buffer->space == loop::AddressSpace::Local;
  }
  void read(const loop::Statement& statement) {
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) read_store(*store);
    structure_.barriers += std::holds_alternative<loop::Barrier>(statement.node) ? 1 : 0;
    structure_.branches += std::holds_alternative<loop::If>(statement.node) ? 1 : 0;
    if (const auto* loop = std::get_if<loop::For>(&statement.node))
      structure_.loops += loop->form == loop::LoopForm::Loop && !loop->unroll ? 1 : 0;
    const auto* let = std::get_if<loop::Let>(&statement.node);
    const bool copies =
        stores_to_local(statement) || (let != nullptr && copied_.contains(let->variable.get()));
    loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
      loop::for_each_value(root, [&](const loop::ValuePtr& value) { read_value(*value, copies); });
    });
  }

  void note(Expr index, std::int64_t scalars, Scalar scalar, double& worst) {
    const auto lines = warp_.lines(index, scalars, static_cast<std::int64_t>(size_of(scalar)));
    if (lines) worst = std::max(worst, *lines);
  }
  void read_store(const loop::Store& store) {
    if (store.buffer->space == loop::AddressSpace::Local) ++structure_.local_stores;
    if (store.buffer->space != loop::AddressSpace::Global) return;
    ++structure_.global_stores;
    note(store.index, store.value->type.width, store.buffer->type.scalar, structure_.access_lines);
  }
  void read_value(const loop::Value& value, bool copies) {
    const auto* load = std::get_if<loop::Load>(&value.node);
    if (load == nullptr) return;
    if (load->buffer->space == loop::AddressSpace::Local) ++structure_.local_loads;
    if (load->buffer->space != loop::AddressSpace::Global) return;
    ++structure_.global_loads;
    note(load->index, value.type.width, load->buffer->type.scalar,
         copies ? structure_.copy_lines : structure_.access_lines);
  }

  Warp warp_;
  Structure& structure_;
  std::set<const loop::Variable*> copied_;
};

}  // namespace

Structure structure_of(const loop::Plan& plan) {
  Structure result;
  result.kernels = plan.kernels.size();
  for (const loop::Kernel& kernel : plan.kernels) {
    std::int64_t group = 1;
    for (arith::Expr length : kernel.launch.local) group *= length.constant().value_or(1);
    result.group_size = std::max(result.group_size, group);
    result.local_memory = std::max(result.local_memory, static_cast<std::int64_t>(loop::local_bytes(kernel)));
    Reader(kernel, result).read(kernel.body);
  }
  return result;
}

}  // namespace hoist::tune
