#pragma once
// What the processor says of itself, which may be less than what the operating system lists: an emulator of
// one user's programs (qemu-user) shows them the machine's /proc, and runs no instruction that its processor
// has not.
#include <string_view>

namespace hoist::runtime::host {

/// Whether the processor lacks a feature for sure, by its name in /proc/cpuinfo.
bool lacks_feature(std::string_view name);

}  // namespace hoist::runtime::host
