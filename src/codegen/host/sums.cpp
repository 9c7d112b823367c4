// A dot product of rows,
//
//   acc = 0                                     acc = 0;  lanes: f32x16 = 0
//   for k in [0, 100)                           for k in [0, 6)
//     acc = acc + a[k] * b[k]            to       lanes = lanes + a[16 * k +: 16] * b[16 * k +: 16]
//                                               for k in [0, 4)
//                                                 acc = acc + a[k + 96] * b[k + 96]
//                                               acc = acc + (lanes.0 + lanes.1 + ..)
//
// The compiler of the host does the same for one sum. Written out, several of them can share their loads.
#include "codegen/host/sums.hpp"

#include <iterator>

#include "codegen/host/vectors.hpp"

namespace hoist::codegen {
namespace {

using arith::Expr;
using loop::Block;
using loop::ValuePtr;

constexpr std::int64_t least_vectors = 4;  ///< of a loop

/// What a loop's last statement adds to a variable from outside.
struct Addition {
  loop::VariablePtr sum;
  ValuePtr summand;
};

std::optional<Addition> addition_in(const Block& body) {
  const auto* assign = body.empty() ? nullptr : std::get_if<loop::Assign>(&body.back().node);
  const auto* operation = assign ? std::get_if<loop::Operation>(&assign->value->node) : nullptr;
  if (!operation || operation->op != ScalarOp::Add || assign->value->type.width != 1 ||
      !is_float(assign->value->type.scalar))
    return std::nullopt;
  const auto* first = std::get_if<loop::Reference>(&operation->operands[0]->node);
  bool is_sum = first && first->variable == assign->variable;
  for (std::size_t at = 0; at + 1 < body.size(); ++at)
    is_sum = is_sum && std::holds_alternative<loop::Let>(body[at].node);
  const auto require_other = [&](const ValuePtr& value) {
    const auto* read = std::get_if<loop::Reference>(&value->node);
    is_sum = is_sum && !(read && read->variable == assign->variable);
  };
  loop::for_each_value(operation->operands[1], require_other);
  loop::for_each_value(Block(body.begin(), body.end() - 1), require_other);
  if (!is_sum) return std::nullopt;
  return Addition{assign->variable, operation->operands[1]};
}

class Summation {
 public:
  Summation(std::int64_t vector_bytes, loop::NameSource& names)
      : vector_bytes_(vector_bytes), names_(names) {}

  /// Appends what the loop becomes; false where it stays.
  bool append(const loop::For& loop, Block& result) {
    auto changed = with_lanes(loop);
    if (!changed) return false;
    result.push_back(std::move(declaration_));
    std::move(changed->begin(), changed->end(), std::back_inserter(result));
    ValuePtr total;
    for (int lane = 0; lane < lanes_->type.width; ++lane) {
      const ValuePtr own = loop::component(loop::reference(lanes_), lane);
      total = total ? loop::operation(ScalarOp::Add, {total, own}) : own;
    }
    result.push_back({loop::Assign{sum_, loop::operation(ScalarOp::Add, {loop::reference(sum_), total})}});
    return true;
  }

 private:
  /// The loop's vectors, and its iterations that are left over.
  std::optional<Block> with_lanes(const loop::For& loop) {
    const auto start = loop.start.constant(), stop = loop.stop.constant();
    if (!loop.reorderable || loop.condition || !start || !stop || !loop.step.is_constant(1))
      return std::nullopt;
    const auto* inner = loop.body.size() == 1 ? std::get_if<loop::For>(&loop.body[0].node) : nullptr;
    if (inner) {
      auto body = with_lanes(*inner);
      if (!body) return std::nullopt;
      loop::For outer = loop;
      outer.body = *std::move(body);
      return Block{{std::move(outer)}};
    }
    const auto addition = addition_in(loop.body);
    if (!addition) return std::nullopt;
    const Scalar type = addition->sum->type.scalar;
    const std::int64_t width = vector_bytes_ / static_cast<std::int64_t>(size_of(type));
    const std::int64_t vectors = (*stop - *start) / width;
    if (vectors < least_vectors) return std::nullopt;
    // The sum of one lane, whose iterations become the lanes.
    const auto lane = std::make_shared<loop::Variable>(
        loop::Variable{names_.fresh(addition->sum->name), addition->sum->type, true});
    Block body = loop.body;
    body.back() = {
        loop::Assign{lane, loop::operation(ScalarOp::Add, {loop::reference(lane), addition->summand})}};
    body.insert(body.begin(), {loop::Let{lane, loop::literal(ScalarValue::of_real(type, 0)), {}}});
    auto lanes = vectorised(body, loop.variable, static_cast<int>(width));
    if (!lanes) return std::nullopt;
    const auto& declared = std::get<loop::Let>(lanes->front().node);
    if (declared.variable->type.width == 1) return std::nullopt;
    lanes_ = declared.variable;
    sum_ = addition->sum;
    declaration_ = lanes->front();
    lanes->erase(lanes->begin());
    loop::For whole = loop, left_over = loop;
    whole.variable = arith::index(names_.fresh(loop.variable->name), 0, vectors);
    whole.start = 0;
    whole.stop = vectors;
    whole.body =
        loop::substitute(*std::move(lanes), {{loop.variable.get(), *start + whole.variable * width}});
    left_over.start = *start + vectors * width;
    left_over.reorderable = false;  // too few for vectors
    if (left_over.start == left_over.stop) return Block{{std::move(whole)}};
    left_over.variable = arith::index(names_.fresh(loop.variable->name), left_over.start, left_over.stop);
    left_over.body =
        loop::clone_with_fresh_names(loop.body, names_, {{loop.variable.get(), left_over.variable}});
    return Block{{std::move(whole)}, {std::move(left_over)}};
  }

  std::int64_t vector_bytes_;
  loop::NameSource& names_;
  loop::Statement declaration_{loop::Comment{}};
  loop::VariablePtr lanes_, sum_;
};

}  // namespace

std::optional<Block> summed_by_vectors(const Block& body, std::int64_t vector_bytes,
                                       loop::NameSource& names) {
  Block result;
  bool has_sums = false;
  for (const loop::Statement& statement : body) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    const bool is_sum = loop && Summation(vector_bytes, names).append(*loop, result);
    has_sums = has_sums || is_sum;
    if (loop && !is_sum) return std::nullopt;
    if (!loop) result.push_back(statement);
  }
  if (!has_sums) return std::nullopt;
  return result;
}

}  // namespace hoist::codegen
