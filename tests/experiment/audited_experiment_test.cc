// People who audit a program, and answers that say how much, from the serve to the certificate.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/digest.h"
#include "duel/experiment/audit_coin.h"
#include "duel/experiment/local_experiment.h"
#include "duel/store/memory_store.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

const std::string kKey = audit_key_of_seed(7, "audited");

ExperimentRecord audited_record(double share = 0.25, std::vector<std::string> arms = {"a", "b"}) {
  ExperimentRecord record = experiment_of(std::move(arms));
  record.audit = {.share = share, .key_sha256 = sha256_hex(kKey), .from_seed = true};
  return record;
}

LocalExperiment opened(const ExperimentRecord& record) {
  return LocalExperiment::in_memory(record, {}, {}, kKey).value();
}

Report said_by(const std::string& type, const std::string& duel_id, Answer answer) {
  Report report;
  report.duel_id = duel_id;
  report.answer = std::move(answer);
  report.source = {type, type};
  return report;
}

const LedgerDuel* open_duel(const LocalExperiment& experiment, const std::string& duel_id) {
  return experiment.ledger().find_open(duel_id);
}

// Answers duels until there is a certificate: people prefer a with the probability `people`, the
// program says what `program` makes of that.
template <class Program>
std::uint64_t play(LocalExperiment& experiment, double people, const Program& program,
                   std::uint64_t most = 4000) {
  RoundRng rng = Stream(5, 0, Purpose::test, "audited").at(1);
  std::uint64_t asked = 0;
  while (!experiment.ledger().certificate() && experiment.ledger().served() < most) {
    const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
    const bool for_first = rng.bernoulli(people) == (serve.first < serve.second);
    const std::string& person = for_first ? serve.first : serve.second;
    const std::string& other = for_first ? serve.second : serve.first;
    const std::string said = program(person, other);
    EXPECT_EQ(
        experiment.report(said_by("judge", serve.duel_id, {Answered::win, said})).value().what,
        Reported::What::applied);
    const LedgerDuel* const open = open_duel(experiment, serve.duel_id);
    if (open == nullptr) continue;
    EXPECT_TRUE(open->audit.waits());
    EXPECT_TRUE(experiment.offer(serve.duel_id, "").value().has_value());
    ++asked;
    EXPECT_EQ(
        experiment.report(said_by("human", serve.duel_id, {Answered::win, person})).value().what,
        Reported::What::applied);
  }
  return asked;
}

TEST(AuditedExperiment, certifies_what_people_prefer_with_fewer_of_their_answers) {
  LocalExperiment experiment = opened(audited_record());
  const std::uint64_t asked =
      play(experiment, 0.75, [](const std::string& person, const std::string&) { return person; });
  const Ledger& ledger = experiment.ledger();
  ASSERT_TRUE(ledger.certificate());
  EXPECT_EQ(ledger.id_of(*ledger.certificate()->winner), "a");
  EXPECT_EQ(ledger.total().decisive(), asked);
  EXPECT_EQ(ledger.total().program_alone, ledger.served() - asked);
  EXPECT_EQ(ledger.referee().audited(0, 1)->agreed(), asked);
  // About as many answers of people as the share says.
  EXPECT_NEAR(static_cast<double>(asked) / static_cast<double>(ledger.served()), 0.25, 0.15);
}

TEST(AuditedExperiment, certifies_what_people_prefer_against_a_reversed_program) {
  LocalExperiment experiment = opened(audited_record(0.25, {"a", "b", "c"}));
  const std::uint64_t asked =
      play(experiment, 0.85, [](const std::string&, const std::string& other) { return other; });
  const Ledger& ledger = experiment.ledger();
  ASSERT_TRUE(ledger.certificate()) << asked;
  EXPECT_EQ(ledger.id_of(*ledger.certificate()->winner), "a");
  // The program alone would have named another arm long ago.
  const auto alone = ledger.statement().program_alone()->decision();
  ASSERT_TRUE(alone && alone->winner);
  EXPECT_EQ(ledger.id_of(*alone->winner), "c");
}

TEST(AuditedExperiment, with_a_share_of_one_has_the_evidence_of_people_alone) {
  ExperimentRecord plain = experiment_of({"a", "b"});
  LocalExperiment audited = opened(audited_record(1)), alone = opened(plain);
  RoundRng rng = Stream(9, 0, Purpose::test, "share of one").at(1);
  for (int k = 0; k < 200; ++k) {
    const ServeRecord serve = std::get<Served>(audited.serve({}).value()).serve;
    ServeRecord other = std::get<Served>(alone.serve({}).value()).serve;
    const std::string winner = rng.bernoulli(0.55) ? "a" : "b";
    ASSERT_TRUE(audited.report(said_by("judge", serve.duel_id, {Answered::win, "b"})).ok());
    ASSERT_TRUE(audited.report(said_by("human", serve.duel_id, {Answered::win, winner})).ok());
    ASSERT_TRUE(alone.report(said_by("human", other.duel_id, {Answered::win, winner})).ok());
    ASSERT_EQ(audited.ledger().certifier().log_evidence(0, 1),
              alone.ledger().certifier().log_evidence(0, 1));
    ASSERT_EQ(audited.ledger().certifier().log_evidence(1, 0),
              alone.ledger().certifier().log_evidence(1, 0));
  }
}

TEST(AuditedExperiment, draws_a_duel_that_the_program_did_not_answer_all_the_same) {
  LocalExperiment experiment = opened(audited_record(1));
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  ASSERT_TRUE(experiment.settle({LocalExperiment::Lost{serve.duel_id, "no answer", 3}}).ok());
  const LedgerDuel* const open = open_duel(experiment, serve.duel_id);
  ASSERT_NE(open, nullptr);
  EXPECT_TRUE(open->audit.waits());
  EXPECT_EQ(open->audit.program, 0);
  // It is no fault of a person that a run ended.
  EXPECT_EQ(experiment.give_up_open_duels().value(), 0U);
  EXPECT_NE(open_duel(experiment, serve.duel_id), nullptr);
}

TEST(AuditedExperiment, holds_what_comes_after_a_drawn_duel_back_until_a_person_answers) {
  LocalExperiment experiment = opened(audited_record(1));
  const ServeRecord one = std::get<Served>(experiment.serve({}).value()).serve;
  const ServeRecord two = std::get<Served>(experiment.serve({}).value()).serve;
  for (const ServeRecord& serve : {one, two}) {
    ASSERT_TRUE(experiment.report(said_by("judge", serve.duel_id, {Answered::win, "a"})).ok());
  }
  ASSERT_TRUE(experiment.report(said_by("human", two.duel_id, {Answered::win, "a"})).ok());
  EXPECT_EQ(experiment.ledger().certifier().decisive(), 0U);
  // Who says nothing sensible is followed by somebody else.
  ASSERT_TRUE(experiment.report(said_by("human", one.duel_id, {Answered::invalid, ""})).ok());
  EXPECT_EQ(experiment.ledger().certifier().decisive(), 0U);
  ASSERT_TRUE(experiment.report(said_by("human", one.duel_id, {Answered::tie, ""})).ok());
  EXPECT_EQ(experiment.ledger().certifier().decisive(), 1U);
}

TEST(AuditedExperiment, takes_no_answer_of_a_person_where_none_is_asked_for) {
  LocalExperiment experiment = opened(audited_record(1e-9));
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  EXPECT_FALSE(experiment.report(said_by("human", serve.duel_id, {Answered::win, "a"})).ok());
  ASSERT_TRUE(experiment.report(said_by("judge", serve.duel_id, {Answered::win, "a"})).ok());
  EXPECT_EQ(open_duel(experiment, serve.duel_id), nullptr);  // not drawn
  EXPECT_EQ(experiment.report(said_by("human", serve.duel_id, {Answered::win, "b"})).value().what,
            Reported::What::late);
  EXPECT_EQ(experiment.ledger().total().program_alone, 1U);
}

TEST(AuditedExperiment, tells_repeats_apart_by_who_answers) {
  LocalExperiment experiment = opened(audited_record(1));
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  const auto report = [&](const char* type, const char* winner) {
    return experiment.report(said_by(type, serve.duel_id, {Answered::win, winner})).value().what;
  };
  EXPECT_EQ(report("judge", "a"), Reported::What::applied);
  EXPECT_EQ(report("judge", "a"), Reported::What::duplicate);
  EXPECT_EQ(report("judge", "b"), Reported::What::conflicting);
  EXPECT_EQ(report("human", "b"), Reported::What::applied);
  EXPECT_EQ(report("human", "b"), Reported::What::duplicate);
  EXPECT_EQ(report("human", "a"), Reported::What::conflicting);
}

TEST(AuditedExperiment, gives_an_audit_up_by_the_count_of_offers_only) {
  ExperimentRecord record = audited_record(1);
  record.audit.give_up_after = 2;
  LocalExperiment experiment = opened(record);
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  ASSERT_TRUE(experiment.report(said_by("judge", serve.duel_id, {Answered::win, "a"})).ok());
  ASSERT_TRUE(experiment.offer(serve.duel_id, "").ok());
  EXPECT_FALSE(experiment.give_up_audit(serve.duel_id).ok());
  ASSERT_TRUE(experiment.offer(serve.duel_id, "").ok());
  ASSERT_TRUE(experiment.give_up_audit(serve.duel_id).ok());
  EXPECT_EQ(open_duel(experiment, serve.duel_id), nullptr);
  EXPECT_EQ(experiment.ledger().referee().audited(0, 1)->lost(), 1U);
  // The worst for either arm.
  EXPECT_EQ(experiment.ledger().certifier().log_evidence(0, 1), 0);
  EXPECT_EQ(experiment.ledger().certifier().log_evidence(1, 0), 0);
  EXPECT_EQ(experiment.report(said_by("human", serve.duel_id, {Answered::win, "a"})).value().what,
            Reported::What::late);
}

TEST(AuditedExperiment, is_the_fold_of_its_log_and_tells_its_key_at_the_end) {
  const auto store = std::make_shared<MemoryStore>();
  LocalExperiment lived =
      LocalExperiment::create({.store = store, .name = "e", .audit_key = kKey}, audited_record())
          .value();
  play(lived, 0.7, [](const std::string& person, const std::string&) { return person; }, 60);
  const std::uint64_t hash = lived.ledger().state_hash();
  LocalExperiment read =
      LocalExperiment::resume({.store = store, .name = "e", .audit_key = kKey}).value();
  EXPECT_EQ(read.ledger().state_hash(), hash);
  // With another key the log goes on, and says so.
  LocalExperiment other =
      LocalExperiment::resume({.store = store, .name = "e", .audit_key = new_audit_key()}).value();
  EXPECT_NE(other.ledger().audit_key_sha256(), sha256_hex(kKey));
  ASSERT_TRUE(other.complete("the end").ok());
  std::string told;
  ASSERT_TRUE(other
                  .replay([&](const LogEntry& entry) -> Status {
                    if (const auto* end = std::get_if<CompletedRecord>(&entry.record)) {
                      told = end->audit_key;
                    }
                    return Done{};
                  })
                  .ok());
  EXPECT_EQ(sha256_hex(told), other.ledger().audit_key_sha256());
}

// After a loss of power the serves around it are no evidence, though they could have been drawn.
TEST(AuditedExperiment, goes_on_with_a_log_that_lost_its_evidence_to_a_loss_of_power) {
  Ledger ledger = Ledger::make(audited_record()).value();
  ServeRecord serve;
  serve.duel_id = "d1";
  serve.round = 1;
  serve.first = "a";
  serve.second = "b";
  serve.audit = 0.25;
  serve.evidence = false;
  EXPECT_FALSE(Ledger::make(audited_record()).value().apply({2, 0, serve, "h"}).ok());
  serve.around_loss = true;
  ASSERT_TRUE(ledger.apply({2, 0, serve, "h"}).ok());
  OutcomeRecord said{.duel_id = "d1"};
  said.answer = {Answered::win, "a"};
  said.source = {"judge", "judge"};
  ASSERT_TRUE(ledger.apply({3, 0, said, "h"}).ok());
  ASSERT_TRUE(ledger.apply({4, 0, AuditRecord{"d1", true}, "h"}).ok());
  said.source = {"human", "ann"};
  ASSERT_TRUE(ledger.apply({5, 0, said, "h"}).ok());
  EXPECT_EQ(ledger.find_open("d1"), nullptr);
  EXPECT_EQ(ledger.certifier().decisive(), 0U);
}

TEST(AuditedExperiment, refuses_what_cannot_be_audited) {
  for (const auto& spoil : std::vector<void (*)(ExperimentRecord&)>{
           [](ExperimentRecord& record) { record.audit.share = 1.5; },
           [](ExperimentRecord& record) { record.goal = Goal::copeland; },
           [](ExperimentRecord& record) { record.goal = Goal(Goal::epsilon, 0, 0.05); },
           [](ExperimentRecord& record) { record.comparisons_count = true; },
           [](ExperimentRecord& record) { record.about = Audience::these_people; }}) {
    ExperimentRecord record = audited_record();
    spoil(record);
    EXPECT_FALSE(Ledger::make(record).ok());
  }
}

// --- Answers that say how much -------------------------------------------------------------------

Answer graded(double score) { return {.result = Answered::graded, .winner = {}, .score = score}; }

TEST(GradedAnswersOfAnExperiment, are_the_first_arms_score_and_wins_and_ties_where_they_are_that) {
  LocalExperiment experiment = opened(experiment_of({"a", "b"}));
  std::uint64_t wins = 0, ties = 0, rest = 0;
  double sum = 0;
  for (const double score : {1.0, 0.0, 0.5, 0.8, 0.3}) {
    const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
    ASSERT_TRUE(experiment.report(said_by("judge", serve.duel_id, graded(score))).ok());
    wins += score == 1 || score == 0 ? 1 : 0;
    ties += score == 0.5 ? 1 : 0;
    if (score == 0.8 || score == 0.3) {
      ++rest;
      sum += serve.first == "a" ? score : 1 - score;
    }
  }
  const ShownCounts pair = experiment.ledger().pair(0, 1);
  EXPECT_EQ(pair.first_wins + pair.second_wins, wins);
  EXPECT_EQ(pair.ties, ties);
  EXPECT_EQ(pair.graded, rest);
  EXPECT_NEAR(pair.score_sum, sum, 1e-12);
  EXPECT_EQ(experiment.ledger().certifier().decisive(), 4U);
}

TEST(GradedAnswersOfAnExperiment, of_two_orders_are_their_mean) {
  ExperimentRecord record = experiment_of({"a", "b"});
  record.order = Placement::both;
  LocalExperiment experiment = opened(record);
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  Report report;
  report.duel_id = serve.duel_id;
  report.judgements = {{serve.first, graded(0.9)}, {serve.second, graded(0.4)}};
  ASSERT_TRUE(experiment.report(report).ok());
  const ShownCounts shown = experiment.ledger().shown(*experiment.ledger().find_arm(serve.first),
                                                      *experiment.ledger().find_arm(serve.second));
  EXPECT_EQ(shown.graded, 1U);
  EXPECT_NEAR(shown.score_sum, 0.75, 1e-12);
}

TEST(GradedAnswersOfAnExperiment, repeat_where_they_are_the_same) {
  LocalExperiment experiment = opened(experiment_of({"a", "b"}));
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  const auto report = [&](double score) {
    return experiment.report(said_by("judge", serve.duel_id, graded(score))).value().what;
  };
  EXPECT_EQ(report(0.7), Reported::What::applied);
  EXPECT_EQ(report(0.7), Reported::What::duplicate);
  EXPECT_EQ(report(0.6), Reported::What::conflicting);
}

TEST(GradedAnswersOfAnExperiment, are_refused_where_wins_are_needed) {
  ExperimentRecord record = experiment_of({"a", "b"});
  record.goal = Goal(Goal::epsilon, 0, 0.05);
  LocalExperiment experiment = opened(record);
  const ServeRecord serve = std::get<Served>(experiment.serve({}).value()).serve;
  EXPECT_FALSE(experiment.report(said_by("judge", serve.duel_id, graded(0.7))).ok());
  EXPECT_TRUE(experiment.report(said_by("judge", serve.duel_id, graded(1))).ok());
}

}  // namespace
}  // namespace duel
