#include "duel/study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "duel/core/beta.h"
#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/numbers.h"
#include "duel/inference/fixed_n_interval.h"
#include "duel/inference/order_certificate.h"
#include "duel/inference/order_threshold.h"
#include "duel/inference/planning.h"
#include "duel/log/experiment_log.h"
#include "duel/log/record.h"
#include "duel/simulation/aggregate.h"
#include "duel/study/certified_run.h"
#include "duel/study/spec.h"
#include "duel/truth/arena.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/regret.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

template <class Number>
Error out_of_range(const char* field, Number value, const char* allowed) {
  return Error::invalid_argument(fmt::format("{} is out of range", value))
      .with_hint(allowed)
      .in_field(field);
}

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

Result<Pilot> pilot_of(const ComparisonTable& table, const std::string& name) {
  constexpr std::size_t kMostArms = 2000;
  Pilot pilot;
  pilot.name = name;
  std::unordered_map<std::string, Arm> index;
  for (const ArmEntry& arm : table.arms) {
    index.emplace(arm.id, static_cast<Arm>(pilot.arms.size()));
    pilot.arms.push_back(arm.id);
  }
  const std::size_t num_arms = pilot.arms.size();
  if (num_arms < 2) {
    return Error::invalid_data("holds comparisons of " + counted(num_arms, "arm"), name,
                               "at least two are needed");
  }
  if (num_arms > kMostArms) {
    return Error::unsupported(fmt::format("has more than {} arms", kMostArms), name,
                              "is this a table of comparisons?");
  }
  pilot.wins.resize(num_arms * num_arms);
  for (const ComparisonRecord& row : table.rows) {
    if (row.first == row.second) continue;  // an A/A duel says nothing of who is better
    if (row.answer.result != Answered::win) {
      ++pilot.ties;
      continue;
    }
    DUEL_CHECK(row.answer.winner == row.first || row.answer.winner == row.second);
    const std::string& loser = row.answer.winner == row.first ? row.second : row.first;
    ++pilot.wins[index.at(row.answer.winner) * num_arms + index.at(loser)];
    ++pilot.decisive;
  }
  return pilot;
}

Result<Pilot> read_pilot(const std::filesystem::path& file) {
  DUEL_ASSIGN(const ComparisonTable table,
              begins_as_log(file) ? comparisons_of_log(file) : read_comparisons(file));
  return pilot_of(table, file.string());
}

PlanTruth known_truth(std::shared_ptr<const PreferenceMatrix> matrix) {
  return {.name = matrix->name(), .num_arms = matrix->num_arms(), .draw = [matrix](auto, auto) {
            return matrix;
          }};
}

PlanTruth known_truth(PreferenceMatrix matrix) {
  return known_truth(std::make_shared<const PreferenceMatrix>(std::move(matrix)));
}

Result<PlanTruth> guessed_truth(std::uint64_t num_arms, double gap, double spread) {
  if (num_arms < 2 || num_arms > 10'000) return out_of_range("arms", num_arms, "2 .. 10000");
  if (!(gap > 0 && gap < 0.5)) return out_of_range("gap", gap, "0 < gap < 0.5");
  if (!(spread >= 0 && spread <= 100)) return out_of_range("spread", spread, "0 .. 100");
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

Result<PlanTruth> truth_of(const PlanQuestion& question) {
  const int described = (question.matrix.empty() ? 0 : 1) + (question.pilot.empty() ? 0 : 1) +
                        (question.arms || question.gap ? 1 : 0);
  if (described != 1) {
    return Error::invalid_argument(described == 0 ? "nothing describes the arms"
                                                  : "the arms are described twice")
        .with_hint("give `matrix`, or `pilot`, or `arms` and `gap`");
  }
  if (!question.matrix.empty()) {
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(question.matrix));
    return known_truth(std::move(matrix));
  }
  if (!question.pilot.empty()) {
    DUEL_ASSIGN(const Pilot pilot, read_pilot(question.pilot));
    return posterior_truth(pilot);
  }
  if (!question.arms || !question.gap) {
    return Error::invalid_argument("is missing")
        .with_hint("`arms` and `gap` belong together, such as 5 and 0.05")
        .in_field(question.arms ? "gap" : "arms");
  }
  return guessed_truth(*question.arms, *question.gap, question.spread);
}

}  // namespace

Result<PlanSpec> plan_spec(const PlanQuestion& question) {
  PlanSpec spec{question};
  DUEL_ASSIGN(spec.truth, truth_of(question));
  DUEL_ASSIGN(spec.goal,
              parse_goal(question.goal, question.top, question.epsilon, question.assume));
  DUEL_RETURN_IF_ERROR(check_goal(spec.goal, spec.truth.num_arms));
  for (const std::string& text : question.policy) {
    DUEL_ASSIGN(const auto calls, in_field("policy", parse_call_list(text)));
    spec.policies.insert(spec.policies.end(), calls.begin(), calls.end());
  }
  if (spec.policies.empty()) spec.policies.push_back({"auto", {}});
  // Round-robin stands beside them in any case; its name is no policy's.
  std::erase_if(spec.policies, [](const CallSpec& call) { return call.name == kRoundRobin; });
  if (question.max_duels < 1) return out_of_range("max_duels", question.max_duels, "at least 1");
  if (question.parallel < 1) return out_of_range("parallel", question.parallel, "at least 1");
  if (question.trials < 2 || question.trials > 10'000'000) {
    return out_of_range("trials", question.trials, "2 .. 10000000");
  }
  spec.trials = static_cast<std::uint32_t>(question.trials);
  spec.threads = static_cast<unsigned>(std::min<std::uint64_t>(question.threads, kMaxThreads));
  return spec;
}

std::vector<Arm> winners_of(const PreferenceMatrix& matrix, const Goal& goal) {
  switch (goal.kind) {
    case Goal::condorcet: {
      const auto winner = condorcet_winner(matrix);
      return winner ? std::vector{*winner} : std::vector<Arm>{};
    }
    case Goal::copeland:
      return copeland_scores(matrix).winners;
    case Goal::borda:
      return borda_scores(matrix).winners;
    case Goal::set:
      return dominant_set(matrix, static_cast<std::size_t>(goal.top)).value_or(std::vector<Arm>{});
    case Goal::order:
      return ordered_top(matrix, static_cast<std::size_t>(goal.top)).value_or(std::vector<Arm>{});
    case Goal::ranking:
      return ordered_top(matrix, matrix.num_arms()).value_or(std::vector<Arm>{});
    case Goal::epsilon:
      return arms_within(matrix, goal.margin);
  }
  DUEL_CHECK(false);
  return {};
}

bool is_right(const PreferenceMatrix& matrix, const Goal& goal, const Decision& decision) {
  const std::vector<Arm> right = winners_of(matrix, goal);
  if (goal.is_order()) return decision.arms == right;
  if (!decision.winner) return right.empty();
  return std::find(right.begin(), right.end(), *decision.winner) != right.end();
}

bool is_right(const PreferenceMatrix& matrix, Finds finds, const std::vector<Arm>& found) {
  switch (finds) {
    case Finds::winner: {
      const auto winner = condorcet_winner(matrix);
      return winner ? !found.empty() && found.front() == *winner : found.empty();
    }
    case Finds::order:
      return found == winners_of(matrix, Goal::ranking);
    case Finds::copeland:
    case Finds::borda: {
      const std::vector<Arm> right =
          winners_of(matrix, finds == Finds::borda ? Goal::borda : Goal::copeland);
      return !found.empty() && std::find(right.begin(), right.end(), found.front()) != right.end();
    }
  }
  return false;
}

namespace {

bool is_far(const PreferenceMatrix& matrix, Arm arm) {
  for (Arm rival = 0; rival < matrix.num_arms(); ++rival) {
    if (matrix(rival, arm) > 0.5 + kFar) return true;
  }
  return false;
}

bool is_audited(const PlanSpec& spec) { return spec.judge_agreement > 0; }

// One experiment.
PlanTrial play_trial(const PlanSpec& spec, const PlanDesign& design, const PreferenceMatrix& matrix,
                     std::uint32_t trial) {
  const ConfiguredPolicy* policy = design.policy.get();
  // Outcomes are keyed by pair and meeting, so that all designs of a trial hear the same.
  const OutcomeStream outcomes(spec.seed, trial);
  const OutcomeStream ties(mix64(spec.seed ^ 0x74696573), trial);
  // Every pair ends a duel without a winner with the same probability.
  AnsweredBy with_ties([&](Arm low, Arm high, std::uint32_t meeting) {
    if (static_cast<double>(ties.draw(low, high, meeting)) < spec.tie_rate * 0x1p53) {
      return Outcome::tie;
    }
    const std::uint64_t draw = outcomes.draw(low, high, meeting);
    return static_cast<double>(draw) < matrix(low, high) * 0x1p53 ? Outcome::first_wins
                                                                  : Outcome::second_wins;
  });
  const std::vector<std::uint32_t> ranks = merit_ranks(matrix);
  MatrixArena arena(matrix, ranks, outcomes, spec.tie_rate > 0 ? &with_ties : nullptr);
  const auto answer = [&](const Duel& duel) { return arena.meet(duel); };
  PlanTrial result;
  if (design.finds) {
    const TrialStreams streams(spec.seed, trial, policy->facts().name);
    const OwnStop run = design.play({&streams, spec.max_duels, answer});
    result.duels = run.duels;
    if (run.found) {
      result.ending = run.found->empty() ? PlanTrial::Ending::no_winner : PlanTrial::Ending::winner;
      result.right = is_right(matrix, *design.finds, *run.found);
      result.far = !run.found->empty() && is_far(matrix, run.found->front());
    }
  } else {
    const CertifiedRun run = run_to_certificate({.policy = policy,
                                                 .num_arms = matrix.num_arms(),
                                                 .goal = spec.goal,
                                                 .stopping = {.alpha = spec.alpha,
                                                              .max_duels = spec.max_duels,
                                                              .arms_fixed = true,
                                                              .shared_causes = spec.shared_causes},
                                                 .parallel = spec.parallel,
                                                 .together = spec.together,
                                                 .seed = spec.seed,
                                                 .trial = trial,
                                                 .audits = is_audited(spec) ? spec.audits : 0,
                                                 .judge_agreement = spec.judge_agreement},
                                                answer);
    for (const Duel& duel : run.unanswered) arena.meet(duel);  // they cost regret all the same
    result.duels = run.duels;
    result.people = run.people;
    if (run.decision) {
      result.ending = run.decision->kind == CertificateKind::no_winner
                          ? PlanTrial::Ending::no_winner
                          : PlanTrial::Ending::winner;
      result.right = is_right(matrix, spec.goal, *run.decision);
      result.far = run.decision->winner && is_far(matrix, *run.decision->winner);
    }
  }
  const auto notion = condorcet_winner(matrix) ? RegretNotion::average : RegretNotion::copeland;
  result.regret = RegretMeter::create(notion, matrix).value().total(arena.tally());
  return result;
}

// REQUIRES: at least one trial.
PlanDuels quantiles_of(std::vector<double> duels) {
  PlanDuels found;
  found.mean = mean(duels);
  found.mean_se = standard_error(duels, found.mean);
  std::sort(duels.begin(), duels.end());
  found.p10 = quantile(duels, 0.1);
  found.p50 = quantile(duels, 0.5);
  found.p90 = quantile(duels, 0.9);
  found.p99 = quantile(duels, 0.99);
  return found;
}

PlanEntry summary_of(std::string policy, std::vector<PlanTrial> trials, double cost_per_duel,
                     bool audited) {
  DUEL_CHECK(!trials.empty());
  PlanEntry entry;
  std::vector<double> people;
  entry.policy = std::move(policy);
  std::vector<double> duels, regrets;
  for (const PlanTrial& trial : trials) {
    duels.push_back(static_cast<double>(trial.duels));
    people.push_back(static_cast<double>(trial.people));
    regrets.push_back(trial.regret);
    entry.winners += trial.ending == PlanTrial::Ending::winner ? 1 : 0;
    entry.no_winners += trial.ending == PlanTrial::Ending::no_winner ? 1 : 0;
    entry.undecided += trial.ending == PlanTrial::Ending::undecided ? 1 : 0;
    const bool wrong = trial.ending != PlanTrial::Ending::undecided && !trial.right;
    entry.wrong += wrong ? 1 : 0;
    entry.far += wrong && trial.far ? 1 : 0;
  }
  static_cast<PlanDuels&>(entry) = quantiles_of(std::move(duels));
  if (audited) entry.people = quantiles_of(std::move(people));
  entry.regret = mean(regrets);
  // One side of an interval with 5 % on each.
  entry.wrong_limit = fixed_n_clopper_pearson(entry.wrong, trials.size(), 0.1).upper;
  entry.trials = std::move(trials);
  if (cost_per_duel > 0) {
    entry.cost = {entry.p10 * cost_per_duel, entry.p50 * cost_per_duel, entry.p90 * cost_per_duel};
  }
  return entry;
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

// The pairs that a certificate of the truth has to show; none where there is nothing to certify, or
// the goal has no such pairs.
std::optional<std::vector<Duel>> pairs_to_show(const PreferenceMatrix& matrix, const Goal& goal) {
  if (goal.kind != Goal::condorcet && !goal.is_order()) return std::nullopt;
  const std::vector<Arm> named = winners_of(matrix, goal);
  if (named.empty()) return std::nullopt;
  return needed_pairs(goal.is_order() ? goal : Goal(Goal::set, 1), named, matrix.num_arms());
}

// What somebody who knows the answer would need.
void add_references(PlanResults& results, const PlanSpec& spec) {
  std::vector<double> least, fixed;
  for (std::uint32_t trial = 0; trial < spec.trials; ++trial) {
    const auto matrix = spec.truth.draw(spec.seed, trial);
    const bool exists = spec.goal.is_order() ? !winners_of(*matrix, spec.goal).empty()
                                             : condorcet_winner(*matrix).has_value();
    if (!exists) ++results.without_winner;
    const auto pairs = pairs_to_show(*matrix, spec.goal);
    if (!pairs) continue;
    double fixed_sum = 0;
    const double share = spec.alpha / static_cast<double>(pairs->size());
    for (const Duel& pair : *pairs) {
      const auto duels = fixed_n_duels((*matrix)(pair.first, pair.second), share, 0.8);
      fixed_sum += duels.ok() ? static_cast<double>(*duels) : kUndefined;
    }
    least.push_back(*least_duels(*matrix, spec.goal, spec.alpha) / (1 - spec.tie_rate));
    if (!std::isnan(fixed_sum)) fixed.push_back(fixed_sum / (1 - spec.tie_rate));
  }
  if (spec.goal.assume != Assumption::none) return;
  results.reference = median_of(std::move(least));
  results.fixed_size = median_of(std::move(fixed));
}

Status check(const PlanSpec& spec) {
  if (!(spec.alpha > 0 && spec.alpha < 0.5)) {
    return out_of_range("alpha", spec.alpha, "0 < alpha < 0.5");
  }
  if (!(spec.tie_rate >= 0 && spec.tie_rate < 1)) {
    return out_of_range("tie_rate", spec.tie_rate, "0 <= rate < 1");
  }
  if (!(spec.judge_agreement >= 0 && spec.judge_agreement <= 1)) {
    return out_of_range("judge_agreement", spec.judge_agreement, "0 <= agreement <= 1");
  }
  if (!(spec.audits > 0 && spec.audits <= 1)) {
    return out_of_range("audits", spec.audits, "0 < share <= 1");
  }
  if (is_audited(spec) && (spec.goal.is_score() || spec.goal.kind == Goal::epsilon)) {
    return Error::unsupported("audits are for the goals condorcet, set, order and ranking")
        .in_field("judge_agreement");
  }
  if (spec.truth.num_arms < 2) {
    return Error::invalid_argument("one arm has no rival", spec.truth.name,
                                   "at least two arms are needed");
  }
  if (spec.policies.empty() && !spec.round_robin) {
    return Error::invalid_argument("there is no policy to try").in_field("policy");
  }
  return Done{};
}

}  // namespace

std::optional<double> least_duels(const PreferenceMatrix& matrix, const Goal& goal, double alpha) {
  const auto pairs = pairs_to_show(matrix, goal);
  if (!pairs) return std::nullopt;
  double sum = 0;
  for (const Duel& pair : *pairs) sum += least_mean_duels(matrix(pair.first, pair.second), alpha);
  return sum;
}

Result<PlanDesign> plan_design(const PlanSpec& spec, const CallSpec& call) {
  if (call.name == kRoundRobin) return PlanDesign{kRoundRobin, nullptr};
  const PolicySetting setting{.num_arms = spec.truth.num_arms,
                              .rounds = spec.max_duels,
                              .aim = Aim::certificate,
                              .goal = spec.goal,
                              .alpha = spec.alpha,
                              .shared_causes = spec.shared_causes};
  DUEL_ASSIGN(auto policy, configure_policy(call, setting));
  PlanDesign design{policy->canonical(), policy};
  if (const StoppingPolicy* stops = spec.own_stop ? find_stopping_policy(call.name) : nullptr) {
    DUEL_ASSIGN(design.play, stops->configure(call, setting));
    design.finds = stops->finds;
  }
  return design;
}

Result<std::optional<PlanEntry>> play_design(const PlanSpec& spec, const PlanDesign& design,
                                             const JobHooks& hooks) {
  std::vector<PlanTrial> trials(spec.trials);
  const auto job = [&](std::uint64_t number, const std::atomic<bool>& stop) {
    if (stop.load(std::memory_order_relaxed)) return false;
    const auto trial = static_cast<std::uint32_t>(number);
    const auto matrix = spec.truth.draw(spec.seed, trial);
    trials[trial] = play_trial(spec, design, *matrix, trial);
    return true;
  };
  const JobTransfer transfer = transfer_of(trials);
  DUEL_ASSIGN(const JobsRun jobs, run_jobs(
                                      spec.trials, spec.threads, hooks, job,
                                      [&](std::uint64_t) { return design.name; }, &transfer));
  if (jobs.finished < spec.trials) return std::optional<PlanEntry>();
  return std::optional(
      summary_of(design.name, std::move(trials), spec.cost_per_duel, is_audited(spec)));
}

Result<PlanResults> run_plan(const PlanSpec& spec, const PlanHooks& hooks) {
  DUEL_RETURN_IF_ERROR(check(spec));
  std::vector<CallSpec> calls = spec.policies;
  if (spec.round_robin) calls.push_back({kRoundRobin, {}});
  std::vector<PlanDesign> designs;
  for (const CallSpec& call : calls) {
    DUEL_ASSIGN(PlanDesign design, plan_design(spec, call));
    for (const PlanDesign& other : designs) {
      if (other.name != design.name) continue;
      return Error::invalid_argument(fmt::format("{} is given twice", design.name))
          .in_field("policy");
    }
    designs.push_back(std::move(design));
  }

  PlanResults results{.truth = spec.truth.name,
                      .num_arms = spec.truth.num_arms,
                      .goal = spec.goal,
                      .alpha = spec.alpha,
                      .max_duels = spec.max_duels,
                      .trials = spec.trials,
                      .seed = spec.seed};
  for (std::size_t d = 0; d < designs.size(); ++d) {
    JobHooks job_hooks;
    job_hooks.stop = hooks.stop;
    if (hooks.progress) {
      job_hooks.on_progress = [&](std::uint64_t finished) {
        hooks.progress(d * spec.trials + finished, designs.size() * spec.trials);
      };
    }
    DUEL_ASSIGN(auto entry, play_design(spec, designs[d], job_hooks));
    results.interrupted = !entry;
    if (results.interrupted) {
      results.entries.clear();
      return results;
    }
    results.entries.push_back(std::move(*entry));
  }
  add_references(results, spec);
  return results;
}

std::vector<WastefulDesign> wasteful_designs(const PlanResults& results) {
  constexpr double kMany = 0.1;  // share undecided; a decider has at most a tenth of it
  std::vector<WastefulDesign> wasteful;
  const auto decider = std::min_element(
      results.entries.begin(), results.entries.end(),
      [](const PlanEntry& a, const PlanEntry& b) { return a.undecided < b.undecided; });
  for (const PlanEntry& entry : results.entries) {
    const bool many =
        static_cast<double>(entry.undecided) > kMany * static_cast<double>(results.trials);
    if (entry.policy == kRoundRobin || !many || entry.undecided < 10 * decider->undecided) continue;
    wasteful.push_back({&entry, &*decider});
  }
  return wasteful;
}

}  // namespace duel
