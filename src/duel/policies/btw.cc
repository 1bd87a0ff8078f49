#include "duel/policies/btw.h"

#include <algorithm>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

template <bool resets>
BeatTheWinner<resets>::BeatTheWinner(const Options& options, std::size_t num_arms, RoundRng rng)
    : options_(options), num_arms_(num_arms), queue_(all_arms(num_arms)) {
  shuffle(queue_, rng);
}

template <bool resets>
void BeatTheWinner<resets>::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign || duel.is_self() || began_ == 0 || duel.round < began_) return;
  const auto points = points_of(outcome, options_.ties, rng);
  if (!points || points->first == points->second) return;
  ++(points->first > points->second ? wins_ : losses_);
  if (wins_ < target_ && losses_ < target_) return;
  const bool stays = wins_ >= target_;
  target_ = stays || !resets ? target_ + 1 : 1;
  if (!stays) std::swap(queue_[0], queue_[1]);
  // The loser stands second: to the back.
  std::rotate(queue_.begin() + 1, queue_.begin() + 2, queue_.end());
  wins_ = losses_ = 0;
  began_ = 0;
}

template <bool resets>
bool BeatTheWinner<resets>::restored() const {
  std::vector<std::uint8_t> seen(num_arms_);
  if (queue_.size() != num_arms_) return false;
  for (const Arm arm : queue_) {
    if (arm >= num_arms_ || seen[arm]++ != 0) return false;
  }
  return target_ >= 1 && wins_ < target_ && losses_ < target_;
}

template class BeatTheWinner<false>;
template class BeatTheWinner<true>;

namespace {

const char* const kBtwPaper =
    "Kolpaczki, Bengs, Huellermeier: Non-Stationary Dueling Bandits. 2022, Algorithm ";

const bool btw_is_registered =
    register_policy<Btw>({.name = "btw",
                          .title = "Beat the Winner, for weak regret",
                          .paper = std::string(kBtwPaper) + "BtW",
                          .setting = "Condorcet winner",
                          .guarantee = "weak regret O(K log K), whatever T",
                          .status = "tested",
                          .keeps_pairs = false},
                         {});

const bool btwr_is_registered =
    register_policy<Btwr>({.name = "btwr",
                           .title = "Beat the Winner Reset, for weak regret under changes",
                           .paper = std::string(kBtwPaper) + "BtWR",
                           .setting = "Condorcet winner that changes now and then",
                           .guarantee = "weak regret O(K log K) per change, whatever T",
                           .departs = "nowhere; the form for strong regret is not offered",
                           .status = "tested",
                           .keeps_pairs = false},
                          {});

}  // namespace
}  // namespace duel
