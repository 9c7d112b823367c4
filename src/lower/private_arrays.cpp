// Private arrays as registers: scalar replacement. An array of a work-item is kept in variables when every
// index into it is a constant, so first the loops whose variables index such arrays are unrolled.
//
// `find_loops` chooses the loops: those that are marked, and those that index arrays that fit registers, the
// shortest arrays first. `unroll` copies their bodies with the variable replaced by each of its values; what
// several iterations of loops that are marked load is loaded once (shared_loads.hpp).
// `find_registers` then looks which arrays have constant indices alone, and `replace` makes variables of
// them.
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "lower/passes.hpp"
#include "lower/shared_loads.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using loop::Block;
using loop::Statement;

/// Beyond this many statements a loop that is not marked, but indexes arrays, stays a loop: they would fill a
/// processor's cache of instructions, and compilers take more than their number's time.
constexpr std::int64_t most_statements_for_arrays = 4096;
/// Registers of 4 bytes that arrays take together, the shortest first: a work-item of a GPU has 255, a core
/// as much in its vectors. What goes beyond would be spilled to memory after all, when the device's compiler
/// has spent minutes on it.
constexpr std::int64_t most_registers = 256;

std::optional<std::int64_t> trip_count(const loop::For& loop_statement) {
  if (loop_statement.parallelism != loop::Parallelism::Sequential || loop_statement.condition)
    return std::nullopt;
  auto start = loop_statement.start.constant(), stop = loop_statement.stop.constant(),
       step = loop_statement.step.constant();
  if (!start || !stop || !step || *step <= 0) return std::nullopt;
  return *stop <= *start ? 0 : (*stop - *start + *step - 1) / *step;
}

/// Calls fn(buffer, index) for every access to a private array.
template <class Fn>
void for_each_private_access(const Block& block, Fn&& fn) {
  loop::for_each_statement(block, [&](const Statement& statement) {
    auto* store = std::get_if<loop::Store>(&statement.node);
    if (store && store->buffer->space == loop::AddressSpace::Private) fn(*store->buffer, store->index);
  });
  loop::for_each_value(block, [&](const loop::ValuePtr& value) {
    auto* load = std::get_if<loop::Load>(&value->node);
    if (load && load->buffer->space == loop::AddressSpace::Private) fn(*load->buffer, load->index);
  });
}

class Unroller {
 public:
  Unroller(loop::Kernel& kernel, loop::NameSource& names, bool share_loads)
      : kernel_(kernel), names_(names), shares_(share_loads), written_(written_buffers(kernel.body)) {}

  void run() {
    find_loops();
    if (!unrolled_.empty()) kernel_.body = unroll(std::move(kernel_.body));
    find_registers();
    if (!registers_.empty()) kernel_.body = replace(std::move(kernel_.body));
  }

 private:
  /// Loops over constants whose variables index private arrays, and loops that are marked.
  void find_loops() {
    std::unordered_map<const arith::Node*, const loop::For*> loops;
    loop::for_each_statement(kernel_.body, [&](const Statement& statement) {
      auto* inner = std::get_if<loop::For>(&statement.node);
      if (!inner || !trip_count(*inner)) return;
      loops.emplace(inner->variable.get(), inner);
      if (inner->unroll) unrolled_.insert(inner->variable.get());
    });
    // An array that cannot live in registers anyway does not ask for unrolling.
    std::unordered_set<const loop::Buffer*> indexed_otherwise;
    for_each_private_access(kernel_.body, [&](const loop::Buffer& buffer, Expr index) {
      for (Expr variable : arith::variables(index)) {
        if (loops.count(variable.get()) == 0) indexed_otherwise.insert(&buffer);
      }
    });
    std::vector<std::pair<std::int64_t, const loop::Buffer*>> candidates;  // with their registers
    loop::for_each_statement(kernel_.body, [&](const Statement& statement) {
      auto* allocate = std::get_if<loop::Allocate>(&statement.node);
      if (!allocate || allocate->buffer->space != loop::AddressSpace::Private) return;
      const loop::Buffer& buffer = *allocate->buffer;
      auto scalars = buffer.scalars.constant();
      if (!scalars || *scalars > most_registers || indexed_otherwise.count(&buffer) > 0) return;
      const auto words = static_cast<std::int64_t>(std::max<std::size_t>(size_of(buffer.type.scalar) / 4, 1));
      candidates.emplace_back(*scalars * words, &buffer);
    });
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::unordered_map<const loop::Buffer*, std::unordered_set<const arith::Node*>> variables;
    for_each_private_access(kernel_.body, [&](const loop::Buffer& buffer, Expr index) {
      for (Expr variable : arith::variables(index)) variables[&buffer].insert(variable.get());
    });
    std::int64_t taken = 0;
    for (const auto& [registers, buffer] : candidates) {
      if (taken + registers > most_registers) break;
      const auto without = unrolled_;
      unrolled_.insert(variables[buffer].begin(), variables[buffer].end());
      if (!unrolled_statements(kernel_.body)) {
        unrolled_ = without;
        continue;
      }
      taken += registers;
      fits_.insert(buffer);
    }
  }

  /// How many statements a block has with its loops unrolled; nothing where a loop has too many that an array
  /// asks for.
  std::optional<std::int64_t> unrolled_statements(const Block& block) const {
    std::int64_t total = 0;
    for (const Statement& statement : block) {
      std::int64_t inside = 0;
      bool is_too_long = false;
      loop::for_each_block(statement, [&](const Block& inner) {
        const auto count = unrolled_statements(inner);
        is_too_long |= !count;
        inside += count.value_or(0);
      });
      if (is_too_long) return std::nullopt;
      auto* inner = std::get_if<loop::For>(&statement.node);
      if (inner && unrolled_.count(inner->variable.get()) > 0) {
        const std::int64_t all = inside * trip_count(*inner).value_or(1);
        if (all > most_statements_for_arrays && !inner->unroll) return std::nullopt;
        if (all <= most_unrolled_statements) inside = all;
      }
      total += inside + 1;
    }
    return total;
  }

  Block unroll(Block block) {
    Block result;
    for (Statement& statement : block) {
      if (auto* inner = std::get_if<loop::For>(&statement.node)) {
        if (inner->unroll) ++marked_around_;
        inner->body = unroll(std::move(inner->body));
        if (inner->unroll) --marked_around_;
        std::int64_t trips = unrolled_.count(inner->variable.get()) ? trip_count(*inner).value_or(-1) : -1;
        std::int64_t size = 0;
        loop::for_each_statement(inner->body, [&](const Statement&) { ++size; });
        if (trips >= 0 && size * trips <= most_unrolled_statements) {
          std::int64_t start = *inner->start.constant(), step = *inner->step.constant();
          Block copies;
          for (std::int64_t trip = 0; trip < trips; ++trip) {
            arith::Substitution iteration{{inner->variable.get(), arith::constant(start + trip * step)}};
            for (Statement& copy : loop::clone_with_fresh_names(inner->body, names_, iteration)) {
              copies.push_back(std::move(copy));
            }
          }
          if (shares_ && inner->unroll && marked_around_ == 0)
            copies = with_shared_loads(std::move(copies), written_, names_);
          std::move(copies.begin(), copies.end(), std::back_inserter(result));
          continue;
        }
      } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->then_body = unroll(std::move(branch->then_body));
        branch->else_body = unroll(std::move(branch->else_body));
      }
      result.push_back(std::move(statement));
    }
    return result;
  }

  /// Private arrays with constant indices only.
  void find_registers() {
    std::unordered_map<const loop::Buffer*, bool> constant_only;
    for_each_private_access(kernel_.body, [&](const loop::Buffer& buffer, Expr index) {
      bool& ok = constant_only.try_emplace(&buffer, true).first->second;
      ok &= index.constant().has_value() && !buffer.is_pointer;
    });
    loop::for_each_statement(kernel_.body, [&](const Statement& statement) {
      if (auto* alias = std::get_if<loop::Alias>(&statement.node)) constant_only[alias->target.get()] = false;
    });
    loop::for_each_statement(kernel_.body, [&](const Statement& statement) {
      auto* allocate = std::get_if<loop::Allocate>(&statement.node);
      if (!allocate || fits_.count(allocate->buffer.get()) == 0) return;
      auto known = constant_only.find(allocate->buffer.get());
      if (known != constant_only.end() && !known->second) return;
      std::int64_t count = *allocate->buffer->scalars.constant() / allocate->buffer->type.width;
      std::vector<loop::ValuePtr>& references = registers_[allocate->buffer.get()];
      for (std::int64_t k = 0; k < count; ++k) {
        std::string name = allocate->buffer->name + "_" + std::to_string(k);
        references.push_back(loop::reference(std::make_shared<loop::Variable>(loop::Variable{
            names_.fresh(count == 1 ? allocate->buffer->name + "_0" : name), allocate->buffer->type, true})));
      }
    });
  }

  /// The register of a place in a private array, null where it stays an array.
  loop::ValuePtr register_of(const loop::Buffer& buffer, Expr index) const {
    auto known = registers_.find(&buffer);
    if (known == registers_.end()) return nullptr;
    return known->second.at(static_cast<std::size_t>(*index.constant() / buffer.type.width));
  }
  static const loop::VariablePtr& variable_of(const loop::ValuePtr& reference) {
    return std::get<loop::Reference>(reference->node).variable;
  }

  /// An iteration that a test keeps from this access, now that its index is a constant: a boundary of a pad,
  /// say.
  bool is_never_reached(const loop::Buffer& buffer, Expr index) const {
    auto known = registers_.find(&buffer);
    if (known == registers_.end()) return false;
    std::int64_t scalars = static_cast<std::int64_t>(known->second.size()) * buffer.type.width;
    return *index.constant() < 0 || *index.constant() >= scalars;
  }

  /// A value with registers in place of private arrays; its operands have them already.
  loop::ValuePtr read(const loop::ValuePtr& value) const {
    auto* load = std::get_if<loop::Load>(&value->node);
    if (!load) return chosen(value);
    if (is_never_reached(*load->buffer, load->index)) {
      Scalar scalar = value->type.scalar;
      return loop::literal(
          is_float(scalar) ? ScalarValue::of_real(scalar, 0) : ScalarValue::of_integer(scalar, 0),
          value->type.width);
    }
    loop::ValuePtr whole = register_of(*load->buffer, load->index);
    if (!whole) return value;
    int width = load->buffer->type.width;
    if (value->type.width == width) return whole;
    if (value->type.width > width) {
      std::vector<loop::ValuePtr> lanes;
      for (int lane = 0; lane < value->type.width; ++lane) {
        lanes.push_back(read(loop::load(load->buffer, load->index + lane)));
      }
      return loop::make_vector(std::move(lanes), value->type.width);
    }
    return loop::component(whole, static_cast<int>(*load->index.constant() % load->buffer->type.width));
  }

  /// What a selection chooses, where its condition became a constant.
  static loop::ValuePtr chosen(const loop::ValuePtr& value) {
    auto* select = std::get_if<loop::Operation>(&value->node);
    if (!select || select->op != ScalarOp::Select) return value;
    auto* test = std::get_if<loop::Test>(&select->operands[0]->node);
    arith::Truth truth = test ? arith::holds(test->predicate) : arith::Truth::Unknown;
    if (truth == arith::Truth::Unknown) return value;
    const loop::ValuePtr& operand = select->operands[truth == arith::Truth::Yes ? 1 : 2];
    return operand->type == value->type ? operand : value;
  }

  Block replace(Block block) {
    Block result;
    result.reserve(block.size());
    auto new_value = [&](const loop::ValuePtr& old) {
      return loop::map_value(old, [&](const loop::ValuePtr& value) { return read(value); });
    };
    for (Statement& statement : block) {
      if (auto* allocate = std::get_if<loop::Allocate>(&statement.node)) {
        auto known = registers_.find(allocate->buffer.get());
        if (known != registers_.end()) {
          for (const loop::ValuePtr& each : known->second)
            result.push_back({loop::Let{variable_of(each), nullptr, {}}});
          continue;
        }
      } else if (auto* store = std::get_if<loop::Store>(&statement.node)) {
        if (is_never_reached(*store->buffer, store->index)) continue;
        store->value = new_value(store->value);
        if (const loop::ValuePtr whole = register_of(*store->buffer, store->index)) {
          int width = store->buffer->type.width;
          loop::ValuePtr value = store->value;
          if (value->type.width > width) {
            assign_components(*store, result);
            continue;
          }
          if (value->type.width != width) {
            std::vector<loop::ValuePtr> lanes;
            for (int lane = 0; lane < width; ++lane) {
              lanes.push_back(lane == *store->index.constant() % width ? value
                                                                       : loop::component(whole, lane));
            }
            value = loop::make_vector(std::move(lanes), width);
          }
          auto* same = std::get_if<loop::Reference>(&value->node);
          if (!same || same->variable != variable_of(whole))
            result.push_back({loop::Assign{variable_of(whole), std::move(value)}});
          continue;
        }
      } else if (auto* inner = std::get_if<loop::For>(&statement.node)) {
        if (inner->condition) inner->condition = new_value(inner->condition);
        inner->body = replace(std::move(inner->body));
      } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        branch->condition = new_value(branch->condition);
        branch->then_body = replace(std::move(branch->then_body));
        branch->else_body = replace(std::move(branch->else_body));
      } else if (auto* let = std::get_if<loop::Let>(&statement.node)) {
        if (let->value) let->value = new_value(let->value);
      } else if (auto* assign = std::get_if<loop::Assign>(&statement.node)) {
        assign->value = new_value(assign->value);
      }
      result.push_back(std::move(statement));
    }
    return result;
  }

  /// A vector that is stored in an array of scalars.
  void assign_components(const loop::Store& store, Block& result) {
    loop::VariablePtr vector = std::make_shared<loop::Variable>(
        loop::Variable{names_.fresh(store.buffer->name), store.value->type, false});
    result.push_back({loop::Let{vector, store.value, {}}});
    for (int lane = 0; lane < vector->type.width; ++lane) {
      const loop::ValuePtr whole = register_of(*store.buffer, store.index + lane);
      result.push_back({loop::Assign{variable_of(whole), loop::component(loop::reference(vector), lane)}});
    }
  }

  loop::Kernel& kernel_;
  loop::NameSource& names_;
  bool shares_;
  std::unordered_set<const loop::Buffer*> written_;  ///< by the kernel
  int marked_around_ = 0;                            ///< loops to be unrolled around the block at hand
  std::unordered_set<const loop::Buffer*> fits_;     ///< arrays that may become registers
  std::unordered_set<const arith::Node*> unrolled_;
  std::unordered_map<const loop::Buffer*, std::vector<loop::ValuePtr>> registers_;  ///< references to them
};

}  // namespace

void unroll_private_arrays(loop::Kernel& kernel, loop::NameSource& names, bool share_loads) {
  Unroller(kernel, names, share_loads).run();
}

}  // namespace hoist::lower
