#include "duel/cli/certified_command.h"

#include <fmt/format.h>
#include <poll.h>

#include "duel/judging/child_process.h"

namespace duel::cli {

Status run_certified_command(const std::vector<std::string>& words, const std::string& input,
                             std::chrono::milliseconds timeout, const std::function<bool()>& stop) {
  constexpr int kLookMs = 100;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  DUEL_ASSIGN(ChildProcess child, ChildProcess::start(words));
  child.send(input);
  child.end_input();
  while (!child.ended()) {
    if (stop()) return Error::unsupported("the server stops");
    if (std::chrono::steady_clock::now() > deadline) {
      return Error::unsupported(
          fmt::format("'{}' did not end within {} s", words.front(), timeout.count() / 1000));
    }
    std::vector<pollfd> descriptors;
    child.watch(descriptors);
    ::poll(descriptors.data(), descriptors.size(), kLookMs);
    child.pump();
    child.output().clear();
  }
  if (child.exit_code() == 0) return Done{};
  return Error::unsupported(fmt::format("'{}': {}", words.front(), child.how_it_ended()), "",
                            child.complaint());
}

}  // namespace duel::cli
