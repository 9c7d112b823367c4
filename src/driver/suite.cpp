#include "driver/suite.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace hoist::driver {

namespace {

using nlohmann::json;

SuiteProgram::Bound read_bound(const json& value) {
  if (value.is_string()) return {0, value.get<std::string>()};
  return {value.get<double>(), ""};
}

SuiteProgram read_program(const std::string& name, const json& entry,
                          const std::filesystem::path& directory) {
  SuiteProgram program;
  program.name = name;
  program.path = directory / (name + ".hoist");
  if (!std::filesystem::exists(program.path))
    throw_user(fmt::format("sizes.json has sizes of {0}, but there is no {0}.hoist", name));
  for (const auto& [key, value] : entry.items()) {
    if (key == "same_as") {
      program.same_as = value.get<std::string>();
    } else if (key == "inputs") {
      for (const auto& [input, range] : value.items()) {
        program.inputs[input] = {
            read_bound(range.at("low")), read_bound(range.at("high")),
            range.contains("diagonal") ? read_bound(range.at("diagonal")) : SuiteProgram::Bound{}};
      }
    } else {
      NamedSizes& sizes = program.sizes[key];
      for (const auto& [size, number] : value.items()) sizes.emplace_back(size, number.get<std::int64_t>());
    }
  }
  return program;
}

Result<double> value_of(const SuiteProgram::Bound& bound, const NamedSizes& values) {
  if (bound.size.empty()) return bound.number;
  for (const auto& [name, value] : values) {
    if (name == bound.size) return static_cast<double>(value);
  }
  return user_error("the range of an input is bounded by the size " + bound.size + ", which is not given");
}

}  // namespace

Result<std::map<std::string, InputRange>> SuiteProgram::ranges(const NamedSizes& values) const {
  std::map<std::string, InputRange> result;
  for (const auto& [input, range] : inputs) {
    auto low = value_of(range.low, values);
    if (!low) return tl::unexpected(low.error());
    auto high = value_of(range.high, values);
    if (!high) return tl::unexpected(high.error());
    auto diagonal = value_of(range.diagonal, values);
    if (!diagonal) return tl::unexpected(diagonal.error());
    result[input] = {*low, *high, *diagonal};
  }
  return result;
}

Result<Source> read_source(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    return user_error(path.string() + " is a directory, not a program");
  const auto cannot = [&] {
    return user_error(fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)));
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot();
  try {
    return Source{path.string(), std::string(std::istreambuf_iterator<char>(file), {})};
  } catch (const std::ios_base::failure&) {  // while reading, whatever the stream's exceptions() say
    return cannot();
  }
}

Result<std::vector<SuiteProgram>> load_suite(const std::filesystem::path& directory) {
  auto text = read_source(directory / "sizes.json");
  if (!text) return tl::unexpected(text.error());
  try {
    return catch_failure([&] {
      std::vector<SuiteProgram> programs;
      const json entries = json::parse(text->text);
      for (const auto& [name, entry] : entries.items())
        programs.push_back(read_program(name, entry, directory));
      for (const auto& file : std::filesystem::directory_iterator(directory)) {
        const std::string name = file.path().stem().string();
        const bool is_listed = std::any_of(programs.begin(), programs.end(),
                                           [&](const SuiteProgram& program) { return program.name == name; });
        if (file.path().extension() == ".hoist" && !is_listed)
          throw_user(fmt::format("sizes.json has no sizes of {}", name));
      }
      return programs;
    });
  } catch (const json::exception& failure) {
    return user_error(text->name + " does not have the form of a list of programs and their sizes",
                      failure.what());
  }
}

}  // namespace hoist::driver
