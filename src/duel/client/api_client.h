// What the client commands (experiment, next, report, result, export, import, token, run, vote) ask
// of a server, or of the store on this machine: the same requests either way. Over a socket they go
// to `--server URL`; without one they go straight into the routes of the server in this process,
// which opens the store for the time of the command. So both know the same words, refuse the same
// things and count the same.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/http/http.h"

namespace duel {

// Whether a request may be sent again when its answer was lost.
enum class Repeat {
  safe,   // it changes nothing, or bears an id under which the server knows it again
  never,  // twice would be two
};

class ApiClient {
 public:
  using Sink = std::function<bool(std::string_view piece)>;

  virtual ~ApiClient() = default;

  // The response, whatever its status; an error where none came.
  virtual Result<HttpResponse> send(HttpMethod method, const std::string& target,
                                    const std::string& body, const std::string& media_type,
                                    Repeat repeat) = 0;
  // GET; the pieces of the body as they come, except that an error's body is in the response.
  virtual Result<HttpResponse> stream(const std::string& target, const Sink& sink) = 0;
  // Where the requests go, for messages: a URL, or the file of the store.
  virtual std::string place() const = 0;

  // The JSON of a successful answer. A refusal is an error in the words of the command line.
  Result<Json> get(const std::string& target);
  Result<Json> ask(HttpMethod method, const std::string& target, const Json& body = Json(),
                   Repeat repeat = Repeat::safe);
  // The same of an answer at hand.
  Result<Json> content_of(const HttpResponse& response);

  // Whether the last error may be gone later: the server is out of reach or overloaded.
  bool out_of_reach() const { return out_of_reach_; }

 protected:
  bool out_of_reach_ = false;
};

// "/v1/experiments/ID" and what follows, with the id percent-encoded.
std::string experiment_target(const std::string& experiment_id, std::string_view rest = "");
// For one segment of a path or one value of a query.
std::string percent_encoded(std::string_view text);

// Ids that callers make, so that a request can be sent again: unique, and in the order of time.
std::string new_client_id();

// A refusal of the server (RFC 9457) as an error that names the option at fault.
Error refused(const HttpResponse& response);
// Whether a later try may succeed: 429, 502, 503, 504.
bool is_temporary(int status);

}  // namespace duel
