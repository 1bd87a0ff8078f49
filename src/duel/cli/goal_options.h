// The options that say what is to be certified.
#pragma once

#include "duel/cli/options.h"
#include "duel/log/record.h"

namespace duel::cli {

// Where they go, as parse_goal takes them.
struct GoalTargets {
  std::string* goal;
  std::uint64_t* top;
  double* epsilon;
  std::string* assume;
};

// What is to be certified.
struct GoalOptions {
  std::string kind = "condorcet";
  std::uint64_t top = 0;
  double epsilon = 0;
  std::string assume = "none";
  std::vector<const Option*> options{};  // in the order in which they are declared

  Result<Goal> parse() const { return parse_goal(kind, top, epsilon, assume); }
};

// Declares --goal, --top, --epsilon and --assume. `when` begins each text: "With --certificates: ".
std::vector<const Option*> add_goal_options(Command& command, const GoalTargets& targets,
                                            const std::string& when = "");
void add_goal_options(Command& command, GoalOptions& goal, const std::string& when = "");

}  // namespace duel::cli
