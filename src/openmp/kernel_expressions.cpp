// Expressions of kernels. Pointers are printed by functions of their own, for all that they point to is flat
// memory.
#include "openmp/kernel_printer.hpp"

namespace hoist::openmp {

using namespace clang;

std::string KernelPrinter::element_count(QualType type) {
  type = type.getCanonicalType();
  std::string product = "1";
  while (const auto* array = llvm::dyn_cast<ArrayType>(type.getTypePtr())) {
    std::string length;
    if (const auto* constant = llvm::dyn_cast<ConstantArrayType>(array)) {
      length = llvm::toString(constant->getSize(), 10, false);
    } else if (const auto* variable = llvm::dyn_cast<VariableArrayType>(array)) {
      length = grouped(expression(variable->getSizeExpr()));
    }
    product = product == "1" ? length : product + " * " + length;
    type = array->getElementType().getCanonicalType();
  }
  return product;
}

std::string KernelPrinter::literal(const Expr* each) {
  if (const auto* number = llvm::dyn_cast<IntegerLiteral>(each)) {
    const QualType type = number->getType();
    const bool is_unsigned = type->isUnsignedIntegerType();
    const bool is_long = state_.context.getTypeSize(type) > 32;
    return llvm::toString(number->getValue(), 10, !is_unsigned) + (is_unsigned ? "u" : "") +
           (is_long ? "L" : "");
  }
  if (const auto* number = llvm::dyn_cast<FloatingLiteral>(each)) {
    llvm::SmallString<32> digits;
    number->getValue().toString(digits, 0, 0);
    std::string text = digits.str().str();
    if (text.find_first_of(".eEn") == std::string::npos) text += ".0";
    if (number->getType()->isSpecificBuiltinType(BuiltinType::Float)) return text + "f";
    if (number->getType()->isSpecificBuiltinType(BuiltinType::LongDouble))
      refuse(each, "devices have no type 'long double'");
    state_.uses_doubles = true;
    return text;
  }
  const auto* character = llvm::cast<CharacterLiteral>(each);
  return std::to_string(static_cast<int>(character->getValue()));
}

std::string KernelPrinter::reference(const DeclRefExpr* each) {
  if (const auto* constant = llvm::dyn_cast<EnumConstantDecl>(each->getDecl())) {
    const std::string value = llvm::toString(constant->getInitVal(), 10);
    const std::string name = kernel_name(constant->getNameAsString());
    const auto [known, is_new] = state_.enumerators.emplace(name, value);
    return known->second == value ? name : value;
  }
  const auto* variable = llvm::dyn_cast<VarDecl>(each->getDecl());
  if (!variable) refuse(each, "it uses a function as a value");
  return name_of(variable, each);
}

std::string KernelPrinter::expression(const Expr* each) {
  if (const auto* constant = llvm::dyn_cast<ConstantExpr>(each)) return expression(constant->getSubExpr());
  if (each->getType()->isPointerType()) return pointer(each);
  if (const auto* parentheses = llvm::dyn_cast<ParenExpr>(each))
    return "(" + expression(parentheses->getSubExpr()) + ")";
  if (const auto* cast = llvm::dyn_cast<CastExpr>(each)) {
    const bool to_bool = cast->getType()->isBooleanType() && !cast->getSubExpr()->getType()->isBooleanType();
    const std::string inner = expression(cast->getSubExpr());
    if (to_bool) return "(" + grouped(inner) + " != 0)";
    if (llvm::isa<ImplicitCastExpr>(cast)) return inner;
    if (cast->getSubExpr()->getType()->isPointerType()) refuse(each, "it makes a number of a pointer");
    return "(" + type(cast->getType(), each->getBeginLoc()) + ")" + inner;
  }
  if (llvm::isa<IntegerLiteral>(each) || llvm::isa<FloatingLiteral>(each) ||
      llvm::isa<CharacterLiteral>(each))
    return literal(each);
  if (const auto* declaration = llvm::dyn_cast<DeclRefExpr>(each)) return reference(declaration);
  if (const auto* array = llvm::dyn_cast<ArraySubscriptExpr>(each)) return subscript(array);
  if (const auto* part = llvm::dyn_cast<MemberExpr>(each)) return member(part);
  if (const auto* called = llvm::dyn_cast<CallExpr>(each)) return call(called);
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(each)) {
    const std::string sign = UnaryOperator::getOpcodeStr(unary->getOpcode()).str();
    if (unary->getOpcode() == UO_Deref) return "*" + grouped(pointer(unary->getSubExpr()));
    if (unary->getOpcode() == UO_Extension) return expression(unary->getSubExpr());
    const std::string inner = expression(unary->getSubExpr());
    if (unary->isPostfix()) return (inner.front() == '*' ? "(" + inner + ")" : inner) + sign;
    return sign + (inner.front() == sign.front() ? " " : "") + inner;
  }
  if (const auto* binary = llvm::dyn_cast<BinaryOperator>(each)) {
    if (binary->getOpcode() == BO_Sub && binary->getLHS()->getType()->isPointerType())
      refuse(each, "it subtracts pointers");
    return expression(binary->getLHS()) + " " + binary->getOpcodeStr().str() + " " +
           expression(binary->getRHS());
  }
  if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(each)) {
    return expression(choice->getCond()) + " ? " + expression(choice->getTrueExpr()) + " : " +
           expression(choice->getFalseExpr());
  }
  if (const auto* size = llvm::dyn_cast<UnaryExprOrTypeTraitExpr>(each)) {
    Expr::EvalResult constant;
    if (size->EvaluateAsInt(constant, state_.context))
      return llvm::toString(constant.Val.getInt(), 10) + "ul";
    refuse(each, "it asks for the size of an array of variable length");
  }
  if (llvm::isa<InitListExpr>(each) || llvm::isa<ImplicitValueInitExpr>(each)) return initializer(each);
  if (const auto* compound = llvm::dyn_cast<CompoundLiteralExpr>(each)) {
    if (is_cuda()) refuse(each, "CUDA C++ has no compound literals");
    return "(" + type(compound->getType(), each->getBeginLoc()) + ")" +
           initializer(compound->getInitializer());
  }
  if (llvm::isa<StringLiteral>(each) || llvm::isa<PredefinedExpr>(each)) refuse(each, "it uses a text");
  refuse(each,
         std::string("an expression of this kind (") + each->getStmtClassName() + ") is not translated");
}

std::string KernelPrinter::initializer(const Expr* each) {
  if (llvm::isa<ImplicitValueInitExpr>(each))
    return is_pointer_or_array(each->getType()) || each->getType()->isRecordType() ? "{0}" : "0";
  const auto* list = llvm::dyn_cast<InitListExpr>(each);
  if (!list) return expression(each);
  std::string text;
  for (const Expr* init : list->inits()) text += (text.empty() ? "" : ", ") + initializer(init);
  // What an array's list leaves out is 0 in every language.
  return "{" + (text.empty() ? "0" : text) + "}";
}

std::string KernelPrinter::pointer(const Expr* each) {
  if (const auto* parentheses = llvm::dyn_cast<ParenExpr>(each))
    return "(" + pointer(parentheses->getSubExpr()) + ")";
  if (each->isNullPointerConstant(state_.context, Expr::NPC_ValueDependentIsNull)) return "0";
  if (const auto* cast = llvm::dyn_cast<CastExpr>(each)) {
    if (cast->getCastKind() == CK_ArrayToPointerDecay) return array_start(cast->getSubExpr());
    const Expr* inner = cast->getSubExpr();
    if (!inner->getType()->isPointerType()) refuse(each, "it makes a pointer of a number");
    const QualType from = innermost_element(inner->getType()), to = innermost_element(each->getType());
    if (cast->getCastKind() == CK_LValueToRValue || state_.context.hasSameUnqualifiedType(from, to)) {
      if (const auto* part = llvm::dyn_cast<MemberExpr>(inner->IgnoreParens())) return member(part);
      if (llvm::isa<ArraySubscriptExpr>(inner->IgnoreParens()))
        refuse(each, "it reads a pointer from memory");
      return pointer(inner);
    }
    return "(" + space_text(space_of(inner)) + type(to, each->getBeginLoc()) + " *)" +
           grouped(pointer(inner));
  }
  if (const auto* declaration = llvm::dyn_cast<DeclRefExpr>(each)) return reference(declaration);
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(each)) {
    const Expr* inner = unary->getSubExpr();
    if (unary->getOpcode() == UO_AddrOf) {
      if (inner->getType()->isArrayType()) return array_start(inner);
      const std::string text = expression(inner);
      // A changed variable is *name here.
      if (text.size() > 3 && text.compare(0, 2, "(*") == 0 && is_simple(text.substr(2, text.size() - 3)))
        return text.substr(2, text.size() - 3);
      return "&" + text;
    }
    if (unary->isIncrementDecrementOp() && element_count(unary->getType()->getPointeeType()) == "1") {
      const std::string sign = UnaryOperator::getOpcodeStr(unary->getOpcode()).str();
      return unary->isPostfix() ? pointer(inner) + sign : sign + pointer(inner);
    }
    refuse(each, "it moves a pointer in a way that is not translated");
  }
  if (const auto* binary = llvm::dyn_cast<BinaryOperator>(each)) {
    const bool left_is_pointer = binary->getLHS()->getType()->isPointerType();
    const QualType pointee = each->getType()->getPointeeType();
    if (binary->getOpcode() == BO_Assign)
      return pointer(binary->getLHS()) + " = " + pointer(binary->getRHS());
    if (binary->getOpcode() == BO_Comma)
      return expression(binary->getLHS()) + ", " + pointer(binary->getRHS());
    if (binary->isAdditiveOp() || binary->isCompoundAssignmentOp()) {
      const Expr* base = left_is_pointer ? binary->getLHS() : binary->getRHS();
      const Expr* index = left_is_pointer ? binary->getRHS() : binary->getLHS();
      return pointer(base) + " " + binary->getOpcodeStr().str() + " " + scaled(index, pointee);
    }
  }
  if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(each)) {
    return expression(choice->getCond()) + " ? " + pointer(choice->getTrueExpr()) + " : " +
           pointer(choice->getFalseExpr());
  }
  if (llvm::isa<CallExpr>(each)) refuse(each, "it calls a function that gives a pointer");
  refuse(each, "it uses a pointer in a way that is not translated");
}

std::string KernelPrinter::array_start(const Expr* each) {
  each = each->IgnoreParens();
  const auto zeros = [&](const std::string& text) {
    QualType element = each->getType().getCanonicalType();
    std::string places;
    while (const auto* array = llvm::dyn_cast<ArrayType>(element.getTypePtr())) {
      places += "[0]";
      element = array->getElementType().getCanonicalType();
    }
    return places == "[0]" ? text : "&" + text + places;
  };
  if (const auto* declaration = llvm::dyn_cast<DeclRefExpr>(each)) {
    const auto* variable = llvm::cast<VarDecl>(declaration->getDecl());
    return is_own_array(variable) ? zeros(reference(declaration)) : reference(declaration);
  }
  if (const auto* array = llvm::dyn_cast<ArraySubscriptExpr>(each)) {
    return grouped(pointer(array->getBase())) + " + " + scaled(array->getIdx(), array->getType());
  }
  if (const auto* part = llvm::dyn_cast<MemberExpr>(each)) return zeros(member(part));
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(each); unary && unary->getOpcode() == UO_Deref)
    return pointer(unary->getSubExpr());
  refuse(each, "it uses an array in a way that is not translated");
}

std::string KernelPrinter::subscript(const ArraySubscriptExpr* each) {
  std::vector<const ArraySubscriptExpr*> chain{each};  // the innermost dimension first
  const Expr* root = each->getBase();
  for (;;) {
    const Expr* under = root->IgnoreParenImpCasts();
    const auto* outer = llvm::dyn_cast<ArraySubscriptExpr>(under);
    if (!outer || !outer->getType()->isArrayType()) break;
    chain.push_back(outer);
    root = outer->getBase();
  }
  std::reverse(chain.begin(), chain.end());
  const Expr* under = root->IgnoreParenImpCasts();
  const auto* declaration = llvm::dyn_cast<DeclRefExpr>(under);
  const auto* variable = declaration ? llvm::dyn_cast<VarDecl>(declaration->getDecl()) : nullptr;
  const bool is_own = variable && is_own_array(variable);
  const bool is_member = llvm::isa<MemberExpr>(under) && under->getType()->isArrayType();
  if (is_own || is_member) {
    std::string text = is_own ? reference(declaration) : member(llvm::cast<MemberExpr>(under));
    for (const ArraySubscriptExpr* index : chain) text += "[" + expression(index->getIdx()) + "]";
    return text;
  }
  std::string index = expression(chain[0]->getIdx());
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const auto* array = llvm::cast<ArrayType>(chain[i - 1]->getType().getCanonicalType().getTypePtr());
    const auto* constant = llvm::dyn_cast<ConstantArrayType>(array);
    const auto* length = llvm::dyn_cast<VariableArrayType>(array);
    if (!constant && !length) refuse(each, "the length of a dimension is not known");
    const std::string text = constant ? llvm::toString(constant->getSize(), 10, false)
                                      : grouped(expression(length->getSizeExpr()));
    index = (i == 1 ? "(long)" : "") + grouped(index) + " * " + text + " + " +
            grouped(expression(chain[i]->getIdx()));
  }
  return grouped(pointer(root)) + "[" + index + "]";
}

std::string KernelPrinter::member(const MemberExpr* each) {
  const std::string name = each->getMemberNameInfo().getAsString();
  if (each->isArrow()) return grouped(pointer(each->getBase())) + "->" + name;
  return grouped(expression(each->getBase())) + "." + name;
}

std::string KernelPrinter::call(const CallExpr* each) {
  if (const FunctionDecl* callee = called_definition(each)) return user_call(each, callee);
  std::vector<std::string> arguments;
  const std::string name = called_name(each);
  if (name.empty()) refuse(each, "it calls a function by a pointer");
  const auto known = device_function(name, is_cuda());
  if (!known) refuse(each, why_not_on_device(name));
  if (known->uses_doubles) state_.uses_doubles = true;
  for (const Expr* argument : each->arguments()) {
    std::string text = expression(argument);
    // Overloads are chosen by what an argument is, so a conversion is written out.
    if (!state_.context.hasSameUnqualifiedType(argument->getType(), plain(argument)->getType()) ||
        known->casts_argument) {
      text = "(" + type(argument->getType(), argument->getBeginLoc()) + ")" + grouped(text);
    }
    arguments.push_back(text);
  }
  return known->text(arguments);
}

std::string KernelPrinter::user_call(const CallExpr* each, const FunctionDecl* callee) {
  if (std::find(callers_.begin(), callers_.end(), callee) != callers_.end()) {
    refuse(each, "'" + callee->getNameAsString() + "' calls itself: a device has no recursion");
  }
  if (callee->isVariadic()) refuse(each, "'" + callee->getNameAsString() + "' takes any number of arguments");
  std::vector<Space> spaces;
  std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(callee)), suffix, arguments;
  for (unsigned i = 0; i < callee->getNumParams(); ++i) {
    const Expr* argument = each->getArg(i);
    const bool is_pointer = argument->getType()->isPointerType();
    spaces.push_back(is_pointer ? space_of(argument) : Space::Private);
    if (is_pointer) suffix += spaces.back() == Space::Global ? "g" : "p";
    arguments += (i ? ", " : "") + expression(argument);
  }
  if (is_cuda()) suffix.clear();
  std::vector<const VarDecl*> globals;
  for (const VarDecl* variable : globals_of(callee)) {
    const auto role = roles_.find(variable);
    if (role == roles_.end()) continue;
    globals.push_back(variable);
    key += fmt::format(":{}", static_cast<int>(role->second));
    const std::string name = name_of(variable, each);
    // A variable that is printed as (*name) is passed as the pointer.
    const bool is_pointed_to = name.compare(0, 2, "(*") == 0;
    std::string text = name;
    if (role->second == Role::Changed || role->second == Role::Own)
      text = is_pointed_to ? name.substr(2, name.size() - 3) : "&" + name;
    arguments += (arguments.empty() ? "" : ", ") + text;
  }
  key += "/" + suffix;
  auto known = state_.function_names.find(key);
  if (known == state_.function_names.end()) {
    const std::string wanted =
        user_function_name(callee->getNameAsString()) + (suffix.empty() ? "" : "_" + suffix);
    std::string free = wanted;
    for (int number = 2; !state_.taken.insert(free).second; ++number)
      free = wanted + "_" + std::to_string(number);
    std::vector<const FunctionDecl*> callers = callers_;
    callers.push_back(callee);
    KernelPrinter printer(state_, roles_, callers);
    const std::string text = printer.function(callee, free, spaces, globals);
    state_.functions += text;
    known = state_.function_names.emplace(key, free).first;
  }
  return known->second + "(" + arguments + ")";
}

}  // namespace hoist::openmp
