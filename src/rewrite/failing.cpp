#include "rewrite/failing.hpp"

#include <algorithm>

#include "ir/inspect.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

class Failing {
 public:
  explicit Failing(IntegerRanges ranges) : ranges_(std::move(ranges)) {}

  bool is_in(Term term) {
    if (auto* operation = term.as<ir::ScalarCall>(); operation && lacks_value(*operation)) return true;
    if (auto* call = term.as<ir::Call>()) return is_in_call(*call);
    if (auto* let = term.as<ir::Let>()) return is_in(let->value) || is_in_body(let->body, {});
    const std::vector<Term> children = ir::children(term);
    return std::any_of(children.begin(), children.end(), [&](Term child) { return is_in(child); });
  }

 private:
  bool is_in_call(const ir::Call& call) {
    switch (call.op) {
      case Op::At:
      case Op::Update:
        if (!is_inside(expression_of(call.arguments[0]), call.arguments.back().type()->size)) return true;
        break;
      case Op::Gather:
      case Op::Scatter: {
        const Expr length = call.arguments[1].type()->size;
        const Term place = index_below(length);
        if (!is_inside(expression_of(ir::apply(call.arguments[0], {place})), length)) return true;
        return is_in(ir::apply(call.arguments[0], {place})) || is_in(call.arguments[1]);
      }
      case Op::Generate:
        return is_in(ir::apply(call.arguments[0], {index_below(call.sizes[0])}));
      case Op::Map:
      case Op::MapGlobal:
      case Op::MapGroup:
      case Op::MapLocal:
      case Op::MapSeq:
      case Op::MapSeqUnroll:
      case Op::MapSeqSlide:
      case Op::Prefetch:
      case Op::Reduce:
      case Op::ReduceRange:
      case Op::ReduceSeq:
      case Op::ReduceSeqUnroll:
      case Op::ReduceLocal:
      case Op::Scan:
      case Op::ScanSeq:
      case Op::ReduceByKey:
      case Op::ReduceByKeySeq:
      case Op::ReduceByKeyLocal:
      case Op::ReduceByKeyGlobal:
      case Op::Iterate:
      case Op::IterateWhile:
      case Op::Zip:
      case Op::Unzip:
      case Op::Split:
      case Op::Join:
      case Op::Transpose:
      case Op::Slide:
      case Op::Pad:
      case Op::PadValue:
      case Op::Take:
      case Op::Drop:
      case Op::Rotate:
      case Op::Concat:
      case Op::ToGlobal:
      case Op::ToLocal:
      case Op::ToPrivate:
      case Op::ToImage:
      case Op::Pitch:
      case Op::LoopAt:
      case Op::LoopJam:
      case Op::LoopLanes:
      case Op::LoopLimit:
      case Op::LoopTile:
      case Op::LoopPack:
      case Op::AsVector:
      case Op::AsScalar:
      case Op::Broadcast:
      case Op::Dot:
        break;
    }
    const Term source = call.arguments.back();
    for (Term argument : call.arguments) {
      if (argument.as<ir::Lambda>() ? is_in_body(argument, source) : is_in(argument)) return true;
    }
    return false;
  }

  /// In what a function computes whose last parameter, if any, is an element of `source`.
  bool is_in_body(Term lambda, Term source) {
    const std::vector<Term> parameters = ir::fresh_parameters(*lambda.as<ir::Lambda>());
    if (source && ir::is_array(source.type())) know_element(parameters.back(), source);
    return is_in(ir::apply(lambda, parameters));
  }

  void know_element(Term element, Term source) {
    auto* call = source.as<ir::Call>();
    if (!call) return;
    if (call->op == Op::Zip) {
      for (std::uint32_t i = 0; i < call->arguments.size(); ++i) {
        if (ir::is_tuple(element.type())) know_element(ir::get(i, element), call->arguments[i]);
      }
    } else if (call->op == Op::Generate) {
      auto* body = call->arguments[0].as<ir::Lambda>()->body.as<ir::Bound>();
      if (body && body->index == 0 && element.type() == ir::scalar_type(Scalar::I32)) {
        ranges_.emplace(element, arith::index("i", 0, call->sizes[0]));
      }
    }
  }

  Term index_below(Expr length) {
    Term variable = ir::fresh(ir::scalar_type(Scalar::I32), "i");
    ranges_.emplace(variable, arith::index("i", 0, length));
    return variable;
  }

  static bool is_inside(Expr index, Expr length) {
    return arith::is_less_equal(0, index) && arith::is_less(index, length);
  }

  /// The integer as an index expression; an unknown one where it may wrap or is not known.
  Expr expression_of(Term term) {
    if (auto* literal = term.as<ir::Literal>(); literal && is_integer(literal->value.type)) {
      return arith::constant(literal->value.integer);
    }
    if (auto* size = term.as<ir::SizeValue>()) return size->size;
    const auto known = ranges_.find(term);
    if (known != ranges_.end()) return known->second;
    auto* operation = term.as<ir::ScalarCall>();
    if (!operation || operation->arguments.size() != 2 || !is_integer(term.type()->scalar))
      return arith::data("value");
    const Expr a = expression_of(operation->arguments[0]), b = expression_of(operation->arguments[1]);
    const auto is_bounded = [](Expr e) { return arith::lower_bound(e) && arith::upper_bound(e); };
    const bool is_exact = is_bounded(a) && is_bounded(b);
    switch (operation->op) {
      case ScalarOp::Minimum:
        return arith::minimum(a, b);
      case ScalarOp::Maximum:
        return arith::maximum(a, b);
      case ScalarOp::Add:
        return is_exact ? a + b : arith::data("sum");
      case ScalarOp::Subtract:
        return is_exact ? a - b : arith::data("difference");
      case ScalarOp::Multiply:
        return is_exact ? a * b : arith::data("product");
      case ScalarOp::Divide:
        return arith::is_less(0, b) ? a / b : arith::data("quotient");
      case ScalarOp::Remainder:
        return arith::is_less(0, b) ? a % b : arith::data("remainder");
      default:
        return arith::data("value");
    }
  }

  bool lacks_value(const ir::ScalarCall& operation) {
    if (operation.arguments.size() != 2) return false;
    const Term second = operation.arguments[1];
    if (!ir::is_scalar(second.type()) || !is_integer(second.type()->scalar)) return false;
    const auto bits = static_cast<std::int64_t>(8 * size_of(second.type()->scalar));
    switch (operation.op) {
      case ScalarOp::Divide:
      case ScalarOp::Remainder: {
        const Expr divisor = expression_of(second);
        return !arith::is_less(0, divisor) && !arith::is_less(divisor, 0);
      }
      case ScalarOp::ShiftLeft:
      case ScalarOp::ShiftRight:
        return !is_inside(expression_of(second), bits);
      case ScalarOp::Power:
        return !arith::is_less_equal(0, expression_of(second));
      default:
        return false;
    }
  }

  IntegerRanges ranges_;
};

}  // namespace

bool can_fail(Term term, const IntegerRanges& ranges) { return Failing(ranges).is_in(term); }

}  // namespace hoist::rewrite
