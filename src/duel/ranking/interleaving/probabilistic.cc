#include "duel/ranking/interleaving/probabilistic.h"

#include <algorithm>
#include <cmath>

#include "duel/ranking/interleaving/click_difference.h"
#include "duel/ranking/interleaving/every_path.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

using Index = RankingPool::Index;

// Draws position by position: `Source` names the team (`coin`) and the document (`draw`).
class RandomDraws {
 public:
  explicit RandomDraws(RoundRng& rng) : rng_(rng) {}
  // A coin and the draw that follows share a random word: its lowest bit and its upper 53.
  bool coin() {
    word_ = rng_.bits();
    is_fresh_ = true;
    return (word_ & 1) != 0;
  }
  Index draw(SoftmaxPool& softmax, const RankingPool&, Team team) {
    if (!is_fresh_) word_ = rng_.bits();
    is_fresh_ = false;
    return softmax.draw(team == Team::first ? 0 : 1, static_cast<double>(word_ >> 11) * 0x1p-53);
  }

 private:
  RoundRng& rng_;
  std::uint64_t word_ = 0;
  bool is_fresh_ = false;
};

class EveryDraw : public EveryPath {
 public:
  Index draw(const SoftmaxPool& softmax, const RankingPool& pool, Team team) {
    probabilities_.assign(pool.size(), 0);
    for (Index i = 0; i < pool.size(); ++i) {
      if (pool.is_taken(i)) continue;
      if (team == Team::none) {  // the coin is not asked: half of each softmax
        probabilities_[i] = (softmax.probability(0, i) + softmax.probability(1, i)) / 2;
      } else {
        probabilities_[i] = softmax.probability(team == Team::first ? 0 : 1, i);
      }
    }
    return static_cast<Index>(weighted(probabilities_));
  }

 private:
  std::vector<double> probabilities_;
};

// Where `asks_coins` is false the teams stay unknown, and `source` draws from the mixture.
template <class Source>
void draw_list(const RankSoftmax& table, const ProbabilisticOptions& options, bool asks_coins,
               std::size_t length, Source& source, Interleaving& shown) {
  RankingPool& pool = shown.memory.pool;
  SoftmaxPool& softmax = shown.memory.softmax;
  softmax.start(table, pool);
  const bool draft = options.coins == CoinStyle::draft;
  const bool marginal = options.credit != ProbabilisticCredit::assignment;
  const std::size_t size = std::min(length, pool.size());
  shown.resize(size);
  Team team = Team::none;
  double opener_first = 0, opener_second = 0;  // P_A and P_B of the round's first document
  bool contest = false;
  for (std::size_t position = 0; position < size; ++position) {
    const bool closes_round = draft && position % 2 == 1;
    if (closes_round) {
      team = team == Team::first ? Team::second : Team::first;
    } else if (asks_coins) {
      team = source.coin() ? Team::first : Team::second;
    }
    const Index i = source.draw(softmax, pool, team);
    double q = softmax.share(0, 1, i);
    if (draft) {
      const double p_first = softmax.probability(0, i);
      const double p_second = softmax.probability(1, i);
      if (closes_round) {
        // The round was drawn (first, second) or (second, first): one unknown for both positions.
        const double opened_by_first = opener_first * p_second;
        const double opened_by_second = opener_second * p_first;
        q = opened_by_second / (opened_by_first + opened_by_second);
        if (marginal) {
          shown.first_credit[position - 1] = 1 - q;
          shown.second_credit[position - 1] = q;
        }
      }
      opener_first = p_first;
      opener_second = p_second;
    }
    softmax.take(i);
    if (marginal) {
      shown.set(position, i, team, q, 1 - q);
    } else {
      shown.set(position, i, team, team == Team::first ? 1 : 0, team == Team::second ? 1 : 0);
    }
    contest = contest || std::fabs(q - 0.5) > kCreditRounding;
  }
  shown.contest = contest;
}

}  // namespace

const OptionTable<ProbabilisticOptions>& probabilistic_options() {
  static const auto table = [] {
    OptionTable<ProbabilisticOptions> options;
    options.number("tau", &ProbabilisticOptions::tau,
                   {.least = 0, .most = RankSoftmax::kLargestTau},
                   "how steeply the softmax falls with the rank", Shown::always);
    options.choice<ProbabilisticCredit>(
        "credit", &ProbabilisticOptions::credit,
        {{"assignment", ProbabilisticCredit::assignment},
         {"marginal", ProbabilisticCredit::marginal},
         {"difference", ProbabilisticCredit::difference}},
        "the coins as they fell, or over all coins that fit the list the expected sign (marginal) "
        "or the expected difference of the clicks; wins by the last two are biased, average their "
        "values instead");
    options.choice<CoinStyle>(
        "coins", &ProbabilisticOptions::coins,
        {{"independent", CoinStyle::independent}, {"draft", CoinStyle::draft}},
        "a coin for each position, or one for each two positions as in a team draft");
    return options;
  }();
  return table;
}

ProbabilisticInterleaver::ProbabilisticInterleaver(const ProbabilisticOptions& options)
    : options_(options), softmax_(options.tau) {}

std::string ProbabilisticInterleaver::canonical() const {
  return probabilistic_options().canonical("probabilistic", options_);
}

void ProbabilisticInterleaver::interleave(std::span<const Document> first,
                                          std::span<const Document> second, std::size_t length,
                                          RoundRng& rng, Interleaving& shown) const {
  shown.memory.pool.assign(first, second);
  RandomDraws draws(rng);
  draw_list(softmax_, options_, true, length, draws, shown);
}

bool ProbabilisticInterleaver::is_additive() const {
  return options_.credit != ProbabilisticCredit::marginal;
}

MarginalCredit ProbabilisticInterleaver::marginal_credit(const Interleaving& shown,
                                                         std::span<const Position> clicks) const {
  DUEL_CHECK(options_.credit != ProbabilisticCredit::assignment);
  DUEL_CHECK(clicks.empty() || clicks.back() < shown.size());
  MarginalCredit credit;
  ClickDifference difference(clicks.size());
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    const Position position = clicks[k];
    // Each ranking drew one of a round's two documents, so clicks on both cancel.
    if (options_.coins == CoinStyle::draft && position % 2 == 0 && k + 1 < clicks.size() &&
        clicks[k + 1] == position + 1) {
      ++k;
      continue;
    }
    const double up = shown.first_credit[position];
    const double down = shown.second_credit[position];
    difference.add(up, down);
    credit.expected_difference += up - down;
  }
  credit.expected_sign = difference.expected_sign();
  return credit;
}

Credit ProbabilisticInterleaver::credit(const Interleaving& shown,
                                        std::span<const Position> clicks) const {
  Credit credit = additive_credit(shown, clicks);
  if (options_.credit == ProbabilisticCredit::marginal) {
    credit.value = marginal_credit(shown, clicks).expected_sign;
    credit.outcome = outcome_of(credit.value, shown.contest, !clicks.empty());
  }
  return credit;
}

Result<std::vector<WeightedInterleaving>> ProbabilisticInterleaver::enumerate(
    std::span<const Document> first, std::span<const Document> second, std::size_t length) const {
  // With independent coins and marginal credit nothing depends on the coins, so that the mixture of
  // both softmaxes is drawn from at once: u!/(u - L)! paths instead of 2^L times as many.
  const bool asks_coins =
      options_.credit == ProbabilisticCredit::assignment || options_.coins == CoinStyle::draft;
  return enumerate_paths<EveryDraw>(*this, [&](EveryDraw& path, Interleaving& shown) {
    shown.memory.pool.assign(first, second);
    draw_list(softmax_, options_, asks_coins, length, path, shown);
    // Teams are no part of the attribution once the coins are forgotten.
    if (options_.credit != ProbabilisticCredit::assignment) {
      std::fill(shown.teams.begin(), shown.teams.end(), Team::none);
    }
  });
}

namespace {
const bool probabilistic_is_registered = register_interleaver<ProbabilisticInterleaver>(
    {"probabilistic", "draws from softmaxes over ranks, a coin for each position",
     "Hofmann, Whiteson, de Rijke, CIKM 2011", 2011},
    probabilistic_options());
}  // namespace

}  // namespace duel
