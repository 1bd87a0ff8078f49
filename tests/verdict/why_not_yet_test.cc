#include "duel/verdict/why_not_yet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "duel/experiment/local_experiment.h"
#include "duel/verdict/verdict.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

std::vector<WhyNotYet> reasons_of(const Ledger& ledger) {
  return why_not_yet(ledger, standing_of(ledger), check_health(ledger));
}
std::vector<WhyNotYet> reasons_of(const PlayedLog& log) { return reasons_of(log.live().ledger()); }

std::optional<WhyNotYet> reason(const std::vector<WhyNotYet>& reasons, Obstacle obstacle) {
  const auto found = std::ranges::find(reasons, obstacle, &WhyNotYet::reason);
  return found == reasons.end() ? std::nullopt : std::optional(*found);
}

// Serves the next duel as `change` makes it.
template <class Change>
ServeRecord serve(PlayedLog& log, Change change) {
  ServeRecord record = *log.next();
  change(record);
  log.add(record);
  return record;
}
ServeRecord serve(PlayedLog& log) {
  return serve(log, [](ServeRecord&) {});
}
void answer(PlayedLog& log, const ServeRecord& serve, const std::string& winner) {
  log.add(OutcomeRecord{serve.duel_id, {Answered::win, winner}, {}, {}, {}, ""});
}
void answer(PlayedLog& log, const ServeRecord& serve) { answer(log, serve, serve.first); }

TEST(WhyNotYet, says_that_nobody_has_named_a_winner) {
  const PlayedLog log(experiment_of({"a", "b"}));
  const auto reasons = reasons_of(log);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].reason, Obstacle::no_decisive_answer);
}

TEST(WhyNotYet, is_empty_once_there_is_a_certificate) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.45}, 60);
  ASSERT_TRUE(log.live().ledger().certificate());
  EXPECT_TRUE(reasons_of(log).empty());
}

TEST(WhyNotYet, names_each_rival_with_what_it_needs) {
  PlayedLog log(experiment_of({"a", "b", "c"}, "uniform"));
  play(log, {.gap = 0.15}, 60);
  const Standing standing = standing_of(log.live().ledger());
  const auto rivals = reason(reasons_of(log), Obstacle::rivals);
  ASSERT_TRUE(rivals);
  std::uint64_t open = 0;
  for (const ArmStanding& arm : standing.arms) {
    if (!arm.beaten || *arm.beaten >= 1) continue;
    ++open;
    const std::string needs =
        log.live().ledger().id_of(arm.arm) + " (about " + approximate_count(*arm.duels_left);
    EXPECT_NE(rivals->detail.find(needs), std::string::npos) << rivals->detail;
  }
  EXPECT_EQ(rivals->count, open);
}

// An open duel holds back the answers to later duels of its pair, and to no others.
TEST(WhyNotYet, counts_the_answers_that_wait_for_open_duels_and_until_when) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  PlayedLog log(experiment);
  const ServeRecord first =
      serve(log, [](ServeRecord& one) { one.expires_at.ms = kStart + 50'000; });
  const ServeRecord second =
      serve(log, [](ServeRecord& one) { one.expires_at.ms = kStart + 90'000; });
  for (int k = 0; k < 40; ++k) answer(log, serve(log), "a");
  const ServeRecord last = serve(log);  // nobody waits for it
  auto waits = reason(reasons_of(log), Obstacle::answers_wait);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->count, 40U);
  ASSERT_TRUE(waits->until);
  EXPECT_EQ(waits->until->ms, kStart + 90'000);
  EXPECT_EQ(waits->detail,
            "40 answers wait for 2 open duels served before them on the same pair, until "
            "2025-11-15T09:01:30.000Z at the latest.");
  const Ledger& ledger = log.live().ledger();
  EXPECT_NE(verdict_of(ledger, standing_of(ledger)).find("; 40 answers wait for 2 open duels"),
            std::string::npos)
      << verdict_of(ledger, standing_of(ledger));
  log.add(ExpiredRecord{second.duel_id});
  waits = reason(reasons_of(log), Obstacle::answers_wait);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->until->ms, kStart + 50'000);
  answer(log, first);
  EXPECT_TRUE(log.live().ledger().certificate());
  EXPECT_EQ(waiting_answers(ledger).answers, 0U);
}

TEST(WhyNotYet, knows_no_time_where_an_open_duel_never_expires) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  serve(log);
  answer(log, serve(log));
  const auto waits = reason(reasons_of(log), Obstacle::answers_wait);
  ASSERT_TRUE(waits);
  EXPECT_FALSE(waits->until);
  EXPECT_EQ(waits->detail, "1 answer waits for 1 open duel served before it on the same pair.");
}

// What waits needs not be asked again.
TEST(WhyNotYet, forecasts_the_duels_that_are_left_beside_the_answers_that_wait) {
  const auto left_with = [](bool open) {
    PlayedLog log(experiment_of({"a", "b"}, "uniform"));
    play(log, {.gap = 0.2}, 12);
    const ServeRecord blocking = serve(log);
    if (!open) log.add(ExpiredRecord{blocking.duel_id});
    for (int k = 0; k < 4; ++k) answer(log, serve(log));
    return standing_of(log.live().ledger());
  };
  const Standing blocked = left_with(true), free = left_with(false);
  ASSERT_TRUE(blocked.duels_left && free.duels_left);
  EXPECT_EQ(blocked.waiting.answers, 4U);
  EXPECT_EQ(free.waiting.answers, 0U);
}

TEST(WhyNotYet, counts_duels_that_cannot_be_evidence_by_their_reason) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.stopping.shared_causes = true;  // a task may reach several pairs
  PlayedLog log(experiment);
  answer(log, serve(log, [](ServeRecord& one) { one.subject = "s", one.task = "t"; }));
  for (int k = 0; k < 3; ++k) {
    answer(log, serve(log, [](ServeRecord& one) { one.subject = "s", one.evidence = false; }));
  }
  for (int k = 0; k < 2; ++k) {
    answer(log, serve(log, [](ServeRecord& one) {
             one.subject = "other", one.task = "t", one.evidence = false;
           }));
  }
  serve(log, [](ServeRecord& one) { one.evidence = false, one.around_loss = true; });
  const auto reasons = reasons_of(log);
  EXPECT_EQ(reason(reasons, Obstacle::subject_again)->count, 3U);
  EXPECT_EQ(reason(reasons, Obstacle::task_again)->count, 2U);
  EXPECT_EQ(reason(reasons, Obstacle::lost_serves)->count, 1U);
  EXPECT_FALSE(reason(reasons, Obstacle::recovered));
  EXPECT_FALSE(reason(reasons, Obstacle::not_admitted));
  EXPECT_EQ(reason(reasons, Obstacle::subject_again)->detail,
            "3 of 7 duels cannot be evidence: their subject had been asked about the pair before, "
            "and counts once.");
}

// A panel of six that has been asked everything: 26 more duels would be no help. Nine duels in vain
// for each that counts, with the same answers, make ten times as many needed, but for the belief
// that small counts are nearer to one half.
TEST(WhyNotYet, forecasts_by_the_share_of_duels_that_are_evidence) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.2}, 12);
  const Ledger& ledger = log.live().ledger();
  const ShownCounts once = ledger.pair(0, 1);
  ASSERT_GT(once.first_wins, once.second_wins);
  const std::uint64_t before = *standing_of(ledger).duels_left;
  for (std::uint64_t k = 0; k < 9 * once.decisive(); ++k) {
    const ServeRecord in_vain = serve(log, [](ServeRecord& record) {
      record.subject = "s";
      record.evidence = false;
    });
    answer(log, in_vain, k < 9 * once.first_wins ? "a" : "b");
  }
  EXPECT_GT(*standing_of(ledger).duels_left, 5 * before);
}

TEST(WhyNotYet, says_when_no_more_duels_are_served) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.stopping.max_duels = 4;
  PlayedLog log(experiment);
  play(log, {.gap = 0.1}, 4);
  EXPECT_EQ(reason(reasons_of(log), Obstacle::max_duels)->detail, "max_duels = 4 is reached.");
  EXPECT_FALSE(reason(reasons_of(log), Obstacle::not_running));
  log.add(StateRecord{ExperimentState::paused});
  EXPECT_EQ(reason(reasons_of(log), Obstacle::not_running)->detail,
            "The experiment is paused: no duels are served.");
}

TEST(WhyNotYet, names_pairs_that_have_met_about_every_task) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.stopping.shared_causes = true;
  experiment.tasks.count = 2;
  PlayedLog log(experiment);
  answer(log, serve(log, [](ServeRecord& one) { one.task = "t1"; }), "a");
  EXPECT_FALSE(reason(reasons_of(log), Obstacle::tasks_used_up));
  answer(log, serve(log, [](ServeRecord& one) { one.task = "t2"; }), "a");
  const auto used_up = reason(reasons_of(log), Obstacle::tasks_used_up);
  ASSERT_TRUE(used_up);
  EXPECT_EQ(used_up->detail,
            "1 pair has met about each of the 2 tasks, and a task is evidence about a pair once: a "
            "and b. Add tasks.");
}

TEST(WhyNotYet, names_pairs_below_their_minimum) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.stopping.min_decisive_per_pair = 100;
  PlayedLog log(experiment);
  play(log, {.gap = 0.45}, 60);
  const auto minimum = reason(reasons_of(log), Obstacle::minimum_per_pair);
  ASSERT_TRUE(minimum);
  EXPECT_EQ(minimum->detail,
            "1 pair has fewer than min_decisive_per_pair = 100 decisive answers: a and b (60).");
}

TEST(WhyNotYet, counts_late_answers) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  const ServeRecord one = serve(log);
  log.add(ExpiredRecord{one.duel_id});
  answer(log, one);
  EXPECT_EQ(reason(reasons_of(log), Obstacle::late)->detail,
            "1 answer came after its duel had expired.");
}

TEST(WhyNotYet, of_an_order_names_the_pairs_that_are_open) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"}, "uniform");
  experiment.goal = Goal::ranking;
  PlayedLog log(experiment);
  play(log, {.gap = 0.15}, 45);
  const OrderStanding order = *standing_of(log.live().ledger()).order;
  const auto rivals = reason(reasons_of(log), Obstacle::rivals);
  ASSERT_TRUE(rivals);
  EXPECT_EQ(rivals->count, order.needed.size() - order.shown());
  EXPECT_NE(rivals->detail.find(" over "), std::string::npos) << rivals->detail;
}

// The same from a log that was read again, in the gap that a loss of power leaves.
TEST(WhyNotYet, counts_the_serves_around_a_loss_of_power) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.service.feedback.timeout_s = 3600;
  PlayedLog log(experiment);
  play(log, {.gap = 0.1}, 4);
  const std::uint64_t after = log.entries().back().sequence;
  serve(log);
  serve(log);
  log.add(RecoveredRecord{.after = after});
  Ledger ledger = Ledger::make(experiment).value();
  const auto read = read_log_text(log.text(), "log", [&](const LogEntry& entry) -> Status {
    if (entry.sequence > 1) DUEL_RETURN_IF_ERROR(ledger.apply(entry));
    return Done{};
  });
  ASSERT_TRUE(read.ok()) << read.error().to_string();
  EXPECT_EQ(reason(reasons_of(ledger), Obstacle::lost_serves)->count, 2U);
}

// One number, and tasks like these if there are any.
ExperimentRecord tuned_weight(std::size_t num_tasks) {
  ExperimentRecord record;
  record.experiment_id = "weights";
  record.space.dimensions = {{"weight", Json{{"low", 0}, {"high", 1}, {"default", 0.2}}}};
  record.space.warmup = 10;
  record.policy = "random";
  record.seed = 7;
  if (num_tasks == 0) return record;
  record.tasks.count = num_tasks;
  record.tasks.sha256 = std::string(64, 'a');
  record.stopping.shared_causes = true;
  Json items = Json::array();
  for (std::size_t k = 0; k < num_tasks; ++k) {
    items.push_back({{"task_id", "t" + std::to_string(k)}});
  }
  record.tasks.items = std::move(items);
  return record;
}

LocalExperiment local(const ExperimentRecord& record) {
  return std::move(LocalExperiment::in_memory(record)).value();
}

// Nothing where no duel is served.
std::optional<ServeRecord> served_by(LocalExperiment& experiment) {
  const auto offer = experiment.serve({});
  if (!offer.ok() || !std::holds_alternative<Served>(*offer)) return std::nullopt;
  return std::get<Served>(*offer).serve;
}

// By turns for the one shown first and the other, so that nothing is proved.
void answer(LocalExperiment& experiment, const ServeRecord& serve) {
  Report report;
  report.duel_id = serve.duel_id;
  report.answer = Answer{Answered::win, serve.ordinal % 2 == 0 ? serve.first : serve.second};
  ASSERT_TRUE(experiment.report(report).ok());
}

TEST(WhyNotYet, of_a_space_says_that_nobody_has_named_a_winner) {
  const LocalExperiment experiment = local(tuned_weight(0));
  EXPECT_TRUE(reason(reasons_of(experiment.ledger()), Obstacle::no_decisive_answer));
}

TEST(WhyNotYet, of_a_space_counts_answers_that_wait_for_a_duel_of_the_same_candidate) {
  LocalExperiment experiment = local(tuned_weight(0));
  std::vector<ServeRecord> of_proof;  // left open until there are two
  for (int k = 0; k < 400 && of_proof.size() < 2; ++k) {
    const auto serve = served_by(experiment);
    ASSERT_TRUE(serve);
    if (serve->evidence) {
      of_proof.push_back(*serve);
    } else {
      answer(experiment, *serve);
    }
  }
  ASSERT_EQ(of_proof.size(), 2U);
  EXPECT_FALSE(reason(reasons_of(experiment.ledger()), Obstacle::answers_wait));
  answer(experiment, of_proof[1]);
  const auto waits = reason(reasons_of(experiment.ledger()), Obstacle::answers_wait);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->count, 1U);
  EXPECT_NE(waits->detail.find("about the same candidate"), std::string::npos) << waits->detail;
  answer(experiment, of_proof[0]);
  EXPECT_FALSE(reason(reasons_of(experiment.ledger()), Obstacle::answers_wait));
}

TEST(WhyNotYet, of_a_space_says_that_no_task_is_left_for_a_proof) {
  LocalExperiment experiment = local(tuned_weight(24));
  EXPECT_FALSE(reason(reasons_of(experiment.ledger()), Obstacle::tasks_used_up));
  bool ended = false;
  for (int k = 0; k < 2000 && !ended; ++k) {
    const auto serve = served_by(experiment);
    ended = !serve;
    if (serve) answer(experiment, *serve);
  }
  ASSERT_TRUE(ended) << "the tasks are never used up";
  const auto used_up = reason(reasons_of(experiment.ledger()), Obstacle::tasks_used_up);
  ASSERT_TRUE(used_up);
  EXPECT_NE(used_up->detail.find("no task left for its proof"), std::string::npos)
      << used_up->detail;
}

}  // namespace
}  // namespace duel
