// A log that becomes an experiment: all of it or nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "duel/log/experiment_log.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";
constexpr std::int64_t kStart = 1'794'700'800'000;

ExperimentRecord two_arms() {
  ExperimentRecord record;
  record.experiment_id = "e";
  record.arms = {{.id = "a", .payload = "", .sha256 = "", .content = {}},
                 {.id = "b", .payload = "", .sha256 = "", .content = {}}};
  record.policy = "uniform";
  return record;
}

ServeRecord serve(const std::string& duel_id, std::uint64_t ordinal) {
  ServeRecord record;
  record.duel_id = duel_id;
  record.ordinal = ordinal;
  record.first = "a";
  record.second = "b";
  record.by = ServedBy::floor;
  return record;
}

OutcomeRecord win(const std::string& duel_id, const std::string& winner = "a") {
  OutcomeRecord record;
  record.duel_id = duel_id;
  record.answer = {Answered::win, winner};
  return record;
}

// The records as a log whose chain is sound, whatever they say.
std::string log_of(const std::vector<Record>& records, std::int64_t ahead_ms = 0) {
  std::string text, head(kHexDigits, '0');
  Sha256 sha;
  for (std::size_t k = 0; k < records.size(); ++k) {
    text += log_line(k + 1, kStart + ahead_ms + static_cast<std::int64_t>(k), records[k], head, sha)
                .value();
  }
  return text;
}

Told import_into(ServedApi& api, const std::string& text,
                 const std::string& type = "application/x-ndjson") {
  return api.call(HttpMethod::post, kE + "/import", text, {{"content-type", type}});
}

const std::vector<Record> kSound{two_arms(), serve("d1", 0), win("d1"), serve("d2", 1)};

// The refusal names the line, and the name is free: nothing was written.
void expect_refused(const std::vector<Record>& records, const std::string& why) {
  ServedApi api;
  const Told told = import_into(api, log_of(records));
  EXPECT_EQ(told.status, 422) << told.body.dump();
  EXPECT_NE(told.text("detail").find(why), std::string::npos) << told.body.dump();
  EXPECT_FALSE(told.body.at("retryable").get<bool>());
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 0U);
  api.restart();
  EXPECT_EQ(api.get(kE).status, 404);
  EXPECT_EQ(import_into(api, log_of(kSound)).status, 201);
  EXPECT_EQ(api.get(kE).body.at("served").get<int>(), 2);
}

TEST(Import, a_log_that_cannot_be_folded_is_refused_by_its_line_and_leaves_nothing) {
  expect_refused({two_arms(), win("d1")}, "line 2: no duel 'd1' was served");
  expect_refused({two_arms(), serve("d1", 0), win("d1", "c")}, "line 3: ");
  expect_refused({two_arms(), serve("d1", 0), win("d1"), serve("d1", 1)},
                 "line 4: the duel 'd1' is served a second time");
  expect_refused({two_arms(), serve("d1", 7)}, "line 2: ");
  expect_refused({two_arms(), serve("d1", 0), CertifiedRecord{CertificateKind::winner, "a", 2, {}}},
                 "line 3: ");
  expect_refused({two_arms(), StateRecord{ExperimentState::archived}}, "line 2: ");
  ExperimentRecord one_arm = two_arms();
  one_arm.arms.pop_back();
  expect_refused({one_arm}, "line 1: ");
  ExperimentRecord other = two_arms();
  other.experiment_id = "x";
  expect_refused({other}, "the log is of the experiment 'x'");
}

TEST(Import, what_a_server_could_not_serve_is_refused) {
  const auto with_tasks = [](const std::string& items) {
    ExperimentRecord record = two_arms();
    record.stopping.shared_causes = true;
    record.tasks.count = 2;
    record.tasks.sha256 = std::string(kHexDigits, '0');
    record.tasks.items = Json::parse(items).value();
    return record;
  };
  expect_refused({with_tasks(R"([{"task_id":"t1"},{"payload":1}])")},
                 "line 1: tasks.items[1] has no `task_id`");
  expect_refused({with_tasks(R"([{"task_id":"t1"},{"task_id":2}])")}, "has no `task_id`");
  expect_refused({with_tasks(R"([{"task_id":"t1"},{"task_id":"t1"}])")}, "a second time");
  expect_refused({with_tasks(R"([{"task_id":"t1"}])")}, "the count is 2");
  expect_refused({with_tasks(R"({"task_id":"t1"})")}, "is not an array");
  // Once a pair has met both there would be a third by number, and none by name.
  expect_refused({with_tasks(R"([{"task_id":"t1"},{"task_id":"t2"}])"),
                  TasksAddedRecord{3, std::string(kHexDigits, '1')}},
                 "line 2: tasks_added");
  ExperimentRecord record = two_arms();
  record.service.default_arm = "c";
  expect_refused({record}, "line 1: default_arm names no arm");
  record = two_arms();
  record.service.feedback.timeout_s = 1'000'000'000'000;
  expect_refused({record}, "feedback.timeout_s");
  record = two_arms();
  record.service.guardrails.explore_floor = 2;
  expect_refused({record}, "guardrails.explore_floor");
  expect_refused({two_arms(), ConfiguredRecord{"", {}, record.service.guardrails}},
                 "line 2: guardrails.explore_floor");
  record = two_arms();
  for (ArmEntry& arm : record.arms) arm.features.assign(257, 0.5);
  record.policy = "lin-ts";
  expect_refused({record}, "line 1: arms have 257 features, and a server takes 256");
  record = two_arms();
  record.service.mode = Mode::interleave;
  record.service.interleave.actions = {{"click", Json("much")}};
  expect_refused({record}, "interleave.actions");
}

TEST(Import, a_sound_log_with_tasks_is_served_from) {
  ServedApi api;
  ExperimentRecord record = two_arms();
  record.stopping.shared_causes = true;
  record.tasks.count = 1;
  record.tasks.sha256 = std::string(kHexDigits, '0');
  record.tasks.items = Json::parse(R"([{"task_id":"t1","payload":"sing"}])").value();
  ASSERT_EQ(import_into(api, log_of({record})).status, 201);
  EXPECT_EQ(api.get(kE).status, 200);
  const Told duel = api.post(kE + "/duels", "{}");
  ASSERT_EQ(duel.status, 201);
  EXPECT_EQ(duel.body.at("task").at("payload").get<std::string>(), "sing");
}

// A log of `duel run` only counts its tasks: a caller names the one that its duel is about, and the
// next duel after an outcome names none.
TEST(Import, no_next_duel_can_be_had_where_tasks_are_only_counted_and_no_outcome_is_taken_with_it) {
  ServedApi api;
  ExperimentRecord record = two_arms();
  record.stopping.shared_causes = true;
  record.tasks.count = 5;
  record.tasks.sha256 = std::string(kHexDigits, '0');
  ServeRecord open = serve("d1", 0);
  open.task = "t1";
  ASSERT_EQ(
      import_into(api, log_of({record, open, TasksAddedRecord{6, record.tasks.sha256}})).status,
      201);
  const std::string before = api.get(kE).text("head");
  const Told refused = api.put(kE + "/duels/d1/outcome?next=1", win_of("a"));
  EXPECT_EQ(refused.status, 400) << refused.body.dump();
  EXPECT_EQ(refused.body.at("errors").items()[0].at("pointer").get<std::string>(), "/task_id");
  EXPECT_EQ(api.get(kE).text("head"), before) << "an error says that nothing was staged";
  EXPECT_EQ(api.post(kE + "/duels", "{}").status, 400);
  EXPECT_EQ(api.put(kE + "/duels/d1/outcome", win_of("a")).text("status"), "applied");
  EXPECT_EQ(api.post(kE + "/duels", R"({"task_id":"t1"})").status, 201);
}

TEST(Import, repeats_and_late_answers_of_settled_duels_fold_as_they_were_lived_through) {
  ServedApi api;
  ASSERT_EQ(import_into(api, log_of({two_arms(), serve("d1", 0), win("d1"), win("d1", "b"),
                                     serve("d2", 1), ExpiredRecord{"d2", 0, "expired"}, win("d2")}))
                .status,
            201);
  EXPECT_EQ(api.get(kE).body.at("sequence").get<int>(), 7);
  EXPECT_EQ(api.get(kE + "/duels/d1").text("state"), "reported");
}

TEST(Import, takes_lines_of_json_and_nothing_else) {
  ServedApi api;
  EXPECT_EQ(import_into(api, log_of(kSound), "text/plain").status, 415);
  EXPECT_EQ(import_into(api, log_of(kSound), "application/json").status, 415);
  EXPECT_EQ(import_into(api, "").status, 422);
  EXPECT_EQ(import_into(api, log_of(kSound) + "{\"seq\":").status, 422);
  EXPECT_EQ(import_into(api, log_of(kSound)).status, 201);
  EXPECT_EQ(import_into(api, log_of(kSound)).status, 409);
  api.restart();
  EXPECT_EQ(import_into(api, log_of(kSound)).status, 409);
}

TEST(Import, a_name_whose_first_line_was_never_written_is_free) {
  ServedApi api;
  ASSERT_TRUE(api.engine().store().create("e").ok());
  EXPECT_EQ(import_into(api, log_of(kSound)).status, 201);
}

// Recorded time never goes back: what is served next would carry the time of the log.
TEST(Import, a_log_of_the_future_is_refused_by_its_line_and_its_field) {
  constexpr std::int64_t kHour = 3'600'000;
  ServedApi api;  // its clock stands at kStart
  const Told told = import_into(api, log_of(kSound, kHour - 1));
  EXPECT_EQ(told.status, 422) << told.body.dump();
  // The first two lines are an hour ahead at most, the third is at one millisecond more.
  EXPECT_NE(told.text("detail").find("line 3: time is 2026-11-15T01:00:00.001Z"), std::string::npos)
      << told.body.dump();
  EXPECT_NE(told.text("detail").find("clock says 2026-11-15T00:00:00.000Z"), std::string::npos);
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 0U);
  EXPECT_EQ(import_into(api, log_of(kSound, 10'000 * kHour)).status, 422);
  // Clocks differ.
  EXPECT_EQ(import_into(api, log_of(kSound, kHour / 2)).status, 201);
}

// --- How many arms ------------------------------------------------------------------------------

std::string experiment_of_arms(int count) {
  std::string arms;
  for (int k = 0; k < count; ++k) {
    arms += fmt::format("{}{{\"arm_id\":\"a{}\"}}", k > 0 ? "," : "", k);
  }
  return R"({"arms":[)" + arms +
         R"(],"policy":"uniform",)"
         R"("stopping":{"arms":"open","pairs_independent":true}})";
}

void expect_pointer_to_arms(const Told& told, int status) {
  EXPECT_EQ(told.status, status) << told.body.dump();
  ASSERT_NE(told.body.find("errors"), nullptr) << told.body.dump();
  EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(), "/arms");
  EXPECT_NE(told.text("detail").find("and this server takes "), std::string::npos);
}

TEST(MostArms, hold_for_new_experiments_new_arms_and_imports) {
  ServedApi api;
  api.most_arms = 3;
  api.restart();
  expect_pointer_to_arms(api.put(kE, experiment_of_arms(4)), 400);
  ASSERT_EQ(api.put(kE, experiment_of_arms(3)).status, 201);
  expect_pointer_to_arms(api.put(kE + "/arms/b", "{}"), 409);
  EXPECT_EQ(api.put(kE + "/arms/a1", "{}").status, 200);  // it is there
  ExperimentRecord record = two_arms();
  record.experiment_id = "x";
  record.stopping.arms_fixed = false;
  std::vector<Record> records{record};
  for (const char* id : {"c", "d"}) {
    records.emplace_back(ArmAddedRecord{{.id = id, .payload = "", .sha256 = "", .content = {}}});
  }
  const Told told = api.call(HttpMethod::post, "/v1/experiments/x/import", log_of(records),
                             {{"content-type", "application/x-ndjson"}});
  EXPECT_EQ(told.status, 422);
  EXPECT_NE(told.text("detail").find("line 3: arms would be 4 arms"), std::string::npos)
      << told.body.dump();
}

TEST(MostArms, are_a_thousand_unless_the_operator_says_otherwise) {
  ServedApi api;
  expect_pointer_to_arms(api.put(kE, experiment_of_arms(1001)), 400);
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").size(), 0U);
}

}  // namespace
}  // namespace duel
