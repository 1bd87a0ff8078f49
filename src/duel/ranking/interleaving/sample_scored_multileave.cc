#include "duel/ranking/interleaving/sample_scored_multileave.h"

#include <algorithm>
#include <cmath>

#include "duel/ranking/interleaving/every_path.h"

namespace duel {
namespace {

void append_credits(const SampleScoredMultileaveOptions& options, Multileaving& shown) {
  const auto ranks = shown.ranks_at(shown.size() - 1);
  const std::size_t begin = shown.credits.size();
  double sum = 0;
  for (const std::uint32_t rank : ranks) {
    shown.credits.push_back(rank_credit(options.credit, rank, 0));
    sum += std::fabs(shown.credits.back());
  }
  const double mean = sum / static_cast<double>(ranks.size());
  for (std::size_t k = begin; k < shown.credits.size(); ++k) shown.credits[k] /= mean;
}

template <class Choices>
void draw_list(const SampleScoredMultileaveOptions& options, std::size_t length, Choices& choices,
               std::vector<std::uint32_t>& open, Multileaving& shown) {
  RankingPool& pool = shown.memory.pool;
  const std::size_t n = pool.num_rankings();
  shown.clear(n);
  const std::size_t size = std::min(length, pool.size());
  while (shown.size() < size) {
    open.clear();  // the rankings that have something left
    for (std::uint32_t r = 0; r < n; ++r) {
      if (pool.top(r) != RankingPool::kNone) open.push_back(r);
    }
    const std::uint32_t r = open[choices.below(open.size())];
    shown.append(pool.top(r), Multileaving::kNoTeam);
    append_credits(options, shown);
  }
}

}  // namespace

const OptionTable<SampleScoredMultileaveOptions>& sample_scored_multileave_options() {
  static const auto table = [] {
    OptionTable<SampleScoredMultileaveOptions> options;
    options.choice<RankCredit>(
        "credit", &SampleScoredMultileaveOptions::credit,
        {{"inverse-rank", RankCredit::inverse_rank}, {"negative-rank", RankCredit::negative_rank}},
        "what a click on a document is worth to a ranking");
    return options;
  }();
  return table;
}

std::string SampleScoredMultileaver::canonical() const {
  return sample_scored_multileave_options().canonical("sample-scored-multileave", options_);
}

void SampleScoredMultileaver::multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                                         Multileaving& shown) const {
  shown.memory.pool.assign(rankings);
  RandomChoices choices(rng);
  draw_list(options_, length, choices, shown.memory.order, shown);
}

void SampleScoredMultileaver::credit(const Multileaving& shown, std::span<const Position> clicks,
                                     MultileaveCredit& credit) const {
  start_credit(shown, credit);
  add_click_credits(shown, clicks, credit);
  take_differences(credit);
  set_outcomes(shown, clicks, credit);
}

Result<std::vector<WeightedMultileaving>> SampleScoredMultileaver::enumerate(
    Rankings rankings, std::size_t length) const {
  return enumerate_paths<EveryPath>(*this, [&](EveryPath& path, Multileaving& shown) {
    shown.memory.pool.assign(rankings);
    draw_list(options_, length, path, shown.memory.order, shown);
  });
}

}  // namespace duel
