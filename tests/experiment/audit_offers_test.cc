#include "duel/experiment/audit_offers.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

LedgerDuel duel_of(std::uint64_t ordinal, Arm first, Arm second) {
  LedgerDuel duel;
  duel.ordinal = ordinal;
  duel.first = first;
  duel.second = second;
  return duel;
}

// The rule as it is written: all duels that wait, in the order of their serves.
class SlowOffers {
 public:
  explicit SlowOffers(std::uint64_t most) : most_(most) {}

  struct Waiting {
    std::string id;
    LedgerDuel duel;
    std::string holder;
    std::int64_t until_ms = -1;
  };
  std::map<std::uint64_t, Waiting> waiting;
  std::map<std::string, std::set<std::pair<Arm, Arm>>> met;

  AuditOffers::Next next(const std::string& subject, bool once, std::int64_t now_ms) {
    AuditOffers::Next next;
    for (auto& [ordinal, one] : waiting) {
      const bool is_held = !one.holder.empty() && one.until_ms >= now_ms;
      if (is_held && one.holder == subject) {
        next.duel_id = one.id;
        next.until_ms = one.until_ms;
        return next;
      }
      if (is_held) continue;
      if (most_ > 0 && one.duel.audit.offers >= most_) {
        next.spent.push_back(one.id);
        continue;
      }
      if (once && met[subject].contains(std::minmax(one.duel.first, one.duel.second))) continue;
      next.duel_id = one.id;
      return next;
    }
    return next;
  }

 private:
  std::uint64_t most_;
};

TEST(AuditOffers, are_those_of_the_rule_that_looks_at_every_duel) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RoundRng rng = Stream(seed, 0, Purpose::test, "offers").at(1);
    const std::uint64_t most = rng.below(3);
    const bool once = rng.coin();
    AuditOffers offers(most);
    SlowOffers slow(most);
    std::int64_t now_ms = 0;
    std::uint64_t served = 0, given = 0, again = 0, spent = 0;
    for (int step = 0; step < 400; ++step) {
      now_ms += static_cast<std::int64_t>(rng.below(3));
      if (rng.below(3) == 0) {
        const Arm first = static_cast<Arm>(rng.below(4));
        const LedgerDuel duel =
            duel_of(served++, first, static_cast<Arm>((first + 1 + rng.below(3)) % 4));
        const std::string id = "d" + std::to_string(duel.ordinal);
        slow.waiting[duel.ordinal] = {id, duel, "", -1};
        offers.drawn(id, duel);
      }
      const std::string subject = "s" + std::to_string(rng.below(6));
      const AuditOffers::Next expected = slow.next(subject, once, now_ms);
      const AuditOffers::Next next = offers.next(subject, once, now_ms);
      ASSERT_EQ(next.duel_id, expected.duel_id) << seed << " at " << step;
      ASSERT_EQ(next.until_ms, expected.until_ms) << seed << " at " << step;
      ASSERT_EQ(next.spent, expected.spent) << seed << " at " << step;
      for (const std::string& id : next.spent) {
        slow.waiting.erase(std::stoull(id.substr(1)));
        offers.ended(id);
        ++spent;
      }
      if (!next.duel_id) continue;
      again += next.until_ms ? 1 : 0;
      SlowOffers::Waiting& one = slow.waiting.at(std::stoull(next.duel_id->substr(1)));
      if (!next.until_ms && rng.below(4) != 0) {
        ++one.duel.audit.offers;
        one.holder = subject;
        one.until_ms = now_ms + static_cast<std::int64_t>(rng.below(30));
        slow.met[subject].insert(std::minmax(one.duel.first, one.duel.second));
        offers.offered(one.id, one.duel, subject, one.until_ms);
        ++given;
      } else if (rng.coin()) {
        offers.ended(one.id);
        slow.waiting.erase(one.duel.ordinal);
      }
    }
    EXPECT_GT(given, 10U);
    EXPECT_GT(again, 0U);
    EXPECT_EQ(spent > 0, most > 0) << seed;
  }
}

}  // namespace
}  // namespace duel
