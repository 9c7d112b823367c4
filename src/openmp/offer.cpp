#include "openmp/offer.hpp"

#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>

#include "openmp/nest_program.hpp"

namespace hoist::openmp {

using namespace clang;

namespace {

/// Where a result's elements are in the C program.
std::string described(const NestResult& result, const std::string& name, Terms& terms) {
  if (result.variable)
    return fmt::format("what the loop adds to {} by its reduction ({})", name, result.operation);
  std::string indices;
  for (const Term counter : result.counters) indices += "[" + counter->text + "]";
  const std::function<std::string(Term)> text = [&](Term term) -> std::string {
    if (term->kind == TermKind::Given)
      return (term->variable ? term->variable->getNameAsString() : "") +
             (term->text.empty() ? "" : "." + term->text);
    if (term->kind != TermKind::Operation) return term->text;
    if (term->operands.size() == 1) return (term->text == "-" ? "-" : "") + text(term->operands[0]);
    const bool is_sum = term->text == "+" || term->text == "-";
    const auto part = [&](Term each) {
      const bool is_inner_sum = each->kind == TermKind::Operation && (each->text == "+" || each->text == "-");
      return is_inner_sum && !is_sum ? "(" + text(each) + ")" : text(each);
    };
    return part(term->operands[0]) + " " + term->text + " " + part(term->operands[1]);
  };
  const std::string place = text(terms.term(result.at));
  return fmt::format("element {} of {}{}", place, name, indices.empty() ? "" : " at " + indices);
}

std::string loop_text(const Loop& loop, const ASTContext& context) {
  const SourceManager& sources = context.getSourceManager();
  const CharSourceRange range = sources.getExpansionRange(loop.loops[0].statement->getSourceRange());
  return Lexer::getSourceText(range, sources, context.getLangOpts()).str();
}

}  // namespace

Offer written_offer(const Loop& loop, const std::string& name, std::string definition, const std::string& file,
                    const std::string& directory, ASTContext& context) {
  Terms terms;
  Samples samples(terms);
  definition[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(definition[0])));
  const NestProgram program =
      write_program(loop, read_nest(loop, context, terms, samples), definition, terms, samples);
  Offer offer;
  offer.name = name;
  offer.place = loop.place;
  offer.check = check_source(loop, program, file, loop_text(loop, context), context, terms);
  std::string command = "hoist tune " + directory + "/" + name + ".hoist";
  std::size_t dimensions = 1;
  for (const NestProgram::Parameter& each : program.parameters)
    dimensions = std::max(dimensions, each.lengths.size());
  for (const NestProgram::Size& each : program.sizes) {
    offer.sizes.push_back(each.name);
    if (!each.name.empty()) command += fmt::format(" {}={}", each.name, dimensions > 2 ? 128 : 1024);
  }
  offer.text = fmt::format("// The loop of {}, by hoist openmp. The result is\n", loop.place);
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    offer.text += fmt::format("//   {}{}\n", described(program.results[i], program.result_names[i], terms),
                              i + 1 < program.results.size() ? "," : ".");
  }
  offer.text += "// Its fastest form is searched by\n//   " + command + " --budget 2m\n" + program.text;
  for (int trial = 0; trial < Samples::trials; ++trial) {
    std::vector<std::int64_t> values;
    for (const NestProgram::Size& each : program.sizes)
      values.push_back(samples.value_of(each.variable, each.member, trial));
    offer.trials.push_back(values);
  }
  for (const NestProgram::Parameter& each : program.parameters) {
    if (!each.below.empty()) offer.below[each.name] = each.below;
  }
  return offer;
}

}  // namespace hoist::openmp
