// Interviews about tasks between arms that are even, so that every certificate of a winner is
// false.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/judging/interview.h"
#include "tests/judging/asked_interview.h"
#include "tests/support/temporary_directory.h"

namespace duel {

// How a judge answers the question about one task when he is asked again.
enum class Judging {
  repeats_himself,  // what he said first
  wavers,           // mostly that: nine times in ten
  throws_a_coin,    // a new one every time
};
constexpr Judging kJudgings[] = {Judging::repeats_himself, Judging::wavers, Judging::throws_a_coin};

// Where the list of tasks comes from.
enum class Tasks {
  drawn_from_even_ones,  // each from a population in which every arm is as good as every other
  even_as_they_are,      // half of this very list is for either arm of a pair
};

// A list of tasks and a judge, new ones for each run. Every task has an order of the arms, and
// the judge's leaning about a pair is for the arm that stands before the other.
class TaskWorld {
 public:
  // REQUIRES: for `even_as_they_are` two arms and an even number of tasks.
  TaskWorld(std::size_t num_arms, std::size_t num_tasks, Tasks tasks, Judging judging,
            std::uint32_t run)
      : judging_(judging), answers_(29, run, Purpose::test, "answers about tasks") {
    RoundRng rng = Stream(29, run, Purpose::test, "tasks").at(1);
    for (std::size_t t = 0; t < num_tasks; ++t) {
      std::vector<std::size_t> order(num_arms);
      for (std::size_t k = 0; k < num_arms; ++k) order[k] = k;
      if (tasks == Tasks::even_as_they_are) {
        if (t % 2 == 1) std::reverse(order.begin(), order.end());
      } else {
        for (std::size_t k = num_arms; k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
      }
      ranks_.push_back(std::move(order));
    }
  }

  Outcome answer(const Question& question) {
    RoundRng rng = answers_.at(++asked_);
    const std::vector<std::size_t>& rank = ranks_[question.task->get<std::size_t>()];
    const auto rank_of = [&](const ShownArm& arm) {
      return rank[static_cast<std::size_t>(arm.arm_id[0] - 'a')];
    };
    const bool leaning = rank_of(question.first) < rank_of(question.second);
    const double keeps = judging_ == Judging::repeats_himself ? 1.0
                         : judging_ == Judging::wavers        ? 0.9
                                                              : 0.5;
    return leaning == rng.bernoulli(keeps) ? Outcome::first_wins : Outcome::second_wins;
  }

 private:
  Judging judging_;
  Stream answers_;
  Round asked_ = 0;
  std::vector<std::vector<std::size_t>> ranks_;  // by task and arm
};

// A place for thousands of logs that are synced after every answer: in memory where the machine has
// one.
class QuickDirectory {
 public:
  QuickDirectory() {
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    path_ = in_memory ? "/dev/shm" / on_disk_.path().filename() : on_disk_.path();
    std::filesystem::create_directories(path_);
  }
  ~QuickDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  QuickDirectory(const QuickDirectory&) = delete;
  QuickDirectory& operator=(const QuickDirectory&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  TemporaryDirectory on_disk_;
  std::filesystem::path path_;
};

// The tasks 0, 1, ..: each is its own number.
inline TaskList numbered_tasks(const QuickDirectory& directory, std::size_t count) {
  std::string text;
  for (std::size_t t = 0; t < count; ++t) text += std::to_string(t) + "\n";
  write_content(directory / "tasks", text);
  return TaskList::read((directory / "tasks").string()).value();
}

inline InterviewPlan plan_of(const QuickDirectory& directory, std::size_t num_arms,
                             const TaskList& tasks, TaskScope about, std::uint64_t max_duels,
                             std::uint64_t seed) {
  InterviewPlan plan;
  plan.log = (directory / "log").string();
  plan.experiment.experiment_id = "x";
  plan.experiment.seed = seed;
  plan.experiment.tasks.about = about;
  for (std::size_t k = 0; k < num_arms; ++k) {
    ListedArm arm;
    arm.shown.arm_id = std::string(1, static_cast<char>('a' + k));
    arm.shown.payload = arm.shown.arm_id;
    arm.sha256 = std::string(64, static_cast<char>('a' + k));
    plan.arms.push_back(arm);
  }
  plan.tasks = tasks;
  plan.max_duels = max_duels;
  return plan;
}

// Asks until nothing is left to ask.
inline void answer_all(Interview& interview, const std::function<Outcome(const Question&)>& judge) {
  while (const auto question = next_of(interview)) {
    answer(interview, *question, {judge(*question)});
  }
}

struct TaskCase {
  TaskScope about = TaskScope::tasks_like_these;
  Tasks tasks = Tasks::drawn_from_even_ones;
  Judging judging = Judging::repeats_himself;
  std::size_t num_arms = 2;
  std::uint64_t max_duels = 1000;
  bool grows = false;  // ten tasks at first, and ten more whenever they do not suffice
};

constexpr double kAlphaOfTasks = 0.05;

inline std::uint64_t false_certificates(const TaskCase& one, std::uint32_t runs) {
  constexpr std::size_t kTasks = 50;
  const QuickDirectory directory;
  std::vector<TaskList> lists;
  for (std::size_t size = one.grows ? 10 : kTasks; size <= kTasks; size += 10) {
    lists.push_back(numbered_tasks(directory, size));
  }
  std::uint64_t count = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    TaskWorld world(one.num_arms, kTasks, one.tasks, one.judging, run);
    bool certified = false;
    for (std::size_t k = 0; k < lists.size() && !certified; ++k) {
      InterviewPlan plan =
          plan_of(directory, one.num_arms, lists[k], one.about, one.max_duels, run);
      plan.experiment.stopping.alpha = kAlphaOfTasks;
      Interview interview = Interview::open(std::move(plan)).value();
      answer_all(interview, [&](const Question& question) { return world.answer(question); });
      certified = interview.certified();
      // Of even arms each beats none: that no arm beats every other would be true.
      count += certified && interview.ledger().certificate()->winner ? 1 : 0;
    }
    std::filesystem::remove(directory / "log");
  }
  return count;
}

// If a run certifies falsely with probability at most alpha, the count over n runs is at most that
// of n coins of probability alpha: mean alpha n, standard deviation sqrt(alpha (1 - alpha) n). Four
// of these above the mean is reached with probability below 2e-4 (the exact binomial tail at
// alpha = 0.05 is 1.9e-4 for n = 200 and 9e-5 for n = 2000).
inline double most_false_certificates(std::uint32_t runs) {
  const double n = runs;
  return kAlphaOfTasks * n + 4 * std::sqrt(kAlphaOfTasks * (1 - kAlphaOfTasks) * n);
}

}  // namespace duel
