// An experiment whose points come from a space: what it serves, what proves a point, and that its
// log says all of it again.
#include "duel/experiment/tuned_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "duel/core/exponential.h"
#include "duel/core/rng.h"
#include "duel/experiment/local_experiment.h"
#include "duel/store/memory_store.h"
#include "duel/verdict/space_standing.h"

namespace duel {
namespace {

Json dimension(double low, double high, double in_use) {
  return {{"low", low}, {"high", high}, {"default", in_use}};
}

ExperimentRecord record_of(Json dimensions) {
  ExperimentRecord record;
  record.experiment_id = "weights";
  record.space.dimensions = std::move(dimensions);
  record.policy = "kernel-ts";
  record.seed = 7;
  return record;
}

ExperimentRecord one_weight() { return record_of({{"weight", dimension(0, 1, 0.2)}}); }

// Whoever answers prefers what is closer to 0.7.
Outcome closer(const Served& served, RoundRng& rng) {
  const auto utility = [](const Json& point) {
    const double off = point.at("weight").get<double>() - 0.7;
    return -12 * off * off;
  };
  const double p = 1 / (1 + exponential(utility(served.second) - utility(served.first)));
  return rng.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins;
}

Outcome nobody_cares(const Served& /*served*/, RoundRng& rng) {
  return rng.coin() ? Outcome::first_wins : Outcome::second_wins;
}

using Judge = Outcome (*)(const Served&, RoundRng&);

// Asks so many duels, or until the certificate.
void play(LocalExperiment& experiment, std::uint64_t duels, Judge judge) {
  const Stream answers(1, 0, Purpose::outcome);
  while (experiment.ledger().served() < duels && !experiment.ledger().certificate()) {
    auto offer = experiment.serve({});
    ASSERT_TRUE(offer.ok()) << offer.error().to_string();
    const Served& served = std::get<Served>(*offer);
    RoundRng rng = answers.at(experiment.ledger().served());
    const bool first = judge(served, rng) == Outcome::first_wins;
    Report report;
    report.duel_id = served.serve.duel_id;
    report.answer = Answer{Answered::win, first ? served.serve.first : served.serve.second};
    ASSERT_TRUE(experiment.report(report).ok());
  }
}

std::vector<LogEntry> entries_of(const LocalExperiment& experiment) {
  std::vector<LogEntry> entries;
  EXPECT_TRUE(experiment
                  .replay([&](const LogEntry& entry) -> Status {
                    entries.push_back(entry);
                    return Done{};
                  })
                  .ok());
  return entries;
}

void expect_same_when_read(const LocalExperiment& experiment) {
  std::optional<LiveExperiment> again;
  for (const LogEntry& entry : entries_of(experiment)) {
    if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
      auto made = LiveExperiment::make(*first);
      ASSERT_TRUE(made.ok()) << made.error().to_string();
      again = std::move(*made);
      continue;
    }
    const auto applied = again->apply(entry);
    ASSERT_TRUE(applied.ok()) << applied.error().to_string();
    ASSERT_FALSE(again->divergence()) << again->divergence()->to_string();
  }
  EXPECT_EQ(again->state_hash(), experiment.experiment().live().state_hash());
}

TEST(TunedSpace, serves_points_in_the_shape_of_arms) {
  auto experiment = LocalExperiment::in_memory(one_weight());
  ASSERT_TRUE(experiment.ok()) << experiment.error().to_string();
  auto offer = experiment->serve({});
  ASSERT_TRUE(offer.ok()) << offer.error().to_string();
  const Served& served = std::get<Served>(*offer);
  EXPECT_NE(served.serve.first, served.serve.second);
  for (const auto& [id, payload] : {std::pair(served.serve.first, served.first),
                                    std::pair(served.serve.second, served.second)}) {
    EXPECT_TRUE(id == "default" || id.starts_with("p")) << id;
    const double weight = payload.at("weight").get<double>();
    EXPECT_GE(weight, 0);
    EXPECT_LE(weight, 1);
    if (id == "default") {
      EXPECT_EQ(weight, 0.2);
    }
  }
}

TEST(TunedSpace, certifies_a_point_that_is_better) {
  auto experiment = LocalExperiment::in_memory(one_weight());
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 1500, closer);
  const Ledger& ledger = experiment->ledger();
  ASSERT_TRUE(ledger.certificate());
  EXPECT_EQ(ledger.certificate()->kind, CertificateKind::point);
  EXPECT_TRUE(ledger.certificate_recorded());
  const double found = ledger.tuned()->certified().values[0];
  EXPECT_GT(found, 0.2);
  EXPECT_NEAR(found, 0.7, 0.4);
  ASSERT_EQ(ledger.tuned()->findings().size(), 1);
  const PairFinding& finding = ledger.tuned()->findings().front();
  EXPECT_GE(finding.log_evidence, finding.log_threshold);
  EXPECT_EQ(ledger.id_of(finding.loser), "default");
  EXPECT_NE(point_statement(ledger).find("beats the point in use, 'default' (weight 0.2)"),
            std::string::npos)
      << point_statement(ledger);
}

TEST(TunedSpace, counts_only_duels_of_the_candidate_with_the_point_in_use) {
  auto experiment = LocalExperiment::in_memory(one_weight());
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 200, nobody_cares);
  std::string candidate;
  std::uint64_t evidence = 0;
  for (const LogEntry& entry : entries_of(*experiment)) {
    if (const auto* taken = std::get_if<CandidateRecord>(&entry.record)) {
      candidate = taken->point_id;
    } else if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
      if (!serve->evidence) continue;
      ++evidence;
      EXPECT_EQ((std::set<std::string>{serve->first, serve->second}),
                (std::set<std::string>{"default", candidate}));
    }
  }
  EXPECT_GT(evidence, 10);
}

TEST(TunedSpace, has_one_id_for_one_point_and_one_point_for_one_id) {
  auto steps = dimension(0, 1, 0.2);
  steps["step"] = 0.1;
  auto experiment = LocalExperiment::in_memory(record_of({{"weight", steps}}));
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 120, nobody_cares);
  std::map<std::string, std::string> by_id, by_point;
  for (const LogEntry& entry : entries_of(*experiment)) {
    const auto* serve = std::get_if<ServeRecord>(&entry.record);
    if (serve == nullptr) continue;
    for (const auto& [id, point] : {std::pair(serve->first, serve->first_point.dump()),
                                    std::pair(serve->second, serve->second_point.dump())}) {
      EXPECT_EQ(by_id.emplace(id, point).first->second, point);
      EXPECT_EQ(by_point.emplace(point, id).first->second, id);
    }
  }
  EXPECT_LE(by_id.size(), 11);  // 0, 0.1, .. 1
}

// exp(log(10)) is not 10, and the point in use is known by its numbers.
TEST(TunedSpace, proves_against_the_point_in_use_on_a_log_scale) {
  Json boost = dimension(1, 100, 10);
  boost.add("scale", "log");
  auto experiment =
      LocalExperiment::in_memory(record_of({{"weight", dimension(0, 1, 0.2)}, {"boost", boost}}));
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 1500, closer);
  ASSERT_TRUE(experiment->ledger().certificate());
  expect_same_when_read(*experiment);
}

TEST(TunedSpace, reads_its_log_into_the_same_state) {
  auto experiment = LocalExperiment::in_memory(one_weight());
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 150, closer);
  expect_same_when_read(*experiment);
}

// A log that another learner wrote is gone on with: what it served is a fact.
TEST(TunedSpace, begins_anew_after_a_log_that_it_would_not_have_written) {
  auto experiment = LocalExperiment::in_memory(one_weight());
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 100, closer);
  std::optional<LiveExperiment> again;
  LogEntry last;
  for (LogEntry entry : entries_of(*experiment)) {
    last = entry;
    if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
      ExperimentRecord other = *first;
      other.policy = "random";
      auto made = LiveExperiment::make(other);
      ASSERT_TRUE(made.ok()) << made.error().to_string();
      again = std::move(*made);
      continue;
    }
    ASSERT_TRUE(again->apply(entry).ok());
  }
  ASSERT_TRUE(again->divergence());
  EXPECT_FALSE(again->due());
  ++last.sequence;
  last.record = PolicyRebuiltRecord{"another version"};
  ASSERT_TRUE(again->apply(last).ok());
  EXPECT_FALSE(again->divergence());
  while (auto due = again->due()) {
    ++last.sequence;
    last.record = *due;
    ASSERT_TRUE(again->apply(last).ok());
  }
  const auto serve = again->choose("", {});
  ASSERT_TRUE(serve);
  ++last.sequence;
  last.record = *serve;
  EXPECT_TRUE(again->apply(last).ok());
}

TEST(TunedSpace, refuses_what_it_cannot_mean) {
  const auto refused_field = [](const std::function<void(ExperimentRecord&)>& change) {
    ExperimentRecord record = one_weight();
    change(record);
    const auto made = LocalExperiment::in_memory(record);
    return made.ok() ? std::string("taken") : made.error().field;
  };
  EXPECT_EQ(refused_field([](auto& record) { record.arms = {{.id = "a"}, {.id = "b"}}; }), "arms");
  EXPECT_EQ(refused_field([](auto& record) { record.goal = Goal::copeland; }), "goal");
  EXPECT_EQ(refused_field([](auto& record) { record.aa_rate = 0.1; }), "aa_rate");
  EXPECT_EQ(refused_field([](auto& record) { record.policy = "rucb"; }), "policy");
  EXPECT_EQ(refused_field([](auto& record) { record.service.on_certified = OnCertified::exploit; }),
            "service.on_certified");
  EXPECT_EQ(refused_field([](auto& record) { record.service.guardrails.explore_floor = 0.1; }),
            "guardrails.explore_floor");
}

TEST(TunedSpace, refuses_a_log_that_lies_about_a_candidate) {
  const ExperimentRecord record = one_weight();
  auto ledger = Ledger::make(record);
  ASSERT_TRUE(ledger.ok());
  CandidateRecord candidate{
      .number = 1, .generation = 1, .point_id = "p1", .point = {{"weight", 0.5}}, .level = 0.025};
  EXPECT_TRUE(ledger->check(candidate).ok());
  CandidateRecord other = candidate;
  other.level = 0.05;  // all of alpha
  EXPECT_FALSE(ledger->check(other).ok());
  other = candidate;
  other.number = 2;
  EXPECT_FALSE(ledger->check(other).ok());
  other = candidate;
  other.point = {{"weight", 1.5}};
  EXPECT_FALSE(ledger->check(other).ok());
  other = candidate;
  other.point = {{"weight", 0.2}};  // the point in use
  EXPECT_FALSE(ledger->check(other).ok());
  EXPECT_FALSE(ledger->check(GivenUpRecord{1, "beaten"}).ok()) << "no candidate stands";
  ServeRecord serve{.duel_id = "d1",
                    .first = "p1",
                    .second = "default",
                    .first_point = {{"weight", 0.5}},
                    .second_point = {{"weight", 0.2}}};
  EXPECT_FALSE(ledger->check(serve).ok()) << "evidence without a candidate";
  serve.evidence = false;
  EXPECT_TRUE(ledger->check(serve).ok());
  serve.first = "p2";
  EXPECT_FALSE(ledger->check(serve).ok()) << "the first new point is p1";
}

// With tasks like these a proof stands on tasks that the search has not met, each once.
TEST(TunedSpace, proves_on_tasks_that_no_duel_was_about) {
  ExperimentRecord record = one_weight();
  record.tasks.count = 400;
  record.tasks.sha256 = std::string(64, 'a');
  record.stopping.shared_causes = true;
  std::vector<std::string> names;
  for (int k = 0; k < 400; ++k) names.push_back("t" + std::to_string(k));
  auto experiment = LocalExperiment::in_memory(record, names);
  ASSERT_TRUE(experiment.ok()) << experiment.error().to_string();
  play(*experiment, 150, nobody_cares);
  std::set<std::string> met;
  std::uint64_t evidence = 0;
  for (const LogEntry& entry : entries_of(*experiment)) {
    const auto* serve = std::get_if<ServeRecord>(&entry.record);
    if (serve == nullptr) continue;
    EXPECT_FALSE(serve->task.empty());
    if (serve->evidence) {
      ++evidence;
      EXPECT_FALSE(met.contains(serve->task)) << serve->task;
    }
    met.insert(serve->task);
  }
  EXPECT_GT(evidence, 10);
}

TEST(TunedSpace, counts_each_subject_once) {
  auto experiment = LocalExperiment::in_memory(one_weight());
  ASSERT_TRUE(experiment.ok());
  std::set<std::string> seen;
  std::uint64_t evidence = 0, proofs = 0;
  const Stream draws(3, 0, Purpose::outcome);
  for (int k = 0; k < 200; ++k) {
    RoundRng rng = draws.at(static_cast<Round>(k));
    const std::string subject = "s" + std::to_string(rng.below(120));
    auto offer = experiment->serve({.subject = subject});
    ASSERT_TRUE(offer.ok());
    const ServeRecord& serve = std::get<Served>(*offer).serve;
    const TunedSpace& tuned = *experiment->ledger().tuned();
    const bool is_proof = tuned.roles_of(serve).first != point_role::kSearched;
    proofs += is_proof;
    if (serve.evidence) {
      ++evidence;
      EXPECT_FALSE(seen.contains(subject)) << subject;
    }
    seen.insert(subject);
    Report report;
    report.duel_id = serve.duel_id;
    report.answer = Answer{Answered::tie, ""};
    ASSERT_TRUE(experiment->report(report).ok());
  }
  EXPECT_GT(evidence, 5);
  EXPECT_LT(evidence, proofs);
}

TEST(TunedSpace, goes_on_from_the_certified_point_where_that_is_adopted) {
  ExperimentRecord record = one_weight();
  record.service.on_certified = OnCertified::adopt;
  auto experiment = LocalExperiment::in_memory(record);
  ASSERT_TRUE(experiment.ok());
  play(*experiment, 3000, closer);
  const TunedSpace& tuned = *experiment->ledger().tuned();
  ASSERT_TRUE(experiment->ledger().certificate());
  EXPECT_EQ(tuned.in_use().values, tuned.certified().values);
  EXPECT_EQ(tuned.proof().generation(), 2);
  EXPECT_EQ(tuned.beaten().id(), "default");
  // The next generation is asked against the point that is in use now.
  for (int k = 0; k < 60; ++k) {
    auto offer = experiment->serve({});
    ASSERT_TRUE(offer.ok()) << offer.error().to_string();
    const ServeRecord& serve = std::get<Served>(*offer).serve;
    if (serve.evidence) {
      EXPECT_TRUE(serve.first == tuned.in_use().id() || serve.second == tuned.in_use().id());
    }
    Report report;
    report.duel_id = serve.duel_id;
    report.answer = Answer{Answered::tie, ""};
    ASSERT_TRUE(experiment->report(report).ok());
  }
}

}  // namespace
}  // namespace duel
