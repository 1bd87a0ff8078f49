#include "duel/verdict/if_wrong.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/inference/overturn.h"
#include "duel/verdict/panel_standing.h"

namespace duel {
namespace {

constexpr std::uint64_t kPercents[] = {1, 5};
constexpr std::size_t kMostVoters = 10;

// What a certificate needs of one pair, with the answers that it rests on.
struct NeededAnswers {
  const PairFinding* finding = nullptr;
  std::string winner, loser;
  std::vector<EvidenceTrail::Answer> answers{};

  // Of all voters, or of all but one.
  std::vector<double> units(std::optional<std::uint32_t> without = {}) const {
    std::vector<double> units;
    for (const EvidenceTrail::Answer& one : answers) {
      if (!without || one.voter != *without) units.push_back(one.unit);
    }
    return units;
  }
};

// Where people audit a program only they may be wrong: the fewest of their answers that take the
// lead, which is the sum of Z (inference/audited_units.h). Nothing where no number of them can.
std::optional<std::uint64_t> fewest_of_people(const std::vector<EvidenceTrail::Answer>& answers,
                                              Mistake how) {
  double lead = 0;
  std::vector<double> hits;
  for (const EvidenceTrail::Answer& one : answers) {
    lead += one.lead;
    const double hit = how == Mistake::flipped ? one.most_wrong : one.lead;
    if (one.by_person && hit > 0) hits.push_back(hit);
  }
  std::ranges::sort(hits, std::greater());
  std::uint64_t wrong = 0;
  for (; lead > 1e-9; ++wrong) {
    if (wrong == hits.size()) return std::nullopt;
    lead -= hits[wrong];
  }
  return wrong;
}

// Takes the fewest of all pairs; of equal ones the first.
void take_fewest(std::optional<WrongAnswers>& fewest, const std::string& winner,
                 const std::string& loser, std::uint64_t of, std::uint64_t flipped,
                 std::uint64_t missing) {
  if (!fewest) {
    fewest = {flipped, of, winner, loser, missing, of};
    return;
  }
  if (flipped < fewest->flipped) {
    std::tie(fewest->flipped, fewest->of) = std::pair(flipped, of);
    std::tie(fewest->winner, fewest->loser) = std::pair(winner, loser);
  }
  if (missing < fewest->missing) {
    std::tie(fewest->missing, fewest->missing_of) = std::pair(missing, of);
  }
}

class Weighing {
 public:
  Weighing(const Ledger& ledger, const EvidenceTrail& trail, std::uint64_t until)
      : ledger_(ledger),
        trail_(trail),
        evidence_(ledger.experiment().goal.margin),
        alpha_(ledger.experiment().stopping.alpha),
        // A winner up to epsilon may be behind.
        by_leads_(ledger.certificate()->kind != CertificateKind::epsilon),
        looked_(ledger.experiment().one_look_after > 0 ? Looked::at_the_end : Looked::always) {
    for (const PairFinding& finding : needed_findings(ledger)) {
      NeededAnswers& pair = pairs_.emplace_back(
          NeededAnswers{&finding, ledger.id_of(finding.winner), ledger.id_of(finding.loser)});
      pair.answers = trail.answers(pair.winner, pair.loser, until);
    }
  }

  IfWrong weigh() const {
    IfWrong found;
    if (pairs_.empty()) return found;
    for (const std::uint64_t percent : kPercents) {
      found.level_if_wrong.push_back({static_cast<double>(percent) / 100, 0, 0});
    }
    if (ledger_.parts().audited) {
      for (const NeededAnswers& pair : pairs_) weigh_people(found, pair);
      return found;
    }
    for (const NeededAnswers& pair : pairs_) weigh_pair(found, pair);
    found.without_voter = without_voters();
    return found;
  }

 private:
  void weigh_people(IfWrong& found, const NeededAnswers& pair) const {
    const std::vector<double> units = pair.units();
    std::vector<std::uint8_t> by_person;
    for (const EvidenceTrail::Answer& one : pair.answers) by_person.push_back(one.by_person);
    const auto of = static_cast<std::uint64_t>(std::ranges::count(by_person, 1));
    note_levels(found, of, [&](std::uint64_t wrong) {
      return level_without_people(evidence_, units, by_person, wrong, alpha_,
                                  pair.finding->log_threshold, looked_);
    });
    const auto flipped = fewest_of_people(pair.answers, Mistake::flipped);
    const auto missing = fewest_of_people(pair.answers, Mistake::missing);
    if (!flipped || !missing) return;
    take_fewest(found.reversed_by, pair.winner, pair.loser, of, *flipped, *missing);
  }

  // The worst of all pairs, for each share of a pair's answers.
  static void note_levels(IfWrong& found, std::uint64_t answers,
                          const std::function<double(std::uint64_t)>& level_with) {
    for (std::size_t k = 0; k < found.level_if_wrong.size(); ++k) {
      const std::uint64_t wrong = percent_of(answers, kPercents[k]);
      const double level = level_with(wrong);
      LevelIfWrong& worst = found.level_if_wrong[k];
      if (level > worst.level) std::tie(worst.answers, worst.level) = std::pair(wrong, level);
    }
  }

  void weigh_pair(IfWrong& found, const NeededAnswers& pair) const {
    const std::vector<double> units = pair.units();
    const double threshold = pair.finding->log_threshold;
    if (by_leads_) {
      take_fewest(found.reversed_by, pair.winner, pair.loser, units.size(),
                  fewest_to_reverse(units, Mistake::flipped),
                  fewest_to_reverse(units, Mistake::missing));
    }
    take_fewest(found.overturned_by, pair.winner, pair.loser, units.size(),
                fewest_to_overturn(evidence_, units, threshold, Mistake::flipped, looked_),
                fewest_to_overturn(evidence_, units, threshold, Mistake::missing, looked_));
    note_levels(found, units.size(), [&](std::uint64_t wrong) {
      return level_if_wrong(evidence_, units, wrong, alpha_, threshold, looked_);
    });
  }

  // The voters with the most answers of the needed pairs, of equal ones who was asked first.
  std::vector<WithoutVoter> without_voters() const {
    struct Given {
      std::uint32_t voter = 0;
      std::uint64_t answers = 0, first = 0;
    };
    std::map<std::uint32_t, Given> by_voter;
    std::map<std::pair<std::string, std::string>, bool> seen;
    for (const NeededAnswers& pair : pairs_) {
      // Two findings may be the two sides of one pair.
      if (std::exchange(seen[std::minmax(pair.winner, pair.loser)], true)) continue;
      for (const EvidenceTrail::Answer& one : pair.answers) {
        if (trail_.voter(one.voter).empty()) continue;
        Given& given =
            by_voter.try_emplace(one.voter, Given{one.voter, 0, one.asked}).first->second;
        ++given.answers;
        given.first = std::min(given.first, one.asked);
      }
    }
    if (by_voter.size() < 2) return {};
    std::vector<Given> most;
    for (const auto& [voter, given] : by_voter) most.push_back(given);
    std::ranges::sort(most, [](const Given& a, const Given& b) {
      return std::pair(b.answers, a.first) < std::pair(a.answers, b.first);
    });
    most.resize(std::min(most.size(), kMostVoters));
    std::vector<WithoutVoter> without;
    for (const Given& given : most) {
      WithoutVoter& one = without.emplace_back(
          WithoutVoter{trail_.voter(given.voter), given.answers, false, false});
      for (const NeededAnswers& pair : pairs_) {
        const std::vector<double> units = pair.units(given.voter);
        const double left = log_evidence_if_wrong(evidence_, units, 0, Mistake::missing, looked_);
        one.undoes_certificate |= left < pair.finding->log_threshold;
        one.undoes_lead |= by_leads_ && !leads(units);
      }
    }
    return without;
  }

  const Ledger& ledger_;
  const EvidenceTrail& trail_;
  PairEvidence evidence_;
  double alpha_;
  bool by_leads_;
  Looked looked_;
  std::vector<NeededAnswers> pairs_;
};

// A name can go to another arm while arms come and go, and what a certificate says stays.
std::string quoted(const Ledger& ledger, const std::string& arm_id) {
  const bool fixed = ledger.experiment().stopping.arms_fixed && !ledger.parts().space;
  return fmt::format("'{}'", fixed ? ledger.name_of(*ledger.find_arm(arm_id)) : arm_id);
}

// Rounded up to thousandths: a level is what errors are below.
std::string level_text(double level) { return format_number(std::ceil(level * 1000) / 1000); }

std::string text_of(const Ledger& ledger, const IfWrong& found) {
  std::string text;
  const auto say = [&](const std::string& sentence) {
    text += (text.empty() ? "" : " ") + sentence;
  };
  if (const auto& lead = found.reversed_by) {
    const std::string pair =
        fmt::format("{} over {}", quoted(ledger, lead->winner), quoted(ledger, lead->loser));
    say(lead->flipped == 0 ? fmt::format("The lead of {} is gone since.", pair)
                           : fmt::format("As few as {} of {} would take the lead of {}.",
                                         counted(lead->flipped, "wrong answer"), lead->of, pair));
  }
  if (ledger.parts().panel && found.overturned_by &&
      found.overturned_by->flipped < found.reversed_by->flipped) {
    say(fmt::format("{} would leave it open.",
                    counted(found.overturned_by->flipped, "wrong answer")));
  }
  for (const LevelIfWrong& one : found.level_if_wrong) {
    const std::string share = format_number(100 * one.share);
    const std::string wrong =
        ledger.parts().audited
            ? fmt::format("Without the {} % of people's answers that matter most", share)
            : fmt::format("With {} % of the answers wrong in the worst way", share);
    say(one.level < 1
            ? fmt::format("{} it would hold at level {} instead of {}.", wrong,
                          level_text(one.level), format_number(ledger.experiment().stopping.alpha))
            : fmt::format("{} it would not hold at any level.", wrong));
  }
  for (const WithoutVoter& one : found.without_voter) {
    if (!one.undoes_lead) continue;
    say(fmt::format("Without the {} of '{}' alone a lead is gone.", counted(one.answers, "answer"),
                    one.voter));
    break;
  }
  return text;
}

}  // namespace

IfWrong if_wrong(const Ledger& ledger, const EvidenceTrail& trail, std::uint64_t until) {
  if (ledger.parts().panel) return if_wrong_of_panel(ledger);
  IfWrong found = Weighing(ledger, trail, until).weigh();
  found.text = text_of(ledger, found);
  return found;
}

IfWrong if_wrong_of_panel(const Ledger& ledger) {
  IfWrong found;
  const PanelCount& count = ledger.panel()->count();
  const auto& winner = ledger.certificate()->winner;
  if (!winner) return found;
  for (Arm j = 0; j < ledger.num_arms(); ++j) {
    if (j == *winner) continue;
    const auto lead = static_cast<std::uint64_t>(std::max<std::int64_t>(0, count.lead(*winner, j)));
    const std::uint64_t unknown = count.unknown(*winner, j), of = count.answers(*winner, j);
    const std::string &first = ledger.id_of(*winner), &second = ledger.id_of(j);
    take_fewest(found.reversed_by, first, second, of, (lead + 1) / 2, lead);
    // An answer less is one more that is unknown, and one that is flipped counts twice.
    const std::uint64_t open = lead > unknown ? (lead - unknown + 1) / 2 : 0;
    // Before counting is certain the units of evidence hang on the answers before them.
    if (is_by_counting(ledger)) take_fewest(found.overturned_by, first, second, of, open, open);
  }
  found.text = text_of(ledger, found);
  return found;
}

Result<IfWrong> if_wrong_now(const Ledger& ledger, const Replay& replay) {
  if (!ledger.certificate()) return IfWrong();
  if (ledger.parts().panel) return if_wrong_of_panel(ledger);
  EvidenceTrail trail(ledger);
  if (!needed_findings(ledger).empty()) {
    DUEL_RETURN_IF_ERROR(replay([&](const LogEntry& entry) -> Status {
      if (entry.sequence <= ledger.sequence()) trail.note(entry);
      return Done{};
    }));
  }
  return if_wrong(ledger, trail, ledger.sequence());
}

}  // namespace duel
