// Terms as Hoist's text, and the program of a nest.
#include "openmp/nest_writer.hpp"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace hoist::openmp {

using namespace clang;

namespace {

constexpr int width = 100;

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

/// Whether evaluating it where the program would not could fail.
bool may_fail(Term term, const Terms& terms) {
  bool may = false;
  terms.visit(term, [&](Term each) {
    if (each->kind == TermKind::Element) may = may || !each->index.empty();
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
  if (result.text(width, 0).front() == '-') result = "(" + result + ")";
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

// ---- The program ----

Layout NestWriter::literal(const Expr* value, QualType type, NumberType kind) {
  ASTContext& context = loop_.function->getASTContext();
  if (const auto* array = context.getAsConstantArrayType(type)) {
    const auto* list = llvm::dyn_cast_or_null<InitListExpr>(value);
    const std::uint64_t length = array->getSize().getZExtValue();
    std::vector<Layout> elements;
    for (unsigned i = 0; i < length; ++i) {
      // What the list leaves out is zero.
      const Expr* each = list && i < list->getNumInits() ? list->getInit(i) : nullptr;
      elements.push_back(literal(each, array->getElementType(), kind));
    }
    return Layout::group("[" + Layout::nested(Layout::joined(elements, Layout(",") + Layout::line())) + "]");
  }
  Expr::EvalResult found;
  const bool is_known = value && !llvm::isa<ImplicitValueInitExpr>(value) && value->EvaluateAsRValue(found, context);
  if (value && !is_known && !llvm::isa<ImplicitValueInitExpr>(value))
    throw Untranslatable{value->getExprLoc(), "a constant array has an element that is computed"};
  std::string text = is_float(kind) ? "0.0" : "0";
  if (is_known && found.Val.isInt()) text = llvm::toString(found.Val.getInt(), 10);
  if (is_known && found.Val.isFloat()) text = real_text(found.Val.getFloat().convertToDouble(), kind);
  const bool is_usual = kind == NumberType::I32 || kind == NumberType::F32;
  return number(terms_.number(text, kind), !is_usual).layout;
}

void NestWriter::find_sizes(const Shapes& shapes) {
  const auto size = [&](Term term) {
    terms_.visit(term, [&](Term each) {
      if (each->kind == TermKind::Given) sizes_.insert(each);
    });
  };
  const auto sizes = [&](const Poly& poly) {
    for (const auto& [monomial, coefficient] : poly.terms()) {
      for (const SymbolId id : monomial) size(terms_.by_id(id));
    }
  };
  for (const Storage* each : shapes.arrays) {
    for (const Poly& length : each->lengths) sizes(length);
  }
  for (const NestResult& result : shapes.results) {
    for (const Term each : result.counters) size(each->operands[0]);
    const auto count = [&](Term counter) {
      if (is_invariant(counter->operands[0], terms_)) {
        size(counter->operands[0]);
      } else {
        const Poly rounds = terms_.poly(counter->operands[0]);
        const Poly from = counter->operands.size() > 1 ? terms_.poly(counter->operands[1]) : Poly();
        if (const auto most = greatest(rounds, terms_, samples_)) sizes(*most);
        if (const auto most = greatest(from + rounds, terms_, samples_)) sizes(*most);
      }
    };
    terms_.visit(result.value, [&](Term each) {
      if (each->recurrence.counter) count(each->recurrence.counter);
      if (!each->storage) return;
      for (const Term one : each->storage->counters) count(one);
      if (each->storage->recurrence.counter) count(each->storage->recurrence.counter);
    });
  }
}

NestProgram write_program(const Loop& loop, Nest nest, const std::string& name, Terms& terms,
                          Samples& samples) {
  return NestWriter(loop, terms, samples).write(nest, name);
}

NestProgram NestWriter::write(const Nest& nest, const std::string& name) {
  Shapes shapes = find_shapes(nest, terms_, samples_);
  find_sizes(shapes);
  program_.name = name;
  used_.insert(name);
  const auto member_name = [](const VarDecl* variable, const std::string& member) {
    std::string text = variable->getNameAsString() + (member.empty() ? "" : "_" + member);
    std::replace(text.begin(), text.end(), '.', '_');
    return text;
  };
  // Sizes begin with a capital letter. What of the C program is as large has one size.
  std::vector<Term> givens;
  const auto add = [&](Term each) {
    if (each->kind == TermKind::Given && std::find(givens.begin(), givens.end(), each) == givens.end())
      givens.push_back(each);
  };
  for (const NestResult& each : shapes.results) {
    terms_.visit(each.value, add);
    for (const Term counter : each.counters) terms_.visit(counter, add);
  }
  for (const Storage* each : shapes.arrays) {
    for (const Poly& length : each->lengths) terms_.visit(length, add);
  }
  // Arrays keep the names that they have.
  for (const Storage* each : shapes.arrays) used_.insert(each->name);
  for (const Term each : givens) {
    if (!is_size(each)) continue;
    std::string wanted = each->variable ? member_name(each->variable, each->text) : each->text + "Length";
    wanted[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(wanted[0])));
    if (each->variable && wanted.size() == 1 && used_.count(wanted)) wanted += "Size";
    if (is_float(each->type))
      throw Untranslatable{loop_.directive->getBeginLoc(),
                           "how often a loop runs is computed from a number that is no integer"};
    names_[each] = fresh_name(wanted);
    program_.sizes.push_back({names_[each], each->variable, each->text});
  }
  std::vector<Layout> parameters;
  std::set<Term> told;
  for (const Storage* each : shapes.arrays) {
    for (const Poly& length : each->lengths) {
      if (length.terms().size() == 1 && length.terms().begin()->first.size() == 1 &&
          length.terms().begin()->second == 1)
        told.insert(terms_.by_id(length.terms().begin()->first[0]));
    }
  }
  for (const Term each : givens) {
    if (is_size(each) && !told.count(each)) parameters.push_back(names_[each] + ": size");
  }
  for (const Term each : givens) {
    if (is_size(each)) continue;
    names_[each] = fresh_name(member_name(each->variable, each->text));
    program_.parameters.push_back({.name = names_[each], .given = each});
    parameters.push_back(names_[each] + ": " + spelled(each->type));
  }
  std::vector<Term> placing;
  for (const NestResult& each : shapes.results) {
    terms_.visit(each.at, [&](Term one) {
      const bool is_known = std::find(givens.begin(), givens.end(), one) != givens.end() ||
                            std::find(placing.begin(), placing.end(), one) != placing.end();
      if (one->kind == TermKind::Given && !is_known) placing.push_back(one);
    });
  }
  for (const Term each : placing) program_.sizes.push_back({"", each->variable, each->text});
  const auto shape = [&](const std::vector<Poly>& lengths, NumberType type) {
    std::string text;
    for (const Poly& each : lengths) text += "[" + size_text(each) + "]";
    return text + spelled(type);
  };
  std::map<const Storage*, std::string> below;
  for (const NestResult& result : shapes.results) {
    terms_.visit(result.value, [&](Term each) {
      for (std::size_t i = 0; i < each->index.size(); ++i) {
        for (const auto& [monomial, coefficient] : each->index[i].terms()) {
          for (const SymbolId id : monomial) {
            const Term atom = terms_.by_id(id);
            if (atom->kind == TermKind::Element && i < each->storage->lengths.size())
              below[atom->storage] = size_text(each->storage->lengths[i]);
          }
        }
      }
    });
  }
  std::vector<Layout> lines;
  for (const Storage* each : shapes.arrays) {
    if (const InitListExpr* listed = constant_values(each->variable)) {
      lines.push_back("let " + each->name + " = " + literal(listed, each->variable->getType(), each->type));
      continue;
    }
    program_.parameters.push_back(
        {each->name, nullptr, each, each->lengths, below.count(each) ? below[each] : ""});
    parameters.push_back(each->name + ": " + shape(each->lengths, each->type));
  }
  // Results of one loop that have something in common are computed together.
  std::vector<std::vector<NestResult>> groups;
  const auto have_common = [&](const NestResult& a, const NestResult& b) {
    std::set<Term> of_a;
    const auto counts = [&](Term each) {
      return each->kind == TermKind::Recurrence ||
             (each->kind == TermKind::Operation && is_float(each->type));
    };
    terms_.visit(a.value, [&](Term each) {
      if (counts(each)) of_a.insert(each);
    });
    bool found = false;
    terms_.visit(b.value, [&](Term each) { found = found || of_a.count(each) > 0; });
    return found;
  };
  for (const NestResult& each : shapes.results) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<NestResult>& group) {
      return group[0].storage && each.storage && !each.counters.empty() &&
             group[0].counters == each.counters && have_common(group[0], each);
    });
    if (same != groups.end())
      same->push_back(each);
    else
      groups.push_back({each});
  }
  std::vector<Layout> values, types;
  std::vector<std::pair<const NestResult*, const Storage*>> known;
  for (std::vector<NestResult>& group : groups) {
    std::vector<std::string> names;
    std::vector<Term> bodies;
    for (NestResult& each : group) {
      // What an earlier result has computed is taken from there.
      for (const auto& [before, storage] : known) {
        std::vector<Poly> index;
        for (const Term counter : before->counters) index.push_back(Poly::symbol(counter->id));
        if (before->value->kind == TermKind::Recurrence)
          each.value = terms_.replaced(each.value, {{before->value, terms_.element(storage, index)}});
      }
      bodies.push_back(each.value);
      const std::string wanted = each.storage ? member_name(each.storage->variable, each.storage->member)
                                              : each.variable->getNameAsString();
      const bool is_parameter = used_.count(wanted) > 0;
      names.push_back(groups.size() == 1 && group.size() == 1
                          ? wanted
                          : fresh_name(is_parameter ? wanted + "_after" : wanted));
      std::vector<Poly> lengths;
      for (const Term counter : each.counters) lengths.push_back(terms_.poly(counter->operands[0]));
      types.push_back(shape(lengths, each.value->type));
      program_.results.push_back(each);
      program_.result_names.push_back(wanted);
    }
    Text text;
    if (group[0].counters.empty()) {
      std::vector<Layout> lets;
      name_arrays(bodies, lets);
      lines.insert(lines.end(), lets.begin(), lets.end());
      text = expression(bodies[0]);
    } else if (const auto scanned = whole_scan(group[0].counters, 0, bodies)) {
      text = *scanned;
    } else {
      name_arrays(bodies, lines);
      text = array(group[0].counters, 0, bodies);
      if (group.size() > 1) {
        Layout whole = text.layout;
        for (std::size_t i = group[0].counters.size(); i-- > 0;) {
          const std::string outer = i == 0   ? "unzip"
                                    : i == 1 ? "map(unzip)"
                                             : "map" + std::to_string(i) + "(unzip)";
          whole = whole + Layout::nested(Layout::line() + "|> " + outer);
        }
        text = {Layout::group(whole), Strength::Pipeline};
      }
    }
    if (groups.size() == 1) {
      lines.push_back(text.layout);
      break;
    }
    lines.push_back(Layout("let " + pattern(names) + " =") +
                    Layout::group(Layout::nested(Layout::line() + text.layout)));
    for (std::size_t i = 0; i < group.size(); ++i) {
      values.push_back(names[i]);
      Storage made{.kind = StorageKind::Bound, .type = group[i].value->type, .name = names[i]};
      for (const Term counter : group[i].counters) made.lengths.push_back(terms_.poly(counter->operands[0]));
      if (group[i].storage) known.emplace_back(&group[i], terms_.storage(made));
    }
  }
  if (groups.size() > 1) lines.push_back("(" + Layout::joined(values, ", ") + ")");
  const Layout result_type = types.size() == 1 ? types[0] : "(" + Layout::joined(types, ", ") + ")";
  const Layout head =
      Layout::group("def " + name + "(" +
                    Layout::nested(Layout::nested(Layout::joined(parameters, Layout(",") + Layout::line()))) +
                    "): " + result_type + " =");
  Layout all = head;
  for (const Layout& each : lines) all = all + Layout::nested(Layout::hard_line() + each);
  program_.text = all.text(width, 0) + "\n";
  return std::move(program_);
}

}  // namespace hoist::openmp
