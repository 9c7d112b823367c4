#include "cli/specification_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "search/shipped_specifications.hpp"

namespace hoist::cli {

void add_settings_option(CLI::App& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "Settings of a specification: TECHNIQUE=local,n=1; may be repeated")
      ->option_text("NAME=VALUE,...")
      ->expected(1)
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::pair<std::string, std::string>> read_settings(const std::vector<std::string>& given,
                                                               const std::string& option) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == each.size())
      throw_user(fmt::format("{} {} is no NAME=VALUE", option, each), {},
                 fmt::format("write {} NAME=4", option));
    const std::string name = each.substr(0, equals);
    const auto same = [&](const auto& other) { return other.first == name; };
    if (std::any_of(settings.begin(), settings.end(), same))
      throw_user(fmt::format("{} gives {} twice", option, name));
    settings.emplace_back(name, each.substr(equals + 1));
  }
  return settings;
}

std::optional<NamedSpecification> find_specification(Session& session, const std::string& text) {
  const auto& shipped = search::shipped_specifications();
  const auto found =
      std::find_if(shipped.begin(), shipped.end(), [&](const auto& each) { return each.name == text; });
  const bool is_shipped = found != shipped.end();
  if (!is_shipped && text.find('/') == std::string::npos && !text.ends_with(".spec")) return std::nullopt;
  session.source =
      is_shipped ? Source{text + ".spec", std::string(found->text)} : Source{text, read_text_file(text)};
  const std::string name = is_shipped ? text : std::filesystem::path(text).filename().string();
  return NamedSpecification{name, need(search::specification::parse(*session.source))};
}

std::vector<std::string> names_of_specifications() {
  std::vector<std::string> names;
  for (const auto& each : search::shipped_specifications()) names.emplace_back(each.name);
  return names;
}

std::string tally_text(const search::SpecificationTally& tally) {
  return fmt::format(
      "the specification asked for {} configurations in {} steps: {} ran, {} did not; {} more are none of "
      "the "
      "space; when they were measured, building took {:.1f} s and running {:.3g} s\n",
      tally.asked, tally.steps, tally.ran, tally.failed, tally.outside, tally.build_seconds,
      tally.run_seconds);
}

}  // namespace hoist::cli
