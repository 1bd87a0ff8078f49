// Optimised interleaving.
// Radlinski, Craswell, WSDM 2013. Candidates are all lists made by taking, again and again, the
// best document not shown yet of one ranking or the other. A linear programme finds their
// probabilities: for every k the expected credit of the top k is 0 (who looks at the top k and
// clicks one of them at random favours nobody), and among those the most sensitive. Where no such
// probabilities exist, each k may miss 0 by lambda_k, and sum lambda_k is minimised along.
// Credit     delta(x) = credit_A(x) - credit_B(x) for each click, by the ranks of x.
// Cost       2^L candidates at most; beyond `candidates` a random sample of that many is used.
//            Solving takes milliseconds, drawing nanoseconds: `solve` once, `draw` often.
#pragma once

#include <cstdint>

#include "duel/ranking/interleaving/interleaver.h"
#include "duel/ranking/interleaving/rank_credit.h"

namespace duel {

// With o_l = sum_i f(i) delta(l_i), f(i) proportional to 1/i: minimise sum_l p_l o_l^2/4, or
// maximise sum_l p_l |o_l|.
enum class Sensitivity { variance, absolute };

struct OptimisedOptions {
  RankCredit credit = RankCredit::inverse_rank;
  Sensitivity sensitivity = Sensitivity::variance;
  std::uint64_t candidates = 10'000;
};
// The solved programme for two rankings.
struct OptimisedPlan {
  void draw(RoundRng& rng, Interleaving& shown) const;

  std::vector<WeightedInterleaving> candidates;  // those with positive probability
  std::vector<double> cumulative;                // their probabilities, added up
  std::size_t num_considered = 0;
  bool is_sampled = false;  // the candidates were too many to list
  double slack = 0;         // sum lambda_k; 0 where the programme is feasible
};

class OptimisedInterleaver final : public Interleaver {
 public:
  OptimisedInterleaver(std::string canonical, const OptimisedOptions& options)
      : canonical_(std::move(canonical)), options_(options) {}

  std::string canonical() const override { return canonical_; }
  // Solves and draws. For more than one list from the same rankings use `solve` or `prepare`.
  void interleave(std::span<const Document> first, std::span<const Document> second,
                  std::size_t length, RoundRng& rng, Interleaving& shown) const override;
  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override {
    return additive_credit(shown, clicks);
  }
  bool is_additive() const override { return true; }
  bool prepares() const override { return true; }
  // Refuses rankings with more candidates than are listed: the sample is random itself.
  Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length) const override;
  std::unique_ptr<const PreparedInterleaving> prepare(std::span<const Document> first,
                                                      std::span<const Document> second,
                                                      std::size_t length,
                                                      RoundRng& rng) const override;

  // `rng` is used only where candidates have to be sampled.
  OptimisedPlan solve(std::span<const Document> first, std::span<const Document> second,
                      std::size_t length, RoundRng& rng) const;

 private:
  std::string canonical_;
  OptimisedOptions options_;
};

}  // namespace duel
