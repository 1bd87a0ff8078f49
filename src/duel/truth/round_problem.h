// Problems in which a round is more than a duel between two arms that stay what they are: several
// arms may be shown at once, or the arms have other features in every round (a context).
//
//   choice(matrix=plackett-luce(k=10,seed=1,spread=1),m=4)  one of up to 4 arms is chosen
//   multileave(matrix=arxiv,m=4)                            every pair of up to 4 arms is compared
//   linear(k=32,d=5,seed=1,scale=1,features=sphere,fresh=true)  new rows of features every round
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/duel.h"
#include "duel/core/feature_rows.h"
#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// One trial of such a problem; it is asked round by round.
class RoundTrial {
 public:
  virtual ~RoundTrial() = default;

  // What a round is about. It holds until the next one begins.
  struct Scene {
    const FeatureRows* context = nullptr;  // what policies are told of the arms; null: nothing
    Arm best = 0;
    std::span<const double> gaps;          // how much more than half the best wins against each
    std::span<const double> utility_gaps;  // what each falls short of the best; empty: no utilities
  };
  virtual Scene begin(Round round) = 0;

  struct Answer {
    std::optional<Arm> chosen;  // of those shown; or
    struct Pair {
      Arm first;
      Arm second;
      Outcome outcome;
    };
    std::vector<Pair> pairs;  // what was compared of them
  };
  // What the arms that are shown together tell. REQUIRES: two or more, different.
  virtual Answer answer(std::span<const Arm> shown) = 0;
};

// Immutable and shared between threads.
class RoundProblem {
 public:
  virtual ~RoundProblem() = default;
  const std::string& name() const { return name_; }  // canonical
  std::size_t num_arms() const { return num_arms_; }
  // Arms that can be shown at once.
  std::size_t most_shown() const { return most_shown_; }
  bool has_utilities() const { return has_utilities_; }
  // The truth about duels, where the arms stay the same; it outlives what asks for it.
  virtual const PreferenceMatrix* matrix() const { return nullptr; }
  // Which duels a policy is told of before the first round; null: nothing.
  virtual std::shared_ptr<const FeatureRows> features() const { return nullptr; }
  virtual std::unique_ptr<RoundTrial> trial(std::uint64_t seed, std::uint32_t trial) const = 0;

 protected:
  RoundProblem(std::string name, std::size_t num_arms, std::size_t most_shown, bool has_utilities)
      : name_(std::move(name)),
        num_arms_(num_arms),
        most_shown_(most_shown),
        has_utilities_(has_utilities) {}

 private:
  std::string name_;
  std::size_t num_arms_;
  std::size_t most_shown_;
  bool has_utilities_;
};
using RoundProblemPtr = std::shared_ptr<const RoundProblem>;

// Whether a call names such a problem.
bool is_round_problem(const CallSpec& call);
Result<RoundProblemPtr> round_problem(const CallSpec& call);

}  // namespace duel
