#include "duel/ranking/learners/learning_curve.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "duel/core/archive.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {
namespace {

using Checkpoints = std::vector<std::uint64_t>;
const std::atomic<bool> kGoOn{false};

const JudgedQueries& data() {
  static const JudgedQueries queries =
      make_synthetic(SyntheticOptions{.queries = 20, .documents = 12, .features = 5});
  return queries;
}

LearningSetting setting_of(const char* learner) {
  LearningSetting setting;
  setting.queries = &data();
  setting.learner = configure_ranker_learner(parse_call(learner).value(), {5, 10, "", 100}).value();
  setting.user = configure_click_model("perfect", data().num_grades()).value();
  setting.seed = 3;
  return setting;
}

TEST(LearningCurve, measures_at_every_checkpoint_what_the_trial_is_there) {
  RecordedTrial recorded(setting_of("pdgd"), 0, data());
  const Checkpoints checkpoints = {1, 10, 50};
  ASSERT_TRUE(recorded.play(checkpoints, kGoOn));
  LearningTrial twin(setting_of("pdgd"), 0);
  ASSERT_EQ(recorded.curve().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    twin.play(checkpoints[i], kGoOn);
    EXPECT_EQ(recorded.curve()[i].impressions, checkpoints[i]);
    EXPECT_EQ(recorded.curve()[i].online_sum, twin.online_sum());
    EXPECT_EQ(recorded.curve()[i].discounted, twin.discounted_ndcg());
    EXPECT_EQ(recorded.curve()[i].offline, mean_ndcg(data(), twin.weights(), 10));
  }
  EXPECT_EQ(recorded.offline_ndcg(), recorded.curve()[2].offline);
  EXPECT_NEAR(online_since(recorded.curve()[0], recorded.curve()[2]),
              (recorded.curve()[2].online_sum - recorded.curve()[0].online_sum) / 49, 1e-15);
  EXPECT_EQ(online_since({}, recorded.curve()[0]), recorded.curve()[0].online_sum);
}

TEST(LearningCurve, of_a_run_in_pieces_is_that_of_a_run_in_one) {
  RecordedTrial whole(setting_of("mgd(candidates=3)"), 1, data());
  ASSERT_TRUE(whole.play(Checkpoints{1, 10, 50, 80}, kGoOn));
  RecordedTrial first(setting_of("mgd(candidates=3)"), 1, data());
  ASSERT_TRUE(first.play(Checkpoints{1, 10, 30}, kGoOn));  // 30 is no checkpoint of the whole
  RecordedTrial second(setting_of("mgd(candidates=3)"), 1, data());
  ASSERT_TRUE(second.restore(first.save()).ok());
  ASSERT_TRUE(second.play(Checkpoints{1, 10, 50, 80}, kGoOn));
  EXPECT_EQ(second.save(), whole.save());
}

TEST(LearningCurve, ends_where_it_was_stopped) {
  const std::atomic<bool> stop{true};
  RecordedTrial trial(setting_of("pdgd"), 0, data());
  EXPECT_FALSE(trial.play(Checkpoints{1, 10}, stop));
  EXPECT_TRUE(trial.curve().empty());
}

TEST(LearningCurve, refuses_a_damaged_state) {
  RecordedTrial trial(setting_of("pdgd"), 0, data());
  ASSERT_TRUE(trial.play(Checkpoints{1, 10}, kGoOn));
  const std::string saved = trial.save();
  for (std::size_t length = 0; length < saved.size(); length += 7) {
    EXPECT_FALSE(trial.restore(saved.substr(0, length)).ok()) << length;
  }
  const auto with_curve = [&](std::vector<CurvePoint> curve) {
    StateWriter writer;
    writer(trial.trial().save(), curve);
    return trial.restore(writer.finish()).ok();
  };
  EXPECT_FALSE(with_curve({{10, 1, 1, 0.5}, {10, 2, 2, 0.5}}));  // does not ascend
  EXPECT_FALSE(with_curve({{1, 1, 1, std::nan("")}}));           // not a number
  EXPECT_EQ(trial.save(), saved);
  EXPECT_TRUE(with_curve({}));
  // The checkpoints before impression 10 were passed without being measured.
  ASSERT_TRUE(trial.play(Checkpoints{1, 10, 20}, kGoOn));
  ASSERT_EQ(trial.curve().size(), 2U);
  EXPECT_EQ(trial.curve()[0].impressions, 10U);
}

}  // namespace
}  // namespace duel
