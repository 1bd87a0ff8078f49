#include "duel/study/certified_run.h"

#include <algorithm>
#include <utility>

#include "duel/core/rng.h"
#include "duel/experiment/live_experiment.h"
#include "duel/policies/asker.h"

namespace duel {
namespace {

// All pairs in turn.
class PairCycle {
 public:
  explicit PairCycle(std::size_t num_arms) : num_arms_(static_cast<Arm>(num_arms)) {}
  Duel next() {
    const Duel duel{.first = i_, .second = j_};
    if (++j_ == num_arms_) {
      if (++i_ + 1 >= num_arms_) i_ = 0;
      j_ = i_ + 1;
    }
    return duel;
  }

 private:
  Arm num_arms_;
  Arm i_ = 0;
  Arm j_ = 1;
};

class SimulatedExperiment {
 public:
  explicit SimulatedExperiment(const CertifiedRunSetting& setting)
      : referee_(
            Referee::make(setting.num_arms, setting.goal, setting.stopping, setting.borda_looks)
                .value()),
        cycle_(setting.num_arms) {
    if (setting.policy != nullptr) asker_.emplace(*setting.policy, setting.seed, setting.trial);
  }

  std::optional<Decision> decision() const { return referee_.decision(); }
  std::size_t outstanding() const { return served_.size(); }
  std::vector<Duel> unanswered() const {
    std::vector<Duel> duels;
    for (const Served& one : served_) duels.push_back(one.duel);
    return duels;
  }

  void serve() {
    const ChosenDuel next = choose();
    const std::uint64_t place = referee_.served(next.duel.first, next.duel.second);
    served_.push_back({next.serving, next.duel, place});
  }

  // Takes the answer to the `which`-th outstanding duel.
  void take_answer(std::size_t which, const std::function<Outcome(const Duel&)>& answer) {
    const Served one = served_[which];
    served_.erase(served_.begin() + static_cast<std::ptrdiff_t>(which));
    const Outcome outcome = answer(one.duel);
    referee_.answered(one.place, outcome);
    if (!asker_) return;
    if (one.serving == Serving::explore) {
      asker_->answered(one.duel, outcome);
    } else {
      asker_->heard(one.duel.first, one.duel.second, outcome);
    }
  }

 private:
  struct Served {
    Serving serving;
    Duel duel;
    std::uint64_t place;  // in the order of serving
  };

  ChosenDuel choose() {
    if (!asker_) return {Serving::explore, cycle_.next()};
    const auto pending = [this](Arm i, Arm j) {
      return static_cast<std::uint64_t>(
          std::count_if(served_.begin(), served_.end(), [&](const Served& one) {
            return std::minmax(one.duel.first, one.duel.second) == std::minmax(i, j);
          }));
    };
    return choose_duel(*asker_, referee_, pending).value();
  }

  Referee referee_;
  std::optional<Asker> asker_;
  PairCycle cycle_;
  std::vector<Served> served_;  // and not answered
};

}  // namespace

CertifiedRun run_to_certificate(const CertifiedRunSetting& setting,
                                const std::function<Outcome(const Duel&)>& answer) {
  SimulatedExperiment experiment(setting);
  const Stream arrivals(setting.seed, setting.trial, Purpose::answer, "plan");
  std::uint64_t draws = 0;
  CertifiedRun run;
  while (!experiment.decision()) {
    while (experiment.outstanding() < setting.parallel && run.duels < setting.stopping.max_duels) {
      experiment.serve();
      ++run.duels;
    }
    if (experiment.outstanding() == 0) break;
    // Any of those at work may be done first.
    std::uint64_t done = 0;
    if (experiment.outstanding() > 1) done = arrivals.at(++draws).below(experiment.outstanding());
    experiment.take_answer(static_cast<std::size_t>(done), answer);
  }
  run.decision = experiment.decision();
  run.unanswered = experiment.unanswered();
  return run;
}

}  // namespace duel
