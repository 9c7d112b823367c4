// An abstract execution of a loop's body: integers are polynomials in what does not change and in the
// counters of loops, pointers are an array and a polynomial.
//
// Read `Collector::run` first. Variables have values as the body is executed once, in order. What a loop
// changes is unknown in it, but for its counter; what one branch changes is unknown behind it where the other
// leaves something else. Functions are executed with their arguments, so that what they access through
// pointers is known, too. Every access of an array that the loop does not declare is recorded. Whoever asks
// for a polynomial and gets none has an access of any element.
#include "openmp/accesses.hpp"

#include <algorithm>
#include <functional>

#include "openmp/functions.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

struct Value {
  enum Kind { Unknown, Number, Pointer } kind = Unknown;
  Poly poly;                       ///< of a number; of a pointer, in elements of its array
  const VarDecl* array = nullptr;  ///< of a pointer; nothing: memory that the loop declares
  bool is_any = false;             ///< where in the array is not known
  bool is_partial = false;         ///< inside of an element
  bool operator==(const Value&) const = default;
};

Value number(Poly poly) { return {Value::Number, std::move(poly), nullptr, false, false}; }

constexpr int deepest_calls = 16;

class Collector {
 public:
  Collector(const Loop& loop, ASTContext& context) : loop_(loop), context_(context) {}

  Accesses run() {
    for (std::size_t i = 0; i < loop_.loops.size(); ++i) enter_shared_loop(loop_.loops[i], i == 0);
    for (const VarDecl* array : loop_.arrays) {
      values_[array] = {Value::Pointer, Poly(), array, false, false};
    }
    execute(loop_.body);
    return std::move(result_);
  }

 private:
  // ---- Symbols ----

  SymbolId add_symbol(Symbol symbol) {
    symbol.own = static_cast<SymbolId>(result_.symbols.size());
    result_.symbols.push_back(symbol);
    return symbol.own;
  }

  Poly invariant(const std::string& text, const VarDecl* variable) {
    for (const Symbol& each : result_.symbols) {
      if (!each.is_counter && each.text == text) return Poly::symbol(each.own);
    }
    Symbol symbol;
    symbol.text = text;
    symbol.variable = variable;
    const SymbolId id = add_symbol(symbol);
    if (variable && text == variable->getNameAsString()) define(id, variable);
    return Poly::symbol(id);
  }

  /// What a constant of the function is computed from: conflicts are looked for at sizes that fit each other.
  void define(SymbolId id, const VarDecl* variable) {
    if (!variable->getType().isConstQualified() || !variable->getInit() || is_defining_) return;
    if (contains<CallExpr>(variable->getInit())) return;  // of the host, which may do what it likes
    is_defining_ = true;
    const Value value = evaluate(variable->getInit());
    is_defining_ = false;
    if (!is_invariant(value)) return;
    result_.symbols[static_cast<std::size_t>(id)].operation = "=";
    result_.symbols[static_cast<std::size_t>(id)].left = value.poly;
  }

  bool has_counter(const Poly& poly) const {
    for (const auto& [monomial, coefficient] : poly.terms()) {
      for (const SymbolId id : monomial) {
        if (result_.symbols[static_cast<std::size_t>(id)].is_counter) return true;
      }
    }
    return false;
  }

  std::string text(const Poly& poly) const {
    std::string text;
    for (const auto& [monomial, coefficient] : poly.terms()) {
      std::string term;
      if (coefficient != 1 || monomial.empty()) term = std::to_string(coefficient);
      for (const SymbolId id : monomial) {
        term += (term.empty() ? "" : " * ") + result_.symbols[static_cast<std::size_t>(id)].text;
      }
      text += (text.empty() ? "" : " + ") + term;
    }
    return text.empty() ? "0" : "(" + text + ")";
  }

  void enter_shared_loop(const CanonicalLoop& each, bool is_outermost) {
    Symbol symbol;
    symbol.is_counter = true;
    symbol.text = each.iterator->getNameAsString();
    const SymbolId id = add_symbol(symbol);
    const Value from = evaluate(each.from);
    const Value step = each.step ? evaluate(each.step) : number(1);
    Value bound = evaluate(each.bound);
    counters_.push_back(id);
    values_[each.iterator] = {};
    if (from.kind != Value::Number || step.kind != Value::Number) return;
    if (is_outermost) {
      const Poly steps = step.poly * Poly::symbol(id);
      values_[each.iterator] = number(each.goes_up ? from.poly + steps : from.poly - steps);
      return;
    }
    if (bound.kind != Value::Number) return;
    set_range(id, each, from.poly, bound.poly);
    values_[each.iterator] = number(Poly::symbol(id));
  }

  void set_range(SymbolId id, const CanonicalLoop& each, const Poly& from, const Poly& bound) {
    Symbol& symbol = result_.symbols[static_cast<std::size_t>(id)];
    const std::int64_t beyond = each.includes_bound ? 0 : 1;
    symbol.low = each.goes_up ? from : bound + Poly(beyond);
    symbol.high = each.goes_up ? bound - Poly(beyond) : from;
    symbol.has_gaps = each.step && !is_one(each.step);
  }

  bool is_one(const Expr* step) { return evaluate(step) == number(1); }

  // ---- Values of expressions ----

  Value evaluate(const Expr* expression) {
    if (!expression) return {};
    if (expression->getType()->isIntegerType() && !expression->isValueDependent()) {
      Expr::EvalResult constant;
      if (expression->EvaluateAsInt(constant, context_, Expr::SE_NoSideEffects) &&
          constant.Val.getInt().getMinSignedBits() <= 64) {
        const auto& found = constant.Val.getInt();
        return number(found.isUnsigned() ? static_cast<std::int64_t>(found.getZExtValue())
                                         : found.getSExtValue());
      }
    }
    expression = expression->IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<CastExpr>(expression)) return cast_value(cast);
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression)) return variable_value(reference);
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression)) return unary_value(unary);
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(expression)) return binary_value(binary);
    if (const auto* call = llvm::dyn_cast<CallExpr>(expression)) return call_value(call);
    if (const auto* choice = llvm::dyn_cast<ConditionalOperator>(expression)) {
      const Value condition = evaluate(choice->getCond());
      ++conditions_;
      const Value yes = evaluate(choice->getTrueExpr()), no = evaluate(choice->getFalseExpr());
      --conditions_;
      if (yes == no) return yes;
      if (yes.kind == Value::Pointer && no.kind == Value::Pointer) return joined(yes, no);
      if (is_invariant(condition) && is_invariant(yes) && is_invariant(no)) {
        return number(invariant(
            "(" + text(condition.poly) + " ? " + text(yes.poly) + " : " + text(no.poly) + ")", nullptr));
      }
      return {};
    }
    if (llvm::isa<ArraySubscriptExpr>(expression) || llvm::isa<MemberExpr>(expression)) {
      const Value place = place_of(expression);
      if (expression->getType()->isArrayType()) return place;
      if (const auto* member = llvm::dyn_cast<MemberExpr>(expression)) {
        if (const Value known = member_value(member); known.kind == Value::Number) return known;
      }
      return load(place, expression);
    }
    for (const Stmt* child : expression->children()) {
      if (const auto* each = llvm::dyn_cast_or_null<Expr>(child)) evaluate(each);
    }
    return {};
  }

  bool is_invariant(const Value& value) const {
    return value.kind == Value::Number && !has_counter(value.poly);
  }

  /// A member of a structure that the loop only reads.
  Value member_value(const MemberExpr* member) {
    std::string path = "." + member->getMemberNameInfo().getAsString();
    const Expr* base = plain(member->getBase());
    while (const auto* outer = llvm::dyn_cast<MemberExpr>(base)) {
      if (outer->isArrow()) return {};
      path = "." + outer->getMemberNameInfo().getAsString() + path;
      base = plain(outer->getBase());
    }
    const VarDecl* variable = variable_of(base);
    if (!variable || member->isArrow() || !member->getType()->isIntegerType() || !is_value(variable))
      return {};
    return number(invariant("(long)hoist_given->" + loop_.names.at(variable) + path, variable));
  }

  bool is_value(const VarDecl* variable) const {
    return std::find(loop_.values.begin(), loop_.values.end(), variable) != loop_.values.end() &&
           !loop_.firsts.count(variable);
  }

  Value cast_value(const CastExpr* cast) {
    if (cast->getCastKind() == CK_ArrayToPointerDecay) return place_of(cast->getSubExpr());
    const Value inner = evaluate(cast->getSubExpr());
    if (inner.kind == Value::Pointer && cast->getType()->isPointerType()) {
      Value result = inner;
      const QualType element = innermost_element(cast->getType());
      // Memory seen as another type is not counted in elements any more.
      if (inner.array && !element->isVoidType() &&
          !same_size(element, innermost_element(inner.array->getType()))) {
        result.is_any = true;
      }
      return result;
    }
    if (inner.kind == Value::Number && cast->getType()->isIntegerType()) {
      // Numbers that are made narrower than an int may become others.
      if (context_.getTypeSize(cast->getType()) >= 32 || inner.poly.constant()) return inner;
      return {};
    }
    return {};
  }

  bool same_size(QualType a, QualType b) const {
    if (a->isIncompleteType() || b->isIncompleteType()) return false;
    return context_.getTypeSize(a) == context_.getTypeSize(b);
  }

  Value variable_value(const DeclRefExpr* reference) {
    const auto* variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (!variable) return {};
    if (const auto known = values_.find(variable); known != values_.end()) return known->second;
    if (variable->getType()->isArrayType()) return {Value::Pointer, Poly(), nullptr, true, false};
    if (is_defining_ && variable->getType()->isIntegerType() && !loop_.names.count(variable)) {
      return number(invariant(variable->getNameAsString(), nullptr));
    }
    if (variable->getType()->isIntegerType() && is_value(variable)) {
      return number(invariant(loop_.names.at(variable), variable));
    }
    return {};
  }

  Value unary_value(const UnaryOperator* unary) {
    const Expr* inner = unary->getSubExpr();
    switch (unary->getOpcode()) {
      case UO_AddrOf:
        return place_of(inner);
      case UO_Deref:
        if (unary->getType()->isArrayType()) return place_of(unary);
        return load(place_of(unary), unary);
      case UO_PostInc:
      case UO_PreInc:
      case UO_PostDec:
      case UO_PreDec: {
        const Value before = evaluate(inner);
        const Value after = moved(before, number(unary->isIncrementOp() ? 1 : -1), unary->getType());
        assign(inner, after);
        return unary->isPrefix() ? after : before;
      }
      case UO_Minus: {
        const Value value = evaluate(inner);
        return value.kind == Value::Number ? number(Poly(0) - value.poly) : Value{};
      }
      case UO_Plus:
        return evaluate(inner);
      default:
        evaluate(inner);
        return {};
    }
  }

  /// A pointer or number with something added: `type` is that of the pointer.
  Value moved(const Value& value, const Value& by, QualType type) {
    if (value.kind == Value::Number && by.kind == Value::Number) return number(value.poly + by.poly);
    if (value.kind != Value::Pointer) return {};
    Value result = value;
    if (value.is_partial) return result;
    const auto size = elements_of(type->getPointeeType());
    if (by.kind != Value::Number || !size) {
      result.is_any = true;
    } else {
      result.poly = value.poly + by.poly * *size;
    }
    return result;
  }

  /// How many innermost elements a type has.
  std::optional<Poly> elements_of(QualType type) {
    type = type.getCanonicalType();
    Poly product(1);
    while (const auto* array = llvm::dyn_cast<ArrayType>(type.getTypePtr())) {
      if (const auto* constant = llvm::dyn_cast<ConstantArrayType>(array)) {
        product = product * Poly(static_cast<std::int64_t>(constant->getSize().getZExtValue()));
      } else if (const auto* variable = llvm::dyn_cast<VariableArrayType>(array)) {
        const Value size = evaluate(variable->getSizeExpr());
        if (size.kind != Value::Number || has_counter(size.poly)) return std::nullopt;
        product = product * size.poly;
      } else {
        return std::nullopt;
      }
      type = array->getElementType().getCanonicalType();
    }
    return product;
  }

  Value binary_value(const BinaryOperator* binary) {
    if (binary->getOpcode() == BO_Assign) {
      const Value value = evaluate(binary->getRHS());
      assign(binary->getLHS(), value);
      return value;
    }
    if (binary->isCompoundAssignmentOp()) {
      const Value by = evaluate(binary->getRHS());
      const Value before = evaluate(binary->getLHS());
      Value after;
      if (binary->getOpcode() == BO_AddAssign) after = moved(before, by, binary->getType());
      if (binary->getOpcode() == BO_SubAssign) after = moved(before, negated(by), binary->getType());
      if (before.kind == Value::Pointer && after.kind != Value::Pointer) after = before, after.is_any = true;
      assign(binary->getLHS(), after);
      return after;
    }
    if (binary->isLogicalOp()) {
      const Value left = evaluate(binary->getLHS());
      ++conditions_;
      const Value right = evaluate(binary->getRHS());
      --conditions_;
      return opaque(left, right, binary->getOpcodeStr().str());
    }
    const Value left = evaluate(binary->getLHS()), right = evaluate(binary->getRHS());
    switch (binary->getOpcode()) {
      case BO_Add:
        if (right.kind == Value::Pointer) return moved(right, left, binary->getRHS()->getType());
        return moved(left, right, binary->getLHS()->getType());
      case BO_Sub:
        if (right.kind == Value::Pointer) return {};
        return moved(left, negated(right), binary->getLHS()->getType());
      case BO_Mul:
        if (left.kind == Value::Number && right.kind == Value::Number) return number(left.poly * right.poly);
        return {};
      case BO_Comma:
        return right;
      default:
        return opaque(left, right, binary->getOpcodeStr().str());
    }
  }

  static Value negated(const Value& value) {
    return value.kind == Value::Number ? number(Poly(0) - value.poly) : Value{};
  }

  /// An operation on what does not change is a symbol of its own.
  Value opaque(const Value& left, const Value& right, const std::string& operation) {
    if (!is_invariant(left) || !is_invariant(right)) return {};
    const Poly symbol =
        invariant("(" + text(left.poly) + " " + operation + " " + text(right.poly) + ")", nullptr);
    Symbol& made = result_.symbols[static_cast<std::size_t>(symbol.terms().begin()->first.front())];
    made.operation = operation;
    made.left = left.poly;
    made.right = right.poly;
    return number(symbol);
  }

  // ---- Accesses ----

  /// Where an lvalue lies. A number: it is in no array that matters.
  Value place_of(const Expr* expression) {
    expression = expression->IgnoreParens();
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(expression)) {
      const Value base = evaluate(subscript->getBase());
      const Value index = evaluate(subscript->getIdx());
      return moved(base, index, subscript->getBase()->getType());
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression);
        unary && unary->getOpcode() == UO_Deref) {
      return evaluate(unary->getSubExpr());
    }
    if (const auto* member = llvm::dyn_cast<MemberExpr>(expression)) {
      Value base = member->isArrow() ? evaluate(member->getBase()) : place_of(member->getBase());
      base.is_partial = true;
      return base;
    }
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression)) {
      if (reference->getType()->isArrayType()) return variable_value(reference);
      return {Value::Pointer, Poly(), nullptr, true, false};
    }
    if (const auto* cast = llvm::dyn_cast<CastExpr>(expression)) return place_of(cast->getSubExpr());
    return evaluate(expression);
  }

  Value load(const Value& place, const Expr* expression) {
    access(place, false, expression);
    return {};
  }

  void assign(const Expr* target, const Value& value) {
    if (const VarDecl* variable = variable_of(target)) {
      if (!variable->getType()->isArrayType()) values_[variable] = value;
      return;
    }
    access(place_of(plain(target)), true, target);
  }

  void access(const Value& place, bool is_write, const Expr* where) {
    if (place.kind != Value::Pointer) {
      throw Untranslatable{where->getExprLoc(), "it follows a pointer that is not known before the loop"};
    }
    if (!place.array) return;
    if (innermost_element(place.array->getType())->isPointerType()) {
      throw Untranslatable{where->getExprLoc(),
                           "the elements of '" + place.array->getNameAsString() +
                               "' are pointers, whose memory is not known before the loop"};
    }
    Access made;
    made.array = place.array;
    made.is_write = is_write;
    made.is_any = place.is_any;
    made.is_conditional = conditions_ > 0;
    made.is_protected = protected_ > 0;
    made.is_partial = place.is_partial;
    made.element = place.poly;
    made.counters = counters_;
    made.where = where->getExprLoc();
    if (!is_write) made.is_covered = is_covered(made);
    result_.accesses.push_back(made);
  }

  /// Whether the iteration has written the element before, for sure.
  bool is_covered(const Access& read) const {
    if (read.is_any || read.is_protected) return false;
    return std::any_of(result_.accesses.begin(), result_.accesses.end(), [&](const Access& each) {
      return each.array == read.array && each.is_write && !each.is_any && !each.is_conditional &&
             !each.is_partial && each.element == read.element &&
             each.counters.size() <= read.counters.size() &&
             std::equal(each.counters.begin(), each.counters.end(), read.counters.begin());
    });
  }

  // ---- Statements ----

  using Values = std::map<const VarDecl*, Value>;

  static Value joined(const Value& a, const Value& b) {
    if (a == b) return a;
    if (a.kind == Value::Pointer && b.kind == Value::Pointer && a.array == b.array) {
      Value result = a;
      result.is_any = true;
      result.is_partial = a.is_partial || b.is_partial;
      return result;
    }
    return {};
  }

  void join(const Values& other) {
    for (auto& [variable, value] : values_) {
      const auto found = other.find(variable);
      if (found != other.end()) value = joined(value, found->second);
    }
    for (const auto& [variable, value] : other) values_.emplace(variable, value);
  }

  /// What a statement may change.
  static void changed_by(const Stmt* statement, std::set<const VarDecl*>& changed) {
    if (!statement) return;
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp()) {
      if (const VarDecl* variable = variable_of(binary->getLHS())) changed.insert(variable);
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(statement)) {
      if (unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf) {
        if (const VarDecl* variable = variable_of(unary->getSubExpr())) changed.insert(variable);
      }
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
      return changed_by(statement_of(directive), changed);
    }
    for (const Stmt* child : statement->children()) changed_by(child, changed);
  }

  void widen(const Stmt* statement) {
    std::set<const VarDecl*> changed;
    changed_by(statement, changed);
    for (const VarDecl* variable : changed) {
      const auto known = values_.find(variable);
      if (known != values_.end() && known->second.kind == Value::Pointer) {
        known->second.is_any = true;
      } else if (!variable->getType()->isArrayType()) {
        values_[variable] = {};
      }
    }
  }

  /// Whether control may leave the statement before its end: by break, return or goto.
  static bool leaves_early(const Stmt* statement) {
    if (!statement) return false;
    if (llvm::isa<BreakStmt>(statement) || llvm::isa<ReturnStmt>(statement) || llvm::isa<GotoStmt>(statement))
      return true;
    if (llvm::isa<ForStmt>(statement) || llvm::isa<WhileStmt>(statement) || llvm::isa<DoStmt>(statement) ||
        llvm::isa<SwitchStmt>(statement)) {
      // A break inside belongs to it.
      return contains<ReturnStmt>(statement) || contains<GotoStmt>(statement);
    }
    return std::any_of(statement->child_begin(), statement->child_end(), leaves_early);
  }

  void execute(const Stmt* statement) {
    if (!statement) return;
    if (const auto* block = llvm::dyn_cast<CompoundStmt>(statement)) {
      const int before = conditions_;
      for (const Stmt* each : block->body()) {
        execute(each);
        // What follows may be left out.
        if (contains<ContinueStmt>(each) || (llvm::isa<IfStmt>(each) && leaves_early(each))) ++conditions_;
      }
      conditions_ = before;
      return;
    }
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) declare(llvm::dyn_cast<VarDecl>(each));
      return;
    }
    if (const auto* expression = llvm::dyn_cast<Expr>(statement)) {
      evaluate(expression);
      return;
    }
    if (const auto* choice = llvm::dyn_cast<IfStmt>(statement)) return execute_if(choice);
    if (const auto* loop = llvm::dyn_cast<ForStmt>(statement)) return execute_for(loop);
    if (llvm::isa<WhileStmt>(statement) || llvm::isa<DoStmt>(statement) || llvm::isa<SwitchStmt>(statement)) {
      widen(statement);
      ++conditions_;
      for (int round = 0; round < 2; ++round) {
        const Values before = values_;
        for (const Stmt* child : statement->children()) execute(child);
        join(before);
        widen(statement);
      }
      --conditions_;
      return;
    }
    if (const auto* result = llvm::dyn_cast<ReturnStmt>(statement)) {
      const Value value = evaluate(result->getRetValue());
      returned_ = returns_++ == 0 ? value : joined(returned_, value);
      return;
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
      const bool protects =
          llvm::isa<OMPAtomicDirective>(directive) || llvm::isa<OMPCriticalDirective>(directive);
      if (!protects && !llvm::isa<OMPSimdDirective>(directive) && !llvm::isa<OMPFlushDirective>(directive)) {
        throw Untranslatable{directive->getBeginLoc(), "an OpenMP construct inside of it is not translated"};
      }
      protected_ += protects;
      execute(statement_of(directive));
      protected_ -= protects;
      return;
    }
    for (const Stmt* child : statement->children()) execute(child);
  }

  void declare(const VarDecl* variable) {
    if (!variable) return;
    if (variable->getType()->isArrayType() || variable->getType()->isRecordType()) {
      if (variable->getInit()) evaluate(variable->getInit());
      return;
    }
    values_[variable] = variable->getInit() ? evaluate(variable->getInit()) : Value{};
  }

  void execute_if(const IfStmt* choice) {
    evaluate(choice->getCond());
    ++conditions_;
    const Values before = values_;
    execute(choice->getThen());
    const Values after_then = values_;
    values_ = before;
    execute(choice->getElse());
    join(after_then);
    --conditions_;
  }

  void execute_for(const ForStmt* statement) {
    const auto loop = canonical_loop(statement);
    execute(statement->getInit());
    std::set<const VarDecl*> changed;
    changed_by(statement->getBody(), changed);
    Value from;
    if (loop) from = values_[loop->iterator];
    widen(statement);
    const bool is_plain = loop && !changed.count(loop->iterator) && from.kind == Value::Number;
    const Value bound = is_plain ? evaluate(loop->bound) : Value{};
    const bool may_end_early = !is_plain || loop->has_further_condition || body_breaks(statement->getBody());
    if (statement->getCond()) evaluate(statement->getCond());
    Symbol symbol;
    symbol.is_counter = true;
    symbol.text = loop ? loop->iterator->getNameAsString() : "round";
    const SymbolId id = add_symbol(symbol);
    const bool has_range = is_plain && bound.kind == Value::Number;
    if (has_range) {
      set_range(id, *loop, from.poly, bound.poly);
      values_[loop->iterator] = number(Poly::symbol(id));
      counters_.push_back(id);
    }
    conditions_ += may_end_early || !has_range;
    execute(statement->getBody());
    if (!is_plain) {
      // What pointers lead to is known after a round at the latest.
      widen(statement);
      execute(statement->getBody());
      if (statement->getInc()) evaluate(statement->getInc());
    }
    conditions_ -= may_end_early || !has_range;
    if (has_range) counters_.pop_back();
    widen(statement);
  }

  static bool body_breaks(const Stmt* body) { return leaves_early(body); }

  Value call_value(const CallExpr* call) {
    std::vector<Value> arguments;
    for (const Expr* argument : call->arguments()) arguments.push_back(evaluate(argument));
    const FunctionDecl* callee = called_definition(call);
    if (!callee) {
      const std::string name = called_name(call);
      if (name.empty()) throw Untranslatable{call->getExprLoc(), "it calls a function by a pointer"};
      if (!device_function(name, false)) throw Untranslatable{call->getExprLoc(), why_not_on_device(name)};
      return {};
    }
    if (++depth_ > deepest_calls) {
      throw Untranslatable{call->getExprLoc(),
                           "'" + callee->getNameAsString() + "' calls itself: a device has no recursion"};
    }
    const Values before = values_;
    const int returns = returns_, conditions = conditions_;
    const Value returned = returned_;
    returns_ = 0;
    for (unsigned i = 0; i < callee->getNumParams() && i < arguments.size(); ++i) {
      values_[callee->getParamDecl(i)] = arguments[i];
    }
    execute(callee->getBody());
    const Value result = returns_ == 1 ? returned_ : returned_.kind == Value::Pointer ? returned_ : Value{};
    returned_ = returned;
    returns_ = returns;
    conditions_ = conditions;
    values_ = before;
    // What the callee may change through pointers to variables is unknown from here on.
    for (const Expr* argument : call->arguments()) {
      const auto* unary = llvm::dyn_cast<UnaryOperator>(plain(argument));
      if (!unary || unary->getOpcode() != UO_AddrOf) continue;
      if (const VarDecl* variable = variable_of(unary->getSubExpr())) values_[variable] = {};
    }
    --depth_;
    return result;
  }

  const Loop& loop_;
  ASTContext& context_;
  Accesses result_;
  Values values_;
  std::vector<SymbolId> counters_;
  bool is_defining_ = false;
  int conditions_ = 0, protected_ = 0, depth_ = 0, returns_ = 0;
  Value returned_;
};

}  // namespace

Accesses collect_accesses(const Loop& loop, ASTContext& context) { return Collector(loop, context).run(); }

std::vector<const VarDecl*> variables_of(const Accesses& accesses) {
  std::vector<const VarDecl*> found;
  for (const Symbol& each : accesses.symbols) {
    if (each.variable && std::find(found.begin(), found.end(), each.variable) == found.end())
      found.push_back(each.variable);
  }
  return found;
}

}  // namespace hoist::openmp
