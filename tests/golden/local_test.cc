// Scripts of runs at a terminal, held against what they gave before.
#include <gtest/gtest.h>

#include <string>

#include "tests/golden/golden.h"
#include "tests/golden/local_door.h"
#include "tests/golden/script.h"

namespace duel::golden {
namespace {

class LocalGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(LocalGolden, gives_the_bytes_that_were_recorded) {
  LocalDoor door;
  play_script(door, "local", GetParam());
  const std::string log = door.log();
  const std::string name = "local/" + GetParam();
  expect_golden(name + ".replies", door.replies());
  expect_golden(name + ".log", log);
  expect_golden(name + ".result", result_of(log));
  expect_golden(name + ".certificate", certificate_of(log));
  // The experiment that was played has the state of one that is read from its log.
  if (const auto lived = door.state_hash()) {
    EXPECT_EQ(*lived, last_state_of(log));
  }
}

// Whatever plays the scripts: the recorded log means what it meant.
TEST_P(LocalGolden, a_fold_of_the_recorded_log_has_the_recorded_states) {
  const std::string name = "local/" + GetParam();
  const std::string log = recorded(name + ".log");
  ASSERT_NE(log, "");
  expect_golden(name + ".states", states_of_log(log));
}

INSTANTIATE_TEST_SUITE_P(Scripts, LocalGolden, ::testing::ValuesIn(scripts_in("local")),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace duel::golden
