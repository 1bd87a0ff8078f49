#include "duel/policies/stopping.h"

#include <map>

#include "duel/core/check.h"

namespace duel {
namespace {

std::map<std::string, StoppingPolicy, std::less<>>& all() {
  static std::map<std::string, StoppingPolicy, std::less<>> policies;
  return policies;
}

}  // namespace

bool register_stopping_policy(StoppingPolicy policy) {
  std::string name = policy.name;
  const bool is_new = all().emplace(std::move(name), std::move(policy)).second;
  DUEL_CHECK(is_new);
  return is_new;
}

std::vector<std::string> stopping_policy_names() {
  std::vector<std::string> names;
  for (const auto& [name, policy] : all()) names.push_back(name);
  return names;
}

const StoppingPolicy* find_stopping_policy(std::string_view name) {
  const auto found = all().find(name);
  return found == all().end() ? nullptr : &found->second;
}

}  // namespace duel
