#include "duel/verdict/gate_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "duel/core/described_json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"

namespace duel {
namespace {

std::string escaped_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? '?' : c;
    }
  }
  return out;
}

std::string in_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '`' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string score_text(const GateResult& result, std::string_view nothing) {
  return result.mean_score ? fmt::format("{:.3f}", *result.mean_score) : std::string(nothing);
}

// The worst first.
constexpr std::array<std::string_view, 4> kVerdicts = {"worse", "undecided", "not worse", "better"};

// "97.5 %": how often intervals of this level hold.
std::string coverage(double alpha) { return fmt::format("{:.5g} %", 100 * (1 - alpha)); }

std::string why_undecided(const GateResult& result) {
  switch (result.ended) {
    case GateStop::tasks_used_up:
      return "every task has been used, and each counts once";
    case GateStop::budget:
      return "the budget is used up";
    case GateStop::interrupted:
      return "it was interrupted";
    default:
      return "the largest number of duels is reached";
  }
}

// What the statement can bear.
std::string reversal_text(const GateResult& result) {
  if (result.end == GateEnd::open || !result.reversed_by) return "";
  return fmt::format("as few as {} wrong of {} would put the mean score on the other side",
                     *result.reversed_by, counted(result.answers, "answer"));
}

}  // namespace

void GateKeeper::hear(const Ledger& ledger, const LogEntry& entry) {
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    const LedgerDuel* const duel = ledger.find_open(serve->duel_id);
    if (duel == nullptr || !duel->evidence) return;
    open_[serve->duel_id] = {served_, duel->first, duel->second};
    order_.served(served_++, duel->first, duel->second, [](const Duel&, Outcome) {});
  } else if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    settled(outcome->duel_id, ledger, &outcome->answer);
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    settled(expired->duel_id, ledger, nullptr);
  }
}

// No answer: it has expired. The first word on a duel counts.
void GateKeeper::settled(const std::string& duel_id, const Ledger& ledger, const Answer* answer) {
  const auto found = open_.extract(duel_id);
  if (found.empty()) return;
  const Open& duel = found.mapped();
  Outcome said = Outcome::none;
  if (answer != nullptr && answer->result == Answered::graded) {
    graded_[duel.place] = 2.0 * answer->score.value_or(0.5) - 1.0;
  } else if (answer != nullptr) {
    const auto outcome = ledger.outcome_of(*answer, duel.first, duel.second);
    if (outcome.ok()) said = *outcome;
  }
  constexpr Arm kCandidate = 1;
  order_.answered(duel.place, said, [&](const Duel& pair, Outcome outcome) {
    const Outcome seen = pair.first == kCandidate ? outcome : mirrored(outcome);
    const std::uint64_t before = gate_.answers();
    double y = number_of(seen);
    if (const auto unit = graded_.extract(pair.round); !unit.empty()) {
      y = pair.first == kCandidate ? unit.mapped() : -unit.mapped();
      gate_.observe(y);
    } else {
      gate_.observe(seen);
    }
    if (gate_.answers() == before) return;
    mean_.observe((1.0 + y) / 2.0);
    counted_.push_back(y);
  });
}

std::optional<std::uint64_t> GateKeeper::reversed_by(GateClaim claim, double margin) const {
  return fewest_to_reverse(claim, margin, counted_);
}

GateResult gate_result_of(const GateKeeper& keeper, const GateRule& rule, const GateNames& names,
                          GateStop ended, const std::vector<HealthCheck>& health,
                          const std::string& log) {
  const Gate& gate = keeper.gate();
  GateResult result{.candidate = names.candidate,
                    .baseline = names.baseline,
                    .verdict = "undecided",
                    .end = gate.end(),
                    .ended = keeper.decided() ? GateStop::decided : ended,
                    .answers = gate.answers(),
                    .wins = gate.wins(),
                    .ties = gate.ties(),
                    .losses = gate.losses(),
                    .graded = gate.graded(),
                    .mean_score = gate.mean_score(),
                    .interval = keeper.interval(),
                    .reversed_by = std::nullopt,
                    .health = {},
                    .log = log,
                    .detail = {}};
  for (const HealthCheck& check : health) {
    // Ties are what a gate hopes for.
    if (check.name == "ties") continue;
    for (std::string& failure : failures({check})) result.health.push_back(std::move(failure));
  }
  const std::string odds = fmt::format("false with probability at most {}, whenever you look",
                                       format_number(rule.alpha));
  // As people write it: 0.1, and not 0.09999999999999998.
  const std::string bound = format_number(std::round((0.5 - rule.margin) * 1e12) / 1e12);
  const auto shown = [&](GateClaim claim, const char* verdict, const std::string& statement,
                         const std::string& score) {
    result.verdict = verdict;
    result.reversed_by = keeper.reversed_by(claim, rule.margin);
    result.detail =
        fmt::format("{} is {}: its mean score is {} ({})", names.candidate, statement, score, odds);
  };
  if (gate.end() == GateEnd::failed && rule.fail == GateClaim::worse) {
    shown(rule.fail, "worse", "worse than " + names.baseline, "below 0.5");
  } else if (gate.end() == GateEnd::failed) {
    shown(rule.fail, "worse", fmt::format("worse than {} by more than the margin", names.baseline),
          "below " + bound);
  } else if (gate.shown(GateClaim::better)) {
    shown(GateClaim::better, "better", "better than " + names.baseline, "above 0.5");
  } else if (gate.end() == GateEnd::passed) {
    shown(GateClaim::not_worse, "not worse", "not worse than " + names.baseline, "above " + bound);
  } else {
    result.detail =
        fmt::format("{} against {} is undecided after {}: {}", names.candidate, names.baseline,
                    counted(gate.answers(), "answer"), why_undecided(result));
  }
  return result;
}

GateRule rule_for_each(GateRule rule, std::size_t candidates) {
  rule.alpha /= static_cast<double>(candidates);
  return rule;
}

GateEnd GateReport::end() const {
  const auto any = [&](GateEnd end) {
    return std::ranges::find(candidates, end, &GateResult::end) != candidates.end();
  };
  return any(GateEnd::failed) ? GateEnd::failed
         : any(GateEnd::open) ? GateEnd::open
                              : GateEnd::passed;
}

std::string GateReport::verdict() const {
  for (const std::string_view verdict : kVerdicts) {
    if (std::ranges::find(candidates, verdict, &GateResult::verdict) != candidates.end()) {
      return std::string(verdict);
    }
  }
  return "undecided";
}

std::string GateReport::headline() const {
  const auto count = [&](GateEnd end) {
    return static_cast<std::uint64_t>(std::ranges::count(candidates, end, &GateResult::end));
  };
  const std::uint64_t failed = count(GateEnd::failed), open = count(GateEnd::open);
  std::string text = fmt::format("{} of {} passed", count(GateEnd::passed),
                                 counted(candidates.size(), "candidate"));
  if (failed > 0) text += fmt::format(", {} worse", failed);
  if (open > 0) text += fmt::format(", {} undecided", open);
  return text;
}

std::string GateReport::text() const {
  const bool has_graded =
      std::ranges::any_of(candidates, [](const GateResult& result) { return result.graded > 0; });
  Table table;
  table.column("candidate", Align::left).column("verdict", Align::left).column("mean score");
  table.column(coverage(rule_for_each(rule, candidates.size()).alpha)).column("answers");
  table.column("won").column("tied").column("lost");
  if (has_graded) table.column("graded");
  for (const GateResult& result : candidates) {
    std::vector<Cell> cells = {
        result.candidate,
        result.verdict,
        score_text(result, "-"),
        fmt::format("{:.3f} .. {:.3f}", result.interval.lower, result.interval.upper),
        result.answers,
        result.wins,
        result.ties,
        result.losses};
    if (has_graded) cells.emplace_back(result.graded);
    table.row(std::move(cells));
  }
  std::string text = headline() + "\n\n" + table.to_string() + "\n";
  for (const GateResult& result : candidates) {
    text += result.detail + ".\n";
    if (const std::string bears = reversal_text(result); !bears.empty()) {
      text += fmt::format("  {}.\n", bears);
    }
    for (const std::string& failure : result.health) {
      text += fmt::format("  health check failed: {}\n", failure);
    }
  }
  return text;
}

std::string GateReport::markdown() const {
  const double alpha = rule_for_each(rule, candidates.size()).alpha;
  std::string text = fmt::format("### Gate: {}\n\n", headline());
  text += fmt::format(
      "| candidate | verdict | mean score | {} | answers | won | tied | lost |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|\n",
      coverage(alpha));
  for (const GateResult& result : candidates) {
    text += fmt::format("| {} | **{}** | {} | {:.3f} – {:.3f} | {} | {} | {} | {} |\n",
                        in_markdown(result.candidate), result.verdict, score_text(result, "–"),
                        result.interval.lower, result.interval.upper, result.answers, result.wins,
                        result.ties, result.losses);
  }
  text += fmt::format(
      "\nA win scores 1, a tie 1/2; the margin is {}. Each statement is false with probability at "
      "most {}, whenever you look.\n",
      format_number(rule.margin), format_number(alpha));
  std::string more;
  for (const GateResult& result : candidates) {
    const std::string name = in_markdown(result.candidate);
    if (result.end == GateEnd::open) more += fmt::format("- {}\n", in_markdown(result.detail));
    if (const std::string bears = reversal_text(result); !bears.empty()) {
      more += fmt::format("- {}: {}\n", name, bears);
    }
    for (const std::string& failure : result.health) {
      more += fmt::format("- {}: **health check failed**: {}\n", name, in_markdown(failure));
    }
  }
  return more.empty() ? text : text + "\n" + more;
}

std::string GateReport::junit() const {
  const auto count = [&](GateEnd end) {
    return std::ranges::count(candidates, end, &GateResult::end);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"duel gate\" "
      "tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
      candidates.size(), count(GateEnd::failed), count(GateEnd::open));
  for (const GateResult& result : candidates) {
    text += fmt::format("    <testcase classname=\"duel.gate\" name=\"{} against {}\">\n",
                        escaped_xml(result.candidate), escaped_xml(result.baseline));
    std::string out = escaped_xml(result.detail);
    if (const std::string bears = reversal_text(result); !bears.empty()) {
      out += "\n" + escaped_xml(bears);
    }
    for (const std::string& failure : result.health) {
      out += "\nhealth check failed: " + escaped_xml(failure);
    }
    if (result.end != GateEnd::passed) {
      const char* const element = result.end == GateEnd::failed ? "failure" : "error";
      text += fmt::format("      <{} type=\"{}\" message=\"{}\"/>\n", element, result.verdict,
                          escaped_xml(result.detail));
    }
    text += fmt::format("      <system-out>{}</system-out>\n    </testcase>\n", out);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

Json GateReport::json() const {
  Json json;
  json["verdict"] = verdict();
  json["passed"] = end() == GateEnd::passed;
  json["headline"] = headline();
  json["alpha"] = rule.alpha;
  json["margin"] = rule.margin;
  json["claim"] = std::string(to_word(rule.claim));
  json["fail"] = std::string(to_word(rule.fail));
  json["candidates"] = described_json(candidates);
  return json;
}

}  // namespace duel
