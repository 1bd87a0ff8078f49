#include "duel/ranking/learners/learning_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/ranking/metrics/judged_measures.h"

namespace duel::test {
namespace {

const std::atomic<bool> kGoOn{false};

const JudgedQueries& synthetic() {
  static const JudgedQueries data =
      make_synthetic(SyntheticOptions{.queries = 40, .documents = 15, .features = 8, .noise = 0.1});
  return data;
}

LearningSetting setting_of(const JudgedQueries& data, const char* learner,
                           DuelAnswer answer = DuelAnswer::clicks) {
  LearningSetting setting;
  setting.queries = &data;
  setting.learner =
      configure_ranker_learner(parse_call(learner).value(), {data.num_features(), 10, "", 3000})
          .value();
  setting.user = configure_click_model("perfect", data.num_grades()).value();
  setting.answer = answer;
  setting.seed = 5;
  return setting;
}

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

TEST(LearningRun, every_learner_learns_from_perfect_clicks) {
  const std::vector<double> nothing(8, 0.0);
  const double blind = mean_ndcg(synthetic(), nothing, 10);
  // A learner that walks at random from a ranker that knows nothing stays near `blind`; the hidden
  // ranker itself reaches about .97.
  const double hidden = mean_ndcg(
      synthetic(), synthetic_weights({.queries = 40, .documents = 15, .features = 8, .noise = 0.1}),
      10);
  const double halfway = 0.5 * (blind + hidden);
  for (const char* learner : {"dbgd(delta=1,gamma=0.05)", "mgd(candidates=5,eta=0.05)",
                              "dsp(eta=0.05)", "nsgd(eta=0.05)", "pdgd"}) {
    LearningTrial trial(setting_of(synthetic(), learner), 0);
    ASSERT_TRUE(trial.play(3000, kGoOn));
    EXPECT_GT(mean_ndcg(synthetic(), trial.weights(), 10), halfway) << learner;
    EXPECT_GT(trial.mean_online_ndcg(), blind) << learner;
  }
  LearningTrial duels(
      setting_of(synthetic(), "dbgd(delta=1,gamma=0.05)", DuelAnswer::ndcg_logistic), 0);
  ASSERT_TRUE(duels.play(3000, kGoOn));
  EXPECT_GT(mean_ndcg(synthetic(), duels.weights(), 10), halfway);
}

TEST(LearningRun, goes_on_where_it_was_saved) {
  for (const char* learner : {"dbgd(delta=1,gamma=0.05,batch=3)", "mgd(candidates=3,decay=0.99)",
                              "dsp(decay=0.99)", "nsgd(decay=0.99)", "pdgd(decay=0.99)"}) {
    const LearningSetting setting = setting_of(synthetic(), learner);
    LearningTrial whole(setting, 1), first(setting, 1);
    whole.play(200, kGoOn);
    first.play(77, kGoOn);
    LearningTrial second(setting, 1);
    ASSERT_TRUE(second.restore(first.save()).ok());
    EXPECT_EQ(second.impressions(), 77U);
    second.play(200, kGoOn);
    EXPECT_EQ(copy(second.weights()), copy(whole.weights())) << learner;
    EXPECT_EQ(second.discounted_ndcg(), whole.discounted_ndcg()) << learner;
    EXPECT_EQ(second.save(), whole.save()) << learner;

    LearningTrial other(setting_of(synthetic(), "pdgd(eta=0.7)"), 1);
    EXPECT_FALSE(other.restore(whole.save()).ok());
    EXPECT_FALSE(second.restore("cut").ok());
    EXPECT_EQ(copy(second.weights()), copy(whole.weights()));
  }
}

TEST(LearningRun, counts_the_discounted_and_the_plain_sum) {
  // One query with one document: every list has NDCG 1.
  const JudgedQueries data = read_letor_text("one", "2 qid:1 1:0.5 2:1\n").value();
  for (const char* learner : {"dbgd(delta=1,gamma=0.05)", "mgd(candidates=2)", "pdgd"}) {
    LearningSetting setting = setting_of(data, learner);
    setting.discount = 0.5;
    LearningTrial trial(setting, 0);
    EXPECT_EQ(trial.mean_online_ndcg(), 0);
    trial.play(3, kGoOn);
    EXPECT_EQ(trial.discounted_ndcg(), 1.75) << learner;  // 1 + 1/2 + 1/4
    EXPECT_EQ(trial.mean_online_ndcg(), 1) << learner;
  }
}

TEST(LearningRun, measures_equal_scores_by_their_average) {
  // Three documents of equal score, one relevant: the mean of 1, 1/log2(3), 1/2.
  const JudgedQueries data =
      read_letor_text("equal", "1 qid:1 1:1\n0 qid:1 1:1\n0 qid:1 1:1\n").value();
  EXPECT_NEAR(mean_ndcg(data, std::vector<double>{3}, 10), (1 + 1 / std::log2(3) + 0.5) / 3, 1e-15);
  // A query without a relevant document counts 0.
  const JudgedQueries none = read_letor_text("none", "0 qid:1 1:1\n1 qid:2 1:1\n").value();
  EXPECT_EQ(mean_ndcg(none, std::vector<double>{3}, 10), 0.5);
}

TEST(LearningRun, stops_when_asked) {
  const std::atomic<bool> stop{true};
  LearningTrial trial(setting_of(synthetic(), "pdgd"), 0);
  EXPECT_FALSE(trial.play(1000, stop));
  EXPECT_EQ(trial.impressions(), 0U);
}

}  // namespace
}  // namespace duel::test
