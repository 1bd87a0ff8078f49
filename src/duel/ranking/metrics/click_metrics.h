// The absolute click metrics of Radlinski, Kurup, Joachims (CIKM 2008): what one list's clicks say
// about its quality, without a second list to compare with. (Their finding: none of them follows
// quality reliably; interleaving does.)
//
// Every metric is a ratio of two sums over the log, and every user contributes to both:
//   query-weighted  (sum over users of numerators)/(sum of denominators),
//   user-weighted   the mean over users, with a denominator above 0, of their own ratio.
// Standard errors are those of both under a bootstrap that draws users with replacement.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "duel/core/json.h"
#include "duel/ranking/metrics/click_log.h"

namespace duel {

enum class ClickMetric {
  abandonment_rate,     // queries without a click / queries
  reformulation_rate,   // queries followed by another of the same session / queries
  queries_per_session,  // queries / sessions
  clicks_per_query,     // clicks, repeats included / queries
  clicks_at_1,          // queries with a click at rank 1 / queries
  pskip,                // results skipped above the lowest click / these and the clicked ones
  max_reciprocal_rank,  // sum of 1/(highest rank clicked) / queries with a click
  // Radlinski et al. add up 1/rank over a query's clicks (their "mean" is over queries), so that
  // every further click raises it. The mean over a query's clicks, which others mean by the name,
  // falls with a further click at a lower rank.
  mean_reciprocal_rank,    // sum of the mean of 1/rank over clicked ranks / queries with a click
  summed_reciprocal_rank,  // sum of 1/rank over clicked ranks / queries with a click
  time_to_first_click,     // seconds / queries with a click
  time_to_last_click,      // seconds / queries with a click
};
inline constexpr std::size_t kNumClickMetrics = 11;

struct ClickMetricFact {
  ClickMetric metric;
  std::string_view name;  // "abandonment-rate"
  bool rises;             // expected to rise as quality falls
};
std::span<const ClickMetricFact, kNumClickMetrics> click_metric_facts();

// Numerator and denominator; added up over queries.
struct Ratio {
  double numerator = 0;
  double denominator = 0;

  Ratio& operator+=(const Ratio& other) {
    numerator += other.numerator;
    denominator += other.denominator;
    return *this;
  }
};
using ClickSums = std::array<Ratio, kNumClickMetrics>;

// What a query's clicks alone contribute: all metrics but the two of sessions. Ranks clicked more
// than once count once, except in clicks_per_query.
ClickSums click_sums_of(std::span<const LoggedClick> clicks);

struct ClickEstimate {
  double mean = 0;
  std::optional<double> standard_error;  // unknown for fewer than two users
};

struct ClickMetricResult {
  ClickMetricFact fact;
  // Absent where the log has nothing to tell: no query with a click, or no times.
  std::optional<ClickEstimate> query_weighted;
  std::optional<ClickEstimate> user_weighted;
  std::uint64_t users = 0;  // that contribute
};

struct ClickMetricOptions {
  double session_gap_seconds = 30 * 60;  // a longer pause between two queries begins a new session
  std::uint32_t resamples = 1000;
  std::uint64_t seed = 1;
};

// All metrics, in the order of the enumeration. A function of the log and the options: resample r
// draws from its own stream.
using ClickResults = std::array<ClickMetricResult, kNumClickMetrics>;
ClickResults compute_click_metrics(const ClickLog& log, const ClickMetricOptions& options = {});

// As `duel metrics --clicks LOG --json` prints them.
Json to_json(const ClickLog& log, const ClickResults& results);

}  // namespace duel
