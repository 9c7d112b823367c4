// Statements of kernels, and OpenMP's constructs among them.
#include "openmp/kernel_printer.hpp"

namespace hoist::openmp {

using namespace clang;

void KernelPrinter::declaration(const DeclStmt* each) {
  for (const Decl* declared_one : each->decls()) {
    if (llvm::isa<RecordDecl>(declared_one) || llvm::isa<TypedefDecl>(declared_one) ||
        llvm::isa<EnumDecl>(declared_one))
      continue;
    const auto* variable = llvm::dyn_cast<VarDecl>(declared_one);
    if (!variable) refuse(each, "a declaration of this kind is not translated");
    if (variable->isStaticLocal())
      refuse(each, "the variable '" + variable->getNameAsString() + "' keeps its value between iterations");
    if (variable->getType()->isArrayType()) own_arrays_.insert(variable);
    const auto space = spaces_.find(variable);
    std::string text =
        declared(variable->getType(), kernel_name(variable->getNameAsString()),
                 space == spaces_.end() ? Space::Private : space->second, variable->getLocation());
    const bool is_constant =
        variable->getType().isConstQualified() && !is_pointer_or_array(variable->getType());
    if (is_constant && variable->getInit()) text = "const " + text;
    if (variable->getInit()) text += " = " + initializer(variable->getInit());
    line(text + ";");
  }
}

void KernelPrinter::statement(const Stmt* each) {
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
  if (const auto* loop = llvm::dyn_cast<WhileStmt>(each))
    return block("while (" + expression(loop->getCond()) + ")", loop->getBody());
  if (const auto* loop = llvm::dyn_cast<DoStmt>(each)) {
    block("do", loop->getBody());
    text_.pop_back();
    text_ += " while (" + expression(loop->getCond()) + ");\n";
    return;
  }
  if (const auto* choice = llvm::dyn_cast<SwitchStmt>(each))
    return block("switch (" + expression(choice->getCond()) + ")", choice->getBody());
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
  if (const auto* attributed = llvm::dyn_cast<AttributedStmt>(each))
    return statement(attributed->getSubStmt());
  if (const auto* construct = llvm::dyn_cast<OMPExecutableDirective>(each)) return directive(construct);
  if (llvm::isa<GotoStmt>(each) || llvm::isa<LabelStmt>(each)) refuse(each, "goto is not translated");
  refuse(each, std::string("a statement of this kind (") + each->getStmtClassName() + ") is not translated");
}

void KernelPrinter::directive(const OMPExecutableDirective* each) {
  if (const auto* section = llvm::dyn_cast<OMPCriticalDirective>(each)) return critical(section);
  if (const auto* update = llvm::dyn_cast<OMPAtomicDirective>(each)) return atomic(update);
  if (llvm::isa<OMPSimdDirective>(each)) return statement(statement_of(each));
  if (llvm::isa<OMPFlushDirective>(each))
    return line(is_cuda() ? "__threadfence();" : "mem_fence(CLK_GLOBAL_MEM_FENCE);");
  throw Untranslatable{each->getBeginLoc(), "an OpenMP construct inside of it is not translated"};
}

void KernelPrinter::critical(const OMPCriticalDirective* each) {
  if (!has_locks_)
    throw Untranslatable{each->getBeginLoc(), "a function that the loop calls has a critical section"};
  const std::string name = each->getDirectiveName().getAsString();
  const auto number = std::find(locks_.begin(), locks_.end(), name) - locks_.begin();
  const std::string lock = fmt::format("&hoist_locks[{}]", number);
  const std::string fence = is_cuda() ? "__threadfence();" : "mem_fence(CLK_GLOBAL_MEM_FENCE);";
  line("for (int hoist_waits = 1; hoist_waits;) { /* critical */");
  ++depth_;
  line(is_cuda() ? "if (atomicCAS(" + lock + ", 0, 1) == 0) {"
                 : "if (atomic_cmpxchg(" + lock + ", 0, 1) == 0) {");
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

void KernelPrinter::atomic(const OMPAtomicDirective* each) {
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
      if (!state_.atomics.can_update(element))
        throw Untranslatable{each->getBeginLoc(), "devices have no atomic operations on '" + element + "'"};
      text = state_.atomics.update(element, form.operation, form.is_reversed, place, value);
      if (form.result) {
        if (!form.takes_new) {
          text = lvalue(form.result) + " = " + text;
        } else {
          const std::string old = "(" + text + ")";
          const std::string operand = grouped(value);
          text = lvalue(form.result) + " = " +
                 (form.is_reversed ? operand + " " + form.operation + " " + old
                                   : old + " " + form.operation + " " + operand);
        }
      }
      break;
  }
  line(text + ";");
}

}  // namespace hoist::openmp
