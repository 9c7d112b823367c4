#include "rewrite/strategies/interchange.hpp"

namespace hoist::rewrite {

namespace {

Strategy interchange_as_it_is() {
  return any_of({"map_map_interchange", "map_map_interchange_separate", "map_map_interchange_zip",
                 "map_map_interchange_zip_right", "map_map_interchange_zip_outside"});
}

}  // namespace

Strategy interchange() {
  // x |> map(row => layout(row) |> map(f)) is x |> map(layout) |> map(map(f)).
  return or_else(interchange_as_it_is(), then(rule("map_fission"), rule("map_map_interchange")));
}

}  // namespace hoist::rewrite
