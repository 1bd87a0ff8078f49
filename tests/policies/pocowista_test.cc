#include "duel/policies/pocowista.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature pocowista_signature("pocowista", 0xebde2379462ab902);
const RecordedSignature tra_pocowista_signature("tra-pocowista", 0x5dd93ba7ae474ef9);

static_assert(Policy<Pocowista> && Policy<TraPocowista>);

// +1, 0, -1: what the pair's answers decide.
int compare(Replay& duel, Arm i, Arm j, double d) {
  std::vector<double> counts(3);  // wins, ties, losses
  for (;;) {
    const Points points = duel(i, j);
    ++counts[points.first == 2 ? 0 : points.first == 1 ? 1 : 2];
    std::vector<double> sorted = counts;
    std::sort(sorted.rbegin(), sorted.rend());
    const double x = sorted[0], y = sorted[1];
    // The density of Beta(x + 1, y + 1) at 1/2.
    const double density = std::exp(std::lgamma(x + y + 2) - std::lgamma(x + 1) -
                                    std::lgamma(y + 1) - (x + y) * std::log(2.0));
    if (density <= d / 2) return counts[0] == x ? 1 : counts[1] == x ? 0 : -1;
  }
}

std::vector<Arm> twin(bool transitive, double delta, std::size_t num_arms, Replay& duel) {
  const int k = static_cast<int>(num_arms);
  const double d = transitive ? delta / (k * std::log(k)) : delta / (0.5 * k * (k - 1));
  // 9: not known.
  std::vector<std::vector<int>> known(num_arms, std::vector<int>(num_arms, 9));
  for (;;) {
    std::vector<double> score(num_arms), potential(num_arms);
    for (std::size_t i = 0; i < num_arms; ++i) {
      double unknown = 0;
      for (std::size_t j = 0; j < num_arms; ++j) {
        if (i == j) continue;
        if (known[i][j] == 9) ++unknown;
        if (known[i][j] == 1) score[i] += 1;
        if (known[i][j] == 0) score[i] += 0.5;
      }
      potential[i] = unknown + score[i];
    }
    for (std::size_t b = 0; b < num_arms; ++b) {
      bool best = true;
      for (std::size_t i = 0; i < num_arms; ++i)
        best = best && (i == b || score[b] >= potential[i]);
      // Among several the one that can gain most, then the lowest.
      if (!best) continue;
      std::size_t answer = b;
      for (std::size_t c = b + 1; c < num_arms; ++c) {
        if (score[c] == score[b] && potential[c] > potential[answer]) answer = c;
      }
      return {static_cast<Arm>(answer)};
    }
    const auto i = static_cast<std::size_t>(std::max_element(potential.begin(), potential.end()) -
                                            potential.begin());
    std::size_t j = num_arms;
    for (std::size_t c = 0; c < num_arms; ++c) {
      if (c == i || known[i][c] != 9) continue;
      if (j == num_arms || score[c] > score[j]) j = c;
    }
    const int sign = compare(duel, static_cast<Arm>(i), static_cast<Arm>(j), d);
    known[i][j] = sign;
    known[j][i] = -sign;
    for (bool grew = transitive; grew;) {
      grew = false;
      for (std::size_t a = 0; a < num_arms; ++a) {
        for (std::size_t b = 0; b < num_arms; ++b) {
          for (std::size_t c = 0; c < num_arms; ++c) {
            if (a == b || b == c || a == c || known[a][c] != 9) continue;
            if (known[a][b] == 9 || known[b][c] == 9) continue;
            if (known[a][b] < 0 || known[b][c] < 0) continue;
            known[a][c] = known[a][b] + known[b][c] > 0 ? 1 : 0;
            known[c][a] = -known[a][c];
            grew = true;
          }
        }
      }
    }
  }
}

template <class P>
void expect_twin_agreement(bool transitive) {
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    typename P::Options options;
    options.delta = seed % 2 == 0 ? 0.05 : 0.4;
    ExplorationProblem problem = decisive_problem(seed);
    if (seed % 4 == 0) problem.tie_rate = 0.6;
    expect_replays_as<P>(options, problem, 6000,
                         [=](const typename P::Options& given, std::size_t k, Replay& duel) {
                           return twin(transitive, given.delta, k, duel);
                         });
    if (testing::Test::HasFatalFailure()) return;
    ended += play_until_found<P>(options, problem, 6000).found ? 1 : 0;
  }
  EXPECT_GT(ended, 100);
}

TEST(Pocowista, makes_the_choices_of_its_literal_twin) { expect_twin_agreement<Pocowista>(false); }
TEST(Pocowista, transitive_form_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<TraPocowista>(true);
}

// K = 3, delta = 0.05: d = 1/60, and 12/2^11 = 0.00586 <= d/2 where 11/2^10 = 0.01074 is not: 11
// straight wins a pair. (1, 2), (1, 3), and the third pair is never played.
TEST(Pocowista, follows_the_trace_worked_out_by_hand) {
  const StoppedRun run = where_lower_index_wins<Pocowista>({}, 3);
  EXPECT_EQ(run.found, (std::vector<Arm>{0}));
  ASSERT_EQ(run.steps.size(), 22U);
  for (std::size_t n = 0; n < 22; ++n) {
    EXPECT_EQ(run.steps[n].duel.first, 0U);
    EXPECT_EQ(run.steps[n].duel.second, n < 11 ? 1U : 2U);
  }
}

// Of ten arms 15 straight wins a pair; the first meets all nine others.
TEST(Pocowista, needs_fifteen_straight_wins_among_ten_arms) {
  EXPECT_EQ(where_lower_index_wins<Pocowista>({}, 10).steps.size(), 9 * 15U);
}

// Two arms that tie in most duels: the tie is the answer, and both are Copeland winners.
TEST(Pocowista, takes_ties_for_an_answer) {
  ExplorationProblem even;
  even.num_arms = 2;
  even.p = {0.5, 0.5, 0.5, 0.5};
  even.tie_rate = 0.8;
  const StoppedRun run = play_until_found<Pocowista>({}, even, 1000);
  EXPECT_EQ(run.found, (std::vector<Arm>{0}));
  EXPECT_LT(run.steps.size(), 60U);
}

// With an order the transitive form skips what follows: at most the pairs of a sort.
TEST(Pocowista, transitive_form_asks_no_pair_that_follows) {
  ExplorationProblem chain = easy_problem(8, 7, 0.5, 1);  // the last is the best
  const std::size_t plain = play_until_found<Pocowista>({}, chain, 100'000).steps.size();
  const std::size_t closed = play_until_found<TraPocowista>({}, chain, 100'000).steps.size();
  EXPECT_LT(closed, plain);
}

// No pair is decided twice, the scores sum to the decided pairs, and potential >= score.
TEST(Pocowista, keeps_its_invariants) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ExplorationProblem problem = decisive_problem(seed);
    const Stream choices(seed, 0, Purpose::choice);
    Pocowista policy({}, problem.num_arms, choices.at(0));
    for (Round t = 1; t <= 2000 && !found_by(policy); ++t) {
      const Duel duel = policy.take(t, choices.at(t));
      const CopelandSearch& search = policy.explorer().tournament();
      ASSERT_EQ(search.relation(duel.first, duel.second), CopelandSearch::kUnknown);
      RoundRng draw = choices.at(t);
      policy.observe(duel, problem.answer(duel, draw), choices.at(t));
      std::uint64_t score = 0, compared = 0;
      for (Arm i = 0; i < problem.num_arms; ++i) {
        score += search.score_halves(i);
        compared += search.compared(i) - 1;
      }
      ASSERT_EQ(score, compared) << "half a score for each arm of a decided pair";
    }
  }
}

}  // namespace
}  // namespace duel
