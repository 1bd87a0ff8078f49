#include "duel/policies/asker.h"

#include "duel/core/archive_containers.h"
#include "duel/core/check.h"

namespace duel {

Asker::Asker(const ConfiguredPolicy& policy, std::uint64_t seed, std::uint32_t trial)
    : streams_(seed, trial, policy.facts().name),
      foreign_(seed, trial, Purpose::answer, policy.facts().name + "/foreign"),
      jumps_(policy.facts().jumping != Jumping::none),
      sequential_(policy.facts().outstanding == Outstanding::sequential) {
  policy_ = policy.make(streams_.choice.at(0));
}

Asker::Asker(const Asker& other)
    : policy_(other.policy_->clone()),
      streams_(other.streams_),
      foreign_(other.foreign_),
      jumps_(other.jumps_),
      sequential_(other.sequential_),
      clock_(other.clock_),
      outstanding_(other.outstanding_),
      heard_(other.heard_),
      prepared_(other.prepared_) {}

Asker& Asker::operator=(const Asker& other) {
  if (this != &other) *this = Asker(other);
  return *this;
}

// A self-duel goes by: its outcome is a coin, as in the simulator.
void Asker::idle(const Duel& self) {
  RoundRng answer = streams_.answer.at(self.round);
  policy_->observe(self, answer.coin() ? Outcome::first_wins : Outcome::second_wins, answer);
}

Asker::Question Asker::next() {
  if (sequential_ && outstanding_ > 0) return {State::wait, {}};
  const Round tries = outstanding_ > 0 ? kTriesWhileOutstanding : kTries;
  for (Round tried = 0; tried < tries; ++tried) {
    const Round round = clock_ + 1;
    if (round >= kEndOfTime) break;
    const RoundRng rng = streams_.choice.at(round);
    // A jump drew this duel with the knowledge that it ended the stretch.
    const Duel duel = prepared_ ? *prepared_ : policy_->select(round, rng);
    prepared_.reset();
    policy_->issued(duel, rng);
    clock_ = round;
    if (!duel.is_self()) {
      ++outstanding_;
      return {State::ask, duel};
    }
    idle(duel);
    if (jumps_ && outstanding_ == 0) {
      const Jump jump = policy_->jump(round + 1, kEndOfTime, streams_.choice.at(round + 1));
      // A stretch without end leaves the clock where it is, so that later answers find time left.
      if (jump.idle_until >= kEndOfTime) break;
      clock_ = jump.idle_until - 1;
      prepared_ = jump.next;
    }
  }
  return {outstanding_ > 0 ? State::wait : State::nothing, {}};
}

Asker::Question Asker::next_visit() {
  if (sequential_ && outstanding_ > 0) return {State::wait, {}};
  const Round round = clock_ + 1;
  const RoundRng rng = streams_.choice.at(round);
  const Duel duel = prepared_ ? *prepared_ : policy_->select(round, rng);
  prepared_.reset();
  policy_->issued(duel, rng);
  clock_ = round;
  if (duel.is_self()) {
    idle(duel);
    return {State::exploit, duel};
  }
  ++outstanding_;
  return {State::ask, duel};
}

void Asker::answered(const Duel& duel, Outcome outcome) {
  DUEL_CHECK(outstanding_ > 0);
  --outstanding_;
  // What was drawn ahead knew nothing of this answer; its round is still to come.
  prepared_.reset();
  policy_->observe(duel, outcome, streams_.answer.at(duel.round));
}

void Asker::heard(Arm first, Arm second, Outcome outcome, bool hearsay) {
  if (hearsay && !policy_->takes_hearsay()) return;
  prepared_.reset();
  policy_->observe(
      {.first = first, .second = second, .round = clock_, .foreign = true, .hearsay = hearsay},
      outcome, foreign_.at(++heard_));
}

namespace {

template <class Archive>
void archive_asker(Archive& archive, std::string& policy, Round& clock, std::uint64_t& outstanding,
                   std::uint64_t& heard, std::optional<Duel>& prepared) {
  archive_fields(archive, policy, clock, outstanding, heard, prepared);
}

}  // namespace

std::string Asker::save() const {
  Asker& self = const_cast<Asker&>(*this);  // a writer only reads
  std::string policy = policy_->save();
  StateWriter writer;
  archive_asker(writer, policy, self.clock_, self.outstanding_, self.heard_, self.prepared_);
  return writer.finish();
}

Status Asker::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::string policy;
  Round clock = 0;
  std::uint64_t outstanding = 0, heard = 0;
  std::optional<Duel> prepared;
  archive_asker(reader, policy, clock, outstanding, heard, prepared);
  if (!reader.complete()) return Error::invalid_data("the saved state is not that of an asker");
  DUEL_RETURN_IF_ERROR(policy_->restore(policy));
  clock_ = clock;
  outstanding_ = outstanding;
  heard_ = heard;
  prepared_ = prepared;
  return Done{};
}

}  // namespace duel
