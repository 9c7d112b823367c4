// The store in a PostgreSQL database, which a team shares.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include "store/database.hpp"
#include "store/libpq.hpp"

namespace hoist::store {

namespace {

/// What writers hold while they write: any number that others do not use. "Hoist" in ASCII.
constexpr std::int64_t writers_lock = 0x486f697374;

/// The parameters of a statement as libpq takes them.
struct Arguments {
  std::vector<std::string> texts;
  std::vector<const char*> values;
  std::vector<int> lengths, formats;

  explicit Arguments(const Values& list) {
    texts.reserve(list.size());
    for (const Value& value : list) add(value);
  }
  void add(const Value& value) {
    if (std::holds_alternative<std::monostate>(value)) {
      push(nullptr, 0, 0);
      return;
    }
    const auto* blob = std::get_if<Blob>(&value);
    const std::string& text = texts.emplace_back(blob ? blob->bytes : text_of(value));
    push(text.c_str(), static_cast<int>(text.size()), blob ? 1 : 0);
  }
  /// Doubles with as many digits as give the same bits again.
  static std::string text_of(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    return std::get<std::string>(value);
  }
  void push(const char* value, int length, int format) {
    values.push_back(value);
    lengths.push_back(length);
    formats.push_back(format);
  }
};

/// "\x0aff" as PostgreSQL writes bytes.
Blob blob_of(std::string_view text) {
  Blob blob;
  for (std::size_t place = 2; place + 1 < text.size(); place += 2) {
    unsigned byte = 0;
    std::from_chars(text.data() + place, text.data() + place + 2, byte, 16);
    blob.bytes += static_cast<char>(byte);
  }
  return blob;
}

Value value_of(libpq::Oid type, const std::string& text) {
  switch (type) {
    case libpq::INT8OID:
    case libpq::INT4OID:
      return std::int64_t{std::strtoll(text.c_str(), nullptr, 10)};
    case libpq::FLOAT8OID:
      return std::strtod(text.c_str(), nullptr);
    case libpq::BYTEAOID:
      return blob_of(text);
    default:
      return text;
  }
}

class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(const std::string& url, std::string place, const OpenOptions& options)
      : functions_(libpq::load()), place_(std::move(place)), patience_(options.patience) {
    connection_ = connected(url);
    if (!connection_) throw std::bad_alloc();
    try {
      functions_.PQsetNoticeProcessor(
          connection_, [](void*, const char*) {}, nullptr);
      prepare_session();
      prepare_database(options.make);
    } catch (...) {
      functions_.PQfinish(connection_);
      throw;
    }
  }
  ~PostgresDatabase() override { functions_.PQfinish(connection_); }
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  std::int64_t query(std::string_view sql, const Values& values,
                     const std::function<void(const Row&)>& on_row) override {
    AnswerPtr answer = answer_to(sql, values);
    // A statement by itself is done again; in a transaction all of that is. A server that ends may close
    // connections several times.
    for (int attempt = 1; !is_good(answer); ++attempt) {
      if (is_in_transaction_ || attempt == most_attempts || !recovers()) fail_with(answer.get());
      answer = answer_to(sql, values);
    }
    Values row;
    for (int i = 0; i < functions_.PQntuples(answer.get()); ++i) {
      read_row(answer.get(), i, row);
      on_row(Row(row));
    }
    return std::strtoll(functions_.PQcmdTuples(answer.get()), nullptr, 10);
  }

  void begin(Access access) override {
    execute(access == Access::Write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    is_in_transaction_ = true;
    if (access == Access::Read) return;
    // Writers one after the other, as SQLite has it: none can then wait for another that waits for it.
    try {
      query("SELECT pg_advisory_xact_lock($1)", {writers_lock}, [](const Row&) {});
    } catch (...) {
      roll_back();
      throw;
    }
  }
  void commit() override {
    execute("COMMIT");
    is_in_transaction_ = false;
  }
  void roll_back() noexcept override {
    is_in_transaction_ = false;
    functions_.PQclear(
        functions_.PQexecParams(connection_, "ROLLBACK", 0, nullptr, nullptr, nullptr, nullptr, 0));
  }

  std::int64_t schema_version() override {
    const std::int64_t tables = number("SELECT count(*) FROM pg_tables WHERE schemaname = 'hoist'");
    if (tables == 0) return 0;
    if (number("SELECT count(*) FROM pg_tables WHERE schemaname = 'hoist' AND tablename = 'hoist_store'") ==
        0)
      throw_user(fmt::format("the database {} has a schema 'hoist' of another program", place_),
                 "Hoist has not changed it", "name another database");
    return number("SELECT schema_version FROM hoist.hoist_store");
  }
  void mark_as_store() override {}  // its schema's name does
  std::string_view id_column() const override {
    return "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY";
  }
  std::string_view blob_type() const override { return "BYTEA"; }
  std::string moment(std::chrono::seconds later) const override {
    return fmt::format(
        "to_char(clock_timestamp() AT TIME ZONE 'UTC' + interval '{} seconds', "
        "'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')",
        later.count());
  }
  void compact() override {}  // the server does so by itself

  /// The server was started anew, or a network between failed: it is tried again as long as others are waited
  /// for.
  bool recovers() override {
    if (!is_lost_) return false;
    const auto until = std::chrono::steady_clock::now() + patience_;
    while (true) {
      functions_.PQreset(connection_);
      // A server that is about to end or to begin may accept a connection and close it at once.
      if (functions_.PQstatus(connection_) == libpq::CONNECTION_OK && prepares_session()) {
        is_lost_ = false;
        return true;
      }
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

 private:
  /// What stands before the URL it may say otherwise. A network that swallows everything is noticed, too:
  /// by default a connection waits for it for hours.
  libpq::Connection* connected(const std::string& url) const {
    constexpr int knows_user_timeout = 120000;
    std::vector<std::pair<const char*, const char*>> words{{"connect_timeout", "10"},
                                                           {"keepalives_idle", "10"},
                                                           {"keepalives_interval", "5"},
                                                           {"keepalives_count", "4"}};
    if (functions_.PQlibVersion() >= knows_user_timeout) words.emplace_back("tcp_user_timeout", "30000");
    words.emplace_back("fallback_application_name", "hoist");
    words.emplace_back("dbname", url.c_str());
    words.emplace_back("client_encoding", "UTF8");
    std::vector<const char*> names, values;
    for (const auto& [name, value] : words) {
      names.push_back(name);
      values.push_back(value);
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    return functions_.PQconnectdbParams(names.data(), values.data(), 1);
  }

  using AnswerPtr = std::unique_ptr<libpq::Answer, void (*)(libpq::Answer*)>;

  AnswerPtr answer_to(std::string_view sql, const Values& values) {
    const Arguments arguments(values);
    AnswerPtr answer(functions_.PQexecParams(
                         connection_, std::string(sql).c_str(), static_cast<int>(values.size()), nullptr,
                         arguments.values.data(), arguments.lengths.data(), arguments.formats.data(), 0),
                     functions_.PQclear);
    if (!is_good(answer)) is_lost_ = tells_of_lost_connection(answer.get());
    return answer;
  }
  std::string code_of(const libpq::Answer* answer) const {
    const char* code = answer ? functions_.PQresultErrorField(answer, libpq::diagnostic_sqlstate) : nullptr;
    return code ? code : "";
  }
  /// A server gives each of its errors a code (57P.. where it ends), libpq its own none: where it fails to
  /// write, the connection's status says for a while that all is well.
  bool tells_of_lost_connection(const libpq::Answer* answer) const {
    const std::string code = code_of(answer);
    return functions_.PQstatus(connection_) != libpq::CONNECTION_OK || code.empty() ||
           code.starts_with("57P");
  }
  bool is_good(const AnswerPtr& answer) const {
    const int status = answer ? functions_.PQresultStatus(answer.get()) : -1;
    return status == libpq::PGRES_COMMAND_OK || status == libpq::PGRES_TUPLES_OK;
  }

  Values only(std::string_view sql) {
    std::optional<Values> row = first(sql);
    if (!row)
      throw_failure(ErrorKind::Device, fmt::format("the store {} is damaged: a table is empty", place_));
    return std::move(*row);
  }
  std::int64_t number(std::string_view sql) { return Row(only(sql)).integer(0); }

  void read_row(const libpq::Answer* answer, int row, Values& values) const {
    values.clear();
    for (int column = 0; column < functions_.PQnfields(answer); ++column) {
      if (functions_.PQgetisnull(answer, row, column)) {
        values.emplace_back();
        continue;
      }
      const std::string text(functions_.PQgetvalue(answer, row, column),
                             static_cast<std::size_t>(functions_.PQgetlength(answer, row, column)));
      values.push_back(value_of(functions_.PQftype(answer, column), text));
    }
  }

  bool prepares_session() {
    is_in_transaction_ = true;  // what prepares the session is not to recover itself
    const bool is_prepared = static_cast<bool>(catch_failure([&] { prepare_session(); }));
    is_in_transaction_ = false;
    return is_prepared;
  }

  void prepare_session() {
    if (functions_.PQstatus(connection_) != libpq::CONNECTION_OK)
      throw_failure(
          ErrorKind::Device, fmt::format("the store {} cannot be reached", place_),
          message_of(functions_.PQerrorMessage(connection_)),
          "check that the server runs and accepts your login, or use a store in a file: --store FILE");
    execute("SET search_path = hoist");
    execute(fmt::format("SET lock_timeout = {}", patience_.count()));
    execute("SET extra_float_digits = 3");
    execute("SET bytea_output = hex");
  }

  void prepare_database(bool make) {
    const Values encoding =
        only("SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()");
    if (Row(encoding).text(0) != "UTF8")
      throw_user(fmt::format("the database {} cannot hold all of Unicode", place_),
                 fmt::format("its encoding is {}", Row(encoding).text(0)),
                 "make a database that can: createdb --encoding UTF8 --template template0 NAME");
    if (number("SELECT count(*) FROM pg_namespace WHERE nspname = 'hoist'") != 0 || !make) return;
    in_transaction(*this, Access::Write, [&] { execute("CREATE SCHEMA IF NOT EXISTS hoist"); });
  }

  /// libpq's messages end their lines, and hold several at times.
  static std::string message_of(std::string message) {
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
    for (char& letter : message)
      if (letter == '\n') letter = ' ';
    return message;
  }

  /// Throws what the server's code means to the user.
  [[noreturn]] void fail_with(const libpq::Answer* answer) const;

  libpq::Functions functions_;
  std::string place_;
  std::chrono::milliseconds patience_;
  libpq::Connection* connection_ = nullptr;
  bool is_in_transaction_ = false;
  bool is_lost_ = false;  ///< the last command that failed did so by its connection
};

void PostgresDatabase::fail_with(const libpq::Answer* answer) const {
  const std::string reason = message_of(functions_.PQerrorMessage(connection_));
  const std::string code = code_of(answer);
  const auto device = [&](const std::string& message, const std::string& note, const std::string& help) {
    throw_failure(ErrorKind::Device, message, note, help);
  };
  if (is_lost_)
    device(fmt::format("the connection to the store {} was lost", place_), reason,
           "what was stored before is kept; start again when the server runs");
  if (code == "55P03")
    device(fmt::format("the store {} is in use by another process", place_),
           fmt::format("it was locked for {:g} s", std::chrono::duration<double>(patience_).count()),
           "wait for the other process, or end it, and start again");
  if (code == "42501" || code == "25006")
    device(fmt::format("the store {} cannot be written", place_), reason,
           "ask the server's administrator for the right to create and write a schema 'hoist', or use a "
           "store in a "
           "file: --store FILE");
  if (code.starts_with("53"))
    device(fmt::format("the server of the store {} has no room left", place_),
           reason + "; what was stored before is kept", "make room on the server, and start again");
  device(fmt::format("the server of the store {} refuses a command", place_),
         fmt::format("{} ({})", reason, code), "what was stored before is kept; see the server's log");
  throw Bug("unreachable");
}

}  // namespace

std::unique_ptr<Database> open_postgres(const std::string& url, const std::string& place,
                                        const OpenOptions& options) {
  return std::make_unique<PostgresDatabase>(url, place, options);
}

}  // namespace hoist::store
