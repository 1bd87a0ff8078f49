// The baseline of kernel-ts: the best guess of the same fit against points spread over the space.
#include <memory>
#include <utility>

#include "duel/continuous/kernel_belief.h"

namespace duel {
namespace {

class RandomTuner final : public KernelTuner {
 public:
  RandomTuner(const KernelOptions& options, const TunerSetting& setting)
      : KernelTuner(options, setting, "random") {}

  PointPair ask() override {
    std::vector<double> first(belief_.recommended().begin(), belief_.recommended().end());
    std::vector<double> second = belief_.next_spread_point();
    while (second == first) second = belief_.next_spread_point();
    return {std::move(first), std::move(second), ++asked_};
  }

 private:
  std::uint64_t asked_ = 0;
};

const bool random_is_registered = tuner_catalogue().add(
    {.name = "random",
     .title = "Spread points against the best guess",
     .paper = "baseline; no paper",
     .setting = "a baseline: what the fit of kernel-ts does without its choice of pairs",
     .departs = "nowhere",
     .status = "tested",
     .has_belief = true},
    kernel_options(), makes<RandomTuner>);

}  // namespace
}  // namespace duel
