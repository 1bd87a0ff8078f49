// An interview and its log: whatever is lost by a kill is asked again, and nothing counts twice.
#include "duel/judging/interview.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "duel/core/rng.h"
#include "duel/core/timestamp.h"
#include "duel/study/round_robin.h"
#include "duel/verdict/standing.h"
#include "tests/judging/asked_interview.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

class InterviewStory : public ::testing::Test {
 protected:
  InterviewPlan plan(std::uint64_t max_duels, const std::string& log = "log") const {
    InterviewPlan plan;
    plan.log = (directory_ / log).string();
    plan.experiment.experiment_id = "x";
    plan.experiment.seed = 5;
    for (const char* id : {"a", "b", "c"}) {
      ListedArm arm;
      arm.shown.arm_id = id;
      arm.shown.payload = id;
      arm.sha256 = std::string(64, *id);
      plan.arms.push_back(arm);
    }
    plan.max_duels = max_duels;
    return plan;
  }

  // A judge who prefers a to b to c four times in five, decided by the duel's id alone.
  static Outcome judge(const Question& question) {
    const std::uint64_t lot = hash_text(question.duel_id) % 10;
    if (lot == 0) return Outcome::tie;
    const bool first = question.first.arm_id < question.second.arm_id;
    return first == (lot < 9) ? Outcome::first_wins : Outcome::second_wins;
  }

  static void answer_all(Interview& interview) {
    while (true) {
      const auto question = next_of(interview);
      if (!question) break;
      answer(interview, *question, {judge(*question)});
    }
    ASSERT_TRUE(interview.questions().flush().ok());
  }

  TemporaryDirectory directory_;
};

TEST_F(InterviewStory, asks_until_there_is_a_certificate) {
  Interview one = Interview::open(plan(1000)).value();
  answer_all(one);
  ASSERT_TRUE(one.certified());
  EXPECT_EQ(one.ledger().certificate()->winner, Arm{0});
  EXPECT_TRUE(one.ledger().completed());
  EXPECT_FALSE(next_of(one).has_value());
}

TEST_F(InterviewStory, stops_at_its_duels_and_goes_on_with_more) {
  {
    Interview one = Interview::open(plan(10)).value();
    answer_all(one);
    EXPECT_FALSE(one.certified());
    EXPECT_EQ(one.ledger().served(), 10);
  }
  Interview more = Interview::open(plan(1000)).value();
  EXPECT_TRUE(more.resumed());
  EXPECT_EQ(more.given_up(), 0);
  answer_all(more);
  Interview whole = Interview::open(plan(1000, "other")).value();
  answer_all(whole);
  EXPECT_EQ(more.ledger().state_hash(), whole.ledger().state_hash());
}

TEST_F(InterviewStory, goes_on_wherever_its_log_is_cut) {
  // Thousands of logs, each synced many times: in memory where the machine has such a place.
  const bool in_memory = std::filesystem::is_directory("/dev/shm");
  const TemporaryDirectory here;
  const std::filesystem::path place = in_memory ? "/dev/shm" / here.path().filename() : here.path();
  std::filesystem::create_directories(place);
  const std::string cut_log = (place / "cut").string();
  Interview whole = Interview::open(plan(8)).value();
  answer_all(whole);
  const std::string text = content_of(plan(8).log);
  std::uint64_t given_up = 0;
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    write_content(cut_log, text.substr(0, cut));
    InterviewPlan again = plan(8);
    again.log = cut_log;
    auto resumed = Interview::open(std::move(again));
    ASSERT_TRUE(resumed.ok()) << cut << ": " << resumed.error().to_string();
    given_up += resumed->given_up();
    // At most the duel whose answer was cut is lost, and it is lost for good.
    ASSERT_LE(resumed->given_up(), 1);
    const std::uint64_t lost = resumed->given_up();
    answer_all(*resumed);
    ASSERT_EQ(resumed->ledger().served(), 8);
    ASSERT_EQ(resumed->ledger().total().expired, lost);
    ASSERT_EQ(resumed->ledger().total().answered(), 8 - lost);
  }
  std::filesystem::remove_all(place);
  EXPECT_GT(given_up, 0);
}

// Asked again, an answer that is slow to come would be drawn until a fast one comes.
TEST_F(InterviewStory, gives_up_what_an_earlier_run_never_heard_of) {
  std::vector<Question> out;
  {
    Interview one = Interview::open(plan(100)).value();
    for (int k = 0; k < 3; ++k) out.push_back(*next_of(one));
    answer(one, out[1], {Outcome::tie});
  }
  Interview again = Interview::open(plan(100)).value();
  EXPECT_EQ(again.given_up(), 2);
  EXPECT_EQ(next_of(again)->duel_id, "d4");
  EXPECT_EQ(again.ledger().find_duel("d1").value()->fate, Fate::expired);
  EXPECT_EQ(again.ledger().find_duel("d2").value()->fate, Fate::answered);
}

TEST_F(InterviewStory, goes_on_when_tasks_are_added_and_refuses_other_ones) {
  const auto with_tasks = [&](const std::string& text) {
    write_content(directory_ / "tasks", text);
    InterviewPlan made = plan(1000);
    made.tasks = TaskList::read((directory_ / "tasks").string()).value();
    return made;
  };
  const auto tie_all = [](Interview& interview) {
    while (const auto question = next_of(interview)) {
      answer(interview, *question, {Outcome::tie});
    }
  };
  const std::string two = "\"t1\"\n\"t2\"\n";
  {
    Interview one = Interview::open(with_tasks(two)).value();
    tie_all(one);
    EXPECT_TRUE(needs_more_tasks(one));
    EXPECT_LE(one.ledger().served(), 6);
  }
  {
    Interview more = Interview::open(with_tasks(two + "\"t3\"\n\"t4\"\n")).value();
    EXPECT_EQ(more.ledger().tasks().count, 4);
    const std::uint64_t before = more.ledger().served();
    tie_all(more);
    EXPECT_GT(more.ledger().served(), before);
    EXPECT_TRUE(needs_more_tasks(more));
  }
  EXPECT_TRUE(
      Interview::open(with_tasks(two)).error().message.ends_with("its tasks were different"));
  EXPECT_TRUE(Interview::open(with_tasks("\"t1\"\n\"t9\"\n\"t3\"\n\"t4\"\n\"t5\"\n"))
                  .error()
                  .message.ends_with("its tasks were different"));
  EXPECT_TRUE(
      Interview::open(plan(1000)).error().message.ends_with("it has tasks, and none are given"));
}

TEST_F(InterviewStory, refuses_a_log_of_another_experiment_and_says_what_differs) {
  {
    const Interview made = Interview::open(plan(10)).value();
  }
  const auto complaint = [&](auto&& change) {
    InterviewPlan changed = plan(10);
    change(changed);
    return Interview::open(std::move(changed)).error().to_string();
  };
  const std::string start = plan(10).log + ": this log belongs to another experiment: ";
  const std::string anew = " (give another `log` to start over)";
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.seed = 6; }),
            "seed: " + start + "its seed is 5, not 6" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.stopping.alpha = 0.1; }),
            "alpha: " + start + "its alpha is 0.05, not 0.1" + anew);
  // A policy that follows alpha is not to blame.
  EXPECT_EQ(complaint([](InterviewPlan& p) {
              p.experiment.stopping.alpha = 0.1;
              p.experiment.policy = "certify(alpha=0.1)";
            }),
            "alpha: " + start + "its alpha is 0.05, not 0.1" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.policy = "rucb"; }),
            "policy: " + start + "its policy is auto, not rucb" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.aa_rate = 0.25; }),
            "aa_rate: " + start + "its aa_rate is 0, not 0.25" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.stopping.max_duels = 7; }),
            "max_duels: " + start + "its max_duels is 0, not 7" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.stopping.min_decisive_per_pair = 3; }),
            "min_decisive_per_pair: " + start + "its min_decisive_per_pair is 0, not 3" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.goal = Goal::borda; }),
            "goal: " + start + "its goal is condorcet, not borda" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.order = Placement::both; }),
            "order: " + start + "its order is random, not both" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.experiment.experiment_id = "y"; }),
            "name: " + start + "its name is x, not y" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.arms.pop_back(); }),
            "arms: " + start + "it has the arm 'c', too" + anew);
  EXPECT_EQ(complaint([](InterviewPlan& p) { p.arms[1].shown.arm_id = "d"; }),
            "arms: " + start + "it has the arm 'b', not 'd'" + anew);
  EXPECT_TRUE(
      complaint([](InterviewPlan& p) {
        p.arms[1].sha256 = std::string(64, '0');
        p.arms[1].reference = "b.txt";
      }).starts_with("arms: " + start + "the content of arm 'b' (b.txt) has changed since"));
  // Where the file lies is no difference, nor how long to go on.
  InterviewPlan moved = plan(20);
  moved.arms[1].reference = "elsewhere/b.txt";
  EXPECT_TRUE(Interview::open(std::move(moved)).ok());
}

TEST_F(InterviewStory, goes_on_with_logs_of_older_formats) {
  for (const std::uint64_t format : {1, 2}) {
    const std::string log = "format" + std::to_string(format);
    InterviewPlan before = plan(5, log);
    before.experiment.format = format;
    {
      Interview one = Interview::open(std::move(before)).value();
      answer_all(one);
      ASSERT_EQ(one.ledger().experiment().format, format);
    }
    Interview more = Interview::open(plan(9, log)).value();
    EXPECT_TRUE(more.resumed());
    answer_all(more);
    EXPECT_EQ(more.ledger().served(), 9);
    EXPECT_EQ(more.ledger().experiment().format, format);
  }
}

TEST_F(InterviewStory, leaves_files_alone_that_are_no_logs) {
  for (const char* content : {"hello", "{\"seq\":2", "{\"question\":\"x\"}\n"}) {
    write_content(directory_ / "log", content);
    EXPECT_FALSE(Interview::open(plan(10)).ok());
    EXPECT_EQ(content_of(directory_ / "log"), content);
  }
}

TEST_F(InterviewStory, makes_a_tie_of_two_judgements_that_differ_with_the_order) {
  InterviewPlan both = plan(10);
  both.experiment.order = Placement::both;
  Interview one = Interview::open(std::move(both)).value();
  // What is counted: wins of the arm shown first and of the other, ties, both bad, skips.
  using Counts = std::array<std::uint64_t, 5>;
  const auto counts = [&](Outcome first, Outcome second) {
    const Question question = *next_of(one);
    const Arm arms[] = {*one.ledger().find_arm(question.first.arm_id),
                        *one.ledger().find_arm(question.second.arm_id)};
    const ShownCounts before = one.ledger().pair(arms[0], arms[1]);
    answer(one, question, {first, second});
    const ShownCounts after = one.ledger().pair(arms[0], arms[1]);
    return Counts{after.first_wins - before.first_wins, after.second_wins - before.second_wins,
                  after.ties - before.ties, after.both_bad - before.both_bad,
                  after.skips - before.skips};
  };
  // The first place wins both times: a flip.
  EXPECT_EQ(counts(Outcome::first_wins, Outcome::first_wins), (Counts{0, 0, 1, 0, 0}));
  EXPECT_EQ(counts(Outcome::first_wins, Outcome::second_wins), (Counts{1, 0, 0, 0, 0}));
  EXPECT_EQ(counts(Outcome::second_wins, Outcome::first_wins), (Counts{0, 1, 0, 0, 0}));
  EXPECT_EQ(counts(Outcome::both_bad, Outcome::both_bad), (Counts{0, 0, 0, 1, 0}));
  EXPECT_EQ(counts(Outcome::skip, Outcome::first_wins), (Counts{0, 0, 0, 0, 1}));
}

TEST_F(InterviewStory, tells_how_far_the_leader_is_from_its_certificate) {
  Interview one = Interview::open(plan(1000)).value();
  EXPECT_FALSE(standing_of(one.ledger()).leader.has_value());
  answer_all(one);
  const Standing end = standing_of(one.ledger());
  EXPECT_EQ(end.leader, Arm{0});
  EXPECT_EQ(end.duels_left, 0);
  EXPECT_FALSE(end.arms[0].beaten.has_value());
  for (const Arm rival : {1u, 2u}) EXPECT_EQ(end.arms[rival].beaten, 1.0);
  std::uint64_t wins = 0;
  for (const ArmStanding& arm : end.arms) wins += arm.counts.first_wins;
  EXPECT_EQ(wins, one.ledger().total().decisive());
}

TEST_F(InterviewStory, knows_what_round_robin_would_have_cost) {
  // Two arms: round-robin asks the one pair there is, so that the cost is that of the sequential
  // test itself. With all of n duels won by one arm p = (n + 1)/(n + 2), near 1, and every trial
  // needs about as many duels as a run of wins does, which is what this log took.
  InterviewPlan two = plan(1000);
  two.arms.pop_back();
  Interview one = Interview::open(std::move(two)).value();
  while (true) {
    const auto question = next_of(one);
    if (!question) break;
    const Outcome outcome =
        question->first.arm_id == "a" ? Outcome::first_wins : Outcome::second_wins;
    answer(one, *question, {outcome});
  }
  ASSERT_TRUE(one.certified());
  const auto cost = round_robin_cost(one.ledger());
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->undecided, 0);
  EXPECT_GE(cost->p10, one.ledger().served());
  EXPECT_LE(cost->p10, cost->median);
  EXPECT_LE(cost->median, cost->p90);
  EXPECT_LE(cost->median, 2 * one.ledger().served());
  EXPECT_EQ(round_robin_cost(one.ledger())->median, cost->median);
}

}  // namespace
}  // namespace duel
