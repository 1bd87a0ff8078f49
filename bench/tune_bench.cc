// What a duel of a tuner costs: choosing the pair and hearing the answer, in a run to 1000 duels,
// its mean and its dearest one. `scripts/bench tune` runs it.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "bench/workloads.h"
#include "duel/study/tuning_trial.h"

namespace duel {
namespace {

// CPU time of this thread, whatever else the machine does.
double thread_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

void print_row(const std::string& name, std::size_t dimension, std::uint64_t duels) {
  const SpacePtr space = unit_cube(dimension);
  const auto configured = configure_tuner(name, dimension, duels).value();
  const TuningProblem problem(Landscape::bowl, dimension, 1);
  const auto tuner = configured->make({space, duels, 1, 0});
  const Stream outcomes(1, 0, Purpose::outcome);
  double total = 0, dearest = 0;
  for (std::uint64_t n = 1; n <= duels; ++n) {
    double start = thread_milliseconds();
    const PointPair pair = tuner->ask();
    double cost = thread_milliseconds() - start;
    RoundRng coin = outcomes.at(n);
    const bool first = coin.bernoulli(problem.win_probability(pair.first, pair.second));
    start = thread_milliseconds();
    tuner->tell(pair, first ? Outcome::first_wins : Outcome::second_wins);
    cost += thread_milliseconds() - start;
    total += cost;
    dearest = std::max(dearest, cost);
  }
  fmt::print("| {} | {} | {} | {:.3f} | {:.2f} |\n", name, dimension, duels,
             total / static_cast<double>(duels), dearest);
}

}  // namespace

void tune_workload() {
  fmt::print(
      "\n## A duel of a tuner\n\n| tuner | d | duels | ms a duel, mean | the dearest |\n"
      "|---|---|---|---|---|\n");
  for (const std::size_t d : {1, 2, 8, 20}) print_row("kernel-ts", d, 1000);
  print_row("kernel-ts", 8, 4000);
  for (const char* name : {"random", "dbgd", "halving"}) print_row(name, 8, 1000);
}

}  // namespace duel
