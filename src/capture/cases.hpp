#pragma once
// What applications ran, read from where CaseRecorder left it.
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "ir/term.hpp"

namespace hoist::capture {

struct CapturedCase {
  std::string place;  ///< its directory
  std::string program;
  Source source;  ///< named by its file
  std::string entry;
  driver::NamedSizes sizes;
  std::string device, device_name, language;  ///< "cuda:0", the vendor's name of it, "cuda"
  std::vector<std::string> inputs;            ///< files of the flattened inputs
  std::uint64_t runs = 0;
  double seconds = 0;  ///< of kernels, in all runs
};

/// All that is in a directory, what took longest first; or the one case whose directory it is. User errors,
/// for every case that has one: a directory that cannot be read or has no case, a file that is missing or
/// damaged, a program that this Hoist does not read, an input of another type or shape than the program
/// takes.
Result<std::vector<CapturedCase>> read_cases(const std::string& directory);

/// What part of the time for tuning all cases each should have; 1 in all. One half is dealt out evenly, the
/// other by how long the kernels of each ran.
std::vector<double> tuning_shares(const std::vector<CapturedCase>& cases);

/// A case's program, its sizes left open, in the thread's current arena.
Result<ir::Program> program_of(const CapturedCase& captured);

/// One Data for each parameter of the program. Errors: those of reading the files.
Result<std::vector<Data>> inputs_of(const CapturedCase& captured, const ir::Program& program);

}  // namespace hoist::capture
