// Events on pages of results over HTTP: which are taken, which are kept, and that whatever is kept
// can be read again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/experiment/experiment.h"
#include "duel/experiment/result_pages.h"
#include "duel/log/record.h"
#include "tests/server/served_api.h"
#include "tests/server/shared_memory_store.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";
const std::string kLists = R"("lists":{"a":["a0","a1","a2","a3"],"b":["b0","b1","b2","b3"]})";
const std::string kClose = R"({"result":"close"})";
constexpr std::int64_t kNow = 1'794'700'800'000;

void start_pages(ServedApi& api, const std::string& id = "e", const std::string& more = "") {
  const std::string path = "/v1/experiments/" + id;
  const Told made =
      api.put(path, R"({"mode":"interleave","policy":"uniform","seed":3,"arms":[{"arm_id":"a"},)"
                    R"({"arm_id":"b"}])" +
                        more + "}");
  ASSERT_EQ(made.status, 201) << made.body.dump();
  ASSERT_EQ(api.post(path + "/start").status, 200);
}

// A page of all lists under the id, in one step.
Told show_page(ServedApi& api, const std::string& duel_id, const std::string& more = "") {
  return api.post(kE + "/interleavings",
                  fmt::format(R"({{"duel_id":"{}",{}{}}})", duel_id, kLists, more));
}

struct Event {
  std::string query = "q";
  std::string object = "a0";
  std::string time = "2026-11-15T00:00:01Z";
  std::string action = "click";
  std::string experiment{};  // empty: not named
  std::string more{};        // attributes

  std::string json() const {
    const auto text = [](const std::string& plain) { return Json(plain).dump(); };
    std::string attributes = fmt::format(R"("object":{{"object_id":{}}})", text(object));
    if (!experiment.empty()) {
      attributes += fmt::format(R"(,"duel":{{"experiment_id":{}}})", text(experiment));
    }
    return fmt::format(R"({{"action_name":{},"query_id":{},"timestamp":{},)"
                       R"("event_attributes":{{{}{}}}}})",
                       text(action), text(query), text(time), attributes, more);
  }
};

// Why an event was rejected; empty where it was accepted.
std::string reason(ServedApi& api, const Event& event) {
  const Told told = api.post("/v1/events", event.json());
  EXPECT_EQ(told.status, 202) << told.body.dump().substr(0, 300);
  if (told.status != 202) return "refused";
  const auto rejected = told.body.at("rejected").items();
  EXPECT_EQ(rejected.size() + told.body.at("accepted").get<std::size_t>(), 1U);
  return rejected.empty() ? std::string() : rejected[0].at("reason").get<std::string>();
}

std::uint64_t records(ServedApi& api, const std::string& id = "e") {
  return api.engine().store().head(id).value().sequence;
}

// What another process would fold from the store at this moment.
Status read_again(ServedApi& api, const std::string& id = "e") {
  const std::shared_ptr<Store> store(std::shared_ptr<void>(), &api.engine().store());
  auto loaded = Experiment::load({.store = store, .draft_seed = 77}, id, kNow);
  if (!loaded.ok()) return loaded.error();
  EXPECT_EQ((*loaded)->ledger().sequence(), records(api, id));
  return Done{};
}

// An experiment whose records wait for a store.
std::unique_ptr<Experiment> own_pages(std::vector<std::pair<std::string, Json>> actions = {}) {
  const auto store = std::make_shared<SharedMemoryStore>(
      std::make_shared<SharedDatabase>(), NodeAddress{"a", ""}, std::chrono::hours(1));
  EXPECT_TRUE(store->create("e").ok());
  ExperimentRecord record;
  record.experiment_id = "e";
  for (const char* id : {"a", "b"}) record.arms.push_back({id, "", "", {}});
  record.policy = "uniform";
  record.service.mode = Mode::interleave;
  record.service.interleave.actions = std::move(actions);
  return Experiment::create({.store = store, .draft_seed = 77}, record, kNow).value();
}

// --- What is kept can be read -------------------------------------------------------------------

std::vector<Event> strange_events() {
  std::vector<Event> events;
  const std::string zero("a\0b", 3);
  const std::vector<std::string> texts{"no such duel!",
                                       "../x",
                                       " ",
                                       zero,
                                       "\xF0\x9F\x98\x80",
                                       "\"\\\n\t\x01\x7f",
                                       "-x",
                                       "never",
                                       ".",
                                       "~secret",
                                       std::string(100, 'x') + "y"};
  for (const std::string& text : texts) {
    for (const std::string named : {"", "e"}) {
      events.push_back({.query = text, .experiment = named});
      events.push_back({.object = text, .experiment = named});
      events.push_back({.time = text, .experiment = named});
      events.push_back({.action = text, .experiment = named});
    }
    events.push_back({.experiment = text});
  }
  const std::string long_text(5'000'000, 'x');
  events.push_back({.query = long_text, .experiment = "e"});
  events.push_back({.object = long_text, .experiment = "e"});
  events.push_back({.time = long_text, .experiment = "e"});
  for (const char* ordinal : {"0", "2", "18446744073709551615", "null"}) {
    events.push_back({.more = fmt::format(R"(,"position":{{"ordinal":{}}})", ordinal)});
  }
  return events;
}

TEST(PageEvents, no_event_makes_an_experiment_unreadable) {
  ServedApi api;
  start_pages(api);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"bare"})").status, 201);
  // The page is not there yet, is open, and is closed.
  const std::vector<std::function<void()>> steps{
      [] {}, [&] { ASSERT_EQ(show_page(api, "q").status, 201); },
      [&] { ASSERT_EQ(api.put(kE + "/duels/q/outcome", kClose).status, 200); }};
  for (const auto& step : steps) {
    step();
    for (const Event& event : strange_events()) {
      reason(api, event);
      const Status again = read_again(api);
      ASSERT_TRUE(again.ok()) << again.error().to_string() << event.json().substr(0, 300);
    }
  }
  restart_from_log(api);
  EXPECT_EQ(api.get(kE).status, 200);
  EXPECT_EQ(api.get(kE + "/result").status, 200);
}

TEST(PageEvents, are_taken_as_collectors_of_opensearch_write_them) {
  ServedApi api;
  start_pages(api);
  const Told page = show_page(api, "q");
  ASSERT_EQ(page.status, 201);
  const std::string first = page.body.at("items").items()[0].at("object_id").get<std::string>();
  // Action lines, milliseconds, and positions that count from 0.
  const std::string body =
      R"({"index":{"_index":"ubi_queries"}})"
      "\n"
      R"({"query_id":"q","user_query":"toner","timestamp":1794700800000})"
      "\n"
      R"({"index":{"_index":"ubi_events"}})"
      "\n" +
      fmt::format(R"({{"action_name":"click","query_id":"q","timestamp":1794700800000,)"
                  R"("event_attributes":{{"object":{{"object_id":"{}"}},)"
                  R"("position":{{"ordinal":0}}}}}})",
                  first) +
      "\n";
  const HttpFields type{{"content-type", "application/x-ndjson"}};
  const Told told = api.call(HttpMethod::post, "/v1/events", body, type);
  ASSERT_EQ(told.status, 202) << told.body.dump();
  EXPECT_EQ(told.body.at("accepted").get<int>(), 1) << told.body.dump();
  EXPECT_TRUE(told.body.at("rejected").items().empty()) << told.body.dump();
  const std::uint64_t before = records(api);
  EXPECT_EQ(api.call(HttpMethod::post, "/v1/events", body, type).status, 202);
  EXPECT_EQ(records(api), before) << "sent again it counts once";
  EXPECT_EQ(reason(api, {.object = first, .more = R"(,"position":{"ordinal":1})"}), "");
  EXPECT_EQ(reason(api, {.object = first, .more = R"(,"position":{"ordinal":2})"}),
            "the item was shown at 1, not at 2");
}

TEST(PageEvents, one_closes_its_page) {
  ServedApi api;
  start_pages(api);
  ASSERT_EQ(show_page(api, "q").status, 201);
  EXPECT_EQ(reason(api, {.object = "a0"}), "");
  EXPECT_EQ(reason(api, {.action = "duel.close"}), "");
  const std::uint64_t before = records(api);
  EXPECT_EQ(reason(api, {.action = "duel.close"}), "") << "sent again it does nothing";
  EXPECT_EQ(records(api), before);
  const Told told = api.get(kE + "/duels/q");
  EXPECT_EQ(told.body.at("outcome").at("winner").get<std::string>(), "a") << told.body.dump();
  EXPECT_EQ(reason(api, {.object = "b0"}), "the duel was closed before");
  EXPECT_NE(reason(api, {.query = "never", .action = "duel.close"}), "");
}

TEST(PageEvents, nothing_is_kept_of_a_duel_that_was_never_served) {
  ServedApi api;
  start_pages(api);
  start_pages(api, "other");
  ASSERT_EQ(show_page(api, "q").status, 201);
  const std::uint64_t before = records(api), others = records(api, "other");
  EXPECT_EQ(reason(api, {.query = "no such duel!", .experiment = "e"}),
            "no duel was served under this query_id");
  EXPECT_EQ(reason(api, {.query = "never", .experiment = "e"}),
            "the experiment served no duel of this query_id");
  EXPECT_EQ(reason(api, {.query = "q", .experiment = "other"}),
            "the experiment served no duel of this query_id");
  EXPECT_EQ(records(api), before);
  EXPECT_EQ(records(api, "other"), others);
}

TEST(PageEvents, what_earns_nothing_is_not_kept) {
  ServedApi api;
  start_pages(api, "e", R"(,"interleave":{"actions":{"click":1,"view":0}})");
  ASSERT_EQ(show_page(api, "q").status, 201);
  const std::uint64_t before = records(api);
  EXPECT_EQ(reason(api, {.action = "view"}), "");
  EXPECT_EQ(reason(api, {.action = "other"}), "");
  EXPECT_EQ(records(api), before);
  EXPECT_EQ(reason(api, {}), "");
  EXPECT_EQ(records(api), before + 1);
}

TEST(PageEvents, an_action_that_a_log_made_elsewhere_gives_no_worth_earns_nothing) {
  const auto owned = own_pages({{"click", Json("much")}, {"buy", Json(-1)}});
  for (const std::string action : {"click", "buy"}) {
    const auto reason = owned->click({"q", action, "1", {}, "x"}, {kNow});
    ASSERT_TRUE(reason.ok());
    EXPECT_FALSE(reason->has_value());
  }
  EXPECT_EQ(owned->staged_lines().size(), 1U) << "the experiment";
}

// --- What was shown -----------------------------------------------------------------------------

std::vector<std::string> objects_of(const Told& page) {
  std::vector<std::string> objects;
  for (const Json& item : page.body.at("items").items()) {
    objects.push_back(item.at("object_id").get<std::string>());
  }
  return objects;
}

TEST(PageEvents, an_item_counts_once_its_page_was_shown_whatever_restarts_between) {
  for (const bool from_log : {true, false}) {
    ServedApi api;
    start_pages(api);
    const auto restart = [&] { from_log ? restart_from_log(api) : api.restart(); };
    // In the order of the whole draft.
    ASSERT_EQ(show_page(api, "twin").status, 201);
    const Told first = show_page(api, "q", R"(,"limit":2)");
    ASSERT_EQ(first.status, 201);
    ASSERT_EQ(objects_of(first).size(), 2U);
    restart();
    std::vector<std::string> hidden{"a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"};
    for (const std::string& object : objects_of(first)) {
      EXPECT_EQ(reason(api, {.object = object}), "");
      std::erase(hidden, object);
    }
    for (const std::string& object : hidden) {
      EXPECT_EQ(reason(api, {.object = object}), "the item was not shown") << object;
    }
    // The last page before the one in the middle.
    const std::string path = kE + "/duels/q/interleaving";
    const Told last = api.put(path, "{" + kLists + R"(,"offset":6,"limit":2})");
    ASSERT_EQ(last.status, 200) << last.body.dump();
    restart();
    for (const std::string& object : objects_of(last)) {
      EXPECT_EQ(reason(api, {.object = object, .time = "2026-11-15T00:00:02Z"}), "");
      std::erase(hidden, object);
    }
    ASSERT_EQ(hidden.size(), 4U);
    for (const std::string& object : hidden) {
      EXPECT_EQ(reason(api, {.object = object}), "the item was not shown") << object;
    }
    // The same page again is nothing new.
    const std::uint64_t before = records(api);
    ASSERT_EQ(api.put(path, "{" + kLists + R"(,"offset":6,"limit":1})").status, 200);
    ASSERT_EQ(show_page(api, "q", R"(,"offset":0,"limit":2)").status, 200);
    ASSERT_EQ(api.put(path, "{" + kLists + R"(,"offset":99})").status, 200);
    EXPECT_EQ(records(api), before);
    ASSERT_EQ(show_page(api, "q", R"(,"offset":2,"limit":4)").status, 200);
    EXPECT_EQ(records(api), before + 1);
    for (const std::string& object : hidden) EXPECT_EQ(reason(api, {.object = object}), "");
    EXPECT_TRUE(read_again(api).ok());
  }
}

TEST(PageEvents, a_click_on_what_was_not_shown_decides_nothing) {
  ServedApi api;
  start_pages(api);
  const Told page = show_page(api, "q", R"(,"limit":2)");
  ASSERT_EQ(page.status, 201);
  EXPECT_EQ(reason(api, {.object = "b3"}), "the item was not shown");
  ASSERT_EQ(api.put(kE + "/duels/q/outcome", kClose).status, 200);
  const Told closed = api.get(kE + "/duels/q");
  EXPECT_EQ(closed.body.at("outcome").at("result").get<std::string>(), "no_feedback");
  EXPECT_NE(api.streamed(kE + "/export?what=nonvotes").find("no_feedback"), std::string::npos);
}

// Logs of versions that did not record it.
TEST(ResultPages, a_page_without_a_word_of_what_was_shown_has_shown_everything) {
  ResultPages pages(7, Drafting::team_draft);
  InterleavedRecord rankings{"q", {"1", "2", "3"}, {"4", "5", "6"}, {}, {}};
  const auto taken = [&](const std::string& object) {
    const PageEvent event{"q", "click", object, {}, object};
    return std::holds_alternative<EventRecord>(ResultPages::take(*pages.find("q"), event, 1, 1));
  };
  pages.note({2, 0, rankings, ""});
  for (const char* object : {"1", "2", "3", "4", "5", "6"}) EXPECT_TRUE(taken(object)) << object;
  EXPECT_FALSE(taken("7"));
  rankings.shown = {0, 1};
  pages.note({3, 0, rankings, ""});
  EXPECT_TRUE(taken("1") != taken("4")) << "one of the two was first";
  EXPECT_FALSE(taken("3"));
  pages.note({4, 0, PagedRecord{"q", {1, 6}}, ""});
  for (const char* object : {"1", "2", "3", "4", "5", "6"}) EXPECT_TRUE(taken(object)) << object;
}

TEST(ResultPages, what_was_shown_grows_together) {
  ResultPage page;
  for (const ShownItems items : {ShownItems{0, 2}, {4, 6}, {8, 9}}) page.show(items);
  EXPECT_TRUE(page.has_shown({4, 6}));
  EXPECT_TRUE(page.has_shown({5, 5}));
  EXPECT_FALSE(page.has_shown({1, 5}));
  EXPECT_FALSE(page.has_shown({6, 7}));
  page.show({2, 4});
  EXPECT_EQ(page.shown, (std::vector<ShownItems>{{8, 9}, {0, 6}}));
  page.show({5, 8});
  EXPECT_EQ(page.shown, (std::vector<ShownItems>{{0, 9}}));
}

TEST(PageEvents, the_next_page_is_shown_also_while_the_store_takes_nothing) {
  const auto owned = own_pages();
  const Wish wish{.duel_id = "q"};
  Lists lists{.lists = {{"a", {"1", "2"}}, {"b", {"3", "4"}}}, .offset = 0, .limit = 2};
  const auto first = owned->serve_page(wish, lists, {kNow});
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  ASSERT_TRUE(std::holds_alternative<Served>(first->offer));
  ASSERT_FALSE(std::get<Served>(first->offer).again);
  const std::size_t before = owned->staged_lines().size();
  lists.offset = 2;
  const auto next = owned->serve_page(wish, lists, {kNow, StoreAccess::read_only});
  ASSERT_TRUE(next.ok()) << next.error().to_string();
  EXPECT_EQ(next->page.items.size(), 2U);
  EXPECT_FALSE(next->page.fallback);
  EXPECT_EQ(owned->staged_lines().size(), before);
  ASSERT_TRUE(owned->serve_page(wish, lists, {kNow}).ok());
  EXPECT_EQ(owned->staged_lines().size(), before + 1);
}

// --- Late, repeated and misdirected -------------------------------------------------------------

TEST(PageEvents, a_late_event_is_kept_once) {
  ServedApi api;
  start_pages(api);
  ASSERT_EQ(show_page(api, "q", R"(,"limit":6)").status, 201);
  const Event in_time{.object = "a0", .time = "2026-11-15T00:00:11Z"};
  ASSERT_EQ(reason(api, in_time), "");
  ASSERT_EQ(api.put(kE + "/duels/q/outcome", kClose).status, 200);
  const std::uint64_t before = records(api);
  EXPECT_EQ(reason(api, in_time), "") << "it was taken: the answer was lost";
  EXPECT_EQ(records(api), before);
  const Event late{.object = "a0", .time = "2026-11-15T00:00:12Z"};
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(reason(api, late), "the duel was closed before");
    EXPECT_EQ(records(api), before + 1);
    if (time == 1) restart_from_log(api);
  }
  // Twice in one request, too.
  const std::string again = Event{.object = "b0", .time = "2026-11-15T00:00:13Z"}.json();
  api.post("/v1/events", "[" + again + "," + again + "]");
  EXPECT_EQ(records(api), before + 2);
  EXPECT_EQ(reason(api, {.object = std::string(5'000'000, 'x')}), "the item was not shown");
  EXPECT_EQ(reason(api, {.object = "b3", .more = R"(,"position":{"ordinal":99})"}),
            reason(api, {.object = "b3",
                         .time = "2026-11-15T00:00:14Z",
                         .more = R"(,"position":{"ordinal":99})"}));
  EXPECT_EQ(records(api), before + 2);
  const std::string log = api.streamed(kE + "/export?what=audit");
  EXPECT_NE(log.find(R"("object":"a0","late":true)"), std::string::npos) << log;
}

TEST(PageEvents, only_so_many_late_events_of_one_page_are_kept) {
  ServedApi api;
  start_pages(api);
  ASSERT_EQ(show_page(api, "q").status, 201);
  ASSERT_EQ(api.put(kE + "/duels/q/outcome", kClose).status, 200);
  const std::uint64_t before = records(api);
  std::string body;
  for (int k = 0; k < 250; ++k) {
    body += Event{.time = fmt::format("2026-11-15T00:{:02}:{:02}Z", k / 60, k % 60)}.json() + "\n";
  }
  const Told told =
      api.call(HttpMethod::post, "/v1/events", body, {{"content-type", "application/x-ndjson"}});
  EXPECT_EQ(told.body.at("rejected").size(), 250U);
  EXPECT_EQ(records(api), before + 100);
}

TEST(PageEvents, clicks_on_a_page_of_one_arm_are_not_kept_and_not_called_late) {
  ServedApi api;
  start_pages(api, "e", R"(,"stopping":{"alpha":0.5,"on_certified":"exploit"})");
  std::string served;
  for (int k = 0; k < 200 && served != "exploit"; ++k) {
    const std::string id = fmt::format("q{}", k);
    served = show_page(api, id).text("serving");
    if (served == "exploit") break;
    reason(api, {.query = id, .object = "a0"});
    reason(api, {.query = id, .object = "a1"});
    api.put(kE + "/duels/" + id + "/outcome", kClose);
  }
  ASSERT_EQ(served, "exploit");
  const Told page = show_page(api, "alone");
  ASSERT_EQ(page.text("serving"), "exploit");
  const std::uint64_t before = records(api);
  EXPECT_EQ(reason(api, {.query = "alone", .object = "a0"}),
            "the page showed one arm alone, which compares nothing");
  api.post(kE + "/pause");
  const std::uint64_t paused = records(api);
  ASSERT_EQ(show_page(api, "spare").text("serving"), "fallback");
  EXPECT_EQ(reason(api, {.query = "spare", .object = "a0", .experiment = "e"}),
            "the page was a fallback, which compares nothing");
  EXPECT_EQ(paused, before + 1) << "paused";
  EXPECT_EQ(records(api), paused);
}

// --- Several events, several experiments, one node or more --------------------------------------

class PageEventsOn : public testing::TestWithParam<bool> {
 protected:
  PageEventsOn() {
    if (!GetParam()) return;
    // A node that shares its store with others sends events to the owners of their experiments.
    api.around_store = [database = std::make_shared<SharedDatabase>()](
                           const std::unique_ptr<Store>& /*on_disk*/) -> std::unique_ptr<Store> {
      return std::make_unique<SharedMemoryStore>(database, NodeAddress{"a", ""},
                                                 std::chrono::hours(1));
    };
    api.restart();
  }

  ServedApi api;
};

TEST_P(PageEventsOn, one_event_that_cannot_be_taken_leaves_the_others_alone) {
  start_pages(api);
  ASSERT_EQ(show_page(api, "q").status, 201);
  const std::uint64_t before = records(api);
  const auto name = [](const std::string& id) {
    return Event{.object = "a1", .experiment = id}.json();
  };
  const Told told =
      api.post("/v1/events", "[" + Event{.object = "a0"}.json() + "," + name("noexp") + "," +
                                 name("no such experiment!") + "," + name(std::string(1000, 'x')) +
                                 "," + Event{.query = "no such duel!"}.json() + ",7," +
                                 Event{.object = "b0"}.json() + "]");
  ASSERT_EQ(told.status, 202) << told.body.dump();
  EXPECT_EQ(told.body.at("accepted").get<int>(), 2);
  const auto rejected = told.body.at("rejected").items();
  ASSERT_EQ(rejected.size(), 5U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(rejected[k].at("index").get<std::size_t>(), k + 1);
    EXPECT_EQ(rejected[k].at("reason").get<std::string>(), "there is no such experiment");
  }
  EXPECT_EQ(records(api), before + 2);
}

TEST_P(PageEventsOn, an_event_that_one_experiment_took_is_accepted) {
  start_pages(api);
  // Before and after `e` in the order of ids.
  for (const std::string id : {"d", "f"}) {
    ASSERT_EQ(api.put("/v1/experiments/" + id, kThreeArms).status, 201);
    ASSERT_EQ(api.post("/v1/experiments/" + id + "/start").status, 200);
    ASSERT_EQ(api.post("/v1/experiments/" + id + "/duels", R"({"duel_id":"q"})").status, 201);
  }
  ASSERT_EQ(show_page(api, "q").status, 201);
  EXPECT_EQ(reason(api, {.object = "a0"}), "");
  EXPECT_EQ(reason(api, {.object = "nowhere"}),
            "the experiment does not serve pages; the item was not shown");
  ASSERT_EQ(api.put(kE + "/duels/q/outcome", kClose).status, 200);
  EXPECT_EQ(api.get(kE + "/duels/q").body.at("outcome").at("winner").get<std::string>(), "a");
}

INSTANTIATE_TEST_SUITE_P(Stores, PageEventsOn, testing::Bool(), [](const auto& each) {
  return each.param ? std::string("shared_by_nodes") : std::string("of_one_server");
});

// --- Pages in one step --------------------------------------------------------------------------

TEST(OneShot, is_the_same_again_after_arms_came_and_went) {
  ServedApi api;
  ASSERT_EQ(
      api.put(kE, R"({"mode":"interleave","policy":"uniform","seed":3,"arms":[{"arm_id":"a"},)"
                  R"({"arm_id":"b"},{"arm_id":"c"}],)"
                  R"("stopping":{"arms":"open","pairs_independent":true}})")
          .status,
      201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  const Told first = show_page(api, "q", R"(,"subject_id":"s","limit":2)");
  ASSERT_EQ(first.status, 201) << first.body.dump();
  const auto expect_same = [&] {
    const Told again = show_page(api, "q", R"(,"subject_id":"s","limit":2)");
    ASSERT_EQ(again.status, 200) << again.body.dump();
    EXPECT_EQ(again.body.dump(), first.body.dump());
    const Told next = show_page(api, "q", R"(,"subject_id":"s","offset":2)");
    ASSERT_EQ(next.status, 200) << next.body.dump();
    EXPECT_EQ(next.body.at("items").items()[0].at("ordinal").get<int>(), 3);
  };
  expect_same();
  ASSERT_EQ(api.put(kE + "/arms/d", "{}").status, 201);
  expect_same();
  ASSERT_EQ(api.call(HttpMethod::del, kE + "/arms/c").status, 200);
  expect_same();
  ASSERT_EQ(api.call(HttpMethod::del, kE + "/arms/a").status, 200);
  expect_same();
  restart_from_log(api);
  expect_same();
  EXPECT_EQ(show_page(api, "q", R"(,"subject_id":"t")").status, 422) << "another question";
}

TEST(OneShot, points_to_the_list_that_is_wrong) {
  ServedApi api;
  start_pages(api);
  const Told told =
      api.post(kE + "/interleavings", R"({"lists":{"a":["1"],"b":["2"],"x/y~z":["3"]}})");
  ASSERT_EQ(told.status, 400);
  EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(), "/lists/x~1y~0z");
}

TEST(OneShot, a_fallback_in_two_steps_shows_an_arm_whose_list_came) {
  ServedApi api;
  start_pages(api);
  ASSERT_EQ(api.post(kE + "/pause").status, 200);
  const Told duel = api.post(kE + "/duels", R"({"duel_id":"q","exclude":["a"]})");
  ASSERT_EQ(duel.text("serving"), "fallback");
  const Told page = api.put(kE + "/duels/q/interleaving", R"({"lists":{"b":["1","2"]}})");
  ASSERT_EQ(page.status, 200) << page.body.dump();
  EXPECT_EQ(page.body.at("items").size(), 2U);
}

Json pages_of(ServedApi& api) { return api.get(kE + "/result").body.at("pages"); }

TEST(PagesSoFar, are_shown_while_they_are_open_and_are_no_evidence) {
  ServedApi api;
  start_pages(api);
  for (const char* id : {"q1", "q2", "q3"}) ASSERT_LT(show_page(api, id).status, 300);
  EXPECT_EQ(pages_of(api).at("open").get<int>(), 3);
  EXPECT_EQ(pages_of(api).at("clicked").get<int>(), 0);
  EXPECT_EQ(pages_of(api).at("next_closes_at").get<std::string>(), "2026-11-15T00:05:00.000Z");
  EXPECT_EQ(reason(api, {.query = "q1", .object = "a0"}), "");
  EXPECT_EQ(reason(api, {.query = "q2", .object = "b0"}), "");
  EXPECT_EQ(reason(api, {.query = "q2", .object = "a0"}), "");
  const Json so_far = pages_of(api);
  EXPECT_EQ(so_far.at("clicked").get<int>(), 2);
  EXPECT_EQ(so_far.at("clicks").get<int>(), 3);
  EXPECT_EQ(so_far.at("pairs").dump(),
            R"([{"first":"a","second":"b","open":3,"first_ahead":1,"second_ahead":0,"even":1}])");
  const Json result = api.get(kE + "/result").body;
  EXPECT_EQ(result.at("duels").at("first_wins").get<int>(), 0);
  EXPECT_EQ(result.at("duels").at("second_wins").get<int>(), 0);
  EXPECT_EQ(result.at("duels").at("pending").get<int>(), 3);
}

TEST(PagesSoFar, say_how_many_closed_without_a_click) {
  ServedApi api;
  start_pages(api);
  ASSERT_LT(show_page(api, "q1").status, 300);
  ASSERT_LT(show_page(api, "q2").status, 300);
  const std::string same = R"({"duel_id":"q3","lists":{"a":["x","y"],"b":["x","y"]}})";
  ASSERT_LT(api.post(kE + "/interleavings", same).status, 300);
  ASSERT_EQ(reason(api, {.query = "q1", .object = "b0"}), "");
  for (const char* id : {"q1", "q2", "q3"}) {
    EXPECT_EQ(api.put(kE + "/duels/" + id + "/outcome", kClose).status, 200);
  }
  const Json closed = pages_of(api);
  EXPECT_EQ(closed.at("open").get<int>(), 0);
  EXPECT_EQ(closed.find("next_closes_at"), nullptr);
  EXPECT_EQ(closed.at("closed_without_click").get<int>(), 1);
  EXPECT_EQ(closed.at("closed_without_contest").get<int>(), 1);
  EXPECT_EQ(closed.at("pairs").size(), 0U);
  // The same from the snapshot that a stop writes.
  api.stop();
  api.start();
  EXPECT_EQ(pages_of(api).dump(), closed.dump());
}

TEST(PagesSoFar, are_not_there_where_people_vote) {
  ServedApi api;
  start_three_arms(api);
  EXPECT_EQ(api.get(kE + "/result").body.find("pages"), nullptr);
}

}  // namespace
}  // namespace duel
