// Patterns from text: the language's own parser gives the syntax, this file what it means in a rule.
//
// Names that nothing defines are metavariables, and where a name stands says of which kind: `Reader::value`
// reads data, `function` what a primitive wants a function for, `size` a size. A call of a primitive has its
// arguments sorted by the primitive's scheme. `read_law` reads both sides with one table of metavariables, so
// that a name means the same on both.
#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "ir/scheme.hpp"
#include "ir/scheme_parse.hpp"
#include "lang/names.hpp"
#include "lang/parser.hpp"
#include "rewrite/pattern.hpp"
#include "rewrite/pattern_parse.hpp"

namespace hoist::rewrite {

namespace syntax = lang::syntax;

namespace {

constexpr std::string_view arrow = "==>";

[[noreturn]] void refuse(const std::string& text) { throw_user("a rule's pattern: " + text); }

class Reader {
 public:
  Reader(Law& law, bool is_right) : law_(law), is_right_(is_right) {}

  Pattern value(const syntax::Expression& expression) {
    return std::visit([&](const auto& node) { return visit(node); }, expression.node);
  }

  SizePattern size(const syntax::Expression& expression) {
    SizePattern result;
    if (const auto* number = expression.as<syntax::Number>()) {
      result.value = std::stoll(std::string(number->digits));
      return result;
    }
    if (const auto* hole = expression.as<syntax::Hole>()) return size_named(hole->name, true);
    if (const auto* name = expression.as<syntax::Name>()) {
      const lang::Global global = lang::builtin_named(name->name);
      if (const auto* word = std::get_if<lang::Word>(&global)) {
        if (const auto boundary = lang::boundary_named(*word)) {
          result.value = static_cast<std::int64_t>(*boundary);
          return result;
        }
      }
      return size_named(name->name, false);
    }
    if (const auto* binary = expression.as<syntax::Binary>()) {
      static const std::map<ScalarOp, SizePattern::Kind> kinds = {
          {ScalarOp::Add, SizePattern::Kind::Add},
          {ScalarOp::Subtract, SizePattern::Kind::Subtract},
          {ScalarOp::Multiply, SizePattern::Kind::Multiply},
          {ScalarOp::Divide, SizePattern::Kind::Divide},
          {ScalarOp::Remainder, SizePattern::Kind::Remainder}};
      const auto kind = kinds.find(binary->op);
      if (kind == kinds.end()) refuse("an operator that sizes do not have");
      result.kind = kind->second;
      result.operands = {size(*binary->left), size(*binary->right)};
      return result;
    }
    if (const auto* apply = expression.as<syntax::Apply>()) {
      static const std::map<std::string_view, SizePattern::Kind> kinds = {
          {"min", SizePattern::Kind::Minimum},
          {"max", SizePattern::Kind::Maximum},
          {"exactdiv", SizePattern::Kind::ExactDivide},
          {"ceildiv", SizePattern::Kind::CeilingDivide}};
      const auto* callee = apply->callee->as<syntax::Name>();
      const auto kind = callee != nullptr ? kinds.find(callee->name) : kinds.end();
      if (kind == kinds.end() || apply->arguments.size() != 2) refuse("a size that is none");
      result.kind = kind->second;
      result.operands = {size(*apply->arguments[0]), size(*apply->arguments[1])};
      return result;
    }
    refuse("a size that is none");
  }

  TypeShape shape(const syntax::Type& type) {
    TypeShape result;
    if (type.kind == syntax::Type::Kind::Any) return result;
    if (type.kind != syntax::Type::Kind::Array) refuse("only arrays and _ can be declared");
    result.kind = TypeShape::Kind::Array;
    const auto* name = type.size->as<syntax::Name>();
    if (name == nullptr || name->name != "_") result.size.push_back(size(*type.size));
    result.elements.push_back(shape(*type.elements[0]));
    return result;
  }

  std::uint32_t metavariable(std::string_view name, Metavariable::Kind kind, std::uint32_t parameters = 0) {
    for (std::uint32_t i = 0; i < law_.metavariables.size(); ++i) {
      Metavariable& each = law_.metavariables[i];
      if (each.name != name) continue;
      if (each.kind != kind || each.parameters != parameters)
        refuse("'" + std::string(name) + "' stands for different things");
      return i;
    }
    if (is_right_) refuse("'" + std::string(name) + "' is on the right side and nothing binds it");
    law_.metavariables.push_back({kind, std::string(name), parameters, false});
    return static_cast<std::uint32_t>(law_.metavariables.size() - 1);
  }

 private:
  SizePattern size_named(std::string_view name, bool is_hole) {
    SizePattern result;
    result.kind = SizePattern::Kind::Metavariable;
    const Metavariable* known = law_.find(name);
    if (is_hole && !is_right_) refuse("?" + std::string(name) + " is on the left side");
    if (known == nullptr && is_hole) {
      law_.metavariables.push_back({Metavariable::Kind::Size, std::string(name), 0, true});
    } else if (known != nullptr && known->is_chosen != is_hole) {
      refuse("'" + std::string(name) + "' is both matched and chosen");
    }
    result.metavariable = is_hole ? index_of(name) : metavariable(name, Metavariable::Kind::Size);
    return result;
  }
  std::uint32_t index_of(std::string_view name) const {
    return static_cast<std::uint32_t>(law_.find(name) - law_.metavariables.data());
  }

  // ---- Values.
  Pattern visit(const syntax::Name& name) {
    const auto local = locals_.find(name.name);
    if (local != locals_.end()) return local->second;
    Pattern result;
    result.index = metavariable(name.name, Metavariable::Kind::Data);
    return result;
  }
  Pattern visit(const syntax::Pipe& pipe) { return apply(*pipe.function, {value(*pipe.argument)}); }
  Pattern visit(const syntax::Apply& call) {
    if (is_size_word(*call.callee)) {
      Pattern result;
      result.kind = Pattern::Kind::SizeValue;
      result.sizes.push_back(size(*call.arguments[0]));
      return result;
    }
    return apply_given(*call.callee, call.arguments, {});
  }
  static bool is_size_word(const syntax::Expression& callee) {
    const auto* name = callee.as<syntax::Name>();
    return name != nullptr && name->name == "size";
  }
  Pattern visit(const syntax::Index& index) {
    Pattern result;
    result.kind = Pattern::Kind::Call;
    result.op = ir::Op::At;
    result.children = {value(*index.index), value(*index.array)};
    return result;
  }
  Pattern visit(const syntax::Get& get) { return component(value(*get.tuple), get.position); }
  Pattern visit(const syntax::Tuple& tuple) {
    Pattern result;
    result.kind = Pattern::Kind::Tuple;
    for (const syntax::Expression* each : tuple.components) result.children.push_back(value(*each));
    return result;
  }
  Pattern visit(const syntax::Let& let) {
    Pattern result;
    result.kind = Pattern::Kind::Let;
    result.children.push_back(value(*let.value));
    result.children.push_back(lambda({let.pattern}, *let.body, 1));
    return result;
  }
  Pattern visit(const syntax::Binary& binary) {
    return scalar(binary.op, {value(*binary.left), value(*binary.right)});
  }
  Pattern visit(const syntax::Unary& unary) { return scalar(unary.op, {value(*unary.operand)}); }
  template <class Other>
  Pattern visit(const Other&) {
    refuse("an expression that patterns do not have");
  }

  static Pattern component(Pattern tuple, std::uint32_t position) {
    Pattern result;
    result.kind = Pattern::Kind::Get;
    result.index = position;
    result.children.push_back(std::move(tuple));
    return result;
  }
  static Pattern scalar(ScalarOp op, std::vector<Pattern> operands) {
    Pattern result;
    result.kind = Pattern::Kind::Scalar;
    result.scalar = op;
    result.children = std::move(operands);
    return result;
  }

  // ---- Functions applied: `given` in the text, then `values`.
  Pattern apply(const syntax::Expression& function, std::vector<Pattern> values) {
    if (const auto* call = function.as<syntax::Apply>())
      return apply_given(*call->callee, call->arguments, std::move(values));
    if (const auto* both = function.as<syntax::Compose>())
      return apply(*both->second, {apply(*both->first, std::move(values))});
    if (const auto* op = function.as<syntax::Operator>()) return scalar(op->op, std::move(values));
    return apply_given(function, {}, std::move(values));
  }

  Pattern apply_given(const syntax::Expression& callee, const std::vector<const syntax::Expression*>& given,
                      std::vector<Pattern> values) {
    const auto* name = callee.as<syntax::Name>();
    if (name == nullptr) refuse("only named functions are applied");
    const lang::Global global = lang::builtin_named(name->name);
    if (const auto* op = std::get_if<ir::Op>(&global)) return primitive(*op, given, std::move(values));
    if (const auto* word = std::get_if<lang::Word>(&global); word && *word == lang::Word::Identity)
      return values.at(0);
    std::vector<Pattern> arguments;
    for (const syntax::Expression* each : given) arguments.push_back(value(*each));
    arguments.insert(arguments.end(), values.begin(), values.end());
    if (const auto* op = std::get_if<ScalarOp>(&global)) return scalar(*op, std::move(arguments));
    Pattern result;
    result.kind = Pattern::Kind::Apply;
    result.index =
        metavariable(name->name, Metavariable::Kind::Function, static_cast<std::uint32_t>(arguments.size()));
    if (!is_right_) {
      for (const Pattern& each : arguments) {
        const Pattern* at = &each;
        while (at->kind == Pattern::Kind::Get) at = &at->children[0];
        if (at->kind != Pattern::Kind::Variable)
          refuse("on a left side '" + std::string(name->name) + "' can only be applied to variables");
      }
    }
    result.children = std::move(arguments);
    return result;
  }

  Pattern primitive(ir::Op op, const std::vector<const syntax::Expression*>& given,
                    std::vector<Pattern> values) {
    const ir::Scheme& scheme = ir::scheme_of(op);
    Pattern result;
    result.kind = Pattern::Kind::Call;
    result.op = op;
    const bool is_variadic = op == ir::Op::Zip;
    const std::size_t wanted = is_variadic ? given.size() + values.size() : scheme.arguments.size();
    if (given.size() + values.size() != wanted)
      refuse(std::string(ir::primitive(op).name) + " has the wrong number of arguments");
    for (std::size_t i = 0; i < given.size(); ++i) {
      const ir::ArgumentKind kind = is_variadic ? ir::ArgumentKind::Data : scheme.arguments[i].kind;
      if (kind <= ir::ArgumentKind::Boundary) {
        result.sizes.push_back(size(*given[i]));
      } else if (kind == ir::ArgumentKind::Function) {
        const std::size_t parameters = op == ir::Op::Iterate ? 1 : scheme.functions[i].parameters.size();
        result.children.push_back(function(*given[i], static_cast<std::uint32_t>(parameters)));
      } else {
        result.children.push_back(value(*given[i]));
      }
    }
    for (Pattern& each : values) result.children.push_back(std::move(each));
    return result;
  }

  // ---- Functions where a function of `parameters` is wanted.
  Pattern function(const syntax::Expression& expression, std::uint32_t parameters) {
    if (const auto* node = expression.as<syntax::Lambda>())
      return lambda(node->parameters, *node->body, parameters);
    if (const auto* name = expression.as<syntax::Name>();
        name != nullptr && std::holds_alternative<std::monostate>(lang::builtin_named(name->name))) {
      Pattern result;
      result.kind = Pattern::Kind::Function;
      result.index = metavariable(name->name, Metavariable::Kind::Function, parameters);
      return result;
    }
    if (const auto* call = expression.as<syntax::Apply>()) {
      const auto* name = call->callee->as<syntax::Name>();
      if (name != nullptr && name->name == "vectorize") {
        if (!is_right_) refuse("vectorize is on the left side");
        Pattern result;
        result.kind = Pattern::Kind::Vectorize;
        result.sizes.push_back(size(*call->arguments.at(0)));
        result.children.push_back(function(*call->arguments.at(1), parameters));
        return result;
      }
    }
    std::vector<Pattern> variables;
    for (std::uint32_t i = 0; i < parameters; ++i) variables.push_back(variable(depth_ + i));
    Pattern result;
    result.kind = Pattern::Kind::Lambda;
    result.parameters = parameters;
    depth_ += parameters;
    result.children.push_back(apply(expression, std::move(variables)));
    depth_ -= parameters;
    return result;
  }

  static Pattern variable(std::uint32_t level) {
    Pattern result;
    result.kind = Pattern::Kind::Variable;
    result.index = level;
    return result;
  }

  void bind(const syntax::Pattern& pattern, const Pattern& variable_pattern) {
    if (pattern.components.empty()) {
      if (pattern.name != "_") locals_[pattern.name] = variable_pattern;
      return;
    }
    for (std::uint32_t i = 0; i < pattern.components.size(); ++i) {
      bind(*pattern.components[i], component(variable_pattern, i));
    }
  }

  Pattern lambda(const std::vector<const syntax::Pattern*>& patterns, const syntax::Expression& body,
                 std::uint32_t parameters) {
    const auto outside = locals_;
    if (patterns.size() == parameters) {
      for (std::uint32_t i = 0; i < parameters; ++i) bind(*patterns[i], variable(depth_ + i));
    } else if (parameters == 1) {
      for (std::uint32_t i = 0; i < patterns.size(); ++i) bind(*patterns[i], component(variable(depth_), i));
    } else {
      refuse("a function has the wrong number of parameters");
    }
    Pattern result;
    result.kind = Pattern::Kind::Lambda;
    result.parameters = parameters;
    for (const syntax::Pattern* each : patterns) {
      if (patterns.size() == parameters) result.names.emplace_back(each->name);
    }
    depth_ += parameters;
    result.children.push_back(value(body));
    depth_ -= parameters;
    locals_ = outside;
    return result;
  }

  Law& law_;
  bool is_right_;
  std::uint32_t depth_ = 0;
  std::map<std::string_view, Pattern> locals_;
};

/// How often data is computed: once for each place, and any number of times inside a function that a pattern
/// calls.
void count_uses(const Pattern& pattern, bool is_inside, std::vector<int>& uses) {
  constexpr int often = 2;
  if (pattern.kind == Pattern::Kind::Data) uses[pattern.index] += is_inside ? often : 1;
  for (const Pattern& child : pattern.children) {
    count_uses(child,
               is_inside || (pattern.kind == Pattern::Kind::Call && child.kind == Pattern::Kind::Lambda),
               uses);
  }
}

}  // namespace

ParsedText::ParsedText(std::string_view declarations, std::string_view expression)
    : text_("def rule(" + std::string(declarations) + ") = " + std::string(expression) + "\n") {
  lang::Diagnostics diagnostics;
  file_ = lang::parse(text_, diagnostics);
  if (!diagnostics.empty()) throw Failure(diagnostics.take());
}

const syntax::Definition& ParsedText::definition() const { return file_->definitions.front(); }

Result<Law> read_law(std::string_view law, std::string_view given) {
  return catch_failure([&] {
    const std::size_t at = law.find(arrow);
    if (at == std::string_view::npos) refuse("no ==> between its sides");
    const ParsedText left(given, law.substr(0, at)), right("", law.substr(at + arrow.size()));
    Law result;
    Reader of_left(result, false);
    result.left = of_left.value(*left.definition().body);
    for (const syntax::Pattern* declared : left.definition().parameters) {
      if (declared->type == nullptr || result.find(declared->name) == nullptr)
        refuse("a declaration of nothing on the left");
      const std::uint32_t metavariable = of_left.metavariable(declared->name, Metavariable::Kind::Data);
      result.given.push_back({metavariable, of_left.shape(*declared->type)});
    }
    Reader of_right(result, true);
    result.right = of_right.value(*right.definition().body);
    std::vector<int> before(result.metavariables.size()), after(result.metavariables.size());
    count_uses(result.left, false, before);
    count_uses(result.right, false, after);
    for (std::size_t i = 0; i < before.size(); ++i) {
      Metavariable& each = result.metavariables[i];
      each.is_repeated = each.kind == Metavariable::Kind::Data && before[i] == 1 && after[i] > 1;
    }
    return result;
  });
}

SizePattern read_size(Law& law, const syntax::Expression& expression) {
  return Reader(law, true).size(expression);
}

}  // namespace hoist::rewrite
