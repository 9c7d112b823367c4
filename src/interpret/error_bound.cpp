// The bound of rounding errors, from one walk over the program.
//
// `Walker` computes for each term the longest path from the inputs to its value: the roundings, the units in
// the last place of elementary functions, the length of sums (`Path`). Where paths meet, the worse of each
// counts. A function is walked with the paths of its arguments as those of its parameters; reductions and
// iterations multiply what one run of their function adds. error_bound.hpp says why the bound is what it is,
// and what `may_magnify` is for.
#include "interpret/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hoist::interpret {

double ulps_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::Divide:
    case ScalarOp::Sqrt:
    case ScalarOp::ReciprocalSqrt:
      return 3;
    case ScalarOp::Exp:
    case ScalarOp::Exp2:
    case ScalarOp::Log:
    case ScalarOp::Log2:
      return 4;
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Tanh:
    case ScalarOp::ArcTangent:
    case ScalarOp::ArcTangent2:
      return 6;
    case ScalarOp::Power:
    case ScalarOp::ErrorFunction:
      return 16;
    default:
      return 0;
  }
}

bool rounds(ScalarOp op) { return info(op).flops > 0 && op != ScalarOp::Minimum && op != ScalarOp::Maximum; }

namespace {

bool is_float_type(ir::Type type) {
  return (ir::is_scalar(type) || ir::is_vector(type)) && is_float(type->scalar);
}

bool adds(ScalarOp op) {
  return op == ScalarOp::Add || op == ScalarOp::Subtract || op == ScalarOp::FusedMultiplyAdd;
}

bool has_float_sums(ir::Term term, std::unordered_set<ir::Term>& seen) {
  if (!seen.insert(term).second) return false;
  if (const auto* call = term.as<ir::ScalarCall>()) {
    if (adds(call->op) && is_float_type(term.type())) return true;
  }
  if (const auto* call = term.as<ir::Call>()) {
    if (call->op == ir::Op::Dot && is_float_type(term.type())) return true;
  }
  const std::vector<ir::Term> children = ir::children(term);
  return std::any_of(children.begin(), children.end(),
                     [&](ir::Term child) { return has_float_sums(child, seen); });
}

/// What happens to a float on its longest way from the inputs to a value: see error_bound.hpp.
struct Path {
  double roundings = 0;
  double ulps = 0;
  double length = 0;
  bool has_sums = false;    ///< whether floats are added on it
  bool is_carried = false;  ///< whether it comes from one run of the function to the next
};
/// At least as bad as both.
Path worse(const Path& a, const Path& b) {
  return {std::max(a.roundings, b.roundings), std::max(a.ulps, b.ulps), std::max(a.length, b.length),
          a.has_sums || b.has_sums, a.is_carried || b.is_carried};
}

class Walker {
 public:
  explicit Walker(const arith::Bindings& sizes) : sizes_(sizes) { known_.emplace_back(); }

  /// The path from the program's inputs to the result of a function whose parameters come from `parameters`,
  /// but the first from `first`.
  Path walk_function(ir::Term function, const Path& first, const Path& parameters) {
    const auto* lambda = function.as<ir::Lambda>();
    environment_.push_back(first);
    environment_.resize(environment_.size() + lambda->parameters.size() - 1, parameters);
    known_.emplace_back();
    const Path path = walk(lambda->body);
    known_.pop_back();
    environment_.resize(environment_.size() - lambda->parameters.size());
    return path;
  }
  Path walk_function(ir::Term function, const Path& parameters) {
    return walk_function(function, parameters, parameters);
  }
  /// Whether a term was met that may_magnify asks for.
  bool has_magnified() const { return has_magnified_; }

 private:
  Path walk(ir::Term term) {
    // What a closed term stands for is the same everywhere; what others do, under the same binders.
    auto& known = term->loose == 0 ? known_.front() : known_.back();
    if (const auto found = known.find(term); found != known.end()) return found->second;
    const Path path = walk_new(term);
    (term->loose == 0 ? known_.front() : known_.back()).emplace(term, path);
    return path;
  }

  /// A number of repetitions; 1 where it is not known before the program runs.
  double number(arith::Expr size) const {
    const auto value = arith::evaluate(size, sizes_);
    return value ? std::max(1.0, static_cast<double>(*value)) : 1.0;
  }

  Path walk_all(const std::vector<ir::Term>& terms) {
    Path path;
    for (ir::Term term : terms) path = worse(path, walk(term));
    return path;
  }

  Path walk_new(ir::Term term) {
    if (const auto* bound = term.as<ir::Bound>()) {
      return environment_.at(environment_.size() - 1 - bound->index);
    }
    if (const auto* call = term.as<ir::ScalarCall>()) {
      Path path = walk_all(call->arguments);
      if (is_float_type(term.type())) {
        path.roundings += rounds(call->op) ? 1 : 0;
        path.ulps += ulps_of(call->op);
        if (may_magnify(*call, path)) has_magnified_ = true;
        path.has_sums = path.has_sums || adds(call->op);
      }
      return path;
    }
    if (const auto* let = term.as<ir::Let>()) return walk_function(let->body, walk(let->value));
    if (const auto* call = term.as<ir::Call>()) return walk_call(*call);
    return walk_all(ir::children(term));
  }

  bool may_magnify(const ir::ScalarCall& call, const Path& operands) {
    if (call.op == ScalarOp::Divide) return operands.is_carried || walk(call.arguments[1]).has_sums;
    if (call.op == ScalarOp::Multiply || call.op == ScalarOp::FusedMultiplyAdd) return operands.is_carried;
    return ulps_of(call.op) > 0 && (operands.has_sums || operands.is_carried);
  }

  Path walk_call(const ir::Call& call) {
    std::vector<ir::Term> data;
    ir::Term function;
    for (ir::Term argument : call.arguments) {
      if (argument.as<ir::Lambda>()) {
        function = argument;
      } else {
        data.push_back(argument);
      }
    }
    const Path before = walk_all(data);
    if (call.op == ir::Op::Dot) {
      return {before.roundings + 2, before.ulps, before.length + number(data[0].type()->size), true,
              before.is_carried};
    }
    if (!function) return before;
    if (ir::is_reduce(call.op) || ir::is_scan(call.op) || ir::is_keyed_reduce(call.op)) {
      const Path body = walk_function(function, carried, elements_of(before));
      const double sums =
          body.roundings > 0 ? number(data.back().type()->size) * std::max(1.0, body.length) : 0;
      return {before.roundings + body.roundings, before.ulps + body.ulps, before.length + sums,
              before.has_sums || body.has_sums, before.is_carried};
    }
    if (ir::is_iterate(call.op)) {
      // How often is not known here where the data say it: what they say is no less than nothing, and seldom
      // more than this.
      constexpr double some_steps = 1024;
      const auto* most = call.op == ir::Op::IterateWhile ? call.arguments[1].as<ir::SizeValue>() : nullptr;
      const double times = call.op == ir::Op::Iterate ? number(call.sizes[0])
                           : most                     ? number(most->size)
                                                      : some_steps;
      const Path body = walk_function(function, carried);
      return {before.roundings + times * body.roundings, before.ulps + times * body.ulps,
              before.length + times * body.length, before.has_sums || body.has_sums, before.is_carried};
    }
    return walk_function(function, before);
  }

  /// What counts once for all elements is left out.
  static Path elements_of(const Path& array) { return {0, 0, 0, array.has_sums, array.is_carried}; }

  static constexpr Path carried = {0, 0, 0, false, true};

  const arith::Bindings& sizes_;
  bool has_magnified_ = false;
  std::vector<Path> environment_;
  std::vector<std::unordered_map<ir::Term, Path>> known_;
};

}  // namespace

bool has_float_sums(ir::Term term) {
  std::unordered_set<ir::Term> seen;
  return has_float_sums(term, seen);
}

bool may_magnify(const ir::Program& program) {
  const arith::Bindings no_sizes;
  Walker walker(no_sizes);
  walker.walk_function(program.function, {});
  return walker.has_magnified();
}

ErrorBound error_bound(const ir::Program& program, const arith::Bindings& sizes, const Counts* observed) {
  const Path path = Walker(sizes).walk_function(program.function, {});
  const double cancellation = observed ? observed->cancellation : 1.0;
  ErrorBound bound;
  bound.factor = 8 + 2 * path.roundings + 4 * path.ulps;
  bound.factor += 4 * std::sqrt(path.length) * cancellation;
  bound.cancels = has_float_sums(program.function);
  return bound;
}

}  // namespace hoist::interpret
