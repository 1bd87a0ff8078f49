#include "duel/inference/overturn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

using Units = std::vector<double>;

Units units_of(std::string_view answers) {
  Units units;
  for (const char answer : answers) units.push_back(answer == 'W' ? 1 : answer == 'L' ? -1 : 0);
  return units;
}

// The trace of the specification: c = 20, K = 1 / alpha so that alpha c = 1.
const Units kTrace = units_of("WWWLWWWWLWWWWWWWWLWWWW");
const PairEvidence kEvidence;

TEST(Overturn, follows_the_trace_of_its_specification) {
  const double c = natural_log(20.0);
  const auto until = [&](std::size_t answers) { return std::span(kTrace).first(answers); };
  // Reached after 15, and then every test that stops at once stands on one answer.
  EXPECT_LT(log_evidence_if_wrong(kEvidence, until(14), 0, Mistake::missing), c);
  EXPECT_GE(log_evidence_if_wrong(kEvidence, until(15), 0, Mistake::missing), c);
  EXPECT_EQ(fewest_to_overturn(kEvidence, until(15), c, Mistake::missing), 1U);
  EXPECT_EQ(fewest_to_overturn(kEvidence, until(15), c, Mistake::flipped), 1U);
  EXPECT_EQ(fewest_to_overturn(kEvidence, kTrace, c, Mistake::missing), 5U);
  EXPECT_EQ(fewest_to_overturn(kEvidence, kTrace, c, Mistake::flipped), 2U);
  EXPECT_EQ(fewest_to_reverse(kTrace, Mistake::missing), 16U);
  EXPECT_EQ(fewest_to_reverse(kTrace, Mistake::flipped), 8U);
  const double missing[] = {172.458747, 101.145312, 60.1540603, 36.3859673, 22.4577132};
  const double flipped[] = {172.458747, 29.831877, 8.49373993, 3.65214023, 1.96615513};
  for (std::uint64_t wrong = 0; wrong < 5; ++wrong) {
    const auto at = [&](Mistake how) {
      return std::exp(log_evidence_if_wrong(kEvidence, kTrace, wrong, how));
    };
    EXPECT_NEAR(at(Mistake::missing), missing[wrong], 1e-8 * missing[wrong]);
    EXPECT_NEAR(at(Mistake::flipped), flipped[wrong], 1e-8 * flipped[wrong]);
  }
  EXPECT_EQ(percent_of(kTrace.size(), 1), 1U);
  EXPECT_EQ(percent_of(kTrace.size(), 5), 2U);
  EXPECT_NEAR(level_if_wrong(kEvidence, kTrace, 1, 1.0 / 20, c), 0.0335211895, 1e-10);
  EXPECT_NEAR(level_if_wrong(kEvidence, kTrace, 2, 1.0 / 20, c), 0.117733767, 1e-9);
}

TEST(Overturn, rounds_shares_up_and_levels_down_to_one) {
  EXPECT_EQ(percent_of(0, 5), 0U);
  EXPECT_EQ(percent_of(100, 1), 1U);
  EXPECT_EQ(percent_of(101, 1), 2U);
  EXPECT_EQ(percent_of(20, 5), 1U);
  EXPECT_EQ(percent_of(21, 5), 2U);
  EXPECT_EQ(level_if_wrong(kEvidence, kTrace, 22, 0.05, natural_log(60.0)), 1.0);
}

TEST(Overturn, takes_no_answer_for_a_lead_that_is_not_there) {
  for (const std::string_view answers : {"", "TT", "WL", "LLW"}) {
    EXPECT_EQ(fewest_to_reverse(units_of(answers), Mistake::missing), 0U);
    EXPECT_EQ(fewest_to_reverse(units_of(answers), Mistake::flipped), 0U);
    EXPECT_FALSE(leads(units_of(answers)));
  }
  // Ten tenths in doubles are not quite 1.
  Units tenths(10, 0.1);
  tenths.push_back(-1);
  EXPECT_FALSE(leads(tenths));
  EXPECT_EQ(fewest_to_reverse(tenths, Mistake::missing), 0U);
  EXPECT_EQ(fewest_to_reverse(units_of("WTLWW"), Mistake::flipped), 1U);
  EXPECT_EQ(fewest_to_reverse(units_of("WTLWW"), Mistake::missing), 2U);
}

TEST(Overturn, looks_once_where_that_is_the_rule) {
  // The evidence was larger before the end.
  const Units units = units_of("WWWWWWWWLLL");
  const auto at = [&](Looked looked) {
    return log_evidence_if_wrong(kEvidence, units, 0, Mistake::missing, looked);
  };
  EXPECT_GT(at(Looked::always), at(Looked::at_the_end));
  EXPECT_EQ(at(Looked::at_the_end), kEvidence.log_evidence(8, 3));
  EXPECT_EQ(at(Looked::always), kEvidence.log_evidence(8, 0));
}

double plain(const Units& units, std::uint32_t hit, Mistake how, Looked looked);

TEST(Overturn, hits_the_answers_of_people_alone_where_they_audit) {
  const double c = natural_log(40.0);
  const auto level_of = [&](double log_evidence) {
    return std::min(1.0, std::exp(natural_log(0.05) + c - log_evidence));
  };
  for (const Units& units : {kTrace, Units{0.9, -0.1, 0.4, 1, 0.02, 0.7, -0.5, 1, 0.3, 0.8, 0.6}}) {
    std::vector<std::uint8_t> by_person(units.size(), 0);
    for (std::size_t t = 1; t < units.size(); t += 3) by_person[t] = 1;
    by_person[0] = 1;
    const auto without = [&](std::uint64_t wrong) {
      return level_without_people(kEvidence, units, by_person, wrong, 0.05, c);
    };
    EXPECT_NEAR(without(0), level_of(plain(units, 0, Mistake::missing, Looked::always)), 1e-12);
    // At most what any two of them do, and never what those of the program would.
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (by_person[i] == 0 || by_person[j] == 0) continue;
        const auto hit = std::uint32_t{1} << i | std::uint32_t{1} << j;
        EXPECT_GE(without(2) + 1e-12,
                  level_of(plain(units, hit, Mistake::missing, Looked::always)));
      }
    }
    EXPECT_EQ(without(units.size()), without(units.size() + 5));
    const std::vector<std::uint8_t> nobody(units.size(), 0);
    EXPECT_EQ(level_without_people(kEvidence, units, nobody, 3, 0.05, c), without(0));
  }
  // Of whole answers the first wins of people are the worst.
  std::vector<std::uint8_t> some(kTrace.size(), 0);
  some[2] = some[5] = some[6] = 1;
  EXPECT_NEAR(level_without_people(kEvidence, kTrace, some, 2, 0.05, c),
              level_of(plain(kTrace, 1U << 2 | 1U << 5, Mistake::missing, Looked::always)), 1e-12);
}

// ln of the largest E over the answers that `hit` leaves, evaluated plainly.
double plain(const Units& units, std::uint32_t hit, Mistake how, Looked looked) {
  double largest = 0;
  std::uint64_t wins = 0, losses = 0;
  PairEvidence::Logs logs{};
  for (std::size_t t = 0; t < units.size(); ++t) {
    double unit = units[t];
    if ((hit >> t & 1) != 0) unit = how == Mistake::flipped ? -unit : 0;
    if (unit == 1) ++wins;
    if (unit == -1) ++losses;
    if (unit != 0 && unit != 1 && unit != -1) kEvidence.add(logs, unit);
    if (looked == Looked::always || t + 1 == units.size()) {
      largest = std::max(largest, kEvidence.log_evidence(wins, losses, logs));
    }
  }
  return largest;
}

// The fewest answers, over all subsets, that do it.
std::uint64_t fewest_of_all(const Units& units, double log_threshold, Mistake how, Looked looked) {
  auto fewest = std::numeric_limits<int>::max();
  for (std::uint32_t hit = 0; hit < (1U << units.size()); ++hit) {
    if (std::popcount(hit) >= fewest) continue;
    if (plain(units, hit, how, looked) < log_threshold) fewest = std::popcount(hit);
  }
  return static_cast<std::uint64_t>(fewest);
}

TEST(Overturn, is_exact_for_whole_answers_and_never_above_for_graded_ones) {
  RoundRng rng(71, 0, 1);
  int overturned = 0;
  for (int sequence = 0; sequence < 300; ++sequence) {
    const bool graded = sequence % 2 == 1;
    const std::size_t answers = 6 + rng.below(7);
    Units units;
    for (std::size_t t = 0; t < answers; ++t) {
      const double u = rng.uniform();
      const double whole = u < 0.75 ? 1 : u < 0.9 ? -1 : 0;
      units.push_back(graded && rng.uniform() < 0.7 ? 2 * rng.uniform() - 0.6 : whole);
      units.back() = std::clamp(units.back(), -1.0, 1.0);
    }
    const double c = natural_log(1.5 + 3 * rng.uniform());
    for (const Looked looked : {Looked::always, Looked::at_the_end}) {
      for (const Mistake how : {Mistake::missing, Mistake::flipped}) {
        const std::uint64_t found = fewest_to_overturn(kEvidence, units, c, how, looked);
        const std::uint64_t fewest = fewest_of_all(units, c, how, looked);
        if (graded) {
          EXPECT_LE(found, fewest);
        } else {
          EXPECT_EQ(found, fewest);
        }
        overturned += fewest > 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(overturned, 300);  // the question was not trivial
}

TEST(Overturn, says_the_same_of_whole_answers_however_they_are_written) {
  // A unit that moves nothing sends whole answers the way of the graded ones.
  RoundRng rng(5, 0, 1);
  for (int sequence = 0; sequence < 200; ++sequence) {
    Units units;
    for (int t = 0; t < 60; ++t) units.push_back(rng.uniform() < 0.7 ? 1 : -1);
    Units with_another = units;
    with_another.push_back(1e-300);
    for (const Mistake how : {Mistake::missing, Mistake::flipped}) {
      for (const std::uint64_t wrong : {0, 1, 3, 10, 60}) {
        EXPECT_EQ(log_evidence_if_wrong(kEvidence, units, wrong, how),
                  log_evidence_if_wrong(kEvidence, with_another, wrong, how));
      }
    }
  }
}

}  // namespace
}  // namespace duel
