#include "duel/verdict/forecast.h"

#include <gtest/gtest.h>

#include "tests/experiment/played_log.h"

namespace duel {
namespace {

Forecast forecast(const PlayedLog& log) {
  const Ledger& ledger = log.live().ledger();
  return forecast_of(ledger, standing_of(ledger));
}

// Records are a second apart, and each duel is two of them: 43 200 duels a day.
TEST(Forecast, tells_the_days_at_the_pace_of_the_last_duels) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.1}, 60);
  const Forecast told = forecast(log);
  ASSERT_TRUE(told.duels && told.duels_per_day && told.days);
  EXPECT_DOUBLE_EQ(*told.duels_per_day, 43'200);
  EXPECT_DOUBLE_EQ(*told.days, static_cast<double>(*told.duels) / 43'200);
  EXPECT_FALSE(told.visits);
  EXPECT_FALSE(told.visits_per_day);
}

TEST(Forecast, knows_no_pace_of_few_duels_and_no_days_of_an_experiment_that_rests) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.2}, 19);
  EXPECT_TRUE(forecast(log).duels);
  EXPECT_FALSE(forecast(log).duels_per_day);
  EXPECT_FALSE(forecast(log).days);
  play(log, {.gap = 0.2}, 1);
  EXPECT_TRUE(forecast(log).days);
  log.add(StateRecord{ExperimentState::paused});
  EXPECT_TRUE(forecast(log).duels_per_day);
  EXPECT_FALSE(forecast(log).days);
}

TEST(Forecast, counts_visits_where_pages_are_interleaved) {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
  experiment.service.mode = Mode::interleave;
  experiment.order = Placement::fixed;
  PlayedLog log(experiment);
  play(log, {.gap = 0.1}, 60);
  const Forecast told = forecast(log);
  ASSERT_TRUE(told.visits && told.visits_per_day);
  EXPECT_EQ(*told.visits, *told.duels);  // every page was a contest
  EXPECT_FALSE(told.duels_per_day);
  EXPECT_TRUE(forecast_text(told).starts_with("about ")) << forecast_text(told);
  EXPECT_NE(forecast_text(told).find(" more visits, which take about "), std::string::npos);
}

// What waits is not counted before the open duel expires, however quickly answers come.
TEST(Forecast, includes_the_time_until_waiting_answers_are_counted) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.1}, 30);
  ServeRecord open = *log.next();
  open.expires_at.ms = kStart + 1000 * 86'400'000LL;
  log.add(open);
  EXPECT_LT(*forecast(log).days, 1);
  const ServeRecord next = *log.next();
  log.add(next);
  log.add(OutcomeRecord{next.duel_id, {Answered::win, "a"}, {}, {}, {}, ""});
  EXPECT_GT(*forecast(log).days, 999);
}

TEST(Forecast, of_a_certified_experiment_is_empty) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  play(log, {.gap = 0.45}, 60);
  ASSERT_TRUE(log.live().ledger().certificate());
  EXPECT_FALSE(forecast(log).duels);
  EXPECT_EQ(forecast_text(forecast(log)), "");
}

TEST(Forecast, is_said_in_the_unit_that_fits) {
  EXPECT_EQ(forecast_text({.duels = 1}), "about 1 more duel");
  EXPECT_EQ(forecast_text({.duels = 2134, .days = 3.2}),
            "about 2 100 more duels, which take about 4 days at the present pace");
  EXPECT_EQ(forecast_text({.duels = 10, .days = 0.5}),
            "about 10 more duels, which take about 12 hours at the present pace");
  EXPECT_EQ(forecast_text({.duels = 10, .days = 0.0001}),
            "about 10 more duels, which take about 1 minute at the present pace");
}

}  // namespace
}  // namespace duel
