#include "duel/inference/overturn.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

// What a sum of scores with decimals misses 0 by is no lead.
constexpr double kNoLead = 1e-9;

bool is_whole(double unit) { return unit == 1 || unit == -1 || unit == 0; }

// E_t from counts: of the wins so far the first `wrong` are gone, or losses.
double of_whole(const PairEvidence& evidence, std::span<const double> units, std::uint64_t wrong,
                Mistake how, Looked looked) {
  PairEvidence::Maximum largest;
  std::uint64_t wins = 0, losses = 0, taken = 0;
  for (const double unit : units) {
    if (unit == 0) continue;
    if (unit < 0) {
      ++losses;
    } else if (taken < wrong) {
      ++taken;
      if (how == Mistake::flipped) ++losses;
    } else {
      ++wins;
    }
    if (looked == Looked::always) evidence.raise(largest, wins, losses);
  }
  if (looked == Looked::at_the_end) evidence.raise(largest, wins, losses);
  return largest.log_evidence;
}

// The evidence that is in the sums: whole answers as counts, the others by their logarithms.
struct Sums {
  std::uint64_t wins = 0, losses = 0;
  PairEvidence::Logs logs{};

  void add(const PairEvidence& evidence, double unit) {
    if (unit == 1) {
      ++wins;
    } else if (unit == -1) {
      ++losses;
    } else if (unit != 0) {
      evidence.add(logs, unit);
    }
  }
};

// E_t with the `wrong` largest positive units so far in `hit` and everything else in the sums. What
// leaves `hit` for a larger one never returns, so nothing is ever subtracted from a sum. Only those
// of `fallible` are hit, or any where it is empty.
double of_any(const PairEvidence& evidence, std::span<const double> units, std::uint64_t wrong,
              Mistake how, Looked looked, std::span<const std::uint8_t> fallible = {}) {
  Sums sums;
  std::multiset<double> hit;
  double largest = 0;  // E starts at 1
  for (std::size_t t = 0; t < units.size(); ++t) {
    const double unit = units[t];
    const bool helps = unit > 0 && (fallible.empty() || fallible[t] != 0);
    if (helps && hit.size() < wrong) {
      hit.insert(unit);
    } else if (helps && wrong > 0 && unit > *hit.begin()) {
      sums.add(evidence, *hit.begin());
      hit.erase(hit.begin());
      hit.insert(unit);
    } else {
      sums.add(evidence, unit);
    }
    if (looked == Looked::at_the_end && t + 1 < units.size()) continue;
    Sums now = sums;
    if (how == Mistake::flipped) {
      for (const double one : hit) now.add(evidence, -one);
    }
    largest = std::max(largest, evidence.log_evidence(now.wins, now.losses, now.logs));
  }
  return largest;
}

// The level at which so much evidence is the threshold.
double level_of(double alpha, double log_threshold, double reached) {
  return std::min(1.0, exponential((natural_log(alpha) + log_threshold) - reached));
}

// Added in serving order, so that every machine has the same bits.
double sum_of(std::span<const double> units) {
  double sum = 0;
  for (const double unit : units) sum += unit;
  return sum;
}

}  // namespace

double log_evidence_if_wrong(const PairEvidence& evidence, std::span<const double> units,
                             std::uint64_t wrong, Mistake how, Looked looked) {
  return std::ranges::all_of(units, is_whole) ? of_whole(evidence, units, wrong, how, looked)
                                              : of_any(evidence, units, wrong, how, looked);
}

std::uint64_t fewest_to_overturn(const PairEvidence& evidence, std::span<const double> units,
                                 double log_threshold, Mistake how, Looked looked) {
  DUEL_CHECK(log_threshold > 0);
  const auto stands = [&](std::uint64_t wrong) {
    return log_evidence_if_wrong(evidence, units, wrong, how, looked) >= log_threshold;
  };
  // With all that speaks for i gone E stays at 1.
  std::uint64_t fewest = 0;
  auto falls = static_cast<std::uint64_t>(
      std::ranges::count_if(units, [](double unit) { return unit > 0; }));
  while (fewest < falls) {
    const std::uint64_t middle = fewest + (falls - fewest) / 2;
    if (stands(middle)) {
      fewest = middle + 1;
    } else {
      falls = middle;
    }
  }
  return fewest;
}

bool leads(std::span<const double> units) { return sum_of(units) > kNoLead; }

std::uint64_t fewest_to_reverse(std::span<const double> units, Mistake how) {
  double sum = sum_of(units);
  std::vector<double> largest(units.begin(), units.end());
  std::ranges::sort(largest, std::greater());
  const double weight = how == Mistake::flipped ? 2 : 1;
  std::uint64_t wrong = 0;
  for (; sum > kNoLead; ++wrong) sum -= weight * largest[wrong];
  return wrong;
}

double level_if_wrong(const PairEvidence& evidence, std::span<const double> units,
                      std::uint64_t wrong, double alpha, double log_threshold, Looked looked) {
  const double reached = log_evidence_if_wrong(evidence, units, wrong, Mistake::flipped, looked);
  return level_of(alpha, log_threshold, reached);
}

double level_without_people(const PairEvidence& evidence, std::span<const double> units,
                            std::span<const std::uint8_t> by_person, std::uint64_t wrong,
                            double alpha, double log_threshold, Looked looked) {
  DUEL_CHECK(by_person.size() == units.size());
  const double reached = of_any(evidence, units, wrong, Mistake::missing, looked, by_person);
  return level_of(alpha, log_threshold, reached);
}

}  // namespace duel
