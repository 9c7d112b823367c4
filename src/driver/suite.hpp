#pragma once
// The kernels that ship with Hoist, as tests and benchmarks run them: kernels/sizes.json.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/compile.hpp"
#include "driver/inputs.hpp"

namespace hoist::driver {

/// One program of the suite.
struct SuiteProgram {
  std::string name;                         ///< of the file, without extension
  std::filesystem::path path;               ///< of its text
  std::map<std::string, NamedSizes> sizes;  ///< by the set's name: "dividing", "prime", "bench"
  std::string same_as;                      ///< the program of kernels/ that computes the same, or empty

  /// Ranges of its inputs by name with these sizes (a bound may be the value of a size).
  Result<std::map<std::string, InputRange>> ranges(const NamedSizes& values) const;

  /// A bound of a range: a number, or a size's name.
  struct Bound {
    double number = 0;
    std::string size;
  };
  struct Range {
    Bound low, high, diagonal;
  };
  std::map<std::string, Range> inputs;
};

/// The programs listed in `directory`/sizes.json, by name. User errors name what the file has wrong: a
/// program without text, a text without sizes, an entry that is not understood.
Result<std::vector<SuiteProgram>> load_suite(const std::filesystem::path& directory);

/// The program's text as a source, named by its path.
Result<Source> read_source(const std::filesystem::path& path);

}  // namespace hoist::driver
