#include "duel/experiment/refused.h"

#include <utility>

namespace duel {
namespace {

ErrorCode code_of(Reason reason) {
  switch (reason) {
    case Reason::unknown_experiment:
    case Reason::unknown_duel:
    case Reason::unknown_arm:
      return ErrorCode::not_found;
    case Reason::other_question:
      return ErrorCode::invalid_data;
    case Reason::not_ours:
    case Reason::overloaded:
    case Reason::store_unavailable:
    case Reason::damaged:
    case Reason::ahead_of_clock:
    case Reason::internal:
      return ErrorCode::io;
    default:
      return ErrorCode::conflict;
  }
}

}  // namespace

Error refused(Reason reason, std::string message, std::string_view field) {
  Error error;
  error.code = code_of(reason);
  error.message = std::move(message);
  error.field = field;
  error.reason = to_word(reason);
  return error;
}

std::optional<Reason> reason_of(const Error& error) {
  if (error.reason.empty()) return std::nullopt;
  const auto reason = parse_word<Reason>(error.reason);
  if (!reason.ok()) return std::nullopt;
  return *reason;
}

}  // namespace duel
