#include "duel/verdict/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "duel/core/numbers.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/forecast.h"

namespace duel {
namespace {

constexpr std::size_t kMostNamed = 4;

// "b, c, d, e and 3 more".
std::string listed(const Ledger& ledger, const std::vector<Arm>& arms) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(arms.size(), kMostNamed); ++k) {
    names.push_back(ledger.name_of(arms[k]));
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (arms.size() > kMostNamed) text += fmt::format(" and {} more", arms.size() - kMostNamed);
  return text;
}

// Who leads, for a goal that names one arm, and who else may be first.
std::string who_leads(const Ledger& ledger, const Standing& standing) {
  if (!standing.leader) {
    return "every arm is behind another by the evidence that rules it out of first place, so that "
           "none leads";
  }
  const Arm leader = *standing.leader;
  const Places& places = standing.places;
  std::vector<Arm> not_ahead, others;
  for (const ArmStanding& rival : standing.arms) {
    if (rival.arm == leader || !ledger.arms()[rival.arm].active) continue;
    if (std::ranges::find(places.tied, rival.arm) != places.tied.end()) continue;
    const ShownCounts pair = ledger.pair(leader, rival.arm);
    if (places.arms[rival.arm].may_be_first()) {
      others.push_back(rival.arm);
    } else if (rival.beaten && *rival.beaten < 1 &&
               ledger.certifier().lead(leader, rival.arm) <= 0 &&
               pair.second_wins >= pair.first_wins) {
      not_ahead.push_back(rival.arm);
    }
  }
  // The most probable first, since only a few are named.
  std::ranges::stable_sort(others, std::ranges::greater(),
                           [&](Arm arm) { return places.arms[arm].log_probability; });
  std::vector<Arm> first = places.tied;
  first.insert(first.begin(), leader);
  std::string text = first.size() > 1 ? "tied for first are " + listed(ledger, first)
                                      : ledger.name_of(leader) + " leads";
  if (!not_ahead.empty()) {
    text +=
        fmt::format(", but {} is not ahead of {}", first.size() > 1 ? ledger.name_of(leader) : "it",
                    listed(ledger, not_ahead));
  }
  return others.empty() ? text : text + "; not ruled out yet: " + listed(ledger, others);
}

}  // namespace

std::string order_text(const Ledger& ledger, const OrderStanding& order) {
  const auto at = [&](std::size_t place) {
    return order.arms.begin() + static_cast<std::ptrdiff_t>(place);
  };
  const std::size_t shown = order.shown();
  const std::string pairs = fmt::format("{} of {} pair{} shown", shown, order.needed.size(),
                                        order.needed.size() == 1 ? " is" : "s are");
  if (ledger.experiment().goal.kind == Goal::set) {
    return fmt::format("{} {} in front; {}", listed(ledger, {at(0), at(order.named)}),
                       order.named == 1 ? "is" : "are", pairs);
  }
  std::string text;
  for (std::size_t place = 0; place < order.certain; ++place) {
    text += fmt::format("{}{}. {}", place == 0 ? "" : ", ", place + 1, ledger.name_of(*at(place)));
  }
  if (order.certain > 0) text += " (certified)";
  if (order.certain == order.named) return text;
  if (order.certain > 0) text += "; ";
  const std::size_t first = order.certain + 1;
  text += first == order.named ? fmt::format("{} open", first)
                               : fmt::format("{} to {} open", first, order.named);
  return text + fmt::format(", so far {}; {}", listed(ledger, {at(order.certain), at(order.named)}),
                            pairs);
}

std::string best_sentence(double probability_no_winner) {
  return fmt::format(
      "P(best) is the probability that an arm beats every other, by the answers of its pairs; that "
      "none does has probability {:.3f}.",
      probability_no_winner);
}

std::string approximate_count(std::uint64_t count) {
  std::uint64_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  const std::uint64_t rounded = (count + unit / 2) / unit * unit;
  std::string digits = std::to_string(rounded);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string verdict_of(const Ledger& ledger, const Standing& standing) {
  if (ledger.certificate()) return certificate_statement(ledger);
  if (standing.space) return space_verdict(ledger);
  if (standing.panel) return panel_verdict(ledger, standing.leader);
  const std::uint64_t duels = ledger.total().served;
  const std::string after = fmt::format("after {} duel{}", duels, duels == 1 ? "" : "s");
  if (ledger.total().decisive() == 0) {
    return fmt::format("Undecided {}: no decisive answer yet.", after);
  }
  std::string text;
  if (standing.too_little) {
    text = fmt::format("Not enough data {}: {} has fewer than {} decisive ones", after,
                       ledger.name_of(*standing.too_little), Standing::kFewestDecisive);
  } else if (standing.order) {
    text = fmt::format("Undecided {}: {}", after, order_text(ledger, *standing.order));
  } else {
    text = fmt::format("Undecided {}: {}", after, who_leads(ledger, standing));
  }
  const std::uint64_t limit = ledger.experiment().stopping.max_duels;
  const bool at_limit = limit > 0 && ledger.served() >= limit;
  if (at_limit) text += fmt::format("; max_duels = {} is reached, and no more are asked", limit);
  // Where many wait, the evidence stands still however many answers come.
  const WaitingAnswers& waiting = standing.waiting;
  if (10 * waiting.answers >= ledger.total().answered() && waiting.answers > 0) {
    text += fmt::format("; {} {} for {} served before", counted(waiting.answers, "answer"),
                        waiting.answers == 1 ? "waits" : "wait",
                        counted(waiting.open_duels, "open duel"));
  }
  const Forecast forecast = forecast_of(ledger, standing);
  if (forecast.duels) {
    text += fmt::format("{} about {} more {}{} if the rates stay as they are", at_limit ? ":" : ";",
                        approximate_count(forecast.visits.value_or(*forecast.duels)),
                        forecast.visits ? "visits" : "duels", at_limit ? " would be needed" : "");
  }
  return text + ".";
}

}  // namespace duel
