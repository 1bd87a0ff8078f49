#include "duel/store/postgres.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "duel/core/check.h"

namespace duel {
namespace {

// Of PostgreSQL's catalogue; they never change.
constexpr Oid kBytea = 17, kInt8 = 20, kText = 25;
constexpr Oid kByteaArray = 1001, kTextArray = 1009, kInt8Array = 1016;
constexpr int kBinary = 1;

void append_big_endian(std::string& out, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>((number >> shift) & 0xff);
  }
}

// PostgreSQL's binary array of one dimension, without its elements.
std::string array_header(std::size_t size, Oid element, bool has_nulls) {
  std::string out;
  append_big_endian(out, size == 0 ? 0 : 1, 4);
  append_big_endian(out, has_nulls ? 1 : 0, 4);
  append_big_endian(out, element, 4);
  if (size == 0) return out;
  append_big_endian(out, size, 4);
  append_big_endian(out, 1, 4);  // the first index
  return out;
}

std::string array_of(std::span<const std::string_view> strings, Oid element, bool empty_is_null) {
  const bool has_nulls =
      empty_is_null && std::ranges::any_of(strings, [](auto text) { return text.empty(); });
  std::string out = array_header(strings.size(), element, has_nulls);
  for (const std::string_view text : strings) {
    if (text.empty() && empty_is_null) {
      append_big_endian(out, 0xffff'ffff, 4);
      continue;
    }
    append_big_endian(out, text.size(), 4);
    out += text;
  }
  return out;
}

std::string without_end(const char* text) {
  std::string out = text == nullptr ? "" : text;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  // libpq writes several lines and indents all but the first.
  std::ranges::replace(out, '\n', ' ');
  std::ranges::replace(out, '\t', ' ');
  return out;
}

// The values of a statement as libpq takes them. REQUIRES: the strings outlive this.
struct SentValues {
  explicit SentValues(const std::vector<std::string>& values) : formats(values.size(), kBinary) {
    for (const std::string& value : values) {
      texts.push_back(value.data());
      lengths.push_back(static_cast<int>(value.size()));
    }
  }

  std::vector<const char*> texts;
  std::vector<int> lengths;
  std::vector<int> formats;
};

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using LocationOptions = std::unique_ptr<PQconninfoOption, FreeOptions>;

// What a location sets, by keyword; nothing if it cannot be read.
std::map<std::string, std::string> values_in(const std::string& location) {
  const LocationOptions options(PQconninfoParse(location.c_str(), nullptr));
  std::map<std::string, std::string> values;
  for (const PQconninfoOption* one = options.get(); one != nullptr && one->keyword != nullptr;
       ++one) {
    if (one->val != nullptr) values[one->keyword] = one->val;
  }
  return values;
}

void note_warning(void* warning, const PGresult* result) {
  const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == nullptr || std::string_view(severity) != "WARNING") return;
  const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  *static_cast<std::string*>(warning) = text == nullptr ? "a warning" : text;
}

}  // namespace

PostgresParameters& PostgresParameters::put(Oid type, std::string value) {
  types_.push_back(type);
  values_.push_back(std::move(value));
  return *this;
}

PostgresParameters& PostgresParameters::add(std::string_view text) {
  return put(kText, std::string(text));
}

PostgresParameters& PostgresParameters::add_bytes(std::string_view bytes) {
  return put(kBytea, std::string(bytes));
}

PostgresParameters& PostgresParameters::add(std::uint64_t number) {
  std::string out;
  append_big_endian(out, number, 8);
  return put(kInt8, std::move(out));
}

PostgresParameters& PostgresParameters::add_numbers(std::span<const std::uint64_t> numbers) {
  std::string out = array_header(numbers.size(), kInt8, false);
  for (const std::uint64_t number : numbers) {
    append_big_endian(out, 8, 4);
    append_big_endian(out, number, 8);
  }
  return put(kInt8Array, std::move(out));
}

PostgresParameters& PostgresParameters::add_texts(std::span<const std::string_view> texts) {
  return put(kTextArray, array_of(texts, kText, false));
}

PostgresParameters& PostgresParameters::add_byte_strings(std::span<const std::string_view> strings,
                                                         bool empty_is_null) {
  return put(kByteaArray, array_of(strings, kBytea, empty_is_null));
}

void PostgresRows::Clear::operator()(pg_result* result) const { PQclear(result); }

void PostgresConnection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

std::size_t PostgresRows::size() const {
  return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0;
}

std::string_view PostgresRows::bytes(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {PQgetvalue(result_.get(), at, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

std::uint64_t PostgresRows::number(std::size_t row, int column) const {
  const std::string_view value = bytes(row, column);
  std::uint64_t number = 0;
  for (const char byte : value) number = (number << 8) | static_cast<unsigned char>(byte);
  return number;
}

bool PostgresRows::is_null(std::size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}

std::uint64_t PostgresRows::changed() const {
  return result_ ? std::strtoull(PQcmdTuples(result_.get()), nullptr, 10) : 0;
}

bool postgres_password_in(const std::string& location) {
  const auto values = values_in(location);
  return values.contains("password") || values.contains("sslpassword");
}

std::optional<std::string> postgres_location_error(const std::string& location) {
  char* wrong = nullptr;
  const LocationOptions options(PQconninfoParse(location.c_str(), &wrong));
  if (options) return std::nullopt;
  const std::string message = wrong == nullptr ? "it cannot be read" : without_end(wrong);
  PQfreemem(wrong);
  return message;
}

std::string postgres_place(const std::string& location) {
  auto values = values_in(location);
  std::string place = "postgresql://" + values["host"];
  if (!values["port"].empty()) place += ":" + values["port"];
  return place + "/" + values["dbname"];
}

PostgresConnection::Deadline PostgresConnection::deadline_after(Limit limit) {
  if (limit == kNoLimit) return std::nullopt;
  return std::chrono::steady_clock::now() + limit;
}

Result<PostgresConnection> PostgresConnection::open(const std::string& location, Limit limit,
                                                    const std::string& set_up) {
  PostgresConnection opened;
  opened.where_ = postgres_place(location);
  // Keywords before the location are defaults, which it may override; those after it override it.
  // The timeouts make a database machine that is gone noticed while this node's lease still holds.
  const std::array<const char*, 7> keywords = {"connect_timeout",
                                               "keepalives_idle",
                                               "tcp_user_timeout",
                                               "fallback_application_name",
                                               "dbname",
                                               "client_encoding",
                                               nullptr};
  const std::string timeout = fmt::format("{}", std::max<std::int64_t>(2, limit.count() / 1'000));
  const std::array<const char*, 7> values = {timeout.c_str(),  "10",   "10000", "duel",
                                             location.c_str(), "UTF8", nullptr};
  opened.connection_.reset(PQconnectdbParams(keywords.data(), values.data(), 1));
  PGconn* const connection = opened.connection_.get();
  if (connection == nullptr) return Error::io("there is no memory", opened.where_);
  if (PQstatus(connection) != CONNECTION_OK) {
    const bool password = PQconnectionNeedsPassword(connection) != 0;
    return Error::io(
        fmt::format("the database cannot be reached: {}", without_end(PQerrorMessage(connection))),
        opened.where_, password ? "set PGPASSWORD or PGPASSFILE" : "");
  }
  PQsetNoticeReceiver(connection, note_warning, opened.warning_.get());
  // Every wait is a poll with a deadline: a blocking call would wait for minutes on a dead machine.
  PQsetnonblocking(connection, 1);
  if (!set_up.empty()) DUEL_RETURN_IF_ERROR(opened.execute(set_up, limit));
  return opened;
}

Error PostgresConnection::lose(std::string_view why) {
  lost_ = true;
  return Error::io(fmt::format("the connection to the database is lost: {}", why), where_);
}

Error PostgresConnection::lose_as_told() {
  return lose(without_end(PQerrorMessage(connection_.get())));
}

Error PostgresConnection::error_of(const PGresult* result) {
  // Without a result libpq has no field of it.
  const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  // FATAL or PANIC: the server process ends after this message. It may have committed before.
  const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != nullptr && std::string_view(severity) != "ERROR") {
    return lose(text == nullptr ? "" : text);
  }
  if (PQstatus(connection_.get()) != CONNECTION_OK) return lose_as_told();
  const std::string message = text != nullptr     ? std::string(text)
                              : result != nullptr ? without_end(PQresultErrorMessage(result))
                                                  : without_end(PQerrorMessage(connection_.get()));
  return Error::io(fmt::format("the database refused: {}", message), where_);
}

Status PostgresConnection::wait_for_socket(short events, const Deadline& deadline) {
  for (;;) {
    pollfd one{PQsocket(connection_.get()), events, 0};
    int timeout = -1;
    if (deadline) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          *deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return lose("it does not answer");
      timeout = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 60'000));
    }
    const int ready = ::poll(&one, 1, timeout);
    if (ready > 0) return Done{};
    if (ready < 0 && errno != EINTR) return lose(std::strerror(errno));
  }
}

Status PostgresConnection::take_input() {
  if (PQconsumeInput(connection_.get()) == 0) return lose_as_told();
  return Done{};
}

Status PostgresConnection::send_all(const Deadline& deadline) {
  for (;;) {
    const int left = PQflush(connection_.get());
    if (left == 0) return Done{};
    if (left < 0) return lose_as_told();
    DUEL_RETURN_IF_ERROR(wait_for_socket(POLLIN | POLLOUT, deadline));
    // The database may have filled its own send buffer: unless we read, both sides would wait.
    DUEL_RETURN_IF_ERROR(take_input());
  }
}

Result<PGresult*> PostgresConnection::next_result(const Deadline& deadline) {
  while (PQisBusy(connection_.get()) != 0) {
    DUEL_RETURN_IF_ERROR(wait_for_socket(POLLIN, deadline));
    DUEL_RETURN_IF_ERROR(take_input());
  }
  return PQgetResult(connection_.get());
}

Result<PostgresRows> PostgresConnection::take_result(const Deadline& deadline) {
  PostgresRows rows;
  std::optional<Error> error;
  for (;;) {
    DUEL_ASSIGN(PGresult* const result, next_result(deadline));
    if (result == nullptr) break;
    PostgresRows taken(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      rows = std::move(taken);
    } else if (!error) {
      error = error_of(result);
      if (lost_) return *error;
    }
  }
  if (PQstatus(connection_.get()) != CONNECTION_OK) return error_of(nullptr);
  if (error) return *error;
  return rows;
}

Status PostgresConnection::take_sync(const Deadline& deadline) {
  DUEL_ASSIGN(PGresult* const result, next_result(deadline));
  const PostgresRows taken(result);
  if (result != nullptr && PQresultStatus(result) == PGRES_PIPELINE_SYNC) return Done{};
  return lose("the answers do not fit the questions");
}

Status PostgresConnection::execute(const std::string& sql, Limit limit) {
  if (lost()) return Error::io("the connection to the database is lost", where_);
  const Deadline deadline = deadline_after(limit);
  warning_->clear();
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) return error_of(nullptr);
  DUEL_RETURN_IF_ERROR(send_all(deadline));
  DUEL_RETURN_IF_ERROR(take_result(deadline));
  return Done{};
}

Result<PostgresRows> PostgresConnection::run(const char* sql, const PostgresParameters& parameters,
                                             Limit limit) {
  if (lost()) return Error::io("the connection to the database is lost", where_);
  const Deadline deadline = deadline_after(limit);
  warning_->clear();
  const int count = static_cast<int>(parameters.values_.size());
  // Keyed by the address of the literal, which is why `sql` has to be one.
  auto prepared = prepared_.find(sql);
  if (prepared == prepared_.end()) {
    const std::string name = fmt::format("s{}", prepared_.size());
    if (PQsendPrepare(connection_.get(), name.c_str(), sql, count, parameters.types_.data()) == 0) {
      return error_of(nullptr);
    }
    DUEL_RETURN_IF_ERROR(send_all(deadline));
    DUEL_RETURN_IF_ERROR(take_result(deadline));
    prepared = prepared_.emplace(sql, name).first;
  }
  const SentValues sent(parameters.values_);
  if (PQsendQueryPrepared(connection_.get(), prepared->second.c_str(), count, sent.texts.data(),
                          sent.lengths.data(), sent.formats.data(), kBinary) == 0) {
    return error_of(nullptr);
  }
  DUEL_RETURN_IF_ERROR(send_all(deadline));
  return take_result(deadline);
}

Result<std::vector<PostgresRows>> PostgresConnection::run_together(
    std::span<const PostgresQuery> queries, Limit limit) {
  if (lost()) return Error::io("the connection to the database is lost", where_);
  const Deadline deadline = deadline_after(limit);
  warning_->clear();
  PGconn* const connection = connection_.get();
  if (PQenterPipelineMode(connection) == 0) return lose("it is in the middle of a statement");
  for (const PostgresQuery& query : queries) {
    const PostgresParameters& parameters = query.parameters;
    const SentValues sent(parameters.values_);
    if (PQsendQueryParams(connection, query.sql, static_cast<int>(sent.texts.size()),
                          parameters.types_.data(), sent.texts.data(), sent.lengths.data(),
                          sent.formats.data(), kBinary) == 0) {
      return lose_as_told();
    }
  }
  if (PQpipelineSync(connection) == 0) return lose_as_told();
  DUEL_RETURN_IF_ERROR(send_all(deadline));
  // After an error the server skips the rest, but still answers each statement; all answers must be
  // read, or the next call would take them for its own. The first error is the one that counts.
  std::vector<PostgresRows> all;
  std::optional<Error> error;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    auto rows = take_result(deadline);
    if (lost_) return rows.error();
    if (rows.ok()) {
      all.push_back(std::move(*rows));
    } else if (!error) {
      error = rows.error();
    }
  }
  // In pipeline mode the sync point commits. If the commit fails, its error comes before the sync's
  // own result.
  DUEL_ASSIGN(PGresult* const last, next_result(deadline));
  PostgresRows taken(last);
  if (last != nullptr && PQresultStatus(last) == PGRES_FATAL_ERROR) {
    if (!error) error = error_of(last);
    if (lost_) return *error;
    DUEL_ASSIGN(PGresult* const end, next_result(deadline));
    const PostgresRows nothing(end);
    DUEL_RETURN_IF_ERROR(take_sync(deadline));
  } else if (last == nullptr || PQresultStatus(last) != PGRES_PIPELINE_SYNC) {
    return lose("the answers do not fit the questions");
  }
  if (PQexitPipelineMode(connection) == 0) return lose("it is in the middle of a statement");
  if (error) return *error;
  return all;
}

bool PostgresConnection::lost_meanwhile() {
  if (lost()) return true;
  // Nothing was asked, so anything that comes is a notice, or an error followed by the end.
  for (int pieces = 0; pieces < 8; ++pieces) {
    pollfd one{PQsocket(connection_.get()), POLLIN, 0};
    if (::poll(&one, 1, 0) <= 0) return false;
    if (PQconsumeInput(connection_.get()) == 0 || PQstatus(connection_.get()) != CONNECTION_OK) {
      lost_ = true;
      return true;
    }
  }
  return false;
}

}  // namespace duel
