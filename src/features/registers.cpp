// Register pressure and chains of dependences: how many values a work-item keeps at once, and how long the
// operations of an inner loop wait for one another.
//
//   sum = 0; for k { a = x[k]; b = y[k]; sum = sum + a * b }
//
// `Liveness` finds live ranges. It numbers the statements and gives each variable a range from its first to
// its last mention; what comes from before a loop and is used in it lives to the loop's end. The pressure
// is the largest sum, over statements, of live values, counters of loops and intermediate results: here sum,
// a, b, k and the product. It limits occupancy where a device has few registers.
//
// `Chains` finds the longest chain of operations in a loop's body, `depth` (load, multiply, add), and the
// longest that goes from one iteration to the next, `carried`: the addition to sum, a loop-carried
// dependence. In this order of operations the loop takes at least so long, however many run at a time.
//
// Both are estimates of what a device's compiler will do. Read `Liveness::run` and `Chains::value` first.
#include "features/registers.hpp"

#include <algorithm>
#include <vector>

#include "features/key_map.hpp"
#include "loop/traverse.hpp"

namespace hoist::features {

namespace {

double units_of(loop::ValueType type) {
  constexpr double register_bytes = 4;
  return type.width * std::max(1.0, static_cast<double>(size_of(type.scalar)) / register_bytes);
}

class Liveness {
 public:
  Registers run(const loop::Kernel& kernel) {
    for (const loop::KernelParameter& parameter : kernel.parameters) {
      if (const auto* scalar = std::get_if<loop::ScalarParameter>(&parameter)) touch(*scalar->variable);
    }
    walk(kernel.body);
    std::vector<double> changes(static_cast<std::size_t>(now_) + 2);
    for (const Life& life : lives_) {
      changes[static_cast<std::size_t>(life.first)] += life.units;
      changes[static_cast<std::size_t>(life.last) + 1] -= life.units;
    }
    double live = 0;
    for (std::size_t at = 0; at < needs_.size(); ++at) {
      live += changes[at];
      result_.live = std::max(result_.live, live + needs_[at]);
    }
    return result_;
  }

 private:
  struct Life {
    std::int64_t first = 0, last = 0;
    double units = 1;
  };

  void touch(const loop::Variable& variable) {
    const std::uint32_t known = numbers_.find(&variable);
    if (known != KeyMap::none) {
      lives_[known].last = now_;
      return;
    }
    numbers_.set(&variable, static_cast<std::uint32_t>(lives_.size()));
    lives_.push_back({now_, now_, units_of(variable.type)});
  }

  void walk(const loop::Block& block) {
    for (const loop::Statement& statement : block) {
      ++now_;
      needs_.resize(static_cast<std::size_t>(now_) + 1, counters_);
      double& need = needs_[static_cast<std::size_t>(now_)];
      loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) { need += need_of(*root); });
      if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
        if (let->value) touch(*let->variable);
      } else if (const auto* assign = std::get_if<loop::Assign>(&statement.node)) {
        touch(*assign->variable);
      } else if (const auto* allocate = std::get_if<loop::Allocate>(&statement.node)) {
        allocated(*allocate->buffer);
      } else if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
        walk(*loop);
      } else if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
        walk(branch->then_body);
        walk(branch->else_body);
      }
    }
  }
  void walk(const loop::For& loop) {
    const std::int64_t begin = now_;
    const double counter = loop.form == loop::LoopForm::Loop ? 1 : 0;
    counters_ += counter;
    walk(loop.body);
    counters_ -= counter;
    if (counter == 0) return;
    // A variable that comes from before the loop and is used in it lives until the loop ends.
    for (Life& life : lives_) {
      if (life.first <= begin && life.last > begin) life.last = now_;
    }
  }
  void allocated(const loop::Buffer& buffer) {
    if (buffer.space != loop::AddressSpace::Private || buffer.is_pointer) return;
    result_.array_bytes += static_cast<double>(buffer.scalars.constant().value_or(0)) *
                           static_cast<double>(size_of(buffer.type.scalar));
  }

  /// How many registers intermediate results need while operands are computed from left to right.
  double need_of(const loop::Value& value) {
    if (const auto* reference = std::get_if<loop::Reference>(&value.node)) {
      touch(*reference->variable);
      return 0;
    }
    double held = 0, most = units_of(value.type);
    loop::for_each_operand(value, [&](const loop::ValuePtr& operand) {
      const double need = need_of(*operand);
      most = std::max(most, held + need);
      if (need > 0) held += units_of(operand->type);
    });
    return most;
  }

  Registers result_;
  KeyMap numbers_;
  std::vector<Life> lives_;
  std::vector<double> needs_{0};  ///< by statement: counters of loops and intermediate results
  std::int64_t now_ = 0;
  double counters_ = 0;
};

/// The lengths of the longest chains of operations that end in a value.
struct Chain {
  double any = 0;
  double carried = -1;  ///< for chains that begin with a value of the iteration before; -1: there is none
};

Chain longer(const Chain& a, const Chain& b) {
  return {std::max(a.any, b.any), std::max(a.carried, b.carried)};
}

class Chains {
 public:
  InnerLoop run(const loop::For& loop) {
    find_carried(loop.body);
    walk(loop.body);
    for (const std::uint32_t number : carried_) {
      if (chains_[number].carried > 0) result_.carried = std::max(result_.carried, chains_[number].carried);
    }
    return result_;
  }

 private:
  /// Finds the variables and private arrays that the body changes but does not declare.
  void find_carried(const loop::Block& block) {
    loop::for_each_statement(block, [&](const loop::Statement& statement) {
      if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
        set(let->variable.get(), {});
      } else if (const auto* assign = std::get_if<loop::Assign>(&statement.node)) {
        carry(assign->variable.get());
      } else if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
        if (store->buffer->space == loop::AddressSpace::Private) carry(store->buffer.get());
      } else if (const auto* allocate = std::get_if<loop::Allocate>(&statement.node)) {
        set(allocate->buffer.get(), {});
      }
    });
  }
  void carry(const void* key) {
    if (numbers_.find(key) != KeyMap::none) return;
    carried_.push_back(set(key, {0, 0}));
  }
  std::uint32_t set(const void* key, const Chain& chain) {
    std::uint32_t number = numbers_.find(key);
    if (number == KeyMap::none) {
      number = static_cast<std::uint32_t>(chains_.size());
      numbers_.set(key, number);
      chains_.push_back(chain);
    }
    chains_[number] = chain;
    return number;
  }
  Chain of(const void* key) const {
    const std::uint32_t number = numbers_.find(key);
    return number == KeyMap::none ? Chain{} : chains_[number];
  }

  void walk(const loop::Block& block) {
    for (const loop::Statement& statement : block) {
      if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
        if (let->value) set(let->variable.get(), value(*let->value));
      } else if (const auto* assign = std::get_if<loop::Assign>(&statement.node)) {
        set(assign->variable.get(), value(*assign->value));
      } else if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
        const Chain stored = value(*store->value);
        // The store sets one element of many; the others keep what they hold.
        if (store->buffer->space == loop::AddressSpace::Private)
          set(store->buffer.get(), longer(of(store->buffer.get()), stored));
      } else if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
        value(*branch->condition);
        walk(branch->then_body);
        walk(branch->else_body);
      }
    }
  }

  Chain value(const loop::Value& each) {
    if (const auto* reference = std::get_if<loop::Reference>(&each.node))
      return of(reference->variable.get());
    Chain result;
    bool is_step = std::holds_alternative<loop::Operation>(each.node);
    if (const auto* load = std::get_if<loop::Load>(&each.node)) {
      if (load->buffer->space == loop::AddressSpace::Private) return of(load->buffer.get());
      ++result_.loads;
      is_step = true;
    } else if (is_step) {
      ++result_.operations;
    }
    loop::for_each_operand(each,
                           [&](const loop::ValuePtr& operand) { result = longer(result, value(*operand)); });
    if (is_step) {
      result.any += 1;
      if (result.carried >= 0) result.carried += 1;
    }
    result_.depth = std::max(result_.depth, result.any);
    return result;
  }

  InnerLoop result_;
  KeyMap numbers_;
  std::vector<Chain> chains_;
  std::vector<std::uint32_t> carried_;
};

}  // namespace

Registers registers_of(const loop::Kernel& kernel) { return Liveness().run(kernel); }

InnerLoop inner_loop(const loop::For& loop) { return Chains().run(loop); }

}  // namespace hoist::features
