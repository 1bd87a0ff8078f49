#include "duel/client/patient_client.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "duel/client/remote_api.h"

namespace duel {

using std::chrono::milliseconds;

PatientClient::PatientClient(ApiClient& client, milliseconds patience, Tell tell)
    : client_(client), patience_(patience), tell_(std::move(tell)) {}

void PatientClient::note_failure(const std::string& why) {
  const auto now = Clock::now();
  if (failed_++ == 0) {
    failing_since_ = now;
    tell_(fmt::format("{}; trying again for {} s", why,
                      std::chrono::duration_cast<std::chrono::seconds>(patience_).count()));
  }
  next_try_ = now + pause_after(failed_);
  given_up_ = now - failing_since_ >= patience_;
}

Result<std::optional<Json>> PatientClient::try_now(HttpMethod method, const std::string& target,
                                                   const Json& body) {
  using MaybeJson = std::optional<Json>;
  if (failed_ > 0 && Clock::now() < next_try_) return MaybeJson();
  const auto response = client_.send(method, target, body.is_null() ? "" : body.dump(),
                                     body.is_null() ? "" : "application/json", Repeat::safe);
  if (!response.ok()) {
    note_failure(response.error().to_string());
    return MaybeJson();
  }
  if (is_temporary(response->status)) {
    note_failure(fmt::format("{}: {}", client_.place(), refused(*response).message));
    return MaybeJson();
  }
  if (failed_ > 0) tell_(fmt::format("{} answers again", client_.place()));
  failed_ = 0;
  given_up_ = false;
  status_ = response->status;
  DUEL_ASSIGN(Json json, client_.content_of(*response));
  return MaybeJson(std::move(json));
}

Result<std::optional<Json>> PatientClient::keep_trying(HttpMethod method, const std::string& target,
                                                       const Json& body,
                                                       const std::function<bool()>& stop) {
  for (;;) {
    DUEL_ASSIGN(std::optional<Json> answer, try_now(method, target, body));
    if (answer || given_up_ || stop()) return answer;
    std::this_thread::sleep_for(milliseconds(20));
  }
}

}  // namespace duel
