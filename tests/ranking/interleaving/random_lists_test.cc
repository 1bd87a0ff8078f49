// Ten thousand pairs of lists as they come: repeats, empty ones, anything from 0 to 1000 documents.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "duel/ranking/interleaving/impression_draft.h"
#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

List random_list(RoundRng& rng) {
  // Mostly short, sometimes long; from few or many documents, so that repeats abound or are rare.
  const std::size_t most = rng.below(20) == 0 ? 1000 : 30;
  const std::uint64_t universe = 1 + rng.below(rng.below(2) == 0 ? 20 : 5000);
  List list(rng.below(most + 1));
  for (Document& x : list) x = static_cast<Document>(rng.below(universe)) * 0x01000193U;
  return list;
}

void expect_no_repeat(const List& shown) {
  EXPECT_EQ(std::set<Document>(shown.begin(), shown.end()).size(), shown.size());
}

TEST(RandomLists, no_method_repeats_a_document_or_leaves_the_union) {
  const Stream stream(5, 0, Purpose::test, "random-lists");
  const auto balanced = interleaver("balanced"), team_draft = interleaver("team-draft");
  const auto probabilistic = interleaver("probabilistic(credit=marginal)");
  const auto drafted = interleaver("probabilistic(tau=0.5,coins=draft)");
  Interleaving shown;
  Interleaving longer;
  for (Round k = 0; k < 10'000; ++k) {
    RoundRng rng = stream.at(k);
    const List a = random_list(rng), b = rng.below(10) == 0 ? a : random_list(rng);
    const std::size_t length = rng.below(4) == 0 ? rng.below(1001) : rng.below(12);
    const std::set<Document> in_a(a.begin(), a.end());
    std::set<Document> all(in_a);
    all.insert(b.begin(), b.end());
    for (const auto& method : {balanced, team_draft, probabilistic, drafted}) {
      RoundRng draws = rng, same_draws = rng;
      method->interleave(a, b, length, draws, shown);
      expect_no_repeat(shown.documents);
      EXPECT_LE(shown.size(), length);
      for (const Document x : shown.documents) EXPECT_TRUE(all.contains(x));
      if (method == balanced || method == team_draft) {
        // Prefix property: a longer list begins with the shorter one.
        method->interleave(a, b, length + 5, same_draws, longer);
        ASSERT_GE(longer.size(), shown.size());
        EXPECT_TRUE(
            std::equal(shown.documents.begin(), shown.documents.end(), longer.documents.begin()));
      }
      EXPECT_EQ(shown.size(), std::min(length, all.size()));
      std::vector<Position> clicks;
      for (Position p = 0; p < shown.size(); ++p) {
        if (draws.below(3) == 0) clicks.push_back(p);
      }
      const Credit credit = method->credit(shown, clicks);
      EXPECT_TRUE(std::isfinite(credit.value));
      if (a == b) {
        EXPECT_EQ(credit.outcome, ClickOutcome::no_contest);
      }
    }
  }
}

TEST(RandomLists, optimised_interleaving_takes_what_comes) {
  const Stream stream(6, 0, Purpose::test, "random-lists");
  const auto method = interleaver("optimised(candidates=200)");
  Interleaving shown;
  for (Round k = 0; k < 300; ++k) {
    RoundRng rng = stream.at(k);
    const List a = random_list(rng), b = random_list(rng);
    method->interleave(a, b, rng.below(13), rng, shown);
    expect_no_repeat(shown.documents);
  }
}

TEST(RandomLists, no_multileaver_repeats_a_document_or_leaves_the_union) {
  const Stream stream(7, 0, Purpose::test, "random-lists");
  Multileaving shown;
  MultileaveCredit credit;
  for (const std::string name :
       {"team-draft-multileave", "team-draft-multileave(common-prefix=true)",
        "probabilistic-multileave", "probabilistic-multileave(assignments=drawn)",
        "sample-scored-multileave", "pairwise-preference-multileave"}) {
    const auto method = multileaver(name);
    for (Round k = 0; k < 1000; ++k) {
      RoundRng rng = stream.at(k);
      std::vector<List> lists(1 + rng.below(6));
      for (List& list : lists) list = random_list(rng);
      const List all = literal_union(lists);
      const std::size_t length = rng.below(30);
      method->multileave(spans(lists), length, rng, shown);
      expect_no_repeat(shown.documents);
      EXPECT_LE(shown.size(), std::min(length, all.size()));
      if (name.starts_with("team-draft")) {
        EXPECT_EQ(shown.size(), std::min(length, all.size()));
      }
      std::vector<Position> clicks;
      for (Position p = 0; p < shown.size(); ++p) {
        if (rng.below(3) == 0) clicks.push_back(p);
      }
      method->credit(shown, clicks, credit);
      for (const double value : credit.values) EXPECT_TRUE(std::isfinite(value)) << name;
    }
  }
}

}  // namespace
}  // namespace duel
