#include "unit/store/support.hpp"

#include <cstdlib>
#include <stdexcept>

namespace hoist::store {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "hoist-store-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Task example_task(int number) {
  return {{"scale", "def scale(x: [N]f32, a: f32): [N]f32 = x |> map(e => a * e)\n", std::string(64, 'a')},
          {.language = "cuda",
           .name = "NVIDIA H200",
           .driver = "550.54",
           .vendor = "NVIDIA Corporation",
           .platform = "CUDA",
           .version = "sm_90",
           .compute_units = 132,
           .facts = R"({"clock_mhz":1980,"warps":[32]})"},
          {{"M", 7}, {"N", 1024 + number}}};
}

Candidate example_candidate(int number) {
  return {.name = "12-" + std::to_string(number),
          .hash = std::string(60, 'b') + std::to_string(1000 + number),
          .derivation = {{"tile(2,[?a,?b])", "root"}, {"mapFusion", "0.1"}},
          .parameters = {{"t", 16}, {"a", number}},
          .term = "λx. x |> split(16) |> mapWrg(0, …) |> join",
          .launches = {{"scale", {1024, 2, 3}, {64, 2, 1}}, {"scale_1", {64, 1, 1}, {64, 1, 1}}},
          .source = "kernel void scale() {\n\t\"quoted\" \\ \n}\n"};
}

Evaluation example_evaluation(int number) {
  return {.outcome = Outcome::Ok,
          .message = "",
          .times = {0.1 + number, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, 2.0},
          .origin = Origin::Baseline,
          .build_seconds = 0.1 + 0.2,
          .kernels = {{"scale", 32, 0, 4096, 1024, 2}, {.kernel = "scale_1", .registers = 7}},
          .conditions = {1980.0, std::nullopt, 41.5, std::nullopt},
          .wall_seconds = 2.5 + number,
          .recorded = "2026-01-31T23:59:59.123Z",
          .hoist = "0.1.0 (abcdef)",
          .seed = 18446744073709551615U};
}

}  // namespace hoist::store
