#include "duel/core/spelling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace duel {
namespace {

TEST(EditDistance, agrees_with_distances_worked_out_by_hand) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("rucb", "rucb"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("rucb", "rcb"), 1u);    // one left out
  EXPECT_EQ(edit_distance("rucb", "rucbb"), 1u);  // one too many
  EXPECT_EQ(edit_distance("rucb", "rocb"), 1u);   // one wrong
  EXPECT_EQ(edit_distance("rucb", "urcb"), 1u);   // swapped at the beginning
  EXPECT_EQ(edit_distance("rucb", "rubc"), 1u);   // swapped at the end
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("abcdef", "badcfe"), 3u);  // three swaps
}

TEST(EditDistance, does_not_edit_a_swapped_pair_again) {
  // "ca" to "ac" to "abc" would be two; optimal string alignment needs three.
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
}

TEST(EditDistance, minds_the_case) { EXPECT_EQ(edit_distance("RUCB", "rucb"), 4u); }

// The recurrence as it is written, without tables.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto without = [](std::string_view text, std::size_t n) {
    return text.substr(0, text.size() - n);
  };
  std::size_t best = std::min(slow_distance(without(a, 1), b), slow_distance(a, without(b, 1))) + 1;
  best = std::min(best, slow_distance(without(a, 1), without(b, 1)) + (a.back() != b.back()));
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back()) {
    best = std::min(best, slow_distance(without(a, 2), without(b, 2)) + 1);
  }
  return best;
}

rc::Gen<std::string> short_word() {
  return rc::gen::resize(5,
                         rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc"))));
}

RC_GTEST_PROP(EditDistance, agrees_with_the_plain_recurrence, ()) {
  const std::string a = *short_word();
  const std::string b = *short_word();
  RC_ASSERT(edit_distance(a, b) == slow_distance(a, b));
}

RC_GTEST_PROP(EditDistance, is_symmetric_and_between_its_bounds,
              (const std::string& a, const std::string& b)) {
  const std::size_t distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT((distance == 0) == (a == b));
  RC_ASSERT(distance <= std::max(a.size(), b.size()));
  RC_ASSERT(distance >= std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
}

const std::vector<std::string> kPolicies = {
    "rucb", "rmed1", "rmed2", "if2", "savage-condorcet", "beat-the-mean"};

TEST(NearestSpelling, finds_the_name_behind_a_slip) {
  EXPECT_EQ(nearest_spelling("rubc", kPolicies), "rucb");
  EXPECT_EQ(nearest_spelling("rucb1", kPolicies), "rucb");
  EXPECT_EQ(nearest_spelling("beat-teh-mena", kPolicies), "beat-the-mean");
  EXPECT_EQ(nearest_spelling("rmed2", kPolicies), "rmed2");
}

TEST(NearestSpelling, takes_the_first_of_equally_near_names) {
  EXPECT_EQ(nearest_spelling("rmed", kPolicies), "rmed1");
  EXPECT_EQ(nearest_spelling("rmed3", kPolicies), "rmed1");
}

TEST(NearestSpelling, takes_the_beginning_of_a_long_name_for_the_name) {
  EXPECT_EQ(nearest_spelling("savage", kPolicies), "savage-condorcet");
  EXPECT_EQ(nearest_spelling("beat", kPolicies), "beat-the-mean");
}

TEST(NearestSpelling, allows_more_slips_in_a_longer_word) {
  // Four slips in eighteen letters are less than a third of them; in eight letters they are half.
  const std::vector<std::string> known = {"interleaved-filter", "abcdefgh"};
  EXPECT_EQ(nearest_spelling("interlxxvxd-fxlter", known), "interleaved-filter");
  EXPECT_EQ(nearest_spelling("abcdxxxx", known), "");
}

TEST(NearestSpelling, is_silent_where_nothing_is_near) {
  EXPECT_EQ(nearest_spelling("thompson", kPolicies), "");
  EXPECT_EQ(nearest_spelling("rucb", {}), "");
}

TEST(SpellingHint, names_the_nearest_and_all_known) {
  const std::vector<std::string> known = {"coin", "half", "drop"};
  EXPECT_EQ(spelling_hint("hlaf", known), "did you mean 'half'? known: coin, half, drop");
  EXPECT_EQ(spelling_hint("something", known), "known: coin, half, drop");
}

}  // namespace
}  // namespace duel
