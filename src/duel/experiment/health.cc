#include "duel/experiment/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "duel/inference/position_bias.h"

namespace duel {
namespace {

constexpr double kDelta = 0.01;          // of the anytime intervals below
constexpr std::uint64_t kFewest = 20;    // duels before a share is called one
constexpr double kMostTies = 0.5;        // of the answers
constexpr double kLargestVoter = 0.5;    // of the answers with a known source
constexpr double kMostConflicts = 0.01;  // of the answers

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// |count - n p| in standard errors of a binomial.
double deviation(std::uint64_t count, std::uint64_t n, double p) {
  const auto size = static_cast<double>(n);
  const double variance = size * p * (1.0 - p);
  if (!(variance > 0)) return 0;
  return std::abs(static_cast<double>(count) - size * p) / std::sqrt(variance);
}

std::uint64_t missing(const ShownCounts& counts) { return counts.expired + counts.invalid; }
std::uint64_t final_ones(const ShownCounts& counts) { return counts.answered() + counts.expired; }

// A rate of missing answers per pair and side that is out of line by three standard errors. If one
// side's answers get lost more often, the rest is no fair sample.
HealthCheck missing_answers(const Ledger& ledger) {
  HealthCheck check{.name = "missing_answers", .verdict = HealthVerdict::unknown, .detail = ""};
  const ShownCounts all = ledger.total();
  if (final_ones(all) < kFewest) {
    check.detail = "too few duels to tell";
    return check;
  }
  const double rate = share(missing(all), final_ones(all));
  double worst = 0;
  std::string where;
  const auto look = [&](const ShownCounts& counts, double expected, const std::string& what) {
    const double found = deviation(missing(counts), final_ones(counts), expected);
    if (final_ones(counts) < kFewest || found <= worst) return;
    worst = found;
    where = fmt::format("{}: {:.1f} %", what, 100 * share(missing(counts), final_ones(counts)));
  };
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const ShownCounts pair = ledger.pair(i, j);
      const double of_pair = share(missing(pair), final_ones(pair));
      look(pair, rate, fmt::format("{} and {}", ledger.id_of(i), ledger.id_of(j)));
      look(ledger.shown(i, j), of_pair,
           fmt::format("{} shown before {}", ledger.id_of(i), ledger.id_of(j)));
      look(ledger.shown(j, i), of_pair,
           fmt::format("{} shown before {}", ledger.id_of(j), ledger.id_of(i)));
    }
  }
  check.verdict = worst > 3 ? HealthVerdict::failed : HealthVerdict::passed;
  check.detail = fmt::format("{:.1f} % of the duels got no usable answer", 100 * rate);
  if (worst > 3) check.detail += fmt::format("; {}, {:.1f} standard errors off", where, worst);
  return check;
}

HealthCheck position_balance(const Ledger& ledger) {
  HealthCheck check{.name = "position_balance", .verdict = HealthVerdict::unknown, .detail = ""};
  if (ledger.experiment().order == Placement::fixed) {
    check.detail = "places are fixed, not drawn";
    return check;
  }
  double worst = 0;
  std::string where;
  std::uint64_t pairs = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const std::uint64_t first = ledger.shown(i, j).served;
      const std::uint64_t served = ledger.pair(i, j).served;
      if (served < kFewest) continue;
      ++pairs;
      if (const double found = deviation(first, served, 0.5); found > worst) {
        worst = found;
        where = fmt::format("{} was shown before {} in {} of {} duels", ledger.id_of(i),
                            ledger.id_of(j), first, served);
      }
    }
  }
  if (pairs == 0) {
    check.detail = "too few duels to tell";
    return check;
  }
  check.verdict = worst > 3 ? HealthVerdict::failed : HealthVerdict::passed;
  check.detail = where.empty() ? "places are even"
                               : fmt::format("{}, {:.1f} standard errors off", where, worst);
  return check;
}

std::string bias_text(const PositionBias& bias, std::string_view of) {
  return fmt::format("the first place won {:.1f} % of {} {} ({:.1f} .. {:.1f} %)", 100 * bias.share,
                     bias.first_wins + bias.second_wins, of, 100 * bias.interval.lower,
                     100 * bias.interval.upper);
}

HealthCheck position_bias(const Ledger& ledger) {
  HealthCheck check{.name = "position_bias", .verdict = HealthVerdict::unknown, .detail = ""};
  const Placement order = ledger.experiment().order;
  if (order == Placement::fixed) {
    check.detail = "cannot be told from the arms while places are fixed";
    return check;
  }
  // Judged in both orders, flips tell: without bias both kinds are equally likely for every pair.
  const ShownCounts all = ledger.total();
  const bool both = order == Placement::both;
  const PositionBias bias =
      both ? estimate_position_bias(ledger.flips().to_first, ledger.flips().to_second, kDelta)
           : estimate_position_bias(all.first_wins, all.second_wins, kDelta);
  if (bias.first_wins + bias.second_wins < kFewest) {
    check.detail = both ? "too few flips to tell" : "too few duels to tell";
    if (both && ledger.flips().judged >= kFewest) check.verdict = HealthVerdict::passed;
    return check;
  }
  check.verdict = bias.found() ? HealthVerdict::failed : HealthVerdict::passed;
  check.detail = bias_text(bias, both ? "flips" : "decisive duels");
  return check;
}

HealthCheck ties(const Ledger& ledger) {
  HealthCheck check{
      .name = "ties", .verdict = HealthVerdict::unknown, .detail = "too few duels to tell"};
  const ShownCounts all = ledger.total();
  const std::uint64_t tied = all.ties + all.both_bad;
  const std::uint64_t answers = all.decisive() + tied;
  if (answers < kFewest) return check;
  check.verdict = share(tied, answers) > kMostTies ? HealthVerdict::failed : HealthVerdict::passed;
  check.detail = fmt::format("{:.1f} % of the answers are ties, {:.1f} % both bad",
                             100 * share(all.ties, answers), 100 * share(all.both_bad, answers));
  return check;
}

// One judge program is one source by design; people should be more than one.
HealthCheck voters(const Ledger& ledger) {
  HealthCheck check{
      .name = "voters", .verdict = HealthVerdict::unknown, .detail = "nobody is named"};
  std::uint64_t answers = 0, people = 0, largest = 0;
  for (const auto& [who, count] : ledger.answers_by_source()) {
    if (who.starts_with("judge:")) continue;
    ++people;
    answers += count;
    largest = std::max(largest, count);
  }
  if (people == 0) return check;
  check.detail = fmt::format("{} voters, the busiest gave {:.1f} % of their {} answers", people,
                             100 * share(largest, answers), answers);
  if (answers < kFewest) return check;
  check.verdict =
      share(largest, answers) > kLargestVoter ? HealthVerdict::failed : HealthVerdict::passed;
  return check;
}

HealthCheck aa(const Ledger& ledger) {
  HealthCheck check{
      .name = "aa", .verdict = HealthVerdict::unknown, .detail = "no arm was shown twice"};
  const ShownCounts& counts = ledger.aa();
  if (counts.served == 0) return check;
  const PositionBias bias = estimate_position_bias(counts.first_wins, counts.second_wins, kDelta);
  check.detail = bias_text(bias, "decisive duels of an arm with itself");
  if (counts.decisive() < kFewest) return check;
  check.verdict = bias.found() ? HealthVerdict::failed : HealthVerdict::passed;
  return check;
}

HealthCheck conflicts(const Ledger& ledger) {
  HealthCheck check{.name = "conflicts", .verdict = HealthVerdict::passed, .detail = ""};
  const std::uint64_t answers = ledger.total().answered();
  check.detail = fmt::format("{} duels were answered again and differently, {} again, {} late",
                             ledger.conflicts(), ledger.duplicates(), ledger.late());
  if (share(ledger.conflicts(), answers) > kMostConflicts) check.verdict = HealthVerdict::failed;
  return check;
}

}  // namespace

std::string_view to_word(HealthVerdict verdict) {
  switch (verdict) {
    case HealthVerdict::passed:
      return "passed";
    case HealthVerdict::failed:
      return "failed";
    case HealthVerdict::unknown:
      break;
  }
  return "unknown";
}

std::vector<HealthCheck> check_health(const Ledger& ledger) {
  return {missing_answers(ledger), position_balance(ledger),
          position_bias(ledger),   ties(ledger),
          voters(ledger),          aa(ledger),
          conflicts(ledger)};
}

HealthVerdict overall(const std::vector<HealthCheck>& checks) {
  const bool failed = std::any_of(checks.begin(), checks.end(), [](const HealthCheck& check) {
    return check.verdict == HealthVerdict::failed;
  });
  return failed ? HealthVerdict::failed : HealthVerdict::passed;
}

}  // namespace duel
