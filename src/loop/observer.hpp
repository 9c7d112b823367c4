#pragma once
// Who watches what the interpreter does, statement by statement: for measures that are not counted always.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "loop/value.hpp"

namespace hoist::loop {

/// A load or store as the work-items of one group execute it together.
struct ObservedAccess {
  std::string_view buffer;  ///< its name; a pointer's target
  AddressSpace space{};
  Scalar scalar{};
  int width = 1;  ///< scalars
  bool is_store = false;
  std::uint32_t group = 0;                ///< from 1, over all launches
  std::span<const std::uint32_t> lanes;   ///< those that execute it, by their flat number, rising
  const std::int64_t* indices = nullptr;  ///< by lane
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Before each launch: the kernel's name and the sizes of its groups.
  virtual void launch(std::string_view kernel, const std::array<std::int64_t, 3>& local) = 0;
  virtual void access(const ObservedAccess& access) = 0;
  /// `operand` is the type of the last operand; `lanes` work-items compute the operation.
  virtual void operation(ScalarOp op, Scalar operand, int width, std::size_t lanes) = 0;
  virtual void barrier(std::size_t lanes) = 0;
};

}  // namespace hoist::loop
