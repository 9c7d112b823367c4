// Loops as patterns. What a loop reads at its counter, A[i + o] for some o, becomes an element of A that a
// map or a reduction is given: of zip where several arrays are read, of slide where o differs, of transpose
// where the counter is a later index. `for (i) for (j) { for (k) s += A[i][k] * B[k][j] }` so becomes `A |>
// map(A_i => transpose(B) |> map(B_j => dotProduct(A_i, B_j)))`. What else a loop does with its counter takes
// it from iota; a loop that reads nothing so is a generate.
#include <algorithm>

#include "openmp/nest_writer.hpp"

namespace hoist::openmp {

/// An element that is read at the counter plus an offset.
struct NestWriter::Reading {
  Term element;
  std::size_t position;  ///< of the index
  Poly offset;
};

void NestWriter::find_readings(Term term, Term counter, std::vector<Reading>& readings, bool& has_index,
                               std::set<Term>& done) {
  if (!done.insert(term).second) return;
  if (term == counter) {
    has_index = true;
    return;
  }
  const auto inner = [&](Term each) { find_readings(each, counter, readings, has_index, done); };
  const auto loop = [&](const Recurrence& each) {
    if (!each.counter) return;
    inner(each.counter->operands[0]);
    for (const Term one : each.initial) inner(one);
    for (const Term one : each.next) inner(one);
  };
  for (const Term each : term->operands) {
    if (term->kind != TermKind::Counter) inner(each);
  }
  loop(term->recurrence);
  if (term->storage) {
    for (const Term each : term->storage->counters) inner(each->operands[0]);
    if (term->storage->value) inner(term->storage->value);
    loop(term->storage->recurrence);
  }
  std::optional<Reading> reading;
  bool is_plain = term->storage &&
                  (term->storage->kind == StorageKind::Given || term->storage->kind == StorageKind::Bound);
  bool is_used = false;
  for (std::size_t i = 0; i < term->index.size(); ++i) {
    const Poly& index = term->index[i];
    for (const auto& [monomial, coefficient] : index.terms()) {
      for (const SymbolId id : monomial) {
        if (id != counter->id && terms_.by_id(id)->kind != TermKind::Counter) inner(terms_.by_id(id));
      }
    }
    if (!index.uses(counter->id)) continue;
    is_used = true;
    const auto unit = index.coefficient(counter->id);
    if (reading || !unit || !(*unit == Poly(1))) {
      is_plain = false;
    } else {
      reading = Reading{term, i, index - Poly::symbol(counter->id)};
    }
  }
  if (!is_used) return;
  if (is_plain && reading) {
    readings.push_back(*reading);
  } else {
    has_index = true;
  }
}

Layout NestWriter::arranged(const Storage* storage, std::size_t position, const Poly& from, const Poly& count,
                            const Poly& width) {
  std::vector<Layout> steps{storage->name};
  if (position == 1) steps = {"transpose(" + storage->name + ")"};
  if (position == 2) steps = {storage->name, "map(transpose)", "transpose"};
  if (!(from == Poly(0))) steps.push_back("drop(" + size_text(from) + ")");
  const Poly taken = count + width - Poly(1);
  if (!(storage->lengths.at(position) - from == taken)) steps.push_back("take(" + size_text(taken) + ")");
  if (!(width == Poly(1))) steps.push_back("slide(" + size_text(width) + ", 1)");
  return Layout::joined(steps, " |> ");
}

std::string NestWriter::element_name(const Storage* storage, const std::vector<Term>& counters) {
  std::string name = storage->name;
  const bool has_indices = storage->kind == StorageKind::Bound && name.find('_') != std::string::npos;
  if (!has_indices) name += "_";
  for (const Term each : counters) name += each->text;
  return fresh_name(name);
}

NestWriter::Lifted NestWriter::lifted(Term counter, const Poly& count, std::vector<Term> bodies) {
  std::vector<Reading> readings;
  Lifted result;
  std::set<Term> done;
  for (const Term each : bodies) find_readings(each, counter, readings, result.has_index, done);
  // One source for each array, index, and part of the offset that does not change inside.
  struct Group {
    const Storage* storage;
    std::size_t position;
    Poly base, low, high;
    std::vector<Reading> readings;
  };
  std::vector<Group> groups;
  for (const Reading& each : readings) {
    Poly fixed, moving;
    bool is_known = each.position < 3;
    for (const auto& [monomial, coefficient] : each.offset.terms()) {
      Poly term(coefficient);
      bool moves = monomial.empty();
      for (const SymbolId id : monomial) {
        term = term * Poly::symbol(id);
        const Term atom = terms_.by_id(id);
        moves = moves || atom->kind == TermKind::Counter;
        is_known = is_known &&
                   (is_invariant(atom, terms_) || (atom->kind == TermKind::Counter && !scope_.count(atom)));
      }
      (moves ? moving : fixed) = (moves ? moving : fixed) + term;
    }
    const auto low = is_known ? least(moving, terms_, samples_) : std::nullopt,
               high = is_known ? greatest(moving, terms_, samples_) : std::nullopt;
    if (!low || !high) {
      result.has_index = true;
      continue;
    }
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.storage == each.element->storage && group.position == each.position && group.base == fixed;
    });
    if (found == groups.end()) {
      groups.push_back({each.element->storage, each.position, fixed, *low, *high, {each}});
      continue;
    }
    if (samples_.always_at_least(found->low - *low, 0)) found->low = *low;
    if (samples_.always_at_least(*high - found->high, 0)) found->high = *high;
    found->readings.push_back(each);
  }
  std::map<Term, Term> by;
  for (const Group& group : groups) {
    const Poly from = group.base + group.low, width = group.high - group.low + Poly(1);
    const Poly& length = group.storage->lengths.at(group.position);
    const bool is_inside = samples_.always_at_least(from, 0) &&
                           samples_.always_at_least(length - from - count - width + Poly(1), 0);
    if (!is_inside) {
      result.has_index = true;
      continue;
    }
    const bool is_window = !(width == Poly(1));
    Storage made{.kind = StorageKind::Bound, .type = group.storage->type};
    made.name = element_name(group.storage, {counter});
    if (is_window) made.lengths.push_back(width);
    for (std::size_t i = 0; i < group.storage->lengths.size(); ++i) {
      if (i != group.position) made.lengths.push_back(group.storage->lengths[i]);
    }
    const Storage* element = terms_.storage(made);
    for (const Reading& each : group.readings) {
      std::vector<Poly> index;
      if (is_window) index.push_back(each.offset - from);
      for (std::size_t i = 0; i < each.element->index.size(); ++i) {
        if (i != each.position) index.push_back(each.element->index[i]);
      }
      by[each.element] = terms_.element(element, index);
    }
    result.sources.push_back({arranged(group.storage, group.position, from, count, width), made.name});
  }
  for (Term& each : bodies) {
    each = terms_.with_elements(each, [&](Term one) -> Term {
      const auto found = by.find(one);
      return found == by.end() ? nullptr : found->second;
    });
  }
  if (result.sources.empty()) result.has_index = true;
  if (result.has_index) {
    names_[counter] = fresh_name(counter->text);
    scope_.insert(counter);
    result.sources.insert(result.sources.begin(), {"iota(" + size_text(count) + ")", names_[counter]});
  }
  result.bodies = std::move(bodies);
  return result;
}

std::optional<NestWriter::Lifted> NestWriter::lifted_windows(const std::vector<Term>& counters,
                                                             const std::vector<Term>& bodies) {
  struct Group {
    const Storage* storage;
    std::vector<std::int64_t> low, high;
    std::set<Term> elements;
  };
  std::vector<Group> groups;
  for (std::size_t d = 0; d < counters.size(); ++d) {
    std::vector<Reading> readings;
    bool has_index = false;
    std::set<Term> done;
    for (const Term each : bodies) find_readings(each, counters[d], readings, has_index, done);
    if (has_index) return std::nullopt;
    for (const Reading& each : readings) {
      const auto offset = each.offset.constant();
      if (each.position != d || !offset) return std::nullopt;
      auto found = std::find_if(groups.begin(), groups.end(),
                                [&](const Group& group) { return group.storage == each.element->storage; });
      if (found == groups.end()) {
        if (d > 0) return std::nullopt;
        groups.push_back({each.element->storage, {*offset}, {*offset}, {}});
        found = groups.end() - 1;
      }
      if (found->low.size() <= d) found->low.push_back(*offset), found->high.push_back(*offset);
      found->low[d] = std::min(found->low[d], *offset);
      found->high[d] = std::max(found->high[d], *offset);
      if (d == 0) found->elements.insert(each.element);
      if (!found->elements.count(each.element)) return std::nullopt;
    }
  }
  const std::size_t dimensions = counters.size();
  bool has_windows = false;
  for (const Group& group : groups) {
    if (group.low.size() != dimensions || group.storage->lengths.size() < dimensions) return std::nullopt;
    const std::int64_t width = group.high[0] - group.low[0] + 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (group.high[d] - group.low[d] + 1 != width) return std::nullopt;
      const Poly rest =
          group.storage->lengths[d] - terms_.poly(counters[d]->operands[0]) - Poly(group.high[d]);
      if (group.low[d] < 0 || !samples_.always_at_least(rest, 0)) return std::nullopt;
    }
    has_windows = has_windows || width > 1;
  }
  if (!has_windows) return std::nullopt;
  Lifted result;
  std::map<Term, Term> by;
  const std::string digit = std::to_string(dimensions);
  for (const Group& group : groups) {
    const std::int64_t width = group.high[0] - group.low[0] + 1;
    Storage made{.kind = StorageKind::Bound, .type = group.storage->type};
    made.name = element_name(group.storage, counters);
    if (width > 1) made.lengths.assign(dimensions, Poly(width));
    made.lengths.insert(made.lengths.end(),
                        group.storage->lengths.begin() + static_cast<std::ptrdiff_t>(dimensions),
                        group.storage->lengths.end());
    const Storage* element = terms_.storage(made);
    for (const Term each : group.elements) {
      std::vector<Poly> index;
      for (std::size_t d = 0; d < each->index.size(); ++d) {
        if (d >= dimensions)
          index.push_back(each->index[d]);
        else if (width > 1)
          index.push_back(each->index[d] - Poly::symbol(counters[d]->id) - Poly(group.low[d]));
      }
      by[each] = terms_.element(element, index);
    }
    // What lies before and behind is left out, dimension by dimension.
    std::string function;
    for (std::size_t d = dimensions; d-- > 0;) {
      const Poly taken = terms_.poly(counters[d]->operands[0]) + Poly(width - 1);
      std::string own;
      if (group.low[d] > 0) own = "drop(" + std::to_string(group.low[d]) + ")";
      if (!(group.storage->lengths[d] - Poly(group.low[d]) == taken))
        own += (own.empty() ? "" : " >> ") + ("take(" + size_text(taken) + ")");
      if (!function.empty()) own += (own.empty() ? "" : " >> ") + ("map(" + function + ")");
      function = own;
    }
    std::string array = group.storage->name;
    for (std::size_t at = 0; !function.empty();) {
      at = function.find(" >> ", at);
      // Only those between the parts for the outermost dimension are pipes.
      const std::string head = function.substr(0, at);
      if (std::count(head.begin(), head.end(), '(') != std::count(head.begin(), head.end(), ')')) {
        at += 4;
        continue;
      }
      array += " |> " + head;
      function = at == std::string::npos ? "" : function.substr(at + 4);
      at = 0;
    }
    if (width > 1) array += " |> slide" + digit + "(" + std::to_string(width) + ", 1)";
    result.sources.push_back({array, made.name});
  }
  for (const Term each : bodies) {
    result.bodies.push_back(terms_.with_elements(each, [&](Term one) -> Term {
      const auto found = by.find(one);
      return found == by.end() ? nullptr : found->second;
    }));
  }
  return result;
}

Layout NestWriter::zipped(const std::vector<Source>& sources, const std::string& zip) {
  if (sources.size() == 1) return sources[0].array;
  if (zip != "zip") {
    // zip2 and zip3 pair.
    Layout all = sources.back().array;
    for (std::size_t i = sources.size() - 1; i-- > 0;)
      all = Layout::group(
          zip + "(" + Layout::nested(Layout::line("") + sources[i].array + "," + Layout::line() + all) + ")");
    return all;
  }
  std::vector<Layout> arrays;
  for (const Source& each : sources) arrays.push_back(each.array);
  return Layout::group(
      zip + "(" + Layout::nested(Layout::line("") + Layout::joined(arrays, Layout(",") + Layout::line())) +
      ")");
}

std::string NestWriter::pattern(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return names.size() == 1 ? text : "(" + text + ")";
}

std::optional<Text> NestWriter::whole_scan(const std::vector<Term>& counters, std::size_t first,
                                           const std::vector<Term>& bodies) {
  if (first + 1 != counters.size() || bodies.size() != 1 || bodies[0]->kind != TermKind::Element)
    return std::nullopt;
  const Storage* storage = bodies[0]->storage;
  const Term counter = counters[first];
  const bool is_whole = storage->kind == StorageKind::Scanned &&
                        bodies[0]->index[0] == Poly::symbol(counter->id) &&
                        storage->lengths[0] == terms_.poly(counter->operands[0]);
  if (!is_whole) return std::nullopt;
  const std::set<Term> scope = scope_;
  const std::set<std::string> used = used_;
  std::vector<Term> parts = storage->recurrence.next;
  std::vector<Layout> lets;
  name_arrays(parts, lets);
  scope_ = scope;
  used_ = used;
  if (!lets.empty()) return std::nullopt;
  return scan(storage->recurrence, storage->which);
}

Text NestWriter::array(const std::vector<Term>& counters, std::size_t first,
                       const std::vector<Term>& bodies) {
  const std::set<Term> scope = scope_;
  const std::set<std::string> used = used_;
  const auto leave = [&]() {
    scope_ = scope;
    used_ = used;
  };
  const auto function = [&](const std::string& parameters, std::size_t next, const std::vector<Term>& inner) {
    Layout text;
    if (const auto whole = whole_scan(counters, next, inner)) {
      text = Layout::line() + whole->layout;
    } else if (next < counters.size()) {
      std::vector<Layout> lets;
      std::vector<Term> named = inner;
      name_arrays(named, lets);
      name_shared(named, lets);
      Layout result = array(counters, next, named).layout;
      for (std::size_t i = lets.size(); i-- > 0;) result = lets[i] + Layout::hard_line() + result;
      text = lets.empty() ? Layout::line() + result : Layout::hard_line() + result;
    } else {
      text = body(inner, true);
    }
    return Layout(parameters + " =>") + Layout::nested(text);
  };
  for (std::size_t dimensions = std::min<std::size_t>(3, counters.size() - first); dimensions >= 2;
       --dimensions) {
    const std::vector<Term> together(counters.begin() + static_cast<std::ptrdiff_t>(first),
                                     counters.begin() + static_cast<std::ptrdiff_t>(first + dimensions));
    const auto windows = lifted_windows(together, bodies);
    if (!windows) continue;
    std::string parameters = windows->sources.back().name;
    for (std::size_t i = windows->sources.size() - 1; i-- > 0;)
      parameters = "(" + windows->sources[i].name + ", " + parameters + ")";
    const std::string digit = std::to_string(dimensions);
    const Layout mapped =
        Layout::group("map" + digit + "(" + function(parameters, first + dimensions, windows->bodies) + ")");
    const Layout text = Layout::group(zipped(windows->sources, "zip" + digit) +
                                      Layout::nested(Layout::line() + "|> " + mapped));
    leave();
    return {text, Strength::Pipeline};
  }
  const Term counter = counters[first];
  const Poly count = terms_.poly(counter->operands[0]);
  const Lifted found = lifted(counter, count, bodies);
  Text result;
  if (found.sources.size() == 1 && found.has_index) {
    result = {Layout::group("generate(" + size_text(count) + ", " +
                            function(names_[counter], first + 1, found.bodies) + ")"),
              Strength::Atom};
  } else if (found.sources.size() == 1 && first + 1 == counters.size() && found.bodies.size() == 1 &&
             found.bodies[0]->kind == TermKind::Element && found.bodies[0]->index.empty() &&
             found.bodies[0]->storage->name == found.sources[0].name) {
    result = {found.sources[0].array, Strength::Pipeline};  // the elements themselves
  } else {
    std::vector<std::string> names;
    for (const Source& each : found.sources) names.push_back(each.name);
    const Layout mapped = Layout::group("map(" + function(pattern(names), first + 1, found.bodies) + ")");
    result = {Layout::group(zipped(found.sources, "zip") + Layout::nested(Layout::line() + "|> " + mapped)),
              Strength::Pipeline};
  }
  leave();
  return result;
}

// ---- Loops that carry something ----

std::string NestWriter::ranged(const Range& range, bool is_name) {
  if (!range.to) return is_name ? "reduce(" : "";
  const bool is_beginning = range.from == Poly(0);
  if (is_name) return is_beginning ? "reduceUpTo(" : range.ends ? "reduceFrom(" : "reduceRange(";
  std::string text;
  if (!is_beginning) text += ", " + expression(terms_.term(range.from)).layout.text(10000, 0);
  if (is_beginning || !range.ends) text += ", " + expression(terms_.term(*range.to)).layout.text(10000, 0);
  return text;
}

std::optional<Text> NestWriter::reduction(const Recurrence& loop, const Poly& count, const Range& range) {
  const auto found_as = gathered(loop, terms_);
  if (!found_as) return std::nullopt;
  const std::string operation = found_as->operation;
  const Term state = loop.states[0];
  const NumberType type = state->type;
  Term value = found_as->value;
  const bool is_real = is_float(type);
  // Factors that do not change stand before the sum.
  std::vector<Term> factors;
  Term constant = nullptr;
  if (operation == "+" && is_real) {
    const std::function<void(Term)> split = [&](Term each) {
      if (each->kind == TermKind::Operation && each->text == "*" && each->operands.size() == 2) {
        split(each->operands[0]);
        split(each->operands[1]);
      } else {
        factors.push_back(each);
      }
    };
    split(value);
    value = nullptr;
    const auto product = [&](Term into, Term factor) {
      return into ? terms_.operation("*", {into, factor}, type) : factor;
    };
    for (const Term each : factors) {
      Term& into = terms_.mentions(each, {loop.counter}) ? value : constant;
      into = product(into, each);
    }
    if (!value) value = constant, constant = nullptr;
  }
  const std::string zero = is_real ? "0.0" : "0";
  const Term start = loop.initial[0];
  const std::set<Term> scope = scope_;
  const std::set<std::string> used = used_;
  Layout text;
  Strength strength = Strength::Pipeline;
  const Lifted found = lifted(loop.counter, count, {value});
  const auto is_element = [&](Term term, std::size_t which) {
    return term->kind == TermKind::Element && term->index.empty() &&
           term->storage->name == found.sources[which].name;
  };
  const Term inner = found.bodies[0];
  scope_ = scope;
  used_ = used;
  const bool is_product = found.sources.size() == 2 && !found.has_index &&
                          inner->kind == TermKind::Operation && inner->text == "*" &&
                          is_element(inner->operands[0], 0) && is_element(inner->operands[1], 1);
  if (is_product && operation == "+" && !range.to && start->text == zero) {
    text = "dotProduct(" + found.sources[0].array + ", " + found.sources[1].array + ")";
    strength = Strength::Atom;
  } else {
    const Layout source =
        is_product ? zipped(found.sources, "zip") + " |> map(*)" : array({loop.counter}, 0, {value}).layout;
    text =
        Layout::group(source + Layout::nested(Layout::line() + "|> " + ranged(range, true) + operation +
                                              ", " + expression(start).layout + ranged(range, false) + ")"));
  }
  if (constant) {
    text = in(expression(constant), Strength::Product) + " * " + in({text, strength}, Strength::Unary);
    strength = Strength::Product;
  }
  return Text{text, strength};
}

Text NestWriter::recurrence(const Recurrence& given, std::size_t which) {
  Recurrence loop = given;
  const Poly rounds = terms_.poly(loop.counter->operands[0]);
  std::optional<Poly> count = rounds;
  Range range;
  if (!is_invariant(loop.counter->operands[0], terms_)) {
    // Elements from one index to another, of an array that has all that there ever are.
    range.to = rounds;
    Poly from;
    if (loop.counter->operands.size() > 1) {
      const Poly start = terms_.poly(loop.counter->operands[1]);
      const auto low = least(start, terms_, samples_), high = greatest(start + rounds, terms_, samples_);
      if (low && high && samples_.always_at_least(*low, 0)) {
        from = start;
        range.to = start + rounds;
      }
    }
    count = greatest(*range.to, terms_, samples_);
    if (count) {
      const Term all = terms_.fresh_counter(loop.counter->text, terms_.term(*count));
      const Terms::Replacements by{{loop.counter, terms_.term(Poly::symbol(all->id) - from)}};
      for (Term& each : loop.next) each = terms_.replaced(each, by);
      loop.counter = all;
      range.from = from;
      range.ends = *range.to == *count;
    }
  }
  if (count) {
    if (auto simple = reduction(loop, *count, range)) return *simple;
  }
  const std::set<Term> scope = scope_;
  const std::set<std::string> used = used_;
  const Layout start = start_of(loop);
  const std::vector<std::string> states = entered(loop);
  Text result;
  if (!count) {
    // How many rounds there are is known when the program runs.
    names_[loop.counter] = fresh_name(loop.counter->text);
    scope_.insert(loop.counter);
    const Layout function = Layout("(" + names_[loop.counter] + ", " + pattern(states) + ") =>") +
                            Layout::nested(body(loop.next, true));
    const Layout begin = loop.states.size() > 1 ? start : in({start, Strength::Or}, Strength::Or);
    result = {
        Layout::group(begin + Layout::nested(Layout::line() + "|> iterate(" +
                                             expression(terms_.term(rounds)).layout + ", " + function + ")")),
        Strength::Pipeline};
  } else {
    const Lifted found = lifted(loop.counter, *count, loop.next);
    std::vector<std::string> elements;
    for (const Source& each : found.sources) elements.push_back(each.name);
    const Layout function = Layout("(" + pattern(states) + ", " + pattern(elements) + ") =>") +
                            Layout::nested(body(found.bodies, true));
    const Layout arguments = function + ", " + start + ranged(range, false);
    result = {Layout::group(zipped(found.sources, "zip") +
                            Layout::nested(Layout::line() + "|> " + ranged(range, true) + arguments + ")")),
              Strength::Pipeline};
  }
  scope_ = scope;
  used_ = used;
  if (loop.states.size() > 1) result = {"(" + result.layout + ")." + std::to_string(which), Strength::Atom};
  return result;
}

Layout NestWriter::start_of(const Recurrence& loop) {
  Layout start;
  for (std::size_t i = 0; i < loop.initial.size(); ++i) {
    const Term first = loop.initial[i];
    const Layout each = (first->kind == TermKind::Number ? number(first, true) : expression(first)).layout;
    start = i == 0 ? each : start + ", " + each;
  }
  return loop.initial.size() > 1 ? "(" + start + ")" : start;
}

std::vector<std::string> NestWriter::entered(const Recurrence& loop) {
  std::vector<std::string> names;
  for (const Term each : loop.states) {
    names.push_back(names_[each] = fresh_name(each->text));
    scope_.insert(each);
  }
  return names;
}

Text NestWriter::scan(const Recurrence& loop, std::size_t which) {
  const std::set<Term> scope = scope_;
  const std::set<std::string> used = used_;
  const Layout start = start_of(loop);
  const std::vector<std::string> states = entered(loop);
  const Lifted found = lifted(loop.counter, terms_.poly(loop.counter->operands[0]), loop.next);
  std::vector<std::string> elements;
  for (const Source& each : found.sources) elements.push_back(each.name);
  const Layout function = Layout("(" + pattern(states) + ", " + pattern(elements) + ") =>") +
                          Layout::nested(body(found.bodies, true));
  Layout text = zipped(found.sources, "zip") +
                Layout::nested(Layout::line() + "|> scan(" + function + ", " + start + ")");
  if (loop.states.size() > 1)
    text = text + Layout::nested(Layout::line() + "|> map(" + pattern(states) + " => " + states[which] + ")");
  scope_ = scope;
  used_ = used;
  return {Layout::group(text), Strength::Pipeline};
}

}  // namespace hoist::openmp
