// hoist devices: what there is to run on.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "runtime/device.hpp"
#include "runtime/devices.hpp"
#include "runtime/limits.hpp"
#include "target/json.hpp"
#include "target/kinds.hpp"

namespace hoist::cli {

namespace {

struct DevicesOptions {
  bool json = false;
  bool ids = false;
};

/// "7.75 GiB": bytes_text without the exact number.
std::string short_bytes(std::size_t bytes) {
  const std::string text = runtime::bytes_text(bytes);
  return text.substr(0, text.find(" ("));
}

/// "8, 16, 32", or "no".
std::string sub_groups_text(const target::Target& device) {
  std::string text;
  for (const std::size_t size : device.sub_group_sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text.empty() ? "no" : text;
}

Status devices(const DevicesOptions& options) {
  std::vector<std::string> notes;
  const std::vector<target::Target> present = runtime::list_devices(&notes);
  if (options.ids) {
    for (const target::Target& device : present) print(device.id + "\n");
    return done;
  }
  for (const std::string& each : notes) note("note: " + each);
  if (options.json) {
    Json list = Json::array();
    for (const target::Target& device : present) list.push_back(target::to_json(device));
    print_json(list);
    return done;
  }
  using enum Table::Align;
  Table table({{"id", Left},
               {"name", Left},
               {"type", Left},
               {"units", Right},
               {"memory", Right},
               {"local", Right},
               {"group", Right},
               {"sub-groups", Left},
               {"f64", Left},
               {"platform", Left}});
  for (const target::Target& device : present) {
    table.add_row({device.id, device.name, std::string(target::name_of(device.type)),
                   std::to_string(device.compute_units), short_bytes(device.global_memory),
                   short_bytes(device.local_memory), std::to_string(device.max_group_size),
                   sub_groups_text(device), device.has_f64 ? "yes" : "no", device.platform});
  }
  print(table.text());
  return done;
}

}  // namespace

void add_devices(CLI::App& app, Session& session) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* command = app.add_subcommand("devices", "List what there is to run on");
  command->add_flag("--json", options->json, "Print all that is known of each device as JSON");
  command->add_flag("--ids", options->ids, "Print the ids alone, one a line");
  command->footer(
      "The ids are what --device takes. 'units' are compute units, 'group' is the most work-items in a "
      "group,\n"
      "'sub-groups' how many of them can exchange registers.\n\n"
      "Examples:\n"
      "  hoist devices\n"
      "  hoist devices --json");
  command->callback([&session, options] { session.action = [options] { return devices(*options); }; });
}

}  // namespace hoist::cli
