// A learner of points is asked for two points and told which won. It owns no loop, clock or output,
// sees no values, and its randomness is an argument.
//
//   PointDuel duel = learner.select(round, rng);
//   learner.observe(duel.ticket, answer);
//
// `select` may be asked any number of times: until enough comparisons of a proposal were observed
// it stays the same proposal. A learner whose updates take n comparisons keeps the pair for n of
// them. Answers may come late: one for a proposal that was already decided is ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "duel/core/duel.h"
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

class PointLearner {
 public:
  virtual ~PointLearner() = default;

  virtual std::size_t dimension() const = 0;
  // Draws a proposal from `rng`, the choice stream at `round`, if none is pending.
  virtual PointDuel select(Round round, RoundRng rng) = 0;
  // REQUIRES: the probability is given if the learner's facts say that it sees it.
  virtual void observe(std::uint64_t ticket, const PointAnswer& answer) = 0;
  // The point it would return now.
  virtual std::span<const double> recommend() const = 0;
  // How often the point moved; while it is the same, so is every bit of the point.
  virtual std::uint64_t moves() const = 0;

  virtual std::string save() const = 0;
  // A state of another learner, set or dimension is refused and changes nothing.
  virtual Status restore(std::string_view saved) = 0;
};

}  // namespace duel
