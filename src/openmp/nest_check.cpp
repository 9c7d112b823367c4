// What a program that a nest was written as is checked with: a C file that includes the program's, so that
// all its types, macros and functions are there, and runs the one loop on what it reads from a file.
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <algorithm>

#include "openmp/host_text.hpp"
#include "openmp/nest_program.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

class CheckWriter {
 public:
  CheckWriter(const Loop& loop, const NestProgram& program, ASTContext& context, Terms& terms)
      : loop_(loop), program_(program), context_(context), policy_(context.getLangOpts()), terms_(terms) {}

  std::string run(const std::string& path, const std::string& loop_text) {
    text_ = fmt::format(
        "/* Reads numbers and arrays from the file argv[1], runs the loop of {} on them, writes what it "
        "leaves to argv[2]. */\n"
        "#define main hoist_program_main\n#include \"{}\"\n#undef main\n#include <stdio.h>\n#include "
        "<stdlib.h>\n#include <sys/resource.h>\n\n"
        "static void hoist_get(void *to, size_t bytes, FILE *file) {{\n  if (fread(to, 1, bytes, file) != "
        "bytes) exit(3);\n}}\n\n"
        "int main(int hoist_argc, char **hoist_argv) {{\n  (void)hoist_argc;\n"
        "  FILE *hoist_in = fopen(hoist_argv[1], \"rb\"), *hoist_out = fopen(hoist_argv[2], \"wb\");\n"
        "  if (!hoist_in || !hoist_out) return 3;\n"
        "  setrlimit(RLIMIT_CPU, &(struct rlimit){{10, 10}}); /* numbers that do not fit may have it run for "
        "ever */\n",
        loop_.place, path);
    find_variables(loop_.loops[0].statement);
    for (const VarDecl* each : loop_.values) add(each);
    for (const VarDecl* each : loop_.arrays) add_lengths(each->getType());
    for (const NestProgram::Size& each : program_.sizes) add(each.variable);
    for (const VarDecl* each : values_) declare(each, "");
    sizes();
    for (const NestProgram::Parameter& each : program_.parameters) {
      if (each.given)
        line(fmt::format("hoist_get(&{0}, sizeof {0}, hoist_in);",
                         member(each.given->variable, each.given->text)));
    }
    // Constants that the function computes from other numbers.
    for (const VarDecl* each : values_) {
      if (is_computed(each) && !is_told(each))
        line(each->getNameAsString() + " = " + source_text(each->getInit(), context_) + ";");
    }
    for (const VarDecl* each : loop_.arrays) array(each);
    for (const NestProgram::Parameter& each : program_.parameters) {
      if (each.storage) fill(each);
    }
    for (const VarDecl* each : loop_.privates) declare(each, "");
    for (const CanonicalLoop& each : loop_.loops) {
      const bool is_own = llvm::isa_and_nonnull<DeclStmt>(each.statement->getInit());
      const bool is_private =
          std::find(loop_.privates.begin(), loop_.privates.end(), each.iterator) != loop_.privates.end();
      if (!is_own && !is_private) declare(each.iterator, "");
    }
    for (const NestResult& each : program_.results) {
      if (each.variable) declare(each.variable, neutral(each.operation));
    }
    text_ += "  " + loop_text + (loop_text.back() == '}' ? "\n" : ";\n");
    for (const NestResult& each : program_.results) result(each);
    return text_ + "  return fclose(hoist_out) != 0;\n}\n";
  }

 private:
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  // ---- What the loop uses ----

  /// A constant that can be computed again.
  static bool is_computed(const VarDecl* variable) {
    return variable->isLocalVarDecl() && variable->getType().isConstQualified() &&
           variable->getType()->isArithmeticType() && variable->getInit() &&
           !contains<CallExpr>(variable->getInit());
  }

  /// A number or structure that is declared around the loop; what a constant is computed from comes before
  /// it.
  void add(const VarDecl* variable) {
    if (!variable || is_pointer_or_array(variable->getType())) return;
    const SourceRange loop = loop_.loops[0].statement->getSourceRange();
    const bool is_inside =
        variable->hasLocalStorage() &&
        !context_.getSourceManager().isBeforeInTranslationUnit(variable->getLocation(), loop.getBegin());
    const auto has = [&](const auto& list) {
      return std::find(list.begin(), list.end(), variable) != list.end();
    };
    const bool is_gathered = std::any_of(program_.results.begin(), program_.results.end(),
                                         [&](const NestResult& each) { return each.variable == variable; });
    const bool is_counter = std::any_of(loop_.loops.begin(), loop_.loops.end(),
                                        [&](const CanonicalLoop& each) { return each.iterator == variable; });
    if (is_inside || is_gathered || is_counter || has(loop_.privates) || has(values_)) return;
    if (is_computed(variable)) find_variables(variable->getInit());
    values_.push_back(variable);
  }

  void add_lengths(QualType type) {
    if (type->isPointerType()) return add_lengths(type->getPointeeType());
    if (const ArrayType* array = context_.getAsArrayType(type)) {
      if (const auto* variable = llvm::dyn_cast<VariableArrayType>(array))
        find_variables(variable->getSizeExpr());
      add_lengths(array->getElementType());
    }
  }

  void find_variables(const Stmt* statement) {
    if (!statement) return;
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement))
      add(llvm::dyn_cast<VarDecl>(reference->getDecl()));
    for (const Stmt* child : statement->children()) find_variables(child);
  }

  /// Whether the value is an argument of the program.
  bool is_told(const VarDecl* variable) const {
    return std::any_of(program_.sizes.begin(), program_.sizes.end(),
                       [&](const auto& each) { return each.variable == variable; }) ||
           std::any_of(program_.parameters.begin(), program_.parameters.end(),
                       [&](const auto& each) { return each.given && each.given->variable == variable; });
  }

  static std::string neutral(const std::string& operation) {
    if (operation == "*" || operation == "&&") return "1";
    if (operation == "&") return "-1";
    if (operation == "min") return "1.0 / 0.0";
    return operation == "max" ? "-1.0 / 0.0" : "0";
  }

  /// A declaration; of a variable of the file, an assignment.
  void declare(const VarDecl* variable, const std::string& value) {
    const std::string name = variable->getNameAsString();
    const bool is_record = variable->getType()->isRecordType();
    if (is_global(variable)) {
      if (!value.empty()) line(name + " = " + value + ";");
      return;
    }
    std::string text = name;
    variable->getType().getUnqualifiedType().getAsStringInternal(text, policy_);
    if (variable->getType()->isArithmeticType()) text += " = " + (value.empty() ? "0" : value);
    if (is_record) text += " = {0}";
    line(text + ";");
  }

  static std::string member(const VarDecl* variable, const std::string& path) {
    return variable->getNameAsString() + (path.empty() ? "" : "." + path);
  }

  void sizes() {
    int number = 3;
    for (const NestProgram::Size& each : program_.sizes) {
      if (each.variable)
        line(fmt::format("{} = atol(hoist_argv[{}]);", member(each.variable, each.member), number));
      else
        line(fmt::format("const long hoist_size_{} = atol(hoist_argv[{}]);", each.member, number));
      ++number;
    }
  }

  // ---- Text of C ----

  std::string text(const Poly& poly) {
    std::string result;
    for (const auto& [monomial, coefficient] : poly.terms()) {
      std::string product = fmt::format("{}L", coefficient);
      for (const SymbolId id : monomial) product += " * " + text(terms_.by_id(id));
      result += (result.empty() ? "" : " + ") + product;
    }
    return result.empty() ? "0" : "(" + result + ")";
  }

  std::string text(Term term) {
    switch (term->kind) {
      case TermKind::Number:
        return term->text;
      case TermKind::Given:
        return term->variable ? "(long)" + member(term->variable, term->text) : "hoist_size_" + term->text;
      case TermKind::Counter:
        return "hoist_" + std::to_string(term->id);
      case TermKind::Choice:
        return "(" + text(term->operands[0]) + " ? " + text(term->operands[1]) + " : " +
               text(term->operands[2]) + ")";
      case TermKind::Operation: {
        const std::string first = text(term->operands[0]);
        if (term->operands.size() == 1) {
          const bool is_sign = term->text == "-" || term->text == "!" || term->text == "~";
          return is_sign ? "(" + term->text + first + ")" : first;
        }
        const std::string second = text(term->operands[1]);
        if (term->text == "max" || term->text == "min")
          return "(" + first + (term->text == "max" ? " > " : " < ") + second + " ? " + first + " : " +
                 second + ")";
        return "(" + first + " " + term->text + " " + second + ")";
      }
      case TermKind::State:
      case TermKind::Element:
      case TermKind::Recurrence:
        break;
    }
    throw Untranslatable{loop_.directive->getBeginLoc(), "an index is no arithmetic on sizes"};
  }

  // ---- Arrays ----

  std::string element_type(const VarDecl* array) {
    return innermost_element(array->getType()).getUnqualifiedType().getAsString(policy_);
  }

  static std::string dotted(const std::string& path) { return path.empty() ? "" : "." + path; }

  std::string count_of(const std::vector<Poly>& lengths) {
    std::string count = "1";
    for (const Poly& each : lengths) count += " * " + text(each);
    return count;
  }

  void array(const VarDecl* variable) {
    if ((is_global(variable) && variable->getType()->isArrayType()) || constant_values(variable)) return;
    const std::string name = variable->getNameAsString(), count = "hoist_count_" + name;
    line("long " + count + " = 1;");
    const auto at_least = [&](const std::string& needed) {
      line(fmt::format("if ({0} < {1}) {0} = {1};", count, needed));
    };
    for (const NestProgram::Parameter& each : program_.parameters) {
      if (each.storage && each.storage->variable == variable) at_least(count_of(each.lengths));
    }
    for (const NestResult& each : program_.results) {
      if (!each.storage || each.storage->variable != variable) continue;
      line(loops_over(each) + fmt::format("if ({0} < {1} + 1) {0} = {1} + 1;", count, text(each.at)));
    }
    std::string text = name;
    QualType type = variable->getType();
    if (type->isArrayType()) type = context_.getArrayDecayedType(type);
    type.getUnqualifiedType().getAsStringInternal(text, policy_);
    const std::string memory =
        fmt::format("calloc((size_t){} + 1, sizeof({}))", count, element_type(variable));
    line(is_global(variable) ? name + " = " + memory + ";" : text + " = " + memory + ";");
  }

  void fill(const NestProgram::Parameter& parameter) {
    const VarDecl* variable = parameter.storage->variable;
    const std::string element = fmt::format("(({} *){})[hoist_i]{}", element_type(variable),
                                            variable->getNameAsString(), dotted(parameter.storage->member));
    line(fmt::format(
        "for (long hoist_i = 0; hoist_i < {}; ++hoist_i) hoist_get((void *)&{}, sizeof {}, hoist_in);",
        count_of(parameter.lengths), element, element));
  }

  /// The heads of loops over all values of the counters.
  std::string loops_over(const NestResult& each) {
    std::string loops;
    for (const Term counter : each.counters) {
      const std::string name = text(counter);
      loops +=
          fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) ", name, text(terms_.poly(counter->operands[0])));
    }
    return loops;
  }

  void result(const NestResult& each) {
    if (each.variable) {
      line(fmt::format("fwrite(&{0}, sizeof {0}, 1, hoist_out);", each.variable->getNameAsString()));
      return;
    }
    const std::string element =
        fmt::format("(({} *){})[{}]{}", element_type(each.storage->variable),
                    each.storage->variable->getNameAsString(), text(each.at), dotted(each.storage->member));
    line(loops_over(each) + fmt::format("fwrite(&{0}, sizeof {0}, 1, hoist_out);", element));
  }

  const Loop& loop_;
  const NestProgram& program_;
  ASTContext& context_;
  PrintingPolicy policy_;
  Terms& terms_;
  std::vector<const VarDecl*> values_;
  std::string text_;
};

}  // namespace

std::string check_source(const Loop& loop, const NestProgram& program, const std::string& path,
                         const std::string& loop_text, ASTContext& context, Terms& terms) {
  return CheckWriter(loop, program, context, terms).run(path, loop_text);
}

}  // namespace hoist::openmp
