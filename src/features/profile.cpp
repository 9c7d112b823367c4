// Counts what one launch of a kernel does, without running it: a walk over its text that multiplies trips of
// loops instead of repeating bodies.
//
//   for g in group(0) [0, 64) { for l in local(0) [0, 100) { for k in sequential [0, 9) { ... x[i] ... } } }
//
// with 64 groups of 64 work-items: groups come to the load 64 * 9 times, each time in a round of all their
// work-items and a round of the first 36, so it is executed 64 * 9 * 100 times. A `Path` holds these numbers.
//
// Read `Walk` in its order: `enter` says what each kind of loop does to the path; branches and the lazy
// operators of C (select, &&, ||) multiply it by the share of iterations for which a guard holds
// (guards.cpp); a branch about which only the run knows counts half; `value` counts operations; `access` puts
// a load or store with others that differ by a constant only into a `Shape`, which traffic.cpp then asks
// about lines, sectors and banks.
//
// After the walk: `fold_of` writes the offsets of a shape as arithmetic progressions, 0 1 2 64 65 66 as three
// of stride 1 times two of stride 64; `unrolled_statements` is the length of the code.
#include "features/profile.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "features/guards.hpp"
#include "loop/traverse.hpp"

namespace hoist::features {

using arith::Expr;

namespace {

std::array<std::int64_t, 3> numbers(const std::array<Expr, 3>& lengths) {
  std::array<std::int64_t, 3> result{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) result[d] = lengths[d].constant().value_or(1);
  return result;
}

/// A condition on indices: that all guards hold or, negated, that one of them does not.
struct Condition {
  std::vector<Guard> guards;
  bool is_negated = false;
  bool is_known = true;
};

Condition negation(Condition condition) {
  if (condition.guards.size() == 1 && !condition.is_negated) {
    condition.guards[0] = negation(condition.guards[0]);
  } else {
    condition.is_negated = !condition.is_negated;
  }
  return condition;
}

bool is_bool_operation(const loop::Value& value, ScalarOp op) {
  const auto* operation = std::get_if<loop::Operation>(&value.node);
  return operation != nullptr && operation->op == op && value.type.width == 1;
}

/// Whether a branch reports a fault of the input, which the inputs that programs run on do not have: it only
/// stores constants.
bool is_fault_check(const loop::If& branch) {
  if (!branch.else_body.empty()) return false;
  return std::all_of(branch.then_body.begin(), branch.then_body.end(), [](const loop::Statement& each) {
    const auto* store = std::get_if<loop::Store>(&each.node);
    return store != nullptr && !store->update && std::holds_alternative<loop::Literal>(store->value->node);
  });
}

/// How often work-items come to the place where the walk is.
struct Path {
  double times = 1;  ///< iterations of sequential loops and of those over groups, for all groups
  std::array<Rounds, 3> rounds;
  std::array<bool, 3> has_lanes{}, has_groups{};
  double share = 1;                 ///< of the iterations for which the guards hold
  std::vector<Guard> left_out;      ///< those of a branch that is not taken: not all of them hold
  double chance = 1;                ///< what is assumed of conditions that are not known
  double items = 1;                 ///< executions by work-items
  std::uint32_t rounds_number = 0;  ///< in Walk::rounds_

  /// How often groups' rounds come here.
  double met() const { return times * share * chance; }
};

class Walk {
 public:
  Walk(const loop::Kernel& kernel, Places& places) : places_(places), shares_(places) {
    profile_.global = numbers(kernel.launch.global);
    profile_.local = numbers(kernel.launch.local);
    for (std::size_t d = 0; d < 3; ++d) profile_.groups[d] = profile_.global[d] / profile_.local[d];
    for (const loop::KernelParameter& parameter : kernel.parameters) {
      if (const auto* buffer = std::get_if<loop::BufferParameter>(&parameter)) declare(*buffer->buffer);
    }
    path_.times = profile_.group_count();
    count_items();
    walk(kernel.body);
    profile_.statements = unrolled_statements(kernel.body);
  }
  Profile take() {
    for (Shape& shape : profile_.shapes) shape.fold = fold_of(shape.offsets);
    return std::move(profile_);
  }

 private:
  void declare(const loop::Buffer& buffer) {
    buffers_.set(&buffer, static_cast<std::uint32_t>(profile_.buffers.size()));
    profile_.buffers.push_back({&buffer, static_cast<std::int64_t>(size_of(buffer.type.scalar)),
                                static_cast<double>(buffer.scalars.constant().value_or(1))});
  }

  void count_items() {
    path_.items = path_.met();
    for (std::size_t d = 0; d < 3; ++d) {
      const Rounds& rounds = path_.rounds[d];
      path_.items *= rounds.full * static_cast<double>(profile_.local[d]) +
                     rounds.partial * static_cast<double>(rounds.rest);
    }
  }

  // ---- Statements

  void walk(const loop::Block& block) {
    for (const loop::Statement& statement : block) {
      std::visit([&](const auto& node) { walk(node); }, statement.node);
    }
  }
  void walk(const loop::For& loop) {
    const Path before = path_;
    const std::size_t guards = guards_.size();
    if (loop.form == loop::LoopForm::AtMostOnce) profile_.ifs += path_.items;
    enter(loop);
    assume_bounds(loop);
    if (loop.form == loop::LoopForm::Loop && !loop.unroll) {
      profile_.loop_bodies += path_.items;
      profile_.loop_branches +=
          path_.items / static_cast<double>(std::max<std::int64_t>(loop.unroll_factor, 1));
    }
    const std::size_t loops = loops_++;
    walk(loop.body);
    const bool is_innermost = loops_ == loops + 1 && loop.form == loop::LoopForm::Loop;
    if (is_innermost && path_.items > profile_.inner_bodies) {
      profile_.inner_bodies = path_.items;
      profile_.inner_loop = &loop;
    }
    leave(before, guards);
  }
  void enter(const loop::For& loop) {
    const std::int64_t trips = places_[places_.enter(loop)].trips;
    const auto d = static_cast<std::size_t>(loop.dimension);
    const bool is_global = loop.parallelism == loop::Parallelism::Global;
    if (loop.parallelism == loop::Parallelism::Sequential) {
      path_.times *= static_cast<double>(trips);
    } else if (loop.parallelism == loop::Parallelism::Group || is_global) {
      // The count so far is for all groups of the dimension, which this loop shares out.
      path_.times /= static_cast<double>(profile_.groups[d]);
      if (!is_global) path_.times *= static_cast<double>(trips);
    }
    if (loop.parallelism == loop::Parallelism::Local || is_global) {
      const std::int64_t local = profile_.local[d];
      if (path_.has_lanes[d]) {  // the ids are taken: each work-item has its part of the rounds
        path_.times *= static_cast<double>(trips) / static_cast<double>(local);
      } else {
        path_.rounds[d] = {static_cast<double>(trips / local), trips % local != 0 ? 1.0 : 0.0, trips % local};
      }
      path_.has_lanes[d] = true;
      number_rounds();
    }
    count_items();
  }
  /// A loop that ends at the least of several bounds has as many iterations as the constant one says
  /// (Places::enter), for which the others hold as guards.
  void assume_bounds(const loop::For& loop) {
    const LoopStop stop = stop_of(loop);
    if (stop.others.empty()) return;
    Condition condition;
    for (Expr other : stop.others) {
      Guard guard{places_.form(loop.variable), arith::Relation::Less};
      guard.form.add(places_.form(other), -1);
      condition.is_known = condition.is_known && !places_.is_data(guard.form);
      condition.guards.push_back(std::move(guard));
    }
    if (condition.is_known) {
      assume(condition);
    } else {
      profile_.estimated += path_.items;
    }
  }
  void number_rounds() {
    const auto is_same = [&](const std::array<Rounds, 3>& known) {
      return std::equal(
          known.begin(), known.end(), path_.rounds.begin(),
          [](const Rounds& a, const Rounds& b) { return a.full == b.full && a.rest == b.rest; });
    };
    const auto found = std::find_if(rounds_.begin(), rounds_.end(), is_same);
    path_.rounds_number = static_cast<std::uint32_t>(found - rounds_.begin());
    if (found == rounds_.end()) rounds_.push_back(path_.rounds);
  }

  void walk(const loop::If& branch) {
    profile_.ifs += path_.items;
    value(*branch.condition);
    const Path before = path_;
    const std::size_t guards = guards_.size();
    Condition condition = condition_of(*branch.condition);
    if (!condition.is_known) {
      constexpr double unknown = 0.5;
      profile_.estimated += path_.items;
      path_.chance *= is_fault_check(branch) ? 0 : unknown;
      count_items();
      walk(branch.then_body);
      walk(branch.else_body);
    } else {
      assume(condition);
      walk(branch.then_body);
      leave(before, guards);
      if (!branch.else_body.empty()) {
        assume(negation(std::move(condition)));
        walk(branch.else_body);
      }
    }
    leave(before, guards);
  }
  void walk(const loop::Let& let) {
    if (!let.value) return;
    value(*let.value);
    if (!let.index) return;
    if (const auto* index = std::get_if<loop::IndexValue>(&let.value->node)) {
      places_.define(let.index, index->expr);
    } else {
      const auto* load = std::get_if<loop::Load>(&let.value->node);
      places_.define_data(let.index, load == nullptr || places_.is_by_lane(places_.form(load->index)));
    }
  }
  void walk(const loop::Assign& assign) { value(*assign.value); }
  void walk(const loop::Store& store) {
    value(*store.value);
    if (store.is_asynchronous) profile_.asynchronous_stores += path_.items;
    access(*store.buffer, store.index, store.value->type, true);
  }
  void walk(const loop::Commit&) {}
  void walk(const loop::Await&) {}
  void walk(const loop::Barrier&) { profile_.barriers += path_.items; }
  void walk(const loop::Allocate& allocate) { declare(*allocate.buffer); }
  void walk(const loop::Alias& alias) {
    buffers_.set(alias.pointer.get(), buffers_.find(alias.target.get()));
  }
  void walk(const loop::Swap&) {}
  void walk(const loop::Comment&) {}

  // ---- Conditions

  Condition condition_of(const loop::Value& value) {
    Condition result;
    if (const auto* test = std::get_if<loop::Test>(&value.node)) {
      Guard guard{places_.form(test->predicate.left), test->predicate.relation};
      guard.form.add(places_.form(test->predicate.right), -1);
      result.is_known = !places_.is_data(guard.form);
      result.guards.push_back(std::move(guard));
      return result;
    }
    if (is_bool_operation(value, ScalarOp::Not)) {
      return negation(condition_of(*std::get<loop::Operation>(value.node).operands[0]));
    }
    const bool is_or = is_bool_operation(value, ScalarOp::Or);
    result.is_known = is_or || is_bool_operation(value, ScalarOp::And);
    if (!result.is_known) return result;
    for (const loop::ValuePtr& operand : std::get<loop::Operation>(value.node).operands) {
      Condition next = condition_of(*operand);
      if (is_or) next = negation(std::move(next));
      result.is_known = result.is_known && next.is_known && !next.is_negated;
      result.guards.insert(result.guards.end(), next.guards.begin(), next.guards.end());
    }
    return is_or ? negation(std::move(result)) : result;
  }

  /// The share of iterations for which all guards hold, and these, without what a branch left out.
  double share_with(const std::vector<Guard>& more) {
    std::vector<Guard> guards = guards_;
    guards.insert(guards.end(), more.begin(), more.end());
    Share share = shares_.of(guards);
    if (!path_.left_out.empty()) {
      guards.insert(guards.end(), path_.left_out.begin(), path_.left_out.end());
      const Share left_out = shares_.of(guards);
      share = {share.share - left_out.share, share.is_exact && left_out.is_exact};
    }
    if (!share.is_exact) profile_.estimated += path_.items;
    return share.share;
  }
  /// From here on the condition holds.
  void assume(const Condition& condition) {
    if (!condition.is_negated) {
      path_.share = share_with(condition.guards);
      guards_.insert(guards_.end(), condition.guards.begin(), condition.guards.end());
    } else if (path_.left_out.empty()) {
      path_.left_out = condition.guards;
      path_.share = share_with({});
    } else {
      // Two are taken for independent of each other.
      const double share = share_with(condition.guards);
      path_.chance *= path_.share > 0 ? (path_.share - share) / path_.share : 0;
    }
    count_items();
  }
  void leave(const Path& before, std::size_t guards) {
    path_ = before;
    guards_.resize(guards);
  }

  // ---- Values

  void value(const loop::Value& each) {
    if (const auto* operation = std::get_if<loop::Operation>(&each.node)) return value(each, *operation);
    if (const auto* load = std::get_if<loop::Load>(&each.node)) {
      access(*load->buffer, load->index, each.type, false);
    } else if (std::holds_alternative<loop::Test>(each.node)) {
      profile_.comparisons += path_.items;
    } else if (const auto* converted = std::get_if<loop::Cast>(&each.node)) {
      count(OperationKind::Cast, each.type.width, converted->operand->type.scalar == Scalar::F64);
    } else if (std::holds_alternative<loop::Shuffle>(each.node)) {
      profile_.shuffles += path_.items;
    }
    loop::for_each_operand(each, [&](const loop::ValuePtr& operand) { value(*operand); });
  }
  void value(const loop::Value& each, const loop::Operation& operation) {
    const Scalar scalar = operation.operands.back()->type.scalar;
    count(kind_of(operation.op, scalar), each.type.width, scalar == Scalar::F64);
    if (is_float(scalar) && (operation.op == ScalarOp::Add || operation.op == ScalarOp::Subtract) &&
        std::any_of(operation.operands.begin(), operation.operands.end(), is_product)) {
      profile_.contracted += path_.items * each.type.width;
    }
    const bool is_logic = is_bool_operation(each, ScalarOp::And) || is_bool_operation(each, ScalarOp::Or);
    const bool is_select = operation.op == ScalarOp::Select && operation.operands[0]->type.width == 1;
    if (!is_logic && !is_select) {
      for (const loop::ValuePtr& operand : operation.operands) value(*operand);
      return;
    }
    // Only the chosen operand is computed.
    value(*operation.operands[0]);
    Condition condition = condition_of(*operation.operands[0]);
    if (!condition.is_known) {
      profile_.estimated += path_.items;
      for (std::size_t i = 1; i < operation.operands.size(); ++i) value(*operation.operands[i]);
    } else if (is_logic) {
      under(operation.op == ScalarOp::And ? condition : negation(condition), *operation.operands[1]);
    } else {
      under(condition, *operation.operands[1]);
      under(negation(std::move(condition)), *operation.operands[2]);
    }
  }
  static bool is_product(const loop::ValuePtr& operand) {
    const auto* inner = std::get_if<loop::Operation>(&operand->node);
    return inner != nullptr && inner->op == ScalarOp::Multiply;
  }
  void under(const Condition& condition, const loop::Value& chosen) {
    if (std::holds_alternative<loop::Literal>(chosen.node) ||
        std::holds_alternative<loop::Reference>(chosen.node)) {
      return;  // nothing to count
    }
    const Path before = path_;
    const std::size_t guards = guards_.size();
    assume(condition);
    value(chosen);
    leave(before, guards);
  }
  void count(OperationKind kind, int width, bool is_f64) {
    profile_.operations[static_cast<std::size_t>(kind)] += path_.items * width;
    if (is_f64) profile_.f64_operations += path_.items * width;
  }

  // ---- Accesses

  void access(const loop::Buffer& named, Expr index, loop::ValueType type, bool is_store) {
    const std::uint32_t number = buffers_.find(&named);
    const BufferUse use = profile_.buffers[number];
    const auto space = static_cast<std::size_t>(use.buffer->space);
    const double bytes =
        path_.items * static_cast<double>(type.width) * static_cast<double>(use.scalar_bytes);
    (is_store ? profile_.stores : profile_.loads)[space] += path_.items;
    (is_store ? profile_.store_bytes : profile_.load_bytes)[space] += bytes;
    if (use.buffer->space == loop::AddressSpace::Private) return;
    const CommonForm form = places_.common_of(index);
    profile_.index_operations += path_.items * form.operations;
    Shape& shape = shape_of(number, form.number, type.width);
    if (shape.is_data) profile_.estimated += path_.items;
    (is_store ? shape.writes : shape.reads) += path_.met();
    if (use.buffer->space == loop::AddressSpace::Global) shape.offsets.push_back(form.constant);
  }

  Shape& shape_of(std::uint32_t buffer, std::uint32_t form, int scalars) {
    // Each number has its own bits: below 2^20 forms, 2^16 buffers, 2^16 kinds of rounds, widths up to 32.
    const std::uint64_t place = (std::uint64_t{form} << 16U | buffer) << 16U | path_.rounds_number;
    const std::uint64_t key = (place << 5U | static_cast<std::uint64_t>(scalars - 1)) + 1;
    if (const std::uint32_t known = shapes_.find(key); known != KeyMap::none) return profile_.shapes[known];
    shapes_.set(key, static_cast<std::uint32_t>(profile_.shapes.size()));
    Shape& shape = profile_.shapes.emplace_back();
    shape.buffer = buffer;
    shape.form = form;
    shape.scalars = scalars;
    shape.rounds = path_.rounds;
    shape.is_data = places_.is_data(places_.common_form(form));
    return shape;
  }

  Places& places_;
  Profile profile_;
  Path path_;
  KeyMap buffers_;
  KeyMap shapes_;
  std::vector<std::array<Rounds, 3>> rounds_ = {{}};
  std::vector<Guard> guards_;  ///< that hold here
  Shares shares_;
  std::size_t loops_ = 0;
};

}  // namespace

OperationKind kind_of(ScalarOp op, Scalar operand) {
  if (op == ScalarOp::Select) return OperationKind::Select;
  if (info(op).gives_bool) return OperationKind::Compare;
  if (!is_float(operand)) {
    const bool is_division = op == ScalarOp::Divide || op == ScalarOp::Remainder || op == ScalarOp::Power;
    return is_division ? OperationKind::IntegerDivide : OperationKind::Integer;
  }
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract:
      return OperationKind::FloatAdd;
    case ScalarOp::Multiply:
      return OperationKind::FloatMultiply;
    case ScalarOp::FusedMultiplyAdd:
      return OperationKind::FloatFused;
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
    case ScalarOp::Sqrt:
    case ScalarOp::ReciprocalSqrt:
      return OperationKind::FloatDivide;
    case ScalarOp::Negate:
    case ScalarOp::Absolute:
    case ScalarOp::Minimum:
    case ScalarOp::Maximum:
    case ScalarOp::Sign:
    case ScalarOp::Floor:
    case ScalarOp::Ceil:
    case ScalarOp::Round:
    case ScalarOp::Truncate:
      return OperationKind::FloatSimple;
    default:
      return OperationKind::FloatSpecial;
  }
}

namespace {

/// The different numbers among these, rising: by a bit set where they are dense, else sorted.
std::vector<std::int64_t> different(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> result;
  if (numbers.empty()) return result;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  constexpr std::size_t bits = 64, words_each = 4;
  const std::size_t words = static_cast<std::size_t>(*most - *least) / bits + 1;
  if (words > words_each * numbers.size()) {
    result = numbers;
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  std::vector<std::uint64_t> is_there(words);
  for (const std::int64_t number : numbers) {
    const auto place = static_cast<std::size_t>(number - *least);
    is_there[place / bits] |= std::uint64_t{1} << place % bits;
  }
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t rest = is_there[word]; rest != 0; rest &= rest - 1)
      result.push_back(*least + static_cast<std::int64_t>(word * bits) + std::countr_zero(rest));
  }
  return result;
}

}  // namespace

Fold fold_of(const std::vector<std::int64_t>& offsets) {
  Fold fold;
  fold.starts = different(offsets);
  while (fold.starts.size() > 1) {
    const std::vector<std::int64_t>& all = fold.starts;
    const std::int64_t stride = all[1] - all[0];
    std::size_t length = 2;
    while (length < all.size() && all[length] - all[length - 1] == stride) ++length;
    if (all.size() % length != 0) break;
    bool is_regular = true;
    for (std::size_t i = length; i < all.size() && is_regular; ++i)
      is_regular = all[i] - all[i - i % length] == all[i % length] - all[0];
    if (!is_regular) break;
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < all.size(); i += length) starts.push_back(all[i]);
    fold.progressions.push_back({static_cast<double>(stride), static_cast<double>(length)});
    fold.starts = std::move(starts);
  }
  return fold;
}

double unrolled_statements(const loop::Block& block) {
  double sum = 0;
  for (const loop::Statement& statement : block) {
    double inner = 0;
    loop::for_each_block(statement, [&](const loop::Block& each) { inner += unrolled_statements(each); });
    const auto* loop = std::get_if<loop::For>(&statement.node);
    const std::int64_t factor = loop == nullptr ? 1
                                : loop->unroll  ? (loop->stop - loop->start).constant().value_or(1)
                                                : loop->unroll_factor;
    sum += 1 + inner * static_cast<double>(std::max<std::int64_t>(factor, 1));
  }
  return sum;
}

std::array<std::int64_t, 3> local_sizes(const loop::Kernel& kernel) { return numbers(kernel.launch.local); }

Profile profile_of(const loop::Kernel& kernel, Places& places) { return Walk(kernel, places).take(); }

}  // namespace hoist::features
