// What policies there are. Each registers itself from its own source with its facts, its options
// and its factory; everything that lists, parses, documents or makes policies asks here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/catalogue.h"
#include "duel/core/goal.h"
#include "duel/policies/any_policy.h"
#include "duel/policies/policy.h"
#include "duel/policies/trial_loop.h"

namespace duel {

enum class Jumping { none, exact, in_law };
enum class Outstanding { yes, sequential };

struct PolicyFacts {
  std::string name;
  std::string title;                // "Relative Upper Confidence Bound (ICML form)"
  std::string paper;                // authors, venue, year, algorithm
  std::string setting;              // "Condorcet winner", "total order, SST, STI", ..
  std::string guarantee;            // the bound, or "none"
  std::string departs = "nowhere";  // differences from the paper
  std::string status;               // reproduced | tested | experimental
  bool needs_horizon = false;       // registration knows it by the option `horizon`
  Jumping jumping = Jumping::none;
  Outstanding outstanding = Outstanding::yes;
  // Whether its memory grows with the number of pairs, K^2, and not of arms.
  bool keeps_pairs = true;
  bool uses_features = false;  // of the arms, and of contexts
  bool chooses_sets = false;   // of more than two arms that are shown together
};

// What a run is for: every duel is traffic and pays for poor arms, or every question is paid and
// the fewest until a certificate are wanted.
enum class Aim { regret, certificate };

// What a run tells a policy about itself.
struct PolicySetting {
  std::size_t num_arms = 0;
  Round rounds = 0;  // default of the option `horizon`
  Aim aim = Aim::regret;
  // What the run is to certify, at which level.
  Goal goal = Goal::condorcet;
  double alpha = 0.05;
  bool shared_causes = false;
  // One row for each arm; null where arms have none.
  std::shared_ptr<const FeatureRows> features = nullptr;
};

// A policy with its options fixed; makes fresh instances. Immutable and shared between threads.
class ConfiguredPolicy {
 public:
  virtual ~ConfiguredPolicy() = default;
  const PolicyFacts& facts() const { return *facts_; }
  // `rucb(alpha=0.51)`: parses back to the same configuration.
  const std::string& canonical() const { return canonical_; }
  virtual std::unique_ptr<AnyPolicy> make(RoundRng rng) const = 0;
  // A fresh instance plays one trial (policies/trial_loop.h). False if it was stopped.
  virtual bool play(TrialArena& arena, const TrialStreams& streams, const TrialPlan& plan,
                    TrialObserver& observer) const = 0;

 protected:
  ConfiguredPolicy(std::shared_ptr<const PolicyFacts> facts, std::string canonical)
      : facts_(std::move(facts)), canonical_(std::move(canonical)) {}

 private:
  std::shared_ptr<const PolicyFacts> facts_;
  std::string canonical_;
};

using PolicyKind =
    CatalogueKind<PolicyFacts, std::shared_ptr<const ConfiguredPolicy>, PolicySetting>;
Catalogue<PolicyKind>& policy_catalogue();

std::vector<std::string> policy_names();
// An unknown name is an error with the nearest spelling.
Result<const PolicyKind*> find_policy(std::string_view name);
// `rucb(alpha=0.6)` for a run.
PolicyKind::Made configure_policy(const CallSpec& call, const PolicySetting& setting);

// --- for a policy's own source ------------------------------------------------------------------

bool register_policy(PolicyKind kind);

// The error of a policy that needs a horizon where the run has no number of rounds to give it.
Error missing_horizon(const std::string& name);

// Adds the options that every policy has, after its own.
template <class Options>
OptionTable<Options> with_common_options(OptionTable<Options> table) {
  table.choice("ties", static_cast<Ties Options::*>(&PolicyOptions::ties),
               std::vector<std::pair<std::string, Ties>>{
                   {"coin", Ties::coin}, {"half", Ties::half}, {"drop", Ties::drop}},
               "what a tied outcome counts: a fair coin decides, half a win each, or nothing");
  table.flag("deterministic_ties", static_cast<bool Options::*>(&PolicyOptions::deterministic_ties),
             "break ties between equal arms by the lowest index instead of at random");
  return table;
}

template <Policy P>
class ConfiguredPolicyOf final : public ConfiguredPolicy {
 public:
  ConfiguredPolicyOf(std::shared_ptr<const PolicyFacts> facts, std::string canonical,
                     typename P::Options options, std::size_t num_arms)
      : ConfiguredPolicy(std::move(facts), std::move(canonical)),
        options_(std::move(options)),
        num_arms_(num_arms) {}

  std::unique_ptr<AnyPolicy> make(RoundRng rng) const override {
    return std::make_unique<ErasedPolicy<P>>(
        P(options_, num_arms_, rng), canonical() + " on " + std::to_string(num_arms_) + " arms");
  }
  // Flattened: left to itself the compiler calls a dozen small functions per round, which costs
  // RUCB and RMED a quarter of their time.
  [[gnu::flatten]] bool play(TrialArena& arena, const TrialStreams& streams, const TrialPlan& plan,
                             TrialObserver& observer) const override {
    P policy = fresh_policy<P>(options_, num_arms_, streams.choice.at(0));
    return play_trial(policy, arena, streams, plan, observer);
  }

 private:
  typename P::Options options_;
  std::size_t num_arms_;
};

// What is the same for all that a registered policy can become.
template <class Options>
struct DescribedPolicy {
  std::shared_ptr<const PolicyFacts> facts;
  OptionTable<Options> table;

  // A P with these options.
  template <Policy P>
  PolicyKind::Made configured(const Options& options, std::size_t num_arms) const {
    return std::shared_ptr<const ConfiguredPolicy>(std::make_shared<ConfiguredPolicyOf<P>>(
        facts, table.canonical(facts->name, options), options, num_arms));
  }
};

// Registers a policy whose options decide which class plays it: `make(described, options,
// num_arms)` gives `described.configured<P>(..)` or an error. The options may have
// `set_defaults(setting)`, for defaults that a run gives, and `check_call(call)`, for what to say
// before they are parsed.
template <class Options, class Make>
bool register_policy(PolicyFacts facts, OptionTable<Options> own_options, Make make) {
  if constexpr (requires(Options options) { options.horizon; }) facts.needs_horizon = true;
  // Shared, because a std::function is copied with what it holds.
  const auto described = std::make_shared<const DescribedPolicy<Options>>(
      std::make_shared<const PolicyFacts>(facts), with_common_options(std::move(own_options)));
  auto configure = [described, make](const CallSpec& call,
                                     const PolicySetting& setting) -> PolicyKind::Made {
    Options options;
    if constexpr (requires { Options::check_call(call); }) {
      DUEL_RETURN_IF_ERROR(Options::check_call(call));
    }
    if constexpr (requires { options.set_defaults(setting); }) options.set_defaults(setting);
    if constexpr (requires { options.horizon; }) options.horizon = setting.rounds;
    DUEL_ASSIGN(options, described->table.parse(call, options, "policy"));
    if constexpr (requires { options.horizon; }) {
      if (options.horizon == 0) return missing_horizon(described->facts->name);
    }
    return make(*described, options, setting.num_arms);
  };
  return register_policy({std::move(facts), described->table.facts(), std::move(configure)});
}

// At the end of a policy's source:
//   const bool registered = register_policy<Rucb>({.name = "rucb", ..}, table);
template <Policy P>
bool register_policy(PolicyFacts facts, OptionTable<typename P::Options> own_options) {
  using Options = typename P::Options;
  return register_policy(std::move(facts), std::move(own_options),
                         [](const DescribedPolicy<Options>& described, const Options& options,
                            std::size_t num_arms) -> PolicyKind::Made {
                           if constexpr (requires { P::check(options, num_arms); }) {
                             DUEL_RETURN_IF_ERROR(P::check(options, num_arms));
                           }
                           return described.template configured<P>(options, num_arms);
                         });
}

}  // namespace duel
