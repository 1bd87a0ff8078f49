#include "duel/client/api_client.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "duel/core/secrets.h"
#include "duel/core/timestamp.h"

namespace duel {
namespace {

// JSON pointers of request bodies, and the fields by which the command line knows them.
struct PointedField {
  std::string_view pointer;
  std::string_view field;
};
constexpr std::array<PointedField, 13> kPointedFields = {{{"/arms", "arms"},
                                                          {"/name", "title"},
                                                          {"/mode", "mode"},
                                                          {"/policy", "policy"},
                                                          {"/goal", "goal"},
                                                          {"/top", "top"},
                                                          {"/epsilon", "epsilon"},
                                                          {"/assume", "assume"},
                                                          {"/stopping/alpha", "alpha"},
                                                          {"/stopping/max_duels", "max_duels"},
                                                          {"/exclude", "exclude"},
                                                          {"/subject_id", "subject"},
                                                          {"/task_id", "task"}}};

std::string field_of(std::string_view pointer) {
  for (const auto& [known, field] : kPointedFields) {
    if (pointer == known || (pointer.starts_with(known) && pointer[known.size()] == '/')) {
      return std::string(field);
    }
  }
  return {};
}

ErrorCode code_of(int status) {
  if (status == 400) return ErrorCode::invalid_argument;
  if (status == 404) return ErrorCode::not_found;
  if (status == 409 || status == 412) return ErrorCode::conflict;
  if (status == 422) return ErrorCode::invalid_data;
  return status >= 500 || status == 429 ? ErrorCode::io : ErrorCode::unsupported;
}

}  // namespace

Result<Json> ApiClient::get(const std::string& target) { return ask(HttpMethod::get, target); }

Result<Json> ApiClient::ask(HttpMethod method, const std::string& target, const Json& body,
                            Repeat repeat) {
  DUEL_ASSIGN(const HttpResponse response,
              send(method, target, body.is_null() ? std::string() : body.dump(),
                   body.is_null() ? "" : "application/json", repeat));
  return content_of(response);
}

Result<Json> ApiClient::content_of(const HttpResponse& response) {
  if (response.status >= 400) {
    out_of_reach_ = is_temporary(response.status);
    return refused(response);
  }
  // A payload is shown as somebody gave it.
  auto json = Json::parse(response.body, {.numbers_as_written = true});
  if (json) return std::move(*json);
  return Error::invalid_data("the answer is not JSON", place(), "is this a Duel server?");
}

bool is_temporary(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

Error refused(const HttpResponse& response) {
  Error error;
  error.code = code_of(response.status);
  error.message =
      fmt::format("the server answered {} {}", response.status, reason_phrase(response.status));
  const auto json = Json::parse(response.body);
  if (!json) return error;
  if (const Json* detail = json->find("detail"); detail != nullptr && detail->is_string()) {
    error.message = detail->get<std::string>();
  }
  if (const Json* errors = json->find("errors"); errors != nullptr && !errors->empty()) {
    const Json* pointer = errors->items()[0].find("pointer");
    if (pointer != nullptr && pointer->is_string()) {
      const std::string at = pointer->get<std::string>();
      error.field = field_of(at);
      if (!at.empty() && error.message.starts_with(at + " ")) error.message.erase(0, at.size() + 1);
      // The place in the body says more than the option alone where it lies deeper.
      if (error.field.empty() || at.starts_with("/arms/")) error.where = at;
    }
  }
  if (response.status == 401) {
    error.hint = "give a token with --token-file or in the variable DUEL_TOKEN";
  }
  return error;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::string experiment_target(const std::string& experiment_id, std::string_view rest) {
  return fmt::format("/v1/experiments/{}{}", percent_encoded(experiment_id), rest);
}

std::string new_client_id() {
  std::string id = fmt::format("c{:012x}", static_cast<std::uint64_t>(current_time_ms()));
  for (const char byte : random_bytes(8)) {
    id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return id;
}

}  // namespace duel
