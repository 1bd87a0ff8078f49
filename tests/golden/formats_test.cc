// Logs that earlier versions of Duel wrote, data/formats: they are read as they always were. How
// they go on is in scripts of runs (scripts/local/format_*).
//
// The programs of their time wrote them: format_1.log is the beginning of a run of the first
// version that had logs, the others of formats 1 and 2 are of the commits bdf8eb5 and e3e3e93, the
// last of each format, those of format 3 of edb9efc. diverging.log is put together: it holds a
// serve that the policy would not have chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/golden/golden.h"

namespace duel::golden {
namespace {

std::vector<std::string> logs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_file("formats"))) {
    if (entry.path().extension() == ".log") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class FormatGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(FormatGolden, is_read_as_it_always_was) {
  const std::string name = "formats/" + GetParam();
  const std::string log = recorded(name + ".log");
  expect_golden(name + ".states", states_of_log(log));
  expect_golden(name + ".result", result_of(log));
  // As it was written then; in today's format it says more.
  expect_golden(name + ".certificate", certificate_of(log, 1));
  expect_golden(name + ".certificate2", certificate_of(log));
}

INSTANTIATE_TEST_SUITE_P(Logs, FormatGolden, ::testing::ValuesIn(logs()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace duel::golden
