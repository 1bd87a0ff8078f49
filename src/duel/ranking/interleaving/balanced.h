// Balanced interleaving.
// Joachims, KDD 2002; Radlinski, Kurup, Joachims, CIKM 2008.
// A coin names who goes first; then the rankings take turns by depth, and what is shown already is
// passed over. The list ends when one ranking does.
// Credit     with k the smaller rank of the lowest click: clicks within each ranking's top k.
// Biased     A = (a,b,c), B = (b,c,a): a user who clicks at random prefers B.
#pragma once

#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

class BalancedInterleaver final : public Interleaver {
 public:
  std::string canonical() const override { return "balanced"; }
  void interleave(std::span<const Document> first, std::span<const Document> second,
                  std::size_t length, RoundRng& rng, Interleaving& shown) const override;
  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override;
  bool is_additive() const override { return false; }
  Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length) const override;
};

}  // namespace duel
