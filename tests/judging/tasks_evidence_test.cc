// What tasks may say: a judge who repeats himself about a task says nothing new, so that asking him
// again must never look like evidence.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "duel/log/experiment_log.h"
#include "duel/verdict/certificate_file.h"
#include "tests/judging/task_worlds.h"

namespace duel {
namespace {

using PairTask = std::tuple<std::string, std::string, std::string>;

PairTask pair_task(const ServeRecord& serve) {
  const auto [low, high] = std::minmax(serve.first, serve.second);
  return {low, high, serve.task};
}

std::vector<ServeRecord> serves_of(const std::filesystem::path& log) {
  std::vector<ServeRecord> serves;
  const auto extent = read_log(log, [&](const LogEntry& entry) -> Status {
    if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) serves.push_back(*serve);
    return Done{};
  });
  EXPECT_TRUE(extent.ok());
  return serves;
}

// The first named in the alphabet wins.
Outcome by_name(const Question& question) {
  return question.first.arm_id < question.second.arm_id ? Outcome::first_wins
                                                        : Outcome::second_wins;
}

class TasksEvidence : public ::testing::Test {
 protected:
  Interview open(std::size_t num_arms, std::size_t tasks, std::uint64_t max_duels = 10'000,
                 const std::string& policy = "auto", std::uint64_t seed = 5) const {
    InterviewPlan plan = plan_of(directory_, num_arms, numbered_tasks(directory_, tasks),
                                 TaskScope::tasks_like_these, max_duels, seed);
    plan.experiment.policy = policy;
    return Interview::open(std::move(plan)).value();
  }

  QuickDirectory directory_;
};

// Two even arms, 50 tasks. The list leans to one side by chance, and a judge who repeats himself
// shows that leaning ever more clearly, the more often one asks.
TEST_F(TasksEvidence, even_arms_are_certified_no_more_often_than_alpha_on_tasks_like_these) {
  for (const Judging judging : kJudgings) {
    const auto count = false_certificates({.judging = judging}, 400);
    EXPECT_LE(static_cast<double>(count), most_false_certificates(400))
        << static_cast<int>(judging);
  }
}

TEST_F(TasksEvidence, even_arms_are_certified_no_more_often_than_alpha_on_these_very_tasks) {
  for (const Judging judging : kJudgings) {
    const auto count = false_certificates({.about = TaskScope::these_tasks,
                                           .tasks = Tasks::even_as_they_are,
                                           .judging = judging,
                                           .max_duels = 300},
                                          200);
    EXPECT_LE(static_cast<double>(count), most_false_certificates(200))
        << static_cast<int>(judging);
  }
}

TEST_F(TasksEvidence, even_arms_are_certified_no_more_often_than_alpha_on_a_list_that_grows) {
  const auto count = false_certificates({.grows = true}, 400);
  EXPECT_LE(static_cast<double>(count), most_false_certificates(400));
}

// The simulation sees the defect: a statement about these tasks, mistaken for one about the
// population that they were drawn from, is false far more often. Of 50 coins the mean distance from
// 25:25 is sqrt(50 / (2 pi)) = 2.8, a win rate of 0.556, which 1000 duels show with ease.
TEST_F(TasksEvidence, counting_a_task_again_and_again_would_certify_even_arms) {
  const auto count = false_certificates({.about = TaskScope::these_tasks}, 60);
  EXPECT_GT(static_cast<double>(count), 2 * most_false_certificates(60));
}

TEST_F(TasksEvidence, serves_a_task_as_evidence_of_a_pair_once_and_then_needs_more_tasks) {
  for (const std::size_t arms : {2, 3}) {
    Interview interview = open(arms, 12);
    TaskWorld world(arms, 12, Tasks::drawn_from_even_ones, Judging::throws_a_coin, 3);
    answer_all(interview, [&](const Question& question) { return world.answer(question); });
    EXPECT_FALSE(interview.certified());
    EXPECT_TRUE(needs_more_tasks(interview));
    EXPECT_LT(interview.ledger().served(), 10'000);
    EXPECT_FALSE(next_of(interview).has_value());
    std::set<PairTask> met;
    std::map<std::string, int> open_pairs;
    for (const ServeRecord& serve : serves_of(directory_ / "log")) {
      if (!serve.evidence) continue;
      EXPECT_TRUE(met.insert(pair_task(serve)).second) << serve.duel_id;
      const auto [low, high, task] = pair_task(serve);
      ++open_pairs[low + high];
    }
    // The pair that stopped it has met all twelve.
    EXPECT_TRUE(std::any_of(open_pairs.begin(), open_pairs.end(),
                            [](const auto& pair) { return pair.second == 12; }));
    std::filesystem::remove(directory_ / "log");
  }
}

TEST_F(TasksEvidence, goes_on_needing_tasks_after_a_restart) {
  {
    Interview interview = open(2, 12);
    TaskWorld world(2, 12, Tasks::drawn_from_even_ones, Judging::throws_a_coin, 3);
    answer_all(interview, [&](const Question& question) { return world.answer(question); });
  }
  Interview again = open(2, 12);
  EXPECT_EQ(again.ledger().served(), 12);
  EXPECT_FALSE(next_of(again).has_value());
  EXPECT_TRUE(needs_more_tasks(again));
  EXPECT_EQ(serves_of(directory_ / "log").size(), 12);
}

TEST_F(TasksEvidence, goes_on_with_tasks_that_join_and_counts_each_once) {
  TaskWorld world(2, 36, Tasks::drawn_from_even_ones, Judging::throws_a_coin, 3);
  for (const std::size_t tasks : {12, 24, 36}) {
    Interview interview = open(2, tasks);
    answer_all(interview, [&](const Question& question) { return world.answer(question); });
    EXPECT_FALSE(interview.certified());
    EXPECT_TRUE(needs_more_tasks(interview));
    EXPECT_EQ(interview.ledger().tasks().count, tasks);
    EXPECT_EQ(interview.ledger().served(), tasks);
  }
  std::set<PairTask> met;
  for (const ServeRecord& serve : serves_of(directory_ / "log")) {
    EXPECT_TRUE(serve.evidence && met.insert(pair_task(serve)).second) << serve.duel_id;
  }
  EXPECT_TRUE(check_log(directory_ / "log").ok());
  // Fewer than there were are others.
  InterviewPlan fewer = plan_of(directory_, 2, numbered_tasks(directory_, 24),
                                TaskScope::tasks_like_these, 10'000, 5);
  fewer.experiment.policy = "auto";
  EXPECT_FALSE(Interview::open(std::move(fewer)).ok());
}

// Uniform pairs meet whether they are settled or not. a beats b on every task and the third arm is
// even with both: by twelve tasks a and b are settled (K/alpha = 60 takes ten straight wins).
TEST_F(TasksEvidence, a_settled_pair_that_has_met_every_task_goes_on_without_being_evidence) {
  std::uint64_t without = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Interview interview = open(3, 12, 500, "uniform", seed);
    TaskWorld world(3, 12, Tasks::drawn_from_even_ones, Judging::throws_a_coin,
                    static_cast<std::uint32_t>(seed));
    answer_all(interview, [&](const Question& question) {
      const bool even = question.first.arm_id == "c" || question.second.arm_id == "c";
      return even ? world.answer(question) : by_name(question);
    });
    const Ledger& ledger = interview.ledger();
    std::set<PairTask> met;
    std::uint64_t of_settled = 0;
    for (const ServeRecord& serve : serves_of(directory_ / "log")) {
      EXPECT_EQ(serve.evidence, met.insert(pair_task(serve)).second);
      if (serve.evidence) continue;
      ++without;
      of_settled += serve.first != "c" && serve.second != "c" ? 1 : 0;
      const Arm i = *ledger.find_arm(serve.first), j = *ledger.find_arm(serve.second);
      EXPECT_TRUE(ledger.certifier().log_evidence(i, j) >= ledger.certifier().log_threshold(i) ||
                  ledger.certifier().log_evidence(j, i) >= ledger.certifier().log_threshold(j))
          << serve.first << serve.second;
    }
    // Shown, but not counted: a has no more wins in evidence than there are tasks.
    EXPECT_EQ(ledger.pair(0, 1).first_wins, ledger.certifier().wins(0, 1) + of_settled);
    EXPECT_LE(ledger.certifier().wins(0, 1), 12);
    EXPECT_TRUE(check_log(directory_ / "log").ok());
    std::filesystem::remove(directory_ / "log");
  }
  EXPECT_GT(without, 0);
}

// A circle on ten tasks: ten straight wins settle a pair (60), but "no arm beats every other" takes
// K (K - 1)/alpha = 120 and eleven. When no pair has a fresh task, no duel can add anything.
TEST_F(TasksEvidence, stops_when_no_duel_can_be_evidence_any_more) {
  Interview interview = open(3, 10, 2000);
  answer_all(interview, [&](const Question& question) {
    const int first = question.first.arm_id[0] - 'a', second = question.second.arm_id[0] - 'a';
    return (first + 1) % 3 == second ? Outcome::first_wins : Outcome::second_wins;
  });
  EXPECT_FALSE(interview.certified());
  EXPECT_TRUE(needs_more_tasks(interview));
  EXPECT_LT(interview.ledger().served(), 2000);
}

// The same for scores: among seven arms eleven straight wins settle a pair (K/alpha = 140), and its
// confidence sequence, whose evidence is 344 then, has to reach K (K - 1)/(2 alpha) = 420.
TEST_F(TasksEvidence, stops_when_no_duel_can_move_a_score_any_more) {
  InterviewPlan plan =
      plan_of(directory_, 7, numbered_tasks(directory_, 11), TaskScope::tasks_like_these, 2000, 5);
  plan.experiment.goal = Goal::copeland;
  Interview interview = Interview::open(std::move(plan)).value();
  answer_all(interview, by_name);
  EXPECT_FALSE(interview.certified());
  EXPECT_TRUE(needs_more_tasks(interview));
  EXPECT_LT(interview.ledger().served(), 2000);
}

// What is left is asked: a beats all, and is certified although the others are even and may have
// used up their tasks.
TEST_F(TasksEvidence, does_not_stop_while_a_certificate_can_come) {
  std::size_t certified = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Interview interview = open(4, 30, 2000, "auto", seed);
    TaskWorld world(4, 30, Tasks::drawn_from_even_ones, Judging::throws_a_coin,
                    static_cast<std::uint32_t>(seed));
    answer_all(interview, [&](const Question& question) {
      const bool best = question.first.arm_id == "a" || question.second.arm_id == "a";
      return best ? by_name(question) : world.answer(question);
    });
    certified += interview.certified() ? 1 : 0;
    std::filesystem::remove(directory_ / "log");
  }
  EXPECT_EQ(certified, 20);
}

TEST_F(TasksEvidence, the_ledger_refuses_a_log_that_counts_a_task_twice_for_a_pair) {
  ExperimentRecord experiment;
  experiment.experiment_id = "x";
  experiment.arms = {{"a", "", ""}, {"b", "", ""}, {"c", "", ""}};
  experiment.tasks = {.count = 2, .sha256 = "", .about = TaskScope::tasks_like_these};
  EXPECT_EQ(Ledger::make(experiment).error().field, "stopping.shared_causes");
  experiment.stopping.shared_causes = true;
  Ledger ledger = Ledger::make(experiment).value();
  std::uint64_t sequence = 1;
  const auto serve = [&](const char* first, const char* second, const char* task, bool evidence) {
    ServeRecord record;
    record.duel_id = "d" + std::to_string(ledger.served() + 1);
    record.ordinal = ledger.served();
    record.first = first;
    record.second = second;
    record.task = task;
    record.evidence = evidence;
    const auto effect = ledger.apply({sequence + 1, 0, record, ""});
    if (effect.ok()) ++sequence;
    return effect.ok();
  };
  EXPECT_TRUE(serve("a", "b", "t1", true));
  const std::uint64_t before = ledger.state_hash();
  EXPECT_FALSE(serve("a", "b", "t1", true));
  EXPECT_FALSE(serve("b", "a", "t1", true));  // the pair is the same
  EXPECT_FALSE(serve("a", "b", "", true));    // about nothing
  EXPECT_EQ(ledger.state_hash(), before);
  EXPECT_TRUE(serve("b", "a", "t1", false));  // to be shown, not to count
  EXPECT_TRUE(serve("a", "c", "t1", true));   // new to this pair
  EXPECT_TRUE(serve("b", "a", "t2", true));
  EXPECT_FALSE(serve("a", "b", "t2", true));
}

// A forger who rewrites the second half of a log, with its hashes, gains nothing by marking serves
// as evidence that were none.
TEST_F(TasksEvidence, a_log_with_a_task_marked_as_evidence_again_is_not_verified) {
  std::vector<LogEntry> entries;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Interview interview = open(3, 12, 500, "uniform", seed);
    answer_all(interview, [&](const Question& question) {
      const bool open_pair = question.first.arm_id == "c" || question.second.arm_id == "c";
      return open_pair ? Outcome::tie : by_name(question);
    });
    entries.clear();
    bool found = false;
    read_log(directory_ / "log", [&](const LogEntry& entry) -> Status {
      entries.push_back(entry);
      const auto* serve = std::get_if<ServeRecord>(&entry.record);
      found = found || (serve != nullptr && !serve->evidence);
      return Done{};
    }).value();
    std::filesystem::remove(directory_ / "log");
    if (found) break;
  }
  std::string honest, forged, head(64, '0'), forged_head(64, '0');
  Sha256 sha;
  bool changed = false;
  for (LogEntry& entry : entries) {
    honest += log_line(entry.sequence, entry.time_ms, entry.record, head, sha).value();
    auto* serve = std::get_if<ServeRecord>(&entry.record);
    if (serve != nullptr && !serve->evidence) changed = serve->evidence = true;
    forged += log_line(entry.sequence, entry.time_ms, entry.record, forged_head, sha).value();
  }
  ASSERT_TRUE(changed);
  write_content(directory_ / "honest", honest);
  write_content(directory_ / "forged", forged);
  EXPECT_TRUE(check_log(directory_ / "honest").ok());
  const auto checked = check_log(directory_ / "forged");
  ASSERT_FALSE(checked.ok());
  EXPECT_TRUE(checked.error().message.ends_with("again, and it is to count"))
      << checked.error().to_string();
}

}  // namespace
}  // namespace duel
