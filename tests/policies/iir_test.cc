#include "duel/policies/iir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature iir_signature("iir", 0xa1eb5742ecbdafaf);

static_assert(Policy<Iir>);

constexpr double kPi = 3.14159265358979323846;

// Attempting to compare: whether i is ahead.
bool atc(Replay& duel, Arm i, Arm j, double epsilon, double delta) {
  const double most = std::ceil(std::log(2 / delta) / (2 * epsilon * epsilon));
  double w = 0;
  for (double t = 1;; ++t) {
    w += duel.wins(i, j) ? 1 : 0;
    const double p = w / t;
    const double b = std::sqrt(std::log(kPi * kPi * t * t / (3 * delta)) / (2 * t));
    if (p > 0.5 + b) return true;
    if (p < 0.5 - b) return false;
    if (t < most) continue;
    if (2 * w == t) {
      RoundRng rng = duel.after();
      return rng.coin();
    }
    return p > 0.5;
  }
}

struct Node {
  int left, right;
  Node* parent;
  int count = 0;
  std::unique_ptr<Node> below, above;

  Node(int l, int r, Node* up) : left(l), right(r), parent(up) {
    if (r - l == 1) return;
    below = std::make_unique<Node>(l, (l + r) / 2, this);
    above = std::make_unique<Node>((l + r) / 2, r, this);
  }
  Node* last_with(double least) {
    if (!below) return count >= least ? this : nullptr;
    Node* found = below->last_with(least);
    return found ? found : above->last_with(least);
  }
};

// Attempting to insert: the gap, or nothing where it is unsure.
std::optional<int> ati(Replay& duel, Arm i, const std::vector<Arm>& sorted, double epsilon,
                       double delta) {
  const int m = static_cast<int>(sorted.size());
  const auto beats = [&](int place, double error) {
    if (place == 0) return true;
    if (place > m) return false;
    return atc(duel, i, sorted[static_cast<std::size_t>(place - 1)], epsilon, error);
  };
  Node root(0, m + 1, nullptr);
  Node* x = &root;
  const double h = 1 + std::ceil(std::log2(1.0 + m));
  const double steps = std::ceil(std::max(4 * h, 512.0 / 25 * std::log(2 / delta)));
  const double q = 15.0 / 16;
  for (double t = 1; t <= steps; ++t) {
    if (x == &root) {
      x = beats((x->left + x->right) / 2, 1 - q) ? x->above.get() : x->below.get();
    } else if (!x->below) {
      const double error = 1 - std::sqrt(q);
      if (beats(x->left, error) && !beats(x->right, error)) {
        if (++x->count > 1 + t / 2 + std::sqrt(t / 2 * std::log(kPi * kPi * t * t / (3 * delta)))) {
          return x->left;
        }
      } else if (x->count > 0) {
        --x->count;
      } else {
        x = x->parent;
      }
    } else {
      const double error = 1 - std::cbrt(q);
      if (!beats(x->left, error) || beats(x->right, error)) {
        x = x->parent;
      } else {
        x = beats((x->left + x->right) / 2, error) ? x->above.get() : x->below.get();
      }
    }
  }
  if (Node* leaf = root.last_with(1 + 5.0 / 16 * steps)) return leaf->left;
  return std::nullopt;
}

std::vector<Arm> iir_twin(const IirOptions& options, std::size_t num_arms, Replay& duel) {
  std::vector<Arm> order = all_arms(num_arms);
  RoundRng rng = duel.construction();
  shuffle(order, rng);
  std::vector<Arm> sorted = {order[0]};
  for (std::size_t k = 1; k < num_arms; ++k) {
    for (int s = 1;; ++s) {
      const double delta =
          6 * (options.delta / static_cast<double>(num_arms)) / (kPi * kPi * s * s);
      if (const auto gap = ati(duel, order[k], sorted, std::pow(2.0, -(s + 1)), delta)) {
        sorted.insert(sorted.begin() + *gap, order[k]);
        break;
      }
    }
  }
  return {sorted.rbegin(), sorted.rend()};
}

TEST(Iir, makes_the_choices_of_its_literal_twin) {
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    IirOptions options;
    options.delta = seed % 2 == 0 ? 0.05 : 0.4;
    const ExplorationProblem problem = decisive_problem(seed, 9);
    expect_replays_as<Iir>(options, problem, 60'000, iir_twin);
    if (testing::Test::HasFatalFailure()) return;
    ended += play_until_found<Iir>(options, problem, 60'000).found ? 1 : 0;
  }
  EXPECT_GT(ended, 20);
}

// e = 1/4: ln(32) 8 = 27.7 at the root, 34 at a leaf, 37 between; at e = 1/8 111, 133 and 146.
TEST(Iir, has_the_caps_worked_out_by_hand) {
  EXPECT_EQ(iir_most_duels(0.25, 1 - 15.0 / 16), 28U);
  EXPECT_EQ(iir_most_duels(0.25, 1 - std::sqrt(15.0 / 16)), 34U);
  EXPECT_EQ(iir_most_duels(0.25, 1 - std::cbrt(15.0 / 16)), 37U);
  EXPECT_EQ(iir_most_duels(0.125, 1 - 15.0 / 16), 111U);
  EXPECT_EQ(iir_most_duels(0.125, 1 - std::sqrt(15.0 / 16)), 133U);
  EXPECT_EQ(iir_most_duels(0.125, 1 - std::cbrt(15.0 / 16)), 146U);
}

// The second of ten arms, delta = 0.05: 512/25 ln(2/0.00304) = 132.9.
TEST(Iir, walks_133_steps_for_the_second_of_ten_arms) {
  EXPECT_EQ(iir_steps(1, 6 * 0.005 / (kPi * kPi)), 133U);
  Iir policy({}, 10, RoundRng(1, 0, 0));
  EXPECT_EQ(policy.explorer().tournament().steps(), 133U);
}

TEST(Iir, finds_the_whole_order) {
  const StoppedRun run = where_lower_index_wins<Iir>({}, 7);
  EXPECT_EQ(run.found, (std::vector<Arm>{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace duel
