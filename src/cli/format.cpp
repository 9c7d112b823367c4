// hoist format: lays programs' texts out in one way.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/program_file.hpp"
#include "lang/lang.hpp"

namespace hoist::cli {

namespace {

struct FormatOptions {
  std::vector<std::string> files;
  bool in_place = false, check = false;
};

/// The files whose texts are laid out otherwise, each with the text that it is to have. Nothing is written
/// where one of them cannot be read or does not parse.
std::vector<NamedText> unformatted(Session& session, const std::vector<std::string>& files) {
  std::vector<NamedText> result;
  for (const std::string& file : files) {
    const auto is_it = [&](const NamedText& each) { return each.name == file; };
    if (std::any_of(result.begin(), result.end(), is_it)) continue;
    session.source = read_program_text(file);
    std::string text = need(lang::formatted(*session.source));
    if (text != session.source->text) result.push_back({file, std::move(text)});
  }
  session.source.reset();
  return result;
}

std::vector<std::string> names_of(const std::vector<NamedText>& files) {
  std::vector<std::string> names;
  for (const NamedText& file : files) names.push_back(file.name);
  return names;
}

void rewrite_files(const std::vector<NamedText>& files) {
  std::vector<OutputFile> outputs;
  for (const NamedText& file : files) {
    outputs.push_back(need(OutputFile::create(file.name)));
    need(outputs.back().write(std::as_bytes(std::span(file.text))));
  }
  for (OutputFile& output : outputs) need(output.commit());
  if (!files.empty()) note("wrote " + joined(names_of(files)));
}

Status format(Session& session, const FormatOptions& options) {
  if (options.check) {
    const std::vector<std::string> names = names_of(unformatted(session, options.files));
    if (names.empty()) return done;
    print(joined(names, "\n") + "\n");
    throw_user(names.size() == 1 ? names.front() + " is not formatted"
                                 : fmt::format("{} files are not formatted", names.size()),
               {}, "hoist format --in-place formats files");
  }
  if (options.in_place) {
    if (std::find(options.files.begin(), options.files.end(), "-") != options.files.end())
      throw_user("standard input cannot be written", {}, "without --in-place the text is printed");
    rewrite_files(unformatted(session, options.files));
    return done;
  }
  if (options.files.size() > 1)
    throw_user("the texts of several files would be printed as one", {},
               "--in-place writes each to its file; --check says which are not formatted");
  session.source = read_program_text(options.files.front());
  print(need(lang::formatted(*session.source)));
  return done;
}

}  // namespace

void add_format(CLI::App& app, Session& session) {
  auto options = std::make_shared<FormatOptions>();
  CLI::App* command = app.add_subcommand("format", "Lay the text of programs out in the usual way");
  command->add_option("FILE", options->files, "Programs' texts; - is standard input")
      ->required()
      ->option_text(" ");
  auto* in_place =
      command->add_flag("-i,--in-place", options->in_place, "Write to the files instead of printing");
  command
      ->add_flag("--check", options->check,
                 "Only print the names of files that are not formatted; exit status 1 when there are such")
      ->excludes(in_place);
  command->footer(
      "Blanks, indentation and long lines become the usual ones; comments and other line breaks stay, and so "
      "does\n"
      "what the program means. Nothing is written when a file does not parse.\n\n"
      "Examples:\n"
      "  hoist format kernels/gemv.hoist\n"
      "  hoist format --in-place *.hoist\n"
      "  hoist format --check *.hoist\n"
      "  echo 'def twice(x:[N]f32)=x|>map(e=>2*e)' | hoist format -");
  command->callback(
      [&session, options] { session.action = [&session, options] { return format(session, *options); }; });
}

}  // namespace hoist::cli
