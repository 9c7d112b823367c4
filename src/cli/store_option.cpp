#include "cli/store_option.hpp"

#include "cli/session.hpp"

namespace hoist::cli {

void add_store_option(CLI::App& command, std::string& place) {
  command
      .add_option("--store", place, "The store: a file, or postgresql://USER@HOST/DATABASE (the user's own)")
      ->option_text("PLACE");
}

store::Store open_store(const std::string& place, const store::OpenOptions& options) {
  return need(store::Store::open(place.empty() ? need(store::default_place()) : place, options));
}

}  // namespace hoist::cli
