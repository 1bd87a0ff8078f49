// People audit a judge, as `duel reproduce audits` plays it: with votes of a file and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "duel/reproduction/reproduction.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

const ReproductionKind& audits() { return **reproduction_catalogue().find("audits"); }

std::size_t findings_about(const Reproduction& done, const std::string& what) {
  return static_cast<std::size_t>(std::ranges::count_if(done.findings, [&](const Finding& finding) {
    return finding.claim.find(what) != std::string::npos;
  }));
}

TEST(AuditsReproduction, plays_two_arms_and_says_which_file_it_wants_for_the_arena) {
  const auto done = audits().run({.quick = true});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  ASSERT_EQ(done->tables.size(), 1U);
  EXPECT_EQ(done->tables[0].num_rows(), 13U) << "people alone, four judges with three shares";
  ASSERT_EQ(done->findings.back().verdict, FindingVerdict::skipped);
  EXPECT_NE(done->findings.back().note.find("--data FILE: votes of people and models"),
            std::string::npos);
}

TEST(AuditsReproduction, plays_the_pairs_of_a_file_and_leaves_out_those_that_come_to_no_end) {
  // x beats y with people, and u and v are equal. `gpt35` says nothing of either.
  std::string votes = "num,model_a,model_b,human,gpt4,claude3opus,gpt35\n";
  for (int k = 0; k < 60; ++k) {
    const bool x_first = k % 2 == 0;
    const char* const x = x_first ? "a" : "b";
    const char* const y = x_first ? "b" : "a";
    const char* const people = k % 5 == 0 ? y : x;
    votes += std::to_string(k) + (x_first ? ",x,y," : ",y,x,") + people + "," + people + "," + x +
             "," + (k % 4 < 2 ? "a" : "b") + "\n";
    if (k < 20) votes += "9,u,v," + std::string(x) + "," + x + ",t,t\n";
  }
  const TemporaryDirectory directory;
  const std::string file = directory.write("votes.csv", votes);
  const auto done = audits().run({.quick = true, .data = {file}});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  ASSERT_EQ(done->tables.size(), 3U);
  EXPECT_EQ(done->tables[1].num_rows(), 20U) << "of each pair people alone and 3 x 3";
  EXPECT_EQ(findings_about(*done, "answers of people for one of people alone, 1 pairs"), 9U);
  EXPECT_EQ(findings_about(*done, "runs that certify the arm which people do not prefer"), 9U);
  EXPECT_TRUE(std::ranges::any_of(done->remarks, [](const std::string& remark) {
    return remark.find("people: u against v.") != std::string::npos;
  }));
}

TEST(AuditsReproduction, says_what_is_wrong_with_a_file_of_votes) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("votes.csv", "model_a,model_b,human,gpt4\nx,y,a,a\n");
  const auto done = audits().run({.quick = true, .data = {file}});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().to_string().find("there is no column 'claude3opus'"), std::string::npos);
}

}  // namespace
}  // namespace duel
