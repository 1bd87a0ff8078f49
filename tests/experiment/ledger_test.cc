#include "duel/experiment/ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "duel/experiment/tasks_left.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

// Records with the numbers of a log and no log around them.
class Story {
 public:
  explicit Story(const ExperimentRecord& experiment)
      : ledger_(std::move(Ledger::make(experiment)).value()) {}

  Result<Effect> add(Record record) {
    const Status status = ledger_.check(record);
    const std::uint64_t sequence = ledger_.sequence() + 1;
    auto effect = ledger_.apply({sequence, 0, std::move(record), std::to_string(sequence)});
    EXPECT_EQ(status.ok(), effect.ok());
    return effect;
  }
  std::string serve(const std::string& first, const std::string& second) {
    const std::string id = "d" + std::to_string(ledger_.served() + 1);
    const auto effect = add(ServeRecord{id, ledger_.served(), 1, first, second,
                                        first == second ? Serving::aa : Serving::explore, ""});
    EXPECT_TRUE(effect.ok()) << effect.error().to_string();
    return id;
  }
  Effect answer(const std::string& id, Answer answer) {
    return std::move(add(OutcomeRecord{id, std::move(answer), {}, {}, {}, ""})).value();
  }
  void won(const std::string& first, const std::string& second) {
    answer(serve(first, second), {Answered::win, first});
  }
  std::string refusal(Record record) {
    const std::uint64_t before = ledger_.state_hash();
    const auto effect = add(std::move(record));
    EXPECT_FALSE(effect.ok());
    EXPECT_EQ(ledger_.state_hash(), before);
    return effect.ok() ? "" : effect.error().message;
  }
  const Ledger& operator*() const { return ledger_; }
  const Ledger* operator->() const { return &ledger_; }

 private:
  Ledger ledger_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Ledger, keeps_five_answers_and_no_answer_apart) {
  Story story(experiment_of({"a", "b"}));
  story.answer(story.serve("a", "b"), {Answered::win, "a"});
  story.answer(story.serve("b", "a"), {Answered::win, "a"});
  story.answer(story.serve("a", "b"), {Answered::tie, ""});
  story.answer(story.serve("a", "b"), {Answered::both_bad, ""});
  story.answer(story.serve("a", "b"), {Answered::skip, ""});
  story.answer(story.serve("a", "b"), {Answered::invalid, ""});
  ASSERT_TRUE(story.add(ExpiredRecord{story.serve("a", "b")}).ok());
  story.serve("a", "b");
  const ShownCounts expected{.served = 8,
                             .first_wins = 2,
                             .second_wins = 0,
                             .ties = 1,
                             .both_bad = 1,
                             .skips = 1,
                             .invalid = 1,
                             .expired = 1};
  EXPECT_EQ(story->pair(0, 1), expected);
  EXPECT_EQ(story->pair(1, 0), mirrored(expected));
  EXPECT_EQ(story->pair(0, 1).pending(), 1U);
  EXPECT_EQ(story->shown(1, 0).second_wins, 1U);
  EXPECT_EQ(story->total().first_wins, 1U);
  EXPECT_EQ(story->pending(), std::vector<std::string>{"d8"});
  // Only decisive answers are evidence; the others are final and move nothing.
  EXPECT_EQ(story->certifier().decisive(), 2U);
}

// The sums that the tally keeps, by adding up all pairs.
void expect_sums_of_pairs(const Ledger& ledger) {
  ShownCounts all;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    ShownCounts of_arm;
    for (Arm j = 0; j < ledger.num_arms(); ++j) {
      all += ledger.shown(i, j);
      if (i != j) of_arm += ledger.pair(i, j);
    }
    EXPECT_EQ(ledger.of_arm(i), of_arm) << i;
  }
  EXPECT_EQ(ledger.total(), all);
}

TEST(Ledger, keeps_the_sums_over_pairs_whatever_is_recorded) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c"});
  experiment.service.feedback.on_timeout = OnTimeout::tie;
  experiment.comparisons_count = true;
  experiment.stopping.arms_fixed = false;
  experiment.stopping.shared_causes = false;
  Story story(experiment);
  RoundRng rng(5, 0, 0);
  std::vector<std::string> names{"a", "b", "c"};
  for (int k = 0; k < 200; ++k) {
    const std::string first = names[rng.below(names.size())];
    const std::string second = names[rng.below(names.size())];
    const auto answers = std::to_array<Answer>({{Answered::win, second},
                                                {Answered::tie, ""},
                                                {Answered::both_bad, ""},
                                                {Answered::skip, ""},
                                                {Answered::invalid, ""}});
    const std::string id = story.serve(first, second);
    if (first == second) continue;
    const std::size_t what = rng.below(answers.size() + 2);
    if (what < answers.size()) {
      story.answer(id, answers[what]);
    } else if (what == answers.size()) {
      ASSERT_TRUE(story.add(ExpiredRecord{id, 2}).ok());
    }
    ASSERT_TRUE(story
                    .add(ComparisonRecord{.first = second,
                                          .second = first,
                                          .answer = {Answered::win, first},
                                          .evidence = false})
                    .ok());
    if (k == 100) {
      ASSERT_TRUE(story.add(ArmAddedRecord{{"d", "", ""}}).ok());
      names.emplace_back("d");
    }
    if (k % 20 == 0) expect_sums_of_pairs(*story);
  }
  expect_sums_of_pairs(*story);
  EXPECT_GT(story->of_arm(3).silent_ties, 0U);
}

TEST(Ledger, counts_evidence_in_serving_order_only) {
  Story story(experiment_of({"a", "b", "c"}));
  const std::string one = story.serve("a", "b"), two = story.serve("a", "b");
  const std::string other = story.serve("b", "c");
  story.answer(two, {Answered::win, "a"});
  EXPECT_EQ(story->certifier().decisive(), 0U);
  EXPECT_EQ(story->pair(0, 1).first_wins, 1U);
  story.answer(other, {Answered::win, "b"});  // another pair does not wait
  EXPECT_EQ(story->certifier().decisive(), 1U);
  story.answer(one, {Answered::skip, ""});
  EXPECT_EQ(story->certifier().wins(0, 1), 1U);
}

TEST(Ledger, the_first_answer_counts_whatever_follows) {
  Story story(experiment_of({"a", "b"}));
  const std::string id = story.serve("a", "b");
  EXPECT_EQ(story.answer(id, {Answered::win, "a"}), Effect::applied);
  EXPECT_EQ(story.answer(id, {Answered::win, "a"}), Effect::duplicate);
  EXPECT_EQ(story.answer(id, {Answered::win, "b"}), Effect::conflicting);
  EXPECT_EQ(story.answer(id, {Answered::invalid, ""}), Effect::conflicting);
  const std::string late = story.serve("a", "b");
  ASSERT_TRUE(story.add(ExpiredRecord{late}).ok());
  EXPECT_EQ(story.answer(late, {Answered::win, "b"}), Effect::late);
  EXPECT_EQ(story->certifier().decisive(), 1U);
  EXPECT_EQ(story->pair(0, 1).decisive(), 1U);
  EXPECT_EQ(story->duplicates(), 1U);
  EXPECT_EQ(story->conflicts(), 2U);
  EXPECT_EQ(story->late(), 1U);
}

TEST(Ledger, judged_in_both_orders_a_flip_is_a_tie) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.order = Placement::both;
  Story story(experiment);
  const auto judged = [&](const std::string& id, Answer in_one, Answer in_other, Answer together) {
    return OutcomeRecord{
        id, std::move(together), {}, {}, {{"a", std::move(in_one)}, {"b", std::move(in_other)}},
        ""};
  };
  const Answer a{Answered::win, "a"}, b{Answered::win, "b"}, tie{Answered::tie, ""};
  const Answer skip{Answered::skip, ""}, invalid{Answered::invalid, ""};
  EXPECT_TRUE(story.add(judged(story.serve("a", "b"), a, a, a)).ok());
  EXPECT_TRUE(story.add(judged(story.serve("b", "a"), a, b, tie)).ok());  // first place twice
  EXPECT_TRUE(story.add(judged(story.serve("b", "a"), b, a, tie)).ok());  // second place twice
  EXPECT_TRUE(story.add(judged(story.serve("b", "a"), tie, a, tie)).ok());
  EXPECT_TRUE(story.add(judged(story.serve("b", "a"), skip, a, skip)).ok());
  EXPECT_TRUE(story.add(judged(story.serve("b", "a"), skip, invalid, invalid)).ok());
  EXPECT_EQ(story->flips().to_first, 1U);
  EXPECT_EQ(story->flips().to_second, 1U);
  EXPECT_EQ(story->pair(0, 1).ties, 3U);
  const std::string id = story.serve("a", "b");
  EXPECT_TRUE(has(story.refusal(judged(id, a, b, a)), "make a 'tie', not a 'win'"));
  EXPECT_TRUE(has(story.refusal(OutcomeRecord{id, a, {}, {}, {}, ""}), "0 judgements"));
  EXPECT_TRUE(has(story.refusal(OutcomeRecord{id, a, {}, {}, {{"a", a}, {"a", a}}, ""}), "first"));
  Story plain(experiment_of({"a", "b"}));
  plain.serve("a", "b");
  EXPECT_TRUE(has(plain.refusal(judged("d1", a, a, a)), "order is 'random'"));
}

TEST(Ledger, refuses_what_makes_no_sense_and_changes_nothing) {
  Story story(experiment_of({"a", "b", "c"}));
  story.serve("a", "b");
  const auto serve = [](const std::string& id, std::uint64_t ordinal, const std::string& first,
                        const std::string& second, Serving serving = Serving::explore) {
    return ServeRecord{id, ordinal, 1, first, second, serving, ""};
  };
  EXPECT_TRUE(has(story.refusal(serve("d1", 1, "a", "b")), "second time"));
  EXPECT_TRUE(has(story.refusal(serve("d2", 2, "a", "b")), "ordinal 2, expected 1"));
  EXPECT_TRUE(has(story.refusal(serve("d2", 1, "a", "z")), "no arm 'z'"));
  EXPECT_TRUE(has(story.refusal(serve("d2", 1, "a", "a")), "'a' against 'a'"));
  EXPECT_TRUE(has(story.refusal(serve("d2", 1, "a", "b", Serving::aa)), "'aa'"));
  EXPECT_TRUE(has(story.refusal(OutcomeRecord{"d1", {Answered::win, "c"}, {}, {}, {}, ""}),
                  "neither 'a' nor 'b'"));
  EXPECT_TRUE(
      has(story.refusal(OutcomeRecord{"d7", {Answered::tie, ""}, {}, {}, {}, ""}), "no duel 'd7'"));
  EXPECT_TRUE(has(story.refusal(ArmAddedRecord{{"d", "", ""}}), "fixed set"));
  EXPECT_TRUE(has(story.refusal(ArmAddedRecord{{"a", "", ""}}), "already"));
  EXPECT_TRUE(has(story.refusal(ArmRetiredRecord{"a"}), "fixed set"));
  EXPECT_TRUE(
      has(story.refusal(CertifiedRecord{CertificateKind::winner, "a", 2}), "certify nothing"));
  EXPECT_TRUE(has(story.refusal(CompletedRecord{"tired"}), "'tired'"));
  EXPECT_TRUE(has(story.refusal(ComparisonRecord{.first = "a", .second = "a"}), "itself"));
  EXPECT_TRUE(has(story.refusal(experiment_of({"a", "b"})), "second record"));
  ASSERT_TRUE(story.add(ExpiredRecord{"d1"}).ok());
  EXPECT_TRUE(has(story.refusal(ExpiredRecord{"d1"}), "expired"));
  ASSERT_TRUE(story.add(CompletedRecord{"stopped"}).ok());
  EXPECT_TRUE(has(story.refusal(serve("d2", 1, "a", "b")), "completed"));
}

// Whatever came and went in a draft, the fixed set is the one of its start: what is certified, and
// at which answer, is that of an experiment that was created with it.
TEST(Ledger, a_fixed_set_is_put_together_until_the_start) {
  for (const Goal& goal : {Goal(Goal::condorcet), Goal(Goal::copeland), Goal(Goal::set, 1)}) {
    ExperimentRecord draft = experiment_of({"x", "a", "b"});
    draft.goal = goal;
    draft.service.starts = ExperimentState::draft;
    Story story(draft);
    ASSERT_TRUE(story.add(ArmAddedRecord{{"c", "", ""}}).ok());
    ASSERT_TRUE(story.add(ArmRetiredRecord{"x"}).ok());
    ASSERT_TRUE(story.add(ArmAddedRecord{{"y", "", ""}}).ok());
    ASSERT_TRUE(story.add(ArmRetiredRecord{"y"}).ok());
    EXPECT_EQ(story->configured_at(), 5U);
    EXPECT_EQ(story->num_active(), 3U);
    EXPECT_EQ(story->find_arm("a"), Arm{0});
    EXPECT_FALSE(story->find_arm("x"));
    ASSERT_EQ(story->withdrawn().size(), 2U);
    EXPECT_TRUE(has(story.refusal(ArmAddedRecord{{"x", "", ""}}), "already"));
    EXPECT_TRUE(has(story.refusal(ArmRetiredRecord{"x"}), "no arm 'x'"));
    ASSERT_TRUE(story.add(StateRecord{ExperimentState::running}).ok());
    EXPECT_TRUE(has(story.refusal(ArmAddedRecord{{"d", "", ""}}), "fixed set"));
    EXPECT_TRUE(has(story.refusal(ArmRetiredRecord{"a"}), "fixed set"));

    ExperimentRecord whole = experiment_of({"a", "b", "c"});
    whole.goal = goal;
    Story other(whole);
    for (int k = 0; k < 100 && !other->certificate(); ++k) {
      ASSERT_FALSE(story->certificate());
      for (Story* one : {&story, &other}) {
        one->won("a", "b");
        one->won("b", "c");
        one->won("a", "c");
      }
    }
    ASSERT_TRUE(other->certificate());
    ASSERT_TRUE(story->certificate());
    EXPECT_EQ(story->certificate()->winner, other->certificate()->winner);
    EXPECT_EQ(story->certificate()->arms, other->certificate()->arms);
    EXPECT_EQ(story->certifier().log_threshold(0), other->certifier().log_threshold(0));
    EXPECT_EQ(story->experiment().arms.size(), 3U);
  }
}

TEST(Ledger, a_draft_keeps_the_arms_that_its_goal_and_its_comparisons_need) {
  ExperimentRecord draft = experiment_of({"a", "b", "c"});
  draft.goal = Goal(Goal::set, 2);
  draft.service.starts = ExperimentState::draft;
  Story of_two(draft);
  EXPECT_FALSE(of_two.refusal(ArmRetiredRecord{"a"}).empty());  // two of two are no set
  draft.goal = Goal(Goal::condorcet);
  Story story(draft);
  ASSERT_TRUE(story.add(ArmRetiredRecord{"a"}).ok());
  EXPECT_TRUE(has(story.refusal(ArmRetiredRecord{"b"}), "'b' of a fixed set is retired"));
  ASSERT_TRUE(
      story.add(ComparisonRecord{.first = "b", .second = "c", .answer = {Answered::win, "b"}})
          .ok());
  EXPECT_TRUE(has(story.refusal(ArmAddedRecord{{"d", "", ""}}), "'d' is added to a fixed set"));
}

// The certificate comes with the very record at which E reaches the threshold, and stays.
TEST(Ledger, gives_the_certificate_at_the_record_that_earns_it) {
  Story story(experiment_of({"a", "b"}));
  // Two arms of a fixed set: 2/alpha = 40 = e^3.69.
  const PairEvidence evidence;
  std::uint64_t needed = 1;
  while (evidence.log_evidence(needed, 0) < std::log(40.0)) ++needed;
  for (std::uint64_t k = 1; k <= needed; ++k) {
    EXPECT_FALSE(story->certificate());
    story.won("a", "b");
  }
  ASSERT_TRUE(story->certificate());
  EXPECT_EQ(story->certificate()->kind, CertificateKind::winner);
  EXPECT_EQ(story->certificate()->winner, Arm{0});
  EXPECT_EQ(story->certificate()->sequence, story->sequence());
  EXPECT_EQ(story->certificate()->head, story->head());
  const std::uint64_t at = story->sequence();
  for (int k = 0; k < 200; ++k) story.won("b", "a");
  EXPECT_EQ(story->certificate()->winner, Arm{0});
  EXPECT_TRUE(has(story.refusal(CertifiedRecord{CertificateKind::winner, "b", at}), "'a' at"));
  EXPECT_TRUE(has(story.refusal(CertifiedRecord{CertificateKind::winner, "a", at + 1}), "'a' at"));
  EXPECT_TRUE(story.add(CertifiedRecord{CertificateKind::winner, "a", at}).ok());
}

TEST(Ledger, certifies_a_cycle_and_scores) {
  Story cycle(experiment_of({"a", "b", "c"}));
  for (int k = 0; k < 40 && !cycle->certificate(); ++k) {
    cycle.won("a", "b");
    cycle.won("b", "c");
    cycle.won("c", "a");
  }
  ASSERT_TRUE(cycle->certificate());
  EXPECT_EQ(cycle->certificate()->kind, CertificateKind::no_winner);
  EXPECT_FALSE(cycle->certificate()->winner);

  for (const Goal goal : {Goal::copeland, Goal::borda}) {
    ExperimentRecord experiment = experiment_of({"a", "b", "c"});
    experiment.goal = goal;
    Story story(experiment);
    for (int k = 0; k < 200 && !story->certificate(); ++k) {
      story.won("b", "a");
      story.won("b", "c");
      story.won("a", "c");
    }
    ASSERT_TRUE(story->certificate());
    EXPECT_EQ(to_word(story->certificate()->kind), to_word(goal));
    EXPECT_EQ(story->certificate()->winner, Arm{1});
  }
}

TEST(Ledger, comparisons_from_elsewhere_are_evidence_only_where_the_experiment_says_so) {
  for (const bool count : {false, true}) {
    ExperimentRecord experiment = experiment_of({"a", "b"});
    experiment.comparisons_count = count;
    Story story(experiment);
    for (int k = 0; k < 30; ++k) {
      ASSERT_TRUE(story
                      .add(ComparisonRecord{.first = "b",
                                            .second = "a",
                                            .answer = {Answered::win, "b"},
                                            .source = {"x", "y"}})
                      .ok());
    }
    EXPECT_EQ(story->compared(1, 0).first_wins, 30U);
    EXPECT_EQ(story->certificate().has_value(), count);
    EXPECT_EQ(story->certifier().decisive(), count ? 30U : 0U);
    EXPECT_EQ(story->total().served, count ? 30U : 0U);
    EXPECT_EQ(story->answers_by_source().at("x:y"), 30U);
  }
}

TEST(Ledger, an_arm_shown_twice_is_answered_by_place) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.aa_rate = 0.1;
  Story story(experiment);
  story.answer(story.serve("a", "a"), {Answered::win, "a", 2});
  EXPECT_EQ(story->aa().second_wins, 1U);
  EXPECT_EQ(story->certifier().decisive(), 0U);
  const std::string id = story.serve("b", "b");
  EXPECT_TRUE(has(story.refusal(OutcomeRecord{id, {Answered::win, "b"}, {}, {}, {}, ""}), "place"));
  const std::string other = story.serve("a", "b");
  EXPECT_TRUE(
      has(story.refusal(OutcomeRecord{other, {Answered::win, "b", 1}, {}, {}, {}, ""}), "place"));
}

TEST(Record, ids_follow_the_rule) {
  for (const std::string& id : {std::string("a"), std::string("Z9._:-"), std::string(100, 'x')}) {
    EXPECT_TRUE(check_id("an arm", id).ok()) << id;
  }
  for (const std::string& id : {std::string(), std::string("-a"), std::string("a b"),
                                std::string(101, 'x'), std::string("é"), std::string("a/b")}) {
    EXPECT_FALSE(check_id("an arm", id).ok()) << id;
  }
}

ExperimentRecord order_experiment(const Goal& goal) {
  ExperimentRecord experiment = experiment_of({"a", "b", "c", "d"}, "uniform");
  experiment.goal = goal;
  return experiment;
}

TEST(Ledger, certifies_a_set_and_holds_the_record_to_it) {
  Story story(order_experiment(Goal(Goal::set, 2)));
  for (int k = 0; k < 20; ++k) {
    for (const char* member : {"b", "d"}) {
      for (const char* outsider : {"a", "c"}) {
        if (!story->certificate()) story.won(member, outsider);
      }
    }
  }
  ASSERT_TRUE(story->certificate());
  EXPECT_EQ(story->certificate()->kind, CertificateKind::set);
  EXPECT_FALSE(story->certificate()->winner);
  CertifiedRecord record = story->certified_record();
  EXPECT_EQ(record.arms, (std::vector<NamedArm>{{"b"}, {"d"}}));
  CertifiedRecord other = record;
  other.arms[1].arm_id = "c";
  EXPECT_TRUE(has(story.refusal(other), "says 'set' 'b, c'"));
  other.arms.pop_back();
  EXPECT_TRUE(has(story.refusal(other), "certify 'set' 'b, d'"));
  EXPECT_TRUE(story.add(record).ok());
}

TEST(Ledger, refuses_goals_that_do_not_fit_its_arms_or_its_rule) {
  const auto refusal = [](const Goal& goal, bool arms_fixed = true) {
    ExperimentRecord experiment = order_experiment(goal);
    experiment.stopping.arms_fixed = arms_fixed;
    const auto made = Ledger::make(experiment);
    return made.ok() ? std::string() : made.error().to_string();
  };
  EXPECT_EQ(refusal(Goal(Goal::order, 3)), "");
  EXPECT_TRUE(has(refusal(Goal(Goal::order, 4)), "top: the top 4 of 4 arms leaves none out"));
  EXPECT_TRUE(has(refusal(Goal::set), "top: is missing"));
  EXPECT_TRUE(has(refusal(Goal(Goal::set, 2), false), "the goal set needs a fixed set of arms"));
  EXPECT_TRUE(has(refusal(Goal::ranking, false), "the goal ranking needs a fixed set of arms"));
  EXPECT_TRUE(has(refusal(Goal(Goal::condorcet, 0, 0, Assumption::order), false), "fixed set"));
  // Arms may come and go where one is good enough.
  EXPECT_EQ(refusal(Goal(Goal::epsilon, 0, 0.05), false), "");
  EXPECT_TRUE(has(refusal(Goal(Goal::copeland, 0, 0, Assumption::order)), "assume: "));
}

TEST(Ledger, one_look_is_for_comparisons_that_count) {
  for (const std::uint64_t after : {0, 1, 2}) {
    for (const bool count : {false, true}) {
      ExperimentRecord experiment = experiment_of({"a", "b"});
      experiment.one_look_after = after;
      experiment.comparisons_count = count;
      EXPECT_EQ(Ledger::make(experiment).ok(), after == 0 || count) << after << " " << count;
    }
  }
}

// A task is evidence about a pair once. With five tasks no pair can reach 80 = K/alpha.
TEST(Ledger, knows_when_no_fresh_task_can_bring_a_set_or_an_order) {
  for (const Goal& goal : {Goal(Goal::set, 2), Goal(Goal::order, 2), Goal(Goal::ranking)}) {
    ExperimentRecord experiment = order_experiment(goal);
    experiment.tasks = {.count = 5, .sha256 = std::string(64, '0')};
    experiment.stopping.shared_causes = true;
    Story story(experiment);
    EXPECT_FALSE(needs_more_tasks(*story));
    const auto play = [&](const std::string& first, const std::string& second) {
      for (int task = 0; task < 5; ++task) {
        const std::string id = "d" + std::to_string(story->served() + 1);
        ASSERT_TRUE(story
                        .add(ServeRecord{id, story->served(), 1, first, second, Serving::explore,
                                         std::to_string(task)})
                        .ok());
        story.answer(id, {Answered::win, first});
      }
    };
    play("a", "b");
    EXPECT_TRUE(needs_more_tasks(*story, 0, 1));
    EXPECT_FALSE(needs_more_tasks(*story, 0, 2));
    // c and d may still be the first two, but nobody will know the order of a and b.
    EXPECT_EQ(needs_more_tasks(*story), goal.kind == Goal::ranking) << describe(goal);
    play("a", "c");
    // a can neither be shown to beat two others nor to lose to two.
    EXPECT_TRUE(needs_more_tasks(*story)) << describe(goal);
  }
}

}  // namespace
}  // namespace duel
