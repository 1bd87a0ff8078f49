// What can be asked of an experiment, in the words of the domain.
#include "duel/experiment/experiment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duel/log/experiment_log.h"
#include "duel/policies/registry.h"
#include "duel/policies/uniform.h"
#include "tests/experiment/held_experiment.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

constexpr std::int64_t kNow = HeldExperiment::kNow;
constexpr std::int64_t kSecond = 1000;

ExperimentRecord three_arms() {
  ExperimentRecord record;
  record.experiment_id = HeldExperiment::kId;
  for (const char* id : {"a", "b", "c"}) record.arms.push_back({id, "", "", {}});
  record.policy = "uniform";
  record.seed = 7;
  record.service.feedback.timeout_s = 60;
  return record;
}

ExperimentRecord two_arms() {
  ExperimentRecord record = three_arms();
  record.arms.pop_back();
  record.stopping.alpha = 0.2;
  return record;
}

Report win_of(const std::string& duel_id, const std::string& arm) {
  return {.duel_id = duel_id, .answer = Answer{Answered::win, arm}};
}

ServeRecord serve(HeldExperiment& held, const Wish& wish, std::int64_t now = kNow) {
  const auto offer = held->serve(wish, {now});
  EXPECT_TRUE(offer.ok()) << offer.error().to_string();
  if (!offer.ok() || !std::holds_alternative<Served>(*offer)) {
    ADD_FAILURE() << "nothing was served";
    return {};
  }
  return std::get<Served>(*offer).serve;
}

// The records of a log, which is read as anybody reads it.
std::vector<LogEntry> records_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  std::vector<LogEntry> entries;
  const auto read = read_log_text(text, "log", [&](const LogEntry& entry) -> Status {
    entries.push_back(entry);
    return Done{};
  });
  EXPECT_TRUE(read.ok()) << read.error().to_string();
  return entries;
}

template <class Kind>
std::vector<LogEntry> records_of(HeldExperiment& held) {
  held.commit();
  std::vector<LogEntry> entries = records_of(held.texts());
  std::erase_if(entries,
                [](const LogEntry& one) { return !std::holds_alternative<Kind>(one.record); });
  return entries;
}

// Plays until an answer certifies `a`. The id of the duel that did.
std::string certify(HeldExperiment& held) {
  for (int k = 0; k < 1000; ++k) {
    const ServeRecord duel = serve(held, {});
    EXPECT_TRUE(held->report(win_of(duel.duel_id, std::min(duel.first, duel.second)), {kNow}).ok());
    held.commit();
    if (held->ledger().certificate()) return duel.duel_id;
  }
  ADD_FAILURE() << "no certificate";
  return {};
}

// --- Fallbacks ----------------------------------------------------------------------------------

Fallback::Why why_not(HeldExperiment& held, const Wish& wish, Moment moment = {kNow}) {
  const auto offer = held->serve(wish, moment);
  EXPECT_TRUE(offer.ok()) << offer.error().to_string();
  EXPECT_FALSE(held->spoiled());
  if (offer.ok() && std::holds_alternative<Fallback>(*offer)) return std::get<Fallback>(*offer).why;
  ADD_FAILURE() << "no fallback";
  return {};
}

TEST(ExperimentServes, says_why_it_serves_no_duel) {
  using enum Fallback::Why;
  ExperimentRecord record = three_arms();
  record.service.guardrails.max_duels_per_subject_per_day = 1;
  record.service.guardrails.max_pending = 4;
  HeldExperiment held(record);
  serve(held, {.duel_id = "q", .subject = "s", .request = "r"});
  EXPECT_EQ(why_not(held, {.subject = "s"}), cap);
  EXPECT_EQ(why_not(held, {.excluded = {"a", "b"}}), few_arms);
  EXPECT_EQ(why_not(held, {.limit = 1}), limit);
  EXPECT_EQ(why_not(held, {.only_again = true}), not_before);
  EXPECT_EQ(why_not(held, {}, {kNow, StoreAccess::read_only}), store);
  EXPECT_EQ(why_not(held, {}, {kNow, StoreAccess::unreadable}), store);
  EXPECT_EQ(why_not(held, {.duel_id = "x", .made_for_it = true}, {kNow, StoreAccess::unreadable}),
            store);
  for (const char* id : {"q", "x"}) {  // either may be in the log
    const Wish named{.duel_id = id, .request = "r"};
    const auto refusal = held->serve(named, {kNow, StoreAccess::unreadable});
    ASSERT_FALSE(refusal.ok());
    EXPECT_EQ(reason_of(refusal.error()), Reason::store_unavailable);
  }
  EXPECT_EQ(held->staged_lines().size(), 1U) << "q alone";
  // What was served is given again wherever the store can be read.
  const auto again = held->serve({.duel_id = "q", .request = "r"}, {kNow, StoreAccess::read_only});
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(std::get<Served>(*again).again);
  for (int k = 0; k < 3; ++k) serve(held, {});
  EXPECT_EQ(why_not(held, {}), pending);
  ASSERT_TRUE(held->change_state(Experiment::Step::pause, {kNow}).ok());
  EXPECT_EQ(why_not(held, {}), not_running);
  ExperimentRecord short_one = three_arms();
  short_one.stopping.max_duels = 1;
  HeldExperiment other(short_one);
  serve(other, {});
  EXPECT_EQ(why_not(other, {}), limit);
}

TEST(ExperimentServes, a_fallback_shows_no_excluded_arm) {
  ExperimentRecord record = three_arms();
  record.service.default_arm = "b";
  HeldExperiment held(record);
  const auto shown = [&](const std::vector<std::string>& excluded) {
    const auto offer = held->serve({.excluded = excluded, .limit = 0}, {kNow});
    EXPECT_TRUE(offer.ok() && std::holds_alternative<Fallback>(*offer));
    return std::get<Fallback>(offer.value()).arm;
  };
  EXPECT_EQ(shown({"a", "c"}), "b");
  EXPECT_EQ(shown({"b", "c"}), "a");
  EXPECT_EQ(shown({"a", "b"}), "c");
}

TEST(ExperimentServes, an_answer_to_a_fallback_is_ignored_and_one_to_nothing_is_an_error) {
  HeldExperiment held(three_arms());
  ASSERT_TRUE(held->change_state(Experiment::Step::pause, {kNow}).ok());
  const auto offer = held->serve({.duel_id = "q", .subject = "s"}, {kNow});
  const auto& fallback = std::get<Fallback>(*offer);
  EXPECT_EQ(fallback.arm, "a");
  EXPECT_EQ(held->report(win_of("q", "a"), {kNow})->what, Reported::What::ignored);
  const auto unknown = held->report(win_of("never", "a"), {kNow});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(reason_of(unknown.error()), Reason::unknown_duel);
  // Its proof says to whom it was shown, also where nobody remembers it.
  Report proven = win_of("q", "a");
  proven.proof = proof_of("e", fallback);
  held.commit();
  const auto told = held.load()->report(proven, {kNow}, true);
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->what, Reported::What::ignored);
  EXPECT_EQ(told->subject, "s");
}

TEST(ExperimentServes, duels_get_numbers_where_nobody_makes_ids) {
  HeldExperiment held(three_arms());
  EXPECT_EQ(serve(held, {}).duel_id, "d1");
  EXPECT_EQ(serve(held, {}).duel_id, "d2");
  Setting setting;
  setting.new_id = [](std::int64_t now_ms) { return fmt::format("at-{}", now_ms); };
  HeldExperiment named(three_arms(), setting);
  EXPECT_EQ(serve(named, {}).duel_id, fmt::format("at-{}", kNow));
}

TEST(ExperimentServes, without_deadlines_nothing_expires) {
  Setting setting;
  setting.deadlines = false;
  HeldExperiment held(three_arms(), setting);
  EXPECT_EQ(serve(held, {.duel_id = "q"}).expires_at.ms, 0);
  held.commit();
  EXPECT_FALSE(held->due_ms());
  EXPECT_FALSE(*held->expire({kNow + 3'600 * kSecond}));
  EXPECT_FALSE(held.load()->due_ms());
}

TEST(ExperimentServes, what_expires_together_can_expire_in_parts) {
  HeldExperiment held(three_arms());
  constexpr int kDuels = 100;
  for (int k = 0; k < kDuels; ++k) serve(held, {.duel_id = fmt::format("q{}", k)});
  held.commit();
  const Moment after{*held->due_ms() + 1};
  int asked = 0;
  EXPECT_TRUE(*held->expire(after, [&] { return ++asked == 3; }));
  EXPECT_EQ(held->ledger().num_pending(), kDuels - 3);
  EXPECT_EQ(held->ledger().find_open("q2"), nullptr) << "the earliest first";
  EXPECT_NE(held->ledger().find_open("q3"), nullptr);
  // A request sees its own duel as it is, however many there are, and leaves most of them.
  held.commit();
  const auto late = held->report(win_of("q99", "a"), after);
  ASSERT_TRUE(late.ok()) << late.error().to_string();
  EXPECT_EQ(late->what, Reported::What::late);
  EXPECT_GT(held->ledger().num_pending(), kDuels / 2);
  held.commit();
  EXPECT_FALSE(*held->expire(after));
  EXPECT_EQ(held->ledger().num_pending(), 0);
  EXPECT_FALSE(held->due_ms());
}

TEST(ExperimentServes, a_voter_is_not_given_a_duel_again_that_is_due) {
  HeldExperiment held(three_arms());
  for (int k = 0; k < 50; ++k) serve(held, {.duel_id = fmt::format("q{}", k)});
  for (const char* id : {"v1", "v2"}) {
    serve(held, {.duel_id = id, .subject = "s", .voter = true});
  }
  held.commit();
  const Moment after{*held->due_ms() + 1};
  const auto offer = held->serve({.duel_id = "v3", .subject = "s", .voter = true}, after);
  ASSERT_TRUE(offer.ok()) << offer.error().to_string();
  EXPECT_EQ(std::get<Served>(*offer).serve.duel_id, "v3");
}

// --- Refusals -----------------------------------------------------------------------------------

TEST(ExperimentRefuses, with_a_reason_and_stages_nothing) {
  ExperimentRecord record = three_arms();
  record.service.starts = ExperimentState::draft;
  HeldExperiment held(record);
  const std::size_t lines = held.size();
  const auto expect = [&](const auto& result, Reason reason) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(reason_of(result.error()), reason) << result.error().to_string();
    EXPECT_FALSE(held->has_staged()) << result.error().to_string();
  };
  using enum Experiment::Step;
  expect(held->change_state(resume, {kNow}), Reason::illegal_state);
  ASSERT_TRUE(held->change_state(start, {kNow}).ok());
  ASSERT_TRUE(held->change_state(pause, {kNow}).ok());
  held.commit();
  expect(held->change_state(start, {kNow}), Reason::illegal_state);
  expect(held->change_state(resume, {kNow, StoreAccess::read_only}), Reason::store_unavailable);
  ASSERT_TRUE(held->change_state(resume, {kNow}).ok());
  serve(held, {.duel_id = "q", .request = "r"});
  held.commit();
  expect(held->serve({.duel_id = "q", .request = "other"}, {kNow}), Reason::other_question);
  expect(held->report(win_of("never", "a"), {kNow}), Reason::unknown_duel);
  expect(held->find("never"), Reason::unknown_duel);
  expect(held->page("q", {}, {kNow}), Reason::wrong_mode);
  expect(held->serve_page({}, {}, {kNow}), Reason::wrong_mode);
  expect(held->retire_arm("z", {kNow}), Reason::unknown_arm);
  expect(held->add_arm({.id = "a", .payload = "", .sha256 = "", .content = Json(1)}, {kNow}),
         Reason::arms_fixed);
  Report forged = win_of("q", "a");
  forged.proof = proof_of("e", held->shown(*held->find("q")->serve, true));
  forged.proof->round += 1;
  expect(held->report(forged, {kNow}), Reason::proof_mismatch);
  Report lost = win_of("lost", "a");
  lost.proof.emplace();
  lost.proof->experiment_id = "e";
  lost.proof->duel_id = "lost";
  lost.proof->first = "a";
  lost.proof->second = "b";
  expect(held->report(lost, {kNow}), Reason::proof_expired);
  ASSERT_TRUE(held->change_state(pause, {kNow}).ok());
  held.commit();
  lost.proof->expires_at_ms = kNow + kSecond;
  expect(held->report(lost, {kNow}), Reason::not_running);
  ASSERT_TRUE(held->change_state(complete, {kNow}).ok());
  ASSERT_TRUE(held->change_state(archive, {kNow}).ok());
  held.commit();
  expect(held->change_state(complete, {kNow}), Reason::illegal_state);
  EXPECT_EQ(held.size(), lines + 7);
}

TEST(ExperimentRefuses, with_the_field_at_fault) {
  HeldExperiment held(three_arms());
  serve(held, {.duel_id = "q"});
  held.commit();
  const auto field_of = [&](const auto& result) {
    EXPECT_FALSE(result.ok());
    EXPECT_FALSE(held->has_staged());
    return result.ok() ? std::string("none") : result.error().field;
  };
  EXPECT_EQ(field_of(held->serve({.excluded = {"z"}}, {kNow})), "exclude");
  EXPECT_EQ(field_of(held->serve({.task = "no name!"}, {kNow})), "task_id");
  EXPECT_EQ(field_of(held->report(win_of("q", "z"), {kNow})), "winner");
  EXPECT_EQ(field_of(held->report({.duel_id = "q"}, {kNow})), "result");
  Report closed = win_of("q", "a");
  closed.close = true;  // what ends a page says nothing of who won
  EXPECT_EQ(field_of(held->report(closed, {kNow})), "result");
  Report noted = win_of("q", "a");
  noted.note = std::string(201, 'x');
  EXPECT_EQ(field_of(held->report(noted, {kNow})), "note");
  Report judged{.duel_id = "q"};
  judged.judgements = {{"a", {Answered::win, "a"}}};
  EXPECT_EQ(field_of(held->report(judged, {kNow})), "judgements");
  ComparisonRecord sound, wrong;
  sound.first = wrong.first = "a";
  sound.second = "b";
  wrong.second = "z";
  sound.answer = wrong.answer = {Answered::tie, ""};
  EXPECT_FALSE(*held->knows(sound));
  EXPECT_FALSE(held->knows(wrong).ok());
}

// --- What is read from the store ----------------------------------------------------------------

class ReadsOnce : public ::testing::Test {
 protected:
  ReadsOnce()
      : held_(three_arms(), {}, [this](std::unique_ptr<Store> store) {
          auto counting = std::make_unique<FaultyStore>(std::move(store));
          store_ = counting.get();
          return counting;
        }) {
    duel_ = serve(held_, {.duel_id = "q", .subject = "s", .request = "r"});
    held_.commit();
  }
  // How often the store is asked for a duel.
  std::size_t reads(const std::function<void()>& request) {
    const std::size_t before = store_->searches();
    request();
    return store_->searches() - before;
  }
  std::size_t reads_of(const Report& report, Reported::What what, std::int64_t now = kNow) {
    return reads([&] {
      const auto told = held_->report(report, {now});
      ASSERT_TRUE(told.ok()) << told.error().to_string();
      EXPECT_EQ(told->what, what);
      held_.commit();
    });
  }

  FaultyStore* store_ = nullptr;
  HeldExperiment held_;
  ServeRecord duel_;
};

TEST_F(ReadsOnce, nothing_of_an_open_duel_and_its_records_once_for_a_proof) {
  Report proven = win_of("q", duel_.first);
  EXPECT_EQ(
      reads([&] { proven.proof = proof_of("e", held_->shown(*held_->find("q")->serve, true)); }),
      1U);
  serve(held_, {.duel_id = "r"});
  held_.commit();
  EXPECT_EQ(
      reads_of({.duel_id = "r", .answer = Answer{Answered::tie, ""}}, Reported::What::applied), 0U);
  EXPECT_EQ(reads_of(proven, Reported::What::applied), 1U);
}

TEST_F(ReadsOnce, late_repeated_and_conflicting_answers) {
  EXPECT_EQ(reads_of(win_of("q", duel_.first), Reported::What::late, kNow + 61 * kSecond), 1U);
  EXPECT_EQ(reads_of(win_of("q", duel_.first), Reported::What::late, kNow + 61 * kSecond), 1U);
  serve(held_, {.duel_id = "r"}, kNow + 62 * kSecond);
  const Report tie{.duel_id = "r", .answer = Answer{Answered::tie, ""}};
  const Report skip{.duel_id = "r", .answer = Answer{Answered::skip, ""}};
  EXPECT_EQ(reads_of(tie, Reported::What::applied, kNow + 62 * kSecond), 0U);
  EXPECT_EQ(reads_of(tie, Reported::What::duplicate, kNow + 62 * kSecond), 1U);
  EXPECT_EQ(reads_of(skip, Reported::What::conflicting, kNow + 62 * kSecond), 1U);
  EXPECT_EQ(reads_of(skip, Reported::What::conflicting, kNow + 62 * kSecond), 1U);
}

TEST_F(ReadsOnce, a_duel_that_is_asked_for_again) {
  EXPECT_EQ(reads([&] { serve(held_, {.duel_id = "q", .subject = "s", .request = "r"}); }), 1U);
  EXPECT_EQ(reads([&] { serve(held_, {.duel_id = "new"}); }), 1U) << "whether it was served";
  EXPECT_EQ(reads([&] { serve(held_, {}); }), 0U);
  EXPECT_EQ(reads([&] { EXPECT_TRUE(held_->served_before("q", "r")->has_value()); }), 1U);
}

// What one request has read is not what the next one is told.
TEST_F(ReadsOnce, and_again_for_the_next_request) {
  EXPECT_TRUE(held_->find("q").ok());
  store_->arm(FaultyStore::Call::find, 0);
  EXPECT_EQ(held_->served_before("q", "r").error().code, ErrorCode::io);
  store_->arm(FaultyStore::Call::find, 0);
  EXPECT_EQ(held_->find("q").error().code, ErrorCode::io);
  EXPECT_TRUE(held_->find("q").ok());
}

// --- Arms ---------------------------------------------------------------------------------------

int policies_built = 0;

class CountedUniform : public Uniform {
 public:
  CountedUniform(const Options& options, std::size_t num_arms, RoundRng rng)
      : Uniform(options, num_arms, rng) {
    ++policies_built;
  }
};
const bool counted_is_registered =
    register_policy<CountedUniform>({.name = "counted-uniform",
                                     .title = "Uniform random pairs, counted",
                                     .paper = "baseline",
                                     .setting = "any",
                                     .guarantee = "none",
                                     .departs = "nowhere",
                                     .status = "tested"},
                                    {});

// It holds a number for every pair, and at 800 arms each takes a tenth of a second.
TEST(ExperimentArms, each_change_builds_one_policy_also_when_the_log_is_read) {
  ExperimentRecord record = three_arms();
  record.policy = "counted-uniform";
  record.stopping.arms_fixed = false;
  HeldExperiment held(record);
  const auto built = [](const std::function<void()>& request) {
    const int before = policies_built;
    request();
    return policies_built - before;
  };
  const ArmEntry d{.id = "d", .payload = "", .sha256 = "", .content = {}};
  EXPECT_EQ(built([&] { EXPECT_TRUE(*held->add_arm(d, {kNow})); }), 1);
  EXPECT_EQ(built([&] { EXPECT_FALSE(*held->add_arm(d, {kNow})); }), 0) << "it is there";
  EXPECT_EQ(built([&] { EXPECT_TRUE(held->retire_arm("a", {kNow}).ok()); }), 1);
  EXPECT_EQ(built([&] { serve(held, {}); }), 0);
  held.commit();
  EXPECT_EQ(built([&] { held.load(); }), 3) << "the first, and one for each change";
}

TEST(ExperimentArms, one_that_cannot_be_added_leaves_nothing_behind_that_the_next_would_use) {
  ExperimentRecord record = three_arms();
  record.stopping.arms_fixed = false;
  HeldExperiment held(record), other(record);
  const ArmEntry d{.id = "d", .payload = "", .sha256 = "", .content = {}};
  ASSERT_FALSE(held->add_arm(d, {kNow, StoreAccess::read_only}).ok());
  ASSERT_TRUE(held->retire_arm("a", {kNow}).ok());
  ASSERT_TRUE(other->retire_arm("a", {kNow}).ok());
  for (int k = 0; k < 5; ++k) EXPECT_EQ(serve(held, {}), serve(other, {}));
}

// --- The end ------------------------------------------------------------------------------------

TEST(ExperimentEnds, open_duels_have_expired_and_it_has_stopped) {
  HeldExperiment held(three_arms());
  serve(held, {.duel_id = "q"});
  const ServeRecord answered = serve(held, {.duel_id = "r"});
  serve(held, {.duel_id = "s"});
  ASSERT_TRUE(held->report(win_of("r", answered.first), {kNow}).ok());
  held.commit();
  const std::size_t before = held.size();
  ASSERT_TRUE(held->complete("the judge is gone", {kNow + kSecond}).ok());
  held.commit();
  const std::vector<LogEntry> records = records_of(held.texts());
  ASSERT_EQ(records.size(), before + 3);
  EXPECT_EQ(std::get<ExpiredRecord>(records[before].record),
            (ExpiredRecord{"q", 0, "the judge is gone"}));
  EXPECT_EQ(std::get<ExpiredRecord>(records[before + 1].record),
            (ExpiredRecord{"s", 0, "the judge is gone"}));
  EXPECT_EQ(std::get<CompletedRecord>(records[before + 2].record).reason, "stopped");
  EXPECT_EQ(held->ledger().state(), ExperimentState::completed);
  ASSERT_TRUE(held->complete("again", {kNow + kSecond}).ok());
  EXPECT_FALSE(held->has_staged()) << "it has ended before";
  EXPECT_EQ(held.load()->live().state_hash(), held->live().state_hash());
}

TEST(ExperimentEnds, with_its_certificate) {
  for (const OnCertified rule : {OnCertified::notify, OnCertified::complete}) {
    ExperimentRecord record = two_arms();
    record.service.on_certified = rule;
    HeldExperiment held(record);
    certify(held);
    EXPECT_EQ(held->ledger().completed(), rule == OnCertified::complete);
    ASSERT_TRUE(held->complete("the end", {kNow}).ok());
    EXPECT_EQ(records_of<CertifiedRecord>(held).size(), 1U);
    const auto ends = records_of<CompletedRecord>(held);
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(std::get<CompletedRecord>(ends[0].record).reason, "certified");
  }
}

// A process that ended between the answer and the record of what it certified.
TEST(ExperimentEnds, with_a_certificate_that_its_log_does_not_speak_of_yet) {
  HeldExperiment held(two_arms());
  certify(held);
  const std::vector<LogEntry> records = records_of(held.texts());
  ASSERT_TRUE(std::holds_alternative<CertifiedRecord>(records.back().record));
  HeldExperiment cut(held.lines(0, held.size() - 1));
  const Followed loaded = cut.load();
  ASSERT_TRUE(loaded->ledger().certificate());
  EXPECT_FALSE(loaded->ledger().certificate_recorded());
  EXPECT_EQ(loaded.history->certificate(), held.history().certificate());
  ASSERT_TRUE(loaded->complete("the end", {kNow}).ok());
  const std::vector<Line> lines = loaded->staged_lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].text, held.texts().back()) << "as it would have been";
  EXPECT_NE(lines[1].text.find(R"("reason":"certified")"), std::string::npos) << lines[1].text;
}

TEST(ExperimentEnds, a_duel_that_is_lost_is_expired_with_its_failed_tries) {
  HeldExperiment held(three_arms());
  serve(held, {.duel_id = "q"});
  ASSERT_TRUE(held->lose("q", "exit code 1", 3, {kNow}).ok());
  const auto expired = records_of<ExpiredRecord>(held);
  ASSERT_EQ(expired.size(), 1U);
  EXPECT_EQ(std::get<ExpiredRecord>(expired[0].record), (ExpiredRecord{"q", 3, "exit code 1"}));
  EXPECT_FALSE(held->lose("q", "again", 0, {kNow}).ok());
  EXPECT_FALSE(held->has_staged());
}

// --- Pages ---------------------------------------------------------------------------------------

TEST(ExperimentPages, lists_have_at_most_1000_ids_of_1_to_200_bytes) {
  ExperimentRecord record = two_arms();
  record.service.mode = Mode::interleave;
  HeldExperiment held(record);
  int served = 0;
  // Of a page whose first arm has this list.
  const auto field_of = [&](const std::vector<std::string>& list) {
    const std::string id = fmt::format("q{}", ++served);
    serve(held, {.duel_id = id});
    const auto page = held->page(id, {.lists = {{"a", list}, {"b", {"x"}}}}, {kNow});
    return page.ok() ? std::string() : page.error().field;
  };
  std::vector<std::string> ids;
  for (int k = 0; k < 1000; ++k) ids.push_back(fmt::format("i{}", k));
  EXPECT_EQ(field_of(ids), "");
  ids.emplace_back("one more");
  EXPECT_EQ(field_of(ids), "lists.a");
  EXPECT_EQ(field_of({std::string(200, 'i')}), "");
  EXPECT_EQ(field_of({std::string(201, 'i')}), "lists.a");
  EXPECT_EQ(field_of({"i", ""}), "lists.a");
}

// --- Pages of more than two rankings -------------------------------------------------------------

// A page compares the two arms of its duel, and beside them others, which is not evidence.
class SidePages : public ::testing::TestWithParam<OnCertified> {
 protected:
  static ExperimentRecord record() {
    ExperimentRecord record = three_arms();
    record.stopping.alpha = 0.2;
    record.service.mode = Mode::interleave;
    record.service.interleave.method = Drafting::team_draft_multileave;
    record.service.interleave.length = 6;
    record.service.on_certified = GetParam();
    return record;
  }
  // A page on which the arm with the smallest letter of the duel gets every click.
  static void click(HeldExperiment& held, const std::string& id, std::int64_t now) {
    const ServeRecord duel = serve(held, {.duel_id = id}, now);
    const Lists lists{.lists = {{"a", {"a0", "a1"}}, {"b", {"b0", "b1"}}, {"c", {"c0", "c1"}}}};
    const auto page = held->page(id, lists, {now});
    ASSERT_TRUE(page.ok()) << page.error().to_string();
    ASSERT_EQ(page->items.size(), 6U);
    for (const Page::Item& item : page->items) {
      if (item.arm != std::min(duel.first, duel.second)) continue;
      const PageEvent event{id, "click", item.object_id, {}, id + item.object_id};
      const auto refusal = held->click(event, {now});
      ASSERT_TRUE(refusal.ok() && !*refusal);
    }
  }
  // The outcome that certified is followed by comparisons, and the record that says so comes after.
  static void expect_recorded(HeldExperiment& held) {
    held.commit();
    const std::vector<LogEntry> records = records_of(held.texts());
    ASSERT_TRUE(held->ledger().certificate());
    const std::uint64_t at = held->ledger().certificate()->sequence;
    ASSERT_TRUE(std::holds_alternative<OutcomeRecord>(records[at - 1].record));
    ASSERT_TRUE(std::holds_alternative<ComparisonRecord>(records[at].record)) << "right after it";
    const auto said = records_of<CertifiedRecord>(held);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_GT(said[0].sequence, at + 1);
    EXPECT_EQ(std::get<CertifiedRecord>(said[0].record).at, at);
    EXPECT_EQ(std::get<CertifiedRecord>(said[0].record).winner, "a");
    EXPECT_TRUE(held->ledger().certificate_recorded());
    EXPECT_EQ(held->ledger().completed(), GetParam() == OnCertified::complete);
    const Followed read = held.load();
    EXPECT_EQ(read->live().state_hash(), held->live().state_hash());
    EXPECT_TRUE(read->ledger().certificate_recorded());
    EXPECT_NE(held.history().certificate(), "");
    EXPECT_EQ(read.history->certificate(), held.history().certificate());
  }
};

TEST_P(SidePages, a_certificate_by_a_page_that_is_closed_is_recorded) {
  HeldExperiment held(record());
  for (int k = 0; k < 1000 && !held->ledger().certificate(); ++k) {
    const std::string id = fmt::format("q{}", k);
    click(held, id, kNow);
    Report close{.duel_id = id};
    close.close = true;
    ASSERT_TRUE(held->report(close, {kNow}).ok());
    held.commit();
  }
  expect_recorded(held);
}

// Of pages that end at once it may be any.
TEST_P(SidePages, a_certificate_by_one_of_many_pages_that_expire_together_is_recorded) {
  HeldExperiment held(record());
  constexpr int kPages = 400;
  for (int k = 0; k < kPages; ++k) click(held, fmt::format("q{}", k), kNow);
  held.commit();
  EXPECT_FALSE(*held->expire({kNow + 61 * kSecond})) << "nothing is left";
  const std::uint64_t at = held->ledger().certificate()->sequence;
  expect_recorded(held);
  const auto outcomes = records_of<OutcomeRecord>(held);
  EXPECT_GT(outcomes.back().sequence, at) << "pages ended after the one that certified";
}

INSTANTIATE_TEST_SUITE_P(OnCertified, SidePages,
                         testing::Values(OnCertified::notify, OnCertified::exploit,
                                         OnCertified::complete),
                         [](const auto& each) { return std::string(to_word(each.param)); });

}  // namespace
}  // namespace duel
