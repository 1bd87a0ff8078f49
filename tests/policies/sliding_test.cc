#include "duel/policies/sliding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "duel/policies/imed.h"
#include "tests/policies/signature.h"
#include "tests/policies/wrapped.h"

namespace duel {
namespace {

const RecordedSignature sliding_signature("sliding", 0xfd92a88bc5ebf772);
const RecordedSignature discount_signature("discount", 0xacb3263a49bfe872);

static_assert(Policy<Sliding> && JumpingPolicy<Sliding> && Policy<Discount>);

// Keeps every answer with its round, and looks through all of them whenever an eighth of a window
// has gone by.
class SlidingTwin {
 public:
  SlidingTwin(const SlidingOptions& options, RoundRng rng)
      : options_(options), inner_(options.configured->make(rng)) {}

  Duel next(Round round, RoundRng rng) {
    Duel duel = inner_->select(round - start_, rng);
    inner_->issued(duel, rng);
    duel.round = round;
    return duel;
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    Duel own = duel;
    own.round -= start_;
    inner_->observe(own, outcome, rng);
    rng.coin();
    if (!duel.is_self()) all_.push_back({duel, outcome});
    const Round step = std::max<Round>(options_.window / 8, 1);
    if (duel.round < options_.window + step || (duel.round - options_.window) % step != 0) return;
    start_ = duel.round - options_.window;
    inner_ = options_.configured->make(rng);
    for (const auto& [past, answer] : all_) {
      if (past.round <= start_) continue;
      rng.coin();
      inner_->observe({past.first, past.second, 0, true}, answer, rng);
    }
  }

 private:
  struct Told {
    Duel duel;
    Outcome outcome;
  };
  SlidingOptions options_;
  std::unique_ptr<AnyPolicy> inner_;
  std::vector<Told> all_;
  Round start_ = 0;
};

TEST(Sliding, is_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 5;
    const char* const inners[] = {"rucb", "dts", "imed", "ws-s"};
    auto options = wrapping<SlidingOptions>(inners[seed / 5 % 4], num_arms);
    options.window = 1 + 17 * (seed % 12);
    const RoundRng rng = Stream(seed, 0, Purpose::choice).at(0);
    Sliding policy(options, num_arms, rng);
    SlidingTwin twin(options, rng);
    expect_same_choices_under_change(policy, twin, random_matrix(num_arms, seed), seed, 1500);
  }
}

// Keeps every answer with the round until which it is known, h log2(1/u) rounds after its own.
class DiscountTwin {
 public:
  DiscountTwin(const DiscountOptions& options, RoundRng rng)
      : options_(options), inner_(options.configured->make(rng)) {}

  Duel next(Round round, RoundRng rng) {
    Duel duel = inner_->select(round - start_, rng);
    inner_->issued(duel, rng);
    duel.round = round;
    return duel;
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    const auto half_life = static_cast<double>(options_.half_life);
    Duel own = duel;
    own.round -= start_;
    inner_->observe(own, outcome, rng);
    rng.coin();
    if (!duel.is_self()) {
      const double lifetime = -half_life * std::log2(rng.uniform_open());
      all_.push_back({duel, outcome, duel.round + static_cast<Round>(lifetime)});
    }
    if (duel.round % std::max<Round>(options_.half_life / 8, 1) != 0) return;
    // The clock shows the sum of all weights, 1/(1 - 2^(-1/h)), at most.
    const auto most = static_cast<Round>(std::ceil(1 / (1 - std::exp2(-1 / half_life))));
    start_ = duel.round - std::min(duel.round, most);
    inner_ = options_.configured->make(rng);
    for (const auto& [past, answer, until] : all_) {
      if (until <= duel.round) continue;
      rng.coin();
      inner_->observe({past.first, past.second, 0, true}, answer, rng);
    }
  }

 private:
  struct Told {
    Duel duel;
    Outcome outcome;
    Round until;
  };
  DiscountOptions options_;
  std::unique_ptr<AnyPolicy> inner_;
  std::vector<Told> all_;
  Round start_ = 0;
};

TEST(Discount, is_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 5;
    const char* const inners[] = {"rucb", "dts", "imed", "ws-s"};
    auto options = wrapping<DiscountOptions>(inners[seed / 5 % 4], num_arms);
    options.half_life = 1 + 17 * (seed % 12);
    const RoundRng rng = Stream(seed, 0, Purpose::choice).at(0);
    Discount policy(options, num_arms, rng);
    DiscountTwin twin(options, rng);
    expect_same_choices_under_change(policy, twin, random_matrix(num_arms, seed), seed, 1500);
  }
}

TEST(Sliding, is_its_inner_policy_bit_for_bit_with_a_window_of_all_rounds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::size_t num_arms = 2 + seed % 5;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const auto alone = record_trial<Imed>({}, matrix, seed, 0, 3000, true);
    auto options = wrapping<SlidingOptions>("imed", num_arms);
    options.window = 3000;
    for (const bool jumping : {true, false}) {
      const auto windowed = record_trial<Sliding>(options, matrix, seed, 0, 3000, jumping);
      ASSERT_EQ(windowed.pairs, alone.pairs) << "seed " << seed;
    }
  }
}

TEST(Sliding, jumps_change_nothing) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::size_t num_arms = 2 + seed % 4;
    auto options = wrapping<SlidingOptions>(seed % 2 == 0 ? "imed" : "rucb", num_arms);
    options.window = 40 * seed;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const auto played = record_trial<Sliding>(options, matrix, seed, 0, 3000, false);
    const auto jumped = record_trial<Sliding>(options, matrix, seed, 0, 3000, true);
    ASSERT_EQ(jumped.pairs, played.pairs) << "seed " << seed;
  }
}

// Tells one duel per round and looks at how many are remembered.
template <class P>
double remembered_on_average(const typename P::Options& options, Round rounds) {
  double sum = 0;
  for (std::uint32_t run = 0; run < 200; ++run) {
    const Stream stream(run, 0, Purpose::choice);
    P policy(options, 2, stream.at(0));
    for (Round t = 1; t <= rounds; ++t) {
      Duel duel = policy.take(t, stream.at(t));
      duel.second = 1 - duel.first;  // so that each round adds an answer
      policy.observe(duel, Outcome::first_wins, stream.at(t));
    }
    sum += static_cast<double>(policy.remembered());
  }
  return sum / 200;
}

TEST(Sliding, remembers_the_window) {
  auto options = wrapping<SlidingOptions>("uniform", 2);
  options.window = 80;
  // Full at round 90 for the first time, then cut at 90, 100, ..; 95: five more.
  EXPECT_EQ(remembered_on_average<Sliding>(options, 89), 89);
  EXPECT_EQ(remembered_on_average<Sliding>(options, 90), 80);
  EXPECT_EQ(remembered_on_average<Sliding>(options, 95), 85);
}

// An answer of age m is remembered with probability 2^(-m/h). With h = 80 and 400 rounds, right
// after the policy was rebuilt: the sum over m = 1 .. 400 of 2^(-m/80) = (1 - 2^-5)/(2^(1/80) - 1)
// = 111.3 (the answer of the round itself has age 1 in the next). Its variance is the sum of
// p (1 - p), below 60; the mean of 200 runs has a standard error below 0.55. Forgetting with 1/h a
// round in place of ln 2/h would give 80.
TEST(Discount, remembers_as_many_answers_as_discounting_leaves_on_average) {
  auto options = wrapping<DiscountOptions>("uniform", 2);
  options.half_life = 80;
  const double expected = (1 - std::exp2(-5.0)) / (std::exp2(1 / 80.0) - 1);
  EXPECT_NEAR(remembered_on_average<Discount>(options, 400), expected, 5 * 0.55);
}

// Arm 0 wins 0.8 of its duels for 20 000 rounds and 0.2 afterwards: imed by itself has hundreds of
// wins to forget.
template <class P>
int followed(const typename P::Options& options) {
  int followed = 0;
  for (std::uint32_t run = 0; run < 20; ++run) {
    const TrialStreams streams(run, 0, "follows");
    P policy(options, 2, streams.choice.at(0));
    const Stream nature(run, 0, Purpose::test, "nature");
    for (Round t = 1; t <= 26'000; ++t) {
      const Duel duel = policy.take(t, streams.choice.at(t));
      RoundRng draw = nature.at(t);
      const double p = duel.is_self() ? 0.5 : t <= 20'000 ? 0.8 : 0.2;
      const bool zero_wins = draw.uniform() < p;
      policy.observe(duel,
                     zero_wins == (duel.first == 0) ? Outcome::first_wins : Outcome::second_wins,
                     streams.answer.at(t));
    }
    followed += policy.recommend(streams.recommend.at(0)) == 1 ? 1 : 0;
  }
  return followed;
}

TEST(Sliding, follows_a_change) {
  auto options = wrapping<SlidingOptions>("imed", 2);
  options.window = 3000;
  EXPECT_EQ(followed<Sliding>(options), 20);
  options.window = 30'000;
  EXPECT_LT(followed<Sliding>(options), 10) << "the window still holds what was before";
}

TEST(Discount, follows_a_change) {
  auto options = wrapping<DiscountOptions>("imed", 2);
  options.half_life = 1000;
  EXPECT_EQ(followed<Discount>(options), 20);
}

}  // namespace
}  // namespace duel
