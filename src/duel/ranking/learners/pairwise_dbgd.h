// DBGD of linear rankers: a learner of points on the unit sphere whose duels are interleaved lists.
// Yue and Joachims, ICML 2009, section 5.2; best published steps delta = 1, gamma = 0.01.
// Assumes    that only the direction of the weights matters.       Guarantee  none on the sphere.
// Cost       one pass over the documents for both rankings, two partial sorts, one merged list.
// Later DBGDs start at 0 and do not normalise, which learns faster in few impressions: that is
// mgd(candidates=1), and docs/learning-to-rank.md compares the two.
// Departs    nowhere; ties, lists alike and lists without clicks decide nothing.
#pragma once

#include <memory>

#include "duel/ranking/interleaving/interleaver.h"
#include "duel/ranking/learners/ranker_learner.h"
#include "duel/ranking/letor/document_order.h"

namespace duel {

class PairwiseDbgd final : public RankerLearner {
 public:
  PairwiseDbgd(std::unique_ptr<PointLearner> points, std::shared_ptr<const Interleaver> interleaver,
               std::size_t length)
      : points_(std::move(points)), interleaver_(std::move(interleaver)), length_(length) {}

  std::span<const Document> show(const QueryDocuments& documents, Round round,
                                 const LearnerStreams& streams) override;
  void observe(std::span<const Position> clicks) override;
  std::span<const double> weights() const override { return points_->recommend(); }
  PointLearner* points() override { return points_.get(); }
  std::string save() const override { return points_->save(); }
  Status restore(std::string_view saved) override { return points_->restore(saved); }

 private:
  std::unique_ptr<PointLearner> points_;
  std::shared_ptr<const Interleaver> interleaver_;
  std::size_t length_;
  std::uint64_t ticket_ = 0;
  DocumentOrder first_order_, second_order_;
  std::vector<double> first_scores_, second_scores_;
  Interleaving shown_;
};

}  // namespace duel
