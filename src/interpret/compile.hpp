#pragma once
// From a term to the steps that compute it.
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interpret/invariant.hpp"
#include "interpret/machine.hpp"
#include "interpret/pattern_steps.hpp"
#include "ir/print.hpp"
#include "ir/term.hpp"

namespace hoist::interpret {

/// Tells the table which sizes get their values while the term runs: those that iterate gives to its
/// functions.
void declare_iterated_sizes(SizeTable& sizes, ir::Term term);

/// Compiles closed lambdas; the frame and the size table of the machine grow as it goes. Size tables report
/// sizes without a value, so compiling may fail with their User errors.
class Compiler {
 public:
  explicit Compiler(Machine& machine) : machine_(machine) {}

  Function compile_function(ir::Term lambda);

 private:
  using Leaves = std::vector<Leaf>;

  /// The terms whose values are at hand: of the same block and under the same binders, or of one around it.
  struct Known {
    std::unordered_map<ir::Term, Leaves> values;
    bool is_new_environment;
  };
  class Scope;
  struct Variable {
    Leaves leaves;
    std::size_t depth;  ///< of the innermost function whose parameters it depends on
    ir::Binder binder;
  };
  /// A function that is being compiled; the program's is the outermost.
  struct OpenFunction {
    Block* block;
    FrameIndex run_counter;
    bool counts_runs;
  };

  /// A leaf of a layout's last argument and the same leaf of its result.
  struct LayoutLeaf {
    const std::vector<Leaves>& arguments;
    std::size_t leaf;
    const Leaf &array, &result;
  };
  using LayoutStep = std::function<std::unique_ptr<Step>(const LayoutLeaf&)>;

  Leaves compile(ir::Term term);
  Leaves compile_new(ir::Term term);
  Leaves compile_once(ir::Term term, std::size_t depth);
  Leaves compile_literal(const ir::Literal& literal, ir::Type type);
  Leaves compile_size(const ir::SizeValue& size, ir::Type type);
  Leaves compile_cast(const ir::Cast& cast, ir::Type type);
  Leaves compile_tuple(const ir::Tuple& tuple);
  Leaves compile_get(const ir::Get& get);
  Leaves compile_scalar_call(const ir::ScalarCall& call, ir::Term term);
  Leaves compile_let(const ir::Let& let);
  Leaves compile_if(const ir::If& term, ir::Type type);
  Leaves compile_call(const ir::Call& call, ir::Term term);
  Leaves compile_map(ir::Term function, Leaves arrays, ir::Type type);
  Leaves compile_map_slide(const ir::Call& call, ir::Type type);
  Leaves compile_reduce(const ir::Call& call);
  Leaves compile_scan(const ir::Call& call, ir::Type type);
  Leaves compile_keyed_reduce(const ir::Call& call, ir::Type type);
  Leaves compile_iterate(const ir::Call& call, ir::Type type);
  Leaves compile_iterate_while(const ir::Call& call, ir::Type type);
  Leaves compile_generate(const ir::Call& call, ir::Type type);
  Leaves compile_zip(const ir::Call& call);
  Leaves compile_reordered(const ir::Call& call, ir::Type type);
  Leaves compile_at(const ir::Call& call, ir::Term term);
  Leaves compile_vector_operation(const ir::Call& call, ir::Type type);
  /// A layout pattern whose result has one leaf for each of its array's: a step for each.
  Leaves compile_layout(const ir::Call& call, ir::Type type, const LayoutStep& step);

  const Leaves* find_known(ir::Term term) const;
  /// The innermost function whose parameters the value of a term may depend on.
  std::size_t depth_of(ir::Term term);
  /// Leaves of a type with places of their own.
  Leaves make_leaves(ir::Type type);
  Leaves make_leaves(const std::vector<ir::Type>& types);
  FrameIndex make_places(std::size_t words);
  SizeSlot number(arith::Expr size) { return machine_.sizes.slot(size, SizeUse::Number); }
  void emit(std::unique_ptr<Step> step) { block_->steps.push_back(std::move(step)); }
  /// A step that may find that the term has no value.
  void emit_partial(std::unique_ptr<Step> step, ir::Term term);

  Machine& machine_;
  Block* block_ = nullptr;
  std::vector<Variable> environment_;  ///< the bound variables, the innermost last
  std::vector<Known> known_;
  std::vector<OpenFunction> functions_;
  std::size_t depth_ = 0;        ///< of the function whose runs the block at hand belongs to
  std::size_t least_depth_ = 0;  ///< of the innermost function whose sizes change with each run
  LooseVariables loose_variables_;
};

}  // namespace hoist::interpret
