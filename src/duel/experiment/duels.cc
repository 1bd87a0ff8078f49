#include "duel/experiment/duels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "duel/core/archive_containers.h"
#include "duel/core/check.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

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

Duels::Duels(std::unique_ptr<SettledDuels> settled) : settled_(std::move(settled)) {
  if (!settled_) settled_ = std::make_unique<KeptDuels>();
}

const LedgerDuel* Duels::find_open(std::string_view duel_id) const {
  const auto found = open_.find(duel_id);
  return found == open_.end() ? nullptr : &found->second;
}

Result<std::optional<LedgerDuel>> Duels::find(std::string_view duel_id,
                                              std::uint64_t before) const {
  if (const LedgerDuel* open = find_open(duel_id)) return std::optional(*open);
  return settled_->find(duel_id, before);
}

Status Duels::check_next(const ServeRecord& record, std::uint64_t before) const {
  bool known = find_open(record.duel_id) != nullptr;
  if (!known && settled_->guards_ids()) {
    DUEL_ASSIGN(const auto settled, settled_->find(record.duel_id, before));
    known = settled.has_value();
  }
  if (known) {
    return Error::invalid_data(
        fmt::format("the duel '{}' is served a second time", record.duel_id));
  }
  if (record.ordinal == served_) return Done{};
  return Error::invalid_data(fmt::format("the duel '{}' has the ordinal {}, expected {}",
                                         record.duel_id, record.ordinal, served_));
}

std::vector<std::string> Duels::pending() const {
  std::vector<std::string> ids;
  ids.reserve(pending_.size());
  for (const auto& [ordinal, id] : pending_) ids.push_back(id);
  return ids;
}

std::optional<std::int64_t> Duels::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void Duels::hold(const std::string& duel_id, const LedgerDuel& duel) {
  open_.emplace(duel_id, duel);
  pending_.emplace_hint(pending_.end(), duel.ordinal, duel_id);
  if (duel.audit.waits()) drawn_.emplace(duel.ordinal, duel_id);
  if (duel.expires_at.ms != 0) deadlines_.emplace(duel.expires_at.ms, duel.ordinal);
}

void Duels::open(const std::string& duel_id, const LedgerDuel& duel) {
  DUEL_CHECK(duel.ordinal == served_);
  hold(duel_id, duel);
  ++served_;
}

Effect Duels::answered_again(const LedgerDuel& duel, const LedgerDuel& again) {
  if (duel.fate == Fate::expired) {
    ++late_;
    return Effect::late;
  }
  if (duel.result == again.result && duel.outcome == again.outcome && duel.score == again.score) {
    ++duplicates_;
    return Effect::duplicate;
  }
  ++conflicts_;
  return Effect::conflicting;
}

void Duels::change(std::string_view duel_id, const LedgerDuel& duel) {
  LedgerDuel& open = open_.find(duel_id)->second;
  // A deadline is for the program: a person is waited for by offers.
  if (duel.audit.waits() && !open.audit.waits()) drawn_.emplace(duel.ordinal, duel_id);
  if (open.expires_at.ms != 0 && duel.expires_at.ms == 0) {
    deadlines_.erase({open.expires_at.ms, duel.ordinal});
  }
  open = duel;
}

void Duels::settle(std::string_view duel_id, const LedgerDuel& duel) {
  pending_.erase(duel.ordinal);
  drawn_.erase(duel.ordinal);
  if (duel.expires_at.ms != 0) deadlines_.erase({duel.expires_at.ms, duel.ordinal});
  open_.erase(open_.find(duel_id));
  for (const std::uint64_t value :
       {duel.ordinal, duel.round, static_cast<std::uint64_t>(duel.first) << 32 | duel.second,
        static_cast<std::uint64_t>(duel.evidence) << 24 |
            static_cast<std::uint64_t>(duel.serving) << 16 |
            static_cast<std::uint64_t>(duel.fate) << 8 |
            static_cast<std::uint64_t>(duel.outcome)}) {
    settled_hash_ = mix64(settled_hash_ ^ value);
  }
  // Only what older logs do not have.
  if (duel.result == Answered::graded && duel.fate == Fate::answered) {
    settled_hash_ = mix64(settled_hash_ ^ std::bit_cast<std::uint64_t>(duel.score));
  }
  if (duel.audit.step != AuditState::Step::none) {
    settled_hash_ = mix64(settled_hash_ ^ static_cast<std::uint64_t>(duel.audit.step));
  }
  settled_->add(duel_id, duel);
}

namespace {

struct OpenDuel {
  std::string id;
  LedgerDuel duel;
  void fields(auto& archive) {
    archive(id, duel.ordinal, duel.expires_at.ms, duel.round, duel.first, duel.second,
            duel.first_point, duel.second_point, duel.serving, duel.evidence, duel.place_in_order,
            duel.audit.step, duel.audit.share, duel.audit.program, duel.audit.silent,
            duel.audit.offers);
    // The program's answer, which is the duel's if nobody is drawn to give another.
    if (duel.audit.step == AuditState::Step::none) return;
    archive(duel.fate, duel.result, duel.outcome, duel.score, duel.lot);
  }
};

}  // namespace

template <class Archive>
void Duels::fields(Archive& archive) {
  std::vector<OpenDuel> duels;
  if constexpr (!kReadsState<Archive>) {
    duels.reserve(pending_.size());
    for (const auto& [ordinal, id] : pending_) duels.push_back({id, open_.find(id)->second});
  }
  archive(duels, settled_hash_, served_, duplicates_, conflicts_, late_);
  if constexpr (kReadsState<Archive>) {
    for (const OpenDuel& one : duels) hold(one.id, one.duel);
  }
}
template void Duels::fields(StateWriter& archive);
template void Duels::fields(StateReader& archive);

bool Duels::restored(std::size_t num_arms) const {
  return open_.size() == pending_.size() && std::ranges::all_of(open_, [&](const auto& one) {
           return one.second.first < num_arms && one.second.second < num_arms;
         });
}

}  // namespace duel
