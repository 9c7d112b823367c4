#include "equivalence/pipeline_generator.hpp"

namespace hoist::testing_support {

// ---- Types.

int PipelineGenerator::some_extent() {
  // Long arrays are not computed for each element of others.
  if (chance(0.4) && runs_ * length_ < 200'000) return length_;
  return pick({1, 2, 3, 4, 6, 8, 13, 16, 40});
}

Scalar PipelineGenerator::some_integer() {
  if (chance(0.7)) return integer_;
  return pick({Scalar::I32, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::U8, Scalar::I8, Scalar::I16,
               Scalar::U16, Scalar::U64});
}

Type PipelineGenerator::some_scalar() { return chance(0.08) ? bool_type : scalar_type(some_integer()); }

Type PipelineGenerator::some_element() {
  return chance(0.75) ? some_scalar() : tuple_of({some_scalar(), some_scalar()});
}

// ---- Scope.

Code PipelineGenerator::repeated(double times, const Body& body) {
  const double outer = runs_;
  runs_ *= times;
  Code made = body();
  runs_ = outer;
  return made;
}

std::optional<Code> PipelineGenerator::variable(const Type& type) {
  std::vector<Code> found;
  for (const Variable& each : scope_) {
    if (each.type == type) found.push_back(both(each.name));
    if (!each.type.is_tuple()) continue;
    for (std::size_t part = 0; part < each.type.parts.size(); ++part) {
      if (each.type.parts[part] == type) {
        found.push_back({fmt::format("{}.{}", each.name, part), fmt::format("{}[{}]", each.name, part)});
      }
    }
  }
  if (found.empty()) return std::nullopt;
  // The innermost more often, so that stages use what the stage before them made.
  if (chance(0.5)) return found.back();
  return found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
}

Code PipelineGenerator::lambda(const std::vector<Type>& parameters, const Body& body, Parameters how) {
  const std::size_t outer = scope_.size();
  Code patterns;
  std::string inner, arguments;
  for (const Type& type : parameters) {
    const std::string name = fresh("x");
    Code components;
    const bool must_be_apart = how == Parameters::Apart && type.parts.size() == 2;
    if (type.is_tuple() && (must_be_apart || chance(0.5))) {
      for (const Type& part : type.parts) {
        const std::string component = fresh("c");
        scope_.push_back({component, part});
        append(components, both(component));
      }
      append(patterns, {"(" + components.hoist + ")", name});
      arguments += (arguments.empty() ? "*" : ", *") + name;
    } else {
      scope_.push_back({name, type});
      components = both(name);
      const bool is_typed = how == Parameters::Typed && type.is_array();
      append(patterns, {is_typed ? name + ": " + text_of(type) : name, name});
      arguments += (arguments.empty() ? "" : ", ") + name;
    }
    inner += (inner.empty() ? "" : ", ") + components.numpy;
  }
  Code made = body();
  scope_.resize(outer);
  if (parameters.size() > 1 || how == Parameters::Typed) patterns.hoist = "(" + patterns.hoist + ")";
  if (inner != patterns.numpy) made.numpy = fmt::format("(lambda {}: {})({})", inner, made.numpy, arguments);
  return form("({} => {})", "(lambda {}: {})", {patterns, made});
}

Code PipelineGenerator::named(const std::string& name, const Code& value,
                              const std::function<Code(const Code&)>& body) {
  const Code rest = body(both(name));
  return {fmt::format("(let {} = {} in {})", name, value.hoist, rest.hoist),
          fmt::format("(lambda {}: {})({})", name, rest.numpy, value.numpy)};
}

Code PipelineGenerator::let(const Type& type, const Code& value, const Body& body) {
  return named(fresh("v"), value, [&](const Code& name) {
    scope_.push_back({name.hoist, type});
    Code rest = body();
    scope_.pop_back();
    return rest;
  });
}

// ---- Scalars.

Code PipelineGenerator::literal(Scalar type) {
  if (type == Scalar::Bool) return chance(0.5) ? Code{"true", "true"} : Code{"false", "false"};
  if (chance(0.15)) {
    const bool is_least = hoist::is_signed(type) && chance(0.5);
    const std::int64_t extreme = is_least ? smallest(type) : largest(type);
    return number(type, digits_of(ScalarValue::of_integer(type, extreme)));
  }
  const int value = below(9);
  return number(type, hoist::is_signed(type) && chance(0.3) ? -value : value);
}

Code PipelineGenerator::scalar(Scalar type, int fuel) {
  ++size_;
  const Type whole = scalar_type(type);
  if (is_exhausted(fuel) || chance(0.15)) {
    if (chance(0.8)) {
      if (auto found = variable(whole)) return *found;
    }
    return literal(type);
  }
  switch (below(16)) {
    case 0:
      return choice(whole, fuel);
    case 1:
      return reduction(whole, fuel);
    case 2:
      return component(whole, fuel);
    case 3:
      return element_of(whole, fuel);
    case 4: {
      if (!chance(0.5)) return element_if_inside(whole, fuel);
      const Type state = chance(0.5) ? whole : tuple_of({whole, some_scalar()});
      const Code last = iterated_state(state, fuel);
      return state.is_tuple() ? form("{}.0", "{}[0]", {last}) : last;
    }
    default:
      return type == Scalar::Bool ? truth(fuel) : arithmetic(type, fuel);
  }
}

Code PipelineGenerator::arithmetic(Scalar type, int fuel) {
  const Code first = scalar(type, fuel - 1);
  switch (below(12)) {
    case 0:
      return form("({} + {})", "({} + {})", {first, scalar(type, fuel - 1)});
    case 1:
      return form("({} - {})", "({} - {})", {first, scalar(type, fuel - 1)});
    case 2:
      return form("({} * {})", "({} * {})", {first, scalar(type, fuel - 1)});
    case 3: {
      const std::string function = pick({"min", "max", "bit_and", "bit_or", "bit_xor"});
      return form(function + "({}, {})", function + "_({}, {})", {first, scalar(type, fuel - 1)});
    }
    case 4:
      return form("({} / {})", "divide({}, {})", {first, divisor(type, fuel)});
    case 5:
      return form("({} % {})", "remainder({}, {})", {first, divisor(type, fuel)});
    case 6:
      return form("abs({})", "absolute({})", {first});
    case 7:
      return hoist::is_signed(type) ? form("(-{})", "negative({})", {first})
                                    : form("(~{})", "bit_not_({})", {first});
    case 8: {
      const std::string function = pick({"shl", "shr"});
      const int bits = 8 * static_cast<int>(size_of(type));
      const Code computed =
          form("bit_and({}, {})", "bit_and_({}, {})", {scalar(type, fuel - 2), number(type, bits - 1)});
      const Code by = chance(0.3) ? computed : number(type, below(bits));
      return form(function + "({}, {})", function + "_({}, {})", {first, by});
    }
    case 9:
    case 10: {
      const std::string to(name_of(type));
      return form(to + "({})", "convert(" + to + ", {})", {scalar(some_integer(), fuel - 1)});
    }
    default: {
      // Overflow that an optimizer might think away.
      const Code factor = number(type, 2 + below(3));
      return form("(({0} * {1}) / {1})", "divide({0} * {1}, {1})", {first, factor});
    }
  }
}

Code PipelineGenerator::divisor(Scalar type, int fuel) {
  if (chance(0.3)) return form("max({}, {})", "max_({}, {})", {scalar(type, fuel - 2), number(type, 1)});
  // An odd number is none that a compiler can tell from zero.
  if (chance(0.2))
    return form("bit_or({}, {})", "bit_or_({}, {})", {scalar(type, fuel - 2), number(type, 1)});
  if (hoist::is_signed(type) && chance(0.3)) return number(type, pick({-1, -1, -2, -5}));
  return number(type, pick({2, 3, 5, 7, 10, 16}));
}

Code PipelineGenerator::truth(int fuel) {
  switch (below(7)) {
    case 0: {
      const Code first = scalar(Scalar::Bool, fuel - 1);
      return form("({} && {})", "logical_and({}, {})", {first, scalar(Scalar::Bool, fuel - 1)});
    }
    case 1: {
      const Code first = scalar(Scalar::Bool, fuel - 1);
      return form("({} || {})", "logical_or({}, {})", {first, scalar(Scalar::Bool, fuel - 1)});
    }
    case 2:
      return form("(!{})", "logical_not({})", {scalar(Scalar::Bool, fuel - 1)});
    case 3: {
      // What is true of whole numbers only.
      const Code value = scalar(integer_, fuel - 1);
      const bool is_sum = chance(0.5);
      return named(fresh("v"), value, [&](const Code& e) {
        if (is_sum) return form("({0} + {1} > {0})", "({0} + {1} > {0})", {e, number(integer_, 1)});
        return form("(abs({}) >= {})", "(absolute({}) >= {})", {e, number(integer_, 0)});
      });
    }
    default: {
      const Scalar of = some_integer();
      const std::string compared = "({} " + pick({"<", "<=", ">", ">=", "==", "!="}) + " {})";
      const Code first = scalar(of, fuel - 1);
      return form(compared, compared, {first, scalar(of, fuel - 1)});
    }
  }
}

Code PipelineGenerator::index(int fuel) {
  if (chance(0.4)) return number(Scalar::I32, below(length_ + 2) - 1);
  return scalar(Scalar::I32, fuel);
}

Code PipelineGenerator::index_inside(int n, int fuel) {
  if (chance(0.5)) return both(std::to_string(below(n)));
  if (n >= 16 && chance(0.3)) {
    return form("bit_and({}, {})", "bit_and_({}, {})", {scalar(Scalar::I32, fuel), number(Scalar::I32, 15)});
  }
  const std::string inside = fmt::format("max(0, min({}, {{}}))", n - 1);
  return form(inside, inside, {scalar(Scalar::I32, fuel)});
}

// ---- Values of any type.

Code PipelineGenerator::value(const Type& type, int fuel) {
  if (type.is_scalar()) return scalar(type.scalar, fuel);
  return type.is_tuple() ? tuple(type, fuel) : array(type, fuel);
}

Code PipelineGenerator::choice(const Type& type, int fuel) {
  return form("(if {0} then {1} else {2})", "({1} if {0} else {2})",
              {scalar(Scalar::Bool, fuel - 2), value(type, fuel - 1), value(type, fuel - 1)});
}

Code PipelineGenerator::component(const Type& type, int fuel) {
  if (chance(0.5)) return form("{}.0", "{}[0]", {tuple(tuple_of({type, some_scalar()}), fuel - 1)});
  return form("{}.1", "{}[1]", {tuple(tuple_of({some_scalar(), type}), fuel - 1)});
}

Code PipelineGenerator::element_of(const Type& type, int fuel) {
  const int n = scalars_in(type) > 20 ? small_extent() : some_extent();
  const Code whole = array(array_of(n, type), fuel - 1);
  return form("{}[{}]", "element({}, {})", {whole, index_inside(n, fuel - 2)});
}

Code PipelineGenerator::element_if_inside(const Type& type, int fuel) {
  const int n = some_extent();
  const Code whole = array(array_of(n, type), fuel - 1);
  const Code otherwise = value(type, 1);
  return named(fresh("v"), scalar(Scalar::I32, fuel - 2), [&](const Code& i) {
    return form("(if 0 <= {0} && {0} < {1} then {2}[{0}] else {3})",
                "(element({2}, {0}) if 0 <= {0} < {1} else {3})",
                {i, both(std::to_string(n)), whole, otherwise});
  });
}

Code PipelineGenerator::tuple(const Type& type, int fuel) {
  ++size_;
  if (is_exhausted(fuel) || chance(0.2)) {
    if (auto found = variable(type)) return *found;
  }
  if (!is_exhausted(fuel)) {
    if (chance(0.1)) return choice(type, fuel);
    if (chance(0.15)) return reduction(type, fuel);
    if (chance(0.08)) return element_of(type, fuel);
    if (chance(0.08)) return iterated_state(type, fuel);
  }
  Code parts;
  for (const Type& part : type.parts) append(parts, value(part, fuel - 1));
  return form("({})", "({})", {parts});
}

}  // namespace hoist::testing_support
