#include "duel/experiment/task_draw.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/digest.h"
#include "duel/core/rng.h"
#include "duel/core/world.h"
#include "duel/experiment/experiment.h"
#include "tests/experiment/held_experiment.h"

namespace duel {
namespace {

std::vector<std::string> tasks_named(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("t{}", k));
  return names;
}

ExperimentRecord with_tasks(std::size_t count, std::uint64_t seed,
                            TaskScope about = TaskScope::tasks_like_these) {
  ExperimentRecord record;
  record.experiment_id = HeldExperiment::kId;
  for (const char* id : {"a", "b", "c"}) record.arms.push_back({id, "", "", {}});
  record.policy = "uniform";
  record.seed = seed;
  record.stopping.shared_causes = true;
  record.stopping.alpha = 1e-6;  // no certificate comes between
  record.tasks.count = count;
  record.tasks.sha256 = std::string(kHexDigits, '0');
  record.tasks.about = about;
  Json items = Json::array();
  for (const std::string& name : tasks_named(count)) items.push_back({{"task_id", name}});
  record.tasks.items = std::move(items);
  return record;
}

// After a serve of (a, b) about each of `met`.
Ledger ledger_with(std::size_t count, std::uint64_t seed, const std::vector<std::string>& met,
                   TaskScope about = TaskScope::tasks_like_these) {
  Ledger ledger = std::move(Ledger::make(with_tasks(count, seed, about))).value();
  for (std::size_t k = 0; k < met.size(); ++k) {
    ServeRecord serve;
    serve.duel_id = fmt::format("q{}", k);
    serve.ordinal = k;
    serve.first = "a";
    serve.second = "b";
    serve.task = met[k];
    EXPECT_TRUE(ledger.apply({k + 2, 0, serve, ""}).ok());
  }
  return ledger;
}

// How far `lots` draws are from uniform over `outcomes`, as Pearson's statistic.
double distance_from_uniform(std::size_t outcomes, std::uint64_t lots,
                             const std::function<std::string(std::uint64_t)>& draw) {
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t k = 0; k < lots; ++k) ++counts[draw(k)];
  EXPECT_LE(counts.size(), outcomes);
  const double expected = static_cast<double>(lots) / static_cast<double>(outcomes);
  double sum = static_cast<double>(outcomes - counts.size()) * expected;
  for (const auto& [task, count] : counts) {
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) /
           expected;
  }
  return sum;
}

// Chi-square with d degrees exceeds d + 2 sqrt(d x) + 2 x with probability e^-x at most (Laurent
// and Massart 2000, Lemma 1). A false alarm in a million.
double largest_distance(std::size_t outcomes) {
  const double x = std::log(1e6), degrees = static_cast<double>(outcomes - 1);
  return degrees + 2 * std::sqrt(degrees * x) + 2 * x;
}

constexpr std::uint64_t kLots = 4000;

// Few of 12 met, half, and more than half, which is drawn from a list.
const std::vector<std::vector<std::string>> kMet{
    {},
    {"t3", "t4", "t5"},
    {"t3", "t4", "t5", "t0", "t10", "t11"},
    {"t3", "t4", "t5", "t0", "t10", "t11", "t6", "t7", "t8"}};

TEST(TaskDraw, every_fresh_task_is_as_likely_as_the_others) {
  for (const std::vector<std::string>& met : kMet) {
    const std::size_t fresh = 12 - met.size();
    const double distance = distance_from_uniform(fresh, kLots, [&](std::uint64_t seed) {
      const Ledger ledger = ledger_with(12, seed, met);
      TaskDraw tasks(tasks_named(12));
      const std::string task = tasks.draw(ledger, 0, 1);
      EXPECT_EQ(std::ranges::count(met, task), 0) << task;
      return task;
    });
    EXPECT_LT(distance, largest_distance(fresh)) << met.size();
  }
}

// The first fresh task after one that is drawn: those behind a stretch of met ones come more often.
TEST(TaskDraw, a_rule_that_favours_some_tasks_would_be_seen) {
  const std::vector<std::string>& met = kMet[1];
  const double distance = distance_from_uniform(9, kLots, [&](std::uint64_t seed) {
    std::size_t k = Stream(seed, 0, Purpose::test, "favours").at(1).below(12);
    while (std::ranges::count(met, fmt::format("t{}", k)) > 0) k = (k + 1) % 12;
    return fmt::format("t{}", k);
  });
  EXPECT_GT(distance, largest_distance(9));
}

TEST(TaskDraw, a_pair_that_has_met_all_and_an_arm_against_itself_get_any) {
  const std::vector<std::string> all = tasks_named(4);
  for (const Arm other : {Arm{1}, Arm{0}}) {
    const double distance = distance_from_uniform(4, kLots, [&](std::uint64_t seed) {
      const Ledger ledger = ledger_with(4, seed, all);
      return TaskDraw(all).draw(ledger, 0, other);
    });
    EXPECT_LT(distance, largest_distance(4)) << other;
  }
}

TEST(TaskDraw, of_these_tasks_any_comes_again) {
  const double distance = distance_from_uniform(4, kLots, [&](std::uint64_t seed) {
    const Ledger ledger = ledger_with(4, seed, {"t1", "t2"}, TaskScope::these_tasks);
    return TaskDraw(tasks_named(4)).draw(ledger, 0, 1);
  });
  EXPECT_LT(distance, largest_distance(4));
}

TEST(TaskDraw, what_one_pair_has_met_is_fresh_to_another) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Ledger ledger = ledger_with(4, seed, {"t0", "t1", "t2"});
    TaskDraw tasks(tasks_named(4));
    EXPECT_EQ(tasks.draw(ledger, 1, 0), "t3");
    drawn.insert(tasks.draw(ledger, 0, 2));
  }
  EXPECT_EQ(drawn.size(), 4U);
}

// --- In an experiment ---------------------------------------------------------------------------

// Serves a duel and answers it, so that no pair is ever certain to win. Nothing where none was
// served.
std::optional<ServeRecord> play_one(HeldExperiment& held, int round) {
  const auto offer = held->serve({}, {HeldExperiment::kNow + 1000 * round});
  EXPECT_TRUE(offer.ok()) << offer.error().to_string();
  const auto* served = std::get_if<Served>(&*offer);
  if (served == nullptr) {
    EXPECT_EQ(std::get<Fallback>(*offer).why, Fallback::Why::tasks_used_up);
    return std::nullopt;
  }
  Report report{.duel_id = served->serve.duel_id};
  report.answer =
      Answer{Answered::win, round % 2 == 0 ? served->serve.first : served->serve.second};
  EXPECT_TRUE(held->report(report, {HeldExperiment::kNow + 1000 * round}).ok());
  held.commit();
  return served->serve;
}

TEST(TaskDraw, no_pair_meets_a_task_again_while_one_is_fresh_and_then_nothing_is_served) {
  constexpr std::size_t kTasks = 7;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    HeldExperiment held(with_tasks(kTasks, seed));
    std::map<std::pair<std::string, std::string>, std::set<std::string>> met;
    std::optional<ServeRecord> serve;
    int round = 0;
    while ((serve = play_one(held, ++round))) {
      auto& tasks = met[std::minmax(serve->first, serve->second)];
      ASSERT_LT(tasks.size(), kTasks);
      ASSERT_TRUE(tasks.insert(serve->task).second) << serve->task << " again";
      ASSERT_TRUE(serve->evidence);
    }
    EXPECT_GE(round, static_cast<int>(kTasks)) << "one pair at least has met them all";
  }
}

// The one that has lived through the log keeps lists of what is left; the others make them.
TEST(TaskDraw, is_the_same_however_the_experiment_came_into_memory) {
  constexpr std::size_t kTasks = 15;
  HeldExperiment held(with_tasks(kTasks, 3));
  HeldExperiment with_snapshot(with_tasks(kTasks, 3));
  std::size_t beyond_half = 0;
  for (int round = 1;; ++round) {
    const Moment moment{HeldExperiment::kNow + 1000 * round};
    if (round == 5) {
      ASSERT_TRUE(with_snapshot.store().put_snapshot("e", *with_snapshot.save()).ok());
    }
    const Followed read = held.load(), restored = with_snapshot.load();
    EXPECT_EQ(restored->snapshot_sequence() > 0, round >= 5);
    const auto from_log = read->serve({}, moment), from_snapshot = restored->serve({}, moment);
    ASSERT_TRUE(from_log.ok() && from_snapshot.ok());
    const std::optional<ServeRecord> lived = play_one(held, round);
    ASSERT_EQ(play_one(with_snapshot, round), lived);
    if (!lived) {
      EXPECT_TRUE(std::holds_alternative<Fallback>(*from_log));
      EXPECT_TRUE(std::holds_alternative<Fallback>(*from_snapshot));
      break;
    }
    EXPECT_EQ(std::get<Served>(*from_log).serve, *lived);
    EXPECT_EQ(std::get<Served>(*from_snapshot).serve, *lived);
    const Arm i = *held->ledger().find_arm(lived->first),
              j = *held->ledger().find_arm(lived->second);
    if (2 * (held->ledger().fresh_tasks(i, j) + 1) < kTasks) ++beyond_half;
  }
  EXPECT_GE(beyond_half, 7U) << "the last of the pair that has met them all come from a list";
}

// The policy had chosen before it turned out that no task is left.
TEST(TaskDraw, where_no_task_is_left_the_experiment_is_as_it_was_before_the_question) {
  ExperimentRecord record = with_tasks(3, 5);
  record.policy = "dts-plus";
  HeldExperiment held(record);
  int round = 0;
  while (play_one(held, ++round)) {
  }
  EXPECT_FALSE(held->spoiled());
  EXPECT_FALSE(held->has_staged());
  const Followed read = held.load();
  EXPECT_EQ(held->live().state_hash(), read->live().state_hash());
  EXPECT_EQ(held.save()->bytes, read.save()->bytes) << "the policy as well";
  for (int again = 0; again < 3; ++again) EXPECT_FALSE(play_one(held, ++round));
  EXPECT_EQ(held.save()->bytes, read.save()->bytes);
  // One that the caller names is served all the same.
  const auto named = held->serve({.task = "t1"}, {HeldExperiment::kNow});
  ASSERT_TRUE(named.ok()) << named.error().to_string();
  ASSERT_TRUE(std::holds_alternative<Served>(*named));
  EXPECT_EQ(std::get<Served>(*named).serve.task, "t1");
}

// --- Tasks that the caller names -----------------------------------------------------------------

ExperimentRecord of_named_tasks() {
  ExperimentRecord record = with_tasks(0, 1);
  record.tasks = {};
  record.arms.pop_back();
  return record;
}

// Asks for a duel about the task and answers it.
ServeRecord play_about(HeldExperiment& held, Experiment& experiment, const std::string& task,
                       int round) {
  const Moment moment{HeldExperiment::kNow + 1000 * round};
  const auto offer = experiment.serve({.task = task}, moment);
  EXPECT_TRUE(offer.ok()) << offer.error().to_string();
  const ServeRecord serve = std::get<Served>(*offer).serve;
  Report report{.duel_id = serve.duel_id};
  report.answer = Answer{Answered::win, "a"};
  EXPECT_TRUE(experiment.report(report, moment).ok());
  held.commit();
  return serve;
}

TEST(NamedTasks, a_pair_meets_each_as_evidence_once_also_after_a_restart) {
  Setting setting;
  int ids = 0;
  setting.new_id = [&](std::int64_t) { return fmt::format("q{}", ids++); };
  HeldExperiment held(of_named_tasks(), setting);
  for (int round = 0; round < 50; ++round) {
    const std::string task = fmt::format("t{}", round % 5);
    const ServeRecord serve = play_about(held, held.experiment(), task, round);
    EXPECT_EQ(serve.task, task);
    EXPECT_EQ(serve.evidence, round < 5) << round;
  }
  EXPECT_EQ(held->ledger().certifier().decisive(), 5U);
  EXPECT_EQ(held->ledger().total().decisive(), 50U) << "all are counted, and the policy learns";
  const auto kept = held.save();
  ASSERT_TRUE(kept.has_value());
  ASSERT_TRUE(held.store().put_snapshot(HeldExperiment::kId, *kept).ok());
  const Followed again = held.load();
  const auto offer = again->serve({.task = "t3"}, {HeldExperiment::kNow + 100'000});
  ASSERT_TRUE(offer.ok());
  EXPECT_FALSE(std::get<Served>(*offer).serve.evidence);
  const auto fresh = again->serve({.task = "t5"}, {HeldExperiment::kNow + 100'000});
  ASSERT_TRUE(fresh.ok());
  EXPECT_TRUE(std::get<Served>(*fresh).serve.evidence);
}

// Every serve once looked through the tasks for the one that it shows.
TEST(TaskDraw, takes_no_longer_with_many_tasks) {
  const auto cpu_of_serves = [](std::size_t tasks) {
    HeldExperiment held(with_tasks(tasks, 7));
    const auto before = system_world().cpu_time();
    for (int k = 0; k < 200; ++k) {
      const auto offer = held->serve({.duel_id = fmt::format("d{}", k)}, {HeldExperiment::kNow});
      EXPECT_TRUE(offer.ok() && std::holds_alternative<Served>(*offer));
    }
    return system_world().cpu_time() - before;
  };
  const auto with_few = cpu_of_serves(1'000);
  EXPECT_LT(cpu_of_serves(50'000), 10 * with_few);
}

TEST(NamedTasks, are_refused_where_pairs_are_declared_independent) {
  ExperimentRecord record = of_named_tasks();
  record.stopping.shared_causes = false;
  HeldExperiment held(record);
  const auto offer = held->serve({.duel_id = "d1", .task = "t1"}, {HeldExperiment::kNow});
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(offer.error().field, "task_id");
  EXPECT_TRUE(held->serve({.duel_id = "d1"}, {HeldExperiment::kNow}).ok());
}

// Of (a, b) about one task, as evidence.
ServeRecord about_one(std::uint64_t ordinal) {
  ServeRecord serve;
  serve.duel_id = fmt::format("q{}", ordinal);
  serve.ordinal = ordinal;
  serve.first = "a";
  serve.second = "b";
  serve.task = "t";
  return serve;
}

TEST(NamedTasks, counted_twice_are_refused_unless_the_log_is_of_an_earlier_format) {
  for (const std::uint64_t format : {3, 4}) {
    ExperimentRecord record = of_named_tasks();
    record.format = format;
    Ledger ledger = std::move(Ledger::make(record)).value();
    EXPECT_TRUE(ledger.apply({2, 0, about_one(0), ""}).ok());
    EXPECT_EQ(ledger.check(about_one(1)).ok(), format == 3) << format;
    EXPECT_TRUE(ledger.has_met(0, 1, "t")) << "what is added to the log now counts once";
  }
}

TEST(TaskDraw, among_some_draws_each_as_likely_and_looks_at_few) {
  constexpr std::size_t kTasks = 20'000;
  const TaskDraw draw(tasks_named(kTasks));
  std::size_t looks = 0;
  const auto even = [&](const std::string& task) {
    ++looks;
    return (task.back() - '0') % 2 == 0;
  };
  // The lot is that of the next duel, so that each seed is another draw.
  constexpr int kDraws = 500;
  int low = 0;
  for (int k = 0; k < kDraws; ++k) {
    const Ledger ledger = ledger_with(1, static_cast<std::uint64_t>(k), {});
    const std::string* const task = draw.draw_among(ledger, even);
    ASSERT_NE(task, nullptr);
    EXPECT_EQ((task->back() - '0') % 2, 0);
    low += std::stoul(task->substr(1)) < kTasks / 2 ? 1 : 0;
  }
  EXPECT_LT(looks, 3U * kDraws);  // two on average
  // Half of them, to five standard errors.
  EXPECT_NEAR(low, kDraws / 2, 5 * std::sqrt(kDraws / 4.0));
}

TEST(TaskDraw, among_hardly_any_finds_the_one_and_of_none_says_so) {
  const TaskDraw draw(tasks_named(20'000));
  const Ledger ledger = ledger_with(1, 5, {});
  const auto is_it = [](const std::string& task) { return task == "t17001"; };
  ASSERT_NE(draw.draw_among(ledger, is_it), nullptr);
  EXPECT_EQ(*draw.draw_among(ledger, is_it), "t17001");
  EXPECT_EQ(draw.draw_among(ledger, [](const std::string&) { return false; }), nullptr);
  EXPECT_EQ(draw.next_place(0, is_it), 17'001U);
  EXPECT_EQ(draw.next_place(17'002, is_it), draw.size());
}

}  // namespace
}  // namespace duel
