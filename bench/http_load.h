// A loop of clients on loopback: each connection sends its next request when it has the answer to
// the one before, and not before the request's turn has come where a rate is given.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "duel/http/http.h"

namespace duel {

struct HttpLoad {
  HttpAddress address;
  std::size_t connections = 1;
  // Whichever comes first.
  std::size_t most_requests = 100'000;
  std::chrono::milliseconds most_time{3'000};
  // The bytes of the next request on that connection, given the body of the answer before (empty at
  // first).
  std::function<std::string(std::size_t connection, const std::string& body)> next;
  double rate = 0;  // requests per second of all connections; 0: as many as go
  // Which requests are measured; all of them if empty. Latency counts from the time at which the
  // request was due, not from the sending.
  std::function<bool(const std::string& request)> measured{};
};

struct HttpLoadResult {
  double seconds = 0;
  std::vector<double> latencies;  // of each measured request in seconds, sorted
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;    // answers of status 429
  std::uint64_t failures = 0;   // other answers of status 300 and above
  std::string first_failure{};  // the first of these answers

  double per_second() const { return static_cast<double>(requests) / seconds; }
  double quantile(double share) const;
};

// From one thread. Ends the process with a message where the server goes away.
HttpLoadResult run(const HttpLoad& load);

}  // namespace duel
