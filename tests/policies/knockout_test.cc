#include "duel/policies/knockout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature knockout_signature("knockout", 0x028d776b175896e2);

static_assert(Policy<Knockout> && JumpingPolicy<Knockout>);

std::vector<Arm> knockout_twin(const KnockoutOptions& options, std::size_t num_arms, Replay& duel) {
  std::vector<Arm> arms = all_arms(num_arms);
  RoundRng rng = duel.construction();
  shuffle(arms, rng);
  for (int i = 1; arms.size() > 1; ++i) {
    const double epsilon =
        (std::cbrt(2.0) - 1) * options.epsilon / (options.gamma * std::pow(2.0, i / 3.0));
    const double delta = options.delta / std::pow(2.0, i);
    std::vector<Arm> winners;
    for (std::size_t k = 0; k + 1 < arms.size(); k += 2) {
      double r = 0, w = 0, p = 0.5, c = 0.5;
      while (r <= std::log(2 / delta) / (2 * epsilon * epsilon) &&
             std::abs(p - 0.5) <= c - epsilon) {
        w += duel.wins(arms[k], arms[k + 1]) ? 1 : 0;
        r += 1;
        p = w / r;
        c = std::sqrt(std::log(4 * r * r / delta) / (2 * r));
      }
      winners.push_back(p > 0.5 ? arms[k] : arms[k + 1]);
    }
    if (arms.size() % 2 == 1) winners.push_back(arms.back());
    arms = winners;
    RoundRng draw = duel.after();
    shuffle(arms, draw);
  }
  return arms;
}

TEST(Knockout, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    KnockoutOptions options;
    options.epsilon = seed % 3 == 0 ? 0.3 : 0.15;
    options.delta = seed % 2 == 0 ? 0.1 : 0.4;
    options.gamma = seed % 5 == 0 ? 1.5 : 1;
    expect_replays_as<Knockout>(options, decisive_problem(seed), 5000, knockout_twin);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// K = 8, epsilon = delta = 0.1: the levels of the three rounds, and after how many duels an arm
// that always wins goes on: ln(4 r^2/0.05)/(2r) < (0.5 + 0.0206)^2 for the first time at r = 19.
TEST(Knockout, has_the_levels_worked_out_by_hand) {
  KnockoutOptions options;
  options.epsilon = 0.1;
  options.delta = 0.1;
  const StoppedRun run = where_lower_index_wins<Knockout>(options, 8);
  ASSERT_TRUE(run.found);
  EXPECT_EQ(*run.found, std::vector<Arm>{0});
  EXPECT_EQ(run.steps.size(), 4 * 19U + 2 * 21U + 23U);
  RoundRng rng(1, 0, 0);
  KnockoutTournament tournament(options, 8, rng);
  EXPECT_NEAR(tournament.epsilon(), 0.02063, 5e-6);
  EXPECT_NEAR(tournament.delta(), 0.05, 1e-12);
}

// The cap: 4334 duels in the first of those rounds if the two win in turn.
TEST(Knockout, ends_an_even_match_at_its_cap) {
  KnockoutOptions options;
  options.epsilon = 0.1;
  options.delta = 0.1;
  Knockout policy(options, 8, RoundRng(1, 0, 0));
  const Stream stream(1, 0, Purpose::choice);
  const Duel first = policy.take(1, stream.at(1));
  policy.observe(first, Outcome::first_wins, stream.at(1));
  Round t = 1;
  for (bool first_wins = false;; first_wins = !first_wins) {
    ++t;
    const Duel duel = policy.take(t, stream.at(t));
    if (duel.first != first.first) break;
    policy.observe(duel, first_wins ? Outcome::first_wins : Outcome::second_wins, stream.at(t));
  }
  EXPECT_EQ(t - 1, 4334U);
}

// With many duels outstanding a round's matches go on side by side.
TEST(Knockout, spreads_a_batch_over_the_round) {
  Knockout policy({}, 8, RoundRng(1, 0, 0));
  const Stream stream(1, 0, Purpose::choice);
  std::vector<int> asked(8);
  for (Round t = 1; t <= 8; ++t) ++asked[policy.take(t, stream.at(t)).first];
  EXPECT_EQ(std::count(asked.begin(), asked.end(), 2), 4);
}

}  // namespace
}  // namespace duel
