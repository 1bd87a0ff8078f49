// PostgreSQL's client library with owners and `Result`: a connection, parameters and rows. Only
// what the store needs. REQUIRES: one thread at a time uses a connection.
//
// Every call has a time limit. If the database does not answer (its machine is gone, its process is
// stopped) the connection is given up and `lost` is true: it is then unknown whether the statement
// was executed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

// Of libpq-fe.h, which is not where other headers are.
struct pg_conn;
struct pg_result;

namespace duel {

// Values of a statement's $1, $2, .. in PostgreSQL's binary format, so that lines need no escaping.
class PostgresParameters {
 public:
  PostgresParameters& add(std::string_view text);
  PostgresParameters& add_bytes(std::string_view bytes);
  PostgresParameters& add(std::uint64_t number);
  PostgresParameters& add_numbers(std::span<const std::uint64_t> numbers);
  PostgresParameters& add_texts(std::span<const std::string_view> texts);
  // With `empty_is_null` an empty string becomes NULL.
  PostgresParameters& add_byte_strings(std::span<const std::string_view> strings,
                                       bool empty_is_null = false);

 private:
  friend class PostgresConnection;
  PostgresParameters& put(unsigned type, std::string value);

  std::vector<unsigned> types_;  // libpq's Oid
  std::vector<std::string> values_;
};

// The rows that a statement returned.
class PostgresRows {
 public:
  PostgresRows() = default;
  explicit PostgresRows(pg_result* result) : result_(result) {}

  std::size_t size() const;
  // Columns are numbered from 0; a view lives as long as the rows.
  std::string_view bytes(std::size_t row, int column) const;
  std::string text(std::size_t row, int column) const { return std::string(bytes(row, column)); }
  std::uint64_t number(std::size_t row, int column) const;
  bool is_null(std::size_t row, int column) const;
  // Rows that an INSERT, UPDATE or DELETE changed.
  std::uint64_t changed() const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

struct PostgresQuery {
  const char* sql = nullptr;
  PostgresParameters parameters{};
};

class PostgresConnection {
 public:
  using Limit = std::chrono::milliseconds;
  static constexpr Limit kNoLimit = Limit::max();

  PostgresConnection() = default;
  // `location` is a URL or `key=value ..` as libpq takes it. `set_up` is run first.
  static Result<PostgresConnection> open(const std::string& location, Limit limit,
                                         const std::string& set_up = "");

  // One statement, prepared when it comes for the first time. `sql` is a literal.
  Result<PostgresRows> run(const char* sql, const PostgresParameters& parameters, Limit limit);
  // Several statements in one transaction and one round trip (pipeline mode): the database never
  // waits for us inside the transaction. Each sees what was committed before it began.
  Result<std::vector<PostgresRows>> run_together(std::span<const PostgresQuery> queries,
                                                 Limit limit);
  // Statements without parameters and without rows.
  Status execute(const std::string& sql, Limit limit);

  // Whether the connection cannot be used any more.
  bool lost() const { return connection_ == nullptr || lost_; }
  // The same, after a look whether the other side has closed it meanwhile.
  bool lost_meanwhile();
  // The warning that came with the last statement, or empty. If PostgreSQL gives up waiting for a
  // standby, the commit succeeds with a warning only.
  const std::string& warning() const { return *warning_; }
  // The database, for messages: without user and password.
  const std::string& where() const { return where_; }
  explicit operator bool() const { return !lost(); }

 private:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  static Deadline deadline_after(Limit limit);
  Status send_all(const Deadline& deadline);
  Status wait_for_socket(short events, const Deadline& deadline);
  Status take_input();
  // The next result, or null at the end of a statement.
  Result<pg_result*> next_result(const Deadline& deadline);
  Result<PostgresRows> take_result(const Deadline& deadline);
  Status take_sync(const Deadline& deadline);
  Error error_of(const pg_result* result);
  Error lose(std::string_view why);
  Error lose_as_told();  // for the reason that libpq gives

  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  std::unique_ptr<pg_conn, Finish> connection_;
  std::string where_;
  std::map<const char*, std::string> prepared_;
  std::unique_ptr<std::string> warning_ = std::make_unique<std::string>();  // libpq points to it
  bool lost_ = false;
};

// Whether a location contains a password.
bool postgres_password_in(const std::string& location);
// What is wrong with a location; nothing if it can be read.
std::optional<std::string> postgres_location_error(const std::string& location);
// The database of a location for messages: without user and password.
std::string postgres_place(const std::string& location);

}  // namespace duel
