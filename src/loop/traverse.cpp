// Rebuilds blocks of the loop IR: substitution of variables in index expressions, and copies in which all
// that is declared gets a new name (alpha renaming), as unrolling and splitting of loops need them. Unrolling
//
//   for i in sequential [0, 2) step 1 { let a: f32 = x[i]; y[i] = a * a; }
//
// clones the body twice, with i replaced by 0 and by 1: `let a_1: f32 = x[0];`, `let a_2: f32 = x[1];`
// and so on. Names are unique in a kernel, which is why a copy cannot keep them.
//
// Read `Rewriter` first: one walk under three maps, of variables in index expressions, variables and buffers.
// A declaration extends the maps for what comes after it. Ranges of variables and sizes of buffers mention
// variables, too, so a loop's variable is a new one where its range changes, even if it keeps its name. What
// does not change is shared, not copied. `NameSource` gives names that are free. The walks that passes are
// written with are templates in the header.
#include "loop/traverse.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"

namespace hoist::loop {
namespace {

/// Rewrites a block in place under three maps: variables of index expressions, variables, buffers. With a
/// source of names everything declared is renamed, which extends the maps as the block is walked.
class Rewriter {
 public:
  Rewriter(const arith::Substitution& replacements, NameSource* names)
      : replacements_(replacements), names_(names) {}

  void rewrite(Block& block) {
    for (Statement& statement : block) {
      std::visit([&](auto& node) { rewrite(node); }, statement.node);
    }
  }

  ValuePtr rewritten(const ValuePtr& value) {
    return map_value(value, [&](const ValuePtr& each) { return rewritten_node(each); });
  }

 private:
  void rewrite(For& loop) {
    rewrite(loop.start);
    rewrite(loop.stop);
    rewrite(loop.step);
    if (loop.condition) loop.condition = rewritten(loop.condition);
    loop.variable = declare(loop.variable, names_ ? names_->fresh(loop.variable->name) : std::string());
    rewrite(loop.body);
  }
  void rewrite(If& branch) {
    branch.condition = rewritten(branch.condition);
    rewrite(branch.then_body);
    rewrite(branch.else_body);
  }
  void rewrite(Let& let) {
    if (let.value) let.value = rewritten(let.value);  // before the name is in scope
    if (names_) {
      Variable renamed = *let.variable;
      renamed.name = names_->fresh(renamed.name);
      let.variable = variables_[let.variable.get()] = std::make_shared<const Variable>(std::move(renamed));
    }
    if (let.index) let.index = declare(let.index, names_ ? let.variable->name : std::string());
  }
  void rewrite(Assign& assign) {
    assign.value = rewritten(assign.value);
    rename(assign.variable);
  }
  void rewrite(Store& store) {
    rewrite(store.index);
    store.value = rewritten(store.value);
    rename(store.buffer);
  }
  void rewrite(Commit&) {}
  void rewrite(Await&) {}
  void rewrite(Barrier&) {}
  void rewrite(Allocate& allocate) { declare(allocate.buffer); }
  void rewrite(Alias& alias) {
    rename(alias.target);
    declare(alias.pointer);
  }
  void rewrite(Swap& swap) {
    rename(swap.first);
    rename(swap.second);
  }
  void rewrite(Comment&) {}

  void rewrite(arith::Expr& e) {
    if (!e || !e->has_variables || replacements_.empty()) return;
    Done& known = done_[e->hash % done_.size()];
    if (known.from != e.get()) known = {e.get(), arith::substitute(e, replacements_)};
    e = known.to;
  }

  /// Gives the loop or data variable to use instead: a new one where its name or range changes.
  arith::Expr declare(arith::Expr variable, std::string name) {
    arith::Expr start = variable->start, stop = variable->stop, step = variable->step;
    rewrite(start);
    rewrite(stop);
    rewrite(step);
    const bool is_same_range = start == variable->start && stop == variable->stop && step == variable->step;
    if (is_same_range && name.empty()) return variable;
    if (name.empty()) name = variable->name;
    const arith::Expr fresh = variable->variable_kind == arith::VariableKind::Data
                                  ? arith::data(name, start, stop)
                                  : arith::index(name, start, stop, step);
    replacements_[variable.get()] = fresh;
    done_.fill({});
    return fresh;
  }

  void declare(BufferPtr& buffer) {
    arith::Expr scalars = buffer->scalars;
    rewrite(scalars);
    if (!names_ && scalars == buffer->scalars) return;
    Buffer changed = *buffer;
    changed.scalars = scalars;
    if (names_) changed.name = names_->fresh(changed.name);
    buffer = buffers_[buffer.get()] = std::make_shared<const Buffer>(std::move(changed));
  }

  void rename(BufferPtr& buffer) const {
    if (buffers_.empty()) return;
    if (const auto found = buffers_.find(buffer.get()); found != buffers_.end()) buffer = found->second;
  }
  void rename(VariablePtr& variable) const {
    if (variables_.empty()) return;
    if (const auto found = variables_.find(variable.get()); found != variables_.end()) {
      variable = found->second;
    }
  }

  ValuePtr rewritten_node(const ValuePtr& value) {
    if (const auto* used = std::get_if<Reference>(&value->node)) {
      VariablePtr variable = used->variable;
      rename(variable);
      return variable == used->variable ? value : reference(std::move(variable));
    }
    if (const auto* index = std::get_if<IndexValue>(&value->node)) {
      arith::Expr expr = index->expr;
      rewrite(expr);
      return expr == index->expr ? value : index_value(expr, value->type.scalar);
    }
    if (const auto* guard = std::get_if<Test>(&value->node)) {
      arith::Predicate predicate = guard->predicate;
      rewrite(predicate.left);
      rewrite(predicate.right);
      return predicate == guard->predicate ? value : test(predicate);
    }
    if (const auto* read = std::get_if<Load>(&value->node)) {
      BufferPtr buffer = read->buffer;
      arith::Expr index = read->index;
      rename(buffer);
      rewrite(index);
      if (buffer == read->buffer && index == read->index) return value;
      return load(std::move(buffer), index, value->type.width);
    }
    return value;
  }

  struct Done {
    const arith::Node* from = nullptr;
    arith::Expr to;
  };

  arith::Substitution replacements_;
  std::array<Done, 64> done_;  ///< expressions that were met last: unrolled code has the same ones many times
  std::unordered_map<const Variable*, VariablePtr> variables_;
  std::unordered_map<const Buffer*, BufferPtr> buffers_;
  NameSource* names_;
};

template <class Fn>
void for_each_declared_name(const Block& block, Fn&& fn) {
  for_each_statement(block, [&](const Statement& statement) {
    if (const auto* loop = std::get_if<For>(&statement.node)) fn(loop->variable->name);
    if (const auto* let = std::get_if<Let>(&statement.node)) fn(let->variable->name);
    if (const auto* allocate = std::get_if<Allocate>(&statement.node)) fn(allocate->buffer->name);
    if (const auto* alias = std::get_if<Alias>(&statement.node)) fn(alias->pointer->name);
  });
}

/// The name `base` without a number at its end: "tile_12" gives "tile".
std::string_view stem_of(std::string_view base) {
  const std::size_t last = base.find_last_not_of("0123456789");
  const bool is_numbered =
      last != std::string_view::npos && last > 0 && last + 1 < base.size() && base[last] == '_';
  return is_numbered ? base.substr(0, last) : base;
}

}  // namespace

ValuePtr with_operands(const ValuePtr& value, std::vector<ValuePtr> operands) {
  std::size_t at = 0;
  bool is_same = true;
  for_each_operand(*value, [&](const ValuePtr& operand) { is_same = is_same && operand == operands[at++]; });
  if (is_same) return value;
  if (const auto* old = std::get_if<Operation>(&value->node)) return operation(old->op, std::move(operands));
  if (std::holds_alternative<Cast>(value->node)) return cast(operands[0], value->type.scalar);
  if (const auto* old = std::get_if<Component>(&value->node)) return component(operands[0], old->index);
  if (const auto* old = std::get_if<Shuffle>(&value->node)) return shuffle(operands[0], old->mask);
  return make_vector(std::move(operands), value->type.width);
}

Block substitute(Block block, const arith::Substitution& replacements) {
  Rewriter(replacements, nullptr).rewrite(block);
  return block;
}

ValuePtr substitute(const ValuePtr& value, const arith::Substitution& replacements) {
  return Rewriter(replacements, nullptr).rewritten(value);
}

NameSource::NameSource(const Kernel& kernel) {
  for (const KernelParameter& parameter : kernel.parameters) {
    if (const auto* buffer = std::get_if<BufferParameter>(&parameter)) reserve(buffer->buffer->name);
    if (const auto* size = std::get_if<SizeParameter>(&parameter)) reserve(size->variable->name);
    if (const auto* scalar = std::get_if<ScalarParameter>(&parameter)) reserve(scalar->variable->name);
  }
  reserve(kernel.body);
}

NameSource::NameSource(const Plan& plan) {
  for (const arith::Expr& size : plan.sizes) reserve(size->name);
  for (const PlanInput& input : plan.inputs) {
    const auto* buffer = std::get_if<BufferPtr>(&input);
    reserve(buffer ? (*buffer)->name : std::get<ScalarInput>(input).variable->name);
  }
  for (const BufferPtr& output : plan.outputs) reserve(output->name);
  for (const BufferPtr& temporary : plan.temporaries) reserve(temporary->name);
  for (const Kernel& kernel : plan.kernels) used_.merge(NameSource(kernel).used_);
}

void NameSource::reserve(std::string_view name) { used_.emplace(name); }

void NameSource::reserve(const Block& block) {
  for_each_declared_name(block, [&](const std::string& name) { used_.insert(name); });
}

std::string NameSource::fresh(std::string_view base) {
  if (const auto [place, is_new] = used_.emplace(base); is_new) return *place;
  const std::string stem(stem_of(base));
  int& number = next_.try_emplace(stem, 1).first->second;
  for (;; ++number) {
    const auto [place, is_new] = used_.insert(fmt::format("{}_{}", stem, number));
    if (is_new) return *place;
  }
}

Block clone_with_fresh_names(const Block& block, NameSource& names) {
  return clone_with_fresh_names(block, names, {});
}

Block clone_with_fresh_names(const Block& block, NameSource& names, const arith::Substitution& replacements) {
  Block copy = block;
  Rewriter(replacements, &names).rewrite(copy);
  return copy;
}

}  // namespace hoist::loop
