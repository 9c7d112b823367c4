// Printing a loop as a kernel.
//
// Statements and expressions are printed as they are, with what differs from C: pointers have address spaces, arrays of
// variable length do not exist, so what is more than one-dimensional is indexed as memory of its elements (A[i][j] becomes
// A[(long)i * n + j]); mathematical functions are overloaded; `_Bool` is a byte. A function that the loop calls is printed once
// for each combination of address spaces that its pointers have, and gets global variables as further arguments. The order of a
// kernel's parameters is that of host_text.cpp, which passes them: arrays, values, ranges, changed variables, reductions, locks.
#include "openmp/kernel_text.hpp"

#include <clang/AST/RecordLayout.h>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

#include "openmp/atomics.hpp"
#include "openmp/functions.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

enum class Space { Private, Global };

bool is_simple(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}
std::string grouped(const std::string& text) { return is_simple(text) ? text : "(" + text + ")"; }

/// What a global variable is to the kernel that is printed, so to the functions that it calls.
enum class Role { Array, Value, Changed, Own };

}  // namespace

struct KernelText::State {
  State(Language chosen, ASTContext& of) : language(chosen), context(of), atomics(chosen == Language::Cuda) {}

  Language language;
  ASTContext& context;
  Atomics atomics;
  std::string records, functions, kernels;
  std::map<std::string, std::string> enumerators;
  std::set<const RecordDecl*> known_records;
  std::map<const RecordDecl*, std::string> record_names;
  std::map<std::string, std::string> function_names;  ///< by definition, spaces and roles
  std::set<std::string> taken;
  bool uses_doubles = false;
};

class KernelText::Printer {
 public:
  Printer(State& state, std::map<const VarDecl*, Role> roles, std::vector<const FunctionDecl*> callers)
      : state_(state), roles_(std::move(roles)), callers_(std::move(callers)) {}

  std::string kernel(const Loop& loop);
  std::string function(const FunctionDecl* definition, const std::string& name, const std::vector<Space>& spaces,
                       const std::vector<const VarDecl*>& globals);

 private:
  bool is_cuda() const { return state_.language == Language::Cuda; }
  std::string space_text(Space space) const { return space == Space::Global && !is_cuda() ? "global " : ""; }
  [[noreturn]] static void refuse(const Stmt* where, const std::string& why) { throw Untranslatable{where->getBeginLoc(), why}; }

  // ---- Types and declarations ----

  std::string type(QualType type, SourceLocation where) {
    type = type.getCanonicalType().getUnqualifiedType();
    if (const auto* enumeration = type->getAs<EnumType>()) type = enumeration->getDecl()->getIntegerType();
    if (const auto* builtin = type->getAs<BuiltinType>()) {
      switch (builtin->getKind()) {
        case BuiltinType::Bool:
        case BuiltinType::UChar:
        case BuiltinType::Char_U:
          return "unsigned char";
        case BuiltinType::Char_S:
        case BuiltinType::SChar:
          return is_cuda() ? "signed char" : "char";
        case BuiltinType::Short:
          return "short";
        case BuiltinType::UShort:
          return "unsigned short";
        case BuiltinType::Int:
          return "int";
        case BuiltinType::UInt:
          return "unsigned int";
        case BuiltinType::Long:
        case BuiltinType::LongLong:
          return "long";
        case BuiltinType::ULong:
        case BuiltinType::ULongLong:
          return "unsigned long";
        case BuiltinType::Float:
          return "float";
        case BuiltinType::Double:
          state_.uses_doubles = true;
          return "double";
        case BuiltinType::Void:
          return "void";
        default:
          break;
      }
    }
    if (const auto* record = type->getAs<RecordType>()) return record_type(record->getDecl(), where);
    throw Untranslatable{where, "devices have no type '" + type.getAsString() + "'"};
  }

  std::string record_type(const RecordDecl* record, SourceLocation where) {
    record = record->getDefinition();
    if (!record) throw Untranslatable{where, "a structure that is not defined is used"};
    const std::string word = record->isUnion() ? "union " : "struct ";
    if (state_.known_records.insert(record).second) {
      std::string name = record->getNameAsString();
      if (name.empty() && record->getTypedefNameForAnonDecl()) name = record->getTypedefNameForAnonDecl()->getNameAsString();
      if (name.empty()) name = "unnamed";
      name = kernel_name(name);
      std::string free = name;
      for (int number = 2; !state_.taken.insert("struct " + free).second; ++number) free = name + "_" + std::to_string(number);
      state_.record_names[record] = free;
      std::string fields;
      for (const FieldDecl* field : record->fields()) {
        if (field->isBitField()) throw Untranslatable{where, "a structure with bit-fields is used"};
        if (field->getType()->isPointerType()) throw Untranslatable{where, "a structure with the pointer '" + field->getNameAsString() + "' in it is used"};
        if (field->getName().empty()) throw Untranslatable{where, "a structure with members without a name is used"};
        fields += "  " + declared(field->getType(), field->getNameAsString(), Space::Private, where) + ";\n";
      }
      state_.records += word + free + " {\n" + fields + "};\n\n";
    }
    return word + state_.record_names[record];
  }

  /// A declarator: "double x", "global float *row", "int counts[8]".
  std::string declared(QualType declared_type, const std::string& name, Space space, SourceLocation where) {
    if (declared_type->isPointerType()) {
      if (declared_type->getPointeeType()->isPointerType() || declared_type->isFunctionPointerType()) {
        throw Untranslatable{where, "'" + name + "' is a pointer to a pointer or to a function"};
      }
      return space_text(space) + type(innermost_element(declared_type), where) + " *" + name;
    }
    std::string lengths;
    QualType element = declared_type.getCanonicalType();
    while (const auto* array = llvm::dyn_cast<ArrayType>(element.getTypePtr())) {
      const auto* constant = llvm::dyn_cast<ConstantArrayType>(array);
      if (!constant) throw Untranslatable{where, "the array '" + name + "', which each iteration has for itself, has no constant length"};
      lengths += "[" + llvm::toString(constant->getSize(), 10, false) + "]";
      element = array->getElementType().getCanonicalType();
    }
    if (element->isPointerType()) throw Untranslatable{where, "'" + name + "' is an array of pointers"};
    return type(element, where) + " " + name + lengths;
  }

  // ---- Names ----

  std::string name_of(const VarDecl* variable, const Stmt* where) {
    const auto found = names_.find(variable);
    if (found != names_.end()) return found->second;
    if (variable->isStaticLocal() || is_global(variable)) refuse(where, "the variable '" + variable->getNameAsString() + "' keeps its value between calls");
    return kernel_name(variable->getNameAsString());
  }

  /// An array that the program text here declares: it keeps its dimensions.
  bool is_own_array(const VarDecl* variable) const { return own_arrays_.count(variable) > 0; }

  // ---- Spaces ----

  Space space_of(const Expr* expression) {
    expression = plain(expression);
    if (const auto* cast = llvm::dyn_cast<CastExpr>(expression)) return space_of(cast->getSubExpr());
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression)) {
      const auto* variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
      const auto found = spaces_.find(variable);
      return found == spaces_.end() ? Space::Private : found->second;
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression)) return space_of(unary->getSubExpr());
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(expression)) return space_of(subscript->getBase());
    if (const auto* member = llvm::dyn_cast<MemberExpr>(expression)) return space_of(member->getBase());
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(expression)) {
      return space_of(binary->getLHS()->getType()->isPointerType() || binary->getLHS()->getType()->isArrayType()
                          ? binary->getLHS()
                          : binary->getRHS());
    }
    if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(expression)) return space_of(choice->getTrueExpr());
    return Space::Private;
  }

  /// The spaces that pointers of a body point to, from what they are set to.
  void find_spaces(const Stmt* statement) {
    if (!statement) return;
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        const auto* variable = llvm::dyn_cast<VarDecl>(each);
        if (variable && variable->getType()->isPointerType() && variable->getInit()) point(variable, variable->getInit());
      }
    }
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement); binary && binary->getOpcode() == BO_Assign) {
      const VarDecl* variable = variable_of(binary->getLHS());
      if (variable && variable->getType()->isPointerType()) point(variable, binary->getRHS());
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) return find_spaces(statement_of(directive));
    for (const Stmt* child : statement->children()) find_spaces(child);
  }
  void point(const VarDecl* variable, const Expr* value) {
    if (value->isNullPointerConstant(state_.context, Expr::NPC_ValueDependentIsNull)) return;
    const Space space = space_of(value);
    const auto [place, is_new] = spaces_.emplace(variable, space);
    if (!is_new && place->second != space && !is_cuda()) {
      refuse(value, "the pointer '" + variable->getNameAsString() + "' leads to memory of the loop and to shared memory in turn");
    }
  }

  // ---- Expressions ----

  std::string expression(const Expr* each);
  std::string pointer(const Expr* each);
  std::string array_start(const Expr* each);
  std::string subscript(const ArraySubscriptExpr* each);
  std::string member(const MemberExpr* each);
  std::string call(const CallExpr* each);
  std::string user_call(const CallExpr* each, const FunctionDecl* callee);
  std::string literal(const Expr* each);
  std::string reference(const DeclRefExpr* each);
  std::string initializer(const Expr* each);
  /// How many innermost elements an array type has, and "1" else.
  std::string element_count(QualType type);
  /// The index scaled by what the pointer's target holds.
  std::string scaled(const Expr* index, QualType pointee) {
    const std::string count = element_count(pointee);
    const std::string text = expression(index);
    return count == "1" ? grouped(text) : "(long)" + grouped(text) + " * " + grouped(count);
  }

  // ---- Statements ----

  void statement(const Stmt* each);
  void nested(const Stmt* each) {
    if (const auto* block = llvm::dyn_cast<CompoundStmt>(each)) {
      for (const Stmt* inner : block->body()) statement(inner);
    } else {
      statement(each);
    }
  }
  void block(const std::string& head, const Stmt* body) {
    line(head + " {");
    ++depth_;
    nested(body);
    --depth_;
    line("}");
  }
  void declaration(const DeclStmt* each);
  void directive(const OMPExecutableDirective* each);
  void critical(const OMPCriticalDirective* each);
  void atomic(const OMPAtomicDirective* each);
  void line(const std::string& text) { text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n"; }
  std::string lvalue(const Expr* each) { return expression(each); }

  void reduction_start(const Reduction& reduction, const std::string& type_text);
  void reduction_end(const Reduction& reduction);

  State& state_;
  std::map<const VarDecl*, Role> roles_;
  std::vector<const FunctionDecl*> callers_;
  std::map<const VarDecl*, std::string> names_;
  std::map<const VarDecl*, Space> spaces_;
  std::set<const VarDecl*> own_arrays_;
  std::vector<std::string> locks_;
  std::string text_;
  int depth_ = 0;
  bool has_locks_ = false;
  friend class KernelText;
};

// ---- Expressions ----

std::string KernelText::Printer::element_count(QualType type) {
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

std::string KernelText::Printer::literal(const Expr* each) {
  if (const auto* number = llvm::dyn_cast<IntegerLiteral>(each)) {
    const QualType type = number->getType();
    const bool is_unsigned = type->isUnsignedIntegerType();
    const bool is_long = state_.context.getTypeSize(type) > 32;
    return llvm::toString(number->getValue(), 10, !is_unsigned) + (is_unsigned ? "u" : "") + (is_long ? "L" : "");
  }
  if (const auto* number = llvm::dyn_cast<FloatingLiteral>(each)) {
    llvm::SmallString<32> digits;
    number->getValue().toString(digits, 0, 0);
    std::string text = digits.str().str();
    if (text.find_first_of(".eEn") == std::string::npos) text += ".0";
    if (number->getType()->isSpecificBuiltinType(BuiltinType::Float)) return text + "f";
    if (number->getType()->isSpecificBuiltinType(BuiltinType::LongDouble)) refuse(each, "devices have no type 'long double'");
    state_.uses_doubles = true;
    return text;
  }
  const auto* character = llvm::cast<CharacterLiteral>(each);
  return std::to_string(static_cast<int>(character->getValue()));
}

std::string KernelText::Printer::reference(const DeclRefExpr* each) {
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

std::string KernelText::Printer::expression(const Expr* each) {
  if (const auto* constant = llvm::dyn_cast<ConstantExpr>(each)) return expression(constant->getSubExpr());
  if (each->getType()->isPointerType()) return pointer(each);
  if (const auto* parentheses = llvm::dyn_cast<ParenExpr>(each)) return "(" + expression(parentheses->getSubExpr()) + ")";
  if (const auto* cast = llvm::dyn_cast<CastExpr>(each)) {
    const bool to_bool = cast->getType()->isBooleanType() && !cast->getSubExpr()->getType()->isBooleanType();
    const std::string inner = expression(cast->getSubExpr());
    if (to_bool) return "(" + grouped(inner) + " != 0)";
    if (llvm::isa<ImplicitCastExpr>(cast)) return inner;
    if (cast->getSubExpr()->getType()->isPointerType()) refuse(each, "it makes a number of a pointer");
    return "(" + type(cast->getType(), each->getBeginLoc()) + ")" + inner;
  }
  if (llvm::isa<IntegerLiteral>(each) || llvm::isa<FloatingLiteral>(each) || llvm::isa<CharacterLiteral>(each)) return literal(each);
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
    if (binary->getOpcode() == BO_Sub && binary->getLHS()->getType()->isPointerType()) refuse(each, "it subtracts pointers");
    return expression(binary->getLHS()) + " " + binary->getOpcodeStr().str() + " " + expression(binary->getRHS());
  }
  if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(each)) {
    return expression(choice->getCond()) + " ? " + expression(choice->getTrueExpr()) + " : " + expression(choice->getFalseExpr());
  }
  if (const auto* size = llvm::dyn_cast<UnaryExprOrTypeTraitExpr>(each)) {
    Expr::EvalResult constant;
    if (size->EvaluateAsInt(constant, state_.context)) return llvm::toString(constant.Val.getInt(), 10) + "ul";
    refuse(each, "it asks for the size of an array of variable length");
  }
  if (llvm::isa<InitListExpr>(each) || llvm::isa<ImplicitValueInitExpr>(each)) return initializer(each);
  if (const auto* compound = llvm::dyn_cast<CompoundLiteralExpr>(each)) {
    if (is_cuda()) refuse(each, "CUDA C++ has no compound literals");
    return "(" + type(compound->getType(), each->getBeginLoc()) + ")" + initializer(compound->getInitializer());
  }
  if (llvm::isa<StringLiteral>(each) || llvm::isa<PredefinedExpr>(each)) refuse(each, "it uses a text");
  refuse(each, std::string("an expression of this kind (") + each->getStmtClassName() + ") is not translated");
}

std::string KernelText::Printer::initializer(const Expr* each) {
  if (llvm::isa<ImplicitValueInitExpr>(each)) return is_pointer_or_array(each->getType()) || each->getType()->isRecordType() ? "{0}" : "0";
  const auto* list = llvm::dyn_cast<InitListExpr>(each);
  if (!list) return expression(each);
  std::string text;
  for (const Expr* init : list->inits()) text += (text.empty() ? "" : ", ") + initializer(init);
  // What an array's list leaves out is 0 in every language.
  return "{" + (text.empty() ? "0" : text) + "}";
}

std::string KernelText::Printer::pointer(const Expr* each) {
  if (const auto* parentheses = llvm::dyn_cast<ParenExpr>(each)) return "(" + pointer(parentheses->getSubExpr()) + ")";
  if (each->isNullPointerConstant(state_.context, Expr::NPC_ValueDependentIsNull)) return "0";
  if (const auto* cast = llvm::dyn_cast<CastExpr>(each)) {
    if (cast->getCastKind() == CK_ArrayToPointerDecay) return array_start(cast->getSubExpr());
    const Expr* inner = cast->getSubExpr();
    if (!inner->getType()->isPointerType()) refuse(each, "it makes a pointer of a number");
    const QualType from = innermost_element(inner->getType()), to = innermost_element(each->getType());
    if (cast->getCastKind() == CK_LValueToRValue || state_.context.hasSameUnqualifiedType(from, to)) {
      if (const auto* part = llvm::dyn_cast<MemberExpr>(inner->IgnoreParens())) return member(part);
      if (llvm::isa<ArraySubscriptExpr>(inner->IgnoreParens())) refuse(each, "it reads a pointer from memory");
      return pointer(inner);
    }
    return "(" + space_text(space_of(inner)) + type(to, each->getBeginLoc()) + " *)" + grouped(pointer(inner));
  }
  if (const auto* declaration = llvm::dyn_cast<DeclRefExpr>(each)) return reference(declaration);
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(each)) {
    const Expr* inner = unary->getSubExpr();
    if (unary->getOpcode() == UO_AddrOf) {
      if (inner->getType()->isArrayType()) return array_start(inner);
      const std::string text = expression(inner);
      // A changed variable is *name here.
      if (text.size() > 3 && text.compare(0, 2, "(*") == 0 && is_simple(text.substr(2, text.size() - 3))) return text.substr(2, text.size() - 3);
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
    if (binary->getOpcode() == BO_Assign) return pointer(binary->getLHS()) + " = " + pointer(binary->getRHS());
    if (binary->getOpcode() == BO_Comma) return expression(binary->getLHS()) + ", " + pointer(binary->getRHS());
    if (binary->isAdditiveOp() || binary->isCompoundAssignmentOp()) {
      const Expr* base = left_is_pointer ? binary->getLHS() : binary->getRHS();
      const Expr* index = left_is_pointer ? binary->getRHS() : binary->getLHS();
      return pointer(base) + " " + binary->getOpcodeStr().str() + " " + scaled(index, pointee);
    }
  }
  if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(each)) {
    return expression(choice->getCond()) + " ? " + pointer(choice->getTrueExpr()) + " : " + pointer(choice->getFalseExpr());
  }
  if (llvm::isa<CallExpr>(each)) refuse(each, "it calls a function that gives a pointer");
  refuse(each, "it uses a pointer in a way that is not translated");
}

std::string KernelText::Printer::array_start(const Expr* each) {
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
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(each); unary && unary->getOpcode() == UO_Deref) return pointer(unary->getSubExpr());
  refuse(each, "it uses an array in a way that is not translated");
}

std::string KernelText::Printer::subscript(const ArraySubscriptExpr* each) {
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
    const std::string text = constant ? llvm::toString(constant->getSize(), 10, false) : grouped(expression(length->getSizeExpr()));
    index = (i == 1 ? "(long)" : "") + grouped(index) + " * " + text + " + " + grouped(expression(chain[i]->getIdx()));
  }
  return grouped(pointer(root)) + "[" + index + "]";
}

std::string KernelText::Printer::member(const MemberExpr* each) {
  const std::string name = each->getMemberNameInfo().getAsString();
  if (each->isArrow()) return grouped(pointer(each->getBase())) + "->" + name;
  return grouped(expression(each->getBase())) + "." + name;
}

std::string KernelText::Printer::call(const CallExpr* each) {
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
    if (!state_.context.hasSameUnqualifiedType(argument->getType(), plain(argument)->getType()) || known->casts_argument) {
      text = "(" + type(argument->getType(), argument->getBeginLoc()) + ")" + grouped(text);
    }
    arguments.push_back(text);
  }
  return known->text(arguments);
}

std::string KernelText::Printer::user_call(const CallExpr* each, const FunctionDecl* callee) {
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
    if (role->second == Role::Changed || role->second == Role::Own) text = is_pointed_to ? name.substr(2, name.size() - 3) : "&" + name;
    arguments += (arguments.empty() ? "" : ", ") + text;
  }
  key += "/" + suffix;
  auto known = state_.function_names.find(key);
  if (known == state_.function_names.end()) {
    const std::string wanted = user_function_name(callee->getNameAsString()) + (suffix.empty() ? "" : "_" + suffix);
    std::string free = wanted;
    for (int number = 2; !state_.taken.insert(free).second; ++number) free = wanted + "_" + std::to_string(number);
    std::vector<const FunctionDecl*> callers = callers_;
    callers.push_back(callee);
    Printer printer(state_, roles_, callers);
    const std::string text = printer.function(callee, free, spaces, globals);
    state_.functions += text;
    known = state_.function_names.emplace(key, free).first;
  }
  return known->second + "(" + arguments + ")";
}

// ---- Statements ----

void KernelText::Printer::declaration(const DeclStmt* each) {
  for (const Decl* declared_one : each->decls()) {
    if (llvm::isa<RecordDecl>(declared_one) || llvm::isa<TypedefDecl>(declared_one) || llvm::isa<EnumDecl>(declared_one)) continue;
    const auto* variable = llvm::dyn_cast<VarDecl>(declared_one);
    if (!variable) refuse(each, "a declaration of this kind is not translated");
    if (variable->isStaticLocal()) refuse(each, "the variable '" + variable->getNameAsString() + "' keeps its value between iterations");
    if (variable->getType()->isArrayType()) own_arrays_.insert(variable);
    const auto space = spaces_.find(variable);
    std::string text = declared(variable->getType(), kernel_name(variable->getNameAsString()),
                                space == spaces_.end() ? Space::Private : space->second, variable->getLocation());
    const bool is_constant = variable->getType().isConstQualified() && !is_pointer_or_array(variable->getType());
    if (is_constant && variable->getInit()) text = "const " + text;
    if (variable->getInit()) text += " = " + initializer(variable->getInit());
    line(text + ";");
  }
}

void KernelText::Printer::statement(const Stmt* each) {
  if (!each || llvm::isa<NullStmt>(each)) return line(";");
  if (const auto* value = llvm::dyn_cast<Expr>(each)) return line(expression(value) + ";");
  if (const auto* declarations = llvm::dyn_cast<DeclStmt>(each)) return declaration(declarations);
  if (const auto* compound = llvm::dyn_cast<CompoundStmt>(each)) {
    line("{");
    ++depth_;
    nested(compound);
    --depth_;
    return line("}");
  }
  if (const auto* choice = llvm::dyn_cast<IfStmt>(each)) {
    block("if (" + expression(choice->getCond()) + ")", choice->getThen());
    if (choice->getElse()) {
      text_.pop_back();
      text_ += " else {\n";
      ++depth_;
      nested(choice->getElse());
      --depth_;
      line("}");
    }
    return;
  }
  if (const auto* loop = llvm::dyn_cast<ForStmt>(each)) {
    // A declaration in its head is printed before it, in a block of its own.
    const auto* declarations = llvm::dyn_cast_or_null<DeclStmt>(loop->getInit());
    std::string init;
    if (declarations && declarations->isSingleDecl()) {
      const std::string before = std::exchange(text_, "");
      const int depth = std::exchange(depth_, 0);
      declaration(declarations);
      init = text_.substr(0, text_.size() - 2);
      text_ = before;
      depth_ = depth;
    } else if (declarations) {
      line("{");
      ++depth_;
      declaration(declarations);
    } else if (loop->getInit()) {
      init = expression(llvm::cast<Expr>(loop->getInit()));
    }
    block("for (" + init + "; " + (loop->getCond() ? expression(loop->getCond()) : "") + "; " +
              (loop->getInc() ? expression(loop->getInc()) : "") + ")",
          loop->getBody());
    if (declarations && !declarations->isSingleDecl()) {
      --depth_;
      line("}");
    }
    return;
  }
  if (const auto* loop = llvm::dyn_cast<WhileStmt>(each)) return block("while (" + expression(loop->getCond()) + ")", loop->getBody());
  if (const auto* loop = llvm::dyn_cast<DoStmt>(each)) {
    block("do", loop->getBody());
    text_.pop_back();
    text_ += " while (" + expression(loop->getCond()) + ");\n";
    return;
  }
  if (const auto* choice = llvm::dyn_cast<SwitchStmt>(each)) return block("switch (" + expression(choice->getCond()) + ")", choice->getBody());
  if (const auto* label = llvm::dyn_cast<CaseStmt>(each)) {
    if (label->getRHS()) refuse(each, "a case of several values is not translated");
    line("case " + expression(label->getLHS()) + ":");
    return statement(label->getSubStmt());
  }
  if (const auto* label = llvm::dyn_cast<DefaultStmt>(each)) {
    line("default:");
    return statement(label->getSubStmt());
  }
  if (llvm::isa<BreakStmt>(each)) return line("break;");
  if (llvm::isa<ContinueStmt>(each)) return line("continue;");
  if (const auto* result = llvm::dyn_cast<ReturnStmt>(each)) {
    return line(result->getRetValue() ? "return " + expression(result->getRetValue()) + ";" : "return;");
  }
  if (const auto* attributed = llvm::dyn_cast<AttributedStmt>(each)) return statement(attributed->getSubStmt());
  if (const auto* construct = llvm::dyn_cast<OMPExecutableDirective>(each)) return directive(construct);
  if (llvm::isa<GotoStmt>(each) || llvm::isa<LabelStmt>(each)) refuse(each, "goto is not translated");
  refuse(each, std::string("a statement of this kind (") + each->getStmtClassName() + ") is not translated");
}

void KernelText::Printer::directive(const OMPExecutableDirective* each) {
  if (const auto* section = llvm::dyn_cast<OMPCriticalDirective>(each)) return critical(section);
  if (const auto* update = llvm::dyn_cast<OMPAtomicDirective>(each)) return atomic(update);
  if (llvm::isa<OMPSimdDirective>(each)) return statement(statement_of(each));
  if (llvm::isa<OMPFlushDirective>(each)) return line(is_cuda() ? "__threadfence();" : "mem_fence(CLK_GLOBAL_MEM_FENCE);");
  throw Untranslatable{each->getBeginLoc(), "an OpenMP construct inside of it is not translated"};
}

void KernelText::Printer::critical(const OMPCriticalDirective* each) {
  if (!has_locks_) throw Untranslatable{each->getBeginLoc(), "a function that the loop calls has a critical section"};
  const std::string name = each->getDirectiveName().getAsString();
  const auto number = std::find(locks_.begin(), locks_.end(), name) - locks_.begin();
  const std::string lock = fmt::format("&hoist_locks[{}]", number);
  const std::string fence = is_cuda() ? "__threadfence();" : "mem_fence(CLK_GLOBAL_MEM_FENCE);";
  line("for (int hoist_waits = 1; hoist_waits;) { /* critical */");
  ++depth_;
  line(is_cuda() ? "if (atomicCAS(" + lock + ", 0, 1) == 0) {" : "if (atomic_cmpxchg(" + lock + ", 0, 1) == 0) {");
  ++depth_;
  line(fence);
  nested(statement_of(each));
  line(fence);
  line(is_cuda() ? "atomicExch(" + lock + ", 0);" : "atomic_xchg(" + lock + ", 0);");
  line("hoist_waits = 0;");
  --depth_;
  line("}");
  --depth_;
  line("}");
}

void KernelText::Printer::atomic(const OMPAtomicDirective* each) {
  const AtomicForm form = atomic_form(each, state_.context);
  const bool is_private = space_of(form.place) == Space::Private;
  if (is_private) return statement(statement_of(each));
  const std::string element = type(form.place->getType(), each->getBeginLoc());
  const std::string place = pointer_to(expression(form.place));
  const std::string value = form.value ? expression(form.value) : "1";
  std::string text;
  switch (form.kind) {
    case AtomicForm::Read:
      text = lvalue(form.result) + " = " + state_.atomics.read(element, place);
      break;
    case AtomicForm::Write:
      text = state_.atomics.write(element, place, value);
      break;
    case AtomicForm::Update:
      if (!state_.atomics.can_update(element)) throw Untranslatable{each->getBeginLoc(), "devices have no atomic operations on '" + element + "'"};
      text = state_.atomics.update(element, form.operation, form.is_reversed, place, value);
      if (form.result) {
        if (!form.takes_new) {
          text = lvalue(form.result) + " = " + text;
        } else {
          const std::string old = "(" + text + ")";
          const std::string operand = grouped(value);
          text = lvalue(form.result) + " = " +
                 (form.is_reversed ? operand + " " + form.operation + " " + old : old + " " + form.operation + " " + operand);
        }
      }
      break;
  }
  line(text + ";");
}

// ---- Functions and kernels ----

std::string KernelText::Printer::function(const FunctionDecl* definition, const std::string& name, const std::vector<Space>& spaces,
                                          const std::vector<const VarDecl*>& globals) {
  std::string parameters;
  std::set<std::string> own;
  for (unsigned i = 0; i < definition->getNumParams(); ++i) {
    const ParmVarDecl* parameter = definition->getParamDecl(i);
    spaces_[parameter] = spaces[i];
    own.insert(kernel_name(parameter->getNameAsString()));
    parameters += (i ? ", " : "") + declared(parameter->getType(), kernel_name(parameter->getNameAsString()), spaces[i], parameter->getLocation());
  }
  for (const VarDecl* variable : globals) {
    std::string text = kernel_name(variable->getNameAsString());
    while (!own.insert(text).second) text += "_of_file";
    const SourceLocation where = variable->getLocation();
    if (!parameters.empty()) parameters += ", ";
    switch (roles_.at(variable)) {
      case Role::Array:
        spaces_[variable] = Space::Global;
        parameters += space_text(Space::Global) + type(innermost_element(variable->getType()), where) + " *" + text;
        break;
      case Role::Value:
        parameters += declared(variable->getType(), text, Space::Private, where);
        break;
      case Role::Changed:
        spaces_[variable] = Space::Global;
        parameters += "volatile " + space_text(Space::Global) + type(variable->getType(), where) + " *" + text;
        text = "(*" + text + ")";
        break;
      case Role::Own:
        parameters += type(variable->getType(), where) + " *" + text;
        text = "(*" + text + ")";
        break;
    }
    names_[variable] = text;
  }
  if (definition->getReturnType()->isPointerType()) throw Untranslatable{definition->getLocation(), "a function that the loop calls gives a pointer"};
  find_spaces(definition->getBody());
  line(std::string(is_cuda() ? "__device__ " : "") + type(definition->getReturnType(), definition->getLocation()) + " " + name + "(" +
       (parameters.empty() ? "void" : parameters) + ") {");
  ++depth_;
  nested(definition->getBody());
  --depth_;
  line("}");
  return text_ + "\n";
}

void KernelText::Printer::reduction_start(const Reduction& reduction, const std::string& type_text) {
  line(type_text + " " + names_[reduction.variable] + " = " + identity(reduction.operation, type_text) + ";");
}

void KernelText::Printer::reduction_end(const Reduction& reduction) {
  const std::string name = names_[reduction.variable];
  const std::string part = name + "_local";
  const std::string barrier = is_cuda() ? "__syncthreads();" : "barrier(CLK_LOCAL_MEM_FENCE);";
  const std::string item = is_cuda() ? "threadIdx.x" : "get_local_id(0)", size = is_cuda() ? "blockDim.x" : "get_local_size(0)";
  const std::string group = is_cuda() ? "blockIdx.x" : "get_group_id(0)";
  line(part + "[" + item + "] = " + name + ";");
  line("for (int hoist_half = " + size + " / 2; hoist_half > 0; hoist_half /= 2) {");
  ++depth_;
  line(barrier);
  line("if (" + item + " < hoist_half) " + part + "[" + item + "] = " +
       combined(reduction.operation, part + "[" + item + "]", part + "[" + item + " + hoist_half]") + ";");
  --depth_;
  line("}");
  line("if (" + item + " == 0) " + name + "_parts[" + name + "_at + " + group + "] = " + part + "[0];");
}

std::string KernelText::Printer::kernel(const Loop& loop) {
  const SourceLocation where = loop.directive->getBeginLoc();
  names_ = loop.names;
  locks_ = loop.locks;
  has_locks_ = true;
  std::vector<std::string> parameters;
  std::vector<std::string> starts;
  const std::string global = space_text(Space::Global), local = is_cuda() ? "" : "local ";
  for (const VarDecl* array : loop.arrays) {
    const std::string name = names_[array], element = type(innermost_element(array->getType()), where);
    const std::string qualified = (loop.watched.count(array) ? "volatile " : "") + global + element;
    spaces_[array] = Space::Global;
    parameters.push_back(global + element + " *" + name + "_memory");
    parameters.push_back("long " + name + "_at");
    starts.push_back(qualified + " *" + name + " = (" + qualified + " *)((" + global + "char *)" + name + "_memory + " + name + "_at);");
  }
  for (const VarDecl* value : loop.values) {
    const std::string name = names_[value];
    parameters.push_back(declared(value->getType(), loop.firsts.count(value) ? name + "_given" : name, Space::Private, where));
  }
  std::string items = "hoist_last - hoist_first + 1";
  std::vector<std::string> iterators;
  std::string place = "hoist_item";
  for (std::size_t i = loop.loops.size(); i-- > 0;) {
    const CanonicalLoop& each = loop.loops[i];
    const std::string name = names_[each.iterator];
    const RangePart from = first_value(each, loop, state_.context), by = step(each, loop, state_.context);
    const std::string number = i == 0 ? "(hoist_first + " + place + ")" : grouped(place + " % " + name + "_count");
    std::string value = from.text == "0" ? "" : from.text + (each.goes_up ? " + " : " - ");
    if (value.empty() && !each.goes_up) value = "-";
    value += by.text == "1" ? number : grouped(by.text) + " * " + number;
    const std::string type_text = type(each.iterator->getType(), where);
    iterators.insert(iterators.begin(), "const " + type_text + " " + name + " = (" + type_text + ")(" + value + ");");
    if (i > 0) {
      place = place == "hoist_item" ? place + " / " + name + "_count" : "(" + place + ") / " + name + "_count";
      items = (items.find('*') == std::string::npos && items.front() == 'h' ? "(" + items + ")" : items) + " * " + name + "_count";
    }
  }
  for (std::size_t i = 0; i < loop.loops.size(); ++i) {
    const CanonicalLoop& each = loop.loops[i];
    const RangePart from = first_value(each, loop, state_.context), by = step(each, loop, state_.context);
    if (from.argument) parameters.push_back("long " + from.text);
    if (by.argument) parameters.push_back("long " + by.text);
    if (i > 0) parameters.push_back("long " + names_[each.iterator] + "_count");
  }
  if (!loop.lasts.empty()) parameters.push_back("long hoist_iterations");
  for (const VarDecl* each : loop.changed) {
    const std::string name = names_[each];
    spaces_[each] = Space::Global;
    parameters.push_back("volatile " + global + type(each->getType(), where) + " *" + name);
    names_[each] = "(*" + name + ")";
  }
  for (const VarDecl* each : loop.lasts) parameters.push_back(global + type(each->getType(), where) + " *" + names_[each] + "_last");
  for (const Reduction& each : loop.reductions) {
    const std::string name = names_[each.variable], element = type(each.variable->getType(), where);
    parameters.push_back(global + element + " *" + name + "_parts");
    parameters.push_back("long " + name + "_at");
    if (is_cuda()) {
      parameters.push_back("int " + name + "_local_at");
      starts.push_back("extern __shared__ char hoist_shared[]; " + element + " *" + name + "_local = (" + element + " *)(hoist_shared + " + name + "_local_at);");
    } else {
      parameters.push_back(local + element + " *" + name + "_local");
    }
  }
  if (!loop.locks.empty()) parameters.push_back((is_cuda() ? "" : "volatile ") + global + "int *hoist_locks");
  parameters.push_back("long hoist_first");
  parameters.push_back("long hoist_last");

  find_spaces(loop.body);
  std::string head = (is_cuda() ? "extern \"C\" __global__ void " : "kernel void ") + loop.name + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i) head += (i ? ", " : "") + parameters[i];
  line("/* " + loop.place + " */");
  line(head + ") {");
  ++depth_;
  for (const std::string& each : starts) line(each);
  for (const Reduction& each : loop.reductions) reduction_start(each, type(each.variable->getType(), where));
  line("const long hoist_items = " + items + ";");
  line(is_cuda() ? "for (long hoist_item = blockIdx.x * (long)blockDim.x + threadIdx.x; hoist_item < hoist_items; hoist_item += "
                   "gridDim.x * (long)blockDim.x) {"
                 : "for (long hoist_item = get_global_id(0); hoist_item < hoist_items; hoist_item += get_global_size(0)) {");
  ++depth_;
  for (const std::string& each : iterators) line(each);
  for (const VarDecl* each : loop.privates) {
    if (each->getType()->isArrayType()) own_arrays_.insert(each);
    const auto space = spaces_.find(each);
    line(declared(each->getType(), names_[each], space == spaces_.end() ? Space::Private : space->second, where) + ";");
  }
  for (const VarDecl* each : loop.firsts) line(declared(each->getType(), names_[each], Space::Private, where) + " = " + names_[each] + "_given;");
  if (loop.lasts.empty()) {
    nested(loop.body);
  } else {
    block("do", loop.body);
    text_.pop_back();
    text_ += " while (0);\n";
    line("if (hoist_last == hoist_iterations - 1 && hoist_item == hoist_items - 1) {");
    ++depth_;
    for (const VarDecl* each : loop.lasts) line("*" + loop.names.at(each) + "_last = " + names_[each] + ";");
    --depth_;
    line("}");
  }
  --depth_;
  line("}");
  for (const Reduction& each : loop.reductions) reduction_end(each);
  --depth_;
  line("}");
  return text_ + "\n";
}

// ---- All of a file ----

KernelText::KernelText(Language language, ASTContext& context) : state_(std::make_unique<State>(language, context)) {}
KernelText::~KernelText() = default;

void KernelText::add(const Loop& loop) {
  std::map<const VarDecl*, Role> roles;
  for (const VarDecl* each : loop.arrays) roles[each] = Role::Array;
  for (const VarDecl* each : loop.values) roles[each] = Role::Value;
  for (const VarDecl* each : loop.changed) roles[each] = Role::Changed;
  for (const VarDecl* each : loop.privates) roles[each] = Role::Own;
  for (const Reduction& each : loop.reductions) roles[each.variable] = Role::Own;
  for (const VarDecl* each : loop.firsts) roles[each] = Role::Own;
  auto before = std::make_unique<State>(*state_);
  try {
    Printer printer(*state_, roles, {});
    state_->kernels += printer.kernel(loop);
  } catch (const Untranslatable&) {
    state_ = std::move(before);
    throw;
  }
}

std::string KernelText::text() const {
  const bool is_cuda = state_->language == Language::Cuda;
  std::string text;
  if (!is_cuda && state_->uses_doubles) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (!is_cuda) text += "#pragma OPENCL FP_CONTRACT OFF\n\n";
  text += state_->atomics.definitions();
  if (!state_->enumerators.empty()) {
    std::string names;
    for (const auto& [name, value] : state_->enumerators) names += (names.empty() ? "" : ", ") + name + " = " + value;
    text += "enum { " + names + " };\n\n";
  }
  return text + state_->records + state_->functions + state_->kernels;
}

}  // namespace hoist::openmp
