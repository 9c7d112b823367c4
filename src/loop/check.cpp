// Holds kernels and plans to the rules of the loop IR, which all passes rely on; check.hpp lists them. Tests
// run it on the plans that lowering gives, so that a broken rule is found before a device is asked. An
// example of a violation, which it reports as "a barrier under a condition that is not uniform":
//
//   if (test(l < 16)) { barrier(local); }        with l the variable of a loop over work-items
//
// Read `KernelChecker::check` first. One walk over the statements keeps what is in scope (objects by their
// address), the parallel loops around, and two obstacles: why no barrier may stand here, and why no shuffle
// may. Each kind of statement has a `check`, each kind of value a `check_node`; the types of values are
// checked by making the value anew (`check_made`), so that the constructors of values stay the only place
// that knows them. Control-flow divergence is what Uniformity says (uniformity.hpp), data that crosses groups
// what `shared_between_groups` finds (sharing.hpp). `collect_read_only` is a fixed point over aliases: a
// pointer may not be written through where it may name memory that is only read.
//
// `PlanChecker` checks the rest of a plan: the buffers and sizes that it declares, what the parameters of its
// kernels are bound to, and the steps of the host.
#include "loop/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/atomic_update.hpp"
#include "loop/at_launch.hpp"
#include "loop/print.hpp"
#include "loop/sharing.hpp"
#include "loop/syntax.hpp"
#include "loop/traverse.hpp"
#include "loop/uniformity.hpp"

namespace hoist::loop {
namespace {

/// The first line of a statement's text: enough to find it.
std::string headline(const Statement& statement) {
  Statement shown = statement;
  if (auto* loop = std::get_if<For>(&shown.node)) loop->body.clear();
  if (auto* branch = std::get_if<If>(&shown.node)) {
    branch->then_body.clear();
    branch->else_body.clear();
  }
  const std::string text = to_string(Block{std::move(shown)});
  return text.substr(0, text.find('\n'));
}

bool is_identifier(const std::string& name) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_part);
}

/// Whether the host knows a variable before it launches: sizes and tuning parameters.
bool is_host_known(arith::Expr variable) { return arith::is_natural(variable->variable_kind); }

bool is_constant(arith::Expr e) { return e && e.constant().has_value(); }

class KernelChecker {
 public:
  KernelChecker(const Kernel& kernel, std::vector<Diagnostic>& violations)
      : kernel_(kernel),
        violations_(violations),
        uniformity_(kernel, Uniformity::Within::Group),
        warp_uniformity_(kernel, Uniformity::Within::Warp) {
    for (const arith::Expr length : kernel.launch.local) {
      if (is_launched(length)) in_scope_.insert(length.get());
    }
  }

  void check() {
    for (const KernelParameter& parameter : kernel_.parameters) {
      std::visit([&](const auto& each) { declare_parameter(each); }, parameter);
    }
    if (kernel_.index_type != Scalar::I32 && kernel_.index_type != Scalar::I64) {
      report("the index type is {}, not i32 or i64", name_of(kernel_.index_type));
    }
    for (const arith::Expr& extent : kernel_.launch.global) check_launched(extent);
    for (const arith::Expr& extent : kernel_.launch.local) check_host_expr("the launch range", extent);
    collect_read_only();
    const std::size_t known = violations_.size();
    block(kernel_.body);
    if (violations_.size() > known) return;
    for (const Buffer* buffer : shared_between_groups(kernel_)) {
      report("work-groups may access elements of '{}' that other work-groups of the same launch write",
             buffer->name);
    }
  }

 private:
  template <class... Arguments>
  void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    std::string note = statement_ ? "in: " + headline(*statement_) : std::string();
    violations_.push_back(Diagnostic{fmt::format("kernel {}: {}", kernel_.name,
                                                 fmt::format(format, std::forward<Arguments>(arguments)...)),
                                     std::nullopt,
                                     std::move(note),
                                     {}});
  }

  // ---- Names. Objects are known by address: buffers, variables and variables of index expressions.

  void declare(const void* object, const std::string& name) {
    if (!is_identifier(name)) report("'{}' is not an identifier", name);
    if (!names_.insert(name).second) report("the name '{}' is declared twice", name);
    declare_object(object);
  }
  void declare_object(const void* object) {
    in_scope_.insert(object);
    declared_.push_back(object);
  }

  void declare_parameter(const BufferParameter& parameter) {
    const Buffer& buffer = *parameter.buffer;
    declare(&buffer, buffer.name);
    if (buffer.space != AddressSpace::Global) report("parameter '{}' is not global memory", buffer.name);
    if (buffer.is_pointer) report("parameter '{}' is a pointer", buffer.name);
    check_buffer(buffer);
    if (!parameter.is_written) read_only_.insert(&buffer);
  }
  void declare_parameter(const SizeParameter& parameter) {
    declare(parameter.variable.get(), parameter.variable->name);
    if (!is_host_known(parameter.variable)) {
      report("parameter '{}' is no size", parameter.variable->name);
    }
  }
  void declare_parameter(const ScalarParameter& parameter) {
    const Variable& variable = *parameter.variable;
    declare(&variable, variable.name);
    if (variable.is_mutable) report("scalar parameter '{}' is mutable", variable.name);
    if (is_integer(variable.type.scalar)) integer_parameters_.insert(variable.name);
  }

  void check_buffer(const Buffer& buffer) {
    check_host_expr(fmt::format("the size of buffer '{}'", buffer.name), buffer.scalars);
    if (buffer.image) check_image(buffer);
    if (buffer.type.width == 1) return;
    if (buffer.space != AddressSpace::Private) report("buffer '{}' of vectors is not private", buffer.name);
    if (buffer.scalars && !arith::is_divisor(buffer.type.width, buffer.scalars)) {
      report("buffer '{}' does not hold whole vectors", buffer.name);
    }
  }

  void check_image(const Buffer& buffer) {
    const ImageShape& shape = *buffer.image;
    check_host_expr(fmt::format("the width of image '{}'", buffer.name), shape.width);
    const bool fits = buffer.type == ValueType{Scalar::F32, 1} || buffer.type == ValueType{Scalar::I32, 1};
    if (buffer.space != AddressSpace::Global || !fits) {
      report("image '{}' is not of f32 or i32 in global memory", buffer.name);
    }
    if (shape.channels != 1 && shape.channels != 4) {
      report("image '{}' has pixels of {} scalars, not 1 or 4", buffer.name, shape.channels);
    } else if (shape.blocks < 1 ||
               arith::divides(shape.width * arith::constant(shape.channels * shape.blocks), buffer.scalars) ==
                   arith::Truth::No) {
      report("image '{}' is not {} blocks of whole rows", buffer.name, shape.blocks);
    }
  }

  // ---- Index expressions

  void check_index(arith::Expr e) {
    if (!e) return report("an index expression is missing");
    if (!e->has_variables) return;
    for (const arith::Expr& variable : arith::variables(e)) {
      if (in_scope_.contains(variable.get())) continue;
      const bool is_data = variable->variable_kind == arith::VariableKind::Data;
      if (is_data && integer_parameters_.contains(variable->name)) continue;
      report("'{}' in {} is not in scope", variable->name, arith::to_string(e));
    }
  }

  void check_host_expr(std::string_view what, arith::Expr e) {
    if (!e) return report("{} is missing", what);
    for (const arith::Expr& variable : arith::variables(e)) {
      if (!is_host_known(variable)) report("{} depends on '{}', which is no size", what, variable->name);
    }
  }

  /// The host knows the scalars that it gives a kernel.
  void check_launched(arith::Expr extent) {
    if (!extent) return report("the launch range is missing");
    for (const arith::Expr& variable : arith::variables(extent)) {
      if (!is_host_known(variable) && !integer_parameters_.contains(variable->name))
        report("the launch range depends on '{}', which is no size and no scalar parameter", variable->name);
    }
  }

  // ---- Values

  void check_value(const ValuePtr& root, bool may_shuffle = false) {
    if (!root) return report("a value is missing");
    for_each_value(root, [&](const ValuePtr& value) {
      const bool is_inside = value != root || !may_shuffle;
      if (is_inside && std::holds_alternative<Shuffle>(value->node)) {
        report("a shuffle must be the whole value that a variable is declared with");
      }
      for_each_own_index(*value, [&](arith::Expr e) { check_index(e); });
      std::visit([&](const auto& node) { check_node(node, value->type); }, value->node);
    });
  }
  void check_node(const Literal& literal, ValueType type) {
    check_type("a literal", literal.value.type, type.scalar);
  }
  void check_node(const Reference& reference, ValueType type) {
    const Variable& variable = *reference.variable;
    if (!in_scope_.contains(&variable)) report("'{}' is not in scope", variable.name);
    check_type(variable.name, variable.type, type);
  }
  void check_node(const IndexValue&, ValueType type) {
    if (!is_integer(type.scalar) || type.width != 1)
      report("an index is used as a value of type {}", type_text(type));
  }
  void check_node(const Test&, ValueType type) { check_type("a test", type, {Scalar::Bool, 1}); }
  void check_node(const Load& load, ValueType type) { check_access(*load.buffer, load.index, type); }
  void check_node(const Operation& node, ValueType type) {
    check_made(type, [&] { return operation(node.op, node.operands); });
  }
  void check_node(const Cast& node, ValueType type) {
    check_type("a conversion", {type.scalar, node.operand->type.width}, type);
  }
  void check_node(const Component& node, ValueType type) {
    check_made(type, [&] { return component(node.vector, node.index); });
  }
  void check_node(const MakeVector& node, ValueType type) {
    check_made(type, [&] { return make_vector(node.components, type.width); });
  }
  void check_node(const Shuffle& node, ValueType type) {
    check_made(type, [&] { return shuffle(node.operand, node.mask); });
    if (shuffle_obstacle_) report("a shuffle {}", shuffle_obstacle_);
  }

  /// The constructors of values check their operands and derive the type.
  template <class Make>
  void check_made(ValueType type, Make&& make) {
    try {
      check_type("a value", make()->type, type);
    } catch (const Bug& refused) {
      report("{}", refused.what());
    }
  }
  void check_type(std::string_view what, ValueType is, ValueType expected) {
    if (is != expected) report("{} has type {}, not {}", what, type_text(is), type_text(expected));
  }
  void check_type(std::string_view what, Scalar is, Scalar expected) {
    check_type(what, ValueType{is, 1}, ValueType{expected, 1});
  }

  void check_access(const Buffer& buffer, arith::Expr index, ValueType type) {
    if (!in_scope_.contains(&buffer)) report("buffer '{}' is not in scope", buffer.name);
    check_type(fmt::format("an access to '{}'", buffer.name), type.scalar, buffer.type.scalar);
    if (buffer.type.width == 1 || type.width == 1 || !index) return;
    if (type.width != buffer.type.width || !arith::is_divisor(buffer.type.width, index)) {
      report("an access to '{}' is neither a whole vector nor one component", buffer.name);
    }
  }

  // ---- Statements

  void block(const Block& block) {
    const std::size_t outer_declarations = declared_.size();
    for (const Statement& statement : block) {
      const Statement* const outer = std::exchange(statement_, &statement);
      std::visit([&](const auto& node) { check(node); }, statement.node);
      statement_ = outer;
    }
    for (; declared_.size() > outer_declarations; declared_.pop_back()) in_scope_.erase(declared_.back());
  }

  /// A block that not all work-items of a group, or of a warp, may come to together: `obstacle` says why.
  void block(const Block& inner, const char* obstacle, bool is_uniform, bool is_uniform_in_warp) {
    const char* const outer = barrier_obstacle_;
    const char* const outer_of_shuffles = shuffle_obstacle_;
    if (!barrier_obstacle_ && !is_uniform) barrier_obstacle_ = obstacle;
    if (!shuffle_obstacle_ && !is_uniform_in_warp) shuffle_obstacle_ = obstacle;
    block(inner);
    barrier_obstacle_ = outer;
    shuffle_obstacle_ = outer_of_shuffles;
  }

  void check(const For& loop) {
    check_index(loop.start);
    check_index(loop.stop);
    check_index(loop.step);
    if (loop.unroll && !(is_constant(loop.start) && is_constant(loop.stop) && is_constant(loop.step))) {
      report("a loop to be unrolled has bounds that are not constant");
    }
    const bool is_sequential = loop.parallelism == Parallelism::Sequential;
    if (is_sequential && loop.step && arith::is_less_equal(loop.step, 0)) {
      report("a loop's step is not positive");
    }
    if (!is_sequential) check_parallel(loop);
    if (!is_sequential && loop.is_independent) report("a parallel loop is marked as independent");

    const std::size_t outer_declarations = declared_.size();
    if (!loop.variable || loop.variable.kind() != arith::Kind::Variable ||
        loop.variable->variable_kind != arith::VariableKind::Index) {
      report("a loop's variable is no index variable");
    } else {
      declare(loop.variable.get(), loop.variable->name);
    }
    const char* const obstacle = is_sequential || loop.parallelism == Parallelism::Group
                                     ? "in a loop with a number of iterations that is not uniform"
                                     : "in a parallel loop that is not exactly_once";
    if (!is_sequential) parallel_.emplace_back(loop.parallelism, loop.dimension);
    if (loop.condition) {
      check_value(loop.condition);
      check_type("a condition", loop.condition->type, {Scalar::Bool, 1});
      if (!is_sequential) report("a parallel loop has a condition");
    }
    block(loop.body, obstacle, uniformity_.is_uniform(loop), warp_uniformity_.is_uniform(loop));
    if (!is_sequential) parallel_.pop_back();
    for (; declared_.size() > outer_declarations; declared_.pop_back()) in_scope_.erase(declared_.back());
  }

  void check_parallel(const For& loop) {
    if (loop.dimension < 0 || loop.dimension > 2) report("there is no dimension {}", loop.dimension);
    if (loop.start != arith::Expr(0) || loop.step != arith::Expr(1)) {
      report("a parallel loop does not go from 0 in steps of 1");
    }
    for (const auto& [outer, dimension] : parallel_) {
      const bool is_same_ids = outer == loop.parallelism || outer == Parallelism::Global ||
                               loop.parallelism == Parallelism::Global;
      if (dimension == loop.dimension && is_same_ids) {
        report("a {} loop inside a {} loop of the same dimension", name_of(loop.parallelism), name_of(outer));
      }
    }
  }

  void check(const If& branch) {
    check_value(branch.condition);
    if (!branch.condition) return;
    check_type("a condition", branch.condition->type, {Scalar::Bool, 1});
    for (const Block* each : {&branch.then_body, &branch.else_body}) {
      block(*each, "under a condition that is not uniform", uniformity_.is_uniform(*branch.condition),
            warp_uniformity_.is_uniform(*branch.condition));
    }
  }

  void check(const Let& let) {
    const Variable& variable = *let.variable;
    if (let.value) {
      check_value(let.value, true);
      check_type(fmt::format("what '{}' is set to", variable.name), let.value->type, variable.type);
    } else if (!variable.is_mutable) {
      report("'{}' has no value and is not mutable", variable.name);
    }
    declare(&variable, variable.name);
    if (!let.index) return;
    const bool is_data =
        let.index.kind() == arith::Kind::Variable && let.index->variable_kind == arith::VariableKind::Data;
    if (!is_data || let.index->name != variable.name) {
      report("the index of '{}' is not a run-time variable of the same name", variable.name);
    }
    if (variable.is_mutable || !is_integer(variable.type.scalar) || variable.type.width != 1) {
      report("'{}' is used as an index but is not an immutable integer", variable.name);
    }
    declare_object(let.index.get());
  }

  void check(const Assign& assign) {
    const Variable& variable = *assign.variable;
    check_value(assign.value);
    if (!in_scope_.contains(&variable)) report("'{}' is not in scope", variable.name);
    if (!variable.is_mutable) report("'{}' is not mutable", variable.name);
    if (assign.value) {
      check_type(fmt::format("what '{}' is set to", variable.name), assign.value->type, variable.type);
    }
  }

  void check(const Store& store) {
    check_value(store.value);
    check_index(store.index);
    if (store.value) check_access(*store.buffer, store.index, store.value->type);
    if (read_only_.contains(store.buffer.get())) {
      report("a store to '{}', which is, or may point to, read-only memory", store.buffer->name);
    }
    if (store.is_asynchronous && store.buffer->space != AddressSpace::Local) {
      report("an asynchronous store to '{}', which is not in local memory", store.buffer->name);
    }
    if (store.is_streamed && (store.update || store.buffer->space != AddressSpace::Global)) {
      report("a streamed store to '{}', which is {}", store.buffer->name,
             store.update ? "updated" : "not in global memory");
    }
    if (!store.update) return;
    if (store.is_asynchronous) report("an update of '{}' that is asynchronous", store.buffer->name);
    if (store.buffer->space == AddressSpace::Private) {
      report("an atomic update of '{}', which is private", store.buffer->name);
    }
    const ValueType type = store.value ? store.value->type : store.buffer->type;
    if (type.width != 1 || !is_atomic_update(*store.update, type.scalar)) {
      report("'{}' cannot be updated atomically by {} of {}", store.buffer->name, info(*store.update).name,
             type_text(type));
    }
  }

  void check(const Commit&) {}
  void check(const Await& await) {
    if (await.pending < 0) report("a wait for {} pending groups", await.pending);
  }

  void check(const Barrier&) {
    if (barrier_obstacle_) report("a barrier {}", barrier_obstacle_);
  }

  void check(const Allocate& allocate) {
    const Buffer& buffer = *allocate.buffer;
    declare(&buffer, buffer.name);
    check_buffer(buffer);
    if (buffer.space == AddressSpace::Global) report("a kernel allocates global memory '{}'", buffer.name);
    if (buffer.is_pointer) report("pointer '{}' is allocated", buffer.name);
  }

  void check(const Alias& alias) {
    const Buffer& pointer = *alias.pointer;
    const Buffer& target = *alias.target;
    if (!in_scope_.contains(&target)) report("buffer '{}' is not in scope", target.name);
    declare(&pointer, pointer.name);
    if (!pointer.is_pointer) report("'{}' is no pointer", pointer.name);
    check_same_kind(pointer, target);
  }

  void check(const Swap& swap) {
    for (const BufferPtr& pointer : {swap.first, swap.second}) {
      if (!in_scope_.contains(pointer.get())) report("pointer '{}' is not in scope", pointer->name);
      if (!pointer->is_pointer) report("'{}' is no pointer", pointer->name);
    }
    check_same_kind(*swap.first, *swap.second);
  }

  void check(const Comment&) {}

  void check_same_kind(const Buffer& first, const Buffer& second) {
    if (first.type != second.type || first.space != second.space) {
      report("'{}' and '{}' differ in type or address space", first.name, second.name);
    }
  }

  /// A pointer may only be written through if nothing that it may ever name is only read.
  void collect_read_only() {
    std::size_t known = 0;
    do {
      known = read_only_.size();
      for_each_statement(kernel_.body, [&](const Statement& statement) {
        if (const auto* alias = std::get_if<Alias>(&statement.node)) {
          if (read_only_.contains(alias->target.get())) read_only_.insert(alias->pointer.get());
        } else if (const auto* swap = std::get_if<Swap>(&statement.node)) {
          if (read_only_.contains(swap->first.get())) read_only_.insert(swap->second.get());
          if (read_only_.contains(swap->second.get())) read_only_.insert(swap->first.get());
        }
      });
    } while (read_only_.size() != known);
  }

  const Kernel& kernel_;
  std::vector<Diagnostic>& violations_;
  Uniformity uniformity_, warp_uniformity_;
  const Statement* statement_ = nullptr;
  std::unordered_set<std::string> names_;  // all that was ever declared
  std::unordered_set<const void*> in_scope_;
  std::vector<const void*> declared_;                   // what is in scope, innermost last
  std::unordered_set<std::string> integer_parameters_;  // may be named in index expressions
  std::unordered_set<const Buffer*> read_only_;
  std::vector<std::pair<Parallelism, int>> parallel_;  // loops around the statement
  const char* barrier_obstacle_ = nullptr;             // why no barrier may stand here
  const char* shuffle_obstacle_ = nullptr;             // why no shuffle may
};

class PlanChecker {
 public:
  PlanChecker(const Plan& plan, std::vector<Diagnostic>& violations) : plan_(plan), violations_(violations) {}

  void check() {
    for (const arith::Expr& size : plan_.sizes) {
      declare(size->name);
      if (!is_host_known(size)) report("'{}' is no size", size->name);
      sizes_.insert(size.get());
    }
    for (const PlanInput& input : plan_.inputs) {
      if (const auto* buffer = std::get_if<BufferPtr>(&input)) {
        declare_buffer(**buffer);
      } else {
        const Variable& scalar = *std::get<ScalarInput>(input).variable;
        declare(scalar.name);
        scalars_[scalar.name] = scalar.type;
      }
    }
    for (const BufferPtr& output : plan_.outputs) declare_writable(*output);
    for (const BufferPtr& temporary : plan_.temporaries) declare_writable(*temporary);
    for (const Assumption& assumption : plan_.assumptions) {
      check_sizes(assumption.predicate.left);
      check_sizes(assumption.predicate.right);
    }
    declare_numbers();
    std::unordered_set<std::string> kernels;
    for (const Kernel& kernel : plan_.kernels) {
      if (!kernels.insert(kernel.name).second) report("two kernels are called '{}'", kernel.name);
      KernelChecker(kernel, violations_).check();
      for (const KernelParameter& parameter : kernel.parameters) {
        std::visit([&](const auto& each) { check_binding(kernel, each); }, parameter);
      }
      for (const arith::Expr& extent : kernel.launch.global) check_sizes(extent, scalars_);
      for (const arith::Expr& extent : kernel.launch.local) check_sizes(extent);
    }
    check_steps(plan_.steps);
  }

 private:
  template <class... Arguments>
  void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    violations_.push_back(Diagnostic{fmt::format(format, std::forward<Arguments>(arguments)...)});
  }

  void declare(const std::string& name) {
    if (!is_identifier(name)) report("'{}' is not an identifier", name);
    if (!names_.insert(name).second) report("the plan declares the name '{}' twice", name);
  }
  void declare_buffer(const Buffer& buffer) {
    declare(buffer.name);
    if (buffer.space != AddressSpace::Global || buffer.is_pointer || buffer.type.width != 1) {
      report("the plan's buffer '{}' is not global memory of scalars", buffer.name);
    }
    check_sizes(buffer.scalars);
    buffers_[buffer.name] = &buffer;
  }
  void declare_writable(const Buffer& buffer) {
    declare_buffer(buffer);
    writable_.insert(buffer.name);
  }

  /// Whether an expression is of the plan's sizes, and of `scalars` that a launch may depend on.
  void check_sizes(arith::Expr e, const std::unordered_map<std::string, ValueType>& scalars = {}) {
    if (!e) return report("the plan lacks a size");
    for (const arith::Expr& variable : arith::variables(e)) {
      if (!is_launched(variable) && !sizes_.contains(variable.get()) && !scalars.contains(variable->name)) {
        report("'{}' in {} is no size of the plan", variable->name, arith::to_string(e));
      }
    }
  }

  void check_binding(const Kernel& kernel, const BufferParameter& parameter) {
    const Buffer& buffer = *parameter.buffer;
    const auto found = buffers_.find(buffer.name);
    if (found == buffers_.end()) {
      return report("the plan has no buffer '{}' for kernel {}", buffer.name, kernel.name);
    }
    if (!is_same_memory(buffer, *found->second)) {
      report("kernel {} and the plan disagree on buffer '{}'", kernel.name, buffer.name);
    }
    if (parameter.is_written && !writable_.contains(buffer.name)) {
      report("kernel {} writes the input '{}'", kernel.name, buffer.name);
    }
  }
  void check_binding(const Kernel&, const SizeParameter& parameter) { check_sizes(parameter.variable); }
  void check_binding(const Kernel& kernel, const ScalarParameter& parameter) {
    const Variable& variable = *parameter.variable;
    const auto found = scalars_.find(variable.name);
    if (found == scalars_.end() || found->second != variable.type) {
      report("the plan has no scalar '{}' of type {} for kernel {}", variable.name, type_text(variable.type),
             kernel.name);
    }
  }

  void check_steps(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
      if (const auto* launch = std::get_if<LaunchStep>(&step.node)) {
        if (launch->kernel >= plan_.kernels.size()) report("there is no kernel {} to launch", launch->kernel);
      } else if (const auto* repeat = std::get_if<RepeatStep>(&step.node)) {
        if (!repeat->count != (repeat->count_from != nullptr)) {
          report("a repetition must have exactly one number of rounds");
        }
        if (repeat->count) check_sizes(repeat->count);
        check_one("which says how often to repeat", repeat->count_from, Scalar::I32);
        check_one("which ends a repetition", repeat->condition, Scalar::Bool);
        check_steps(repeat->test);
        for (const auto& [first, second] : repeat->exchanged) {
          if (!first || !second) {
            report("a repetition exchanges a buffer with nothing");
            continue;
          }
          check_pair("exchanged", first, second);
          check_is_writable("exchanged", first);
          check_is_writable("exchanged", second);
        }
        check_steps(repeat->body);
      } else if (const auto* copy = std::get_if<CopyStep>(&step.node)) {
        if (!copy->from || !copy->to) {
          report("a copy lacks a buffer");
          continue;
        }
        check_pair("copied", copy->from, copy->to);
        check_is_writable("copied to", copy->to);
      }
    }
  }
  /// Checks a buffer of one element that the host reads while a plan runs.
  void check_one(std::string_view what, const BufferPtr& buffer, Scalar scalar) {
    if (!buffer) return;
    if (!buffers_.contains(buffer->name)) report("'{}', {}, is not a buffer of the plan", buffer->name, what);
    if (buffer->type.scalar != scalar || !buffer->scalars.is_constant(1)) {
      report("'{}', {}, must hold one {}", buffer->name, what, name_of(scalar));
    }
  }
  /// Declares the scalars by which kernels are told the number of the round.
  void declare_numbers() {
    for_each_step(plan_.steps, [&](const PlanStep& step) {
      const auto* repeat = std::get_if<RepeatStep>(&step.node);
      if (!repeat || !repeat->number) return;
      declare(repeat->number->name);
      scalars_[repeat->number->name] = repeat->number->type;
    });
  }
  void check_pair(std::string_view what, const BufferPtr& first, const BufferPtr& second) {
    for (const BufferPtr& buffer : {first, second}) {
      if (!buffers_.contains(buffer->name))
        report("'{}', which is {}, is not a buffer of the plan", buffer->name, what);
    }
    if (!is_same_memory(*first, *second)) {
      report("'{}' and '{}' are {} but differ in type or size", first->name, second->name, what);
    }
  }
  void check_is_writable(std::string_view what, const BufferPtr& buffer) {
    if (!writable_.contains(buffer->name)) report("'{}' is {} but is an input", buffer->name, what);
  }
  static bool is_same_memory(const Buffer& first, const Buffer& second) {
    return first.type == second.type && first.space == second.space && first.scalars == second.scalars;
  }

  const Plan& plan_;
  std::vector<Diagnostic>& violations_;
  std::unordered_set<std::string> names_;
  std::unordered_set<const arith::Node*> sizes_;
  std::unordered_map<std::string, const Buffer*> buffers_;
  std::unordered_set<std::string> writable_;
  std::unordered_map<std::string, ValueType> scalars_;
};

Result<void> outcome(std::vector<Diagnostic> violations) {
  if (violations.empty()) return {};
  return tl::unexpected<Error>(Error{ErrorKind::Bug, std::move(violations)});
}

}  // namespace

Result<void> check(const Kernel& kernel) {
  std::vector<Diagnostic> violations;
  KernelChecker(kernel, violations).check();
  return outcome(std::move(violations));
}

Result<void> check(const Plan& plan) {
  std::vector<Diagnostic> violations;
  PlanChecker(plan, violations).check();
  return outcome(std::move(violations));
}

}  // namespace hoist::loop
