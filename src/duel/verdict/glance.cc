#include "duel/verdict/glance.h"

#include <utility>

#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"

namespace duel {

Glance glance_of(std::string verdict, const std::vector<HealthCheck>& health,
                 std::uint64_t sequence) {
  Glance glance{std::move(verdict), {}, sequence};
  for (const HealthCheck& check : health) {
    if (check.verdict == HealthVerdict::failed) glance.failed_checks.push_back(check.name);
  }
  return glance;
}

Glance glance_of(const Ledger& ledger) {
  return glance_of(verdict_of(ledger, standing_of(ledger)), check_health(ledger),
                   ledger.sequence());
}

}  // namespace duel
