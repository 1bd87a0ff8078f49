#include "duel/experiment/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"

namespace duel {

Result<ArmField> ArmField::make(const std::vector<ArmEntry>& arms, bool fixed) {
  if (arms.size() < 2) {
    return Error::invalid_argument(
        fmt::format("{} cannot be compared", counted(arms.size(), "arm")), "arms",
        "at least two are needed");
  }
  for (const ArmEntry& arm : arms) {
    DUEL_RETURN_IF_ERROR(check_id("an arm", arm.id));
    if (std::ranges::count(arms, arm.id, &ArmEntry::id) > 1) {
      return Error::invalid_argument(fmt::format("two arms have the id '{}'", arm.id), "arms");
    }
  }
  return ArmField(arms, fixed);
}

ArmField::ArmField(const std::vector<ArmEntry>& arms, bool fixed)
    : fixed_(fixed), has_features_(!arms.front().features.empty()), num_first_(arms.size()) {
  number(arms);
}

ArmField ArmField::of_roles(std::span<const ArmEntry> roles, std::size_t num_active) {
  ArmField field;
  field.num_active_ = num_active;
  for (std::size_t k = 0; k < roles.size(); ++k) field.arms_.push_back({.active = k < num_active});
  field.rename(roles);
  return field;
}

void ArmField::rename(std::span<const ArmEntry> roles) {
  index_.clear();
  for (std::size_t k = 0; k < roles.size(); ++k) {
    arms_[k].entry = roles[k];
    arms_[k].name = roles[k].id;
    index_.emplace(roles[k].id, static_cast<Arm>(k));
  }
}

void ArmField::number(const std::vector<ArmEntry>& arms) {
  arms_.clear();
  index_.clear();
  for (const ArmEntry& arm : arms) join(arm);
  num_active_ = arms_.size();
}

void ArmField::join(const ArmEntry& arm) {
  index_.emplace(arm.id, static_cast<Arm>(arms_.size()));
  std::string name = printable_line(original_name(arm));
  for (LedgerArm& other : arms_) {
    const bool same_payload = !arm.payload.empty() && other.entry.payload == arm.payload;
    if (other.name != name && !same_payload) continue;
    other.name = other.entry.id;
    name = arm.id;
  }
  arms_.push_back({.entry = arm, .active = true, .name = std::move(name)});
}

std::optional<Arm> ArmField::find(std::string_view id) const {
  const auto found = index_.find(id);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

Result<Arm> ArmField::arm_of(std::string_view id) const {
  if (const auto arm = find(id)) return *arm;
  std::vector<std::string> known;
  for (const LedgerArm& arm : arms_) known.push_back(arm.entry.id);
  return Error::invalid_data(fmt::format("there is no arm '{}'", id))
      .with_hint(spelling_hint(id, known));
}

const ArmEntry* ArmField::find_withdrawn(std::string_view id) const {
  const auto found = std::ranges::find(withdrawn_, id, &ArmEntry::id);
  return found == withdrawn_.end() ? nullptr : &*found;
}

std::vector<ArmEntry> ArmField::entries() const {
  std::vector<ArmEntry> entries;
  for (const LedgerArm& arm : arms_) entries.push_back(arm.entry);
  return entries;
}

void ArmField::add(const ArmEntry& arm) {
  if (fixed_) num_first_ = 0;
  join(arm);
  ++num_active_;
}

void ArmField::retire(Arm arm) {
  if (!fixed_) {
    arms_[arm].active = false;
    --num_active_;
    return;
  }
  num_first_ = 0;
  withdrawn_.push_back(arms_[arm].entry);
  std::vector<ArmEntry> left = entries();
  left.erase(left.begin() + arm);
  number(
      left);  // from the beginning: another arm may have got its id as a name because of this one
}

namespace {

// An arm that the first record does not have.
struct JoinedArm {
  ArmEntry entry;
  template <class Archive>
  void fields(Archive& archive) {
    // Written as JSON text. An arm without content gives "", which reads back as null.
    std::string content = entry.content.is_null() ? "" : entry.content.dump();
    archive(entry.id, entry.payload, entry.sha256, content);
    if constexpr (kReadsState<Archive>) {
      entry.content = Json::parse(content, {.numbers_as_written = true}).value_or(Json());
    }
  }
};

struct JoinedFeatures {
  std::vector<double> features;
  void fields(auto& archive) { archive(features); }
};

// Features are there only where arms have them: other states keep the bytes they always had.
template <class Archive>
void archive_entries(Archive& archive, std::vector<ArmEntry>& entries, bool with_features) {
  std::vector<JoinedArm> arms;
  std::vector<JoinedFeatures> rows;
  if constexpr (!kReadsState<Archive>) {
    for (const ArmEntry& entry : entries) {
      arms.push_back({entry});
      rows.push_back({entry.features});
    }
  }
  archive(arms);
  if (with_features) archive(rows);
  if constexpr (kReadsState<Archive>) {
    entries.clear();
    rows.resize(arms.size());
    for (std::size_t k = 0; k < arms.size(); ++k) {
      entries.push_back(arms[k].entry);
      entries.back().features = rows[k].features;
    }
  }
}

}  // namespace

template <class Archive>
void ArmField::fields(Archive& archive) {
  const std::size_t at_first = num_first_;
  std::vector<ArmEntry> joined;
  std::vector<bool> active;
  if constexpr (!kReadsState<Archive>) {
    for (std::size_t k = num_first_; k < arms_.size(); ++k) joined.push_back(arms_[k].entry);
    for (const LedgerArm& arm : arms_) active.push_back(arm.active);
  }
  archive_entries(archive, withdrawn_, has_features_);
  archive(num_first_);
  archive_entries(archive, joined, has_features_);
  archive(active);
  if constexpr (kReadsState<Archive>) {
    // Saved of another first record: without arms nothing else fits, and the ledger is refused.
    if (num_first_ != at_first) number({});
    if (num_first_ != 0 && num_first_ != at_first) return;
    for (const ArmEntry& arm : joined) join(arm);
    num_active_ = 0;
    active.resize(arms_.size());
    for (std::size_t k = 0; k < arms_.size(); ++k) {
      arms_[k].active = active[k];
      num_active_ += active[k] ? 1 : 0;
    }
  }
}
template void ArmField::fields(StateWriter& archive);
template void ArmField::fields(StateReader& archive);

}  // namespace duel
