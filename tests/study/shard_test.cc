#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "duel/simulation/trial_digest.h"
#include "duel/study/study.h"
#include "duel/study/study_files.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

StudySpec small_study() {
  StudySpec spec;
  spec.policies = {"rucb", "uniform(ties=half)"};
  spec.matrices = {"arxiv", "arithmetic(k=4,step=0.1)"};
  spec.rounds = 300;
  spec.trials = 5;
  spec.seed = 3;
  spec.trials_csv = true;
  spec.threads = 2;
  return spec;
}

Result<StudyOutcome> run_shard(std::uint32_t number, std::uint32_t count,
                               const std::filesystem::path& directory,
                               const StudySpec& spec = small_study()) {
  StudyOptions options;
  options.output = directory;
  options.shard = Shard{number, count};
  return run_study(spec, options);
}

std::string error_of(const Result<StudyOutcome>& outcome) {
  return outcome.ok() ? "no error" : outcome.error().to_string();
}

class Shards : public ::testing::Test {
 protected:
  void SetUp() override {
    StudyOptions options;
    options.output = whole();
    ASSERT_TRUE(run_study(small_study(), options).ok());
  }

  std::filesystem::path whole() const { return directory_ / "whole"; }
  void expect_as_whole(const std::filesystem::path& merged) const {
    for (const char* file : {"spec.toml", "results.csv", "matrices.csv", "trials.csv"}) {
      EXPECT_EQ(content_of(merged / file), content_of(whole() / file)) << file;
    }
    EXPECT_EQ(names_in(merged), names_in(whole()));
  }

  TemporaryDirectory directory_;
};

TEST(Shard, deals_out_every_trial_once) {
  for (const std::uint32_t count : {1U, 2U, 3U, 7U, 30U}) {
    std::uint64_t trials = 0;
    for (std::uint32_t number = 1; number <= count; ++number) {
      const Shard shard{number, count};
      std::uint64_t own = 0;
      for (std::uint64_t trial = 0; trial < 20; ++trial) own += shard.has(trial) ? 1 : 0;
      EXPECT_EQ(own, shard.share_of(20)) << number << "/" << count;
      trials += own;
    }
    EXPECT_EQ(trials, 20U);
  }
}

TEST(Shard, is_read_from_its_text) {
  EXPECT_EQ(parse_shard("3/64").value(), (Shard{3, 64}));
  for (const char* text :
       {"", "3", "0/4", "5/4", "x/4", "3/x", "1/0", "-1/4", "1/2/3", "1/1000001"}) {
    EXPECT_FALSE(parse_shard(text).ok()) << text;
  }
  EXPECT_NE(parse_shard("5/4").error().to_string().find("numbered 1 to 4"), std::string::npos);
}

TEST_F(Shards, merge_to_the_bytes_of_one_run) {
  for (const std::uint32_t count : {1U, 3U, 7U, 30U}) {  // of 20 trials: some of 30 are empty
    const auto part = directory_ / ("of_" + std::to_string(count));
    for (std::uint32_t number = count; number >= 1; --number) {
      const auto outcome = run_shard(number, count, part);
      ASSERT_TRUE(outcome.ok()) << error_of(outcome);
      EXPECT_FALSE(std::filesystem::exists(part / "results.csv"));
    }
    ASSERT_TRUE(merge_study({part}).ok());
    expect_as_whole(part);
  }
}

TEST_F(Shards, may_begin_in_one_directory_at_once) {
  constexpr std::uint32_t kCount = 8;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto part = directory_ / ("attempt_" + std::to_string(attempt));
    std::vector<std::string> errors(kCount);
    {
      std::vector<std::jthread> running;
      for (std::uint32_t k = 0; k < kCount; ++k) {
        running.emplace_back([&, k] { errors[k] = error_of(run_shard(k + 1, kCount, part)); });
      }
    }
    for (const std::string& error : errors) EXPECT_EQ(error, "no error");
    ASSERT_TRUE(merge_study({part}).ok());
    expect_as_whole(part);
  }
}

TEST_F(Shards, merge_from_several_directories_into_another) {
  ASSERT_TRUE(run_shard(1, 2, directory_ / "a").ok());
  ASSERT_TRUE(run_shard(2, 2, directory_ / "b").ok());
  const auto merged = merge_study({directory_ / "a", directory_ / "b"}, directory_ / "c");
  ASSERT_TRUE(merged.ok()) << error_of(merged);
  expect_as_whole(directory_ / "c");
  EXPECT_TRUE(std::filesystem::exists(directory_ / "a" / "shard-1-of-2.csv"));
}

TEST_F(Shards, that_are_missing_are_named_and_can_be_resumed) {
  const auto part = directory_ / "part";
  ASSERT_TRUE(run_shard(1, 4, part).ok());
  ASSERT_TRUE(run_shard(3, 4, part).ok());
  const std::string error = error_of(merge_study({part}));
  EXPECT_NE(error.find("10 of 20 trials are missing"), std::string::npos) << error;
  EXPECT_NE(error.find("shards 2/4, 4/4"), std::string::npos) << error;
  EXPECT_FALSE(std::filesystem::exists(part / "results.csv"));
  const auto resumed = resume_study(part);
  ASSERT_TRUE(resumed.ok()) << error_of(resumed);
  EXPECT_EQ(resumed->trials_resumed, 10U);
  expect_as_whole(part);
}

// As a kill leaves it: the last line is cut.
TEST_F(Shards, go_on_where_they_were_cut) {
  const auto part = directory_ / "part";
  ASSERT_TRUE(run_shard(1, 2, part).ok());
  ASSERT_TRUE(run_shard(2, 2, part).ok());
  const auto file = part / "shard-2-of-2.csv";
  const std::string text = content_of(file);
  write_content(file, text.substr(0, text.size() - 20));
  const std::string error = error_of(merge_study({part}));
  EXPECT_NE(error.find("1 of 20 trials are missing; not finished: shard 2/2"), std::string::npos)
      << error;
  const auto again = run_shard(2, 2, part);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->trials_resumed, 9U);
  ASSERT_TRUE(merge_study({part}).ok());
  expect_as_whole(part);
}

TEST_F(Shards, of_different_studies_do_not_mix) {
  const auto part = directory_ / "part";
  ASSERT_TRUE(run_shard(1, 2, part).ok());
  StudySpec other = small_study();
  other.seed = 4;
  EXPECT_NE(error_of(run_shard(2, 2, part, other)).find("holds a different study"),
            std::string::npos);
  ASSERT_TRUE(run_shard(2, 2, directory_ / "other", other).ok());
  EXPECT_NE(error_of(merge_study({part, directory_ / "other"})).find("this is not the study of"),
            std::string::npos);
}

TEST_F(Shards, are_refused_where_there_is_nothing_to_merge_or_nowhere_to_write) {
  StudyOptions options;
  options.shard = Shard{1, 2};
  EXPECT_NE(error_of(run_study(small_study(), options)).find("needs a directory"),
            std::string::npos);
  EXPECT_NE(error_of(run_shard(1, 2, whole())).find("is complete"), std::string::npos);
  EXPECT_NE(error_of(merge_study({whole()})).find("no shard of a study"), std::string::npos);
  EXPECT_NE(error_of(merge_study({directory_ / "nothing"})).find("spec.toml is missing"),
            std::string::npos);
}

TEST_F(Shards, a_run_of_the_whole_study_takes_them_over) {
  const auto part = directory_ / "part";
  ASSERT_TRUE(run_shard(2, 3, part).ok());
  StudyOptions options;
  options.output = part;
  const auto outcome = run_study(small_study(), options);
  ASSERT_TRUE(outcome.ok()) << error_of(outcome);
  EXPECT_EQ(outcome->trials_resumed, 7U);
  expect_as_whole(part);
}

// More trials than are kept: what a study shows of them is put together from digests.
TEST(ManyTrials, give_the_bytes_of_one_run_by_shards_and_after_an_interruption) {
  const TemporaryDirectory directory;
  StudySpec spec;
  spec.policies = {"uniform"};
  spec.matrices = {"arxiv"};
  spec.rounds = 3;
  spec.trials = kMostKeptTrials + 1;
  spec.seed = 3;
  const auto run_into = [&](const std::string& name, const StudyOptions& given = {}) {
    StudyOptions options = given;
    options.output = directory / name;
    return run_study(spec, options);
  };
  const auto whole = run_into("whole");
  ASSERT_TRUE(whole.ok()) << error_of(whole);
  EXPECT_EQ(whole->results.runs[0].policies[0].trials, spec.trials);

  for (std::uint32_t shard = 1; shard <= 3; ++shard) {
    ASSERT_TRUE(run_shard(shard, 3, directory / "shards", spec).ok());
  }
  const auto merged = merge_study({directory / "shards"});
  ASSERT_TRUE(merged.ok()) << error_of(merged);
  EXPECT_EQ(content_of(directory / "shards" / "results.csv"),
            content_of(directory / "whole" / "results.csv"));

  std::atomic<bool> stop{false};
  StudyOptions interrupted;
  interrupted.stop = &stop;
  interrupted.progress = [&](const StudyProgress&) { stop = true; };
  const auto begun = run_into("resumed", interrupted);
  ASSERT_TRUE(begun.ok()) << error_of(begun);
  const auto resumed = resume_study(directory / "resumed");
  ASSERT_TRUE(resumed.ok()) << error_of(resumed);
  EXPECT_EQ(content_of(directory / "resumed" / "results.csv"),
            content_of(directory / "whole" / "results.csv"));

  // trials.csv does not change the results.
  spec.trials_csv = true;
  const auto with_trials = run_into("with_trials");
  ASSERT_TRUE(with_trials.ok()) << error_of(with_trials);
  EXPECT_EQ(content_of(directory / "with_trials" / "results.csv"),
            content_of(directory / "whole" / "results.csv"));
}

}  // namespace
}  // namespace duel
