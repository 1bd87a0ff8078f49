// A learner of points is asked for two points and told which won. It owns no loop, clock or output,
// sees no values, and its randomness is an argument.
//
//   PointDuel duel = learner.select(round, rng);
//   learner.observe(duel.ticket, answer);
//
// `select` may be asked any number of times: until enough comparisons of a proposal were observed
// it stays the same proposal. A learner whose updates take n comparisons keeps the pair for n of
// them. Answers may come late: one for a proposal that was already decided is ignored.
//
// It tries one random direction u at a time (Flaxman, Kalai and McMahan, SODA 2005; Yue and
// Joachims, ICML 2009): from w it proposes w' = P(w + delta u), P the projection on the set, and
// after `batch` comparisons of that pair moves to P(w + gamma c u), along the direction as it was
// drawn even where w' was projected. What c is, is what tells the learners apart (dbgd.h, bgd.h);
// for c = 0 the point keeps its bits.
// Cost       O(d) per proposal and per move, none per comparison in between; 4 d numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/continuous/point_set.h"
#include "duel/core/archive.h"
#include "duel/core/duel.h"
#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"

namespace duel {

// Where the learner stands, and what it tries. The spans are the learner's own; they hold until the
// next `observe`.
struct PointDuel {
  std::span<const double> first;
  std::span<const double> second;
  std::uint64_t ticket = 0;  // counts proposals
};

// The answer to one comparison. A tie is not a win of `second`; `skip`, `both_bad` and `none` use
// up the comparison and decide nothing. The probability is for learners of a simulation that see
// the number itself.
struct PointAnswer {
  Outcome outcome = Outcome::none;
  std::optional<double> probability_first_wins = std::nullopt;
};

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

  void fields(auto& archive) {
    archive(comparisons, first_wins, second_wins, sum_of_probabilities);
  }
};

// c: how far to move along the direction, in units of gamma.
using PointStep = double (*)(const ProposalTally& tally);

class PointLearner {
 public:
  // `start` is projected on the set. A learner that `sees_probability` needs it in every answer.
  // REQUIRES: `start` has the set's dimension and finite coordinates; `options` gave `steps`.
  PointLearner(std::string identity, PointStep step, bool sees_probability,
               const DirectionOptions& options, StepSizes steps, PointSetPtr set,
               std::vector<double> start);

  std::size_t dimension() const { return state_.point.size(); }
  // Draws a proposal from `rng`, the choice stream at `round`, if none is pending.
  PointDuel select(Round round, RoundRng rng);
  void observe(std::uint64_t ticket, const PointAnswer& answer);
  // The point it would return now.
  std::span<const double> recommend() const { return state_.point; }
  // How often the point moved; while it is the same, so is every bit of the point.
  std::uint64_t moves() const { return state_.moves; }

  std::string save() const;
  // A state of another learner, set or dimension is refused and changes nothing.
  Status restore(std::string_view saved);

  const PointSet& set() const { return *set_; }
  // The direction of the pending proposal.
  std::span<const double> direction() const { return state_.direction; }

 private:
  struct State {
    std::vector<double> point, direction, proposal;
    ProposalTally tally;
    std::uint64_t ticket = 0;
    std::uint64_t moves = 0;
    std::uint8_t pending = 0;
    double gamma = 0;

    void fields(auto& archive) {
      archive(point, direction, proposal, tally, ticket, moves, pending, gamma);
    }
  };

  std::string identity_;
  PointStep step_;
  bool sees_probability_;
  DirectionOptions options_;
  StepSizes steps_;
  PointSetPtr set_;
  State state_;
};

}  // namespace duel
