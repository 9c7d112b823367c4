// Expressions of loop nests as terms. Pointers are an array and the number of an element; a structure is its
// fields.
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <functional>

#include "openmp/functions.hpp"
#include "openmp/nest_reader.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

constexpr int deepest_calls = 16;

/// What Hoist calls a function of the C library; empty where it has none.
std::string hoist_function(std::string name) {
  if (name.rfind("__builtin_", 0) == 0) name = name.substr(10);
  static const std::map<std::string, std::string> names = {
      {"sqrt", "sqrt"},   {"exp", "exp"},   {"exp2", "exp2"},   {"log", "log"},   {"log2", "log2"},
      {"sin", "sin"},     {"cos", "cos"},   {"tan", "tan"},     {"tanh", "tanh"}, {"atan", "atan"},
      {"erf", "erf"},     {"fabs", "abs"},  {"abs", "abs"},     {"labs", "abs"},  {"llabs", "abs"},
      {"floor", "floor"}, {"ceil", "ceil"}, {"round", "round"}, {"pow", "pow"},   {"atan2", "atan2"},
      {"trunc", "trunc"}, {"fmin", "min"},  {"fmax", "max"},    {"fma", "fma"},   {"fmod", "%"}};
  if (const auto found = names.find(name); found != names.end()) return found->second;
  if (!name.empty() && name.back() == 'f') {
    name.pop_back();
    if (const auto found = names.find(name); found != names.end()) return found->second;
  }
  return {};
}

}  // namespace

NumberType NestReader::number_type(QualType type, SourceLocation where) const {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto* enumeration = type->getAs<EnumType>()) type = enumeration->getDecl()->getIntegerType();
  if (type->isSpecificBuiltinType(BuiltinType::Float)) return NumberType::F32;
  if (type->isSpecificBuiltinType(BuiltinType::Double)) return NumberType::F64;
  if (type->isBooleanType()) return NumberType::Bool;
  if (type->isIntegerType()) {
    const bool is_unsigned = type->isUnsignedIntegerType();
    switch (context_.getTypeSize(type)) {
      case 8:
        return is_unsigned ? NumberType::U8 : NumberType::I8;
      case 16:
        return is_unsigned ? NumberType::U16 : NumberType::I16;
      case 32:
        return is_unsigned ? NumberType::U32 : NumberType::I32;
      case 64:
        return is_unsigned ? NumberType::U64 : NumberType::I64;
      default:
        break;
    }
  }
  refuse(where, "Hoist has no numbers of type '" + type.getAsString() + "'");
}

Term NestReader::scalar(State& state, const Expr* expression) {
  const Value value = evaluate(state, expression);
  if (value.kind != Value::Number) {
    refuse(expression->getExprLoc(), value.kind == Value::None
                                         ? "it reads a variable before it has a value"
                                         : "a pointer or a structure is used as a number");
  }
  return value.term;
}

Term NestReader::condition(State& state, const Expr* expression) {
  return terms_.converted(scalar(state, expression), NumberType::Bool);
}

NestReader::Value NestReader::merged(Term condition, const Value& yes, const Value& no) {
  if (yes.kind != no.kind) {
    // What only one branch gives a value has it where that branch was taken; elsewhere nobody may read it.
    return yes.kind == Value::None ? no : no.kind == Value::None ? yes : Value{};
  }
  switch (yes.kind) {
    case Value::None:
      return yes;
    case Value::Number:
      return number(terms_.choice(condition, yes.term, terms_.converted(no.term, yes.term->type)));
    case Value::Pointer:
      return yes.variable == no.variable && yes.at == no.at && yes.member == no.member ? yes : Value{};
    case Value::Variable:
      return yes.variable == no.variable ? yes : Value{};
    case Value::Record: {
      Value result{.kind = Value::Record};
      for (const auto& [name, field] : yes.fields) {
        const auto found = no.fields.find(name);
        if (found != no.fields.end()) result.fields[name] = merged(condition, field, found->second);
      }
      return result;
    }
  }
  return {};
}

NestReader::Value NestReader::evaluate(State& state, const Expr* expression) {
  expression = expression->IgnoreParens();
  const SourceLocation where = expression->getExprLoc();
  const QualType type = expression->getType();
  if (type->isIntegerType() && !expression->isValueDependent()) {
    Expr::EvalResult constant;
    if (expression->EvaluateAsInt(constant, context_, Expr::SE_NoSideEffects))
      return number(terms_.number(llvm::toString(constant.Val.getInt(), 10), number_type(type, where)));
  }
  if (const auto* literal = llvm::dyn_cast<FloatingLiteral>(expression)) {
    const NumberType kind = number_type(type, where);
    return number(terms_.number(real_text(literal->getValueAsApproximateDouble(), kind), kind));
  }
  if (const auto* cast = llvm::dyn_cast<CastExpr>(expression)) return cast_value(state, cast);
  if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression))
    return variable_value(state, reference);
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression)) return unary_value(state, unary);
  if (const auto* binary = llvm::dyn_cast<BinaryOperator>(expression)) return binary_value(state, binary);
  if (const auto* call = llvm::dyn_cast<CallExpr>(expression)) return call_value(state, call);
  if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(expression)) {
    const Term asked = condition(state, choice->getCond());
    const Value yes = evaluate(state, choice->getTrueExpr()), no = evaluate(state, choice->getFalseExpr());
    if (yes.kind == Value::Number && no.kind == Value::Number && type->isArithmeticType()) {
      const NumberType kind = number_type(type, where);
      return number(terms_.choice(asked, terms_.converted(yes.term, kind), terms_.converted(no.term, kind)));
    }
    const Value both = merged(asked, yes, no);
    if (both.kind == Value::None) refuse(where, "a pointer leads to one place or another");
    return both;
  }
  if (const auto* list = llvm::dyn_cast<InitListExpr>(expression)) return initial_value(state, list, type);
  if (const auto* compound = llvm::dyn_cast<CompoundLiteralExpr>(expression))
    return initial_value(state, compound->getInitializer(), type);
  if (llvm::isa<ArraySubscriptExpr>(expression) || llvm::isa<MemberExpr>(expression)) {
    const Value place = place_of(state, expression);
    return type->isArrayType() ? place : load(state, place, type, expression);
  }
  refuse(where,
         std::string("an expression of this kind (") + expression->getStmtClassName() + ") is not said");
}

NestReader::Value NestReader::initial_value(State& state, const Expr* initializer, QualType type) {
  const auto* list = llvm::dyn_cast<InitListExpr>(initializer->IgnoreParens());
  if (!list) return evaluate(state, initializer);
  const auto* record = type.getCanonicalType()->getAs<RecordType>();
  if (!record || record->getDecl()->isUnion())
    refuse(initializer->getExprLoc(), "an array that an iteration declares has a list of values");
  Value result{.kind = Value::Record};
  unsigned next = 0;
  for (const FieldDecl* field : record->getDecl()->fields()) {
    const Expr* each = next < list->getNumInits() ? list->getInit(next) : nullptr;
    ++next;
    Value& value = result.fields[field->getNameAsString()];
    if (each && !llvm::isa<ImplicitValueInitExpr>(each)) {
      value = initial_value(state, each, field->getType());
    } else {
      const NumberType kind = number_type(field->getType(), initializer->getExprLoc());
      value = number(terms_.number(is_float(kind) ? "0.0" : "0", kind));
    }
  }
  return result;
}

NestReader::Value NestReader::variable_value(State& state, const DeclRefExpr* reference) {
  const auto* variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
  const SourceLocation where = reference->getLocation();
  if (!variable) refuse(where, "it uses a function as a value");
  if (const auto known = state.values.find(variable); known != state.values.end()) return known->second;
  const QualType type = variable->getType();
  const bool is_constant = type.isConstQualified() && variable->getAnyInitializer() != nullptr;
  if (is_pointer_or_array(type)) {
    return {.kind = Value::Pointer, .variable = variable};
  }
  if (is_constant && is_global(variable)) {
    Expr::EvalResult constant;
    const bool is_known = variable->getAnyInitializer()->EvaluateAsRValue(constant, context_);
    if (is_known && constant.Val.isInt())
      return number(terms_.number(llvm::toString(constant.Val.getInt(), 10), number_type(type, where)));
    if (is_known && constant.Val.isFloat()) {
      const NumberType kind = number_type(type, where);
      return number(terms_.number(real_text(constant.Val.getFloat().convertToDouble(), kind), kind));
    }
  }
  if (const Term known = defined(state, variable)) return number(known);
  if (std::find(loop_.changed.begin(), loop_.changed.end(), variable) != loop_.changed.end())
    refuse(where, "iterations change '" + variable->getNameAsString() + "' in turn");
  if (const auto* record = type.getCanonicalType()->getAs<RecordType>()) {
    Value result{.kind = Value::Record};
    for (const FieldDecl* field : record->getDecl()->fields()) {
      if (!field->getType()->isArithmeticType() || field->isBitField()) continue;
      const std::string name = field->getNameAsString();
      result.fields[name] = number(terms_.given(variable, name, number_type(field->getType(), where)));
    }
    return result;
  }
  return number(terms_.given(variable, "", number_type(type, where)));
}

Term NestReader::defined(State& state, const VarDecl* variable) {
  const bool is_constant = variable->isLocalVarDecl() && variable->getType().isConstQualified() &&
                           variable->getType()->isIntegerType() && variable->getInit();
  if (!is_constant || contains<CallExpr>(variable->getInit())) return nullptr;
  if (changed_.empty()) changed_by(loop_.function->getBody(), changed_);
  bool is_plain = true;
  const std::function<void(const Stmt*)> look = [&](const Stmt* statement) {
    if (!statement) return;
    const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement);
    const auto* used = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (used)
      is_plain = is_plain && used->getType()->isIntegerType() && !is_global(used) && !changed_.count(used);
    is_plain = is_plain && !llvm::isa<ArraySubscriptExpr>(statement) && !llvm::isa<MemberExpr>(statement);
    for (const Stmt* child : statement->children()) look(child);
  };
  look(variable->getInit());
  if (!is_plain) return nullptr;
  return terms_.converted(scalar(state, variable->getInit()),
                          number_type(variable->getType(), variable->getLocation()));
}

NestReader::Value NestReader::cast_value(State& state, const CastExpr* cast) {
  switch (cast->getCastKind()) {
    case CK_ArrayToPointerDecay:
      return place_of(state, cast->getSubExpr());
    case CK_LValueToRValue:
    case CK_NoOp:
      return evaluate(state, cast->getSubExpr());
    case CK_BitCast:
      if (innermost_element(cast->getType()) == innermost_element(cast->getSubExpr()->getType()))
        return evaluate(state, cast->getSubExpr());
      refuse(cast->getExprLoc(), "it takes memory for elements of another type");
    default:
      break;
  }
  if (!cast->getType()->isArithmeticType())
    refuse(cast->getExprLoc(), "it converts to '" + cast->getType().getAsString() + "'");
  return number(
      terms_.converted(scalar(state, cast->getSubExpr()), number_type(cast->getType(), cast->getExprLoc())));
}

NestReader::Value NestReader::unary_value(State& state, const UnaryOperator* unary) {
  const Expr* inner = unary->getSubExpr();
  const QualType type = unary->getType();
  const SourceLocation where = unary->getExprLoc();
  switch (unary->getOpcode()) {
    case UO_AddrOf:
      return place_of(state, inner);
    case UO_Deref: {
      const Value place = place_of(state, unary);
      return type->isArrayType() ? place : load(state, place, type, unary);
    }
    case UO_PostInc:
    case UO_PreInc:
    case UO_PostDec:
    case UO_PreDec: {
      const Value before = evaluate(state, inner);
      Value after;
      if (before.kind == Value::Pointer) {
        after = moved(state, before, Poly(unary->isIncrementOp() ? 1 : -1), type, unary);
      } else {
        const NumberType kind = number_type(type, where);
        const Term one = terms_.number(is_float(kind) ? "1.0" : "1", kind);
        after = number(terms_.operation(unary->isIncrementOp() ? "+" : "-",
                                        {terms_.converted(scalar(state, inner), kind), one}, kind));
      }
      assign(state, inner, after);
      return unary->isPrefix() ? after : before;
    }
    case UO_Minus: {
      const Term value = scalar(state, inner);
      const NumberType kind = number_type(type, where);
      return number(terms_.operation("-", {terms_.converted(value, kind)}, kind));
    }
    case UO_Plus:
      return evaluate(state, inner);
    case UO_Not: {
      const NumberType kind = number_type(type, where);
      return number(terms_.operation("~", {terms_.converted(scalar(state, inner), kind)}, kind));
    }
    case UO_LNot:
      return number(terms_.operation("!", {condition(state, inner)}, NumberType::Bool));
    case UO_Extension:
      return evaluate(state, inner);
    default:
      refuse(where, "an operation of this kind is not said");
  }
}

NestReader::Value NestReader::binary_value(State& state, const BinaryOperator* binary) {
  const SourceLocation where = binary->getExprLoc();
  const BinaryOperatorKind operation = binary->getOpcode();
  if (operation == BO_Assign) {
    const Value value = evaluate(state, binary->getRHS());
    assign(state, binary->getLHS(), value);
    return value;
  }
  if (operation == BO_Comma) {
    evaluate(state, binary->getLHS());
    return evaluate(state, binary->getRHS());
  }
  if (binary->isLogicalOp()) {
    const Term left = condition(state, binary->getLHS()), right = condition(state, binary->getRHS());
    return number(terms_.operation(operation == BO_LAnd ? "&&" : "||", {left, right}, NumberType::Bool));
  }
  if (const auto* compound = llvm::dyn_cast<CompoundAssignOperator>(binary)) {
    const Value before = evaluate(state, compound->getLHS());
    Value after;
    if (before.kind == Value::Pointer) {
      const Poly by = terms_.poly(scalar(state, compound->getRHS()));
      after =
          moved(state, before, operation == BO_SubAssign ? Poly(0) - by : by, compound->getType(), compound);
    } else {
      const NumberType kind = number_type(compound->getComputationLHSType(), where);
      const std::string name =
          BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(operation)).str();
      const bool shifts = operation == BO_ShlAssign || operation == BO_ShrAssign;
      Term by = scalar(state, compound->getRHS());
      if (shifts || by->type == NumberType::Bool) by = terms_.converted(by, kind);
      if (before.kind != Value::Number) refuse(where, "it reads a variable before it has a value");
      after = number(terms_.converted(terms_.operation(name, {terms_.converted(before.term, kind), by}, kind),
                                      number_type(compound->getType(), where)));
    }
    assign(state, compound->getLHS(), after);
    return after;
  }
  const Value left = evaluate(state, binary->getLHS()), right = evaluate(state, binary->getRHS());
  const auto is_pointer = [](const Value& each) { return each.kind == Value::Pointer; };
  if (is_pointer(left) || is_pointer(right)) {
    const bool is_left = is_pointer(left);
    const Value& by = is_left ? right : left;
    if (by.kind != Value::Number || (operation != BO_Add && operation != BO_Sub))
      refuse(where, "it compares or subtracts pointers");
    const Poly distance = terms_.poly(by.term);
    return moved(state, is_left ? left : right, operation == BO_Sub ? Poly(0) - distance : distance,
                 (is_left ? binary->getLHS() : binary->getRHS())->getType(), binary);
  }
  if (left.kind != Value::Number || right.kind != Value::Number)
    refuse(where, "it reads a variable before it has a value");
  const NumberType kind = number_type(binary->getLHS()->getType(), where);
  const Term a = terms_.converted(left.term, kind), b = terms_.converted(right.term, kind);
  return number(terms_.operation(binary->getOpcodeStr().str(), {a, b},
                                 binary->isComparisonOp() ? NumberType::Bool : kind));
}

// ---- Places ----

Poly NestReader::length_of(State& state, const ArrayType* array, SourceLocation where) {
  if (const auto* constant = llvm::dyn_cast<ConstantArrayType>(array))
    return Poly(static_cast<std::int64_t>(constant->getSize().getZExtValue()));
  if (const auto* variable = llvm::dyn_cast<VariableArrayType>(array))
    return terms_.poly(scalar(state, variable->getSizeExpr()));
  refuse(where, "an array has no known length");
}

Poly NestReader::elements_of(State& state, QualType type, const Expr* where) {
  Poly product(1);
  while (const ArrayType* array = context_.getAsArrayType(type)) {
    product = product * length_of(state, array, where->getExprLoc());
    type = array->getElementType();
  }
  return product;
}

NestReader::Value NestReader::moved(State& state, const Value& pointer, const Poly& by, QualType type,
                                    const Expr* where) {
  Value result = pointer;
  if (!pointer.member.empty()) refuse(where->getExprLoc(), "it moves a pointer inside of a structure");
  const QualType pointee =
      type->isPointerType() ? type->getPointeeType() : context_.getAsArrayType(type)->getElementType();
  result.at = pointer.at + by * elements_of(state, pointee, where);
  return result;
}

NestReader::Value NestReader::place_of(State& state, const Expr* expression) {
  expression = expression->IgnoreParens();
  const SourceLocation where = expression->getExprLoc();
  if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(expression)) {
    const Value base = evaluate(state, subscript->getBase());
    const Poly index = terms_.poly(scalar(state, subscript->getIdx()));
    if (base.kind != Value::Pointer) refuse(where, "it follows a pointer that is not known before the loop");
    return moved(state, base, index, subscript->getBase()->getType(), subscript);
  }
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression); unary && unary->getOpcode() == UO_Deref)
    return evaluate(state, unary->getSubExpr());
  if (const auto* member = llvm::dyn_cast<MemberExpr>(expression)) {
    Value base = member->isArrow() ? evaluate(state, member->getBase()) : place_of(state, member->getBase());
    if (base.kind != Value::Pointer && base.kind != Value::Variable && base.kind != Value::Record)
      refuse(where, "it follows a pointer that is not known before the loop");
    if (!base.member.empty()) base.member += ".";
    base.member += member->getMemberNameInfo().getAsString();
    return base;
  }
  if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression)) {
    const auto* variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (!variable) refuse(where, "it uses a function as a value");
    if (variable->getType()->isArrayType()) return variable_value(state, reference);
    return {.kind = Value::Variable, .variable = variable};
  }
  if (const auto* cast = llvm::dyn_cast<CastExpr>(expression)) return cast_value(state, cast);
  return evaluate(state, expression);
}

const Storage* NestReader::storage_of(const VarDecl* variable, const std::string& member, NumberType type) {
  const bool is_given = std::find(loop_.arrays.begin(), loop_.arrays.end(), variable) != loop_.arrays.end();
  return terms_.storage({.kind = is_given ? StorageKind::Given : StorageKind::Own,
                         .type = type,
                         .variable = variable,
                         .member = member});
}

NestReader::Value NestReader::load(State& state, const Value& place, QualType type, const Expr* where) {
  if (place.kind == Value::Variable || place.kind == Value::Record) {
    Value found = place;
    if (place.kind == Value::Variable) {
      const auto known = state.values.find(place.variable);
      if (known != state.values.end()) {
        found = known->second;
      } else {
        DeclRefExpr reference(context_, const_cast<VarDecl*>(place.variable), false,
                              place.variable->getType(), VK_LValue, where->getExprLoc());
        found = variable_value(state, &reference);
      }
    }
    std::string rest = place.member;
    while (!rest.empty()) {
      const std::string name = rest.substr(0, rest.find('.'));
      rest = rest.find('.') == std::string::npos ? "" : rest.substr(rest.find('.') + 1);
      const auto field = found.fields.find(name);
      if (field == found.fields.end())
        refuse(where->getExprLoc(), "it reads a variable before it has a value");
      found = Value(field->second);
    }
    return found;
  }
  if (place.kind != Value::Pointer)
    refuse(where->getExprLoc(), "it follows a pointer that is not known before the loop");
  if (type->isPointerType()) refuse(where->getExprLoc(), "it reads a pointer from memory");
  if (const auto* record = type.getCanonicalType()->getAs<RecordType>()) {
    Value result{.kind = Value::Record};
    for (const FieldDecl* field : record->getDecl()->fields()) {
      Value inner = place;
      inner.member += (inner.member.empty() ? "" : ".") + field->getNameAsString();
      result.fields[field->getNameAsString()] = load(state, inner, field->getType(), where);
    }
    return result;
  }
  if (type->isArrayType()) refuse(where->getExprLoc(), "a structure has an array in it");
  const NumberType kind = number_type(type, where->getExprLoc());
  return number(read(state, storage_of(place.variable, place.member, kind), place.at, where->getExprLoc()));
}

void NestReader::assign(State& state, const Expr* target, const Value& value) {
  store(state, place_of(state, plain(target)), value, target->getType(), target);
}

void NestReader::store(State& state, const Value& place, const Value& given, QualType type,
                       const Expr* where) {
  const SourceLocation at = where->getExprLoc();
  Value value = given;
  if (value.kind == Value::Number && type->isArithmeticType())
    value.term = terms_.converted(value.term, number_type(type, at));
  if (place.kind == Value::Variable) {
    const bool is_changed =
        std::find(loop_.changed.begin(), loop_.changed.end(), place.variable) != loop_.changed.end();
    if (is_changed) refuse(at, "iterations change '" + place.variable->getNameAsString() + "' in turn");
    if (place.member.empty()) {
      state.values[place.variable] = value;
      if (value.kind == Value::Number) terms_.name(value.term, place.variable->getNameAsString());
      return;
    }
    if (place.member.find('.') != std::string::npos) refuse(at, "it writes into a structure in a structure");
    Value& record = state.values[place.variable];
    record.kind = Value::Record;
    record.fields[place.member] = value;
    return;
  }
  if (place.kind != Value::Pointer) refuse(at, "it follows a pointer that is not known before the loop");
  if (value.kind == Value::Record) {
    const auto* record = type.getCanonicalType()->getAs<RecordType>();
    for (const FieldDecl* field : record->getDecl()->fields()) {
      Value inner = place;
      inner.member += (inner.member.empty() ? "" : ".") + field->getNameAsString();
      store(state, inner, value.fields[field->getNameAsString()], field->getType(), where);
    }
    return;
  }
  if (value.kind != Value::Number) refuse(at, "it writes a pointer to memory");
  write(state,
        {storage_of(place.variable, place.member, number_type(type, at)), place.at, value.term, {}, at});
}

// ---- Calls ----

NestReader::Value NestReader::library_call(State& state, const CallExpr* call, const std::string& name) {
  std::string plain_name = name.rfind("__builtin_", 0) == 0 ? name.substr(10) : name;
  const NumberType kind = number_type(call->getType(), call->getExprLoc());
  if (plain_name == "inff" || plain_name == "inf" || plain_name == "huge_val" || plain_name == "huge_valf")
    return number(terms_.number("inf", kind));
  if (plain_name == "nanf" || plain_name == "nan") return number(terms_.number("nan", kind));
  const std::string function = hoist_function(name);
  if (function.empty()) {
    refuse(call->getExprLoc(),
           device_function(name, false) ? "Hoist has no function '" + name + "'" : why_not_on_device(name));
  }
  std::vector<Term> operands;
  for (const Expr* argument : call->arguments())
    operands.push_back(terms_.converted(scalar(state, argument), kind));
  return number(terms_.operation(function, operands, kind));
}

NestReader::Value NestReader::call_value(State& state, const CallExpr* call) {
  const FunctionDecl* callee = called_definition(call);
  if (!callee) {
    const std::string name = called_name(call);
    if (name.empty()) refuse(call->getExprLoc(), "it calls a function by a pointer");
    return library_call(state, call, name);
  }
  if (++depth_ > deepest_calls)
    refuse(call->getExprLoc(), "'" + callee->getNameAsString() + "' calls itself");
  std::vector<Value> arguments;
  for (const Expr* argument : call->arguments()) arguments.push_back(evaluate(state, argument));
  for (unsigned i = 0; i < callee->getNumParams() && i < arguments.size(); ++i)
    state.values[callee->getParamDecl(i)] = arguments[i];
  const Value outer = state.returned;
  state.returned = {};
  execute(state, {callee->getBody()});
  Value result = state.returned;
  state.returned = outer;
  --depth_;
  if (result.kind == Value::Number)
    result.term = terms_.converted(result.term, number_type(callee->getReturnType(), call->getExprLoc()));
  return result;
}

}  // namespace hoist::openmp
