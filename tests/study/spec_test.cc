#include "duel/study/spec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

Result<StudySpec> spec_of(const std::string& toml) {
  DUEL_ASSIGN(const StudyDraft draft, parse_study_toml(toml, "s.toml"));
  return complete(draft);
}

std::string error_of(const std::string& toml) {
  const auto spec = spec_of(toml);
  return spec.ok() ? "no error" : spec.error().to_string();
}

// An error in one line of an otherwise good file; the line is the third.
std::string line_error(const std::string& line) {
  return error_of("policies = ['uniform']\nmatrices = ['arxiv']\n" + line + "\n");
}

TEST(StudySpec, reads_every_key) {
  const StudySpec spec = spec_of(R"toml(
    name = "all"
    policies = ["rucb( alpha = 0.6 )", "uniform"]
    matrices = ["arxiv", "bradley-terry(k=8,seed=1)"]
    rounds = 1e6
    trials = 20
    seed = 7
    checkpoints = [1e4, 100, "1e3"]
    regrets = ["average", "von-neumann"]
    horizon_per_checkpoint = true
    batch = 1e2
    delay = 7
    trials_csv = true
    threads = 3
  )toml")
                             .value();
  EXPECT_EQ(spec.name, "all");
  EXPECT_EQ(spec.policies, (std::vector<std::string>{"rucb(alpha=0.6)", "uniform"}));
  EXPECT_EQ(spec.matrices, (std::vector<std::string>{"arxiv", "bradley-terry(k=8,seed=1)"}));
  EXPECT_EQ(spec.rounds, 1'000'000U);
  EXPECT_EQ(spec.trials, 20U);
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(spec.checkpoints, (std::vector<Round>{100, 1000, 10'000, 1'000'000}));
  EXPECT_EQ(spec.regrets,
            (std::vector<RegretNotion>{RegretNotion::average, RegretNotion::von_neumann}));
  EXPECT_TRUE(spec.horizon_per_checkpoint);
  EXPECT_EQ(spec.batch, 100U);
  EXPECT_EQ(spec.delay, 7U);
  EXPECT_TRUE(spec.trials_csv);
  EXPECT_EQ(spec.threads, 3U);
}

TEST(StudySpec, has_defaults_for_all_but_policies_and_matrices) {
  const StudySpec spec = spec_of("policies='uniform'\nmatrices='arxiv'").value();
  EXPECT_EQ(spec.rounds, 100'000U);
  EXPECT_EQ(spec.trials, 100U);
  EXPECT_EQ(spec.seed, 0U);
  EXPECT_TRUE(spec.checkpoints.empty());
  EXPECT_EQ(spec.regrets, std::vector<RegretNotion>{RegretNotion::average});
  EXPECT_EQ(error_of(""), "the study names no policy (a name such as rucb)");
  EXPECT_EQ(error_of("policies='uniform'"),
            "the study names no matrix (a built-in such as arxiv, or a file)");
  EXPECT_EQ(error_of("policies=[]\nmatrices=['arxiv']"),
            "the study names no policy (a name such as rucb)");
}

TEST(StudySpec, reads_rounds_in_every_spelling) {
  for (const char* text : {"1000000", "1_000_000", "1e6", "\"1e6\"", "\"1000000\"", "1000000.0"}) {
    const auto spec = spec_of(std::string("policies='uniform'\nmatrices='arxiv'\nrounds=") + text);
    ASSERT_TRUE(spec.ok()) << text;
    EXPECT_EQ(spec->rounds, 1'000'000U);
  }
}

TEST(StudySpec, refuses_impossible_numbers) {
  const std::string rounds = "(a whole number from 1 to 1000000000000000000, also written 1e6)";
  EXPECT_EQ(line_error("rounds = 0"), "s.toml:3: rounds: 0 is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = -1"), "s.toml:3: rounds: -1 is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = 1e30"), "s.toml:3: rounds: 1e+30 is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = 1.5"), "s.toml:3: rounds: 1.5 is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = nan"), "s.toml:3: rounds: nan is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = inf"), "s.toml:3: rounds: inf is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = 'many'"), "s.toml:3: rounds: many is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = 1000000000000000001"),
            "s.toml:3: rounds: 1000000000000000001 is not possible here " + rounds);
  EXPECT_EQ(line_error("rounds = 1e18"), "no error");
  const std::string trials = "(a whole number from 1 to 4294967295, also written 1e6)";
  EXPECT_EQ(line_error("trials = 0"), "s.toml:3: trials: 0 is not possible here " + trials);
  EXPECT_EQ(line_error("trials = 4294967296"),
            "s.toml:3: trials: 4294967296 is not possible here " + trials);
  EXPECT_EQ(line_error("trials = 4294967295"), "no error");
  EXPECT_EQ(line_error("seed = -3"),
            "s.toml:3: seed: -3 is not possible here (a whole number from 0 to "
            "9223372036854775807, also written 1e6)");
  EXPECT_EQ(line_error("seed = 9223372036854775807"), "no error");
  EXPECT_EQ(line_error("threads = 5000"),
            "s.toml:3: threads: 5000 is not possible here (a whole number from 0 to 4096, also "
            "written 1e6)");
  EXPECT_EQ(line_error("checkpoints = [10,\n 0]"),
            "s.toml:4: checkpoints: 0 is not possible here " + rounds);
  EXPECT_EQ(line_error("checkpoints = [10, 200000]"),
            "checkpoint 200000 lies outside the run of 100000 rounds (1 .. 100000)");
}

TEST(StudySpec, refuses_wrong_types) {
  EXPECT_EQ(line_error("rounds = true"), "s.toml:3: rounds must be a whole number, not boolean");
  EXPECT_EQ(line_error("rounds = [1]"), "s.toml:3: rounds must be a whole number, not array");
  EXPECT_EQ(line_error("rounds = 1979-05-27"), "s.toml:3: rounds must be a whole number, not date");
  EXPECT_EQ(line_error("name = 3"), "s.toml:3: name must be a string, not integer");
  EXPECT_EQ(line_error("trials_csv = 'true'"),
            "s.toml:3: trials_csv must be true or false, not string");
  EXPECT_EQ(line_error("regrets = ['average',\n\n3]"),
            "s.toml:5: regrets must be an array of strings, not integer");
  EXPECT_EQ(line_error("checkpoints = 10"),
            "s.toml:3: checkpoints must be an array of whole numbers, not integer");
  EXPECT_EQ(line_error("checkpoints = [[1]]"),
            "s.toml:3: checkpoints must be an array of whole numbers, not array");
}

TEST(StudySpec, names_the_nearest_known_key) {
  const std::string error = line_error("rouns = 10");
  EXPECT_TRUE(
      error.starts_with("s.toml:3: unknown key 'rouns' (did you mean 'rounds'? known: name"))
      << error;
  EXPECT_TRUE(line_error("[table]\nx = 1").starts_with("s.toml:3: unknown key 'table'"));
}

TEST(StudySpec, reports_the_first_error_of_the_file) {
  EXPECT_TRUE(line_error("zzz = 1\nbbb = 2").starts_with("s.toml:3: unknown key 'zzz'"));
}

TEST(StudySpec, names_the_line_of_a_wrong_policy_or_regret) {
  const std::string policy =
      error_of("policies = [\n  'uniform',\n  'unifrm',\n]\nmatrices = ['arxiv']\n");
  EXPECT_TRUE(policy.starts_with(
      "s.toml:3: policies: there is no policy 'unifrm' (did you mean 'uniform'? known: "))
      << policy;
  EXPECT_EQ(error_of("policies = ['rucb(alpha']\n"),
            "s.toml:1: policies: 'rucb(alpha': missing ')' at the end (write name or "
            "name(key=value, key=value))");
  EXPECT_EQ(line_error("regrets = ['averge']"),
            "s.toml:3: regrets: unknown regret notion 'averge' (did you mean 'average'? known: "
            "average, strong, weak, copeland, borda, von-neumann, utility, utility-strong, "
            "utility-weak)");
}

TEST(StudySpec, refuses_what_is_given_twice) {
  EXPECT_EQ(error_of("policies=['uniform','uniform()']\nmatrices=['arxiv']"),
            "policy 'uniform' is given twice");
  EXPECT_EQ(error_of("policies=['uniform']\nmatrices=['arxiv','arxiv']"),
            "matrix 'arxiv' is given twice");
  EXPECT_EQ(line_error("regrets=['weak','weak']"), "regret 'weak' is given twice");
}

TEST(StudySpec, points_at_broken_toml) {
  const std::string error = line_error("rounds = ");
  EXPECT_TRUE(error.starts_with("s.toml:3: ")) << error;
  EXPECT_EQ(line_error("name = \"\xff\xfe\""), "s.toml:3: the text is not UTF-8");
  EXPECT_TRUE(error_of(std::string(100, '\0')).starts_with("s.toml:1: "));
  EXPECT_TRUE(line_error("[[[a]]]").starts_with("s.toml:3: "));
}

TEST(StudySpec, reads_letters_outside_ascii) {
  const std::string start = "policies=['uniform']\nmatrices=['~u/~uc3/\u00e4.csv']\n";
  EXPECT_EQ(spec_of(start)->matrices.front(), "~u/~uc3/\u00e4.csv");
  EXPECT_EQ(spec_of(start + "name = \"caf\u00e9 \\u00e9 \U0001f600\" # \u00fc")->name,
            "caf\u00e9 \u00e9 \U0001f600");
  EXPECT_EQ(spec_of("\xef\xbb\xbf" + start + "name = \"\"\"a\\\n  \u00e9\"\"\"")->name, "a\u00e9");
  const std::string key = line_error("\u00e9 = 1");
  EXPECT_NE(key.find("a letter outside ASCII, which needs quotes"), std::string::npos) << key;
  EXPECT_TRUE(line_error("\"\u00e9\" = 1").starts_with("s.toml:3: unknown key '\u00e9'"));
  EXPECT_TRUE(line_error("rounds = 0\u00ff").starts_with("s.toml:3: "));
}

TEST(StudySpec, takes_flags_over_the_file) {
  StudyDraft file =
      parse_study_toml("policies=['uniform']\nmatrices=['arxiv']\nrounds=100\nseed=5", "s.toml")
          .value();
  StudyDraft flags;
  ASSERT_TRUE(flags.set("rounds", "1e3").ok());
  ASSERT_TRUE(flags.set("policies", "rucb(alpha=1,ties=half), rmed1").ok());
  ASSERT_TRUE(flags.set("checkpoints", "10,1e2").ok());
  ASSERT_TRUE(flags.set("regrets", "weak,strong").ok());
  ASSERT_TRUE(flags.set("trials_csv", "true").ok());
  ASSERT_TRUE(flags.set("name", "a, b").ok());
  const StudySpec spec = complete(over(flags, file)).value();
  EXPECT_EQ(spec.rounds, 1000U);
  EXPECT_EQ(spec.seed, 5U);
  EXPECT_EQ(spec.policies, (std::vector<std::string>{"rucb(alpha=1,ties=half)", "rmed1"}));
  EXPECT_EQ(spec.matrices, std::vector<std::string>{"arxiv"});
  EXPECT_EQ(spec.checkpoints, (std::vector<Round>{10, 100, 1000}));
  EXPECT_EQ(spec.name, "a, b");
  EXPECT_TRUE(spec.trials_csv);
}

TEST(StudySpec, explains_a_wrong_flag) {
  StudyDraft draft;
  EXPECT_EQ(draft.set("rounds", "-1").error().to_string(),
            "rounds: -1 is not possible here (a whole number from 1 to 1000000000000000000, also "
            "written 1e6)");
  EXPECT_EQ(draft.set("trials_csv", "yes").error().message,
            "trials_csv: 'yes' is neither true nor false");
  EXPECT_EQ(draft.set("policies", "").error().message, "policies: '': a name is missing");
  EXPECT_EQ(draft.set("matrices", "arxiv,").error().message,
            "matrices: the name of a matrix is empty");
  EXPECT_EQ(draft.set("matrices", "a\xff.csv").error().message,
            "matrices: 'a\xff.csv' is not UTF-8");
  EXPECT_TRUE(draft.set("seeds", "1").error().hint.starts_with("did you mean 'seed'?"));
}

TEST(StudySpec, cuts_lists_at_commas_outside_parentheses) {
  EXPECT_EQ(split_list("a(b=1,c=2), d ,e"), (std::vector<std::string>{"a(b=1,c=2)", "d", "e"}));
  EXPECT_EQ(split_list(""), std::vector<std::string>{""});
  EXPECT_EQ(split_list("a),b"), (std::vector<std::string>{"a)", "b"}));
}

TEST(StudySpec, reads_files_and_says_which_cannot_be_read) {
  const TemporaryDirectory directory;
  write_content(directory / "s.toml", "policies = ['uniform']\nrounds = 0\n");
  const auto wrong = read_study_file(directory / "s.toml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().where, (directory / "s.toml").string() + ":2");
  const auto missing = read_study_file(directory / "none.toml");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().where, (directory / "none.toml").string());
  EXPECT_FALSE(read_study_file(directory.path()).ok());
  std::string large;
  large.resize(11'000'000, '#');
  write_content(directory / "large.toml", large);
  EXPECT_EQ(read_study_file(directory / "large.toml").error().message,
            "the file is larger than 10 MB");
}

TEST(StudySpec, knows_what_changes_no_result) {
  const StudySpec spec = spec_of("policies='uniform'\nmatrices='arxiv'").value();
  StudySpec other = spec;
  other.name = "x";
  other.threads = 9;
  other.trials_csv = true;
  EXPECT_TRUE(essence_of(spec) == essence_of(other));
  other.seed = 1;
  EXPECT_FALSE(essence_of(spec) == essence_of(other));
}

RC_GTEST_PROP(StudySpec, reads_back_what_it_wrote, ()) {
  const auto text = rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<char>>(rc::gen::inRange<char>(1, 127))),
      [](const std::vector<char>& letters) { return std::string(letters.begin(), letters.end()); });
  StudySpec spec;
  spec.name = *text;
  spec.policies = {"uniform", "rucb(alpha=0.6)"};
  spec.matrices = *rc::gen::unique<std::vector<std::string>>(3, text);
  spec.rounds = *rc::gen::inRange<Round>(1, 1'000'000'000'000'000'000);
  spec.trials = *rc::gen::inRange<std::uint32_t>(1, 0xffff'ffff);
  spec.seed = *rc::gen::inRange<std::uint64_t>(0, kMaxSeed);
  spec.horizon_per_checkpoint = *rc::gen::arbitrary<bool>();
  spec.batch = *rc::gen::inRange<Round>(1, kMostOutstanding);
  spec.delay = *rc::gen::inRange<Round>(0, kMostOutstanding);
  spec.trials_csv = *rc::gen::arbitrary<bool>();
  spec.threads = *rc::gen::inRange(0U, kMaxThreads);
  if (*rc::gen::arbitrary<bool>()) spec.checkpoints = {spec.rounds};
  spec.regrets = {RegretNotion::weak, RegretNotion::von_neumann};
  const auto read = spec_of(to_toml(spec));
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == spec);
}

}  // namespace
}  // namespace duel
