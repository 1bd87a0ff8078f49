#include "duel/experiment/board.h"

#include <algorithm>
#include <cmath>

#include "duel/core/pair_counts.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

constexpr double kEloPerNat = 173.7177927613007;  // 400/ln 10
constexpr std::uint64_t kPosteriorSeed = 1;

double rate_of(const ShownCounts& counts) {
  return counts.decisive() == 0
             ? 0.5
             : static_cast<double>(counts.first_wins) / static_cast<double>(counts.decisive());
}

std::vector<BoardPair> pairs_of(const Ledger& ledger) {
  std::vector<BoardPair> pairs;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      BoardPair pair{
          .first = i, .second = j, .counts = ledger.pair(i, j), .rate = 0.5, .interval = {}};
      if (pair.counts.served == 0) continue;
      pair.rate = rate_of(pair.counts);
      // Intervals that hold at all times need the order of serving, as the certificate does.
      pair.interval = beta_binomial_sequence(ledger.certifier().wins(i, j),
                                             ledger.certifier().wins(j, i), Board::kDelta);
      pairs.push_back(pair);
    }
  }
  return pairs;
}

// Strengths of the active arms, numbered as in `active`.
void fit_strengths(Board& board, const Ledger& ledger, const std::vector<Arm>& active,
                   const std::optional<GammaPrior>& prior) {
  DuelTable table(active.size());
  bool ties = false;
  for (Arm a = 0; a < active.size(); ++a) {
    for (Arm b = a + 1; b < active.size(); ++b) {
      const ShownCounts counts = ledger.pair(active[a], active[b]);
      table.add_wins(a, b, static_cast<double>(counts.first_wins));
      table.add_wins(b, a, static_cast<double>(counts.second_wins));
      table.add_ties(a, b, static_cast<double>(counts.ties));
      ties = ties || counts.ties > 0;
    }
  }
  board.tie_model = ties ? TieModel::davidson : TieModel::halves;
  BradleyTerryOptions options{.ties = board.tie_model, .prior = prior, .names = {}};
  for (const Arm arm : active) options.names.push_back(ledger.name_of(arm));
  auto fit = fit_bradley_terry(table, options);
  if (!fit.ok()) {
    board.no_strengths = fit.error().to_string();
    return;
  }
  const double z = normal_quantile(0.975);
  for (BoardArm& arm : board.arms) {
    const auto a =
        static_cast<Arm>(std::find(active.begin(), active.end(), arm.arm) - active.begin());
    const double deviation =
        z * kEloPerNat * std::sqrt(std::max(0.0, fit->covariance[a * active.size() + a]));
    arm.elo = fit->elo(a);
    arm.elo_interval = Interval{*arm.elo - deviation, *arm.elo + deviation};
  }
  board.strengths = std::move(*fit);
}

void draw_posterior(Board& board, const Ledger& ledger, const std::vector<Arm>& active) {
  PairCounts counts(active.size());
  for (Arm a = 0; a < active.size(); ++a) {
    for (Arm b = a + 1; b < active.size(); ++b) {
      const ShownCounts pair = ledger.pair(active[a], active[b]);
      counts.add(a, b,
                 {static_cast<std::uint32_t>(2 * pair.first_wins),
                  static_cast<std::uint32_t>(2 * pair.second_wins)});
    }
  }
  // Bounded work: ten thousand matrices of up to 40 arms, fewer of larger ones.
  const std::uint64_t draws =
      std::clamp<std::uint64_t>(16'000'000 / (active.size() * active.size()), 500, 10'000);
  board.posterior = posterior_best(counts, draws, kPosteriorSeed);
  for (BoardArm& arm : board.arms) {
    const auto a = std::find(active.begin(), active.end(), arm.arm) - active.begin();
    arm.probability_best = board.posterior.probability[static_cast<std::size_t>(a)];
  }
}

}  // namespace

Board board_of(const Ledger& ledger, const std::optional<GammaPrior>& prior) {
  Board board;
  board.health = check_health(ledger);
  board.standing = standing_of(ledger);
  board.pairs = pairs_of(ledger);
  std::vector<Arm> active;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    if (!ledger.arms()[i].active) continue;
    active.push_back(i);
    BoardArm arm;
    arm.arm = i;
    arm.counts = board.standing.arms[i].counts;
    arm.rate = board.standing.arms[i].rate();
    board.arms.push_back(arm);
  }
  if (active.size() >= 2) {
    fit_strengths(board, ledger, active, prior);
    draw_posterior(board, ledger, active);
  }
  if (board.standing.leader && !ledger.certificate()) {
    const Arm leader = *board.standing.leader;
    for (const Arm rival : active) {
      if (rival == leader) continue;
      const Interval p =
          beta_binomial_sequence(ledger.certifier().wins(leader, rival),
                                 ledger.certifier().wins(rival, leader), Board::kDelta);
      // Where the goal goes by pairs, the verdict's own measure.
      const auto& beaten = board.standing.arms[rival].beaten;
      if (beaten ? *beaten < 1 : p.contains(0.5)) board.not_ruled_out.push_back(rival);
    }
  }
  std::sort(board.arms.begin(), board.arms.end(), [](const BoardArm& a, const BoardArm& b) {
    return a.rate != b.rate ? a.rate > b.rate : a.arm < b.arm;
  });
  return board;
}

}  // namespace duel
