#include "rewrite/strategies/tiling.hpp"

#include <fmt/format.h>

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

Strategy tile(std::size_t dimensions) {
  if (dimensions == 1) return rule("split_join");
  if (dimensions != 2) return decline(fmt::format("tile works in 1 and 2 dimensions, not in {}", dimensions));
  // The rows of a chunk: each in tiles, then the loop over tiles moves out of the loop over rows.
  const Strategy chunk = all_of({
      under_maps(1, rule("split_join")),  // rows |> map(row => .. |> split |> map(map(f)) |> join)
      rule("map_fission"),                // rows |> map(row => .. |> split |> map(map(f))) |> map(join)
      on_data(interchange()),  // .. |> map(tile => rows |> map(row => ..)) |> transpose |> map(join)
  });
  // x |> split |> map(chunk) |> join
  return then(rule("split_join"), on_data(under_maps(1, chunk)));
}

}  // namespace hoist::rewrite
