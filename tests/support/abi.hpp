#pragma once
// Declarations of our own against those of a library's header, where that is installed.
#include <type_traits>

namespace hoist::testing_support {

/// Whether a value is passed alike: pointers as pointers, floats as floats, integers and enumerations by
/// their size.
template <class Ours, class Theirs>
constexpr bool is_alike() {
  if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>)
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  else
    return sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
}

template <class OurResult, class... Ours, class TheirResult, class... Theirs>
constexpr bool are_alike(OurResult (*)(Ours...), TheirResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return is_alike<OurResult, TheirResult>() && (is_alike<Ours, Theirs>() && ...);
  }
}

}  // namespace hoist::testing_support
