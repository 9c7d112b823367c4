#pragma once
// The store's tables, version by version.
#include "store/database.hpp"

namespace hoist::store {

/// The version that this Hoist writes.
std::int64_t newest_schema();

/// Makes the tables, or brings older ones up to date, in one transaction. User error when a newer Hoist has
/// made them.
void migrate(Database& database, const std::string& place);

}  // namespace hoist::store
