#include "duel/experiment/point_search.h"

#include <algorithm>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

// Quantiles of the normal distribution: a belief of m/s above them is P > 0.8 and P > 0.9.
constexpr double kQuantile80 = 0.841621234;
constexpr double kQuantile90 = 1.281551566;
constexpr double kBeaten = 20;  // evidence against a candidate
constexpr double kWeak = 3;     // evidence for it

bool same(std::span<const double> a, std::span<const double> b) { return std::ranges::equal(a, b); }

}  // namespace

PointSearch::PointSearch(const ConfiguredTuner& tuner, const TunerSetting& setting,
                         const PointSearchOptions& options)
    : tuner_(tuner.make(setting)),
      coins_(setting.stream("live/prove")),
      warmup_(options.warmup > 0 ? options.warmup : 20 * setting.space->size()),
      in_use_(setting.in_use()) {}

bool PointSearch::is_better_guess(const PointProof& proof) const {
  if (proof.log_evidence() >= natural_log(kWeak)) return false;
  const std::span<const double> guess = tuner_->recommend();
  if (same(guess, candidate_)) return false;
  const auto belief = tuner_->belief(guess, candidate_);
  return belief && *belief > kQuantile80;
}

PointSearch::Due PointSearch::due(const PointProof& proof) const {
  if (proof.stands()) {
    // A candidate that was just taken has met nobody yet.
    if (since_taken_ == 0 || !looks()) return Due::nothing;
    const bool beaten = proof.log_against() >= natural_log(kBeaten);
    return beaten || is_better_guess(proof) ? Due::give_up : Due::nothing;
  }
  if (served_ < warmup_) return Due::nothing;
  const std::span<const double> guess = tuner_->recommend();
  return same(guess, in_use_) || same(guess, dropped_) ? Due::nothing : Due::take;
}

PointSearch::WhyGivenUp PointSearch::why(const PointProof& proof) const {
  return proof.log_against() >= natural_log(kBeaten) ? WhyGivenUp::beaten
                                                     : WhyGivenUp::better_guess;
}

void PointSearch::take() {
  const std::span<const double> guess = tuner_->recommend();
  candidate_.assign(guess.begin(), guess.end());
  since_taken_ = 0;
}

void PointSearch::take(std::span<const double> point) {
  candidate_.assign(point.begin(), point.end());
  since_taken_ = 0;
}

void PointSearch::drop() { dropped_ = candidate_; }

void PointSearch::adopt() {
  in_use_ = candidate_;
  dropped_.clear();
}

PointSearch::Next PointSearch::next(const PointProof& proof) {
  ++served_;
  if (!proof.stands()) return {tuner_->ask()};
  if (looks()) {
    const auto belief = tuner_->belief(candidate_, in_use_);
    share_ = !belief || *belief > kQuantile90 ? 0.75 : 0.25;
  }
  ++since_taken_;
  RoundRng coin = coins_.at(served_);
  if (!coin.bernoulli(share_)) return {tuner_->ask()};
  return {{candidate_, in_use_, 0}, true};
}

}  // namespace duel
