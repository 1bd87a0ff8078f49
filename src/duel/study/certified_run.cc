#include "duel/study/certified_run.h"

#include <algorithm>

#include "duel/core/rng.h"
#include "duel/experiment/live_experiment.h"
#include "duel/inference/contest.h"
#include "duel/inference/evidence_answer.h"
#include "duel/policies/asker.h"

namespace duel {
namespace {

struct Served {
  Serving serving;
  Duel duel;
  std::uint64_t place;  // in the order of serving
};

}  // namespace

CertifiedRun run_to_certificate(const CertifiedRunSetting& setting,
                                const std::function<Outcome(const Duel&)>& answer) {
  Referee referee =
      Referee::make(setting.num_arms, setting.goal, setting.stopping, setting.borda_looks).value();
  std::optional<Asker> asker;
  if (setting.policy != nullptr) asker.emplace(*setting.policy, setting.seed, setting.trial);
  std::vector<Served> served;  // and not answered
  const auto pending = [&](Arm i, Arm j) {
    return static_cast<std::uint64_t>(
        std::count_if(served.begin(), served.end(), [&](const Served& one) {
          return std::minmax(one.duel.first, one.duel.second) == std::minmax(i, j);
        }));
  };
  CertifiedRun run;
  Duel in_turn{.first = 0, .second = 1};  // the next where nobody chooses
  const Stream audits(setting.seed, setting.trial, Purpose::answer, "plan/audits");
  const auto choose = [&]() -> ChosenDuel {
    // As a live experiment does where people audit (experiment/chooser.h).
    if (asker && setting.audits > 0 && audits.at(2 * run.duels + 1).coin()) {
      const auto contest = referee.orders()
                               ? closest_contest(referee.certifier(), *referee.orders(), pending)
                               : closest_contest(referee.certifier(), pending);
      if (contest) {
        return {Serving::contest, {.first = contest->leader, .second = contest->rival}};
      }
    }
    if (asker) return choose_duel(*asker, referee, pending).value();
    const Duel duel = in_turn;
    if (++in_turn.second == setting.num_arms) {
      if (++in_turn.first + 1 >= setting.num_arms) in_turn.first = 0;
      in_turn.second = in_turn.first + 1;
    }
    return {Serving::explore, duel};
  };

  const Stream arrivals(setting.seed, setting.trial, Purpose::answer, "plan");
  std::uint64_t draws = 0;
  while (!referee.decision()) {
    const bool may_ask = !setting.together || served.empty();
    while (may_ask && served.size() < setting.parallel && run.duels < setting.stopping.max_duels) {
      const auto [serving, duel] = choose();
      served.push_back({serving, duel, referee.served(duel.first, duel.second)});
      ++run.duels;
    }
    if (served.empty()) break;
    // Any of those at work may be done first.
    const std::uint64_t done = served.size() > 1 ? arrivals.at(++draws).below(served.size()) : 0;
    const Served one = served[done];
    served.erase(served.begin() + static_cast<std::ptrdiff_t>(done));
    Outcome outcome = answer(one.duel);
    if (setting.audits > 0) {
      RoundRng rng = audits.at(2 * one.place + 2);
      const double person = number_of(outcome);
      const bool agrees = rng.bernoulli(setting.judge_agreement);
      const double program = person == 0 ? (rng.coin() ? 1.0 : -1.0) : agrees ? person : -person;
      const bool drawn = rng.bernoulli(setting.audits);
      run.people += drawn ? 1 : 0;
      referee.answered(one.place, AuditedAnswer{.share = setting.audits,
                                                .program = program,
                                                .drawn = drawn,
                                                .person = drawn ? person : 0});
      if (!drawn) outcome = program > 0 ? Outcome::first_wins : Outcome::second_wins;
    } else {
      ++run.people;
      referee.answered(one.place, outcome);
    }
    if (!asker) continue;
    if (one.serving == Serving::explore) {
      asker->answered(one.duel, outcome);
    } else {
      asker->heard(one.duel.first, one.duel.second, outcome);
    }
  }
  run.decision = referee.decision();
  for (const Served& one : served) run.unanswered.push_back(one.duel);
  return run;
}

}  // namespace duel
