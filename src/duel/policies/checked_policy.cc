#include "duel/policies/checked_policy.h"

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace duel {
namespace {

class CheckedPolicy final : public AnyPolicy {
 public:
  CheckedPolicy(std::unique_ptr<AnyPolicy> policy, std::size_t num_arms)
      : policy_(std::move(policy)), num_arms_(num_arms) {}

  Duel select(Round round, RoundRng rng) const override { return policy_->select(round, rng); }
  void issued(const Duel& duel, RoundRng rng) override {
    check(duel);
    policy_->issued(duel, rng);
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng rng) override {
    check(duel);
    policy_->observe(duel, outcome, rng);
  }
  Arm recommend(RoundRng rng) const override { return policy_->recommend(rng); }
  bool takes_hearsay() const override { return policy_->takes_hearsay(); }
  Jump jump(Round round, Round limit, RoundRng rng) const override {
    return policy_->jump(round, limit, rng);
  }
  void see(const FeatureRows& rows) override {
    if (rows.size() != 0 && rows.size() != num_arms_) {
      throw std::out_of_range(
          fmt::format("features of {} arms, and there are {} arms", rows.size(), num_arms_));
    }
    policy_->see(rows);
  }
  std::vector<Arm> select_set(Round round, std::size_t most, RoundRng rng) const override {
    return policy_->select_set(round, most, rng);
  }
  void observe_choice(std::span<const Arm> shown, Arm chosen, Round round, RoundRng rng) override {
    for (const Arm arm : shown) check({chosen, arm, round});
    policy_->observe_choice(shown, chosen, round, rng);
  }
  std::string save() const override { return policy_->save(); }
  Status restore(std::string_view saved) override { return policy_->restore(saved); }
  std::unique_ptr<AnyPolicy> clone() const override {
    return std::make_unique<CheckedPolicy>(policy_->clone(), num_arms_);
  }

 private:
  void check(const Duel& duel) const {
    if (duel.first < num_arms_ && duel.second < num_arms_) return;
    throw std::out_of_range(fmt::format("a duel of the arms {} and {}, and there are {} arms",
                                        duel.first, duel.second, num_arms_));
  }

  std::unique_ptr<AnyPolicy> policy_;
  std::size_t num_arms_;
};

class CheckedConfiguration final : public ConfiguredPolicy {
 public:
  CheckedConfiguration(std::shared_ptr<const ConfiguredPolicy> policy, std::size_t num_arms)
      : ConfiguredPolicy(std::shared_ptr<const PolicyFacts>(policy, &policy->facts()),
                         policy->canonical()),
        policy_(std::move(policy)),
        num_arms_(num_arms) {}

  std::unique_ptr<AnyPolicy> make(RoundRng rng) const override {
    return std::make_unique<CheckedPolicy>(policy_->make(rng), num_arms_);
  }
  bool play(TrialArena& arena, const TrialStreams& streams, const TrialPlan& plan,
            TrialObserver& observer) const override {
    return policy_->play(arena, streams, plan, observer);
  }

 private:
  std::shared_ptr<const ConfiguredPolicy> policy_;
  std::size_t num_arms_;
};

}  // namespace

std::shared_ptr<const ConfiguredPolicy> checked(std::shared_ptr<const ConfiguredPolicy> policy,
                                                std::size_t num_arms) {
  return std::make_shared<CheckedConfiguration>(std::move(policy), num_arms);
}

}  // namespace duel
