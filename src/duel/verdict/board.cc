#include "duel/verdict/board.h"

#include <algorithm>
#include <cmath>

#include "duel/core/pair_counts.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

constexpr double kEloPerNat = 173.7177927613007;  // 400/ln 10
constexpr std::uint64_t kPosteriorSeed = 1;

// Of the win probability of i against j. Intervals that hold at all times need the order of
// serving, as the certificate does.
Interval interval_of(const Ledger& ledger, Arm i, Arm j) {
  const Certifier& certifier = ledger.certifier();
  return beta_binomial_sequence(certifier.wins(i, j), certifier.wins(j, i), Board::kDelta);
}

std::vector<BoardPair> board_pairs(const Ledger& ledger) {
  std::vector<BoardPair> pairs;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const ShownCounts counts = ledger.pair(i, j);
      if (counts.served > 0)
        pairs.push_back({i, j, counts, counts.rate(), interval_of(ledger, i, j)});
    }
  }
  return pairs;
}

// By place.
ShownTable shown_table(const Ledger& ledger, const std::vector<Arm>& active) {
  ShownTable table(active.size());
  for (Arm a = 0; a < active.size(); ++a) {
    for (Arm b = 0; b < active.size(); ++b) {
      if (a == b) continue;
      const ShownCounts& counts = ledger.shown(active[a], active[b]);
      table.add(a, b, static_cast<double>(counts.first_wins),
                static_cast<double>(counts.second_wins), static_cast<double>(counts.ties));
    }
  }
  return table;
}

Result<BradleyTerryFit> fit_of(Board& board, const Ledger& ledger, const std::vector<Arm>& active,
                               const BoardOptions& wanted) {
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
  BradleyTerryOptions options{.ties = board.tie_model, .prior = wanted.prior, .names = {}};
  for (const Arm arm : active) options.names.push_back(ledger.name_of(arm));
  if (wanted.position && ledger.experiment().order == Placement::both) {
    board.no_position = "every duel was judged in both orders, so that places favour no arm";
  } else if (wanted.position && ledger.experiment().order == Placement::fixed) {
    board.no_position = "places were not drawn: they were fixed, or the lists were interleaved";
  } else if (wanted.position) {
    auto fit = fit_bradley_terry_with_position(shown_table(ledger, active), options);
    if (fit.ok()) return fit;
    board.no_position = fit.error().to_string();
  }
  return fit_bradley_terry(table, options);
}

RankRange rank_range_of(const BradleyTerryFit& fit, Arm a) {
  const std::size_t num_arms = fit.log_strength.size();
  RankRange range{.best = 1, .worst = num_arms};
  for (Arm b = 0; b < num_arms; ++b) {
    if (a == b) continue;
    const Interval ahead = fit.difference_interval(b, a, Board::kDelta);
    range.best += ahead.lower > 0 ? 1 : 0;
    range.worst -= ahead.upper < 0 ? 1 : 0;
  }
  return range;
}

// Strengths of the active arms, numbered as in `active`.
void fit_strengths(Board& board, const Ledger& ledger, const std::vector<Arm>& active,
                   const BoardOptions& options) {
  auto fit = fit_of(board, ledger, active, options);
  if (!fit.ok()) {
    board.no_strengths = fit.error().to_string();
    return;
  }
  const double z = normal_quantile(1 - Board::kDelta / 2);
  for (BoardArm& arm : board.arms) {
    const auto a =
        static_cast<Arm>(std::find(active.begin(), active.end(), arm.arm) - active.begin());
    const double deviation =
        z * elo_points(std::sqrt(std::max(0.0, fit->covariance[a * active.size() + a])));
    arm.elo = fit->elo(a);
    arm.elo_interval = Interval{*arm.elo - deviation, *arm.elo + deviation};
    arm.rank_range = rank_range_of(*fit, a);
  }
  board.strengths = std::move(*fit);
}

void rank(std::vector<BoardArm>& arms) {
  const auto strength = [](const BoardArm& arm) { return arm.elo ? *arm.elo : arm.rate; };
  for (BoardArm& arm : arms) {
    arm.rank = 1 + static_cast<std::size_t>(std::count_if(
                       arms.begin(), arms.end(),
                       [&](const BoardArm& other) { return strength(other) > strength(arm); }));
  }
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

std::optional<BoardPair> pair_of(const Board& board, Arm row, Arm column) {
  const Arm low = std::min(row, column), high = std::max(row, column);
  const auto found =
      std::find_if(board.pairs.begin(), board.pairs.end(),
                   [&](const BoardPair& pair) { return pair.first == low && pair.second == high; });
  if (row == column || found == board.pairs.end()) return std::nullopt;
  if (row == low) return *found;
  return BoardPair{.first = row,
                   .second = column,
                   .counts = mirrored(found->counts),
                   .rate = 1 - found->rate,
                   .interval = {1 - found->interval.upper, 1 - found->interval.lower}};
}

double elo_points(double log_odds) { return kEloPerNat * log_odds; }

Board board_of(const Ledger& ledger, const BoardOptions& options) {
  Board board;
  board.health = check_health(ledger);
  board.standing = standing_of(ledger);
  board.pairs = board_pairs(ledger);
  std::vector<Arm> active;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    if (!ledger.arms()[i].active) continue;
    active.push_back(i);
    BoardArm& arm = board.arms.emplace_back();
    arm.arm = i;
    arm.counts = board.standing.arms[i].counts;
    arm.rate = arm.counts.rate();
  }
  if (active.size() >= 2) {
    fit_strengths(board, ledger, active, options);
    draw_posterior(board, ledger, active);
  }
  if (board.standing.leader && !ledger.certificate()) {
    const Arm leader = *board.standing.leader;
    for (const Arm rival : active) {
      if (rival == leader) continue;
      const Interval p = interval_of(ledger, leader, rival);
      // Where the goal goes by pairs, the verdict's own measure.
      const auto& beaten = board.standing.arms[rival].beaten;
      if (beaten ? *beaten < 1 : p.contains(0.5)) board.not_ruled_out.push_back(rival);
    }
  }
  rank(board.arms);
  std::sort(board.arms.begin(), board.arms.end(), [](const BoardArm& a, const BoardArm& b) {
    return a.rate != b.rate ? a.rate > b.rate : a.arm < b.arm;
  });
  return board;
}

}  // namespace duel
