#include "duel/study/gate_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

// `win`: how often the candidate wins; ties as the spec says, and the baseline has the rest. Both
// forecasts meet the same draws.
GateForecast forecast(const GatePlanSpec& spec, double win) {
  GateForecast forecast{.mean_score = win + spec.tie_rate / 2};
  std::vector<std::uint64_t> answers;
  for (std::uint32_t trial = 0; trial < spec.trials; ++trial) {
    RoundRng rng = Stream(spec.seed, trial, Purpose::outcome).at(0);
    Gate gate(spec.rule);
    while (gate.end() == GateEnd::open && gate.answers() < spec.max_duels) {
      const double u = rng.uniform();
      gate.observe(u < win                   ? Outcome::first_wins
                   : u < win + spec.tie_rate ? Outcome::tie
                                             : Outcome::second_wins);
    }
    ++(gate.end() == GateEnd::passed   ? forecast.passed
       : gate.end() == GateEnd::failed ? forecast.failed
                                       : forecast.undecided);
    answers.push_back(gate.answers());
  }
  std::ranges::sort(answers);
  const auto quantile = [&](std::size_t percent) {
    return answers[answers.size() * percent / 100];
  };
  forecast.p10 = quantile(10);
  forecast.p50 = quantile(50);
  forecast.p90 = quantile(90);
  return forecast;
}

}  // namespace

Result<GatePlan> plan_of_gate(const GatePlanSpec& spec) {
  DUEL_RETURN_IF_ERROR(check_gate(spec.rule));
  const double m = 2 * spec.rule.margin;
  if (!(spec.tie_rate >= 0 && spec.tie_rate <= 1 - m)) {
    return Error::invalid_argument(fmt::format("{} is out of range", spec.tie_rate))
        .with_hint(
            fmt::format("from 0 to {:.6g}: with more ties no score is as low as the margin", 1 - m))
        .in_field("tie_rate");
  }
  const double decisive = 1 - spec.tie_rate;
  return GatePlan{.no_difference = forecast(spec, decisive / 2),
                  .at_the_margin = forecast(spec, (decisive - m) / 2)};
}

}  // namespace duel
