// What an operator's log says of a request: who asked for what, and how it ended. No body, no query
// and no secret is in it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "duel/http/http.h"
#include "duel/http/trace_context.h"

namespace duel {

struct AnsweredRequest {
  std::string route;  // its name in the API; "pages", "preflight", "refused", "none"
  HttpMethod method = HttpMethod::get;
  std::string path;           // as sent, without the query
  std::string experiment_id;  // where the path names one
  std::string token_id;       // empty: none was shown, or it was not known
  std::string client;         // the address
  bool from_node = false;     // another node of the store sent it on
  int status = 0;
  std::size_t bytes = 0;  // of the answer's body; 0 of a stream
  bool streams = false;   // it had only begun: the time is until then
  double seconds = 0;
  std::optional<TraceContext> trace{};
};

// Called once for each, on the thread that answers: it must not block.
using OnAnswered = std::function<void(const AnsweredRequest&)>;

}  // namespace duel
