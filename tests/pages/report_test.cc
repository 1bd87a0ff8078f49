#include "duel/pages/report.h"

#include <gtest/gtest.h>

#include <string>

#include "duel/pages/web_asset.h"

namespace duel {
namespace {

constexpr std::string_view kPage =
    "<title>@TITLE@</title><script type=\"application/json\">@DATA@</script>";

TEST(Report, is_a_file_that_ends_with_html) {
  EXPECT_TRUE(names_report("a/b.html"));
  EXPECT_FALSE(names_report("b.svg"));
  EXPECT_FALSE(names_report("html"));
}

TEST(Report, has_title_and_data_in_their_places) {
  EXPECT_EQ(filled_report(kPage, "A & B", Json{{"x", 1}}),
            "<title>A &amp; B</title><script type=\"application/json\">{\"x\":1}</script>");
}

TEST(Report, no_text_ends_the_element_that_it_stands_in) {
  const std::string hostile = "</title></script><script>alert(1)</script><!--";
  const std::string page = filled_report(kPage, hostile, Json{{"name", hostile}});
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  const std::string mark = "json\">";
  const std::size_t begin = page.find(mark) + mark.size();
  const auto data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_TRUE(data);
  EXPECT_EQ(data->at("name").get<std::string>(), hostile) << "the text itself is unchanged";
}

TEST(Report, a_title_that_looks_like_the_place_of_the_data_is_a_title) {
  const std::string page = filled_report(kPage, "@DATA@", Json{{"x", 1}});
  EXPECT_NE(page.find("<title>@DATA@</title>"), std::string::npos);
}

TEST(Report, asks_nobody_for_anything_or_says_why_there_is_none) {
  for (const auto& page : {report_page("t", Json{{"kind", "study"}}),
                           certificate_page("t", Json{{"certificate", "{}"}})}) {
    if (web_assets().empty()) {
      ASSERT_FALSE(page.ok());
      EXPECT_NE(page.error().message.find("without its pages"), std::string::npos);
      continue;
    }
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->find("src="), page->find("src=\"data:")) << "nothing is loaded";
    EXPECT_EQ(page->find("<link"), std::string::npos);
    EXPECT_NE(page->find("script-src 'sha256-"), std::string::npos);
    EXPECT_EQ(page->find("@DATA@"), std::string::npos);
    EXPECT_EQ(page->find("@TITLE@"), std::string::npos);
  }
}

}  // namespace
}  // namespace duel
