// The README's commands run, and the numbers it shows are those that come out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/run_command.h"
#include "tests/support/places.h"

namespace duel {
namespace {

struct Example {
  std::string command;
  std::vector<std::string> output;
};

// The lines `$ duel ...` of the blocks marked `console`, with what is printed below them.
std::vector<Example> examples_of(const std::string& text) {
  std::vector<Example> examples;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) {
      inside = !inside && line == "```console";
    } else if (inside && line.rfind("$ ", 0) == 0) {
      examples.push_back({line.substr(2), {}});
    } else if (inside && !examples.empty() && !line.empty() && line != "...") {
      examples.back().output.push_back(line);
    }
  }
  return examples;
}

// The cells of each line, cut at two spaces or more. Below a header with `seconds` that cell is
// left out: wall times differ from run to run, and with them the widths.
std::vector<std::string> comparable(const std::vector<std::string>& lines) {
  static const std::regex kGap(" {2,}");
  std::vector<std::string> result;
  std::size_t seconds = 0;
  std::size_t cells_of_header = 0;
  for (const std::string& line : lines) {
    std::vector<std::string> cells(std::sregex_token_iterator(line.begin(), line.end(), kGap, -1),
                                   {});
    const auto header = std::find(cells.begin(), cells.end(), "seconds");
    if (header != cells.end()) {
      seconds = static_cast<std::size_t>(header - cells.begin());
      cells_of_header = cells.size();
    } else if (cells_of_header > 0 && cells.size() == cells_of_header) {
      cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(seconds));
    }
    std::string joined;
    for (const std::string& cell : cells) joined += cell + "  ";
    result.push_back(joined);
  }
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What `duel run` is shown with: three prompts, and a judge that prefers the better one three times
// in four, by a lot that it takes from the question. And what `duel tune` is shown with: a weight
// that is best at three quarters.
void prepare_examples(const std::filesystem::path& place) {
  const CommandResult made = run_shell(R"sh(mkdir prompts
echo 'Answer formally.' > prompts/formal.txt
echo 'Answer as a friend would, in two sentences.' > prompts/friendly.txt
echo 'Answer in five words.' > prompts/terse.txt
cat > judge.sh <<'END'
#!/bin/sh
rank() { case $1 in *friendly*) echo 3 ;; *terse*) echo 2 ;; *) echo 1 ;; esac; }
lot=$(cksum | cut -d' ' -f1)
better=first worse=second
[ "$(rank "$1")" -gt "$(rank "$2")" ] || { better=second; worse=first; }
if [ $((lot % 4)) -eq 0 ]; then echo $worse; else echo $better; fi
END
cat > space.toml <<'END'
[weight]
low = 0.0
high = 1.0
default = 0.5
END
cat > compare.sh <<'END'
#!/bin/sh
off() { echo "$1" | tr -dc 0-9. | awk '{ d = $1 - 0.75; print int(1000 * (d < 0 ? -d : d)) }'; }
lot=$(echo "$1$2" | cksum | cut -d' ' -f1)
better=first worse=second
[ "$(off "$1")" -lt "$(off "$2")" ] || { better=second; worse=first; }
if [ $((lot % 4)) -eq 0 ]; then echo $worse; else echo $better; fi
END
chmod +x judge.sh compare.sh
)sh",
                                       {.directory = place});
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

TEST(Readme, its_examples_run_and_print_what_it_says) {
  const std::vector<Example> examples = examples_of(content_of(source_dir() + "/README.md"));
  ASSERT_GE(examples.size(), 4U);
  const TemporaryDirectory place;
  const std::string binary = duel_binary();
  const std::string folder = binary.substr(0, binary.rfind('/'));
  prepare_examples(place.path());
  for (const Example& example : examples) {
    ASSERT_EQ(example.command.rfind("duel ", 0), 0U) << example.command;
    const CommandResult result =
        run_shell("PATH='" + folder + "':$PATH; " + example.command, {.directory = place.path()});
    EXPECT_EQ(result.exit_code, 0) << example.command << "\n" << result.err;
    const std::vector<std::string> printed = comparable(lines_of(result.out));
    const std::vector<std::string> promised = comparable(example.output);
    for (std::size_t i = 0; i < promised.size(); ++i) {
      EXPECT_NE(std::find(printed.begin(), printed.end(), promised[i]), printed.end())
          << example.command << "\nREADME: " << example.output[i] << "\nprinted:\n"
          << result.out;
    }
  }
}

// A policy may be missing from the table, so that a new one needs no edit of the README.
TEST(Readme, every_policy_of_its_table_exists_with_that_status) {
  std::map<std::string, std::string> statuses;
  const auto listed = nlohmann::json::parse(run_duel({"policies", "--json"}).out);
  for (const auto& policy : listed["policies"]) {
    statuses[policy["name"]] = policy["status"];
  }
  static const std::regex kRow(R"(\| ([^|]+) \|.*\| (\w+) \|)");
  static const std::regex kName("`([^`]+)`");
  std::istringstream lines(content_of(source_dir() + "/README.md"));
  std::string line;
  while (std::getline(lines, line) && line != "| policy | setting | paper | status |") {
  }
  std::getline(lines, line);  // |---|
  std::size_t found = 0;
  while (std::getline(lines, line) && line.starts_with("|")) {
    std::smatch row;
    ASSERT_TRUE(std::regex_match(line, row, kRow)) << line;
    const std::string names = row[1];
    for (std::sregex_iterator name(names.begin(), names.end(), kName), end; name != end; ++name) {
      const auto known = statuses.find((*name)[1]);
      ASSERT_NE(known, statuses.end()) << line;
      EXPECT_EQ(known->second, row[2]) << line;
      ++found;
    }
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace duel
