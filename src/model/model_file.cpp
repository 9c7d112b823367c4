// Models as files: docs/model.md has the format.
#include "model/model.hpp"

#include <algorithm>

#include "model/files.hpp"
#include "model/learner.hpp"

namespace hoist::model {

namespace {

constexpr std::string_view format_name = "hoist model";
constexpr int format_version = 1;

Json schema_to_json(const Schema& schema) {
  Json features = Json::array();
  for (const Feature& each : schema.features)
    features.push_back({{"name", each.name}, {"unit", each.unit}, {"group", each.group}, {"per", each.per}});
  return {{"version", schema.version}, {"features", features}};
}

Schema schema_from_json(const Json& json) {
  Schema schema{json.at("version").get<int>(), {}};
  for (const Json& each : json.at("features")) {
    schema.features.push_back({each.at("name").get<std::string>(), each.at("unit").get<std::string>(),
                               each.at("group").get<std::string>(), each.at("per").get<std::string>()});
  }
  return schema;
}

Description description_from_json(const Json& json) {
  Description description;
  description.kind = json.at("kind").get<std::string>();
  description.schema = schema_from_json(json.at("schema"));
  description.device_classes = json.at("device_classes").get<std::vector<std::string>>();
  description.seed = json.at("seed").get<std::uint64_t>();
  description.provenance = json.at("provenance").get<std::map<std::string, std::string>>();
  const Json& training = json.at("training");
  description.measured = training.at("measured").get<std::size_t>();
  description.failed = training.at("failed").get<std::size_t>();
  description.tasks = training.at("tasks").get<std::size_t>();
  description.programs = training.at("programs").get<std::vector<std::string>>();
  for (const Json& range : json.at("ranges"))
    description.ranges.push_back({range.at(0).get<double>(), range.at(1).get<double>()});
  if (description.ranges.size() != description.schema.features.size())
    throw_user("its number of ranges is not its number of features");
  description.constant = json.at("constant").get<std::vector<std::string>>();
  description.excluded = json.at("excluded").get<std::vector<std::string>>();
  return description;
}

Model model_from_json(const Json& json) {
  if (!json.is_object() || json.value("format", "") != format_name)
    throw_user(fmt::format("it does not say that its format is '{}'", format_name));
  if (const Json& version = json.at("version"); version != format_version)
    throw_user(
        fmt::format("its format has version {}, and this Hoist reads {}", version.dump(), format_version));
  Description description = description_from_json(json);
  auto learner = make_speed_learner(description.kind);
  learner->from_json(json.at("learned"), used_columns(description).size());
  return Model(std::move(description), std::move(learner));
}

}  // namespace

Json Model::to_json() const {
  Json ranges = Json::array();
  for (const Range& range : description_.ranges) ranges.push_back({range.least, range.greatest});
  return {{"format", format_name},
          {"version", format_version},
          {"kind", description_.kind},
          {"schema", schema_to_json(description_.schema)},
          {"device_classes", description_.device_classes},
          {"seed", description_.seed},
          {"provenance", description_.provenance},
          {"training",
           {{"measured", description_.measured},
            {"failed", description_.failed},
            {"tasks", description_.tasks},
            {"programs", description_.programs}}},
          {"ranges", ranges},
          {"constant", description_.constant},
          {"excluded", description_.excluded},
          {"learned", learner_->to_json()}};
}

Result<void> save(const Model& model, const std::string& path) {
  return write_file(path, model.to_json().dump() + "\n");
}

Result<Model> parse_model(const std::string& text, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    return user_error(fmt::format("'{}' is not a model that this Hoist can use", name), why,
                      "learn it again (hoist train), or get the file again");
  };
  try {
    const auto unpacked = unpack(text, name);
    if (!unpacked) return tl::unexpected(unpacked.error());
    return model_from_json(Json::parse(*unpacked));
  } catch (const Json::exception& exception) {
    return refuse(exception.what());
  } catch (const Failure& failure) {
    return refuse(failure.error().diagnostics.front().message);
  }
}

Result<Model> load(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_model(*text, path);
}

}  // namespace hoist::model
