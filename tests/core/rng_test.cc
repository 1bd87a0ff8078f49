#include "duel/core/rng.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <vector>

namespace duel {
namespace {

using Words4 = std::array<std::uint32_t, 4>;
using Words2 = std::array<std::uint32_t, 2>;

// Philox4x32-10 transcribed from Salmon et al., SC 2011: the slow twin.
Words4 slow_philox(Words4 counter, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

Words4 library_philox(Words4 counter, Words2 key) {
  const auto out =
      r123::Philox4x32()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  return {out[0], out[1], out[2], out[3]};
}

std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
  return low | (static_cast<std::uint64_t>(high) << 32);
}

// The documented layout: counter (round low, round high, trial, index), two words per block.
std::vector<std::uint64_t> slow_bits(std::uint64_t key, std::uint32_t trial, Round round,
                                     std::size_t size) {
  std::vector<std::uint64_t> bits;
  for (std::uint32_t index = 0; bits.size() < size; ++index) {
    const Words4 out = slow_philox({low_half(round), high_half(round), trial, index},
                                   {low_half(key), high_half(key)});
    bits.push_back(joined(out[0], out[1]));
    bits.push_back(joined(out[2], out[3]));
  }
  bits.resize(size);
  return bits;
}

std::vector<std::uint64_t> drawn_bits(RoundRng rng, std::size_t size) {
  std::vector<std::uint64_t> bits(size);
  for (std::uint64_t& word : bits) word = rng.bits();
  return bits;
}

// What a chi-square of `freedom` degrees exceeds with probability 3e-7 at most: five standard
// errors in the Wilson-Hilferty approximation (3e-8 at one degree, 6e-8 at two).
double chi_square_limit(double freedom) {
  const double variance = 2.0 / (9.0 * freedom);
  return freedom * std::pow(1.0 - variance + 5.0 * std::sqrt(variance), 3);
}

double chi_square(const std::vector<std::uint64_t>& observed) {
  double total = 0;
  for (const std::uint64_t count : observed) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(observed.size());
  double sum = 0;
  for (const std::uint64_t count : observed) {
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected);
  }
  return sum / expected;
}

TEST(Philox, gives_the_published_answers) {
  // Random123's kat_vectors, philox4x32 with 10 rounds.
  struct Known {
    Words4 counter;
    Words2 key;
    Words4 answer;
  };
  constexpr std::uint32_t kOnes = 0xffffffff;
  const std::vector<Known> known = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{kOnes, kOnes, kOnes, kOnes},
       {kOnes, kOnes},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Known& vector : known) {
    EXPECT_EQ(library_philox(vector.counter, vector.key), vector.answer);
    EXPECT_EQ(slow_philox(vector.counter, vector.key), vector.answer);
  }
}

TEST(Philox, zero_key_and_round_reach_the_published_words) {
  RoundRng rng(0, 0, 0);
  EXPECT_EQ(rng.bits(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(rng.bits(), 0x9b00dbd8bc57ac4cu);
}

TEST(Mix64, agrees_with_splitmix64_from_seed_zero) {
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix64(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

TEST(HashText, agrees_with_the_published_fnv_1a_values) {
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_text("foobar"), 0x85944171f73967e8u);
}

TEST(HashText, treats_bytes_above_127_as_unsigned) {
  // (offset ^ 0xff) * prime; a signed char would flip the upper 56 bits too.
  EXPECT_EQ(hash_text("\xff"), (0xcbf29ce484222325u ^ 0xffu) * 0x100000001b3u);
}

RC_GTEST_PROP(RoundRng, follows_the_documented_counter_layout,
              (std::uint64_t key, std::uint32_t trial, Round round)) {
  RC_ASSERT(drawn_bits(RoundRng(key, trial, round), 9) == slow_bits(key, trial, round, 9));
}

RC_GTEST_PROP(Stream, derives_its_key_from_seed_purpose_and_owner,
              (std::uint64_t seed, std::uint32_t trial, Round round, const std::string& owner)) {
  const std::uint64_t key = mix64(mix64(mix64(seed) ^ 2) ^ hash_text(owner));
  RC_ASSERT(drawn_bits(Stream(seed, trial, Purpose::answer, owner).at(round), 3) ==
            slow_bits(key, trial, round, 3));
}

RC_GTEST_PROP(OutcomeStream, follows_the_documented_counter_layout,
              (std::uint64_t seed, std::uint32_t trial, Arm low, Arm high, std::uint32_t meeting)) {
  const std::uint64_t key = mix64(mix64(mix64(seed) ^ 4));
  const Words4 out = slow_philox({meeting, low, high, trial}, {low_half(key), high_half(key)});
  RC_ASSERT(OutcomeStream(seed, trial).draw(low, high, meeting) == joined(out[0], out[1]) >> 11);
}

// Worked out from the layout with arbitrary-precision integers outside of C++.
TEST(Stream, golden_bits_are_the_same_on_every_machine) {
  EXPECT_EQ(drawn_bits(Stream(1, 0, Purpose::choice, "rucb").at(1), 4),
            (std::vector<std::uint64_t>{0x3acaa6c08cc9dd31, 0x799d7b8654546524, 0x4e4486ae35da360d,
                                        0xf3ca0afa8ef5180b}));
  EXPECT_EQ(
      drawn_bits(Stream(2026, 7, Purpose::answer, "rmed1").at(5'000'000'000), 3),
      (std::vector<std::uint64_t>{0x5b18e973ddf00a2f, 0x33046595ced0f8de, 0xb8ff5e23b61b947c}));
  EXPECT_EQ(drawn_bits(Stream(1, 0, Purpose::generate).at(0), 2),
            (std::vector<std::uint64_t>{0xc3efbdc374cc1f09, 0xa1726a7157ac53dd}));
}

TEST(OutcomeStream, golden_draws_are_the_same_on_every_machine) {
  EXPECT_EQ(OutcomeStream(1, 0).draw(0, 1, 0), 0x10db3ea5d453a4u);
  EXPECT_EQ(OutcomeStream(1, 0).draw(0, 1, 1), 0x1b8973e97feb3fu);
  EXPECT_EQ(OutcomeStream(1, 3).draw(2, 5, 0), 0x16bf2fb7f189eu);
  EXPECT_EQ(OutcomeStream(2026, 0).draw(100, 2000, 123456789), 0x1c939615d216e1u);
}

TEST(RoundRng, golden_draws_below_a_bound_are_the_same_on_every_machine) {
  RoundRng rng = Stream(1, 0, Purpose::choice, "rucb").at(2);
  const std::vector<std::uint64_t> bounds = {
      2, 3, 6, 10, 100, 1000, std::uint64_t{1} << 40, ~std::uint64_t{0}};
  const std::vector<std::uint64_t> golden = {
      1, 1, 0, 6, 91, 41, 176105570671, 9259717719488444501u};
  for (std::size_t k = 0; k < bounds.size(); ++k) EXPECT_EQ(rng.below(bounds[k]), golden[k]);
}

TEST(RoundRng, a_copy_repeats_the_draws_from_where_it_was_made) {
  RoundRng rng = Stream(3, 1, Purpose::test).at(17);
  for (int already_drawn = 0; already_drawn < 4; ++already_drawn) {
    RoundRng copy = rng;
    EXPECT_EQ(drawn_bits(copy, 20), drawn_bits(rng, 20));
    rng.bits();
  }
}

TEST(Stream, a_round_gives_the_same_draws_whatever_was_drawn_before) {
  const Stream stream(3, 1, Purpose::test);
  const auto before = drawn_bits(stream.at(1000), 10);
  for (Round round = 1; round < 1000; ++round) stream.at(round).bits();
  EXPECT_EQ(drawn_bits(stream.at(1000), 10), before);
}

// 5400 unrelated words of 64 bits: two of them coincide by chance with probability 1e-12.
TEST(Stream, differs_by_seed_trial_purpose_owner_and_round) {
  std::set<std::uint64_t> first_words;
  std::size_t streams = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 2ull, 1ull << 32, 1ull << 63, ~0ull}) {
    for (const std::uint32_t trial : {0u, 1u, 2u, 1u << 31, ~0u}) {
      for (const Purpose purpose : {Purpose::choice, Purpose::answer, Purpose::recommend,
                                    Purpose::outcome, Purpose::generate, Purpose::test}) {
        for (const char* owner : {"", "rucb", "rmed1", "rmed2", "rucb(alpha=0.6)"}) {
          const Stream stream(seed, trial, purpose, owner);
          for (const Round round : {0ull, 1ull, 2ull, 1ull << 32, 1ull << 33, 1ull << 62}) {
            first_words.insert(stream.at(round).bits());
            ++streams;
          }
        }
      }
    }
  }
  EXPECT_EQ(streams, 5400u);
  EXPECT_EQ(first_words.size(), streams);
}

TEST(RoundRng, draws_of_one_round_do_not_repeat) {
  const auto bits = drawn_bits(Stream(1, 1, Purpose::test).at(1), 50'000);
  EXPECT_EQ(std::set<std::uint64_t>(bits.begin(), bits.end()).size(), bits.size());
}

TEST(OutcomeStream, differs_by_seed_trial_pair_and_meeting) {
  std::set<std::uint64_t> draws;
  std::size_t count = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 40}) {
    for (const std::uint32_t trial : {0u, 1u, 77u}) {
      const OutcomeStream stream(seed, trial);
      for (Arm high = 1; high < 8; ++high) {
        for (Arm low = 0; low < high; ++low) {
          for (std::uint32_t meeting = 0; meeting < 50; ++meeting) {
            draws.insert(stream.draw(low, high, meeting));
            ++count;
          }
        }
      }
    }
  }
  EXPECT_EQ(draws.size(), count);  // 12600 words of 53 bits: a chance repetition has 1e-8
  EXPECT_LT(*draws.rbegin(), std::uint64_t{1} << 53);
}

TEST(OutcomeStream, shares_nothing_with_an_unowned_stream_of_the_same_purpose) {
  // Same seed; trial, round and index chosen such that both would use the counter (0, 0, 0, 0).
  EXPECT_NE(OutcomeStream(1, 0).draw(0, 0, 0), Stream(1, 0, Purpose::outcome).at(0).bits() >> 11);
}

// Bits of two streams agree half of the time: binomial of 64 n fair bits.
double agreement(const Stream& a, const Stream& b, Round rounds) {
  std::uint64_t equal = 0;
  for (Round round = 1; round <= rounds; ++round) {
    equal += static_cast<std::uint64_t>(std::popcount(~(a.at(round).bits() ^ b.at(round).bits())));
  }
  return static_cast<double>(equal) / (64.0 * static_cast<double>(rounds));
}

TEST(Stream, neighbouring_streams_are_uncorrelated) {
  constexpr Round kRounds = 5'000;
  const double se = 0.5 / std::sqrt(64.0 * kRounds);
  const Stream base(1, 0, Purpose::choice, "rucb");
  EXPECT_NEAR(agreement(base, Stream(2, 0, Purpose::choice, "rucb"), kRounds), 0.5, 5 * se);
  EXPECT_NEAR(agreement(base, Stream(1, 1, Purpose::choice, "rucb"), kRounds), 0.5, 5 * se);
  EXPECT_NEAR(agreement(base, Stream(1, 0, Purpose::answer, "rucb"), kRounds), 0.5, 5 * se);
  EXPECT_NEAR(agreement(base, Stream(1, 0, Purpose::choice, "rmed1"), kRounds), 0.5, 5 * se);
}

TEST(RoundRng, every_bit_is_fair) {
  constexpr int kDraws = 40'000;
  std::array<int, 64> ones{};
  for (Round round = 1; round <= kDraws / 4; ++round) {
    for (const std::uint64_t word : drawn_bits(Stream(9, 0, Purpose::test).at(round), 4)) {
      for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
    }
  }
  const double se = 0.5 / std::sqrt(double(kDraws));
  for (std::size_t bit = 0; bit < 64; ++bit) {
    EXPECT_NEAR(ones[bit] / double(kDraws), 0.5, 5 * se) << "bit " << bit;
  }
}

TEST(RoundRng, below_one_is_always_zero) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(1);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(rng.below(1), 0u);
}

TEST(RoundRng, below_reaches_every_value_equally_often) {
  constexpr int kDraws = 120'000;
  for (const std::uint64_t n : {2, 3, 5, 6, 7, 10, 64, 100}) {
    RoundRng rng = Stream(1, 0, Purpose::test).at(n);
    std::vector<std::uint64_t> count(n);
    for (int k = 0; k < kDraws; ++k) {
      const std::uint64_t value = rng.below(n);
      ASSERT_LT(value, n);
      ++count[value];
    }
    EXPECT_LT(chi_square(count), chi_square_limit(double(n - 1))) << "n = " << n;
  }
}

// With n = 3 * 2^62 four words fall on three values. Without the rejection step the multiples of
// three would take two of the four: shares 1/2, 1/4, 1/4 in place of thirds.
TEST(RoundRng, below_a_huge_bound_is_not_biased) {
  constexpr std::uint64_t kBound = std::uint64_t{3} << 62;
  RoundRng rng = Stream(1, 0, Purpose::test).at(1);
  std::vector<std::uint64_t> by_remainder(3), by_third(3);
  for (int k = 0; k < 30'000; ++k) {
    const std::uint64_t value = rng.below(kBound);
    ASSERT_LT(value, kBound);
    ++by_remainder[value % 3];
    ++by_third[value >> 62];
  }
  EXPECT_LT(chi_square(by_remainder), chi_square_limit(2));
  EXPECT_LT(chi_square(by_third), chi_square_limit(2));
}

// Lemire 2019, algorithm 5, with the threshold worked out before the loop: word x is refused where
// (x n) mod 2^64 < 2^64 mod n.
TEST(RoundRng, below_accepts_and_refuses_the_same_words_as_the_plain_algorithm) {
  __extension__ using Wide = unsigned __int128;
  std::vector<std::uint64_t> bounds = {1, 2, 3, 1000, ~std::uint64_t{0}};
  for (int power = 31; power < 64; ++power) {
    for (int offset = -1; offset <= 1; ++offset) {
      bounds.push_back((std::uint64_t{1} << power) + static_cast<std::uint64_t>(offset));
    }
  }
  std::uint64_t refused = 0;
  for (const std::uint64_t n : bounds) {
    const auto threshold = static_cast<std::uint64_t>((static_cast<Wide>(1) << 64) % n);
    RoundRng fast = Stream(5, 0, Purpose::test).at(n);
    RoundRng words = fast;
    for (int k = 0; k < 200; ++k) {
      Wide product = static_cast<Wide>(words.bits()) * n;
      while (static_cast<std::uint64_t>(product) < threshold) {
        ++refused;
        product = static_cast<Wide>(words.bits()) * n;
      }
      ASSERT_EQ(fast.below(n), static_cast<std::uint64_t>(product >> 64)) << "n = " << n;
    }
    EXPECT_EQ(fast.bits(), words.bits()) << "n = " << n;
  }
  // 2^63 + 1 refuses every other word: two words per draw on average.
  EXPECT_GT(refused, 100u);
}

TEST(RoundRng, uniform_is_a_multiple_of_two_to_minus_53_in_the_half_open_interval) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(1);
  RoundRng words = rng;
  bool odd = false;
  for (int k = 0; k < 10'000; ++k) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_EQ(u * 0x1p53, static_cast<double>(words.bits() >> 11));
    odd = odd || std::fmod(u * 0x1p53, 2) == 1;
  }
  EXPECT_TRUE(odd);  // all 53 bits are used
}

TEST(RoundRng, uniform_open_keeps_half_a_step_from_both_ends) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(1);
  RoundRng words = rng;
  for (int k = 0; k < 10'000; ++k) {
    const double u = rng.uniform_open();
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    // Odd multiples of 2^-53; computed exactly, since 52 bits and the half fit a double.
    ASSERT_EQ(u * 0x1p53, 2 * static_cast<double>(words.bits() >> 12) + 1);
  }
  // The ends themselves: the smallest and the largest word, by the same formula.
  EXPECT_GT((0 + 0.5) * 0x1p-52, 0.0);
  EXPECT_LT((static_cast<double>(~std::uint64_t{0} >> 12) + 0.5) * 0x1p-52, 1.0);
}

// Mean 1/2, variance 1/12; the fourth central moment 1/80 gives the variance's standard error.
TEST(RoundRng, uniforms_have_the_moments_of_the_uniform_law) {
  constexpr int kDraws = 200'000;
  RoundRng rng = Stream(2, 0, Purpose::test).at(1);
  double sum = 0, square = 0, open_sum = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double u = rng.uniform() - 0.5;
    sum += u;
    square += u * u;
    open_sum += rng.uniform_open() - 0.5;
  }
  const double se_mean = std::sqrt(1.0 / 12 / kDraws);
  const double se_square = std::sqrt((1.0 / 80 - 1.0 / 144) / kDraws);
  EXPECT_NEAR(sum / kDraws, 0, 5 * se_mean);
  EXPECT_NEAR(open_sum / kDraws, 0, 5 * se_mean);
  EXPECT_NEAR(square / kDraws, 1.0 / 12, 5 * se_square);
}

TEST(RoundRng, coin_is_fair_and_takes_one_word) {
  constexpr int kDraws = 100'000;
  RoundRng rng = Stream(1, 0, Purpose::test).at(1);
  RoundRng words = rng;
  int heads = 0, changes = 0;
  bool last = false;
  for (int k = 0; k < kDraws; ++k) {
    const bool coin = rng.coin();
    ASSERT_EQ(coin, words.bits() >= std::uint64_t{1} << 63);
    heads += coin;
    changes += coin != last;
    last = coin;
  }
  const double se = 0.5 / std::sqrt(double(kDraws));
  EXPECT_NEAR(heads / double(kDraws), 0.5, 5 * se);
  EXPECT_NEAR(changes / double(kDraws), 0.5, 5 * se);
}

TEST(RoundRng, bernoulli_succeeds_as_often_as_told) {
  constexpr int kDraws = 100'000;
  for (const double p : {0.0, 0.01, 0.3, 0.5, 0.51, 0.99, 1.0}) {
    RoundRng rng = Stream(1, 0, Purpose::test).at(1);
    int successes = 0;
    for (int k = 0; k < kDraws; ++k) successes += rng.bernoulli(p);
    const double se = std::sqrt(p * (1 - p) / kDraws);
    EXPECT_NEAR(successes / double(kDraws), p, 5 * se) << "p = " << p;
  }
}

TEST(RoundRng, normal_is_box_muller_of_the_next_two_words) {
  RoundRng rng = Stream(1, 0, Purpose::test).at(1);
  RoundRng words = rng;
  for (int k = 0; k < 1000; ++k) {
    const double u = words.uniform_open();
    const double v = words.uniform();
    const double expected = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    ASSERT_NEAR(rng.normal(), expected, 1e-14);
  }
}

// Moments 0, 1, 0, 3; the standard errors come from the moments 2, 4, 6, 8 (1, 3, 15, 105).
TEST(RoundRng, normal_has_the_moments_of_the_standard_normal_law) {
  constexpr int kDraws = 200'000;
  RoundRng rng = Stream(4, 0, Purpose::test).at(1);
  double first = 0, second = 0, third = 0, fourth = 0, product = 0, last = 0;
  int below_minus_one = 0, beyond_two = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double x = rng.normal();
    first += x;
    second += x * x;
    third += x * x * x;
    fourth += x * x * x * x;
    product += x * last;
    last = x;
    below_minus_one += x < -1;
    beyond_two += std::abs(x) > 2;
  }
  const double root = std::sqrt(double(kDraws));
  EXPECT_NEAR(first / kDraws, 0, 5 * 1 / root);
  EXPECT_NEAR(second / kDraws, 1, 5 * std::sqrt(3.0 - 1) / root);
  EXPECT_NEAR(third / kDraws, 0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(fourth / kDraws, 3, 5 * std::sqrt(105.0 - 9) / root);
  EXPECT_NEAR(product / kDraws, 0, 5 * 1 / root);
  const double p_one = 0.5 * std::erfc(1 / std::numbers::sqrt2);
  const double p_two = std::erfc(2 / std::numbers::sqrt2);
  EXPECT_NEAR(below_minus_one / double(kDraws), p_one, 5 * std::sqrt(p_one * (1 - p_one)) / root);
  EXPECT_NEAR(beyond_two / double(kDraws), p_two, 5 * std::sqrt(p_two * (1 - p_two)) / root);
}

}  // namespace
}  // namespace duel
