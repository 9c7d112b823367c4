// Taking the function of a map apart: there are as many ways as its body is deep, which no pattern can say.
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

using ir::Term;

namespace {

/// x |> map(e => P(D(e))) where e occurs in P nowhere but in its data D(e), and D(e) is more than e.
Outcome map_fission(Term term, Context&) {
  const auto* map = term.as<ir::Call>();
  if (map == nullptr || map->op != ir::Op::Map) return declined("map_fission: it is no map");
  const auto* function = map->arguments[0].as<ir::Lambda>();
  const auto* outer = function->body.as<ir::Call>();
  if (outer == nullptr) return declined("map_fission: the function's result is not computed by a pattern");
  const Term data = outer->arguments.back();
  if (data.as<ir::Bound>() != nullptr || ir::occurrences(data, 0) == 0)
    return declined(
        "map_fission: the last pattern of the function is not applied to something computed from the "
        "element");
  std::vector<Term> rest(outer->arguments.begin(), outer->arguments.end() - 1);
  for (Term each : rest) {
    if (ir::occurrences(each, 0) > 0)
      return declined("map_fission: the last pattern of the function uses the element itself");
  }
  // In the second function the new parameter takes the element's index.
  rest.push_back(ir::bound(0, data.type()));
  const Term second = ir::raw_lambda({data.type()}, ir::call(outer->op, outer->sizes, rest), {"e"});
  const Term first = ir::raw_lambda(function->parameters, data, function->names);
  return ir::call(ir::Op::Map, {}, {second, ir::call(ir::Op::Map, {}, {first, map->arguments[1]})});
}

constexpr RuleText rules[] = {
    {.name = "map_fission",
     .law = "x |> map(e => g(h(e))) ==> x |> map(h) |> map(g)",
     .function = map_fission},
};

}  // namespace

std::span<const RuleText> fission_rules() { return rules; }

}  // namespace hoist::rewrite
