// Mean average regret of IF, BTM and SAVAGE against an independent plain implementation of the same
// algorithms: 100 runs with horizon 1e5 on three matrices, at rounds 1e3, 1e4 and 1e5.
//
// A mean may differ by four combined standard errors (a false alarm in 16 000 cells) plus half a
// unit of the last digit given. The reference gives its standard error at 1e5; at the other rounds
// it had as many runs, so ours is taken for both.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "duel/policies/registry.h"
#include "duel/truth/arena.h"

namespace duel {
namespace {

struct Reference {
  double mean;
  double unit;                              // of the last digit given
  std::optional<double> se = std::nullopt;  // where it was given
};

struct Cell {
  std::string call;
  std::string matrix;
  std::vector<Reference> at;  // 1e3, 1e4, 1e5; the last may be missing
};

// IF2 with the narrow interval on the cyclic matrix has a heavy tail (runs that lock on a wrong
// arm), so its mean at 1e5 is not compared.
const std::vector<Cell>& cells() {
  static const std::vector<Cell> all = {
      {"if1(ci=colt)", "arxiv", {{61.7, .1}, {528.6, .1}, {1286, 1, 52}}},
      {"if1(ci=colt)", "cyclic", {{58.8, .1}, {120.4, .1}, {120.4, .1, 4.9}}},
      {"if1(ci=colt)", "arithmetic", {{173.6, .1}, {753.6, .1}, {840, 1, 28}}},
      {"if2(ci=colt)", "arxiv", {{61.7, .1}, {524.3, .1}, {1111, 1, 42}}},
      {"if2(ci=colt)", "cyclic", {{57.4, .1}, {122.8, .1}}},
      {"if2(ci=colt)", "arithmetic", {{173.5, .1}, {722.2, .1}, {788, 1, 24}}},
      {"if2(ci=jcss)", "arxiv", {{61.7, .1}, {617.2, .1}, {4120, 1, 102}}},
      {"if2(ci=jcss)", "cyclic", {{76.6, .1}, {393.5, .1}, {463, 1, 20}}},
      {"if2(ci=jcss)", "arithmetic", {{179.8, .1}, {1408, 1}, {3082, 1, 85}}},
      {"btm", "arxiv", {{60.1, .1}, {600.3, .1}, {2310, 1, 28}}},
      {"btm", "cyclic", {{75.0, .1}, {735.8, .1}, {863, 1, 13}}},
      {"btm", "arithmetic", {{175.1, .1}, {1235, 1}, {1745, 1, 20}}},
      {"btm(gamma=1.3)", "arxiv", {{60.1, .1}, {600.3, .1}, {6001, 1, .6}}},
      {"btm(gamma=1.3)", "cyclic", {{75.0, .1}, {750.2, .1}, {7500, 1, .6}}},
      {"btm(gamma=1.3)", "arithmetic", {{175.1, .1}, {1750, 1}, {16822, 1, 9}}},
      {"savage-condorcet", "arxiv", {{59.9, .1}, {597.7, .1}, {1658, 1, 20}}},
      {"savage-condorcet", "cyclic", {{61.3, .1}, {92.8, .1}, {92.8, .1, 1.9}}},
      {"savage-condorcet", "arithmetic", {{174.3, .1}, {1119, 1}, {1232, 1, 10}}},
  };
  return all;
}

PreferenceMatrix matrix_named(const std::string& name) {
  std::vector<double> p;
  if (name == "arxiv") {
    p = {.50, .55, .55, .54, .61, .61, .45, .50, .55, .55, .58, .60,  //
         .45, .45, .50, .54, .51, .56, .46, .45, .46, .50, .54, .50,  //
         .39, .42, .49, .46, .50, .51, .39, .40, .44, .50, .49, .50};
  } else if (name == "cyclic") {
    p = {.5, .6, .6, .6, .4, .5, .9, .1, .4, .1, .5, .9, .4, .9, .1, .5};
  } else {
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) p.push_back(0.5 + 0.05 * (j - i));
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i * i < p.size(); ++i) names.push_back(std::to_string(i + 1));
  return std::move(PreferenceMatrix::create(name, names, p)).value();
}

class RegretAtCheckpoints : public TrialObserver {
 public:
  RegretAtCheckpoints(const PreferenceMatrix& matrix, std::size_t checkpoints)
      : matrix_(matrix), sum_(checkpoints), squares_(checkpoints) {}

  void at_checkpoint(std::size_t index, const TrialArena& arena, Arm /*recommended*/) override {
    double regret = 0;  // the winner is arm 0 of all three
    for (Arm k = 0; k < matrix_.num_arms(); ++k) {
      regret += 0.5 * static_cast<double>(arena.tally().plays[k]) * matrix_.gap(0, k);
    }
    sum_[index] += regret;
    squares_[index] += regret * regret;
  }
  double mean(std::size_t index, double n) const { return sum_[index] / n; }
  double se(std::size_t index, double n) const {
    const double variance = (squares_[index] - sum_[index] * sum_[index] / n) / (n - 1);
    return std::sqrt(std::max(variance, 0.0) / n);
  }

 private:
  const PreferenceMatrix& matrix_;
  std::vector<double> sum_;
  std::vector<double> squares_;
};

class Calibration : public testing::TestWithParam<Cell> {};

INSTANTIATE_TEST_SUITE_P(Exploration, Calibration, testing::ValuesIn(cells()),
                         [](const testing::TestParamInfo<Cell>& cell) {
                           std::string name;
                           for (const char c : cell.param.call + "_" + cell.param.matrix) {
                             name += std::isalnum(c) != 0 ? c : '_';
                           }
                           return name;
                         });

TEST_P(Calibration, mean_regret_agrees_with_the_reference) {
  constexpr std::uint32_t kTrials = 100;
  const std::vector<Round> checkpoints = {1000, 10000, 100000};
  const PreferenceMatrix matrix = matrix_named(GetParam().matrix);
  std::vector<std::uint32_t> merit_rank;
  for (Arm i = 0; i < matrix.num_arms(); ++i) merit_rank.push_back(i);
  const auto call = parse_call(GetParam().call);
  const auto policy =
      configure_policy(*call, {.num_arms = matrix.num_arms(), .rounds = checkpoints.back()});
  ASSERT_TRUE(policy.ok());

  RegretAtCheckpoints regret(matrix, checkpoints.size());
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    MatrixArena arena(matrix, merit_rank, OutcomeStream(1, trial));
    const TrialStreams streams(1, trial, call->name);
    ASSERT_TRUE((*policy)->play(arena, streams, {.checkpoints = checkpoints}, regret));
  }
  std::cout << std::fixed << std::setprecision(1) << "  " << GetParam().call << " on "
            << matrix.name() << ":";
  for (std::size_t k = 0; k < GetParam().at.size(); ++k) {
    const Reference& reference = GetParam().at[k];
    const double mean = regret.mean(k, kTrials);
    const double se = regret.se(k, kTrials);
    const double combined = std::hypot(se, reference.se.value_or(se));
    std::cout << "  " << mean << " (" << se << ") / " << reference.mean;
    EXPECT_NEAR(mean, reference.mean, 4 * combined + reference.unit / 2)
        << "at round " << checkpoints[k];
  }
  std::cout << "\n";
}

}  // namespace
}  // namespace duel
