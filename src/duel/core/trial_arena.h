// What surrounds a policy in one simulated trial: the outcomes, and the tally of what was played.
// The trial loop, which is compiled with each policy, needs no more of the truth than these
// numbers; a policy sees neither them nor the matrix that they come from (truth/arena.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/duel.h"
#include "duel/core/meeting_counts.h"
#include "duel/core/rng.h"

namespace duel {

// Answers duels in place of coins with a matrix's probabilities: an environment that is more than a
// matrix, such as users who click. One per trial.
class OutcomeSource {
 public:
  virtual ~OutcomeSource() = default;
  // How the `meeting`-th meeting (0-based) of the arms ends, `low` (the smaller number) being the
  // first. A function of its arguments, so that all policies of a trial meet the same answers.
  virtual Outcome answer(Arm low, Arm high, std::uint32_t meeting) = 0;
};

// How often each arm was played (a self-duel counts twice), and how often it was the better one of
// its duel (smaller D; the lower index where equal).
struct PlayTally {
  std::vector<std::uint64_t> plays;
  std::vector<std::uint64_t> better;
};

class TrialArena {
 public:
  // `win_chances[i * K + j]`: how likely arm i is to beat arm j; may be empty where a `source`
  // answers. `merit_rank[i]`: position of arm i, of K, when arms are sorted from best to worst;
  // decides which arm of a duel is the better one. All that is passed must outlive the arena;
  // `source` may be null.
  TrialArena(std::span<const double> win_chances, std::span<const std::uint32_t> merit_rank,
             OutcomeStream outcomes, OutcomeSource* source = nullptr)
      : win_chances_(win_chances.data()),
        num_arms_(merit_rank.size()),
        merit_rank_(merit_rank),
        outcomes_(outcomes),
        source_(source),
        meetings_(num_arms_),
        tally_{std::vector<std::uint64_t>(num_arms_), std::vector<std::uint64_t>(num_arms_)} {
    DUEL_CHECK(win_chances.size() == num_arms_ * num_arms_ ||
               (win_chances.empty() && source != nullptr));
  }

  std::size_t num_arms() const { return num_arms_; }

  // Plays a duel between different arms and says who won.
  Outcome meet(const Duel& duel) {
    const bool in_order = duel.first < duel.second;
    const Arm low = in_order ? duel.first : duel.second;
    const Arm high = in_order ? duel.second : duel.first;
    ++tally_.plays[low];
    ++tally_.plays[high];
    ++tally_.better[merit_rank_[low] < merit_rank_[high] ? low : high];
    ++informative_;
    const std::uint32_t meeting = meetings_.next(low, high);
    if (source_ != nullptr) [[unlikely]] {
      const Outcome outcome = source_->answer(low, high, meeting);
      return in_order ? outcome : mirrored(outcome);
    }
    const std::uint64_t draw = outcomes_.draw(low, high, meeting);
    const bool low_wins = static_cast<double>(draw) < win_chances_[low * num_arms_ + high] * 0x1p53;
    return low_wins == in_order ? Outcome::first_wins : Outcome::second_wins;
  }

  // `rounds` self-duels of one arm.
  void idle(Arm arm, Round rounds) {
    tally_.plays[arm] += 2 * rounds;
    tally_.better[arm] += rounds;
  }

  const PlayTally& tally() const { return tally_; }
  std::uint64_t informative() const { return informative_; }

 private:
  const double* win_chances_;
  std::size_t num_arms_;
  std::span<const std::uint32_t> merit_rank_;
  OutcomeStream outcomes_;
  OutcomeSource* source_;
  MeetingCounts meetings_;
  PlayTally tally_;
  std::uint64_t informative_ = 0;
};

}  // namespace duel
