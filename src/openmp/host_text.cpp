// The arguments of a kernel, in the order of kernel_text.cpp, three times: as members of a structure, as
// calls of the run time in the task function, and as the values that the structure gets before the loop.
#include "openmp/host_text.hpp"

#include <clang/AST/Attr.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "openmp/atomics.hpp"

namespace hoist::openmp {

using namespace clang;

std::string source_text(const Stmt* statement, const ASTContext& context) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  statement->printPretty(stream, nullptr, PrintingPolicy(context.getLangOpts()));
  return stream.str();
}

namespace {

class HostPrinter {
 public:
  HostPrinter(const Loop& loop, const Accesses& accesses, bool is_cuda, ASTContext& context)
      : loop_(loop), accesses_(accesses), is_cuda_(is_cuda), context_(context) {}

  HostText print(const std::string& kernels) {
    windows_ = windows_of(loop_, accesses_);
    arrays();
    values();
    ranges();
    changed();
    reductions();
    if (!loop_.locks.empty())
      told_ += "  hoist_locks(hoist_of, " + std::to_string(loop_.locks.size()) + ");\n";
    HostText text;
    text.definitions = definitions(kernels);
    text.call = call();
    text.end = end();
    return text;
  }

 private:
  std::string name(const VarDecl* variable) const { return loop_.names.at(variable); }

  /// The type of a variable at the top of the file.
  std::string type(QualType type) const {
    type = type.getUnqualifiedType();
    if (const auto* record = type->getAs<RecordType>()) {
      const RecordDecl* declaration = record->getDecl();
      if (declaration->getParentFunctionOrMethod()) {
        throw Untranslatable{loop_.directive->getBeginLoc(),
                             "a structure that is declared inside of a function is used"};
      }
      if (declaration->getName().empty()) {
        if (const TypedefNameDecl* named = declaration->getTypedefNameForAnonDecl())
          return named->getNameAsString();
        return {};
      }
      return (declaration->isUnion() ? "union " : "struct ") + declaration->getNameAsString();
    }
    PrintingPolicy policy(context_.getLangOpts());
    policy.Bool = false;
    return type.getCanonicalType().getUnqualifiedType().getAsString(policy);
  }
  /// The same, by the variable where the type has no name.
  std::string type_of(const VarDecl* variable) const {
    const std::string text = type(variable->getType());
    if (!text.empty()) return text;
    if (!is_global(variable) || variable->isStaticLocal()) {
      throw Untranslatable{loop_.directive->getBeginLoc(), "a structure without a name is used"};
    }
    return "__typeof__(" + variable->getNameAsString() + ")";
  }

  void member(const std::string& text) { members_ += "  " + text + ";\n"; }
  void give(const std::string& member, const std::string& value) {
    given_ += "    ." + member + " = " + value + ",\n";
  }

  void arrays() {
    for (const VarDecl* array : loop_.arrays) {
      member("void *" + name(array));
      give(name(array), "(void *)" + array->getNameAsString());
      const std::string bytes = known_bytes(array);
      if (!bytes.empty()) {
        member("size_t " + name(array) + "_bytes");
        give(name(array) + "_bytes", bytes);
      }
      const QualType element = innermost_element(array->getType());
      const std::string element_type = type(element);
      const std::string size = element_type.empty()
                                   ? std::to_string(context_.getTypeSizeInChars(element).getQuantity())
                                   : "sizeof(" + element_type + ")";
      told_ += fmt::format("  hoist_array(hoist_of, hoist_given->{}, {}, {});\n", name(array), size,
                           bytes.empty() ? "0" : "hoist_given->" + name(array) + "_bytes");
      for (const Window& window : windows_) {
        if (window.array == array) tell(window);
      }
    }
  }

  void tell(const Window& window) {
    for (const std::string& each : window.assumed) {
      if (std::find(assumed_.begin(), assumed_.end(), each) == assumed_.end()) assumed_.push_back(each);
    }
    std::string guard;
    for (const std::string& each : window.guard) guard += (guard.empty() ? "" : " && ") + each;
    std::string text = guard.empty() ? "  " : "  if (" + guard + ") ";
    text += window.function + "(hoist_of";
    if (!window.low.empty()) text += ", " + window.low + ", " + window.high;
    told_ += text + ");\n";
  }

  /// What a declaration says of an array's size.
  std::string known_bytes(const VarDecl* array) const {
    const std::string name = array->getNameAsString();
    if (array->getType()->isArrayType()) {
      return array->getType()->isIncompleteType() ? "" : "sizeof " + name;
    }
    const auto* parameter = llvm::dyn_cast<ParmVarDecl>(array);
    const QualType written = parameter ? parameter->getOriginalType() : QualType();
    if (!parameter || !written->isArrayType()) return {};
    const auto* outer = context_.getAsArrayType(written);
    if (const auto* constant = llvm::dyn_cast<ConstantArrayType>(outer)) {
      return std::to_string(constant->getSize().getZExtValue()) + " * sizeof *" + name;
    }
    const auto* variable = llvm::dyn_cast<VariableArrayType>(outer);
    if (!variable || !variable->getSizeExpr() || is_changed_before(variable->getSizeExpr())) return {};
    return "(size_t)(" + source_text(variable->getSizeExpr(), context_) + ") * sizeof *" + name;
  }
  /// Parameters that the function assigns to are no sizes any more.
  bool is_changed_before(const Expr* size) const {
    const std::function<bool(const Stmt*, const VarDecl*)> assigns = [&](const Stmt* statement,
                                                                         const VarDecl* variable) {
      if (!statement) return false;
      if (const auto* binary = llvm::dyn_cast<BinaryOperator>(statement);
          binary && binary->isAssignmentOp() && variable_of(binary->getLHS()) == variable)
        return true;
      if (const auto* unary = llvm::dyn_cast<UnaryOperator>(statement);
          unary && unary->isIncrementDecrementOp() && variable_of(unary->getSubExpr()) == variable)
        return true;
      return std::any_of(statement->child_begin(), statement->child_end(),
                         [&](const Stmt* child) { return assigns(child, variable); });
    };
    const std::function<bool(const Stmt*)> uses = [&](const Stmt* statement) {
      if (!statement) return false;
      const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement);
      const auto* variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
      if (variable && assigns(loop_.function->getBody(), variable)) return true;
      return std::any_of(statement->child_begin(), statement->child_end(), uses);
    };
    return uses(size);
  }

  void values() {
    // Numbers that only the ranges of arrays need are members, and no arguments.
    for (const VarDecl* value : loop_.values) {
      member(type_of(value) + " " + name(value));
      give(name(value), value->getNameAsString());
      told_ +=
          fmt::format("  hoist_value(hoist_of, &hoist_given->{0}, sizeof hoist_given->{0});\n", name(value));
    }
  }

  void argument(const std::string& name, const std::string& value) {
    member("long " + name);
    give(name, value);
    told_ += fmt::format("  hoist_value(hoist_of, &hoist_given->{0}, sizeof hoist_given->{0});\n", name);
  }

  std::string text(const Expr* expression) const {
    return "(long)(" + source_text(expression, context_) + ")";
  }

  /// The number of rounds of a loop.
  std::string rounds(const CanonicalLoop& each) const {
    const std::string length = each.goes_up ? text(each.bound) + " - " + text(each.from)
                                            : text(each.from) + " - " + text(each.bound);
    const std::string inclusive = each.includes_bound ? " + 1" : "";
    if (!each.step) return length + inclusive;
    const std::string by = text(each.step);
    return "(" + length + inclusive + " + " + by + " - 1) / " + by;
  }

  void ranges() {
    for (std::size_t i = 0; i < loop_.loops.size(); ++i) {
      const CanonicalLoop& each = loop_.loops[i];
      const RangePart from = first_value(each, loop_, context_), by = step(each, loop_, context_);
      if (from.argument) argument(from.text, text(from.argument));
      if (by.argument) argument(by.text, text(by.argument));
      if (i > 0) argument(name(each.iterator) + "_count", rounds(each));
    }
    if (!loop_.lasts.empty()) argument("hoist_iterations", rounds(loop_.loops.front()));
  }

  void changed() {
    for (const VarDecl* each : loop_.changed) {
      member(type_of(each) + " *" + name(each));
      give(name(each), "&" + each->getNameAsString());
      told_ += fmt::format("  hoist_variable(hoist_of, hoist_given->{0}, sizeof *hoist_given->{0});\n",
                           name(each));
    }
    for (const VarDecl* each : loop_.lasts) {
      member(type_of(each) + " *" + name(each) + "_last");
      give(name(each) + "_last", "&" + each->getNameAsString());
      told_ += fmt::format(
          "  hoist_variable(hoist_of, hoist_given->{0}_last, sizeof *hoist_given->{0}_last);\n", name(each));
    }
  }

  void reductions() {
    for (std::size_t i = 0; i < loop_.reductions.size(); ++i) {
      const Reduction& each = loop_.reductions[i];
      const std::string element = type(each.variable->getType());
      member(element + " *" + name(each.variable));
      give(name(each.variable), "&" + each.variable->getNameAsString());
      told_ += fmt::format("  hoist_reduction(hoist_of, sizeof *hoist_given->{});\n", name(each.variable));
      const std::string place = "*hoist_loop->" + name(each.variable), part = "hoist_values[i]";
      combining_ += fmt::format(
          "  if (hoist_number == {}) {{\n    const {} *const hoist_values = hoist_parts;\n    for (size_t i "
          "= 0; i < hoist_count; ++i) {} = {};\n  }}\n",
          i, element, place, combined(each.operation, place, part));
    }
  }

  std::string definitions(const std::string& kernels) const {
    const std::string& id = loop_.name;
    std::string text = "/* " + loop_.place +
                       " on the device: what the loop takes, and what of it a task of some iterations. */\n";
    text += "struct " + id + " {\n" + (members_.empty() ? "  char hoist_nothing;\n" : members_) + "};\n";
    text += "static void " + id +
            "_task(const void *hoist_all, long hoist_first, long hoist_last, hoist_task *hoist_of) {\n";
    text += "  const struct " + id + " *const hoist_given = hoist_all;\n";
    const auto used = variables_of(accesses_);
    for (const VarDecl* each : used) {
      const bool is_number = each->getType()->isIntegerType();
      const bool appears = is_number && mentions(told_, name(each));
      if (appears || (is_number && std::any_of(assumed_.begin(), assumed_.end(), [&](const std::string& a) {
                        return mentions(a, name(each));
                      }))) {
        text += "  const long " + name(each) + " = (long)hoist_given->" + name(each) + ";\n";
      }
    }
    for (const std::string& each : assumed_) text += "  hoist_assume(hoist_of, " + each + ");\n";
    text += "  (void)hoist_given, (void)hoist_first, (void)hoist_last;\n";
    text += told_ + "}\n";
    if (!combining_.empty()) {
      text += "static void " + id +
              "_combine(const void *hoist_all, int hoist_number, const void *hoist_parts, size_t "
              "hoist_count) {\n";
      text += "  const struct " + id + " *const hoist_loop = hoist_all;\n" + combining_ + "}\n";
    }
    text += "static const hoist_loop " + id + "_loop = {\"" + id + "\", \"" + loop_.place + "\", " + kernels +
            ", " + id + "_task, " + (combining_.empty() ? "NULL" : id + "_combine") + ", " +
            (loop_.is_repeated ? "1" : "0") + "};\n";
    return text;
  }

  static bool mentions(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto is_part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '>' || c == '.';
      };
      const bool before = at > 0 && is_part(text[at - 1]);
      const bool after =
          at + word.size() < text.size() &&
          (std::isalnum(static_cast<unsigned char>(text[at + word.size()])) || text[at + word.size()] == '_');
      if (!before && !after) return true;
    }
    return false;
  }

  std::string call() const {
    const std::string& id = loop_.name;
    std::string inner;
    for (std::size_t i = 1; i < loop_.loops.size(); ++i)
      inner += (inner.empty() ? "" : " * ") + ("hoist_given." + name(loop_.loops[i].iterator)) + "_count";
    std::string text = "{ /* on the device, as " + id + "; where it stands when that cannot be */\n";
    text += "  const struct " + id + " hoist_given = {\n" + (given_.empty() ? "    0\n" : given_) + "  };\n";
    text += "  if (!hoist_run(&" + id + "_loop, &hoist_given, " + rounds(loop_.loops.front()) + ", " +
            (inner.empty() ? "1" : inner) + ")) {\n";
    return text;
  }

  std::string end() const { return "\n  }\n}"; }

  const Loop& loop_;
  const Accesses& accesses_;
  bool is_cuda_;
  ASTContext& context_;
  std::vector<Window> windows_;
  std::vector<std::string> assumed_;
  std::string members_, given_, told_, combining_;
};

}  // namespace

HostText host_text(const Loop& loop, const Accesses& accesses, const std::string& kernels, bool is_cuda,
                   ASTContext& context) {
  return HostPrinter(loop, accesses, is_cuda, context).print(kernels);
}

}  // namespace hoist::openmp
