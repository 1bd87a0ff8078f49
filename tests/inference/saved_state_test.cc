// A certifier whose state was saved and read again says from there on what the one says that lived
// through everything. A field that is forgotten would give a false certificate, or none, after the
// restart of a server and never before.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/archive.h"
#include "duel/core/archive_containers.h"
#include "duel/core/rng.h"
#include "duel/inference/certificate.h"
#include "duel/inference/order_certificate.h"
#include "duel/inference/score_certificate.h"
#include "duel/inference/serving_order.h"

namespace duel {
namespace {

template <class T>
std::string saved(const T& object) {
  StateWriter writer;
  writer(object);
  return writer.finish();
}

// Whether the state was taken; it may have been changed if not.
template <class T>
bool restore(T& object, const std::string& state) {
  StateReader reader = StateReader::open(state).value();
  reader(object);
  return reader.complete() && object.restored();
}

// The steps done by one that lives through all of them, and by others that are each saved and read
// before some step, the end included.
template <class T>
void expect_the_same_wherever_it_is_cut(const std::function<T()>& fresh,
                                        const std::vector<std::function<void(T&)>>& steps,
                                        std::size_t every) {
  T whole = fresh(), before_cut = fresh();
  for (const auto& step : steps) step(whole);
  for (std::size_t cut = 0; cut <= steps.size(); ++cut) {
    if (cut % every == 0 || cut == steps.size()) {
      T restored = fresh();
      ASSERT_TRUE(restore(restored, saved(before_cut))) << cut;
      for (std::size_t k = cut; k < steps.size(); ++k) steps[k](restored);
      ASSERT_EQ(saved(restored), saved(whole)) << cut;
    }
    if (cut < steps.size()) steps[cut](before_cut);
  }
}

// A serving order together with what it released.
struct Released {
  ServingOrder order;
  std::vector<std::uint64_t> list;

  void operator()(const Duel& duel, Outcome outcome) {
    list.push_back(duel.round);
    list.push_back(duel.first);
    list.push_back(duel.second);
    list.push_back(static_cast<std::uint64_t>(outcome));
  }
  void fields(auto& archive) { archive(order, list); }
  bool restored() const { return order.restored(); }
};

TEST(SavedState, of_a_serving_order_releases_what_the_whole_does) {
  for (std::uint32_t trial = 0; trial < 10; ++trial) {
    RoundRng rng = Stream(12, trial, Purpose::test, "saved_state").at(1);
    std::vector<std::function<void(Released&)>> steps;
    for (std::uint64_t k = 0; k < 40; ++k) {
      const auto first = static_cast<Arm>(rng.below(3)), second = static_cast<Arm>(rng.below(3));
      const auto outcome = static_cast<Outcome>(rng.below(6));
      steps.emplace_back([=](Released& out) { out.order.served(k, first, second, out); });
      if (rng.below(10) == 0) continue;  // some never answer
      steps.emplace_back([=](Released& out) { out.order.answered(k, outcome, out); });
    }
    for (std::size_t k = steps.size(); k > 1; --k) std::swap(steps[k - 1], steps[rng.below(k)]);
    expect_the_same_wherever_it_is_cut<Released>([] { return Released(); }, steps, 1);
  }
}

// A ring of 16 that is full: its end is its beginning.
TEST(SavedState, of_a_serving_order_holds_as_many_duels_as_its_ring_has_room_for) {
  for (const std::uint64_t waiting : {15U, 16U, 17U, 32U}) {
    ServingOrder order, other;
    const auto sink = [](const Duel&, Outcome) {};
    for (std::uint64_t k = 0; k < waiting; ++k) order.served(k, 0, 1, sink);
    ASSERT_TRUE(restore(other, saved(order))) << waiting;
    EXPECT_EQ(other.waiting(), waiting);
    EXPECT_EQ(other.served(waiting, 0, 1, sink), ServingOrder::Taken::applied);
    EXPECT_EQ(other.waiting(), waiting + 1);
  }
}

// One duel of arms 0 and 1 that waits, in the fields of the state as they are written, and the same
// with one of them wrong.
TEST(SavedState, of_a_serving_order_is_refused_where_it_contradicts_itself) {
  struct Fields {
    std::uint64_t base = 0, enqueued = 1, known = 1, released = 0;
    std::vector<std::uint64_t> queues_by_word;  // head and tail of a queue: its length is of queues
    std::vector<std::uint64_t> next = {~std::uint64_t{0}};
    std::vector<Arm> arms = {0, 1};
    std::vector<std::uint8_t> marks = {5, 0, 1};  // no outcome, open, served
  };
  const auto taken = [](const Fields& fields) {
    StateWriter writer;
    writer(fields.base, fields.enqueued, fields.known, fields.released, fields.queues_by_word,
           fields.next, fields.arms, fields.marks);
    ServingOrder order;
    return restore(order, writer.finish());
  };
  EXPECT_TRUE(taken({}));
  EXPECT_FALSE(taken({.known = 2}));
  EXPECT_FALSE(taken({.known = 1, .released = 1}));
  EXPECT_FALSE(taken({.enqueued = 2}));
  EXPECT_FALSE(taken({.base = 2}));
  EXPECT_FALSE(taken({.arms = {0}}));
  EXPECT_FALSE(taken({.marks = {5, 0}}));
}

// Answers of all kinds to random pairs of four arms, the stronger of which has the lower number or,
// in a circle, the number before its own.
template <class T>
std::vector<std::function<void(T&)>> answers(std::uint32_t trial, int duels, bool circle) {
  RoundRng rng = Stream(13, trial, Purpose::test, "saved_state").at(1);
  std::vector<std::function<void(T&)>> steps;
  for (int k = 0; k < duels; ++k) {
    const auto i = static_cast<Arm>(rng.below(4)), j = static_cast<Arm>((i + 1 + rng.below(3)) % 4);
    const bool i_is_stronger = circle ? (i + 1) % 4 == j || (i == 0 && j == 2) : i < j;
    const bool i_wins = rng.bernoulli(i_is_stronger ? 0.9 : 0.1);
    const Outcome outcome = rng.below(6) == 0 ? Outcome::tie
                            : i_wins          ? Outcome::first_wins
                                              : Outcome::second_wins;
    steps.emplace_back([=](T& taker) { taker.observe({.first = i, .second = j}, outcome); });
  }
  return steps;
}

TEST(SavedState, of_a_certifier_certifies_what_the_whole_does) {
  const std::vector<CertificateOptions> all = {
      {.alpha = 0.05},
      {.alpha = 0.05, .arms_fixed = true},
      {.alpha = 0.05, .arms_fixed = true, .min_decisive_per_pair = 40},
      {.alpha = 0.05, .epsilon = 0.1},
      {.alpha = 0.05, .arms_fixed = true, .winner_exists = true}};
  int winners = 0, circles = 0;
  for (const CertificateOptions& options : all) {
    for (const bool circle : {false, true}) {
      const auto fresh = [&] { return Certifier::make(4, options).value(); };
      const auto steps = answers<Certifier>(1, 500, circle);
      expect_the_same_wherever_it_is_cut<Certifier>(fresh, steps, 9);
      Certifier whole = fresh();
      for (const auto& step : steps) step(whole);
      winners += whole.winner() ? 1 : 0;
      circles += whole.no_winner() ? 1 : 0;
    }
  }
  EXPECT_GE(winners, 4);
  EXPECT_GE(circles, 3);
}

// Arm 3 is retired without a duel, arm 2 after one, and arm 4 joins: thresholds follow from each.
TEST(SavedState, of_a_certifier_knows_which_arms_joined_and_which_left) {
  using Steps = std::vector<std::function<void(Certifier&)>>;
  const auto win = [](Arm winner, Arm loser) {
    return [=](Certifier& certifier) {
      certifier.observe({.first = winner, .second = loser}, Outcome::first_wins);
    };
  };
  Steps steps;
  steps.emplace_back([](Certifier& one) { one.served({.first = 2, .second = 0}); });
  steps.emplace_back([](Certifier& one) { ASSERT_TRUE(one.retire(3).ok()); });
  for (int k = 0; k < 10; ++k) steps.emplace_back(win(0, 1));
  steps.emplace_back([](Certifier& one) { ASSERT_TRUE(one.add_arm().ok()); });
  steps.emplace_back([](Certifier& one) { ASSERT_TRUE(one.retire(2).ok()); });
  for (int k = 0; k < 30; ++k) steps.emplace_back(win(0, 1));
  for (int k = 0; k < 30; ++k) steps.emplace_back(win(0, 4));
  const auto fresh = [] { return Certifier::make(4, {.alpha = 0.05}).value(); };
  expect_the_same_wherever_it_is_cut<Certifier>(fresh, steps, 1);
  Certifier whole = fresh();
  for (const auto& step : steps) step(whole);
  EXPECT_TRUE(whole.winner());
}

TEST(SavedState, of_a_certifier_remembers_its_one_look) {
  const CertificateOptions options{.alpha = 0.05, .arms_fixed = true, .one_look = true};
  std::vector<std::function<void(Certifier&)>> steps = answers<Certifier>(2, 100, false);
  steps.emplace_back([](Certifier& certifier) { certifier.look(); });
  for (const auto& late : answers<Certifier>(3, 200, false)) steps.push_back(late);
  expect_the_same_wherever_it_is_cut<Certifier>([&] { return Certifier::make(4, options).value(); },
                                                steps, 1);
}

// The certifier of the pairs with that of the order, as an experiment holds them.
struct Orders {
  Certifier pairs;
  OrderCertifier orders;

  void observe(const Duel& duel, Outcome outcome) {
    pairs.observe(duel, outcome);
    orders.observe(pairs, duel.first, duel.second);
  }
  void fields(auto& archive) { archive(pairs, orders); }
  bool restored() const { return pairs.restored() && orders.restored(); }
};

TEST(SavedState, of_an_order_certifies_what_the_whole_does) {
  int given = 0;
  for (const Goal& goal : {Goal(Goal::set, 2), Goal(Goal::order, 2), Goal(Goal::ranking)}) {
    for (const bool circle : {false, true}) {
      const CertificateOptions options{.alpha = 0.05, .arms_fixed = true};
      const auto fresh = [&] {
        return Orders{Certifier::make(4, options).value(),
                      OrderCertifier::make(goal, 4, options).value()};
      };
      const auto steps = answers<Orders>(4, 600, circle);
      expect_the_same_wherever_it_is_cut<Orders>(fresh, steps, 9);
      Orders whole = fresh();
      for (const auto& step : steps) step(whole);
      given += whole.orders.certificate() ? 1 : 0;
    }
  }
  EXPECT_GE(given, 3);
}

// Wins as a certifier of scores takes them.
struct Scores {
  ScoreCertifier board;

  void observe(const Duel& duel, Outcome outcome) {
    if (outcome == Outcome::first_wins) board.observe(duel.first, duel.second);
    if (outcome == Outcome::second_wins) board.observe(duel.second, duel.first);
  }
  void fields(auto& archive) { archive(board); }
  bool restored() const { return board.restored(); }
};

TEST(SavedState, of_scores_settles_what_the_whole_does) {
  int settled = 0;
  for (const Score score : {Score::copeland, Score::borda}) {
    for (const Looks looks : {Looks::every_duel, Looks::every_fiftieth, Looks::once}) {
      for (const bool lowest_only : {false, true}) {
        const auto fresh = [&] {
          Scores scores{ScoreCertifier::make(4, score, 0.2, 20, looks).value()};
          if (lowest_only) scores.board.settle_the_lowest_only();
          return scores;
        };
        auto steps = answers<Scores>(5, 1500, false);
        if (looks == Looks::once) {
          steps.insert(steps.begin() + 1400, [](Scores& scores) { scores.board.look(); });
        }
        expect_the_same_wherever_it_is_cut<Scores>(fresh, steps, 75);
        Scores whole = fresh();
        for (const auto& step : steps) step(whole);
        settled += whole.board.winner() ? 1 : 0;
      }
    }
  }
  EXPECT_GE(settled, 8);
}

TEST(SavedState, of_other_numbers_of_arms_is_refused) {
  const CertificateOptions options{.arms_fixed = true};
  const auto scores = [](std::size_t num_arms) {
    return ScoreCertifier::make(num_arms, Score::copeland, 0.05).value();
  };
  const auto orders = [&](std::size_t num_arms) {
    return OrderCertifier::make(Goal::ranking, num_arms, options).value();
  };
  for (const std::size_t num_arms : {3U, 5U}) {
    ScoreCertifier four_scores = scores(4);
    OrderCertifier four_orders = orders(4);
    EXPECT_FALSE(restore(four_scores, saved(scores(num_arms))));
    EXPECT_FALSE(restore(four_orders, saved(orders(num_arms))));
  }
}

}  // namespace
}  // namespace duel
