#include "cli/help.hpp"

#include <sstream>

namespace hoist::cli {

namespace {

/// What add_program_options calls VALUES is NAME=VALUE to the user; CLI11 allows no such name.
std::string positional_name(const CLI::Option& option) {
  const std::string name = option.get_name(true, false);
  return name == "VALUES" ? "NAME=VALUE" : name;
}

}  // namespace

std::string HelpFormatter::usage(const CLI::App* command, std::string name) const {
  std::string text = std::move(name);
  if (!command->get_subcommands({}).empty()) text += " COMMAND";
  for (const CLI::Option* option :
       command->get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string word = positional_name(*option);
    const bool repeats = option->get_items_expected_max() > 1;
    text += option->get_required() ? " " + word : " [" + word + (repeats ? " ...]" : "]");
  }
  return text + " [options]";
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  return "Usage: " + usage(app, std::move(name)) + "\n\n" + app->get_description() + ".\n";
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::istringstream words(option->get_description());
  std::string text;
  std::size_t used = 0;
  for (std::string word; words >> word; used += word.size() + 1) {
    const bool is_full = used + word.size() > 100 - get_column_width();
    if (!text.empty()) text += is_full ? '\n' : ' ';
    if (is_full) used = 0;
    text += word;
  }
  return text;
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  return is_positional ? positional_name(*option) : CLI::Formatter::make_option_name(option, is_positional);
}

}  // namespace hoist::cli
