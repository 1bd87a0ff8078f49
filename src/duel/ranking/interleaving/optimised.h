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
class OptimisedPlan {
 public:
  void draw(RoundRng& rng, Interleaving& shown) const;

  // Those with positive probability.
  const std::vector<WeightedInterleaving>& candidates() const { return candidates_; }
  std::size_t num_considered() const { return num_considered_; }
  bool is_sampled() const { return is_sampled_; }  // the candidates were too many to list
  double slack() const { return slack_; }  // sum lambda_k; 0 where the programme is feasible

 private:
  friend class OptimisedInterleaver;
  std::vector<WeightedInterleaving> candidates_;
  std::vector<double> cumulative_;
  std::size_t num_considered_ = 0;
  bool is_sampled_ = false;
  double slack_ = 0;
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
