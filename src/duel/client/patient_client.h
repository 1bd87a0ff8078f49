// Requests of a long-running command: a server that is out of reach is tried again for a while,
// between other work, and the user is told when it goes and when it is back.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "duel/client/api_client.h"
#include "duel/core/json.h"
#include "duel/core/result.h"

namespace duel {

class PatientClient {
 public:
  using Tell = std::function<void(const std::string& text)>;

  // REQUIRES: `client` makes one try for each request, and lives longer.
  PatientClient(ApiClient& client, std::chrono::milliseconds patience, Tell tell);

  // One try, if one is due. Nothing where there was no answer; ask again later, with the same body.
  // A refusal is an error.
  Result<std::optional<Json>> try_now(HttpMethod method, const std::string& target,
                                      const Json& body = Json());
  // Tries until there is an answer, the patience has ended or `stop` says so: nothing in the last
  // two cases.
  Result<std::optional<Json>> keep_trying(HttpMethod method, const std::string& target,
                                          const Json& body, const std::function<bool()>& stop);

  // Of the last answer.
  int status() const { return status_; }
  // Nothing was answered for longer than the patience.
  bool given_up() const { return given_up_; }
  std::string place() const { return client_.place(); }

 private:
  using Clock = std::chrono::steady_clock;
  void note_failure(const std::string& why);

  ApiClient& client_;
  std::chrono::milliseconds patience_;
  Tell tell_;
  int status_ = 0;
  std::size_t failed_ = 0;  // tries in a row
  Clock::time_point failing_since_;
  Clock::time_point next_try_;
  bool given_up_ = false;
};

}  // namespace duel
