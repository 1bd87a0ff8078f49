// What a user, a file or the network can cause is returned, not thrown: a value, or an `Error` that
// says what was wrong, where, and what would be right. (g++ 12 has no std::expected.)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "duel/core/check.h"

namespace duel {

enum class ErrorCode {
  invalid_argument,  // an option, a number, a spelling
  invalid_data,      // the content of a file
  not_found,         // a file, a policy, a matrix
  unsupported,       // legal, but not for this combination (regret without a Condorcet winner)
  conflict,          // what is there already says otherwise
  io,                // reading or writing failed
  interrupted,       // a signal ended the work before there was a result
};

struct Error {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message;  // what is wrong, with the offending value
  std::string where;    // "file:line", "row 3, column 5", "option alpha"; may be empty
  std::string hint;     // what is allowed or was meant, fields in `backquotes`; may be empty
  // The input at fault, as the library names it: "alpha", "max_duels"; may be empty. The command
  // line, the server and Python each know how their users spell it.
  std::string field{};
  // A word of the closed list in experiment/refused.h; empty for all other errors.
  std::string_view reason{};

  static Error invalid_argument(std::string message, std::string where = "",
                                std::string hint = "") {
    return make(ErrorCode::invalid_argument, message, where, hint);
  }
  static Error invalid_data(std::string message, std::string where = "", std::string hint = "") {
    return make(ErrorCode::invalid_data, message, where, hint);
  }
  static Error not_found(std::string message, std::string where = "", std::string hint = "") {
    return make(ErrorCode::not_found, message, where, hint);
  }
  static Error unsupported(std::string message, std::string where = "", std::string hint = "") {
    return make(ErrorCode::unsupported, message, where, hint);
  }
  static Error conflict(std::string message, std::string where = "", std::string hint = "") {
    return make(ErrorCode::conflict, message, where, hint);
  }
  static Error io(std::string message, std::string where = "", std::string hint = "") {
    return make(ErrorCode::io, message, where, hint);
  }
  static Error interrupted(std::string message, std::string where = "", std::string hint = "") {
    return make(ErrorCode::interrupted, message, where, hint);
  }
  Error with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
  // Of an error that names no field yet; the innermost field is the one at fault.
  Error in_field(std::string_view name) && {
    if (field.empty()) field = name;
    return std::move(*this);
  }

  // "field: where: message (hint)", for people.
  std::string to_string() const {
    std::string text;
    if (!field.empty()) text += field + ": ";
    if (!where.empty()) text += where + ": ";
    text += message;
    if (!hint.empty()) text += " (" + hint + ")";
    return text;
  }

 private:
  static Error make(ErrorCode code, std::string& message, std::string& where, std::string& hint) {
    return {code, std::move(message), std::move(where), std::move(hint)};
  }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & {
    DUEL_CHECK(ok());
    return std::get<T>(content_);
  }
  const T& value() const& {
    DUEL_CHECK(ok());
    return std::get<T>(content_);
  }
  T&& value() && {
    DUEL_CHECK(ok());
    return std::get<T>(std::move(content_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const Error& error() const {
    DUEL_CHECK(!ok());
    return std::get<Error>(content_);
  }

 private:
  std::variant<T, Error> content_;
};

struct Done {};

// The result of something that yields no value.
using Status = Result<Done>;

// The result, its error laid to what was given as `field`.
template <class T>
Result<T> in_field(std::string_view field, Result<T> result) {
  if (result.ok()) return result;
  return Error(result.error()).in_field(field);
}

}  // namespace duel

// Leaves the function with the error if `expression` has one.
#define DUEL_RETURN_IF_ERROR(expression)                                                \
  do {                                                                                  \
    if (auto duel_status = (expression); !duel_status.ok()) return duel_status.error(); \
  } while (false)

// `DUEL_ASSIGN(auto x, f());` leaves the function with f's error, or sets x to its value.
#define DUEL_CONCAT_INNER(a, b) a##b
#define DUEL_CONCAT(a, b) DUEL_CONCAT_INNER(a, b)
#define DUEL_ASSIGN_NAMED(name, declaration, expression) \
  auto name = (expression);                              \
  if (!name.ok()) return name.error();                   \
  declaration = std::move(name).value()
#define DUEL_ASSIGN(declaration, expression) \
  DUEL_ASSIGN_NAMED(DUEL_CONCAT(duel_result_, __LINE__), declaration, expression)
