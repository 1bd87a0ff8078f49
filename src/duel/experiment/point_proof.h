// The proof that a point of a space beats the one in use: candidates c_1, c_2, .., each tested
// against it from evidence 1, and each given up for good at most once. Candidate m may be certified
// falsely with probability alpha/(m (m + 1)), which over all candidates sums to alpha, whatever the
// candidates are and whatever gives them up, as long as that looks at the past only.
//
// Where a certified point becomes the one in use and the search goes on, the g-th point in use is
// challenged with 2^-g of alpha.
//
// One rule for live experiments (statement.h) and for simulated ones (study/tuning_trial.h).
#pragma once

#include <cstdint>
#include <optional>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/inference/evidence.h"
#include "duel/inference/serving_order.h"

namespace duel {

class PointProof {
 public:
  // `generations`: several points in use share alpha.
  PointProof(double alpha, bool generations) : alpha_(alpha), generations_(generations) {}

  bool stands() const { return stands_; }              // a candidate is being tested
  std::uint64_t candidate() const { return number_; }  // m, of this generation; 0: none yet
  std::uint64_t generation() const { return generation_; }
  std::uint64_t candidates() const { return candidates_; }  // of all generations
  // Of the candidate m of this generation.
  double level(std::uint64_t m) const;
  double log_threshold() const;  // of the present candidate
  std::uint64_t wins() const { return wins_; }
  std::uint64_t losses() const { return losses_; }
  // ln E that the candidate beats the point in use; and the reverse.
  double log_evidence() const { return evidence_.log_evidence(wins_, losses_); }
  double log_against() const { return evidence_.log_evidence(losses_, wins_); }
  // The present candidate has reached its threshold; it is one no longer when the next is taken.
  bool certified() const { return certified_; }
  // What stood when it did.
  double certified_log_evidence() const { return at_certificate_; }
  bool ever_certified() const { return ever_certified_; }

  // REQUIRES: no candidate stands.
  void take();
  // The candidate is given up. Answers to its duels that are still out count for nothing.
  void give_up();
  // The certified point is in use now: a new generation begins. REQUIRES: certified().
  void adopt();

  // Answers that are in, and the duels before them that they wait for: by their place, less that of
  // the candidate's first duel.
  const ServingOrder& order() const { return order_; }
  std::uint64_t first_place() const { return first_place_; }

  // A duel of the candidate against the point in use goes out; its place in the order of serving.
  // REQUIRES: there was a candidate.
  std::uint64_t served(bool candidate_first = true);
  // Its final answer, of the two as they were shown. `Outcome::none`: it was lost.
  void answered(std::uint64_t place, Outcome outcome);

 private:
  double alpha_;
  bool generations_;
  PairEvidence evidence_;
  std::uint64_t generation_ = 1;
  std::uint64_t number_ = 0;
  std::uint64_t candidates_ = 0;
  bool stands_ = false;
  bool certified_ = false;
  bool ever_certified_ = false;
  double at_certificate_ = 0;
  std::uint64_t wins_ = 0;
  std::uint64_t losses_ = 0;
  ServingOrder order_;
  std::uint64_t first_place_ = 0;  // of the candidate: what was served before it is not about it
  std::uint64_t next_place_ = 0;
};

}  // namespace duel
