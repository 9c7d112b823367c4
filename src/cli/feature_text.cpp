#include "cli/feature_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assembly/counts.hpp"
#include "assembly/features.hpp"

namespace hoist::cli {

namespace {

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

/// What an instruction of a hot loop counts as.
std::string counted(const assembly::Instruction& instruction) {
  return assembly::counted_as(assembly::counts_of(assembly::operation_of(instruction)));
}

Json loop_json(const assembly::HotLoop& loop) {
  Json instructions = Json::array();
  for (const assembly::Instruction& each : loop.instructions)
    instructions.push_back({{"text", each.text}, {"counted_as", counted(each)}});
  return {{"function", loop.function},
          {"instructions", std::move(instructions)},
          {"features", features_json(assembly::definitions(), assembly::features_of(loop))}};
}

std::string loop_text(const assembly::HotLoop& loop) {
  Table table({{"the hot loop, in " + loop.function}, {"counted as"}});
  for (const assembly::Instruction& each : loop.instructions) table.add_row({each.text, counted(each)});
  return table.text() + "\n" + features_text(assembly::definitions(), assembly::features_of(loop));
}

}  // namespace

Json features_json(std::span<const features::Definition> definitions, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[std::string(definitions[i].name)] = values[i];
  return json;
}

std::string features_text(std::span<const features::Definition> definitions,
                          const std::vector<double>& values) {
  Table table({{"group"}, {"feature"}, {"value", Table::Align::Right}, {"unit"}});
  for (std::size_t i = 0; i < values.size(); ++i) {
    table.add_row({std::string(definitions[i].group), std::string(definitions[i].name),
                   number_text(values[i]), std::string(definitions[i].unit)});
  }
  return table.text();
}

void show_assembly_features(const std::string& text, const std::vector<std::string>& kernels, bool as_json) {
  const std::vector<assembly::Function> listing = assembly::read_listing(text);
  Json list = Json::array();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto loop = assembly::hot_loop(listing, kernels[i]);
    if (as_json) {
      list.push_back({{"kernel", kernels[i]}, {"loop", loop ? loop_json(*loop) : Json()}});
    } else {
      print(fmt::format("{}kernel {}\n\n{}", i == 0 ? "" : "\n", kernels[i],
                        loop ? loop_text(*loop) : "There is no loop in its assembly.\n"));
    }
  }
  if (as_json) print_json({{"schema", assembly::schema_name}, {"kernels", std::move(list)}});
}

}  // namespace hoist::cli
