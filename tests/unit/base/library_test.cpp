#include "base/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace hoist {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* variable = "HOIST_TEST_LIBRARY";

/// Sets the variable that names the library, for as long as it lives.
class Named {
 public:
  explicit Named(const char* path) { ::setenv(variable, path, 1); }
  ~Named() { ::unsetenv(variable); }
};

struct Functions {
  double (*cos)(double) = nullptr;
  int (*no_such_function)() = nullptr;
};

LibraryPlace mathematics(std::vector<std::string> names = {"libm.so.6"}) {
  return {.what = "the library of mathematics",
          .variable = variable,
          .names = std::move(names),
          .oldest = {},
          .remedy = "install it"};
}

Result<Functions> with_cosine(const LibraryPlace& place) {
  return functions_of<Functions>(Library::open(place),
                                 [](Library& library, Functions& found) { library.find("cos", found.cos); });
}

TEST(Libraries, HaveTheFunctionsThatAreLookedFor) {
  const auto functions = with_cosine(mathematics());
  ASSERT_TRUE(functions) << functions.error().render();
  EXPECT_EQ(functions->cos(0), 1);
}

TEST(Libraries, AreTheFirstThatCanBeOpened) {
  EXPECT_TRUE(with_cosine(mathematics({"libno-such.so.1", "libm.so.6"})));
}

TEST(Libraries, AreThoseThatTheVariableNames) {
  {
    const Named none("");
    EXPECT_THAT(mathematics().candidates(), ElementsAre("libm.so.6"));
  }
  const Named other("/nowhere/libm.so.6");
  EXPECT_THAT(mathematics().candidates(), ElementsAre("/nowhere/libm.so.6"));
  EXPECT_FALSE(with_cosine(mathematics()));
}

TEST(Libraries, ThatAreMissing) {
  const auto functions = with_cosine(mathematics({"libno-such.so.1"}));
  ASSERT_FALSE(functions);
  EXPECT_EQ(functions.error().kind, ErrorKind::Device);
  EXPECT_THAT(functions.error().render(), AllOf(HasSubstr("the library of mathematics cannot be opened"),
                                                HasSubstr("libno-such.so.1"), HasSubstr("install it")));
}

TEST(Libraries, WithoutAFunction) {
  LibraryPlace place = mathematics();
  place.kind = ErrorKind::User;
  const auto look = [&] {
    return functions_of<Functions>(Library::open(place), [](Library& library, Functions& found) {
      library.find("no_such_function", found.no_such_function);
      library.find("cos", found.cos);
      library.find("nor_this", found.no_such_function);
    });
  };
  auto functions = look();
  ASSERT_FALSE(functions);
  EXPECT_EQ(functions.error().kind, ErrorKind::User);
  EXPECT_THAT(functions.error().render(),
              AllOf(HasSubstr("libm.so.6 is not the library of mathematics, or too old: it has no function "
                              "no_such_function"),
                    HasSubstr("name another library in HOIST_TEST_LIBRARY")));
  place.oldest = "2.0";
  functions = look();
  ASSERT_FALSE(functions);
  EXPECT_THAT(functions.error().render(), HasSubstr("or older than 2.0: it has no function"));
}

}  // namespace
}  // namespace hoist
