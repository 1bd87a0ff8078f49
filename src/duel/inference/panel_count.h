// Counting a panel: which arms these people prefer, and no others. Of a pair each member has one
// answer, asked once: +1 for the one arm, -1 for the other, 0 for neither. With S_ij the sum of the
// answers from i's side and U_ij the number of those that have not come,
//   i beats j          when S_ij > U_ij,
//   i cannot beat j    when S_ij + U_ij <= 0,
// whatever the others will say, in any order, and also if some of them never answer. That is
// arithmetic: it needs no error level and no assumption. An arm that beats every other is the
// winner; if every arm has one that it cannot beat, there is none.
//
// With tasks a member has an answer about each, and the units of counting are those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"

namespace duel {

class PanelCount {
 public:
  explicit PanelCount(std::size_t num_arms)
      : num_arms_(num_arms), wins_(num_arms * num_arms), answers_(num_arms * num_arms) {}

  std::size_t num_arms() const { return num_arms_; }
  // How many answers a pair can have. Nothing is certain before that is known.
  void set_most_answers(std::uint64_t most) { most_ = most; }
  const std::optional<std::uint64_t>& most_answers() const { return most_; }

  // `answer`: 1 for i, -1 for j, 0 for neither. REQUIRES: the pair lacks an answer.
  void answer(Arm i, Arm j, int answer);

  // Answers for i.
  std::uint64_t wins(Arm i, Arm j) const { return wins_[i * num_arms_ + j]; }
  std::int64_t lead(Arm i, Arm j) const {  // S_ij
    return static_cast<std::int64_t>(wins(i, j)) - static_cast<std::int64_t>(wins(j, i));
  }
  std::uint64_t answers(Arm i, Arm j) const { return answers_[i * num_arms_ + j]; }
  // U_ij. REQUIRES: most_answers().
  std::uint64_t unknown(Arm i, Arm j) const { return *most_ - answers(i, j); }

  bool beats(Arm i, Arm j) const { return most_ && lead(i, j) > signed_unknown(i, j); }
  bool cannot_beat(Arm i, Arm j) const { return most_ && lead(i, j) + signed_unknown(i, j) <= 0; }
  // For each arm, whether there is none that it cannot beat. O(K^2).
  std::vector<bool> possible_winners() const;
  // Whether more answers of the pair can matter: an arm of it can still be the winner, and whether
  // that arm beats the other is unknown. (It is not enough that one side can't beat the other: two
  // people who are asked one after the other would never be done.) `may_win`: of now.
  bool open(const std::vector<bool>& may_win, Arm i, Arm j) const {
    return (may_win[i] && undecided(i, j)) || (may_win[j] && undecided(j, i));
  }

  void fields(auto& archive) { archive_fields(archive, most_, wins_, answers_); }
  bool restored() const;

 private:
  std::int64_t signed_unknown(Arm i, Arm j) const {
    return static_cast<std::int64_t>(unknown(i, j));
  }
  bool undecided(Arm i, Arm j) const { return !beats(i, j) && !cannot_beat(i, j); }

  std::size_t num_arms_;
  std::optional<std::uint64_t> most_;
  std::vector<std::uint64_t> wins_;
  std::vector<std::uint64_t> answers_;
};

}  // namespace duel
