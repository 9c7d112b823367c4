// The store in one file, through SQLite's C interface.
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <thread>

#include "store/database.hpp"

namespace hoist::store {

namespace {

/// In the header of the file: "Hois", so that `file` and we can tell a store from another program's database.
constexpr std::int64_t application_id = 0x486f6973;

struct Closer {
  // Unfinished statements would keep the connection; with _v2 it ends when they do.
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

struct Resetter {
  void operator()(sqlite3_stmt* statement) const { sqlite3_reset(statement); }
};

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(std::string path, const OpenOptions& options)
      : path_(std::move(path)), patience_(options.patience) {
    // An absolute path: SQLite gives ":memory:" and the empty one meanings of their own.
    std::error_code no_directory;
    const std::string file = std::filesystem::absolute(path_, no_directory).string();
    try {
      connect(file, SQLITE_OPEN_READWRITE | (options.only_reads ? 0 : SQLITE_OPEN_CREATE));
    } catch (const Failure&) {
      const bool is_refused =
          failed_with_ == SQLITE_CANTOPEN || failed_with_ == SQLITE_READONLY || failed_with_ == SQLITE_PERM;
      if (!options.only_reads || !is_refused || has_log(file)) throw;
      // Where its directory is not to be written to, SQLite reads a file that nobody else is writing.
      connect(fmt::format("file:{}?immutable=1", in_url(file)), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    }
    if (!options.only_reads) use_log();
  }

  std::int64_t query(std::string_view sql, const Values& values,
                     const std::function<void(const Row&)>& on_row) override {
    sqlite3_stmt* statement = prepared(sql);
    bind(statement, values);
    const std::unique_ptr<sqlite3_stmt, Resetter> reset(statement);
    int code = SQLITE_ROW;
    Values row;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      row.clear();
      for (int column = 0; column < sqlite3_column_count(statement); ++column)
        row.push_back(value_of(statement, column));
      on_row(Row(row));
    }
    if (code != SQLITE_DONE) fail_with(code);
    return sqlite3_changes64(connection_.get());
  }

  void begin(Access access) override { execute(access == Access::Write ? "BEGIN IMMEDIATE" : "BEGIN"); }
  void commit() override { execute("COMMIT"); }
  void roll_back() noexcept override {
    // Some errors have undone the transaction already.
    if (sqlite3_get_autocommit(connection_.get()) == 0)
      sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }

  std::int64_t schema_version() override {
    if (sqlite3_get_autocommit(connection_.get()) == 0) return read_schema_version();
    // In one transaction: another process may be making the file a store.
    std::int64_t version = 0;
    in_transaction(*this, Access::Read, [&] { version = read_schema_version(); });
    return version;
  }

  void mark_as_store() override { execute(fmt::format("PRAGMA application_id = {}", application_id)); }
  std::string_view id_column() const override { return "INTEGER PRIMARY KEY"; }
  std::string_view blob_type() const override { return "BLOB"; }
  std::string moment(std::chrono::seconds later) const override {
    return fmt::format("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '{:+} seconds')", later.count());
  }
  void compact() override {
    execute("VACUUM");
    execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

 private:
  void connect(const std::string& file, int flags) {
    statements_.clear();
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    connection_.reset(connection);
    if (!connection) throw std::bad_alloc();
    if (code != SQLITE_OK) fail_with(code);
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_busy_timeout(connection, static_cast<int>(patience_.count()));
    execute("PRAGMA foreign_keys = ON");
    schema_version();  // refuses what is no store before anything in it is changed
  }

  /// Whether somebody wrote to it what is not in the file yet.
  static bool has_log(const std::string& file) {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(file + "-wal", none);
    return !none && bytes > 0;
  }

  static std::string in_url(const std::string& file) {
    std::string text;
    for (const char letter : file) {
      const bool is_plain = letter != '%' && letter != '?' && letter != '#';
      text += is_plain ? std::string(1, letter) : fmt::format("%{:02x}", static_cast<unsigned char>(letter));
    }
    return text;
  }

  std::int64_t read_schema_version() {
    const std::int64_t application = number("PRAGMA application_id");
    const std::int64_t tables = number("SELECT count(*) FROM sqlite_master");
    if (application == application_id) {
      if (number("SELECT count(*) FROM sqlite_master WHERE name = 'hoist_store'") == 0)
        fail_with(SQLITE_CORRUPT);
      return number("SELECT schema_version FROM hoist_store");
    }
    if (application != 0 || tables != 0)
      throw_user(fmt::format("{} is a database of another program", path_), "Hoist has not changed it",
                 "name another file: --store FILE");
    return 0;
  }

  /// With a write-ahead log readers and a writer do not wait for each other; FULL writes it to the disk at
  /// each commit.
  void use_log() {
    const auto until = std::chrono::steady_clock::now() + patience_;
    // Where two processes change the mode at once SQLite refuses one of them without waiting.
    while (true) {
      try {
        execute("PRAGMA journal_mode = WAL");
        break;
      } catch (const Failure&) {
        if (sqlite3_errcode(connection_.get()) != SQLITE_BUSY || std::chrono::steady_clock::now() > until)
          throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    execute("PRAGMA synchronous = FULL");
  }

  std::int64_t number(std::string_view sql) {
    const std::optional<Values> row = first(sql);
    if (!row) fail_with(SQLITE_CORRUPT);
    return Row(*row).integer(0);
  }

  sqlite3_stmt* prepared(std::string_view sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second.get();
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) fail_with(code);
    return statements_.emplace(sql, statement).first->second.get();
  }

  void bind(sqlite3_stmt* statement, const Values& values) {
    sqlite3_clear_bindings(statement);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int place = sqlite3_bind_parameter_index(statement, fmt::format("${}", i + 1).c_str());
      if (place == 0) throw Bug(fmt::format("no parameter ${} in {}", i + 1, sqlite3_sql(statement)));
      const int code = bind_one(statement, place, values[i]);
      if (code != SQLITE_OK) fail_with(code);
    }
  }
  static int bind_one(sqlite3_stmt* statement, int place, const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      return sqlite3_bind_int64(statement, place, *number);
    if (const auto* number = std::get_if<double>(&value))
      return sqlite3_bind_double(statement, place, *number);
    if (const auto* text = std::get_if<std::string>(&value))
      return sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    if (const auto* blob = std::get_if<Blob>(&value))
      return sqlite3_bind_blob64(statement, place, blob->bytes.data(), blob->bytes.size(), SQLITE_STATIC);
    return sqlite3_bind_null(statement, place);
  }

  static Value value_of(sqlite3_stmt* statement, int column) {
    const auto bytes = [&](const void* data) {
      return data ? std::string(static_cast<const char*>(data),
                                static_cast<std::size_t>(sqlite3_column_bytes(statement, column)))
                  : std::string();
    };
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        return std::int64_t{sqlite3_column_int64(statement, column)};
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
      case SQLITE_TEXT:
        return bytes(sqlite3_column_text(statement, column));
      case SQLITE_BLOB:
        return Blob{bytes(sqlite3_column_blob(statement, column))};
      default:
        return {};
    }
  }

  /// Throws what the code means to the user.
  [[noreturn]] void fail_with(int code);

  std::string path_;
  std::chrono::milliseconds patience_;
  int failed_with_ = SQLITE_OK;  ///< the last error
  std::unique_ptr<sqlite3, Closer> connection_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Closer>, std::less<>> statements_;
};

void SqliteDatabase::fail_with(int code) {
  const std::string text = sqlite3_errmsg(connection_.get());
  const int system = sqlite3_system_errno(connection_.get());
  const std::string reason = system != 0 ? fmt::format("{}: {}", text, std::strerror(system)) : text;
  const std::string safe = "; what was stored before is kept";
  failed_with_ = code & 0xff;
  switch (failed_with_) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw_failure(ErrorKind::Device, fmt::format("the store {} is in use by another process", path_),
                    fmt::format("it was locked for {:g} s", std::chrono::duration<double>(patience_).count()),
                    "wait for the other process, or end it, and start again");
    case SQLITE_NOTADB:
      throw_user(fmt::format("{} is no store of Hoist", path_),
                 "it is no SQLite database; Hoist has not changed it", "name another file: --store FILE");
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // the tables are not as the statements, all of which are tested, expect them
      throw_failure(ErrorKind::Device, fmt::format("the store {} is damaged", path_), text,
                    fmt::format("restore a copy of it, or save what can be read: "
                                "sqlite3 {} .recover | sqlite3 NEW_FILE",
                                path_));
    case SQLITE_FULL:
      throw_failure(ErrorKind::Device, fmt::format("the disk of the store {} is full", path_), reason + safe,
                    "make room and start again, or use a store elsewhere: --store FILE");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw_failure(ErrorKind::Device, fmt::format("the store {} cannot be opened for writing", path_),
                    reason,
                    "the file and its directory must exist and be writable, or name another: --store FILE");
    case SQLITE_IOERR:
      throw_failure(ErrorKind::Device, fmt::format("the store {} cannot be read or written", path_),
                    reason + safe,
                    "check the disk and the limit of file sizes (ulimit -f) and start again, or use a "
                    "store elsewhere: --store FILE");
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    default:
      throw Bug(fmt::format("SQLite says of {}: {} ({})", path_, text, code));
  }
}

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string& path, const OpenOptions& options) {
  return std::make_unique<SqliteDatabase>(path, options);
}

}  // namespace hoist::store
