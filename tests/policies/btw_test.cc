#include "duel/policies/btw.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "duel/policies/parts/arms.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature btw_signature("btw", 0xd36353ba63a492a3);
const RecordedSignature btwr_signature("btwr", 0x809d55b8d1d66356);

static_assert(Policy<Btw> && Policy<Btwr>);

class BeatTheWinnerTwin {
 public:
  BeatTheWinnerTwin(bool resets, Ties ties, std::size_t num_arms, RoundRng rng)
      : resets_(resets), ties_(ties) {
    std::vector<Arm> arms = all_arms(num_arms);
    shuffle(arms, rng);
    queue_.assign(arms.begin(), arms.end());
    incumbent_ = take();
    challenger_ = queue_.empty() ? incumbent_ : take();
  }
  Duel next(Round round, RoundRng) const { return {incumbent_, challenger_, round}; }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    const auto points = points_of(outcome, ties_, rng);
    if (!points || points->first == points->second) return;
    ++(points->first > points->second ? won_ : lost_);
    if (won_ == r_) {
      queue_.push_back(challenger_);
      r_ += 1;
    } else if (lost_ == r_) {
      queue_.push_back(incumbent_);
      incumbent_ = challenger_;
      r_ = resets_ ? 1 : r_ + 1;
    } else {
      return;
    }
    challenger_ = take();
    won_ = lost_ = 0;
  }

 private:
  Arm take() {
    const Arm arm = queue_.front();
    queue_.pop_front();
    return arm;
  }

  bool resets_;
  Ties ties_;
  std::deque<Arm> queue_;
  Arm incumbent_, challenger_;
  int r_ = 1, won_ = 0, lost_ = 0;
};

template <class P>
void expect_twin_agreement(bool resets) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    typename P::Options options;
    options.ties = static_cast<Ties>(seed % 3);
    expect_same_choices_as_twin<P>(options, 1 + seed % 7, seed, 500,
                                   [=](const auto& given, std::size_t k, RoundRng rng) {
                                     return BeatTheWinnerTwin(resets, given.ties, k, rng);
                                   });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(BeatTheWinner, makes_the_choices_of_its_literal_twin) { expect_twin_agreement<Btw>(false); }
TEST(BeatTheWinner, with_resets_makes_the_choices_of_its_literal_twin) {
  expect_twin_agreement<Btwr>(true);
}

// Queue 2, 0, 1: (2,0) 2 wins, r = 2; (2,1): 1, 1 win, 1 is incumbent and r = 1; (1,0): 1 wins, r =
// 2; (1,2): 1, 2, 2 win, 2 is incumbent and r = 1; then (2,0).
TEST(BeatTheWinner, with_resets_follows_the_trace_worked_out_by_hand) {
  const Stream stream(1, 0, Purpose::choice);
  for (std::uint64_t seed = 0;; ++seed) {
    Btwr policy({}, 3, Stream(seed, 0, Purpose::choice).at(0));
    if (policy.queue() != std::vector<Arm>{2, 0, 1}) continue;
    const std::vector<PlayedPair> expected = {{2, 0}, {2, 1}, {2, 1}, {1, 0},
                                              {1, 2}, {1, 2}, {1, 2}, {2, 0}};
    const std::vector<Arm> winners = {2, 1, 1, 1, 1, 2, 2, 2};
    const std::vector<std::uint64_t> targets = {2, 2, 1, 2, 2, 2, 1, 2};
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const Duel duel = policy.take(k + 1, stream.at(k + 1));
      if (k == 3) {
        // The incumbent needs one win only: r = 1.
        EXPECT_EQ(policy.target(), 1U);
      }
      EXPECT_EQ((PlayedPair{duel.first, duel.second}), expected[k]) << "round " << k + 1;
      policy.observe(duel, duel.first == winners[k] ? Outcome::first_wins : Outcome::second_wins,
                     stream.at(k + 1));
      EXPECT_EQ(policy.target(), targets[k]) << "after round " << k + 1;
    }
    return;
  }
}

TEST(BeatTheWinner, ignores_answers_of_a_bout_that_is_over) {
  const Stream stream(1, 0, Purpose::choice);
  Btw policy({}, 3, stream.at(0));
  const Duel first = policy.take(1, stream.at(1));
  const Duel late = policy.take(2, stream.at(2));
  policy.observe(first, Outcome::first_wins, stream.at(1));
  const Duel next = policy.take(3, stream.at(3));
  policy.observe(late, Outcome::second_wins, stream.at(2));
  EXPECT_EQ(policy.target(), 2U);
  EXPECT_EQ(policy.select(4, stream.at(4)).second, next.second);
}

}  // namespace
}  // namespace duel
