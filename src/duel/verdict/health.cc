#include "duel/verdict/health.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "duel/core/numbers.h"
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

// Whether the largest of `looks` deviations stands out at the level of three standard errors for
// all of them together (Bonferroni; Holm's procedure rejects anything exactly when this does).
// Without the correction, two of the 780 pairs of 40 arms are out of line by chance.
bool stands_out(double worst, std::uint64_t looks) {
  const auto two_sided = [](double z) { return std::erfc(z / std::sqrt(2.0)); };
  return looks > 0 && two_sided(worst) * static_cast<double>(looks) < two_sided(3);
}

// Answers that did not come. A duel that was still open when the certificate came (`moot`) is not
// among them: nobody waited for its answer any more.
std::uint64_t missing(const ShownCounts& counts) {
  return counts.unanswered() - counts.clickless - counts.moot + counts.invalid;
}
std::uint64_t final_ones(const ShownCounts& counts) {
  return counts.answered() + counts.expired - counts.clickless - counts.moot;
}

// The counts of a ledger as a check reads them.
struct Counted {
  const Ledger& ledger;
  Clickless clickless;

  ShownCounts read(ShownCounts counts) const {
    if (clickless == Clickless::missing) counts.clickless = 0;
    return counts;
  }
  ShownCounts total() const { return read(ledger.total()); }
  ShownCounts pair(Arm i, Arm j) const { return read(ledger.pair(i, j)); }
  ShownCounts shown(Arm i, Arm j) const { return read(ledger.shown(i, j)); }
};

// Fails if a pair, or one side of it, has far more missing answers than the rest: if one side's
// answers get lost more often, those that are left are no fair sample.
HealthCheck missing_answers(const Ledger& ledger, Clickless clickless) {
  const Counted counted{ledger, clickless};
  const std::string name = "missing_answers";
  const ShownCounts all = counted.total();
  if (final_ones(all) < kFewest) return unknown_check(name, "too few duels to tell");
  const double rate = share(missing(all), final_ones(all));
  double worst = 0;
  std::uint64_t looks = 0;
  std::string where;
  const auto look = [&](const ShownCounts& counts, double expected, Arm i,
                        std::string_view relation, Arm j) {
    if (final_ones(counts) < kFewest) return;
    ++looks;
    const double found = deviation(missing(counts), final_ones(counts), expected);
    if (found <= worst) return;
    worst = found;
    where = fmt::format("{} {} {}: {:.1f} %", ledger.name_of(i), relation, ledger.name_of(j),
                        100 * share(missing(counts), final_ones(counts)));
  };
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const ShownCounts pair = counted.pair(i, j);
      const double of_pair = share(missing(pair), final_ones(pair));
      look(pair, rate, i, "and", j);
      look(counted.shown(i, j), of_pair, i, "shown before", j);
      look(counted.shown(j, i), of_pair, j, "shown before", i);
    }
  }
  const bool out_of_line = stands_out(worst, looks);
  std::string detail = fmt::format("{:.1f} % of the duels got no usable answer", 100 * rate);
  if (out_of_line) detail += fmt::format("; {}, {:.1f} standard errors off", where, worst);
  return judged_check(name, out_of_line, std::move(detail));
}

// Could lost answers have changed what is certified? The check asks whether the leader is ahead of
// the rival by 1.645 standard errors even if every lost answer, and every failed try, had been for
// the rival. This is not a test with a level, since a run stops when the leader is ahead: of runs
// with even arms in which half of one side's wins are lost, one in ten passes. It is needed because
// no later answer shows that answers were lost depending on what they said.
HealthCheck lost_answers(const Ledger& ledger, Clickless clickless) {
  const Counted counted{ledger, clickless};
  constexpr double kQuantile = 1.645;
  const std::string name = "lost_answers";
  const ShownCounts all = counted.total();
  const auto lost = [](const ShownCounts& counts) { return missing(counts) + counts.failed_tries; };
  const std::uint64_t tries = final_ones(all) + all.failed_tries;
  std::string detail = fmt::format("{} of {} tries gave no answer ({:.1f} %)", lost(all), tries,
                                   100 * share(lost(all), tries));
  if (tries < kFewest) return unknown_check(name, std::move(detail));
  if (lost(all) == 0) return judged_check(name, false, std::move(detail));
  const Certifier& certifier = ledger.certifier();
  const auto settled = [&](Arm i, Arm j) {
    if (ledger.orders()) return ledger.orders()->reached(i, j);
    if (ledger.tuned() != nullptr) {
      return ledger.certificate() && i == point_role::kCandidate && j == point_role::kInUse;
    }
    return certifier.log_evidence(i, j) >= certifier.log_threshold(i);
  };
  // With the goal epsilon the leader need not be ahead, only not far behind.
  const double null = 0.5 - ledger.experiment().goal.margin;
  double least = std::numeric_limits<double>::infinity();
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = 0; j < ledger.num_arms(); ++j) {
      if (i == j || !settled(i, j)) continue;
      const ShownCounts pair = counted.pair(i, j);
      if (lost(pair) == 0) continue;
      const auto wins = static_cast<double>(pair.first_wins);
      const auto others = static_cast<double>(pair.second_wins + lost(pair));
      const double z =
          (wins * (1 - null) - others * null) / std::sqrt(null * (1 - null) * (wins + others));
      if (z >= least) continue;
      least = z;
      if (z < kQuantile) {
        detail +=
            fmt::format("; if those of {} and {} were for {}, {} : {} would be {} : {}",
                        ledger.name_of(i), ledger.name_of(j), ledger.name_of(j), pair.first_wins,
                        pair.second_wins, pair.first_wins, pair.second_wins + lost(pair));
      }
    }
  }
  // Nothing is certified that they could overturn.
  if (std::isinf(least)) return unknown_check(name, std::move(detail));
  return judged_check(name, least < kQuantile, std::move(detail));
}

// Two points of a search are counted as they were shown, whichever they were.
bool is_of_search(const Ledger& ledger, Arm i, Arm j) {
  return ledger.parts().space && (i == point_role::kSearched || j == point_role::kSearched ||
                                  i == point_role::kSearchedToo || j == point_role::kSearchedToo);
}

// If several judge programs answered: do they agree about each pair? The statistic is the sum over
// pairs and judges of squared deviations from the pair's common rate, divided by their variances.
HealthCheck judges(const Ledger& ledger) {
  constexpr std::uint64_t kFewestOfJudge = 5;
  const std::string name = "judges";
  if (ledger.judges().empty()) return unknown_check(name, "no judge program answered");
  if (ledger.judges().size() == 1) return unknown_check(name, "one judge program answered");
  double squares = 0, degrees = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      if (is_of_search(ledger, i, j)) continue;
      std::vector<std::pair<std::uint64_t, std::uint64_t>> said;
      std::uint64_t wins = 0, duels = 0;
      for (const auto& [judge, pairs] : ledger.judges()) {
        const auto found = pairs.find({i, j});
        if (found == pairs.end()) continue;
        const auto [low, high] = found->second;
        if (low + high < kFewestOfJudge) continue;
        said.push_back(found->second);
        wins += low;
        duels += low + high;
      }
      if (said.size() < 2 || wins == 0 || wins == duels) continue;
      const double p = share(wins, duels);
      for (const auto& [low, high] : said) {
        const double deviations = deviation(low, low + high, p);
        squares += deviations * deviations;
      }
      degrees += static_cast<double>(said.size() - 1);
    }
  }
  std::string detail = fmt::format("{} judge programs answered", ledger.judges().size());
  if (degrees == 0) return unknown_check(name, std::move(detail));
  const bool differ = squares > degrees + 3 * std::sqrt(2 * degrees);
  detail += fmt::format("; they {} (chi-squared {:.1f}, {:.0f} degrees of freedom)",
                        differ ? "differ about the same pairs" : "agree", squares, degrees);
  // Drawn for each duel, they may differ: the certificate is about all of them together.
  const bool drawn = ledger.experiment().judge.command.starts_with(kOneDrawnOf);
  return judged_check(name, differ && !drawn, std::move(detail));
}

// Where people audit a judge: does it say anything of what they prefer? A certificate holds all the
// same, since it is about people, but the judge is paid for nothing.
HealthCheck judge_under_audit(const Ledger& ledger) {
  const std::string name = "judge";
  std::uint64_t told = 0;
  std::vector<std::string> useless;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const AuditedUnits* const pair = ledger.referee().audited(i, j);
      if (pair == nullptr || pair->audited() < AuditedUnits::kEnoughToTell) continue;
      ++told;
      if (!pair->useless()) continue;
      useless.push_back(fmt::format("{} and {}", ledger.name_of(i), ledger.name_of(j)));
    }
  }
  if (told == 0) {
    return unknown_check(name, fmt::format("people have answered fewer than {} duels of each pair",
                                           AuditedUnits::kEnoughToTell));
  }
  if (useless.empty()) return judged_check(name, false, "it knows something of what people prefer");
  return judged_check(name, true,
                      fmt::format("it says nothing, or the reverse of people, about {}; it saves "
                                  "no answers there, and the statement about people holds",
                                  fmt::join(useless, "; ")));
}

HealthCheck position_balance(const Ledger& ledger) {
  const std::string name = "position_balance";
  if (ledger.experiment().order == Placement::fixed) {
    return unknown_check(name,
                         "places are not drawn: they are fixed, or the lists were interleaved");
  }
  double worst = 0;
  std::string where;
  std::uint64_t pairs = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      if (is_of_search(ledger, i, j)) continue;
      const std::uint64_t first = ledger.shown(i, j).served;
      const std::uint64_t served = ledger.pair(i, j).served;
      if (served < kFewest) continue;
      ++pairs;
      if (const double found = deviation(first, served, 0.5); found > worst) {
        worst = found;
        where = fmt::format("{} was shown before {} in {} of {} duels", ledger.name_of(i),
                            ledger.name_of(j), first, served);
      }
    }
  }
  if (pairs == 0) return unknown_check(name, "too few duels to tell");
  return judged_check(name, stands_out(worst, pairs),
                      where.empty()
                          ? "places are even"
                          : fmt::format("{}, {:.1f} standard errors off, the most of {} pairs",
                                        where, worst, pairs));
}

std::string bias_text(const PositionBias& bias, std::string_view of) {
  return fmt::format("the first place won {:.1f} % of {} {} ({:.1f} .. {:.1f} %)", 100 * bias.share,
                     bias.first_wins + bias.second_wins, of, 100 * bias.interval.lower,
                     100 * bias.interval.upper);
}

HealthCheck position_bias(const Ledger& ledger) {
  const std::string name = "position_bias";
  const Placement order = ledger.experiment().order;
  if (order == Placement::fixed) {
    return unknown_check(name,
                         "cannot be separated from the arms while places are not drawn at random");
  }
  // If duels are judged in both orders, contradictions show the bias: without one, "always the
  // first" and "always the second" are equally likely for every pair.
  const ShownCounts all = ledger.total();
  const bool both = order == Placement::both;
  const PositionBias bias =
      both ? estimate_position_bias(ledger.flips().to_first, ledger.flips().to_second, kDelta)
           : estimate_position_bias(all.first_wins, all.second_wins, kDelta);
  if (bias.first_wins + bias.second_wins < kFewest) {
    if (!both) return unknown_check(name, "too few duels to tell");
    return ledger.flips().judged >= kFewest ? judged_check(name, false, "too few flips to tell")
                                            : unknown_check(name, "too few flips to tell");
  }
  return judged_check(name, bias.found(), bias_text(bias, both ? "flips" : "decisive duels"));
}

HealthCheck ties(const Ledger& ledger) {
  if (ledger.parts().panel) return unknown_check("ties", "of a panel they are answers like others");
  const ShownCounts all = ledger.total();
  const std::uint64_t tied = all.ties + all.both_bad;
  const std::uint64_t answers = all.decisive() + tied;
  if (answers < kFewest) return unknown_check("ties", "too few duels to tell");
  return judged_check(
      "ties", share(tied, answers) > kMostTies,
      fmt::format("{:.1f} % of the answers are ties, {:.1f} % both bad",
                  100 * share(all.ties, answers), 100 * share(all.both_bad, answers)));
}

// A judge program is a single source by design; of people there should be several.
HealthCheck voters(const Ledger& ledger) {
  const std::string name = "voters";
  if (ledger.parts().panel) {
    return unknown_check(name, "a panel: each person counts once for each pair");
  }
  // "human:" names nobody: the answers of a voting page are of as many people as there were
  // subjects. Certificates of older logs counted it as a voter, and keep their bytes.
  const bool needs_id = ledger.experiment().format > 3;
  bool nameless = false;
  std::uint64_t answers = 0, people = 0, largest = 0;
  for (const auto& [who, count] : ledger.answers_by_source()) {
    if (who.starts_with("judge:")) continue;
    if (needs_id && who.ends_with(':')) {
      nameless = true;
      continue;
    }
    ++people;
    answers += count;
    largest = std::max(largest, count);
  }
  if (people == 0) {
    return unknown_check(name,
                         nameless ? "the answers do not say who gave them" : "nobody is named");
  }
  if (people == 1 && ledger.experiment().format > 1 && ledger.comparisons() == 0) {
    return unknown_check(name, "one voter: the result is what that voter prefers");
  }
  std::string detail =
      fmt::format("{}, the busiest gave {:.1f} % of their {}", counted(people, "voter"),
                  100 * share(largest, answers), counted(answers, "answer"));
  if (answers < kFewest) return unknown_check(name, std::move(detail));
  return judged_check(name, share(largest, answers) > kLargestVoter, std::move(detail));
}

HealthCheck aa(const Ledger& ledger) {
  const ShownCounts& counts = ledger.aa();
  if (counts.served == 0) return unknown_check("aa", "no arm was shown twice");
  const PositionBias bias = estimate_position_bias(counts.first_wins, counts.second_wins, kDelta);
  std::string detail = bias_text(bias, "decisive duels of an arm with itself");
  if (counts.decisive() < kFewest) return unknown_check("aa", std::move(detail));
  return judged_check("aa", bias.found(), std::move(detail));
}

HealthCheck conflicts(const Ledger& ledger) {
  const std::uint64_t answers = ledger.total().answered();
  return judged_check(
      "conflicts", share(ledger.conflicts(), answers) > kMostConflicts,
      fmt::format("{} got a second, different answer, {} the same answer again, {} a late one",
                  counted(ledger.conflicts(), "duel"), ledger.duplicates(), ledger.late()));
}

}  // namespace

std::vector<HealthCheck> check_health(const Ledger& ledger, Clickless clickless) {
  std::vector<HealthCheck> checks{missing_answers(ledger, clickless),
                                  position_balance(ledger),
                                  position_bias(ledger),
                                  ties(ledger),
                                  voters(ledger),
                                  aa(ledger),
                                  conflicts(ledger)};
  if (ledger.experiment().format > 1) {
    checks.push_back(lost_answers(ledger, clickless));
    checks.push_back(judges(ledger));
    if (ledger.parts().audited) checks.push_back(judge_under_audit(ledger));
  }
  return checks;
}

std::vector<std::string> failures(const std::vector<HealthCheck>& checks) {
  std::vector<std::string> texts;
  for (const HealthCheck& check : checks) {
    if (check.verdict == HealthVerdict::failed) texts.push_back(check.name + ": " + check.detail);
  }
  return texts;
}

std::string failed_checks_sentence(const std::vector<HealthCheck>& checks) {
  std::vector<std::string> names;
  for (const HealthCheck& check : checks) {
    if (check.verdict == HealthVerdict::failed) names.push_back(check.name);
  }
  if (names.empty()) return "";
  return fmt::format("Health check{} failed: {}.", names.size() == 1 ? "" : "s",
                     fmt::join(names, ", "));
}

HealthVerdict overall(const std::vector<HealthCheck>& checks) {
  const auto failed = std::ranges::find(checks, HealthVerdict::failed, &HealthCheck::verdict);
  return failed == checks.end() ? HealthVerdict::passed : HealthVerdict::failed;
}

}  // namespace duel
