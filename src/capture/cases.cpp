// Reads what applications ran, from the directories that CaseRecorder left (layout.hpp says what is in
// them), so that `hoist tune` can tune it.
//
// A directory of cases may have been cut off by a full disk or written by anybody, so nothing in it is
// believed: file names must not lead out of it, numbers must be of their types, the program must be one of
// this Hoist, the sizes must be the program's, and each input must have the type and shape that the program
// takes. The errors of all cases are told together.
//
// Read `read_cases` first, then `read_case`, which lists the checks of one case. Only headers of inputs are
// looked at here; `inputs_of` reads the elements when the case is tuned. `tuning_shares` deals out the time
// for tuning: two cases of which one ran nine times as long as the other get 0.7 and 0.3 of it.
#include "capture/cases.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "base/npy.hpp"
#include "capture/layout.hpp"
#include "driver/inputs.hpp"
#include "driver/suite.hpp"
#include "lang/lang.hpp"

namespace hoist::capture {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* how_to_capture =
    "run a program that uses Hoist's C++ API with HOIST_CAPTURE=DIR in its environment";
constexpr const char* what_to_do = "remove the case's directory, or capture it again";

void add(const Error& error, Error& all) {
  std::ranges::copy(error.diagnostics, std::back_inserter(all.diagnostics));
}

/// The path of a file of the case. Refuses a name that leads out of its directory.
std::string file_in(const std::string& place, const std::string& name) {
  if (name.empty() || fs::path(name).filename() != name)
    throw_user(fmt::format("{}/{} names the file '{}', which is not in the case's directory", place,
                           captured::case_file, name),
               {}, what_to_do);
  return place + "/" + name;
}

/// Refuses what is no regular file: a pipe or a device in its place would be waited for.
void check_file(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw_user(path + " is not a regular file", {}, what_to_do);
}

std::int64_t captured_size(const std::string& place, const std::string& name, const Json& value) {
  if (!value.is_number_integer())
    throw_user(fmt::format("{}/{} is damaged: it says that {} is {}", place, captured::case_file, name,
                           value.dump()),
               "a size is a natural number", what_to_do);
  return value.get<std::int64_t>();
}

/// Takes a description apart. Throws Json::exception where it is of another form.
CapturedCase case_of(const std::string& place, const Json& json) {
  CapturedCase result;
  result.place = place;
  result.program = json.at("program");
  result.source.name = file_in(place, json.at("file"));
  result.entry = json.at("entry");
  for (const auto& [name, value] : json.at("sizes").items())
    result.sizes.emplace_back(name, captured_size(place, name, value));
  const Json& device = json.at("device");
  result.device = device.at("id");
  result.device_name = device.at("name");
  result.language = device.at("language");
  for (const Json& input : json.at("inputs")) result.inputs.push_back(file_in(place, input.at("file")));
  return result;
}

CapturedCase read_description(const std::string& place) {
  const std::string path = place + "/" + captured::case_file;
  check_file(path);
  const Source text = need(driver::read_source(path));
  try {
    const Json json = Json::parse(text.text);
    if (json.at("format") != captured::format)
      throw_user(path + " does not describe a captured case", {}, what_to_do);
    if (const int version = json.at("version"); version > captured::version)
      throw_user(
          fmt::format("{} is of version {}, this Hoist reads up to {}", path, version, captured::version), {},
          "use the Hoist that captured it, or a newer one");
    return case_of(place, json);
  } catch (const Json::exception& failure) {
    throw_user(path + " is damaged", failure.what(), what_to_do);
  }
}

/// Adds up the runs. A line that a full disk or a killed process cut off is left out.
void read_runs(CapturedCase& captured) {
  const std::string path = captured.place + "/" + captured::runs_file;
  check_file(path);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("runs") || !json.contains("seconds")) continue;
    if (!json["runs"].is_number_unsigned() || !json["seconds"].is_number()) continue;
    constexpr double longest = 1e12;  // shares of a budget are made of their sum
    const auto seconds = json["seconds"].get<double>();
    if (!(seconds >= 0 && seconds <= longest)) continue;
    captured.runs += json["runs"].get<std::uint64_t>();
    captured.seconds += seconds;
  }
}

/// Lists the flattened inputs of a sized program, without elements.
std::vector<Tensor> leaves_of(const ir::Program& sized) {
  std::vector<Tensor> result;
  for (const ir::ParameterDeclaration& parameter : sized.parameters) {
    for (Tensor& leaf : need(driver::empty_leaves(parameter.type))) result.push_back(std::move(leaf));
  }
  return result;
}

NpyFile open_input(const std::string& path, const Tensor& wanted) {
  check_file(path);
  NpyFile file = need(NpyFile::open(path));
  if (file.header().scalar != wanted.scalar || file.header().shape != wanted.shape)
    throw_user(fmt::format("{} holds {} of shape {}, but the program takes {} of shape {}", path,
                           file.header().element, numpy_shape(file.header().shape), numpy_name(wanted.scalar),
                           numpy_shape(wanted.shape)),
               {}, what_to_do);
  return file;
}

CapturedCase read_case(const std::string& place) {
  CapturedCase captured = read_description(place);
  check_file(captured.source.name);
  captured.source = need(driver::read_source(captured.source.name));
  read_runs(captured);
  const ir::Arena of_this_case;
  const auto program = program_of(captured);
  if (!program)
    throw_user(captured.source.name + " is not a program that this Hoist can read",
               program.error().render(&captured.source), what_to_do);
  const auto sized = driver::with_sizes(*program, captured.sizes);
  if (!sized || !sized->sizes.empty() || !ir::open_parameters(sized->function).empty())
    throw_user(fmt::format("the sizes in {}/{} do not fit its program", place, captured::case_file),
               sized ? "sizes of the program are missing" : sized.error().diagnostics.front().message,
               what_to_do);
  const std::vector<Tensor> leaves = leaves_of(*sized);
  if (leaves.size() != captured.inputs.size())
    throw_user(fmt::format("{}/{} names {} inputs, but its program has {}", place, captured::case_file,
                           captured.inputs.size(), leaves.size()),
               {}, what_to_do);
  Error all;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto opened = catch_failure([&] { return open_input(captured.inputs[i], leaves[i]); });
    if (!opened) add(opened.error(), all);
  }
  if (!all.diagnostics.empty()) throw Failure(all);
  return captured;
}

std::vector<std::string> places_in(const std::string& directory) {
  std::error_code error;
  if (fs::exists(fs::path(directory) / captured::case_file, error)) return {directory};
  std::vector<std::string> places;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const bool is_complete = !entry->path().filename().string().starts_with(".");
    std::error_code unseen;  // a directory that may not be searched holds no case of ours
    if (is_complete && fs::exists(entry->path() / captured::case_file, unseen))
      places.push_back(entry->path().string());
  }
  if (error) throw_user(fmt::format("{} cannot be read: {}", directory, error.message()), {}, how_to_capture);
  if (places.empty()) throw_user(directory + " holds no captured cases", {}, how_to_capture);
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

Result<std::vector<CapturedCase>> read_cases(const std::string& directory) {
  return catch_failure([&] {
    std::vector<CapturedCase> cases;
    Error all;
    for (const std::string& place : places_in(directory)) {
      auto read = catch_failure([&] { return read_case(place); });
      if (read) {
        cases.push_back(std::move(*read));
      } else {
        add(read.error(), all);
      }
    }
    if (!all.diagnostics.empty()) throw Failure(all);
    std::stable_sort(cases.begin(), cases.end(),
                     [](const CapturedCase& a, const CapturedCase& b) { return a.seconds > b.seconds; });
    return cases;
  });
}

std::vector<double> tuning_shares(const std::vector<CapturedCase>& cases) {
  double seconds = 0;
  for (const CapturedCase& each : cases) seconds += each.seconds;
  const double even = 1 / static_cast<double>(cases.size());
  std::vector<double> shares;
  for (const CapturedCase& each : cases)
    shares.push_back(seconds > 0 ? (even + each.seconds / seconds) / 2 : even);
  return shares;
}

Result<ir::Program> program_of(const CapturedCase& captured) {
  return lang::parse_program(captured.source, {.entry = captured.entry});
}

Result<std::vector<Data>> inputs_of(const CapturedCase& captured, const ir::Program& program) {
  return catch_failure([&] {
    const ir::Program sized = need(driver::with_sizes(program, captured.sizes));
    std::vector<Data> inputs;
    std::size_t next = 0;
    for (const ir::ParameterDeclaration& parameter : sized.parameters) {
      Data& data = inputs.emplace_back();
      for (const Tensor& leaf : need(driver::empty_leaves(parameter.type))) {
        data.push_back(need(open_input(captured.inputs.at(next++), leaf).read()));
      }
    }
    return inputs;
  });
}

}  // namespace hoist::capture
