// hoist stencils: the 104 stencils of the literature on tuning, listed and written as programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "workloads/stencil_family.hpp"

namespace hoist::cli {

namespace {

using workloads::FamilyStencil;

struct StencilsOptions {
  bool list = false, intensities = false, force = false, json = false;
  std::string directory;          ///< empty: nothing is written
  std::vector<std::string> only;  ///< empty: all
  std::string type = "f32";
  std::uint64_t seed = 1;
};

std::vector<FamilyStencil> chosen(const StencilsOptions& options) {
  std::vector<FamilyStencil> all = workloads::stencil_family(options.seed, options.intensities);
  if (options.only.empty()) return all;
  std::vector<std::string> names;
  for (const FamilyStencil& each : all) names.push_back(each.stencil.name);
  for (const std::string& name : options.only) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw_user(fmt::format("there is no stencil '{}'{}", name, did_you_mean(name, names)), {},
                 options.intensities ? "hoist stencils --list --intensities lists them"
                                     : "hoist stencils --list lists them; with --intensities there are more");
  }
  std::erase_if(all, [&](const FamilyStencil& each) {
    return std::find(options.only.begin(), options.only.end(), each.stencil.name) == options.only.end();
  });
  return all;
}

std::string unique_text(const FamilyStencil& stencil) {
  return stencil.unique_dimension ? std::string(1, *stencil.unique_dimension) : "none";
}

Json facts_of(const std::vector<FamilyStencil>& stencils) {
  Json list = Json::array();
  for (const FamilyStencil& each : stencils) {
    list.push_back({{"name", each.stencil.name},
                    {"pattern", workloads::name_of(each.pattern)},
                    {"radius", each.radius},
                    {"dimensionality", each.dimensionality},
                    {"unique_dimension", unique_text(each)},
                    {"size", each.stencil.points()},
                    {"density", each.density()},
                    {"additions_per_point", each.stencil.additions},
                    {"multiplications_per_point", each.stencil.multiplications}});
  }
  return list;
}

std::string table_of(const std::vector<FamilyStencil>& stencils) {
  using enum Table::Align;
  Table table({{"name", Left},
               {"pattern", Left},
               {"radius", Right},
               {"dimensions", Right},
               {"unique", Left},
               {"size", Right},
               {"density", Right},
               {"additions", Right},
               {"multiplications", Right}});
  for (const FamilyStencil& each : stencils) {
    table.add_row({each.stencil.name, std::string(workloads::name_of(each.pattern)),
                   std::to_string(each.radius), std::to_string(each.dimensionality), unique_text(each),
                   std::to_string(each.stencil.points()), fmt::format("{:.4f}", each.density()),
                   std::to_string(each.stencil.additions), std::to_string(each.stencil.multiplications)});
  }
  return table.text();
}

Status run(const StencilsOptions& options) {
  const std::vector<FamilyStencil> stencils = chosen(options);
  const bool lists = options.list || options.directory.empty();
  Json facts = Json::object();
  if (!options.directory.empty()) {
    const Scalar type = scalar_named(options.type).value();
    std::vector<NamedText> files;
    for (const FamilyStencil& each : stencils)
      files.push_back({each.stencil.name + ".hoist", workloads::program_of(each.stencil, type)});
    facts["written"] = write_text_files(options.directory, files, options.force);
  }
  if (options.json) {
    if (lists) facts["stencils"] = facts_of(stencils);
    facts["seed"] = options.seed;
    print_json(facts);
    return done;
  }
  if (lists) print(table_of(stencils));
  if (!options.directory.empty())
    print(fmt::format("wrote {} program{} to {}, with weights of seed {}\n", stencils.size(),
                      stencils.size() == 1 ? "" : "s", options.directory, options.seed));
  return done;
}

}  // namespace

void add_stencils(CLI::App& app, Session& session) {
  auto options = std::make_shared<StencilsOptions>();
  CLI::App* command = app.add_subcommand(
      "stencils", "List 104 stencils, from a point to a cube of 1331, or write their programs");
  command->add_flag("--list", options->list, "List them; the default where nothing is written");
  command
      ->add_option("--write", options->directory,
                   "Write each as NAME.hoist; the directory is made if it is not there")
      ->check([](const std::string& text) { return text.empty() ? "the directory has no name" : ""; })
      ->option_text("DIR");
  command->add_option("--only", options->only, "Only this stencil; may be repeated")
      ->option_text("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--intensities", options->intensities,
                    "Each four times, with 1 or 2 additions and multiplications a point: 416");
  command->add_option("--seed", options->seed, "The seed of the weights (1)")->option_text("SEED");
  command->add_option("--type", options->type, "f32 (default) or f64")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->option_text("TYPE");
  command->add_flag("--force", options->force, "Replace files");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "Dense, star, diamond, no corners and thumbtack, in one to three dimensions in every orientation, of "
      "radius\n"
      "0 to 5, all on arrays of three dimensions whose border is in the input. docs/stencils.md defines "
      "them.\n\n"
      "Examples:\n"
      "  hoist stencils --list\n"
      "  hoist stencils --write stencils --only star_zyx_r2\n"
      "  hoist run stencils/star_zyx_r2.hoist D=64 H=64 W=64 --random 1 --verify");
  command->callback([&session, options] { session.action = [options] { return run(*options); }; });
}

}  // namespace hoist::cli
