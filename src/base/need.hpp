#pragma once
// From results to exceptions, for what many steps make and one place catches (catch_failure).
#include <type_traits>

#include "base/error.hpp"

namespace hoist {

/// The value, or the error thrown as a Failure.
template <class T>
T need(Result<T> result) {
  if (!result) throw Failure(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace hoist
