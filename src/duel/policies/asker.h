// Asks a policy only for duels that teach something.
//
// If every question costs and none is traffic (a judge that is paid, a person at a terminal), a
// policy's self-duel is never asked: the clock goes to the policy's next round between different
// arms, by its jump where it has one, and that duel is served. What is asked depends on the seed
// and on the order of `next`, `answered` and `heard` alone, so that a log replays to the same
// state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/policies/any_policy.h"
#include "duel/policies/registry.h"
#include "duel/policies/trial_loop.h"

namespace duel {

class Asker {
 public:
  // What there is to ask. `wait`: not before an outstanding duel is answered. `nothing`: the policy
  // has settled on its self-duel; later answers may change that, the clock alone will not.
  // `exploit`: the policy shows one arm alone; only where self-duels are asked for.
  enum class State { ask, wait, nothing, exploit };
  struct Question {
    State state = State::nothing;
    Duel duel;  // where there is one to ask; its round is its ticket
  };

  // `trial` sets simulated runs apart. The policy's own options (ties, ..) are in `policy`.
  Asker(const ConfiguredPolicy& policy, std::uint64_t seed, std::uint32_t trial = 0);
  Asker(const Asker& other) : policy_(other.policy_->clone()), run_(other.run_), now_(other.now_) {}
  Asker& operator=(const Asker& other) { return *this = Asker(other); }
  Asker(Asker&&) = default;
  Asker& operator=(Asker&&) = default;

  // The next duel; it counts as issued, and each is answered once.
  Question next();
  // The policy's duel of the very next round, where every round is somebody's visit: a self-duel
  // goes by as `exploit` and is not answered.
  Question next_visit();
  // `Outcome::none` where the answer was lost. REQUIRES: a duel of `next` that is outstanding.
  void answered(const Duel& duel, Outcome outcome);
  // A duel that the policy did not choose. Count-based policies use it, schedules do not.
  // `hearsay`: it is no evidence, and only policies that tell the two apart hear of it.
  void heard(Arm first, Arm second, Outcome outcome, bool hearsay = false);

  // What the arms are like for whom the next duels are; no rows: they are what they always are.
  void see(const FeatureRows& rows) {
    now_.prepared.reset();
    policy_->see(rows);
  }

  Arm recommend() const { return policy_->recommend(run_.streams.recommend.at(now_.clock)); }
  // Rounds that have gone by, the skipped ones included.
  Round clock() const { return now_.clock; }
  std::uint64_t outstanding() const { return now_.outstanding; }

  // The state between two calls, and back into one of the same policy, arms and seed. An error
  // leaves it as it was.
  std::string save() const;
  Status restore(std::string_view saved);

  // Rounds that are tried one by one where the policy cannot jump, and while answers are
  // outstanding, when no jump is defined.
  static constexpr Round kTries = 10'000;
  static constexpr Round kTriesWhileOutstanding = 100;
  // A stretch that reaches this round never ends: ln t grows no more that counts.
  static constexpr Round kEndOfTime = 1'000'000'000'000'000'000;

 private:
  // What stays the same.
  struct Run {
    TrialStreams streams;
    Stream foreign;
    bool jumps;
    bool sequential;
  };
  // What is saved beside the policy's state.
  struct Progress {
    Round clock = 0;
    std::uint64_t outstanding = 0;
    std::uint64_t heard = 0;
    std::optional<Duel> prepared;  // of round clock + 1, drawn by a jump

    void fields(auto& archive) { archive_fields(archive, clock, outstanding, heard, prepared); }
  };

  bool waits() const { return run_.sequential && now_.outstanding > 0; }
  // The policy's duel of the next round goes out; a self-duel goes by.
  Duel issue();

  std::unique_ptr<AnyPolicy> policy_;
  Run run_;
  Progress now_;
};

}  // namespace duel
