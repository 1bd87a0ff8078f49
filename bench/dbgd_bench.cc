// What a duel of DBGD costs, next to drawing its direction alone, which no implementation can
// avoid. `scripts/bench dbgd` runs it; bench/performance.md quotes it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "bench/workloads.h"
#include "duel/continuous/direction.h"
#include "duel/continuous/learner_registry.h"
#include "duel/continuous/point_trial.h"

namespace duel {
namespace {

// CPU time of this thread, whatever else the machine does.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> runs) {
  std::sort(runs.begin(), runs.end());
  return runs[runs.size() / 2];
}

// Nanoseconds of drawing one direction from the round's own stream.
double direction_cost(std::size_t dimension, Round draws) {
  std::vector<double> u(dimension);
  const Stream stream(1, 0, Purpose::choice, "dbgd");
  const double start = thread_seconds();
  for (Round round = 1; round <= draws; ++round) {
    RoundRng rng = stream.at(round);
    draw_direction(rng, u);
    asm volatile("" : : "g"(u.data()) : "memory");
  }
  return 1e9 * (thread_seconds() - start) / static_cast<double>(draws);
}

// Nanoseconds of one comparison in a trial with regret: direction, proposal, two values, link,
// coin, move.
double duel_cost(const std::string& learner, ValueFunction value, std::size_t dimension,
                 Round duels) {
  const PointSetPtr ball = make_ball(dimension, 10).value();
  const auto configured = configure_point_learner(learner, ball, 1'000'000).value();
  const auto d = static_cast<double>(dimension);
  const auto instance = configured->make(std::vector<double>(dimension, std::sqrt(5.0 / d)));
  const std::vector<Round> checkpoints = {duels};
  const double start = thread_seconds();
  const std::vector<double> regret =
      play_points(*instance, {value, Link::logistic}, checkpoints, 1, 0, learner);
  asm volatile("" : : "g"(regret.data()) : "memory");
  return 1e9 * (thread_seconds() - start) / static_cast<double>(duels);
}

// Medians of 9 runs; the direction and the learner take turns, so that both meet the same machine.
struct Costs {
  double direction, duel;
};
Costs costs(const std::string& learner, ValueFunction value, std::size_t dimension, Round duels) {
  std::vector<double> directions, plays;
  for (int run = 0; run < 9; ++run) {
    directions.push_back(direction_cost(dimension, duels));
    plays.push_back(duel_cost(learner, value, dimension, duels));
  }
  return {median(directions), median(plays)};
}

void print_row(const std::string& first, const Costs& cost) {
  fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |\n", first, cost.direction, cost.duel,
             1e3 / cost.duel, cost.direction / cost.duel);
}

}  // namespace

void dbgd_workload() {
  constexpr const char* kColumns =
      "ns of a direction alone | ns of a duel | million duels/s | share of the direction's rate |\n"
      "|---|---|---|---|---|\n";
  fmt::print("\n## d = 50, ball of radius 10, logistic link, dbgd\n\n| value | {}", kColumns);
  for (const ValueFunction value : {ValueFunction::v1, ValueFunction::v2, ValueFunction::v3,
                                    ValueFunction::v4, ValueFunction::v5}) {
    print_row(std::string(value_name(value)), costs("dbgd", value, 50, 100'000));
  }
  fmt::print("\n## d = 50, v1\n\n| learner | {}", kColumns);
  for (const char* learner : {"bgd1", "bgd2", "dbgd(batch=10)", "dbgd(batch=100)"}) {
    print_row(learner, costs(learner, ValueFunction::v1, 50, 100'000));
  }
  fmt::print("\n## Growth with the dimension, v1, dbgd\n\n| d | {}", kColumns);
  for (const std::size_t d : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    print_row(fmt::format("{}", d), costs("dbgd", ValueFunction::v1, d, 2'000'000 / (d + 20)));
  }
}

}  // namespace duel
