// What is compared: the arms of an experiment, their numbers, their ids and the names for people.
//
// In an open set arms come and go, and an arm keeps its number for good. A fixed set changes only
// while nothing was served or compared: an arm that is withdrawn then has no number, and those
// after it move up. A part of the ledger: only the ledger changes it, with records that it has
// checked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/log/record.h"

namespace duel {

struct LedgerArm {
  ArmEntry entry;
  bool active = true;
  std::string name;  // for people: the original name where only one arm has it, otherwise the id
};

class ArmField {
 public:
  // An error where there are fewer than two arms, or one of them is unfit.
  static Result<ArmField> make(const std::vector<ArmEntry>& arms, bool fixed);

  const std::vector<LedgerArm>& arms() const { return arms_; }
  std::size_t num_arms() const { return arms_.size(); }
  std::size_t num_active() const { return num_active_; }
  const std::string& id_of(Arm arm) const { return arms_[arm].entry.id; }
  std::optional<Arm> find(std::string_view id) const;
  // An error that names the nearest spelling.
  Result<Arm> arm_of(std::string_view id) const;
  // Arms of a fixed set that were retired while it was a draft. Their ids are not used again.
  const std::vector<ArmEntry>& withdrawn() const { return withdrawn_; }
  const ArmEntry* find_withdrawn(std::string_view id) const;
  std::vector<ArmEntry> entries() const;

  // What points are in duels (tuned_space.h), by their numbers. Their ids change, and two may have
  // one: `find` gives the lower number then.
  static ArmField of_roles(std::span<const ArmEntry> roles, std::size_t num_active);
  void rename(std::span<const ArmEntry> roles);

  void add(const ArmEntry& arm);
  void retire(Arm arm);

  template <class Archive>
  void fields(Archive& archive);

 private:
  ArmField(const std::vector<ArmEntry>& arms, bool fixed);
  void number(const std::vector<ArmEntry>& arms);
  void join(const ArmEntry& arm);
  ArmField() = default;

  bool fixed_ = true;
  bool has_features_ = false;  // all arms, those that join included
  // As many of the arms are those of the first record: all it has, or none once a fixed set was
  // changed. They need not be saved.
  std::size_t num_first_ = 0;
  std::vector<LedgerArm> arms_;
  TextMap<Arm> index_;
  std::size_t num_active_ = 0;
  std::vector<ArmEntry> withdrawn_;
};

}  // namespace duel
