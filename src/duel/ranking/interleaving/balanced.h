// Balanced interleaving.
// Joachims, KDD 2002; Radlinski, Kurup, Joachims, CIKM 2008.
// A coin names who goes first; then the rankings take turns by depth, and what is shown already is
// passed over.
// Credit     with k the smaller rank of the lowest click: clicks within each ranking's top k.
// Biased     A = (a,b,c), B = (b,c,a): a user who clicks at random prefers B.
// Departs    the published loop stops as soon as one ranking is through. Here both take their turn
//            at the last common depth, and the page is then filled from the longer ranking without
//            credit; `fill=false` is the paper's.
#pragma once

#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

struct BalancedOptions {
  bool fill = true;
};

class BalancedInterleaver final : public Interleaver {
 public:
  explicit BalancedInterleaver(const BalancedOptions& options = {}) : options_(options) {}

  std::string canonical() const override;
  void interleave(std::span<const Document> first, std::span<const Document> second,
                  std::size_t length, RoundRng& rng, Interleaving& shown) const override;
  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override;
  bool is_additive() const override { return false; }
  Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length) const override;

 private:
  BalancedOptions options_;
};

}  // namespace duel
