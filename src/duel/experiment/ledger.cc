#include "duel/experiment/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

// Counts an answer that says `outcome` of (first, second).
void count_answer(ShownCounts& counts, Answered result, Outcome outcome) {
  switch (result) {
    case Answered::win:
      ++(outcome == Outcome::first_wins ? counts.first_wins : counts.second_wins);
      return;
    case Answered::tie:
      ++counts.ties;
      return;
    case Answered::both_bad:
      ++counts.both_bad;
      return;
    case Answered::skip:
      ++counts.skips;
      return;
    case Answered::invalid:
      ++counts.invalid;
      return;
  }
}

// A table of num_arms x num_arms for one arm more.
void grow(std::vector<ShownCounts>& table, std::size_t num_arms) {
  std::vector<ShownCounts> larger((num_arms + 1) * (num_arms + 1));
  for (std::size_t i = 0; i < num_arms; ++i) {
    for (std::size_t j = 0; j < num_arms; ++j) {
      larger[i * (num_arms + 1) + j] = table[i * num_arms + j];
    }
  }
  table = std::move(larger);
}

// Settled duels in memory, for logs that one program reads or writes.
class KeptDuels final : public SettledDuels {
 public:
  void add(std::string_view duel_id, const LedgerDuel& duel) override {
    duels_.emplace(duel_id, duel);
  }
  Result<std::optional<LedgerDuel>> find(std::string_view duel_id,
                                         std::uint64_t /*before*/) const override {
    const auto found = duels_.find(duel_id);
    if (found == duels_.end()) return std::optional<LedgerDuel>();
    return std::optional(found->second);
  }

 private:
  TextMap<LedgerDuel> duels_;
};

}  // namespace

ShownCounts& ShownCounts::operator+=(const ShownCounts& other) {
  served += other.served;
  first_wins += other.first_wins;
  second_wins += other.second_wins;
  ties += other.ties;
  both_bad += other.both_bad;
  skips += other.skips;
  invalid += other.invalid;
  expired += other.expired;
  failed_tries += other.failed_tries;
  moot += other.moot;
  return *this;
}

ShownCounts mirrored(const ShownCounts& counts) {
  ShownCounts other = counts;
  std::swap(other.first_wins, other.second_wins);
  return other;
}

Result<Referee> Ledger::referee_of(const ExperimentRecord& experiment, std::size_t num_arms) {
  DUEL_ASSIGN(Referee referee,
              experiment.one_look_after > 0
                  ? Referee::of_one_look(num_arms, experiment.goal, experiment.stopping)
                  : Referee::make(num_arms, experiment.goal, experiment.stopping));
  if (experiment.format == 1) referee.settle_the_lowest_only();
  return referee;
}

Result<Ledger> Ledger::make(const ExperimentRecord& experiment,
                            std::unique_ptr<SettledDuels> settled) {
  DUEL_RETURN_IF_ERROR(check_id("an experiment", experiment.experiment_id));
  if (experiment.arms.size() < 2) {
    return Error::invalid_argument(
        fmt::format("{} cannot be compared", counted(experiment.arms.size(), "arm")), "arms",
        "at least two are needed");
  }
  for (const ArmEntry& arm : experiment.arms) {
    DUEL_RETURN_IF_ERROR(check_id("an arm", arm.id));
    const auto same = [&](const ArmEntry& other) { return other.id == arm.id; };
    if (std::count_if(experiment.arms.begin(), experiment.arms.end(), same) > 1) {
      return Error::invalid_argument(fmt::format("two arms have the id '{}'", arm.id), "arms");
    }
  }
  if (!(experiment.aa_rate >= 0 && experiment.aa_rate <= 0.5)) {
    return Error::invalid_argument(fmt::format("{} is out of range", experiment.aa_rate), "aa_rate",
                                   "0 .. 0.5");
  }
  if (experiment.tasks.like_these() && !experiment.stopping.shared_causes) {
    return Error::invalid_argument("a task may reach several pairs")
        .with_hint("true, where a certificate is about tasks like these")
        .in_field("stopping.shared_causes");
  }
  if (experiment.stopping.shared_causes && !experiment.stopping.arms_fixed) {
    return Error::unsupported("where pairs share causes the set of arms is fixed")
        .in_field("stopping.arms_fixed");
  }
  const bool one_look = experiment.one_look_after > 0;
  if (one_look && (!experiment.comparisons_count || !experiment.stopping.arms_fixed)) {
    return Error::invalid_argument("one look is for comparisons that count, of a fixed set of arms")
        .in_field("one_look_after");
  }
  DUEL_ASSIGN(Referee referee, referee_of(experiment, experiment.arms.size()));
  const ServiceRule& service = experiment.service;
  if (service.starts != ExperimentState::draft && service.starts != ExperimentState::running) {
    return Error::invalid_argument(
               fmt::format("an experiment does not start as '{}'", to_word(service.starts)))
        .in_field("service.starts")
        .with_hint("draft or running");
  }
  if (!settled) settled = std::make_unique<KeptDuels>();
  return Ledger(experiment, std::move(referee), std::move(settled));
}

Ledger::Ledger(const ExperimentRecord& experiment, Referee referee,
               std::unique_ptr<SettledDuels> settled)
    : experiment_(experiment),
      tasks_(experiment.tasks),
      settled_(std::move(settled)),
      referee_(std::move(referee)),
      state_(experiment.service.starts),
      name_(experiment.service.name),
      feedback_(experiment.service.feedback),
      guardrails_(experiment.service.guardrails) {
  number_arms();
}

void Ledger::number_arms() {
  arms_.clear();
  arm_index_.clear();
  for (const ArmEntry& arm : experiment_.arms) join(arm);
  num_active_ = arms_.size();
  shown_.assign(arms_.size() * arms_.size(), {});
  compared_ = shown_;
}

void Ledger::put_together(std::vector<ArmEntry> arms) {
  put_together_anew_ = true;
  experiment_.arms = std::move(arms);
  auto referee = referee_of(experiment_, experiment_.arms.size());
  DUEL_CHECK(referee.ok());
  referee_ = std::move(*referee);
  number_arms();
}

void Ledger::join(const ArmEntry& arm) {
  arm_index_.emplace(arm.id, static_cast<Arm>(arms_.size()));
  std::string name = printable_line(original_name(arm));
  for (LedgerArm& other : arms_) {
    const bool same_payload = !arm.payload.empty() && other.entry.payload == arm.payload;
    if (other.name != name && !same_payload) continue;
    other.name = other.entry.id;
    name = arm.id;
  }
  arms_.push_back({.entry = arm, .active = true, .name = std::move(name)});
}

std::optional<Arm> Ledger::find_arm(std::string_view id) const {
  const auto found = arm_index_.find(id);
  if (found == arm_index_.end()) return std::nullopt;
  return found->second;
}

const ArmEntry* Ledger::find_withdrawn(std::string_view id) const {
  const auto found = std::ranges::find(withdrawn_, id, &ArmEntry::id);
  return found == withdrawn_.end() ? nullptr : &*found;
}

const LedgerDuel* Ledger::find_open(std::string_view duel_id) const {
  const auto found = open_.find(duel_id);
  return found == open_.end() ? nullptr : &found->second;
}

Result<std::optional<LedgerDuel>> Ledger::find_duel(std::string_view duel_id) const {
  if (const LedgerDuel* open = find_open(duel_id)) return std::optional(*open);
  return settled_->find(duel_id, sequence_ + 1);
}

std::vector<std::string> Ledger::overdue(std::int64_t time_ms) const {
  std::vector<std::string> ids;
  for (const auto& [deadline, ordinal] : deadlines_) {
    if (deadline >= time_ms) break;
    ids.push_back(pending_.at(ordinal));
  }
  return ids;
}

std::optional<std::int64_t> Ledger::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

std::vector<std::string> Ledger::pending() const {
  std::vector<std::string> ids;
  ids.reserve(pending_.size());
  for (const auto& [ordinal, id] : pending_) ids.push_back(id);
  return ids;
}

bool Ledger::has_met(Arm i, Arm j, std::string_view task) const {
  const auto found = met_.find(std::minmax(i, j));
  return found != met_.end() && found->second.find(task) != found->second.end();
}

std::uint64_t Ledger::fresh_tasks(Arm i, Arm j) const {
  const auto found = met_.find(std::minmax(i, j));
  const std::uint64_t met = found == met_.end() ? 0 : found->second.size();
  return tasks_.count - std::min(tasks_.count, met);
}

ShownCounts Ledger::pair(Arm i, Arm j) const {
  ShownCounts counts = shown(i, j);
  counts += mirrored(shown(j, i));
  return counts;
}

ShownCounts Ledger::total() const {
  ShownCounts sum;
  for (const ShownCounts& counts : shown_) sum += counts;
  return sum;
}

CertifiedRecord Ledger::certified_record() const {
  DUEL_CHECK(certificate_.has_value());
  CertifiedRecord record{.kind = certificate_->kind,
                         .winner = certificate_->winner ? id_of(*certificate_->winner) : "",
                         .at = certificate_->sequence};
  for (const Arm arm : certificate_->arms) record.arms.push_back({id_of(arm)});
  return record;
}

Result<Effect> Ledger::apply(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(check(entry.record));
  return take(entry);
}

Effect Ledger::take(const LogEntry& entry) {
  DUEL_CHECK(entry.sequence == sequence_ + 1);
  const Effect effect = std::visit([&](const auto& kind) { return take(kind); }, entry.record);
  sequence_ = entry.sequence;
  head_ = entry.hash;
  look_for_certificate(entry);
  return effect;
}

// The duel's fate is settled; what that says goes to the evidence when its turn comes.
void Ledger::finish(std::string_view duel_id, LedgerDuel duel, Outcome outcome) {
  pending_.erase(duel.ordinal);
  if (duel.expires_at.ms != 0) deadlines_.erase({duel.expires_at.ms, duel.ordinal});
  open_.erase(open_.find(duel_id));
  if (duel.evidence) referee_.answered(duel.place_in_order, outcome);
  for (const std::uint64_t value :
       {duel.ordinal, duel.round, static_cast<std::uint64_t>(duel.first) << 32 | duel.second,
        static_cast<std::uint64_t>(duel.evidence) << 24 |
            static_cast<std::uint64_t>(duel.serving) << 16 |
            static_cast<std::uint64_t>(duel.fate) << 8 |
            static_cast<std::uint64_t>(duel.outcome)}) {
    settled_hash_ = mix64(settled_hash_ ^ value);
  }
  settled_->add(duel_id, duel);
}

void Ledger::count_judge(const OutcomeRecord& record, const LedgerDuel& duel, Outcome outcome) {
  if (record.source.type != "judge" || duel.serving == Serving::aa) return;
  auto& [low, high] = judges_[record.source.id][std::minmax(duel.first, duel.second)];
  const bool in_order = duel.first < duel.second;
  if (outcome == Outcome::first_wins) ++(in_order ? low : high);
  if (outcome == Outcome::second_wins) ++(in_order ? high : low);
}

void Ledger::look_for_certificate(const LogEntry& entry) {
  if (certificate_) return;
  if (const auto decision = referee_.decision()) {
    certificate_ = GivenCertificate{*decision, entry.sequence, entry.hash};
  }
}

Effect Ledger::take(const ExperimentRecord& /*record*/) {
  DUEL_CHECK(false);
  return Effect::applied;
}

Effect Ledger::take(const ServeRecord& record) {
  const Arm first = arm_index_.find(record.first)->second;
  const Arm second = arm_index_.find(record.second)->second;
  LedgerDuel duel{.ordinal = served_,
                  .expires_at = record.expires_at,
                  .round = record.round,
                  .first = first,
                  .second = second,
                  .serving = record.serving,
                  .evidence = record.evidence && first != second};
  if (record.by == ServedBy::exclude) ++excluded_;
  if (record.serving == Serving::exploit) {  // nobody is asked
    ++served_;
    ++exploited_;
    return Effect::applied;
  }
  ++(record.serving == Serving::aa ? aa_ : shown_[first * arms_.size() + second]).served;
  if (duel.evidence) {
    duel.place_in_order = referee_.served(first, second);
    if (tasks_.like_these()) {
      auto& met = met_[std::minmax(first, second)];
      met.insert(record.task);
      if (met.size() == tasks_.count) ++pairs_without_fresh_tasks_;
    }
  }
  open_.emplace(record.duel_id, duel);
  if (duel.expires_at.ms != 0) deadlines_.emplace(duel.expires_at.ms, served_);
  pending_.emplace_hint(pending_.end(), served_, record.duel_id);
  ++served_;
  return Effect::applied;
}

Effect Ledger::take(const OutcomeRecord& record) {
  LedgerDuel duel = **find_duel(record.duel_id);
  const Outcome outcome = *outcome_of(record.answer, duel.first, duel.second);
  if (duel.fate == Fate::expired) {
    ++late_;
    return Effect::late;
  }
  if (duel.fate == Fate::answered) {
    if (duel.result == record.answer.result && duel.outcome == outcome) {
      ++duplicates_;
      return Effect::duplicate;
    }
    ++conflicts_;
    return Effect::conflicting;
  }
  duel.fate = Fate::answered;
  duel.result = record.answer.result;
  duel.outcome = outcome;
  const bool aa = duel.serving == Serving::aa;
  ShownCounts& counts = counts_of(duel);
  count_answer(counts, duel.result, outcome);
  const bool invalid = duel.result == Answered::invalid;
  counts.failed_tries += record.failed_tries - (invalid && record.failed_tries > 0 ? 1 : 0);
  count_judge(record, duel, outcome);
  if (record.source != Source{}) {
    std::string who = record.source.type;
    who += ':';
    who += record.source.id;
    ++by_source_[std::move(who)];
  }
  if (record.judgements.size() == 2 && !aa) {
    ++flips_.judged;
    const auto place_won = [](const Judgement& judgement) {
      if (judgement.answer.result != Answered::win) return 0;
      return judgement.answer.winner == judgement.first ? 1 : 2;
    };
    const int once = place_won(record.judgements[0]), again = place_won(record.judgements[1]);
    if (once == again && once == 1) ++flips_.to_first;
    if (once == again && once == 2) ++flips_.to_second;
  }
  finish(record.duel_id, duel, outcome);
  return Effect::applied;
}

Effect Ledger::take(const ExpiredRecord& record) {
  LedgerDuel duel = *find_open(record.duel_id);
  duel.fate = Fate::expired;
  ShownCounts& counts = counts_of(duel);
  ++counts.expired;
  if (certificate_ && experiment_.format > 1) ++counts.moot;
  // The last try that failed is the loss itself.
  counts.failed_tries += record.failed_tries - std::min<std::uint64_t>(record.failed_tries, 1);
  finish(record.duel_id, duel, Outcome::none);
  return Effect::applied;
}

Effect Ledger::take(const ArmAddedRecord& record) {
  configured_at_ = sequence_ + 1;
  if (experiment_.stopping.arms_fixed) {
    std::vector<ArmEntry> arms = experiment_.arms;
    arms.push_back(record.arm);
    put_together(std::move(arms));
    return Effect::applied;
  }
  referee_.add_arm();
  grow(shown_, arms_.size());
  grow(compared_, arms_.size());
  join(record.arm);
  ++num_active_;
  return Effect::applied;
}

Effect Ledger::take(const ArmRetiredRecord& record) {
  const Arm arm = arm_index_.find(record.arm_id)->second;
  configured_at_ = sequence_ + 1;
  if (experiment_.stopping.arms_fixed) {
    std::vector<ArmEntry> arms = experiment_.arms;
    withdrawn_.push_back(arms[arm]);
    arms.erase(arms.begin() + arm);
    put_together(std::move(arms));
    return Effect::applied;
  }
  arms_[arm].active = false;
  --num_active_;
  referee_.retire(arm);
  return Effect::applied;
}

Effect Ledger::take(const ComparisonRecord& record) {
  const Arm first = arm_index_.find(record.first)->second;
  const Arm second = arm_index_.find(record.second)->second;
  const Outcome outcome = *outcome_of(record.answer, first, second);
  ShownCounts& counts = compared_[first * arms_.size() + second];
  ++counts.served;
  count_answer(counts, record.answer.result, outcome);
  ++comparisons_;
  if (record.source != Source{}) ++by_source_[record.source.type + ":" + record.source.id];
  if (experiment_.comparisons_count) {
    ShownCounts& shown = shown_[first * arms_.size() + second];
    ++shown.served;
    count_answer(shown, record.answer.result, outcome);
    if (record.evidence) referee_.answered(referee_.served(first, second), outcome);
    if (comparisons_ == experiment_.one_look_after) referee_.look();
  }
  return Effect::applied;
}

Effect Ledger::take(const CertifiedRecord& /*record*/) {
  certificate_recorded_ = true;
  return Effect::applied;
}

Effect Ledger::take(const TasksAddedRecord& record) {
  tasks_.count = record.count;
  tasks_.sha256 = record.sha256;
  pairs_without_fresh_tasks_ = 0;  // there are more tasks than any pair can have met
  return Effect::applied;
}

Effect Ledger::take(const CompletedRecord& /*record*/) {
  state_ = ExperimentState::completed;
  configured_at_ = sequence_ + 1;
  return Effect::applied;
}

Effect Ledger::take(const StateRecord& record) {
  state_ = record.state;
  configured_at_ = sequence_ + 1;
  return Effect::applied;
}

Effect Ledger::take(const ConfiguredRecord& record) {
  name_ = record.name;
  feedback_ = record.feedback;
  guardrails_ = record.guardrails;
  configured_at_ = sequence_ + 1;
  return Effect::applied;
}

Effect Ledger::take(const PolicyRebuiltRecord& /*record*/) { return Effect::applied; }

// Whoever reads the log knows of this record beforehand and takes the serves before it for what
// they are (experiment_log.h).
Effect Ledger::take(const RecoveredRecord& /*record*/) { return Effect::applied; }

Effect Ledger::take(const InterleavedRecord& /*record*/) { return Effect::applied; }

Effect Ledger::take(const PagedRecord& /*record*/) { return Effect::applied; }

Effect Ledger::take(const EventRecord& /*record*/) { return Effect::applied; }

std::uint64_t Ledger::state_hash() const {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t value) { hash = mix64(hash ^ value); };
  const auto add_counts = [&](const ShownCounts& counts) {
    for (const std::uint64_t value :
         {counts.served, counts.first_wins, counts.second_wins, counts.ties, counts.both_bad,
          counts.skips, counts.invalid, counts.expired, counts.failed_tries, counts.moot}) {
      add(value);
    }
  };
  add(arms_.size());
  for (const LedgerArm& arm : arms_) {
    add(hash_text(arm.entry.id));
    add(arm.active ? 1 : 0);
  }
  for (const ShownCounts& counts : shown_) add_counts(counts);
  for (const ShownCounts& counts : compared_) add_counts(counts);
  add_counts(aa_);
  const ServingOrder& order = referee_.order();
  for (const std::uint64_t value : {tasks_.count,
                                    flips_.judged,
                                    flips_.to_first,
                                    flips_.to_second,
                                    served_,
                                    comparisons_,
                                    duplicates_,
                                    conflicts_,
                                    late_,
                                    order.released() + order.waiting(),
                                    order.released(),
                                    order.waiting(),
                                    certifier().decisive(),
                                    sequence_,
                                    static_cast<std::uint64_t>(state_),
                                    configured_at_,
                                    exploited_,
                                    settled_hash_,
                                    std::uint64_t{certificate_.has_value()},
                                    certificate_ ? certificate_->sequence : 0}) {
    add(value);
  }
  for (Arm i = 0; i < arms_.size(); ++i) {
    for (Arm j = 0; j < arms_.size(); ++j) {
      if (i != j) add(certifier().wins(i, j));
    }
  }
  for (const auto& [ordinal, id] : pending_) {
    add(ordinal);
    add(hash_text(id));
  }
  for (const ArmEntry& arm : withdrawn_) add(hash_text(arm.id));
  return hash;
}

namespace {

// An arm that the first record does not have.
struct JoinedArm {
  std::string id;
  std::string payload;
  std::string sha256;
  std::string content;  // as JSON; empty where there is none
  template <class Archive>
  void fields(Archive& archive) {
    archive(id, payload, sha256, content);
  }
};

JoinedArm joined_arm(const ArmEntry& arm) {
  return {arm.id, arm.payload, arm.sha256, arm.content.is_null() ? "" : arm.content.dump()};
}

ArmEntry arm_entry(const JoinedArm& arm) {
  std::optional<Json> content;
  if (!arm.content.empty()) content = Json::parse(arm.content);
  return {arm.id, arm.payload, arm.sha256, content.value_or(Json())};
}

template <class Archive>
void archive_entries(Archive& archive, std::vector<ArmEntry>& entries) {
  std::vector<JoinedArm> arms;
  if constexpr (!kReadsState<Archive>) {
    for (const ArmEntry& entry : entries) arms.push_back(joined_arm(entry));
  }
  archive(arms);
  if constexpr (kReadsState<Archive>) {
    entries.clear();
    for (const JoinedArm& arm : arms) entries.push_back(arm_entry(arm));
  }
}

struct OpenDuel {
  std::string id;
  LedgerDuel duel;
  template <class Archive>
  void fields(Archive& archive) {
    archive(id, duel.ordinal, duel.expires_at.ms, duel.round, duel.first, duel.second, duel.serving,
            duel.evidence, duel.place_in_order);
  }
};

}  // namespace

template <class Archive>
void Ledger::archive_arms(Archive& archive) {
  std::uint8_t anew = put_together_anew_ ? 1 : 0;
  archive(anew);
  archive_entries(archive, withdrawn_);
  if (anew != 0) {
    std::vector<ArmEntry> arms = experiment_.arms;
    archive_entries(archive, arms);
    if constexpr (kReadsState<Archive>) {
      if (!check_set_of(arms.size(), "").ok()) return;  // what follows does not fit, then
      put_together(std::move(arms));
    }
  }
  std::vector<ArmEntry> joined;
  std::vector<bool> active;
  if constexpr (!kReadsState<Archive>) {
    for (std::size_t k = experiment_.arms.size(); k < arms_.size(); ++k) {
      joined.push_back(arms_[k].entry);
    }
    for (const LedgerArm& arm : arms_) active.push_back(arm.active);
  }
  archive_entries(archive, joined);
  archive(active);
  if constexpr (kReadsState<Archive>) {
    for (const ArmEntry& arm : joined) join(arm);
    num_active_ = 0;
    active.resize(arms_.size());
    for (std::size_t k = 0; k < arms_.size(); ++k) {
      arms_[k].active = active[k];
      num_active_ += active[k] ? 1 : 0;
    }
  }
}

template <class Archive>
void Ledger::archive_open_duels(Archive& archive) {
  std::vector<OpenDuel> duels;
  if constexpr (!kReadsState<Archive>) {
    duels.reserve(pending_.size());
    for (const auto& [ordinal, id] : pending_) duels.push_back({id, open_.find(id)->second});
  }
  archive(duels);
  if constexpr (kReadsState<Archive>) {
    for (const OpenDuel& one : duels) {
      open_.emplace(one.id, one.duel);
      pending_.emplace(one.duel.ordinal, one.id);
      if (one.duel.expires_at.ms != 0) {
        deadlines_.emplace(one.duel.expires_at.ms, one.duel.ordinal);
      }
    }
  }
}

template <class Archive>
void Ledger::fields(Archive& archive) {
  archive_arms(archive);
  archive_open_duels(archive);
  archive(tasks_.count, tasks_.sha256, shown_, compared_, aa_);
  archive(flips_.judged, flips_.to_first, flips_.to_second);
  archive_fields(archive, by_source_, judges_, met_);
  archive(settled_hash_, served_, comparisons_, duplicates_, conflicts_, late_, excluded_,
          referee_);
  std::uint8_t certified = certificate_ ? 1 : 0;
  archive(certified);
  if (certified != 0) {
    if (!certificate_) certificate_.emplace();
    archive_fields(archive, certificate_->kind, certificate_->winner, certificate_->arms,
                   certificate_->sequence, certificate_->head);
  }
  archive(state_, name_, feedback_.timeout_s, feedback_.on_timeout, guardrails_.explore_floor,
          guardrails_.max_duels_per_subject_per_day, guardrails_.max_pending);
  archive(configured_at_, exploited_, sequence_, head_);
  archive(certificate_recorded_, pairs_without_fresh_tasks_);
}
template void Ledger::fields(StateWriter& archive);
template void Ledger::fields(StateReader& archive);

bool Ledger::restored() const {
  const std::size_t arms = arms_.size();
  const auto known = [&](const auto& one) {
    return one.second.first < arms && one.second.second < arms;
  };
  return shown_.size() == arms * arms && compared_.size() == arms * arms &&
         open_.size() == pending_.size() && std::all_of(open_.begin(), open_.end(), known) &&
         arm_index_.size() == arms && referee_.restored() &&
         referee_.certifier().num_arms() == arms &&
         (!certificate_ || !certificate_->winner || *certificate_->winner < arms);
}

}  // namespace duel
