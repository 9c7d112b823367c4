// The default mapping. By now stages.cpp has bound by `let` what is to be stored, so that each value is a
// nest of maps, a reduction, a scan, an iteration, or a layout of one of those. `Mapper` gives each its
// work-items:
//
//   maps        the outer dimensions, three at the most, become mapGlb; what is inside is sequential
//               (`map_rows`)
//   reductions  work-items reduce a stretch each, then one group reduces what they leave (`two_stages`);
//               without an associative operator one work-item does it all, and a note says so
//   scans       blocks are reduced, the sums scanned, the blocks scanned from there (`map_scan`)
//   iterations  kernels for each step (`map_iterate`); of an array of which a step replaces some elements,
//               only those are computed (`map_update`)
//
// Read `map` and `map_array` first, which tell these apart.
#include "rewrite/default_mapping.hpp"

#include <algorithm>

#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "ir/reduction.hpp"
#include "rewrite/failing.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/iteration.hpp"
#include "rewrite/keyed_mapping.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/sharing.hpp"
#include "rewrite/stages.hpp"

namespace hoist::rewrite {

namespace {

using arith::Expr;
using ir::contains_array;
using ir::Op;
using ir::Term;
using ir::Type;

constexpr std::int64_t most_partials = 65536;     ///< work-items of the first stage of a reduction
constexpr std::int64_t second_stage_items = 256;  ///< work-items of its second stage, one group
constexpr std::int64_t elements_per_item = 64;    ///< of the first stage, before there are more items
constexpr std::int64_t cpu_partials = 16384;    ///< the same of a CPU: some stretches for each of its threads
constexpr std::int64_t cpu_lanes = 64;          ///< work-items that share a stretch: several vectors
constexpr std::int64_t least_for_stages = 512;  ///< shorter arrays are not worth a second kernel

Term id_of(Type type) {
  return ir::lambda({type}, [](const std::vector<Term>& x) { return x[0]; }, {"e"});
}

/// let name = value in body(name).
Term bind(Term value, const char* name, const std::function<Term(Term)>& body) {
  Term variable = ir::fresh(value.type(), name);
  return ir::let(value, ir::lambda(std::vector<Term>{variable}, body(variable)));
}

/// A neutral element of the operator: the initial value if it is one.
Term neutral_of(Term combine, Term init) {
  return ir::is_neutral(combine, init) ? init : ir::neutral_element(combine);
}

class Mapper {
 public:
  explicit Mapper(target::Processor processor, NestMapping own = {})
      : processor_(processor), own_(std::move(own)) {}

  std::vector<std::string> notes;

  /// A result of any type, computed by kernels.
  Term map(Term term) {
    if (auto* let = term.as<ir::Let>()) {
      if (const auto mapped = own_ ? own_(term) : std::nullopt) return *mapped;
      Term value = contains_loop(let->value) ? map(let->value) : let->value;
      Term variable = ir::fresh(let->value.type(), name_of(let->body));
      Term body = map(ir::apply(let->body, {variable}));
      return ir::let(value, ir::lambda(std::vector<Term>{variable}, body));
    }
    if (auto* tuple = term.as<ir::Tuple>()) {
      std::vector<Term> components;
      for (Term component : tuple->components) components.push_back(map(component));
      return ir::tuple(components);
    }
    if (ir::is_array(term.type())) return map_array(term);
    if (ir::is_tuple(term.type()) && contains_array(term.type())) return map_tuple_of_arrays(term);
    return map_scalar(term);
  }

 private:
  static std::string name_of(Term lambda) {
    auto* function = lambda.as<ir::Lambda>();
    return function->names.empty() ? "x" : function->names[0];
  }

  /// An intermediate array that others will read: in memory, computed once.
  Term shared(Term term, const std::function<Term(Term)>& use) {
    if (term.as<ir::Free>()) return use(term);
    return bind(map(term), "shared", use);
  }

  /// The same array with tuples of scalars where its maps unzip tuples of arrays, so that who computes a
  /// tuple writes all of it: map(row => unzip(f(row)), x) as map(f, x) and a depth of one.
  static std::pair<Term, int> without_unzips(Term term) {
    auto* call = term.as<ir::Call>();
    if (!call || call->op != Op::Map) return {term, 0};
    Term x = ir::fresh(ir::element_of(call->arguments[1].type()), name_of(call->arguments[0]));
    std::vector<Binding> bindings;
    Term body = outside_lets(ir::apply(call->arguments[0], {x}), bindings);
    auto* unzip = body.as<ir::Call>();
    if (!unzip || unzip->op != Op::Unzip) return {term, 0};
    auto [inside, depth] = without_unzips(unzip->arguments[0]);
    Term function = ir::lambda(std::vector<Term>{x}, with_lets(bindings, inside));
    return {ir::call(Op::Map, {}, {function, call->arguments[1]}), depth + 1};
  }

  static Term unzipped(Term array, int depth) {
    if (depth > 0) {
      Type row = ir::element_of(array.type());
      Term inner =
          ir::lambda({row}, [&](const std::vector<Term>& x) { return unzipped(x[0], depth - 1); }, {"row"});
      array = ir::call(Op::Map, {}, {inner, array});
    }
    return ir::call(Op::Unzip, {}, {array});
  }

  Term map_unzip(Term array) {
    auto [tuples, depth] = without_unzips(array);
    // Bindings go outside, so that the arrays are written where they belong.
    std::vector<Binding> bindings;
    Term inside = outside_lets(map(tuples), bindings);
    return with_lets(bindings, unzipped(inside, depth));
  }

  Term map_tuple_of_arrays(Term term) {
    if (auto* branch = term.as<ir::If>(); branch && !is_indexable(term)) return map_choice(*branch);
    auto* call = term.as<ir::Call>();
    if (call && call->op == Op::Unzip) return map_unzip(call->arguments[0]);
    if (call && ir::is_iterate(call->op)) return map_iterate(*call);
    if (call && ir::is_reduce(call->op)) return map_reduce_of_arrays(*call, term);
    if (auto* get = term.as<ir::Get>(); get && !is_indexable(term)) {
      return shared(get->tuple, [&](Term t) { return map(ir::get(get->index, t)); });
    }
    if (!is_indexable(term)) return sequential(term, ir::to_string(term));
    auto* branch = term.as<ir::If>();
    std::vector<Term> components;
    for (std::uint32_t i = 0; i < term.type()->elements.size(); ++i) {
      components.push_back(map(branch ? ir::if_then_else(branch->condition, ir::get(i, branch->then_term),
                                                         ir::get(i, branch->else_term))
                                      : ir::get(i, term)));
    }
    return ir::tuple(components);
  }

  Term sequential(Term term, const std::string& what) {
    notes.push_back(what + " runs in one work-item");
    return in_loops(term);
  }

  /// The term with maps around patterns that need a work-item for themselves as its loops.
  static Term in_loops(Term term) {
    if (term.as<ir::Lambda>()) return term;
    if (auto* let = term.as<ir::Let>()) {
      return bind(in_loops(let->value), name_of(let->body).c_str(),
                  [&](Term x) { return in_loops(ir::apply(let->body, {x})); });
    }
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) child = in_loops(child);
    auto* call = term.as<ir::Call>();
    if (call && call->op == Op::Map && !is_indexable(children[0])) return ir::call(Op::MapSeq, {}, children);
    return ir::with_children(term, children);
  }

  // ---- Arrays.

  /// A nest that kernels of its own compute, as somebody else maps it or else by default.
  template <class Default>
  Term map_nest(Term term, Default&& by_default) {
    if (own_) {
      if (const auto mapped = own_(term)) return *mapped;
    }
    return by_default();
  }
  /// Up to three dimensions of work-items, each computing one element; further outer dimensions are joined
  /// first.
  Term copy_in_parallel(Term term) {
    std::size_t rank = ir::rank_of(term.type());
    std::vector<Expr> outer;
    while (rank > 3) {
      outer.push_back(ir::element_of(term.type())->size);
      term = ir::call(Op::Join, {}, {term});
      --rank;
    }
    Term result = nest(term, rank - 1);
    for (std::size_t i = outer.size(); i-- > 0;) result = ir::call(Op::Split, {outer[i]}, {result});
    return result;
  }
  static Term nest(Term array, std::size_t dimension) {
    Type element = ir::element_of(array.type());
    Expr d = arith::constant(static_cast<std::int64_t>(dimension));
    if (dimension == 0) return ir::call(Op::MapGlobal, {d}, {id_of(element), array});
    Term inner = ir::lambda(
        {element}, [&](const std::vector<Term>& row) { return nest(row[0], dimension - 1); }, {"row"});
    return ir::call(Op::MapGlobal, {d}, {inner, array});
  }

  Term map_array(Term term) {
    if (is_indexable(term)) return map_nest(term, [&] { return copy_in_parallel(term); });
    if (auto* call = term.as<ir::Call>()) {
      if (call->op == Op::Map) return map_rows(term);
      if (ir::is_scan(call->op)) return map_scan(*call, term);
      if (ir::is_iterate(call->op)) return map_iterate(*call);
      if (call->op == Op::ReduceByKey) return map_keyed(*call);
      if (call->op == Op::Scatter) {
        if (is_indexable(call->arguments[1])) {
          return ir::call(Op::Scatter, {}, {call->arguments[0], map_array(call->arguments[1])});
        }
        return shared(call->arguments[1], [&](Term x) {
          return ir::call(Op::Scatter, {}, {call->arguments[0], copy_in_parallel(x)});
        });
      } else if (ir::is_layout(call->op)) {
        return map_layout(term);
      }
      if (ir::is_reduce(call->op)) return map_reduce_of_arrays(*call, term);
    }
    if (auto* get = term.as<ir::Get>()) {
      return shared(get->tuple, [&](Term t) { return copy_in_parallel(ir::get(get->index, t)); });
    }
    if (auto* branch = term.as<ir::If>()) return map_choice(*branch);
    return sequential(term, ir::to_string(term));
  }

  /// One of two values that kernels compute. Those of the other are not launched: a value is an iteration of
  /// one step where the condition holds, else of none.
  Term map_choice(const ir::If& branch) {
    return bind(map_scalar(branch.condition), "condition", [&](Term condition) {
      const auto computed_if = [&](Term test, Term value, Term otherwise) {
        Term number = ir::fresh(ir::scalar_type(Scalar::I32), "step"),
             state = ir::fresh(value.type(), "state");
        Term goes_on = ir::lambda(std::vector<Term>{state}, test),
             step = ir::lambda(std::vector<Term>{number, state}, value);
        return ir::call(Op::IterateWhile, {}, {goes_on, ir::size_value(1), step, otherwise});
      };
      const auto is_start = [](Term value) { return is_indexable(value) && !can_fail(value); };
      const Term negation = ir::scalar_call(ScalarOp::Not, {condition});
      if (is_start(branch.else_term)) return map(computed_if(condition, branch.then_term, branch.else_term));
      if (is_start(branch.then_term)) return map(computed_if(negation, branch.else_term, branch.then_term));
      const Term then_or_zero = computed_if(condition, branch.then_term, zero_of(branch.then_term.type()));
      return map(computed_if(negation, branch.else_term, then_or_zero));
    });
  }
  static Term zero_of(Type type) {
    if (ir::is_array(type)) {
      Term element = ir::lambda({ir::scalar_type(Scalar::I32)},
                                [&](const auto&) { return zero_of(ir::element_of(type)); }, {"i"});
      return ir::call(Op::Generate, {type->size}, {element});
    }
    if (!ir::is_tuple(type)) {
      const auto number = is_float(type->scalar) ? ScalarValue::of_real(type->scalar, 0)
                                                 : ScalarValue::of_integer(type->scalar, 0);
      Term zero = ir::literal(number);
      return ir::is_vector(type) ? ir::call(Op::Broadcast, {type->size}, {zero}) : zero;
    }
    std::vector<Term> components;
    for (Type component : type->elements) components.push_back(zero_of(component));
    return ir::tuple(components);
  }

  /// The call with its array arguments computed first where they cannot be fused.
  Term shared_arguments(Term term, const std::function<Term(Term)>& use) {
    std::vector<Term> children = ir::children(term);
    std::function<Term(std::size_t)> bind_from = [&](std::size_t i) -> Term {
      if (i == children.size()) return use(ir::with_children(term, children));
      bool is_costly =
          !children[i].as<ir::Lambda>() && contains_array(children[i].type()) && contains_loop(children[i]);
      if (!is_costly) return bind_from(i + 1);
      return shared(children[i], [&](Term x) {
        children[i] = x;
        return bind_from(i + 1);
      });
    };
    return bind_from(0);
  }

  Term map_layout(Term term) {
    return shared_arguments(term, [&](Term t) { return copy_in_parallel(t); });
  }

  /// map(f, x) where f needs the work-item for itself: rows in parallel, each row by one work-item.
  Term map_rows(Term term) {
    auto* call = term.as<ir::Call>();
    if (!is_indexable(call->arguments[1])) {
      // Only the rows' source may need memory: with that computed, every element can be computed alone.
      return shared(call->arguments[1], [&](Term x) {
        return map(ir::call(Op::Map, {}, {call->arguments[0], x}));
      });
    }
    // Maps in each other share out their elements as far as what they read can be read by all.
    std::size_t depth = 0;
    for (Term rows = term; depth < 3;) {
      auto* inner = rows.as<ir::Call>();
      if (!inner || inner->op != Op::Map || is_indexable(rows) || !is_indexable(inner->arguments[1])) break;
      ++depth;
      rows = inner->arguments[0].as<ir::Lambda>()->body;
    }
    return map_nest(term, [&] { return nest_rows(term, depth - 1); });
  }
  Term nest_rows(Term term, std::size_t dimension) {
    auto* call = term.as<ir::Call>();
    Expr d = arith::constant(static_cast<std::int64_t>(dimension));
    auto* function = call->arguments[0].as<ir::Lambda>();
    Term x = ir::fresh(function->parameters[0], name_of(call->arguments[0]));
    Term body = ir::apply(call->arguments[0], {x});
    body = dimension > 0 ? nest_rows(body, dimension - 1) : body;
    return ir::call(Op::MapGlobal, {d}, {ir::lambda(std::vector<Term>{x}, body), call->arguments[1]});
  }

  /// Kernels for each step: of the function, of the condition and of what says how often.
  Term map_iterate(const ir::Call& call) {
    return shared_start(call.arguments.back(), [&](Term start) {
      std::vector<Term> arguments = call.arguments;
      arguments.back() = start;
      if (own_ && call.op == Op::Iterate) arguments[0] = typed_by_start(call);
      for (Term& argument : arguments) {
        auto* function = argument.as<ir::Lambda>();
        if (!function) {
          if (argument != start) argument = map_scalar(argument);
          continue;
        }
        const std::vector<Term> parameters = ir::fresh_parameters(*function);
        argument = ir::lambda(parameters,
                              map_step(in_stages(ir::apply(argument, parameters), notes), parameters.back()));
      }
      std::vector<Expr> sizes = call.sizes;
      if (call.op == Op::Iterate) sizes.resize(1);
      return ir::call(call.op, std::move(sizes), std::move(arguments));
    });
  }
  /// The function of an iteration that keeps its array's length, typed by that length: then the sizes in it
  /// are known where the array's is.
  static Term typed_by_start(const ir::Call& iterate) {
    const Type start = iterate.arguments.back().type();
    if (!ir::is_array(start) || iterate.sizes[1].kind() != arith::Kind::Variable) return iterate.arguments[0];
    try {
      const Term function =
          ir::substitute_sizes(iterate.arguments[0], {{iterate.sizes[1].get(), start->size}});
      const auto* lambda = function.as<ir::Lambda>();
      const bool keeps_length = ir::is_equal(lambda->body.type(), lambda->parameters.back());
      return keeps_length ? function : iterate.arguments[0];
    } catch (const Failure&) {
      // Of some lengths the function has no type.
      return iterate.arguments[0];
    }
  }
  /// What a step makes of the state; what it gives back as it got it stays as it is, and of an array with
  /// some elements replaced only these are computed.
  Term map_step(Term next, Term state) {
    return map_part(next, state, [](Term mapped) { return mapped; });
  }
  Term map_part(Term next, Term part, const std::function<Term(Term)>& use) {
    if (next == part) return use(next);
    if (auto* let = next.as<ir::Let>()) {
      if (const auto mapped = own_ ? own_(next) : std::nullopt) return use(*mapped);
      const Term value = contains_loop(let->value) ? map(let->value) : let->value;
      return bind(value, name_of(let->body).c_str(),
                  [&](Term x) { return map_part(ir::apply(let->body, {x}), part, use); });
    }
    if (is_update_of(next, part)) return map_update(next, part, use);
    auto* tuple = next.as<ir::Tuple>();
    if (!tuple || !ir::is_tuple(part.type()) || tuple->components.size() != part.type()->elements.size())
      return use(map(next));
    std::vector<Term> components;
    const std::function<Term()> rest = [&]() -> Term {
      const auto i = static_cast<std::uint32_t>(components.size());
      if (i == tuple->components.size()) return use(ir::tuple(components));
      return map_part(tuple->components[i], ir::get(i, part), [&](Term component) {
        components.push_back(component);
        return rest();
      });
    };
    return rest();
  }
  static bool is_update_of(Term term, Term array) {
    auto* call = term.as<ir::Call>();
    return call && call->op == Op::Update &&
           (call->arguments[2] == array || is_update_of(call->arguments[2], array));
  }
  /// New rows that are made of the state are computed before any is written: so it is written where it lies.
  Term map_update(Term term, Term array, const std::function<Term(Term)>& use) {
    if (term == array) return use(term);
    auto* update = term.as<ir::Call>();
    Term state = array;
    while (auto* get = state.as<ir::Get>()) state = get->tuple;
    return map_update(update->arguments[2], array, [&](Term before) {
      const auto replaced = [&](Term index, Term element) {
        return use(ir::call(Op::Update, {}, {index, element, before}));
      };
      const auto with_index = [&](Term index) {
        const Term element = update->arguments[1];
        if (!ir::is_array(element.type())) return replaced(index, map(element));
        if (!mentions(element, state)) return replaced(index, map(element));
        return bind(map(element), "row", [&](Term row) { return replaced(index, copy_in_parallel(row)); });
      };
      return contains_loop(update->arguments[0]) ? bind(map_scalar(update->arguments[0]), "index", with_index)
                                                 : with_index(update->arguments[0]);
    });
  }
  /// A variable, or a component of one.
  static bool is_variable(Term term) {
    while (auto* get = term.as<ir::Get>()) term = get->tuple;
    return term.as<ir::Free>() != nullptr;
  }
  /// What is in memory already, or only a number, is not computed before.
  Term shared_start(Term start, const std::function<Term(Term)>& use) {
    const bool is_number = !contains_array(start.type()) && !contains_loop(start);
    if (is_variable(start) || is_number) return use(start);
    auto* tuple = start.as<ir::Tuple>();
    if (!tuple) return bind(map(start), "start", use);
    std::vector<Term> components;
    std::function<Term()> next = [&]() -> Term {
      if (components.size() == tuple->components.size()) return use(ir::tuple(components));
      return shared_start(tuple->components[components.size()], [&](Term component) {
        components.push_back(component);
        return next();
      });
    };
    return next();
  }

  /// A reduction whose result holds arrays: steps that are kernels where that is worth it, else a loop of one
  /// work-item.
  Term map_reduce_of_arrays(const ir::Call& call, Term term) {
    if (call.op == Op::Reduce && is_worth_kernels(call.arguments[1].type())) return map(as_iteration(call));
    return shared_arguments(term, [&](Term t) { return sequential(t, "a reduction to an array"); });
  }

  Term map_keyed(const ir::Call& call) {
    std::vector<Term> arguments = call.arguments;
    const std::function<Term(std::size_t)> map_from = [&](std::size_t i) -> Term {
      if (i < arguments.size() && is_indexable(arguments[i])) return map_from(i + 1);
      if (i < arguments.size()) {
        return shared(arguments[i], [&](Term ready) {
          arguments[i] = ready;
          return map_from(i + 1);
        });
      }
      const auto operation = ir::decomposed(arguments[0]);
      const Term neutral = operation ? ir::neutral_element(operation->combine) : Term();
      KeyedMapping mapped = map_keyed_reduction({arguments[0], arguments[1], arguments[2], arguments[3]},
                                                operation, neutral, processor_);
      if (!mapped.note.empty()) notes.push_back(mapped.note);
      return mapped.term;
    };
    return map_from(1);
  }

  // ---- Scans.
  Term map_scan(const ir::Call& call, Term term) {
    Term f = call.arguments[0], init = call.arguments[1], x = call.arguments[2];
    if (!is_indexable(x)) {
      return shared(x, [&](Term ready) { return map(ir::call(call.op, call.sizes, {f, init, ready})); });
    }
    auto* function = f.as<ir::Lambda>();
    bool is_short = x.type()->size.constant().value_or(least_for_stages) < least_for_stages;
    if (is_short) return ir::call(Op::ScanSeq, {}, {f, init, x});
    if (function->parameters[0] != function->parameters[1] || !ir::operator_properties(f).associative) {
      return sequential(ir::call(Op::ScanSeq, {}, {f, init, x}),
                        "a scan whose operator is not known to be associative (say associative(f) if it is)");
    }
    (void)term;
    Expr n = x.type()->size;
    std::int64_t per_item = n.constant() ? std::clamp<std::int64_t>(*n.constant() / 16384, 32, 4096) : 256;
    Expr chunk = arith::constant(per_item), chunks = arith::ceiling_quotient(n, chunk);
    auto blocks = [&] {
      Term padded =
          ir::call(Op::Pad, {0, chunks * chunk - n, static_cast<std::int64_t>(ir::Boundary::Clamp)}, {x});
      return ir::call(Op::Split, {chunk}, {padded});
    };
    Type row = ir::element_of(blocks().type());
    Term sum_of = ir::lambda(
        {row},
        [&](const std::vector<Term>& r) {
          Term first = ir::call(Op::At, {}, {ir::literal(ScalarValue::of_integer(Scalar::I32, 0)), r[0]});
          return ir::call(Op::ReduceSeq, {}, {f, first, ir::call(Op::Drop, {1}, {r[0]})});
        },
        {"block"});
    return bind(ir::call(Op::MapGlobal, {0}, {sum_of, blocks()}), "sums", [&](Term sums) {
      return bind(ir::call(Op::ScanSeq, {}, {f, init, sums}), "offsets", [&](Term offsets) {
        Term numbers = ir::call(Op::Generate, {chunks}, {id_of(ir::scalar_type(Scalar::I32))});
        Term numbered = ir::call(Op::Zip, {}, {numbers, blocks()});
        Term scan_block = ir::lambda(
            {ir::element_of(numbered.type())},
            [&](const std::vector<Term>& pair) {
              Term b = ir::get(0, pair[0]);
              Term zero = ir::literal(ScalarValue::of_integer(Scalar::I32, 0));
              Term one = ir::literal(ScalarValue::of_integer(Scalar::I32, 1));
              Term previous =
                  ir::scalar_call(ScalarOp::Maximum, {ir::scalar_call(ScalarOp::Subtract, {b, one}), zero});
              Term before = ir::call(Op::At, {}, {previous, offsets});
              Term start = ir::if_then_else(ir::scalar_call(ScalarOp::Equal, {b, zero}), init, before);
              return ir::call(Op::ScanSeq, {}, {f, start, ir::get(1, pair[0])});
            },
            {"block"});
        Term scanned = ir::call(Op::MapGlobal, {0}, {scan_block, numbered});
        return ir::call(Op::Take, {n}, {ir::call(Op::Join, {}, {scanned})});
      });
    });
  }

  // ---- Scalars.

  /// Whole-array reductions inside a scalar term are computed in two stages, bound before it.
  Term map_scalar(Term term) {
    std::vector<Binding> bound;
    std::function<Term(Term)> walk = [&](Term t) -> Term {
      if (t.as<ir::Lambda>() || !contains_loop(t)) return t;
      if (auto* branch = t.as<ir::If>();
          branch && (can_fail(branch->then_term) || can_fail(branch->else_term))) {
        notes.push_back(ir::to_string(t) + " runs in one work-item, since it is computed under a condition");
        return ir::if_then_else(walk(branch->condition), branch->then_term, branch->else_term);
      }
      auto* call = t.as<ir::Call>();
      if (call && ir::is_reduce(call->op) && t->loose == 0) {
        Term staged = two_stages(*call, bound);
        if (staged) return staged;
        Term x = call->arguments.back();
        if (!is_indexable(x)) {
          Term variable = ir::fresh(x.type(), "shared");
          bound.push_back({variable, map(x)});
          std::vector<Term> arguments = call->arguments;
          arguments.back() = variable;
          return ir::call(call->op, call->sizes, std::move(arguments));
        }
        return t;
      }
      if (auto* let = t.as<ir::Let>()) {
        Term variable = ir::fresh(let->value.type(), name_of(let->body));
        bound.push_back({variable, contains_loop(let->value) ? map(let->value) : let->value});
        return walk(ir::apply(let->body, {variable}));
      }
      if (call && call->op == Op::At && ir::is_array(call->arguments[1].type()) &&
          contains_loop(call->arguments[1]) && !is_indexable(call->arguments[1])) {
        Term variable = ir::fresh(call->arguments[1].type(), "shared");
        bound.push_back({variable, map(call->arguments[1])});
        return ir::call(Op::At, {}, {walk(call->arguments[0]), variable});
      }
      std::vector<Term> children = ir::children(t);
      for (Term& child : children) child = walk(child);
      return ir::with_children(t, children);
    };
    Term result = walk(term);
    return with_lets(bound, result);
  }

  /// The reduction as an element of a one-element array that the second stage makes, or empty when it must
  /// stay whole.
  Term two_stages(const ir::Call& call, std::vector<Binding>& bound) {
    Term init = call.arguments[1], x = call.arguments.back();
    Expr n = x.type()->size;
    if (call.op == Op::ReduceRange) {
      notes.push_back("a reduction of a range runs in one work-item");
      return {};
    }
    if (contains_array(init.type()) || n.constant().value_or(least_for_stages) < least_for_stages) return {};
    auto operation = ir::decomposed(call.arguments[0]);
    if (!operation) {
      notes.push_back("a reduction of " + arith::to_string(n) +
                      " elements runs in one work-item: its operator is not known to be associative (say "
                      "associative(f) if it is)");
      return {};
    }
    Term neutral = neutral_of(operation->combine, init);
    if (!neutral) {
      notes.push_back(
          "a reduction of " + arith::to_string(n) +
          " elements runs in one work-item: no neutral element of its operator is known (say neutral(f, e) "
          "if e is one)");
      return {};
    }
    if (operation->prepare) x = ir::call(Op::Map, {}, {operation->prepare, x});
    if (!is_indexable(x)) {
      Term variable = ir::fresh(x.type(), "shared");
      bound.push_back({variable, map(x)});
      x = variable;
    }
    if (own_) {
      if (const auto mapped = own_(ir::call(Op::Reduce, {}, {operation->combine, init, x}))) {
        const Term total = ir::fresh(init.type(), "total");
        bound.push_back({total, *mapped});
        return total;
      }
    }
    const bool has_lanes = processor_ == target::Processor::Cpu && operation->is_commutative;
    std::int64_t items = has_lanes ? cpu_partials : most_partials;
    if (n.constant()) {
      while (items > second_stage_items && items * elements_per_item > *n.constant()) items /= 2;
    }
    Expr partial_count = arith::constant(items), per_item = arith::ceiling_quotient(n, partial_count);
    Term padded = ir::call(Op::PadValue, {0, per_item * partial_count - n}, {neutral, x});
    // Neighbouring work-items read neighbouring elements where the order does not matter.
    Term rows = operation->is_commutative
                    ? ir::call(Op::Transpose, {}, {ir::call(Op::Split, {partial_count}, {padded})})
                    : ir::call(Op::Split, {per_item}, {padded});
    auto reduce_row = [&](Type row, Term start) {
      return ir::lambda({row},
                        [&](const std::vector<Term>& r) {
                          return ir::call(Op::ReduceSeq, {}, {operation->combine, start, r[0]});
                        },
                        {"part"});
    };
    Term partial = ir::call(Op::MapGlobal, {0}, {reduce_row(ir::element_of(rows.type()), neutral), rows});
    if (has_lanes) {
      Term stretches = ir::call(Op::Split, {per_item * cpu_lanes}, {padded});
      Term in_lanes = ir::lambda(
          {ir::element_of(stretches.type())},
          [&](const std::vector<Term>& stretch) {
            Term lanes = ir::call(Op::Transpose, {}, {ir::call(Op::Split, {cpu_lanes}, {stretch[0]})});
            return ir::call(Op::MapGlobal, {0}, {reduce_row(ir::element_of(lanes.type()), neutral), lanes});
          },
          {"stretch"});
      partial = ir::call(Op::Join, {}, {ir::call(Op::MapGlobal, {1}, {in_lanes, stretches})});
    }
    Term partials = ir::fresh(partial.type(), "partials");
    bound.push_back({partials, partial});

    Term one_group = ir::call(Op::Split, {partial_count}, {partials});
    Term in_group = ir::lambda(
        {ir::element_of(one_group.type())},
        [&](const std::vector<Term>& group) {
          Term parts = ir::call(Op::Split, {arith::constant(items / second_stage_items)}, {group[0]});
          Term local = ir::call(
              Op::ToLocal, {},
              {ir::call(Op::MapLocal, {0}, {reduce_row(ir::element_of(parts.type()), neutral), parts})});
          return ir::call(Op::ReduceSeq, {}, {operation->combine, init, local});
        },
        {"group"});
    Term total = ir::call(Op::MapGroup, {0}, {in_group, one_group});
    return ir::call(Op::At, {}, {ir::literal(ScalarValue::of_integer(Scalar::I32, 0)), total});
  }

  target::Processor processor_;
  NestMapping own_;
};

}  // namespace

Term map_by_default(Term term, target::Processor processor, std::vector<std::string>& notes,
                    const NestMapping& own) {
  Mapper mapper(processor, own);
  const Term mapped = mapper.map(term);
  notes.insert(notes.end(), mapper.notes.begin(), mapper.notes.end());
  return mapped;
}

Result<MappedProgram> default_mapping(const ir::Program& program, target::Processor processor) {
  return catch_failure([&] {
    if (ir::has_parallel_map(program.function)) return MappedProgram{program, {}};
    auto* function = program.function.as<ir::Lambda>();
    std::vector<Term> parameters;
    for (std::size_t i = 0; i < function->parameters.size(); ++i) {
      parameters.push_back(ir::fresh(function->parameters[i], program.parameters[i].name));
    }
    Mapper mapper(processor);
    Term body = mapper.map(in_stages(ir::apply(program.function, parameters), mapper.notes));
    MappedProgram mapped{program, {}};
    mapped.program.function = ir::lambda(parameters, body);
    mapped.notes = std::move(mapper.notes);
    return mapped;
  });
}

}  // namespace hoist::rewrite
