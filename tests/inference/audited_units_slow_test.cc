// Level and cost of audits, over 4000 runs each.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/inference/audited_worlds.h"

namespace duel {
namespace {

constexpr int kRuns = 4000;

// P(more than 250 of 4000 | .05) < .0003. Measured: always i .027, perfect .007, inverse .025.
TEST(AuditedUnitsSlow, of_indifferent_people_certify_no_more_often_than_allowed) {
  for (const AuditedWorld& world :
       worlds_with({{"share .05", always_i, 0.05}, {"share .1", cheating, 0.1}})) {
    const int count = false_certificates(world, kRuns);
    RecordProperty(world.name, std::to_string(count));
    EXPECT_LE(count, 250) << world.name;
  }
}

TEST(AuditedUnitsSlow, certify_falsely_in_each_trap) {
  AuditedWorld looks{.name = "a stake that looks",
                     .program = mostly_right,
                     .share_by_answer = [](double said) { return said > 0 ? 0.5 : 0.1; }};
  EXPECT_EQ(false_certificates(looks, kRuns), kRuns);
  AuditedWorld lost{.name = "lost audits", .program = always_i, .share = 0.1, .lost_for_j = 0.3};
  EXPECT_LE(false_certificates(lost, kRuns), 250);
  lost.lost = AuditedWorld::Lost::left_out;
  EXPECT_GT(false_certificates(lost, kRuns), 1200);
}

// People's answers until i is certified at c = 40, with people 60 : 40.
double median_answers(const AuditedWorld& world, int runs) {
  std::vector<double> answers;
  const PairEvidence evidence;
  for (int run = 0; run < runs; ++run) {
    RoundRng rng = Stream(41, static_cast<std::uint32_t>(run), Purpose::test, world.name).at(1);
    AuditedUnits units;
    PairEvidence::Logs logs{};
    while (evidence.log_evidence(0, 0, logs) < natural_log(40)) {
      AuditedAnswer answer{.share = world.share};
      answer.person = rng.bernoulli(0.6) ? 1 : -1;
      answer.program = world.program({0, answer.person, 0, 0}, rng);
      answer.drawn = rng.bernoulli(world.share);
      evidence.add(logs, units.release(answer).unit);
    }
    answers.push_back(static_cast<double>(units.audited()));
  }
  std::ranges::sort(answers);
  return answers[answers.size() / 2];
}

// The published table: the median of people's answers by the program's agreement and the share.
TEST(AuditedUnitsSlow, save_what_the_table_says) {
  struct Row {
    double agreement;
    double answers[3];  // at .05, .1, .3
  };
  constexpr Row kTable[] = {
      {0.5, {223, 227, 230}}, {0.8, {148, 149, 153}}, {0.9, {96, 100, 119}}, {0.95, {74, 77, 93}}};
  constexpr double kShares[] = {0.05, 0.1, 0.3};
  for (const Row& row : kTable) {
    const auto agreeing = [&](const AuditedWorld::Past& past, RoundRng& rng) {
      return rng.bernoulli(row.agreement) ? past.person : -past.person;
    };
    for (int k = 0; k < 3; ++k) {
      const AuditedWorld world{.name = "savings", .program = agreeing, .share = kShares[k]};
      const double found = median_answers(world, 2000);
      RecordProperty(std::to_string(row.agreement) + " at " + std::to_string(kShares[k]),
                     std::to_string(found));
      EXPECT_NEAR(found, row.answers[k], 0.08 * row.answers[k])
          << row.agreement << " at " << kShares[k];
    }
  }
}

}  // namespace
}  // namespace duel
