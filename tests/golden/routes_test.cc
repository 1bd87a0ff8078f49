// Scripts over the routes of a server, held against what they gave before.
#include <gtest/gtest.h>

#include <string>

#include "tests/golden/golden.h"
#include "tests/golden/routes_door.h"
#include "tests/golden/script.h"

namespace duel::golden {
namespace {

class RoutesGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(RoutesGolden, gives_the_bytes_that_were_recorded) {
  RoutesDoor door;
  play_script(door, "routes", GetParam());
  const std::string log = door.log();
  const std::string name = "routes/" + GetParam();
  expect_golden(name + ".replies", door.replies());
  expect_golden(name + ".log", log);
  expect_golden(name + ".result", door.result());
  expect_golden(name + ".certificate", door.certificate());
  // The experiment that was played has the state of one that is read from its log.
  EXPECT_EQ(door.state_hash(), last_state_of(log));
}

// Whatever plays the scripts: the recorded log means what it meant.
TEST_P(RoutesGolden, a_fold_of_the_recorded_log_has_the_recorded_states) {
  const std::string name = "routes/" + GetParam();
  const std::string log = recorded(name + ".log");
  ASSERT_NE(log, "");
  expect_golden(name + ".states", states_of_log(log));
}

INSTANTIATE_TEST_SUITE_P(Scripts, RoutesGolden, ::testing::ValuesIn(scripts_in("routes")),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace duel::golden
