// Finding parallel regions and what becomes of each.
//
// A loop that is a region by itself goes to the device or stays. A parallel region with loops inside becomes
// code that one thread of the host runs, which is an execution that OpenMP allows: its loops go to the
// device, and what is between them, single, master, critical, barriers, is what one thread does. A loop that
// cannot go is run by that thread. A region none of whose loops can go stays as it is.
#include "openmp/translator.hpp"

#include <clang/AST/OpenMPClause.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "openmp/accesses.hpp"
#include "openmp/functions.hpp"
#include "openmp/host_sync.hpp"
#include "openmp/host_text.hpp"

namespace hoist::openmp {

using namespace clang;

std::string identifier(const std::string& stem) {
  std::string name = stem;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ? "_" + name : name;
}

namespace {

bool is_loop_statement(const Stmt* statement) {
  return llvm::isa<ForStmt>(statement) || llvm::isa<WhileStmt>(statement) || llvm::isa<DoStmt>(statement);
}

bool is_shared_loop(const Stmt* statement) {
  return llvm::isa<OMPForDirective>(statement) || llvm::isa<OMPForSimdDirective>(statement) ||
         llvm::isa<OMPParallelForDirective>(statement) || llvm::isa<OMPParallelForSimdDirective>(statement);
}
bool is_region_by_itself(const Stmt* statement) {
  return llvm::isa<OMPParallelForDirective>(statement) || llvm::isa<OMPParallelForSimdDirective>(statement);
}

class Translator {
 public:
  Translator(ASTContext& context, Rewriter& rewriter, std::string stem, const TranslationOptions& options)
      : context_(context),
        sources_(context.getSourceManager()),
        rewriter_(rewriter),
        stem_(std::move(stem)),
        options_(options),
        kernels_(options.language, context) {}

  Translation run(SourceLocation first_include) {
    for (const Decl* declaration : context_.getTranslationUnitDecl()->decls()) {
      if (const auto* variable = llvm::dyn_cast<VarDecl>(declaration)) find_taken(variable->getInit());
      const auto* function = llvm::dyn_cast<FunctionDecl>(declaration);
      if (function && function->isThisDeclarationADefinition()) functions_.push_back(function);
    }
    find_repeated();
    for (const FunctionDecl* function : functions_) find_taken(function->getBody());
    for (const FunctionDecl* function : functions_) {
      function_ = function;
      walk(function->getBody(), repeated_.count(function) > 0);
    }
    if (result_.translated > 0) write(first_include);
    result_.source = text();
    result_.kernels = result_.translated > 0 ? kernels_.text() : "";
    return std::move(result_);
  }

 private:
  void stays(SourceLocation where, const std::string& why) {
    result_.told.push_back({where, Told::StaysOnHost, why});
  }

  // ---- Which functions are called in loops ----

  void find_repeated() {
    const std::function<void(const Stmt*, bool)> find = [&](const Stmt* statement, bool in_loop) {
      if (!statement) return;
      if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
        const FunctionDecl* callee = called_definition(call);
        if (callee) {
          // A second call in a row is a repetition, too: what is between calls stays where it is.
          if (in_loop || !called_.insert(callee).second) repeated_.insert(callee);
        }
      }
      if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
        for (const Decl* each : declarations->decls()) {
          if (const auto* variable = llvm::dyn_cast<VarDecl>(each)) find(variable->getInit(), in_loop);
        }
        return;
      }
      if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
        return find(statement_of(directive), in_loop);
      for (const Stmt* child : statement->children()) find(child, in_loop || is_loop_statement(statement));
    };
    for (const FunctionDecl* function : functions_) find(function->getBody(), false);
    // What a repeated function calls is repeated.
    for (std::size_t before = 0; before != repeated_.size();) {
      before = repeated_.size();
      for (const FunctionDecl* function : functions_) {
        if (repeated_.count(function)) find(function->getBody(), true);
      }
    }
  }

  /// Functions that may be called by pointers, from anywhere.
  void find_taken(const Stmt* statement) {
    if (!statement) return;
    if (const auto* reference = llvm::dyn_cast<DeclRefExpr>(statement)) {
      const auto* function = llvm::dyn_cast<FunctionDecl>(reference->getDecl());
      const FunctionDecl* definition = nullptr;
      if (function && function->hasBody(definition)) taken_.insert(definition);
      return;
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
      if (!call->getDirectCallee()) find_taken(call->getCallee());
      for (const Expr* argument : call->arguments()) find_taken(argument);
      return;
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
      return find_taken(statement_of(directive));
    }
    for (const Stmt* child : statement->children()) find_taken(child);
  }

  // ---- Regions ----

  void walk(const Stmt* statement, bool in_loop) {
    if (!statement) return;
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement))
      return walk_directive(directive, in_loop);
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement); declarations) return;
    for (const Stmt* child : statement->children()) walk(child, in_loop || is_loop_statement(statement));
  }

  void walk_directive(const OMPExecutableDirective* directive, bool in_loop) {
    if (is_region_by_itself(directive)) {
      translate_loop(llvm::cast<OMPLoopDirective>(directive), {}, in_loop);
    } else if (llvm::isa<OMPParallelDirective>(directive)) {
      walk_parallel(llvm::cast<OMPParallelDirective>(directive), in_loop);
    } else if (is_shared_loop(directive)) {
      ++result_.loops;
      stays(directive->getBeginLoc(), "which parallel region shares out this loop is not in this function");
    } else if (llvm::isa<OMPSimdDirective>(directive) || llvm::isa<OMPCriticalDirective>(directive) ||
               llvm::isa<OMPMasterDirective>(directive) || llvm::isa<OMPSingleDirective>(directive)) {
      walk(statement_of(directive), in_loop);
    } else if (directive->hasAssociatedStmt() && !llvm::isa<OMPAtomicDirective>(directive)) {
      stays(directive->getBeginLoc(), "this construct is not translated");
    }
  }

  struct Inside {
    std::vector<std::pair<const OMPLoopDirective*, bool>> loops;  ///< and whether each is in another loop
    std::set<const VarDecl*> declared;
    SourceLocation obstacle;
    std::string why;
  };

  void look_inside(const Stmt* statement, bool in_loop, Inside& inside) {
    if (!statement) return;
    const auto obstacle = [&](const Stmt* where, const std::string& why) {
      if (!inside.why.empty()) return;
      inside.obstacle = where->getBeginLoc();
      inside.why = why;
    };
    if (const auto* declarations = llvm::dyn_cast<DeclStmt>(statement)) {
      for (const Decl* each : declarations->decls()) {
        const auto* variable = llvm::dyn_cast<VarDecl>(each);
        if (!variable) continue;
        inside.declared.insert(variable);
        look_inside(variable->getInit(), in_loop, inside);
      }
      return;
    }
    if (const auto* call = llvm::dyn_cast<CallExpr>(statement)) {
      const std::string name = called_name(call);
      if (name == "omp_get_thread_num" || name == "omp_get_num_threads") {
        obstacle(statement, "the region shares out work by '" + name + "'");
      }
    }
    if (const auto* directive = llvm::dyn_cast<OMPExecutableDirective>(statement)) {
      if (is_shared_loop(directive) && !is_region_by_itself(directive)) {
        inside.loops.push_back({llvm::cast<OMPLoopDirective>(directive), in_loop});
        return;
      }
      const bool is_plain =
          llvm::isa<OMPMasterDirective>(directive) || llvm::isa<OMPSingleDirective>(directive) ||
          llvm::isa<OMPCriticalDirective>(directive) || llvm::isa<OMPAtomicDirective>(directive) ||
          llvm::isa<OMPBarrierDirective>(directive) || llvm::isa<OMPFlushDirective>(directive) ||
          llvm::isa<OMPSimdDirective>(directive);
      if (!is_plain) obstacle(directive, "the region has a construct that is not translated");
      return look_inside(statement_of(directive), in_loop, inside);
    }
    for (const Stmt* child : statement->children())
      look_inside(child, in_loop || is_loop_statement(statement), inside);
  }

  void walk_parallel(const OMPParallelDirective* directive, bool in_loop) {
    Inside inside;
    look_inside(statement_of(directive), in_loop, inside);
    if (inside.loops.empty()) {
      stays(directive->getBeginLoc(), "the parallel region has no loop that is shared out");
      return;
    }
    if (!inside.why.empty()) {
      result_.loops += inside.loops.size();
      stays(inside.obstacle, inside.why);
      return;
    }
    ThreadVariables of_thread;
    std::string privates;
    for (const VarDecl* each : inside.declared) of_thread[each] = ThreadVariable::Private;
    for (const OMPClause* clause : directive->clauses()) {
      if (const auto* each = llvm::dyn_cast<OMPPrivateClause>(clause)) {
        for (const Expr* one : each->varlists()) {
          if (const VarDecl* variable = variable_of(one)) {
            of_thread[variable] = ThreadVariable::Private;
            const std::string name = variable->getNameAsString();
            privates += " __typeof__(" + name + ") " + name + ";";
          }
        }
      } else if (const auto* first = llvm::dyn_cast<OMPFirstprivateClause>(clause)) {
        for (const Expr* one : first->varlists()) {
          if (const VarDecl* variable = variable_of(one)) {
            of_thread[variable] = ThreadVariable::Firstprivate;
            const std::string name = variable->getNameAsString();
            if (variable->getType()->isArrayType()) {
              stays(clause->getBeginLoc(), "the array '" + name + "' is firstprivate");
              return;
            }
            privates += " __typeof__(" + name + ") hoist_" + name + " = " + name + "; __typeof__(" + name +
                        ") " + name + " = hoist_" + name + ";";
          }
        }
      } else if (const auto* reduction = llvm::dyn_cast<OMPReductionClause>(clause)) {
        for (const Expr* one : reduction->varlists()) {
          if (const VarDecl* variable = variable_of(one)) of_thread[variable] = ThreadVariable::Reduction;
        }
      }
    }
    std::size_t translated = 0;
    for (const auto& [loop, is_in_loop] : inside.loops)
      translated += translate_loop(loop, of_thread, is_in_loop);
    if (translated == 0) return;
    texts_.regions[directive] =
        "/* A parallel region, run by one thread of the host: its loops go to the device. */\n{" + privates;
  }

  bool translate_loop(const OMPLoopDirective* directive, const ThreadVariables& of_thread, bool in_loop) {
    ++result_.loops;
    try {
      if (directive->getBeginLoc().isMacroID())
        throw Untranslatable{directive->getBeginLoc(), "the pragma comes from a macro"};
      if (!sources_.isWrittenInMainFile(directive->getBeginLoc())) {
        throw Untranslatable{
            directive->getBeginLoc(),
            "the loop is in an included file: translate that one where it is compiled by itself"};
      }
      Loop loop = read_loop(directive, function_, of_thread);
      const unsigned number = sources_.getExpansionLineNumber(directive->getBeginLoc());
      loop.name =
          identifier(stem_) + "_" + kernel_name(function_->getNameAsString()) + "_" + std::to_string(number);
      loop.place = stem_ + ".c:" + std::to_string(number);
      loop.is_repeated = in_loop;
      const Accesses accesses = collect_accesses(loop, context_);
      if (const auto conflict = find_conflict(accesses, loop.loops.size())) {
        throw Untranslatable{conflict->where, "iterations depend on each other through '" +
                                                  conflict->array->getNameAsString() +
                                                  "': their order matters, and OpenMP leaves it open"};
      }
      offer_program(loop);
      const HostText host = host_text(loop, accesses, identifier(stem_) + "_kernels",
                                      options_.language == Language::Cuda, context_);
      kernels_.add(loop);
      definitions_[function_] += host.definitions;
      texts_.loops[directive] = {condition(directive) + host.call, host.end};
      use_.loops.insert(directive);
      use_.functions.insert(function_);
      for (const Remark& each : loop.remarks) result_.told.push_back({each.where, Told::Remark, each.text});
      ++result_.translated;
      return true;
    } catch (const Untranslatable& reason) {
      stays(reason.where.isValid() ? reason.where : directive->getBeginLoc(), reason.why);
      return false;
    }
  }

  /// The loop in Hoist's language, where that can say it.
  void offer_program(const Loop& loop) {
    const std::string name = fmt::format("{}_loop{}", stem_, result_.loops);
    try {
      const Offer offer = written_offer(loop, name, identifier(name), options_.file, options_.directory, context_);
      result_.offers.push_back(offer);
    } catch (const Untranslatable& reason) {
      const SourceLocation where = reason.where.isValid() ? reason.where : loop.directive->getBeginLoc();
      result_.told.push_back({where, Told::NoProgram, reason.why});
    }
  }

  /// An `if` clause chooses where the loop runs.
  std::string condition(const OMPExecutableDirective* directive) {
    for (const OMPClause* clause : directive->clauses()) {
      if (llvm::isa<OMPIfClause>(clause)) {
        result_.told.push_back(
            {clause->getBeginLoc(), Told::Remark, "the if clause is ignored: the loop goes to the device"});
      }
    }
    return {};
  }

  // ---- Writing ----

  void write(SourceLocation first_include) {
    // Who runs loops on the device, by itself or by what it calls.
    for (std::size_t before = 0; before != use_.functions.size();) {
      before = use_.functions.size();
      for (const FunctionDecl* function : functions_) {
        if (calls_any(function->getBody(), use_.functions)) use_.functions.insert(function);
      }
    }
    std::set<const FunctionDecl*> leave_valid;
    for (const FunctionDecl* function : functions_) {
      if (!use_.functions.count(function) || !sources_.isWrittenInMainFile(function->getBeginLoc())) continue;
      const auto found = insert_host_syncs(function, use_, rewriter_, context_, texts_);
      leave_valid.insert(found.begin(), found.end());
    }
    for (const FunctionDecl* function : functions_) {
      if (!use_.functions.count(function)) continue;
      const bool is_reached =
          taken_.count(function) > 0 || (!options_.is_whole_program && function->isExternallyVisible());
      const bool from_outside = is_reached && !function->isMain();
      if (from_outside || leave_valid.count(function)) {
        const SourceLocation brace = function->getBody()->getBeginLoc();
        rewriter_.InsertTextAfterToken(brace, from_outside ? " HOIST_BOUNDARY;" : " HOIST_LEAVES_VALID;");
      }
      const auto text = definitions_.find(function);
      if (text == definitions_.end()) continue;
      rewriter_.InsertText(sources_.getExpansionLoc(function->getBeginLoc()), text->second, false, false);
    }
    const SourceLocation top =
        first_include.isValid() ? first_include : sources_.getLocForStartOfFile(sources_.getMainFileID());
    rewriter_.InsertText(top, "#include \"hoist_openmp.h\"\n#include \"" + stem_ + "_kernels.h\"\n", false,
                         false);
  }

  std::string text() {
    const FileID file = sources_.getMainFileID();
    if (const RewriteBuffer* buffer = rewriter_.getRewriteBufferFor(file))
      return std::string(buffer->begin(), buffer->end());
    return sources_.getBufferData(file).str();
  }

  ASTContext& context_;
  const SourceManager& sources_;
  Rewriter& rewriter_;
  std::string stem_;
  TranslationOptions options_;
  KernelText kernels_;
  Translation result_;
  std::vector<const FunctionDecl*> functions_;
  std::set<const FunctionDecl*> repeated_, called_, taken_;
  const FunctionDecl* function_ = nullptr;
  DeviceUse use_;
  RegionTexts texts_;
  std::map<const FunctionDecl*, std::string> definitions_;
};

}  // namespace

Translation translate(ASTContext& context, Rewriter& rewriter, const std::string& stem,
                      SourceLocation first_include, const TranslationOptions& options) {
  return Translator(context, rewriter, stem, options).run(first_include);
}

}  // namespace hoist::openmp
