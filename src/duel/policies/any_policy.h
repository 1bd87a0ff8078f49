// A policy behind one interface, for the server, Python and the tests, where a virtual call costs
// nothing that counts. The simulator does not use it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/feature_rows.h"
#include "duel/policies/policy.h"

namespace duel {

class AnyPolicy {
 public:
  virtual ~AnyPolicy() = default;

  virtual Duel select(Round round, RoundRng rng) const = 0;
  virtual void issued(const Duel& duel, RoundRng rng) = 0;
  virtual void observe(const Duel& duel, Outcome outcome, RoundRng rng) = 0;
  virtual Arm recommend(RoundRng rng) const = 0;
  // Whether it wants to hear of answers that are no evidence (Duel::hearsay). One that does not
  // would take a pair for settled that the certificate still waits for.
  virtual bool takes_hearsay() const = 0;
  // {round, nothing} for a policy that cannot jump.
  virtual Jump jump(Round round, Round limit, RoundRng rng) const = 0;

  // From now on the arms have these features, one row each: a context, for a policy that uses them
  // (PolicyFacts::uses_features). Where each round has its own, they are told before its `select`;
  // without a row the arms have their own again. It is no part of the state. Another policy does
  // not hear of them.
  virtual void see(const FeatureRows& rows) = 0;
  // Up to `most` different arms to be shown together, for a policy that chooses such sets
  // (PolicyFacts::chooses_sets); two or more where there are as many, or one arm that is shown
  // alone. Pure, as `select`. Empty for another policy. What is compared then is told as foreign
  // duels, or as the choice of one.
  virtual std::vector<Arm> select_set(Round round, std::size_t most, RoundRng rng) const = 0;
  // Of the arms that were shown together this one was chosen. Pair by pair for a policy that does
  // not tell a choice from so many duels.
  virtual void observe_choice(std::span<const Arm> shown, Arm chosen, Round round,
                              RoundRng rng) = 0;

  virtual std::string save() const = 0;
  // Leaves the policy as it was when the state is damaged or belongs to another configuration.
  virtual Status restore(std::string_view saved) = 0;
  virtual std::unique_ptr<AnyPolicy> clone() const = 0;
};

// `identity` is written into a saved state, so that it is not restored into another configuration.
template <Policy P>
class ErasedPolicy final : public AnyPolicy {
 public:
  ErasedPolicy(P policy, std::string identity)
      : policy_(std::move(policy)), identity_(std::move(identity)) {}

  Duel select(Round round, RoundRng rng) const override { return policy_.select(round, rng); }
  void issued(const Duel& duel, RoundRng rng) override { policy_.issued(duel, rng); }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) override {
    policy_.observe(duel, outcome, rng);
  }
  Arm recommend(RoundRng rng) const override { return policy_.recommend(rng); }
  bool takes_hearsay() const override {
    return requires { P::kTakesHearsay; };
  }
  Jump jump(Round round, Round limit, RoundRng rng) const override {
    if constexpr (JumpingPolicy<P>) {
      return policy_.jump(round, limit, rng);
    } else {
      return {round};
    }
  }

  void see(const FeatureRows& rows) override {
    if constexpr (requires { policy_.see(rows); }) policy_.see(rows);
  }
  std::vector<Arm> select_set(Round round, std::size_t most, RoundRng rng) const override {
    if constexpr (requires { policy_.select_set(round, most, rng); }) {
      return policy_.select_set(round, most, rng);
    } else {
      return {};
    }
  }
  void observe_choice(std::span<const Arm> shown, Arm chosen, Round round, RoundRng rng) override {
    if constexpr (requires { policy_.observe_choice(shown, chosen, rng); }) {
      policy_.observe_choice(shown, chosen, rng);
    } else {
      for (const Arm arm : shown) {
        if (arm != chosen) policy_.observe({chosen, arm, round, true}, Outcome::first_wins, rng);
      }
    }
  }

  std::string save() const override {
    StateWriter writer;
    writer(identity_);
    P copy = policy_;
    copy.fields(writer);
    return writer.finish();
  }
  Status restore(std::string_view saved) override {
    DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
    std::string identity;
    reader(identity);
    if (identity != identity_) {
      return Error::invalid_data("the saved state belongs to '" + identity + "', not to '" +
                                 identity_ + "'");
    }
    P restored = policy_;
    restored.fields(reader);
    // `restored()` rebuilds what is derived from the fields and says whether they make sense.
    if (!reader.complete() || !restored.restored()) {
      return Error::invalid_data("the saved state does not fit the policy");
    }
    policy_ = std::move(restored);
    return Done{};
  }
  std::unique_ptr<AnyPolicy> clone() const override {
    return std::make_unique<ErasedPolicy>(*this);
  }

 private:
  P policy_;
  std::string identity_;
};

}  // namespace duel
