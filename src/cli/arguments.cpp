// Reads the arguments NAME=VALUE of a command, for example
//
//   hoist run gemv.hoist A=A.npy x=random:1 y=y.npy alpha=1.5 beta=0
//
// A name is a size's, a tuning parameter's, or an input's; an input of tuple type has components, called
// leaves, with names of their own (bodies.0, bodies.1). Sizes that are not given follow from the shapes of
// files (driver/size_inference.hpp).
//
// Read `read_arguments` first. It goes from what is cheap to what is dear, so that a mistake is told before
// time and memory are spent: it sorts the arguments (`size_given`, `assign_input`), tells what is missing,
// opens the files and checks their headers, solves for the sizes, asks whether all fits in memory
// (`check_memory`), and only then reads elements or draws them. `read_sizes` is for commands that run
// nothing.
//
// The rest is one function for each form of a value, with an error message for each mistake that a user can
// make.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>

#include "arith/parse.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "driver/inputs.hpp"
#include "driver/size_inference.hpp"
#include "runtime/limits.hpp"

namespace hoist::cli {

namespace {

std::vector<Assignment> split_assignments(const std::vector<std::string>& values) {
  std::vector<Assignment> result;
  for (const std::string& text : values) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw_user(fmt::format("'{}' is not of the form NAME=VALUE", text), {},
                 "give sizes as N=1024 and inputs as x=x.npy or x=random:1");
    }
    // A tuning parameter may be written as it stands in the text: ?t=4.
    std::string name = text.substr(text[0] == '?' ? 1 : 0, sign - (text[0] == '?' ? 1 : 0));
    for (const Assignment& other : result) {
      if (other.name == name)
        throw_user(fmt::format("{} is given twice: {} and {}", name, other.value, text.substr(sign + 1)));
    }
    result.push_back({std::move(name), text.substr(sign + 1)});
  }
  return result;
}

std::vector<std::string> names_of(const std::vector<arith::Expr>& variables) {
  std::vector<std::string> names;
  for (arith::Expr variable : variables) names.push_back(variable->name);
  return names;
}

std::int64_t size_value(const Assignment& given) {
  std::int64_t value = 0;
  const char* end = given.value.data() + given.value.size();
  const auto [stop, status] = std::from_chars(given.value.data(), end, value);
  if (status == std::errc::result_out_of_range) {
    throw_user(fmt::format("{}={}: the size does not fit in 64 bits", given.name, given.value));
  }
  if (status != std::errc() || stop != end) {
    throw_user(fmt::format("{}={}: {} is a size, a natural number such as 1024", given.name, given.value,
                           given.name));
  }
  if (value < 1) throw_user(fmt::format("{}={}: sizes are at least 1", given.name, given.value));
  return value;
}

[[noreturn]] void throw_unknown(const ir::Program& program, const std::string& name, bool with_inputs) {
  std::vector<std::string> sizes = names_of(program.sizes);
  std::vector<std::string> parameters = names_of(ir::open_parameters(program.function));
  std::vector<std::string> inputs;
  for (const ir::ParameterDeclaration& parameter : program.parameters) inputs.push_back(parameter.name);
  std::vector<std::string> has;
  if (!sizes.empty()) has.push_back("the sizes " + joined(sizes));
  if (!parameters.empty()) has.push_back("the tuning parameters " + joined(parameters));
  if (!inputs.empty() && with_inputs) has.push_back("the inputs " + joined(inputs));
  std::vector<std::string> candidates = sizes;
  candidates.insert(candidates.end(), parameters.begin(), parameters.end());
  if (with_inputs) candidates.insert(candidates.end(), inputs.begin(), inputs.end());
  throw_user(fmt::format("{} has no size, tuning parameter{} called {}{}", program.name,
                         with_inputs ? " or input" : "", name, did_you_mean(name, candidates)),
             {},
             has.empty() ? std::string("it has neither sizes nor tuning parameters") +
                               (with_inputs ? ", nor inputs" : "")
                         : "it has " + joined(has, "; "));
}

/// Reads the value of a size or tuning parameter; nothing when `given` names neither.
std::optional<std::int64_t> size_given(const ir::Program& program, const Assignment& given) {
  for (const auto& variables : {program.sizes, ir::open_parameters(program.function)}) {
    for (arith::Expr variable : variables) {
      if (variable->name == given.name) return size_value(given);
    }
  }
  return std::nullopt;
}

/// A component of an input, and how it is given.
struct LeafSource {
  driver::NamedLeaf leaf;
  std::string name;      ///< "bodies.1"
  std::size_t position;  ///< among its input's components
  ir::Leaf shape;
  const Assignment* given = nullptr;
  std::optional<NpyFile> file;
};

struct RandomValue {
  std::uint64_t seed = 0;
  std::optional<driver::InputRange> range;
};

constexpr std::string_view random_prefix = "random:";
bool is_random(const std::string& value) { return value.starts_with(random_prefix) || value == "random"; }

double range_bound(const std::string& text, const Assignment& given, const arith::Bindings& sizes,
                   const ir::Program& program) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(number)) return number;
  // A bound may be a size: neighbours=random:1:0:N.
  arith::Scope scope;
  for (arith::Expr size : program.sizes) scope.declare_size(size->name);
  if (auto bound = arith::parse(text, scope)) {
    if (auto value = arith::evaluate(*bound, sizes)) return static_cast<double>(*value);
  }
  throw_user(fmt::format("{}={}: '{}' is neither a number nor a size", given.name, given.value, text), {},
             "random numbers are written random:SEED or random:SEED:LOW:HIGH");
}

RandomValue random_value(const Assignment& given, const arith::Bindings& sizes, const ir::Program& program) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= given.value.size();) {
    const std::size_t end = std::min(given.value.find(':', begin), given.value.size());
    parts.push_back(given.value.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string form = "random numbers are written random:SEED or random:SEED:LOW:HIGH, for example " +
                           given.name + "=random:1:0:10";
  if (parts.size() != 2 && parts.size() != 4)
    throw_user(fmt::format("{}={} is not complete", given.name, given.value), {}, form);
  RandomValue result;
  const char* end = parts[1].data() + parts[1].size();
  const auto [stop, status] = std::from_chars(parts[1].data(), end, result.seed);
  if (status != std::errc() || stop != end) {
    throw_user(fmt::format("{}={}: the seed '{}' is not a natural number", given.name, given.value, parts[1]),
               {}, form);
  }
  if (parts.size() == 4) {
    result.range = driver::InputRange{range_bound(parts[2], given, sizes, program),
                                      range_bound(parts[3], given, sizes, program)};
  }
  return result;
}

Tensor scalar_tensor(const Assignment& given, const std::string& name, Scalar type) {
  auto refuse = [&](const char* wanted) {
    throw_user(
        fmt::format("{}={}: {} is {}, which takes {}", given.name, given.value, name, name_of(type), wanted));
  };
  ScalarValue value;
  const std::string& text = given.value;
  if (type == Scalar::Bool) {
    if (text != "true" && text != "false") refuse("true or false");
    value = ScalarValue::of_bool(text == "true");
  } else if (is_float(type)) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || end != text.c_str() + text.size() ||
        std::isspace(static_cast<unsigned char>(text[0]))) {
      refuse("a number, a .npy file or random:SEED");
    }
    value = ScalarValue::of_real(type, number);
  } else {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string::npos)
      refuse("a whole number, a .npy file or random:SEED");
    const auto number = integer_of(text, type);
    if (!number) {
      throw_user(fmt::format("{}={}: the number does not fit in {}", given.name, given.value, name_of(type)));
    }
    value = *number;
  }
  Tensor tensor{type, {}, std::vector<std::byte>(size_of(type))};
  store_scalar(tensor.bytes.data(), 0, value);
  return tensor;
}

/// Throws when the file's elements or dimensions are not what the leaf's type asks.
void check_file(const LeafSource& source) {
  const NpyHeader& header = source.file->header();
  const std::string& path = source.file->path();
  if (header.scalar != source.shape.scalar) {
    const std::string wanted = numpy_name(source.shape.scalar);
    throw_user(fmt::format("{} is {}, but {} holds {}", source.name, ir::to_string(source.leaf.type), path,
                           header.element),
               {},
               fmt::format("convert it: numpy.save(\"{}\", numpy.load(\"{}\").astype(numpy.{}))", path, path,
                           wanted == "bool" ? "bool_" : wanted));
  }
  if (header.shape.size() != source.shape.shape.size()) {
    const std::size_t rank = source.shape.shape.size();
    throw_user(fmt::format("{} is {}, which has {} dimension{}, but the array in {} has {}: {}", source.name,
                           ir::to_string(source.leaf.type), rank, rank == 1 ? "" : "s", path,
                           header.shape.size(), numpy_shape(header.shape)));
  }
}

/// Tells how many bytes of memory this process may still take; the largest number where the system does not
/// tell.
std::size_t available_memory() {
  std::size_t available = 0;
  std::ifstream information("/proc/meminfo");
  for (std::string key; information >> key;) {
    if (key == "MemAvailable:" && information >> available) break;
    information.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  available *= 1024;
  std::size_t limit = 0, used = 0;
  // The file says "max" where the control group has no limit, and then no number is read.
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) {
    std::ifstream("/sys/fs/cgroup/memory.current") >> used;
    const std::size_t rest = limit > used ? limit - used : 0;
    available = available == 0 ? rest : std::min(available, rest);
  }
  return available == 0 ? std::numeric_limits<std::size_t>::max() : available;
}

/// Refuses sizes for which inputs and results do not fit in memory, before any memory is taken.
void check_memory(const ir::Program& program, const std::vector<LeafSource>& leaves,
                  const driver::NamedSizes& named, const arith::Bindings& sizes, FileReading reading) {
  double total = 0, largest = 0;
  std::string largest_name;
  auto add = [&](const std::string& name, ir::Type type, const ir::Leaf& leaf) {
    double bytes = static_cast<double>(size_of(leaf.scalar));
    for (arith::Expr extent : leaf.shape) {
      const auto value = arith::evaluate(extent, sizes);
      if (!value && arith::variables(extent).empty()) throw Bug("a constant extent has no value");
      // Without a value an assumption is broken (4 divides N), or the product overflows 64 bits.
      if (!value) need(driver::with_sizes(program, named));
      if (!value) bytes *= 0x1p63;
      if (value && *value < 0) {
        throw_user(fmt::format("{} is {}, and {} would be {}", name, ir::to_string(type),
                               arith::to_string(extent), *value),
                   {}, "choose larger sizes");
      }
      if (value) bytes *= static_cast<double>(*value);
    }
    total += bytes;
    if (bytes > largest) {
      largest = bytes;
      largest_name = fmt::format("{}: {}", name, ir::to_string(type));
    }
  };
  for (const LeafSource& leaf : leaves) {
    const bool is_in_parts = leaf.file && reading == FileReading::InParts && leaf.file->has_ranges();
    if (!is_in_parts) add(leaf.name, leaf.leaf.type, leaf.shape);
  }
  const std::vector<ir::Leaf> results = ir::leaves(program.result());
  for (const ir::Leaf& leaf : results) add("the result", program.result(), leaf);
  const std::size_t available = available_memory();
  if (total > static_cast<double>(available)) {
    const std::string needed = total < 0x1p63 ? runtime::bytes_text(static_cast<std::size_t>(total))
                                              : fmt::format("{:.3g} bytes", total);
    throw_failure(ErrorKind::Device,
                  fmt::format("inputs and results need {}, but {} of memory are available", needed,
                              runtime::bytes_text(available)),
                  fmt::format("the largest is {}", largest_name), "use smaller sizes");
  }
}

std::vector<LeafSource> leaf_sources(const ir::Program& program) {
  std::vector<LeafSource> result;
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    std::size_t position = 0;
    for (driver::NamedLeaf& leaf : driver::named_leaves(parameter.type)) {
      const std::string name = parameter.name + leaf.path;
      ir::Leaf shape = ir::leaves(leaf.type).front();
      result.push_back({std::move(leaf), name, position++, std::move(shape), nullptr, std::nullopt});
    }
  }
  return result;
}

/// Gives the assignment to the leaves that it names; false when it names none.
bool assign_input(const Assignment& given, std::vector<LeafSource>& leaves) {
  std::vector<LeafSource*> named;
  for (LeafSource& leaf : leaves) {
    if (leaf.name == given.name || leaf.name.starts_with(given.name + ".")) named.push_back(&leaf);
  }
  if (named.empty()) return false;
  if (named.size() > 1 && !is_random(given.value)) {
    std::vector<std::string> each;
    for (const LeafSource* leaf : named) each.push_back(leaf->name + "=...");
    throw_user(fmt::format("{}={}: {} has {} components", given.name, given.value, given.name, named.size()),
               {}, fmt::format("give each component by itself: {}", joined(each, " ")));
  }
  for (LeafSource* leaf : named) {
    if (leaf->given != nullptr)
      throw_user(
          fmt::format("{} is given twice: by {} and by {}", leaf->name, leaf->given->name, given.name));
    leaf->given = &given;
  }
  return true;
}

void throw_missing_inputs(const std::vector<LeafSource>& leaves) {
  Error error;
  for (const LeafSource& leaf : leaves) {
    if (leaf.given != nullptr) continue;
    const std::string example = leaf.shape.shape.empty()
                                    ? fmt::format("{}={}", leaf.name,
                                                  leaf.shape.scalar == Scalar::Bool ? "true"
                                                  : is_float(leaf.shape.scalar)     ? "1.5"
                                                                                    : "1")
                                    : fmt::format("{}=file.npy", leaf.name);
    error.diagnostics.push_back(
        {fmt::format("the input {}: {} is not given", leaf.name, ir::to_string(leaf.leaf.type)),
         {},
         {},
         fmt::format("give it as {} or {}=random:1", example, leaf.name)});
  }
  if (error.diagnostics.empty()) return;
  if (error.diagnostics.size() > 1)
    error.diagnostics.back().help += "; --random 1 fills all missing inputs with random numbers";
  throw Failure(error);
}

}  // namespace

driver::NamedSizes read_sizes(const ir::Program& program, const std::vector<std::string>& values) {
  driver::NamedSizes result;
  for (const Assignment& given : split_assignments(values)) {
    if (auto size = size_given(program, given)) {
      result.emplace_back(given.name, *size);
      continue;
    }
    for (const ir::ParameterDeclaration& parameter : program.parameters) {
      if (parameter.name == given.name || given.name.starts_with(parameter.name + ".")) {
        throw_user(
            fmt::format("{} is an input; this command takes sizes and tuning parameters only", given.name));
      }
    }
    throw_unknown(program, given.name, false);
  }
  return result;
}

Arguments read_arguments(const ir::Program& program, const std::vector<std::string>& values,
                         const std::optional<std::uint64_t>& random_seed, FileReading reading) {
  const std::vector<Assignment> assignments = split_assignments(values);
  std::vector<LeafSource> leaves = leaf_sources(program);
  driver::SizeInference inference(program, [](const std::string& name, std::int64_t example) {
    return fmt::format("give it as {}={}", name, example);
  });
  for (const Assignment& given : assignments) {
    if (auto size = size_given(program, given)) {
      inference.give(given.name, *size);
    } else if (!assign_input(given, leaves)) {
      throw_unknown(program, given.name, true);
    }
  }
  if (!random_seed) throw_missing_inputs(leaves);

  for (LeafSource& leaf : leaves) {
    if (leaf.given == nullptr || is_random(leaf.given->value)) continue;
    const bool is_scalar = leaf.shape.shape.empty();
    if (is_scalar && !leaf.given->value.ends_with(".npy")) continue;
    char* end = nullptr;
    std::strtod(leaf.given->value.c_str(), &end);
    if (!leaf.given->value.empty() && *end == '\0') {
      throw_user(fmt::format("{}={}: {} is an array, {}, not a number", leaf.given->name, leaf.given->value,
                             leaf.name, ir::to_string(leaf.leaf.type)),
                 {}, fmt::format("give it as {}=file.npy or {}=random:1", leaf.name, leaf.name));
    }
    leaf.file = need(NpyFile::open(leaf.given->value));
    check_file(leaf);
    const std::vector<std::int64_t>& shape = leaf.file->header().shape;
    inference.add_shape({leaf.name, leaf.file->path(),
                         fmt::format("{} of shape {}", leaf.file->path(), numpy_shape(shape)), leaf.leaf.type,
                         leaf.shape.shape, shape});
  }

  Arguments result;
  result.files.resize(leaves.size());
  result.sizes = need(inference.solve());
  result.bindings = driver::bindings_of(program, result.sizes);
  check_memory(program, leaves, result.sizes, result.bindings, reading);

  std::size_t next = 0;
  for (std::size_t position = 0; position < program.parameters.size(); ++position) {
    Data data;
    for (; next < leaves.size() && (data.empty() || leaves[next].position > 0); ++next) {
      LeafSource& leaf = leaves[next];
      if (leaf.file && reading == FileReading::InParts && leaf.file->has_ranges()) {
        data.push_back({leaf.shape.scalar, leaf.file->header().shape, {}});
        result.files[next] = std::move(leaf.file);
      } else if (leaf.file) {
        data.push_back(need(leaf.file->read()));
        leaf.file.reset();
      } else if (leaf.given != nullptr && !is_random(leaf.given->value)) {
        data.push_back(scalar_tensor(*leaf.given, leaf.name, leaf.shape.scalar));
      } else {
        RandomValue random{driver::input_seed(random_seed.value_or(0), position), std::nullopt};
        if (leaf.given != nullptr) random = random_value(*leaf.given, result.bindings, program);
        auto tensor =
            driver::random_leaf(leaf.leaf.type, leaf.position, result.bindings, random.seed, random.range);
        if (!tensor && tensor.error().kind == ErrorKind::User && leaf.given != nullptr) {
          throw_user(fmt::format("{}={}: {}", leaf.given->name, leaf.given->value,
                                 tensor.error().diagnostics.front().message),
                     tensor.error().diagnostics.front().note);
        }
        data.push_back(need(std::move(tensor)));
      }
    }
    result.inputs.push_back(std::move(data));
  }
  return result;
}

void add_steps_options(CLI::App& command, std::optional<std::size_t>& count, std::string& feed,
                       const std::string& text) {
  command.add_option("--steps", count, text)->check(above_zero())->option_text("N");
  command
      .add_option("--feed", feed,
                  "The input that takes the result in --steps; otherwise the only one of its type")
      ->option_text("INPUT");
}

driver::Steps read_steps(const ir::Program& program, const std::optional<std::size_t>& count,
                         const std::string& feed) {
  if (!count && !feed.empty()) throw_user("--feed needs --steps");
  if (!count) return {};
  return {*count, need(driver::fed_input(program, feed))};
}

}  // namespace hoist::cli
