// `rucb(alpha=0.6)`: a name with options, the same string in a shell, a spec, a log and a legend.
// Policies, built-in matrices and environments are all named this way.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"

namespace duel {

struct CallSpec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;  // in the order written

  friend bool operator==(const CallSpec&, const CallSpec&) = default;
};

// `name`, `name()` or `name(key=value, ...)`. Names and keys match [a-z0-9][a-z0-9_-]*. A value may
// itself be a call, `clicks(model=dcm(stop=0.3))`, so commas count only outside inner parentheses.
Result<CallSpec> parse_call(std::string_view text);

// Calls separated by commas outside parentheses: `rucb,if2(ci=colt)`.
Result<std::vector<CallSpec>> parse_call_list(std::string_view text);

std::string to_string(const CallSpec& call);

}  // namespace duel
