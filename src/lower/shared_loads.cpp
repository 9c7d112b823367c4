// Loads that several statements of straight code have in common. What an unrolled loop reads in two of its
// iterations, such as the rows that the windows of neighbours have in common, is read once:
//
//   out[i] = u[i] + u[i + 1]                    u_1 = u[i + 1]
//   out[i + 1] = u[i + 1] + u[i + 2]     to     out[i] = u[i] + u_1
//                                               out[i + 1] = u_1 + u[i + 2]
//
// Indices are interned, so equal ones are the same expression. `count` looks which loads come more than once;
// `share` goes through the statements in order, remembers what variables hold (`held`), and forgets it where
// memory may have changed.
#include "lower/shared_loads.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>

namespace hoist::lower {

namespace {

using loop::AddressSpace;
using loop::Block;
using loop::Statement;
using loop::ValuePtr;

struct Place {
  const loop::Buffer* buffer;
  const arith::Node* index;
  int width;
  auto operator<=>(const Place&) const = default;
};

class Sharer {
 public:
  Sharer(const std::unordered_set<const loop::Buffer*>& written, loop::NameSource& names)
      : written_(written), names_(names) {}

  Block run(Block block) {
    for (const Statement& statement : block) count(statement, false);
    return share(std::move(block), {});
  }

 private:
  using Held = std::map<Place, ValuePtr>;

  bool is_sharable(const loop::Buffer& buffer) const {
    if (buffer.is_pointer) return false;
    return buffer.space == AddressSpace::Local ||
           (buffer.space == AddressSpace::Global && written_.count(&buffer) == 0);
  }
  /// Whether the load may be done before a condition: nobody writes there, it is inside the buffer, and its
  /// index needs nothing that is declared under the condition.
  static bool may_be_done_before(const loop::Load& load, int width) {
    const std::vector<arith::Expr> variables = arith::variables(load.index);
    return load.buffer->space == AddressSpace::Global &&
           std::none_of(variables.begin(), variables.end(),
                        [](arith::Expr each) { return each->variable_kind == arith::VariableKind::Data; }) &&
           arith::is_less_equal(0, load.index) &&
           arith::is_less_equal(load.index + arith::constant(width), load.buffer->scalars);
  }
  /// What is copied while the work-item goes on is copied from where it is.
  static bool is_copy(const Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    return store != nullptr && store->is_asynchronous;
  }
  static std::optional<Place> place_of(const ValuePtr& value) {
    const auto* load = std::get_if<loop::Load>(&value->node);
    if (load == nullptr) return std::nullopt;
    return Place{load->buffer.get(), load->index.get(), value->type.width};
  }

  /// Whether operand `number` is only computed where the ones before it ask for it.
  static bool is_conditional(const loop::Operation& operation, std::size_t number) {
    if (number == 0 || operation.operands[0]->type.width > 1) return false;
    return operation.op == ScalarOp::Select || operation.op == ScalarOp::And || operation.op == ScalarOp::Or;
  }

  /// fn(value, is_conditional) for the value and every value in it.
  template <class Fn>
  static void for_each_asked(const ValuePtr& value, bool is_conditional_here, Fn&& fn) {
    fn(value, is_conditional_here);
    const auto* operation = std::get_if<loop::Operation>(&value->node);
    std::size_t number = 0;
    loop::for_each_operand(*value, [&](const ValuePtr& operand) {
      const bool is_asked_for = operation != nullptr && is_conditional(*operation, number++);
      for_each_asked(operand, is_conditional_here || is_asked_for, fn);
    });
  }

  void count(const Statement& statement, bool is_under_condition) {
    // What a loop reads it reads in rounds of its own.
    if (std::holds_alternative<loop::For>(statement.node) || is_copy(statement)) return;
    loop::for_each_root_value(statement, [&](const ValuePtr& root) {
      for_each_asked(root, is_under_condition, [&](const ValuePtr& value, bool is_conditional_here) {
        const auto* load = std::get_if<loop::Load>(&value->node);
        if (load == nullptr || !is_sharable(*load->buffer)) return;
        const auto [times, is_new] = times_.emplace(*place_of(value), 0);
        if (is_conditional_here && is_new)
          times->second = may_be_done_before(*load, value->type.width) ? 0 : never;
        ++times->second;
      });
    });
    loop::for_each_block(statement, [&](const Block& inner) {
      for (const Statement& each : inner) count(each, true);
    });
  }
  bool is_worth_a_variable(const Place& place) const {
    const auto times = times_.find(place);
    return times != times_.end() && times->second > 1;
  }

  void declare(const ValuePtr& load, Held& held, Block& result) {
    const auto variable = std::make_shared<loop::Variable>(
        loop::Variable{names_.fresh(std::get<loop::Load>(load->node).buffer->name), load->type, false});
    result.push_back({loop::Let{variable, load, {}}});
    held.emplace(*place_of(load), loop::reference(variable));
  }
  /// Loads what the statement has in common with others, in the order in which it asks for it.
  void load_for(const Statement& statement, Held& held, Block& result) {
    if (std::holds_alternative<loop::For>(statement.node) || is_copy(statement)) return;
    loop::for_each_root_value(statement, [&](const ValuePtr& root) {
      loop::for_each_value(root, [&](const ValuePtr& value) {
        const auto place = place_of(value);
        if (place && is_worth_a_variable(*place) && held.count(*place) == 0) declare(value, held, result);
      });
    });
    loop::for_each_block(statement, [&](const Block& inner) {
      for (const Statement& each : inner) load_for(each, held, result);
    });
  }
  static ValuePtr with_held(const ValuePtr& root, const Held& held) {
    return loop::map_value(root, [&](const ValuePtr& value) {
      const auto place = place_of(value);
      const auto known = place ? held.find(*place) : held.end();
      return known == held.end() ? value : known->second;
    });
  }

  static Block with_known(Block block, const Held& held) {
    bool has_copies = false;
    loop::for_each_statement(block, [&](const Statement& each) { has_copies = has_copies || is_copy(each); });
    if (held.empty() || has_copies) return block;
    return loop::map_values(std::move(block), [&](const ValuePtr& value) {
      const auto place = place_of(value);
      const auto known = place ? held.find(*place) : held.end();
      return known == held.end() ? value : known->second;
    });
  }

  static void forget(Held& held, const Statement& statement) {
    const auto forget_those = [&](auto&& is_changed) {
      std::erase_if(held, [&](const auto& each) { return is_changed(*each.first.buffer); });
    };
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
      const loop::Buffer& stored = *store->buffer;
      forget_those([&](const loop::Buffer& buffer) {
        return &buffer == &stored || (stored.is_pointer && buffer.space == stored.space);
      });
    } else if (std::holds_alternative<loop::Barrier>(statement.node) ||
               std::holds_alternative<loop::Await>(statement.node)) {
      forget_those([](const loop::Buffer& buffer) { return buffer.space == AddressSpace::Local; });
    }
    loop::for_each_block(statement, [&](const Block& inner) {
      for (const Statement& each : inner) forget(held, each);
    });
  }

  Block share(Block block, Held held) {
    Block result;
    result.reserve(block.size());
    for (Statement& statement : block) {
      if (auto* loop = std::get_if<loop::For>(&statement.node)) {
        // Its iterations may change what they read.
        Held unchanged = held;
        forget(unchanged, statement);
        loop->body = with_known(std::move(loop->body), unchanged);
        forget(held, statement);
        result.push_back(std::move(statement));
        continue;
      }
      if (!std::holds_alternative<loop::If>(statement.node) || !changes_memory_and_reads_it(statement))
        load_for(statement, held, result);
      if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->condition = with_held(branch->condition, held);
        branch->then_body = share(std::move(branch->then_body), held);
        branch->else_body = share(std::move(branch->else_body), held);
      } else if (auto* let = std::get_if<loop::Let>(&statement.node)) {
        if (let->value) let->value = with_held(let->value, held);
      } else if (auto* assign = std::get_if<loop::Assign>(&statement.node)) {
        assign->value = with_held(assign->value, held);
      } else if (auto* store = std::get_if<loop::Store>(&statement.node); store && !store->is_asynchronous) {
        store->value = with_held(store->value, held);
      }
      forget(held, statement);
      result.push_back(std::move(statement));
    }
    return result;
  }

  /// Whether a branch stores to memory that loads in it may be of: what it reads afterwards is not what was
  /// there before it.
  bool changes_memory_and_reads_it(const Statement& branch) const {
    bool changes = false;
    loop::for_each_block(branch, [&](const Block& inner) {
      loop::for_each_statement(inner, [&](const Statement& each) {
        const auto* store = std::get_if<loop::Store>(&each.node);
        changes = changes || std::holds_alternative<loop::Barrier>(each.node) ||
                  std::holds_alternative<loop::Await>(each.node) ||
                  (store != nullptr && is_sharable(*store->buffer));
      });
    });
    return changes;
  }

  static constexpr std::int64_t never = -(std::int64_t{1} << 40);

  const std::unordered_set<const loop::Buffer*>& written_;
  loop::NameSource& names_;
  std::map<Place, std::int64_t> times_;  ///< how often each is asked for; below 0 where it must not be before
};

}  // namespace

Block with_shared_loads(Block block, const std::unordered_set<const loop::Buffer*>& written,
                        loop::NameSource& names) {
  return Sharer(written, names).run(std::move(block));
}

std::unordered_set<const loop::Buffer*> written_buffers(const Block& block) {
  std::unordered_set<const loop::Buffer*> written;
  loop::for_each_statement(block, [&](const Statement& statement) {
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) written.insert(store->buffer.get());
  });
  return written;
}

}  // namespace hoist::lower
