// The manual pages, and hoist dev manual, which writes them: roff (man(7)) of the commands as they are, so
// that a page says what --help does.
//
// A page of a command has sections: its arguments, its options, and what its footer says, whose last part are
// examples. The commands of a command (hoist store list) are sections of its page. `describe` makes both.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"

namespace hoist::cli {

namespace {

/// The text as roff prints it, letter by letter: a hyphen as it is typed, quotes that can be copied to a
/// shell.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    switch (letter) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '.':
        result += begins_line ? "\\&." : ".";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

/// Lines as paragraphs; those that begin with a space stay as they are.
std::string paragraphs(const std::string& text) {
  enum class Part { None, Filled, Literal } part = Part::None;
  std::string result;
  std::istringstream lines(text + "\n\n");
  for (std::string line; std::getline(lines, line);) {
    const Part next = line.empty() ? Part::None : line.front() == ' ' ? Part::Literal : Part::Filled;
    if (next != part) {
      if (part == Part::Literal) result += ".EE\n";
      if (next != Part::None && !result.empty()) result += ".PP\n";
      if (next == Part::Literal) result += ".EX\n";
      part = next;
    }
    if (!line.empty()) result += escaped(line) + "\n";
  }
  return result;
}

/// A command's positional arguments or its options, each with what it is.
std::string entries(const CLI::App& command, bool are_positional) {
  const HelpFormatter formatter;
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() != are_positional || option->get_group().empty()) continue;
    std::string value = formatter.make_option_opts(option);
    value.erase(value.find_last_not_of(' ') + 1);
    text += fmt::format(".TP\n\\fB{}\\fR\\fI{}\\fR\n{}\n",
                        escaped(formatter.make_option_name(option, are_positional)), escaped(value),
                        escaped(option->get_description()));
  }
  return text;
}

std::string lower_case_first(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// "hoist-store" for "hoist store".
std::string page_name(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '-');
  return path;
}

/// What a command is and takes. `heading` begins a section: of a page, or of one command's part in another's
/// page.
std::string describe(const CLI::App& command, const std::function<std::string(const char*)>& heading) {
  const std::string footer = command.get_footer();
  const std::size_t examples = std::min(footer.find("Examples:\n"), footer.find("Example:\n"));
  std::string text =
      heading("DESCRIPTION") + paragraphs(command.get_description() + ".\n\n" + footer.substr(0, examples));
  for (const bool are_positional : {true, false}) {
    const std::string list = entries(command, are_positional);
    if (!list.empty()) text += heading(are_positional ? "ARGUMENTS" : "OPTIONS") + list;
  }
  if (examples != std::string::npos)
    text += heading("EXAMPLES") + paragraphs(footer.substr(footer.find('\n', examples) + 1));
  return text;
}

std::string page(const CLI::App& command, const std::string& path, bool commands_have_pages) {
  const auto heading = [](const char* name) { return fmt::format(".SH {}\n", name); };
  std::string text =
      fmt::format(".TH {} 1 \"\" \"hoist {}\" \"User Commands\"\n", escaped(page_name(path)), HOIST_VERSION);
  text += heading("NAME") + escaped(page_name(path)) + " \\- " +
          escaped(lower_case_first(command.get_description())) + "\n";
  text += heading("SYNOPSIS") + "\\fB" + escaped(HelpFormatter().usage(&command, path)) + "\\fR\n";
  text += describe(command, heading);
  std::vector<std::string> others;
  const std::vector<const CLI::App*> commands = command.get_subcommands({});
  if (!commands.empty()) text += heading("COMMANDS");
  for (const CLI::App* each : commands) {
    const std::string name = path + " " + each->get_name();
    if (commands_have_pages) {
      text +=
          fmt::format(".TP\n\\fB{}\\fR\n{}.\n", escaped(each->get_name()), escaped(each->get_description()));
      others.push_back(page_name(name));
    } else {
      text += fmt::format(".SS {}\n", escaped(HelpFormatter().usage(each, name)));
      text += describe(*each, [](const char* section) {
        const std::string name_of_section = section;
        // The description needs no title there.
        return name_of_section == "DESCRIPTION" ? "" : fmt::format(".PP\n\\fI{}\\fR\n", name_of_section);
      });
    }
  }
  if (others.empty()) others = {"hoist"};
  text += heading("SEE ALSO");
  for (std::size_t i = 0; i < others.size(); ++i)
    text += fmt::format(".BR {} (1){}\n", escaped(others[i]), i + 1 < others.size() ? "," : "");
  return text;
}

}  // namespace

std::vector<NamedText> manual_pages(const CLI::App& app) {
  std::vector<NamedText> pages{{"hoist.1", page(app, "hoist", true)}};
  for (const CLI::App* command : app.get_subcommands({}))
    pages.push_back({page_name("hoist " + command->get_name()) + ".1",
                     page(*command, "hoist " + command->get_name(), false)});
  return pages;
}

void add_dev_manual(CLI::App& dev, Session& session) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command =
      dev.add_subcommand("manual", "Write the manual pages: hoist.1, and one of each command");
  command->add_option("DIR", *directory, "The directory to write to; made if it is not there")
      ->required()
      ->option_text(" ");
  command->footer("Example:\n  hoist dev manual build/man1");
  const CLI::App& app = *dev.get_parent();
  command->callback([&session, &app, directory] {
    session.action = [&app, directory] {
      write_text_files(*directory, manual_pages(app), true);
      return done;
    };
  });
}

}  // namespace hoist::cli
