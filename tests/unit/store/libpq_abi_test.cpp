// The declarations of our own against PostgreSQL's header, where that is installed.
#include <gtest/gtest.h>

#include <type_traits>

#include "store/libpq.hpp"

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>

namespace hoist::store {
namespace {

/// Whether a value is passed alike: pointers as pointers, integers and enumerations by their size.
template <class Ours, class Theirs>
constexpr bool is_alike() {
  if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>)
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  else
    return sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
}

template <class OurResult, class... Ours, class TheirResult, class... Theirs>
constexpr bool are_alike(OurResult (*)(Ours...), TheirResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return is_alike<OurResult, TheirResult>() && (is_alike<Ours, Theirs>() && ...);
  }
}

#define HOIST_CHECK(result, name, parameters) \
  static_assert(are_alike(decltype(libpq::Functions::name)(), decltype (&::name)()), #name);
HOIST_LIBPQ_FUNCTIONS(HOIST_CHECK)
#undef HOIST_CHECK

TEST(Libpq, NumbersAreThoseOfTheHeader) {
  EXPECT_EQ(int{libpq::CONNECTION_OK}, int{::CONNECTION_OK});
  EXPECT_EQ(int{libpq::PGRES_COMMAND_OK}, int{::PGRES_COMMAND_OK});
  EXPECT_EQ(int{libpq::PGRES_TUPLES_OK}, int{::PGRES_TUPLES_OK});
  EXPECT_EQ(libpq::diagnostic_sqlstate, (PG_DIAG_SQLSTATE));
}

}  // namespace
}  // namespace hoist::store
#endif
