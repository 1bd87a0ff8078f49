#include "duel/experiment/live_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/call_spec.h"
#include "duel/inference/contest.h"
#include "duel/inference/order_threshold.h"

namespace duel {
namespace {

constexpr std::uint64_t kForeign = ~std::uint64_t{0};

// Lots that are drawn for a duel whatever the policy: keyed by its ordinal.
RoundRng lots(const Ledger& ledger, std::string_view owner) {
  return Stream(ledger.experiment().seed, 0, Purpose::choice, owner).at(ledger.served() + 1);
}

std::vector<Arm> active_arms(const Ledger& ledger) {
  std::vector<Arm> active;
  for (Arm arm = 0; arm < ledger.num_arms(); ++arm) {
    if (ledger.arms()[arm].active) active.push_back(arm);
  }
  return active;
}

}  // namespace

std::optional<ChosenDuel> choose_duel(Asker& asker, const Referee& referee,
                                      const std::function<std::uint64_t(Arm, Arm)>& pending) {
  const Asker::Question question = asker.next();
  if (question.state == Asker::State::ask) return ChosenDuel{Serving::explore, question.duel};
  const auto contest = referee.orders()
                           ? closest_contest(referee.certifier(), *referee.orders(), pending)
                           : closest_contest(referee.certifier(), pending);
  if (!contest) return std::nullopt;
  return ChosenDuel{Serving::fallback,
                    {.first = contest->leader, .second = contest->rival, .round = asker.clock()}};
}

namespace {

PolicyKind::Made policy_of(const ExperimentRecord& experiment, std::size_t num_arms) {
  DUEL_ASSIGN(const CallSpec call, parse_call(experiment.policy));
  return configure_policy(call, {.num_arms = num_arms,
                                 .rounds = experiment.stopping.max_duels,
                                 .aim = Aim::certificate,
                                 .goal = experiment.goal,
                                 .alpha = experiment.stopping.alpha,
                                 .shared_causes = experiment.stopping.shared_causes});
}

}  // namespace

Result<std::string> canonical_policy(const ExperimentRecord& experiment, std::size_t num_arms) {
  // Before the policy, which would name an option of its own.
  DUEL_RETURN_IF_ERROR(check_goal(experiment.goal, num_arms));
  DUEL_ASSIGN(const auto policy, policy_of(experiment, num_arms));
  return policy->canonical();
}

Result<Asker> LiveExperiment::make_asker(const ExperimentRecord& experiment, std::size_t num_arms) {
  DUEL_ASSIGN(const auto policy, policy_of(experiment, num_arms));
  return Asker(*policy, experiment.seed);
}

Result<LiveExperiment> LiveExperiment::make(const ExperimentRecord& experiment) {
  DUEL_ASSIGN(Ledger ledger, Ledger::make(experiment));
  DUEL_ASSIGN(Asker asker, make_asker(experiment, ledger.num_active()));
  return LiveExperiment(std::move(ledger), std::move(asker));
}

LiveExperiment::LiveExperiment(Ledger ledger, Asker asker)
    : ledger_(std::move(ledger)), asker_(std::move(asker)) {
  number_arms();
}

void LiveExperiment::number_arms() {
  policy_arms_ = active_arms(ledger_);
  policy_index_.assign(ledger_.num_arms(), static_cast<Arm>(policy_arms_.size()));
  for (Arm k = 0; k < policy_arms_.size(); ++k) policy_index_[policy_arms_[k]] = k;
}

std::optional<LiveExperiment::Choice> LiveExperiment::choose() const {
  const ExperimentRecord& experiment = ledger_.experiment();
  const std::uint64_t limit = experiment.stopping.max_duels;
  if (ledger_.completed() || ledger_.num_active() < 2 || (limit > 0 && ledger_.served() >= limit)) {
    return std::nullopt;
  }
  Choice choice{.asker = asker_, .serving = Serving::explore, .first = 0, .second = 0, .duel = {}};
  if (experiment.aa_rate > 0) {
    RoundRng rng = lots(ledger_, "live/aa");
    if (rng.bernoulli(experiment.aa_rate)) {
      choice.serving = Serving::aa;
      choice.first = choice.second = policy_arms_[rng.below(policy_arms_.size())];
      choice.duel.round = asker_.clock();
      return choice;
    }
  }
  const auto chosen = choose_duel(choice.asker, ledger_.referee(),
                                  [&](Arm i, Arm j) { return ledger_.pair(i, j).pending(); });
  if (!chosen) return std::nullopt;
  const bool explores = chosen->serving == Serving::explore;
  choice.serving = chosen->serving;
  choice.duel = chosen->duel;
  choice.first = explores ? policy_arms_[chosen->duel.first] : chosen->duel.first;
  choice.second = explores ? policy_arms_[chosen->duel.second] : chosen->duel.second;
  bool swap = choice.first > choice.second;
  if (experiment.order != Placement::fixed) swap = lots(ledger_, "live/place").coin();
  if (swap) std::swap(choice.first, choice.second);
  return choice;
}

std::optional<ServeRecord> LiveExperiment::next(const std::string& duel_id) const {
  const auto& chosen = choice();
  if (!chosen) return std::nullopt;
  return ServeRecord{
      .duel_id = duel_id.empty() ? fmt::format("d{}", ledger_.served() + 1) : duel_id,
      .ordinal = ledger_.served(),
      .round = chosen->duel.round,
      .first = ledger_.id_of(chosen->first),
      .second = ledger_.id_of(chosen->second),
      .serving = chosen->serving,
      .task = ""};
}

// An answer to (first, second) as the ledger numbers the arms, from a duel that this policy did not
// ask.
void LiveExperiment::hear(const Told& told) {
  const Arm i = policy_index_[told.first], j = policy_index_[told.second];
  if (std::max(i, j) < policy_arms_.size()) asker_.heard(i, j, told.outcome, !told.evidence);
}

void LiveExperiment::tell(const LedgerDuel& duel, Outcome outcome) {
  const auto found = std::find_if(asked_.begin(), asked_.end(),
                                  [&](const Asked& one) { return one.ordinal == duel.ordinal; });
  if (found == asked_.end()) return;  // one arm shown twice
  const Asked asked = *found;
  asked_.erase(found);
  const Told told{duel.first, duel.second, outcome, duel.evidence};
  if (outcome != Outcome::none) told_.push_back(told);
  if (asked.generation == generation_) {
    const bool as_shown = policy_arms_[asked.duel.first] == duel.first;
    Duel answered = asked.duel;
    answered.hearsay = !duel.evidence;
    asker_.answered(answered, as_shown ? outcome : mirrored(outcome));
  } else if (outcome != Outcome::none) {
    hear(told);
  }
}

const std::optional<LiveExperiment::Choice>& LiveExperiment::choice() const {
  if (choice_sequence_ != ledger_.sequence()) {
    choice_ = choose();
    choice_sequence_ = ledger_.sequence();
  }
  return choice_;
}

Status LiveExperiment::check(const Record& record) const {
  DUEL_RETURN_IF_ERROR(ledger_.check(record));
  if (const auto* serve = std::get_if<ServeRecord>(&record)) return check_serve(*serve);
  // Some policies take only so many arms.
  std::size_t arms = ledger_.num_active();
  if (std::holds_alternative<ArmAddedRecord>(record)) ++arms;
  if (std::holds_alternative<ArmRetiredRecord>(record)) --arms;
  if (arms != ledger_.num_active() && arms >= 2) {
    const auto asker = make_asker(ledger_.experiment(), arms);
    if (!asker.ok()) return asker.error();
  }
  return Done{};
}

Status LiveExperiment::check_serve(const ServeRecord& serve) const {
  const auto& chosen = choice();
  if (chosen && chosen->serving == serve.serving && chosen->duel.round == serve.round &&
      ledger_.id_of(chosen->first) == serve.first &&
      ledger_.id_of(chosen->second) == serve.second) {
    return Done{};
  }
  return Error::invalid_data(
             fmt::format("the policy {} would not have served '{}' against '{}' here, but {}",
                         ledger_.experiment().policy, serve.first, serve.second,
                         chosen ? fmt::format("'{}' against '{}'", ledger_.id_of(chosen->first),
                                              ledger_.id_of(chosen->second))
                                : std::string("nothing")))
      .with_hint("the log was written by another version of Duel, or by something else");
}

Result<Effect> LiveExperiment::apply_serve(const LogEntry& entry) {
  const auto& serve = std::get<ServeRecord>(entry.record);
  DUEL_RETURN_IF_ERROR(check(entry.record));
  Choice chosen = std::move(*choice_);
  choice_sequence_ = 0;
  asker_ = std::move(chosen.asker);
  if (serve.serving != Serving::aa) {
    asked_.push_back({.ordinal = serve.ordinal,
                      .generation = serve.serving == Serving::explore ? generation_ : kForeign,
                      .duel = chosen.duel});
  }
  return ledger_.apply(entry);
}

// A policy on the arms that are active now, taught what was answered so far. Duels still pending
// were asked by the policy before: their answers come as foreign ones.
Result<Effect> LiveExperiment::apply_change_of_arms(const LogEntry& entry) {
  Ledger changed = ledger_;
  DUEL_ASSIGN(const Effect effect, changed.apply(entry));
  if (changed.num_active() >= 2) {
    DUEL_ASSIGN(asker_, make_asker(changed.experiment(), changed.num_active()));
  }
  ledger_ = std::move(changed);
  ++generation_;
  number_arms();
  for (const Told& told : told_) hear(told);
  return effect;
}

Result<Effect> LiveExperiment::apply(const LogEntry& entry) {
  if (std::holds_alternative<ServeRecord>(entry.record)) return apply_serve(entry);
  if (std::holds_alternative<ArmAddedRecord>(entry.record) ||
      std::holds_alternative<ArmRetiredRecord>(entry.record)) {
    return apply_change_of_arms(entry);
  }
  DUEL_ASSIGN(const Effect effect, ledger_.apply(entry));
  if (effect != Effect::applied) return effect;
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    const LedgerDuel& duel = *ledger_.find_duel(outcome->duel_id);
    tell(duel, duel.outcome);
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    tell(*ledger_.find_duel(expired->duel_id), Outcome::none);
  } else if (const auto* comparison = std::get_if<ComparisonRecord>(&entry.record)) {
    const Arm first = *ledger_.find_arm(comparison->first);
    const Arm second = *ledger_.find_arm(comparison->second);
    const Outcome said = *ledger_.outcome_of(comparison->answer, first, second);
    if (said != Outcome::none) {
      const bool counts = ledger_.experiment().comparisons_count && comparison->evidence;
      told_.push_back({first, second, said, counts});
      hear(told_.back());
    }
  }
  return effect;
}

bool LiveExperiment::done() const {
  if (ledger_.completed() || ledger_.certificate()) return true;
  const std::uint64_t limit = ledger_.experiment().stopping.max_duels;
  return limit > 0 && ledger_.served() >= limit && !ledger_.has_pending();
}

Arm LiveExperiment::leader() const {
  if (policy_arms_.size() == 1) return policy_arms_.front();
  return policy_arms_.empty() ? 0 : policy_arms_[asker_.recommend()];
}

std::uint64_t LiveExperiment::state_hash() const {
  std::uint64_t hash = ledger_.state_hash();
  for (const std::uint64_t value : {asker_.clock(), asker_.outstanding(), generation_,
                                    std::uint64_t{asked_.size()}, std::uint64_t{told_.size()}}) {
    hash = mix64(hash ^ value);
  }
  return hash;
}

}  // namespace duel
