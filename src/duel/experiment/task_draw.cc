#include "duel/experiment/task_draw.h"

#include <algorithm>

#include "duel/core/check.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

RoundRng lot_of_task(const Ledger& ledger) {
  return Stream(ledger.experiment().seed, 0, Purpose::choice, "live/task").at(ledger.served() + 1);
}

}  // namespace

TaskDraw::TaskDraw(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t k = 0; k < names_.size(); ++k) index_.emplace(names_[k], k);
}

// Of so many tries at least one is an admitted task, where half of the tasks are, but for one draw
// in 10^19.
constexpr int kMostTries = 64;

const std::string& TaskDraw::draw(const Ledger& ledger, Arm i, Arm j) {
  DUEL_CHECK(!names_.empty());
  RoundRng rng = lot_of_task(ledger);
  const auto any = [&]() -> const std::string& {
    return names_[static_cast<std::size_t>(rng.below(names_.size()))];
  };
  if (i == j || !ledger.parts().tasks_end) return any();
  const std::uint64_t fresh = ledger.fresh_tasks(i, j);
  if (fresh == 0) return any();
  if (2 * fresh >= names_.size()) {
    // At least half are fresh, so that two tries are enough on average. Where a log counts more
    // tasks than it names, all that are named may have been met; the list below finds that out.
    for (int tries = 0; tries < kMostTries; ++tries) {
      const std::string& task = any();
      if (!ledger.has_met(i, j, task)) return task;
    }
  }
  std::vector<std::uint32_t>& left = left_[std::minmax(i, j)];
  if (left.empty()) {
    for (std::uint32_t k = 0; k < names_.size(); ++k) {
      if (!ledger.has_met(i, j, names_[k])) left.push_back(k);
    }
  }
  if (left.empty()) return any();
  return names_[left[static_cast<std::size_t>(rng.below(left.size()))]];
}

const std::string* TaskDraw::draw_among(const Ledger& ledger,
                                        const std::function<bool(const std::string&)>& may) const {
  if (names_.empty()) return nullptr;
  RoundRng rng = lot_of_task(ledger);
  const auto any = [&](std::size_t count) { return static_cast<std::size_t>(rng.below(count)); };
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::string& task = names_[any(names_.size())];
    if (may(task)) return &task;
  }
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (may(names_[k])) left.push_back(k);
  }
  return left.empty() ? nullptr : &names_[left[any(left.size())]];
}

std::size_t TaskDraw::next_place(std::size_t place,
                                 const std::function<bool(const std::string&)>& may) const {
  while (place < names_.size() && !may(names_[place])) ++place;
  return place;
}

void TaskDraw::note(const Ledger& ledger, const ServeRecord& serve) {
  if (left_.empty() || !serve.evidence || serve.task.empty()) return;
  const auto found =
      left_.find(std::minmax(*ledger.find_arm(serve.first), *ledger.find_arm(serve.second)));
  if (found == left_.end()) return;
  const auto index = index_.find(serve.task);
  if (index == index_.end()) return;
  const auto at = std::ranges::lower_bound(found->second, index->second);
  if (at != found->second.end() && *at == index->second) found->second.erase(at);
  // An empty list would be made again at the next draw, which happens only if tasks were added.
  if (found->second.empty()) left_.erase(found);
}

}  // namespace duel
