// What a member of a panel is asked next: by the rule of `certify` for orders (certify_order.h),
// with the lead among these people in place of the evidence.
//
// The state is a sequence of the arms, drawn at random at first. Of the pairs that are open and
// that the member has not been asked, those of its first arm come first; of these the one with the
// smallest lead in the sequence's direction, ties by lot. If an answer puts the later arm ahead,
// the two change places. Without the swap the rule could be stuck with an arm that was lucky.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/experiment/panel.h"

namespace duel {

class PanelChoice {
 public:
  PanelChoice(std::size_t num_arms, RoundRng rng);

  // The pair, the arm first that is earlier in the sequence; nothing where no answer of this
  // subject can matter.
  std::optional<Duel> next(const Panel& panel, const std::string& subject,
                           const std::function<bool(Arm)>& cannot_be_shown, RoundRng rng) const;
  // The pair was answered.
  void heard(const PanelCount& count, Arm i, Arm j);

  std::uint64_t hash(std::uint64_t hash) const;
  void fields(auto& archive) { archive(sequence_); }
  bool restored(std::size_t num_arms) const;

 private:
  std::vector<Arm> sequence_;
};

}  // namespace duel
