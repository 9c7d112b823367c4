#pragma once
// The tables as the store's own statements and JSON lines see them: their columns, and what tells rows apart
// in every store. Tables come before those that refer to them.
#include <span>
#include <string_view>
#include <vector>

#include "store/database.hpp"

namespace hoist::store {

struct Column {
  enum class Kind { Text, JsonText, Integer, Real, Bytes, Reference };
  std::string_view name;
  Kind kind = Kind::Text;
  std::string_view refers_to = {};  ///< the table, of a Reference
  bool may_be_null = false;
};

struct Table {
  std::string_view name;
  std::string_view kind;                      ///< of a line of JSON: the name in the singular
  std::vector<Column> columns;                ///< without the row's number
  std::vector<std::string_view> natural_key;  ///< columns that are the same in every store that has the row

  std::size_t place(std::string_view column) const;
};

std::span<const Table> all_tables();
/// Precondition: there is one of that name.
const Table& table_named(std::string_view name);

struct Inserted {
  std::int64_t id = 0;
  bool is_new = false;
};
/// Adds a row, unless there is one with its natural key, which stays as it is. Values in the order of the
/// columns.
Inserted insert(Database& database, const Table& table, const Values& values);

}  // namespace hoist::store
