// numpy_cases DEVICE FIRST COUNT: random pipelines as lines of JSON, each with its text in Python, its
// inputs, and what the interpreter and the device make of it. test_numpy.py holds both against NumPy.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "equivalence/pipeline_batch.hpp"
#include "runtime/devices.hpp"

namespace {

using namespace hoist;
using Json = nlohmann::json;

/// The type, the shape and the bytes in hexadecimal digits of each leaf.
Json to_json(const Data& data) {
  Json leaves = Json::array();
  for (const Tensor& leaf : data) {
    std::string digits;
    for (std::byte each : leaf.bytes)
      fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<int>(each));
    leaves.push_back({name_of(leaf.scalar), leaf.shape, digits});
  }
  return leaves;
}

/// As nested arrays, so that Python can build tuples of leaves: "x" is a leaf.
Json shape_of(ir::Type type) {
  if (!ir::is_tuple(type)) return ir::is_array(type) ? shape_of(type->elements.at(0)) : Json("x");
  Json parts = Json::array();
  for (ir::Type part : type->elements) parts.push_back(shape_of(part));
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto device = runtime::open_device(argv[1]);
  if (!device) {
    std::cerr << device.error().render();
    return 77;
  }
  const ir::Arena arena;
  std::vector<testing_support::PipelineCase> cases;
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10),
                      count = std::strtoull(argv[3], nullptr, 10);
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    cases.push_back(testing_support::pipeline_case(seed));
  const auto results = testing_support::run_batch(**device, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Json inputs = Json::array();
    for (std::size_t p = 0; p < cases[i].inputs.size(); ++p) {
      inputs.push_back({shape_of(cases[i].program.parameters[p].type), to_json(cases[i].inputs[p])});
    }
    std::cout << Json{{"seed", cases[i].seed},
                      {"hoist", cases[i].text.hoist},
                      {"numpy", cases[i].text.numpy},
                      {"inputs", inputs},
                      {"interpreter", to_json(cases[i].expected)},
                      {"device", results[i] ? to_json(*results[i]) : Json()},
                      {"error", results[i] ? "" : results[i].error().render()}}
                     .dump()
              << "\n";
  }
}
