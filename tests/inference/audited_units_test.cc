#include "duel/inference/audited_units.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/inference/audited_worlds.h"

namespace duel {
namespace {

std::string nine(double value) { return fmt::format("{:.9g}", value); }

TEST(AuditedUnits, have_the_values_of_the_trace) {
  struct Row {
    AuditedAnswer answer;
    const char *weight, *scale, *value, *unit, *forth, *back;
  };
  constexpr double kShare = 0.25;
  const auto alone = [](double f) { return AuditedAnswer{.share = kShare, .program = f}; };
  const auto both = [](double f, double y) {
    return AuditedAnswer{.share = kShare, .program = f, .drawn = true, .person = y};
  };
  const AuditedAnswer lost{.share = kShare, .program = 1, .drawn = true, .lost = true};
  const std::vector<Row> rows = {
      {alone(1), "0.5", "5.5", "0.5", "0.0909090909", "1.03020909", "0.969790909"},
      {both(1, 1), "0.5", "5.5", "2.5", "0.454545455", "1.18954516", "0.827036068"},
      {alone(-1), "0.6", "5.8", "-0.6", "-0.103448276", "1.14323781", "0.850701465"},
      {both(0.5, 0), "0.6", "5.8", "-0.9", "-0.155172414", "1.07831963", "0.88824141"},
      {both(0, 1), "0.571428571", "5.71428571", "4", "0.7", "1.34273949", "0.704096848"},
      {lost, "0.571428571", "5.71428571", "-5.71428571", "-1", "0.802295527", "0.641102389"},
      {both(1, -1), "0.571428571", "5.71428571", "-5.71428571", "-1", "0.610968197", "0.767636893"},
      {alone(-0.5), "0.32", "4.96", "-0.16", "-0.0322580645", "0.60782137", "0.773570395"}};
  AuditedUnits units;
  const PairEvidence evidence;
  PairEvidence::Logs forth{}, back{};
  for (const Row& row : rows) {
    const AuditedUnits::Unit made = units.release(row.answer);
    evidence.add(forth, made.unit);
    evidence.add(back, made.reverse);
    EXPECT_EQ(nine(made.weight), row.weight);
    EXPECT_EQ(nine(made.scale), row.scale);
    EXPECT_EQ(nine(made.value), row.value);
    EXPECT_EQ(nine(made.unit), row.unit);
    EXPECT_EQ(nine(made.reverse), row.answer.lost ? "-0.4" : nine(-made.unit));
    EXPECT_EQ(format_evidence(evidence.log_evidence(0, 0, forth)), row.forth);
    EXPECT_EQ(format_evidence(evidence.log_evidence(0, 0, back)), row.back);
  }
  EXPECT_EQ(units.duels(), 8U);
  EXPECT_EQ(units.audited(), 4U);
  EXPECT_EQ(units.lost(), 1U);
  EXPECT_EQ(units.decisive(), 3U);
  EXPECT_EQ(units.comparable(), 2U);
  EXPECT_EQ(units.agreed(), 1U);
}

TEST(AuditedUnits, with_a_share_of_one_are_what_people_say) {
  AuditedUnits units;
  for (const double person : {1.0, -1.0, 0.0, 1.0}) {
    const auto made = units.release({.share = 1, .program = -0.3, .drawn = true, .person = person});
    EXPECT_EQ(made.unit, person);
    EXPECT_EQ(made.reverse, -person);
  }
}

TEST(AuditedUnits, seen_from_the_other_arm_are_the_same_with_the_other_sign) {
  AuditedUnits one, other;
  RoundRng rng = Stream(3, 0, Purpose::test, "sides").at(1);
  for (int t = 0; t < 200; ++t) {
    AuditedAnswer answer{
        .share = 0.3, .program = 2 * rng.uniform() - 1, .drawn = rng.bernoulli(0.3)};
    if (answer.drawn) answer.person = static_cast<double>(rng.below(3)) - 1;
    const auto made = one.release(answer), turned = other.release(mirrored(answer));
    EXPECT_EQ(made.unit, turned.reverse);
    EXPECT_EQ(made.reverse, turned.unit);
    EXPECT_LE(std::abs(made.unit), 1 + 1e-12);
  }
}

// E[Z | everything but the coin] = Y, whatever the program says.
TEST(AuditedUnits, are_on_average_what_people_say) {
  AuditedUnits past;
  for (const double y : {1.0, 1.0, -1.0}) {
    past.release({.share = 0.2, .program = 0.7, .drawn = true, .person = y});
  }
  for (const double program : {-1.0, -0.2, 0.0, 0.6, 1.0}) {
    for (const double person : {-1.0, 0.0, 1.0}) {
      AuditedUnits drawn = past, undrawn = past;
      const double z1 =
          drawn.release({.share = 0.2, .program = program, .drawn = true, .person = person}).value;
      const double z0 = undrawn.release({.share = 0.2, .program = program}).value;
      EXPECT_NEAR(0.2 * z1 + 0.8 * z0, person, 1e-12);
    }
  }
}

TEST(AuditedUnits, say_when_a_program_is_useless_or_reversed) {
  AuditedUnits units;
  for (int t = 0; t < 19; ++t) {
    units.release({.share = 0.5, .program = 1, .drawn = true, .person = -1});
  }
  EXPECT_FALSE(units.useless());
  units.release({.share = 0.5, .program = 1, .drawn = true, .person = -1});
  EXPECT_TRUE(units.useless());
  EXPECT_EQ(units.weight(), 0);
}

TEST(AuditedUnits, cost_least_with_the_share_that_prices_lead_to) {
  EXPECT_EQ(best_audit_share(0.1, 0, 0.05), 1);
  EXPECT_EQ(best_audit_share(0.1, -0.4, 0.05), 1);
  EXPECT_NEAR(best_audit_share(0.01, 0.8, 0.05), 0.1 * 0.6 / 0.8, 1e-12);
  EXPECT_EQ(best_audit_share(0.0001, 0.9, 0.05), 0.05);
  // No other share costs less: a price of (r + share) for a variance of 1 - (1 - share) rho^2.
  const double r = 0.02, rho = 0.6, best = best_audit_share(r, rho, 0);
  const auto price = [&](double share) {
    return (r + share) * (1 / share - (1 / share - 1) * rho * rho);
  };
  for (const double share : {best / 2, best * 0.9, best * 1.1, best * 2}) {
    EXPECT_LT(price(best), price(share));
  }
}

// --- Level --------------------------------------------------------------------------------------

constexpr int kRuns = 300;
// P(more than 30 of 300 | .05) < .0003; measured are .007 to .027.
constexpr int kMost = 30;

TEST(AuditedUnits, of_indifferent_people_certify_no_more_often_than_allowed_whatever_the_program) {
  for (const AuditedWorld& world : worlds_with({{"rarely audited", always_i, 0.05}})) {
    EXPECT_LE(false_certificates(world, kRuns, 1500), kMost) << world.name;
  }
}
// --- Three traps --------------------------------------------------------------------------------

TEST(AuditedUnits, certify_falsely_if_the_share_looks_at_the_programs_answer) {
  const AuditedWorld world{.name = "a stake that looks",
                           .program = mostly_right,
                           .share_by_answer = [](double said) { return said > 0 ? 0.5 : 0.1; }};
  EXPECT_GT(false_certificates(world, 100), 95);
}

TEST(AuditedUnits, certify_falsely_if_lost_audits_are_dropped_and_not_if_they_count_as_the_worst) {
  AuditedWorld world{.name = "lost audits", .program = always_i, .lost_for_j = 0.3};
  EXPECT_LE(false_certificates(world, kRuns), kMost);
  world.lost = AuditedWorld::Lost::as_undrawn;
  EXPECT_GT(false_certificates(world, 100), 30);
  world.lost = AuditedWorld::Lost::left_out;
  EXPECT_GT(false_certificates(world, 100), 30);
}

TEST(AuditedUnits, certify_falsely_if_audits_count_as_they_arrive) {
  AuditedWorld world{.name = "late audits", .program = always_i, .late_for_j = 400};
  EXPECT_LE(false_certificates(world, kRuns), kMost);
  world.as_they_arrive = true;
  EXPECT_GT(false_certificates(world, 100), 95);
}

// Why weights are made from the pair's own audits, and why programs do not know the order of tasks.
TEST(AuditedUnits, certify_falsely_if_the_weight_knows_the_answers_to_come) {
  int count = 0;
  for (std::uint32_t run = 0; run < 1000; ++run) count += prophet_certifies_i(3000, run) ? 1 : 0;
  EXPECT_GT(count, 75);  // of 50 that may be
}

}  // namespace
}  // namespace duel
