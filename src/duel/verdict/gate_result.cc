#include "duel/verdict/gate_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "duel/core/numbers.h"

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
    if (c == '|' || c == '\\' || c == '`') out += '\\';
    out += c;
  }
  return out;
}

std::string score_text(const GateResult& result) {
  return result.mean_score ? fmt::format("{:.3f}", *result.mean_score) : std::string("–");
}

}  // namespace

void GateKeeper::hear(const Ledger& ledger, const LogEntry& entry) {
  const std::string* duel_id = nullptr;
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) duel_id = &serve->duel_id;
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) duel_id = &outcome->duel_id;
  if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) duel_id = &expired->duel_id;
  if (duel_id == nullptr) return;
  const auto duel = ledger.find_duel(*duel_id);
  if (!duel.ok() || !*duel) return;
  if ((*duel)->fate == Fate::pending) {
    served(*duel_id, **duel);
  } else {
    settled(*duel_id, **duel);
  }
}

void GateKeeper::served(const std::string& duel_id, const LedgerDuel& duel) {
  if (!duel.evidence || !open_.emplace(duel_id, served_).second) return;
  order_.served(served_++, duel.first, duel.second, [](const Duel&, Outcome) {});
}

void GateKeeper::settled(const std::string& duel_id, const LedgerDuel& duel) {
  const auto found = open_.find(duel_id);
  if (found == open_.end()) return;
  constexpr Arm kCandidate = 1;
  const bool graded = duel.fate == Fate::answered && duel.result == Answered::graded;
  if (graded) graded_[found->second] = duel.y();
  order_.answered(found->second, duel.outcome, [&](const Duel& pair, Outcome outcome) {
    const Outcome seen = pair.first == kCandidate ? outcome : mirrored(outcome);
    const std::uint64_t before = gate_.answers();
    double y = number_of(seen);
    if (const auto unit = graded_.extract(pair.round); !unit.empty()) {
      y = pair.first == kCandidate ? unit.mapped() : -unit.mapped();
      gate_.observe(y);
    } else {
      gate_.observe(seen);
    }
    if (gate_.answers() > before) mean_.observe((1.0 + y) / 2.0);
  });
  open_.erase(found);
}

GateResult gate_result_of(const GateKeeper& keeper, const GateRule& rule,
                          const std::string& baseline, const std::string& candidate,
                          const std::string& log) {
  const Gate& gate = keeper.gate();
  GateResult result{.candidate = candidate,
                    .baseline = baseline,
                    .verdict = "undecided",
                    .end = gate.end(),
                    .answers = gate.answers(),
                    .wins = gate.wins(),
                    .ties = gate.ties(),
                    .losses = gate.losses(),
                    .mean_score = gate.mean_score(),
                    .interval = keeper.interval(),
                    .log = log,
                    .detail = {}};
  const std::string odds = fmt::format("false with probability at most {}, whenever you look",
                                       format_number(rule.alpha));
  const std::string bound = format_number(0.5 - rule.margin);
  if (gate.end() == GateEnd::failed) {
    result.verdict = "worse";
    result.detail = rule.fail == GateClaim::worse
                        ? fmt::format("{} is worse than {}: its mean score is below 0.5 ({})",
                                      candidate, baseline, odds)
                        : fmt::format(
                              "{} is worse than {} by more than the margin: its mean score "
                              "is below {} ({})",
                              candidate, baseline, bound, odds);
  } else if (gate.shown(GateClaim::better)) {
    result.verdict = "better";
    result.detail = fmt::format("{} is better than {}: its mean score is above 0.5 ({})", candidate,
                                baseline, odds);
  } else if (gate.end() == GateEnd::passed) {
    result.verdict = "not worse";
    result.detail = fmt::format("{} is not worse than {}: its mean score is above {} ({})",
                                candidate, baseline, bound, odds);
  } else {
    result.detail = fmt::format("{} against {} is undecided after {}", candidate, baseline,
                                counted(gate.answers(), "answer"));
  }
  return result;
}

std::string gate_headline(const std::vector<GateResult>& results) {
  const auto count = [&](GateEnd end) {
    return static_cast<std::uint64_t>(std::ranges::count(results, end, &GateResult::end));
  };
  const std::uint64_t failed = count(GateEnd::failed), open = count(GateEnd::open);
  std::string text =
      fmt::format("{} of {} passed", count(GateEnd::passed), counted(results.size(), "candidate"));
  if (failed > 0) text += fmt::format(", {} worse", failed);
  if (open > 0) text += fmt::format(", {} undecided", open);
  return text;
}

std::string gate_markdown(const std::vector<GateResult>& results, const GateRule& rule) {
  std::string text = fmt::format("### Gate: {}\n\n", gate_headline(results));
  text +=
      "| candidate | verdict | mean score | 95 % | answers | won | tied | lost |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|\n";
  for (const GateResult& result : results) {
    text += fmt::format("| {} | **{}** | {} | {:.3f} – {:.3f} | {} | {} | {} | {} |\n",
                        in_markdown(result.candidate), result.verdict, score_text(result),
                        result.interval.lower, result.interval.upper, result.answers, result.wins,
                        result.ties, result.losses);
  }
  text += fmt::format(
      "\nA win scores 1, a tie 1/2; the margin is {}. Each statement is false with probability at "
      "most {}, whenever you look.\n",
      format_number(rule.margin), format_number(rule.alpha));
  return text;
}

std::string gate_junit(const std::vector<GateResult>& results) {
  const auto count = [&](GateEnd end) {
    return std::ranges::count(results, end, &GateResult::end);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"duel gate\" "
      "tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
      results.size(), count(GateEnd::failed), count(GateEnd::open));
  for (const GateResult& result : results) {
    text += fmt::format("    <testcase classname=\"duel.gate\" name=\"{} against {}\"",
                        escaped_xml(result.candidate), escaped_xml(result.baseline));
    const std::string detail = escaped_xml(result.detail);
    if (result.end == GateEnd::passed) {
      text += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", detail);
      continue;
    }
    const char* element = result.end == GateEnd::failed ? "failure" : "error";
    text += fmt::format(">\n      <{} type=\"{}\" message=\"{}\"/>\n    </testcase>\n", element,
                        result.verdict, detail);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace duel
