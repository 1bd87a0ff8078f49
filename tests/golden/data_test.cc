// What is recorded belongs to a script: a golden that nothing plays would guard nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/golden/golden.h"
#include "tests/golden/script.h"

namespace duel::golden {
namespace {

TEST(GoldenData, has_a_script_for_every_file) {
  for (const std::string folder : {"doors", "local", "python", "routes"}) {
    const std::vector<std::string> scripts = scripts_in(folder);
    for (const auto& entry : std::filesystem::directory_iterator(golden_file(folder))) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(std::ranges::binary_search(scripts, name.substr(0, name.find('.')))) << name;
    }
  }
}

// Python plays its scripts itself (python/tests/test_golden.py); what it wrote means what it meant.
TEST(GoldenData, of_python_has_the_recorded_states) {
  for (const std::string& script : scripts_in("python")) {
    const std::string log = recorded("python/" + script + ".log");
    ASSERT_NE(log, "") << script;
    expect_golden("python/" + script + ".states", states_of_log(log));
  }
}

}  // namespace
}  // namespace duel::golden
