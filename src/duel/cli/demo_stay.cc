#include "duel/cli/demo_stay.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>

namespace duel::cli {

void stay_until_enter(const std::string& url, const std::string& experiment,
                      const InterruptGuard& guard, CommandContext& context) {
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDOUT_FILENO)) return;
  context.print("{}/experiments/{} stays until you press Enter.\n", url, experiment);
  constexpr int kLookMs = 100;
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (!guard.interrupted()) {
    if (::poll(&input, 1, kLookMs) <= 0) continue;
    std::string line;
    std::getline(std::cin, line);
    return;
  }
}

}  // namespace duel::cli
