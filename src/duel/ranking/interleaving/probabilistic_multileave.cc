#include "duel/ranking/interleaving/probabilistic_multileave.h"

#include <algorithm>

#include "duel/ranking/interleaving/click_difference.h"
#include "duel/ranking/interleaving/every_path.h"

namespace duel {
namespace {

using Index = RankingPool::Index;

class RandomDraws {
 public:
  explicit RandomDraws(RoundRng& rng) : rng_(rng) {}
  Index draw(SoftmaxPool& softmax, const RankingPool& pool) {
    const std::size_t r = rng_.below(pool.num_rankings());
    return softmax.draw(r, rng_.uniform());
  }

 private:
  RoundRng& rng_;
};

// From the mean of the softmaxes.
class EveryDraw : public EveryPath {
 public:
  Index draw(const SoftmaxPool& softmax, const RankingPool& pool) {
    const std::size_t n = pool.num_rankings();
    probabilities_.assign(pool.size(), 0);
    for (Index i = 0; i < pool.size(); ++i) {
      if (pool.is_taken(i)) continue;
      for (std::size_t r = 0; r < n; ++r) probabilities_[i] += softmax.probability(r, i);
      probabilities_[i] /= static_cast<double>(n);
    }
    return static_cast<Index>(weighted(probabilities_));
  }

 private:
  std::vector<double> probabilities_;
};

template <class Source>
void draw_list(const RankSoftmax& table, std::size_t length, Source& source, Multileaving& shown) {
  RankingPool& pool = shown.memory.pool;
  SoftmaxPool& softmax = shown.memory.softmax;
  const std::size_t n = pool.num_rankings();
  shown.clear(n);
  softmax.start(table, pool);
  const std::size_t size = std::min(length, pool.size());
  while (shown.size() < size) {
    const Index i = source.draw(softmax, pool);
    double sum = 0;
    for (std::size_t r = 0; r < n; ++r) {
      shown.credits.push_back(softmax.probability(r, i));
      sum += shown.credits.back();
    }
    for (std::size_t r = shown.credits.size() - n; r < shown.credits.size(); ++r) {
      shown.credits[r] /= sum;  // q_r
    }
    softmax.take(i);
    shown.append(i, Multileaving::kNoTeam);
  }
}

}  // namespace

const OptionTable<ProbabilisticMultileaveOptions>& probabilistic_multileave_options() {
  static const auto table = [] {
    OptionTable<ProbabilisticMultileaveOptions> options;
    options.number("tau", &ProbabilisticMultileaveOptions::tau,
                   {.least = 0, .most = RankSoftmax::kLargestTau},
                   "how steeply the softmax falls with the rank", Shown::always);
    options.choice<Assignments>(
        "assignments", &ProbabilisticMultileaveOptions::assignments,
        {{"exact", Assignments::exact}, {"sampled", Assignments::sampled}},
        "over all assignments of the clicks to rankings, or over a sample as published");
    options.count("samples", &ProbabilisticMultileaveOptions::samples, 1, 100'000'000,
                  "how many assignments to sample");
    return options;
  }();
  return table;
}

ProbabilisticMultileaver::ProbabilisticMultileaver(const ProbabilisticMultileaveOptions& options)
    : options_(options), softmax_(options.tau) {}

std::string ProbabilisticMultileaver::canonical() const {
  return probabilistic_multileave_options().canonical("probabilistic-multileave", options_);
}

void ProbabilisticMultileaver::multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                                          Multileaving& shown) const {
  shown.memory.pool.assign(rankings);
  RandomDraws draws(rng);
  draw_list(softmax_, length, draws, shown);
  if (options_.assignments == Assignments::sampled) shown.key = rng.bits();
}

void ProbabilisticMultileaver::sampled_values(const Multileaving& shown,
                                              std::span<const Position> clicks,
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

void ProbabilisticMultileaver::credit(const Multileaving& shown, std::span<const Position> clicks,
                                      MultileaveCredit& credit) const {
  start_credit(shown, credit);
  add_click_credits(shown, clicks, credit);
  const std::size_t n = shown.num_rankers;
  if (options_.assignments == Assignments::sampled) {
    sampled_values(shown, clicks, credit);
  } else {
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
  set_outcomes(shown, clicks, credit);
}

Result<std::vector<WeightedMultileaving>> ProbabilisticMultileaver::enumerate(
    Rankings rankings, std::size_t length) const {
  return enumerate_paths<EveryDraw>(*this, [&](EveryDraw& path, Multileaving& shown) {
    shown.memory.pool.assign(rankings);
    draw_list(softmax_, length, path, shown);
  });
}

}  // namespace duel
