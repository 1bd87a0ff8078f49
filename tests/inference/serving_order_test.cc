#include "duel/inference/serving_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

struct Released {
  std::vector<std::pair<std::uint64_t, Outcome>> list;
  void operator()(const Duel& duel, Outcome outcome) { list.emplace_back(duel.round, outcome); }
};

TEST(ServingOrder, holds_an_answer_back_until_earlier_duels_of_its_pair_are_final) {
  ServingOrder order;
  Released out;
  order.served(0, 0, 1, out);
  order.served(1, 1, 0, out);
  order.served(2, 0, 2, out);
  order.answered(1, Outcome::first_wins, out);
  EXPECT_TRUE(out.list.empty());
  order.answered(2, Outcome::tie, out);  // another pair does not wait
  ASSERT_EQ(out.list.size(), 1U);
  EXPECT_EQ(out.list[0].first, 2U);
  EXPECT_EQ(order.waiting(), 2U);
  order.answered(0, Outcome::none, out);  // an expired duel is final
  ASSERT_EQ(out.list.size(), 3U);
  EXPECT_EQ(out.list[1], std::make_pair(std::uint64_t{0}, Outcome::none));
  EXPECT_EQ(out.list[2], std::make_pair(std::uint64_t{1}, Outcome::first_wins));
  EXPECT_EQ(order.waiting(), 0U);
}

TEST(ServingOrder, takes_an_answer_before_its_serve_and_counts_the_first_answer_only) {
  ServingOrder order;
  Released out;
  EXPECT_EQ(order.answered(1, Outcome::second_wins, out), ServingOrder::Taken::applied);
  EXPECT_EQ(order.answered(1, Outcome::first_wins, out), ServingOrder::Taken::duplicate);
  order.served(1, 0, 1, out);
  EXPECT_TRUE(out.list.empty()) << "serve 0 is unknown and may belong to the pair";
  order.served(0, 0, 1, out);
  EXPECT_TRUE(out.list.empty());
  order.answered(0, Outcome::first_wins, out);
  ASSERT_EQ(out.list.size(), 2U);
  EXPECT_EQ(out.list[1].second, Outcome::second_wins);
  EXPECT_EQ(order.answered(0, Outcome::second_wins, out), ServingOrder::Taken::duplicate);
  EXPECT_EQ(order.served(1, 0, 1, out), ServingOrder::Taken::duplicate);
}

// The second telling names other arms, as a fault of the teller would.
TEST(ServingOrder, counts_a_serve_once_that_is_told_again_while_it_waits) {
  ServingOrder order;
  Released out;
  EXPECT_EQ(order.served(0, 0, 1, out), ServingOrder::Taken::applied);
  EXPECT_EQ(order.served(0, 0, 2, out), ServingOrder::Taken::duplicate);
  EXPECT_EQ(order.served(2, 0, 1, out), ServingOrder::Taken::applied);
  EXPECT_EQ(order.served(2, 1, 2, out), ServingOrder::Taken::duplicate) << "before 1 is known";
  EXPECT_EQ(order.waiting(), 2U);
  order.answered(2, Outcome::first_wins, out);
  order.served(1, 0, 2, out);
  EXPECT_TRUE(out.list.empty()) << "0 is of the pair of 2";
  order.answered(0, Outcome::tie, out);
  ASSERT_EQ(out.list.size(), 2U);
  EXPECT_EQ(out.list[0].first, 0U);
  EXPECT_EQ(out.list[1].first, 2U);
  EXPECT_EQ(order.waiting(), 1U);
}

// Against the definition, computed again after every event: per pair, the answers of the longest
// prefix, among serves with no unknown serve before them, whose duels are final.
TEST(ServingOrder, releases_the_longest_final_prefix_of_each_pair_in_any_order_of_events) {
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    RoundRng rng = Stream(11, trial, Purpose::test, "serving_order").at(1);
    constexpr std::uint64_t kServes = 40;
    std::vector<Duel> duels;
    std::vector<std::pair<std::uint64_t, bool>> events;  // ordinal, is it the answer
    for (std::uint64_t k = 0; k < kServes; ++k) {
      duels.push_back({.first = static_cast<Arm>(rng.below(3)),
                       .second = static_cast<Arm>(rng.below(3)),
                       .round = k});
      events.emplace_back(k, false);
      if (rng.below(10) != 0) events.emplace_back(k, true);  // some never answer
    }
    for (std::size_t k = events.size(); k > 1; --k) {
      std::swap(events[k - 1], events[rng.below(k)]);
    }
    ServingOrder order;
    std::map<std::pair<Arm, Arm>, std::vector<std::uint64_t>> seen;
    const auto key = [](Arm a, Arm b) { return std::make_pair(std::min(a, b), std::max(a, b)); };
    const auto sink = [&](const Duel& duel, Outcome outcome) {
      EXPECT_EQ(outcome, static_cast<Outcome>(duel.round % 6));
      seen[key(duel.first, duel.second)].push_back(duel.round);
    };
    std::vector<bool> known(kServes), answered(kServes);
    for (const auto& [ordinal, is_answer] : events) {
      if (is_answer) {
        order.answered(ordinal, static_cast<Outcome>(ordinal % 6), sink);
        answered[ordinal] = true;
      } else {
        order.served(ordinal, duels[ordinal].first, duels[ordinal].second, sink);
        known[ordinal] = true;
      }
      std::map<std::pair<Arm, Arm>, std::vector<std::uint64_t>> expected;
      std::map<std::pair<Arm, Arm>, bool> blocked;
      std::uint64_t count = 0;
      for (std::uint64_t k = 0; k < kServes && known[k]; ++k) {
        const auto pair = key(duels[k].first, duels[k].second);
        if (!answered[k]) blocked[pair] = true;
        if (blocked[pair]) continue;
        expected[pair].push_back(k);
        ++count;
      }
      ASSERT_EQ(seen, expected);
      ASSERT_EQ(order.released(), count);
    }
  }
}

}  // namespace
}  // namespace duel
