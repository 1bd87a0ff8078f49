// Rankers made worse on purpose, as Radlinski, Kurup and Joachims (CIKM 2008) did with a search
// engine whose users then told, or did not tell, the difference: so that it is known which of two
// rankers is the better one. The damage is drawn once per query and the same ever after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "duel/ranking/letor/ranker.h"

namespace duel {

// The top `depth` documents in random order, the rest as they were: RAND, of the eleven first.
class ShuffledRanker final : public Ranker {
 public:
  static constexpr std::size_t kDepth = 11;

  ShuffledRanker(std::string name, std::shared_ptr<const Ranker> base, std::uint64_t seed,
                 std::size_t depth = kDepth)
      : Ranker(std::move(name)), base_(std::move(base)), seed_(seed), depth_(depth) {}

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override;

 private:
  std::shared_ptr<const Ranker> base_;
  std::uint64_t seed_;
  std::size_t depth_;
};

// `swaps` documents of ranks 1 to 5 change places with as many of ranks 7 to 11: SWAP2 and SWAP4.
// A short list swaps as many as it has.
class SwappedRanker final : public Ranker {
 public:
  static constexpr std::size_t kUpperEnd = 5;                    // ranks 1 .. 5
  static constexpr std::size_t kLowerBegin = 6, kLowerEnd = 11;  // ranks 7 .. 11

  SwappedRanker(std::string name, std::shared_ptr<const Ranker> base, std::uint64_t seed,
                std::size_t swaps)
      : Ranker(std::move(name)), base_(std::move(base)), seed_(seed), swaps_(swaps) {}

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override;

 private:
  std::shared_ptr<const Ranker> base_;
  std::uint64_t seed_;
  std::size_t swaps_;
};

}  // namespace duel
