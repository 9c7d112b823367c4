// hoist completion: scripts that let a shell complete commands, options, programs and devices. They are made
// from the commands as they are, so that none is forgotten.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/specification_option.hpp"
#include "lower/lower.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "search/strategies.hpp"
#include "target/instruction_set.hpp"
#include "target/kinds.hpp"
#include "tuner/tuner.hpp"
#include "workloads/stencil_family.hpp"

namespace hoist::cli {

namespace {

/// A command, and of one that has commands of its own each: "dev simplify".
struct CommandFacts {
  std::string name, description;
  struct OptionFacts {
    std::vector<std::string> names;  ///< "--output", "-o"
    std::string description;
    bool takes_value = false;
  };
  std::vector<OptionFacts> options;
};

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

void collect(CLI::App& app, const std::string& prefix, std::vector<CommandFacts>& result) {
  for (CLI::App* command : commands_of(app)) {
    CommandFacts facts{prefix + command->get_name(), command->get_description(), {}};
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      CommandFacts::OptionFacts each;
      for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
      const std::string description = option->get_description();
      each.description = description.substr(0, description.find_first_of(";:("));
      each.takes_value = option->get_items_expected_max() > 0;
      facts.options.push_back(std::move(each));
    }
    result.push_back(std::move(facts));
    collect(*command, prefix + command->get_name() + " ", result);
  }
}

std::string names_text(const std::vector<CommandFacts>& commands, const std::string& prefix) {
  std::vector<std::string> names;
  for (const CommandFacts& command : commands) {
    const bool is_below = command.name.starts_with(prefix);
    const std::string rest = is_below ? command.name.substr(prefix.size()) : "";
    if (is_below && !rest.empty() && rest.find(' ') == std::string::npos) names.push_back(rest);
  }
  return joined(names, " ");
}

/// Commands that have commands of their own.
std::vector<std::string> parents(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> names;
  for (const CommandFacts& command : commands) {
    if (!names_text(commands, command.name + " ").empty()) names.push_back(command.name);
  }
  return names;
}

std::string option_names(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const auto& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return joined(names, " ");
}

/// Values that options take, the same in every command that has them.
struct KnownValues {
  std::string option, values;
};
std::vector<KnownValues> known_values() {
  std::vector<std::string> rules, subjects, strategies, stencils;
  for (const rewrite::Rule& rule : rewrite::all_rules()) {
    rules.push_back(rule.name);
    if (subjects.empty() || subjects.back() != rule.subject) subjects.push_back(rule.subject);
  }
  for (const rewrite::StrategyEntry& each : rewrite::all_strategies()) strategies.emplace_back(each.name);
  std::vector<std::string> searches{tuner::predicted_strategy};
  for (const search::StrategyEntry& each : search::all_strategies()) searches.push_back(each.name);
  const std::string specifications = joined(names_of_specifications(), " ");
  for (const workloads::FamilyStencil& each : workloads::stencil_family(1))
    stencils.push_back(each.stencil.name);
  return {
      {"--target", joined(target::names_of_kinds(), " ")},
      {"--isa", joined(target::names_of_instruction_sets(), " ")},
      {"--profile", joined(target::names_of_profiles(), " ")},
      {"--stage", "term low loop source"},
      {"--rule", joined(rules, " ")},
      {"--subject", joined(subjects, " ")},
      {"--strategy", joined(strategies, " ")},
      {"--search", joined(searches, " ") + " " + specifications},
      {"--spec", specifications},
      {"--only", joined(stencils, " ")},
  };
}

std::string bash_script(const std::vector<CommandFacts>& commands, const std::string& passes) {
  std::string text =
      "# Completion of hoist for bash:  source <(hoist completion bash)\n"
      "_hoist() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} "
      "options=\n"
      "  COMPREPLY=()\n";
  text += fmt::format(
      "  if (( COMP_CWORD == 1 )); then\n"
      "    COMPREPLY=($(compgen -W \"{} help --help --version\" -- \"$word\"))\n    return\n  fi\n"
      "  if [[ $command == completion ]]; then\n"
      "    COMPREPLY=($(compgen -W \"bash zsh fish --help\" -- \"$word\"))\n    return\n  fi\n",
      names_text(commands, ""));
  for (const std::string& parent : parents(commands)) {
    text += fmt::format(
        "  if [[ $command == {0} ]]; then\n"
        "    if (( COMP_CWORD == 2 )); then COMPREPLY=($(compgen -W \"{1} --help\" -- \"$word\")); return; "
        "fi\n"
        "    command=\"{0} ${{COMP_WORDS[2]}}\"\n  fi\n",
        parent, names_text(commands, parent + " "));
  }
  text +=
      "  case $before in\n"
      "    --device) COMPREPLY=($(compgen -W \"$(hoist devices --ids 2>/dev/null)\" -- \"$word\")); "
      "__ltrim_colon_completions \"$word\" 2>/dev/null; return ;;\n";
  for (const KnownValues& known : known_values()) {
    text += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", known.option,
                        known.values);
  }
  text += fmt::format("    --without) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", passes);
  text +=
      "    -o|--output|--store|--write) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "  esac\n"
      "  case $command in\n";
  for (const CommandFacts& command : commands) {
    text += fmt::format("    '{}') options='{}' ;;\n", command.name, option_names(command));
  }
  text +=
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [[ $command == 'store import' ]]; then\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  elif [[ $before == = ]]; then\n"
      "    COMPREPLY=($(compgen -f -X '!*.npy' -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -X '!*.hoist' -- \"$word\") $(compgen -d -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _hoist hoist\n";
  return text;
}

/// Inside single quotes of zsh's and fish's argument descriptions.
std::string plain(const std::string& text) {
  std::string result;
  for (char letter : text) {
    if (std::string_view("'[]:\\").find(letter) == std::string_view::npos) result += letter;
  }
  return result;
}

std::string zsh_options(const CommandFacts& command, const std::string& passes) {
  std::string text;
  for (const auto& option : command.options) {
    for (const std::string& name : option.names) {
      std::string action;
      if (option.takes_value) action = ":value:";
      if (name == "--device") action = ":device:_hoist_devices";
      if (name == "--without") action = ":pass:(" + passes + ")";
      if (name == "--output" || name == "-o" || name == "--store" || name == "--write")
        action = ":file:_files";
      for (const KnownValues& known : known_values()) {
        if (name == known.option) action = fmt::format(":value:({})", known.values);
      }
      text += fmt::format(" '{}[{}]{}'", name, plain(option.description), action);
    }
  }
  return text;
}

std::string zsh_script(const std::vector<CommandFacts>& commands, const std::string& passes) {
  std::string text =
      "#compdef hoist\n"
      "# Completion of hoist for zsh:  source <(hoist completion zsh)\n"
      "_hoist_devices() { local -a ids; ids=(${(f)\"$(hoist devices --ids 2>/dev/null)\"}); compadd -a ids "
      "}\n"
      "_hoist() {\n"
      "  local command=$words[2]\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands\n"
      "    commands=(";
  for (const CommandFacts& command : commands) {
    if (command.name.find(' ') == std::string::npos) {
      text += fmt::format(" '{}:{}'", command.name, plain(command.description));
    }
  }
  text += ")\n    _describe command commands\n    return\n  fi\n";
  for (const std::string& parent : parents(commands)) {
    text += fmt::format(
        "  if [[ $command == {0} ]]; then\n"
        "    if (( CURRENT == 3 )); then compadd {1}; return; fi\n"
        "    command=\"{0} $words[3]\"\n  fi\n",
        parent, names_text(commands, parent + " "));
  }
  text +=
      "  if [[ $command == completion ]]; then compadd bash zsh fish; return; fi\n"
      "  case $command in\n";
  for (const CommandFacts& command : commands) {
    text += fmt::format("    '{}') _arguments{} '*:file:_files' ;;\n", command.name,
                        zsh_options(command, passes));
  }
  text +=
      "  esac\n"
      "}\n"
      "if [[ $funcstack[1] == _hoist ]]; then _hoist; else compdef _hoist hoist; fi\n";
  return text;
}

std::string fish_script(const std::vector<CommandFacts>& commands, const std::string& passes) {
  std::string text =
      "# Completion of hoist for fish:  hoist completion fish | source\n"
      "complete -c hoist -e\n";
  for (const CommandFacts& command : commands) {
    const std::size_t space = command.name.find(' ');
    const std::string parent = space == std::string::npos ? "" : command.name.substr(0, space);
    const std::string name = space == std::string::npos ? command.name : command.name.substr(space + 1);
    const std::string here =
        parent.empty() ? "__fish_use_subcommand"
                       : fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}",
                                     parent, names_text(commands, parent + " "));
    text +=
        fmt::format("complete -c hoist -f -n '{}' -a {} -d '{}'\n", here, name, plain(command.description));
    for (const auto& option : command.options) {
      text += fmt::format("complete -c hoist -n '__fish_seen_subcommand_from {}'", name);
      for (const std::string& each : option.names) {
        text += each.starts_with("--") ? " -l " + each.substr(2) : " -s " + each.substr(1);
      }
      if (option.takes_value) text += " -r";
      if (option.names.front() == "--device") text += " -f -a '(hoist devices --ids 2>/dev/null)'";
      if (option.names.front() == "--without") text += fmt::format(" -f -a '{}'", passes);
      for (const KnownValues& known : known_values()) {
        if (option.names.front() == known.option) text += fmt::format(" -f -a '{}'", known.values);
      }
      text += fmt::format(" -d '{}'\n", plain(option.description));
    }
  }
  text += "complete -c hoist -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes hoist's commands in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text(" ");
  command->footer(
      "Examples:\n"
      "  source <(hoist completion bash)\n"
      "  source <(hoist completion zsh)\n"
      "  hoist completion fish | source");
  command->callback([&app, &session, shell] {
    session.action = [&app, shell] {
      std::vector<CommandFacts> commands;
      collect(app, "", commands);
      const std::string passes = joined(lower::optional_passes(), " ");
      print(*shell == "bash"  ? bash_script(commands, passes)
            : *shell == "zsh" ? zsh_script(commands, passes)
                              : fish_script(commands, passes));
      return done;
    };
  });
}

}  // namespace hoist::cli
