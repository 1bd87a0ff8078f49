// The frame of learners that try one random direction u at a time (Flaxman, Kalai and McMahan, SODA
// 2005; Yue and Joachims, ICML 2009): from w they propose w' = P(w + delta u), P the projection on
// the set, and after `batch` comparisons of that pair move to P(w + gamma c u), along the direction
// as it was drawn even where w' was projected. What c is, is what tells the learners apart; for c =
// 0 the point keeps its bits.
// Cost       O(d) per proposal and per move, none per comparison in between; 4 d numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/continuous/point_learner.h"
#include "duel/continuous/point_set.h"
#include "duel/core/archive.h"
#include "duel/core/options.h"

namespace duel {

// Which analysis the automatic delta follows: with L the Lipschitz constant of the comparison,
// theorem 2 has delta = sqrt(2 R d/(13 L)) T^(-1/4), corollary 2 (the smoothed loss is convex where
// the learner stands) sqrt(2 R d/(5 L)) T^(-1/4).
enum class StepAnalysis { corollary, theorem };

struct DirectionOptions {
  std::optional<double> delta;  // exploration: the length of a proposal; auto: the analysis
  std::optional<double> gamma;  // exploitation: the length of a move; auto: R/sqrt(T)
  double delta_l = 1;           // the free factor of the automatic delta, 1/sqrt(L) in the analysis
  StepAnalysis analysis = StepAnalysis::corollary;
  std::uint64_t horizon = 0;  // T, comparisons; 0: not known
  std::uint64_t batch = 1;    // comparisons per move
  double decay = 1;           // gamma is multiplied by it after every decided proposal
};

OptionTable<DirectionOptions> direction_options();

struct StepSizes {
  double delta = 0;
  double gamma = 0;
};

// Error: an automatic size without a horizon, or on a set without a finite radius.
Result<StepSizes> step_sizes(const DirectionOptions& options, const PointSet& set);

// What the comparisons of one proposal said.
struct ProposalTally {
  std::uint64_t comparisons = 0;
  std::uint64_t first_wins = 0;
  std::uint64_t second_wins = 0;
  double sum_of_probabilities = 0;  // that `first` wins; only where the learner sees it

  template <class Archive>
  void fields(Archive& archive) {
    archive(comparisons, first_wins, second_wins, sum_of_probabilities);
  }
};

class DirectionLearner : public PointLearner {
 public:
  // `start` is projected on the set. REQUIRES: it has the set's dimension and finite coordinates;
  // `options` gave `steps`.
  DirectionLearner(std::string identity, const DirectionOptions& options, StepSizes steps,
                   PointSetPtr set, std::vector<double> start);

  std::size_t dimension() const override { return point_.size(); }
  PointDuel select(Round round, RoundRng rng) override;
  void observe(std::uint64_t ticket, const PointAnswer& answer) override;
  std::span<const double> recommend() const override { return point_; }
  std::uint64_t moves() const override { return moves_; }
  std::string save() const override;
  Status restore(std::string_view saved) override;

  const PointSet& set() const { return *set_; }
  StepSizes steps() const { return steps_; }
  // The direction of the pending proposal.
  std::span<const double> direction() const { return direction_; }

 private:
  // c: how far to move along the direction, in units of gamma.
  virtual double step(const ProposalTally& tally) const = 0;
  virtual bool sees_probability() const = 0;

  template <class Archive>
  void fields(Archive& archive) {
    archive(point_, direction_, proposal_, tally_, ticket_, moves_, pending_, gamma_);
  }

  std::string identity_;
  DirectionOptions options_;
  StepSizes steps_;
  PointSetPtr set_;
  std::vector<double> point_, direction_, proposal_;
  ProposalTally tally_;
  std::uint64_t ticket_ = 0;
  std::uint64_t moves_ = 0;
  std::uint8_t pending_ = 0;
  double gamma_;
};

}  // namespace duel
