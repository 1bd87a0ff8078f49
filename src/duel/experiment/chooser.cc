#include "duel/experiment/chooser.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/call_spec.h"
#include "duel/experiment/features.h"
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

namespace {

// The pair that stands between the leader, or the arms in front, and a certificate.
std::optional<ChosenDuel> choose_contest(const Referee& referee,
                                         const std::function<std::uint64_t(Arm, Arm)>& pending,
                                         Round clock) {
  const auto contest = referee.orders()
                           ? closest_contest(referee.certifier(), *referee.orders(), pending)
                           : closest_contest(referee.certifier(), pending);
  if (!contest) return std::nullopt;
  return ChosenDuel{Serving::contest,
                    {.first = contest->leader, .second = contest->rival, .round = clock}};
}

}  // namespace

std::optional<ChosenDuel> choose_duel(Asker& asker, const Referee& referee,
                                      const std::function<std::uint64_t(Arm, Arm)>& pending,
                                      bool visits) {
  const Asker::Question question = visits ? asker.next_visit() : asker.next();
  if (question.state == Asker::State::ask) return ChosenDuel{Serving::explore, question.duel};
  if (question.state == Asker::State::exploit) return ChosenDuel{Serving::exploit, question.duel};
  return choose_contest(referee, pending, asker.clock());
}

namespace {

// Of a panel the policy only says which arm it would name; the pairs are chosen by the same rule
// with the panel's count (panel_choice.h).
constexpr const char* kPanelPolicy = "certify";

std::vector<const ArmEntry*> active_entries(const Ledger& ledger) {
  std::vector<const ArmEntry*> entries;
  for (const Arm arm : active_arms(ledger)) entries.push_back(&ledger.arms()[arm].entry);
  return entries;
}

// `features`: of so many arms, or null.
PolicyKind::Made policy_of(const ExperimentRecord& experiment, std::size_t num_arms,
                           std::shared_ptr<const FeatureRows> features) {
  // Of a space a learner of points asks, and this policy nothing.
  const bool space = parts_of(experiment).space;
  DUEL_ASSIGN(CallSpec call, parse_call(space ? kPanelPolicy : experiment.policy));
  if (parts_of(experiment).panel) {
    if (call.name == "auto") call = {.name = kPanelPolicy, .arguments = {}};
    if (call.name != kPanelPolicy) {
      return Error::unsupported(
                 fmt::format("the pairs of a panel are not chosen by '{}'", call.name))
          .with_hint(fmt::format("leave the policy out; it is '{}'", kPanelPolicy))
          .in_field("policy");
    }
  }
  return configure_policy(
      call, {.num_arms = num_arms,
             .rounds = experiment.stopping.max_duels,
             // Visitors are to be served well; of judges the winner is to be known soon.
             .aim = parts_of(experiment).pages ? Aim::regret : Aim::certificate,
             .goal = experiment.goal,
             .alpha = experiment.stopping.alpha,
             .shared_causes = experiment.stopping.shared_causes,
             .features = std::move(features)});
}

Result<Asker> asker_of(const ExperimentRecord& experiment,
                       const std::vector<const ArmEntry*>& arms) {
  DUEL_ASSIGN(const auto policy, policy_of(experiment, arms.size(), features_of(arms)));
  return Asker(*policy, experiment.seed);
}

// A pair by lot. REQUIRES: there are two arms.
std::pair<Arm, Arm> drawn_among(const std::vector<Arm>& shown, const Ledger& ledger) {
  RoundRng rng = lots(ledger, "live/pair");
  const std::size_t i = rng.below(shown.size());
  std::size_t j = rng.below(shown.size() - 1);
  if (j >= i) ++j;
  if (ledger.experiment().order == Placement::fixed) return std::minmax(shown[i], shown[j]);
  return {shown[i], shown[j]};
}

}  // namespace

bool exploits_the_winner(const Ledger& ledger) {
  return ledger.certificate() && ledger.certificate()->winner &&
         ledger.arms()[*ledger.certificate()->winner].active &&
         ledger.experiment().service.on_certified == OnCertified::exploit;
}

Result<std::string> canonical_policy(const ExperimentRecord& experiment, std::size_t num_arms) {
  if (parts_of(experiment).space) return canonical_tuner(experiment);
  // Before the policy, which would name an option of its own.
  DUEL_RETURN_IF_ERROR(check_goal(experiment.goal, num_arms));
  DUEL_ASSIGN(const auto policy, policy_of(experiment, num_arms, nullptr));
  return policy->canonical();
}

Result<Chooser> Chooser::make(const Ledger& ledger) {
  DUEL_ASSIGN(Asker asker, asker_of(ledger.experiment(), active_entries(ledger)));
  Chooser chooser(std::move(asker));
  chooser.number_arms(ledger);
  chooser.begin_panel(ledger);
  chooser.begin_contexts(ledger);
  if (ledger.tuned() != nullptr) {
    DUEL_ASSIGN(chooser.points_, PointChoice::make(ledger.experiment(), *ledger.tuned()));
  }
  return chooser;
}

void Chooser::number_arms(const Ledger& ledger) {
  policy_arms_ = active_arms(ledger);
  policy_index_.assign(ledger.num_arms(), static_cast<Arm>(policy_arms_.size()));
  for (Arm k = 0; k < policy_arms_.size(); ++k) policy_index_[policy_arms_[k]] = k;
}

void Chooser::begin_panel(const Ledger& ledger) {
  if (!ledger.parts().panel) return;
  panel_.emplace(ledger.num_arms(),
                 Stream(ledger.experiment().seed, 0, Purpose::choice, "live/panel").at(0));
}

void Chooser::begin_contexts(const Ledger& ledger) {
  if (!ledger.parts().space && !ledger.arms().front().entry.features.empty()) contexts_.emplace();
}

bool Chooser::has_question(const Ledger& ledger, const std::string& subject) const {
  return panel_ &&
         panel_->next(
             *ledger.panel(), subject, [](Arm) { return false; }, lots(ledger, "live/panel"));
}

std::optional<Chooser::Choice> Chooser::decide_for_member(const Ledger& ledger,
                                                          const std::vector<Arm>& excluded,
                                                          const std::string& subject) const {
  const auto next = [&](const std::vector<Arm>& hidden) {
    return panel_->next(
        *ledger.panel(), subject,
        [&](Arm arm) { return std::ranges::find(hidden, arm) != hidden.end(); },
        lots(ledger, "live/panel"));
  };
  const auto pair = next(excluded);
  if (!pair) return std::nullopt;
  Choice choice{.round = asker_.clock()};
  if (!excluded.empty() && next({}) != pair) choice.by = ServedBy::exclude;
  std::tie(choice.first, choice.second) = std::pair(pair->first, pair->second);
  return choice;
}

std::optional<Chooser::Choice> Chooser::decide(const Ledger& ledger,
                                               const std::vector<Arm>& excluded,
                                               const std::string& subject, const Context& context) {
  const ExperimentRecord& experiment = ledger.experiment();
  const std::uint64_t limit = experiment.stopping.max_duels;
  if (ledger.state() != ExperimentState::running || ledger.num_active() < 2 ||
      (limit > 0 && ledger.served() >= limit)) {
    return std::nullopt;
  }
  if (points_) return asked_of_search(ledger);
  const auto cannot_be_shown = [&](Arm arm) {
    return std::find(excluded.begin(), excluded.end(), arm) != excluded.end();
  };
  std::vector<Arm> shown;
  shown.reserve(policy_arms_.size());
  std::ranges::copy_if(policy_arms_, std::back_inserter(shown), std::not_fn(cannot_be_shown));
  if (shown.size() < 2) return std::nullopt;
  Choice choice;
  choice.round = asker_.clock();
  if (exploits_the_winner(ledger)) {
    const Arm winner = *ledger.certificate()->winner;
    if (cannot_be_shown(winner)) return std::nullopt;
    choice.serving = Serving::exploit;
    choice.first = choice.second = winner;
    return choice;
  }
  if (experiment.aa_rate > 0) {
    RoundRng rng = lots(ledger, "live/aa");
    if (rng.bernoulli(experiment.aa_rate)) {
      choice.serving = Serving::aa;
      choice.first = choice.second = shown[rng.below(shown.size())];
      choice.propensity = experiment.aa_rate / static_cast<double>(shown.size());
      return choice;
    }
  }
  const double floor = ledger.guardrails().explore_floor;
  const double of_pair = propensity_of_lot(shown.size());
  const double between_arms = 1 - experiment.aa_rate;
  if (floor > 0 && lots(ledger, "live/floor").bernoulli(floor)) {
    choice.by = ServedBy::floor;
    std::tie(choice.first, choice.second) = drawn_among(shown, ledger);
    // The policy may have chosen the same pair, which it is not asked; of one pair it must have.
    choice.propensity = between_arms * (shown.size() == 2 ? 1 : floor * of_pair);
    return choice;
  }
  if (panel_) {
    auto asked = decide_for_member(ledger, excluded, subject);
    if (!asked) return std::nullopt;
    choice = *asked;
  } else {
    choice = asked_of_policy(ledger, context);
    choice.propensity = between_arms * (1 - floor + floor * of_pair);
  }
  if (cannot_be_shown(choice.first) || cannot_be_shown(choice.second)) {
    if (choice.asked) asker_.answered(*choice.asked, Outcome::none);
    choice = {.by = ServedBy::exclude, .round = choice.round};
    std::tie(choice.first, choice.second) = drawn_among(shown, ledger);
    choice.propensity = between_arms * of_pair;
    return choice;
  }
  bool swap = choice.first > choice.second;
  if (experiment.order != Placement::fixed) swap = lots(ledger, "live/place").coin();
  if (swap) std::swap(choice.first, choice.second);
  return choice;
}

Chooser::Choice Chooser::asked_of_search(const Ledger& ledger) {
  Choice choice;
  choice.points = points_->next(*ledger.tuned());
  choice.round = points_->round();
  // Fixed: of a proof the point in use comes first.
  choice.swapped = ledger.experiment().order == Placement::fixed
                       ? choice.points->proof
                       : lots(ledger, "live/place").coin();
  if (choice.swapped) std::swap(choice.points->first, choice.points->second);
  return choice;
}

namespace {

std::string policies_with_contexts() {
  std::string names;
  for (const std::string& name : policy_names()) {
    if (!(*find_policy(name))->facts.uses_features) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return "contexts are for " + names;
}

}  // namespace

Status Chooser::check_context(const Ledger& ledger, const Context& context) const {
  if (context.empty()) return Done{};
  DUEL_ASSIGN(const CallSpec call, parse_call(ledger.experiment().policy));
  const auto kind = find_policy(call.name);
  if (points_ || panel_ || !kind.ok() || !(*kind)->facts.uses_features) {
    return Error::invalid_argument(fmt::format("the policy '{}' knows no contexts", call.name))
        .with_hint(policies_with_contexts())
        .in_field("context");
  }
  return duel::check_context(ledger.field(), context);
}

// The features of the policy's arms in a context that was checked.
FeatureRows Chooser::rows_of(const Ledger& ledger, const Context& context) const {
  const std::size_t width = context.front().second.size();
  std::vector<double> values(policy_arms_.size() * width);
  for (const auto& [arm_id, features] : context) {
    const Arm arm = policy_index_[*ledger.find_arm(arm_id)];
    if (arm < policy_arms_.size()) std::ranges::copy(features, values.begin() + arm * width);
  }
  return {width, std::move(values)};
}

Chooser::Choice Chooser::asked_of_policy(const Ledger& ledger, const Context& context) {
  const auto pending = [&](Arm i, Arm j) { return ledger.pair(i, j).pending(); };
  // A policy hears mostly of the program, and one with a reversed sign would keep it on the wrong
  // arm. So every other duel goes by the evidence about people.
  const bool by_evidence = ledger.parts().audited && lots(ledger, "live/audit").coin();
  // A context is that of one duel: then the arms are again what they always are, so that what the
  // policy recommends does not depend on who came last.
  if (!context.empty()) asker_.see(rows_of(ledger, context));
  const auto chosen = by_evidence
                          ? choose_contest(ledger.referee(), pending, asker_.clock())
                          : choose_duel(asker_, ledger.referee(), pending, ledger.parts().pages);
  if (!context.empty()) asker_.see({});
  DUEL_CHECK(chosen.has_value());  // at least two arms are active
  Choice choice{.serving = chosen->serving, .round = chosen->duel.round};
  const bool of_policy = chosen->serving != Serving::contest;
  choice.first = of_policy ? policy_arms_[chosen->duel.first] : chosen->duel.first;
  choice.second = of_policy ? policy_arms_[chosen->duel.second] : chosen->duel.second;
  if (chosen->serving == Serving::explore) choice.asked = chosen->duel;
  return choice;
}

std::optional<ServeRecord> Chooser::choose(const Ledger& ledger, const std::string& duel_id,
                                           const std::vector<Arm>& excluded,
                                           const std::string& subject, const Context& context) {
  DUEL_CHECK(!chosen_ && !divergence_);
  chosen_ = decide(ledger, excluded, subject, context);
  if (!chosen_) return std::nullopt;
  ServeRecord serve;
  serve.duel_id = duel_id.empty() ? fmt::format("d{}", ledger.served() + 1) : duel_id;
  serve.ordinal = ledger.served();
  serve.round = chosen_->round;
  if (chosen_->points) {
    const TunedSpace& tuned = *ledger.tuned();
    const auto& [pair, first, second, proof] = *chosen_->points;
    const auto [one, two] = tuned.ordinals_of(first, second);
    serve.first = TunedPoint::id_of(one);
    serve.second = TunedPoint::id_of(two);
    serve.first_point = tuned.space()->payload(first);
    serve.second_point = tuned.space()->payload(second);
    serve.evidence = proof;
  } else {
    serve.first = ledger.id_of(chosen_->first);
    serve.second = ledger.id_of(chosen_->second);
  }
  serve.serving = chosen_->serving;
  serve.by = chosen_->by;
  serve.propensity = chosen_->propensity;
  serve.subject = subject;
  serve.context = context;
  return serve;
}

void Chooser::undo_choice(Undo undo) {
  asker_ = std::move(undo.asker);
  chosen_.reset();
}

void Chooser::hear(const Told& told, std::uint64_t times) {
  const Arm i = policy_index_[told.first], j = policy_index_[told.second];
  if (std::max(i, j) >= policy_arms_.size()) return;
  for (; times > 0; --times) asker_.heard(i, j, told.outcome, !told.evidence);
}

// The other arms' features do not matter to what is heard of these two.
void Chooser::hear(const ToldInContext& one) {
  const std::size_t width = one.seen.first.size();
  const Arm i = policy_index_[one.told.first], j = policy_index_[one.told.second];
  if (std::max(i, j) >= policy_arms_.size()) return;
  std::vector<double> values(policy_arms_.size() * width);
  std::ranges::copy(one.seen.first, values.begin() + i * width);
  std::ranges::copy(one.seen.second, values.begin() + j * width);
  asker_.see({width, std::move(values)});
  hear(one.told, 1);
  asker_.see({});
}

void Chooser::tell(const Ledger& ledger, const LedgerDuel& duel, Outcome outcome) {
  if (points_) return points_->tell(duel.ordinal, outcome);
  if (panel_) panel_->heard(ledger.panel()->count(), duel.first, duel.second);
  const Told told{duel.first, duel.second, outcome, duel.evidence};
  const std::optional<ToldInContext> in_context = told_in_context(duel.ordinal, told);
  if (outcome != Outcome::none) {
    in_context ? contexts_->told.push_back(*in_context) : remember(told);
  }
  const auto found = asked_.find(duel.ordinal);
  const bool knows = found != asked_.end() && found->second.generation == generation_;
  if (knows && !divergence_) {
    Duel answered = found->second.duel;
    const bool as_shown = policy_arms_[answered.first] == duel.first;
    answered.hearsay = !duel.evidence;
    asker_.answered(answered, as_shown ? outcome : mirrored(outcome));
  } else if (outcome != Outcome::none && !divergence_) {
    in_context ? hear(*in_context) : hear(told, 1);
  }
  if (found != asked_.end()) asked_.erase(found);
}

std::optional<Chooser::ToldInContext> Chooser::told_in_context(std::uint64_t ordinal,
                                                               const Told& told) {
  if (!contexts_) return std::nullopt;
  const auto seen = contexts_->pending.extract(ordinal);
  if (seen.empty()) return std::nullopt;
  return ToldInContext{told, seen.mapped()};
}

void Chooser::remember(Told told) {
  if (told.first > told.second) {
    std::swap(told.first, told.second);
    told.outcome = mirrored(told.outcome);
  }
  ++told_[told];
}

Status Chooser::check(const Ledger& ledger, const Record& record) const {
  std::size_t arms = ledger.num_active();
  if (std::holds_alternative<ArmAddedRecord>(record)) ++arms;
  if (std::holds_alternative<ArmRetiredRecord>(record)) --arms;
  if (arms == ledger.num_active() || arms < 2) return Done{};
  std::vector<const ArmEntry*> entries = active_entries(ledger);
  if (const auto* added = std::get_if<ArmAddedRecord>(&record)) entries.push_back(&added->arm);
  if (const auto* retired = std::get_if<ArmRetiredRecord>(&record)) {
    std::erase_if(entries, [&](const ArmEntry* arm) { return arm->id == retired->arm_id; });
  }
  DUEL_ASSIGN(Asker asker, asker_of(ledger.experiment(), entries));
  built_.emplace(arms, std::move(asker));
  return Done{};
}

std::optional<Chooser::Choice> Chooser::choice_behind(const Ledger& ledger,
                                                      const ServeRecord& serve) {
  Choice nobody;  // who has to hear the answer
  if (serve.serving == Serving::aa || serve.by == ServedBy::floor ||
      serve.by == ServedBy::recovered ||
      (serve.serving == Serving::exploit && exploits_the_winner(ledger))) {
    return nobody;
  }
  const auto same_pair_as = [&](const Choice& choice) {
    return std::minmax(serve.first, serve.second) ==
           std::minmax(ledger.id_of(choice.first), ledger.id_of(choice.second));
  };
  if (panel_) {
    if (serve.by == ServedBy::exclude || !serve.evidence) return nobody;
    const auto asked = decide_for_member(ledger, {}, serve.subject);
    if (asked && same_pair_as(*asked)) return nobody;
    divergence_ = Error::invalid_data(
                      fmt::format("the member would not have been asked about '{}' and '{}' here",
                                  serve.first, serve.second))
                      .with_hint("the log was written by another version of Duel");
    return std::nullopt;
  }
  if (points_) {
    Choice choice = asked_of_search(ledger);
    const TunedSpace& tuned = *ledger.tuned();
    const auto is_shown = [&](const std::vector<double>& values, const Json& point) {
      return tuned.space()->values_of(point).value() == values;
    };
    if (choice.round == serve.round && is_shown(choice.points->first, serve.first_point) &&
        is_shown(choice.points->second, serve.second_point)) {
      return choice;
    }
    divergence_ = Error::invalid_data(
                      fmt::format("the learner {} would not have served '{}' against '{}' here",
                                  ledger.experiment().policy, serve.first, serve.second))
                      .with_hint("the log was written by another version of Duel");
    return std::nullopt;
  }
  Choice choice = asked_of_policy(ledger, serve.context);
  if (serve.by == ServedBy::exclude) {
    if (choice.asked) asker_.answered(*choice.asked, Outcome::none);
    return nobody;
  }
  // In a contest only that the policy had nothing to ask is its own.
  const bool same_pair = serve.serving == Serving::contest || same_pair_as(choice);
  if (choice.serving == serve.serving && choice.round == serve.round && same_pair) return choice;
  divergence_ = Error::invalid_data(
                    fmt::format("the policy {} would not have served '{}' against '{}' here, but "
                                "'{}' against '{}'",
                                ledger.experiment().policy, serve.first, serve.second,
                                ledger.id_of(choice.first), ledger.id_of(choice.second)))
                    .with_hint("the log was written by another version of Duel");
  return std::nullopt;
}

Status Chooser::served(const Ledger& ledger, const ServeRecord& serve) {
  std::optional<Choice> choice;
  if (chosen_) {
    const bool same = chosen_->points
                          ? chosen_->round == serve.round && !serve.first_point.is_null()
                          : ledger.id_of(chosen_->first) == serve.first &&
                                ledger.id_of(chosen_->second) == serve.second;
    if (!same) {
      return Error::conflict("another duel was chosen to be served now");
    }
    choice = std::exchange(chosen_, std::nullopt);
  } else if (!divergence_) {
    choice = choice_behind(ledger, serve);
  }
  if (points_ && choice) {
    points_->served(serve.ordinal, std::move(choice->points->pair), choice->swapped);
  } else if (points_) {
    points_->served_by_others(serve);
  }
  if (choice && choice->asked) {
    asked_.emplace(serve.ordinal, Asked{.generation = generation_, .duel = *choice->asked});
  }
  note_context(serve);
  return Done{};
}

// A duel of one arm alone teaches nobody anything.
void Chooser::note_context(const ServeRecord& serve) {
  if (!contexts_ || serve.context.empty() || serve.first == serve.second) return;
  SeenPair seen;
  for (const auto& [arm_id, features] : serve.context) {
    if (arm_id == serve.first) seen.first = features;
    if (arm_id == serve.second) seen.second = features;
  }
  contexts_->pending.emplace(serve.ordinal, std::move(seen));
}

// Duels still pending were asked by the policy before: their answers come as foreign ones.
void Chooser::begin_again(const Ledger& ledger) {
  ++generation_;
  number_arms(ledger);
  begin_panel(ledger);
  divergence_.reset();
  if (points_) return points_->begin_again(*ledger.tuned(), ledger.served());
  if (ledger.num_active() < 2) return;
  if (built_ && built_->first == ledger.num_active()) {
    asker_ = std::move(built_->second);
  } else {
    auto asker = asker_of(ledger.experiment(), active_entries(ledger));
    DUEL_CHECK(asker.ok());
    asker_ = std::move(*asker);
  }
  built_.reset();
  for (const auto& [told, times] : told_) hear(told, times);
  if (!contexts_) return;
  for (const ToldInContext& one : contexts_->told) hear(one);
}

void Chooser::before(const Ledger& ledger, const Record& record) {
  if (!points_ || divergence_) return;
  if (Status status = points_->check(*ledger.tuned(), record); !status.ok()) {
    divergence_ = status.error();
  }
}

Arm Chooser::leader() const {
  if (policy_arms_.size() == 1) return policy_arms_.front();
  return policy_arms_.empty() ? 0 : policy_arms_[asker_.recommend()];
}

std::uint64_t Chooser::hash(std::uint64_t hash) const {
  for (const std::uint64_t value :
       {asker_.clock(), asker_.outstanding(), generation_, std::uint64_t{asked_.size()},
        std::uint64_t{told_.size()}, std::uint64_t{divergence_.has_value()}}) {
    hash = mix64(hash ^ value);
  }
  if (contexts_) hash = mix64(hash ^ contexts_->told.size());
  if (points_) return mix64(mix64(hash ^ points_->heard()) ^ points_->round());
  return panel_ ? panel_->hash(hash) : hash;
}

void Chooser::save(StateWriter& writer) const {
  writer(asker_.save(), generation_);
  archive_fields(writer, asked_, told_);
  if (contexts_) writer(*contexts_);
  if (panel_) writer(*panel_);
}

// A state of another version could hold rows of any length.
bool Chooser::Contexts::restored(std::size_t width) const {
  const auto fits = [&](const SeenPair& seen) {
    return seen.first.size() == width && seen.second.size() == width;
  };
  return std::ranges::all_of(pending, [&](const auto& one) { return fits(one.second); }) &&
         std::ranges::all_of(told, [&](const auto& one) { return fits(one.seen); });
}

Status Chooser::restore(StateReader& reader, const Ledger& ledger) {
  std::string asker;
  reader(asker, generation_);
  archive_fields(reader, asked_, told_);
  if (contexts_) reader(*contexts_);
  begin_panel(ledger);
  if (panel_) reader(*panel_);
  if (panel_ && !panel_->restored(ledger.num_arms())) {
    return Error::invalid_data("the saved panel does not fit the experiment");
  }
  if (contexts_ && !contexts_->restored(ledger.arms().front().entry.features.size())) {
    return Error::invalid_data("the saved contexts do not fit the experiment");
  }
  if (!reader.complete() || ledger.num_active() < 2) {
    return Error::invalid_data("the saved state does not fit the experiment");
  }
  number_arms(ledger);
  DUEL_ASSIGN(asker_, asker_of(ledger.experiment(), active_entries(ledger)));
  return asker_.restore(asker);
}

}  // namespace duel
