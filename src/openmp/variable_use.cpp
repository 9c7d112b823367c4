#include "openmp/variable_use.hpp"

#include <clang/AST/OpenMPClause.h>

#include <algorithm>
#include <functional>

namespace hoist::openmp {

using namespace clang;

namespace {

/// Walks through the loop's body and all functions that it calls.
class UseCollector : public LoopUses {
 public:
  std::set<const VarDecl*> own;

  void walk(const Stmt* statement, bool is_write = false, bool is_read = true) {
    if (!statement) return;
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement))
      return use(reference, is_write, is_read);
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        if (const auto* variable = llvm::dyn_cast<VarDecl>(each)) {
          if (!variable->isStaticLocal()) own.insert(variable);
          walk_type(variable->getType());
          walk(variable->getInit());
        }
      }
      return;
    }
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp()) {
      walk(binary->getRHS());
      return walk(binary->getLHS(), true, binary->isCompoundAssignmentOp());
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(statement)) {
      if (unary->isIncrementDecrementOp()) return walk(unary->getSubExpr(), true, true);
      if (unary->getOpcode() == UO_Deref) return walk(unary->getSubExpr());
      if (unary->getOpcode() == UO_AddrOf) {
        if (const VarDecl* variable = variable_of(unary->getSubExpr()))
          uses[variable].is_address_taken = true;
      }
      return walk(unary->getSubExpr());
    }
    if (const auto* member = llvm::dyn_cast<MemberExpr>(statement)) {
      // What changes a part of a structure keeps the rest.
      return member->isArrow() ? walk(member->getBase()) : walk(member->getBase(), is_write, true);
    }
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(statement)) {
      walk(subscript->getIdx());
      return walk(subscript->getBase(), false, true);
    }
    if (llvm::isa<ParenExpr>(statement) || llvm::isa<CastExpr>(statement)) {
      for (const Stmt* child : statement->children()) walk(child, is_write, is_read);
      return;
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
      if (const FunctionDecl* callee = called_definition(call); callee && visited_.insert(callee).second) {
        for (const ParmVarDecl* parameter : callee->parameters()) own.insert(parameter);
        walk(callee->getBody());
      }
      for (const Expr* argument : call->arguments()) walk(argument);
      return;
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return walk_directive(directive);
    for (const Stmt* child : statement->children()) walk(child);
  }

  /// The sizes in the types of variable-length arrays.
  void walk_type(QualType type) {
    type = type.getCanonicalType();
    if (const auto* pointer = type->getAs<PointerType>()) return walk_type(pointer->getPointeeType());
    if (const auto* array = llvm::dyn_cast<VariableArrayType>(type.getTypePtr())) walk(array->getSizeExpr());
    if (const auto* array = llvm::dyn_cast<ArrayType>(type.getTypePtr())) walk_type(array->getElementType());
  }

 private:
  void use(const DeclRefExpr* reference, bool is_write, bool is_read) {
    const auto* variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (!variable || own.count(variable)) return;
    if (!uses.count(variable)) {
      order.push_back(variable);
      uses[variable];
      walk_type(variable->getType());
    }
    Uses& each = uses[variable];
    each.is_read |= is_read;
    if (is_write && !each.is_written) each.first_write = reference->getLocation();
    each.is_written |= is_write;
    each.is_read_openly |= is_read && protection_ == 0;
    each.is_written_openly |= is_write && protection_ == 0;
    each.in_critical |= critical_ > 0;
  }

  void walk_directive(const OMPExecutableDirective* directive) {
    const bool is_critical = llvm::isa<OMPCriticalDirective>(directive);
    const bool protects = is_critical || llvm::isa<OMPAtomicDirective>(directive);
    if (is_critical) {
      const std::string name = llvm::cast<OMPCriticalDirective>(directive)->getDirectiveName().getAsString();
      if (std::find(locks.begin(), locks.end(), name) == locks.end()) locks.push_back(name);
    }
    protection_ += protects;
    critical_ += is_critical;
    walk(statement_of(directive));
    protection_ -= protects;
    critical_ -= is_critical;
  }

  std::set<const FunctionDecl*> visited_;
  int protection_ = 0, critical_ = 0;
};

/// Whether each execution of a statement writes the variable before it reads it.
class WrittenFirst {
 public:
  explicit WrittenFirst(const VarDecl* variable) : variable_(variable) {}
  bool holds(const Stmt* body) {
    walk(body, false);
    return !reads_early_;
  }

 private:
  /// Whether the variable has been written for sure afterwards.
  bool walk(const Stmt* statement, bool written) {
    if (!statement || reads_early_) return written;
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement)) {
      if (reference->getDecl() == variable_ && !written) reads_early_ = true;
      return written;
    }
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement)) {
      if (binary->getOpcode() == BO_Assign && variable_of(binary->getLHS()) == variable_) {
        walk(binary->getRHS(), written);
        return true;
      }
      if (binary->isLogicalOp()) {
        const bool left = walk(binary->getLHS(), written);
        walk(binary->getRHS(), left);
        return left;
      }
      if (binary->isAssignmentOp()) {
        written = walk(binary->getRHS(), written);
        return walk(binary->getLHS(), written);
      }
    }
    if (const auto* choice = llvm::dyn_cast<IfStmt>(statement)) {
      const bool condition = walk(choice->getCond(), written);
      const bool then = walk(choice->getThen(), condition), otherwise = walk(choice->getElse(), condition);
      return then && otherwise;
    }
    if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(statement)) {
      const bool condition = walk(choice->getCond(), written);
      const bool then = walk(choice->getTrueExpr(), condition),
                 otherwise = walk(choice->getFalseExpr(), condition);
      return then && otherwise;
    }
    if (const auto* loop = llvm::dyn_cast<ForStmt>(statement)) {
      const bool before = walk(loop->getCond(), walk(loop->getInit(), written));
      const bool after = walk(loop->getBody(), before);
      walk(loop->getInc(), after);
      return before;
    }
    if (const auto* loop = llvm::dyn_cast<WhileStmt>(statement)) {
      const bool before = walk(loop->getCond(), written);
      walk(loop->getBody(), before);
      return before;
    }
    if (llvm::isa<SwitchStmt>(statement)) {
      for (const Stmt* child : statement->children()) walk(child, written);
      return written;
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return walk(statement_of(directive), written);
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        if (const auto* own = llvm::dyn_cast<VarDecl>(each)) written = walk(own->getInit(), written);
      }
      return written;
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
      for (const Expr* argument : call->arguments()) written = walk(argument, written);
      if (const FunctionDecl* callee = called_definition(call);
          callee && is_global(variable_) && calls_.insert(callee).second) {
        written = walk(callee->getBody(), written);
      }
      return written;
    }
    for (const Stmt* child : statement->children()) written = walk(child, written);
    return written;
  }

  const VarDecl* variable_;
  bool reads_early_ = false;
  std::set<const FunctionDecl*> calls_;
};

/// How a loop gathers a value in a variable that it uses for nothing else: "+" of `x += e` and `x = x + e`,
/// "max" of `if (e > x) x = e`, `x = e > x ? e : x` and `x = fmax(x, e)`.
class Gathering {
 public:
  explicit Gathering(const VarDecl* variable) : variable_(variable) {}
  std::optional<std::string> operation(const Stmt* body) {
    walk(body);
    return fits_ ? operation_ : std::nullopt;
  }

 private:
  bool is_it(const Expr* expression) const { return variable_of(expression) == variable_; }
  void found(const std::string& each) {
    if (operation_ && *operation_ != each) fits_ = false;
    operation_ = each;
  }

  bool is_same(const Expr* a, const Expr* b) const {
    llvm::FoldingSetNodeID first, second;
    plain(a)->Profile(first, variable_->getASTContext(), true);
    plain(b)->Profile(second, variable_->getASTContext(), true);
    return first == second;
  }

  /// Of a comparison with the variable under which it becomes `value`.
  std::optional<std::string> extreme(const Expr* condition, const Expr* value) const {
    const auto* comparison = llvm::dyn_cast<BinaryOperator>(plain(condition));
    if (!comparison || !comparison->isRelationalOp()) return std::nullopt;
    const bool is_left = is_it(comparison->getLHS());
    const Expr* other = is_left ? comparison->getRHS() : comparison->getLHS();
    if ((!is_left && !is_it(comparison->getRHS())) || !is_same(other, value)) return std::nullopt;
    const bool is_less = comparison->getOpcode() == BO_LT || comparison->getOpcode() == BO_LE;
    return is_less == is_left ? "max" : "min";
  }

  bool gathers_by_if(const IfStmt* choice) {
    if (choice->getElse()) return false;
    const Stmt* then = choice->getThen();
    if (const auto* block = llvm::dyn_cast<CompoundStmt>(then); block && block->size() == 1)
      then = block->body_front();
    const auto* assignment = llvm::dyn_cast<BinaryOperator>(then);
    if (!assignment || assignment->getOpcode() != BO_Assign || !is_it(assignment->getLHS())) return false;
    // One of the conditions compares; the others must not use the variable.
    std::vector<const Expr*> conditions{choice->getCond()};
    std::optional<std::string> which;
    while (!conditions.empty()) {
      const Expr* each = plain(conditions.back());
      conditions.pop_back();
      const auto* both = llvm::dyn_cast<BinaryOperator>(each);
      if (both && both->getOpcode() == BO_LAnd) {
        conditions.push_back(both->getLHS());
        conditions.push_back(both->getRHS());
      } else if (const auto extreme_here = extreme(each, assignment->getRHS()); extreme_here && !which) {
        which = extreme_here;
      } else {
        walk(each);
      }
    }
    if (!which) return false;
    found(*which);
    walk(assignment->getRHS());
    return true;
  }

  void assigned(const BinaryOperator* binary) {
    const Expr* value = plain(binary->getRHS());
    const auto gathers = [&](const char* operation, const Expr* operand) {
      found(operation);
      walk(operand);
    };
    switch (binary->getOpcode()) {
      case BO_AddAssign:
      case BO_SubAssign:
        return gathers("+", value);
      case BO_MulAssign:
        return gathers("*", value);
      case BO_Assign:
        break;
      default:
        fits_ = false;
        return;
    }
    if (const auto* sum = llvm::dyn_cast<BinaryOperator>(value)) {
      if (sum->isAdditiveOp() && is_it(sum->getLHS())) return gathers("+", sum->getRHS());
      if (sum->getOpcode() == BO_Add && is_it(sum->getRHS())) return gathers("+", sum->getLHS());
      if (sum->getOpcode() == BO_Mul && is_it(sum->getLHS())) return gathers("*", sum->getRHS());
    }
    if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(value)) {
      if (is_it(choice->getFalseExpr())) {
        if (const auto which = extreme(choice->getCond(), choice->getTrueExpr()))
          return gathers(which->c_str(), choice->getTrueExpr());
      }
      if (is_it(choice->getTrueExpr())) {
        if (const auto which = extreme(choice->getCond(), choice->getFalseExpr()))
          return gathers(*which == "max" ? "min" : "max", choice->getFalseExpr());
      }
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(value); call && call->getNumArgs() == 2) {
      const std::string name = called_name(call);
      const bool is_max = name == "fmax" || name == "fmaxf";
      if (is_max || name == "fmin" || name == "fminf") {
        if (is_it(call->getArg(0))) return gathers(is_max ? "max" : "min", call->getArg(1));
        if (is_it(call->getArg(1))) return gathers(is_max ? "max" : "min", call->getArg(0));
      }
    }
    fits_ = false;
  }

  void walk(const Stmt* statement) {
    if (!statement || !fits_) return;
    if (const auto* choice = llvm::dyn_cast<IfStmt>(statement); choice && gathers_by_if(choice)) return;
    const auto* unary = llvm::dyn_cast<UnaryOperator>(statement);
    if (unary && unary->isIncrementDecrementOp() && is_it(unary->getSubExpr())) return found("+");
    const auto* binary = llvm::dyn_cast<BinaryOperator>(statement);
    if (binary && binary->isAssignmentOp() && is_it(binary->getLHS())) return assigned(binary);
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement);
        reference && reference->getDecl() == variable_) {
      fits_ = false;
      return;
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
      fits_ =
          fits_ && !llvm::isa<OMPAtomicDirective>(directive) && !llvm::isa<OMPCriticalDirective>(directive);
      return walk(statement_of(directive));
    }
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        if (const auto* own = llvm::dyn_cast<VarDecl>(each)) walk(own->getInit());
      }
      return;
    }
    for (const Stmt* child : statement->children()) walk(child);
  }

  const VarDecl* variable_;
  std::optional<std::string> operation_;
  bool fits_ = true;
};

}  // namespace

LoopUses collect_uses(const Stmt* body, const std::set<const VarDecl*>& own) {
  UseCollector collector;
  collector.own = own;
  collector.walk(body);
  return collector;
}

bool is_written_first(const Stmt* body, const VarDecl* variable) {
  return WrittenFirst(variable).holds(body);
}

std::optional<std::string> gathering_operation(const Stmt* body, const VarDecl* variable) {
  return Gathering(variable).operation(body);
}

}  // namespace hoist::openmp
