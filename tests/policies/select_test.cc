#include "duel/policies/select.h"

#include <gtest/gtest.h>

#include "duel/policies/noisy_tournament.h"
#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature noisy_tournament_signature("noisy-tournament", 0x1ffda767ba4b43c4);
const RecordedSignature select_signature("select", 0x04594fe5f9d1c19e);

static_assert(Policy<Select> && Policy<NoisyTournamentSampling>);

std::vector<Arm> select_twin(const SelectOptions& options, std::size_t num_arms, Replay& duel) {
  std::vector<Arm> arms = all_arms(num_arms);
  RoundRng rng = duel.construction();
  shuffle(arms, rng);
  double matches = 0;
  while (std::pow(2.0, matches) < static_cast<double>(num_arms)) ++matches;
  const double m = std::ceil(std::log(matches / options.delta) / (2 * options.gap * options.gap));
  while (arms.size() > 1) {
    std::vector<Arm> next;
    for (std::size_t k = 0; k + 1 < arms.size(); k += 2) {
      double wins = 0;
      for (int n = 0; n < m; ++n) wins += duel.wins(arms[k], arms[k + 1]) ? 1 : 0;
      next.push_back(2 * wins >= m ? arms[k] : arms[k + 1]);
    }
    if (arms.size() % 2 == 1) next.push_back(arms.back());
    arms = next;
  }
  return arms;
}

TEST(Select, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SelectOptions options;
    options.gap = seed % 3 == 0 ? 0.4 : 0.2;
    options.delta = seed % 2 == 0 ? 0.1 : 0.4;
    expect_replays_as<Select>(options, decisive_problem(seed, 12), 5000, select_twin);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// ln(4/0.05)/(2 0.1^2) = 219.1; 15 matches.
TEST(Select, plays_220_duels_in_each_of_fifteen_matches) {
  EXPECT_EQ(select_duels(16, 0.1, 0.05), 220U);
  SelectOptions options;
  options.gap = 0.1;
  const StoppedRun run = where_lower_index_wins<Select>(options, 16);
  EXPECT_EQ(run.steps.size(), 3300U);
  EXPECT_EQ(run.found, (std::vector<Arm>{0}));
}

std::vector<Arm> noisy_twin(const NoisyTournamentOptions& options, std::size_t num_arms,
                            Replay& duel) {
  std::vector<Arm> arms = all_arms(num_arms);
  RoundRng rng = duel.construction();
  shuffle(arms, rng);
  const double g = options.delta / static_cast<double>(num_arms);
  const double lead =
      std::ceil(std::log((1 - g) / g) / std::log((0.5 + options.gap) / (0.5 - options.gap)));
  const auto beats = [&](Arm i, Arm j) {
    double ahead = 0;
    while (std::abs(ahead) < lead) ahead += duel.wins(i, j) ? 1 : -1;
    return ahead > 0;
  };
  std::vector<std::vector<bool>> met(num_arms, std::vector<bool>(num_arms));
  while (arms.size() > 1) {
    std::vector<Arm> next;
    for (std::size_t k = 0; k + 1 < arms.size(); k += 2) {
      next.push_back(beats(arms[k], arms[k + 1]) ? arms[k] : arms[k + 1]);
      met[arms[k]][arms[k + 1]] = met[arms[k + 1]][arms[k]] = true;
    }
    if (arms.size() % 2 == 1) next.push_back(arms.back());
    arms = next;
  }
  for (Arm j = 0; j < num_arms; ++j) {
    if (j != arms[0] && !met[arms[0]][j] && !beats(arms[0], j)) return {};
  }
  return arms;
}

TEST(NoisyTournament, makes_the_choices_of_its_literal_twin) {
  int none = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    NoisyTournamentOptions options;
    options.gap = seed % 3 == 0 ? 0.3 : 0.1;
    options.delta = seed % 2 == 0 ? 0.1 : 0.4;
    const ExplorationProblem problem = decisive_problem(seed, 12);
    expect_replays_as<NoisyTournamentSampling>(options, problem, 20'000, noisy_twin);
    if (testing::Test::HasFatalFailure()) return;
    const auto found = play_until_found<NoisyTournamentSampling>(options, problem, 20'000).found;
    none += found && found->empty() ? 1 : 0;
  }
  EXPECT_GT(none, 10) << "the problems should have cycles";
}

// ln(199)/ln(0.55/0.45) = 26.4 and ln(79)/ln(0.6/0.4) = 10.8.
TEST(NoisyTournament, asks_for_the_leads_worked_out_by_hand) {
  EXPECT_EQ(noisy_tournament_lead(10, 0.05, 0.05), 27U);
  EXPECT_EQ(noisy_tournament_lead(4, 0.1, 0.05), 11U);
}

// At most 2K - 3 pairs: 17 of ten arms; where nobody passes 2K - log2 K - 2, which is 4 of four.
TEST(NoisyTournament, plays_no_more_pairs_than_it_promises) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_LE(where_lower_index_wins<NoisyTournamentSampling>({}, 10, 1'000'000, seed).steps.size(),
              17 * 27U);
    NoisyTournamentOptions options;
    options.gap = 0.1;
    EXPECT_EQ(
        where_lower_index_wins<NoisyTournamentSampling>(options, 4, 1'000'000, seed).steps.size(),
        4 * 11U);
  }
}

// 0 beats 1, 1 beats 2, 2 beats 0.
TEST(NoisyTournament, says_that_a_cycle_has_no_winner) {
  ExplorationProblem cycle;
  cycle.num_arms = 3;
  cycle.p = {0.5, 0.9, 0.1, 0.1, 0.5, 0.9, 0.9, 0.1, 0.5};
  const auto found = play_until_found<NoisyTournamentSampling>({}, cycle, 100'000).found;
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

}  // namespace
}  // namespace duel
