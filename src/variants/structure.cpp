// What a kernel looks like before anything compiles it: counts of its text, and whether its accesses to
// global memory are coalesced, by which candidates are discarded before they are built.
//
// The second is measured on one warp. For the load x[1024 * l + k] by 32 work-items with the ids l = 0 ...
// 31, 4-byte scalars and lines of 128 bytes, the warp touches 32 lines and needs the bytes of one, so `lines`
// gives 32 (strided access); for x[1024 * k + l] it gives 1. `Warp` evaluates the index for each of its
// work-items, with all other loops at their first value, and remembers the answers: unrolled loops have the
// same index often with other constants, and moving an access by whole lines changes nothing.
//
// Read `structure_of` first, then `Reader`, which tells loads that go to local memory (copies, also by way of
// a variable) from all others. features/traffic.cpp counts lines in more detail; exploration asks it
// only about candidates that are not discarded by what is found here.
#include "variants/structure.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "features/profile.hpp"
#include "loop/local_memory.hpp"
#include "loop/traverse.hpp"
#include "lower/lower.hpp"
#include "lower/passes.hpp"
#include "space/formula.hpp"

namespace hoist::variants {

namespace {

using arith::Expr;

/// The first warp of a kernel: for each of its work-items, the values of the variables of all loops.
class Warp {
 public:
  Warp(const loop::Kernel& kernel, const target::Machine& machine)
      : line_bits_(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(machine.line_bytes))) - 1),
        line_bytes_(std::int64_t{1} << line_bits_) {
    std::int64_t lengths[3] = {1, 1, 1};
    for (std::size_t d = 0; d < 3; ++d) lengths[d] = kernel.launch.local[d].constant().value_or(1);
    const std::int64_t items = std::min<std::int64_t>(machine.lanes, lengths[0] * lengths[1] * lengths[2]);
    std::vector<std::pair<std::int64_t, int>>
        counters;  // first value; the dimension of a work-item's id, or -1
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      const auto* loop = std::get_if<loop::For>(&statement.node);
      if (loop == nullptr) return;
      variables_.push_back(loop->variable);
      const bool is_own =
          loop->parallelism == loop::Parallelism::Local || loop->parallelism == loop::Parallelism::Global;
      counters.emplace_back(loop->start.constant().value_or(0), is_own ? loop->dimension : -1);
      const auto start = loop->start.constant(), stop = loop->stop.constant(), step = loop->step.constant();
      if (loop->unroll && start && stop && step &&
          (*stop - *start) / *step <= lower::most_unrolled_statements)
        marked_.push_back({loop->variable, *start, *stop, *step});
    });
    for (std::int64_t item = 0; item < items; ++item) {
      const std::int64_t own[3] = {item % lengths[0], item / lengths[0] % lengths[1],
                                   item / (lengths[0] * lengths[1])};
      std::vector<std::int64_t>& slots = slots_.emplace_back();
      slots.reserve(counters.size());
      for (const auto& [first, dimension] : counters) slots.push_back(dimension < 0 ? first : own[dimension]);
    }
  }

  /// As `lines`, the most in any iteration of the loops that are marked to be unrolled.
  std::optional<double> most_lines(Expr index, std::int64_t scalars, std::int64_t scalar_bytes) {
    const auto loop = std::find_if(marked_.begin(), marked_.end(), [&](const MarkedLoop& each) {
      return arith::contains(index, each.variable);
    });
    if (loop == marked_.end()) return lines(index, scalars, scalar_bytes);
    std::optional<double> most;
    for (std::int64_t value = loop->start; value < loop->stop; value += loop->step) {
      const Expr here = arith::substitute(index, {{loop->variable.get(), arith::constant(value)}});
      const auto touched = most_lines(here, scalars, scalar_bytes);
      if (touched) most = std::max(most.value_or(0), *touched);
    }
    return most;
  }

  /// The lines that loads of `scalars` scalars at the index touch, over the least that they could; nothing
  /// for an index that is only known when the kernel runs.
  std::optional<double> lines(Expr index, std::int64_t scalars, std::int64_t scalar_bytes) {
    const Shifted place = without_constant(index);
    // Moving all accesses by whole lines changes nothing.
    const std::int64_t within_line = place.constant & (line_bytes_ / scalar_bytes - 1);
    const auto [known, is_new] = lines_.try_emplace({place.terms, within_line, scalars, scalar_bytes});
    if (is_new) known->second = count_lines(places_of(place, index), within_line, scalars, scalar_bytes);
    return known->second;
  }

 private:
  /// An index, its constant apart. Unrolled loops have the same index many times with other constants.
  struct Shifted {
    std::vector<const arith::Node*> terms;
    std::int64_t constant = 0;
  };
  static Shifted without_constant(Expr index) {
    if (index.constant()) return {{}, *index.constant()};
    if (index.kind() != arith::Kind::Sum) return {{index.get()}, 0};
    Shifted result;
    for (Expr term : index->operands) {
      if (term.constant()) {
        result.constant += *term.constant();
      } else {
        result.terms.push_back(term.get());
      }
    }
    return result;
  }

  /// The places that the warp accesses by the index without its constant.
  const std::vector<std::int64_t>& places_of(const Shifted& place, Expr index) {
    const auto [known, is_new] = places_.try_emplace(place.terms);
    if (is_new) known->second = places(index - place.constant);
    return known->second;
  }
  /// Counts the lines that accesses at `offsets`, which are in order, each moved by `constant`, touch, over
  /// the least that they could.
  std::optional<double> count_lines(const std::vector<std::int64_t>& offsets, std::int64_t constant,
                                    std::int64_t scalars, std::int64_t scalar_bytes) const {
    if (offsets.empty()) return std::nullopt;
    std::int64_t last_line = std::numeric_limits<std::int64_t>::min();
    std::size_t touched = 0, different = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      different += i == 0 || offsets[i] != offsets[i - 1] ? 1 : 0;
      const std::int64_t first_byte = (offsets[i] + constant) * scalar_bytes;
      for (const std::int64_t byte : {first_byte, first_byte + scalars * scalar_bytes - 1}) {
        const std::int64_t line = byte >> line_bits_;
        touched += line > last_line ? 1 : 0;
        last_line = std::max(last_line, line);
      }
    }
    const double bytes = static_cast<double>(different) * static_cast<double>(scalars * scalar_bytes);
    return static_cast<double>(touched) / std::max(1.0, bytes / static_cast<double>(line_bytes_));
  }

  /// The places that the work-items access, in ascending order; empty for an index that is only known when
  /// the kernel runs.
  std::vector<std::int64_t> places(Expr index) const {
    for (Expr variable : arith::variables(index)) {
      if (std::find(variables_.begin(), variables_.end(), variable) == variables_.end()) return {};
    }
    const space::Formula formula(index, variables_);
    std::vector<std::int64_t> result;
    for (const std::vector<std::int64_t>& slots : slots_) {
      const auto place = formula(slots);
      if (!place) return {};
      result.push_back(*place);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  struct MarkedLoop {
    Expr variable;
    std::int64_t start, stop, step;
  };
  std::vector<MarkedLoop> marked_;
  int line_bits_;  ///< of a byte's place within its line
  std::int64_t line_bytes_;
  std::vector<Expr> variables_;                   ///< of all loops
  std::vector<std::vector<std::int64_t>> slots_;  ///< their first values, of each work-item
  using Terms = std::vector<const arith::Node*>;
  std::map<Terms, std::vector<std::int64_t>> places_;
  std::map<std::tuple<Terms, std::int64_t, std::int64_t, std::int64_t>, std::optional<double>> lines_;
};

bool stores_to_local(const loop::Statement& statement) {
  const auto* store = std::get_if<loop::Store>(&statement.node);
  return store != nullptr && store->buffer->space == loop::AddressSpace::Local;
}

/// Which statements of a kernel copy into local memory, some by way of a variable.
class Copies {
 public:
  explicit Copies(const loop::Block& block) {
    loop::for_each_statement(block, [&](const loop::Statement& statement) {
      if (!stores_to_local(statement)) return;
      loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
        loop::for_each_value(root, [&](const loop::ValuePtr& value) {
          if (const auto* reference = std::get_if<loop::Reference>(&value->node))
            variables_.insert(reference->variable.get());
        });
      });
    });
  }
  bool contains(const loop::Statement& statement) const {
    const auto* let = std::get_if<loop::Let>(&statement.node);
    return stores_to_local(statement) || (let != nullptr && variables_.contains(let->variable.get()));
  }

 private:
  std::set<const loop::Variable*> variables_;
};

class Reader {
 public:
  Reader(const loop::Kernel& kernel, const target::Machine& machine, Structure& structure)
      : warp_(kernel, machine), structure_(structure) {}

  void read(const loop::Block& block) {
    const Copies copies(block);
    loop::for_each_statement(
        block, [&](const loop::Statement& statement) { read(statement, copies.contains(statement)); });
  }

 private:
  void read(const loop::Statement& statement, bool copies) {
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) read_store(*store);
    structure_.barriers += std::holds_alternative<loop::Barrier>(statement.node) ? 1 : 0;
    structure_.branches += std::holds_alternative<loop::If>(statement.node) ? 1 : 0;
    if (const auto* loop = std::get_if<loop::For>(&statement.node))
      structure_.loops += loop->form == loop::LoopForm::Loop && !loop->unroll ? 1 : 0;
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
};

/// Whether a loop that copies into local memory has a variable that indexes an array of the work-item's own,
/// so that unrolling would look at it though it is not marked.
bool may_unroll_copies(const loop::Kernel& kernel, const Copies& copies) {
  std::set<const arith::Node*> indices;
  const auto note = [&](const loop::Buffer& buffer, Expr index) {
    if (buffer.space != loop::AddressSpace::Private) return;
    for (Expr variable : arith::variables(index)) indices.insert(variable.get());
  };
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) note(*store->buffer, store->index);
  });
  loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) note(*load->buffer, load->index);
  });
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (loop == nullptr || loop->parallelism != loop::Parallelism::Sequential) return;
    if (loop->unroll || !indices.contains(loop->variable.get())) return;
    loop::for_each_statement(
        loop->body, [&](const loop::Statement& inside) { found = found || copies.contains(inside); });
  });
  return found;
}

/// Structure::copy_lines of a kernel none of whose loops were unrolled; nothing where unrolling might look at
/// copies for other reasons than a mark.
std::optional<double> copy_lines_of(const loop::Kernel& kernel, const target::Machine& machine) {
  const Copies copies(kernel.body);
  if (may_unroll_copies(kernel, copies)) return std::nullopt;
  Warp warp(kernel, machine);
  double worst = 0;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    if (!copies.contains(statement)) return;
    loop::for_each_root_value(statement, [&](const loop::ValuePtr& root) {
      loop::for_each_value(root, [&](const loop::ValuePtr& value) {
        const auto* load = std::get_if<loop::Load>(&value->node);
        if (load == nullptr || load->buffer->space != loop::AddressSpace::Global) return;
        const auto lines = warp.most_lines(load->index, value->type.width,
                                           static_cast<std::int64_t>(size_of(load->buffer->type.scalar)));
        if (lines) worst = std::max(worst, *lines);
      });
    });
  });
  return worst;
}

}  // namespace

Structure structure_of(const loop::Plan& plan, const target::Machine& machine) {
  Structure result;
  result.kernels = plan.kernels.size();
  for (const loop::Kernel& kernel : plan.kernels) {
    std::int64_t group = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t length = kernel.launch.local[d].constant().value_or(1);
      result.group_lengths[d] = std::max(result.group_lengths[d], length);
      group *= length;
    }
    result.group_size = std::max(result.group_size, group);
    result.local_memory = std::max(result.local_memory, static_cast<std::int64_t>(loop::local_bytes(kernel)));
    result.statements += static_cast<std::size_t>(features::unrolled_statements(kernel.body));
    Reader(kernel, machine, result).read(kernel.body);
  }
  return result;
}

std::optional<lower::LoopsToOrder> orderable_loops(const ir::Program& program) {
  const auto plan = lower::lower(program);
  if (!plan || plan->kernels.size() != 1) return std::nullopt;
  return lower::loops_to_order(plan->kernels[0]);
}

std::optional<double> copy_lines_of(const ir::Program& program, const target::Machine& machine) {
  // Unrolling takes most of the time of lowering, and copies are told before it as well.
  lower::Options rolled;
  rolled.unroll_private_arrays = rolled.suggest_unrolling = false;
  const auto plan = lower::lower(program, rolled);
  if (!plan) return std::nullopt;
  double worst = 0;
  for (const loop::Kernel& kernel : plan->kernels) {
    const auto lines = copy_lines_of(kernel, machine);
    if (!lines) {
      const auto unrolled = lower::lower(program);
      return unrolled ? std::optional(structure_of(*unrolled, machine).copy_lines) : std::nullopt;
    }
    worst = std::max(worst, *lines);
  }
  return worst;
}

}  // namespace hoist::variants
