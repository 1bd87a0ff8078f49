#include "duel/study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/beta.h"
#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/jobs.h"
#include "duel/core/json.h"
#include "duel/core/logarithm.h"
#include "duel/inference/certificate.h"
#include "duel/inference/contest.h"
#include "duel/inference/fixed_n_interval.h"
#include "duel/inference/planning.h"
#include "duel/inference/score_certificate.h"
#include "duel/inference/serving_order.h"
#include "duel/policies/asker.h"
#include "duel/simulation/aggregate.h"
#include "duel/truth/regret.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

std::vector<std::string> numbered_arms(std::size_t num_arms) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= num_arms; ++i) names.push_back(std::to_string(i));
  return names;
}

std::shared_ptr<const PreferenceMatrix> shared(std::string name, std::vector<std::string> arms,
                                               std::vector<double> p) {
  auto matrix = PreferenceMatrix::create(std::move(name), std::move(arms), std::move(p));
  DUEL_CHECK(matrix.ok());
  return std::make_shared<const PreferenceMatrix>(std::move(matrix).value());
}

}  // namespace

PlanTruth known_truth(PreferenceMatrix matrix) {
  auto known = std::make_shared<const PreferenceMatrix>(std::move(matrix));
  return {.name = known->name(), .num_arms = known->num_arms(), .draw = [known](auto, auto) {
            return known;
          }};
}

Result<PlanTruth> guessed_truth(std::uint64_t num_arms, double gap, double spread) {
  if (num_arms < 2 || num_arms > 10'000) {
    return Error::invalid_argument(fmt::format("{} is out of range", num_arms), "--arms",
                                   "2 .. 10000");
  }
  if (!(gap > 0 && gap < 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", gap), "--gap",
                                   "0 < gap < 0.5");
  }
  if (!(spread >= 0 && spread <= 100)) {
    return Error::invalid_argument(fmt::format("{} is out of range", spread), "--spread",
                                   "0 .. 100");
  }
  PlanTruth truth;
  truth.num_arms = num_arms;
  truth.name = fmt::format("{} arms, gap {}", num_arms, gap);
  if (spread == 0) {
    std::vector<double> p(num_arms * num_arms, 0.5);
    for (std::size_t j = 1; j < num_arms; ++j) {
      p[j] = 0.5 + gap;
      p[j * num_arms] = 1.0 - p[j];
    }
    auto even = shared(truth.name, numbered_arms(num_arms), std::move(p));
    truth.draw = [even](auto, auto) { return even; };
    return truth;
  }
  truth.name += fmt::format(", spread {}", spread);
  truth.draw = [name = truth.name, num_arms, gap, spread](std::uint64_t seed, std::uint32_t trial) {
    RoundRng rng = Stream(seed, trial, Purpose::generate, "plan").at(0);
    std::vector<double> u(num_arms);
    u[0] = natural_log((0.5 + gap) / (0.5 - gap));
    for (std::size_t j = 2; j < num_arms; ++j) u[j] = -spread * std::abs(rng.normal());
    std::vector<double> p(num_arms * num_arms, 0.5);
    for (std::size_t i = 0; i < num_arms; ++i) {
      for (std::size_t j = i + 1; j < num_arms; ++j) {
        const double odds = exponential(std::clamp(u[j] - u[i], -700.0, 700.0));
        p[i * num_arms + j] = 1.0 / (1.0 + odds);
        p[j * num_arms + i] = 1.0 - p[i * num_arms + j];
      }
    }
    return shared(name, numbered_arms(num_arms), std::move(p));
  };
  return truth;
}

PlanTruth posterior_truth(const Pilot& pilot) {
  return {.name = fmt::format("draws from what {} saw", pilot.name),
          .num_arms = pilot.arms.size(),
          .draw = [pilot](std::uint64_t seed, std::uint32_t trial) {
            RoundRng rng = Stream(seed, trial, Purpose::generate, "pilot").at(0);
            const std::size_t k = pilot.arms.size();
            std::vector<double> p(k * k, 0.5);
            for (Arm i = 0; i < k; ++i) {
              for (Arm j = i + 1; j < k; ++j) {
                const double wins = static_cast<double>(pilot.won(i, j));
                const double losses = static_cast<double>(pilot.won(j, i));
                p[i * k + j] = draw_beta(wins + 1, losses + 1, rng);
                p[j * k + i] = 1.0 - p[i * k + j];
              }
            }
            return shared(pilot.name, pilot.arms, std::move(p));
          }};
}

namespace {

// The rule that stops. Evidence is taken in serving order.
class Referee {
 public:
  Referee(std::size_t num_arms, Goal goal, double alpha) : alpha_(alpha) {
    if (goal == Goal::condorcet) {
      certifier_ = Certifier::make(num_arms, {.alpha = alpha, .arms_fixed = true}).value();
    } else if (goal == Goal::copeland) {
      copeland_ = ScoreCertifier::make(num_arms, Score::copeland, alpha).value();
    } else {
      borda_.emplace(num_arms);
    }
  }

  void observe(const Duel& duel, Outcome outcome) {
    if (certifier_) {
      certifier_->observe(duel, outcome);
    } else if (outcome == Outcome::first_wins) {
      count(duel.first, duel.second);
    } else if (outcome == Outcome::second_wins) {
      count(duel.second, duel.first);
    }
  }

  std::optional<Arm> winner() const {
    if (copeland_) return copeland_->winner();
    if (borda_) return borda_winner_;
    if (!certifier_->winner()) return std::nullopt;
    return certifier_->winner()->winner;
  }
  bool no_winner() const { return certifier_ && certifier_->no_winner().has_value(); }
  // REQUIRES: the goal is a Condorcet winner.
  const Certifier& certifier() const { return *certifier_; }

 private:
  void count(Arm winner, Arm loser) {
    if (copeland_) {
      copeland_->observe(winner, loser);
      return;
    }
    borda_->add(winner, loser, {2, 0});
    ++decisive_;
    // An interval of Borda's takes tens of microseconds, so that one looks when the duels have
    // grown by a fiftieth; a live experiment looks after every duel and stops up to 2 % sooner.
    if (decisive_ < next_look_) return;
    next_look_ = decisive_ + 1 + decisive_ / 50;
    borda_winner_ = score_board(*borda_, Score::borda, alpha_).value().winner;
  }

  double alpha_;
  std::optional<Certifier> certifier_;
  std::optional<ScoreCertifier> copeland_;
  std::optional<PairCounts> borda_;
  std::uint64_t decisive_ = 0;
  std::uint64_t next_look_ = 0;
  std::optional<Arm> borda_winner_;
};

// All pairs in turn.
class PairCycle {
 public:
  explicit PairCycle(std::size_t num_arms) : num_arms_(static_cast<Arm>(num_arms)) {}
  Duel next() {
    const Duel duel{.first = i_, .second = j_};
    if (++j_ == num_arms_) {
      if (++i_ + 1 >= num_arms_) i_ = 0;
      j_ = i_ + 1;
    }
    return duel;
  }

 private:
  Arm num_arms_;
  Arm i_ = 0;
  Arm j_ = 1;
};

// Answers by pair and meeting, so that all designs of a trial hear the same.
class Judge {
 public:
  Judge(const PreferenceMatrix& matrix, double tie_rate, std::uint64_t seed, std::uint32_t trial)
      : matrix_(matrix),
        tie_rate_(tie_rate),
        outcomes_(seed, trial),
        ties_(mix64(seed ^ 0x74696573), trial),
        meetings_(matrix.num_arms() * matrix.num_arms()) {}

  Outcome answer(const Duel& duel) {
    const bool in_order = duel.first < duel.second;
    const Arm low = in_order ? duel.first : duel.second;
    const Arm high = in_order ? duel.second : duel.first;
    const std::uint32_t meeting = meetings_[std::size_t{low} * matrix_.num_arms() + high]++;
    if (tie_rate_ > 0 && static_cast<double>(ties_.draw(low, high, meeting)) < tie_rate_ * 0x1p53) {
      return Outcome::tie;
    }
    const bool low_wins =
        static_cast<double>(outcomes_.draw(low, high, meeting)) < matrix_(low, high) * 0x1p53;
    return low_wins == in_order ? Outcome::first_wins : Outcome::second_wins;
  }

 private:
  const PreferenceMatrix& matrix_;
  double tie_rate_;
  OutcomeStream outcomes_;
  OutcomeStream ties_;
  std::vector<std::uint32_t> meetings_;
};

bool is_right(const PreferenceMatrix& matrix, Goal goal, Arm arm) {
  if (goal == Goal::condorcet) return condorcet_winner(matrix) == arm;
  const auto k = static_cast<Arm>(matrix.num_arms());
  const auto score = [&](Arm i) {
    double sum = 0;
    for (Arm j = 0; j < k; ++j) {
      if (j == i) continue;
      sum += goal == Goal::copeland ? (matrix(i, j) > 0.5 ? 1.0 : 0.0) : matrix(i, j);
    }
    return sum;
  };
  for (Arm i = 0; i < k; ++i) {
    if (score(i) > score(arm) + 1e-12) return false;
  }
  return true;
}

}  // namespace

PlanTrial play_plan_trial(const PlanSpec& spec, const ConfiguredPolicy* policy,
                          const PreferenceMatrix& matrix, std::uint32_t trial) {
  const std::size_t num_arms = matrix.num_arms();
  struct Served {
    Duel duel;              // as the policy chose it
    std::uint64_t ordinal;  // in which it was served
    bool chosen;            // by the policy
  };
  Referee referee(num_arms, spec.goal, spec.alpha);
  Judge judge(matrix, spec.tie_rate, spec.seed, trial);
  ServingOrder order;
  PairCycle cycle(num_arms);
  std::optional<Asker> asker;
  if (policy != nullptr) asker.emplace(*policy, spec.seed, trial);
  const Stream arrivals(spec.seed, trial, Purpose::answer, "plan");
  std::vector<Served> outstanding;
  std::vector<std::uint64_t> plays(num_arms);
  std::uint64_t answers = 0;
  PlanTrial result;

  const auto in_flight = [&](Arm i, Arm j) {
    std::uint64_t count = 0;
    for (const Served& one : outstanding) {
      count += (one.duel.first == i && one.duel.second == j) ||
               (one.duel.first == j && one.duel.second == i);
    }
    return count;
  };
  // The next question, where there is one before an answer has come.
  const auto next = [&]() -> std::optional<Served> {
    if (!asker) return Served{cycle.next(), result.duels, false};
    const Asker::Question question = asker->next();
    if (question.state == Asker::State::ask) {
      return Served{question.duel, result.duels, true};
    }
    if (question.state == Asker::State::wait) return std::nullopt;
    if (spec.goal != Goal::condorcet) return Served{cycle.next(), result.duels, false};
    const auto contest = closest_contest(referee.certifier(), in_flight);
    return Served{{.first = contest->leader, .second = contest->rival}, result.duels, false};
  };
  const auto sink = [&](const Duel& duel, Outcome outcome) { referee.observe(duel, outcome); };

  while (!referee.winner() && !referee.no_winner()) {
    while (outstanding.size() < spec.parallel && result.duels < spec.max_duels) {
      const auto question = next();
      if (!question) break;
      outstanding.push_back(*question);
      ++result.duels;
      ++plays[question->duel.first];
      ++plays[question->duel.second];
      if (spec.parallel > 1) {
        order.served(question->ordinal, question->duel.first, question->duel.second, sink);
      }
    }
    if (outstanding.empty()) break;
    // Any of those at work may be done first.
    std::size_t done = 0;
    if (outstanding.size() > 1) {
      done = static_cast<std::size_t>(arrivals.at(++answers).below(outstanding.size()));
    }
    const Served one = outstanding[done];
    outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(done));
    const Outcome outcome = judge.answer(one.duel);
    if (asker && one.chosen) asker->answered(one.duel, outcome);
    if (asker && !one.chosen) asker->heard(one.duel.first, one.duel.second, outcome);
    if (spec.parallel > 1) {
      order.answered(one.ordinal, outcome, sink);
    } else {
      referee.observe(one.duel, outcome);
    }
  }

  const auto champion = condorcet_winner(matrix);
  if (const auto winner = referee.winner()) {
    result.ending = PlanTrial::Ending::winner;
    result.right = is_right(matrix, spec.goal, *winner);
  } else if (referee.no_winner()) {
    result.ending = PlanTrial::Ending::no_winner;
    result.right = !champion;
  }
  const RegretNotion notion = champion ? RegretNotion::average : RegretNotion::copeland;
  const auto meter = RegretMeter::create(notion, matrix);
  result.regret = meter.value().total({plays, std::vector<std::uint64_t>(num_arms)});
  return result;
}

PlanEntry summarise_plan(std::string policy, std::vector<PlanTrial> trials) {
  DUEL_CHECK(!trials.empty());
  PlanEntry entry;
  entry.policy = std::move(policy);
  std::vector<double> duels, regrets;
  for (const PlanTrial& trial : trials) {
    duels.push_back(static_cast<double>(trial.duels));
    regrets.push_back(trial.regret);
    entry.winners += trial.ending == PlanTrial::Ending::winner ? 1 : 0;
    entry.no_winners += trial.ending == PlanTrial::Ending::no_winner ? 1 : 0;
    entry.undecided += trial.ending == PlanTrial::Ending::undecided ? 1 : 0;
    entry.wrong += trial.ending != PlanTrial::Ending::undecided && !trial.right ? 1 : 0;
  }
  entry.mean = mean(duels);
  entry.mean_se = standard_error(duels, entry.mean);
  entry.regret = mean(regrets);
  std::sort(duels.begin(), duels.end());
  entry.p10 = quantile(duels, 0.1);
  entry.p50 = quantile(duels, 0.5);
  entry.p90 = quantile(duels, 0.9);
  entry.p99 = quantile(duels, 0.99);
  // One side of an interval with 5 % on each.
  entry.wrong_limit = fixed_n_clopper_pearson(entry.wrong, trials.size(), 0.1).upper;
  entry.trials = std::move(trials);
  return entry;
}

std::optional<double> least_duels_of_winner(const PreferenceMatrix& matrix, double alpha) {
  const auto champion = condorcet_winner(matrix);
  if (!champion) return std::nullopt;
  double sum = 0;
  for (Arm j = 0; j < matrix.num_arms(); ++j) {
    if (j != *champion) sum += least_mean_duels(matrix(*champion, j), alpha);
  }
  return sum;
}

namespace {

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

// What somebody who knows the winner would need.
void add_references(PlanResults& results, const PlanSpec& spec) {
  std::vector<double> least, fixed;
  for (std::uint32_t trial = 0; trial < spec.trials; ++trial) {
    const auto matrix = spec.truth.draw(spec.seed, trial);
    const auto champion = condorcet_winner(*matrix);
    if (!champion) {
      ++results.without_winner;
      continue;
    }
    double fixed_sum = 0;
    const double share = spec.alpha / static_cast<double>(spec.truth.num_arms - 1);
    for (Arm j = 0; j < spec.truth.num_arms; ++j) {
      if (j == *champion) continue;
      const double p = (*matrix)(*champion, j);
      const auto duels = fixed_n_duels(p, share, 0.8);
      fixed_sum += duels.ok() ? static_cast<double>(*duels) : kUndefined;
    }
    least.push_back(*least_duels_of_winner(*matrix, spec.alpha) / (1 - spec.tie_rate));
    if (!std::isnan(fixed_sum)) fixed.push_back(fixed_sum / (1 - spec.tie_rate));
  }
  if (spec.goal != Goal::condorcet) return;
  results.reference = median_of(std::move(least));
  results.fixed_size = median_of(std::move(fixed));
}

Status check(const PlanSpec& spec) {
  const auto refuse = [](double value, const char* where, const char* hint) {
    return Error::invalid_argument(fmt::format("{} is out of range", value), where, hint);
  };
  if (!(spec.alpha > 0 && spec.alpha < 0.5))
    return refuse(spec.alpha, "--alpha", "0 < alpha < 0.5");
  if (!(spec.tie_rate >= 0 && spec.tie_rate < 1)) {
    return refuse(spec.tie_rate, "--tie-rate", "0 <= rate < 1");
  }
  if (spec.truth.num_arms < 2) {
    return Error::invalid_argument("one arm has no rival", spec.truth.name,
                                   "at least two arms are needed");
  }
  if (spec.policies.empty() && !spec.round_robin) {
    return Error::invalid_argument("there is no policy to try", "--policy");
  }
  return Done{};
}

}  // namespace

Result<PlanResults> run_plan(const PlanSpec& spec, const PlanHooks& hooks) {
  DUEL_RETURN_IF_ERROR(check(spec));
  const PolicySetting setting{.num_arms = spec.truth.num_arms,
                              .rounds = spec.max_duels,
                              .aim = Aim::certificate,
                              .goal = spec.goal,
                              .alpha = spec.alpha};
  std::vector<std::shared_ptr<const ConfiguredPolicy>> designs;
  std::vector<std::string> names;
  for (const CallSpec& call : spec.policies) {
    DUEL_ASSIGN(auto configured, configure_policy(call, setting));
    if (std::find(names.begin(), names.end(), configured->canonical()) != names.end()) {
      return Error::invalid_argument(fmt::format("{} is given twice", configured->canonical()),
                                     "--policy");
    }
    names.push_back(configured->canonical());
    designs.push_back(std::move(configured));
  }
  if (spec.round_robin) {
    designs.push_back(nullptr);
    names.emplace_back(kRoundRobin);
  }

  const std::uint64_t total = designs.size() * std::uint64_t{spec.trials};
  std::vector<PlanTrial> trials(total);
  JobHooks job_hooks;
  job_hooks.stop = hooks.stop;
  if (hooks.progress) {
    job_hooks.on_progress = [&](std::uint64_t finished) { hooks.progress(finished, total); };
  }
  DUEL_ASSIGN(const JobsRun jobs,
              run_jobs(
                  total, spec.threads, job_hooks,
                  [&](std::uint64_t number, const std::atomic<bool>& stop) {
                    if (stop.load(std::memory_order_relaxed)) return false;
                    const auto trial = static_cast<std::uint32_t>(number % spec.trials);
                    const auto matrix = spec.truth.draw(spec.seed, trial);
                    trials[number] =
                        play_plan_trial(spec, designs[number / spec.trials].get(), *matrix, trial);
                    return true;
                  },
                  [&](std::uint64_t number) { return names[number / spec.trials]; }));

  PlanResults results{.truth = spec.truth.name,
                      .num_arms = spec.truth.num_arms,
                      .goal = spec.goal,
                      .alpha = spec.alpha,
                      .max_duels = spec.max_duels,
                      .trials = spec.trials,
                      .seed = spec.seed};
  results.interrupted = jobs.finished < total;
  if (results.interrupted) return results;
  for (std::size_t d = 0; d < designs.size(); ++d) {
    const auto begin = trials.begin() + static_cast<std::ptrdiff_t>(d * spec.trials);
    results.entries.push_back(
        summarise_plan(names[d], {begin, begin + static_cast<std::ptrdiff_t>(spec.trials)}));
  }
  add_references(results, spec);
  return results;
}

std::string to_plan_json(const PlanResults& results, double cost_per_duel) {
  Json json;
  json["truth"] = results.truth;
  json["num_arms"] = results.num_arms;
  json["goal"] = results.goal == Goal::condorcet  ? "condorcet"
                 : results.goal == Goal::copeland ? "copeland"
                                                  : "borda";
  json["alpha"] = results.alpha;
  json["max_duels"] = results.max_duels;
  json["trials"] = results.trials;
  json["seed"] = results.seed;
  json["truths_without_winner"] = results.without_winner;
  if (results.reference) json["reference_duels"] = *results.reference;
  if (results.fixed_size) json["fixed_size_duels"] = *results.fixed_size;
  json["policies"] = Json::array();
  for (const PlanEntry& entry : results.entries) {
    Json row;
    row["policy"] = entry.policy;
    row["duels"] = {{"mean", entry.mean}, {"se", entry.mean_se}, {"p10", entry.p10},
                    {"p50", entry.p50},   {"p90", entry.p90},    {"p99", entry.p99}};
    row["winner_certified"] = entry.winners;
    row["no_winner_certified"] = entry.no_winners;
    row["undecided"] = entry.undecided;
    row["wrong"] = entry.wrong;
    row["wrong_rate_limit"] = entry.wrong_limit;
    row["regret"] = entry.regret;
    if (cost_per_duel > 0) {
      row["cost"] = {{"p10", entry.p10 * cost_per_duel},
                     {"p50", entry.p50 * cost_per_duel},
                     {"p90", entry.p90 * cost_per_duel}};
    }
    json["policies"].push_back(std::move(row));
  }
  return json.dump_pretty();
}

}  // namespace duel
