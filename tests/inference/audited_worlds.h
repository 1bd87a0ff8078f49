// People who do not prefer either arm, and programs that answer before them: how often a false
// certificate follows. One pair, c = 20, so that .05 of the runs may have one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/inference/audited_units.h"
#include "duel/inference/evidence.h"

namespace duel {

struct AuditedWorld {
  // What a program may go by: all that came before, and even what the person will say.
  struct Past {
    std::uint64_t duel = 0;
    double person = 0;        // of this duel
    double log_evidence = 0;  // so far
    double weight = 0.5;
  };
  std::string name;
  std::function<double(const Past&, RoundRng&)> program;
  double share = 0.25;
  double prefers = 0.5;  // the probability that the person is for i

  // --- What goes wrong, each at most once -------------------------------------------------------
  std::function<double(double)> share_by_answer{};  // a share that looks at the program's answer
  double lost_for_j = 0;                            // of the audits that would say j
  enum class Lost { as_worst, as_undrawn, left_out } lost = Lost::as_worst;
  std::uint64_t late_for_j = 0;  // people's answers for j come so many duels later..
  bool as_they_arrive = false;   // ..and count when they come
};

inline double always_i(const AuditedWorld::Past&, RoundRng&) { return 1; }
inline double perfect(const AuditedWorld::Past& past, RoundRng&) { return past.person; }
inline double inverse(const AuditedWorld::Past& past, RoundRng&) { return -past.person; }
inline double mostly_right(const AuditedWorld::Past& past, RoundRng& rng) {
  return rng.bernoulli(0.9) ? past.person : -past.person;
}
// Earns a weight, and then turns round.
inline double drifting(const AuditedWorld::Past& past, RoundRng&) {
  return past.duel < 800 ? past.person : -past.person;
}
// Honest where its weight is low, and for i once it is trusted or the evidence is near.
inline double cheating(const AuditedWorld::Past& past, RoundRng&) {
  return past.weight < 0.8 && past.log_evidence < 1 ? past.person : 1;
}

// Every program at the usual share, and what is given.
inline std::vector<AuditedWorld> worlds_with(const std::vector<AuditedWorld>& more) {
  std::vector<AuditedWorld> worlds = {{"always i", always_i}, {"perfect", perfect},
                                      {"inverse", inverse},   {"mostly right", mostly_right},
                                      {"drifting", drifting}, {"cheating", cheating}};
  worlds.insert(worlds.end(), more.begin(), more.end());
  return worlds;
}

// Whether E_ij reaches c within so many duels.
inline bool certifies_i(const AuditedWorld& world, std::uint64_t duels, std::uint32_t run) {
  RoundRng rng = Stream(37, run, Purpose::test, world.name).at(1);
  const PairEvidence evidence;
  const double log_threshold = natural_log(20);
  AuditedUnits units;
  PairEvidence::Logs logs{};
  double log_evidence = 0;
  struct Late {
    std::uint64_t at = 0;
    AuditedAnswer answer;
  };
  std::deque<Late> late;
  const auto count = [&](const AuditedAnswer& answer) {
    evidence.add(logs, units.release(answer).unit);
    log_evidence = evidence.log_evidence(0, 0, logs);
    return log_evidence >= log_threshold;
  };
  for (std::uint64_t t = 0; t < duels; ++t) {
    AuditedAnswer answer{.share = world.share};
    answer.person = rng.bernoulli(world.prefers) ? 1 : -1;
    answer.program = world.program({t, answer.person, log_evidence, units.weight()}, rng);
    if (world.share_by_answer) answer.share = world.share_by_answer(answer.program);
    answer.drawn = rng.bernoulli(answer.share);
    if (answer.drawn && answer.person < 0 && rng.bernoulli(world.lost_for_j)) {
      if (world.lost == AuditedWorld::Lost::left_out) continue;
      answer.lost = world.lost == AuditedWorld::Lost::as_worst;
      answer.drawn = answer.lost;
    }
    while (!late.empty() && late.front().at <= t) {
      if (count(late.front().answer)) return true;
      late.pop_front();
    }
    if (world.late_for_j > 0 && world.as_they_arrive && answer.drawn && answer.person < 0) {
      late.push_back({t + world.late_for_j, answer});
      continue;
    }
    if (count(answer)) return true;
  }
  return false;
}

inline int false_certificates(const AuditedWorld& world, int runs, std::uint64_t duels = 3000) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    count += certifies_i(world, duels, static_cast<std::uint32_t>(run)) ? 1 : 0;
  }
  return count;
}

// A program or a weight that knows the answers to come: quiet where they will carry the evidence to
// c, and wild where they will not, so that chance may. One component, F = Y: with the weight 1 the
// unit is Y/b for sure, with the weight 0 it is Y where the duel is drawn.
inline bool prophet_certifies_i(std::uint64_t duels, std::uint32_t run) {
  constexpr double kShare = 0.25, kGap = 0.2;
  RoundRng rng = Stream(37, run, Purpose::test, "prophet").at(1);
  std::vector<double> people(duels), carried(duels + 1);
  for (double& person : people) person = rng.coin() ? 1 : -1;
  const double quiet_scale = (2 - kShare) / kShare;
  const auto log_factor = [](double unit) { return natural_log(1 + 2 * kGap * unit); };
  // The most that quiet answers from here on will add.
  for (std::uint64_t t = duels; t-- > 0;) {
    carried[t] = log_factor(people[t] / quiet_scale) + std::max(0.0, carried[t + 1]);
  }
  double log_evidence = 0;
  for (std::uint64_t t = 0; t < duels; ++t) {
    if (log_evidence + carried[t] >= natural_log(20)) return true;
    if (rng.bernoulli(kShare)) log_evidence += log_factor(people[t]);
    if (log_evidence >= natural_log(20)) return true;
  }
  return false;
}

}  // namespace duel
