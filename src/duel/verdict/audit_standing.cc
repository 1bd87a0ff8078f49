#include "duel/verdict/audit_standing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/inference/confidence_sequence.h"

namespace duel {
namespace {

constexpr double kDelta = 0.05;
constexpr std::size_t kMostListed = 4;
constexpr std::uint64_t kFewestOfPair = 5;  // answers of people before a sign is called one

std::string named(const Ledger& ledger, const Decision& decision) {
  if (decision.winner) return fmt::format("'{}'", ledger.name_of(*decision.winner));
  if (decision.arms.empty()) return "no winner";
  std::vector<std::string> names;
  for (const Arm arm : decision.arms) names.push_back(fmt::format("'{}'", ledger.name_of(arm)));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string of_pair(const Ledger& ledger, Arm i, Arm j) {
  return fmt::format("{} and {}", ledger.name_of(i), ledger.name_of(j));
}

// What the program's answers alone would have certified, beside what people's have.
void tell_of_program(const Ledger& ledger, AuditStanding& standing) {
  const auto alone = ledger.statement().program_alone()->decision();
  const auto& given = ledger.certificate();
  if (!alone) {
    standing.program_alone = "The judge alone would have certified nothing yet.";
    return;
  }
  if (alone->winner) standing.program_winner = ledger.id_of(*alone->winner);
  standing.says_the_same = given && given->kind == alone->kind && given->winner == alone->winner &&
                           given->arms == alone->arms;
  standing.program_alone =
      fmt::format("The judge alone would have certified {}{}.", named(ledger, *alone),
                  !given                   ? ""
                  : standing.says_the_same ? ", as people do"
                                           : fmt::format(", and not {}", named(ledger, *given)));
}

std::string audit_sentences(const AuditStanding& standing) {
  std::string text =
      fmt::format("People gave {} to {} that the judge answered",
                  counted(standing.answers, "answer"), counted(standing.duels, "duel"));
  if (standing.waiting > 0) {
    text += fmt::format("; {} for one", counted(standing.waiting, "more waits", "more wait"));
  }
  if (standing.lost > 0) {
    text += fmt::format("; {} given up", counted(standing.lost, "was", "were"));
  }
  text += ".";
  if (standing.agreement) {
    text += fmt::format(" The judge agrees with people in {:.0f} % of {} ({:.0f} to {:.0f} %).",
                        100 * *standing.agreement, standing.comparable,
                        100 * standing.agreement_interval.lower,
                        100 * standing.agreement_interval.upper);
  }
  text += " " + standing.program_alone;
  if (!standing.differing.empty()) {
    std::vector<std::string> pairs;
    for (const AuditedPair& pair : standing.differing) {
      if (pairs.size() == kMostListed) break;
      pairs.push_back(
          fmt::format("people prefer {} to {}, the judge the reverse", pair.first, pair.second));
    }
    text += fmt::format(" The sign differs in {}: {}.", counted(standing.differing.size(), "pair"),
                        fmt::join(pairs, "; "));
  }
  if (!standing.useless.empty()) {
    text += fmt::format(" The judge says nothing, or the reverse, about {}.",
                        fmt::join(standing.useless, "; "));
  }
  if (standing.answers > 0) {
    text += standing.worth > standing.answers
                ? fmt::format(" People's answers say as much as about {} would without the judge.",
                              standing.worth)
                : std::string(" The judge has saved no answers of people.");
  }
  return text;
}

}  // namespace

AuditStanding audit_standing(const Ledger& ledger) {
  DUEL_CHECK(ledger.statement().program_alone() != nullptr);
  AuditStanding standing;
  standing.waiting = ledger.drawn().size();
  double worth = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const AuditedUnits* const pair = ledger.referee().audited(i, j);
      if (pair == nullptr) continue;
      standing.duels += pair->duels();
      standing.answers += pair->audited();
      standing.lost += pair->lost();
      standing.agreed += pair->agreed();
      standing.comparable += pair->comparable();
      // The variance of an answer is 1 - (1 - share) rho^2 of that with people alone.
      const double share = ledger.experiment().audit.share;
      const double rho = std::max(0.0, pair->correlation());
      worth +=
          static_cast<double>(pair->audited()) / std::max(0.05, 1.0 - (1.0 - share) * rho * rho);
      if (pair->useless()) standing.useless.push_back(of_pair(ledger, i, j));
      const bool differ = pair->people() * pair->program() < 0;
      if (!differ || pair->audited() < kFewestOfPair) continue;
      const bool in_order = pair->people() > 0;
      const double sign = in_order ? 1 : -1;
      standing.differing.push_back({.first = ledger.id_of(in_order ? i : j),
                                    .second = ledger.id_of(in_order ? j : i),
                                    .people = sign * pair->people(),
                                    .program = sign * pair->program(),
                                    .answers = pair->audited(),
                                    .duels = pair->duels()});
    }
  }
  if (standing.comparable > 0) {
    standing.agreement =
        static_cast<double>(standing.agreed) / static_cast<double>(standing.comparable);
  }
  standing.agreement_interval =
      beta_binomial_sequence(standing.agreed, standing.comparable - standing.agreed, kDelta);
  standing.worth = static_cast<std::uint64_t>(std::llround(worth));
  tell_of_program(ledger, standing);
  standing.text = audit_sentences(standing);
  return standing;
}

}  // namespace duel
