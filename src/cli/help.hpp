#pragma once
// What --help prints of a command, and the manual pages, which say the same.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "cli/output_file.hpp"

namespace hoist::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  /// "hoist run FILE [NAME=VALUE ...] [options]", for the command of that name.
  std::string usage(const CLI::App* command, std::string name) const;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_description(const CLI::App*) const override { return ""; }
  /// In lines that fit beside the names, on a terminal of a hundred columns.
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
};

/// hoist.1 and hoist-COMMAND.1 for each command of `app`, which describes the commands that it has, too.
std::vector<NamedText> manual_pages(const CLI::App& app);

}  // namespace hoist::cli
