// Every command of the tutorials runs: the blocks marked `sh` of one, in their order, in one shell.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/run_command.h"
#include "tests/support/places.h"

namespace duel {
namespace {

std::vector<std::string> tutorials() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/docs")) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("tutorial-")) names.push_back(name.substr(9));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string commands_of(const std::string& text) {
  std::string commands;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line == "```sh";
    } else if (inside) {
      commands += line + "\n";
    }
  }
  return commands;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Where it has a server in another terminal, the test has one on a free port.
class Tutorial : public ::testing::TestWithParam<std::string> {};

TEST_P(Tutorial, its_commands_run) {
  const std::string text = content_of(source_dir() + "/docs/tutorial-" + GetParam() + ".md");
  std::string commands = commands_of(text);
  ASSERT_FALSE(commands.empty());
  const TemporaryDirectory place, of_server;
  std::unique_ptr<RunningDuel> server;
  if (text.find("$ duel serve") != std::string::npos) {
    server = std::make_unique<RunningDuel>(std::vector<std::string>{
        "serve", "--listen", "127.0.0.1:0", "--store", (of_server / "duel.db").string()});
    std::string url;
    while (url.find('\n') == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      url = server->out_so_far();
    }
    url.resize(url.find('\n'));
    commands = replaced(commands, "http://127.0.0.1:7557", url);
  }
  const std::string binary = duel_binary();
  const CommandResult result =
      run_shell("set -e\nPATH='" + binary.substr(0, binary.rfind('/')) + "':$PATH\n" + commands,
                {.directory = place.path(), .timeout = std::chrono::seconds(600)});
  EXPECT_EQ(result.exit_code, 0) << result.out << "\n" << result.err;
}

INSTANTIATE_TEST_SUITE_P(All, Tutorial, ::testing::ValuesIn(tutorials()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace duel
