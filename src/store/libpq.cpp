#include "store/libpq.hpp"

#include "base/library.hpp"
#include "base/need.hpp"

namespace hoist::store::libpq {

Functions load() {
  static const LibraryPlace place{.what = "PostgreSQL's client library",
                                  .variable = "HOIST_LIBPQ_LIBRARY",
                                  .names = {"libpq.so.5"},
                                  .remedy =
                                      "install it (libpq5 on Debian), name its libpq.so.5 in "
                                      "HOIST_LIBPQ_LIBRARY, or use a store in a file"};
  return need(functions_of<Functions>(Library::open(place), [](Library& library, Functions& functions) {
#define HOIST_FIND_FUNCTION(result, name, parameters) library.find(#name, functions.name);
    HOIST_LIBPQ_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  }));
}

}  // namespace hoist::store::libpq
