// Opening a store, and what everything else in it needs.
#include "store/store.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "store/database.hpp"
#include "store/schema.hpp"

namespace hoist::store {

namespace {

bool is_postgres(const std::string& place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

/// "postgresql://user:***@host/database?password=***".
std::string without_password(std::string url) {
  const std::size_t authority = url.find("://") + 3;
  const std::size_t end = std::min(url.find_first_of("/?", authority), url.size());
  const std::size_t at = url.rfind('@', end);
  const std::size_t colon = url.find(':', authority);
  if (at != std::string::npos && at > authority && colon < at) url.replace(colon + 1, at - colon - 1, "***");
  for (const std::string_view key : {"?password=", "&password="}) {
    const std::size_t place = url.find(key);
    if (place == std::string::npos) continue;
    const std::size_t value = place + key.size();
    url.replace(value, std::min(url.find('&', value), url.size()) - value, "***");
  }
  return url;
}

[[noreturn]] void refuse_missing(const std::string& place) {
  throw_user(fmt::format("there is no store {}", place), {},
             "hoist tune and hoist store import make a store; --store names another place");
}

void check_path(const std::string& path, bool make) {
  if (path.empty())
    throw_user("the store has an empty name", {}, "name a file or postgresql://HOST/DATABASE");
  if (path.find("://") != std::string::npos)
    throw_user(fmt::format("'{}' does not name a store", path), {},
               "a store is a file, or postgresql://USER@HOST/DATABASE");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw_user(fmt::format("the store {} is a directory", path), {}, "name a file in it: --store FILE");
  if (!make && !std::filesystem::exists(path, ignored)) refuse_missing(path);
  const std::filesystem::path parent = std::filesystem::absolute(path, ignored).parent_path();
  if (!std::filesystem::is_directory(parent, ignored))
    throw_user(fmt::format("there is no directory {} for the store", parent.string()), {},
               "make it, or name another file: --store FILE");
}

}  // namespace

Store::Store(std::unique_ptr<Database> database, std::string place)
    : database_(std::move(database)), place_(std::move(place)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::string& place, const OpenOptions& options) {
  return catch_failure([&] {
    const std::string shown = is_postgres(place) ? without_password(place) : place;
    if (!is_postgres(place)) check_path(place, options.make);
    std::unique_ptr<Database> database =
        is_postgres(place) ? open_postgres(place, shown, options) : open_sqlite(place, options);
    if (!options.make && database->schema_version() == 0) refuse_missing(shown);
    migrate(*database, shown);
    return Store(std::move(database), shown);
  });
}

Result<std::string> default_place() {
  return catch_failure([]() -> std::string {
    std::filesystem::path directory;
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/') {
      directory = data;
    } else if (const char* home = std::getenv("HOME"); home && *home) {
      directory = std::filesystem::path(home) / ".local" / "share";
    } else {
      throw_user("no directory is known for the store: neither XDG_DATA_HOME nor HOME is set", {},
                 "name a file: --store FILE");
    }
    directory /= "hoist";
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    if (failure)
      throw_failure(ErrorKind::Device,
                    fmt::format("the directory {} for the store cannot be made", directory.string()),
                    failure.message(), "name a file elsewhere: --store FILE");
    return (directory / "store.sqlite").string();
  });
}

Result<std::optional<Store>> users_store() {
  const auto place = default_place();
  std::error_code ignored;
  if (!place || !std::filesystem::exists(*place, ignored)) return std::optional<Store>();
  auto store = Store::open(*place, {.only_reads = true});
  if (!store) return tl::unexpected(store.error());
  return std::optional<Store>(*std::move(store));
}

}  // namespace hoist::store
