// A multileaver whose list is the first ranking and whose verdicts are written down beforehand.
#pragma once

#include <vector>

#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

class ScriptedMultileaver final : public Multileaver {
 public:
  // preferred[k]: candidate k beats the current ranker. Counts clicks by ranker in `credits`.
  explicit ScriptedMultileaver(std::vector<bool> preferred, std::vector<double> credits = {})
      : preferred_(std::move(preferred)), credits_(std::move(credits)) {}

  std::string canonical() const override { return "scripted"; }
  void multileave(Rankings rankings, std::size_t length, RoundRng& /*rng*/,
                  Multileaving& shown) const override {
    shown.clear(rankings.size());
    shown.documents.assign(rankings[0].begin(), rankings[0].end());
    if (shown.documents.size() > length) shown.documents.resize(length);
  }
  void credit(const Multileaving& shown, std::span<const Position> /*clicks*/,
              MultileaveCredit& credit) const override {
    start_credit(shown, credit);
    for (std::size_t k = 0; k < credits_.size(); ++k) credit.credits[k] = credits_[k];
    for (std::size_t k = 0; k < preferred_.size(); ++k) {
      credit.outcomes[(k + 1) * credit.num_rankers] =
          preferred_[k] ? ClickOutcome::first_wins : ClickOutcome::second_wins;
    }
  }
  Result<std::vector<WeightedMultileaving>> enumerate(Rankings, std::size_t) const override {
    return Error::unsupported("not needed");
  }

 private:
  std::vector<bool> preferred_;
  std::vector<double> credits_;
};

}  // namespace duel
