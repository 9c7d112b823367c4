// Reading a loop nest: an execution of its body once, in order, whose values are terms.
//
// Variables have terms as the body is executed. What is written to arrays is kept as a list of writes
// (`State:: memory`), which reads are answered from: a place that was written gives the term, one that
// certainly was not gives the element of the array as it was. `C[i][j] = 0; for (k..) C[i][j] += e` so
// becomes one term.
//
// A loop inside (run_loop) is executed for one round. What the round begins with is not known, so a variable
// that the loop changes is a state, and an element of an array that it writes is an element of an "entry"
// storage. After the round (leave_loop) it is seen what came of these. A state that the round uses and
// changes is carried: a recurrence. A place that does not depend on the counter is carried, too, and so is
// one that the round before has written (x[i - 1]). Whatever else is read at entry was there before the loop.
// What is written at a place that depends on the counter is a write for all values of it; where its value
// uses what is carried, it is an element of a scan.
//
// Where two places might be one for some values of the counters and not for others, the nest is refused. This
// is tried at small sizes (nest_samples).
#include <algorithm>

#include "openmp/nest_reader.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

/// Whether what follows in the block may be left out.
bool leaves_early(const Stmt* statement) {
  if (!statement) return false;
  if (llvm::isa<ContinueStmt>(statement) || llvm::isa<ReturnStmt>(statement)) return true;
  if (llvm::isa<ForStmt>(statement)) return contains<ReturnStmt>(statement);
  return std::any_of(statement->child_begin(), statement->child_end(), leaves_early);
}

/// Whether a break of the loop itself is in its body.
bool breaks(const Stmt* statement) {
  if (!statement || llvm::isa<ForStmt>(statement) || llvm::isa<WhileStmt>(statement) ||
      llvm::isa<DoStmt>(statement) || llvm::isa<SwitchStmt>(statement))
    return false;
  return llvm::isa<BreakStmt>(statement) ||
         std::any_of(statement->child_begin(), statement->child_end(), breaks);
}

}  // namespace

void changed_by(const Stmt* statement, std::set<const VarDecl*>& changed) {
  if (!statement) return;
  const auto change = [&](const Expr* target) {
    while (const auto* member = llvm::dyn_cast<MemberExpr>(plain(target))) target = member->getBase();
    if (const VarDecl* variable = variable_of(target)) changed.insert(variable);
  };
  if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp())
    change(binary->getLHS());
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf) change(unary->getSubExpr());
  }
  for (const Stmt* child : statement->children()) changed_by(child, changed);
}

// ---- Statements ----

void NestReader::declare(State& state, const VarDecl* variable) {
  if (!variable) return;
  if (variable->isStaticLocal()) refuse(variable->getLocation(), "a variable keeps its value between calls");
  const QualType type = variable->getType();
  if (type->isArrayType()) {
    if (variable->getInit())
      refuse(variable->getLocation(), "an array that an iteration declares has a list of values");
    std::erase_if(state.memory, [&](const Write& each) { return each.storage->variable == variable; });
    state.values[variable] = {.kind = Value::Pointer, .variable = variable};
    return;
  }
  Value value = variable->getInit() ? initial_value(state, variable->getInit(), type) : Value{};
  if (value.kind == Value::Number) {
    if (!type->isArithmeticType())
      refuse(variable->getLocation(), "a variable is neither number, pointer nor structure");
    value.term = terms_.converted(value.term, number_type(type, variable->getLocation()));
    terms_.name(value.term, variable->getNameAsString());
  }
  state.values[variable] = value;
}

void NestReader::execute(State& state, Todo todo) {
  while (!todo.empty()) {
    const Stmt* each = todo.front();
    todo.pop_front();
    if (!each || llvm::isa<NullStmt>(each)) continue;
    if (const auto* block = llvm::dyn_cast<CompoundStmt>(each)) {
      todo.insert(todo.begin(), block->body_begin(), block->body_end());
    } else if (const auto* declarations = llvm::dyn_cast<DeclStmt>(each)) {
      for (const Decl* one : declarations->decls()) declare(state, llvm::dyn_cast<VarDecl>(one));
    } else if (const auto* expression = llvm::dyn_cast<Expr>(each)) {
      evaluate(state, expression);
    } else if (const auto* choice = llvm::dyn_cast<IfStmt>(each)) {
      if (leaves_early(choice)) return choose(state, choice, std::move(todo));
      choose(state, choice, {});
    } else if (const auto* loop = llvm::dyn_cast<ForStmt>(each)) {
      run_loop(state, loop);
    } else if (const auto* result = llvm::dyn_cast<ReturnStmt>(each)) {
      if (result->getRetValue()) state.returned = evaluate(state, result->getRetValue());
      return;
    } else if (llvm::isa<ContinueStmt>(each)) {
      return;
    } else if (const auto* directive = llvm::dyn_cast<OMPSimdDirective>(each)) {
      todo.push_front(statement_of(directive));
    } else if (const auto* attributed = llvm::dyn_cast<AttributedStmt>(each)) {
      todo.push_front(attributed->getSubStmt());
    } else if (llvm::isa<OMPExecutableDirective>(each)) {
      refuse(each->getBeginLoc(), "iterations meet in an atomic or critical construct");
    } else if (llvm::isa<WhileStmt>(each) || llvm::isa<DoStmt>(each)) {
      refuse(each->getBeginLoc(), "it has a loop whose number of rounds is not known before it");
    } else {
      refuse(each->getBeginLoc(),
             std::string("a statement of this kind (") + each->getStmtClassName() + ") is not said");
    }
  }
}

void NestReader::choose(State& state, const IfStmt* choice, Todo rest) {
  const Term asked = condition(state, choice->getCond());
  State yes = state, no = state;
  Todo then = rest;
  then.push_front(choice->getThen());
  execute(yes, std::move(then));
  rest.push_front(choice->getElse());
  execute(no, std::move(rest));
  state = joined(state, asked, std::move(yes), std::move(no));
}

NestReader::State NestReader::joined(State& before, Term condition, State yes, State no) {
  State result = before;
  for (auto& [variable, value] : no.values) yes.values.emplace(variable, Value{});
  for (const auto& [variable, value] : yes.values) {
    const auto other = no.values.find(variable);
    result.values[variable] = merged(condition, value, other == no.values.end() ? Value{} : other->second);
  }
  result.returned = merged(condition, yes.returned, no.returned);
  const auto is_same = [](const Write& a, const Write& b) {
    return a.storage == b.storage && a.at == b.at && a.value == b.value && a.counters == b.counters;
  };
  const auto is_new = [&](const Write& each) {
    return std::none_of(before.memory.begin(), before.memory.end(),
                        [&](const Write& one) { return is_same(one, each); });
  };
  const auto add = [&](const Write& each, const State& other, bool is_yes) {
    Write made = each;
    Term alternative = nullptr;
    for (const Write& one : other.memory) {
      if (!is_new(one) || one.storage != each.storage || one.counters.size() != each.counters.size())
        continue;
      Terms::Replacements renamed;
      for (std::size_t i = 0; i < one.counters.size(); ++i) renamed[one.counters[i]] = each.counters[i];
      if (terms_.replaced(one.at, renamed) != each.at) continue;
      alternative = terms_.replaced(one.value, renamed);
    }
    if (alternative && !is_yes) return;
    // Of an array of the iteration's own nobody reads what only the other branch has written.
    const bool is_known = std::any_of(before.memory.begin(), before.memory.end(),
                                      [&](const Write& one) { return one.storage == each.storage; });
    if (!alternative && each.storage->kind == StorageKind::Own && !is_known) return write(result, made);
    if (!alternative) alternative = read(before, each.storage, each.at, each.where);
    made.value = is_yes ? terms_.choice(condition, each.value, alternative)
                        : terms_.choice(condition, alternative, each.value);
    write(result, made);
  };
  for (const Write& each : yes.memory) {
    if (is_new(each)) add(each, no, true);
  }
  for (const Write& each : no.memory) {
    if (is_new(each)) add(each, yes, false);
  }
  return result;
}

// ---- Loops ----

Term NestReader::enter(State& state, const CanonicalLoop& loop) {
  const SourceLocation where = loop.statement->getBeginLoc();
  const NumberType type = number_type(loop.iterator->getType(), where);
  const Poly from = terms_.poly(scalar(state, loop.from)), bound = terms_.poly(scalar(state, loop.bound));
  const Term step = loop.step ? scalar(state, loop.step) : terms_.integer(1);
  Poly count = loop.goes_up ? bound - from : from - bound;
  if (loop.includes_bound) count = count + Poly(1);
  Term rounds = nullptr;
  if (terms_.poly(step) == Poly(1)) {
    rounds = terms_.term(count);
  } else {
    const Term up = terms_.term(count + terms_.poly(step) - Poly(1));
    rounds = terms_.operation("/", {up, terms_.converted(step, NumberType::I32)}, NumberType::I32);
  }
  const bool counts_up = loop.goes_up && terms_.poly(step) == Poly(1);
  const Term counter =
      terms_.fresh_counter(loop.iterator->getNameAsString(), rounds, counts_up ? terms_.term(from) : nullptr);
  const Poly moved = terms_.poly(step) * Poly::symbol(counter->id);
  state.values[loop.iterator] =
      number(terms_.converted(terms_.term(loop.goes_up ? from + moved : from - moved), type));
  return counter;
}

/// What a loop leaves behind, as it is found out.
struct NestReader::Round {
  State& outer;
  State inner;
  Term counter;
  SourceLocation where;
  std::map<const VarDecl*, Term> variables;  ///< the state of each variable that the loop changes
  struct Carried {
    Term state, initial, next;
    std::optional<std::size_t> place;  ///< the write whose place it is
  };
  std::vector<Carried> carried;
};

void NestReader::run_loop(State& state, const ForStmt* statement) {
  const auto loop = canonical_loop(statement);
  const SourceLocation where = statement->getBeginLoc();
  if (!loop || loop->has_further_condition)
    refuse(where, "it has a loop whose number of rounds is not known before it");
  if (breaks(statement->getBody()) || contains<ReturnStmt>(statement->getBody()))
    refuse(where, "it has a loop that may end early");
  std::set<const VarDecl*> changed;
  changed_by(statement->getBody(), changed);
  if (changed.count(loop->iterator)) refuse(where, "it changes the counter of a loop");
  if (const auto* declaration = llvm::dyn_cast_or_null<DeclStmt>(statement->getInit()))
    execute(state, {declaration});
  Round round{state, state, nullptr, where, {}, {}};
  round.counter = enter(round.inner, *loop);
  round.inner.memory.clear();
  round.inner.entry = ++loops_;
  for (const VarDecl* variable : changed) {
    const auto known = state.values.find(variable);
    if (known == state.values.end() || known->second.kind == Value::Pointer ||
        known->second.kind == Value::Variable)
      continue;
    if (known->second.kind == Value::Record || !variable->getType()->isArithmeticType())
      refuse(where, "a structure or pointer goes from one round of a loop to the next");
    const Term made =
        terms_.fresh_state(variable->getNameAsString(), number_type(variable->getType(), where));
    round.variables[variable] = made;
    round.inner.values[variable] = number(made);
  }
  counters_.push_back(round.counter);
  execute(round.inner, {statement->getBody()});
  for (const auto& [variable, value] : state.values) {
    if (value.kind != Value::Pointer) continue;
    const auto after = round.inner.values.find(variable);
    if (after == round.inner.values.end() || after->second.kind != Value::Pointer ||
        after->second.variable != value.variable || !(after->second.at == value.at))
      refuse(where, "a pointer goes from one round of a loop to the next");
  }
  find_states(round);
  counters_.pop_back();
  leave_loop(round);
  // Behind the loop its counter is what its last round left.
  if (state.values.count(loop->iterator)) {
    const Poly next = terms_.poly(round.inner.values[loop->iterator].term);
    const Poly last = terms_.poly(round.counter->operands[0]);
    state.values[loop->iterator] =
        number(terms_.converted(terms_.term(next.substituted(round.counter->id, last)),
                                number_type(loop->iterator->getType(), where)));
  }
}

void NestReader::find_states(Round& round) {
  std::vector<Write>& writes = round.inner.memory;
  for (const auto& [variable, state] : round.variables) {
    const Value& after = round.inner.values[variable];
    if (after.kind != Value::Number)
      refuse(round.where, "a variable is a number in one round of a loop and none in another");
    const Value& before = round.outer.values[variable];
    round.carried.push_back(
        {state, before.kind == Value::Number ? terms_.converted(before.term, state->type) : nullptr,
         terms_.converted(after.term, state->type), std::nullopt});
  }
  // Elements as they were when the round began, inner ones of indices first.
  std::set<Term> found;
  const auto collect = [&](Term each) {
    if (each->kind != TermKind::Element || each->storage->kind != StorageKind::Entry) return;
    const auto own = entries_.find({round.inner.entry, each->storage->of});
    if (own != entries_.end() && own->second == each->storage) found.insert(each);
  };
  for (const Round::Carried& each : round.carried) terms_.visit(each.next, collect);
  for (const Write& each : writes) {
    terms_.visit(each.value, collect);
    terms_.visit(each.at, collect);
    for (const Term counter : each.counters) terms_.visit(counter, collect);
  }
  std::vector<Term> entries(found.begin(), found.end());
  std::sort(entries.begin(), entries.end(), [](Term a, Term b) { return a->id < b->id; });
  Terms::Replacements resolved;
  const SymbolId counter = round.counter->id;
  for (const Term entry : entries) {
    const Storage* storage = entry->storage->of;
    const Poly at = terms_.replaced(entry->index[0], resolved);
    bool is_written = false;
    for (std::size_t i = 0; i < writes.size() && !resolved.count(entry); ++i) {
      const Write& each = writes[i];
      if (each.storage->variable != storage->variable || each.storage->member != storage->member) continue;
      is_written = true;
      Poly place = each.at;
      Poly first = at;
      if (each.at.uses(counter)) {
        if (!each.counters.empty()) continue;
        place = each.at.substituted(counter, Poly::symbol(counter) - Poly(1));
        first = at.substituted(counter, Poly(0));
      }
      if (!(at == place)) continue;
      const auto known = std::find_if(round.carried.begin(), round.carried.end(),
                                      [&](const Round::Carried& one) { return one.place == i; });
      if (known != round.carried.end()) {
        resolved[entry] = known->state;
        continue;
      }
      const Term state = terms_.fresh_state(storage->variable->getNameAsString(), storage->type);
      const Term initial = read(round.outer, storage, first, each.where);
      round.carried.push_back({state, initial, each.value, i});
      resolved[entry] = state;
    }
    if (resolved.count(entry)) continue;
    for (const Write& each : writes) {
      if (!is_written || each.storage->variable != storage->variable ||
          each.storage->member != storage->member)
        continue;
      // Has an earlier round written it?
      const Term earlier = terms_.fresh_counter("earlier", round.counter);
      Terms::Replacements renamed{{round.counter, earlier}};
      std::vector<Term> further{earlier};
      for (const Term one : each.counters) {
        renamed[one] = terms_.fresh_counter("other", terms_.replaced(one->operands[0], renamed));
        further.push_back(renamed[one]);
      }
      if (!never_equal(at, terms_.replaced(each.at, renamed), further)) {
        refuse(each.where, "a round of a loop reads an element of '" + storage->variable->getNameAsString() +
                               "' that some round before may have written");
      }
    }
    resolved[entry] = read(round.outer, storage, at, round.where);
  }
  for (Round::Carried& each : round.carried) each.next = terms_.replaced(each.next, resolved);
  for (Write& each : writes) {
    each.at = terms_.replaced(each.at, resolved);
    each.value = terms_.replaced(each.value, resolved);
  }
  // A state that no round changes is what it was.
  Terms::Replacements kept;
  for (const Round::Carried& each : round.carried) {
    if (each.next == each.state && each.initial) kept[each.state] = each.initial;
  }
  for (Round::Carried& each : round.carried) each.next = terms_.replaced(each.next, kept);
  for (Write& each : writes) each.value = terms_.replaced(each.value, kept);
}

void NestReader::leave_loop(Round& round) {
  std::set<Term> states;
  for (const Round::Carried& each : round.carried) states.insert(each.state);
  const Poly rounds = terms_.poly(round.counter->operands[0]);
  const auto carried = [&](Term state) -> const Round::Carried& {
    return *std::find_if(round.carried.begin(), round.carried.end(),
                         [&](const Round::Carried& each) { return each.state == state; });
  };
  /// All that the state depends on, as one recurrence.
  const auto recurrence = [&](Term state) {
    std::vector<Term> needed{state};
    for (std::size_t i = 0; i < needed.size(); ++i) {
      for (const Term each : states) {
        const bool is_known = std::find(needed.begin(), needed.end(), each) != needed.end();
        if (!is_known && terms_.mentions(carried(needed[i]).next, {each})) needed.push_back(each);
      }
    }
    std::sort(needed.begin() + 1, needed.end(), [](Term a, Term b) { return a->id < b->id; });
    Recurrence made{round.counter, needed, {}, {}};
    for (const Term each : needed) {
      if (!carried(each).initial) refuse(round.where, "it reads '" + each->text + "' before it has a value");
      made.initial.push_back(carried(each).initial);
      made.next.push_back(carried(each).next);
    }
    return made;
  };
  /// What the state has come to: combined with what it began with, where its rounds are.
  const auto outcome = [&](const Recurrence& made) {
    const auto combined = gathered(made, terms_);
    const Term none = combined ? neutral(combined->operation, made.states[0]->type, terms_) : nullptr;
    if (!none || made.initial[0] == none) return terms_.recurrence(made, 0);
    Recurrence alone = made;
    alone.initial[0] = none;
    return terms_.operation(combined->operation, {made.initial[0], terms_.recurrence(alone, 0)}, made.states[0]->type);
  };
  const bool runs = samples_.always_at_least(rounds, 1, in_scope({round.counter->operands[0]}));
  const auto last = [&](Term value, Term otherwise) {
    const Term at_last = terms_.replaced(value, {{round.counter, terms_.term(rounds - Poly(1))}});
    if (runs || !otherwise) return at_last;
    const Term ran = terms_.operation(">", {terms_.term(rounds), terms_.integer(0)}, NumberType::Bool);
    return terms_.choice(ran, at_last, otherwise);
  };
  for (const auto& [variable, state] : round.variables) {
    const Round::Carried& each = carried(state);
    Value& value = round.outer.values[variable];
    if (each.next == each.state) continue;
    if (!terms_.mentions(each.next, states)) {
      value = number(last(each.next, each.initial));
    } else if (!each.initial && terms_.mentions(each.next, {state})) {
      refuse(round.where, "it reads '" + variable->getNameAsString() + "' before it has a value");
    } else {
      Round::Carried started = each;
      if (!started.initial) {
        const Term zero = terms_.number(is_float(state->type) ? "0.0" : "0", state->type);
        std::find_if(round.carried.begin(), round.carried.end(), [&](const auto& one) {
          return one.state == state;
        })->initial = zero;
      }
      value = number(outcome(recurrence(state)));
    }
  }
  const std::vector<Write> writes = round.inner.memory;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    Write each = writes[i];
    const bool moves = each.at.uses(round.counter->id);
    const auto own = std::find_if(round.carried.begin(), round.carried.end(),
                                  [&](const Round::Carried& one) { return one.place == i; });
    if (own != round.carried.end() && !moves) {
      if (!each.counters.empty()) {
        // Each place has a state of its own, which nothing else may see.
        for (const Round::Carried& one : round.carried) {
          if (one.state != own->state && terms_.mentions(one.next, {own->state}))
            refuse(each.where, "what several elements carry from round to round is combined");
        }
        for (std::size_t k = 0; k < writes.size(); ++k) {
          if (k != i && terms_.mentions(writes[k].value, {own->state}))
            refuse(each.where, "what several elements carry from round to round is combined");
        }
      }
      each.value = outcome(recurrence(own->state));
      write(round.outer, each);
      continue;
    }
    if (terms_.mentions(each.value, states)) {
      if (!each.counters.empty()) refuse(each.where, "elements depend on what several loops carry");
      // The state that it is, or another one beside them.
      auto same = std::find_if(round.carried.begin(), round.carried.end(), [&](const Round::Carried& one) {
        return one.next == each.value && one.initial;
      });
      if (same == round.carried.end()) {
        const Term made = terms_.fresh_state(each.storage->variable->getNameAsString(), each.value->type);
        const Term zero = terms_.number(is_float(made->type) ? "0.0" : "0", made->type);
        round.carried.push_back({made, zero, each.value, std::nullopt});
        states.insert(made);
        same = round.carried.end() - 1;
      }
      const Recurrence made = recurrence(same->state);
      if (!moves) {
        each.value = terms_.recurrence(made, 0);
      } else {
        const Storage* scanned = terms_.storage({.kind = StorageKind::Scanned,
                                                 .type = each.storage->type,
                                                 .recurrence = made,
                                                 .which = 0,
                                                 .name = each.storage->variable->getNameAsString(),
                                                 .lengths = {rounds}});
        // Which element it is has another counter than the scan itself.
        const std::vector<Term>& parts = round.counter->operands;
        const Term which =
            terms_.fresh_counter(round.counter->text, parts[0], parts.size() > 1 ? parts[1] : nullptr);
        each.at = each.at.substituted(round.counter->id, Poly::symbol(which->id));
        each.value = terms_.element(scanned, {Poly::symbol(which->id)});
        each.counters.insert(each.counters.begin(), which);
        write(round.outer, each);
        continue;
      }
    } else if (!moves) {
      const Term otherwise =
          runs || !each.counters.empty() ? nullptr : read(round.outer, each.storage, each.at, each.where);
      each.value = last(each.value, otherwise);
    }
    if (moves) each.counters.insert(each.counters.begin(), round.counter);
    write(round.outer, each);
  }
}

// ---- The nest ----

void NestReader::add_results(State& state, Nest& nest) {
  std::map<const VarDecl*, std::set<std::pair<int, std::int64_t>>> written;
  for (const Write& each : state.memory) {
    if (each.storage->kind != StorageKind::Given) continue;
    NestResult result{.storage = each.storage, .at = each.at, .value = each.value};
    result.counters = counters_;
    result.counters.insert(result.counters.end(), each.counters.begin(), each.counters.end());
    const std::string name = each.storage->variable->getNameAsString();
    std::map<Term, std::int64_t> units;
    for (const Term counter : result.counters) {
      const auto unit = each.at.coefficient(counter->id);
      const auto size = unit ? samples_.evaluated(*unit, {}, 0) : std::nullopt;
      if (!size)
        refuse(each.where,
               "it writes elements of '" + name + "' at an index that is not linear in the counters");
      units[counter] = std::abs(*size);
    }
    std::set<std::pair<int, std::int64_t>>& places = written[each.storage->variable];
    const bool is_once = samples_.always(
        result.counters, [&](const Samples::Values& values, int trial) -> std::optional<bool> {
          const auto at = samples_.evaluated(each.at, values, trial);
          if (!at) return std::nullopt;
          if (!each.storage->member.empty()) return true;
          return places.insert({trial, *at}).second;
        });
    if (!is_once)
      refuse(each.where, "it writes an element of '" + name + "' twice, or at an index that is not known");
    std::stable_sort(result.counters.begin(), result.counters.end(),
                     [&](Term a, Term b) { return units[a] > units[b]; });
    nest.results.push_back(std::move(result));
  }
}

Nest NestReader::run() {
  State state;
  for (const VarDecl* each : loop_.arrays) {
    QualType type = each->getType().getCanonicalType();
    type = type->isPointerType() ? type->getPointeeType() : context_.getAsArrayType(type)->getElementType();
    while (const auto* array = context_.getAsArrayType(type)) {
      nest_.lengths[each].push_back(length_of(state, array, loop_.directive->getBeginLoc()));
      type = array->getElementType();
    }
  }
  for (const VarDecl* each : loop_.privates) {
    if (each->getType()->isArrayType()) {
      state.values[each] = {.kind = Value::Pointer, .variable = each};
    } else {
      state.values[each] = {};
    }
  }
  std::map<const VarDecl*, Term> gathered;
  for (const Reduction& each : loop_.reductions) {
    const NumberType type = number_type(each.variable->getType(), loop_.directive->getBeginLoc());
    gathered[each.variable] = terms_.fresh_state(each.variable->getNameAsString(), type);
    state.values[each.variable] = number(gathered[each.variable]);
  }
  for (const CanonicalLoop& each : loop_.loops) counters_.push_back(enter(state, each));
  execute(state, {loop_.body});
  add_results(state, nest_);
  std::set<Term> states;
  for (const auto& [variable, term] : gathered) states.insert(term);
  for (const NestResult& each : nest_.results) {
    if (terms_.mentions(each.value, states))
      refuse(loop_.directive->getBeginLoc(), "it writes what a reduction has come to into an array");
  }
  for (const Reduction& each : loop_.reductions) {
    const Term own = gathered[each.variable];
    Term next = state.values[each.variable].term;
    std::set<Term> others = states;
    others.erase(own);
    if (!next || terms_.mentions(next, others))
      refuse(loop_.directive->getBeginLoc(), "a reduction depends on another one");
    next = terms_.converted(next, own->type);
    const bool is_real = is_float(own->type);
    const auto neutral = [&]() -> std::string {
      const std::string& name = each.operation;
      if (name == "*") return is_real ? "1.0" : "1";
      if (name == "&&") return "1";
      if (name == "&") return "-1";
      if (name == "min" || name == "max") {
        if (!is_real) refuse(loop_.directive->getBeginLoc(), "it looks for the least or greatest integer");
        return name == "min" ? "inf" : "-inf";
      }
      return is_real ? "0.0" : "0";
    };
    const Term start = terms_.number(neutral(), own->type);
    const bool is_operator = each.operation != "&&" && each.operation != "||";
    for (std::size_t i = counters_.size(); i-- > 0;) {
      const Term carried = i + 1 == counters_.size() ? own : terms_.fresh_state(own->text, own->type);
      if (is_operator) {
        const Term value =
            i + 1 == counters_.size() ? next : terms_.operation(each.operation, {carried, next}, own->type);
        next = terms_.recurrence({counters_[i], {carried}, {start}, {value}}, 0);
      } else {
        if (counters_.size() > 1)
          refuse(loop_.directive->getBeginLoc(), "its logical reduction is over several loops");
        next = terms_.recurrence({counters_[i], {carried}, {start}, {next}}, 0);
      }
    }
    nest_.results.push_back({.variable = each.variable, .operation = each.operation, .value = next});
  }
  if (nest_.results.empty())
    refuse(loop_.directive->getBeginLoc(), "it writes nothing that could be a result");
  return std::move(nest_);
}

Nest read_nest(const Loop& loop, ASTContext& context, Terms& terms, Samples& samples) {
  return NestReader(loop, context, terms, samples).run();
}

}  // namespace hoist::openmp
