// Comparisons from elsewhere that teach the policy and are no evidence: they may make it quicker,
// and never keep it from asking for the evidence that is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

constexpr double kGap = 0.25;  // arm i beats arm j > i with probability 3/4
constexpr std::uint64_t kMostDuels = 3000;

// Duels served up to the certificate; kMostDuels where none came. The answers depend on the pair
// and its meeting alone, so that warm and cold runs of a seed hear the same.
std::uint64_t duels_to_certificate(const std::string& policy, std::uint64_t seed, bool warm) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c", "d"}, policy);
  experiment.seed = seed;
  PlayedLog log(experiment);
  const OutcomeStream outcomes(seed, 3);
  const auto first_of_low_wins = [&](Arm low, Arm high, std::uint32_t meeting) {
    return static_cast<double>(outcomes.draw(low, high, meeting)) * 0x1p-53 < 0.5 + kGap;
  };
  const Ledger& ledger = log.live().ledger();
  if (warm) {
    for (Arm i = 0; i < 4; ++i) {
      for (Arm j = i + 1; j < 4; ++j) {
        for (std::uint32_t k = 0; k < 100; ++k) {
          const bool low = first_of_low_wins(i, j, 1'000'000 + k);
          ComparisonRecord record;
          record.first = ledger.id_of(i);
          record.second = ledger.id_of(j);
          record.answer = {Answered::win, ledger.id_of(low ? i : j)};
          log.add(record);
        }
      }
    }
    EXPECT_FALSE(log.live().certificate().has_value());  // they are no evidence
  }
  std::vector<std::uint32_t> meetings(16);
  while (!log.live().done() && ledger.served() < kMostDuels) {
    const auto serve = log.next();
    if (!serve) break;
    log.add(*serve);
    const auto [low, high] =
        std::minmax({*ledger.find_arm(serve->first), *ledger.find_arm(serve->second)});
    const bool low_wins = first_of_low_wins(low, high, meetings[low * 4 + high]++);
    OutcomeRecord outcome;
    outcome.duel_id = serve->duel_id;
    outcome.answer = {Answered::win, ledger.id_of(low_wins ? low : high)};
    log.add(outcome);
  }
  if (!log.live().certificate()) return kMostDuels;
  EXPECT_EQ(log.live().certificate()->winner, Arm{0});
  return ledger.served();
}

// A count of the runs below their own median is binomial with 50 and 1/2, so that the median lies
// between the 14th and the 37th smallest of 50 except with probability 2 P(B <= 13) = 0.0009. If
// the warm runs' median is no larger than that of the cold ones, their 14th smallest exceeds the
// 37th of the cold runs with probability below 0.001.
TEST(WarmStart, certify_needs_about_as_many_duels_as_without_or_fewer) {
  std::vector<std::uint64_t> cold, warm;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    cold.push_back(duels_to_certificate("certify", seed, false));
    warm.push_back(duels_to_certificate("certify", seed, true));
  }
  std::sort(cold.begin(), cold.end());
  std::sort(warm.begin(), warm.end());
  RecordProperty("cold_median", std::to_string(cold[25]));
  RecordProperty("warm_median", std::to_string(warm[25]));
  EXPECT_LE(warm[13], cold[36]);
  EXPECT_LT(warm.back(), kMostDuels);  // each of them has come to its end
}

// Policies that cannot tell evidence from hearsay hear nothing of it: taught everything, they would
// take the winner for found and ask no more about it.
TEST(WarmStart, dts_and_rucb_reach_their_certificates_as_if_they_had_heard_nothing) {
  for (const std::string policy : {"dts", "dts-plus", "rucb"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::uint64_t warm = duels_to_certificate(policy, seed, true);
      EXPECT_LT(warm, kMostDuels) << policy << ", seed " << seed;
      EXPECT_EQ(warm, duels_to_certificate(policy, seed, false)) << policy << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace duel
