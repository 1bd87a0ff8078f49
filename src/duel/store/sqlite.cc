#include "duel/store/sqlite.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace duel {
namespace {

// How long a commit waits for another program, a tool say, that has the database locked.
constexpr int kBusyTimeoutMs = 5'000;

constexpr const char* kFullDisk = "the disk is full";

}  // namespace

Error sqlite_error(int code, std::string_view detail, const std::filesystem::path& file) {
  constexpr int kPrimaryCode = 0xff;
  const std::string where = file.string();
  // The index of the log, which lies in memory, has no room in its file.
  if (code == SQLITE_IOERR_SHMSIZE) return Error::io(kFullDisk, where);
  switch (code & kPrimaryCode) {
    case SQLITE_CORRUPT:
      return Error::invalid_data(fmt::format("the database is damaged: {}", detail), where,
                                 "restore a backup");
    case SQLITE_NOTADB:
      return Error::invalid_data("the file is not a database, or a damaged one", where);
    case SQLITE_FULL:
      return Error::io(kFullDisk, where);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Error::io("the database cannot be written", where, "check its permissions");
    case SQLITE_CANTOPEN:
      return Error::io("the database cannot be opened", where,
                       "check that its directory exists and can be written");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error::io("another program holds the database locked", where);
    default:
      return Error::io(fmt::format("the database cannot be used: {}", detail), where);
  }
}

bool is_full_disk(const Error& error) { return error.message == kFullDisk; }

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL.
  sqlite3_bind_text64(statement_.get(), parameter, text.data() == nullptr ? "" : text.data(),
                      text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::uint64_t number) {
  sqlite3_bind_int64(statement_.get(), parameter, static_cast<sqlite3_int64>(number));
  return *this;
}

SqliteStatement& SqliteStatement::bind_null(int parameter) {
  sqlite3_bind_null(statement_.get(), parameter);
  return *this;
}

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  return sqlite_error(sqlite3_extended_errcode(connection), sqlite3_errmsg(connection), file_);
}

Status SqliteStatement::run() {
  for (;;) {
    const Result<bool> row = step();
    if (row.ok() && *row) continue;
    reset();
    if (!row.ok()) return row.error();
    return Done{};
  }
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::string_view SqliteStatement::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::uint64_t SqliteStatement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

Result<SqliteConnection> SqliteConnection::open(const std::filesystem::path& file, int flags,
                                                const std::string& vfs) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX,
                                   vfs.empty() ? nullptr : vfs.c_str());
  SqliteConnection connection;
  connection.connection_.reset(opened);
  connection.file_ = file;
  if (code != SQLITE_OK) return sqlite_error(code, sqlite3_errstr(code), file);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kBusyTimeoutMs);
  return connection;
}

Result<SqliteConnection> SqliteConnection::open_unchanging(const std::filesystem::path& file,
                                                           const std::string& vfs) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  DUEL_ASSIGN(SqliteConnection connection,
              open(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs));
  connection.file_ = file;
  connection.unchanging_ = true;
  return connection;
}

Status SqliteConnection::execute(const char* sql) {
  if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return Done{};
}

Result<SqliteStatement> SqliteConnection::prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &prepared, nullptr) != SQLITE_OK) {
    return error();
  }
  SqliteStatement statement;
  statement.statement_.reset(prepared);
  statement.file_ = file_;
  return statement;
}

Result<LentStatement> SqliteConnection::lend(const char* sql) {
  auto kept = kept_.find(sql);
  if (kept == kept_.end()) {
    DUEL_ASSIGN(SqliteStatement statement, prepare(sql));
    kept = kept_.emplace(sql, std::move(statement)).first;
  }
  return LentStatement(kept->second);
}

Result<std::uint64_t> SqliteConnection::number(std::string_view sql) {
  DUEL_ASSIGN(SqliteStatement statement, prepare(sql));
  DUEL_ASSIGN(const bool row, statement.step());
  return row ? statement.number(0) : 0;
}

Error SqliteConnection::error() const {
  return sqlite_error(sqlite3_extended_errcode(connection_.get()),
                      sqlite3_errmsg(connection_.get()), file_);
}

}  // namespace duel
