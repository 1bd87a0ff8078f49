// DBGD and BGD: the step by hand, what must never change, and the two lemmas of the paper.
#include "duel/continuous/dbgd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <vector>

#include "duel/continuous/bgd.h"
#include "duel/continuous/learner_registry.h"
#include "duel/continuous/point_trial.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

using Vector = std::vector<double>;

Vector copy(std::span<const double> values) { return {values.begin(), values.end()}; }

DirectionOptions fixed_steps(double delta, double gamma, std::uint64_t batch = 1) {
  DirectionOptions options;
  options.delta = delta;
  options.gamma = gamma;
  options.batch = batch;
  return options;
}

PointLearner make(double delta, double gamma, PointSetPtr set, Vector start,
                  std::uint64_t batch = 1) {
  return {"test",         dbgd_step,      false,           fixed_steps(delta, gamma, batch),
          {delta, gamma}, std::move(set), std::move(start)};
}
PointLearner make_bgd(PointStep step, double delta, double gamma, PointSetPtr set, Vector start) {
  return {"test",          step, true, fixed_steps(delta, gamma), {delta, gamma}, std::move(set),
          std::move(start)};
}

const Stream kChoices(31, 0, Purpose::choice, "dbgd_test");

TEST(Dbgd, moves_along_the_drawn_direction_when_the_proposal_wins) {
  PointLearner learner = make(0.5, 0.1, make_ball(4, 1).value(), {0.6, 0, 0, 0.6});
  const PointDuel duel = learner.select(1, kChoices.at(1));
  const Vector u = copy(learner.direction()), w = copy(duel.first), tried = copy(duel.second);
  Vector expected(4), step(4);
  for (std::size_t k = 0; k < 4; ++k) {
    expected[k] = w[k] + 0.5 * u[k];
    step[k] = w[k] + 0.1 * u[k];
  }
  learner.set().project(expected);
  learner.set().project(step);
  EXPECT_EQ(tried, expected);
  learner.observe(duel.ticket, {Outcome::second_wins});
  EXPECT_EQ(copy(learner.recommend()), step);
  EXPECT_EQ(learner.moves(), 1U);
}

TEST(Dbgd, keeps_every_bit_unless_the_proposal_wins) {
  PointLearner learner = make(0.5, 0.1, make_ball(4, 1).value(), {0.1, 0.2, 0.3, 0.4});
  const Vector start = copy(learner.recommend());
  Round round = 1;
  for (const Outcome outcome :
       {Outcome::first_wins, Outcome::tie, Outcome::both_bad, Outcome::skip, Outcome::none}) {
    const PointDuel duel = learner.select(round, kChoices.at(round));
    learner.observe(duel.ticket, {outcome});
    EXPECT_EQ(copy(learner.recommend()), start);
    ++round;
    EXPECT_EQ(learner.select(round, kChoices.at(round)).ticket,
              duel.ticket + 1);  // a new direction
  }
  EXPECT_EQ(learner.moves(), 0U);
}

TEST(Dbgd, never_leaves_its_set) {
  const std::vector<PointSetPtr> sets = {
      make_ball(5, 1).value(), make_box(Vector(5, -1), Vector(5, 0.5)).value(),
      make_simplex(5).value(), make_half_spaces(5, {{{1, 1, 0, 0, 0}, 0.1}}, 1).value(),
      make_unit_sphere(5).value()};
  for (const PointSetPtr& set : sets) {
    PointLearner learner = make(0.9, 0.4, set, Vector(5, 0.0));
    for (Round round = 1; round <= 2000; ++round) {
      const PointDuel duel = learner.select(round, kChoices.at(round));
      ASSERT_TRUE(set->contains(duel.first, 1e-9)) << set->to_string();
      ASSERT_TRUE(set->contains(duel.second, 1e-9)) << set->to_string();
      ASSERT_LE(norm(duel.first), set->radius() * (1 + 1e-14));
      learner.observe(duel.ticket, {round % 3 == 0 ? Outcome::first_wins : Outcome::second_wins});
    }
  }
}

TEST(Dbgd, moves_after_a_batch_that_more_than_half_won) {
  const auto play = [](const std::vector<Outcome>& outcomes) {
    PointLearner learner = make(0.5, 0.1, make_ball(3, 1).value(), Vector(3, 0.0), outcomes.size());
    const Vector first_pair = copy(learner.select(1, kChoices.at(1)).second);
    for (Round round = 1; round <= outcomes.size(); ++round) {
      const PointDuel duel = learner.select(round, kChoices.at(round));
      EXPECT_EQ(duel.ticket, 1U);
      EXPECT_EQ(copy(duel.second), first_pair);
      learner.observe(duel.ticket, {outcomes[round - 1]});
    }
    return learner.moves();
  };
  constexpr auto kFirst = Outcome::first_wins, kSecond = Outcome::second_wins, kTie = Outcome::tie;
  EXPECT_EQ(play({kFirst, kSecond, kSecond}), 1U);
  EXPECT_EQ(play({kFirst, kSecond, kFirst, kSecond}), 0U);  // exactly half
  EXPECT_EQ(play({kTie, kSecond, kTie, kTie}), 1U);         // one decided, one won
  EXPECT_EQ(play({kTie, kTie}), 0U);
  EXPECT_EQ(play({kSecond, kSecond, kFirst, kFirst, kFirst}), 0U);
}

TEST(Dbgd, ignores_answers_to_proposals_that_were_decided) {
  PointLearner learner = make(0.5, 0.1, make_ball(3, 1).value(), Vector(3, 0.0));
  learner.observe(1, {Outcome::second_wins});  // nothing was asked yet
  const std::uint64_t ticket = learner.select(1, kChoices.at(1)).ticket;
  learner.observe(ticket, {Outcome::first_wins});
  learner.observe(ticket, {Outcome::second_wins});  // late
  learner.select(2, kChoices.at(2));
  learner.observe(ticket, {Outcome::second_wins});  // later still
  EXPECT_EQ(learner.moves(), 0U);
}

TEST(Dbgd, saves_and_restores_between_any_two_calls) {
  const PointProblem problem;
  const auto run = [&](bool interrupted) {
    auto learner =
        std::make_unique<PointLearner>(make(0.5, 0.1, make_ball(6, 2).value(), Vector(6, 0.5), 3));
    const Stream outcomes(1, 0, Purpose::outcome);
    for (Round round = 1; round <= 200; ++round) {
      const PointDuel duel = learner->select(round, kChoices.at(round));
      const double p = win_probability(problem, duel.first, duel.second);
      if (interrupted && round % 7 == 0) {
        auto other = std::make_unique<PointLearner>(
            make(0.5, 0.1, make_ball(6, 2).value(), Vector(6, 0.0), 3));
        EXPECT_TRUE(other->restore(learner->save()).ok());
        const std::uint64_t ticket = duel.ticket;
        learner = std::move(other);
        RoundRng coin = outcomes.at(round);
        learner->observe(ticket, {coin.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins});
        continue;
      }
      RoundRng coin = outcomes.at(round);
      learner->observe(duel.ticket,
                       {coin.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins});
    }
    return copy(learner->recommend());
  };
  EXPECT_EQ(run(false), run(true));

  PointLearner small = make(0.5, 0.1, make_ball(2, 2).value(), Vector(2, 0.5));
  PointLearner large = make(0.5, 0.1, make_ball(6, 2).value(), Vector(6, 0.5));
  EXPECT_FALSE(small.restore(large.save()).ok());
  EXPECT_FALSE(small.restore("rubbish").ok());
  EXPECT_EQ(copy(small.recommend()), Vector(2, 0.5));
  PointLearner named("another", dbgd_step, false, fixed_steps(1, 1), {1, 1},
                     make_ball(2, 2).value(), Vector(2, 0.5));
  const Status refused = small.restore(named.save());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the saved state belongs to 'another', not to 'test'");
}

TEST(StepSizes, follow_the_analysis_or_are_free) {
  const PointSetPtr ball = make_ball(50, 10).value();
  DirectionOptions options;
  EXPECT_FALSE(step_sizes(options, *ball).ok());  // no horizon
  options.horizon = 1'000'000;
  // T^(-1/4) sqrt(0.4 R d) = sqrt(200)/sqrt(1000) = .447; R/sqrt(T) = .01.
  EXPECT_NEAR(step_sizes(options, *ball)->delta, std::sqrt(0.2), 1e-15);
  EXPECT_NEAR(step_sizes(options, *ball)->gamma, 0.01, 1e-17);
  options.delta_l = 2;  // L = 1/4
  EXPECT_NEAR(step_sizes(options, *ball)->delta, 2 * std::sqrt(0.2), 1e-15);
  options.analysis = StepAnalysis::theorem;  // sqrt(2 R d)/(sqrt(13 L) T^(1/4))
  EXPECT_NEAR(step_sizes(options, *ball)->delta,
              std::sqrt(1000.0) / (std::sqrt(13 * 0.25) * std::pow(1e6, 0.25)), 1e-14);
  EXPECT_FALSE(step_sizes(options, *make_whole_space(3).value()).ok());
  options.delta = 0.3;
  EXPECT_EQ(step_sizes(options, *ball)->delta, 0.3);
  options.gamma = 0;
  EXPECT_EQ(step_sizes(options, *make_whole_space(3).value())->gamma, 0);
}

TEST(StepSizes, bound_is_the_theorem) {
  // R = 1, d = 2, L_v = 1, L_sigma = 1/4, L_2 = .1, T = 1e8: sqrt(13/4) 100/4 = 45.07; .1 sqrt 4 =
  // .2.
  const double gain = 0.25 * std::sqrt(13 * 0.25) * 100, loss = 0.1 * 2;
  EXPECT_NEAR(dbgd_regret_bound(1e8, 1, 2, 1, 0.25, 0.1),
              2 * gain / (gain - loss) * 1e6 * std::sqrt(26 * 2 * 0.25), 1e-3);
  EXPECT_TRUE(std::isnan(dbgd_regret_bound(1, 10, 50, 100, 0.25, 0.1)));  // T too small
}

TEST(Bgd, moves_by_the_probability_it_sees) {
  const auto step = [](auto learner, double probability) {
    const PointDuel duel = learner.select(1, kChoices.at(1));
    const Vector u = copy(learner.direction());
    learner.observe(duel.ticket, {Outcome::first_wins, probability});
    Vector moved = copy(learner.recommend());
    double along = dot(moved, u);
    add_scaled(moved, -along, u, moved);
    EXPECT_NEAR(norm(moved), 0, 1e-15);  // started at the origin: nothing but u
    return along;
  };
  const PointSetPtr ball = make_ball(3, 1).value();
  EXPECT_NEAR(step(make_bgd(bgd1_step, 0.5, 0.1, ball, Vector(3, 0.0)), 0.7), -0.07, 1e-15);
  EXPECT_NEAR(step(make_bgd(bgd2_step, 0.5, 0.1, ball, Vector(3, 0.0)), 0.7), -0.02, 1e-15);
  EXPECT_NEAR(step(make_bgd(bgd2_step, 0.5, 0.1, ball, Vector(3, 0.0)), 0.2), 0.03, 1e-15);
  EXPECT_EQ(step(make_bgd(bgd1_step, 0.5, 0.1, ball, Vector(3, 0.0)), 0.0), 0);
  EXPECT_EQ(step(make_bgd(bgd2_step, 0.5, 0.1, ball, Vector(3, 0.0)), 0.5), 0);  // w' = w
}

// v = -w^2, d = 1, w = 1, delta = .1: the proposal .9 wins with sigma(1 - .81) = .5474, the
// proposal 1.1 with sigma(1 - 1.21) = .4477.
TEST(Dbgd, wins_as_often_as_the_link_says) {
  EXPECT_NEAR(win_probability(PointProblem{}, Vector{0.9}, Vector{1}), 0.5474, 5e-5);
  EXPECT_NEAR(win_probability(PointProblem{}, Vector{1.1}, Vector{1}), 0.4477, 5e-5);
  constexpr int kPlays = 100'000;
  const Stream outcomes(2, 0, Purpose::outcome);
  std::vector<int> plays(2, 0), wins(2, 0);
  for (Round round = 1; round <= kPlays; ++round) {
    PointLearner learner = make(0.1, 0.01, make_ball(1, 10).value(), {1.0});
    const PointDuel duel = learner.select(round, kChoices.at(round));
    RoundRng coin = outcomes.at(round);
    const bool first = coin.bernoulli(win_probability(PointProblem{}, duel.first, duel.second));
    const std::size_t up = learner.direction()[0] > 0 ? 1 : 0;
    learner.observe(duel.ticket, {first ? Outcome::first_wins : Outcome::second_wins});
    ++plays[up];
    wins[up] += learner.moves() == 1 ? 1 : 0;
  }
  // About 5e4 plays each side: se .0022, 5 se = .011, a tenth of the difference to see.
  EXPECT_NEAR(static_cast<double>(wins[0]) / plays[0], 0.5474, 5 * std::sqrt(0.25 / plays[0]));
  EXPECT_NEAR(static_cast<double>(wins[1]) / plays[1], 0.4477, 5 * std::sqrt(0.25 / plays[1]));
}

// The relative loss c(x) = P(w beats x) around a fixed w in the plane.
struct Loss {
  PointProblem problem;
  Vector w;
  double operator()(const Vector& x) const { return win_probability(problem, w, x); }
};

// E_u[c(P(w + delta u)) u] over the circle: the trapezium rule on a smooth periodic function; with
// a projection the integrand has kinks and the error is of order 1/points^2.
Vector circle_mean(const Loss& loss, const PointSet& set, const Vector& at, double delta) {
  constexpr int kPoints = 20'000;
  Vector mean(2, 0.0);
  for (int k = 0; k < kPoints; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.5) / kPoints;
    const Vector u = {std::cos(angle), std::sin(angle)};
    Vector x = {at[0] + delta * u[0], at[1] + delta * u[1]};
    set.project(x);
    const double c = loss(x);
    for (std::size_t i = 0; i < 2; ++i) mean[i] += c * u[i] / kPoints;
  }
  return mean;
}

// The smoothed loss E_x[c(P(w + delta x))] over the disk: midpoints in (r^2, angle).
double smoothed(const Loss& loss, const PointSet& set, const Vector& at, double delta) {
  constexpr int kRadii = 300, kAngles = 600;
  double sum = 0;
  for (int r = 0; r < kRadii; ++r) {
    const double radius = delta * std::sqrt((r + 0.5) / kRadii);
    for (int a = 0; a < kAngles; ++a) {
      const double angle = 2 * std::numbers::pi * (a + 0.5) / kAngles;
      Vector x = {at[0] + radius * std::cos(angle), at[1] + radius * std::sin(angle)};
      set.project(x);
      sum += loss(x);
    }
  }
  return sum / (kRadii * kAngles);
}

// Lemma 2: E_u[c(P(w + delta u)) u] = (delta/d) grad of the smoothed loss, here by central
// differences, inside the set and where the projection cuts the circle.
TEST(Dbgd, estimator_is_the_gradient_of_the_smoothed_loss) {
  const PointSetPtr disk = make_ball(2, 1.5).value();
  for (const ValueFunction value : {ValueFunction::v1, ValueFunction::v4, ValueFunction::v5}) {
    for (const Vector& w : {Vector{0.5, -0.4}, Vector{1.2, 0.7}}) {
      const Loss loss{{value, Link::logistic}, w};
      const double delta = 0.6;
      const Vector mean = circle_mean(loss, *disk, w, delta);
      for (std::size_t i = 0; i < 2; ++i) {
        constexpr double kStep = 1e-2;
        Vector plus = w, minus = w;
        plus[i] += kStep;
        minus[i] -= kStep;
        const double gradient =
            (smoothed(loss, *disk, plus, delta) - smoothed(loss, *disk, minus, delta)) /
            (2 * kStep);
        // The midpoint rule errs by about 1/300^2 of the second derivative and the difference by
        // kStep^2/6 of the third; both are near 1e-5 here. The means are of the size of .1.
        EXPECT_NEAR(mean[i], delta / 2 * gradient, 2e-4) << value_name(value) << " " << w[0];
      }
    }
  }
}

// Lemma 1: E[X u] = -E_u[c(P(w + delta u)) u], X the event that the proposal wins: the mean of the
// learner's own moves divided by gamma. A sign error or a step along the projected direction fails.
TEST(Dbgd, mean_move_descends_the_loss) {
  const PointSetPtr disk = make_ball(2, 1.5).value();
  constexpr int kMoves = 200'000;
  constexpr double kDelta = 0.6, kGamma = 1e-3;
  const Stream outcomes(3, 0, Purpose::outcome);
  for (const Vector& w : {Vector{0.5, -0.4}, Vector{1.2, 0.7}}) {
    const Loss loss{{ValueFunction::v1, Link::logistic}, w};
    Vector mean(2, 0.0);
    for (Round round = 1; round <= kMoves; ++round) {
      PointLearner learner = make(kDelta, kGamma, disk, w);
      const PointDuel duel = learner.select(round, kChoices.at(round));
      RoundRng coin = outcomes.at(round);
      const bool first = coin.bernoulli(loss(copy(duel.second)));
      learner.observe(duel.ticket, {first ? Outcome::first_wins : Outcome::second_wins});
      for (std::size_t i = 0; i < 2; ++i)
        mean[i] += (learner.recommend()[i] - w[i]) / kGamma / kMoves;
    }
    const Vector expected = circle_mean(loss, *disk, w, kDelta);
    // |X u_i| <= 1, variance at most E u_i^2 = 1/2: se below .0016; 5 se = .008.
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(mean[i], -expected[i], 5 * std::sqrt(0.5 / kMoves)) << w[0];
    }
    EXPECT_GT(std::hypot(expected[0], expected[1]), 0.05);  // there is something to see
  }
}

TEST(PointTrial, regret_is_constant_without_steps) {
  PointLearner learner = make(0.5, 0.0, make_ball(50, 10).value(), Vector(50, std::sqrt(0.1)));
  const std::vector<Round> checkpoints = {20'000, 40'000};
  const Vector regret = play_points(learner, {}, checkpoints, 7, 0, "dbgd");
  EXPECT_EQ(learner.moves(), 0U);
  // Regret per round in [0, 1]; the two halves have the same law. v' = -(5 + .25 + 2 delta w.u) has
  // sd 2 (.5) sqrt(5)/sqrt(50) = .32, times the slope sigma' at -5: the sd of a round is below .01.
  EXPECT_NEAR(regret[0] / 20'000, (regret[1] - regret[0]) / 20'000, 5 * 0.01 / 100);
  // eps(w*, w) alone is sigma(5) - 1/2.
  EXPECT_GT(regret[0] / 20'000, win_probability(Link::logistic, 5) - 0.5);
}

TEST(PointTrial, is_the_literal_loop) {
  for (const char* name : {"dbgd(delta=0.4,gamma=0.05)", "dbgd(delta=0.4,gamma=0.05,batch=4)",
                           "bgd1(delta=0.4,gamma=0.05)", "bgd2(delta=0.4,gamma=0.05,batch=3)"}) {
    const PointSetPtr ball = make_ball(9, 1.2).value();
    const auto configured = configure_point_learner(name, ball, 0).value();
    const PointProblem problem{ValueFunction::v5, Link::probit};
    const auto learner = configured->make(Vector(9, 0.3));
    const std::vector<Round> checkpoints = {10, 500};
    const Vector fast = play_points(*learner, problem, checkpoints, 8, 2, "x");

    const auto twin = configured->make(Vector(9, 0.3));
    const Stream choices(8, 2, Purpose::choice, "x"), outcomes(8, 2, Purpose::outcome);
    const Vector best(9, 0.0);
    double regret = 0;
    for (Round round = 1; round <= 500; ++round) {
      const PointDuel duel = twin->select(round, choices.at(round));
      regret += win_probability(problem, best, duel.first) - 0.5;
      regret += win_probability(problem, best, duel.second) - 0.5;
      const double p = win_probability(problem, duel.first, duel.second);
      RoundRng coin = outcomes.at(round);
      twin->observe(duel.ticket,
                    {coin.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins, p});
      if (round == 10) {
        EXPECT_NEAR(fast[0], regret, 1e-12);
      }
    }
    EXPECT_NEAR(fast[1], regret, 1e-10) << name;
    EXPECT_EQ(copy(learner->recommend()), copy(twin->recommend())) << name;
  }
}

}  // namespace
}  // namespace duel
