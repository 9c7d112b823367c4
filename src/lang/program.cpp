// Reads a file: parse, resolve, elaborate.
#include <fmt/format.h>

#include <algorithm>

#include "lang/elaborator.hpp"
#include "lang/lang.hpp"
#include "lang/parser.hpp"

namespace hoist::lang {
namespace {

/// The prelude's syntax tree, read once in a process; it holds no terms.
const syntax::File& prelude_file() {
  static const std::unique_ptr<syntax::File> file = [] {
    Diagnostics diagnostics;
    auto parsed = parse(prelude(), diagnostics);
    if (!diagnostics.empty()) {
      const Source source{"prelude", prelude()};
      throw Bug("the prelude does not parse:\n" + diagnostics.take().render(&source));
    }
    return parsed;
  }();
  return *file;
}

bool is_data_type(const syntax::Type& type) {
  if (type.kind == syntax::Type::Kind::Size || type.kind == syntax::Type::Kind::Any) return false;
  return std::all_of(type.elements.begin(), type.elements.end(),
                     [](const syntax::Type* element) { return is_data_type(*element); });
}

bool is_size(const syntax::Pattern& parameter) {
  return parameter.type != nullptr && parameter.type->kind == syntax::Type::Kind::Size;
}

/// The first parameter that is neither a size nor has a type of data, or null.
const syntax::Pattern* untyped_parameter(const syntax::Definition& definition) {
  for (const syntax::Pattern* parameter : definition.parameters) {
    if (is_size(*parameter)) continue;
    if (parameter->type == nullptr || !is_data_type(*parameter->type)) return parameter;
  }
  return nullptr;
}

/// The definition that is the program; null after reporting why there is none.
const syntax::Definition* entry_of(const syntax::File& file, const Source& source, const Options& options,
                                   bool has_errors, Diagnostics& diagnostics) {
  const auto last = static_cast<std::uint32_t>(source.text.find_last_not_of(" \t\r\n") + 1);
  const Span end{last == 0 ? 0 : last - 1, last};
  if (options.entry.empty()) {
    if (!file.definitions.empty()) return &file.definitions.back();
    if (!has_errors) {
      diagnostics.report(end, "there is no definition in this file", "",
                         "the last definition of a file is the program: def name(x: [N]f32) = ...");
    }
    return nullptr;
  }
  const auto found =
      std::find_if(file.definitions.begin(), file.definitions.end(),
                   [&](const syntax::Definition& definition) { return definition.name == options.entry; });
  if (found != file.definitions.end()) return &*found;
  if (!has_errors) {
    std::string names;
    for (const syntax::Definition& definition : file.definitions) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", definition.name);
    }
    diagnostics.report(end, fmt::format("no definition is named '{}'", options.entry),
                       fmt::format("this file defines {}", names.empty() ? "nothing" : names));
  }
  return nullptr;
}

}  // namespace

std::vector<PreludeDefinition> prelude_definitions() {
  std::vector<PreludeDefinition> result;
  for (const syntax::Definition& definition : prelude_file().definitions) {
    const std::size_t begin = definition.name_span.begin;
    const std::size_t end = prelude().find(" =", begin);
    result.push_back(
        {std::string(definition.name), prelude().substr(begin, end - begin), definition.documentation});
  }
  return result;
}

Outline outline_of(const Source& source, const Options& options) {
  Diagnostics diagnostics;
  const auto file = parse(source.text, diagnostics);
  const syntax::Definition* entry = entry_of(*file, source, options, !diagnostics.empty(), diagnostics);
  if (entry == nullptr) return {};
  Outline outline{entry->documentation};
  for (const syntax::Pattern* parameter : entry->parameters)
    outline.parameters.emplace_back(parameter->name, parameter->span);
  return outline;
}

std::vector<std::string> shadowed_names(const Source& source) {
  Diagnostics diagnostics;
  std::vector<std::string> names;
  const auto file = parse(source.text, diagnostics);
  for (const syntax::Definition& definition : file->definitions) {
    const auto& known = prelude_file().definitions;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const syntax::Definition& each) {
      return each.name == definition.name;
    });
    if (is_known) names.emplace_back(definition.name);
  }
  return names;
}

Result<ir::Program> parse_program(const Source& source, const Options& options) {
  Diagnostics diagnostics;
  const auto file = parse(source.text, diagnostics);
  Globals globals(prelude_file(), *file);
  const bool is_parsed = diagnostics.empty();
  resolve(*file, globals, diagnostics);
  const syntax::Definition* entry = entry_of(*file, source, options, !is_parsed, diagnostics);
  if (entry != nullptr && is_parsed) {
    if (const syntax::Pattern* parameter = untyped_parameter(*entry)) {
      diagnostics.report(
          parameter->span,
          fmt::format("'{}' is the program, so its parameters need types of data", entry->name), "",
          "write the type behind the name, as in x: [N]f32; a size is T: size");
    }
  }
  std::optional<ir::Program> program;
  for (const syntax::Definition& definition : file->definitions) {
    const bool is_entry = &definition == entry;
    if (untyped_parameter(definition) != nullptr) continue;
    // Without data a definition may stand for a size or a function, and much holds of some values of a size
    // parameter only: what its uses can check.
    const bool has_size = std::any_of(definition.parameters.begin(), definition.parameters.end(),
                                      [](const syntax::Pattern* each) { return is_size(*each); });
    if (!is_entry && (definition.parameters.empty() || has_size)) continue;
    if (globals.is_recursive(&definition)) continue;
    auto result = Elaborator(source, globals, diagnostics).program(definition);
    if (!result && diagnostics.empty()) {
      throw Bug(fmt::format("'{}' was rejected without a reason:\n{}", definition.name, source.text));
    }
    if (is_entry) program = std::move(result);
  }
  if (!diagnostics.empty()) return tl::unexpected<Error>(diagnostics.take());
  if (!program) throw Bug(fmt::format("no program, and no reason:\n{}", source.text));
  return std::move(*program);
}

}  // namespace hoist::lang
