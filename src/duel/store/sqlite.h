// SQLite's C interface with owners and `Result`: a connection and its statements. Only what the
// store needs. REQUIRES: one thread at a time uses a connection (it is opened without a mutex).
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// SQLite's code as an error in words for a user; `detail` is SQLite's own text.
Error sqlite_error(int code, std::string_view detail, const std::filesystem::path& file);
// Whether it says that the disk is full.
bool is_full_disk(const Error& error);

class SqliteStatement {
 public:
  SqliteStatement() = default;

  // Parameters are numbered from 1. Text is not copied: it must live until `reset`.
  SqliteStatement& bind(int parameter, std::string_view text);
  SqliteStatement& bind(int parameter, std::uint64_t number);
  SqliteStatement& bind_null(int parameter);

  // Whether there is a row.
  Result<bool> step();
  // Steps through rows to the end, and is ready to be bound again.
  Status run();
  void reset();

  // Columns are numbered from 0; a view lives until the next step or reset.
  std::string_view text(int column) const;
  std::uint64_t number(int column) const;

 private:
  friend class SqliteConnection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::filesystem::path file_;
};

// Resets the statement when it is given back: an open one keeps the log from being emptied.
class LentStatement {
 public:
  explicit LentStatement(SqliteStatement& statement) : statement_(&statement) {}
  SqliteStatement* operator->() const { return statement_.get(); }

 private:
  struct Reset {
    void operator()(SqliteStatement* statement) const { statement->reset(); }
  };
  std::unique_ptr<SqliteStatement, Reset> statement_;
};

class SqliteConnection {
 public:
  SqliteConnection() = default;
  // `flags` are those of sqlite3_open_v2; an empty `vfs` is SQLite's own.
  static Result<SqliteConnection> open(const std::filesystem::path& file, int flags,
                                       const std::string& vfs = "");
  // For reading a database that nobody changes. It needs no log beside it, and would not read one.
  static Result<SqliteConnection> open_unchanging(const std::filesystem::path& file,
                                                  const std::string& vfs = "");

  Status execute(const char* sql);
  Result<SqliteStatement> prepare(std::string_view sql);
  // A statement that the connection keeps, prepared when it is first asked for. REQUIRES: `sql` is
  // a literal, and the statement is not lent already.
  Result<LentStatement> lend(const char* sql);
  // The first column of the first row.
  Result<std::uint64_t> number(std::string_view sql);

  // The error of the last call.
  Error error() const;
  sqlite3* get() const { return connection_.get(); }
  explicit operator bool() const { return connection_ != nullptr; }
  bool is_unchanging() const { return unchanging_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<const char*, SqliteStatement> kept_;  // by their literals
  bool unchanging_ = false;
  std::filesystem::path file_;
};

// What `make` makes of each row of `statement`.
template <class Make>
auto rows_in(SqliteStatement& statement, const Make& make)
    -> Result<std::vector<decltype(make(statement))>> {
  std::vector<decltype(make(statement))> rows;
  for (;;) {
    DUEL_ASSIGN(const bool found, statement.step());
    if (!found) return rows;
    rows.push_back(make(statement));
  }
}

}  // namespace duel
