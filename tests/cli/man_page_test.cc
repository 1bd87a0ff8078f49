// The manual pages are made of what the commands declare; `man` is asked where it is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream input(file);
  return {std::istreambuf_iterator<char>(input), {}};
}

TEST(ManPages, every_command_has_one_with_its_options) {
  const TemporaryDirectory directory;
  const std::string pages = directory / "man1";
  ASSERT_EQ(run_shell("\"$duel\" __man '" + pages + "'").exit_code, 0);
  std::istringstream commands(run_shell("\"$duel\" __complete ''").out);
  int count = 0;
  for (std::string line; std::getline(commands, line); ++count) {
    const std::string name = line.substr(0, line.find('\t'));
    const std::string page = content(pages + "/duel-" + name + ".1");
    EXPECT_TRUE(contains(page, ".SH NAME\nduel\\-")) << name;
    EXPECT_TRUE(contains(page, "\\fB\\-h, \\-\\-help\\fR")) << name;
  }
  EXPECT_GT(count, 20);
  EXPECT_TRUE(contains(content(pages + "/duel-serve.1"), "\\-\\-listen ADDRESS"));
  EXPECT_TRUE(contains(content(pages + "/duel-matrix.1"), ".SH \"duel matrix show\""));
  EXPECT_TRUE(contains(content(pages + "/duel.1"), "duel\\-serve(1)"));
}

TEST(ManPages, man_has_nothing_to_complain_of) {
  const TemporaryDirectory directory;
  const CommandResult result = run_shell(
      "command -v man >/dev/null || exit 0; \"$duel\" __man . && for page in *.1; do man "
      "--warnings -l $page 2>&1 >/dev/null; done",
      {.directory = directory.path().string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace duel
