#include "duel/ranking/metrics/click_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ranking/judged_data.h"

namespace duel {
namespace {

ClickLog log_of(std::string_view text) {
  auto log = read_click_log_text("log.csv", text);
  EXPECT_TRUE(log.ok()) << (log.ok() ? "" : log.error().to_string());
  return log.ok() ? *log : ClickLog{};
}

std::string error_of(std::string_view text) {
  const auto log = read_click_log_text("log.csv", text);
  return log.ok() ? "no error" : log.error().to_string();
}

double ratio_of(const ClickSums& sums, ClickMetric metric) {
  const Ratio& ratio = sums[static_cast<std::size_t>(metric)];
  return ratio.numerator / ratio.denominator;
}

const ClickMetricResult& result_of(const std::array<ClickMetricResult, kNumClickMetrics>& results,
                                   ClickMetric metric) {
  return results[static_cast<std::size_t>(metric)];
}

double by_query(const std::array<ClickMetricResult, kNumClickMetrics>& results,
                ClickMetric metric) {
  return result_of(results, metric).query_weighted.value().mean;
}

double by_user(const std::array<ClickMetricResult, kNumClickMetrics>& results, ClickMetric metric) {
  return result_of(results, metric).user_weighted.value().mean;
}

TEST(ClickMetrics, clicks_at_ranks_two_and_five_by_hand) {
  const std::vector<LoggedClick> clicks{{5, 30.0}, {2, 4.0}};
  const auto sums = click_sums_of(clicks);
  EXPECT_EQ(ratio_of(sums, ClickMetric::max_reciprocal_rank), 0.5);
  EXPECT_NEAR(ratio_of(sums, ClickMetric::mean_reciprocal_rank), 0.35, 1e-15);
  EXPECT_NEAR(ratio_of(sums, ClickMetric::summed_reciprocal_rank), 0.7, 1e-15);
  EXPECT_EQ(ratio_of(sums, ClickMetric::pskip), 3.0 / 5);
  EXPECT_EQ(ratio_of(sums, ClickMetric::clicks_at_1), 0);
  EXPECT_EQ(ratio_of(sums, ClickMetric::clicks_per_query), 2);
  EXPECT_EQ(ratio_of(sums, ClickMetric::abandonment_rate), 0);
  EXPECT_EQ(ratio_of(sums, ClickMetric::time_to_first_click), 4);
  EXPECT_EQ(ratio_of(sums, ClickMetric::time_to_last_click), 30);
}

TEST(ClickMetrics, repeated_clicks_count_only_as_clicks) {
  const std::vector<LoggedClick> clicks{{1, {}}, {1, {}}, {4, {}}};
  const auto sums = click_sums_of(clicks);
  EXPECT_EQ(ratio_of(sums, ClickMetric::clicks_per_query), 3);
  EXPECT_EQ(ratio_of(sums, ClickMetric::mean_reciprocal_rank), (1 + 0.25) / 2);
  EXPECT_EQ(ratio_of(sums, ClickMetric::pskip), 2.0 / 4);
}

// Two users. ann: three queries in one session (gaps 1800 and 10 s), then one after 1801 s. bob:
// one.
constexpr std::string_view kLog =
    "user,time,query,ranks,seconds\n"
    "ann,0,jaguar,,\n"
    "bob,5,cats,1,2\n"
    "ann,1800,jaguar car,2;5,4;30\n"
    "ann,1810,jaguar cars,1,10\n"
    "ann,3611,weather,1 1 3,1 2 6\n";

TEST(ClickMetrics, of_a_log_by_hand) {
  const auto results = compute_click_metrics(log_of(kLog));
  EXPECT_EQ(by_query(results, ClickMetric::abandonment_rate), 1.0 / 5);
  EXPECT_EQ(by_user(results, ClickMetric::abandonment_rate), (1.0 / 4 + 0) / 2);
  EXPECT_EQ(by_query(results, ClickMetric::reformulation_rate), 2.0 / 5);
  EXPECT_EQ(by_user(results, ClickMetric::reformulation_rate), (2.0 / 4 + 0) / 2);
  EXPECT_EQ(by_query(results, ClickMetric::queries_per_session), 5.0 / 3);
  EXPECT_EQ(by_user(results, ClickMetric::queries_per_session), (4.0 / 2 + 1) / 2);
  EXPECT_EQ(by_query(results, ClickMetric::clicks_per_query), 7.0 / 5);
  EXPECT_EQ(by_query(results, ClickMetric::clicks_at_1), 3.0 / 5);
  // Skipped 3 of 5, 0 of 1, 1 of 3 for ann, 0 of 1 for bob.
  EXPECT_EQ(by_query(results, ClickMetric::pskip), 4.0 / 10);
  EXPECT_EQ(by_user(results, ClickMetric::pskip), (4.0 / 9 + 0) / 2);
  EXPECT_NEAR(by_query(results, ClickMetric::max_reciprocal_rank), (0.5 + 1 + 1 + 1) / 4, 1e-15);
  EXPECT_NEAR(by_query(results, ClickMetric::mean_reciprocal_rank), (0.35 + 1 + 2.0 / 3 + 1) / 4,
              1e-15);
  EXPECT_EQ(by_query(results, ClickMetric::time_to_first_click), (4 + 10 + 1 + 2) / 4.0);
  EXPECT_EQ(by_query(results, ClickMetric::time_to_last_click), (30 + 10 + 6 + 2) / 4.0);
  for (const auto& result : results) EXPECT_EQ(result.users, 2u);
}

TEST(ClickMetrics, sessions_do_not_depend_on_the_order_of_lines) {
  const auto shuffled = log_of(
      "user\ttime\tquery\tranks\n"
      "ann\t3611\tweather\t1,3\n"
      "ann\t1800\tjaguar car\t2\n"
      "bob\t5\tcats\t1\n"
      "ann\t0\tjaguar\t\n"
      "ann\t1810\tjaguar cars\t1\n");
  EXPECT_EQ(by_query(compute_click_metrics(shuffled), ClickMetric::queries_per_session), 5.0 / 3);
}

TEST(ClickMetrics, what_a_log_cannot_tell_is_absent) {
  const auto results = compute_click_metrics(log_of("query,ranks\nq1,\nq2,3\n"));
  for (const ClickMetric metric :
       {ClickMetric::reformulation_rate, ClickMetric::queries_per_session,
        ClickMetric::time_to_first_click, ClickMetric::time_to_last_click}) {
    EXPECT_FALSE(result_of(results, metric).query_weighted.has_value());
  }
  EXPECT_EQ(by_query(results, ClickMetric::abandonment_rate), 0.5);
  // One user with a click only: no spread to speak of.
  EXPECT_EQ(by_query(results, ClickMetric::pskip), 2.0 / 3);
  EXPECT_FALSE(
      result_of(results, ClickMetric::pskip).query_weighted.value().standard_error.has_value());
}

TEST(ClickMetrics, standard_error_is_that_of_a_mean_over_users) {
  // One query per user, abandoned by 300 of 1000: the bootstrap's true deviation is
  // sqrt(.3 * .7/1000) = 0.014491, and 1000 resamples estimate it within 1/sqrt(2000) = 2.2 % (one
  // standard error).
  ClickLog log;
  log.num_users = 1000;
  for (std::uint32_t u = 0; u < 1000; ++u) {
    log.queries.push_back({u, std::nullopt, {}});
    if (u >= 300) log.queries.back().clicks.push_back({1, std::nullopt});
  }
  const auto results = compute_click_metrics(log);
  const auto& result = result_of(results, ClickMetric::abandonment_rate);
  const double expected = std::sqrt(.3 * .7 / 1000);
  EXPECT_EQ(result.query_weighted->mean, 0.3);
  EXPECT_NEAR(*result.query_weighted->standard_error, expected, 5 * 0.0224 * expected);
  EXPECT_NEAR(*result.user_weighted->standard_error, expected, 5 * 0.0224 * expected);
}

TEST(ClickMetrics, users_are_resampled_not_queries) {
  // 50 users with 40 equal queries each, half of them always abandon: the deviation is that of 50
  // values, sqrt(.25/50) = 0.0707, not that of 2000.
  ClickLog log;
  log.num_users = 50;
  for (std::uint32_t u = 0; u < 50; ++u) {
    for (int i = 0; i < 40; ++i) {
      log.queries.push_back({u, std::nullopt, {}});
      if (u % 2 == 0) log.queries.back().clicks.push_back({1, std::nullopt});
    }
  }
  const auto results = compute_click_metrics(log);
  EXPECT_NEAR(*result_of(results, ClickMetric::abandonment_rate).query_weighted->standard_error,
              std::sqrt(.25 / 50), 5 * 0.0224 * std::sqrt(.25 / 50));
}

TEST(ClickMetrics, are_a_function_of_log_and_seed) {
  const auto log = log_of(kLog);
  const auto first = compute_click_metrics(log, {.seed = 3});
  const auto again = compute_click_metrics(log, {.seed = 3});
  const auto other = compute_click_metrics(log, {.seed = 4});
  const auto error = [](const auto& results) {
    return *result_of(results, ClickMetric::clicks_per_query).query_weighted->standard_error;
  };
  EXPECT_EQ(error(first), error(again));
  EXPECT_NE(error(first), error(other));
}

TEST(ClickLog, errors_name_the_line) {
  EXPECT_EQ(
      error_of(""),
      "log.csv:0: the log is empty (begin with a line such as user,time,query,ranks,seconds)");
  EXPECT_EQ(error_of("user,time\n"),
            "log.csv:1: no column says what was clicked (either a column 'ranks' (2;5) or a column "
            "'clicked' (0;1;0;0;1))");
  EXPECT_NE(error_of("ranks,clicked\n").find("both 'ranks' and 'clicked'"), std::string::npos);
  EXPECT_EQ(error_of("ranks,ranks\n"), "log.csv:1: two columns named 'ranks'");
  EXPECT_EQ(error_of("clicked,seconds\n"),
            "log.csv:1: a column 'seconds' without a column 'ranks'");
  EXPECT_EQ(error_of("user,ranks\na\n"), "log.csv:2: 1 field instead of 2");
  EXPECT_EQ(error_of("user,ranks\na,0\n"),
            "log.csv:2: '0' is not a rank (a whole number, 1 to 1000000)");
  EXPECT_EQ(error_of("time,ranks\nnow,1\n"),
            "log.csv:2: 'now' is not a time (a number of seconds)");
  EXPECT_EQ(error_of("ranks,seconds\n1;2,3\n"),
            "log.csv:2: 2 clicks and 1 of their seconds (one for each click)");
  EXPECT_EQ(error_of("ranks,seconds\n1,-3\n"),
            "log.csv:2: '-3' is not a number of seconds (0 or more)");
  EXPECT_EQ(error_of("clicked\n0;2\n"), "log.csv:2: '2' is not 0 or 1 at rank 2");
  EXPECT_EQ(error_of("ranks\n"), "log.csv:1: there are no queries");
}

TEST(ClickLog, published_pages_of_one_query) {
  DUEL_SHARED_FILE(path, "clicks/yandex_one_query_train.tsv");
  const auto log = read_click_log_file(*path);
  ASSERT_TRUE(log.ok()) << log.error().to_string();
  EXPECT_EQ(log->queries.size(), 244u);
  // 158 of the pages have a click.
  EXPECT_NEAR(by_query(compute_click_metrics(*log), ClickMetric::abandonment_rate), 86.0 / 244,
              1e-15);
}

}  // namespace
}  // namespace duel
