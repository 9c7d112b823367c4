#include "lang/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/spelling.hpp"
#include "lang/lang.hpp"

namespace hoist::lang {
namespace {

using namespace syntax;

constexpr std::pair<std::string_view, Word> meanings_of_words[] = {
    {"id", Word::Identity},
    {"associative", Word::Associative},
    {"commutative", Word::Commutative},
    {"vectorize", Word::Vectorize},
    {"size", Word::Size},
    {"ceildiv", Word::CeilingDivide},
    {"exactdiv", Word::ExactDivide},
    {"clamp", Word::Clamp},
    {"mirror", Word::Mirror},
    {"wrap", Word::Wrap},
    {"reflect", Word::Reflect},
    {"neutral", Word::Neutral},
};

void add_once(std::vector<std::string_view>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::optional<ir::Boundary> boundary_named(Word word) {
  switch (word) {
    case Word::Clamp:
      return ir::Boundary::Clamp;
    case Word::Mirror:
      return ir::Boundary::Mirror;
    case Word::Wrap:
      return ir::Boundary::Wrap;
    case Word::Reflect:
      return ir::Boundary::Reflect;
    case Word::Identity:
    case Word::Associative:
    case Word::Commutative:
    case Word::Neutral:
    case Word::Vectorize:
    case Word::Size:
    case Word::CeilingDivide:
    case Word::ExactDivide:
      return std::nullopt;
  }
  throw Bug("not a word of the language");
}

std::vector<std::string_view> words_of_the_language() {
  std::vector<std::string_view> names;
  for (const auto& [name, word] : meanings_of_words) names.push_back(name);
  return names;
}

Global builtin_named(std::string_view name) {
  if (const auto op = ir::primitive_named(name)) return *op;
  if (const auto op = scalar_op_named(name)) return *op;
  if (const auto scalar = scalar_named(name)) return *scalar;
  for (const auto& [text, word] : meanings_of_words) {
    if (text == name) return word;
  }
  return std::monostate{};
}

Globals::Globals(const File& prelude, const File& file) {
  for (const Definition& definition : prelude.definitions) {
    prelude_.emplace(definition.name, &definition);
    prelude_definitions_.insert(&definition);
  }
  for (const Definition& definition : file.definitions) file_.emplace(definition.name, &definition);
}

Global Globals::find(std::string_view name, bool in_prelude) const {
  if (!in_prelude) {
    const auto found = file_.find(name);
    if (found != file_.end()) return found->second;
  }
  const auto found = prelude_.find(name);
  if (found != prelude_.end()) return found->second;
  return builtin_named(name);
}

namespace {

/// What other languages call what is written otherwise here.
constexpr std::pair<std::string_view, std::string_view> foreign[] = {
    {"abs2", "write x * x"},
    {"arange", "iota(n) is 0, 1, ... n - 1; generate(n, i => ...) computes each element from its index"},
    {"argmax", "reduce pairs of a value and its index: docs/from-numpy.md has the program"},
    {"argmin", "reduce pairs of a value and its index: docs/from-numpy.md has the program"},
    {"concatenate", "write concat(x, y)"},
    {"cumsum", "write x |> scan(+, 0)"},
    {"cumprod", "write x |> scan(*, 1)"},
    {"exclusiveScan", "write x |> scanExclusive(f, init)"},
    {"flatten", "write join(x); join(join(x)) for three dimensions"},
    {"flip", "write reverse(x)"},
    {"fold", "write x |> reduce(f, init): it goes from the first element to the last"},
    {"foldl", "write x |> reduce(f, init): it goes from the first element to the last"},
    {"foldr", "write x |> reverse |> reduce((acc, e) => f(e, acc), init)"},
    {"full", "write fill(n, v)"},
    {"hist", "write x |> reduceByKey(f, fill(n, init), keys)"},
    {"histogram", "write fill(N, 1) |> reduceByKey(+, fill(bins, 0), x) of an x: [N]i32"},
    {"indices", "x: [N]f32 has the indices iota(N)"},
    {"len", "the length of x: [N]f32 is N"},
    {"length", "the length of x: [N]f32 is N"},
    {"linspace", "write generate(n, i => low + f32(i) * step)"},
    {"loop", "write iterate(n, f, x), or reduce(f, init, x) over an array"},
    {"matmul", "write A |> map(row => transpose(B) |> map(column => dotProduct(row, column)))"},
    {"mean", "write sum(x) / f32(N) of an x: [N]f32"},
    {"ones", "write fill(n, 1.0)"},
    {"replicate", "write fill(n, v)"},
    {"repeat", "write fill(n, v), or x |> map(e => fill(n, e)) |> join"},
    {"reshape", "split(n, x) makes rows of n elements, join(x) puts rows together"},
    {"roll", "write x |> rotate(-r): element i is x[(i - r) mod N]"},
    {"scanl", "write x |> scan(f, init)"},
    {"stack", "[x, y] is an array of two rows"},
    {"tabulate", "write generate(n, i => ...)"},
    {"tabulate_2d", "write generate(n, i => generate(m, j => ...))"},
    {"unflatten", "write x |> split(m): rows of m elements"},
    {"where", "write if c then a else b, or select(c, a, b)"},
    {"zeros", "write fill(n, 0.0)"},
};

}  // namespace

std::string Globals::suggestion(std::string_view name, const std::vector<std::string_view>& local) const {
  const auto* hint = std::ranges::find(foreign, name, &std::pair<std::string_view, std::string_view>::first);
  if (hint != std::end(foreign)) return std::string(hint->second);
  std::vector<std::string_view> known = local;
  for (const auto& [candidate, definition] : file_) known.push_back(candidate);
  for (const auto& [candidate, definition] : prelude_) known.push_back(candidate);
  for (const ir::Primitive& primitive : ir::all_primitives()) known.push_back(primitive.name);
  for (const ScalarOpInfo& scalar : all_scalar_ops()) known.push_back(scalar.name);
  for (const auto& [candidate, word] : meanings_of_words) known.push_back(candidate);
  for (Scalar scalar : all_scalars) known.push_back(name_of(scalar));
  const std::string_view nearest = closest(name, known, std::max<std::size_t>(1, name.size() / 3));
  return nearest.empty() ? std::string() : fmt::format("did you mean '{}'?", nearest);
}

void collect_size_names(const Expression& expression, std::vector<std::string_view>& names) {
  const auto visit = [&](const Expression* child) { collect_size_names(*child, names); };
  if (const auto* name = expression.as<Name>()) {
    add_once(names, name->name);
  } else if (const auto* binary = expression.as<Binary>()) {
    visit(binary->left);
    visit(binary->right);
  } else if (const auto* unary = expression.as<Unary>()) {
    visit(unary->operand);
  } else if (const auto* apply = expression.as<Apply>()) {
    for (const Expression* argument : apply->arguments) visit(argument);
  } else if (const auto* conditional = expression.as<If>()) {
    visit(conditional->condition);
    visit(conditional->then_expression);
    visit(conditional->else_expression);
  }
}

void collect_size_names(const Type& type, std::vector<std::string_view>& names) {
  if (type.size != nullptr) collect_size_names(*type.size, names);
  for (const Type* element : type.elements) collect_size_names(*element, names);
}

void collect_bound_names(const Pattern& pattern, std::vector<std::string_view>& names) {
  if (!pattern.name.empty()) names.push_back(pattern.name);
  for (const Pattern* component : pattern.components) collect_bound_names(*component, names);
}

}  // namespace hoist::lang
