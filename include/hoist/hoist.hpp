#pragma once
// Hoist's interface to C++, all of it. Its names are hoist's: hoist::Program, hoist::compile, hoist::map.
#include <hoist/builder.hpp>
#include <hoist/communicator.hpp>
#include <hoist/compiled.hpp>
#include <hoist/device.hpp>
#include <hoist/program.hpp>
#include <hoist/result.hpp>
#include <hoist/tools.hpp>

namespace hoist {
using namespace api;  // NOLINT: an own namespace keeps the interface's types apart from those of the same
                      // name inside Hoist
}
