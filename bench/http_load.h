// A closed loop of clients on loopback: each connection sends its next request when it has the answer
// to the one before.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "duel/server/http.h"

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
};

struct HttpLoadResult {
  double seconds = 0;
  std::vector<double> latencies;  // of each request in seconds, sorted
  std::uint64_t failures = 0;     // answers of status 300 and above

  double per_second() const { return static_cast<double>(latencies.size()) / seconds; }
  double quantile(double share) const;
};

// From one thread. Ends the process with a message where the server goes away.
HttpLoadResult run(const HttpLoad& load);

}  // namespace duel
