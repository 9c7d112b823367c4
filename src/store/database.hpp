#pragma once
// What the store asks of a database. Its statements are written once, in SQL that SQLite and PostgreSQL both
// take, with parameters $1, $2, ... Inside this layer errors are thrown as Failure; Store turns them into
// results.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "store/entries.hpp"

namespace hoist::store {

/// Bytes of no text.
struct Blob {
  std::string bytes;
};
/// A parameter or a column: NULL, a number, text (UTF-8 without zeros) or bytes.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using Values = std::vector<Value>;

/// Text that databases and JSON take: what is no UTF-8, and zeros, become U+FFFD.
std::string valid_text(std::string_view text);

inline Value text(std::string_view bytes) { return valid_text(bytes); }
template <class T>
Value optional_value(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

/// One row of a result. The column must hold what is asked for, by its place.
class Row {
 public:
  explicit Row(const Values& values) : values_(values) {}
  const Values& values() const { return values_; }
  bool is_null(std::size_t column) const {
    return std::holds_alternative<std::monostate>(values_.at(column));
  }
  std::int64_t integer(std::size_t column) const { return get<std::int64_t>(column); }
  const std::string& text(std::size_t column) const { return get<std::string>(column); }
  const std::string& bytes(std::size_t column) const { return get<Blob>(column).bytes; }
  double real(std::size_t column) const { return get<double>(column); }
  std::optional<double> optional_real(std::size_t column) const {
    return is_null(column) ? std::nullopt : std::optional(real(column));
  }

 private:
  template <class T>
  const T& get(std::size_t column) const {
    if (const T* value = std::get_if<T>(&values_.at(column))) return *value;
    throw_failure(ErrorKind::Device,
                  fmt::format("the store is damaged: column {} of a row has another type", column), {},
                  "restore a copy of it, or remove the row that another program has changed");
  }

  const Values& values_;
};

enum class Access { Read, Write };

class Database {
 public:
  virtual ~Database() = default;

  /// Runs one statement and calls `on_row` for each row of its result, which must not use the database
  /// itself. How many rows it changed.
  virtual std::int64_t query(std::string_view sql, const Values& values,
                             const std::function<void(const Row&)>& on_row) = 0;
  /// One statement that has no result.
  std::int64_t execute(std::string_view sql, const Values& values = {}) {
    return query(sql, values, [](const Row&) {});
  }

  /// All that follows happens entirely, or not at all. Write keeps other writers out; Read sees one
  /// state of the database, whatever others write.
  virtual void begin(Access access) = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;

  /// The version of the store's tables; 0 where there are none. User error when it is something else's
  /// database.
  virtual std::int64_t schema_version() = 0;
  /// Says, in the transaction that made them, that the tables are a store's.
  virtual void mark_as_store() = 0;
  /// In the words of this database: a column for the numbers of rows, and the type of bytes.
  virtual std::string_view id_column() const = 0;
  virtual std::string_view blob_type() const = 0;
  /// In SQL, so much later than now by the clock of the database, which all who use it share: UTC, as now()
  /// of store/facts.hpp writes it.
  virtual std::string moment(std::chrono::seconds later) const = 0;
  /// Gives the space of what was deleted back to others.
  virtual void compact() = 0;
  /// After an error: whether the connection was lost and is there again, so that what failed may be done
  /// anew.
  virtual bool recovers() { return false; }

  /// The first row of the result.
  std::optional<Values> first(std::string_view sql, const Values& values = {});
};

/// Runs `body` in a transaction; what it throws undoes it.
template <class Body>
auto once_in_transaction(Database& database, Access access, Body&& body) {
  struct Guard {
    Database& database;
    bool is_open = true;
    ~Guard() {
      if (is_open) database.roll_back();
    }
  };
  database.begin(access);
  Guard guard{database};
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    database.commit();
    guard.is_open = false;
  } else {
    auto result = body();
    database.commit();
    guard.is_open = false;
    return result;
  }
}

/// How often what a lost connection has undone is done, the first time included.
constexpr int most_attempts = 5;

/// The same, again where the connection was lost in the midst of it. Nobody knows whether a commit that had
/// no answer was done: what `body` adds must tell itself apart (a uid made before), and be added once only.
template <class Body>
auto in_transaction(Database& database, Access access, Body&& body) {
  for (int attempt = 1;; ++attempt) {
    try {
      return once_in_transaction(database, access, body);
    } catch (const Failure&) {
      if (attempt == most_attempts || !database.recovers()) throw;
    }
  }
}

/// Opens, or makes, the file.
std::unique_ptr<Database> open_sqlite(const std::string& path, const OpenOptions& options);
/// Connects; the store lives in a schema "hoist" of the database. `place` is the URL without its password.
std::unique_ptr<Database> open_postgres(const std::string& url, const std::string& place,
                                        const OpenOptions& options);

}  // namespace hoist::store
