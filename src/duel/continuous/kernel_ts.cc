// Thompson sampling in a kernel's posterior, both points drawn.
// After     Sui, Zhuang, Burdick, Yue, UAI 2017 (self-sparring; their kernel version).
// Assumes   a utility that changes smoothly, with differences of log-odds; nothing is guaranteed.
// Cost      of an answer see kernel_belief.h; two draws of O(M^2 + 514 M) for a pair.
// Departs   random features for the kernel, a bump at the point in use, and answers by a logistic
//           link with Laplace's approximation in the place of a regression on wins.
#include <memory>
#include <utility>

#include "duel/continuous/kernel_belief.h"
#include "duel/core/turns.h"

namespace duel {
namespace {

class KernelThompson final : public KernelTuner {
 public:
  KernelThompson(const KernelOptions& options, const TunerSetting& setting)
      : KernelTuner(options, setting, "kernel-ts"), draws_(setting.stream("kernel-ts/draw")) {}

  PointPair ask() override {
    RoundRng rng = draws_.at(++asked_);
    const auto drawn = [&] {
      std::vector<double> normals(belief_.features().size());
      for (double& z : normals) z = normal_by_turns(rng);
      return belief_.best_of_draw(std::move(normals));
    };
    const std::size_t first = drawn();
    std::size_t second = drawn();
    if (belief_.same_point(first, second)) second = belief_.best_apart_from(first);
    return {belief_.candidate(first), belief_.candidate(second), asked_};
  }

 private:
  Stream draws_;
  std::uint64_t asked_ = 0;
};

const bool kernel_ts_is_registered = tuner_catalogue().add(
    {.name = "kernel-ts",
     .title = "Thompson sampling in the posterior of a smooth utility",
     .paper = "after Sui, Zhuang, Burdick, Yue; Multi-dueling bandits with dependent arms; UAI "
              "2017",
     .setting = "1 to 8 dimensions; finds none of several narrow hills beyond 5 in 300 answers",
     .departs = "random features, a prior at the point in use, a logistic link with Laplace's "
                "approximation",
     .status = "tested",
     .has_belief = true},
    kernel_options(), makes<KernelThompson>);

}  // namespace
}  // namespace duel
