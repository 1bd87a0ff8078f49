// A state that was saved and restored is the state that was lived through.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/experiment/live_experiment.h"
#include "duel/verdict/board.h"
#include "duel/verdict/experiment_result.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

const ExperimentRecord& first_of(const PlayedLog& log) {
  return std::get<ExperimentRecord>(log.entries()[0].record);
}

LiveExperiment begun(const PlayedLog& log) {
  return std::move(LiveExperiment::make(first_of(log))).value();
}

// All that anybody can see.
void expect_same(LiveExperiment& a, LiveExperiment& b, const std::string& where) {
  ASSERT_EQ(a.state_hash(), b.state_hash()) << where;
  ASSERT_EQ(next_of(a), next_of(b)) << where;
  ASSERT_EQ(a.leader(), b.leader()) << where;
  const auto result = [](const LiveExperiment& live) {
    return described_json(result_of(live.ledger(), board_of(live.ledger()), {})).dump();
  };
  ASSERT_EQ(result(a), result(b)) << where;
  ASSERT_EQ(a.pending(), b.pending()) << where;
  ASSERT_EQ(a.ledger().next_deadline(), b.ledger().next_deadline()) << where;
  ASSERT_EQ(a.save(), b.save()) << where;
}

// Settled duels are kept in memory here, and not saved: give a restored state those of the fold.
// Repeated and late answers look for them, so that such records are left out of the tails.
bool asks_for_settled(const LiveExperiment& live, const Record& record) {
  const auto* outcome = std::get_if<OutcomeRecord>(&record);
  return outcome != nullptr && live.ledger().find_open(outcome->duel_id) == nullptr;
}

// Cut the log after each record: the snapshot there and the rest of the log make what the whole log
// makes. What is compared at every step is the saved state; all that can be seen of it at the end.
void cut_everywhere(const PlayedLog& log, const std::string& name) {
  std::vector<LogEntry> entries;
  {
    LiveExperiment live = begun(log);
    entries.push_back(log.entries()[0]);
    for (std::size_t k = 1; k < log.entries().size(); ++k) {
      LogEntry entry = log.entries()[k];
      if (asks_for_settled(live, entry.record)) continue;
      entry.sequence = entries.size() + 1;
      const auto effect = live.apply(entry);
      ASSERT_TRUE(effect.ok()) << effect.error().to_string();
      entries.push_back(std::move(entry));
    }
  }
  std::vector<std::optional<std::string>> saved;
  LiveExperiment whole = begun(log);
  saved.push_back(whole.save());
  for (std::size_t k = 1; k < entries.size(); ++k) {
    ASSERT_TRUE(whole.apply(entries[k]).ok());
    saved.push_back(whole.save());
  }
  ASSERT_TRUE(saved.back());
  for (std::size_t cut = 0; cut < entries.size(); ++cut) {
    const std::string where = name + ", cut after record " + std::to_string(cut + 1);
    LiveExperiment restored = begun(log);
    ASSERT_TRUE(saved[cut]) << where;
    const Status status = restored.restore(*saved[cut]);
    ASSERT_TRUE(status.ok()) << where << ": " << status.error().to_string();
    ASSERT_EQ(restored.save(), saved[cut]) << where;
    // A few steps on, and from some cuts to the end.
    const std::size_t end = cut % 16 == 0 ? entries.size() : std::min(cut + 4, entries.size());
    for (std::size_t k = cut + 1; k < end; ++k) {
      const auto effect = restored.apply(entries[k]);
      ASSERT_TRUE(effect.ok()) << where << ": " << effect.error().to_string();
      ASSERT_FALSE(restored.divergence()) << where << ", at record " << k + 1;
      ASSERT_EQ(restored.save(), saved[k]) << where << ", at record " << k + 1;
    }
    if (end == entries.size()) expect_same(restored, whole, where);
  }
}

TEST(SavedExperiment, is_what_the_whole_log_makes_for_every_goal_wherever_it_is_cut) {
  struct Case {
    const char* name;
    Goal goal;
  };
  for (const Case& one : {Case{"condorcet", Goal::condorcet}, Case{"copeland", Goal::copeland},
                          Case{"borda", Goal::borda}, Case{"set", Goal(Goal::set, 2)},
                          Case{"order", Goal(Goal::order, 2)}, Case{"ranking", Goal::ranking},
                          Case{"epsilon", Goal(Goal::epsilon, 0, 0.1)}}) {
    ExperimentRecord experiment = experiment_of({"a", "b", "c", "d"});
    experiment.goal = one.goal;
    experiment.stopping.arms_fixed = true;
    experiment.stopping.alpha = 0.2;  // so that certificates come within few duels
    experiment.aa_rate = 0.05;
    PlayedLog log(experiment);
    play(log, {.gap = 0.45, .in_flight = 5, .troubles = true, .seed = 3}, 120);
    cut_everywhere(log, one.name);
  }
}

TEST(SavedExperiment, is_what_the_whole_log_makes_for_policies_of_every_kind) {
  for (const char* policy : {"dts-plus", "rucb", "rmed1", "uniform", "certify", "imed", "ccb",
                             "merge-rucb", "self-sparring", "versatile-db"}) {
    PlayedLog log(experiment_of({"a", "b", "c"}, policy));
    play(log, {.gap = 0.2, .in_flight = 3, .troubles = true, .seed = 5}, 60);
    cut_everywhere(log, policy);
  }
}

TEST(SavedExperiment, holds_the_arms_that_came_and_went_in_a_draft) {
  ExperimentRecord experiment = experiment_of({"x", "a", "b"});
  experiment.stopping.arms_fixed = true;
  experiment.service.starts = ExperimentState::draft;
  PlayedLog log(experiment);
  Json content;
  content["price"] = 3;
  log.add(ArmAddedRecord{{"c", "c.txt", "", content}});
  log.add(ArmRetiredRecord{"x"});
  log.add(StateRecord{ExperimentState::running});
  play(log, {.gap = 0.2, .in_flight = 3, .troubles = true, .seed = 9}, 40);
  cut_everywhere(log, "draft");
}

TEST(SavedExperiment, holds_arms_that_joined_and_left_tasks_judges_and_changes) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"});
  experiment.stopping.arms_fixed = false;
  experiment.order = Placement::both;
  PlayedLog log(experiment);
  const PlayedWorld world{.gap = 0.1, .in_flight = 3, .troubles = false, .seed = 8};
  play(log, world, 20);
  Json content;
  content["price"] = 3;
  log.add(ArmAddedRecord{{"d", "d.txt", "", content}});
  log.add(ComparisonRecord{.first = "d",
                           .second = "a",
                           .answer = {Answered::win, "a"},
                           .source = {"judge", "gpt"},
                           .made_at = "1",
                           .extra = {}});
  play(log, world, 20);
  log.add(ArmRetiredRecord{"b"});
  log.add(StateRecord{ExperimentState::paused});
  log.add(StateRecord{ExperimentState::running});
  log.add(ConfiguredRecord{"renamed", {60, OnTimeout::tie}, {0.1, 3, 50}});
  play(log, world, 20);
  cut_everywhere(log, "changes");

  ExperimentRecord with_tasks = experiment_of({"a", "b", "c"});
  with_tasks.tasks = {40, "", TaskScope::tasks_like_these, {}};
  with_tasks.stopping.shared_causes = true;
  with_tasks.stopping.arms_fixed = true;
  PlayedLog tasks(with_tasks);
  for (int k = 0; k < 30; ++k) {
    ServeRecord serve = *tasks.next();
    serve.task = "t" + std::to_string(k);
    serve.expires_at = {kStart + 1000 * k};
    tasks.add(serve);
    if (k % 3 == 0) continue;  // stays open
    OutcomeRecord outcome{serve.duel_id, {Answered::win, serve.first}, {}, {}, {}, ""};
    outcome.source = {"judge", k % 2 == 0 ? "one" : "two"};
    tasks.add(outcome);
  }
  cut_everywhere(tasks, "tasks");
}

TEST(SavedExperiment, refuses_a_state_that_was_altered_cut_or_is_of_another_experiment) {
  PlayedLog log(experiment_of({"a", "b", "c"}));
  play(log, {.gap = 0.2, .in_flight = 3, .troubles = true, .seed = 5}, 40);
  const std::string saved = *log.live().save();
  for (std::size_t place = 0; place < saved.size(); place += 1 + saved.size() / 997) {
    std::string altered = saved;
    altered[place] = static_cast<char>(altered[place] ^ (1 << place % 8));
    ASSERT_FALSE(begun(log).restore(altered).ok()) << "byte " << place;
    ASSERT_FALSE(begun(log).restore(std::string_view(saved).substr(0, place)).ok()) << place;
  }
  ASSERT_TRUE(begun(log).restore(saved).ok());
  for (const ExperimentRecord& other :
       {experiment_of({"a", "b", "c", "d"}), experiment_of({"a", "b", "c"}, "rucb")}) {
    EXPECT_FALSE(std::move(LiveExperiment::make(other)).value().restore(saved).ok());
  }
}

TEST(SavedExperiment, is_not_saved_while_a_choice_waits) {
  LiveExperiment live = std::move(LiveExperiment::make(experiment_of({"a", "b", "c"}))).value();
  EXPECT_TRUE(live.save());
  ASSERT_TRUE(live.choose("", {}));
  EXPECT_FALSE(live.save());
}

}  // namespace
}  // namespace duel
