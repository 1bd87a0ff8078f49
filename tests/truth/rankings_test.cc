#include "duel/truth/rankings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "duel/truth/matrix_reader.h"
#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

using Names = std::vector<std::string>;
using Counts = std::vector<std::uint64_t>;

const std::string kThree =
    "# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n"
    "# ALTERNATIVE NAME 2: Bob: the builder\n# ALTERNATIVE NAME 3: Cy\n";

RankingCounts read(const std::string& text, Unranked unranked = Unranked::ignore) {
  auto result = read_rankings_text("votes.toi", text, {.unranked = unranked});
  if (!result.ok()) ADD_FAILURE() << result.error().to_string();
  return result.ok() ? std::move(result).value() : RankingCounts{};
}

std::string error_of(const std::string& text) {
  const auto result = read_rankings_text("votes.toi", text);
  EXPECT_FALSE(result.ok()) << text;
  if (result.ok()) return "";
  EXPECT_EQ(result.error().code, ErrorCode::invalid_data);
  return result.error().to_string();
}

TEST(Rankings, count_who_stands_above_whom) {
  const auto counts = read(kThree + "# NUMBER VOTERS: 5\n3: 1,2,3\n2: 3,1,2\n");
  EXPECT_EQ(counts.name, "votes");
  EXPECT_EQ(counts.alternatives, (Names{"Ann", "Bob: the builder", "Cy"}));
  EXPECT_EQ(counts.wins, (Counts{0, 5, 3, 0, 0, 3, 2, 2, 0}));
  EXPECT_EQ(counts.voters, 5u);
  EXPECT_EQ(counts.ballots, 2u);
  EXPECT_EQ(counts.declared_voters, 5u);
  EXPECT_EQ(counts.unmet_pairs, 0u);
}

TEST(Rankings, do_not_compare_alternatives_tied_in_a_ballot) {
  EXPECT_EQ(read(kThree + "4: {1,3},2\n").wins, (Counts{0, 4, 0, 0, 0, 0, 0, 4, 0}));
  EXPECT_EQ(read(kThree + "4: 2 , { 3 , 1 }\n").wins, (Counts{0, 0, 0, 4, 0, 4, 0, 0, 0}));
}

TEST(Rankings, read_alternatives_left_out_as_asked) {
  const std::string text = kThree + "4: 2\n1: 1,2\n";
  const auto ignored = read(text, Unranked::ignore);
  EXPECT_EQ(ignored.wins, (Counts{0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ignored.unmet_pairs, 2u);
  EXPECT_EQ(read(text, Unranked::last).wins, (Counts{0, 1, 1, 4, 0, 5, 0, 0, 0}));
}

TEST(Rankings, give_a_matrix_of_shares) {
  const auto matrix = matrix_from_counts(read(kThree + "3: 1,2\n1: 2,1\n1: 1,3\n1: 3,1\n"));
  ASSERT_TRUE(matrix.ok());
  EXPECT_EQ(matrix->name(), "votes");
  EXPECT_EQ((*matrix)(0, 1), 0.75);
  EXPECT_EQ((*matrix)(1, 0), 0.25);
  EXPECT_EQ((*matrix)(0, 2), 0.5);
  EXPECT_EQ((*matrix)(1, 2), 0.5) << "never met";
}

TEST(Rankings, call_an_alternative_without_a_name_by_its_number) {
  EXPECT_EQ(read("# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 2: \n1: 1,2\n").alternatives,
            (Names{"1", "2"}));
}

TEST(Rankings, read_the_older_form) {
  const auto counts =
      read("3\r\n1,Ann\r\n2,Bob, the builder\r\n3,Cy\r\n5,5,2\r\n3,1,{2,3}\r\n2,3,1\r\n");
  EXPECT_EQ(counts.alternatives, (Names{"Ann", "Bob, the builder", "Cy"}));
  EXPECT_EQ(counts.wins, (Counts{0, 3, 3, 0, 0, 0, 2, 0, 0}));
  EXPECT_EQ(counts.declared_voters, 5u);
}

TEST(Rankings, write_counts_as_csv) {
  std::ostringstream out;
  write_counts_csv(read(kThree + "3: 1,2,3\n"), out);
  EXPECT_EQ(out.str(), "Ann,Bob: the builder,Cy\n0,3,3\n0,0,3\n0,0,0\n");
}

TEST(Rankings, say_what_is_wrong_and_in_which_line) {
  EXPECT_EQ(error_of(kThree + "1: 1,4\n"), "votes.toi:6: there is no alternative 4 (1 .. 3)");
  EXPECT_EQ(error_of(kThree + "1: 1,0\n"), "votes.toi:6: there is no alternative 0 (1 .. 3)");
  EXPECT_EQ(error_of(kThree + "1: 1,2\n2: 1,{3,1}\n"),
            "votes.toi:7: alternative 1 stands twice in the ballot");
  EXPECT_EQ(error_of(kThree + "1: 1,{2,3\n"), "votes.toi:6: '{' is not closed by '}'");
  EXPECT_EQ(error_of(kThree + "1: 1,,3\n"),
            "votes.toi:6: ',3' is not an alternative (ballots hold the numbers of alternatives)");
  EXPECT_EQ(error_of(kThree + "1: 1,\n"),
            "votes.toi:6: the ballot ends with a comma or brace "
            "(ballots hold the numbers of alternatives)");
  EXPECT_EQ(error_of(kThree + "1: 1 2\n"), "votes.toi:6: '2' after the ballot");
  EXPECT_EQ(error_of(kThree + "1:\n"), "votes.toi:6: the ballot ranks nobody");
  EXPECT_EQ(error_of(kThree + "x: 1\n"),
            "votes.toi:6: a ballot begins with how many voters cast it (such as '12: 3,1,2')");
  EXPECT_EQ(error_of(kThree + "1,2,3\n"),
            "votes.toi:6: a ballot begins with how many voters cast it (such as '12: 3,1,2')");
  EXPECT_EQ(error_of(kThree + "0: 1\n"),
            "votes.toi:6: 0 voters of one ballot (at least 1, in all at most 2^53)");
  EXPECT_EQ(error_of(kThree + "9007199254740992: 1\n1: 2\n"),
            "votes.toi:7: 1 voters of one ballot (at least 1, in all at most 2^53)");
}

TEST(Rankings, say_what_is_wrong_with_a_header) {
  EXPECT_TRUE(error_of("").starts_with("votes.toi: there is no ballot (a PrefLib file of orders"));
  EXPECT_TRUE(error_of(kThree).starts_with("votes.toi: there is no ballot"));
  EXPECT_TRUE(error_of("a,b\n0.5,0.5\n")
                  .starts_with("votes.toi:1: 'a,b' does not begin a file of rankings"));
  EXPECT_TRUE(error_of("# TITLE: x\n1: 1,2\n")
                  .starts_with("votes.toi:2: a ballot before the number of alternatives"));
  EXPECT_EQ(error_of("# DATA TYPE: wmd\n"),
            "votes.toi:1: data type 'wmd' is not one of orders (soc, soi, toc and toi are read)");
  EXPECT_EQ(error_of("# NUMBER ALTERNATIVES: none\n"),
            "votes.toi:1: 'none' is not a number of alternatives (1 or more)");
  EXPECT_EQ(error_of("# NUMBER ALTERNATIVES: 1e6\n"),
            "votes.toi:1: 1000000 alternatives are too many (at most 5000)");
  EXPECT_EQ(error_of("# NUMBER ALTERNATIVES: 2\n# NUMBER ALTERNATIVES: 2\n"),
            "votes.toi:2: the number of alternatives is given twice");
  EXPECT_EQ(error_of("# ALTERNATIVE NAME x: y\n"),
            "votes.toi:1: 'x' is not the number of an alternative "
            "(alternatives are numbered from 1)");
  EXPECT_EQ(error_of("# ALTERNATIVE NAME 1: y\n# ALTERNATIVE NAME 1: z\n"),
            "votes.toi:2: alternative 1 is named twice");
  EXPECT_EQ(error_of("# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: y\n"
                     "# ALTERNATIVE NAME 2: y\n1: 1\n"),
            "votes.toi:3: alternatives 1 and 2 are both called 'y'");
  EXPECT_EQ(error_of("# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 3: y\n1: 1\n"),
            "votes.toi:2: alternative 3 of 2");
  EXPECT_EQ(error_of("2\n1,Ann\n"), "votes.toi: the list of alternatives is cut short");
  EXPECT_EQ(error_of("2\n1,Ann\n2 Bob\n"), "votes.toi:3: the line is not 'number,name'");
  EXPECT_EQ(error_of("1\n1,Ann\n"), "votes.toi: the line of totals is missing");
  EXPECT_EQ(error_of("1\n1,Ann\nx\n"), "votes.toi:3: the line is not 'voters,voters,orders'");
}

TEST(Rankings, refuse_binary_and_missing_files) {
  EXPECT_EQ(error_of(std::string("# NUMBER\0ALTERNATIVES", 21)),
            "votes.toi:1: this is not text: byte 0x00 at position 9 of the line");
  const auto missing = read_rankings_file("no/such.soc");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().to_string(), "no/such.soc: there is no such file");
}

struct Published {
  const char* set;
  const char* original;
  Unranked unranked;
};

// Counts of published elections and panels against those computed elsewhere, byte for byte.
TEST(Rankings, give_the_published_counts) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "NOT CHECKED: the folder of published rankings is absent";
  for (const Published& published : {
           Published{"debian_leader_2005_7", "00002-00000003.soi", Unranked::last},
           {"debian_logo_8", "00002-00000008.soi", Unranked::last},
           {"netflix_101_4", "00004-00000101.soc", Unranked::ignore},
           {"burlington_mayor_2009_6", "00005-00000002.toi", Unranked::last},
           {"skate_worldjunior_ladies_free_24", "00006-00000028.soc", Unranked::ignore},
           {"glasgow_govan_2007_11", "00008-00000009.soi", Unranked::last},
           {"tshirt_11", "00012-00000001.soc", Unranked::ignore},
           {"dots_200x3_4", "00024-00000001.soc", Unranked::last},  // complete: no difference
           {"puzzle_11_14_17_20_4", "00025-00000001.soc", Unranked::ignore},
           {"breakfast_overall_15", "00035-00000002.soc", Unranked::ignore},
           {"f1_san_marino_2005_15", "00053-00000166.soc", Unranked::ignore},
       }) {
    SCOPED_TRACE(published.set);
    const auto counts = read_rankings_file(*folder + "/preflib/original/" + published.original,
                                           {.unranked = published.unranked});
    ASSERT_TRUE(counts.ok()) << counts.error().to_string();
    EXPECT_EQ(counts->declared_voters, counts->voters);
    std::ostringstream written;
    write_counts_csv(*counts, written);
    std::ifstream stored(*folder + "/preflib/" + published.set + ".counts.csv");
    std::stringstream expected;
    expected << stored.rdbuf();
    EXPECT_EQ(written.str(), expected.str());
    const auto matrix = matrix_from_counts(*counts);
    const auto stored_matrix = read_matrix_file(*folder + "/preflib/" + published.set + ".csv");
    ASSERT_TRUE(matrix.ok() && stored_matrix.ok());
    EXPECT_EQ(condorcet_winner(*matrix), condorcet_winner(*stored_matrix));
    for (Arm i = 0; i < matrix->num_arms(); ++i) {
      for (Arm j = 0; j < matrix->num_arms(); ++j) {
        EXPECT_NEAR((*matrix)(i, j), (*stored_matrix)(i, j), 1e-6);
      }
    }
  }
}

// Govan's circle depends on how the alternatives left out are read.
TEST(Rankings, left_out_alternatives_decide_the_govan_election) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "NOT CHECKED: the folder of published rankings is absent";
  const std::string path = *folder + "/preflib/original/00008-00000009.soi";
  const auto ignored = matrix_from_counts(*read_rankings_file(path));
  const auto winner = condorcet_winner(*ignored);
  ASSERT_TRUE(winner.has_value());
  EXPECT_EQ(ignored->arm_name(*winner), "Allison Hunter");
  const auto last = matrix_from_counts(*read_rankings_file(path, {.unranked = Unranked::last}));
  EXPECT_FALSE(condorcet_winner(*last).has_value());
}

// A ballot of all alternatives is counted once for every ordered pair.
RC_GTEST_PROP(Rankings, of_complete_ballots_compare_every_pair, ()) {
  auto order = *rc::gen::inRange<std::size_t>(1, 8);
  std::vector<std::size_t> ballot(order);
  for (std::size_t i = 0; i < order; ++i) ballot[i] = i + 1;
  const auto keys = *rc::gen::container<std::vector<int>>(order, rc::gen::arbitrary<int>());
  std::ranges::sort(ballot, {}, [&](std::size_t i) { return keys[i - 1]; });
  std::ostringstream text;
  text << "# NUMBER ALTERNATIVES: " << order << "\n7: ";
  for (std::size_t i = 0; i < order; ++i) text << (i == 0 ? "" : ",") << ballot[i];
  const auto counts = read_rankings_text("b.soc", text.str());
  RC_ASSERT(counts.ok());
  for (Arm i = 0; i < order; ++i) {
    for (Arm j = 0; j < order; ++j) {
      const bool above = std::ranges::find(ballot, i + 1) < std::ranges::find(ballot, j + 1);
      RC_ASSERT((*counts)(i, j) == (above ? 7u : 0u));
    }
  }
}

}  // namespace
}  // namespace duel
