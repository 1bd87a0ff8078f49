// Dueling Bandit Gradient Descent (dbgd.h) in the unit cube of a space, from the point in use, with
// steps that need no horizon: delta = 0.3 sqrt(d), gamma = 0.02 sqrt(d). Answers to pairs that
// somebody else chose are not heard.
#include <cmath>
#include <memory>
#include <utility>

#include "duel/continuous/dbgd.h"
#include "duel/continuous/tuner.h"
#include "duel/core/check.h"

namespace duel {
namespace {

struct CubeOptions {
  double delta = 0.3;
  double gamma = 0.02;
};

class DbgdTuner final : public Tuner {
 public:
  DbgdTuner(const CubeOptions& options, const TunerSetting& setting)
      : setting_(setting),
        lots_(setting.stream("dbgd")),
        learner_(learner_of(options, setting)),
        recommended_(setting.in_use()) {}

  // While a proposal waits for its answer it is asked again.
  PointPair ask() override {
    constexpr int kTries = 1000;
    for (int tried = 0; tried < kTries; ++tried) {
      ++asked_;
      const PointDuel duel = learner_.select(asked_, lots_.at(asked_));
      PointPair pair{rounded(duel.first), rounded(duel.second), duel.ticket + 1};
      if (pair.first != pair.second) return pair;
      // One point by its steps: nobody could tell the two apart.
      learner_.observe(duel.ticket, {.outcome = Outcome::tie});
    }
    // No step is as long as those of the space.
    ++asked_;
    RoundRng rng = lots_.at(asked_);
    PointPair pair{recommended_, recommended_};
    while (pair.second == pair.first) {
      for (double& x : pair.second) x = rng.uniform();
      setting_.space->round_to_steps(pair.second);
    }
    return pair;
  }

  void tell(const PointPair& pair, Outcome outcome) override {
    if (pair.ticket == 0) return;
    learner_.observe(pair.ticket - 1, {.outcome = outcome});
    recommended_ = rounded(learner_.recommend());
  }
  std::span<const double> recommend() const override { return recommended_; }
  std::optional<double> belief(std::span<const double> /*a*/,
                               std::span<const double> /*b*/) const override {
    return std::nullopt;
  }

 private:
  static PointLearner learner_of(const CubeOptions& options, const TunerSetting& setting) {
    const std::size_t d = setting.space->size();
    const double root = std::sqrt(static_cast<double>(d));
    DirectionOptions directions;
    directions.delta = options.delta * root;
    directions.gamma = options.gamma * root;
    auto box = make_box(std::vector<double>(d, 0.0), std::vector<double>(d, 1.0));
    DUEL_CHECK(box.ok());
    return {"dbgd",
            dbgd_step,
            false,
            directions,
            {.delta = *directions.delta, .gamma = *directions.gamma},
            *std::move(box),
            setting.in_use()};
  }
  std::vector<double> rounded(std::span<const double> point) const {
    std::vector<double> copy(point.begin(), point.end());
    setting_.space->round_to_steps(copy);
    return copy;
  }

  TunerSetting setting_;
  Stream lots_;
  PointLearner learner_;
  std::vector<double> recommended_;
  std::uint64_t asked_ = 0;
};

OptionTable<CubeOptions> cube_options() {
  OptionTable<CubeOptions> table;
  table.number("delta", &CubeOptions::delta, {.above = 0},
               "length of the step that is tried, times sqrt(d)", Shown::always);
  table.number("gamma", &CubeOptions::gamma, {.above = 0},
               "length of the step that is taken, times sqrt(d)", Shown::always);
  return table;
}

const bool dbgd_tuner_is_registered = tuner_catalogue().add(
    {.name = "dbgd",
     .title = "Dueling Bandit Gradient Descent in the unit cube",
     .paper = "Yue, Joachims; Interactively optimizing information retrieval systems as a dueling "
              "bandits problem; ICML 2009, Algorithm 1",
     .setting = "one smooth optimum, and more than 8 dimensions; poor where there are several",
     .departs = "fixed steps in the place of those that the analysis derives from a horizon",
     .status = "tested"},
    cube_options(), makes<DbgdTuner>);

}  // namespace
}  // namespace duel
