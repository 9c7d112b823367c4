#pragma once
// The translation from terms to loops. A term is evaluated symbolically: arrays become views, scalars become
// values, and the patterns that compute emit loops. Layout patterns emit nothing.
//
//   reading.cpp    the value of a term as a view
//   integers.cpp   integers as indices and tests, and those that have no value
//   writing.cpp    a term computed straight into a destination
//   producers.cpp  patterns that need memory or state of their own: reduce, sliding windows
//   scan.cpp       scans, and maps over their states
//   iterate.cpp    iterate, by the host and inside kernels
//   state.cpp      what reduce, scan and iterate carry from one step to the next
//   group_reduction.cpp  reductions by the work-items of a group
//   keyed_reduction.cpp  reductions by key
//   prefetch.cpp   arrays whose elements are computed before they are needed
//   memory.cpp     where intermediate values live
//   memory_needs.cpp  which terms need memory of their own
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "ir/term.hpp"
#include "loop/kernel.hpp"
#include "loop/traverse.hpp"
#include "lower/late_reads.hpp"
#include "lower/launch.hpp"
#include "lower/lower.hpp"
#include "lower/memory_needs.hpp"
#include "lower/schedule.hpp"
#include "lower/view.hpp"

namespace hoist::lower {

/// Views of the variables in scope, innermost first (de Bruijn order).
struct Environment;
using EnvironmentPtr = std::shared_ptr<const Environment>;
struct Environment {
  View view;
  EnvironmentPtr next;
};

struct Prefetch {
  std::int64_t stages;
  ir::Term function;
  EnvironmentPtr env;
  View array;
};

struct GroupReduction;

/// A function that is applied to its own result: what iterate and iterateWhile have in common.
struct Iteration {
  ir::Term function;   ///< of the state, or of the step's number and the state
  ir::Term most;       ///< how often at the most, an i32
  ir::Term condition;  ///< of the state: no step follows where it is false; empty where nothing ends it early
};

/// An array or scalar of a state that is kept in memory.
struct StatePart {
  ir::Type type;
  ir::Term producer;  ///< what computes its next value, where the step's function says so
  MemoryRegion now;
  MemoryRegion next;  ///< where a step writes it, if not in place

  bool has_second() const { return !next.leaves.empty(); }
  bool is_private() const { return now.leaves[0].buffer->space == loop::AddressSpace::Private; }
  /// Whether it lies in one of these buffers.
  bool is_any_of(const BufferSet& buffers) const;
};
/// What a loop carries from one step to the next, where arrays are in it; its parts as they stand in its
/// type.
struct State {
  ir::Type type;
  std::vector<StatePart> parts;

  /// The current values, or where a step writes.
  MemoryRegion region(bool is_next = false) const;
};

/// An array of the states of a scan that hold arrays, alone or zipped with others, without the first of them.
/// A loop over it makes each state when it comes to it: none is kept.
struct StatesInOrder {
  const ir::Call* scan = nullptr;
  std::vector<ir::Term> zipped;  ///< none where there are the states alone
  std::size_t position = 0;      ///< of the states among them
  arith::Expr dropped = 0;
};

/// What the maker of a loop knows of it; see loop::For.
struct LoopHints {
  bool unroll = false;
  bool reorderable = false;
};

/// What a loop's variable runs through: from `start` up to, without, `stop`.
struct IndexRange {
  IndexRange(arith::Expr extent) : stop(extent) {}
  IndexRange(arith::Expr from, arith::Expr to) : start(from), stop(to) {}
  arith::Expr start = 0, stop;
};

class ToLoops {
 public:
  ToLoops(const ir::Program& program, const Options& options);
  loop::Plan run();
  /// How the loops of kernels run that the program says it of, by the kernels' numbers.
  const std::map<std::size_t, Schedule>& schedules() const { return schedules_; }

 private:
  enum class Level {
    Host,    ///< no kernel has begun
    Group,   ///< in a kernel, outside its local loops: every work-item of a group does the same
    Thread,  ///< inside mapGlb or mapLcl, or in a kernel of one work-item
  };
  struct Enclosing {
    arith::Expr variable, extent;
    loop::Parallelism parallelism;
    int dimension;
  };

  // ---- reading.cpp
  View eval(ir::Term term, const EnvironmentPtr& env);
  View eval_call(ir::Term term, const ir::Call& call, const EnvironmentPtr& env);
  View eval_layout(ir::Term term, const ir::Call& call, const std::vector<View>& arguments,
                   const EnvironmentPtr& env);
  View eval_let(const ir::Let& let, ir::Type type, const EnvironmentPtr& env);
  View eval_if(ir::Term term, const ir::If& branch, const EnvironmentPtr& env);
  View padded(const ir::Call& call, ir::Type type, const View& x);
  View choose(const loop::ValuePtr& condition, ir::Type type, const std::function<View()>& then_view,
              const std::function<View()>& else_view);
  View vector_of_elements(ir::Type type, std::int64_t width,
                          const std::function<View(std::int64_t)>& element);
  View scalar_of_vector(const View& vector, arith::Expr lane);
  /// Binds arguments (so that none is computed twice) and evaluates the body.
  View apply(ir::Term lambda, const std::vector<View>& arguments, const EnvironmentPtr& env);
  EnvironmentPtr bind(ir::Term lambda, const std::vector<View>& arguments, EnvironmentPtr env);
  /// Computes a scalar at most once, where the block being generated now can see it.
  View once(View view);
  /// Runs `make` now, or, before any kernel has begun, when the view is used inside one.
  View deferred(ir::Type type, std::function<View()> make);
  /// An integer value as an index into an array of `length`: checked where it is not proven to be inside.
  arith::Expr to_index(const loop::ValuePtr& value, arith::Expr length) {
    return checked(unchecked_index(value, length), length);
  }
  /// The value as an index, which may be another number than the value where both are outside of every array.
  arith::Expr unchecked_index(const loop::ValuePtr& value, arith::Expr length = {});
  /// The value as an index expression, wherever it is.
  arith::Expr index_of_value(const loop::ValuePtr& value);
  /// A variable that an index expression may name, set to the value.
  arith::Expr index_variable(const loop::ValuePtr& value, arith::Expr length);
  arith::Expr checked(arith::Expr index, arith::Expr length);
  /// The operation, which raises the fault flag where it has no value.
  loop::ValuePtr operation(ScalarOp op, std::vector<loop::ValuePtr> operands);
  void raise(Fault fault, const loop::ValuePtr& condition);
  loop::ValuePtr as_test(loop::ValuePtr condition);

  // ---- writing.cpp
  void write(ir::Term term, const EnvironmentPtr& env, const Destination& destination);
  bool write_layout(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                    const Destination& destination);
  View write_stage(const ir::Let& let, const EnvironmentPtr& env, const Destination& destination);
  bool is_in_place(ir::Term array, const EnvironmentPtr& env, const Destination& destination);
  bool write_update(ir::Term term, const ir::Call& update, const EnvironmentPtr& env,
                    const Destination& destination);
  void write_updates(const ir::Call& update, const EnvironmentPtr& env, const Destination& destination);
  void write_scheduled(ir::Term term, const EnvironmentPtr& env, const Destination& destination);
  void write_map(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                 const Destination& destination);
  void copy(const View& view, const Destination& destination);
  void store(const std::vector<std::pair<View, Destination>>& scalars);
  void store_value(const loop::ValuePtr& value, ir::Type type, const Destination& destination);
  void store_at(const Target& target, const loop::ValuePtr& value,
                std::optional<ScalarOp> update = std::nullopt);
  /// Opens a kernel for `term` around `body` unless one is open.
  void in_kernel(ir::Term term, const std::function<void()>& body);
  /// A loop whose body is generated by `body`; `lanes` is the number of ids for a parallel one.
  void for_each(loop::Parallelism parallelism, int dimension, const IndexRange& range, const char* name,
                const std::function<void(arith::Expr)>& body, LoopHints hints = {});
  void check_nesting(loop::Parallelism parallelism, int dimension) const;
  arith::Expr group_length(int dimension) const {
    return shape_.launch.local[static_cast<std::size_t>(dimension)];
  }

  // ---- producers.cpp
  /// The range of reduceRange, cut to the elements that there are; nothing for reductions of all elements.
  std::optional<IndexRange> range_of(const ir::Call& reduction, const EnvironmentPtr& env);
  View reduce(ir::Term term, const ir::Call& call, const View& x, const View& init,
              const EnvironmentPtr& env);
  View reduce_array(const ir::Call& call, const View& x, const View& init, const EnvironmentPtr& env);
  void write_sliding(const ir::Call& call, const View& x, const EnvironmentPtr& env,
                     const Destination& destination);

  // ---- scan.cpp
  /// What a scan starts from; nothing where a group computes it, into the memory of its states.
  View first_state(const ir::Call& scan, const EnvironmentPtr& env);
  /// The loop of a scan of x: `use` is given each state, with its number, before the next takes its place.
  void for_each_state(const ir::Call& scan, const View& x, const View& start, const EnvironmentPtr& env,
                      const std::function<void(arith::Expr, const View&)>& use);
  void write_scan(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                  const Destination& destination);
  void write_map_over_states(ir::Term term, const ir::Call& map, const StatesInOrder& states,
                             const EnvironmentPtr& env, const Destination& destination);

  // ---- iterate.cpp
  View iterate(const ir::Call& call, const EnvironmentPtr& env, std::optional<loop::AddressSpace> space);
  View iterate_scalars(const Iteration& iteration, const View& start, const EnvironmentPtr& env);
  View iterate_on_host(const Iteration& iteration, const View& start, const EnvironmentPtr& env);
  View iterate_on_host_by_length(const ir::Call& call, const View& start, const EnvironmentPtr& env);
  View iterate_in_kernel(const Iteration& iteration, const View& start, bool may_overwrite,
                         std::optional<loop::AddressSpace> space, const EnvironmentPtr& env);
  /// A loop of the iteration's steps inside a kernel; `state` is asked for the current value before each.
  void for_each_step(const Iteration& iteration, const EnvironmentPtr& env,
                     const std::function<View()>& state,
                     const std::function<void(const std::vector<View>&)>& step);
  View iterate_on_lengths(const ir::Call& call, const View& start, bool may_overwrite,
                          std::optional<loop::AddressSpace> space, const EnvironmentPtr& env);
  void copy_on_host(const View& view, const MemoryRegion& region);
  /// The largest value of what depends on the number of a step that the host repeats.
  arith::Expr largest_in_any_step(arith::Expr e) const;

  // ---- state.cpp
  std::vector<loop::VariablePtr> declare_state(ir::Type type, const View& start, const char* name);
  View state_view(ir::Type type, const std::vector<loop::VariablePtr>& variables);
  void assign_state(const std::vector<loop::VariablePtr>& variables, const View& value);
  /// Memory for a state whose next value `producer` computes; where nothing says so, arrays are where their
  /// size wants them.
  State allocate_state(ir::Type type, ir::Term producer, std::optional<loop::AddressSpace> arrays,
                       const char* name);
  void allocate_parts(State& state, ir::Type type, ir::Term producer,
                      std::optional<loop::AddressSpace> arrays, const char* name);
  loop::AddressSpace space_of_accumulators(ir::Term producer, ir::Type type) const;
  /// One step of a loop that `home` contains: `step` writes the next value, given the current one.
  void advance(State& state, loop::Block* home,
               const std::function<void(const View&, const Destination&)>& step);
  void give_second_memory(State& state, const BufferSet& late);
  /// Copies the arrays of a value, each by its owners where it is spread over work-items.
  void copy_parts(const View& view, const Destination& destination);

  // ---- keyed_reduction.cpp
  void write_keyed(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                   const Destination& destination);
  /// By one work-item, in a loop.
  void reduce_by_key(const ir::Call& call, const View& init, const View& keys, const View& x,
                     const EnvironmentPtr& env, const MemoryRegion& accumulators);
  /// By many work-items; the accumulators are set.
  void reduce_by_key_atomically(ir::Term term, const ir::Call& call, loop::Parallelism parallelism,
                                const View& keys, const View& x, const EnvironmentPtr& env,
                                const MemoryRegion& accumulators);
  /// Calls body(key) where key i is from 0 to count - 1.
  void for_key(const View& keys, arith::Expr i, arith::Expr count,
               const std::function<void(arith::Expr)>& body);

  // ---- group_reduction.cpp
  View reduce_local(ir::Term term, const ir::Call& call, const View& x, const View& init,
                    const EnvironmentPtr& env);
  View reduce_by_warps(const GroupReduction& reduction);
  View reduce_by_halves(const GroupReduction& reduction);
  /// Calls use(id, variables) where each of the first `parts` work-items has combined its elements; it has
  /// the initial value where it has none.
  void for_each_part(const GroupReduction& reduction, arith::Expr parts,
                     const std::function<void(arith::Expr, const std::vector<loop::VariablePtr>&)>& use);
  /// What every work-item of the group gets: the initial value and what is in memory, combined.
  View total_of(const GroupReduction& reduction, const View& parts);
  /// `body` for the first work-items of the other dimensions (of all: -1), where no enclosing loop shares
  /// those out.
  void by_first_of_others(int dimension, const std::function<void()>& body);
  /// `body` under a condition, where that is not proven.
  void when(const arith::Predicate& condition, const std::function<void()>& body);

  // ---- prefetch.cpp
  /// A sequential loop over an array's elements, all of them or those in a range. All are computed ahead
  /// where the array says so.
  void for_each_element(const View& array, const std::optional<IndexRange>& range, const char* name,
                        LoopHints hints, const std::function<void(const View&)>& body);
  void for_each_prefetched(const Prefetch& prefetch, const char* name, bool unroll,
                           const std::function<void(const View&)>& body);
  /// The memory with pointers in place of its buffers.
  MemoryRegion behind_pointers(MemoryRegion region, const char* name);
  bool is_asynchronous(const Target& target, const loop::ValuePtr& value) const;

  // ---- memory.cpp
  /// The value of a term that computes, stored in memory and read from there.
  View materialise(ir::Term term, const EnvironmentPtr& env, std::optional<loop::AddressSpace> space);
  /// toGlobal, toLocal, toPrivate: `term` with its computing part stored in `space`.
  View in_space(ir::Term term, const EnvironmentPtr& env, loop::AddressSpace space);
  /// toImage: an input, marked as an image where the target has images.
  View as_image(const ir::Call& call, const EnvironmentPtr& env);
  MemoryRegion allocate(ir::Term producer, ir::Type type, loop::AddressSpace space, const char* name);
  loop::AddressSpace default_space(ir::Term producer) const;
  /// Where an array is kept that is wanted in `wanted`: elsewhere when it is too large, or when work-items
  /// would share it that all compute it. User error when there is no place.
  loop::AddressSpace placed(ir::Term producer, ir::Type type, loop::AddressSpace wanted) const;
  /// Whether each work-item of the launch (or each group) has iterations of its own of the loops around.
  bool is_shared_out(bool by_groups) const;
  /// User error: the length is not known when the kernel is compiled. CUDA kernels learn at their launch how
  /// much local memory they have.
  void check_local_length(arith::Expr length) const;
  /// Private where it is known to be small enough, else global.
  loop::AddressSpace space_by_size(ir::Type type) const;
  std::vector<int> spread_dimensions(ir::Term producer) const;
  /// Copies an array into `region`, by its owners where it is spread over work-items.
  void initialise(const MemoryRegion& region, const View& view);
  /// Copies dimension by dimension; those spread over work-items by loops over the group.
  void copy_spread(const View& view, const std::vector<Dimension>& dimensions, std::size_t first,
                   const Destination& destination);

  void emit(loop::Statement statement) { block_->push_back(std::move(statement)); }
  loop::VariablePtr declare(const char* name, loop::ValueType type, loop::ValuePtr value, bool is_mutable);

  const ir::Program& program_;
  const Options& options_;
  loop::Plan plan_;
  loop::NameSource names_;

  Level level_ = Level::Host;
  loop::Block* block_ = nullptr;
  std::vector<loop::PlanStep>* steps_ = nullptr;
  std::map<std::size_t, Schedule> schedules_;
  std::vector<Enclosing> loops_;
  std::unordered_map<const loop::Buffer*, std::shared_ptr<loop::Buffer>> inputs_;  ///< arrays
  loop::BufferPtr faults_;  ///< the fault flag, once something needed a check
  std::unordered_set<const loop::Buffer*>
      prefetched_;  ///< what is stored there now is needed only after a wait
  /// Numbers of steps that lengths depend on, and how many steps there are.
  std::vector<std::pair<arith::Expr, arith::Expr>> varying_lengths_;
  LocalIds local_ids_;
  std::unordered_set<const loop::Buffer*>
      overwritable_;  ///< accumulators: nothing reads what is computed from further
  KernelShape shape_;
  /// Immutable integer variables that index expressions may name. They are kept, so that no later one has the
  /// address of one whose statements were dropped.
  std::unordered_map<loop::VariablePtr, arith::Expr> index_of_;
  loop::Block* kernel_top_ = nullptr;  ///< where local buffers are declared
};

// ---- Shared by the parts.
std::optional<StatesInOrder> states_in_order(ir::Term array);
loop::ValueType value_type(ir::Type type);
std::int64_t constant_size(arith::Expr size, const std::string& what);
/// A value that costs nothing to write again: a literal, a variable, an index.
bool is_trivial(const loop::ValuePtr& value);
/// The test index < length, in a form that is the same for the neighbours that make a vector, where `length`
/// is a whole number of such vectors.
arith::Predicate is_below(arith::Expr index, arith::Expr length);
/// What the local maps of a group compute, behind layout patterns that say where in an array each element
/// goes.
bool is_stored_by_group(ir::Term term);

}  // namespace hoist::lower
