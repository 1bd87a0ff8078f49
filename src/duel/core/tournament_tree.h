// A summary of n leaves that stays up to date as single leaves change: O(log n) per change, the
// summary of all in O(1). `Node{}` must be the neutral element of `join(Node, Node)`, which is
// found by argument-dependent lookup and joins a left part with a right part.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace duel {

template <class Node>
class TournamentTree {
 public:
  // All leaves are neutral.
  explicit TournamentTree(std::size_t num_leaves)
      : first_leaf_(std::bit_ceil(std::max<std::size_t>(num_leaves, 1))), nodes_(2 * first_leaf_) {}

  const Node& all() const { return nodes_[1]; }
  const Node& leaf(std::size_t index) const { return nodes_[first_leaf_ + index]; }

  void set(std::size_t index, const Node& node) {
    std::size_t at = first_leaf_ + index;
    nodes_[at] = node;
    while (at > 1) {
      at /= 2;
      nodes_[at] = join(nodes_[2 * at], nodes_[2 * at + 1]);
    }
  }

  // The leaf at the end of a walk from the top: `go_right(left, right)` is asked at every fork.
  template <class GoRight>
  std::size_t descend(GoRight go_right) const {
    std::size_t at = 1;
    while (at < first_leaf_) {
      at = 2 * at + (go_right(nodes_[2 * at], nodes_[2 * at + 1]) ? 1 : 0);
    }
    return at - first_leaf_;
  }

 private:
  std::size_t first_leaf_;
  std::vector<Node> nodes_;  // node k has children 2k and 2k + 1; leaves start at first_leaf_
};

}  // namespace duel
