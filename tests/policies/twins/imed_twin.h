// imed as its steps say it: all evidence computed again in every round, every level by sorting.
// Evidence is rounded to the grid that the policy documents (2^-36), so that sums are exact in
// double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"
#include "duel/policies/imed.h"

namespace duel {

class ImedTwin {
 public:
  ImedTwin(const ImedOptions& options, std::size_t num_arms, RoundRng rng)
      : options_(options),
        k_(num_arms),
        w_(num_arms, std::vector<double>(num_arms)),
        out_(num_arms, std::vector<double>(num_arms)),
        lots_(num_arms),
        kept_(num_arms) {
    for (std::uint64_t& lot : lots_) lot = rng.bits();
  }

  Duel next(Round t, RoundRng rng) {
    const Duel duel = choose(t, rng);
    if (!duel.is_self()) {
      ++out_[duel.first][duel.second];
      ++out_[duel.second][duel.first];
    }
    return duel;
  }

  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self()) return;
    --out_[duel.first][duel.second];
    --out_[duel.second][duel.first];
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      w_[duel.first][duel.second] += 0.5 * points->first;
      w_[duel.second][duel.first] += 0.5 * points->second;
      lots_[duel.first] = mix64(lots_[duel.first]);
      lots_[duel.second] = mix64(lots_[duel.second]);
    }
  }

  bool has_unbeaten_arm() const {
    for (Arm i = 0; i < k_; ++i) {
      if (accusers_of(i).empty()) return true;
    }
    return false;
  }
  bool plausible(Arm i, Round t) const {
    return case_against(i, accusers_of(i), 0).plausibility <= threshold(t);
  }
  bool accused_by(Arm i, Arm j) const { return term(i, j) > 0; }
  bool excluded_by(Arm i, Arm j, Round t) const { return term(i, j) > threshold(t); }
  double price(Arm loser, Arm winner) const { return reversal(loser, winner, 0, loser).price; }
  // What speaks against i without its strongest accusers, one fewer than the level of the last
  // round.
  struct Rest {
    double evidence = 0;
    double dearest_bonus = 0;
  };
  Rest rest_against(Arm i) const {
    Rest rest;
    const std::vector<Arm> accusers = accusers_of(i);
    for (std::size_t q = level_; level_ > 0 && q <= accusers.size(); ++q) {
      rest.evidence += term(i, accusers[q - 1]);
      rest.dearest_bonus = std::max(rest.dearest_bonus, on_grid(g(met(i, accusers[q - 1]))));
    }
    return rest;
  }
  double threshold(Round t) const {
    if (options_.bold) {
      return std::log(static_cast<double>(t) + 1e4) - 3 + (level_ > 0 ? 0.5 : 0);
    }
    const double log = std::log(static_cast<double>(t));
    return options_.safe ? log + 2 * std::log(1 + log) : log;
  }
  Arm champion() const { return champion_; }
  std::size_t level() const { return level_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Candidate {
    Arm first, second;
    double weight;
  };
  // Evidence against one arm without its strongest accusers.
  struct Case {
    double evidence = 0;
    double bonus = 0;
    double plausibility = -kNever;
  };

  Duel choose(Round t, RoundRng& rng) {
    champion_ = 0;
    level_ = 0;
    if (k_ == 1) return {0, 0, t};
    std::vector<std::vector<Arm>> accusers(k_);
    for (Arm i = 0; i < k_; ++i) accusers[i] = accusers_of(i);
    std::vector<Case> cases(k_);
    std::vector<Arm> plausible;
    for (;; ++level_) {
      for (Arm i = 0; i < k_; ++i) {
        cases[i] = case_against(i, accusers[i], level_);
        if (cases[i].plausibility <= threshold(t)) plausible.push_back(i);
      }
      if (!plausible.empty()) break;
    }
    const double f = threshold(t);
    const auto score = [&](Arm i) {
      if (level_ > 0) return cases[i].evidence;
      double support = 0;
      for (Arm j = 0; j < k_; ++j) support += term(j, i);
      return cases[i].evidence - std::min(support, on_grid(options_.credit));
    };
    double least = kNever;
    for (const Arm i : plausible) least = std::min(least, score(i));
    std::erase_if(plausible, [&](Arm i) { return score(i) != least; });
    const bool keeps =
        level_ > 0 && std::find(plausible.begin(), plausible.end(), kept_) != plausible.end();
    const Arm a = keeps ? static_cast<Arm>(kept_) : one_of(plausible, rng);
    champion_ = a;
    if (level_ > 0) kept_ = a;

    std::vector<Candidate> candidates;
    if (cases[a].evidence > 0) {
      const Arm o = accusers[a][level_];
      candidates.push_back({a, o, weight(met(a, o), cases[a].evidence)});
    }
    double mu = kNever;
    for (Arm i = 0; i < k_; ++i) {
      if (i != a) mu = std::min(mu, cases[i].evidence);
    }
    for (Arm i = 0; i < k_; ++i) {
      if (i == a) continue;
      if (level_ == 0) {
        challenge(i, a, cases, accusers[i], f, candidates);
      } else {
        const auto excused = accusers[a].begin() + std::min(level_, accusers[a].size());
        if (std::find(accusers[a].begin(), excused, i) != excused) continue;
        const double e = term(i, a) + mu;
        if (met(a, i) == 0 || e + on_grid(g(met(a, i))) <= f) {
          candidates.push_back({a, i, weight(met(a, i), e)});
        }
      }
    }
    if (candidates.empty()) candidates = tests_of(a, f);
    if (candidates.empty()) return {a, a, t};
    double weight = kNever;
    for (const Candidate& candidate : candidates) weight = std::min(weight, candidate.weight);
    std::erase_if(candidates, [&](const Candidate& c) { return c.weight != weight; });
    const Candidate chosen = one_of(candidates, rng);
    return {chosen.first, chosen.second, t};
  }

  void challenge(Arm i, Arm a, const std::vector<Case>& cases, const std::vector<Arm>& accusers,
                 double f, std::vector<Candidate>& candidates) const {
    const double n = met(i, a);
    double e = term(i, a);
    double h = -kNever;
    if (accusers.empty()) {
      if (n > 0) h = on_grid(g(n));
    } else if (options_.safe) {
      for (Arm j = 0; j < k_; ++j) e = std::max(e, term(i, j));
      h = cases[i].plausibility;
    } else {
      double rest =
          cases[i].evidence - cases[a].evidence - on_grid(omega(accusers.size(), options_.slack));
      if (options_.bold && e == 0) rest = std::trunc(rest * 0x1p35) * 0x1p-36;
      h = cases[i].bonus + (options_.bold ? lead(a, i, n) : 0);
      e = std::max(e, rest);
      h += e;
    }
    if (h > f) return;
    Arm opponent = a;
    if (!accusers.empty() && accusers[0] != a && term(i, accusers[0]) > term(i, a) &&
        (!options_.bold || term(i, a) > 0) &&
        met(i, accusers[0]) < (options_.bold ? 3 : 1) * options_.ag * n) {
      opponent = accusers[0];
    }
    candidates.push_back({opponent, i, weight(n, e)});
  }

  double lead(Arm a, Arm i, double n) const {
    if (k_ == 2 || n == 0) return 0;
    double of_a = 0, of_i = 0;
    for (Arm j = 0; j < k_; ++j) {
      if (j != i) of_a += std::min(term(j, a), 7.0);
      if (j != a) of_i += std::min(term(j, i), 7.0);
    }
    const double ahead = (of_a - of_i) / (7 * (static_cast<double>(k_) - 2));
    return on_grid(8 * std::max(0.0, ahead) * std::sqrt(term(i, a) / (n * std::log(2))) * n * n /
                   (n * n + 400));
  }

  // Step 4, world by world.
  struct Reversal {
    double price;
    int rank;  // pairs of the champion first among equals
    double term, bonus;
    Arm arm;
  };
  struct World {
    double cost = kNever;
    std::vector<Arm> pairs;  // of the champion
  };

  std::vector<Candidate> tests_of(Arm a, double f) const {
    std::vector<World> worlds;
    for (Arm i = 0; i < k_; ++i) {
      if (i == a) continue;
      const std::size_t k = losses_to_others(i, a);
      if (term(a, i) > 0) {
        worlds.push_back(world(i, a, k + 1 - level_, false));
      } else {
        worlds.push_back(world(i, a, k > level_ ? k - level_ : 0, true));
        worlds.push_back(world(i, a, k + 2 - level_, false));
      }
    }
    double least = kNever;
    for (const World& w : worlds) least = std::min(least, w.cost);
    std::vector<bool> tested(k_);
    for (const World& w : worlds) {
      if (w.cost != least) continue;
      for (const Arm j : w.pairs) tested[j] = true;
    }
    std::vector<Candidate> tests;
    for (Arm j = 0; j < k_; ++j) {
      if (tested[j] && least <= f) tests.push_back({a, j, weight(met(a, j), term(j, a))});
    }
    return tests;
  }

  std::size_t losses_to_others(Arm i, Arm a) const {
    std::size_t losses = 0;
    for (Arm j = 0; j < k_; ++j) losses += j != a && term(i, j) > 0;
    return losses;
  }

  World world(Arm i, Arm a, std::size_t reversals, bool meets) const {
    std::vector<Reversal> all;
    for (Arm j = 0; j < k_; ++j) {
      if (j != a && term(i, j) > 0) all.push_back(reversal(i, j, 1, j));
      if (j != a && j != i && term(a, j) == 0) all.push_back(reversal(j, a, 0, j));
    }
    if (all.size() < reversals) return {};
    std::sort(all.begin(), all.end(), [](const Reversal& x, const Reversal& y) {
      return std::tie(x.price, x.rank, x.term) < std::tie(y.price, y.rank, y.term);
    });
    World result;
    double terms = 0, bonus = 0;
    if (meets) {
      const Reversal meeting = reversal(i, a, 0, i);
      terms = meeting.term;
      bonus = meeting.bonus;
      result.pairs.push_back(i);
    }
    for (std::size_t q = 0; q < reversals; ++q) {
      terms += all[q].term;
      bonus = std::max(bonus, all[q].bonus);
    }
    // Where several pairs of the champion cost the same, each could be the one that is taken.
    for (const Reversal& r : all) {
      if (r.rank == 0 && reversals > 0 && r.price <= all[reversals - 1].price) {
        result.pairs.push_back(r.arm);
      }
    }
    if (!result.pairs.empty()) result.cost = terms + bonus;
    return result;
  }

  Reversal reversal(Arm loser, Arm winner, int rank, Arm arm) const {
    const double bonus = met(loser, winner) == 0 ? 0 : on_grid(g(met(loser, winner)));
    return {term(loser, winner) + bonus, rank, term(loser, winner), bonus, arm};
  }

  Case case_against(Arm i, const std::vector<Arm>& accusers, std::size_t level) const {
    Case result;
    if (accusers.size() <= level) return result;
    double weighted = 0;
    double most = -kNever;
    for (std::size_t q = level; q < accusers.size(); ++q) {
      const Arm j = accusers[q];
      result.evidence += term(i, j);
      weighted += on_grid(term(i, j) * g(met(i, j)));
      most = std::max(most, term(i, j) + on_grid(g(met(i, j))));
    }
    result.bonus = on_grid(weighted / result.evidence);
    result.plausibility =
        options_.safe ? most
                      : result.evidence - on_grid(omega(accusers.size() - level, options_.slack)) +
                            result.bonus;
    return result;
  }

  // Those that beat i, the strongest first; equal ones by lot.
  std::vector<Arm> accusers_of(Arm i) const {
    std::vector<Arm> accusers;
    for (Arm j = 0; j < k_; ++j) {
      if (term(i, j) > 0) accusers.push_back(j);
    }
    std::sort(accusers.begin(), accusers.end(), [&](Arm j, Arm other) {
      if (term(i, j) != term(i, other)) return term(i, j) > term(i, other);
      if (options_.deterministic_ties) return j < other;
      return mix64(lots_[i] ^ j) < mix64(lots_[i] ^ other);
    });
    return accusers;
  }

  double weight(double n, double e) const { return (n + options_.start) * (1 + e); }
  static double omega(std::size_t k, double slack) {
    const double m = k == 0 ? 0 : static_cast<double>(k) - 1;
    return std::max(m / 4, m / 2 - slack);
  }
  double term(Arm i, Arm j) const {
    if (w_[i][j] >= w_[j][i]) return 0;
    const double n = w_[i][j] + w_[j][i];
    return on_grid(n * divergence(w_[i][j] / n));
  }
  double met(Arm i, Arm j) const { return w_[i][j] + w_[j][i] + out_[i][j]; }
  double g(double n) const {
    const double c = options_.c * (options_.bold && level_ == 0 ? 0.7 : 1);
    return c * (options_.safe ? std::log(n) : std::log(n) * n / (n + options_.n0));
  }
  static double on_grid(double x) {
    return (x < 0 ? std::ceil(x * 0x1p36 - 0.5) : std::floor(x * 0x1p36 + 0.5)) * 0x1p-36;
  }
  static double divergence(double p) {
    const auto part = [](double x) { return x == 0 ? 0 : x * std::log(2 * x); };
    return part(p) + part(1 - p);
  }
  template <class T>
  T one_of(const std::vector<T>& tied, RoundRng& rng) const {
    return tied.size() == 1 || options_.deterministic_ties ? tied[0] : tied[rng.below(tied.size())];
  }

  ImedOptions options_;
  std::size_t k_;
  std::vector<std::vector<double>> w_;
  std::vector<std::vector<double>> out_;
  std::vector<std::uint64_t> lots_;
  std::size_t kept_;
  Arm champion_ = 0;
  std::size_t level_ = 0;
};

}  // namespace duel
