// The definition that a nest becomes: its sizes and parameters, then its results.
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

#include "openmp/nest_writer.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

constexpr int width = 100;

std::string member_name(const VarDecl* variable, const std::string& member) {
  std::string text = variable->getNameAsString() + (member.empty() ? "" : "_" + member);
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

/// The symbol that the polynomial is, if it is one.
std::optional<SymbolId> single_symbol(const Poly& poly) {
  if (poly.terms().size() != 1) return std::nullopt;
  const auto& [monomial, coefficient] = *poly.terms().begin();
  if (monomial.size() != 1 || coefficient != 1) return std::nullopt;
  return monomial[0];
}

}  // namespace

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
  const bool is_known =
      value && !llvm::isa<ImplicitValueInitExpr>(value) && value->EvaluateAsRValue(found, context);
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

std::string NestWriter::shape(const std::vector<Poly>& lengths, NumberType type) {
  std::string text;
  for (const Poly& each : lengths) text += "[" + size_text(each) + "]";
  return text + spelled(type);
}

void NestWriter::declare_numbers(const Shapes& shapes) {
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
  // Sizes begin with a capital letter; arrays keep the names that they have.
  for (const Storage* each : shapes.arrays) used_.insert(each->name);
  for (const Term each : givens) {
    if (!is_size(each)) continue;
    std::string wanted = each->variable ? member_name(each->variable, each->text) : each->text + "Length";
    wanted[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(wanted[0])));
    if (each->variable && wanted.size() == 1 && used_.count(wanted)) wanted += "Size";
    if (is_float(each->type)) {
      throw Untranslatable{loop_.directive->getBeginLoc(),
                           "how often a loop runs is computed from a number that is no integer"};
    }
    names_[each] = fresh_name(wanted);
    program_.sizes.push_back({names_[each], each->variable, each->text});
  }
  // Those that no array's shape tells are parameters.
  std::set<Term> told;
  for (const Storage* each : shapes.arrays) {
    for (const Poly& length : each->lengths) {
      if (const auto symbol = single_symbol(length)) told.insert(terms_.by_id(*symbol));
    }
  }
  for (const Term each : givens) {
    if (is_size(each) && !told.count(each)) parameters_.push_back(names_[each] + ": size");
  }
  for (const Term each : givens) {
    if (is_size(each)) continue;
    names_[each] = fresh_name(member_name(each->variable, each->text));
    program_.parameters.push_back({.name = names_[each], .given = each});
    parameters_.push_back(names_[each] + ": " + spelled(each->type));
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
}

void NestWriter::declare_arrays(const Shapes& shapes) {
  // Elements that are indices, and of how many elements.
  std::map<const Storage*, std::string> below;
  const auto look = [&](Term each) {
    for (std::size_t i = 0; i < each->index.size(); ++i) {
      for (const auto& [monomial, coefficient] : each->index[i].terms()) {
        for (const SymbolId id : monomial) {
          const Term atom = terms_.by_id(id);
          if (atom->kind == TermKind::Element && i < each->storage->lengths.size())
            below[atom->storage] = size_text(each->storage->lengths[i]);
        }
      }
    }
  };
  for (const NestResult& result : shapes.results) terms_.visit(result.value, look);
  for (const Storage* each : shapes.arrays) {
    if (const InitListExpr* listed = constant_values(each->variable)) {
      lines_.push_back("let " + each->name + " = " + literal(listed, each->variable->getType(), each->type));
      continue;
    }
    program_.parameters.push_back(
        {each->name, nullptr, each, each->lengths, below.count(each) ? below[each] : ""});
    parameters_.push_back(each->name + ": " + shape(each->lengths, each->type));
  }
}

std::vector<std::vector<NestResult>> NestWriter::grouped(const std::vector<NestResult>& results) const {
  const auto parts = [&](const NestResult& result) {
    std::set<Term> found;
    terms_.visit(result.value, [&](Term each) {
      const bool counts =
          each->kind == TermKind::Recurrence || (each->kind == TermKind::Operation && is_float(each->type));
      if (counts) found.insert(each);
    });
    return found;
  };
  std::vector<std::vector<NestResult>> groups;
  for (const NestResult& each : results) {
    const std::set<Term> own = parts(each);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<NestResult>& group) {
      if (!group[0].storage || !each.storage || each.counters.empty()) return false;
      if (group[0].counters != each.counters) return false;
      const std::set<Term> others = parts(group[0]);
      return std::any_of(own.begin(), own.end(), [&](Term part) { return others.count(part) > 0; });
    });
    if (same != groups.end()) {
      same->push_back(each);
    } else {
      groups.push_back({each});
    }
  }
  return groups;
}

void NestWriter::write_group(std::vector<NestResult>& group, bool is_only) {
  std::vector<std::string> names;
  std::vector<Term> bodies;
  for (NestResult& each : group) {
    // What an earlier result has computed is taken from there.
    for (const auto& [before, storage] : written_) {
      std::vector<Poly> index;
      for (const Term counter : before.counters) index.push_back(Poly::symbol(counter->id));
      if (before.value->kind == TermKind::Recurrence)
        each.value = terms_.replaced(each.value, {{before.value, terms_.element(storage, index)}});
    }
    bodies.push_back(each.value);
    const std::string wanted = each.storage ? member_name(each.storage->variable, each.storage->member)
                                            : each.variable->getNameAsString();
    const bool is_parameter = used_.count(wanted) > 0;
    names.push_back(is_only && group.size() == 1 ? wanted
                                                 : fresh_name(is_parameter ? wanted + "_after" : wanted));
    std::vector<Poly> lengths;
    for (const Term counter : each.counters) lengths.push_back(terms_.poly(counter->operands[0]));
    types_.push_back(shape(lengths, each.value->type));
    program_.results.push_back(each);
    program_.result_names.push_back(wanted);
  }
  const std::vector<Term>& counters = group[0].counters;
  Text text;
  if (const auto scanned = counters.empty() ? std::nullopt : whole_scan(counters, 0, bodies)) {
    text = *scanned;
  } else {
    name_arrays(bodies, lines_);
    text = counters.empty() ? expression(bodies[0]) : array(counters, 0, bodies);
  }
  // An array of tuples becomes a tuple of arrays, from its rows on.
  for (std::size_t i = counters.size(); i-- > 0 && group.size() > 1;) {
    const std::string outer = i == 0   ? "unzip"
                              : i == 1 ? "map(unzip)"
                                       : "map" + std::to_string(i) + "(unzip)";
    text = {text.layout + Layout::nested(Layout::line() + "|> " + outer), Strength::Pipeline};
  }
  const Layout whole = Layout::group(text.layout);
  if (is_only) {
    lines_.push_back(whole);
    return;
  }
  lines_.push_back(Layout("let " + pattern(names) + " =") +
                   Layout::group(Layout::nested(Layout::line() + whole)));
  for (std::size_t i = 0; i < group.size(); ++i) {
    values_.push_back(names[i]);
    Storage made{.kind = StorageKind::Bound, .type = group[i].value->type, .name = names[i]};
    for (const Term counter : group[i].counters) made.lengths.push_back(terms_.poly(counter->operands[0]));
    if (group[i].storage) written_.emplace_back(group[i], terms_.storage(made));
  }
}

NestProgram NestWriter::write(const Nest& nest, const std::string& name) {
  const Shapes shapes = find_shapes(nest, terms_, samples_);
  find_sizes(shapes);
  program_.name = name;
  used_.insert(name);
  declare_numbers(shapes);
  declare_arrays(shapes);
  std::vector<std::vector<NestResult>> groups = grouped(shapes.results);
  for (std::vector<NestResult>& group : groups) write_group(group, groups.size() == 1);
  if (groups.size() > 1) lines_.push_back("(" + Layout::joined(values_, ", ") + ")");
  const Layout result = types_.size() == 1 ? types_[0] : "(" + Layout::joined(types_, ", ") + ")";
  const Layout parameters = Layout::joined(parameters_, Layout(",") + Layout::line());
  Layout all =
      Layout::group("def " + name + "(" + Layout::nested(Layout::nested(parameters)) + "): " + result + " =");
  for (const Layout& each : lines_) all = all + Layout::nested(Layout::hard_line() + each);
  program_.text = all.text(width, 0) + "\n";
  return std::move(program_);
}

NestProgram write_program(const Loop& loop, const Nest& nest, const std::string& name, Terms& terms,
                          Samples& samples) {
  return NestWriter(loop, terms, samples).write(nest, name);
}

}  // namespace hoist::openmp
