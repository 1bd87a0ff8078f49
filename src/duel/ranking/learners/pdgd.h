// Pairwise Differentiable Gradient Descent (PDGD).
// Oosterhuis and de Rijke, CIKM 2018. The list is drawn from the Plackett-Luce model of the scores
// f. A click infers that the clicked document k is better than every unclicked one l among those
// above the last click and the one after it; each such pair moves the weights by rho sigma(f_k -
// f_l) sigma(f_l - f_k) (x_k - x_l), where rho = P(R*)/(P(R) + P(R*)), R* the list with k and l
// swapped, undoes the bias of their places.
// Assumes    nothing proved of regret.       Guarantee  unbiased towards pairwise preferences.
// Cost       O(d documents) to show, O(d length + length^3) to learn.
// Departs    nowhere; scores are taken relative to the largest, sums are added, never subtracted.
#pragma once

#include <optional>

#include "duel/ranking/learners/ranker_learner.h"
#include "duel/ranking/letor/document_order.h"

namespace duel {

struct PdgdOptions {
  double eta = 0.1;
  double decay = 0.9999977;
};

// The factor on x_k and x_l for a clicked place k and an unclicked place l of a shown list: rho
// sigma(f_k - f_l) sigma(f_l - f_k). `shown` are the scores in the order shown, `rest` is the sum
// of exp(score - largest) over the documents not shown. REQUIRES: all scores finite, `largest` the
// largest of all documents.
double pdgd_weight(std::span<const double> shown, double rest, double largest, Position clicked,
                   Position unclicked);

class Pdgd final : public RankerLearner {
 public:
  Pdgd(std::string identity, const PdgdOptions& options, std::size_t num_features,
       std::size_t length);

  std::span<const Document> show(const QueryDocuments& documents, Round round,
                                 const LearnerStreams& streams) override;
  void observe(std::span<const Position> clicks) override;
  std::span<const double> weights() const override { return state_.weights; }
  std::string save() const override { return state_.save(); }
  Status restore(std::string_view saved) override { return state_.restore(saved); }

 private:
  PdgdOptions options_;
  std::size_t length_;
  WeightState state_;
  std::optional<QueryDocuments> documents_;  // of the last list
  std::vector<double> scores_, noisy_;
  std::vector<char> is_shown_;        // by document
  std::vector<double> shown_scores_;  // by place
  std::vector<double> coefficients_;  // by place: what the clicks make of its document in the step
  double rest_ = 0, largest_ = 0;
  DocumentOrder order_;
  std::vector<Document> list_;
};

}  // namespace duel
