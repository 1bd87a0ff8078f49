#include "duel/verdict/board.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "duel/inference/confidence_sequence.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

constexpr double kEloPerNat = 173.7177927613007;  // 400/ln 10

// Of the win probability of i against j. Intervals that hold at all times need the order of
// serving, as the certificate does.
Interval interval_of(const Ledger& ledger, Arm i, Arm j) {
  const Certifier& certifier = ledger.certifier();
  // What is graded or audited is no share of wins.
  if (certifier.units(i, j) != nullptr) return {0, 1};
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
      const std::uint64_t both_bad = wanted.ties_are_halves ? counts.both_bad : 0;
      table.add_ties(a, b, static_cast<double>(counts.ties + both_bad));
      ties = ties || counts.ties > 0;
    }
  }
  board.tie_model = ties && !wanted.ties_are_halves ? TieModel::davidson : TieModel::halves;
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
  }
  board.strengths = std::move(*fit);
}

// Whether a comes before b where no range of places forbids it.
bool comes_before(const Board& board, const BoardArm& a, const BoardArm& b) {
  const Standing& standing = board.standing;
  const auto in_front = [&](const BoardArm& arm) {
    if (standing.leader == arm.arm) return 0;
    return std::ranges::find(standing.places.tied, arm.arm) != standing.places.tied.end() ? 1 : 2;
  };
  if (in_front(a) != in_front(b)) return in_front(a) < in_front(b);
  if (standing.order) {
    const auto& order = standing.order->arms;
    return std::ranges::find(order, a.arm) < std::ranges::find(order, b.arm);
  }
  const auto strength = [&](const BoardArm& arm) {
    const auto& score = standing.arms[arm.arm].score;
    return std::tuple(score ? score->lower : 0, score ? score->upper : 0,
                      arm.elo ? *arm.elo : standing.places.arms[arm.arm].expected_beaten);
  };
  const auto of_a = strength(a), of_b = strength(b);
  return of_a != of_b ? of_a > of_b : a.arm < b.arm;
}

// Puts the arms into their rows. An arm whose last open place is the next row has to take it; one
// whose first open place comes later has to wait.
void rank(Board& board) {
  std::vector<BoardArm> left = std::move(board.arms);
  std::sort(left.begin(), left.end(),
            [&](const BoardArm& a, const BoardArm& b) { return comes_before(board, a, b); });
  board.arms.clear();
  const std::size_t in_front = (board.standing.leader ? 1 : 0) + board.standing.places.tied.size();
  while (!left.empty()) {
    const std::size_t row = board.arms.size() + 1;
    auto next = left.begin();
    if (row > in_front) {
      const auto last = std::ranges::min_element(
          left, {}, [](const BoardArm& arm) { return arm.rank_range.worst; });
      next = last->rank_range.worst <= row ? last
                                           : std::ranges::find_if(left, [&](const BoardArm& arm) {
                                               return arm.rank_range.best <= row;
                                             });
      if (next == left.end()) {
        next = std::ranges::min_element(left, {},
                                        [](const BoardArm& arm) { return arm.rank_range.best; });
      }
    }
    next->rank = row <= in_front ? 1 : row;
    board.arms.push_back(std::move(*next));
    left.erase(next);
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
  if (ledger.parts().space) {
    board.no_strengths = "points of a space are compared";
    return board;
  }
  board.pairs = board_pairs(ledger);
  std::vector<Arm> active;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    if (!ledger.arms()[i].active) continue;
    active.push_back(i);
    BoardArm& arm = board.arms.emplace_back();
    arm.arm = i;
    arm.counts = board.standing.arms[i].counts;
    arm.rate = arm.counts.rate();
    arm.probability_best = board.standing.places.arms[i].probability_best;
    arm.rank_range = board.standing.places.arms[i].range;
  }
  if (active.size() >= 2) fit_strengths(board, ledger, active, options);
  rank(board);
  if (!board.standing.leader || ledger.certificate()) return board;
  for (const BoardArm& rival : board.arms) {
    if (rival.arm != *board.standing.leader && rival.rank_range.best == 1) {
      board.not_ruled_out.push_back(rival.arm);
    }
  }
  return board;
}

}  // namespace duel
