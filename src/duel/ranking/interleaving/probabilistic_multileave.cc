// Probabilistic multileaving.
// Schuth et al., SIGIR 2015.
// For each position a ranking is drawn uniformly, and a document from its softmax over ranks (as in
// probabilistic interleaving, which this is for two rankings).
// Credit     the rankings that drew are forgotten: a click on the document at position i belongs to
//            ranking r with probability q_r proportional to P_r. value(r, s) is the expected sign
//            of c_r - c_s, exact by adding one click after the other.
//            With `assignments=drawn` a click belongs to the ranking that drew the document.
// Departs    the paper averages over 10 000 sampled assignments; `assignments=sampled` does so.
// Unbiased   the value, for a user who clicks without looking at the documents. Its sign, which is
//            the outcome, is not, except with `assignments=drawn`.
#include <algorithm>
#include <cstdint>

#include "duel/ranking/interleaving/click_difference.h"
#include "duel/ranking/interleaving/drawn_multileaver.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

enum class Assignments { exact, sampled, drawn };

struct ProbabilisticMultileaveOptions {
  double tau = 3;
  Assignments assignments = Assignments::exact;
  std::uint64_t samples = 10'000;
};

using Index = RankingPool::Index;

struct Drawn {
  Index document = 0;
  std::uint32_t ranker = Multileaving::kNoTeam;  // where it is known
};

class RandomMultileaveDraws {
 public:
  explicit RandomMultileaveDraws(RoundRng& rng) : rng_(rng) {}
  Drawn draw(SoftmaxPool& softmax, const RankingPool& pool, bool /*asks_ranker*/) {
    const auto r = static_cast<std::uint32_t>(rng_.below(pool.num_rankings()));
    return {softmax.draw(r, rng_.uniform()), r};
  }

 private:
  RoundRng& rng_;
};

// From the mean of the softmaxes, or, where the ranker must be known, from one after the other.
class EveryMultileaveDraw : public EveryPath {
 public:
  Drawn draw(const SoftmaxPool& softmax, const RankingPool& pool, bool asks_ranker) {
    const auto ranker = asks_ranker ? static_cast<std::uint32_t>(below(pool.num_rankings()))
                                    : Multileaving::kNoTeam;
    softmax.all_probabilities(asks_ranker ? ranker : SoftmaxPool::kMean, probabilities_);
    return {static_cast<Index>(weighted(probabilities_)), ranker};
  }

 private:
  std::vector<double> probabilities_;
};

// `credits` are the expected clicks of each ranking, or with `drawn` the clicks themselves.
class ProbabilisticMultileaver final
    : public DrawnMultileaver<ProbabilisticMultileaver, ProbabilisticMultileaveOptions,
                              RandomMultileaveDraws, EveryMultileaveDraw> {
 public:
  ProbabilisticMultileaver(std::string canonical, const ProbabilisticMultileaveOptions& options)
      : DrawnMultileaver(std::move(canonical), options), softmax_(options.tau) {}

  void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                  Multileaving& shown) const override {
    DrawnMultileaver::multileave(rankings, length, rng, shown);
    if (options_.assignments == Assignments::sampled) shown.key = rng.bits();
  }

  template <class Source>
  void draw(std::size_t length, Source& source, Multileaving& shown) const {
    RankingPool& pool = shown.memory.pool;
    SoftmaxPool& softmax = shown.memory.softmax;
    const std::size_t n = pool.num_rankings();
    softmax.start(softmax_, pool);
    const std::size_t size = std::min(length, pool.size());
    const bool asks_ranker = options_.assignments == Assignments::drawn;
    while (shown.size() < size) {
      const Drawn drawn = source.draw(softmax, pool, asks_ranker);
      const Index i = drawn.document;
      const std::size_t row = shown.shares.size();
      double sum = 0;
      for (std::size_t r = 0; r < n; ++r) {
        shown.shares.push_back(softmax.probability(r, i));
        sum += shown.shares.back();
      }
      for (std::size_t r = 0; r < n; ++r) {
        shown.shares[row + r] /= sum;  // q_r
        shown.credits.push_back(!asks_ranker ? shown.shares[row + r] : (r == drawn.ranker ? 1 : 0));
      }
      softmax.take(i);
      shown.append(i, asks_ranker ? drawn.ranker : Multileaving::kNoTeam);
    }
  }

 private:
  void compare(const Multileaving& shown, std::span<const Position> clicks,
               MultileaveCredit& credit) const override {
    add_click_credits(shown, clicks, credit);
    if (options_.assignments == Assignments::drawn) {
      take_differences(credit);
      return;
    }
    if (options_.assignments == Assignments::sampled) {
      sample_values(shown, clicks, credit);
      return;
    }
    const std::size_t n = shown.num_rankers;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        ClickDifference difference(clicks.size());
        for (const Position position : clicks) {
          const auto q = shown.credits_at(position);
          difference.add(q[i], q[j]);
        }
        credit.values[i * n + j] = difference.expected_sign();
        credit.values[j * n + i] = -credit.values[i * n + j];
      }
    }
  }

  void sample_values(const Multileaving& shown, std::span<const Position> clicks,
                     MultileaveCredit& credit) const {
    const std::size_t n = shown.num_rankers;
    std::vector<std::int64_t> wins(n * n, 0);
    std::vector<std::uint32_t> clicks_of(n);
    RoundRng rng(shown.key, 0, 0);
    for (std::uint64_t sample = 0; sample < options_.samples; ++sample) {
      std::fill(clicks_of.begin(), clicks_of.end(), 0U);
      for (const Position position : clicks) {
        const auto q = shown.credits_at(position);
        double target = rng.uniform();
        std::size_t r = 0;
        while (r + 1 < n && (target -= q[r]) >= 0) ++r;
        ++clicks_of[r];
      }
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          wins[i * n + j] +=
              (clicks_of[i] > clicks_of[j] ? 1 : 0) - (clicks_of[i] < clicks_of[j] ? 1 : 0);
        }
      }
    }
    for (std::size_t k = 0; k < n * n; ++k) {
      credit.values[k] = static_cast<double>(wins[k]) / static_cast<double>(options_.samples);
    }
  }

  RankSoftmax softmax_;
};

const bool probabilistic_multileave_is_registered = register_method<ProbabilisticMultileaver>(
    multileaver_catalogue(),
    {"probabilistic-multileave",
     "draws from softmaxes over ranks; exact credit over all assignments",
     "Schuth et al., SIGIR 2015", 2015},
    OptionTable<ProbabilisticMultileaveOptions>()
        .number("tau", &ProbabilisticMultileaveOptions::tau,
                {.least = 0, .most = RankSoftmax::kLargestTau},
                "how steeply the softmax falls with the rank", Shown::always)
        .choice<Assignments>(
            "assignments", &ProbabilisticMultileaveOptions::assignments,
            {{"exact", Assignments::exact},
             {"sampled", Assignments::sampled},
             {"drawn", Assignments::drawn}},
            "over all assignments of the clicks to rankings, over a sample as published, or as "
            "they were drawn: only then is a single win fair")
        .count("samples", &ProbabilisticMultileaveOptions::samples, 1, 100'000'000,
               "how many assignments to sample"));

}  // namespace
}  // namespace duel
