#pragma once
// The printer of kernels and of the functions that they call, in three files: kernel_expressions.cpp,
// kernel_statements.cpp, and kernel_functions.cpp, which prints whole functions and kernels and says how.
#include <clang/AST/RecordLayout.h>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

#include "openmp/atomics.hpp"
#include "openmp/functions.hpp"
#include "openmp/language.hpp"
#include "openmp/loop.hpp"

namespace hoist::openmp {

using clang::ArraySubscriptExpr;
using clang::ArrayType;
using clang::ASTContext;
using clang::BinaryOperator;
using clang::BuiltinType;
using clang::CallExpr;
using clang::CastExpr;
using clang::CompoundStmt;
using clang::ConditionalOperator;
using clang::ConstantArrayType;
using clang::Decl;
using clang::DeclRefExpr;
using clang::DeclStmt;
using clang::EnumType;
using clang::Expr;
using clang::FieldDecl;
using clang::FunctionDecl;
using clang::MemberExpr;
using clang::OMPAtomicDirective;
using clang::OMPCriticalDirective;
using clang::OMPExecutableDirective;
using clang::QualType;
using clang::RecordDecl;
using clang::RecordType;
using clang::SourceLocation;
using clang::Stmt;
using clang::UnaryOperator;
using clang::VarDecl;

enum class Space { Private, Global };

inline bool is_simple(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}
inline std::string grouped(const std::string& text) { return is_simple(text) ? text : "(" + text + ")"; }

/// What a global variable is to the kernel that is printed, so to the functions that it calls.
enum class Role { Array, Value, Changed, Own };

struct KernelState {
  KernelState(Language chosen, ASTContext& of)
      : language(chosen), context(of), atomics(chosen == Language::Cuda) {}

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

class KernelPrinter {
 public:
  KernelPrinter(KernelState& state, std::map<const VarDecl*, Role> roles,
                std::vector<const FunctionDecl*> callers)
      : state_(state), roles_(std::move(roles)), callers_(std::move(callers)) {}

  std::string kernel(const Loop& loop);
  std::string function(const FunctionDecl* definition, const std::string& name,
                       const std::vector<Space>& spaces, const std::vector<const VarDecl*>& globals);

 private:
  bool is_cuda() const { return state_.language == Language::Cuda; }
  std::string space_text(Space space) const { return space == Space::Global && !is_cuda() ? "global " : ""; }
  [[noreturn]] static void refuse(const Stmt* where, const std::string& why) {
    throw Untranslatable{where->getBeginLoc(), why};
  }

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
      if (name.empty() && record->getTypedefNameForAnonDecl())
        name = record->getTypedefNameForAnonDecl()->getNameAsString();
      if (name.empty()) name = "unnamed";
      name = kernel_name(name);
      std::string free = name;
      for (int number = 2; !state_.taken.insert("struct " + free).second; ++number)
        free = name + "_" + std::to_string(number);
      state_.record_names[record] = free;
      std::string fields;
      for (const FieldDecl* field : record->fields()) {
        if (field->isBitField()) throw Untranslatable{where, "a structure with bit-fields is used"};
        if (field->getType()->isPointerType())
          throw Untranslatable{
              where, "a structure with the pointer '" + field->getNameAsString() + "' in it is used"};
        if (field->getName().empty())
          throw Untranslatable{where, "a structure with members without a name is used"};
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
      if (!constant)
        throw Untranslatable{
            where, "the array '" + name + "', which each iteration has for itself, has no constant length"};
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
    if (variable->isStaticLocal() || is_global(variable))
      refuse(where, "the variable '" + variable->getNameAsString() + "' keeps its value between calls");
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
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(expression))
      return space_of(subscript->getBase());
    if (const auto* member = llvm::dyn_cast<MemberExpr>(expression)) return space_of(member->getBase());
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(expression)) {
      return space_of(binary->getLHS()->getType()->isPointerType() ||
                              binary->getLHS()->getType()->isArrayType()
                          ? binary->getLHS()
                          : binary->getRHS());
    }
    if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(expression))
      return space_of(choice->getTrueExpr());
    return Space::Private;
  }

  /// The spaces that pointers of a body point to, from what they are set to.
  void find_spaces(const Stmt* statement) {
    if (!statement) return;
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        const auto* variable = llvm::dyn_cast<VarDecl>(each);
        if (variable && variable->getType()->isPointerType() && variable->getInit())
          point(variable, variable->getInit());
      }
    }
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement);
        binary && binary->getOpcode() == clang::BO_Assign) {
      const VarDecl* variable = variable_of(binary->getLHS());
      if (variable && variable->getType()->isPointerType()) point(variable, binary->getRHS());
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return find_spaces(statement_of(directive));
    for (const Stmt* child : statement->children()) find_spaces(child);
  }
  void point(const VarDecl* variable, const Expr* value) {
    if (value->isNullPointerConstant(state_.context, Expr::NPC_ValueDependentIsNull)) return;
    const Space space = space_of(value);
    const auto [place, is_new] = spaces_.emplace(variable, space);
    if (!is_new && place->second != space && !is_cuda()) {
      refuse(value, "the pointer '" + variable->getNameAsString() +
                        "' leads to memory of the loop and to shared memory in turn");
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
  void line(const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
  }
  std::string lvalue(const Expr* each) { return expression(each); }

  void reduction_start(const Reduction& reduction, const std::string& type_text);
  void reductions_end(const std::vector<Reduction>& reductions);

  KernelState& state_;
  std::map<const VarDecl*, Role> roles_;
  std::vector<const FunctionDecl*> callers_;
  std::map<const VarDecl*, std::string> names_;
  std::map<const VarDecl*, Space> spaces_;
  std::set<const VarDecl*> own_arrays_;
  std::vector<std::string> locks_;
  std::string text_;
  int depth_ = 0;
  bool has_locks_ = false;
};

}  // namespace hoist::openmp
