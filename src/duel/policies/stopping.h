// Policies that stop by themselves: they look for an arm, a set or an order with an error of at
// most their `delta`, and say what they have found. Each enters itself here besides the registry
// (registry.h), by `register_stopping_policy` at the end of its source.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/registry.h"

namespace duel {

// What is looked for. `winner`: the Condorcet winner, or the best arm of an order; `copeland`: a
// Copeland winner; `borda`: the arms with the highest Borda scores; `order`: all arms from best to
// worst.
enum class Finds { winner, copeland, borda, order };

struct OwnStop {
  // Best first; empty: no arm is what was looked for. Nothing where all duels were used up, or the
  // policy gave up before.
  std::optional<std::vector<Arm>> found;
  std::uint64_t duels = 0;  // between different arms
};

// One trial with one duel after the other, until the policy stops or so many duels were played.
struct StoppingRun {
  const TrialStreams* streams = nullptr;
  std::uint64_t max_duels = 0;
  std::function<Outcome(const Duel&)> answer;  // of a duel between different arms
};

struct StoppingPolicy {
  std::string name;
  Finds finds = Finds::winner;
  // The policy's call made ready for a run.
  std::function<Result<std::function<OwnStop(const StoppingRun&)>>(const CallSpec&,
                                                                   const PolicySetting&)>
      configure;
};

// In the order of their names.
std::vector<std::string> stopping_policy_names();
// Null where the policy does not stop by itself, or there is none of that name.
const StoppingPolicy* find_stopping_policy(std::string_view name);

// --- for a policy's own source ------------------------------------------------------------------

// What the explorer has found, best first: its `found()`, or its leader. Nothing while it looks,
// and where the horizon cut it off.
template <class E>
std::optional<std::vector<Arm>> found_by(const ExploreThenExploit<E>& policy) {
  if (!policy.settled() || !policy.explorer().finished()) return std::nullopt;
  if constexpr (requires { policy.explorer().found(); }) {
    return policy.explorer().found();
  } else {
    return std::vector<Arm>{policy.recommend(RoundRng(0, 0, 0))};
  }
}

bool register_stopping_policy(StoppingPolicy policy);

// Plays until `found_by` returns something.
template <Policy P>
OwnStop play_until_found(P policy, const StoppingRun& run) {
  // One that has given up (its horizon is over) plays self-duels for ever.
  constexpr std::uint64_t kMostIdle = 1000;
  OwnStop stop{.found = found_by(policy)};
  std::uint64_t idle = 0;
  for (Round t = 1; !stop.found && stop.duels < run.max_duels && idle < kMostIdle; ++t) {
    const Duel duel = policy.take(t, run.streams->choice.at(t));
    RoundRng draws = run.streams->answer.at(t);
    Outcome outcome = Outcome::none;
    if (duel.is_self()) {
      ++idle;
      outcome = draws.coin() ? Outcome::first_wins : Outcome::second_wins;
    } else {
      idle = 0;
      ++stop.duels;
      outcome = run.answer(duel);
    }
    policy.observe(duel, outcome, draws);
    stop.found = found_by(policy);
  }
  return stop;
}

// Registers a policy, with its own options, that stops by itself.
template <Policy P>
bool register_stopping_policy(PolicyFacts facts, Finds finds,
                              OptionTable<typename P::Options> own_options) {
  using Options = typename P::Options;
  const auto table = std::make_shared<const OptionTable<Options>>(with_common_options(own_options));
  auto configure = [table, facts](const CallSpec& call, const PolicySetting& setting)
      -> Result<std::function<OwnStop(const StoppingRun&)>> {
    // What the registry says of the call, too.
    DUEL_RETURN_IF_ERROR(configure_policy(call, setting));
    Options options;
    if constexpr (requires { options.set_defaults(setting); }) options.set_defaults(setting);
    if constexpr (requires { options.horizon; }) options.horizon = setting.rounds;
    DUEL_ASSIGN(options, table->parse(call, options, "policy"));
    return std::function<OwnStop(const StoppingRun&)>(
        [options, num_arms = setting.num_arms](const StoppingRun& run) {
          return play_until_found(P(options, num_arms, run.streams->choice.at(0)), run);
        });
  };
  const bool is_new = register_stopping_policy({facts.name, finds, std::move(configure)});
  return register_policy<P>(std::move(facts), std::move(own_options)) && is_new;
}

}  // namespace duel
