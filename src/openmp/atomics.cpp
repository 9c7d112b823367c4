#include "openmp/atomics.hpp"

#include <clang/AST/OpenMPClause.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "openmp/loop.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

bool is_same(const Expr* a, const Expr* b, const ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  plain(a)->Profile(first, context, true);
  plain(b)->Profile(second, context, true);
  return first == second;
}

/// How a statement updates a place: x++, x += e, x = x + e, x = e + x. Nothing when it does not.
std::optional<AtomicForm> update_form(const Stmt* statement, const ASTContext& context) {
  const auto* expression = llvm::dyn_cast_or_null<Expr>(statement);
  if (!expression) return std::nullopt;
  expression = plain(expression);
  AtomicForm form;
  if (const auto* unary = llvm::dyn_cast<UnaryOperator>(expression);
      unary && unary->isIncrementDecrementOp()) {
    form.place = unary->getSubExpr();
    form.operation = unary->isIncrementOp() ? "+" : "-";
    form.takes_new = unary->isPrefix();
    return form;
  }
  const auto* binary = llvm::dyn_cast<BinaryOperator>(expression);
  if (!binary || !binary->isAssignmentOp()) return std::nullopt;
  form.place = binary->getLHS();
  form.takes_new = true;
  if (binary->isCompoundAssignmentOp()) {
    form.operation =
        BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(binary->getOpcode())).str();
    form.value = binary->getRHS();
    return form;
  }
  const auto* sum = llvm::dyn_cast<BinaryOperator>(plain(binary->getRHS()));
  if (!sum) return std::nullopt;
  form.operation = sum->getOpcodeStr().str();
  if (is_same(sum->getLHS(), form.place, context)) {
    form.value = sum->getRHS();
    return form;
  }
  if (is_same(sum->getRHS(), form.place, context)) {
    form.value = sum->getLHS();
    form.is_reversed = true;
    return form;
  }
  return std::nullopt;
}

const BinaryOperator* assignment(const Stmt* statement) {
  const auto* expression = llvm::dyn_cast_or_null<Expr>(statement);
  const auto* binary = expression ? llvm::dyn_cast<BinaryOperator>(plain(expression)) : nullptr;
  return binary && binary->getOpcode() == BO_Assign ? binary : nullptr;
}

/// `v = x++`, `{ v = x; x += e; }`, `{ x += e; v = x; }`.
std::optional<AtomicForm> capture_form(const Stmt* statement, const ASTContext& context) {
  if (const auto* block = llvm::dyn_cast<CompoundStmt>(statement)) {
    if (block->size() != 2) return std::nullopt;
    const Stmt* first = block->body_front();
    const Stmt* second = block->body_back();
    for (const bool is_old : {true, false}) {
      const BinaryOperator* copy = assignment(is_old ? first : second);
      auto form = update_form(is_old ? second : first, context);
      if (!copy || !form || !is_same(copy->getRHS(), form->place, context)) continue;
      form->result = copy->getLHS();
      form->takes_new = !is_old;
      return form;
    }
    return std::nullopt;
  }
  const BinaryOperator* copy = assignment(statement);
  if (!copy) return std::nullopt;
  auto form = update_form(copy->getRHS(), context);
  if (form) form->result = copy->getLHS();
  return form;
}

std::string word(const std::string& operation) {
  static const std::map<std::string, std::string> words = {
      {"+", "add"},          {"-", "subtract"}, {"*", "multiply"}, {"/", "divide"},
      {"&", "and"},          {"|", "or"},       {"^", "xor"},      {"<<", "shift_left"},
      {">>", "shift_right"}, {"&&", "both"},    {"||", "either"}};
  const auto found = words.find(operation);
  return found == words.end() ? std::string() : found->second;
}

bool is_eight_bytes(const std::string& type) {
  return type == "double" || type == "long" || type == "unsigned long";
}

std::string underscored(std::string type) {
  std::replace(type.begin(), type.end(), ' ', '_');
  return type;
}

}  // namespace

AtomicForm atomic_form(const OMPAtomicDirective* directive, const ASTContext& context) {
  const Stmt* statement = statement_of(directive);
  bool reads = false, writes = false, captures = false;
  for (const OMPClause* clause : directive->clauses()) {
    reads |= llvm::isa<OMPReadClause>(clause);
    writes |= llvm::isa<OMPWriteClause>(clause);
    captures |= llvm::isa<OMPCaptureClause>(clause);
  }
  if (const auto* block = llvm::dyn_cast<CompoundStmt>(statement); block && block->size() == 1)
    statement = block->body_front();
  std::optional<AtomicForm> form;
  if (reads || writes) {
    const BinaryOperator* copy = assignment(statement);
    if (copy) {
      form.emplace();
      form->kind = reads ? AtomicForm::Read : AtomicForm::Write;
      form->place = reads ? plain(copy->getRHS()) : copy->getLHS();
      form->value = reads ? nullptr : copy->getRHS();
      form->result = reads ? copy->getLHS() : nullptr;
    }
  } else {
    form = captures ? capture_form(statement, context) : update_form(statement, context);
  }
  if (!form || (form->kind == AtomicForm::Update && word(form->operation).empty())) {
    throw Untranslatable{directive->getBeginLoc(), "an atomic construct of this form is not translated"};
  }
  return *form;
}

std::string Atomics::read(const std::string& type, const std::string& place) const {
  return "*(volatile " + std::string(is_cuda_ ? "" : "global ") + type + " *)(" + place + ")";
}

std::string Atomics::write(const std::string& type, const std::string& place,
                           const std::string& value) const {
  return read(type, place) + " = " + value;
}

bool Atomics::can_update(const std::string& type) const {
  return is_eight_bytes(type) || type == "int" || type == "unsigned int" || type == "float";
}

std::string Atomics::update(const std::string& type, const std::string& operation, bool is_reversed,
                            const std::string& place, const std::string& value) {
  const std::string name =
      "hoist_atomic_" + word(operation) + (is_reversed ? "_from_" : "_") + underscored(type);
  const bool is_long = is_eight_bytes(type);
  uses_long_ |= is_long;
  const std::string bits = is_cuda_  ? (is_long ? "unsigned long long" : "unsigned int")
                           : is_long ? "unsigned long"
                                     : "unsigned int";
  const std::string exchange = is_cuda_ ? "atomicCAS" : is_long ? "atom_cmpxchg" : "atomic_cmpxchg";
  const std::string space = is_cuda_ ? "volatile " : "volatile global ";
  functions_[name] = fmt::format(
      R"({0}{1} {2}({3}{1} *place, {1} value) {{
  union {{ {4} bits; {1} value; }} old, next;
  do {{
    old.value = *place;
    next.value = {5};
  }} while ({6}(({7}{4} *)place, old.bits, next.bits) != old.bits);
  return old.value;
}}

)",
      is_cuda_ ? "__device__ " : "", type, name, space, bits,
      is_reversed ? "value " + operation + " old.value" : "old.value " + operation + " value", exchange,
      is_cuda_ ? "" : space);
  return name + "(" + place + ", " + value + ")";
}

std::string Atomics::definitions() const {
  std::string text;
  if (uses_long_ && !is_cuda_) text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n\n";
  for (const auto& [name, function] : functions_) text += function;
  return text;
}

std::string identity(const std::string& operation, const std::string& type) {
  const bool is_real = type == "double" || type == "float";
  if (operation == "*" || operation == "&&") return "1";
  if (operation == "&") return "~(" + type + ")0";
  if (operation == "min" || operation == "max") {
    const bool is_min = operation == "min";
    if (is_real) return is_min ? "INFINITY" : "-INFINITY";
    static const std::map<std::string, std::pair<std::string, std::string>> limits = {
        {"char", {"127", "-128"}},
        {"signed char", {"127", "-128"}},
        {"unsigned char", {"255", "0"}},
        {"short", {"32767", "-32768"}},
        {"unsigned short", {"65535", "0"}},
        {"int", {"2147483647", "-2147483647 - 1"}},
        {"unsigned int", {"4294967295u", "0"}},
        {"long", {"9223372036854775807L", "-9223372036854775807L - 1"}},
        {"unsigned long", {"18446744073709551615uL", "0"}}};
    const auto& [most, least] = limits.at(type);
    return is_min ? most : least;
  }
  return "0";
}

std::string combined(const std::string& operation, const std::string& a, const std::string& b) {
  if (operation == "min") return "(" + b + " < " + a + " ? " + b + " : " + a + ")";
  if (operation == "max") return "(" + b + " > " + a + " ? " + b + " : " + a + ")";
  return a + " " + operation + " " + b;
}

std::string pointer_to(const std::string& lvalue) {
  if (lvalue.size() > 3 && lvalue.compare(0, 2, "(*") == 0 && lvalue.find('(', 2) == std::string::npos) {
    return lvalue.substr(2, lvalue.size() - 3);
  }
  return "&" + lvalue;
}

}  // namespace hoist::openmp
