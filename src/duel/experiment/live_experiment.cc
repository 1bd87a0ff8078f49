#include "duel/experiment/live_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/call_spec.h"
#include "duel/inference/contest.h"
#include "duel/inference/order_threshold.h"

namespace duel {
namespace {

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

// Of a pair that is drawn by lot.
double propensity_of_lot(std::size_t num_arms) {
  const auto size = static_cast<double>(num_arms);
  return 2 / (size * (size - 1));
}

}  // namespace

std::optional<ChosenDuel> choose_duel(Asker& asker, const Referee& referee,
                                      const std::function<std::uint64_t(Arm, Arm)>& pending,
                                      bool visits) {
  const Asker::Question question = visits ? asker.next_visit() : asker.next();
  if (question.state == Asker::State::ask) return ChosenDuel{Serving::explore, question.duel};
  if (question.state == Asker::State::exploit) return ChosenDuel{Serving::exploit, question.duel};
  const auto contest = referee.orders()
                           ? closest_contest(referee.certifier(), *referee.orders(), pending)
                           : closest_contest(referee.certifier(), pending);
  if (!contest) return std::nullopt;
  return ChosenDuel{Serving::contest,
                    {.first = contest->leader, .second = contest->rival, .round = asker.clock()}};
}

namespace {

PolicyKind::Made policy_of(const ExperimentRecord& experiment, std::size_t num_arms) {
  DUEL_ASSIGN(const CallSpec call, parse_call(experiment.policy));
  return configure_policy(
      call, {.num_arms = num_arms,
             .rounds = experiment.stopping.max_duels,
             .aim = experiment.service.mode == Mode::interleave ? Aim::regret : Aim::certificate,
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

Result<LiveExperiment> LiveExperiment::make(const ExperimentRecord& experiment,
                                            std::unique_ptr<SettledDuels> settled) {
  DUEL_ASSIGN(Ledger ledger, Ledger::make(experiment, std::move(settled)));
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

std::optional<LiveExperiment::Choice> LiveExperiment::decide(
    Asker& asker, const std::vector<Arm>& excluded) const {
  const ExperimentRecord& experiment = ledger_.experiment();
  const std::uint64_t limit = experiment.stopping.max_duels;
  if (ledger_.state() != ExperimentState::running || ledger_.num_active() < 2 ||
      (limit > 0 && ledger_.served() >= limit)) {
    return std::nullopt;
  }
  const auto cannot_be_shown = [&](Arm arm) {
    return std::find(excluded.begin(), excluded.end(), arm) != excluded.end();
  };
  std::vector<Arm> shown;
  std::ranges::copy_if(policy_arms_, std::back_inserter(shown), std::not_fn(cannot_be_shown));
  if (shown.size() < 2) return std::nullopt;
  Choice choice;
  choice.round = asker.clock();
  if (exploits_the_winner()) {
    const Arm winner = *ledger_.certificate()->winner;
    if (cannot_be_shown(winner)) return std::nullopt;
    choice.serving = Serving::exploit;
    choice.first = choice.second = winner;
    return choice;
  }
  if (experiment.aa_rate > 0) {
    RoundRng rng = lots(ledger_, "live/aa");
    if (rng.bernoulli(experiment.aa_rate)) {
      choice.serving = Serving::aa;
      choice.first = choice.second = shown[rng.below(shown.size())];
      choice.propensity = experiment.aa_rate / static_cast<double>(shown.size());
      return choice;
    }
  }
  const double floor = ledger_.guardrails().explore_floor;
  const double of_pair = propensity_of_lot(shown.size());
  const double between_arms = 1 - experiment.aa_rate;
  if (floor > 0 && lots(ledger_, "live/floor").bernoulli(floor)) {
    choice.by = ServedBy::floor;
    draw_among(choice, shown);
    // The policy may have chosen the same pair, which it is not asked; of one pair it must have.
    choice.propensity = between_arms * (shown.size() == 2 ? 1 : floor * of_pair);
    return choice;
  }
  choice = asked_of_policy(asker);
  choice.propensity = between_arms * (1 - floor + floor * of_pair);
  if (cannot_be_shown(choice.first) || cannot_be_shown(choice.second)) {
    if (choice.asked) asker.answered(*choice.asked, Outcome::none);
    choice = {.by = ServedBy::exclude, .round = choice.round};
    draw_among(choice, shown);
    choice.propensity = between_arms * of_pair;
    return choice;
  }
  bool swap = choice.first > choice.second;
  if (experiment.order != Placement::fixed) swap = lots(ledger_, "live/place").coin();
  if (swap) std::swap(choice.first, choice.second);
  return choice;
}

bool LiveExperiment::exploits_the_winner() const {
  return ledger_.certificate() && ledger_.certificate()->winner &&
         ledger_.arms()[*ledger_.certificate()->winner].active &&
         ledger_.experiment().service.on_certified == OnCertified::exploit;
}

LiveExperiment::Choice LiveExperiment::asked_of_policy(Asker& asker) const {
  const auto pending = [&](Arm i, Arm j) { return ledger_.pair(i, j).pending(); };
  const bool visits = ledger_.experiment().service.mode == Mode::interleave;
  const auto chosen = choose_duel(asker, ledger_.referee(), pending, visits);
  DUEL_CHECK(chosen.has_value());  // at least two arms are active
  Choice choice{.serving = chosen->serving, .round = chosen->duel.round};
  const bool of_policy = chosen->serving != Serving::contest;
  choice.first = of_policy ? policy_arms_[chosen->duel.first] : chosen->duel.first;
  choice.second = of_policy ? policy_arms_[chosen->duel.second] : chosen->duel.second;
  if (chosen->serving == Serving::explore) choice.asked = chosen->duel;
  return choice;
}

// A pair by lot. REQUIRES: there are two arms.
void LiveExperiment::draw_among(Choice& choice, const std::vector<Arm>& shown) const {
  RoundRng rng = lots(ledger_, "live/pair");
  const std::size_t i = rng.below(shown.size());
  std::size_t j = rng.below(shown.size() - 1);
  if (j >= i) ++j;
  choice.first = shown[i];
  choice.second = shown[j];
  if (ledger_.experiment().order == Placement::fixed && choice.first > choice.second) {
    std::swap(choice.first, choice.second);
  }
}

ServeRecord LiveExperiment::serve_of(const Choice& choice, const std::string& duel_id) const {
  ServeRecord serve;
  serve.duel_id = duel_id.empty() ? fmt::format("d{}", ledger_.served() + 1) : duel_id;
  serve.ordinal = ledger_.served();
  serve.round = choice.round;
  serve.first = ledger_.id_of(choice.first);
  serve.second = ledger_.id_of(choice.second);
  serve.serving = choice.serving;
  serve.by = choice.by;
  serve.propensity = choice.propensity;
  return serve;
}

std::optional<ServeRecord> LiveExperiment::next(const std::string& duel_id) const {
  DUEL_CHECK(!chosen_);
  Asker asker = asker_;
  const auto choice = decide(asker, {});
  if (!choice) return std::nullopt;
  return serve_of(*choice, duel_id);
}

std::optional<ServeRecord> LiveExperiment::choose(const std::string& duel_id,
                                                  const std::vector<Arm>& excluded) {
  DUEL_CHECK(!chosen_ && !divergence_);
  chosen_ = decide(asker_, excluded);
  if (!chosen_) return std::nullopt;
  return serve_of(*chosen_, duel_id);
}

void LiveExperiment::undo_choice(Undo undo) {
  asker_ = std::move(undo.asker);
  chosen_.reset();
}

void LiveExperiment::hear(const Told& told, std::uint64_t times) {
  const Arm i = policy_index_[told.first], j = policy_index_[told.second];
  if (std::max(i, j) >= policy_arms_.size()) return;
  for (; times > 0; --times) asker_.heard(i, j, told.outcome, !told.evidence);
}

// What became of a duel: its answer, or `Outcome::none`.
void LiveExperiment::tell(const LedgerDuel& duel, Outcome outcome) {
  if (duel.first == duel.second) return;
  const Told told{duel.first, duel.second, outcome, duel.evidence};
  remember(told);
  const auto found = asked_.find(duel.ordinal);
  const bool knows = found != asked_.end() && found->second.generation == generation_;
  if (knows && !divergence_) {
    Duel answered = found->second.duel;
    const bool as_shown = policy_arms_[answered.first] == duel.first;
    answered.hearsay = !duel.evidence;
    asker_.answered(answered, as_shown ? outcome : mirrored(outcome));
  } else if (outcome != Outcome::none && !divergence_) {
    hear(told, 1);
  }
  if (found != asked_.end()) asked_.erase(found);
}

void LiveExperiment::remember(Told told) {
  if (told.outcome == Outcome::none) return;
  if (told.first > told.second) {
    std::swap(told.first, told.second);
    told.outcome = mirrored(told.outcome);
  }
  ++told_[told];
}

Status LiveExperiment::check(const Record& record) const {
  DUEL_RETURN_IF_ERROR(ledger_.check(record));
  // Some policies take only so many arms.
  std::size_t arms = ledger_.num_active();
  if (std::holds_alternative<ArmAddedRecord>(record)) ++arms;
  if (std::holds_alternative<ArmRetiredRecord>(record)) --arms;
  if (arms != ledger_.num_active() && arms >= 2) {
    DUEL_ASSIGN(Asker asker, make_asker(ledger_.experiment(), arms));
    built_.emplace(arms, std::move(asker));
  }
  return Done{};
}

std::optional<LiveExperiment::Choice> LiveExperiment::choice_behind(const ServeRecord& serve) {
  Choice nobody;  // who has to hear the answer
  if (serve.serving == Serving::aa || serve.by == ServedBy::floor ||
      serve.by == ServedBy::recovered ||
      (serve.serving == Serving::exploit && exploits_the_winner())) {
    return nobody;
  }
  Choice choice = asked_of_policy(asker_);
  if (serve.by == ServedBy::exclude) {
    if (choice.asked) asker_.answered(*choice.asked, Outcome::none);
    return nobody;
  }
  // In a contest only that the policy had nothing to ask is its own.
  const bool same_pair = serve.serving == Serving::contest ||
                         std::minmax(serve.first, serve.second) ==
                             std::minmax(ledger_.id_of(choice.first), ledger_.id_of(choice.second));
  if (choice.serving == serve.serving && choice.round == serve.round && same_pair) return choice;
  divergence_ = Error::invalid_data(
                    fmt::format("the policy {} would not have served '{}' against '{}' here, but "
                                "'{}' against '{}'",
                                ledger_.experiment().policy, serve.first, serve.second,
                                ledger_.id_of(choice.first), ledger_.id_of(choice.second)))
                    .with_hint("the log was written by another version of Duel");
  return std::nullopt;
}

Result<Effect> LiveExperiment::take_serve(const LogEntry& entry) {
  const auto& serve = std::get<ServeRecord>(entry.record);
  std::optional<Choice> choice;
  if (chosen_) {
    if (ledger_.id_of(chosen_->first) != serve.first ||
        ledger_.id_of(chosen_->second) != serve.second) {
      return Error::conflict("another duel was chosen to be served now");
    }
    choice = std::exchange(chosen_, std::nullopt);
  } else if (!divergence_) {
    choice = choice_behind(serve);
  }
  if (choice && choice->asked) {
    asked_.emplace(serve.ordinal, Asked{.generation = generation_, .duel = *choice->asked});
  }
  return ledger_.take(entry);
}

// A policy on the arms that are active now, taught what was answered so far. Duels still pending
// were asked by the policy before: their answers come as foreign ones.
void LiveExperiment::begin_anew() {
  ++generation_;
  number_arms();
  divergence_.reset();
  if (ledger_.num_active() < 2) return;
  if (built_ && built_->first == ledger_.num_active()) {
    asker_ = std::move(built_->second);
  } else {
    auto asker = make_asker(ledger_.experiment(), ledger_.num_active());
    DUEL_CHECK(asker.ok());
    asker_ = std::move(*asker);
  }
  built_.reset();
  for (const auto& [told, times] : told_) hear(told, times);
}

Result<Effect> LiveExperiment::apply(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(check(entry.record));
  return take(entry);
}

Result<Effect> LiveExperiment::take(const LogEntry& entry) {
  if (std::holds_alternative<ServeRecord>(entry.record)) return take_serve(entry);
  if (chosen_) return Error::conflict("a duel was chosen and is to be served first");
  if (std::holds_alternative<ArmAddedRecord>(entry.record) ||
      std::holds_alternative<ArmRetiredRecord>(entry.record)) {
    const Effect effect = ledger_.take(entry);
    begin_anew();
    return effect;
  }
  // Of a duel that is settled now, what it was before.
  std::optional<LedgerDuel> duel;
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    if (const LedgerDuel* open = ledger_.find_open(outcome->duel_id)) duel = *open;
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    if (const LedgerDuel* open = ledger_.find_open(expired->duel_id)) duel = *open;
  }
  const Effect effect = ledger_.take(entry);
  if (effect != Effect::applied) return effect;
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    tell(*duel, *ledger_.outcome_of(outcome->answer, duel->first, duel->second));
  } else if (std::holds_alternative<ExpiredRecord>(entry.record)) {
    const bool tie = ledger_.feedback().on_timeout == OnTimeout::tie;
    tell(*duel, tie ? Outcome::tie : Outcome::none);
  } else if (const auto* comparison = std::get_if<ComparisonRecord>(&entry.record)) {
    const Arm first = *ledger_.find_arm(comparison->first);
    const Arm second = *ledger_.find_arm(comparison->second);
    const Outcome said = *ledger_.outcome_of(comparison->answer, first, second);
    if (said != Outcome::none) {
      const bool counts = ledger_.experiment().comparisons_count && comparison->evidence;
      const Told told{first, second, said, counts};
      remember(told);
      if (!divergence_) hear(told, 1);
    }
  } else if (std::holds_alternative<PolicyRebuiltRecord>(entry.record)) {
    begin_anew();
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
  for (const std::uint64_t value :
       {asker_.clock(), asker_.outstanding(), generation_, std::uint64_t{asked_.size()},
        std::uint64_t{told_.size()}, std::uint64_t{divergence_.has_value()}}) {
    hash = mix64(hash ^ value);
  }
  return hash;
}

std::optional<std::string> LiveExperiment::save() const {
  if (chosen_ || divergence_ || ledger_.num_active() < 2) return std::nullopt;
  LiveExperiment& self = const_cast<LiveExperiment&>(*this);  // a writer only reads
  StateWriter writer;
  std::string asker = asker_.save();
  writer(self.ledger_, asker, generation_);
  archive_fields(writer, self.asked_, self.told_);
  return writer.finish();
}

Status LiveExperiment::restore_ledger(std::string_view saved, Ledger& ledger) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  reader(ledger);  // it is the first field
  if (!ledger.restored())
    return Error::invalid_data("the saved ledger does not fit the experiment");
  return Done{};
}

Status LiveExperiment::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  const Error unfit = Error::invalid_data("the saved state does not fit the experiment");
  std::string asker;
  reader(ledger_, asker, generation_);
  archive_fields(reader, asked_, told_);
  if (!reader.complete() || !ledger_.restored() || ledger_.num_active() < 2) return unfit;
  number_arms();
  DUEL_ASSIGN(asker_, make_asker(ledger_.experiment(), ledger_.num_active()));
  return asker_.restore(asker);
}

}  // namespace duel
