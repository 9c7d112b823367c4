// Terms as Hoist's text, and the program of a nest.
#include "openmp/nest_writer.hpp"

#include <algorithm>

namespace hoist::openmp {

using namespace clang;

namespace {

/// Words that a program of Hoist cannot have as names of its own, and functions that the text uses.
const std::set<std::string>& words() {
  static const std::set<std::string> all = {
      "def",      "let",         "in",          "if",           "then",      "else",        "true",
      "false",    "inf",         "nan",         "size",         "map",       "map2",        "map3",
      "reduce",   "scan",        "reduceUpTo",  "iterate",      "generate",  "zip",         "zip2",
      "zip3",     "unzip",       "split",       "join",         "transpose", "slide",       "slide2",
      "slide3",   "pad",         "gather",      "scatter",      "at",        "take",        "drop",
      "rotate",   "concat",      "update",      "iota",         "fill",      "dot",         "dotProduct",
      "neutral",  "min",         "max",         "pow",          "atan2",     "neg",         "abs",
      "sign",     "sqrt",        "rsqrt",       "exp",          "exp2",      "log",         "log2",
      "sin",      "cos",         "tan",         "tanh",         "atan",      "erf",         "floor",
      "ceil",     "round",       "trunc",       "fma",          "select",    "add",         "sub",
      "mul",      "div",         "rem",         "lt",           "le",        "gt",          "ge",
      "eq",       "ne",          "and",         "or",           "not",       "shl",         "shr",
      "f32",      "f64",         "i8",          "i16",          "i32",       "i64",         "u8",
      "u16",      "u32",         "u64",         "bool",         "id",        "broadcast",   "pitch",
      "prefetch", "reduceRange", "reduceByKey", "iterateWhile", "padValue",  "associative", "commutative"};
  return all;
}

bool is_named(Term term) {
  return term->kind == TermKind::Number || term->kind == TermKind::Given || term->kind == TermKind::Counter ||
         term->kind == TermKind::State;
}

/// Whether the loop of the counter takes the elements of that dimension, one by one.
bool is_whole(const Poly& index, const Poly& length, Terms& terms) {
  if (index.terms().size() != 1 || index.terms().begin()->first.size() != 1) return false;
  const Term counter = terms.by_id(index.terms().begin()->first[0]);
  return index == Poly::symbol(counter->id) && counter->kind == TermKind::Counter &&
         terms.poly(counter->operands[0]) == length;
}

/// Whether evaluating it where the program would not could fail.
bool may_fail(Term term, Terms& terms) {
  bool may = false;
  terms.visit(term, [&](Term each) {
    if (each->kind == TermKind::Element) {
      for (std::size_t i = 0; i < each->index.size(); ++i) {
        const std::vector<Poly>& lengths = each->storage->lengths;
        may = may || i >= lengths.size() || !is_whole(each->index[i], lengths[i], terms);
      }
    }
    if (each->kind == TermKind::Operation && !is_float(each->type))
      may = may || each->text == "/" || each->text == "%";
  });
  return may;
}

}  // namespace

std::string NestWriter::fresh_name(const std::string& wanted) {
  std::string plain;
  for (const char c : wanted) plain += c;
  if (words().count(plain)) plain += "_";
  std::string free = plain;
  for (int number = 2; !used_.insert(free).second; ++number) free = plain + std::to_string(number);
  return free;
}

std::string NestWriter::name_of(Term term) {
  const auto found = names_.find(term);
  if (found != names_.end()) return found->second;
  throw Untranslatable{loop_.directive->getBeginLoc(), "what '" + term->text + "' is here cannot be said"};
}

std::string NestWriter::size_text(const Poly& poly) {
  const bool before = is_in_size_;
  is_in_size_ = true;
  const std::string text = expression(terms_.term(poly)).layout.text(10000, 0);
  is_in_size_ = before;
  return text;
}

Layout NestWriter::in(const Text& text, Strength least) const {
  return text.strength < least ? Layout::group("(" + text.layout + ")") : text.layout;
}

Term NestWriter::bound(const std::string& name, NumberType type) {
  Storage made{.kind = StorageKind::Bound, .type = type};
  made.name = name;
  return terms_.element(terms_.storage(made), {});
}

// ---- Bodies ----

bool NestWriter::is_in_scope(Term term) const {
  std::set<Term> mentioned, own;
  terms_.visit(term, [&](Term each) {
    if (each->kind == TermKind::Counter || each->kind == TermKind::State) mentioned.insert(each);
    const auto loop = [&](const Recurrence& one) {
      if (!one.counter) return;
      own.insert(one.counter);
      own.insert(one.states.begin(), one.states.end());
    };
    loop(each->recurrence);
    if (each->storage) {
      own.insert(each->storage->counters.begin(), each->storage->counters.end());
      loop(each->storage->recurrence);
    }
  });
  return std::all_of(mentioned.begin(), mentioned.end(),
                     [&](Term each) { return own.count(each) > 0 || scope_.count(each) > 0; });
}

void NestWriter::name_arrays(std::vector<Term>& terms, std::vector<Layout>& lets) {
  while (true) {
    // The array that has no other in it is named first.
    const Storage* next = nullptr;
    for (const Term term : terms) {
      terms_.visit(term, [&](Term each) {
        if (each->kind != TermKind::Element) return;
        const StorageKind kind = each->storage->kind;
        if (kind != StorageKind::Built && kind != StorageKind::Scanned) return;
        std::vector<Poly> start(each->index.size());
        if (!is_in_scope(terms_.element(each->storage, start))) return;
        bool is_innermost = true;
        const auto look = [&](Term one) {
          if (one->kind == TermKind::Element &&
              (one->storage->kind == StorageKind::Built || one->storage->kind == StorageKind::Scanned))
            is_innermost = is_innermost &&
                           !is_in_scope(terms_.element(one->storage, std::vector<Poly>(one->index.size())));
        };
        if (each->storage->value) terms_.visit(each->storage->value, look);
        for (const Term one : each->storage->recurrence.next) terms_.visit(one, look);
        for (const Term one : each->storage->recurrence.initial) terms_.visit(one, look);
        if (is_innermost) next = each->storage;
      });
    }
    if (!next) return;
    const Text text = next->kind == StorageKind::Built ? array(next->counters, 0, {next->value})
                                                       : scan(next->recurrence, next->which);
    Storage made{.kind = StorageKind::Bound,
                 .type = next->type,
                 .name = fresh_name(next->name),
                 .lengths = next->lengths};
    lets.push_back(Layout("let " + made.name + " =") +
                   Layout::group(Layout::nested(Layout::line() + text.layout)));
    const Storage* named = terms_.storage(made);
    for (Term& each : terms) {
      each = terms_.with_elements(each, [&](Term one) -> Term {
        if (one->storage != next) return nullptr;
        return terms_.element(named, one->index);
      });
    }
  }
}

void NestWriter::name_shared(std::vector<Term>& terms, std::vector<Layout>& lets) {
  // How often each is used, and whether always.
  std::map<Term, int> uses;
  std::set<Term> always, done;
  const std::function<void(Term, bool)> walk = [&](Term term, bool is_always) {
    if (is_always) {
      if (!always.insert(term).second) return;
    } else if (!done.insert(term).second) {
      return;
    }
    for (std::size_t i = 0; i < term->operands.size(); ++i) {
      const bool is_guarded =
          (term->kind == TermKind::Choice || term->text == "&&" || term->text == "||") && i > 0;
      walk(term->operands[i], is_always && !is_guarded);
    }
    for (const Poly& each : term->index) {
      for (const auto& [monomial, coefficient] : each.terms()) {
        for (const SymbolId id : monomial) walk(terms_.by_id(id), is_always);
      }
    }
    for (const Term each : term->recurrence.initial) walk(each, is_always);
    for (const Term each : term->recurrence.next) walk(each, false);
    if (term->storage && term->storage->value) walk(term->storage->value, false);
    if (term->storage) {
      for (const Term each : term->storage->recurrence.initial) walk(each, false);
      for (const Term each : term->storage->recurrence.next) walk(each, false);
    }
  };
  std::set<Term> all;
  for (const Term each : terms) {
    ++uses[each];
    walk(each, true);
    terms_.visit(each, [&](Term one) {
      if (!all.insert(one).second) return;
      std::vector<Term> parts = one->operands;
      for (const Poly& index : one->index) {
        for (const auto& [monomial, coefficient] : index.terms()) {
          for (const SymbolId id : monomial) parts.push_back(terms_.by_id(id));
        }
      }
      parts.insert(parts.end(), one->recurrence.initial.begin(), one->recurrence.initial.end());
      parts.insert(parts.end(), one->recurrence.next.begin(), one->recurrence.next.end());
      if (one->storage && one->storage->value) parts.push_back(one->storage->value);
      if (one->storage) {
        parts.insert(parts.end(), one->storage->recurrence.initial.begin(),
                     one->storage->recurrence.initial.end());
        parts.insert(parts.end(), one->storage->recurrence.next.begin(), one->storage->recurrence.next.end());
      }
      for (const Term part : parts) ++uses[part];
    });
  }
  std::vector<Term> shared;
  for (const auto& [term, count] : uses) {
    if (count < 2 || is_named(term) || term->kind == TermKind::Element) continue;
    const bool is_small = term->kind == TermKind::Operation && terms_.name_of(term).empty() &&
                          std::all_of(term->operands.begin(), term->operands.end(), [](Term each) {
                            return is_named(each) || (each->kind == TermKind::Element && each->index.empty());
                          });
    const bool is_plain = is_invariant(term, terms_) && !is_float(term->type);
    if (is_small || is_plain || !is_in_scope(term)) continue;
    if (!always.count(term) && may_fail(term, terms_)) continue;
    shared.push_back(term);
  }
  // What others are made of comes first.
  std::sort(shared.begin(), shared.end(), [](Term a, Term b) { return a->id < b->id; });
  Terms::Replacements by;
  for (const Term each : shared) {
    const Term now = terms_.replaced(each, by);
    if (now->kind == TermKind::Element) continue;
    const std::string wanted = terms_.name_of(each);
    const Text text = expression(now);
    const std::string name = fresh_name(wanted.empty() ? "t" : wanted);
    lets.push_back(Layout("let " + name + " =") +
                   Layout::group(Layout::nested(Layout::line() + text.layout)));
    by[each] = bound(name, each->type);
    by[now] = by[each];
  }
  for (Term& each : terms) each = terms_.replaced(each, by);
}

Layout NestWriter::body(std::vector<Term> terms, bool is_function) {
  std::vector<Layout> lines;
  name_arrays(terms, lines);
  name_shared(terms, lines);
  std::vector<Layout> results;
  for (const Term each : terms)
    results.push_back(each->kind == TermKind::Number ? number(each, true).layout : expression(each).layout);
  Layout result =
      results.size() == 1
          ? results[0]
          : Layout::group("(" + Layout::nested(Layout::joined(results, Layout(",") + Layout::line())) + ")");
  if (lines.empty()) return is_function ? Layout::line() + result : result;
  // A line that began with a sign would go on with the line before.
  if (result.text(10000, 0).front() == '-') result = "(" + result + ")";
  Layout all;
  for (const Layout& each : lines) all = all + Layout::hard_line() + each;
  return all + Layout::hard_line() + result;
}

// ---- Expressions ----

Text NestWriter::number(Term term, bool needs_suffix) {
  std::string text = term->text;
  const bool is_negative = text[0] == '-';
  if (term->type == NumberType::Bool) return {text == "0" ? "false" : "true", Strength::Atom};
  const bool is_usual = !needs_suffix && (term->type == NumberType::I32 || is_float(term->type));
  if (!is_usual) {
    if (text == "inf" || text == "-inf" || text == "nan") {
      text = is_negative ? "-" + spelled(term->type) + "(inf)" : spelled(term->type) + "(" + text + ")";
    } else {
      text += spelled(term->type);
    }
  }
  return {text, is_negative ? Strength::Unary : Strength::Atom};
}

Text NestWriter::operation(Term term) {
  const std::string& name = term->text;
  static const std::map<std::string, Strength> operators = {
      {"||", Strength::Or},         {"&&", Strength::And},        {"<", Strength::Comparison},
      {"<=", Strength::Comparison}, {">", Strength::Comparison},  {">=", Strength::Comparison},
      {"==", Strength::Comparison}, {"!=", Strength::Comparison}, {"+", Strength::Sum},
      {"-", Strength::Sum},         {"*", Strength::Product},     {"/", Strength::Product},
      {"%", Strength::Product}};
  const auto next = [](Strength strength) { return static_cast<Strength>(static_cast<int>(strength) + 1); };
  if (term->operands.size() == 1) {
    const Term operand = term->operands[0];
    if (name == "-" || name == "!" || name == "~")
      return {name + in(expression(operand), Strength::Atom), Strength::Unary};
    // A size is an i32, whatever the program has it as.
    if (name == spelled(term->type) && operand->kind == TermKind::Given && is_size(operand)) {
      if (term->type == NumberType::I32) return {names_.at(operand), Strength::Atom};
      return {name + "(" + names_.at(operand) + ")", Strength::Atom};
    }
  }
  if (const auto found = operators.find(name); found != operators.end() && term->operands.size() == 2) {
    const Strength strength = found->second;
    const bool is_comparison = strength == Strength::Comparison;
    const auto side = [&](Term each) {
      const bool is_literal =
          term->operands[0]->kind == TermKind::Number && term->operands[1]->kind == TermKind::Number;
      return each->kind == TermKind::Number ? number(each, is_literal) : expression(each);
    };
    const Layout left = in(side(term->operands[0]), is_comparison ? next(strength) : strength);
    const Layout right = in(side(term->operands[1]), next(strength));
    return {Layout::group(left + Layout::nested(Layout::line() + name + " " + right)), strength};
  }
  if (name == "&" || name == "|" || name == "^" || name == "<<" || name == ">>") {
    if (is_in_size_ && name == "<<" && term->operands[0]->text == "1")
      return {"2 ** " + in(expression(term->operands[1]), Strength::Atom), Strength::Unary};
    const Layout left = in(expression(term->operands[0]), Strength::Atom),
                 right = in(expression(term->operands[1]), Strength::Atom);
    // With parentheses in any place but the outermost: nobody knows how strongly these bind.
    return {left + " " + name + " " + right, Strength::Pipeline};
  }
  // Where nothing else tells their type, numbers say it.
  const bool is_literal = std::all_of(term->operands.begin(), term->operands.end(),
                                      [](Term each) { return each->kind == TermKind::Number; });
  std::vector<Layout> operands;
  for (const Term each : term->operands)
    operands.push_back(is_literal ? number(each, true).layout : expression(each).layout);
  return {
      Layout::group(
          name + "(" +
          Layout::nested(Layout::line("") + Layout::joined(operands, Layout(",") + Layout::line())) + ")"),
      Strength::Atom};
}

Text NestWriter::element(Term term) {
  const Storage* storage = term->storage;
  if (storage->kind != StorageKind::Given && storage->kind != StorageKind::Bound)
    throw Untranslatable{loop_.directive->getBeginLoc(),
                         "an array that is computed in between is needed where it cannot be named"};
  Layout text = storage->name;
  for (const Poly& each : term->index) text = text + "[" + expression(terms_.term(each)).layout + "]";
  return {text, Strength::Atom};
}

Text NestWriter::expression(Term term) {
  switch (term->kind) {
    case TermKind::Number:
      return number(term, false);
    case TermKind::Given: {
      if (is_size(term) && term->type != NumberType::I32)
        return {spelled(term->type) + "(" + names_.at(term) + ")", Strength::Atom};
      return {name_of(term), Strength::Atom};
    }
    case TermKind::Counter:
    case TermKind::State:
      return {name_of(term), Strength::Atom};
    case TermKind::Operation:
      return operation(term);
    case TermKind::Choice: {
      const bool is_literal =
          term->operands[1]->kind == TermKind::Number && term->operands[2]->kind == TermKind::Number;
      const auto branch = [&](Term each) {
        return each->kind == TermKind::Number ? number(each, is_literal).layout : expression(each).layout;
      };
      return {Layout::group("if " + expression(term->operands[0]).layout +
                            Layout::nested(Layout::line() + "then " + branch(term->operands[1]) +
                                           Layout::line() + "else " + branch(term->operands[2]))),
              Strength::Pipeline};
    }
    case TermKind::Element:
      return element(term);
    case TermKind::Recurrence:
      return recurrence(term->recurrence, term->which);
  }
  return {};
}

}  // namespace hoist::openmp
