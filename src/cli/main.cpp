// hoist: the command line.
#include <algorithm>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "ir/print.hpp"
#include "measure/worker/worker.hpp"

namespace hoist::cli {

namespace {

std::string quoted_command_line(int argc, char** argv) {
  std::vector<std::string> words{"hoist"};
  for (int i = 1; i < argc; ++i) words.push_back(shell_quoted(argv[i]));
  return joined(words, " ");
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// The command that was given, the innermost: "simplify" of `hoist dev simplify`.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// A word that is neither a command nor an option where a command is due.
void check_command_names(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const std::vector<std::string> names = command_names(*command);
    if (names.empty() || word.starts_with('-')) return;
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const std::string path = command == &app ? "hoist" : "hoist " + command->get_name();
      throw_user(fmt::format("{} has no command '{}'{}", path, word, did_you_mean(word, names)), {},
                 fmt::format("its commands are {}; {} --help describes them", joined(names), path));
    }
    command = command->get_subcommand(*found);
  }
}

/// What the user wrote that the command does not take, in the words of the other errors.
std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  // Reported before what is missing: a mistyped option makes its value look like something else.
  if (const std::vector<std::string> extra = app.remaining(true); !extra.empty()) {
    std::vector<std::string> options;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    const std::string word = extra.front().substr(0, extra.front().find('='));
    return fmt::format("{} takes no '{}'{}", command.get_name(), word, did_you_mean(word, options));
  }
  if (const std::vector<std::string> names = command_names(command); !names.empty()) {
    return "a command is missing: one of " + joined(names);
  }
  for (const CLI::Option* option : command.get_options()) {
    const bool takes_one = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
                           option->get_items_expected_max() == 1;
    if (takes_one && option->count() > 1)
      return fmt::format("{} is given {} times: {}", option->get_name(), option->count(),
                         joined(option->results()));
  }
  return error.what();
}

void print_bug(const Session& session, const std::string& message) {
  std::string text = message + "\n  This is a fault of Hoist, not of your program.";
  if (session.program) {
    try {
      text += "\n  The program as Hoist reads it:\n" + ir::to_string(*session.program);
    } catch (const std::exception&) {
      text += "\n  (The program cannot be printed.)";
    }
  }
  text += "\n  To reproduce it: " + session.command_line;
  note(text);
}

/// "hoist help run" asks for what "hoist run --help" does.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

Status run_command(CLI::App& app, Session& session, const std::vector<std::string>& words) {
  // Where facts are printed as JSON an error is one of them.
  const auto failed = [&](const Error& error, Status status) {
    if (std::find(words.begin(), words.end(), "--json") == words.end()) return status;
    print_json(error_json(error, session.source ? &*session.source : nullptr, status));
    finish_output();
    return status;
  };
  try {
    check_command_names(app, words);
    // It takes them from the end.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    const Status status = session.action();
    need(finish_output());
    return status;
  } catch (const CLI::Success& success) {
    // --help and --version.
    app.exit(success);
    return done;
  } catch (const CLI::ParseError& error) {
    std::string name = "hoist";
    for (const CLI::App* each = &app; !each->get_subcommands().empty();) {
      each = each->get_subcommands().front();
      name += " " + each->get_name();
    }
    const Error told =
        user_error(parse_error_text(app, error), {}, name + " --help describes what it takes").value();
    report(told, nullptr);
    return failed(told, users_error);
  } catch (const Failure& failure) {
    const Error& error = failure.error();
    finish_output();
    if (error.kind == ErrorKind::Bug) {
      print_bug(session, error.render(session.source ? &*session.source : nullptr));
    } else {
      report(error, session.source ? &*session.source : nullptr);
    }
    return failed(error, status_of(error.kind));
  } catch (const std::bad_alloc&) {
    const Error error = device_error("not enough memory").value();
    report(error, nullptr);
    return failed(error, device_failure);
  } catch (const std::exception& failure) {
    print_bug(session, std::string("bug: ") + failure.what());
    return failed(fail(ErrorKind::Bug, failure.what()).value(), bug);
  }
}

}  // namespace

Status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::User:
    case ErrorKind::Unsupported:
      return users_error;
    case ErrorKind::Device:
      return device_failure;
    case ErrorKind::Bug:
      return bug;
  }
  return bug;
}

}  // namespace hoist::cli

int main(int argc, char** argv) {
  using namespace hoist::cli;
  if (const auto status = hoist::measure::run_as_worker(argc, argv)) return *status;
  install_signal_handlers();
  Session session;
  session.command_line = quoted_command_line(argc, argv);
  CLI::App app("Compiles programs written as compositions of data-parallel patterns to fast kernels",
               "hoist");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("-V,--version", "hoist " HOIST_VERSION, "Print the version and leave");
  app.set_help_flag("-h,--help", "Print this help and leave");
  app.get_formatter()->column_width(34);
  add_demo(app, session);
  add_check(app, session);
  add_format(app, session);
  add_eval(app, session);
  add_run(app, session);
  add_compile(app, session);
  add_explore(app, session);
  add_explain(app, session);
  add_features(app, session);
  add_tune(app, session);
  add_report(app, session);
  add_train(app, session);
  add_evaluate(app, session);
  add_export(app, session);
  add_openmp(app, session);
  add_stencils(app, session);
  add_rules(app, session);
  add_rewrite(app, session);
  add_bench_search(app, session);
  add_store(app, session);
  add_devices(app, session);
  add_new(app, session);
  add_dev(app, session);
  add_completion(app, session);
  app.require_subcommand(1);
  app.footer(
      "hoist help COMMAND, or hoist COMMAND --help, describes a command, with examples.\n"
      "Exit status: 0 done, 1 the user's error, 2 a device or another resource failed, 3 a bug of Hoist.");
  return run_command(app, session, words_of(argc, argv));
}
