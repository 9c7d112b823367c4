// Reading a loop: its range, and what each variable is to it.
//
// A variable that the loop uses is one of these. What it declares inside is its own. A clause says private,
// firstprivate, lastprivate or reduction. Arrays and pointers are read and written by element. Of the rest,
// what the loop only reads is passed by value. What it changes is harder, for one execution must be right
// whatever the order: changed inside of critical or atomic constructs alone, or only written, it becomes
// memory on the device. A variable of the thread (private to the parallel region around) that only gathers a
// sum is a reduction; one that every iteration writes before it reads is private. Whatever is left depends on
// the order of iterations, and the loop stays on the host.
#include "openmp/loop.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/OpenMPClause.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <functional>

#include "openmp/variable_use.hpp"

namespace hoist::openmp {

using namespace clang;

std::optional<CanonicalLoop> canonical_loop(const ForStmt* statement) {
  CanonicalLoop loop;
  loop.statement = statement;
  if (const auto* declaration = llvm::dyn_cast_or_null<DeclStmt>(statement->getInit())) {
    if (!declaration->isSingleDecl()) return std::nullopt;
    loop.iterator = llvm::dyn_cast<VarDecl>(declaration->getSingleDecl());
    if (!loop.iterator) return std::nullopt;
    loop.from = loop.iterator->getInit();
  } else if (const auto* assignment = llvm::dyn_cast_or_null<BinaryOperator>(statement->getInit())) {
    if (assignment->getOpcode() != BO_Assign) return std::nullopt;
    loop.iterator = variable_of(assignment->getLHS());
    loop.from = assignment->getRHS();
  }
  if (!loop.iterator || !loop.from || !loop.iterator->getType()->isIntegerType()) return std::nullopt;

  // How it goes on.
  const Expr* increment = plain(statement->getInc());
  if (const auto* unary = llvm::dyn_cast_or_null<UnaryOperator>(increment)) {
    if (!unary->isIncrementDecrementOp() || variable_of(unary->getSubExpr()) != loop.iterator)
      return std::nullopt;
    loop.goes_up = unary->isIncrementOp();
  } else if (const auto* binary = llvm::dyn_cast_or_null<BinaryOperator>(increment)) {
    if (variable_of(binary->getLHS()) != loop.iterator) return std::nullopt;
    BinaryOperatorKind operation = binary->getOpcode();
    loop.step = binary->getRHS();
    if (operation == BO_Assign) {
      const auto* sum = llvm::dyn_cast<BinaryOperator>(plain(binary->getRHS()));
      if (!sum || (sum->getOpcode() != BO_Add && sum->getOpcode() != BO_Sub)) return std::nullopt;
      operation = sum->getOpcode() == BO_Add ? BO_AddAssign : BO_SubAssign;
      if (variable_of(sum->getLHS()) == loop.iterator) {
        loop.step = sum->getRHS();
      } else if (variable_of(sum->getRHS()) == loop.iterator && sum->getOpcode() == BO_Add) {
        loop.step = sum->getLHS();
      } else {
        return std::nullopt;
      }
    }
    if (operation != BO_AddAssign && operation != BO_SubAssign) return std::nullopt;
    loop.goes_up = operation == BO_AddAssign;
  } else {
    return std::nullopt;
  }

  // When it ends.
  const auto* condition = llvm::dyn_cast_or_null<BinaryOperator>(plain(statement->getCond()));
  while (condition && condition->getOpcode() == BO_LAnd) {
    loop.has_further_condition = true;
    const auto* left = llvm::dyn_cast<BinaryOperator>(plain(condition->getLHS()));
    const auto* right = llvm::dyn_cast<BinaryOperator>(plain(condition->getRHS()));
    const bool is_left =
        left && (left->getOpcode() == BO_LAnd || variable_of(left->getLHS()) == loop.iterator);
    condition = is_left ? left : right;
  }
  if (!condition || !condition->isComparisonOp()) return std::nullopt;
  BinaryOperatorKind comparison = condition->getOpcode();
  loop.bound = condition->getRHS();
  if (variable_of(condition->getLHS()) != loop.iterator) {
    if (variable_of(condition->getRHS()) != loop.iterator) return std::nullopt;
    loop.bound = condition->getLHS();
    comparison = BinaryOperator::reverseComparisonOp(comparison);
  }
  if (comparison == BO_EQ || (comparison == BO_NE && loop.step)) return std::nullopt;
  loop.includes_bound = comparison == BO_LE || comparison == BO_GE;
  if (comparison != BO_NE && (comparison == BO_LT || comparison == BO_LE) != loop.goes_up)
    return std::nullopt;
  return loop;
}

namespace {

std::string reduction_operation(const OMPReductionClause* clause) {
  const DeclarationName name = clause->getNameInfo().getName();
  if (name.getNameKind() == DeclarationName::CXXOperatorName) {
    switch (name.getCXXOverloadedOperator()) {
      case OO_Plus:
      case OO_Minus:
        return "+";
      case OO_Star:
        return "*";
      case OO_Amp:
        return "&";
      case OO_Pipe:
        return "|";
      case OO_Caret:
        return "^";
      case OO_AmpAmp:
        return "&&";
      case OO_PipePipe:
        return "||";
      default:
        return {};
    }
  }
  const std::string text = name.getAsString();
  return text == "min" || text == "max" ? text : std::string();
}

/// The clauses of one directive.
struct Clauses {
  std::set<const VarDecl*> privates, firsts, lasts;
  std::vector<Reduction> reductions;
};

Clauses read_clauses(const OMPExecutableDirective* directive, std::vector<Remark>& remarks) {
  Clauses read;
  const auto variables = [](const auto* clause) {
    std::vector<const VarDecl*> found;
    for (const Expr* each : clause->varlists()) {
      const VarDecl* variable = variable_of(each);
      if (!variable) throw Untranslatable{each->getExprLoc(), "a clause names a part of an array"};
      found.push_back(variable);
    }
    return found;
  };
  for (const OMPClause* clause : directive->clauses()) {
    if (const auto* each = llvm::dyn_cast<OMPPrivateClause>(clause)) {
      for (const VarDecl* variable : variables(each)) read.privates.insert(variable);
    } else if (const auto* first = llvm::dyn_cast<OMPFirstprivateClause>(clause)) {
      for (const VarDecl* variable : variables(first)) read.firsts.insert(variable);
    } else if (const auto* last = llvm::dyn_cast<OMPLastprivateClause>(clause)) {
      for (const VarDecl* variable : variables(last)) read.lasts.insert(variable);
    } else if (const auto* reduction = llvm::dyn_cast<OMPReductionClause>(clause)) {
      const std::string operation = reduction_operation(reduction);
      if (operation.empty())
        throw Untranslatable{clause->getBeginLoc(),
                             "its reduction is by an operation that the program declares"};
      for (const VarDecl* variable : variables(reduction)) {
        if (is_pointer_or_array(variable->getType()))
          throw Untranslatable{clause->getBeginLoc(), "its reduction is of an array"};
        read.reductions.push_back({variable, operation});
      }
    } else if (llvm::isa<OMPScheduleClause>(clause)) {
      remarks.push_back({clause->getBeginLoc(), "schedule is ignored: the device shares out the iterations"});
    } else if (llvm::isa<OMPNumThreadsClause>(clause)) {
      remarks.push_back({clause->getBeginLoc(), "num_threads is ignored: the device has its own number"});
    } else if (llvm::isa<OMPOrderedClause>(clause)) {
      throw Untranslatable{clause->getBeginLoc(), "ordered asks for one iteration after the other"};
    } else if (llvm::isa<OMPLinearClause>(clause)) {
      throw Untranslatable{clause->getBeginLoc(), "linear is not translated"};
    }
  }
  return read;
}

bool mentions(const Expr* expression, const std::set<const VarDecl*>& variables) {
  if (const VarDecl* variable = variable_of(expression)) return variables.count(variable) > 0;
  for (const Stmt* child : expression->children()) {
    const auto* each = llvm::dyn_cast_or_null<Expr>(child);
    if (each && mentions(each, variables)) return true;
  }
  return false;
}

/// The loops that a collapse clause joins, as long as the inner ones do not depend on the outer ones.
void read_loops(Loop& loop, const Stmt* statement, unsigned count) {
  std::set<const VarDecl*> iterators;
  for (unsigned depth = 0; depth < count; ++depth) {
    while (const auto* block = llvm::dyn_cast_or_null<CompoundStmt>(statement)) {
      if (block->size() != 1)
        throw Untranslatable{block->getBeginLoc(), "the collapsed loops have code between them"};
      statement = *block->body_begin();
    }
    const auto* nested = llvm::dyn_cast_or_null<ForStmt>(statement);
    const auto read = nested ? canonical_loop(nested) : std::nullopt;
    if (!read || read->has_further_condition) {
      if (depth > 0) break;
      throw Untranslatable{statement ? statement->getBeginLoc() : SourceLocation(),
                           "the loop's bound is not known before it, or it does not count by whole numbers"};
    }
    const bool depends = mentions(read->from, iterators) || mentions(read->bound, iterators) ||
                         (read->step && mentions(read->step, iterators));
    if (depends) {
      loop.remarks.push_back(
          {nested->getBeginLoc(), "collapse ends before this loop, whose range depends on the outer one"});
      break;
    }
    iterators.insert(read->iterator);
    loop.loops.push_back(*read);
    statement = nested->getBody();
  }
  loop.body = statement;
}

void name_variables(Loop& loop) {
  std::set<std::string> taken;
  const auto name = [&](const VarDecl* variable) {
    if (loop.names.count(variable)) return;
    const std::string wanted = kernel_name(variable->getNameAsString());
    std::string free = wanted;
    for (int number = 2; !taken.insert(free).second; ++number) free = wanted + "_" + std::to_string(number);
    loop.names[variable] = free;
  };
  for (const CanonicalLoop& each : loop.loops) name(each.iterator);
  for (const VarDecl* each : loop.arrays) name(each);
  for (const VarDecl* each : loop.values) name(each);
  for (const VarDecl* each : loop.changed) name(each);
  for (const VarDecl* each : loop.privates) name(each);
  for (const Reduction& each : loop.reductions) name(each.variable);
}

RangePart range_part(const Expr* expression, const std::string& name, ASTContext& context) {
  Expr::EvalResult constant;
  if (expression->EvaluateAsInt(constant, context))
    return {llvm::toString(constant.Val.getInt(), 10), nullptr};
  return {name, expression};
}

}  // namespace

RangePart first_value(const CanonicalLoop& loop, const Loop& of, ASTContext& context) {
  return range_part(loop.from, of.names.at(loop.iterator) + "_from", context);
}

RangePart step(const CanonicalLoop& loop, const Loop& of, ASTContext& context) {
  if (!loop.step) return {"1", nullptr};
  return range_part(loop.step, of.names.at(loop.iterator) + "_step", context);
}

std::string kernel_name(const std::string& name) {
  static const std::set<std::string> words = {
      "kernel",     "global",    "local",   "constant", "private",   "generic",  "read_only", "write_only",
      "read_write", "uniform",   "pipe",    "half",     "quad",      "complex",  "imaginary", "bool",
      "uchar",      "ushort",    "uint",    "ulong",    "sampler_t", "event_t",  "image2d_t", "image3d_t",
      "vec_step",   "class",     "new",     "delete",   "this",      "template", "typename",  "operator",
      "public",     "protected", "friend",  "virtual",  "namespace", "using",    "try",       "catch",
      "throw",      "true",      "false",   "and",      "or",        "not",      "xor",       "explicit",
      "mutable",    "export",    "asm",     "typeof",   "NULL",      "NAN",      "INFINITY",  "threadIdx",
      "blockIdx",   "blockDim",  "gridDim", "warpSize", "isnan",     "isinf"};
  static const std::set<std::string> vectors = {"char", "uchar", "short", "ushort", "int",
                                                "uint", "long",  "ulong", "float",  "double"};
  const auto digits = name.find_first_of("0123456789");
  const bool is_vector = digits != std::string::npos && vectors.count(name.substr(0, digits)) &&
                         name.find_first_not_of("0123456789", digits) == std::string::npos;
  return words.count(name) || is_vector ? name + "_" : name;
}

Loop read_loop(const OMPLoopDirective* directive, const FunctionDecl* function,
               const ThreadVariables& of_thread) {
  Loop loop;
  loop.directive = directive;
  loop.function = function;
  const Clauses clauses = read_clauses(directive, loop.remarks);
  read_loops(loop, statement_of(directive), directive->getLoopsNumber());
  loop.reductions = clauses.reductions;
  std::set<const VarDecl*> done;
  for (const Reduction& each : loop.reductions) done.insert(each.variable);

  std::set<const VarDecl*> counters;
  for (const CanonicalLoop& each : loop.loops) counters.insert(each.iterator);
  LoopUses used = collect_uses(loop.body, counters);
  loop.locks = used.locks;
  if (loop.locks.size() > 64)
    throw Untranslatable{directive->getBeginLoc(), "it has more than 64 names of critical sections"};
  const SourceLocation where = directive->getBeginLoc();
  // The collection has more variables in the types of those that it found.
  for (std::size_t i = 0; i < used.order.size(); ++i) {
    const VarDecl* variable = used.order[i];
    if (done.count(variable)) continue;
    const Uses& uses = used.uses[variable];
    const std::string name = variable->getNameAsString();
    const bool is_last = clauses.lasts.count(variable) > 0;
    if (clauses.privates.count(variable) || (is_last && !clauses.firsts.count(variable))) {
      loop.privates.push_back(variable);
      if (is_last) loop.lasts.push_back(variable);
      continue;
    }
    if (is_pointer_or_array(variable->getType())) {
      if (uses.is_written)
        throw Untranslatable{uses.first_write,
                             "it changes the pointer '" + name + "', which all iterations share"};
      if (clauses.firsts.count(variable) && variable->getType()->isArrayType())
        throw Untranslatable{
            where, "the array '" + name + "' is firstprivate: each iteration would need a copy of it"};
      if (is_threadprivate(variable))
        throw Untranslatable{where, "the array '" + name + "' is threadprivate"};
      loop.arrays.push_back(variable);
      if (uses.in_critical) loop.watched.insert(variable);
      continue;
    }
    if (clauses.firsts.count(variable)) {
      loop.values.push_back(variable);
      loop.firsts.insert(variable);
      if (is_last) loop.lasts.push_back(variable);
      continue;
    }
    if (!uses.is_written && !uses.is_address_taken) {
      loop.values.push_back(variable);
      continue;
    }
    if (variable->isStaticLocal() && variable->getParentFunctionOrMethod() != function) {
      throw Untranslatable{uses.first_write.isValid() ? uses.first_write : where,
                           "'" + name + "' keeps its value between calls"};
    }
    const bool is_of_thread = of_thread.count(variable) || is_threadprivate(variable);
    if (is_of_thread || (uses.is_written_openly && (uses.is_read_openly || uses.is_address_taken))) {
      const auto gathered = is_of_thread ? gathering_operation(loop.body, variable) : std::nullopt;
      if (gathered && variable->getType()->isArithmeticType()) {
        loop.reductions.push_back({variable, *gathered});
      } else if (!uses.is_address_taken && is_written_first(loop.body, variable)) {
        loop.privates.push_back(variable);
        if (!is_of_thread) {
          loop.lasts.push_back(variable);
          loop.remarks.push_back(
              {uses.first_write, "all iterations write '" + name +
                                     "', which they share: a race in OpenMP; each gets its own here"});
        }
      } else {
        throw Untranslatable{uses.first_write.isValid() ? uses.first_write : where,
                             "iterations depend on each other through '" + name +
                                 "', which is neither private nor protected by critical or atomic"};
      }
      continue;
    }
    loop.changed.push_back(variable);
  }
  for (const VarDecl* each : clauses.lasts) {
    for (const CanonicalLoop& counted : loop.loops) {
      if (counted.iterator == each)
        throw Untranslatable{where, "the loop's counter '" + each->getNameAsString() + "' is lastprivate"};
    }
    if (each->getType()->isArrayType())
      throw Untranslatable{where, "the array '" + each->getNameAsString() + "' is lastprivate"};
  }
  name_variables(loop);
  return loop;
}

}  // namespace hoist::openmp
