// Owners whose lease, store or experiment is gone: what they answer, and what they must not.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "tests/nodes/several_nodes.h"

namespace duel {
namespace {

TEST_F(SeveralNodes, fenced_owner_answers_nothing_from_old_memory) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told q1 = serve(a, "e", "q1");
  take_over(a, b, "e");
  const Told q2 = serve(b, "e", "q2");
  ASSERT_EQ(q2.status, 201);
  // In A's memory there is no q2, q1 is open, and the experiment runs under its first name.
  for (const char* target :
       {"/v1/experiments/e/duels/q2", "/v1/experiments/e/duels/q1", "/v1/experiments/e"}) {
    const Told told = a.get(target);
    EXPECT_EQ(told.status, 503) << target << ": " << told.raw;
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
  }
  // A result is read from the log, which has what B has served.
  EXPECT_EQ(a.get("/v1/experiments/e/result").raw, b.get("/v1/experiments/e/result").raw);
  EXPECT_EQ(serve(a, "e", "q1").status, 503) << "a replay from memory";
  EXPECT_EQ(
      a.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"x"})", {{"If-Match", "\"7\""}})
          .status,
      503)
      << "412 would be from old memory";
  EXPECT_EQ(a.put("/v1/experiments/e", R"({"arms":[{"arm_id":"x"},{"arm_id":"y"}]})").status, 503)
      << "409 would be from old memory";
  EXPECT_EQ(a.get("/readyz").status, 503);
  // What is appended is fenced by the store, whatever the lease is thought to be: it goes to B.
  EXPECT_EQ(report(a, "e", "q1", q1).text("status"), "applied");
  EXPECT_EQ(a.store().counts().fenced, 1U);
  EXPECT_EQ(report(a, "e", "q2", q2).text("status"), "applied");
  a.store().renew_lease();
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q2").text("state"), "reported");
  EXPECT_EQ(a.get("/v1/experiments/e/result").raw, b.get("/v1/experiments/e/result").raw);
  EXPECT_EQ(owner_of("e"), "b");
}

TEST_F(SeveralNodes, fenced_owner_calls_nothing_late) {
  Node& a = node("a");
  Node& b = node("b");
  start_with_timeout(a, "e");
  const Told q = serve(a, "e", "q");
  take_over(a, b, "e");
  ASSERT_EQ(report(b, "e", "q", q).text("status"), "applied");
  database_->now_ms += 700'000;  // in A's memory q is open and overdue
  EXPECT_EQ(report(a, "e", "q", q).text("status"), "duplicate");
  EXPECT_EQ(a.store().counts().fenced, 1U);
}

TEST_F(SeveralNodes, lease_has_to_hold_from_the_work_to_the_answer) {
  Node& a = node("a");
  start(a, "e");
  const auto status_of_unknown_duel = [&](const std::function<void()>& meanwhile) {
    return status_of(ask<DuelRecords>(a.engine(), "e", AnswerWhen::appended, [&](const Turn& turn) {
                       meanwhile();
                       return turn.experiment.find("nothing");
                     }).get());
  };
  EXPECT_EQ(status_of_unknown_duel([] {}), 404);
  EXPECT_EQ(status_of_unknown_duel([&] { a.store().expire_lease(); }), 503)
      << "lost before it was told";
  EXPECT_EQ(status_of_unknown_duel([&] { a.store().renew_lease(); }), 503)
      << "worked out without one";
  EXPECT_EQ(status_of_unknown_duel([] {}), 404);
}

TEST_F(SeveralNodes, unknown_experiment_is_404_only_under_a_lease) {
  Node& a = node("a");
  EXPECT_EQ(a.get("/v1/experiments/nothing").status, 404);
  a.store().expire_lease();
  EXPECT_EQ(a.get("/v1/experiments/nothing").status, 503);
}

// Cut off from the store, it is still reached by the others: they must not stay with it.
TEST_F(SeveralNodes, owner_without_a_lease_is_left_when_the_store_knows_better) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  ASSERT_EQ(serve(b, "e", "q1").status, 201);  // B knows A as the owner
  a.store().cut_off(true);
  EXPECT_EQ(serve_any(b, "e").text("serving"), "fallback") << "A's lease still holds";
  a.store().expire_lease();
  EXPECT_EQ(serve(b, "e", "q2").text("serving"), "explore");
  EXPECT_EQ(owner_of("e"), "b");
}

// A lease that was lost and renewed: the answer must not rest on what was in memory before.
TEST_F(SeveralNodes, renewed_node_forgets_what_was_taken_from_it) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  take_over(a, b, "e");
  ASSERT_EQ(serve(b, "e", "q").status, 201);
  a.store().renew_lease();
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q").status, 200) << "404 would be from old memory";
}

// After an outage a node has its lease again before it finds out that it can write. Until then it
// has the state of before the outage, in which nothing is that others acknowledged since.
TEST_F(SeveralNodes, state_of_before_an_outage_denies_nothing_even_under_a_lease) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told q1 = serve(a, "e", "q1");
  a.store().refuse_writes(true);
  ASSERT_EQ(report(a, "e", "q1", q1).status, 503);  // A has lost its state by that
  take_over(a, b, "e");
  const Told q2 = serve(b, "e", "q2");
  ASSERT_EQ(q2.status, 201);
  ASSERT_EQ(report(b, "e", "q1", q1).text("status"), "applied");
  ASSERT_EQ(
      b.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"x"})", {{"If-Match", "*"}}).status,
      200);
  a.store().renew_lease();
  for (const Told& told : {a.get("/v1/experiments/e/duels/q2"), report(a, "e", "q2", q2),
                           a.put("/v1/experiments/e/duels/q1/outcome", R"({"result":"skip"})"),
                           a.call(HttpMethod::patch, "/v1/experiments/e", R"({"name":"y"})",
                                  {{"If-Match", "\"3\""}})}) {
    EXPECT_EQ(told.status, 503) << told.raw;
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
  }
  a.store().refuse_writes(false);
  ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  EXPECT_EQ(report(a, "e", "q2", q2).text("status"), "applied");
}

// A fallback under an id that the caller chose says that no duel was served under it. What A holds
// is of before B took the experiment.
TEST_F(SeveralNodes, fallback_under_a_name_is_given_only_under_a_lease) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  start(a, "f");
  const Told q = serve(a, "f", "q");
  a.store().refuse_writes(true);
  ASSERT_EQ(report(a, "f", "q", q).status, 503);  // from now on A knows that nothing is taken
  EXPECT_EQ(serve(a, "e", "q1").text("serving"), "fallback");
  take_over(a, b, "e");
  ASSERT_EQ(serve(b, "e", "q2").text("serving"), "explore");
  const Told told = serve(a, "e", "q2");
  EXPECT_EQ(told.status, 503) << told.raw;
  EXPECT_TRUE(told.body.at("retryable").get<bool>());
  EXPECT_EQ(a.post("/v1/experiments/e/duels", "{}").text("serving"), "fallback");
}

TEST_F(SeveralNodes, experiment_that_is_lost_in_a_group_does_not_fail_the_others) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  start(a, "f");
  BusyEngine busy(a.engine());
  auto of_e = ask<Offer>(a.engine(), "e", AnswerWhen::appended, serve_named("q"));
  auto of_f = ask<Offer>(a.engine(), "f", AnswerWhen::appended, serve_named("q"));
  a.store().before_next_append([&] { take_over(a, b, "e"); });
  busy.let_go();
  EXPECT_EQ(serving(of_f.get()), "explore") << "it is in the store, whatever became of e";
  EXPECT_EQ(status_of(of_e.get()), 421) << "asked again, and B's now";
  EXPECT_EQ(lines_of("f"), 3U);
  EXPECT_EQ(lines_of("e"), 2U) << "nothing of the fenced append is there";
  // Through the API it is answered by B.
  a.store().renew_lease();
  EXPECT_EQ(serve(a, "e", "q").status, 201);
}

TEST_F(SeveralNodes, append_refused_though_the_experiment_is_ours_again_is_folded_again) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  a.store().before_next_append([&] {
    ASSERT_TRUE(a.store().give_away("e").ok());
    ASSERT_EQ(serve(b, "e", "q1").status, 201);
    ASSERT_TRUE(b.store().give_away("e").ok());
    ASSERT_TRUE(a.store().own("e").ok());
  });
  EXPECT_EQ(serve(a, "e", "q2").text("serving"), "explore");
  EXPECT_EQ(lines_of("e"), 4U);
  EXPECT_EQ(serve(a, "e", "q1").status, 200) << "a replay of what B served";
  EXPECT_EQ(a.store().counts().fenced, 0U);
}

// A crash of the database took the record of the outcome, and another node the experiment: a sync
// that succeeds after that does not speak for them.
TEST_F(SeveralNodes, outcome_whose_experiment_was_lost_before_its_sync_is_not_acknowledged) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  const Told q = serve(a, "e", "q");
  settle(a, "e");
  a.store().before_next_sync([&] {
    lose_last_line("e");
    take_over(a, b, "e");
    a.store().renew_lease();  // A learns that it is not its own any more
  });
  EXPECT_EQ(report(a, "e", "q", q).status, 503);
  EXPECT_EQ(owner_of("e"), "b");
  // B may still be reading the log, and then says so.
  Told told;
  ASSERT_TRUE(comes_true([&] {
    told = report(a, "e", "q", q);
    return told.status != 503;
  }));
  EXPECT_EQ(told.text("status"), "applied") << "by B";
  EXPECT_EQ(lines_of("e"), 4U);
}

// B would do it a second time: comparisons have no ids.
TEST_F(SeveralNodes, post_whose_append_is_in_doubt_is_not_done_again_by_the_next_owner) {
  Node& a = node("a");
  Node& b = node("b");
  start(a, "e");
  a.store().before_next_append([&] { a.store().expire_lease(); });
  a.store().lose_next_answer();
  const Told told =
      b.post("/v1/experiments/e/comparisons", R"([{"first":"a","second":"b","result":"tie"}])");
  EXPECT_EQ(told.status, 503) << told.raw;
  EXPECT_EQ(lines_of("e"), 3U);
  EXPECT_EQ(owner_of("e"), "a");
}

TEST_F(SeveralNodes, append_whose_answer_is_lost_is_neither_lost_nor_counted_twice) {
  Node& a = node("a");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  a.store().lose_next_answer();
  const Told first = report(a, "e", "q", served);
  EXPECT_EQ(first.status, 503);
  ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  EXPECT_EQ(report(a, "e", "q", served).text("status"), "duplicate");
  EXPECT_EQ(lines_of("e"), 4U);
}

TEST_F(SeveralNodes, node_without_work_is_not_ready_while_its_store_is_out_of_reach) {
  Node& a = node("a");
  start(a, "e");
  ASSERT_EQ(a.get("/readyz").status, 200);
  a.store().cut_off(true);
  ASSERT_TRUE(a.store().holds_lease());
  const Told told = a.get("/readyz");
  EXPECT_EQ(told.status, 503);
  EXPECT_EQ(told.text("detail"), "the store cannot be reached");
  EXPECT_TRUE(told.body.at("retryable").get<bool>());
  EXPECT_EQ(a.get("/healthz").status, 200);
  a.store().cut_off(false);
  EXPECT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
}

TEST_F(SeveralNodes, lost_store_gives_fallbacks_and_reports_to_be_retried_and_recovers_by_itself) {
  Node& a = node("a");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  a.store().cut_off(true);
  for (const char* id : {"q", "q2", "q3"}) {
    const Told fallback = serve_any(a, "e");
    ASSERT_EQ(fallback.status, 201) << fallback.raw;
    EXPECT_EQ(fallback.text("serving"), "fallback");
    EXPECT_EQ(fallback.text("reason"), "store");
    EXPECT_FALSE(fallback.body.at("learn").get<bool>());
    // A duel of this id may be in the log: with a fallback under it, the outcome of what was shown
    // would count for that duel's pair as soon as the store is back.
    const Told named = serve(a, "e", id);
    EXPECT_EQ(named.status, 503) << named.raw;
    EXPECT_TRUE(named.body.at("retryable").get<bool>());
    const Told told = report(a, "e", "q", served);
    EXPECT_EQ(told.status, 503) << told.raw;
    EXPECT_TRUE(told.body.at("retryable").get<bool>());
  }
  // The lease runs out meanwhile: a fallback rests on nothing that another node could change.
  a.store().expire_lease();
  EXPECT_EQ(serve_any(a, "e").text("serving"), "fallback");
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q").status, 503);
  EXPECT_EQ(a.get("/readyz").status, 503);
  EXPECT_EQ(a.get("/healthz").status, 200);
  a.store().cut_off(false);
  a.store().renew_lease();
  ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  EXPECT_EQ(serve(a, "e", "q").raw, served.raw);
  EXPECT_EQ(report(a, "e", "q", served).text("status"), "applied");
  EXPECT_EQ(serve(a, "e", "q2").text("serving"), "explore");
}

// What the node holds after a failed append may be nowhere else.
TEST_F(SeveralNodes, nothing_is_acknowledged_from_what_never_reached_the_store) {
  Node& a = node("a");
  const auto cut_off_at_append = [&] {
    a.store().before_next_append([&] { a.store().cut_off(true); });
  };
  const auto connect = [&] {
    a.store().cut_off(false);
    ASSERT_TRUE(comes_true([&] { return a.get("/readyz").status == 200; }));
  };
  const std::string body =
      R"({"mode":"interleave","arms":[{"arm_id":"x"},{"arm_id":"y"}],"seed":7})";
  cut_off_at_append();
  EXPECT_EQ(a.put("/v1/experiments/e", body).status, 503);
  EXPECT_EQ(a.put("/v1/experiments/e", body).status, 503);
  connect();
  EXPECT_EQ(a.put("/v1/experiments/e", body).status, 201);
  ASSERT_EQ(a.post("/v1/experiments/e/start").status, 200);
  ASSERT_EQ(a.post("/v1/experiments/e/interleavings",
                   R"({"duel_id":"q","lists":{"x":["d1","d2"],"y":["d3"]}})")
                .status,
            201);
  const std::string click =
      R"([{"action_name":"click","timestamp":"2026-11-15T00:00:01Z","query_id":"q",)"
      R"("event_attributes":{"object":{"object_id":"d3"},"duel":{"experiment_id":"e"}}}])";
  settle(a, "e");
  const std::uint64_t before = lines_of("e");
  cut_off_at_append();
  for (int time = 0; time < 2; ++time) {
    const Told told = a.post("/v1/events", click);
    EXPECT_EQ(told.status, 503) << told.raw;
  }
  EXPECT_EQ(lines_of("e"), before);
  connect();
  const Told told = a.post("/v1/events", click);
  EXPECT_EQ(told.status, 202) << told.raw;
  EXPECT_EQ(told.body.at("accepted").get<int>(), 1) << told.raw;
  EXPECT_EQ(lines_of("e"), before + 1);
}

// The policy has chosen, and the record of its choice is never written: the state in memory is not
// the fold of the log any more.
class Spoiled : public SeveralNodes {
 protected:
  // Serves somebody, and the store cannot be read after the choice. `chosen`: the serve that would
  // have been.
  ServeWork fail_after_choosing(std::optional<ServeRecord>* chosen = nullptr) {
    return [this, chosen](const Turn& turn) {
      Experiment& experiment = turn.experiment;
      if (chosen != nullptr && !experiment.spoiled()) {
        LiveExperiment twin = LiveExperiment::make(experiment.ledger().experiment()).value();
        EXPECT_TRUE(twin.restore(experiment.live().save().value()).ok());
        *chosen = twin.choose("", {});
      }
      node_.store().cut_off(true);
      // Without an id the first that is read is whether the subject has met the pair.
      auto offer = experiment.serve({.subject = "s"}, turn.moment);
      node_.store().cut_off(false);
      EXPECT_TRUE(experiment.spoiled());
      return offer;
    };
  }

  Node& node_ = node("a");
};

TEST_F(Spoiled, choice_that_a_failed_read_kept_from_being_served_harms_no_other_request) {
  start(node_, "e");
  const Told q0 = serve(node_, "e", "q0");
  const auto report_q0 = [&](const Turn& turn) {
    const Report report{.duel_id = "q0", .answer = Answer{Answered::tie, ""}};
    return turn.experiment.report(report, turn.moment);
  };
  BusyEngine busy(node_.engine());
  auto staged = ask<Offer>(node_.engine(), "e", AnswerWhen::appended, serve_named("q1"));
  auto spoiled = ask<Offer>(node_.engine(), "e", AnswerWhen::appended, fail_after_choosing());
  auto reported = ask<Reported>(node_.engine(), "e", AnswerWhen::durable, report_q0);
  auto next = ask<Offer>(node_.engine(), "e", AnswerWhen::appended, serve_named("q2"));
  busy.let_go();
  EXPECT_EQ(serving(staged.get()), "explore");
  EXPECT_EQ(serving(spoiled.get()), "fallback");
  EXPECT_EQ(status_of(reported.get()), 503) << "nothing is wrong with the report";
  EXPECT_EQ(status_of(next.get()), 503) << "its id may be in the log";
  EXPECT_EQ(lines_of("e"), 4U) << "created, started, q0, q1";
  EXPECT_EQ(report(node_, "e", "q0", q0).text("status"), "applied") << "folded again";
}

// The proof of a duel whose record was lost brings the serve with it. That is not the serve that
// was chosen, even where the pair is the same.
TEST_F(Spoiled, state_takes_no_proof_of_another_duel_for_the_choice) {
  for (const bool same_pair : {true, false}) {
    const std::string id = same_pair ? "e" : "f";
    start(node_, id);
    std::optional<ServeRecord> chosen;
    const auto report_lost = [&](const Turn& turn) {
      const std::int64_t now = turn.moment.now_ms;
      Report report{.duel_id = "lost", .answer = Answer{Answered::tie, ""}};
      report.proof = Proof{.experiment_id = id,
                           .duel_id = "lost",
                           .round = 1,
                           .first = same_pair ? chosen->first : chosen->second,
                           .second = same_pair ? chosen->second : chosen->first,
                           .served_at_ms = now,
                           .expires_at_ms = now + 1000};
      return turn.experiment.report(report, turn.moment);
    };
    BusyEngine busy(node_.engine());
    auto spoiled =
        ask<Offer>(node_.engine(), id, AnswerWhen::appended, fail_after_choosing(&chosen));
    auto reported = ask<Reported>(node_.engine(), id, AnswerWhen::durable, report_lost);
    busy.let_go();
    EXPECT_EQ(serving(spoiled.get()), "fallback");
    EXPECT_EQ(status_of(reported.get()), 503);
    EXPECT_EQ(lines_of(id), 2U);
    const auto again = ask<Reported>(node_.engine(), id, AnswerWhen::durable, report_lost).get();
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(again->what, Reported::What::applied) << "folded again";
    EXPECT_EQ(lines_of(id), 4U) << "the serve, recovered, and its outcome";
  }
}

// A database that crashes loses what was not yet on its disk; the owner still has it in memory.
TEST_F(SeveralNodes, duel_whose_record_the_database_has_lost_is_neither_unknown_nor_served_twice) {
  Node& a = node("a");
  start(a, "e");
  const Told served = serve(a, "e", "q");
  SharedDatabase::Kept before;
  {
    const std::lock_guard lock(database_->mutex);
    before = database_->experiments.at("e");
  }
  lose_last_line("e");
  EXPECT_EQ(serve(a, "e", "q").status, 503);
  EXPECT_EQ(a.get("/v1/experiments/e/duels/q").status, 503);
  const std::string token = served.text("report_token");
  EXPECT_EQ(a.put("/v1/experiments/e/duels/q/outcome",
                  R"({"result":"tie","report_token":")" + token + R"("})")
                .status,
            503)
      << "it is not recovered beside what is in memory";
  {
    const std::lock_guard lock(database_->mutex);
    database_->experiments.at("e") = before;  // appended again
  }
  EXPECT_EQ(serve(a, "e", "q").raw, served.raw);
  EXPECT_EQ(report(a, "e", "q", served).text("status"), "applied");
}

TEST_F(SeveralNodes, time_is_the_stores) {
  Node& a = node("a");
  start(a, "e");
  database_->now_ms += 3'600'000;
  EXPECT_EQ(serve(a, "e", "q").text("served_at"), "2026-11-15T01:00:00.000Z");
}

// What one node serves expires under the next, and only after a pause.
TEST_F(SeveralNodes, duel_expires_under_the_new_owner_after_a_grace) {
  Node& a = node("a");
  Node& b = node("b", std::chrono::milliseconds(50));
  start_with_timeout(a, "e");
  ASSERT_EQ(serve(a, "e", "q").status, 201);
  a.store().expire_lease();
  database_->now_ms += 700'000;
  ASSERT_TRUE(comes_true([&] { return owner_of("e") == "b"; }));
  EXPECT_EQ(b.get("/v1/experiments/e/duels/q").text("state"), "served") << "the pause was ours";
  database_->now_ms += 61'000;
  EXPECT_TRUE(comes_true([&] { return lines_of("e") == 4; })) << "nobody asks, and it expires";
  EXPECT_EQ(b.get("/v1/experiments/e/duels/q").text("state"), "expired");
}

}  // namespace
}  // namespace duel
