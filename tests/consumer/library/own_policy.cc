// A policy of your own, asked and told by hand: it compares neighbours, round and round.
#include <cstddef>
#include <iostream>
#include <utility>
#include <vector>

#include "duel/duel.h"

namespace {

struct NeighboursOptions : duel::PolicyOptions {};

class Neighbours : public duel::SelectingPolicy<Neighbours> {
 public:
  using Options = NeighboursOptions;

  Neighbours(const Options& options, std::size_t num_arms, duel::RoundRng /*rng*/)
      : options_(options), counts_(num_arms) {}

  duel::Duel select(duel::Round round, duel::RoundRng /*rng*/) const {
    const auto arm = static_cast<duel::Arm>(round % counts_.num_arms());
    const auto next = static_cast<duel::Arm>((arm + 1) % counts_.num_arms());
    return {arm, next, round};
  }
  void observe(const duel::Duel& duel, duel::Outcome outcome, duel::RoundRng rng) {
    duel::count_duel(counts_, duel, outcome, options_.ties, rng);
  }
  duel::Arm recommend(duel::RoundRng /*rng*/) const {
    return duel::empirical_copeland_leader(counts_);
  }

  // What is saved, and whether what was restored makes sense.
  template <class Archive>
  void fields(Archive& archive) {
    archive(counts_);
  }
  bool restored() { return true; }

 private:
  Options options_;
  duel::PairCounts counts_;
};

// From here on the name means this policy wherever one can be named.
const bool kRegistered = duel::register_policy<Neighbours>(
    duel::PolicyFacts{.name = "neighbours",
                      .title = "Neighbours in turn",
                      .paper = "none",
                      .setting = "any",
                      .guarantee = "none",
                      .status = "experimental"},
    duel::with_common_options(duel::OptionTable<NeighboursOptions>()));

}  // namespace

int main() {
  const auto configured = duel::configure_policy({"neighbours", {}}, {.num_arms = 3});
  if (!kRegistered || !configured.ok()) return 1;
  const duel::TrialStreams streams(1, 0, "neighbours");
  const auto policy = (*configured)->make(streams.choice.at(0));
  for (duel::Round round = 1; round <= 30; ++round) {
    const duel::RoundRng rng = streams.choice.at(round);
    const duel::Duel asked = policy->select(round, rng);
    policy->issued(asked, rng);
    // Arm 2 beats arm 1, which beats arm 0.
    const bool first_wins = asked.first > asked.second;
    policy->observe(asked, first_wins ? duel::Outcome::first_wins : duel::Outcome::second_wins,
                    streams.answer.at(round));
  }
  std::cout << (*configured)->canonical() << " recommends arm "
            << policy->recommend(streams.recommend.at(30)) << '\n';
}
