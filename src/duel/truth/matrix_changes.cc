#include "duel/truth/matrix_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/checkpoints.h"
#include "duel/core/options.h"
#include "duel/core/rng.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

constexpr std::uint64_t kMostChanges = 10'000;

// The first round of part `part` of `parts` in `rounds` rounds.
Round begin_of(std::uint64_t part, std::uint64_t parts, Round rounds) {
  __extension__ using Wide = unsigned __int128;
  return 1 + static_cast<Round>(Wide{part} * rounds / parts);
}

Status check_parts(std::uint64_t parts, Round rounds) {
  if (parts <= rounds) return Done{};
  return Error::invalid_argument(
      fmt::format("{} matrices do not fit into {} rounds", parts, rounds));
}

PreferenceMatrix renamed(const PreferenceMatrix& base, const std::vector<Arm>& order) {
  const std::size_t k = base.num_arms();
  std::vector<double> p(k * k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) p[i * k + j] = base(order[i], order[j]);
  }
  auto matrix = PreferenceMatrix::create(base.name(), base.arm_names(), std::move(p));
  DUEL_CHECK(matrix.ok());
  return *std::move(matrix);
}

struct SwitchingOptions {
  std::string base = "arxiv";
  std::uint64_t changes = 5;
  std::uint64_t rounds = 100'000;
  std::uint64_t seed = 0;
};
struct DriftingOptions {
  std::string from = "arxiv";
  std::string to = "slides";
  std::uint64_t rounds = 100'000;
  std::uint64_t steps = 100;
};

template <class Options>
OptionTable<Options> with_rounds(OptionTable<Options> table) {
  table.count("rounds", &Options::rounds, 1, kMaxRounds, "rounds over which it changes",
              Shown::always);
  return table;
}

OptionTable<SwitchingOptions> switching_options() {
  return with_rounds(OptionTable<SwitchingOptions>()
                         .text("base", &SwitchingOptions::base, "the matrix", Shown::always)
                         .count("changes", &SwitchingOptions::changes, 0, kMostChanges,
                                "how often the arms exchange their places", Shown::always))
      .count("seed", &SwitchingOptions::seed, 0, (std::uint64_t{1} << 63) - 1,
             "seed of the new places", Shown::always);
}

OptionTable<DriftingOptions> drifting_options() {
  return with_rounds(OptionTable<DriftingOptions>()
                         .text("from", &DriftingOptions::from, "the first matrix", Shown::always)
                         .text("to", &DriftingOptions::to, "the last matrix", Shown::always))
      .count("steps", &DriftingOptions::steps, 1, kMostChanges, "equal steps from one to the other",
             Shown::always);
}

}  // namespace

Result<MatrixSchedule> switching_schedule(const PreferenceMatrix& base, std::uint64_t changes,
                                          Round rounds, std::uint64_t seed) {
  DUEL_RETURN_IF_ERROR(check_parts(changes + 1, rounds));
  MatrixSchedule schedule;
  schedule.segments.push_back({1, base});
  const std::optional<Arm> winner = condorcet_winner(base);
  const std::span<const double> p = base.row_major();
  if (changes > 0 && !winner && std::ranges::all_of(p, [](double x) { return x == 0.5; })) {
    return Error::invalid_argument("its arms are all alike, so that they cannot change places",
                                   base.name());
  }
  if (changes > 0 && base.num_arms() < 2) {
    return Error::invalid_argument("one arm has nobody to change places with", base.name());
  }
  const Stream stream(seed, 0, Purpose::generate, kSwitching);
  std::vector<Arm> order(base.num_arms());
  std::iota(order.begin(), order.end(), Arm{0});
  for (std::uint64_t change = 1; change <= changes; ++change) {
    RoundRng rng = stream.at(change);
    const PreferenceMatrix& before = schedule.segments.back().matrix;
    const std::vector<Arm> places = order;
    const auto is_same = [&] {
      if (winner) {
        const auto of = [&](const std::vector<Arm>& all) {
          return std::ranges::find(all, *winner);
        };
        return of(order) - order.begin() == of(places) - places.begin();
      }
      return std::ranges::equal(renamed(base, order).row_major(), before.row_major());
    };
    do {
      for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
    } while (is_same());
    schedule.segments.push_back({begin_of(change, changes + 1, rounds), renamed(base, order)});
  }
  schedule.name = switching_options().canonical(
      kSwitching, {.base = base.name(), .changes = changes, .rounds = rounds, .seed = seed});
  return schedule;
}

Result<MatrixSchedule> drifting_schedule(const PreferenceMatrix& from, const PreferenceMatrix& to,
                                         std::uint64_t steps, Round rounds) {
  DUEL_RETURN_IF_ERROR(check_parts(steps + 1, rounds));
  if (from.num_arms() != to.num_arms()) {
    return Error::invalid_argument(fmt::format("matrix '{}' has {} arms, and '{}' has {}",
                                               to.name(), to.num_arms(), from.name(),
                                               from.num_arms()));
  }
  MatrixSchedule schedule;
  for (std::uint64_t step = 0; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    // Exactly the matrices given at both ends.
    const std::span<const double> end = (step == steps ? to : from).row_major();
    std::vector<double> p(end.begin(), end.end());
    const std::size_t k = from.num_arms();
    for (std::size_t i = 0; i < k && step > 0 && step < steps; ++i) {
      for (std::size_t j = i + 1; j < k; ++j) {
        p[i * k + j] = (1 - share) * p[i * k + j] + share * to.row_major()[i * k + j];
        p[j * k + i] = 1 - p[i * k + j];
      }
    }
    DUEL_ASSIGN(PreferenceMatrix matrix,
                PreferenceMatrix::create(from.name(), from.arm_names(), std::move(p)));
    schedule.segments.push_back({begin_of(step, steps + 1, rounds), std::move(matrix)});
  }
  schedule.name = drifting_options().canonical(
      kDrifting, {.from = from.name(), .to = to.name(), .rounds = rounds, .steps = steps});
  return schedule;
}

Result<MatrixSchedule> changing_matrix(const CallSpec& call) {
  const auto made = [&]() -> Result<MatrixSchedule> {
    if (call.name == kSwitching) {
      DUEL_ASSIGN(const SwitchingOptions options, switching_options().parse(call, {}, "matrix"));
      DUEL_ASSIGN(const PreferenceMatrix base, resolve_matrix(options.base));
      return switching_schedule(base, options.changes, options.rounds, options.seed);
    }
    DUEL_ASSIGN(const DriftingOptions options, drifting_options().parse(call, {}, "matrix"));
    DUEL_ASSIGN(const PreferenceMatrix from, resolve_matrix(options.from));
    DUEL_ASSIGN(const PreferenceMatrix to, resolve_matrix(options.to));
    return drifting_schedule(from, to, options.steps, options.rounds);
  }();
  if (made.ok() || !made.error().where.empty()) return made;
  Error error = made.error();
  error.where = call.name;
  return error;
}

}  // namespace duel
