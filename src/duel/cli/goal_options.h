// The options that say what is to be certified.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/cli/options.h"

namespace duel::cli {

// Where they go, as parse_goal takes them.
struct GoalTargets {
  std::string* goal;
  std::uint64_t* top;
  double* epsilon;
  std::string* assume;
};

// Declares --goal, --top, --epsilon and --assume. `when` begins each text: "With --certificates: ".
// The options are returned in this order.
std::vector<const Option*> add_goal_options(Command& command, const GoalTargets& targets,
                                            const std::string& when = "");

}  // namespace duel::cli
