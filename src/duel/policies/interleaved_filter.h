// Interleaved Filter 1 and 2 (IF1, IF2).
// Yue, Broder, Kleinberg, Joachims. The K-armed dueling bandits problem. COLT 2009, Algorithms 2
// and 3; J. Comput. Syst. Sci. 78 (2012). Inside explore-then-exploit (explore_then_exploit.h).
// Assumes    a strict total order with strong stochastic transitivity and the stochastic triangle
//            inequality; a horizon T >= K.
// Guarantee  errs with probability <= 1/T; regret, weak and strong, O(K log K/eps_12 log T) with
//            high probability (IF1, Theorem 1), O(K/eps_12 log T) in expectation (IF2, Theorem 2).
// Cost       O(1) amortised per duel, 32 bytes per arm.
// Departs    nowhere. Where several arms could replace the candidate (the paper: any), the one it
//            does worst against does, then the lowest index. IF2's pruning proof needs the wider
//            interval of the journal (jcss), IF1's does not, hence their defaults.
//
// Outstanding duels: the sweep goes on when a duel goes out. The test runs when an answer completes
// a sweep, and, where the schedule has had to begin the next one already, at every answer, each arm
// with the count it has. Answers about a discarded candidate or arm are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/parts/explore_then_exploit.h"
#include "duel/policies/parts/sweep.h"
#include "duel/policies/policy.h"

namespace duel {

// Width of the interval: c_n = sqrt(C ln(1/delta) / n).
enum class FilterInterval {
  colt,  // C = 1, the conference paper
  jcss,  // C = 4, the journal
};

struct InterleavedFilterOptions : PolicyOptions {
  std::uint64_t horizon = 0;
  FilterInterval ci = FilterInterval::colt;
};
struct InterleavedFilter1Options : InterleavedFilterOptions {};
struct InterleavedFilter2Options : InterleavedFilterOptions {
  InterleavedFilter2Options() { ci = FilterInterval::jcss; }
};

// ln(1/delta) with delta = 1/(T K^2).
inline double interleaved_filter_log_term(std::size_t num_arms, Round horizon) {
  return natural_log(static_cast<double>(horizon)) +
         2.0 * natural_log(static_cast<double>(num_arms));
}

// The explorer of both; `prunes` makes it IF2.
class InterleavedFilter {
 public:
  InterleavedFilter(const InterleavedFilterOptions& options, bool prunes, std::size_t num_arms,
                    RoundRng rng);

  struct Choice {
    Duel duel;
    Sweep<Arm>::Place place;
  };
  // Lines 8 and 9: the candidate against every active arm, in index order.
  Choice choose(Round round, RoundRng /*rng*/) const {
    const auto place = sweep_.next([this](Arm b) { return active(b); });
    return {{candidate_, place.item, round}, place};
  }
  void commit(const Choice& choice) {
    sweep_.asked(choice.place, [this](Arm b) { return active(b); });
    ++pending_;
    ++records_[choice.place.item].pending;
  }
  void answered(const Duel& duel, Points points, RoundRng& rng);
  void lost(const Duel& duel);
  bool finished() const { return sweep_.items().empty(); }
  Arm leader(RoundRng /*rng*/) const { return candidate_; }

  Arm candidate() const { return candidate_; }
  const std::vector<Arm>& active_arms() const { return sweep_.items(); }

  void fields(auto& archive) { archive(candidate_, sweep_, records_, tested_); }
  bool restored(std::span<const Duel> pending);

 private:
  // What is known of an arm against the candidate.
  struct Record {
    std::uint64_t duels = 0;
    std::uint64_t points = 0;  // half wins of the candidate
    std::uint32_t pending = 0;
    std::uint32_t active = 0;
  };

  bool active(Arm b) const { return records_[b].active != 0; }
  // Whether the duel is about the present candidate and an arm that is still in question.
  bool concerns(const Duel& duel) const { return duel.first == candidate_ && active(duel.second); }
  bool test_is_due() const;
  void test();
  void discard(Arm b);
  void replace_candidate(Arm successor);
  double mean(const Record& record) const {
    return static_cast<double>(record.points) / static_cast<double>(2 * record.duels);
  }
  double radius(const Record& record) const {
    return root_radius(spread_, log_term_, static_cast<double>(record.duels));
  }

  std::size_t num_arms_;
  bool prunes_;
  double spread_;    // C
  double log_term_;  // ln(1/delta)
  Arm candidate_;
  Sweep<Arm> sweep_;  // its items are W
  std::vector<Record> records_;
  std::uint64_t tested_ = 0;  // sweeps whose answers are all in
  std::uint64_t pending_ = 0;
};

template <class OptionsOfForm, bool prunes>
class InterleavedFilterExplorer : public InterleavedFilter {
 public:
  using Options = OptionsOfForm;
  InterleavedFilterExplorer(const Options& options, std::size_t num_arms, RoundRng rng)
      : InterleavedFilter(options, prunes, num_arms, rng) {}
};

using InterleavedFilter1 =
    ExploreThenExploit<InterleavedFilterExplorer<InterleavedFilter1Options, false>>;
using InterleavedFilter2 =
    ExploreThenExploit<InterleavedFilterExplorer<InterleavedFilter2Options, true>>;
}  // namespace duel
