#pragma once
// The processor that Hoist itself runs on, as a device.
//
// Its language is C++17 with OpenMP. A source holds one function for each kernel, and this is the contract of
// each:
//
//   extern "C" void NAME(void* const* arguments, const size_t* range);
//
//   arguments[i]  belongs to the kernel's parameter i: the memory of a buffer, aligned to 64 bytes, or
//                 the address of a scalar, stored as its type is in memory (bool as one byte, 0 or 1)
//                 and aligned to 8 bytes
//   range         six numbers: the work-items in all, range[0..2], then those of a group, range[3..5].
//                 Each of the last divides its counterpart; none is zero
//
// The function runs all work-items and returns when all are done. It does not throw. It finds its threads by
// itself, with OpenMP's directives; a compiler without OpenMP ignores those, and the kernel runs on one
// thread. Local memory is memory that the function itself provides, so a kernel's local_memory() is 0 here.
//
// Kernels are compiled for exactly this processor by $CXX, or the first of c++, g++ and clang++, with all of
// its instructions or those of $HOIST_ISA, and the libraries are kept in a cache (host/cache.hpp). OpenMP's
// threads do not survive a fork: a process that has run a kernel must not run another in a child that it
// forked without executing a program there.
#include <memory>
#include <optional>

#include "runtime/device.hpp"
#include "target/kinds.hpp"

namespace hoist::runtime::host {

/// This machine; a note says where HOIST_ISA names what it cannot run. max_group_size is a convention: groups
/// are loops here. Who opens it also learns of its compiler, which is its driver.
std::vector<target::Target> list_devices(std::vector<std::string>* notes);

/// Device error when there is no C++ compiler, or the processor lacks the instruction set that HOIST_ISA
/// names.
Result<std::unique_ptr<Device>> open_device(const target::DeviceId& id);
Result<std::optional<target::Target>> describe_device(const target::DeviceId& id);
Result<std::unique_ptr<Builder>> open_builder(const target::Target& device);

/// The assembly text of a source, as the compiler makes it for this processor when the device builds the
/// source. Fails as Device::build does.
Result<std::string> assembly_of(const std::string& source);

}  // namespace hoist::runtime::host
