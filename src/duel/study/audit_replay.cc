#include "duel/study/audit_replay.h"

#include <algorithm>
#include <map>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"
#include "duel/inference/audited_units.h"
#include "duel/inference/evidence.h"

namespace duel {

double VotedPair::lead() const {
  double sum = 0;
  for (const JudgedBattle& battle : battles) sum += battle.people;
  return sum;
}

double VotedPair::lead_of_judge() const {
  double sum = 0;
  for (const JudgedBattle& battle : battles) sum += battle.judge;
  return sum;
}

std::vector<VotedPair> voted_pairs(const JudgedVotes& votes, std::size_t judge) {
  DUEL_CHECK(judge < votes.judges.size());
  std::map<std::pair<std::string, std::string>, std::vector<JudgedBattle>> by_names;
  for (const JudgedRow& row : votes.rows) {
    const bool in_order = row.first < row.second;
    const double sign = in_order ? 1 : -1;
    by_names[in_order ? std::pair(row.first, row.second) : std::pair(row.second, row.first)]
        .push_back({sign * number_of(row.people), sign * number_of(row.judges[judge])});
  }
  std::vector<VotedPair> pairs;
  for (auto& [names, battles] : by_names) {
    pairs.push_back({names.first, names.second, std::move(battles)});
  }
  std::ranges::stable_sort(pairs, [](const VotedPair& a, const VotedPair& b) {
    return a.battles.size() > b.battles.size();
  });
  return pairs;
}

AuditReplay replay_audits(std::span<const JudgedBattle> battles, const AuditReplayOptions& options,
                          RoundRng rng) {
  DUEL_CHECK(!battles.empty() && options.share > 0 && options.share <= 1);
  const PairEvidence evidence;
  const double enough = natural_log(options.threshold);
  // Of people alone, by counts as the referee does.
  std::uint64_t wins = 0, losses = 0;
  AuditedUnits units;
  PairEvidence::Logs first{}, second{};
  AuditReplay replay;
  while (replay.people < options.most_people) {
    const JudgedBattle& battle = battles[static_cast<std::size_t>(rng.below(battles.size()))];
    ++replay.duels;
    const bool drawn = options.share == 1 || rng.bernoulli(options.share);
    if (drawn) ++replay.people;
    if (options.share == 1) {
      if (battle.people == 0) continue;
      ++(battle.people > 0 ? wins : losses);
    } else {
      const AuditedUnits::Unit made = units.release({.share = options.share,
                                                     .program = battle.judge,
                                                     .drawn = drawn,
                                                     .person = drawn ? battle.people : 0});
      evidence.add(first, made.unit);
      evidence.add(second, made.reverse);
    }
    if (evidence.log_evidence(wins, losses, first) >= enough) replay.sign = 1;
    if (evidence.log_evidence(losses, wins, second) >= enough) replay.sign = -1;
    if (replay.sign != 0) break;
  }
  return replay;
}

}  // namespace duel
