// Features of arms and contexts of duels: told to the policy, recorded and replayed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duel/experiment/live_experiment.h"
#include "duel/experiment/local_experiment.h"
#include "duel/log/experiment_log.h"
#include "tests/experiment/played_log.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

ExperimentRecord experiment_with_features() {
  ExperimentRecord record = experiment_of({"a", "b", "c", "d"});
  record.policy = "lin-maxinp(width=0.5)";
  const std::vector<std::vector<double>> rows = {{1, 0}, {0.5, 0.2}, {-0.3, 1}, {-1, -0.4}};
  for (std::size_t k = 0; k < rows.size(); ++k) record.arms[k].features = rows[k];
  return record;
}

Context context_of(int visitor) {
  const double x = 0.1 * (visitor % 7), y = 0.2 * (visitor % 3);
  return {{"a", {1 - x, y}}, {"b", {y, x}}, {"c", {-x, 1}}, {"d", {x, -1 - y}}};
}

Result<Offer> asked_in(LocalExperiment& experiment, const Context& context) {
  Wish wish;
  wish.context = context;
  return experiment.serve(wish);
}

ServeRecord served_in(LocalExperiment& experiment, const Context& context) {
  return std::get<Served>(asked_in(experiment, context).value()).serve;
}

Report win_of(const ServeRecord& serve, const std::string& winner) {
  Report report;
  report.duel_id = serve.duel_id;
  report.answer = Answer{Answered::win, winner};
  return report;
}

TEST(Contexts, are_recorded_and_replayed) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "log.jsonl";
  {
    auto made = LocalExperiment::create({.store = log_files(), .name = file.string()},
                                        experiment_with_features());
    ASSERT_TRUE(made.ok()) << made.error().to_string();
    for (int visitor = 0; visitor < 60; ++visitor) {
      // Every fourth one has none: the arms are then what they always are.
      const Context context = visitor % 4 == 3 ? Context() : context_of(visitor);
      const ServeRecord serve = served_in(*made, context);
      EXPECT_EQ(serve.context, context);
      ASSERT_TRUE(made->report(win_of(serve, visitor % 3 == 0 ? serve.second : serve.first)).ok());
    }
  }
  const std::string log = content_of(file);
  EXPECT_NE(log.find(R"("context":{"a":[)"), std::string::npos);
  EXPECT_NE(log.find(R"("features":[0.5,0.2])"), std::string::npos);
  const auto differs = replay_log(file);
  ASSERT_TRUE(differs.ok()) << differs.error().to_string();
  EXPECT_FALSE(differs->has_value()) << (*differs)->to_string();
  EXPECT_TRUE(LocalExperiment::resume({.store = log_files(), .name = file.string()}).ok());
}

TEST(Contexts, change_what_is_asked) {
  const auto pairs_of = [](bool with) {
    auto made = LocalExperiment::in_memory(experiment_with_features());
    std::string pairs;
    for (int visitor = 0; visitor < 30; ++visitor) {
      const ServeRecord serve = served_in(*made, with ? context_of(visitor) : Context());
      pairs += std::min(serve.first, serve.second) + std::max(serve.first, serve.second) + " ";
      EXPECT_TRUE(made->report(win_of(serve, std::min(serve.first, serve.second))).ok());
    }
    return pairs;
  };
  EXPECT_NE(pairs_of(true), pairs_of(false));
}

TEST(Contexts, are_refused_by_their_field_where_they_do_not_fit) {
  auto made = LocalExperiment::in_memory(experiment_with_features());
  const auto refused = [](LocalExperiment& experiment, const Context& context) {
    const auto offer = asked_in(experiment, context);
    EXPECT_FALSE(offer.ok());
    if (offer.ok()) return std::string();
    EXPECT_EQ(offer.error().field, "context");
    return offer.error().message;
  };
  Context context = context_of(1);
  context.pop_back();
  EXPECT_EQ(refused(*made, context), "'d' is missing");
  context.push_back({"e", {1, 2}});
  EXPECT_EQ(refused(*made, context), "there is no arm 'e'");
  context.back() = {"d", {1, 2, 3}};
  EXPECT_EQ(refused(*made, context), "'d' has 3 features, and the experiment's arms have 2");
  context.back() = {"a", {1, 2}};
  EXPECT_EQ(refused(*made, context), "'a' is there twice");
  context.back() = {"d", {1, 1e7}};
  EXPECT_EQ(refused(*made, context), "'d': 10000000 is no feature");
  EXPECT_EQ(made->ledger().served(), 0U);

  ExperimentRecord other = experiment_with_features();
  other.policy = "imed";
  auto without = LocalExperiment::in_memory(other);
  EXPECT_EQ(refused(*without, context_of(1)), "the policy 'imed' knows no contexts");
  ExperimentRecord bare = experiment_of({"a", "b", "c", "d"}, "lin-ts");
  auto no_features = LocalExperiment::in_memory(bare);
  EXPECT_EQ(refused(*no_features, context_of(1)), "the arms of the experiment have no features");
}

// What a server would never write may stand in a log all the same.
TEST(Contexts, that_do_not_fit_are_refused_in_logs) {
  PlayedLog log(experiment_with_features());
  ServeRecord serve = log.next().value();
  serve.context = context_of(1);
  serve.context.pop_back();
  const Status status = log.live().check(serve);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "'d' is missing");
}

// Two arms, one of which is (1) and the other (-1), in open sets; in the context they have changed
// places, and the second arm wins, so that theta is positive.
class TurnedArms : public ::testing::Test {
 protected:
  static ExperimentRecord record() {
    ExperimentRecord record = experiment_of({"a", "b"}, "lin-ts");
    record.arms[0].features = {1};
    record.arms[1].features = {-1};
    record.stopping.arms_fixed = false;
    return record;
  }
  static Context turned() { return {{"a", {-1}}, {"b", {1}}}; }

  static void play(PlayedLog& log, int duels, ServedBy by) {
    for (int k = 0; k < duels; ++k) {
      LiveExperiment live = LiveExperiment::make(record()).value();
      for (std::size_t n = 1; n < log.entries().size(); ++n) {
        ASSERT_TRUE(live.apply(log.entries()[n]).ok());
      }
      ServeRecord serve = live.choose("", {}, "", turned()).value();
      serve.by = by;
      log.add(serve);
      OutcomeRecord outcome;
      outcome.duel_id = serve.duel_id;
      outcome.answer = Answer{Answered::win, "b"};
      log.add(outcome);
    }
  }
};

TEST_F(TurnedArms, teach_about_the_features_that_were_seen) {
  PlayedLog log(record());
  play(log, 6, ServedBy::policy);
  EXPECT_EQ(log.live().leader(), 0U) << "the arm that is always (1)";
}

TEST_F(TurnedArms, teach_a_policy_that_did_not_ask) {
  PlayedLog log(record());
  play(log, 6, ServedBy::floor);
  EXPECT_EQ(log.live().leader(), 0U);
}

TEST_F(TurnedArms, teach_the_policy_that_is_made_when_an_arm_joins) {
  PlayedLog log(record());
  play(log, 6, ServedBy::policy);
  ArmEntry joining{.id = "c", .payload = "", .sha256 = "", .content = {}, .features = {2}};
  log.add(ArmAddedRecord{joining});
  EXPECT_EQ(log.live().leader(), 2U) << "the arm with the largest features";
}

TEST_F(TurnedArms, are_in_the_saved_state) {
  PlayedLog log(record());
  play(log, 5, ServedBy::policy);
  ServeRecord open = log.next().value();
  open.context = turned();
  open.by = ServedBy::floor;
  log.add(open);
  ArmEntry joining{.id = "c", .payload = "", .sha256 = "", .content = {}, .features = {0.5}};
  log.add(ArmAddedRecord{joining});
  const auto saved = log.live().save();
  ASSERT_TRUE(saved.has_value());
  LiveExperiment restored = LiveExperiment::make(record()).value();
  const Status status = restored.restore(*saved);
  ASSERT_TRUE(status.ok()) << status.error().to_string();
  EXPECT_EQ(restored.save(), saved);
  EXPECT_EQ(restored.ledger().arms()[2].entry, joining);
  EXPECT_EQ(restored.state_hash(), log.live().state_hash());
  EXPECT_EQ(next_of(restored), log.next());
}

TEST(Features, are_of_all_arms_or_of_none) {
  ExperimentRecord record = experiment_with_features();
  record.arms[2].features.clear();
  const auto some = LocalExperiment::in_memory(record);
  ASSERT_FALSE(some.ok());
  EXPECT_EQ(some.error().field, "arms");
  EXPECT_EQ(some.error().message, "'a' has 2 features, and 'c' has 0 features");
  record.arms[2].features = {1, 2, 3};
  EXPECT_FALSE(LocalExperiment::in_memory(record).ok());
  record.arms[2].features = {1, 1e9};
  const auto large = LocalExperiment::in_memory(record);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().message, "'c': 1000000000 is no feature");
}

TEST(Features, of_an_arm_that_joins_are_as_many) {
  ExperimentRecord record = experiment_with_features();
  record.stopping.arms_fixed = false;
  auto made = LocalExperiment::in_memory(record);
  const ArmEntry bare{.id = "e", .payload = "", .sha256 = "", .content = {}};
  const Status refused = made->add_arm(bare);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "'a' has 2 features, and 'e' has 0 features");
  ArmEntry fit = bare;
  fit.features = {0.1, 0.2};
  EXPECT_TRUE(made->add_arm(fit).ok());
  EXPECT_TRUE(made->add_arm(fit).ok()) << "the same again changes nothing";
  fit.features = {0.1, 0.3};
  EXPECT_FALSE(made->add_arm(fit).ok());
}

}  // namespace
}  // namespace duel
