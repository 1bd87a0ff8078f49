#include "duel/ranking/learners/learning_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "duel/continuous/link.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/ranking/metrics/judged_measures.h"

namespace duel {
namespace {

const std::atomic<bool> kGoOn{false};

const JudgedQueries& synthetic() {
  static const JudgedQueries data =
      make_synthetic(SyntheticOptions{.queries = 40, .documents = 15, .features = 8, .noise = 0.1});
  return data;
}

LearningSetting setting_of(const JudgedQueries& data, const char* learner,
                           AnswerBasis answer = AnswerBasis::clicks) {
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
      setting_of(synthetic(), "dbgd(delta=1,gamma=0.05)", AnswerBasis::ndcg_logistic), 0);
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

// A duel as section 5.2 of Yue and Joachims has it, everything computed again in every impression.
struct LiteralDuels {
  LiteralDuels(const LearningSetting& setting, std::uint32_t trial, std::uint64_t impressions)
      : learner(setting.learner->make(
            Stream(setting.seed, trial, Purpose::choice, setting.learner->canonical()).at(0))) {
    const LearnerStreams streams(setting.seed, trial, setting.learner->canonical());
    const Stream users(setting.seed, trial, Purpose::impression);
    for (std::uint64_t t = 1; t <= impressions; ++t) {
      RoundRng rng = users.at(t);
      const auto q = static_cast<std::size_t>(rng.below(setting.queries->num_queries()));
      const PointDuel duel = learner->points()->select(t, streams.choice.at(t));
      const std::uint64_t ties = rng.bits();
      const auto value = [&](std::span<const double> weights) {
        std::vector<double> scores(setting.queries->num_documents(q));
        score_documents(QueryDocuments(*setting.queries, q), weights, scores);
        std::vector<Grade> grades;
        DocumentOrder order;
        for (const Document d : order.top(scores, setting.length, ties)) {
          grades.push_back(setting.queries->grades(q)[d]);
        }
        return ndcg(grades, setting.queries->grades(q), setting.length);
      };
      const double first = value(duel.first), second = value(duel.second);
      const bool first_wins = rng.bernoulli(win_probability(Link::logistic, 10 * (first - second)));
      learner->points()->observe(duel.ticket,
                                 {first_wins ? Outcome::first_wins : Outcome::second_wins});
      sum += 0.5 * (first + second);
    }
  }

  std::unique_ptr<RankerLearner> learner;
  double sum = 0;
};

// Queries whose documents partly have equal features, so that scores tie.
JudgedQueries with_equal_documents() {
  JudgedQueries data = synthetic().clone();
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    for (Document d = 1; d < data.num_documents(q); d += 2) {
      const auto from = data.features(q, d - 1);
      std::copy(from.begin(), from.end(), data.features(q, d).begin());
    }
  }
  return data;
}

TEST(LearningRun, duels_side_by_side_are_the_literal_duels) {
  const JudgedQueries equal = with_equal_documents();
  for (const JudgedQueries* data : {&synthetic(), &equal}) {
    std::vector<LearningSetting> settings;
    for (const char* learner :
         {"dbgd(delta=1,gamma=0.05)", "dbgd(delta=1,gamma=0.01,batch=3)",
          "dbgd(delta=0.5,gamma=0.1,batch=20)", "dbgd(delta=3,gamma=0.1,batch=20)",
          "dbgd(delta=1,gamma=0,batch=2)"}) {  // the last never moves
      settings.push_back(setting_of(*data, learner, AnswerBasis::ndcg_logistic));
    }
    std::vector<std::unique_ptr<LearningTrial>> trials;
    std::vector<LearningTrial*> together;
    for (const LearningSetting& setting : settings) {
      trials.push_back(std::make_unique<LearningTrial>(setting, 2));
      together.push_back(trials.back().get());
    }
    ASSERT_TRUE(play_together(together, 333, kGoOn));
    ASSERT_TRUE(play_together(together, 1000, kGoOn));
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const std::string& name = settings[i].learner->canonical();
      const LiteralDuels literal(settings[i], 2, 1000);
      EXPECT_EQ(copy(trials[i]->weights()), copy(literal.learner->weights())) << name;
      EXPECT_EQ(trials[i]->online_sum(), literal.sum) << name;
      EXPECT_EQ(trials[i]->impressions(), 1000U);
      LearningTrial alone(settings[i], 2);
      ASSERT_TRUE(alone.play(1000, kGoOn));
      EXPECT_EQ(alone.save(), trials[i]->save()) << name;
    }
  }
}

TEST(LearningRun, learners_may_start_at_the_same_ranker) {
  LearningSetting one = setting_of(synthetic(), "dbgd(delta=1,gamma=0.05)");
  LearningSetting other = setting_of(synthetic(), "dbgd(delta=2,gamma=0.05)");
  EXPECT_NE(copy(LearningTrial(one, 0).weights()), copy(LearningTrial(other, 0).weights()));
  one.same_start = other.same_start = true;
  EXPECT_EQ(copy(LearningTrial(one, 0).weights()), copy(LearningTrial(other, 0).weights()));
  EXPECT_NE(copy(LearningTrial(one, 0).weights()), copy(LearningTrial(one, 1).weights()));
}

TEST(LearningRun, a_restored_trial_forgets_the_scores_of_the_ranker_it_was) {
  const LearningSetting setting =
      setting_of(synthetic(), "dbgd(delta=1,gamma=0.05,batch=3)", AnswerBasis::ndcg_logistic);
  LearningTrial whole(setting, 1), first(setting, 1), other(setting, 7);
  whole.play(200, kGoOn);
  first.play(100, kGoOn);
  other.play(100, kGoOn);
  ASSERT_TRUE(other.restore(first.save()).ok());
  // The stream is that of trial 7: what follows differs from trial 1, but not from a fresh trial 7.
  LearningTrial fresh(setting, 7);
  ASSERT_TRUE(fresh.restore(first.save()).ok());
  other.play(200, kGoOn);
  fresh.play(200, kGoOn);
  EXPECT_EQ(other.save(), fresh.save());
  LearningTrial same(setting, 1);
  same.play(50, kGoOn);
  ASSERT_TRUE(same.restore(first.save()).ok());
  same.play(200, kGoOn);
  EXPECT_EQ(same.save(), whole.save());
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
}  // namespace duel
