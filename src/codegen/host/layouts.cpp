// Data layout transformation. A separable filter computes columns of what it computed rows of, so that
//
//   kernel 1: for x: for y: t[H * x + y] = f(u[W * y + x], ..)
//   kernel 2: for y: for x: v[W * y + x] = f(t[H * x + y], ..)
//
// walk against somebody's rows whatever their loops' order is. With t at W * y + x both walk along all of
// them.
//
// An index into a matrix whose rows have n elements is n * q + r, and q + count * r into the transposed one.
// Quotient and remainder are taken of every index; where arithmetic does not find them without a division
// the array stays as it is. `Search` finds the arrays that are to be transposed, which is a minimum cut in
// spirit: it moves one array after the other to the other side, as Kernighan and Lin do (An efficient
// heuristic procedure for partitioning graphs, 1970).
#include "codegen/host/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "codegen/host/loop_order.hpp"
#include "codegen/host/strides.hpp"
#include "codegen/host/vectors.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;
using loop::BufferPtr;

constexpr int most_rounds = 8;
constexpr std::size_t most_arrays = 64;  ///< that one search is about

/// The buffers that the host copies, exchanges or reads.
std::set<const loop::Buffer*> buffers_of_host(const std::vector<loop::PlanStep>& steps) {
  std::set<const loop::Buffer*> used;
  loop::for_each_step(steps, [&](const loop::PlanStep& step) {
    if (const auto* copy = std::get_if<loop::CopyStep>(&step.node))
      used.insert({copy->from.get(), copy->to.get()});
    const auto* repeat = std::get_if<loop::RepeatStep>(&step.node);
    if (!repeat) return;
    used.insert({repeat->count_from.get(), repeat->condition.get()});
    for (const auto& [first, second] : repeat->exchanged) used.insert({first.get(), second.get()});
  });
  return used;
}

/// Whether the kernel has pointers to the buffer, or accesses vectors of it.
bool has_other_uses(const loop::Kernel& kernel, const loop::Buffer& buffer) {
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto* alias = std::get_if<loop::Alias>(&statement.node);
    found = found || (alias && alias->target.get() == &buffer);
    const auto* store = std::get_if<loop::Store>(&statement.node);
    found = found || (store && store->buffer.get() == &buffer && store->value->type.width != 1);
  });
  loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) {
    const auto* load = std::get_if<loop::Load>(&value->node);
    found = found || (load && load->buffer.get() == &buffer && value->type.width != 1);
  });
  return found;
}

bool uses(const loop::Kernel& kernel, const loop::Buffer& buffer) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const auto& parameter) {
    const auto* of_buffer = std::get_if<loop::BufferParameter>(&parameter);
    return of_buffer && of_buffer->buffer.get() == &buffer;
  });
}

/// The index into the transposed matrix, where no division is needed for it.
std::optional<Expr> transposed(Expr index, Expr length, Expr count) {
  const Expr result = index / length + count * (index % length);
  if (divisions_in(result).size() > divisions_in(index).size()) return std::nullopt;
  return result;
}

/// The kernel with the matrix transposed; nothing where an index has no such form.
std::optional<loop::Kernel> with_transposed(loop::Kernel kernel, const loop::Buffer& buffer, Expr length,
                                            Expr count) {
  bool is_possible = true;
  const auto replaced = [&](Expr index) {
    const auto result = transposed(index, length, count);
    is_possible = is_possible && result;
    return result.value_or(index);
  };
  kernel.body = loop::map_values(std::move(kernel.body), [&](const loop::ValuePtr& value) {
    const auto* load = std::get_if<loop::Load>(&value->node);
    if (!load || load->buffer.get() != &buffer) return value;
    return loop::load(load->buffer, replaced(load->index));
  });
  const auto replace_stores = [&](auto& self, Block& block) -> void {
    for (loop::Statement& statement : block) {
      if (auto* loop = std::get_if<loop::For>(&statement.node)) {
        self(self, loop->body);
      } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
        self(self, branch->then_body);
        self(self, branch->else_body);
      } else if (auto* store = std::get_if<loop::Store>(&statement.node)) {
        if (store->buffer.get() == &buffer) store->index = replaced(store->index);
      }
    }
  };
  replace_stores(replace_stores, kernel.body);
  if (!is_possible) return std::nullopt;
  return kernel;
}

/// The lengths of rows that the loops around stores see the array to have.
std::vector<std::int64_t> lengths_of_rows(const std::vector<loop::Kernel>& kernels,
                                          const loop::Buffer& buffer) {
  std::set<std::int64_t> lengths;
  const std::int64_t scalars = *buffer.scalars.constant();
  for (const loop::Kernel& kernel : kernels) {
    if (!uses(kernel, buffer)) continue;
    loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
      const auto* store = std::get_if<loop::Store>(&statement.node);
      if (!store || store->buffer.get() != &buffer) return;
      for (const Expr variable : arith::variables(store->index)) {
        const auto step = exact_stride(store->index, variable);
        if (step && *step > 1 && *step < scalars && scalars % *step == 0) lengths.insert(*step);
      }
    });
  }
  return {lengths.begin(), lengths.end()};
}

/// The search for layouts with the least cost. A choice for an array is a length of its rows by which it is
/// transposed, or 0.
class Search {
 public:
  explicit Search(const loop::Plan& plan) : kernels_(plan.kernels) {
    const std::set<const loop::Buffer*> of_host = buffers_of_host(plan.steps);
    for (const BufferPtr& buffer : plan.temporaries) {
      bool is_fixed = of_host.contains(buffer.get()) || buffer->type.width != 1 || buffer->image ||
                      !buffer->scalars.constant();
      for (const loop::Kernel& kernel : kernels_) is_fixed = is_fixed || has_other_uses(kernel, *buffer);
      std::vector<std::int64_t> lengths;
      if (!is_fixed) lengths = lengths_of_rows(kernels_, *buffer);
      if (!lengths.empty()) arrays_.push_back({buffer, std::move(lengths), {}});
    }
    used_.resize(kernels_.size());
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      for (std::size_t array = 0; array < arrays_.size(); ++array) {
        if (!uses(kernels_[k], *arrays_[array].buffer)) continue;
        used_[k].push_back(array);
        arrays_[array].kernels.push_back(k);
      }
    }
    costs_.resize(kernels_.size());
  }

  std::vector<loop::Kernel> run() {
    std::vector<std::int64_t> choices(arrays_.size(), 0);
    for (const std::set<std::size_t>& component : components()) {
      if (component.size() > most_arrays) continue;
      for (int round = 0; round < most_rounds && improve(component, choices); ++round) {
      }
    }
    std::vector<loop::Kernel> result;
    for (std::size_t k = 0; k < kernels_.size(); ++k) result.push_back(*with_choices(k, choices));
    return result;
  }

 private:
  struct Array {
    BufferPtr buffer;
    std::vector<std::int64_t> lengths;
    std::vector<std::size_t> kernels;  ///< that use it
  };

  /// The connected components of arrays that the same kernels use.
  std::vector<std::set<std::size_t>> components() const {
    std::vector<std::set<std::size_t>> result;
    std::vector<bool> is_found(arrays_.size());
    for (std::size_t first = 0; first < arrays_.size(); ++first) {
      if (is_found[first]) continue;
      result.emplace_back();
      std::vector<std::size_t> reached{first};
      while (!reached.empty()) {
        const std::size_t array = reached.back();
        reached.pop_back();
        if (is_found[array]) continue;
        is_found[array] = true;
        result.back().insert(array);
        for (const std::size_t k : arrays_[array].kernels)
          reached.insert(reached.end(), used_[k].begin(), used_[k].end());
      }
    }
    return result;
  }

  /// Changes the layout of one array after the other, of those left the one for which that is best, and keeps
  /// the choices that cost least on the way; false where these are the first. One array alone may cost more
  /// until those that are computed from it follow.
  bool improve(std::set<std::size_t> left, std::vector<std::int64_t>& best) {
    std::vector<std::int64_t> choices = best;
    double saved = 0, most_saved = 0;
    while (!left.empty()) {
      std::size_t next = *left.begin();
      std::int64_t next_choice = choices[next];
      double most = -std::numeric_limits<double>::infinity();
      for (const std::size_t array : left) {
        std::vector<std::int64_t> alternatives = arrays_[array].lengths;
        alternatives.push_back(0);
        for (const std::int64_t choice : alternatives) {
          if (choice == choices[array]) continue;
          const double saving = saved_by(choices, array, choice);
          if (saving > most) {
            most = saving;
            next = array;
            next_choice = choice;
          }
        }
      }
      left.erase(next);
      if (!std::isfinite(most)) continue;
      choices[next] = next_choice;
      saved += most;
      if (saved > most_saved) {
        most_saved = saved;
        best = choices;
      }
    }
    return most_saved > 0;
  }

  double saved_by(std::vector<std::int64_t> choices, std::size_t array, std::int64_t choice) {
    double saved = 0;
    for (const std::size_t k : arrays_[array].kernels) saved += cost(k, choices);
    choices[array] = choice;
    for (const std::size_t k : arrays_[array].kernels) saved -= cost(k, choices);
    return saved;
  }

  /// Of a kernel; infinite where it has no such form.
  double cost(std::size_t k, const std::vector<std::int64_t>& choices) {
    std::vector<std::int64_t> own;
    for (const std::size_t array : used_[k]) own.push_back(choices[array]);
    const auto [known, is_new] = costs_[k].emplace(std::move(own), 0);
    if (is_new) {
      const auto kernel = with_choices(k, choices);
      known->second = kernel ? access_cost(*kernel) : std::numeric_limits<double>::infinity();
    }
    return known->second;
  }

  std::optional<loop::Kernel> with_choices(std::size_t k, const std::vector<std::int64_t>& choices) const {
    std::optional<loop::Kernel> kernel = kernels_[k];
    for (const std::size_t array : used_[k]) {
      const loop::Buffer& buffer = *arrays_[array].buffer;
      const std::int64_t length = choices[array];
      if (kernel && length != 0)
        kernel = with_transposed(*std::move(kernel), buffer, length, *buffer.scalars.constant() / length);
    }
    return kernel;
  }

  const std::vector<loop::Kernel>& kernels_;
  std::vector<Array> arrays_;
  std::vector<std::vector<std::size_t>> used_;                      // arrays by kernel
  std::vector<std::map<std::vector<std::int64_t>, double>> costs_;  // by kernel and choices for these
};

}  // namespace

loop::Plan with_layouts(loop::Plan plan) {
  plan.kernels = Search(plan).run();
  return plan;
}

}  // namespace hoist::codegen
