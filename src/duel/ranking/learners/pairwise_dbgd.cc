#include "duel/ranking/learners/pairwise_dbgd.h"

namespace duel {

std::span<const Document> PairwiseDbgd::show(const QueryDocuments& documents, Round round,
                                             const LearnerStreams& streams) {
  const PointDuel duel = points_->select(round, streams.choice.at(round));
  ticket_ = duel.ticket;
  first_scores_.resize(documents.num_documents());
  second_scores_.resize(documents.num_documents());
  const double* const weights_of_both[] = {duel.first.data(), duel.second.data()};
  double* const scores_of_both[] = {first_scores_.data(), second_scores_.data()};
  score_documents(documents, weights_of_both, scores_of_both);
  RoundRng rng = streams.list.at(round);
  // Both rankings order equal scores alike: where the weights do not differ, nor do the lists.
  const std::uint64_t ties = rng.bits();
  const auto first = first_order_.top(first_scores_, length_, ties);
  const auto second = second_order_.top(second_scores_, length_, ties);
  interleaver_->interleave(first, second, length_, rng, shown_);
  return shown_.documents;
}

void PairwiseDbgd::observe(std::span<const Position> clicks) {
  points_->observe(ticket_, {as_answer(interleaver_->credit(shown_, clicks).outcome)});
}

}  // namespace duel
