// Each program gets the same numbers as its loop, through files: sizes are arguments, then come all numbers
// and arrays in the order of the program's parameters, without anything between. The loop writes its results
// the same way. The reference interpreter says what the program means.
#include "cli/openmp_check.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "interpret/interpret.hpp"
#include "lang/lang.hpp"
#include "runtime/host/process.hpp"

namespace hoist::cli {

namespace {

namespace host = runtime::host;

/// Of one run. Small sizes are exponents in some programs.
constexpr std::uint64_t most_operations = 5'000'000;

/// What came of one program.
struct Outcome {
  int inputs = 0;         ///< on which both are equal
  std::string unchecked;  ///< why it could not be checked
  std::string difference;
};

void write_data(const std::string& path, const std::vector<Data>& inputs) {
  std::ofstream file(path, std::ios::binary);
  for (const Data& input : inputs) {
    for (const Tensor& leaf : input)
      file.write(reinterpret_cast<const char*>(leaf.bytes.data()),
                 static_cast<std::streamsize>(leaf.bytes.size()));
  }
}

/// Data of the same shapes from a file; nothing when it has another length.
std::optional<Data> read_data(const std::string& path, const Data& like) {
  std::ifstream file(path, std::ios::binary);
  Data result = like;
  for (Tensor& leaf : result)
    file.read(reinterpret_cast<char*>(leaf.bytes.data()), static_cast<std::streamsize>(leaf.bytes.size()));
  if (!file || file.peek() != std::ifstream::traits_type::eof()) return std::nullopt;
  return result;
}

bool is_float_array(ir::Type type) {
  while (ir::is_array(type)) type = ir::element_of(type);
  return ir::is_scalar(type) && is_float(type->scalar);
}

class Check {
 public:
  Check(const nlohmann::json& facts, std::string folder) : facts_(facts), folder_(std::move(folder)) {}

  Outcome run(const std::optional<std::string>& compiler) {
    const std::string file = facts_.at("program");
    const Source source{file, read_text_file(file)};
    const auto parsed = lang::parse_program(source);
    if (!parsed) {
      outcome_.difference = "Hoist does not read it: " + parsed.error().diagnostics.front().message;
      return outcome_;
    }
    const ir::Program& program = *parsed;
    if (!compiler) {
      outcome_.unchecked = "there is no C compiler (cc, or what $CC names)";
      return outcome_;
    }
    const std::string executable = folder_ + "/loop";
    std::vector<std::string> build{*compiler, "-std=gnu11", "-O1", "-w", "-ffp-contract=off",
                                   facts_.at("source"), "-o", executable, "-lm",
                                   // Functions of other files are called by the rest of the program alone.
                                   "-Wl,--unresolved-symbols=ignore-all"};
    for (const std::string word : facts_.at("options")) build.push_back(word);
    const auto built = host::run_process(build);
    if (!built || !built->succeeded()) {
      const std::string text = built ? built->output : "it cannot be started";
      const std::size_t at = text.find("error: ");
      outcome_.unchecked = "its loop by itself does not compile: " +
                           text.substr(at == std::string::npos ? 0 : at, text.find('\n', at) - at);
      return outcome_;
    }
    for (std::size_t trial = 0; trial < facts_.at("trials").size() && outcome_.difference.empty(); ++trial) {
      // Numbers of both signs, and positive ones, of which logarithms and roots have values.
      for (const double low : {-1.0, 0.125}) compare(program, executable, trial, low);
    }
    if (outcome_.inputs == 0 && outcome_.difference.empty() && outcome_.unchecked.empty()) {
      outcome_.difference = no_value_.empty() ? "no small sizes were found that fit each other"
                                              : "it has no value on random inputs: " + no_value_;
    }
    return outcome_;
  }

 private:
  void compare(const ir::Program& program, const std::string& executable, std::size_t trial, double low) {
    // Numbers without a name are the loop's alone: they say where its results lie.
    driver::NamedSizes sizes;
    std::vector<std::string> command{executable, folder_ + "/in", folder_ + "/out"};
    for (std::size_t i = 0; i < facts_.at("sizes").size(); ++i) {
      const std::string name = facts_.at("sizes")[i];
      const std::int64_t value = facts_.at("trials")[trial][i];
      if (!name.empty()) sizes.emplace_back(name, value);
      command.push_back(std::to_string(value));
    }
    if (!driver::with_sizes(program, sizes)) return;
    const arith::Bindings bindings = driver::bindings_of(program, sizes);
    std::map<std::string, driver::InputRange> ranges;
    for (const auto& parameter : program.parameters) {
      const std::string& name = parameter.name;
      if (const auto below = facts_.at("below").find(name); below != facts_.at("below").end()) {
        for (const auto& [size, value] : sizes) {
          if (size == below->get<std::string>()) ranges[name] = {0, static_cast<double>(value)};
        }
      } else if (is_float_array(parameter.type)) {
        ranges[name] = {low, 1};
      }
    }
    auto inputs = driver::random_inputs(program, bindings, 1 + trial, ranges);
    if (!inputs) return;
    const auto shape = interpret::evaluate(program, *inputs, bindings, {.max_operations = most_operations});
    if (!shape) {
      no_value_ = shape.error().diagnostics.front().message;
      return;
    }
    write_data(folder_ + "/in", *inputs);
    const auto ran = host::run_process(command);
    if (!ran || !ran->succeeded()) {
      outcome_.unchecked = "its loop by itself fails on random inputs";
      return;
    }
    const auto got = read_data(folder_ + "/out", *shape);
    if (!got) {
      outcome_.difference = "its results are of another size than the loop's";
      return;
    }
    const auto verified = driver::verify(program, sizes, *inputs, *got);
    if (!verified) {
      outcome_.difference = verified.error().diagnostics.front().message;
    } else if (!verified->comparison.agrees()) {
      outcome_.difference =
          fmt::format("with {} {}", named_values_text(sizes), interpret::to_string(verified->comparison));
    } else {
      ++outcome_.inputs;
    }
  }

  const nlohmann::json& facts_;
  std::string folder_;
  Outcome outcome_;
  std::string no_value_;  ///< why the last inputs were none for the program
};

}  // namespace

void check_offers(const std::string& folder) {
  const nlohmann::json list = nlohmann::json::parse(read_text_file(folder + "/checks.json"));
  const char* named = std::getenv("CC");
  const auto compiler = host::find_program(named ? named : "cc");
  for (const nlohmann::json& each : list) {
    const std::string program = each.at("program"), place = each.at("place");
    const Outcome outcome = Check(each, folder).run(compiler);
    if (!outcome.difference.empty()) {
      std::filesystem::remove(program);
      note(fmt::format("{}: no program of Hoist: what was written is not seen to be the loop: {}", place,
                       outcome.difference));
    } else if (!outcome.unchecked.empty()) {
      print(fmt::format("{} is the loop of {}; not checked: {}\n", program, place, outcome.unchecked));
    } else {
      print(fmt::format("{} is the loop of {}: equal on {} random inputs\n", program, place, outcome.inputs));
    }
  }
}

}  // namespace hoist::cli
