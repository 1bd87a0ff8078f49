// Features of arms and contexts of duels: told to the policy, recorded and replayed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

ServeRecord served(LocalExperiment& experiment, const Context& context) {
  Wish wish;
  wish.context = context;
  return std::get<Served>(experiment.serve(wish).value()).serve;
}

Report win_of(const ServeRecord& serve, const std::string& winner) {
  Report report;
  report.duel_id = serve.duel_id;
  report.answer = Answer{Answered::win, winner};
  return report;
}

TEST(Contexts, are_recorded_and_replayed) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  std::vector<std::string> pairs;
  {
    auto made = LocalExperiment::create({.store = log_files(), .name = file.string()},
                                        experiment_with_features());
    ASSERT_TRUE(made.ok()) << made.error().to_string();
    for (int visitor = 0; visitor < 60; ++visitor) {
      // Every fourth one has none: the arms are then what they always are.
      const ServeRecord serve = served(*made, visitor % 4 == 3 ? Context() : context_of(visitor));
      EXPECT_EQ(serve.context.empty(), visitor % 4 == 3);
      ASSERT_TRUE(made->report(win_of(serve, visitor % 3 == 0 ? serve.second : serve.first)).ok());
    }
  }
  EXPECT_NE(content_of(file).find(R"("context":{"a":[)"), std::string::npos);
  EXPECT_NE(content_of(file).find(R"("features":[0.5,0.2])"), std::string::npos);
  const auto differs = replay_log(file);
  ASSERT_TRUE(differs.ok()) << differs.error().to_string();
  EXPECT_FALSE(differs->has_value()) << (*differs)->to_string();
  // Without the contexts other pairs would have been chosen.
  std::string without = content_of(file);
  EXPECT_TRUE(LocalExperiment::resume({.store = log_files(), .name = file.string()}).ok());
}

TEST(Contexts, change_what_is_asked) {
  const auto pairs_of = [](bool with) {
    auto made = LocalExperiment::in_memory(experiment_with_features());
    std::string pairs;
    for (int visitor = 0; visitor < 30; ++visitor) {
      const ServeRecord serve = served(*made, with ? context_of(visitor) : Context());
      pairs += std::min(serve.first, serve.second) + std::max(serve.first, serve.second) + " ";
      EXPECT_TRUE(made->report(win_of(serve, std::min(serve.first, serve.second))).ok());
    }
    return pairs;
  };
  EXPECT_NE(pairs_of(true), pairs_of(false));
}

TEST(Contexts, are_refused_where_they_do_not_fit) {
  auto made = LocalExperiment::in_memory(experiment_with_features());
  const auto refused = [&](LocalExperiment& experiment, const Context& context) {
    Wish wish;
    wish.context = context;
    const auto offer = experiment.serve(wish);
    EXPECT_FALSE(offer.ok());
    return offer.ok() ? std::string() : offer.error().to_string();
  };
  Context context = context_of(1);
  context.pop_back();
  EXPECT_EQ(refused(*made, context), "context: arm 'd' is missing");
  context.push_back({"e", {1, 2}});
  EXPECT_EQ(refused(*made, context), "context: there is no arm 'e'");
  context.back() = {"d", {1, 2, 3}};
  EXPECT_EQ(refused(*made, context),
            "context: 'd' has 3 features, and the experiment's arms 2");
  context.back() = {"a", {1, 2}};
  EXPECT_EQ(refused(*made, context), "context: arm 'a' is given twice");

  ExperimentRecord other = experiment_with_features();
  other.policy = "imed";
  auto without = LocalExperiment::in_memory(other);
  EXPECT_NE(refused(*without, context_of(1)).find("the policy 'imed' knows no contexts"),
            std::string::npos);
  ExperimentRecord bare = experiment_of({"a", "b", "c", "d"});
  bare.policy = "lin-ts";
  auto no_features = LocalExperiment::in_memory(bare);
  EXPECT_EQ(refused(*no_features, context_of(1)),
            "context: the arms of the experiment have no features");
}

TEST(Features, are_of_all_arms_or_of_none) {
  ExperimentRecord record = experiment_with_features();
  record.arms[2].features.clear();
  const auto some = LocalExperiment::in_memory(record);
  ASSERT_FALSE(some.ok());
  EXPECT_EQ(some.error().message, "arm 'a' has 2 features, and 'c' has 0");
  record.arms[2].features = {1, 2, 3};
  EXPECT_FALSE(LocalExperiment::in_memory(record).ok());
}

}  // namespace
}  // namespace duel
