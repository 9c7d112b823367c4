#include "lower/ownership.hpp"

#include <algorithm>
#include <optional>

#include "ir/inspect.hpp"
#include "lower/memory_needs.hpp"

namespace hoist::lower {

using ir::Op;

int uses(ir::Term term, std::uint32_t index) {
  if (term->loose <= index) return 0;
  if (auto* variable = term.as<ir::Bound>()) return variable->index == index ? 1 : 0;
  if (auto* lambda = term.as<ir::Lambda>()) {
    return 2 * uses(lambda->body, index + static_cast<std::uint32_t>(lambda->parameters.size()));
  }
  if (auto* let = term.as<ir::Let>()) {
    return std::min(2, uses(let->value, index) + uses(let->body.as<ir::Lambda>()->body, index + 1));
  }
  int total = 0;
  for (ir::Term child : ir::children(term)) total += uses(child, index);
  return std::min(total, 2);
}

int component_uses(ir::Term term, std::uint32_t index, std::uint32_t component) {
  if (term->loose <= index) return 0;
  if (auto* variable = term.as<ir::Bound>()) return variable->index == index ? 2 : 0;
  if (auto* get = term.as<ir::Get>()) {
    auto* variable = get->tuple.as<ir::Bound>();
    if (variable && variable->index == index) return get->index == component ? 1 : 0;
  }
  if (auto* lambda = term.as<ir::Lambda>()) {
    return 2 * component_uses(lambda->body, index + static_cast<std::uint32_t>(lambda->parameters.size()),
                              component);
  }
  if (auto* let = term.as<ir::Let>()) {
    return std::min(2, component_uses(let->value, index, component) +
                           component_uses(let->body.as<ir::Lambda>()->body, index + 1, component));
  }
  int total = 0;
  for (ir::Term child : ir::children(term)) total += component_uses(child, index, component);
  return std::min(total, 2);
}

namespace {

/// Follows a variable, or one component of it, to the place where it is used.
class Follower {
 public:
  static bool follow(ir::Term body, std::uint32_t index, std::optional<std::uint32_t> component) {
    const int count = component ? component_uses(body, index, *component) : uses(body, index);
    return count == 0 || (count == 1 && descend(body, index, component));
  }

 private:
  static bool is_in(ir::Term term, std::uint32_t index, std::optional<std::uint32_t> component) {
    return (component ? component_uses(term, index, *component) : uses(term, index)) > 0;
  }

  static bool descend(ir::Term term, std::uint32_t index, std::optional<std::uint32_t> component) {
    if (auto* let = term.as<ir::Let>()) {
      ir::Term body = let->body.as<ir::Lambda>()->body;
      if (is_in(let->value, index, component))
        return follow(body, 0, std::nullopt) && descend(let->value, index, component);
      return descend(body, index + 1, component);
    }
    auto* call = term.as<ir::Call>();
    if (!call) {
      for (ir::Term child : ir::children(term)) {
        if (is_in(child, index, component)) return descend(child, index, component);
      }
      return true;
    }
    if (ir::is_reduce(call->op)) {
      // As data its elements are bound by a function that may use them twice.
      return !is_in(call->arguments.back(), index, component) && is_only_in(*call, 1, index, component);
    }
    if (ir::is_map(call->op)) return is_mapped(*call, index, component);
    const bool only_moves = ir::is_view(call->op) || ir::is_address_space(call->op) ||
                            ir::is_schedule(call->op) || call->op == Op::Pitch;
    if (!only_moves) return false;
    for (ir::Term argument : call->arguments) {
      if (is_in(argument, index, component)) return descend(argument, index, component);
    }
    return true;
  }

  static bool is_only_in(const ir::Call& call, std::size_t position, std::uint32_t index,
                         std::optional<std::uint32_t> component) {
    return is_in(call.arguments[position], index, component) &&
           descend(call.arguments[position], index, component);
  }

  /// The variable is what a map is over, or zipped to it: its elements are a parameter, or a component of
  /// one.
  static bool is_mapped(const ir::Call& map, std::uint32_t index, std::optional<std::uint32_t> component) {
    ir::Term body = map.arguments[0].as<ir::Lambda>()->body;
    ir::Term domain = map.arguments[1];
    if (!is_in(domain, index, component)) return false;
    auto* zip = domain.as<ir::Call>();
    if (!zip || zip->op != Op::Zip) return descend(domain, index, component) && follow(body, 0, std::nullopt);
    for (std::uint32_t c = 0; c < zip->arguments.size(); ++c) {
      if (is_in(zip->arguments[c], index, component))
        return descend(zip->arguments[c], index, component) && follow(body, 0, c);
    }
    return false;
  }
};

}  // namespace

bool makes_memory(ir::Term term) {
  while (auto* call = term.as<ir::Call>()) {
    if (is_producer(term)) return true;
    const bool is_same_memory =
        ir::is_view(call->op) || ir::is_address_space(call->op) || call->op == Op::Map;
    if (!is_same_memory) return false;
    term = call->arguments.back();
  }
  return false;
}

bool is_used_once(ir::Term body, std::uint32_t index) { return Follower::follow(body, index, std::nullopt); }

}  // namespace hoist::lower
