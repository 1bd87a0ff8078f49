#include "duel/experiment/tasks_left.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "duel/experiment/ledger.h"
#include "duel/experiment/tuned_space.h"

namespace duel {
namespace {

// Of a set: each arm must still be able to be in it (beat K - k others) or outside (lose to k), and
// enough arms either. Every set that is possible fulfils this, so that no run ends which could go
// on. A sequence is found by taking for each place any arm that may still beat all that are left:
// if some sequence is possible, so is the one with this arm moved to the front.
bool order_needs_more_tasks(const Ledger& ledger, const OrderCertifier& orders) {
  const std::size_t num_arms = ledger.num_arms();
  const std::size_t k = static_cast<std::size_t>(orders.goal().arms_named(num_arms));
  const auto may_beat = [&](Arm i, Arm j) {
    return ledger.fresh_tasks(i, j) > 0 || orders.reached(i, j);
  };
  if (orders.goal().kind == Goal::set) {
    std::size_t members = 0, others = 0;
    for (Arm i = 0; i < num_arms; ++i) {
      std::size_t beats = 0, loses = 0;
      for (Arm j = 0; j < num_arms; ++j) {
        if (j == i) continue;
        beats += may_beat(i, j) ? 1 : 0;
        loses += may_beat(j, i) ? 1 : 0;
      }
      const bool may_be_in = beats >= num_arms - k, may_be_out = loses >= k;
      if (!may_be_in && !may_be_out) return true;
      members += may_be_in ? 1 : 0;
      others += may_be_out ? 1 : 0;
    }
    return members < k || others < num_arms - k;
  }
  std::vector<bool> named(num_arms, false);
  for (std::size_t place = 0; place < k; ++place) {
    Arm next = 0;
    const auto beats_rest = [&](Arm i) {
      for (Arm j = 0; j < num_arms; ++j) {
        if (j != i && !named[j] && !may_beat(i, j)) return false;
      }
      return true;
    };
    while (next < num_arms && (named[next] || !beats_rest(next))) ++next;
    if (next == num_arms) return true;
    named[next] = true;
  }
  return false;
}

}  // namespace

bool is_open(const Ledger& ledger, Arm i, Arm j) {
  if (const auto& scores = ledger.scores()) return !scores->decided(i, j);
  if (const auto& orders = ledger.orders()) return !orders->reached(i, j) && !orders->reached(j, i);
  return !ledger.certifier().settled(i, j) && !ledger.certifier().settled(j, i);
}

bool needs_more_tasks(const Ledger& ledger, Arm i, Arm j) {
  return ledger.parts().tasks_end && ledger.fresh_tasks(i, j) == 0 && is_open(ledger, i, j);
}

bool needs_more_tasks(const Ledger& ledger) {
  if (!ledger.parts().tasks_end) return false;
  if (ledger.orders()) return order_needs_more_tasks(ledger, *ledger.orders());
  const auto& scores = ledger.scores();
  const Certifier& certifier = ledger.certifier();
  bool all_may_be_beaten = true;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    if (!ledger.arms()[i].active) continue;
    bool may_win = true, may_be_beaten = false;
    for (Arm j = 0; j < ledger.num_arms(); ++j) {
      if (j == i || !ledger.arms()[j].active) continue;
      const bool fresh = ledger.fresh_tasks(i, j) > 0;
      if (scores && fresh && !scores->decided(i, j)) return false;
      may_win = may_win && (fresh || certifier.settled(i, j));
      may_be_beaten = may_be_beaten || fresh || certifier.declared(j, i);
    }
    if (!scores && may_win) return false;
    all_may_be_beaten = all_may_be_beaten && may_be_beaten;
  }
  // "No winner" is a certificate too, but not where one is taken to exist or one that is good
  // enough will do.
  const Goal& goal = ledger.experiment().goal;
  const bool no_winner = goal.kind == Goal::condorcet && goal.assume == Assumption::none;
  return scores || !no_winner || !all_may_be_beaten;
}

bool may_prove(const TunedSpace& space, std::string_view task) {
  return space.is_for_proofs(task) && !space.has_met(task);
}

bool proof_needs_more_tasks(const Ledger& ledger) {
  const auto items = ledger.tasks().items.items();
  if (items.empty() || !ledger.parts().tasks_end) return false;
  return ledger.tuned()->proof().stands() && std::ranges::none_of(items, [&](const Json& item) {
           return may_prove(*ledger.tuned(), item.at("task_id").get<std::string>());
         });
}

}  // namespace duel
