#include "duel/policies/interleaved_filter.h"

#include <algorithm>
#include <optional>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// No honest state claims more, and twice as many still fit.
constexpr std::uint64_t kMostDuels = std::uint64_t{1} << 62;

std::vector<Arm> all_arms_but(Arm left_out, std::size_t num_arms) {
  std::vector<Arm> arms = all_arms(num_arms);
  std::erase(arms, left_out);
  return arms;
}

}  // namespace

InterleavedFilter::InterleavedFilter(const InterleavedFilterOptions& options, bool prunes,
                                     std::size_t num_arms, RoundRng rng)
    : num_arms_(num_arms),
      prunes_(prunes),
      spread_(options.ci == FilterInterval::colt ? 1.0 : 4.0),
      log_term_(interleaved_filter_log_term(num_arms, options.horizon)),
      candidate_(static_cast<Arm>(rng.below(num_arms))),
      sweep_(all_arms_but(candidate_, num_arms)),
      records_(num_arms) {
  for (const Arm b : sweep_.items()) records_[b].active = 1;
}

void InterleavedFilter::answered(const Duel& duel, Points points, RoundRng& /*rng*/) {
  if (!concerns(duel)) return;
  Record& record = records_[duel.second];
  --record.pending;
  --pending_;
  ++record.duels;
  record.points += points.first;
  if (test_is_due()) test();
}

void InterleavedFilter::lost(const Duel& duel) {
  if (!concerns(duel)) return;
  --records_[duel.second].pending;
  --pending_;
  sweep_.ask_again(duel.second);
}

// With one duel at a time: at the end of every sweep and at no other time.
bool InterleavedFilter::test_is_due() const {
  const bool complete = sweep_.position() == 0 && pending_ == 0 && sweep_.none_lost();
  const bool ahead =
      sweep_.sweeps() > tested_ + 1 || (sweep_.sweeps() == tested_ + 1 && sweep_.position() > 0);
  return complete || ahead;
}

void InterleavedFilter::test() {
  // Lines 12 to 14: the candidate beats b with confidence.
  for (const Arm b : sweep_.items()) {
    const Record& record = records_[b];
    if (record.duels > 0 && mean(record) - radius(record) >= 0.5) discard(b);
  }
  // Line 15: b' beats the candidate with confidence. The smallest mean, then the lowest index.
  std::optional<Arm> successor;
  std::uint64_t complete_sweeps = sweep_.sweeps();
  for (const Arm b : sweep_.items()) {
    const Record& record = records_[b];
    if (record.active == 0) continue;
    complete_sweeps = std::min(complete_sweeps, record.duels);
    if (record.duels > 0 && mean(record) + radius(record) <= 0.5 &&
        (!successor || mean(record) < mean(records_[*successor]))) {
      successor = b;
    }
  }
  tested_ = complete_sweeps;
  if (successor) {
    replace_candidate(*successor);
  } else {
    sweep_.forget_dead([this](Arm b) { return active(b); });
  }
}

void InterleavedFilter::discard(Arm b) {
  pending_ -= records_[b].pending;
  records_[b] = Record{};
}

void InterleavedFilter::replace_candidate(Arm successor) {
  for (const Arm b : sweep_.items()) {
    Record& record = records_[b];
    // Lines 16 to 18 of Algorithm 3, the pruning of IF2.
    const bool pruned = prunes_ && record.duels > 0 && mean(record) > 0.5;
    const bool stays = record.active != 0 && b != successor && !pruned;
    record = Record{.active = stays ? 1U : 0U};
  }
  std::vector<Arm> arms = sweep_.items();
  std::erase_if(arms, [this](Arm b) { return !active(b); });
  sweep_ = Sweep<Arm>(std::move(arms));
  candidate_ = successor;
  tested_ = 0;
  pending_ = 0;
}

bool InterleavedFilter::restored(std::span<const Duel> pending) {
  const auto is_arm = [this](Arm b) { return b < num_arms_; };
  if (records_.size() != num_arms_ || !is_arm(candidate_) || !sweep_.restored(is_arm)) return false;
  for (Record& record : records_) {
    if (record.duels >= kMostDuels || record.points / 2 > record.duels) return false;
    record.active = 0;
    record.pending = 0;
  }
  for (const Arm b : sweep_.items()) {
    if (b == candidate_) return false;
    records_[b].active = 1;
  }
  pending_ = 0;
  for (const Duel& duel : pending) {
    if (duel.first != candidate_ || !active(duel.second)) continue;
    ++records_[duel.second].pending;
    ++pending_;
  }
  return true;
}

namespace {

template <class Options>
OptionTable<Options> filter_options() {
  OptionTable<Options> table;
  table.horizon(&Options::horizon);
  table.template choice<FilterInterval>(
      "ci", &Options::ci, {{"colt", FilterInterval::colt}, {"jcss", FilterInterval::jcss}},
      "confidence interval: sqrt(ln(1/delta)/n) of the conference paper, or twice as wide as in "
      "the journal",
      Shown::always);
  return table;
}

const bool interleaved_filter_1_is_registered = register_policy<InterleavedFilter1>(
    {.name = "if1",
     .title = "Interleaved Filter 1",
     .paper = "Yue, Broder, Kleinberg, Joachims. COLT 2009, Algorithms 1 and 2; JCSS 78, 2012",
     .setting = "total order, strong stochastic transitivity, stochastic triangle inequality",
     .guarantee = "O(K log K/eps_12 log T) weak and strong regret with high probability, errs with "
                  "probability <= 1/T",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    filter_options<InterleavedFilter1Options>());

const bool interleaved_filter_2_is_registered = register_policy<InterleavedFilter2>(
    {.name = "if2",
     .title = "Interleaved Filter 2",
     .paper = "Yue, Broder, Kleinberg, Joachims. COLT 2009, Algorithms 1 and 3; JCSS 78, 2012",
     .setting = "total order, strong stochastic transitivity, stochastic triangle inequality",
     .guarantee = "O(K/eps_12 log T) expected weak and strong regret, errs with probability <= 1/T "
                  "(with ci=jcss)",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    filter_options<InterleavedFilter2Options>());

}  // namespace

}  // namespace duel
