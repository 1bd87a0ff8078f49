// Which task a duel is about, where an experiment has tasks: one rule for all doors.
//
// Where the certificate speaks of tasks like these, a pair gets a task that it has not met, each as
// likely as the others; a task that it has met is no evidence about the pair again. Where it speaks
// of these tasks, every duel gets any of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/text_map.h"
#include "duel/experiment/ledger.h"
#include "duel/log/record.h"

namespace duel {

class TaskDraw {
 public:
  // By the names that serves have for them; none where callers name their tasks.
  explicit TaskDraw(std::vector<std::string> names);

  bool empty() const { return names_.empty(); }
  bool knows(std::string_view task) const { return place_of(task).has_value(); }
  // Which of the names it is.
  std::optional<std::size_t> place_of(std::string_view task) const {
    const auto found = index_.find(task);
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

  // A task for the next duel of (i, j), by a lot of the duel's ordinal. O(1) until a pair has met
  // half of the tasks; from then on the rest is kept as a list. REQUIRES: !empty().
  const std::string& draw(const Ledger& ledger, Arm i, Arm j);
  // One of the tasks that `may` says of, each as likely, by the same lot; null where it says so of
  // none. It looks at every task only where hardly any is left.
  const std::string* draw_among(const Ledger& ledger,
                                const std::function<bool(const std::string&)>& may) const;
  std::size_t size() const { return names_.size(); }
  // The first place, from this one on, of a task that `may` allows; size() if it allows none.
  std::size_t next_place(std::size_t place,
                         const std::function<bool(const std::string&)>& may) const;
  // That a serve was applied.
  void note(const Ledger& ledger, const ServeRecord& serve);

 private:
  std::vector<std::string> names_;
  TextMap<std::size_t> index_;
  // Of pairs that have met half of the tasks: what is left, in the order of the tasks, so that it
  // is the same whether the log was read or lived through.
  std::map<std::pair<Arm, Arm>, std::vector<std::uint32_t>> left_;
};

}  // namespace duel
