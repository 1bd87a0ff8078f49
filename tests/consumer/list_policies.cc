#include <iostream>

#include "duel/policies/registry.h"
#include "duel/version_info.h"

int main() {
  std::cout << "duel " << duel::kVersion << '\n';
  for (const auto& name : duel::policy_names()) std::cout << name << '\n';
}
