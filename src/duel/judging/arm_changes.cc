#include "duel/judging/arm_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/spelling.h"
#include "duel/judging/log_mismatch.h"

namespace duel {
namespace {

const ListedArm* find(const std::vector<ListedArm>& arms, const std::string& id) {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const ListedArm& arm) { return arm.shown.arm_id == id; });
  return found == arms.end() ? nullptr : &*found;
}

bool has(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Whether the set may change at all, and if not, why.
Status check_open(const std::string& log, const Ledger& ledger, std::string_view field) {
  if (ledger.certificate() || ledger.completed()) {
    return Error::conflict("the experiment is over: its certificate is about the arms that it had",
                           log, "give another `log` to start over")
        .in_field(field);
  }
  if (ledger.experiment().stopping.arms_fixed) {
    return Error::conflict(
               "the set of arms of this log is fixed: its thresholds are lower because no arm "
               "joins or leaves",
               log, "begin another `log` with `open_arms`")
        .in_field(field);
  }
  return Done{};
}

// The arms of the log, from what is named.
Result<std::vector<ListedArm>> arms_of_log(const std::string& log, const Ledger& ledger,
                                           const std::vector<ListedArm>& named,
                                           const ArmChanges& changes) {
  std::vector<ListedArm> arms;
  for (const LedgerArm& logged : ledger.arms()) {
    const std::string& id = logged.entry.id;
    const ListedArm* arm = find(named, id);
    if (arm == nullptr) arm = find(changes.joining, id);
    const bool gone = !logged.active || has(changes.leaving, id);
    if (arm == nullptr && !gone) {
      const auto other = std::find_if(named.begin(), named.end(), [&](const ListedArm& one) {
        return !ledger.find_arm(one.shown.arm_id) &&
               find(changes.joining, one.shown.arm_id) == nullptr;
      });
      return other_experiment(log, "arms",
                              other == named.end() ? fmt::format("it has the arm '{}', too", id)
                                                   : fmt::format("it has the arm '{}', not '{}'",
                                                                 id, other->shown.arm_id));
    }
    // Without a file and without a payload of its own, all there is of an arm is in the log.
    const bool is_in_log = arm != nullptr && arm->shown.path.empty() && !arm->shown.payload;
    if (arm != nullptr && !gone &&
        (arm->sha256 != logged.entry.sha256 ||
         (is_in_log && arm->content != logged.entry.content))) {
      return other_experiment(
          log, "arms",
          fmt::format("the content of arm '{}'{} has changed since", id,
                      arm->reference.empty() ? "" : fmt::format(" ({})", arm->reference)),
          "duels about the old content say nothing about the new; give another `log` to start "
          "over");
    }
    // Who names none goes on with those of the log.
    if (arm != nullptr && !gone && !arm->features.empty() &&
        arm->features != logged.entry.features) {
      return other_experiment(log, "features",
                              fmt::format("the features of arm '{}' are others", id));
    }
    if (!logged.active && find(changes.joining, id) != nullptr && !has(changes.leaving, id)) {
      return Error::conflict(fmt::format("the arm '{}' was retired", id), log,
                             "the id of an arm is never used again; give it another name")
          .in_field("add_arm");
    }
    arms.push_back(arm == nullptr ? ListedArm{} : *arm);
    arms.back().shown.arm_id = id;
  }
  return arms;
}

}  // namespace

Result<MatchedArms> match_arms(const std::string& log, const Ledger& ledger,
                               const std::vector<ListedArm>& named, const ArmChanges& changes) {
  MatchedArms matched;
  DUEL_ASSIGN(matched.arms, arms_of_log(log, ledger, named, changes));
  for (const ListedArm& arm : named) {
    const std::string& id = arm.shown.arm_id;
    if (ledger.find_arm(id) || find(changes.joining, id) != nullptr) continue;
    return other_experiment(log, "arms", fmt::format("it has no arm '{}'", id),
                            ledger.experiment().stopping.arms_fixed
                                ? ""
                                : "`add_arm` lets it join; give another `log` to start over");
  }
  for (const ListedArm& arm : changes.joining) {
    const std::string& id = arm.shown.arm_id;
    if (ledger.find_arm(id) || has(matched.joined, id)) continue;
    DUEL_RETURN_IF_ERROR(check_open(log, ledger, "add_arm"));
    matched.joined.push_back(id);
    matched.arms.push_back(arm);
    matched.joining.push_back(entry_of(arm));
  }
  std::size_t active = ledger.num_active() + matched.joined.size();
  for (const std::string& id : changes.leaving) {
    const auto arm = ledger.find_arm(id);
    if (!arm && !has(matched.joined, id)) {
      std::vector<std::string> known;
      for (const LedgerArm& one : ledger.arms()) known.push_back(one.entry.id);
      return Error::not_found(fmt::format("the log has no arm '{}'", id), log,
                              spelling_hint(id, known))
          .in_field("retire_arm");
    }
    if ((arm && !ledger.arms()[*arm].active) || has(matched.left, id)) continue;
    DUEL_RETURN_IF_ERROR(check_open(log, ledger, "retire_arm"));
    if (--active < 2) {
      return Error::invalid_argument("fewer than two arms would be left", log,
                                     "a duel needs two; add another one before")
          .in_field("retire_arm");
    }
    matched.left.push_back(id);
  }
  return matched;
}

}  // namespace duel
