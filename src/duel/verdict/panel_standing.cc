#include "duel/verdict/panel_standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/inference/evidence.h"

namespace duel {
namespace {

// A question takes about so long, before anybody's answer says how long.
constexpr double kSecondsPerQuestion = 10;

// Of i, whatever those say who have not answered; "" of what is open.
std::string certain_of(const PanelCount& count, Arm i, Arm j) {
  return count.beats(i, j) ? "beats" : count.cannot_beat(i, j) ? "cannot_beat" : "";
}

PanelPair pair_of(const Ledger& ledger, Arm i, Arm j) {
  const Panel& panel = *ledger.panel();
  const PanelFacts facts = panel_facts(ledger, i, j);
  PanelPair pair{.first = ledger.id_of(i),
                 .second = ledger.id_of(j),
                 .for_first = facts.for_first,
                 .for_second = facts.for_second,
                 .for_neither = facts.for_neither,
                 .unknown = facts.unknown,
                 .certain = certain_of(panel.count(), i, j)};
  if (panel.early() && pair.certain.empty()) {
    pair.evidence = format_evidence(panel.log_evidence(i, j));
    pair.threshold = format_evidence(panel.log_threshold());
  }
  return pair;
}

// For each arm the one that it cannot beat: the one that beats it, if there is one, by the most.
Arm stopper_of(const PanelCount& count, Arm i) {
  std::optional<Arm> found;
  for (Arm j = 0; j < count.num_arms(); ++j) {
    if (j == i || !count.cannot_beat(i, j)) continue;
    if (!found || std::pair(count.beats(j, i), count.lead(j, i)) >
                      std::pair(count.beats(*found, i), count.lead(*found, i))) {
      found = j;
    }
  }
  DUEL_CHECK(found.has_value());
  return *found;
}

std::string people(std::uint64_t count) { return counted(count, "person", "people"); }

// "of these 8 people", "of the 6 who answered".
std::string whom(const Panel& panel) {
  return panel.closed() ? fmt::format("the {} who answered", *panel.size())
                        : fmt::format("these {}", people(*panel.size()));
}

// Whose answers are in, and why the others do not matter.
std::string who_was_asked(const Panel& panel) {
  const std::uint64_t size = *panel.size(), answered = panel.answered();
  if (panel.closed()) return "";
  if (answered == size) return fmt::format("; all {} of {} asked", size, size);
  const std::uint64_t others = size - answered;
  return fmt::format("; {} of {} asked, and the other {} cannot change it", answered, size,
                     others == 1 ? std::string("one") : fmt::format("{}", others));
}

std::string scope_of(const Panel& panel) {
  return panel.tasks() > 1 ? fmt::format(", over all {} tasks", panel.tasks()) : "";
}

std::string no_winner_text(const Ledger& ledger) {
  const PanelCount& count = ledger.panel()->count();
  const std::vector<Arm> cycle = panel_cycle(ledger);
  bool strict = true;
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    strict = strict && count.beats(cycle[k], cycle[(k + 1) % cycle.size()]);
  }
  std::string text;
  const auto name = [&](Arm arm) { return fmt::format("'{}'", ledger.name_of(arm)); };
  if (strict) {
    for (const Arm arm : cycle) text += name(arm) + " > ";
    return text + name(cycle.front());
  }
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    const Arm i = cycle[k], j = cycle[(k + 1) % cycle.size()];
    if (cycle.size() == 2 && k == 1) break;  // a tie is the same seen from both sides
    text += text.empty() ? "" : ", ";
    text += count.beats(i, j) ? fmt::format("{} > {}", name(i), name(j))
            : count.cannot_beat(i, j)
                ? fmt::format("{} and {} tie", name(std::min(i, j)), name(std::max(i, j)))
                : fmt::format("{} does not lose to {}", name(i), name(j));
  }
  return text;
}

}  // namespace

std::vector<Arm> panel_cycle(const Ledger& ledger) {
  const PanelCount& count = ledger.panel()->count();
  std::vector<Arm> visited;
  Arm at = 0;
  while (std::ranges::find(visited, at) == visited.end()) {
    visited.push_back(at);
    at = stopper_of(count, at);
  }
  visited.erase(visited.begin(), std::ranges::find(visited, at));
  // Each is stopped by the one that follows it; turned round, none loses to the next.
  std::ranges::reverse(visited);
  return visited;
}

bool is_by_counting(const Ledger& ledger) {
  const auto& given = ledger.certificate();
  DUEL_CHECK(given.has_value());
  if (!given->winner) return true;
  for (Arm j = 0; j < ledger.num_arms(); ++j) {
    if (j != *given->winner && !ledger.panel()->count().beats(*given->winner, j)) return false;
  }
  return true;
}

std::string panel_statement(const Ledger& ledger) {
  const Panel& panel = *ledger.panel();
  const auto& winner = ledger.certificate()->winner;
  if (!winner) {
    return fmt::format("No arm is preferred to every other by {}{}: {}{}.", whom(panel),
                       scope_of(panel), no_winner_text(ledger), who_was_asked(panel));
  }
  const std::size_t others = ledger.num_arms() - 1;
  const std::string beats = fmt::format(
      "More of {} prefer '{}' to {} than the other way round{}", whom(panel),
      ledger.name_of(*winner),
      others == 1 ? std::string("the other arm") : fmt::format("each of the {} other arms", others),
      scope_of(panel));
  if (is_by_counting(ledger)) return beats + who_was_asked(panel) + ".";
  return fmt::format(
      "{}. With {} of {} asked, such a statement is false with probability at most "
      "{}.",
      beats, panel.answered(), *panel.size(), format_number(ledger.experiment().stopping.alpha));
}

std::optional<Arm> panel_leader(const Ledger& ledger) {
  if (const auto& given = ledger.certificate()) return given->winner;
  const PanelCount& count = ledger.panel()->count();
  if (ledger.total().decisive() == 0) return std::nullopt;
  const std::vector<bool> may_win = count.possible_winners();
  std::optional<Arm> leader;
  std::tuple<std::size_t, std::int64_t> best;
  for (Arm i = 0; i < count.num_arms(); ++i) {
    if (!may_win[i]) continue;
    std::size_t points = 0;
    std::optional<std::int64_t> least;
    for (Arm j = 0; j < count.num_arms(); ++j) {
      if (j == i) continue;
      const std::int64_t lead = count.lead(i, j);
      points += lead > 0 ? 2 : lead == 0 ? 1 : 0;
      least = std::min(least.value_or(lead), lead);
    }
    const std::tuple now{points, least.value_or(0)};
    if (leader && now <= best) continue;
    leader = i;
    best = now;
  }
  return leader;
}

PanelFacts panel_facts(const Ledger& ledger, Arm i, Arm j) {
  const Panel& panel = *ledger.panel();
  const PanelCount& count = panel.count();
  const auto of = [&](Arm one, Arm other) {
    const std::string certain = certain_of(count, one, other);
    return certain.empty() && panel.shown(one, other) ? "shown" : certain;
  };
  PanelFacts facts{.for_first = count.wins(i, j),
                   .for_second = count.wins(j, i),
                   .for_neither = count.answers(i, j) - count.wins(i, j) - count.wins(j, i),
                   .of_first = of(i, j),
                   .of_second = of(j, i)};
  if (panel.size()) facts.unknown = count.unknown(i, j);
  return facts;
}

PanelStanding panel_standing(const Ledger& ledger, const std::optional<Arm>& leader) {
  const Panel& panel = *ledger.panel();
  PanelStanding standing{.size = panel.size(),
                         .answered = panel.answered(),
                         .absent = panel.absent(),
                         .closed = panel.closed(),
                         .early = panel.early(),
                         .tasks = ledger.tasks().count};
  const auto& given = ledger.certificate();
  if (given && !given->winner) {
    for (Arm i = 0; i < ledger.num_arms(); ++i) {
      standing.pairs.push_back(pair_of(ledger, i, stopper_of(panel.count(), i)));
    }
    return standing;
  }
  for (Arm j = 0; leader && j < ledger.num_arms(); ++j) {
    if (j != *leader && (given || !panel.shown(*leader, j))) {
      standing.pairs.push_back(pair_of(ledger, *leader, j));
    }
  }
  return standing;
}

std::optional<PanelEffort> panel_effort(const Ledger& ledger, const std::optional<Arm>& leader) {
  const Panel& panel = *ledger.panel();
  const PanelCount& count = panel.count();
  if (ledger.certificate() || ledger.completed()) return std::nullopt;
  const double tasks = static_cast<double>(panel.tasks());
  const double minutes = panel.answer_ms().value_or(kSecondsPerQuestion * 1000) / 60'000;
  const auto num_arms = static_cast<double>(count.num_arms());
  if (!panel.size()) {
    // Everybody is asked about every pair until the panel is closed.
    const double questions = num_arms * (num_arms - 1) / 2 * tasks;
    return PanelEffort{.questions_each = static_cast<std::uint64_t>(questions),
                       .minutes_each = questions * minutes};
  }
  // With S ahead and U to come, each for us with mean m, so many more settle it: S + k m > U - k.
  double most = 0, all = 0;
  for (Arm j = 0; j < count.num_arms(); ++j) {
    if (!leader) {  // nobody has named an arm: two people in three, as if they agreed by and large
      most = std::ceil(2.0 / 3 * static_cast<double>(*panel.size()) * tasks);
      all = most * (num_arms - 1);
      break;
    }
    if (j == *leader || panel.shown(*leader, j)) continue;
    const auto lead = static_cast<double>(count.lead(*leader, j));
    const auto unknown = static_cast<double>(count.unknown(*leader, j));
    const auto answers = static_cast<double>(count.answers(*leader, j));
    // One answer more for each side, so that the first answers do not say everything.
    const double mean = std::max(0.0, lead / (answers + 2));
    const double more = std::min(unknown, std::floor((unknown - lead) / (1 + mean)) + 1);
    most = std::max(most, more);
    all += more;
  }
  if (!(most > 0)) return std::nullopt;
  const double people = std::ceil(most / tasks);
  const double each = std::max(1.0, std::ceil(all / people));
  return PanelEffort{.people = static_cast<std::uint64_t>(people),
                     .questions_each = static_cast<std::uint64_t>(each),
                     .minutes_each = each * minutes};
}

std::string effort_text(const std::optional<PanelEffort>& effort) {
  if (!effort) return "";
  const auto whole = static_cast<std::uint64_t>(std::max(1.0, std::ceil(effort->minutes_each)));
  const std::string each =
      fmt::format("{} for each (about {})", counted(effort->questions_each, "question"),
                  counted(whole, "minute"));
  if (!effort->people) return each;
  return fmt::format("about {} more {}, {}", *effort->people,
                     *effort->people == 1 ? "person" : "people", each);
}

std::string panel_verdict(const Ledger& ledger, const std::optional<Arm>& leader) {
  const Panel& panel = *ledger.panel();
  if (!panel.size()) {
    return fmt::format(
        "Undecided: {} {} answered{}. Nothing is said of a panel without a size "
        "before it is closed.",
        people(panel.answered()), panel.answered() == 1 ? "has" : "have",
        leader ? fmt::format("; {} leads", ledger.name_of(*leader)) : "");
  }
  std::string text = fmt::format("Undecided: {} of {} {} answered", panel.answered(), whom(panel),
                                 panel.answered() == 1 ? "has" : "have");
  if (panel.answered() == 0) text = fmt::format("Undecided: none of {} has answered", whom(panel));
  if (leader) text += fmt::format("; {} leads", ledger.name_of(*leader));
  const std::string effort = effort_text(panel_effort(ledger, leader));
  if (!effort.empty()) text += "; " + effort;
  return text + ".";
}

}  // namespace duel
