// The declarations of our own against PostgreSQL's header, where that is installed.
#include <gtest/gtest.h>

#include "store/libpq.hpp"
#include "support/abi.hpp"

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>

namespace hoist::store {
namespace {

using testing_support::are_alike;

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
