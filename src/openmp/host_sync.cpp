// Statements of functions that run loops on the device are of two kinds. Those without such a loop are the
// host's alone: what memory they touch is told to the run time before them. The others are walked into; their
// conditions are told before each time that they are evaluated. What is told is as exact as the statement
// lets: an element, a declared array, what a pointer leads to, or everything, as before a call of a function
// that is not known.
#include "openmp/host_sync.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <functional>

#include "openmp/functions.hpp"
#include "openmp/host_text.hpp"

namespace hoist::openmp {

using namespace clang;

bool calls_any(const Stmt* statement, const std::set<const FunctionDecl*>& functions) {
  if (!statement) return false;
  if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
    const FunctionDecl* callee = called_definition(call);
    if (callee && functions.count(callee)) return true;
  }
  if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
    return calls_any(statement_of(directive), functions);
  if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
    for (const Decl* each : declarations->decls()) {
      const auto* variable = llvm::dyn_cast<VarDecl>(each);
      if (variable && variable->getInit() && calls_any(variable->getInit(), functions)) return true;
    }
    return false;
  }
  return std::any_of(statement->child_begin(), statement->child_end(),
                     [&](const Stmt* child) { return calls_any(child, functions); });
}

SourceLocation end_of_statement(const Stmt* statement, ASTContext& context) {
  const SourceManager& sources = context.getSourceManager();
  if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
    if (const Stmt* inner = statement_of(directive)) return end_of_statement(inner, context);
    return Lexer::getLocForEndOfToken(sources.getExpansionLoc(directive->getEndLoc()), 0, sources,
                                      context.getLangOpts());
  }
  const SourceLocation last = sources.getExpansionRange(statement->getEndLoc()).getEnd();
  Token token;
  Lexer::getRawToken(last, token, sources, context.getLangOpts(), true);
  const bool is_expression =
      llvm::isa<Expr>(statement) || llvm::isa<ReturnStmt>(statement) || llvm::isa<DoStmt>(statement);
  if (token.isNot(tok::semi) && (token.isNot(tok::r_brace) || is_expression)) {
    const auto next = Lexer::findNextToken(last, sources, context.getLangOpts());
    if (next && next->is(tok::semi)) return next->getEndLoc();
  }
  return Lexer::getLocForEndOfToken(last, 0, sources, context.getLangOpts());
}

namespace {

/// What memory a statement touches.
class Touches {
 public:
  Touches(const DeviceUse& use, ASTContext& context) : use_(use), context_(context) {}

  /// Calls of the run time, each with its semicolon, or nothing.
  std::string calls(const std::vector<const Stmt*>& statements) {
    for (const Stmt* each : statements) find_changes(each);
    for (const Stmt* each : statements) walk(each);
    if (writes_all_) return "hoist_host_writes(NULL); ";
    std::string text;
    if (reads_all_) text = "hoist_host_reads(NULL); ";
    for (const std::string& each : writes_) text += "hoist_host_writes" + each + "; ";
    for (const std::string& each : reads_) {
      if (!reads_all_ && !writes_.count(each)) text += "hoist_host_reads" + each + "; ";
    }
    return text;
  }

 private:
  void find_changes(const Stmt* statement) {
    if (!statement) return;
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp()) {
      if (const VarDecl* variable = variable_of(binary->getLHS())) changed_.insert(variable);
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(statement)) {
      if (unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf) {
        if (const VarDecl* variable = variable_of(unary->getSubExpr())) changed_.insert(variable);
      }
    }
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        if (const auto* variable = llvm::dyn_cast<VarDecl>(each)) {
          changed_.insert(variable);
          find_changes(variable->getInit());
        }
      }
      return;
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return find_changes(statement_of(directive));
    for (const Stmt* child : statement->children()) find_changes(child);
  }

  void walk(const Stmt* statement, bool is_write = false, bool is_read = true) {
    if (!statement) return;
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return walk(statement_of(directive));
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        if (const auto* variable = llvm::dyn_cast<VarDecl>(each)) walk(variable->getInit());
      }
      return;
    }
    if (llvm::isa<UnaryExprOrTypeTraitExpr>(statement)) return;
    if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement); binary && binary->isAssignmentOp()) {
      walk(binary->getRHS());
      return walk(binary->getLHS(), true, binary->isCompoundAssignmentOp());
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(statement)) {
      if (unary->isIncrementDecrementOp()) return walk(unary->getSubExpr(), true, true);
      if (unary->getOpcode() == UO_AddrOf) return walk_address(unary->getSubExpr());
      if (unary->getOpcode() == UO_Deref) {
        touch(unary, is_write, is_read);
        return walk(unary->getSubExpr());
      }
    }
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(statement)) {
      touch(subscript, is_write, is_read);
      walk(subscript->getIdx());
      return walk_address(subscript->getBase());
    }
    if (const auto* member = llvm::dyn_cast<MemberExpr>(statement)) {
      if (member->isArrow()) {
        touch(member, is_write, is_read);
        return walk(member->getBase());
      }
      return walk(member->getBase(), is_write, is_read);
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) return walk_call(call);
    if (llvm::isa<ParenExpr>(statement) || llvm::isa<CastExpr>(statement)) {
      for (const Stmt* child : statement->children()) walk(child, is_write, is_read);
      return;
    }
    for (const Stmt* child : statement->children()) walk(child);
  }

  /// What computing an address touches: indices, and pointers that lie in memory.
  void walk_address(const Expr* expression) {
    expression = expression->IgnoreParenImpCasts();
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(expression)) {
      walk(subscript->getIdx());
      if (subscript->getType()->isPointerType()) touch(subscript, false, true);
      return walk_address(subscript->getBase());
    }
    if (const auto* member = llvm::dyn_cast<MemberExpr>(expression)) return walk_address(member->getBase());
    if (llvm::isa<DeclRefExpr>(expression)) return;
    walk(expression);
  }

  void touch(const Expr* lvalue, bool is_write, bool is_read) {
    if (lvalue->getType()->isArrayType() || lvalue->getType()->isFunctionType()) return;
    const std::string told = told_of(lvalue);
    if (told.empty()) {
      (is_write ? writes_all_ : reads_all_) = true;
      return;
    }
    if (is_write) writes_.insert(told);
    if (is_read || !is_write) reads_.insert(told);
  }

  bool is_steady(const Expr* expression) const {
    if (llvm::isa<CallExpr>(expression)) return false;
    const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression);
    const auto* variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (variable && changed_.count(variable)) return false;
    return std::all_of(expression->child_begin(), expression->child_end(), [&](const Stmt* child) {
      const auto* each = llvm::dyn_cast_or_null<Expr>(child);
      return each && is_steady(each);
    });
  }
  static bool reads_memory(const Expr* expression) {
    expression = expression->IgnoreParenImpCasts();
    if (llvm::isa<ArraySubscriptExpr>(expression) || llvm::isa<CallExpr>(expression)) return true;
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression);
        unary && unary->getOpcode() == UO_Deref)
      return true;
    if (const auto* member = llvm::dyn_cast<MemberExpr>(expression); member && member->isArrow()) return true;
    return std::any_of(expression->child_begin(), expression->child_end(), [](const Stmt* child) {
      const auto* each = llvm::dyn_cast_or_null<Expr>(child);
      return each && reads_memory(each);
    });
  }
  /// An lvalue that one pointer and numbers lead to.
  static bool is_one_step(const Expr* lvalue) {
    lvalue = lvalue->IgnoreParenImpCasts();
    if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(lvalue)) {
      const Expr* base = subscript->getBase()->IgnoreParenImpCasts();
      if (reads_memory(subscript->getIdx())) return false;
      return llvm::isa<DeclRefExpr>(base) || (base->getType()->isArrayType() && is_one_step(base));
    }
    if (const auto* member = llvm::dyn_cast<MemberExpr>(lvalue)) {
      const Expr* base = member->getBase()->IgnoreParenImpCasts();
      return llvm::isa<DeclRefExpr>(base) || (!member->isArrow() && is_one_step(base));
    }
    if (const auto* unary = llvm::dyn_cast<UnaryOperator>(lvalue); unary && unary->getOpcode() == UO_Deref) {
      return llvm::isa<DeclRefExpr>(unary->getSubExpr()->IgnoreParenImpCasts());
    }
    return false;
  }

  /// The arguments by which the run time is told of an lvalue; empty: it may be anywhere.
  std::string told_of(const Expr* lvalue) const {
    if (is_steady(lvalue) && is_one_step(lvalue)) {
      const std::string text = source_text(lvalue, context_);
      return "_bytes(&" + text + ", sizeof " + text + ")";
    }
    const Expr* root = lvalue;
    for (;;) {
      root = root->IgnoreParenImpCasts();
      if (const auto* subscript = llvm::dyn_cast<ArraySubscriptExpr>(root)) {
        if (subscript != lvalue && subscript->getType()->isPointerType()) return {};
        root = subscript->getBase();
      } else if (const auto* member = llvm::dyn_cast<MemberExpr>(root)) {
        if (member->getType()->isPointerType() && member != lvalue) return {};
        root = member->getBase();
      } else if (const auto* unary = llvm::dyn_cast<UnaryOperator>(root);
                 unary && unary->getOpcode() == UO_Deref) {
        if (unary != lvalue && unary->getType()->isPointerType()) return {};
        root = unary->getSubExpr();
      } else if (const auto* sum = llvm::dyn_cast<BinaryOperator>(root);
                 sum && sum->isAdditiveOp() && sum->getLHS()->getType()->isPointerType()) {
        root = sum->getLHS();
      } else {
        break;
      }
    }
    const VarDecl* variable = variable_of(root);
    if (!variable || changed_.count(variable)) return {};
    const std::string name = variable->getNameAsString();
    if (variable->getType()->isArrayType()) return "_bytes(" + name + ", sizeof " + name + ")";
    return variable->getType()->isPointerType() ? "(" + name + ")" : std::string();
  }

  void walk_call(const CallExpr* call) {
    for (const Expr* argument : call->arguments()) walk(argument);
    if (const FunctionDecl* callee = called_definition(call)) {
      // What runs on the device tells for itself.
      if (!use_.functions.count(callee) && visited_.insert(callee).second) walk_callee(callee);
      return;
    }
    switch (host_effect(called_name(call))) {
      case HostEffect::None:
        return;
      case HostEffect::ReadsArguments:
        for (const Expr* argument : call->arguments()) {
          const bool is_text = llvm::isa<StringLiteral>(argument->IgnoreParenImpCasts());
          if (argument->getType()->isPointerType() && !is_text && !is_stream(argument)) reads_all_ = true;
        }
        return;
      case HostEffect::Unknown:
        writes_all_ = true;
    }
  }
  static bool is_stream(const Expr* argument) {
    const std::string type = argument->getType().getAsString();
    return type.find("FILE") != std::string::npos || type.find("_IO_FILE") != std::string::npos;
  }

  /// A function's own variables have other names here: whether it touches memory at all is what counts.
  void walk_callee(const FunctionDecl* callee) {
    Touches inner(use_, context_);
    inner.visited_ = visited_;
    inner.walk(callee->getBody());
    visited_.insert(inner.visited_.begin(), inner.visited_.end());
    if (inner.writes_all_ || !inner.writes_.empty()) writes_all_ = true;
    if (inner.reads_all_ || !inner.reads_.empty()) reads_all_ = true;
  }

  const DeviceUse& use_;
  ASTContext& context_;
  std::set<const VarDecl*> changed_;
  std::set<const FunctionDecl*> visited_;
  std::set<std::string> reads_, writes_;
  bool reads_all_ = false, writes_all_ = false;
};

class Inserter {
 public:
  Inserter(const DeviceUse& use, Rewriter& rewriter, ASTContext& context, const RegionTexts& texts)
      : use_(use),
        rewriter_(rewriter),
        context_(context),
        sources_(context.getSourceManager()),
        texts_(texts) {}

  std::set<const FunctionDecl*> run(const FunctionDecl* function) {
    walk_block(llvm::cast<CompoundStmt>(function->getBody()));
    return std::move(must_leave_valid_);
  }

 private:
  bool has_device(const Stmt* statement) const {
    if (!statement) return false;
    if (use_.loops.count(statement)) return true;
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return has_device(statement_of(directive));
    if (calls_any(statement, use_.functions)) return true;
    return std::any_of(statement->child_begin(), statement->child_end(),
                       [&](const Stmt* child) { return has_device(child); });
  }

  std::string told(const std::vector<const Stmt*>& statements) const {
    return Touches(use_, context_).calls(statements);
  }

  SourceLocation begin(const Stmt* statement) const {
    return sources_.getExpansionLoc(statement->getBeginLoc());
  }

  void before(const Stmt* statement, const std::string& text) {
    if (text.empty()) return;
    const bool is_pragma = llvm::isa<OMPExecutableDirective>(statement);
    rewriter_.InsertText(begin(statement), is_pragma ? text + "\n" : text, false, false);
  }

  void walk_block(const CompoundStmt* block) {
    for (const Stmt* each : block->body()) walk(each);
  }

  /// A statement that is no block, where only one may stand.
  void walk_body(const Stmt* body) {
    if (!body) return;
    if (const auto* block = llvm::dyn_cast<CompoundStmt>(body)) return walk_block(block);
    const SourceLocation start = begin(body), end = end_of_statement(body, context_);
    if (start.isInvalid() || end.isInvalid()) return;
    // What is inserted later at one place stands outside.
    walk(body);
    rewriter_.InsertText(start, llvm::isa<OMPExecutableDirective>(body) ? "{\n" : "{ ", false, false);
    rewriter_.InsertText(end, " }", true, false);
  }

  /// A pragma reaches from its # to the end of its line, or of the lines that backslashes join.
  void replace_pragma(SourceRange pragma, const std::string& text) {
    const SourceLocation start = sources_.getExpansionLoc(pragma.getBegin()),
                         end = sources_.getExpansionLoc(pragma.getEnd());
    const unsigned length = sources_.getFileOffset(end) - sources_.getFileOffset(start);
    rewriter_.ReplaceText(start, length, text);
  }

  /// A condition is evaluated anew in each round.
  void wrap(const Expr* expression) {
    if (!expression) return;
    std::string text = told({expression});
    if (text.empty()) return;
    std::string list;
    for (std::size_t at = 0, next; (next = text.find("; ", at)) != std::string::npos; at = next + 2)
      list += text.substr(at, next - at) + ", ";
    const SourceLocation last = sources_.getExpansionRange(expression->getEndLoc()).getEnd();
    rewriter_.InsertText(begin(expression), "(" + list, false, false);
    rewriter_.InsertText(Lexer::getLocForEndOfToken(last, 0, sources_, context_.getLangOpts()), ")", true,
                         false);
  }

  void walk(const Stmt* statement) {
    if (!statement) return;
    if (use_.loops.count(statement)) return before_loop(statement);
    if (!has_device(statement)) {
      before(statement, told({statement}));
      return after_declaration(statement);
    }
    if (const auto* block = llvm::dyn_cast<CompoundStmt>(statement)) return walk_block(block);
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
      const Stmt* inner = statement_of(directive);
      if (const auto* block = llvm::dyn_cast<CompoundStmt>(inner)) {
        walk_block(block);
      } else {
        walk(inner);
      }
      if (const auto region = texts_.regions.find(statement); region != texts_.regions.end()) {
        const SourceRange pragma(directive->getBeginLoc(), directive->getEndLoc());
        rewriter_.InsertText(end_of_statement(statement, context_), " }", true, false);
        replace_pragma(pragma, region->second);
      }
      return;
    }
    if (const auto* choice = llvm::dyn_cast<IfStmt>(statement)) {
      before(statement, told({choice->getCond()}));
      note_mixed(choice->getCond());
      walk_body(choice->getThen());
      return walk_body(choice->getElse());
    }
    if (const auto* loop = llvm::dyn_cast<ForStmt>(statement)) {
      before(statement, told({loop->getInit()}));
      note_mixed(loop->getInit());
      wrap(loop->getCond());
      wrap(loop->getInc());
      note_mixed(loop->getCond());
      note_mixed(loop->getInc());
      return walk_body(loop->getBody());
    }
    if (const auto* loop = llvm::dyn_cast<WhileStmt>(statement)) {
      wrap(loop->getCond());
      note_mixed(loop->getCond());
      return walk_body(loop->getBody());
    }
    if (const auto* loop = llvm::dyn_cast<DoStmt>(statement)) {
      wrap(loop->getCond());
      note_mixed(loop->getCond());
      return walk_body(loop->getBody());
    }
    if (const auto* choice = llvm::dyn_cast<SwitchStmt>(statement)) {
      before(statement, told({choice->getCond()}));
      return walk_body(choice->getBody());
    }
    if (const auto* label = llvm::dyn_cast<SwitchCase>(statement)) return walk_body(label->getSubStmt());
    if (const auto* label = llvm::dyn_cast<LabelStmt>(statement)) return walk_body(label->getSubStmt());
    // A call of what runs on the device, in an expression, a declaration or a return.
    before(statement, told({statement}));
    note_mixed(statement);
    after_declaration(statement);
  }

  /// What a statement touches besides calling a function that runs on the device, it may touch after the
  /// call.
  void note_mixed(const Stmt* statement) {
    if (!statement || !calls_any(statement, use_.functions) || told({statement}).empty()) return;
    const std::function<void(const Stmt*)> find = [&](const Stmt* each) {
      if (!each) return;
      if (const auto* call = llvm::dyn_cast<CallExpr>(each)) {
        const FunctionDecl* callee = called_definition(call);
        if (callee && use_.functions.count(callee)) must_leave_valid_.insert(callee);
      }
      if (const auto* declarations = llvm::dyn_cast<DeclStmt>(each)) {
        for (const Decl* one : declarations->decls()) {
          if (const auto* variable = llvm::dyn_cast<VarDecl>(one)) find(variable->getInit());
        }
        return;
      }
      for (const Stmt* child : each->children()) find(child);
    };
    find(statement);
  }

  /// Local arrays end with their block. A declaration whose type or whose all but the semicolon comes from a
  /// macro stands in a block of the file's own text.
  void after_declaration(const Stmt* statement) {
    const auto* declarations = llvm::dyn_cast<DeclStmt>(statement);
    if (!declarations || statement->getEndLoc().isMacroID()) return;
    std::string text;
    for (const Decl* each : declarations->decls()) {
      const auto* variable = llvm::dyn_cast<VarDecl>(each);
      if (variable && variable->getType()->isArrayType() && !is_global(variable))
        text += " HOIST_SCOPE(" + variable->getNameAsString() + ");";
    }
    if (!text.empty()) rewriter_.InsertText(end_of_statement(statement, context_), text, true, false);
  }

  void before_loop(const Stmt* statement) {
    const auto* directive = llvm::cast<OMPExecutableDirective>(statement);
    std::vector<const Stmt*> ranges;
    const Stmt* inner = statement_of(directive);
    while (inner) {
      if (const auto* block = llvm::dyn_cast<CompoundStmt>(inner); block && block->size() == 1) {
        inner = block->body_front();
        continue;
      }
      const auto* loop = llvm::dyn_cast<ForStmt>(inner);
      if (!loop) break;
      ranges.push_back(loop->getInit());
      ranges.push_back(loop->getCond());
      inner = loop->getBody();
      break;
    }
    const auto& [call, end] = texts_.loops.at(statement);
    rewriter_.InsertText(begin(statement), told(ranges) + call, false, false);
    rewriter_.InsertText(end_of_statement(statement, context_), end, true, false);
  }

  const DeviceUse& use_;
  Rewriter& rewriter_;
  ASTContext& context_;
  const SourceManager& sources_;
  const RegionTexts& texts_;
  std::set<const FunctionDecl*> must_leave_valid_;
};

}  // namespace

std::set<const FunctionDecl*> insert_host_syncs(const FunctionDecl* function, const DeviceUse& use,
                                                Rewriter& rewriter, ASTContext& context,
                                                const RegionTexts& texts) {
  return Inserter(use, rewriter, context, texts).run(function);
}

}  // namespace hoist::openmp
