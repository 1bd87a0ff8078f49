#include "duel/verdict/if_wrong.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "duel/core/digest.h"
#include "duel/core/logarithm.h"
#include "duel/experiment/audit_coin.h"
#include "duel/experiment/local_experiment.h"
#include "duel/inference/overturn.h"
#include "duel/store/memory_store.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/view.h"
#include "tests/experiment/played_log.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

// Answers of one pair, W for `a` and L for `b`; T a tie, I an invalid answer, X none; by the voters
// given, or one.
PlayedLog log_of(std::string_view answers, std::string_view voters = "", Goal goal = {},
                 std::uint64_t least = 0) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.goal = goal;
  experiment.stopping.min_decisive_per_pair = least;
  PlayedLog log(experiment);
  for (std::size_t k = 0; k < answers.size(); ++k) {
    ServeRecord serve = *log.next();
    if (!voters.empty()) serve.subject = std::string(1, voters[k]);
    log.add(serve);
    const char answer = answers[k];
    if (answer == 'X') {
      log.add(ExpiredRecord{serve.duel_id});
      continue;
    }
    OutcomeRecord outcome{.duel_id = serve.duel_id};
    outcome.source = {"human", "one"};
    outcome.answer = answer == 'W'   ? Answer{Answered::win, "a"}
                     : answer == 'L' ? Answer{Answered::win, "b"}
                     : answer == 'T' ? Answer{Answered::tie, ""}
                                     : Answer{Answered::invalid, ""};
    log.add(outcome);
  }
  return log;
}

IfWrong now_of(const PlayedLog& log) {
  const auto found = if_wrong_now(log.live().ledger(), [&](const RecordSink& sink) -> Status {
    const auto read = read_log_text(log.text(), "log", sink);
    return read.ok() ? Status(Done{}) : Status(read.error());
  });
  EXPECT_TRUE(found.ok()) << found.error().to_string();
  return *found;
}

// Two arms at 0.05: the threshold is 40, which 20 wins of 23 pass.
constexpr std::string_view kTrace = "WWWLWWWWLWWWWWWWWLWWWW";

TEST(IfWrong, counts_from_the_answers_that_are_evidence) {
  const IfWrong found = now_of(log_of(kTrace));
  ASSERT_TRUE(found.reversed_by && found.overturned_by);
  EXPECT_EQ(found.reversed_by->flipped, 8U);
  EXPECT_EQ(found.reversed_by->missing, 16U);
  EXPECT_EQ(found.reversed_by->of, 22U);
  EXPECT_EQ(found.reversed_by->winner, "a");
  EXPECT_EQ(found.reversed_by->loser, "b");
  // Of 172, 101, 60.2, 36.4 the fourth is below 40; of 172, 29.8 the second.
  EXPECT_EQ(found.overturned_by->missing, 3U);
  EXPECT_EQ(found.overturned_by->flipped, 1U);
  ASSERT_EQ(found.level_if_wrong.size(), 2U);
  EXPECT_EQ(found.level_if_wrong[0].answers, 1U);
  EXPECT_EQ(found.level_if_wrong[1].answers, 2U);
  EXPECT_NEAR(found.level_if_wrong[0].level, 2 / 29.831877, 1e-8);
  EXPECT_NEAR(found.level_if_wrong[1].level, 2 / 8.49373993, 1e-8);
  EXPECT_TRUE(found.without_voter.empty());  // there is one voter
  EXPECT_EQ(found.text,
            "As few as 8 wrong answers of 22 would take the lead of 'a' over 'b'. With 1 % of the "
            "answers wrong in the worst way it would hold at level 0.068 instead of 0.05. With 5 % "
            "of the answers wrong in the worst way it would hold at level 0.236 instead of 0.05.");
}

TEST(IfWrong, says_nothing_before_there_is_a_certificate) {
  const IfWrong found = now_of(log_of("WWWL"));
  EXPECT_EQ(found.text, "");
  EXPECT_FALSE(found.reversed_by);
  EXPECT_TRUE(found.level_if_wrong.empty());
}

TEST(IfWrong, counts_ties_among_the_answers_and_what_is_missing_not) {
  std::string answers(kTrace);
  answers += "TTXI";
  const IfWrong found = now_of(log_of(answers));
  EXPECT_EQ(found.reversed_by->of, 24U);
  EXPECT_EQ(found.reversed_by->flipped, 8U);
}

TEST(IfWrong, stands_on_one_answer_where_the_run_stopped_at_once) {
  // Up to the answer that gives the certificate, and with a minimum that holds it back.
  std::string answers;
  for (const char answer : kTrace) {
    answers += answer;
    if (log_of(answers).live().certificate()) break;
  }
  ASSERT_LT(answers.size(), kTrace.size());
  const IfWrong at_once = now_of(log_of(answers));
  EXPECT_EQ(at_once.overturned_by->flipped, 1U);
  EXPECT_EQ(at_once.overturned_by->missing, 1U);
  const IfWrong later = now_of(log_of(kTrace, "", {}, 22));
  EXPECT_EQ(later.overturned_by->missing, 3U);
}

TEST(IfWrong, the_certificate_says_what_was_true_when_it_was_given) {
  const TemporaryDirectory directory;
  const PlayedLog log = log_of(kTrace);
  write_content(directory / "log", log.text());
  const auto checked = check_log(directory / "log");
  ASSERT_TRUE(checked.ok()) << checked.error().to_string();
  const std::uint64_t at = log.live().certificate()->sequence;
  EXPECT_LT(at, log.entries().size());
  EXPECT_EQ(checked->certificate->if_wrong.overturned_by->missing, 1U);
  EXPECT_EQ(checked->if_wrong.overturned_by->missing, 3U);
  EXPECT_EQ(checked->if_wrong.text, now_of(log).text);
  // The file says all of it in format 2, and nothing in format 1.
  const std::string text = certificate_text(*checked->certificate);
  EXPECT_NE(text.find("\"format\": 2"), std::string::npos);
  EXPECT_NE(text.find("\"reversed_by\""), std::string::npos);
  const std::string older = certificate_text(*checked->certificate, 1);
  EXPECT_NE(older.find("\"format\": 1"), std::string::npos);
  EXPECT_EQ(older.find("wrong"), std::string::npos);
  EXPECT_EQ(format_of(text), 2U);
  EXPECT_EQ(format_of(older), 1U);
  EXPECT_EQ(format_of("no certificate"), 2U);
  // What a server completes is the same.
  Certificate without = *checked->certificate;
  without.if_wrong = {};
  EXPECT_EQ(completed_text(certificate_text(without), checked->certificate->if_wrong), text);
}

TEST(IfWrong, leaves_each_voter_out_in_turn) {
  // `m` makes the lead: the others are even.
  const std::string answers = "WLWLWLWL" + std::string(30, 'W');
  const std::string voters = "aabbccdd" + std::string(30, 'm');
  const IfWrong found = now_of(log_of(answers, voters));
  ASSERT_EQ(found.without_voter.size(), 5U);
  const WithoutVoter& most = found.without_voter[0];
  EXPECT_EQ(most.voter, "m");
  EXPECT_EQ(most.answers, 30U);
  EXPECT_TRUE(most.undoes_lead);
  EXPECT_TRUE(most.undoes_certificate);
  // Then those with equal counts, by who was asked first.
  EXPECT_EQ(found.without_voter[1].voter, "a");
  EXPECT_EQ(found.without_voter[4].voter, "d");
  EXPECT_FALSE(found.without_voter[1].undoes_lead);
  EXPECT_FALSE(found.without_voter[1].undoes_certificate);
  EXPECT_NE(found.text.find("Without the 30 answers of 'm' alone a lead is gone."),
            std::string::npos)
      << found.text;
}

TEST(IfWrong, names_ten_voters_at_most) {
  std::string answers(60, 'W'), voters;
  for (int k = 0; k < 60; ++k) voters += static_cast<char>('a' + k % 15);
  EXPECT_EQ(now_of(log_of(answers, voters)).without_voter.size(), 10U);
}

TEST(IfWrong, speaks_of_no_lead_where_the_arm_may_be_behind) {
  const IfWrong found = now_of(log_of(kTrace, "", Goal(Goal::epsilon, 0, 0.05)));
  EXPECT_FALSE(found.reversed_by);
  EXPECT_TRUE(found.overturned_by);
  EXPECT_EQ(found.level_if_wrong.size(), 2U);
}

TEST(IfWrong, takes_the_worst_of_the_pairs_and_is_silent_about_scores) {
  for (const Goal& goal : {Goal(Goal::condorcet), Goal(Goal::order, 2), Goal(Goal::ranking),
                           Goal(Goal::set, 2), Goal(Goal::copeland), Goal(Goal::borda)}) {
    ExperimentRecord experiment = experiment_of({"best", "good", "bad"});
    experiment.goal = goal;
    PlayedLog log(experiment);
    while (!log.live().done()) play(log, {.gap = 0.3, .in_flight = 3, .troubles = true}, 10);
    const IfWrong found = now_of(log);
    if (goal.is_score()) {
      EXPECT_FALSE(found.reversed_by || found.overturned_by);
      EXPECT_EQ(found.text, "");
      continue;
    }
    const Ledger& ledger = log.live().ledger();
    ASSERT_TRUE(found.reversed_by && found.overturned_by) << describe(goal);
    std::uint64_t fewest = ~std::uint64_t{0};
    for (const PairFinding& pair : needed_findings(ledger)) {
      const std::uint64_t wins = ledger.certifier().wins(pair.winner, pair.loser);
      const std::uint64_t losses = ledger.certifier().wins(pair.loser, pair.winner);
      fewest = std::min(fewest, wins > losses ? wins - losses : 0);
    }
    EXPECT_EQ(found.reversed_by->missing, fewest) << describe(goal);
    EXPECT_EQ(found.reversed_by->flipped, (fewest + 1) / 2) << describe(goal);
  }
}

// People audit a judge that says `a` and `b` in turn, and so bears nothing; all but every fifth of
// them prefer `a`.
TEST(IfWrong, asks_of_people_alone_where_they_audit_a_judge) {
  const std::string key = audit_key_of_seed(7, "e");
  ExperimentRecord record = experiment_of({"a", "b"});
  record.audit = {.share = 0.5, .key_sha256 = sha256_hex(key), .from_seed = true};
  LocalExperiment experiment = LocalExperiment::in_memory(record, {}, {}, key).value();
  std::uint64_t people = 0;
  const auto says = [&](const std::string& duel, const char* type, const char* winner) {
    Report report;
    report.duel_id = duel;
    report.answer = Answer{Answered::win, winner};
    report.source = {type, type};
    ASSERT_TRUE(experiment.report(report).ok());
  };
  while (!experiment.ledger().certificate() && experiment.ledger().served() < 2000) {
    const std::string duel = std::get<Served>(experiment.serve({}).value()).serve.duel_id;
    says(duel, "judge", experiment.ledger().served() % 2 == 0 ? "a" : "b");
    if (experiment.ledger().find_open(duel) == nullptr) continue;
    says(duel, "human", ++people % 5 == 0 ? "b" : "a");
  }
  ASSERT_TRUE(experiment.ledger().certificate());
  const auto found = if_wrong_now(experiment.ledger(),
                                  [&](const RecordSink& sink) { return experiment.replay(sink); });
  ASSERT_TRUE(found.ok()) << found.error().to_string();
  ASSERT_TRUE(found->reversed_by);
  EXPECT_EQ(found->reversed_by->of, people) << "the judge's answers may be what they will";
  EXPECT_GT(found->reversed_by->flipped, 0U);
  ASSERT_EQ(found->level_if_wrong.size(), 2U);
  EXPECT_EQ(found->level_if_wrong[0].answers, percent_of(people, 1));
  EXPECT_EQ(found->level_if_wrong[1].answers, percent_of(people, 5));
  // Without any of them the evidence was not enough, or it would have stopped before.
  EXPECT_GT(found->level_if_wrong[0].level, 0.05);
  EXPECT_FALSE(found->overturned_by);
  EXPECT_NE(found->text.find("Without the 1 % of people's answers that matter most it would"),
            std::string::npos)
      << found->text;
}

}  // namespace
}  // namespace duel
