#include "duel/policies/parts/batches.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/policies/parts/arms.h"

namespace duel {
namespace {

void merge_once(std::vector<std::vector<Arm>>& groups, std::size_t size, RoundRng& rng) {
  shuffle(groups, rng);
  // Insertion keeps the random order of equal sizes.
  for (std::size_t k = 1; k < groups.size(); ++k) {
    for (std::size_t m = k; m > 0 && groups[m].size() < groups[m - 1].size(); --m) {
      std::swap(groups[m], groups[m - 1]);
    }
  }
  std::vector<std::vector<Arm>> merged;
  std::size_t low = 0, high = groups.size();
  while (low < high) {
    std::vector<Arm> largest = std::move(groups[--high]);
    if (low < high && 2 * (groups[low].size() + largest.size()) <= 3 * size) {
      largest.insert(largest.end(), groups[low].begin(), groups[low].end());
      ++low;
    }
    merged.push_back(std::move(largest));
  }
  groups = std::move(merged);
}

}  // namespace

Batches Batches::shuffled(std::size_t num_arms, std::size_t size, RoundRng& rng) {
  std::vector<Arm> arms = all_arms(num_arms);
  shuffle(arms, rng);
  Batches batches;
  for (std::size_t k = 0; k < num_arms; ++k) {
    if (k % size == 0) batches.groups.emplace_back();
    batches.groups.back().push_back(arms[k]);
  }
  return batches;
}

std::size_t Batches::num_survivors() const {
  std::size_t count = 0;
  for (const std::vector<Arm>& group : groups) count += group.size();
  return count;
}

bool Batches::is_merge_due(std::size_t num_arms) const {
  return groups.size() > 1 &&
         static_cast<double>(num_survivors()) <=
             std::ldexp(static_cast<double>(num_arms), -static_cast<int>(stage)) + 1.0;
}

void Batches::merge(std::size_t size, Round round, RoundRng& rng) {
  merge_once(groups, size, rng);
  std::size_t smallest = groups[0].size();
  for (const std::vector<Arm>& group : groups) smallest = std::min(smallest, group.size());
  if (groups.size() > 1 && 2 * smallest <= size) merge_once(groups, size, rng);
  ++stage;
  stage_start = round;
}

bool Batches::consistent(std::size_t num_arms) const {
  if (groups.empty() || stage == 0 || stage > 1000) return false;
  std::vector<bool> seen(num_arms);
  for (const std::vector<Arm>& group : groups) {
    if (group.empty()) return false;
    for (const Arm arm : group) {
      if (arm >= num_arms || seen[arm]) return false;
      seen[arm] = true;
    }
  }
  return true;
}

}  // namespace duel
