// `duel result --covariate` and `--judges`: views beside a result, of a log and of a table.
#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

class Views : public JudgedDirectory {
 protected:
  CommandResult result(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "result");
    return run_duel(arguments, {.directory = directory_.path()});
  }
};

// The judge says how long each of the two is, and prefers the longer one, which is not always the
// same: its answers explain themselves.
TEST_F(Views, numbers_that_a_judge_sends_are_covariates_of_its_log) {
  script("judge", lot() + R"(
first=$((100 + n % 97)); second=$((100 + n / 97 % 97))
[ "$1" = long ] && first=$((first + 40)); [ "$2" = long ] && second=$((second + 40))
[ $first -gt $second ] && echo first || echo second
echo "{\"features\": {\"first\": {\"length\": $first}, \"second\": {\"length\": $second}}}"
)");
  const CommandResult ran =
      duel({"--arms", "short,long", "--max-duels", "80", "--log", "log", "--alpha", "1e-9"});
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 3) << ran.err;
  const CommandResult shown = result({"--log", "log", "--covariate", "length"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "Style: a view, on which nothing rests")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "80 answers")) << shown.out;
  const Json json = Json::parse(result({"--log", "log", "--covariate", "length", "--json"}).out);
  ASSERT_EQ(json["style_view"]["effects"].size(), 1U);
  EXPECT_GT(json["style_view"]["effects"][0]["interval"][0].get<double>(), 0);
  EXPECT_FALSE(Json::parse(result({"--log", "log", "--json"}).out).contains("style_view"));
  // An exported table has them as columns, and gives the same view.
  const CommandResult exported =
      run_duel({"export", "log", "--format", "csv"}, {.directory = directory_.path()});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  write("votes.csv", exported.out);
  const Json again = Json::parse(result({"votes.csv", "--covariate", "length", "--json"}).out);
  EXPECT_EQ(again["style_view"]["effects"], json["style_view"]["effects"]);
}

TEST_F(Views, judges_of_a_table_are_weighed_by_each_other) {
  std::string csv = "model_a,model_b,winner,judge\n";
  for (int k = 0; k < 60; ++k) {
    const std::string usual = k % 6 == 0 ? "model_b" : "model_a";
    const std::string reverse = k % 6 == 0 ? "model_a" : "model_b";
    csv += "fox,owl," + usual + ",ann\nfox,owl," + usual + ",bob\nfox,owl," + reverse + ",eve\n";
  }
  write("votes.csv", csv);
  const CommandResult shown = result({"votes.csv", "--judges"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "'eve' answers against the others.")) << shown.out;
  const Json json = Json::parse(result({"votes.csv", "--judges", "--json"}).out);
  EXPECT_EQ(json["judge_view"]["judges"][2]["judge"], "eve");
  EXPECT_EQ(json["judge_view"]["judges"][2]["leaning"], "against_others");
}

TEST_F(Views, a_jury_in_a_log_is_weighed_judge_by_judge) {
  script("sharp", "[ \"$1\" = a ] && echo first || echo second\n");
  script("reverse", "[ \"$1\" = a ] && echo second || echo first\n");
  script("mild", lot("m") +
                     "[ $((n % 10)) -lt 7 ] && w=a || w=b\n[ \"$1\" = $w ] && echo first || "
                     "echo second\n");
  const CommandResult ran = duel({"--arms", "a,b", "--max-duels", "40", "--log", "log", "--judge",
                                  "./sharp {first.id}", "--judge", "./reverse {first.id}",
                                  "--judge", "./mild {first.id} {second.id} {duel_id}"});
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 3) << ran.err;
  const Json json = Json::parse(result({"--log", "log", "--judges", "--json"}).out);
  ASSERT_EQ(json["judge_view"]["judges"].size(), 3U);
  EXPECT_EQ(json["judge_view"]["judges"][0]["answers"], 40);
  EXPECT_TRUE(contains(json["judge_view"]["judges"][2]["judge"].get<std::string>(), "reverse"));
}

TEST_F(Views, say_what_they_lack) {
  write("votes.csv", "model_a,model_b,winner\nfox,owl,model_a\nfox,owl,model_b\n");
  const CommandResult judges = result({"votes.csv", "--judges"});
  EXPECT_NE(judges.exit_code, 0);
  EXPECT_TRUE(contains(judges.err, "--judges")) << judges.err;
  const CommandResult style = result({"votes.csv", "--covariate", "length"});
  EXPECT_NE(style.exit_code, 0);
  EXPECT_TRUE(contains(style.err, "no answer has numbers for 'length'")) << style.err;
}

}  // namespace
}  // namespace duel
