// Evidence and certificates: what one duel costs.
#include <fmt/format.h>

#include <ctime>
#include <utility>
#include <vector>

#include "bench/workloads.h"
#include "duel/core/rng.h"
#include "duel/inference/certificate.h"
#include "duel/inference/serving_order.h"

namespace duel {
namespace {

struct Log {
  std::vector<Duel> duels;
  std::vector<Outcome> outcomes;
};

Log random_log(std::size_t num_arms, double p, std::size_t size) {
  Log log;
  RoundRng rng = Stream(1, 0, Purpose::test, "inference bench").at(1);
  for (std::size_t t = 0; t < size; ++t) {
    const auto i = static_cast<Arm>(rng.below(num_arms));
    const auto j = static_cast<Arm>((i + 1 + rng.below(num_arms - 1)) % num_arms);
    log.duels.push_back({.first = i, .second = j, .round = t});
    log.outcomes.push_back(rng.bernoulli(i < j ? p : 1 - p) ? Outcome::first_wins
                                                            : Outcome::second_wins);
  }
  return log;
}

// Processor seconds, so that other work on the machine does not count.
template <class Work>
double cpu_seconds(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

void inference_workload() {
  constexpr std::size_t kDuels = 1'000'000;
  fmt::print("\n## Evidence of one duel, 1e6 duels, one core\n\n");
  fmt::print("| arms | p | ns per duel | with serving order, ns per duel |\n|---|---|---|---|\n");
  for (const std::size_t num_arms :
       {std::size_t{2}, std::size_t{6}, std::size_t{30}, std::size_t{100}}) {
    for (const double p : {0.5, 0.55}) {
      const Log log = random_log(num_arms, p, kDuels);
      // A level that is never reached, so that looking goes on.
      const CertificateOptions options{.alpha = 1e-300, .arms_fixed = true};
      Certifier plain = std::move(Certifier::make(num_arms, options)).value();
      const double evidence = cpu_seconds([&] {
        for (std::size_t t = 0; t < kDuels; ++t) plain.observe(log.duels[t], log.outcomes[t]);
      });
      Certifier ordered = std::move(Certifier::make(num_arms, options)).value();
      ServingOrder order;
      const auto sink = [&](const Duel& duel, Outcome outcome) { ordered.observe(duel, outcome); };
      const double both = cpu_seconds([&] {
        for (std::size_t t = 0; t < kDuels; ++t) {
          order.served(t, log.duels[t].first, log.duels[t].second, sink);
          order.answered(t, log.outcomes[t], sink);
        }
      });
      fmt::print("| {} | {} | {:.0f} | {:.0f} |\n", num_arms, p, evidence / kDuels * 1e9,
                 both / kDuels * 1e9);
    }
  }
}

}  // namespace duel
