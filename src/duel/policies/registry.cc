#include "duel/policies/registry.h"

#include <algorithm>

namespace duel {
namespace {

// Owned by a function, so that it exists before the first registration, whatever the link order.
struct Registry {
  std::vector<std::unique_ptr<const PolicyKind>> kinds;
  std::vector<const PolicyKind*> sorted;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

bool register_policy(std::unique_ptr<const PolicyKind> kind) {
  Registry& all = registry();
  for (const PolicyKind* known : all.sorted) {
    DUEL_CHECK(known->facts().name != kind->facts().name);
  }
  all.sorted.push_back(kind.get());
  all.kinds.push_back(std::move(kind));
  std::sort(all.sorted.begin(), all.sorted.end(), [](const PolicyKind* a, const PolicyKind* b) {
    return a->facts().name < b->facts().name;
  });
  return true;
}

Error missing_horizon(const std::string& name) {
  return Error::invalid_argument("policy '" + name + "' needs a horizon")
      .with_hint("write " + name + "(horizon=1e6)");
}

std::span<const PolicyKind* const> policy_kinds() { return registry().sorted; }

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyKind* kind : policy_kinds()) names.push_back(kind->facts().name);
  return names;
}

Result<const PolicyKind*> find_policy(std::string_view name) {
  for (const PolicyKind* kind : policy_kinds()) {
    if (kind->facts().name == name) return kind;
  }
  return Error::invalid_argument("there is no policy '" + std::string(name) + "'")
      .with_hint(spelling_hint(name, policy_names()));
}

Result<std::shared_ptr<const ConfiguredPolicy>> configure_policy(const CallSpec& call,
                                                                 const PolicySetting& setting) {
  DUEL_ASSIGN(const PolicyKind* kind, find_policy(call.name));
  return kind->configure(call, setting);
}

}  // namespace duel
