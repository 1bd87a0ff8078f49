// The jump of D-TS against the plain loop, 20 000 trials each: seven matrices with and without a
// Condorcet winner. And both against the loop that draws every theta from its Beta.
#include <gtest/gtest.h>

#include <type_traits>

#include "duel/policies/dts.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/twins/dts_twin.h"
#include "tests/policies/two_samples.h"

namespace duel {
namespace {

constexpr std::uint32_t kTrials = 20000;

template <class P>
void expect_laws_agree(const PreferenceMatrix& matrix, Round rounds) {
  const LawSample jumped = sample_policy<P>({}, matrix, 1, kTrials, rounds, true);
  const LawSample played = sample_policy<P>({}, matrix, 2, kTrials, rounds, false);
  const LawSample beta = sample_twin(
      [&](RoundRng) {
        return DtsBetaTwin(std::is_same_v<P, DtsPlus>, 0.51, Ties::coin, false, matrix.num_arms());
      },
      matrix, 3, 1000, rounds);
  expect_same_law(jumped, played, matrix.name());
  expect_same_law(jumped, beta, matrix.name() + " against Beta draws");
}

template <class P>
void expect_laws_agree_everywhere(Round rounds) {
  for (const char* name : {"arxiv", "cyclic", "arithmetic"}) {
    expect_laws_agree<P>(resolve_matrix(name).value(), rounds);
  }
  // A cycle of three above two others; a matrix whose winner is a Copeland winner only; random.
  expect_laws_agree<P>(PreferenceMatrix::create("NC-5", {"1", "2", "3", "4", "5"},
                                                {.5, .7, .3, .7, .7, .3, .5, .7, .7, .7, .7, .3, .5,
                                                 .7, .7, .3, .3, .3, .5, .7, .3, .3, .3, .3, .5})
                           .value(),
                       rounds);
  // The winner, arm 3, loses to arm 4: the jump has to require more than the winner's own flips.
  expect_laws_agree<P>(
      PreferenceMatrix::create(
          "NC-6", {"1", "2", "3", "4", "5", "6"},
          {.5,  .6,  .42, .57, .85, .31, .4,  .5,  .38, .32, .22, .74, .58, .62, .5,  .21, .85, .79,
           .43, .68, .79, .5,  .21, .57, .15, .78, .15, .79, .5,  .15, .69, .26, .21, .43, .85, .5})
          .value(),
      rounds);
  expect_laws_agree<P>(random_matrix(7, 2), rounds);
  expect_laws_agree<P>(random_matrix(3, 5), rounds);
}

TEST(DtsLaw, jumping_and_playing_every_round_agree_on_seven_matrices) {
  expect_laws_agree_everywhere<Dts>(2000);
}

TEST(DtsPlusLaw, jumping_and_playing_every_round_agree_on_seven_matrices) {
  expect_laws_agree_everywhere<DtsPlus>(1000);
}

}  // namespace
}  // namespace duel
