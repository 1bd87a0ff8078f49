// Which of the live nodes takes an experiment that nobody owns: each pair of node and experiment
// has a number, and the node with the largest one takes it (rendezvous hashing; Thaler and
// Ravishankar 1998). Nodes that see the same list agree without talking to each other, and when a
// node comes or goes only its own experiments move.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "duel/core/rng.h"
#include "duel/store/nodes.h"

namespace duel {

inline std::uint64_t rendezvous_weight(std::string_view node_id, std::string_view experiment) {
  return mix64(hash_text(node_id) ^ mix64(hash_text(experiment)));
}

// Null if the list is empty.
inline const NodeAddress* rendezvous(std::span<const NodeAddress> nodes,
                                     std::string_view experiment) {
  const NodeAddress* chosen = nullptr;
  std::uint64_t heaviest = 0;
  for (const NodeAddress& node : nodes) {
    const std::uint64_t weight = rendezvous_weight(node.node_id, experiment);
    const bool wins = chosen == nullptr || weight > heaviest ||
                      (weight == heaviest && node.node_id < chosen->node_id);
    if (!wins) continue;
    chosen = &node;
    heaviest = weight;
  }
  return chosen;
}

}  // namespace duel
