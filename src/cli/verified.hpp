#pragma once
// --verify of hoist run: the result beside the reference interpreter's, and what is said of it.
#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "driver/verify.hpp"
#include "driver/work.hpp"

namespace hoist::cli {

/// A run and its result.
struct Verified {
  const ir::Program& program;
  const Arguments& arguments;
  const Data& result;
  const driver::Work& work;  ///< of all steps
  const driver::Steps& steps;
};

/// Compares, and tells: as facts, and as text unless `is_json`. A result that differs is a fault of Hoist,
/// unless the program diverges. Throws Failure where the interpreter cannot evaluate the program.
Status tell_verified(const Session& session, const Verified& run, bool is_json, Json& facts);

}  // namespace hoist::cli
