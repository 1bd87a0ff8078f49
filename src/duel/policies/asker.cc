#include "duel/policies/asker.h"

#include "duel/core/check.h"

namespace duel {

Asker::Asker(const ConfiguredPolicy& policy, std::uint64_t seed, std::uint32_t trial)
    : run_{TrialStreams(seed, trial, policy.facts().name),
           Stream(seed, trial, Purpose::answer, policy.facts().name + "/foreign"),
           policy.facts().jumping != Jumping::none,
           policy.facts().outstanding == Outstanding::sequential} {
  policy_ = policy.make(run_.streams.choice.at(0));
}

Duel Asker::issue() {
  const Round round = now_.clock + 1;
  const RoundRng rng = run_.streams.choice.at(round);
  // A jump drew this duel with the knowledge that it ended the stretch.
  const Duel duel = now_.prepared ? *now_.prepared : policy_->select(round, rng);
  now_.prepared.reset();
  policy_->issued(duel, rng);
  now_.clock = round;
  if (duel.is_self()) {
    // Its outcome is a coin, as in the simulator.
    RoundRng answer = run_.streams.answer.at(duel.round);
    policy_->observe(duel, answer.coin() ? Outcome::first_wins : Outcome::second_wins, answer);
  } else {
    ++now_.outstanding;
  }
  return duel;
}

Asker::Question Asker::next() {
  if (waits()) return {State::wait, {}};
  const Round tries = now_.outstanding > 0 ? kTriesWhileOutstanding : kTries;
  for (Round tried = 0; tried < tries && now_.clock + 1 < kEndOfTime; ++tried) {
    const Duel duel = issue();
    if (!duel.is_self()) return {State::ask, duel};
    if (run_.jumps && now_.outstanding == 0) {
      const Round next_round = now_.clock + 1;
      const Jump jump = policy_->jump(next_round, kEndOfTime, run_.streams.choice.at(next_round));
      // A stretch without end leaves the clock where it is, so that later answers find time left.
      if (jump.idle_until >= kEndOfTime) break;
      now_.clock = jump.idle_until - 1;
      now_.prepared = jump.next;
    }
  }
  return {now_.outstanding > 0 ? State::wait : State::nothing, {}};
}

Asker::Question Asker::next_visit() {
  if (waits()) return {State::wait, {}};
  const Duel duel = issue();
  return {duel.is_self() ? State::exploit : State::ask, duel};
}

void Asker::answered(const Duel& duel, Outcome outcome) {
  DUEL_CHECK(now_.outstanding > 0);
  --now_.outstanding;
  // What was drawn ahead knew nothing of this answer; its round is still to come.
  now_.prepared.reset();
  policy_->observe(duel, outcome, run_.streams.answer.at(duel.round));
}

void Asker::heard(Arm first, Arm second, Outcome outcome, bool hearsay) {
  if (hearsay && !policy_->takes_hearsay()) return;
  now_.prepared.reset();
  policy_->observe(
      {.first = first, .second = second, .round = now_.clock, .foreign = true, .hearsay = hearsay},
      outcome, run_.foreign.at(++now_.heard));
}

std::string Asker::save() const {
  StateWriter writer;
  writer(policy_->save(), now_);
  return writer.finish();
}

Status Asker::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::string policy;
  Progress progress;
  reader(policy, progress);
  if (!reader.complete()) return Error::invalid_data("the saved state is not that of an asker");
  DUEL_RETURN_IF_ERROR(policy_->restore(policy));
  now_ = progress;
  return Done{};
}

}  // namespace duel
