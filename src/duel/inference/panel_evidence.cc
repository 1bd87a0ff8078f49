#include "duel/inference/panel_evidence.h"

#include <algorithm>

#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {

void PanelEvidence::observe(std::int64_t answer) {
  DUEL_CHECK(left_ >= 1);
  const auto said = static_cast<double>(answer);
  // In T-ths of whole answers: integers below 2^53, and one division.
  const double room = left_ * tasks_ - sum_;
  const double unit = room > 0 ? (said * left_ + sum_) / room : 0;
  sum_ += said;
  left_ -= 1;
  if (unit == 0) return;
  if (unit == 1) {
    wins_ += 1;
  } else if (unit == -1) {
    losses_ += 1;
  } else {
    for (std::size_t k = 0; k < graded_.size(); ++k) {
      graded_[k] += natural_log(1.0 + (2.0 * PairEvidence::kComponents[k].gap) * unit);
    }
  }
  log_maximum_ = std::max(log_maximum_, log_evidence());
}

double PanelEvidence::log_evidence() const {
  std::array<double, PairEvidence::kComponents.size()> terms{};
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto [gap, weight] = PairEvidence::kComponents[k];
    terms[k] = natural_log(weight) +
               ((wins_ * natural_log(1.0 + 2.0 * gap) + losses_ * natural_log(1.0 - 2.0 * gap)) +
                graded_[k]);
  }
  const double largest = *std::ranges::max_element(terms);
  double sum = 0;
  for (const double term : terms) {
    if (term - largest > -40.0) sum += exponential(term - largest);
  }
  return largest + natural_log(sum);
}

}  // namespace duel
