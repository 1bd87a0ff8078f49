#include "duel/experiment/live_experiment.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "duel/policies/registry.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

LiveExperiment replayed(const std::vector<LogEntry>& entries, std::size_t count) {
  LiveExperiment live =
      std::move(LiveExperiment::make(std::get<ExperimentRecord>(entries[0].record))).value();
  for (std::size_t k = 1; k < count; ++k) {
    const auto effect = live.apply(entries[k]);
    EXPECT_TRUE(effect.ok()) << effect.error().to_string();
  }
  return live;
}

// Everything that can happen, arms that come and go among it.
PlayedLog eventful(std::size_t in_flight, const std::string& policy) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"}, policy);
  experiment.stopping.arms_fixed = false;
  experiment.aa_rate = 0.1;
  PlayedLog log(experiment);
  const PlayedWorld world{.gap = 0.1, .in_flight = in_flight, .troubles = true, .seed = in_flight};
  play(log, world, 30);
  log.add(ArmAddedRecord{{"d", "d.txt", ""}});
  log.add(ComparisonRecord{.first = "d",
                           .second = "a",
                           .answer = {Answered::win, "a"},
                           .source = {},
                           .made_at = "1",
                           .extra = {}});
  play(log, world, 30);
  log.add(ArmRetiredRecord{"b"});
  play(log, world, 30);
  return log;
}

TEST(LiveExperiment, reading_the_log_gives_the_state_of_having_lived_through_it_at_every_record) {
  for (const std::size_t in_flight : {1, 4}) {
    for (const char* policy : {"dts-plus", "rucb", "rmed1", "if2(horizon=1000)", "uniform"}) {
      // Lived through once more, with the state's hash taken after each record.
      const PlayedLog log = eventful(in_flight, policy);
      LiveExperiment lived = replayed(log.entries(), 1);
      for (std::size_t count = 1; count <= log.entries().size(); ++count) {
        LiveExperiment again = replayed(log.entries(), count);
        ASSERT_EQ(again.state_hash(), lived.state_hash()) << policy << " after " << count;
        ASSERT_EQ(next_of(again), next_of(lived)) << policy << " after " << count;
        if (count < log.entries().size()) {
          ASSERT_TRUE(lived.apply(log.entries()[count]).ok());
        }
      }
      EXPECT_EQ(lived.state_hash(), log.live().state_hash());
    }
  }
}

TEST(LiveExperiment, a_choice_that_is_taken_back_changes_nothing) {
  PlayedLog log(experiment_of({"a", "b", "c"}));
  for (int k = 0; k < 20; ++k) {
    const std::uint64_t before = log.live().state_hash();
    const auto serve = log.next();
    ASSERT_TRUE(serve);
    EXPECT_EQ(log.next(), serve);
    EXPECT_EQ(log.next("mine")->duel_id, "mine");
    EXPECT_EQ(log.live().state_hash(), before);
    log.add(*serve);
    log.add(OutcomeRecord{serve->duel_id, {Answered::win, serve->first}, {}, {}, {}, ""});
  }
}

TEST(LiveExperiment, finds_the_best_arm_with_every_policy_and_several_duels_in_flight) {
  for (const PolicyKind& kind : policy_catalogue()) {
    ExperimentRecord experiment = experiment_of({"best", "good", "bad"}, kind.facts.name);
    experiment.stopping.max_duels = 3000;
    auto made = LiveExperiment::make(experiment);
    if (!made.ok()) continue;  // a policy that refuses three arms
    PlayedLog log(experiment);
    const PlayedWorld world{.gap = 0.3, .in_flight = 3};
    while (!log.live().done()) play(log, world, 10);
    ASSERT_TRUE(log.live().certificate()) << kind.facts.name;
    EXPECT_EQ(log.live().certificate()->kind, CertificateKind::winner);
    EXPECT_EQ(log.live().ledger().id_of(*log.live().certificate()->winner), "best");
  }
}

TEST(LiveExperiment, a_burst_of_duels_does_not_repeat_one_pair) {
  PlayedLog log(experiment_of({"a", "b", "c", "d"}));
  std::set<std::set<std::string>> pairs;
  for (int k = 0; k < 6; ++k) {
    const auto serve = log.next();
    ASSERT_TRUE(serve);
    log.add(*serve);
    pairs.insert({serve->first, serve->second});
  }
  EXPECT_GE(pairs.size(), 3U);
  EXPECT_EQ(log.live().pending().size(), 6U);
}

TEST(LiveExperiment, shows_arms_in_the_order_that_was_asked_for) {
  for (const Placement order : {Placement::random, Placement::both, Placement::fixed}) {
    ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
    experiment.order = order;
    PlayedLog log(experiment);
    play(log, {.gap = 0}, 400);
    const auto first = static_cast<double>(log.live().ledger().shown(0, 1).served);
    // By lot: half of 400, within 5 standard errors of 10.
    if (order == Placement::fixed) {
      EXPECT_EQ(first, 400);
    } else {
      EXPECT_NEAR(first, 200, 50);
    }
  }
}

TEST(LiveExperiment, shows_one_arm_twice_as_often_as_asked_and_learns_nothing_from_it) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"});
  experiment.aa_rate = 0.2;
  PlayedLog log(experiment);
  play(log, {.gap = 0}, 1000);
  const ShownCounts& aa = log.live().ledger().aa();
  EXPECT_NEAR(static_cast<double>(aa.served), 200, 5 * 12.7);  // sqrt(1000 * 0.2 * 0.8)
  EXPECT_EQ(aa.decisive(), aa.served);
  EXPECT_EQ(log.live().ledger().certifier().decisive(), 1000 - aa.served);
  EXPECT_EQ(log.live().ledger().total().served, 1000 - aa.served);
}

ServeRecord not_of(const ServeRecord& chosen) {
  ServeRecord other = chosen;
  for (const char* id : {"a", "b", "c"}) {
    if (id != chosen.first && id != chosen.second) other.second = id;
  }
  return other;
}

// Of four arms, with a fifth of the duels for one arm twice and three tenths of the others by lot:
//   one arm twice        1/5 * 1/4               one of four arms
//   by lot               4/5 * 3/10 * 1/6        one of six pairs
//   the policy's choice  4/5 * (7/10 + 3/10/6)   chosen, or drawn by lot all the same
//   another instead      4/5 * 1/3               one of the three pairs without the excluded arm
TEST(LiveExperiment, says_how_likely_each_choice_among_several_arms_was) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c", "d"}, "uniform");
  experiment.aa_rate = 0.2;
  experiment.service.guardrails.explore_floor = 0.3;
  std::map<std::string, int> seen;
  const auto expect = [&](const ServeRecord& serve, const std::string& how, double propensity) {
    ++seen[how];
    EXPECT_NEAR(serve.propensity, propensity, 1e-12) << how;
  };
  LiveExperiment live = std::move(LiveExperiment::make(experiment)).value();
  for (std::uint64_t k = 0; k < 200; ++k) {
    const std::vector<Arm> excluded = k % 2 == 0 ? std::vector<Arm>{} : std::vector<Arm>{3};
    const auto serve = live.choose("", excluded);
    ASSERT_TRUE(serve);
    const double arms = excluded.empty() ? 4 : 3;
    const double pairs = arms * (arms - 1) / 2;
    if (serve->serving == Serving::aa) {
      expect(*serve, "one arm twice", 0.2 / arms);
    } else if (serve->by == ServedBy::floor) {
      expect(*serve, "by lot", 0.8 * 0.3 / pairs);
    } else if (serve->by == ServedBy::exclude) {
      expect(*serve, "another instead", 0.8 / 3);
    } else {
      expect(*serve, "the policy's choice", 0.8 * (0.7 + 0.3 / pairs));
    }
    ASSERT_TRUE(live.apply({live.ledger().sequence() + 1, kStart, *serve, ""}).ok());
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(LiveExperiment, a_serve_is_a_fact_also_where_the_policy_would_have_chosen_another) {
  PlayedLog log(experiment_of({"a", "b", "c"}));
  play(log, {.gap = 0.1, .in_flight = 2}, 20);
  EXPECT_FALSE(log.live().divergence());
  const ServeRecord other = not_of(*log.next());
  log.add(other);
  ASSERT_TRUE(log.live().divergence());
  EXPECT_NE(log.live().divergence()->message.find("would not have served"), std::string::npos);
  log.add(OutcomeRecord{other.duel_id, {Answered::win, other.first}, {}, {}, {}, ""});
  // The policy is rebuilt from all answers, that of this duel included.
  log.add(PolicyRebuiltRecord{"another version"});
  EXPECT_FALSE(log.live().divergence());
  play(log, {.gap = 0.1, .in_flight = 2}, 20);
  EXPECT_FALSE(log.live().divergence());
  EXPECT_EQ(log.live().ledger().certifier().decisive(), 41U);
  EXPECT_EQ(replayed(log.entries(), log.entries().size()).state_hash(), log.live().state_hash());
}

TEST(LiveExperiment, what_is_chosen_without_a_copy_is_what_the_fold_finds) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c", "d"});
  experiment.aa_rate = 0.1;
  experiment.service.guardrails.explore_floor = 0.2;
  LiveExperiment lived = LiveExperiment::make(experiment).value();
  std::vector<LogEntry> entries;
  const auto add = [&](LiveExperiment& live, Record record) {
    entries.push_back({entries.size() + 2, 0, std::move(record), ""});
    return live.apply(entries.back()).ok();
  };
  std::map<ServedBy, int> by;
  for (int k = 0; k < 200; ++k) {
    const std::vector<Arm> excluded = k % 3 == 0 ? std::vector<Arm>{1} : std::vector<Arm>{};
    const auto serve = lived.choose("", excluded);
    ASSERT_TRUE(serve);
    ++by[serve->by];
    if (!excluded.empty() && serve->serving != Serving::aa) {
      EXPECT_NE(serve->first, "b");
      EXPECT_NE(serve->second, "b");
    }
    ASSERT_TRUE(add(lived, *serve));
    if (serve->first == serve->second) continue;
    ASSERT_TRUE(
        add(lived, OutcomeRecord{serve->duel_id, {Answered::win, serve->first}, {}, {}, {}, ""}));
  }
  EXPECT_GT(by[ServedBy::exclude], 5);
  EXPECT_NEAR(by[ServedBy::floor], 36, 5 * 5.4);  // 0.9 * 0.2 of 200, sqrt(200 * 0.18 * 0.82)
  LiveExperiment folded = LiveExperiment::make(experiment).value();
  for (const LogEntry& entry : entries) ASSERT_TRUE(folded.apply(entry).ok());
  EXPECT_FALSE(folded.divergence());
  EXPECT_EQ(folded.state_hash(), lived.state_hash());
  EXPECT_EQ(next_of(folded), next_of(lived));
}

TEST(LiveExperiment, a_choice_is_served_before_anything_else_happens) {
  LiveExperiment live = LiveExperiment::make(experiment_of({"a", "b", "c"})).value();
  const ServeRecord serve = *live.choose("mine", {});
  EXPECT_EQ(live.apply({2, 0, CompletedRecord{"stopped"}, ""}).error().code, ErrorCode::conflict);
  EXPECT_EQ(live.apply({2, 0, not_of(serve), ""}).error().code, ErrorCode::conflict);
  EXPECT_TRUE(live.apply({2, 0, serve, ""}).ok());
}

TEST(LiveExperiment, serves_no_more_than_max_duels_and_is_done_when_they_are_final) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.stopping.max_duels = 2;
  PlayedLog log(experiment);
  log.add(*log.next());
  log.add(*log.next());
  EXPECT_FALSE(log.next());
  EXPECT_FALSE(log.live().done());
  log.add(OutcomeRecord{"d2", {Answered::tie, ""}, {}, {}, {}, ""});
  log.add(ExpiredRecord{"d1"});
  EXPECT_TRUE(log.live().done());
}

TEST(LiveExperiment, goes_on_with_a_policy_on_the_arms_that_are_left) {
  ExperimentRecord experiment = experiment_of({"best", "good", "bad"});
  experiment.stopping.arms_fixed = false;
  PlayedLog log(experiment);
  play(log, {.gap = 0.3, .in_flight = 2}, 10);
  log.add(*log.next());
  const std::string pending = log.live().pending().front();
  log.add(ArmRetiredRecord{"best"});
  // The answer to a duel asked before still counts.
  const std::uint64_t decisive = log.live().ledger().certifier().decisive();
  const ServeRecord serve = std::get<ServeRecord>(log.entries()[log.entries().size() - 2].record);
  log.add(OutcomeRecord{pending, {Answered::win, serve.first}, {}, {}, {}, ""});
  EXPECT_EQ(log.live().ledger().certifier().decisive(), decisive + 1);
  for (int k = 0; k < 20; ++k) {
    const auto next = log.next();
    ASSERT_TRUE(next);
    EXPECT_NE(next->first, "best");
    EXPECT_NE(next->second, "best");
    log.add(*next);
  }
  log.add(ArmRetiredRecord{"good"});
  EXPECT_FALSE(log.next());
}

TEST(LiveExperiment, names_what_is_wrong_with_its_configuration) {
  const auto message = [](const ExperimentRecord& record) {
    return LiveExperiment::make(record).error().to_string();
  };
  EXPECT_NE(message(experiment_of({"a"})).find("at least two"), std::string::npos);
  EXPECT_NE(message(experiment_of({"a", "a"})).find("'a'"), std::string::npos);
  EXPECT_NE(message(experiment_of({"a", "b c"})).find("'b c'"), std::string::npos);
  EXPECT_NE(message(experiment_of({"a", "b"}, "dts-pluss")).find("dts-plus"), std::string::npos);
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.stopping.alpha = 1;
  EXPECT_NE(message(experiment).find("alpha"), std::string::npos);
  experiment = experiment_of({"a", "b"});
  experiment.goal = Goal::borda;
  experiment.stopping.arms_fixed = false;
  EXPECT_NE(message(experiment).find("borda"), std::string::npos);
}

TEST(LiveExperiment, what_was_served_before_a_loss_of_power_is_no_evidence) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.service.name = "served";
  PlayedLog log(experiment);
  play(log, {.gap = 0.3}, 5);  // records 2 to 11
  log.add(RecoveredRecord{6});
  play(log, {.gap = 0.3}, 5);
  std::optional<Ledger> ledger;
  const auto read = read_log_text(log.text(), "log", [&](const LogEntry& entry) -> Status {
    if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*first));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(ledger->apply(entry));
    return Done{};
  });
  ASSERT_TRUE(read.ok()) << read.error().to_string();
  // Served at records 8 and 10; those at 2, 4 and 6 were safe.
  EXPECT_EQ(ledger->certifier().decisive(), 8U);
  EXPECT_EQ(ledger->total().decisive(), 10U);
}

}  // namespace
}  // namespace duel
