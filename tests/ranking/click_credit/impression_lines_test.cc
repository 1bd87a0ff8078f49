#include "duel/ranking/click_credit/impression_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

TEST(ImpressionLines, a_page_is_one_line_with_the_teams_by_name) {
  LoggedImpression impression;
  impression.id = "q1";
  impression.names[0] = "bm25";
  impression.names[1] = "hybrid";
  const std::vector<PageDrafter::Item> items = {{"d2", Team::none}, {"d1", Team::first}};
  std::string text;
  append_page_line(text, impression, 7, items);
  EXPECT_EQ(text, R"({"query_id":"q1","method":"team-draft","seed":7,"rankings":["bm25","hybrid"],)"
                  R"("items":[{"object_id":"d2","ordinal":1,"team":null},)"
                  R"({"object_id":"d1","ordinal":2,"team":"bm25"}]})"
                  "\n");
}

// Whatever the texts hold: what ends a line, a text or an object, and what our readers of lines
// take for a sign of a binary file.
TEST(ImpressionLines, a_page_that_was_written_is_read_again) {
  const std::vector<std::string> texts = {
      "plain", "",     "\"\\/", "a\nb\r\tc", "\x01\x1f\x7f", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac",
      "]},{",  "null", "1e3"};
  const auto id_of = [](const std::string& text) { return text.empty() ? "nameless" : text; };
  const Team teams[] = {Team::first, Team::second, Team::none};
  std::string lines;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const auto text = [&](std::size_t n) -> const std::string& {
      return texts[(k + n) % texts.size()];
    };
    const std::string id = id_of(text(0)), first = id_of(text(1)), second = id_of(text(2)) + "2";
    LoggedImpression impression;
    impression.id = id;
    impression.names[0] = first;
    impression.names[1] = second;
    impression.user = text(3);
    impression.query = text(4);
    impression.time = text(5);
    std::vector<std::string> ids;
    for (std::size_t n = 0; n < k; ++n) ids.push_back(id_of(text(n)) + std::to_string(n));
    std::vector<PageDrafter::Item> items;
    for (std::size_t n = 0; n < k; ++n) items.push_back({ids[n], teams[n % 3]});
    append_page_line(lines, impression, k, items);
  }
  ImpressionLines reader = ImpressionLines::of_text("pages", lines);
  LoggedImpression impression;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const auto text = [&](std::size_t n) -> const std::string& {
      return texts[(k + n) % texts.size()];
    };
    ASSERT_TRUE(taken(reader.next(impression)));
    EXPECT_EQ(impression.id, id_of(text(0)));
    EXPECT_EQ(impression.names[0], id_of(text(1)));
    EXPECT_EQ(impression.names[1], id_of(text(2)) + "2");
    EXPECT_EQ(impression.user, text(3));
    EXPECT_EQ(impression.query, text(4));
    EXPECT_EQ(impression.time, text(5));
    EXPECT_FALSE(impression.has_lists);
    ASSERT_EQ(impression.items.size(), k);
    for (std::size_t n = 0; n < k; ++n) {
      EXPECT_EQ(impression.items[n].object_id, id_of(text(n)) + std::to_string(n));
      EXPECT_EQ(impression.items[n].ordinal, n + 1);
      EXPECT_EQ(impression.items[n].team, teams[n % 3]);
    }
  }
  EXPECT_FALSE(taken(reader.next(impression)));
}

}  // namespace
}  // namespace duel
