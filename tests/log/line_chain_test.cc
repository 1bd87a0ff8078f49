#include "duel/log/line_chain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duel/store/line.h"

namespace duel {
namespace {

// Three lines, chained as a log's are.
std::vector<std::string> chained_lines() {
  std::vector<std::string> lines;
  std::string head(64, '0');
  Sha256 sha;
  for (int k = 1; k <= 3; ++k) {
    std::string line = "{\"seq\":" + std::to_string(k) + ",\"text\":\"abc\"";
    head = sha.hex(head, line);
    close_line(line, head);
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(LineChain, follows_the_lines_of_a_log) {
  const auto lines = chained_lines();
  LineChain chain;
  for (const std::string& line : lines) ASSERT_TRUE(chain.follow(line).ok()) << line;
  EXPECT_EQ(chain.lines(), 3U);
  EXPECT_EQ(chain.head(), split_line(lines.back())->hash);
}

TEST(LineChain, goes_on_after_a_known_line) {
  const auto lines = chained_lines();
  LineChain chain;
  chain.begin_after({2, std::string(split_line(lines[1])->hash)});
  EXPECT_TRUE(chain.follow(lines[2]).ok());
  EXPECT_EQ(chain.lines(), 3U);
}

TEST(LineChain, notices_every_changed_byte) {
  const auto lines = chained_lines();
  for (std::size_t at = 0; at < lines[0].size(); ++at) {
    std::string changed = lines[0];
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(LineChain().follow(changed).ok()) << changed;
  }
}

TEST(LineChain, notices_a_missing_a_repeated_and_a_moved_line) {
  const auto lines = chained_lines();
  for (const std::size_t next : {0, 2}) {
    LineChain chain;
    ASSERT_TRUE(chain.follow(lines[0]).ok());
    const Status status = chain.follow(lines[next]);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("where record 2 belongs"), std::string::npos);
  }
}

}  // namespace
}  // namespace duel
