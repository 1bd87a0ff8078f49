#include "duel/cli/goal_options.h"

namespace duel::cli {

std::vector<const Option*> add_goal_options(Command& command, const GoalTargets& targets,
                                            const std::string& when) {
  // Not `one_of`: the library says which word was meant.
  Option& goal = command.add(
      "--goal GOAL", targets.goal,
      when +
          "What to certify: condorcet (default: the arm that beats every other), set (the --top K "
          "arms, which each beat every arm outside), order (the --top K in their order), ranking "
          "(the order of all arms), epsilon (an arm that loses to no other by more than "
          "--epsilon), "
          "copeland (the arm that beats the most) or borda (the highest mean rate).");
  goal.offers = [] {
    return std::vector<std::string>{"condorcet", "set",      "order", "ranking",
                                    "epsilon",   "copeland", "borda"};
  };
  const Option& top = command.add("--top K", count(targets.top, 1, 1'000'000),
                                  when + "How many arms the goals set and order name.");
  const Option& epsilon = command.add(
      "--epsilon NUMBER",
      number(
          targets.epsilon, [](double margin) { return margin > 0 && margin < 0.5; },
          "> 0 and < 0.5"),
      when +
          "By how much the arm of the goal epsilon may lose: 0.05 means that it wins more than "
          "45 % against each other arm.");
  const Option& assume = command.add(
      "--assume WHAT", one_of(targets.assume, {"none", "order"}),
      when +
          "order: assume that the arms have an order, in which every earlier arm beats every later "
          "one. Needs less evidence, and the certificate says so. Default none.");
  return {&goal, &top, &epsilon, &assume};
}

void add_goal_options(Command& command, GoalOptions& goal, const std::string& when) {
  goal.options = add_goal_options(
      command, GoalTargets{&goal.kind, &goal.top, &goal.epsilon, &goal.assume}, when);
}

}  // namespace duel::cli
