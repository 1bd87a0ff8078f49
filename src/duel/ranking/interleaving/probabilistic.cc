// Probabilistic interleaving.
// Hofmann, Whiteson, de Rijke, CIKM 2011.
// For each position a coin names a ranking and a document is drawn from its softmax over ranks,
// P(x) proportional to rank(x)^-tau, over the documents of both rankings not shown yet (a
// document that a ranking lacks has the rank length + 1 in it). The list may go on until every
// document is shown.
// Credit     assignment (default): each click belongs to the ranking that drew the document.
//            marginal: the coins are forgotten again. Given the list, position i was drawn by the
//            first ranking with probability q_i = P_A/(P_A + P_B), and the value is the expected
//            sign of c_A - c_B, or its expectation, sum (2 q_i - 1), over all coins.
// Departs    the paper averages marginal values, which have the mean of the assignment's sign and
//            less variance. The outcome of one comparison is a win, though, and the sign of a
//            marginal value is biased (A = (1 2 3 4), B = (2 3 4 1), one random click: A wins 41.6
//            %). A coin that fell is itself a draw from its marginal law, so the default is fair.
// Every order of the documents has positive probability, which unbiased reuse of old clicks needs.
#include <algorithm>
#include <cmath>

#include "duel/ranking/interleaving/click_difference.h"
#include "duel/ranking/interleaving/drawn_interleaver.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

// `marginal`: the expected sign of c_A - c_B over all coins; `difference`: its expectation.
enum class ProbabilisticCredit { assignment, marginal, difference };
// `draft`: in each round of two positions both rankings draw once, in random order.
enum class CoinStyle { independent, draft };

struct ProbabilisticOptions {
  double tau = 3;
  ProbabilisticCredit credit = ProbabilisticCredit::assignment;
  CoinStyle coins = CoinStyle::independent;
};

using Index = RankingPool::Index;

// Draws position by position: `Source` names the team (`coin`) and the document (`draw`).
class RandomDraws {
 public:
  static constexpr bool kIsSample = true;

  explicit RandomDraws(RoundRng& rng) : rng_(rng) {}
  // A coin and the draw that follows share a random word: its lowest bit and its upper 53.
  bool coin() {
    word_ = rng_.bits();
    is_fresh_ = true;
    return (word_ & 1) != 0;
  }
  Index draw(SoftmaxPool& softmax, Team team) {
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
  static constexpr bool kIsSample = false;

  // From the mean of both softmaxes where the coin is not asked.
  Index draw(const SoftmaxPool& softmax, Team team) {
    const std::size_t drawing = team == Team::first ? 0 : 1;
    softmax.all_probabilities(team == Team::none ? SoftmaxPool::kMean : drawing, probabilities_);
    return static_cast<Index>(weighted(probabilities_));
  }

 private:
  std::vector<double> probabilities_;
};

class ProbabilisticInterleaver final
    : public DrawnInterleaver<ProbabilisticInterleaver, ProbabilisticOptions, RandomDraws,
                              EveryDraw> {
 public:
  ProbabilisticInterleaver(std::string canonical, const ProbabilisticOptions& options)
      : DrawnInterleaver(std::move(canonical), options), softmax_(options.tau) {}

  template <class Source>
  void draw(std::size_t length, Source& source, Interleaving& shown) const {
    RankingPool& pool = shown.memory.pool;
    SoftmaxPool& softmax = shown.memory.softmax;
    softmax.start(softmax_, pool);
    const bool draft = options_.coins == CoinStyle::draft;
    const bool marginal = options_.credit != ProbabilisticCredit::assignment;
    // With independent coins and marginal credit nothing depends on the coins. Going through all
    // lists then draws from the mixture of both softmaxes at once, and the teams stay unknown:
    // u!/(u - L)! paths instead of 2^L times as many.
    const bool asks_coins = Source::kIsSample || !marginal || draft;
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
      const Index i = source.draw(softmax, team);
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
    // Teams are no part of the attribution once the coins are forgotten.
    if (!Source::kIsSample && marginal) {
      std::fill(shown.teams.begin(), shown.teams.end(), Team::none);
    }
  }

  // Without the coins `first` and `second` are the expected clicks of each side, and `value` is the
  // expected sign or their difference.
  Credit credit(const Interleaving& shown, std::span<const Position> clicks) const override {
    Credit earned = additive_credit(shown, clicks);
    if (options_.credit == ProbabilisticCredit::marginal) {
      earned.value = expected_sign(shown, clicks);
      earned.outcome = outcome_of(earned.value, shown.contest, !clicks.empty());
    }
    return earned;
  }

  bool is_additive() const override { return options_.credit != ProbabilisticCredit::marginal; }

 private:
  // P(c_A > c_B) - P(c_A < c_B) over all coins that fit the list.
  double expected_sign(const Interleaving& shown, std::span<const Position> clicks) const {
    ClickDifference difference(clicks.size());
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      const Position position = clicks[k];
      // Each ranking drew one of a round's two documents, so clicks on both cancel.
      if (options_.coins == CoinStyle::draft && position % 2 == 0 && k + 1 < clicks.size() &&
          clicks[k + 1] == position + 1) {
        ++k;
        continue;
      }
      difference.add(shown.first_credit[position], shown.second_credit[position]);
    }
    return difference.expected_sign();
  }

  RankSoftmax softmax_;
};

const bool probabilistic_is_registered = register_method<ProbabilisticInterleaver>(
    interleaver_catalogue(),
    {"probabilistic", "draws from softmaxes over ranks, a coin for each position",
     "Hofmann, Whiteson, de Rijke, CIKM 2011", 2011},
    OptionTable<ProbabilisticOptions>()
        .number("tau", &ProbabilisticOptions::tau, {.least = 0, .most = RankSoftmax::kLargestTau},
                "how steeply the softmax falls with the rank", Shown::always)
        .choice<ProbabilisticCredit>(
            "credit", &ProbabilisticOptions::credit,
            {{"assignment", ProbabilisticCredit::assignment},
             {"marginal", ProbabilisticCredit::marginal},
             {"difference", ProbabilisticCredit::difference}},
            "the coins as they fell, or over all coins that fit the list the expected sign "
            "(marginal) or the expected difference of the clicks; wins by the last two are biased, "
            "average their values instead")
        .choice<CoinStyle>(
            "coins", &ProbabilisticOptions::coins,
            {{"independent", CoinStyle::independent}, {"draft", CoinStyle::draft}},
            "a coin for each position, or one for each two positions as in a team draft"));

}  // namespace
}  // namespace duel
