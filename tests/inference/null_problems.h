// Problems in which every certificate of a winner is false, played adversarially and looked at
// after every duel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/certificate.h"
#include "duel/inference/contest.h"
#include "duel/inference/serving_order.h"
#include "duel/policies/asker.h"
#include "duel/policies/registry.h"

namespace duel {

enum class Chooser {
  uniform,         // any pair
  least_evidence,  // the leader against the active rival of least evidence: hunts certificates
  winner_stays,    // the last winner against a random rival
};

struct NullProblem {
  std::string name;
  std::size_t num_arms = 2;
  double edge = 0;           // p_ij = 1/2 + edge where j = i + 1 mod K, else 1/2: a cycle for K = 3
  bool all_but_one = false;  // arm 0 wins 9 of 10 against all but arm 1, the hardest null for it
  double tie_rate = 0;
  bool arms_fixed = true;
  bool moving_arms = false;  // adds arms, and retires the rival that stands in the leader's way
  std::uint64_t slow_answers = 0;  // duels that the lower arm loses answer that many duels later
  bool arrival_order = false;      // the wrong way: count answers as they come
  std::uint64_t duels = 500;
};

// The active arm whose least evidence over its active rivals is largest, and that rival.
inline std::pair<Arm, Arm> leader_and_obstacle(const Certifier& certifier) {
  std::pair<Arm, Arm> found{0, 0};
  double best = -1;
  for (Arm i = 0; i < certifier.num_arms(); ++i) {
    if (!certifier.active(i)) continue;
    double least = 1e300;
    Arm obstacle = i;
    for (Arm j = 0; j < certifier.num_arms(); ++j) {
      if (j == i || !certifier.active(j)) continue;
      if (certifier.log_evidence(i, j) < least) {
        least = certifier.log_evidence(i, j);
        obstacle = j;
      }
    }
    if (least > best) {
      best = least;
      found = {i, obstacle};
    }
  }
  return found;
}

// Plays one problem; true if a winner was ever certified. Certificates are looked for after every
// duel.
inline bool certifies_falsely(const NullProblem& problem, Chooser chooser, double alpha,
                              std::uint64_t seed, std::uint32_t trial) {
  auto made = Certifier::make(problem.num_arms, {.alpha = alpha, .arms_fixed = problem.arms_fixed});
  Certifier certifier = std::move(made).value();
  ServingOrder order;
  const auto sink = [&](const Duel& duel, Outcome outcome) { certifier.observe(duel, outcome); };
  struct Late {
    std::uint64_t due;
    Duel duel;
    Outcome outcome;
  };
  std::deque<Late> late;  // all delays are equal, so that they come due in order
  const auto answer = [&](const Duel& duel, Outcome outcome) {
    if (problem.arrival_order) {
      certifier.observe(duel, outcome);
    } else {
      order.answered(duel.round, outcome, sink);
    }
  };
  RoundRng rng = Stream(seed, trial, Purpose::test, problem.name).at(1);
  Arm champion = 0;
  for (std::uint64_t t = 0; t < problem.duels; ++t) {
    const std::size_t k = certifier.num_arms();
    const auto any = [&] {
      Arm arm = 0;
      do arm = static_cast<Arm>(rng.below(k));
      while (!certifier.active(arm));
      return arm;
    };
    Arm i = any(), j = any();
    if (chooser == Chooser::least_evidence) {
      std::tie(i, j) = leader_and_obstacle(certifier);
    } else if (chooser == Chooser::winner_stays && certifier.active(champion)) {
      i = champion;
    }
    while (j == i) j = any();
    const Duel duel{.first = i, .second = j, .round = t};
    double p = 0.5;
    if (problem.edge > 0 && k == 3) p += (i + 1) % 3 == j ? problem.edge : -problem.edge;
    if (problem.all_but_one && i == 0 && j > 1) p = 0.9;
    if (problem.all_but_one && j == 0 && i > 1) p = 0.1;
    Outcome outcome = rng.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins;
    if (problem.tie_rate > 0 && rng.bernoulli(problem.tie_rate)) outcome = Outcome::tie;
    certifier.served(duel);
    if (!problem.arrival_order) order.served(t, i, j, sink);
    while (!late.empty() && late.front().due <= t) {
      answer(late.front().duel, late.front().outcome);
      late.pop_front();
    }
    const bool lower_loses = outcome == (i < j ? Outcome::second_wins : Outcome::first_wins);
    if (problem.slow_answers > 0 && lower_loses) {
      late.push_back({t + problem.slow_answers, duel, outcome});
    } else {
      answer(duel, outcome);
    }
    if (outcome == Outcome::first_wins) champion = i;
    if (outcome == Outcome::second_wins) champion = j;
    if (problem.moving_arms && t % 100 == 99) {
      if (t % 200 == 99) {
        (void)certifier.retire(leader_and_obstacle(certifier).second);
      } else {
        (void)certifier.add_arm();
      }
    }
    if (certifier.winner()) return true;
  }
  return false;
}

inline std::uint64_t false_certificates(const NullProblem& problem, Chooser chooser, double alpha,
                                        std::uint32_t problems) {
  std::uint64_t count = 0;
  for (std::uint32_t trial = 0; trial < problems; ++trial) {
    count += certifies_falsely(problem, chooser, alpha, 17, trial) ? 1 : 0;
  }
  return count;
}

inline std::vector<NullProblem> null_problems() {
  std::vector<NullProblem> problems;
  problems.push_back({.name = "two even arms"});
  problems.push_back({.name = "a cycle at 1/2 + 0.001", .num_arms = 3, .edge = 0.001});
  problems.push_back({.name = "an arm that beats all but one", .num_arms = 3, .all_but_one = true});
  problems.push_back({.name = "four even arms with ties", .num_arms = 4, .tie_rate = 0.3});
  problems.push_back({.name = "answers that depend on the outcome come late", .slow_answers = 20});
  problems.push_back(
      {.name = "arms added and retired", .num_arms = 3, .arms_fixed = false, .moving_arms = true});
  return problems;
}

// The same with the duels chosen by a policy, the self-duels left out. A policy has a fixed number
// of arms: where arms are added or retired, a new one begins with those that are active, hears
// nothing of the past, and its duels in flight are told to the evidence alone. Where it has nothing
// to ask, the pair that stands between the leader and its certificate is asked: a hunt for false
// certificates.
inline bool policy_certifies_falsely(const NullProblem& problem, const std::string& policy,
                                     double alpha, std::uint64_t seed, std::uint32_t trial) {
  Certifier certifier =
      Certifier::make(problem.num_arms, {.alpha = alpha, .arms_fixed = problem.arms_fixed}).value();
  ServingOrder order;
  const auto sink = [&](const Duel& duel, Outcome outcome) { certifier.observe(duel, outcome); };
  struct Late {
    std::uint64_t due;
    std::uint64_t ordinal;
    std::optional<Duel> asked;  // as the present policy knows it
    Duel duel;
    Outcome outcome;
  };
  std::deque<Late> late;
  std::vector<Arm> active;  // the policy's arm number k is active[k]
  std::shared_ptr<const ConfiguredPolicy> configured;
  std::optional<Asker> asker;
  const auto begin = [&](std::uint32_t number) {
    active.clear();
    for (Arm i = 0; i < certifier.num_arms(); ++i) {
      if (certifier.active(i)) active.push_back(i);
    }
    configured = configure_policy({policy, {}}, {.num_arms = active.size(),
                                                 .rounds = problem.duels,
                                                 .aim = Aim::certificate,
                                                 .alpha = alpha})
                     .value();
    asker.emplace(*configured, seed, trial * 16 + number);
    for (Late& one : late) one.asked.reset();
  };
  begin(0);
  const auto settle = [&](const Late& one) {
    if (one.asked) {
      asker->answered(*one.asked, one.outcome);
    }
    order.answered(one.ordinal, one.outcome, sink);
  };
  RoundRng rng = Stream(seed, trial, Purpose::test, problem.name).at(1);
  std::uint32_t changes = 0;
  for (std::uint64_t t = 0; t < problem.duels; ++t) {
    while (!late.empty() && late.front().due <= t) {
      const Late one = late.front();
      late.pop_front();
      settle(one);
    }
    Asker::Question question = asker->next();
    while (question.state == Asker::State::wait) {  // for an answer that is under way
      const Late one = late.front();
      late.pop_front();
      settle(one);
      question = asker->next();
    }
    Duel duel;
    std::optional<Duel> asked;
    if (question.state == Asker::State::ask) {
      asked = question.duel;
      duel = {.first = active[asked->first], .second = active[asked->second], .round = t};
    } else {
      const auto contest = closest_contest(certifier);
      if (!contest) return false;
      duel = {.first = contest->leader, .second = contest->rival, .round = t};
    }
    const Arm i = duel.first, j = duel.second;
    double p = 0.5;
    if (problem.edge > 0) p += (i + 1) % 3 == j ? problem.edge : -problem.edge;
    if (problem.all_but_one && i == 0 && j > 1) p = 0.9;
    if (problem.all_but_one && j == 0 && i > 1) p = 0.1;
    Outcome outcome = rng.bernoulli(p) ? Outcome::first_wins : Outcome::second_wins;
    if (problem.tie_rate > 0 && rng.bernoulli(problem.tie_rate)) outcome = Outcome::tie;
    certifier.served(duel);
    order.served(t, i, j, sink);
    const bool lower_loses = outcome == (i < j ? Outcome::second_wins : Outcome::first_wins);
    const Late one{t + problem.slow_answers, t, asked, duel, outcome};
    if (problem.slow_answers > 0 && lower_loses) {
      late.push_back(one);
    } else {
      settle(one);
    }
    if (problem.moving_arms && t % 50 == 49) {
      if (t % 100 == 49) {
        (void)certifier.retire(leader_and_obstacle(certifier).second);
      } else {
        (void)certifier.add_arm();
      }
      begin(++changes);
    }
    if (certifier.winner()) return true;
  }
  return false;
}

// Policies that play thousands of self-duels between two informative ones, each of them drawn.
inline bool too_slow_for_many_problems(const std::string& policy) {
  return policy == "self-sparring";
}

constexpr Chooser kChoosers[] = {Chooser::uniform, Chooser::least_evidence, Chooser::winner_stays};

}  // namespace duel
