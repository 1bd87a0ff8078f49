#include "duel/simulation/simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/checkpoints.h"
#include "duel/jobs/ranks.h"
#include "duel/simulation/aggregate.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr const char* kEveryCheckpoint = "checkpoint";  // `horizon=checkpoint`

double physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_size > 0 ? static_cast<double>(pages) * static_cast<double>(page_size)
                                    : std::numeric_limits<double>::infinity();
}

}  // namespace

// Records what one trial shows at its checkpoints. If the matrix changes, the loop gets an extra
// checkpoint at the round before; there the matrix that the arena looks at is replaced. Jumps may
// pass a change: the policy cannot know about it, and the loop splits its tally at checkpoints.
class Simulation::Recorder final : public TrialObserver {
 public:
  // Checkpoint 0 of `checkpoints` is number `first` of the table, and the trial its row `row`.
  Recorder(const Simulation& simulation, std::uint32_t row, std::span<const Round> checkpoints,
           std::size_t first, TrialTable& table)
      : simulation_(simulation), row_(row), first_(first), table_(table) {
    if (simulation.judgements_.size() == 1) {
      stops_ = checkpoints;
      return;
    }
    matrix_ = *simulation.judgements_[0].matrix;
    merit_ranks_ = simulation.judgements_[0].merit_ranks;
    past_.resize(simulation.plan_.regrets.size());
    const std::size_t num_arms = matrix_->num_arms();
    before_ = {std::vector<std::uint64_t>(num_arms), std::vector<std::uint64_t>(num_arms)};
    auto change = simulation.plan_.changes.begin();
    const auto add_changes_before = [&](Round round) {
      for (; change != simulation.plan_.changes.end() && change->from <= round; ++change) {
        if (merged_.empty() || merged_.back() != change->from - 1) {
          merged_.push_back(change->from - 1);
          kinds_.push_back({false, true});
        } else {
          kinds_.back().changes = true;
        }
      }
    };
    for (const Round checkpoint : checkpoints) {
      add_changes_before(checkpoint);
      merged_.push_back(checkpoint);
      kinds_.push_back({true, false});
    }
    stops_ = merged_;
  }

  // What the loop and the arena are to be given.
  std::span<const Round> stops() const { return stops_; }
  const PreferenceMatrix& matrix() const {
    return matrix_ ? *matrix_ : *simulation_.judgements_[0].matrix;
  }
  std::span<const std::uint32_t> merit_ranks() const {
    return matrix_ ? merit_ranks_ : simulation_.judgements_[0].merit_ranks;
  }

  void at_checkpoint(std::size_t index, const TrialArena& arena, Arm recommended) override {
    if (!matrix_) {
      record(first_ + index, arena, arena.tally(), recommended);
      return;
    }
    PlayTally since = arena.tally();
    for (std::size_t i = 0; i < since.plays.size(); ++i) {
      since.plays[i] -= before_.plays[i];
      since.better[i] -= before_.better[i];
    }
    if (kinds_[index].records) record(first_ + recorded_++, arena, since, recommended);
    if (!kinds_[index].changes) return;
    const Judgement& judgement = simulation_.judgements_[segment_];
    for (std::size_t r = 0; r < past_.size(); ++r) past_[r] += judgement.meters[r].total(since);
    before_ = arena.tally();
    ++segment_;
    *matrix_ = *simulation_.judgements_[segment_].matrix;
    std::copy(simulation_.judgements_[segment_].merit_ranks.begin(),
              simulation_.judgements_[segment_].merit_ranks.end(), merit_ranks_.begin());
  }

 private:
  struct Kind {
    bool records;
    bool changes;
  };

  void record(std::size_t checkpoint, const TrialArena& arena, const PlayTally& tally,
              Arm recommended) {
    const Judgement& judgement = simulation_.judgements_[segment_];
    for (std::size_t r = 0; r < table_.num_regrets(); ++r) {
      const double past = past_.empty() ? 0.0 : past_[r];
      table_.set(row_, checkpoint, r,
                 judgement.meters.empty() ? kUndefined : past + judgement.meters[r].total(tally));
    }
    table_.set_facts(row_, checkpoint, judgement.is_right[recommended] != 0, arena.informative());
  }

  const Simulation& simulation_;
  std::uint32_t row_;
  std::size_t first_;
  TrialTable& table_;
  std::span<const Round> stops_;
  std::size_t segment_ = 0;
  // Only where the matrix changes:
  std::optional<PreferenceMatrix> matrix_;  // the one in force, which the arena refers to
  std::vector<std::uint32_t> merit_ranks_;  // likewise
  std::vector<Round> merged_;
  std::vector<Kind> kinds_;
  std::size_t recorded_ = 0;
  std::vector<double> past_;  // regret until the last change
  PlayTally before_;          // plays until the last change
};

TrialTable::TrialTable(std::uint32_t trials, std::size_t checkpoints, std::size_t regrets)
    : num_trials_(trials),
      num_checkpoints_(checkpoints),
      num_regrets_(regrets),
      values_(std::size_t{trials} * checkpoints * regrets),
      informative_(std::size_t{trials} * checkpoints),
      correct_(std::size_t{trials} * checkpoints),
      finished_(trials) {}

std::uint32_t TrialTable::num_finished() const {
  return static_cast<std::uint32_t>(std::count(finished_.begin(), finished_.end(), 1));
}

std::string TrialTable::pack(std::uint32_t trial) const {
  std::string bytes;
  const auto add = [&](const auto& values, std::size_t first, std::size_t count) {
    bytes.append(reinterpret_cast<const char*>(values.data() + first), count * sizeof values[0]);
  };
  add(values_, cell(trial, 0) * num_regrets_, num_checkpoints_ * num_regrets_);
  add(informative_, cell(trial, 0), num_checkpoints_);
  add(correct_, cell(trial, 0), num_checkpoints_);
  return bytes;
}

void TrialTable::unpack(std::uint32_t trial, std::string_view bytes) {
  const auto take = [&](auto& values, std::size_t first, std::size_t count) {
    const std::size_t size = count * sizeof values[0];
    DUEL_CHECK(bytes.size() >= size);
    std::memcpy(values.data() + first, bytes.data(), size);
    bytes.remove_prefix(size);
  };
  take(values_, cell(trial, 0) * num_regrets_, num_checkpoints_ * num_regrets_);
  take(informative_, cell(trial, 0), num_checkpoints_);
  take(correct_, cell(trial, 0), num_checkpoints_);
  DUEL_CHECK(bytes.empty());
  finish(trial);
}

double TrialTable::bytes(std::uint32_t trials, std::size_t checkpoints, std::size_t regrets) {
  const double cell = 8.0 * static_cast<double>(regrets) + 8 + 1;
  return static_cast<double>(trials) * (static_cast<double>(checkpoints) * cell + 1);
}

Result<Simulation::Entry> Simulation::configure(const CallSpec& call, const SimulationPlan& plan) {
  DUEL_ASSIGN(const PolicyKind* kind, find_policy(call.name));
  const std::size_t num_arms = plan.num_arms();
  CallSpec rest{call.name, {}};  // without `horizon=checkpoint`
  bool horizon_given = false;
  bool per_checkpoint = false;
  for (const auto& argument : call.arguments) {
    if (argument.first == "horizon" && argument.second == kEveryCheckpoint &&
        kind->facts.needs_horizon) {
      per_checkpoint = true;
    } else {
      horizon_given = horizon_given || argument.first == "horizon";
      rest.arguments.push_back(argument);
    }
  }
  per_checkpoint = per_checkpoint ||
                   (plan.horizon_per_checkpoint && kind->facts.needs_horizon && !horizon_given);

  Entry entry;
  const Round rounds = plan.checkpoints.back();
  if (!per_checkpoint) {
    DUEL_ASSIGN(
        auto configured,
        kind->configure(rest, {.num_arms = num_arms, .rounds = rounds, .features = plan.features}));
    entry.label = configured->canonical();
    entry.configured.push_back(std::move(configured));
    return entry;
  }
  for (const Round checkpoint : plan.checkpoints) {
    auto configured = kind->configure(
        rest, {.num_arms = num_arms, .rounds = checkpoint, .features = plan.features});
    if (!configured.ok()) {
      Error error = configured.error();
      error.message += fmt::format(", with the horizon of checkpoint {}", checkpoint);
      return error;
    }
    entry.configured.push_back(*std::move(configured));
  }
  DUEL_ASSIGN(CallSpec label, parse_call(entry.configured.back()->canonical()));
  for (auto& [key, value] : label.arguments) {
    if (key == "horizon") value = kEveryCheckpoint;
  }
  entry.label = to_string(label);
  return entry;
}

Result<Simulation::Judgement> Simulation::judgement(const PreferenceMatrix& matrix,
                                                    const SimulationPlan& plan) {
  Judgement judgement;
  judgement.matrix = &matrix;
  judgement.merit_ranks = merit_ranks(matrix);
  judgement.is_right.assign(matrix.num_arms(), 0);
  if (plan.right_arms) {
    for (const Arm arm : *plan.right_arms) judgement.is_right[arm] = 1;
    return judgement;
  }
  for (const RegretNotion notion : plan.regrets) {
    DUEL_ASSIGN(RegretMeter meter, RegretMeter::create(notion, matrix));
    judgement.meters.push_back(std::move(meter));
  }
  if (const std::optional<Arm> winner = condorcet_winner(matrix)) {
    judgement.is_right[*winner] = 1;
  } else {
    for (const Arm arm : copeland_scores(matrix).winners) judgement.is_right[arm] = 1;
  }
  return judgement;
}

Result<Simulation::Judgement> Simulation::judgement(const Strengths& strengths,
                                                    const SimulationPlan& plan) {
  Judgement judgement;
  judgement.merit_ranks = strengths.merit_ranks();
  judgement.is_right.assign(strengths.num_arms(), 0);
  judgement.is_right[strengths.winner()] = 1;
  for (const RegretNotion notion : plan.regrets) {
    DUEL_ASSIGN(RegretMeter meter,
                RegretMeter::create(notion, strengths.gaps_to_winner(), strengths.utility_gaps()));
    judgement.meters.push_back(std::move(meter));
  }
  return judgement;
}

// A policy that keeps numbers for all pairs is refused where they would fill the memory: the system
// would end the program in the middle of it.
Status Simulation::check_memory(const SimulationPlan& plan, const std::vector<Entry>& policies) {
  // The least that such a policy takes is the count of wins in both directions of a pair; most
  // take a bound of each as well.
  constexpr double kBytesPerPair = 12;
  const auto arms = static_cast<double>(plan.num_arms());
  const double side_by_side = std::min<double>(resolve_threads(plan.threads), plan.trials);
  const double bytes = kBytesPerPair * arms * arms * side_by_side;
  if (bytes <= 0.8 * physical_memory()) return Done{};
  for (const Entry& entry : policies) {
    if (!entry.configured.front()->facts().keeps_pairs) continue;
    std::string others;
    for (const PolicyKind& kind : policy_catalogue()) {
      if (!kind.facts.keeps_pairs) others += (others.empty() ? "" : ", ") + kind.facts.name;
    }
    return Error::unsupported(
        fmt::format(
            "{} keeps numbers for all pairs of {} arms, at least {:.1f} GB for {} trials at a time",
            entry.label, plan.num_arms(), bytes / 1e9, side_by_side),
        "", fmt::format("fewer arms or threads, or a policy that does not: {}", others));
  }
  return Done{};
}

Status Simulation::check_feedback(const SimulationPlan& plan, const std::vector<Entry>& policies) {
  if (plan.feedback.at_once()) return Done{};
  for (const Entry& entry : policies) {
    if (entry.configured.front()->facts().outstanding == Outstanding::yes) continue;
    return Error::unsupported(
        fmt::format("{} asks one duel after the other: it hears each answer before the next",
                    entry.label),
        "", "without batches and delays it can play");
  }
  return Done{};
}

Result<Simulation> Simulation::create(const SimulationPlan& plan) {
  DUEL_CHECK((plan.matrix != nullptr) + (plan.strengths != nullptr) + (plan.by_round != nullptr) ==
                 1 &&
             plan.trials >= 1);
  DUEL_CHECK(plan.matrix != nullptr ||
             (plan.changes.empty() && !plan.outcomes && !plan.right_arms));
  DUEL_CHECK(!plan.checkpoints.empty() && plan.checkpoints.front() >= 1);
  DUEL_CHECK(plan.checkpoints.back() <= kMaxRounds);
  DUEL_CHECK(std::adjacent_find(plan.checkpoints.begin(), plan.checkpoints.end(),
                                std::greater_equal<>()) == plan.checkpoints.end());
  for (std::size_t k = 0; k < plan.changes.size(); ++k) {
    DUEL_CHECK(plan.changes[k].from > (k == 0 ? 1 : plan.changes[k - 1].from));
    DUEL_CHECK(plan.changes[k].matrix->num_arms() == plan.matrix->num_arms());
  }

  Simulation simulation;
  simulation.plan_ = plan;
  for (const CallSpec& call : plan.policies) {
    DUEL_ASSIGN(Entry entry, configure(call, plan));
    simulation.policies_.push_back(std::move(entry));
  }
  DUEL_RETURN_IF_ERROR(check_memory(plan, simulation.policies_));
  DUEL_RETURN_IF_ERROR(check_feedback(plan, simulation.policies_));
  if (plan.by_round != nullptr) {
    DUEL_RETURN_IF_ERROR(check_round_problem(plan));
  } else {
    DUEL_ASSIGN(Judgement first,
                plan.strengths ? judgement(*plan.strengths, plan) : judgement(*plan.matrix, plan));
    simulation.judgements_.push_back(std::move(first));
  }
  for (const MatrixChange& change : plan.changes) {
    auto next = judgement(*change.matrix, plan);
    if (!next.ok()) {
      Error error = next.error();
      error.message += fmt::format(", from round {}", change.from);
      return error;
    }
    simulation.judgements_.push_back(*std::move(next));
  }
  const double bytes = TrialTable::bytes(plan.trials, plan.checkpoints.size(), plan.regrets.size());
  if (plan.keeps_trials && bytes > 0.8 * physical_memory()) {
    return Error::unsupported(
               fmt::format("the values of {} trials at {} checkpoints need {:.1f} GB of memory",
                           plan.trials, plan.checkpoints.size(), bytes / 1e9))
        .with_hint("fewer trials, checkpoints or regret notions");
  }
  simulation.threads_ = resolve_threads(plan.threads);
  return simulation;
}

TrialTable Simulation::empty_table() const {
  return {plan_.trials, plan_.checkpoints.size(), plan_.regrets.size()};
}

bool Simulation::play(const Entry& entry, std::uint32_t trial, const std::atomic<bool>& stop,
                      TrialTable& table, std::uint32_t row) const {
  const std::span<const Round> checkpoints = plan_.checkpoints;
  const bool per_checkpoint = entry.configured.size() > 1;
  const std::size_t runs = entry.configured.size();
  for (std::size_t run = 0; run < runs; ++run) {
    const ConfiguredPolicy& policy = *entry.configured[run];
    if (plan_.by_round != nullptr) {
      const auto until = per_checkpoint ? checkpoints.subspan(run, 1) : checkpoints;
      if (!play_rounds(policy, trial, until, run, stop, table, row)) return false;
      continue;
    }
    Recorder recorder(*this, row, per_checkpoint ? checkpoints.subspan(run, 1) : checkpoints, run,
                      table);
    const auto source = plan_.strengths  ? plan_.strengths->outcomes(plan_.seed, trial)
                        : plan_.outcomes ? plan_.outcomes(plan_.seed, trial)
                                         : nullptr;
    TrialArena arena(plan_.strengths ? std::span<const double>() : recorder.matrix().row_major(),
                     recorder.merit_ranks(), OutcomeStream(plan_.seed, trial), source.get());
    const TrialStreams streams(plan_.seed, trial, policy.facts().name);
    const TrialPlan trial_plan{recorder.stops(), true, &stop};
    const bool finished =
        plan_.feedback.at_once()
            ? policy.play(arena, streams, trial_plan, recorder)
            : play_delayed(policy, arena, streams, trial_plan, plan_.feedback, recorder);
    if (!finished) return false;
  }
  table.finish(row);
  return true;
}

Result<Simulation::MissingRun> Simulation::run_missing(
    std::size_t policy, const RunHooks& hooks, std::uint32_t given,
    const std::function<bool(std::uint32_t trial)>& is_finished, const Job& play,
    const JobTransfer& transfer) const {
  // There may be too many trials for a list of them: it is made only where some are left out.
  bool all = given == 0 && !hooks.wanted;
  std::vector<std::uint32_t> list;
  for (std::uint32_t trial = 0; !all && trial < plan_.trials; ++trial) {
    if (!is_finished(trial) && (!hooks.wanted || hooks.wanted(trial))) list.push_back(trial);
  }
  if (current_ranks() != nullptr) {  // rank 0 alone knows what was finished before
    DUEL_ASSIGN(const std::string said, from_first_rank(all ? "all" : ""));
    DUEL_ASSIGN(const std::string bytes, from_first_rank(bytes_of(list)));
    all = !said.empty();
    list = values_from<std::uint32_t>(bytes);
  }
  const std::uint64_t count = all ? plan_.trials : list.size();
  const auto trial_of = [&](std::uint64_t number) {
    return all ? static_cast<std::uint32_t>(number) : list[number];
  };

  JobHooks job_hooks = hooks;
  if (hooks.on_progress) {
    job_hooks.on_progress = [&](std::uint64_t finished) { hooks.on_progress(given + finished); };
  }
  const JobTransfer by_number{
      .pack = [&](std::uint64_t number) { return transfer.pack(trial_of(number)); },
      .unpack = [&](std::uint64_t number,
                    std::string_view bytes) { transfer.unpack(trial_of(number), bytes); },
      .shared = transfer.shared};
  DUEL_ASSIGN(const JobsRun jobs, run_jobs(
                                      count, threads_, job_hooks,
                                      [&](std::uint64_t number, const std::atomic<bool>& stop) {
                                        return play(trial_of(number), stop);
                                      },
                                      [&](std::uint64_t number) {
                                        return fmt::format("{}, trial {}", label(policy),
                                                           trial_of(number));
                                      },
                                      &by_number));
  return MissingRun{static_cast<std::uint32_t>(jobs.finished), jobs.finished < count, jobs.seconds,
                    jobs.cpu_seconds};
}

Result<PolicyRecord> Simulation::run(std::size_t policy, const RunHooks& hooks,
                                     TrialTable known) const {
  DUEL_CHECK(known.num_trials() == plan_.trials &&
             known.num_checkpoints() == plan_.checkpoints.size() &&
             known.num_regrets() == plan_.regrets.size());
  const bool tells_trials = hooks.on_trial != nullptr && is_first_rank();
  const auto tell = [&](std::uint32_t trial) {
    if (tells_trials) hooks.on_trial(known, trial, trial);
  };
  DUEL_ASSIGN(
      const MissingRun ran,
      run_missing(
          policy, hooks, known.num_finished(),
          [&](std::uint32_t trial) { return known.finished(trial); },
          [&](std::uint64_t number, const std::atomic<bool>& stop) {
            const auto trial = static_cast<std::uint32_t>(number);
            if (!play(policies_[policy], trial, stop, known, trial)) return false;
            tell(trial);
            return true;
          },
          {.pack =
               [&](std::uint64_t trial) { return known.pack(static_cast<std::uint32_t>(trial)); },
           .unpack =
               [&](std::uint64_t number, std::string_view bytes) {
                 const auto trial = static_cast<std::uint32_t>(number);
                 known.unpack(trial, bytes);
                 tell(trial);
               }}));
  return PolicyRecord{label(policy),   std::move(known), ran.trials,
                      ran.interrupted, ran.seconds,      ran.cpu_seconds};
}

}  // namespace duel
