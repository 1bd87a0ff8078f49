// Mean regret of the Condorcet and Copeland policies against values of independent plain
// implementations: 100 trials (20 where noted) of up to 1e5 rounds, with the standard error at the
// last round in brackets. Both sides are random, so a cell may differ by 4 combined standard
// errors.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"
#include "tests/statistical/regret_summaries.h"

namespace duel {
namespace {

struct Known {
  double mean;
  double se;  // 0: not kept
};

// Where the reference kept no error it is taken from ours, for its own number of trials.
void expect_agreement(const PreferenceMatrix& matrix, const std::string& policy,
                      const std::vector<Round>& checkpoints, const std::vector<Known>& known,
                      double reference_trials, RegretNotion notion = RegretNotion::average) {
  // Where no Condorcet winner lets a policy rest, every round is played, and trials are dear.
  const std::uint32_t trials = notion == RegretNotion::average ? 400 : 60;
  const auto cells = regret_summaries(matrix, policy, checkpoints, notion, trials, 20);
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    const double reference_se =
        known[c].se > 0 ? known[c].se : cells[c].se * std::sqrt(trials / reference_trials);
    const double rounding = known[c].mean < 1000 ? 0.05 : 0.5;
    EXPECT_NEAR(cells[c].mean, known[c].mean, 4 * std::hypot(cells[c].se, reference_se) + rounding)
        << policy << " on " << matrix.name() << " at " << checkpoints[c] << "; our error "
        << cells[c].se;
  }
}

const std::vector<Round> kDecades = {1000, 10000, 100000};

void expect_three(const std::string& matrix, const std::string& policy, double at_1e3,
                  double at_1e4, double at_1e5, double se) {
  expect_agreement(resolve_matrix(matrix).value(), policy, kDecades,
                   {{at_1e3, 0}, {at_1e4, 0}, {at_1e5, se}}, 100);
}

TEST(CondorcetCalibration, dts) {
  expect_three("arxiv", "dts", 34.8, 97.7, 152.0, 5.2);
  expect_three("cyclic", "dts", 18.0, 32.9, 50.5, 1.1);
  expect_three("arithmetic", "dts", 46.3, 81.6, 113.4, 3.1);
}

TEST(CondorcetCalibration, dts_plus) {
  expect_three("arxiv", "dts-plus", 36.1, 102.3, 158.8, 6.7);
  expect_three("cyclic", "dts-plus", 18.9, 35.2, 54.4, 1.3);
  expect_three("arithmetic", "dts-plus", 46.5, 82.5, 115.6, 3.0);
}

TEST(CondorcetCalibration, rcs) {
  expect_three("arxiv", "rcs(alpha=0.51)", 51.9, 259.7, 312.8, 8.1);
  expect_three("cyclic", "rcs(alpha=0.51)", 55.8, 86.7, 105.1, 3.2);
  expect_three("arithmetic", "rcs(alpha=0.51)", 103.9, 190.4, 218.7, 5.2);
}

// 20 trials.
TEST(CondorcetCalibration, ccb_and_merge_rucb_on_arxiv) {
  const PreferenceMatrix arxiv = resolve_matrix("arxiv").value();
  expect_agreement(arxiv, "ccb", {100000}, {{522, 27}}, 20);
  expect_agreement(arxiv, "merge-rucb", {100000}, {{1652, 221}}, 20);
}

// Arms 1, 2, 3 in a cycle; all three beat 4 and 5, 4 beats 5; every win 0.7.
PreferenceMatrix nc5() {
  const double w = 0.7, l = 0.3, e = 0.5;
  return PreferenceMatrix::create("NC-5", {"1", "2", "3", "4", "5"}, {e, w, l, w, w,  //
                                                                      l, e, w, w, w,  //
                                                                      w, l, e, w, w,  //
                                                                      l, l, l, e, w,  //
                                                                      l, l, l, l, e})
      .value();
}

// The winner is arm 3, with 4 victories out of 5.
PreferenceMatrix nc6() {
  return PreferenceMatrix::create("NC-6", {"1", "2", "3", "4", "5", "6"},
                                  {.5,  .6,  .42, .57, .85, .31,  //
                                   .4,  .5,  .38, .32, .22, .74,  //
                                   .58, .62, .5,  .21, .85, .79,  //
                                   .43, .68, .79, .5,  .21, .57,  //
                                   .15, .78, .15, .79, .5,  .15,  //
                                   .69, .26, .21, .43, .85, .5})
      .value();
}

// 20 trials; Copeland regret at 1e4 and 1e5.
TEST(CondorcetCalibration, without_a_condorcet_winner) {
  const std::vector<Round> rounds = {10000, 100000};
  const auto copeland = RegretNotion::copeland;
  expect_agreement(nc5(), "dts", rounds, {{153, 7}, {218, 7}}, 20, copeland);
  expect_agreement(nc5(), "dts-plus", rounds, {{137, 9}, {211, 15}}, 20, copeland);
  expect_agreement(nc5(), "ccb", rounds, {{255, 12}, {322, 15}}, 20, copeland);
  expect_agreement(nc6(), "dts", rounds, {{313, 13}, {431, 15}}, 20, copeland);
  expect_agreement(nc6(), "dts-plus", rounds, {{285, 12}, {390, 14}}, 20, copeland);
  expect_agreement(nc6(), "ccb", rounds, {{593, 23}, {743, 26}}, 20, copeland);
}

// Another implementation of its steps, 100 trials.
TEST(CondorcetCalibration, imed) {
  const std::vector<Round> rounds = {100000};
  expect_agreement(resolve_matrix("arxiv").value(), "imed", rounds, {{121, 4}}, 100);
  expect_agreement(resolve_matrix("cyclic").value(), "imed", rounds, {{33.1, 1.2}}, 100);
  expect_agreement(resolve_matrix("random-condorcet(k=32,seed=1,gap=0.05)").value(), "imed", rounds,
                   {{245, 2}}, 100);
  expect_agreement(resolve_matrix("no-condorcet(k=5,seed=6)").value(), "imed", rounds, {{278, 13}},
                   100, RegretNotion::copeland);
}

// With the parameters of the first sketch of imed, of which two independent implementations agree.
// It had no step 4, which changes nothing here: 400 trials with a Condorcet winner, 200 without
// one.
TEST(CondorcetCalibration, imed_with_the_parameters_of_its_sketch) {
  const std::string sketch = "imed(slack=2,start=0,credit=0)";
  expect_agreement(resolve_matrix("arxiv").value(), sketch, {100000}, {{120, 1.8}}, 400);
  const std::vector<Round> rounds = {100000, 10000000};
  const auto copeland = RegretNotion::copeland;
  expect_agreement(nc5(), sketch, rounds, {{98, 1.6}, {141, 0}}, 200, copeland);
  expect_agreement(nc6(), sketch, rounds, {{258, 5}, {399, 0}}, 200, copeland);
}

}  // namespace
}  // namespace duel
