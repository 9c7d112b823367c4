// The most general type of a rule's left side: type inference by unification.
//
// Every metavariable begins with an unknown type. Walking the left side, `Inference` unifies the unknowns
// with what the primitives' schemes, the declared shapes and the conditions ask for; sizes are unified by
// solving equations. What is open at the end may be any type: `infer_types` asks its caller for one.
// `check_types` makes an instance with symbolic sizes, rewrites it and compares the types of both sides, when
// the rules are read; the tests make their random programs from the same inference.
#include "rewrite/pattern_types.hpp"

#include <deque>
#include <map>

#include "base/error.hpp"
#include "ir/scheme_parse.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;
using ir::Type;

namespace {

/// A type that is not known yet, or only in part.
struct Unknown {
  enum class Kind { Open, Scalar, Vector, Tuple, Array } kind = Kind::Open;
  bool is_scalar = false;  ///< Open: only a scalar will do
  Type known;              ///< Scalar, where it is given
  Expr size;               ///< Array, Vector
  std::vector<Unknown*> elements;
  Unknown* same_as = nullptr;
};

[[noreturn]] void ill_typed(const std::string& what) { throw_user("the left side has no type: " + what); }

class Inference {
 public:
  explicit Inference(const Rule& rule) : law_(rule.law) {
    for (const Metavariable& each : law_.metavariables) {
      data_.push_back(open());
      functions_.emplace_back();
      for (std::uint32_t i = 0; i < each.parameters; ++i) functions_.back().push_back(open());
      const bool is_size = each.kind == Metavariable::Kind::Size;
      sizes_.push_back(!is_size ? Expr() : each.is_chosen ? arith::parameter(each.name) : fresh_size());
    }
    for (const Law::Given& given : law_.given) unify(data_[given.metavariable], shaped(given.shape));
    value(law_.left);
    for (const Condition& condition : rule.conditions) restrict(condition);
    restrict_vectorized(law_.right);
  }

  InferredTypes result(const std::function<Type()>& element) {
    InferredTypes inferred;
    for (std::size_t i = 0; i < law_.metavariables.size(); ++i) {
      const Metavariable& each = law_.metavariables[i];
      Type type;
      if (each.kind == Metavariable::Kind::Data) type = concrete(data_[i], element);
      if (each.kind == Metavariable::Kind::Function) {
        std::vector<Type> parameters;
        for (Unknown* parameter : functions_[i]) parameters.push_back(concrete(parameter, element));
        type = ir::function_type(std::move(parameters), concrete(data_[i], element));
      }
      inferred.types.push_back(type);
      inferred.sizes.push_back(sizes_[i] ? resolved(sizes_[i]) : Expr());
    }
    return inferred;
  }

 private:
  // ---- Making and comparing.
  Unknown* open(bool is_scalar = false) {
    unknowns_.push_back({});
    unknowns_.back().is_scalar = is_scalar;
    return &unknowns_.back();
  }
  Unknown* array(Expr size, Unknown* element) {
    Unknown* result = open();
    result->kind = Unknown::Kind::Array;
    result->size = size;
    result->elements = {element};
    return result;
  }
  Unknown* tuple(std::vector<Unknown*> elements) {
    Unknown* result = open();
    result->kind = Unknown::Kind::Tuple;
    result->elements = std::move(elements);
    return result;
  }
  Unknown* scalar(Type type) {
    Unknown* result = open();
    result->kind = Unknown::Kind::Scalar;
    result->known = type;
    return result;
  }
  Expr fresh_size() { return arith::size("n" + std::to_string(++count_)); }

  static Unknown* end_of(Unknown* type) {
    while (type->same_as != nullptr) type = type->same_as;
    return type;
  }
  void unify(Unknown* a, Unknown* b) {
    a = end_of(a);
    b = end_of(b);
    if (a == b) return;
    if (b->kind == Unknown::Kind::Open) std::swap(a, b);
    if (a->kind == Unknown::Kind::Open) {
      if (a->is_scalar && (b->kind == Unknown::Kind::Array || b->kind == Unknown::Kind::Tuple))
        ill_typed("a scalar is wanted");
      b->is_scalar = b->is_scalar || a->is_scalar;
      a->same_as = b;
      return;
    }
    if (a->kind != b->kind || a->elements.size() != b->elements.size()) ill_typed("two types differ");
    if (a->kind == Unknown::Kind::Scalar && a->known != b->known) ill_typed("two scalars differ");
    if (a->size) unify(a->size, b->size);
    a->same_as = b;
    for (std::size_t i = 0; i < a->elements.size(); ++i) unify(a->elements[i], b->elements[i]);
  }

  Expr resolved(Expr size) const {
    for (;;) {
      const Expr next = arith::substitute(size, replaced_);
      if (next == size) return size;
      size = next;
    }
  }
  void unify(Expr a, Expr b) {
    a = resolved(a);
    b = resolved(b);
    if (arith::equal(a, b) == arith::Truth::Yes) return;
    for (const auto& [variable, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (variable.kind() == arith::Kind::Variable && !arith::contains(other, variable)) {
        replaced_[variable.get()] = other;
        return;
      }
    }
    for (Expr side : {a, b}) {
      for (Expr variable : arith::variables(side)) {
        const Expr solution = arith::solve(a, b, variable);
        if (!solution || arith::contains(solution, variable)) continue;
        replaced_[variable.get()] = solution;
        return;
      }
    }
    ill_typed("the sizes " + arith::to_string(a) + " and " + arith::to_string(b) + " cannot be made equal");
  }
  Expr value_of(const SizePattern& size) {
    Bindings bindings;
    bindings.sizes = sizes_;
    return size_of(size, bindings);
  }

  // ---- Patterns.
  Unknown* value(const Pattern& pattern) {
    using Kind = Pattern::Kind;
    switch (pattern.kind) {
      case Kind::Data:
        return data_[pattern.index];
      case Kind::Variable:
        return variables_[pattern.index];
      case Kind::Apply:
        for (std::size_t i = 0; i < pattern.children.size(); ++i) {
          unify(functions_[pattern.index][i], value(pattern.children[i]));
        }
        return data_[pattern.index];
      case Kind::Call:
        return call(pattern);
      case Kind::Scalar: {
        Unknown* operands = open(true);
        for (const Pattern& each : pattern.children) unify(operands, value(each));
        return info(pattern.scalar).gives_bool ? scalar(ir::scalar_type(Scalar::Bool)) : operands;
      }
      case Kind::Tuple: {
        std::vector<Unknown*> components;
        for (const Pattern& each : pattern.children) components.push_back(value(each));
        return tuple(std::move(components));
      }
      case Kind::Get: {
        Unknown* whole = end_of(value(pattern.children[0]));
        if (whole->kind == Unknown::Kind::Open) unify(whole, tuple({open(), open()}));
        whole = end_of(whole);
        if (whole->kind != Unknown::Kind::Tuple || pattern.index >= whole->elements.size())
          ill_typed("a tuple is wanted");
        return whole->elements[pattern.index];
      }
      case Kind::Let: {
        Unknown* bound = value(pattern.children[0]);
        Unknown* result = open();
        function(pattern.children[1], {bound}, result);
        return result;
      }
      case Kind::SizeValue:
        return scalar(ir::scalar_type(Scalar::I32));
      default:
        ill_typed("a function is no value");
    }
  }

  void function(const Pattern& pattern, const std::vector<Unknown*>& parameters, Unknown* result) {
    if (pattern.kind == Pattern::Kind::Function) {
      for (std::size_t i = 0; i < parameters.size(); ++i) unify(functions_[pattern.index][i], parameters[i]);
      unify(data_[pattern.index], result);
      return;
    }
    variables_.insert(variables_.end(), parameters.begin(), parameters.end());
    unify(value(pattern.children[0]), result);
    variables_.resize(variables_.size() - parameters.size());
  }

  Unknown* call(const Pattern& pattern) {
    if (pattern.op == Op::Zip) {
      const Expr length = fresh_size();
      std::vector<Unknown*> components;
      for (const Pattern& each : pattern.children) {
        components.push_back(open());
        unify(value(each), array(length, components.back()));
      }
      return array(length, tuple(std::move(components)));
    }
    if (pattern.op == Op::Unzip) {
      Unknown* of = end_of(value(pattern.children[0]));
      if (of->kind == Unknown::Kind::Open) unify(of, array(fresh_size(), tuple({open(), open()})));
      of = end_of(of);
      Unknown* element = end_of(of->elements[0]);
      std::vector<Unknown*> components;
      for (Unknown* each : element->elements) components.push_back(array(of->size, each));
      return tuple(std::move(components));
    }
    if (pattern.op == Op::Iterate) {
      Unknown* state = value(pattern.children[1]);
      function(pattern.children[0], {state}, state);
      return state;
    }
    const ir::Scheme& scheme = ir::scheme_of(pattern.op);
    Letters letters;
    std::size_t next_size = 0, next_child = 0;
    for (const bool wants_function : {false, true}) {
      next_child = 0;
      for (std::size_t i = 0; i < scheme.arguments.size(); ++i) {
        const ir::SchemeArgument& argument = scheme.arguments[i];
        if (argument.is_static()) {
          if (wants_function) continue;
          const Expr size = value_of(pattern.sizes[next_size++]);
          letters.sizes[argument.name[0]] = size;
          if (argument.kind != ir::ArgumentKind::Size && !resolved(size).constant()) unify(size, 0);
          continue;
        }
        const Pattern& child = pattern.children[next_child++];
        if ((argument.kind == ir::ArgumentKind::Function) != wants_function) continue;
        if (wants_function) {
          std::vector<Unknown*> parameters;
          for (const ir::TypePattern& each : scheme.functions[i].parameters)
            parameters.push_back(type(each, letters));
          function(child, parameters, type(scheme.functions[i].result[0], letters));
        } else if (argument.kind == ir::ArgumentKind::Index) {
          unify(value(child), scalar(ir::scalar_type(Scalar::I32)));
        } else {
          unify(value(child), type(scheme.data[i], letters));
        }
      }
    }
    return type(scheme.result[0], letters);
  }

  struct Letters {
    std::map<char, Expr> sizes;
    std::map<char, Unknown*> types;
  };
  Unknown* type(const ir::TypePattern& pattern, Letters& letters) {
    switch (pattern.kind) {
      case ir::TypePattern::Kind::Scalar:
        return scalar(ir::scalar_type(pattern.scalar));
      case ir::TypePattern::Kind::Letter: {
        Unknown*& letter = letters.types[pattern.letter];
        if (letter == nullptr) letter = open(pattern.letter == 's');
        return letter;
      }
      case ir::TypePattern::Kind::Vector: {
        Unknown*& letter = letters.types[pattern.letter];
        if (letter == nullptr) letter = open(true);
        Unknown* result = open();
        result->kind = Unknown::Kind::Vector;
        result->size = size(pattern.size[0], letters);
        result->elements = {letter};
        return result;
      }
      default:
        return array(size(pattern.size[0], letters), type(pattern.elements[0], letters));
    }
  }
  Expr size(const ir::SizePattern& pattern, Letters& letters) {
    using Kind = ir::SizePattern::Kind;
    if (pattern.kind == Kind::Constant) return pattern.value;
    if (pattern.kind == Kind::Letter) {
      Expr& letter = letters.sizes[pattern.letter];
      if (!letter) letter = fresh_size();
      return letter;
    }
    const Expr a = resolved(size(pattern.operands[0], letters)),
               b = resolved(size(pattern.operands[1], letters));
    switch (pattern.kind) {
      case Kind::Add:
        return a + b;
      case Kind::Subtract:
        return a - b;
      case Kind::Multiply:
        return a * b;
      case Kind::Divide:
        return a / b;
      default:
        return arith::exact_quotient(a, b);
    }
  }

  // ---- What else a rule says.
  Unknown* shaped(const TypeShape& shape) {
    if (shape.kind == TypeShape::Kind::Any) return open();
    return array(shape.size.empty() ? fresh_size() : value_of(shape.size[0]), shaped(shape.elements[0]));
  }
  void restrict(const Condition& condition) {
    using Kind = Condition::Kind;
    const auto operands_agree = [&] {
      const std::uint32_t f = condition.terms[0];
      unify(functions_[f][0], data_[f]);
      unify(functions_[f][1], data_[f]);
    };
    if (condition.kind == Kind::Scalars) unify(data_[condition.terms[0]], array(fresh_size(), open(true)));
    if (condition.kind == Kind::Width) {
      Unknown* vector = open();
      vector->kind = Unknown::Kind::Vector;
      vector->size = value_of(condition.sizes[0]);
      vector->elements = {open(true)};
      unify(data_[condition.terms[0]], array(fresh_size(), vector));
    }
    if (condition.kind == Kind::IsScalar) unify(data_[condition.terms[0]], open(true));
    if (condition.kind == Kind::Associative || condition.kind == Kind::Commutative) operands_agree();
    if (condition.kind == Kind::Neutral) {
      operands_agree();
      unify(data_[condition.terms[0]], open(true));
    }
  }
  void restrict_vectorized(const Pattern& pattern) {
    if (pattern.kind == Pattern::Kind::Vectorize) {
      const std::uint32_t f = pattern.children[0].index;
      unify(data_[f], open(true));
      for (Unknown* parameter : functions_[f]) {
        parameter = end_of(parameter);
        if (parameter->kind != Unknown::Kind::Tuple) {
          unify(parameter, open(true));
          continue;
        }
        for (Unknown* component : parameter->elements) unify(component, open(true));
      }
    }
    for (const Pattern& child : pattern.children) restrict_vectorized(child);
  }

  Type concrete(Unknown* unknown, const std::function<Type()>& element) {
    unknown = end_of(unknown);
    switch (unknown->kind) {
      case Unknown::Kind::Open: {
        Type chosen = element();
        if (unknown->is_scalar) chosen = ir::scalar_type(ir::leaves(chosen)[0].scalar);
        // The same type wherever this one occurs.
        Unknown* settled = open();
        *settled = of_type(chosen);
        unknown->same_as = settled;
        return chosen;
      }
      case Unknown::Kind::Scalar:
        return unknown->known;
      case Unknown::Kind::Vector:
        return ir::vector_type(concrete(unknown->elements[0], element)->scalar, resolved(unknown->size));
      case Unknown::Kind::Tuple: {
        std::vector<Type> components;
        for (Unknown* each : unknown->elements) components.push_back(concrete(each, element));
        return ir::tuple_type(std::move(components));
      }
      default:
        return ir::array_type(resolved(unknown->size), concrete(unknown->elements[0], element));
    }
  }
  Unknown of_type(Type type) {
    Unknown result;
    if (ir::is_scalar(type)) {
      result.kind = Unknown::Kind::Scalar;
      result.known = type;
      return result;
    }
    result.kind = ir::is_tuple(type) ? Unknown::Kind::Tuple : Unknown::Kind::Array;
    result.size = type->size;
    for (Type each : type->elements) {
      unknowns_.push_back(of_type(each));
      result.elements.push_back(&unknowns_.back());
    }
    return result;
  }

  const Law& law_;
  std::deque<Unknown> unknowns_;
  std::vector<Unknown*> data_;                    ///< by metavariable; a function's result
  std::vector<std::vector<Unknown*>> functions_;  ///< by metavariable: its parameters
  std::vector<Expr> sizes_;                       ///< by metavariable
  std::vector<Unknown*> variables_;
  arith::Substitution replaced_;
  int count_ = 0;
};

/// A function of this type that nothing is known of.
Term opaque_function(Type type) {
  std::vector<Type> parameters(type->elements.begin(), type->elements.end() - 1);
  return ir::raw_lambda(std::move(parameters), ir::fresh(type->elements.back(), "result"), {}, {true, true});
}

}  // namespace

InferredTypes infer_types(const Rule& rule, const std::function<Type()>& element) {
  return Inference(rule).result(element);
}

void check_types(const Rule& rule) {
  const Law& law = rule.law;
  const InferredTypes inferred = infer_types(rule, [] { return ir::scalar_type(Scalar::F32); });
  Bindings sample;
  sample.sizes = inferred.sizes;
  for (std::size_t i = 0; i < law.metavariables.size(); ++i) {
    const Type type = inferred.types[i];
    const bool is_function = law.metavariables[i].kind == Metavariable::Kind::Function;
    sample.terms.push_back(!type         ? Term()
                           : is_function ? opaque_function(type)
                                         : ir::fresh(type, law.metavariables[i].name));
  }
  const Term left = instantiate(law, law.left, sample);
  Bindings matched;
  if (!match(law, left, matched)) throw_user("the left side does not match an instance of itself");
  for (std::size_t i = 0; i < law.metavariables.size(); ++i) {
    const Metavariable& each = law.metavariables[i];
    if (each.is_chosen) matched.sizes[i] = arith::parameter(each.name);
    const bool is_size = each.kind == Metavariable::Kind::Size;
    if (is_size ? !matched.sizes[i] : !matched.terms[i])
      throw_user("nothing on the left side binds " + each.name);
  }
  const Term right = instantiate(law, matched);
  if (!ir::is_equal(left.type(), right.type())) {
    throw_user("the left side is " + ir::to_string(left.type()) + ", the right side " +
               ir::to_string(right.type()));
  }
}

}  // namespace hoist::rewrite
