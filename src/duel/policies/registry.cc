#include "duel/policies/registry.h"

#include "duel/policies/checked_policy.h"

namespace duel {

Catalogue<PolicyKind>& policy_catalogue() {
  static Catalogue<PolicyKind> all("policy");
  return all;
}

bool register_policy(PolicyKind kind) { return policy_catalogue().add(std::move(kind)); }

Error missing_horizon(const std::string& name) {
  return Error::invalid_argument("policy '" + name + "' needs a horizon")
      .with_hint("write " + name + "(horizon=1e6)");
}

std::vector<std::string> policy_names() { return policy_catalogue().names(); }

Result<const PolicyKind*> find_policy(std::string_view name) {
  return policy_catalogue().find(name);
}

PolicyKind::Made configure_policy(const CallSpec& call, const PolicySetting& setting) {
  if (setting.num_arms == 0) {
    return Error::invalid_argument("a policy needs at least one arm").in_field("num_arms");
  }
  PolicyKind::Made made = policy_catalogue().configure(call, setting);
  if (!made.ok()) return made;
  return checked(*std::move(made), setting.num_arms);
}

}  // namespace duel
