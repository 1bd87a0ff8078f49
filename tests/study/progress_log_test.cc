#include "duel/study/progress_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

using Opening = ProgressLog::Opening;

TrialTable table_of_three() {
  TrialTable table(3, 2, 2);
  for (std::uint32_t trial = 0; trial < 3; ++trial) {
    for (std::size_t c = 0; c < 2; ++c) {
      table.set(trial, c, 0, (trial + 1) / 3.0 + static_cast<double>(c));
      table.set(trial, c, 1, 1e300 / (trial + 1));
      table.set_facts(trial, c, trial == 1, (std::uint64_t{1} << 60) + trial);
    }
  }
  return table;
}

Result<ProgressLog> open_log(const std::filesystem::path& file, Opening opening,
                             const std::string& study = "s") {
  return ProgressLog::open(file, study, 2, 2, opening);
}

// The finished trials of policy 1 on matrix 0.
TrialTable load(const std::filesystem::path& file) {
  const ProgressLog log = open_log(file, Opening::continued).value();
  TrialTable table(3, 2, 2);
  TrialTable row(1, 2, 2);
  const auto take = [&](std::uint32_t trial) {
    if (trial < table.num_trials()) table.add(trial, row);
  };
  EXPECT_TRUE(log.load(0, 1, row, take).ok());
  return table;
}

void write_two_trials(const std::filesystem::path& file) {
  ProgressLog log = open_log(file, Opening::fresh).value();
  const TrialTable table = table_of_three();
  log.append(0, 1, table, 0, 0);
  log.append(0, 1, table, 2, 2);
  log.append(1, 0, table, 1, 1);
  ASSERT_TRUE(log.flush().ok());
}

TEST(ProgressLog, gives_back_the_logged_trials_bit_for_bit) {
  const TemporaryDirectory directory;
  const auto file = directory / "progress.csv";
  write_two_trials(file);
  const TrialTable expected = table_of_three();
  const TrialTable loaded = load(file);
  EXPECT_TRUE(loaded.finished(0));
  EXPECT_FALSE(loaded.finished(1));
  EXPECT_TRUE(loaded.finished(2));
  for (const std::uint32_t trial : {0U, 2U}) {
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(loaded.value(trial, c, 0), expected.value(trial, c, 0));
      EXPECT_EQ(loaded.value(trial, c, 1), expected.value(trial, c, 1));
      EXPECT_EQ(loaded.correct(trial, c), expected.correct(trial, c));
      EXPECT_EQ(loaded.informative(trial, c), expected.informative(trial, c));
    }
  }
}

TEST(ProgressLog, goes_on_after_any_cut) {
  const TemporaryDirectory directory;
  const auto file = directory / "progress.csv";
  write_two_trials(file);
  const std::string whole = content_of(file);
  const TrialTable expected = table_of_three();
  // Both trials of the policy are there from the end of the third line on.
  const std::size_t last_needed = whole.find('\n', whole.find("\n0,1,2,") + 1) + 1;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_content(file, whole.substr(0, size));
    {
      ProgressLog log = open_log(file, Opening::continued).value();
      log.append(0, 1, expected, 1, 1);
      ASSERT_TRUE(log.flush().ok());
    }
    const TrialTable loaded = load(file);
    EXPECT_TRUE(loaded.finished(1)) << size;
    for (std::uint32_t trial = 0; trial < 3; ++trial) {
      if (!loaded.finished(trial)) continue;
      EXPECT_EQ(loaded.value(trial, 1, 1), expected.value(trial, 1, 1)) << size;
    }
    EXPECT_EQ(loaded.num_finished() == 3, size >= last_needed) << size;
  }
}

// A changed byte loses its line at most; no wrong value is ever taken.
TEST(ProgressLog, takes_no_value_from_an_altered_line) {
  const TemporaryDirectory directory;
  const auto file = directory / "progress.csv";
  write_two_trials(file);
  const std::string whole = content_of(file);
  const TrialTable expected = table_of_three();
  for (std::size_t i = whole.find('\n') + 1; i < whole.size(); ++i) {
    std::string altered = whole;
    altered[i] = altered[i] == '7' ? '8' : '7';
    write_content(file, altered);
    const TrialTable loaded = load(file);
    EXPECT_LE(loaded.num_finished(), 2U);
    for (const std::uint32_t trial : {0U, 1U, 2U}) {
      if (!loaded.finished(trial)) continue;
      EXPECT_EQ(loaded.value(trial, 0, 0), expected.value(trial, 0, 0));
    }
  }
}

TEST(ProgressLog, does_not_continue_another_study) {
  const TemporaryDirectory directory;
  const auto file = directory / "progress.csv";
  write_two_trials(file);
  const auto other = open_log(file, Opening::continued, "another");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::unsupported);
  EXPECT_EQ(load(file).num_finished(), 2U);
  EXPECT_TRUE(open_log(file, Opening::fresh, "another").ok());
  EXPECT_EQ(content_of(file), "duel-progress-1,another\n");
}

TEST(ProgressLog, is_written_by_one_run_at_a_time) {
  const TemporaryDirectory directory;
  const auto file = directory / "progress.csv";
  write_two_trials(file);
  {
    const ProgressLog first = open_log(file, Opening::continued).value();
    const auto second = open_log(file, Opening::fresh);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().message, "another run is writing to this directory");
  }
  EXPECT_EQ(load(file).num_finished(), 2U);
}

}  // namespace
}  // namespace duel
