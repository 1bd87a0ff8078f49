// A policy inside a policy: what wrappers that restart it are built of.
//
// The inner policy counts rounds from its last restart, so that it plays as if it began there.
// Duels that went out before are no longer its own, and it does not hear of them.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "duel/core/call_spec.h"
#include "duel/policies/any_policy.h"
#include "duel/policies/registry.h"

namespace duel {

class InnerPolicy {
 public:
  InnerPolicy(std::shared_ptr<const ConfiguredPolicy> configured, RoundRng rng)
      : configured_(std::move(configured)), policy_(configured_->make(rng)) {}
  InnerPolicy(const InnerPolicy& other)
      : configured_(other.configured_), policy_(other.policy_->clone()), start_(other.start_) {}
  InnerPolicy(InnerPolicy&&) = default;
  InnerPolicy& operator=(const InnerPolicy& other) { return *this = InnerPolicy(other); }
  InnerPolicy& operator=(InnerPolicy&&) = default;
  ~InnerPolicy() = default;

  // The round after which it began.
  Round start() const { return start_; }
  bool knows(const Duel& duel) const { return duel.round > start_; }
  // Whether a jump of it may give the duel that ends the stretch.
  bool draws_ahead() const { return configured_->facts().jumping == Jumping::in_law; }

  Duel select(Round round, RoundRng rng) const {
    Duel duel = policy_->select(round - start_, rng);
    duel.round = round;
    return duel;
  }
  void issued(const Duel& duel, RoundRng rng) { policy_->issued(own(duel), rng); }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (knows(duel)) policy_->observe(own(duel), outcome, rng);
  }
  // A duel that it did not choose.
  void heard(Arm first, Arm second, Outcome outcome, RoundRng rng) {
    policy_->observe({first, second, 0, true}, outcome, rng);
  }
  Arm recommend(RoundRng rng) const { return policy_->recommend(rng); }
  Jump jump(Round round, Round limit, RoundRng rng) const {
    Jump jump = policy_->jump(round - start_, limit - start_, rng);
    jump.idle_until += start_;
    if (jump.next) jump.next->round = jump.idle_until;
    return jump;
  }

  // Forgets everything; the round after `round` is its first.
  void restart(Round round, RoundRng rng) {
    policy_ = configured_->make(rng);
    start_ = round;
  }

  void fields(auto& archive) {
    std::string saved = policy_->save();
    archive(start_, saved);
    fits_ = policy_->restore(saved).ok();
  }
  bool restored() const { return fits_; }

 private:
  Duel own(const Duel& duel) const {
    Duel mine = duel;
    mine.round = duel.round - start_;
    return mine;
  }

  std::shared_ptr<const ConfiguredPolicy> configured_;
  std::unique_ptr<AnyPolicy> policy_;
  Round start_ = 0;
  bool fits_ = true;
};

// What every wrapper has: the inner policy as a user writes it, and, once the number of arms is
// known, the same configured.
struct InnerPolicyOptions : PolicyOptions {
  std::string inner = "imed";
  std::shared_ptr<const ConfiguredPolicy> configured;
  PolicySetting setting;

  void set_defaults(const PolicySetting& given) { setting = given; }
};

template <class Options>
OptionTable<Options> wrapper_options() {
  OptionTable<Options> table;
  table.text("inner", static_cast<std::string Options::*>(&InnerPolicyOptions::inner),
             "the policy that is restarted, with its options", Shown::always);
  return table;
}

// At the end of a wrapper's source: registers it so that the inner policy is configured for the
// same run.
template <Policy P>
bool register_wrapper(PolicyFacts facts, OptionTable<typename P::Options> table) {
  using Options = typename P::Options;
  return register_policy(std::move(facts), std::move(table),
                         [](const DescribedPolicy<Options>& described, const Options& given,
                            std::size_t num_arms) -> PolicyKind::Made {
                           Options options = given;
                           DUEL_ASSIGN(const CallSpec call, parse_call(options.inner));
                           PolicySetting setting = options.setting;
                           setting.num_arms = num_arms;
                           DUEL_ASSIGN(options.configured, configure_policy(call, setting));
                           options.inner = options.configured->canonical();
                           return described.template configured<P>(options, num_arms);
                         });
}

}  // namespace duel
