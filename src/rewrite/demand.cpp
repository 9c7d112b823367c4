#include "rewrite/demand.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/scalar_effort.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Type;

namespace {
constexpr double unknown_size = 1024;
}

double estimated(Expr size) {
  if (auto value = size.constant()) return static_cast<double>(*value);
  switch (size.kind()) {
    case arith::Kind::Sum: {
      double total = 0;
      for (Expr each : size->operands) total += estimated(each);
      return std::max(total, 1.0);
    }
    case arith::Kind::Product: {
      double total = 1;
      for (Expr each : size->operands) total *= estimated(each);
      return total;
    }
    case arith::Kind::Quotient:
    case arith::Kind::ExactQuotient:
    case arith::Kind::CeilingQuotient:
      return std::max(1.0, estimated(size->operands[0]) / std::max(1.0, estimated(size->operands[1])));
    default:
      return unknown_size;
  }
}

double elements(Type type) {
  if (ir::is_array(type)) return estimated(type->size) * elements(ir::element_of(type));
  if (!ir::is_tuple(type)) return 1;
  double most = 1;
  for (Type each : type->elements) most = std::max(most, elements(each));
  return most;
}

Demand all_of(Type type, double times) {
  double outer = times;
  while (ir::is_array(type)) {
    outer *= estimated(type->size);
    type = ir::element_of(type);
  }
  if (!ir::is_tuple(type)) return {outer};
  Demand result;
  for (Type each : type->elements) result.push_back(outer * elements(each));
  return result;
}

double times(const Demand& demand, Type type) {
  const Demand once = all_of(type, 1);
  double most = 0;
  for (std::size_t i = 0; i < once.size(); ++i) {
    most = std::max(most, once[i] > 0 ? demand[std::min(i, demand.size() - 1)] / once[i] : 0);
  }
  return most;
}

double cost_of(ScalarOp op) {
  switch (effort_of(op)) {
    case Effort::Simple:
      return 1;
    case Effort::Division:
      return 8;
    case Effort::Function:
      return 16;
  }
  throw Bug("an effort without a cost");
}

}  // namespace hoist::rewrite
