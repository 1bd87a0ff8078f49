#include "duel/ranking/click_credit/solr_response.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duel/ranking/click_credit/credited_log.h"
#include "duel/ranking/click_credit/impression_lines.h"
#include "tests/ranking/interleaving/laws.h"
#include "tests/ranking/judged_data.h"

namespace duel {
namespace {

std::string response(const std::string& id, const std::string& docs, const std::string& more = "") {
  return fmt::format(
             R"({{"responseHeader":{{"status":0,"params":{{"q":"test","query_id":"{}"{}}}}},)"
             R"("response":{{"numFound":2,"start":0,"docs":[{}]}}}})",
             id, more, docs) +
         "\n";
}
const std::string kRq = R"(,"rq":"{!ltr model=myA model='my B' reRankDocs=100}")";
const std::string kDocs = R"({"id":"x","[interleaving]":"my B"},{"id":7,"[interleaving]":"myA"})";

Result<CreditedLog> credited(const std::string& responses, const std::string& clicks,
                             bool partial = false) {
  ImpressionLines lines = ImpressionLines::of_text("solr", responses);
  CreditSpec spec;
  spec.partial = partial;
  auto events = ClickEvents::read_text("clicks", "query_id,object_id\n" + clicks, spec.rule);
  if (!events.ok()) return events.error();
  return credit_log(lines, *events, spec);
}

TEST(SolrResponses, name_the_model_that_picked_each_document) {
  const CreditedLog log = taken(
      credited(response("q1", kDocs, kRq) + response("q2", kDocs, kRq) + response("q3", kDocs),
               "q1,x\nq2,7\nq3,x\n"));
  EXPECT_EQ(log.rankers, (std::vector<std::string>{"myA", "my B"}));
  ASSERT_EQ(log.impressions.size(), 3U);
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::second_wins);
  EXPECT_EQ(log.impressions[1].outcome, ClickOutcome::first_wins);
  EXPECT_EQ(log.impressions[2].outcome, ClickOutcome::first_wins)
      << "without rq the models are those of the documents, in their order";
}

TEST(SolrResponses, the_second_page_goes_on_with_positions) {
  std::string text = response("q", kDocs, kRq);
  text.replace(text.find("\"start\":0"), 9, "\"start\":10");
  ImpressionLines lines = ImpressionLines::of_text("solr", text);
  LoggedImpression impression;
  ASSERT_TRUE(taken(lines.next(impression)));
  ASSERT_EQ(impression.items.size(), 2U);
  EXPECT_EQ(impression.items[1].ordinal, 12U);
  EXPECT_EQ(impression.items[1].object_id, "7");
  EXPECT_EQ(impression.query, "test");
}

TEST(SolrResponses, documents_below_the_reranked_ones_belong_to_nobody) {
  const CreditedLog log =
      taken(credited(response("q", kDocs + R"(,{"id":"tail"})", kRq), "q,tail\n"));
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::tie);
  EXPECT_EQ(log.items, 3U);
  EXPECT_EQ(log.competitive_items, 2U);
}

TEST(SolrResponses, that_compare_nothing_are_counted_with_the_reason) {
  const std::string one = R"({"id":"x","[interleaving]":"myA"})", none = R"({"id":"x"})";
  const std::string log_text = response("q1", kDocs, kRq) + response("q2", one) +
                               response("q3", none) + response("q4", one, kRq);
  const CreditedLog log = taken(credited(log_text, "q1,x\n", true));
  EXPECT_EQ(log.impressions.size(), 2U) << "rq names both models of q4";
  ASSERT_EQ(log.unusable_pages.size(), 2U);
  EXPECT_EQ(log.unusable_pages[0].why, "with one model only and no parameter rq that names both");
  EXPECT_EQ(log.unusable_pages[1].why, "without the field [interleaving] in any document");
  const auto refused = credited(log_text, "q1,x\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("2 of 4 pages cannot be used"), std::string::npos);
}

TEST(SolrResponses, bad_ones_are_errors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"responseHeader":{}})", "there is no list 'response.docs'"},
      {R"({"responseHeader":{},"response":{"docs":[{"score":1}]}})",
       "a document has no field 'id'"},
      {R"({"responseHeader":{},"response":{"start":-1,"docs":[]}})", "'response.start'"},
      {R"({"responseHeader":{)", "solr:1"},
      {response("q", R"({"id":"x","[interleaving]":"other"})", kRq),
       "the model 'other' of 'x' is not one of the two in 'rq'"}};
  for (const auto& [text, expected] : cases) {
    const auto log = credited(text, "");
    ASSERT_FALSE(log.ok()) << text;
    EXPECT_NE(log.error().to_string().find(expected), std::string::npos) << log.error().to_string();
  }
}

// As Solr's reference guide shows it: over several lines, and without an id of the page.
TEST(SolrResponses, the_published_response_is_a_page) {
  DUEL_SHARED_FILE(path, "solr/response_two_models.json");
  ImpressionLines lines = ImpressionLines::open(*path).value();
  ClickEvents events =
      ClickEvents::read_text("clicks", "query_id,object_id\n1,UTF8TEST\n", CreditRule()).value();
  const CreditedLog log = taken(credit_log(lines, events, CreditSpec()));
  EXPECT_EQ(lines.num_numbered(), 1U);
  EXPECT_EQ(log.rankers, (std::vector<std::string>{"myModelA", "myModelB"}));
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::first_wins);
}

}  // namespace
}  // namespace duel
