#pragma once
// What libraries make of the same kernels, where they have them and are installed.
#include <functional>
#include <string>

#include "plain/plain.hpp"

namespace hoist::plain {

/// A run of a kernel on these inputs into these outputs; empty where the library has nothing for it.
using LibraryRun = std::function<void()>;

/// By OpenBLAS, which is opened when it is first asked for, as made for this processor: version 0.3.21 takes
/// recent Xeons for a Prescott. OPENBLAS_CORETYPE overrides. Routines that overwrite an operand get a copy of
/// it, in their time.
LibraryRun openblas_run(const std::string& kernel, const Arguments& arguments);
/// What was opened ("OpenBLAS 0.3.21 ... SkylakeX"), or why not.
std::string openblas_facts();

/// The same plain loops, compiled by clang, where that was there when this program was built.
LibraryRun clang_run(const std::string& kernel, const Arguments& arguments);

/// By Halide, compiled at once, with the schedule of its autoscheduler Adams2019.
LibraryRun halide_run(const std::string& kernel, const Arguments& arguments);

}  // namespace hoist::plain
