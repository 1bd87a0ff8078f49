#include "duel/inference/panel_count.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

namespace duel {
namespace {

constexpr int kAnswers[] = {-1, 0, 1};

TEST(PanelCount, an_arm_beats_another_when_the_answers_to_come_cannot_change_it) {
  PanelCount count(2);
  count.set_most_answers(5);
  count.answer(0, 1, 1);
  count.answer(1, 0, -1);
  EXPECT_EQ(count.lead(0, 1), 2);
  EXPECT_FALSE(count.beats(0, 1));  // 2 : 0, and 3 to come
  count.answer(0, 1, 0);
  EXPECT_FALSE(count.beats(0, 1));  // 2 are left, who could make it even
  EXPECT_TRUE(count.cannot_beat(1, 0));
  count.answer(0, 1, 1);
  EXPECT_TRUE(count.beats(0, 1));
}

TEST(PanelCount, nothing_is_certain_before_the_size_is_known) {
  PanelCount count(2);
  for (int k = 0; k < 9; ++k) count.answer(0, 1, 1);
  EXPECT_FALSE(count.beats(0, 1));
  EXPECT_TRUE(count.open(count.possible_winners(), 0, 1));
  count.set_most_answers(10);
  EXPECT_TRUE(count.beats(0, 1));
}

// Every way in which two or three pairs can have been answered so far, against every way in which
// they can end.
class SlowTwin {
 public:
  SlowTwin(std::size_t num_arms, int people) : num_arms_(num_arms), people_(people) {
    for (Arm i = 0; i < num_arms; ++i) {
      for (Arm j = i + 1; j < num_arms; ++j) pairs_.push_back({.first = i, .second = j});
    }
  }

  // Calls visit with each state: the sum and the number of answers of each pair.
  void for_each_state(const std::function<void(const std::vector<std::pair<int, int>>&)>& visit) {
    std::vector<std::pair<int, int>> state(pairs_.size());
    states(state, 0, visit);
  }
  // The winner of each way in which the state can end: num_arms for none.
  std::vector<bool> endings(const std::vector<std::pair<int, int>>& state) const {
    std::vector<bool> possible(num_arms_ + 1);
    std::vector<int> sums(pairs_.size());
    end(state, sums, 0, possible);
    return possible;
  }
  PanelCount count_of(const std::vector<std::pair<int, int>>& state) const {
    PanelCount count(num_arms_);
    count.set_most_answers(static_cast<std::uint64_t>(people_));
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const auto [sum, answers] = state[k];
      for (int given = 0; given < answers; ++given) {
        const int left = std::abs(sum) - given;
        count.answer(pairs_[k].first, pairs_[k].second, left <= 0 ? 0 : sum > 0 ? 1 : -1);
      }
    }
    return count;
  }
  const std::vector<Duel>& pairs() const { return pairs_; }

 private:
  void states(std::vector<std::pair<int, int>>& state, std::size_t at,
              const std::function<void(const std::vector<std::pair<int, int>>&)>& visit) {
    if (at == pairs_.size()) return visit(state);
    for (int answers = 0; answers <= people_; ++answers) {
      for (int sum = -answers; sum <= answers; ++sum) {
        state[at] = {sum, answers};
        states(state, at + 1, visit);
      }
    }
  }
  void end(const std::vector<std::pair<int, int>>& state, std::vector<int>& sums, std::size_t at,
           std::vector<bool>& possible) const {
    if (at == pairs_.size()) {
      possible[winner_of(sums)] = true;
      return;
    }
    const int left = people_ - state[at].second;
    for (int more = -left; more <= left; ++more) {
      sums[at] = state[at].first + more;
      end(state, sums, at + 1, possible);
    }
  }
  std::size_t winner_of(const std::vector<int>& sums) const {
    std::vector<std::size_t> beats(num_arms_);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (sums[k] > 0) ++beats[pairs_[k].first];
      if (sums[k] < 0) ++beats[pairs_[k].second];
    }
    for (std::size_t i = 0; i < num_arms_; ++i) {
      if (beats[i] + 1 == num_arms_) return i;
    }
    return num_arms_;
  }

  std::size_t num_arms_;
  int people_;
  std::vector<Duel> pairs_;
};

void holds_against_every_ending(std::size_t num_arms, int people) {
  SlowTwin twin(num_arms, people);
  twin.for_each_state([&](const std::vector<std::pair<int, int>>& state) {
    const std::vector<bool> endings = twin.endings(state);
    const PanelCount count = twin.count_of(state);
    const std::vector<bool> may_win = count.possible_winners();
    bool decided = true;
    for (const Duel& pair : twin.pairs()) {
      decided = decided && !count.open(may_win, pair.first, pair.second);
    }
    int possible = 0;
    for (const bool ending : endings) possible += ending ? 1 : 0;
    EXPECT_EQ(decided, possible == 1);
    for (Arm i = 0; i < num_arms; ++i) {
      EXPECT_EQ(may_win[i], endings[i]);
      bool beats_all = true;
      for (Arm j = 0; j < num_arms; ++j) beats_all = beats_all && (j == i || count.beats(i, j));
      EXPECT_EQ(beats_all, endings[i] && possible == 1);
    }
  });
}

TEST(PanelCount, says_what_every_way_of_going_on_would_say) {
  holds_against_every_ending(2, 6);
  holds_against_every_ending(3, 2);
  holds_against_every_ending(3, 3);
}

// Some order in which the rest answers, and who is asked by whom, are an adversary's: what is
// certain once stays certain, and it is the truth.
TEST(PanelCount, stays_certain_in_every_order_of_the_answers) {
  constexpr int kPeople = 5;
  std::vector<int> answers;
  const std::function<void(PanelCount, std::optional<bool>)> go = [&](PanelCount count,
                                                                      std::optional<bool> said) {
    if (said == true) {
      EXPECT_TRUE(count.beats(0, 1));
    }
    if (said == false) {
      EXPECT_TRUE(count.cannot_beat(0, 1));
    }
    EXPECT_FALSE(count.beats(0, 1) && count.cannot_beat(0, 1));
    if (count.beats(0, 1)) said = true;
    if (count.cannot_beat(0, 1)) said = false;
    if (count.answers(0, 1) == kPeople) {
      EXPECT_EQ(said, count.lead(0, 1) > 0);
      return;
    }
    for (const int answer : kAnswers) {
      PanelCount next = count;
      next.answer(0, 1, answer);
      go(std::move(next), said);
    }
  };
  PanelCount count(2);
  count.set_most_answers(kPeople);
  go(count, std::nullopt);
}

}  // namespace
}  // namespace duel
