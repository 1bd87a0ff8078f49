#include "duel/ranking/metrics/click_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

constexpr std::size_t index_of(ClickMetric metric) { return static_cast<std::size_t>(metric); }

constexpr std::array<ClickMetricFact, kNumClickMetrics> kFacts{{
    {ClickMetric::abandonment_rate, "abandonment-rate", true},
    {ClickMetric::reformulation_rate, "reformulation-rate", true},
    {ClickMetric::queries_per_session, "queries-per-session", true},
    {ClickMetric::clicks_per_query, "clicks-per-query", false},
    {ClickMetric::clicks_at_1, "clicks-at-1", false},
    {ClickMetric::pskip, "pskip", true},
    {ClickMetric::max_reciprocal_rank, "max-reciprocal-rank", false},
    {ClickMetric::mean_reciprocal_rank, "mean-reciprocal-rank", false},
    {ClickMetric::summed_reciprocal_rank, "summed-reciprocal-rank", false},
    {ClickMetric::time_to_first_click, "time-to-first-click", true},
    {ClickMetric::time_to_last_click, "time-to-last-click", false},
}};

void add_times(std::span<const LoggedClick> clicks, ClickSums& sums) {
  if (clicks.empty() || !clicks.front().seconds) return;
  double first = *clicks.front().seconds;
  double last = first;
  for (const LoggedClick& click : clicks) {
    first = std::min(first, *click.seconds);
    last = std::max(last, *click.seconds);
  }
  sums[index_of(ClickMetric::time_to_first_click)] = {first, 1};
  sums[index_of(ClickMetric::time_to_last_click)] = {last, 1};
}

// Sessions are runs of one user's queries, by time, without a pause longer than the gap.
void add_sessions(const ClickLog& log, double gap, std::vector<ClickSums>& users) {
  std::vector<std::size_t> order(log.queries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const LoggedQuery& left = log.queries[a];
    const LoggedQuery& right = log.queries[b];
    if (left.user != right.user) return left.user < right.user;
    if (*left.time != *right.time) return *left.time < *right.time;
    return a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const LoggedQuery& query = log.queries[order[i]];
    const bool followed = i + 1 < order.size() && log.queries[order[i + 1]].user == query.user &&
                          *log.queries[order[i + 1]].time - *query.time <= gap;
    ClickSums& sums = users[query.user];
    sums[index_of(ClickMetric::reformulation_rate)] += {followed ? 1.0 : 0.0, 1};
    // A query that is not followed closes its session.
    sums[index_of(ClickMetric::queries_per_session)] += {1, followed ? 0.0 : 1.0};
  }
}

// Both weightings of one metric over a sample of users.
struct Weighted {
  Ratio pooled;
  Ratio over_users;  // sum of the users' ratios, number of users

  void add(const Ratio& user) {
    if (user.denominator <= 0) return;
    pooled += user;
    over_users += {user.numerator / user.denominator, 1};
  }
};

// Mean and variance of the resampled means.
struct Spread {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {  // Welford
    ++count;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }
  std::optional<double> deviation() const {
    if (count < 2) return std::nullopt;
    return std::sqrt(squares / (count - 1));
  }
};

Json estimate_json(const std::optional<ClickEstimate>& estimate) {
  if (!estimate) return {};
  return {{"mean", estimate->mean}, {"standard_error", estimate->standard_error}};
}

}  // namespace

std::span<const ClickMetricFact, kNumClickMetrics> click_metric_facts() { return kFacts; }

ClickSums click_sums_of(std::span<const LoggedClick> clicks) {
  ClickSums sums{};
  const bool clicked = !clicks.empty();
  sums[index_of(ClickMetric::abandonment_rate)] = {clicked ? 0.0 : 1.0, 1};
  sums[index_of(ClickMetric::clicks_per_query)] = {static_cast<double>(clicks.size()), 1};
  sums[index_of(ClickMetric::clicks_at_1)] = {0, 1};
  if (!clicked) return sums;

  std::vector<std::uint32_t> ranks;
  for (const LoggedClick& click : clicks) ranks.push_back(click.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const auto num_clicked = static_cast<double>(ranks.size());
  // Down to the lowest click, everything is either clicked or skipped.
  const double seen = ranks.back();
  double reciprocals = 0;
  for (const std::uint32_t rank : ranks) reciprocals += 1.0 / rank;
  sums[index_of(ClickMetric::clicks_at_1)].numerator = ranks.front() == 1 ? 1 : 0;
  sums[index_of(ClickMetric::pskip)] = {seen - num_clicked, seen};
  sums[index_of(ClickMetric::max_reciprocal_rank)] = {1.0 / ranks.front(), 1};
  sums[index_of(ClickMetric::mean_reciprocal_rank)] = {reciprocals / num_clicked, 1};
  sums[index_of(ClickMetric::summed_reciprocal_rank)] = {reciprocals, 1};
  add_times(clicks, sums);
  return sums;
}

ClickResults compute_click_metrics(const ClickLog& log, const ClickMetricOptions& options) {
  std::vector<ClickSums> users(log.num_users);
  for (const LoggedQuery& query : log.queries) {
    const ClickSums sums = click_sums_of(query.clicks);
    for (std::size_t m = 0; m < kNumClickMetrics; ++m) users[query.user][m] += sums[m];
  }
  if (log.has_times) add_sessions(log, options.session_gap_seconds, users);

  std::array<Weighted, kNumClickMetrics> whole{};
  for (const ClickSums& user : users) {
    for (std::size_t m = 0; m < kNumClickMetrics; ++m) whole[m].add(user[m]);
  }

  std::array<Spread, kNumClickMetrics> by_query{};
  std::array<Spread, kNumClickMetrics> by_user{};
  const Stream stream(options.seed, 0, Purpose::generate, "click metrics");
  for (std::uint32_t r = 0; r < options.resamples && users.size() >= 2; ++r) {
    std::array<Weighted, kNumClickMetrics> sample{};
    RoundRng rng = stream.at(r);
    for (std::size_t i = 0; i < users.size(); ++i) {
      const ClickSums& user = users[static_cast<std::size_t>(rng.below(users.size()))];
      for (std::size_t m = 0; m < kNumClickMetrics; ++m) sample[m].add(user[m]);
    }
    for (std::size_t m = 0; m < kNumClickMetrics; ++m) {
      // A sample in which nobody contributes says nothing about this metric.
      if (sample[m].over_users.denominator == 0) continue;
      by_query[m].add(sample[m].pooled.numerator / sample[m].pooled.denominator);
      by_user[m].add(sample[m].over_users.numerator / sample[m].over_users.denominator);
    }
  }

  std::array<ClickMetricResult, kNumClickMetrics> results;
  for (std::size_t m = 0; m < kNumClickMetrics; ++m) {
    const auto& [pooled, over_users] = whole[m];
    results[m].fact = kFacts[m];
    results[m].users = static_cast<std::uint64_t>(over_users.denominator);
    if (results[m].users == 0) continue;
    const bool enough = results[m].users >= 2;
    results[m].query_weighted = {pooled.numerator / pooled.denominator,
                                 enough ? by_query[m].deviation() : std::nullopt};
    results[m].user_weighted = {over_users.numerator / over_users.denominator,
                                enough ? by_user[m].deviation() : std::nullopt};
  }
  return results;
}

Json to_json(const ClickLog& log, const ClickResults& results) {
  Json json;
  json["queries"] = log.queries.size();
  json["users"] = log.num_users;
  json["metrics"] = Json::array();
  for (const ClickMetricResult& result : results) {
    json["metrics"].push_back({{"name", std::string(result.fact.name)},
                               {"by_query", estimate_json(result.query_weighted)},
                               {"by_user", estimate_json(result.user_weighted)},
                               {"users", result.users},
                               {"worse_is", result.fact.rises ? "higher" : "lower"}});
  }
  return json;
}

}  // namespace duel
