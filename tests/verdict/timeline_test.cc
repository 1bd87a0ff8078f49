#include "duel/verdict/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "duel/core/archive.h"
#include "duel/core/described_json.h"
#include "tests/experiment/played_log.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

// Two records a duel, all of them answered.
class Played {
 public:
  Played() : ledger_(std::move(Ledger::make(experiment_of({"a", "b", "c"}))).value()) {}

  void play(int duels, Timeline& timeline) {
    for (int k = 0; k < duels; ++k) {
      const std::string id = fmt::format("d{}", ledger_.served());
      ServeRecord serve;
      serve.duel_id = id;
      serve.ordinal = ledger_.served();
      serve.round = ledger_.served() + 1;
      serve.first = k % 2 == 0 ? "a" : "b";
      serve.second = "c";
      apply(serve, timeline);
      OutcomeRecord outcome;
      outcome.duel_id = id;
      outcome.answer = {Answered::win, k % 5 == 0 ? "c" : serve.first};
      apply(outcome, timeline);
    }
  }
  const Ledger& ledger() const { return ledger_; }
  std::int64_t time_ms() const { return time_ms_; }

 private:
  void apply(Record record, Timeline& timeline) {
    time_ms_ += 1000;
    const LogEntry entry{ledger_.sequence() + 1, time_ms_, std::move(record), "h"};
    ASSERT_TRUE(ledger_.apply(entry).ok());
    timeline.note(ledger_, time_ms_);
  }

  Ledger ledger_;
  std::int64_t time_ms_ = 0;
};

TEST(Timeline, stays_bounded_and_evenly_spaced) {
  Played played;
  Timeline timeline;
  for (int k = 0; k < 40; ++k) {
    played.play(50, timeline);
    EXPECT_LE(timeline.size(), Timeline::kMostPoints);
    if (k > 4) {
      EXPECT_GE(timeline.size(), Timeline::kMostPoints / 2 - 1);
    }
  }
  const auto points = timeline.series(played.ledger(), played.time_ms(), 2000).points;
  const auto sequence = [&](std::size_t k) { return points[k].sequence; };
  const std::uint64_t stride = sequence(1) - sequence(0);
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    EXPECT_EQ(sequence(k) % stride, 0U);
    if (k + 2 < points.size()) {
      EXPECT_EQ(sequence(k + 1) - sequence(k), stride);
    }
  }
  EXPECT_EQ(sequence(points.size() - 1), played.ledger().sequence());
}

TEST(Timeline, says_what_the_ledger_said_at_each_moment) {
  Played played, twin;
  Timeline timeline, nothing;
  played.play(1000, timeline);
  const TimelineSeries all = timeline.series(played.ledger(), played.time_ms(), 2000);
  for (const TimelinePoint& point : all.points) {
    EXPECT_EQ(std::accumulate(point.shown.begin(), point.shown.end(), 0ULL), 2 * point.served);
    if (point.sequence % 2 == 0) continue;  // served, not yet answered
    twin.play(static_cast<int>(point.served - twin.ledger().served()), nothing);
    EXPECT_EQ(point.decisive, twin.ledger().certifier().decisive());
  }
}

TEST(Timeline, gives_so_many_points_as_are_wanted_and_the_present) {
  Played played;
  Timeline timeline;
  played.play(333, timeline);
  for (const std::size_t wanted : {1U, 2U, 3U, 10U, 100U, 200U, 2000U}) {
    const auto points = timeline.series(played.ledger(), played.time_ms(), wanted).points;
    EXPECT_LE(points.size(), wanted);
    EXPECT_GE(points.size(), std::min(wanted, Timeline::kMostPoints / 2) / 2);
    EXPECT_EQ(points.back().sequence, played.ledger().sequence());
  }
  // Of nothing there is the present.
  EXPECT_EQ(Timeline().series(Played().ledger(), 0, 200).points.size(), 1U);
}

TEST(Timeline, is_the_same_if_it_is_saved_and_restored_midway) {
  Played played;
  Timeline whole, part;
  played.play(700, whole);
  Played other;
  other.play(300, part);
  StateWriter writer;
  writer(part);
  const std::string bytes = writer.finish();
  auto reader = StateReader::open(bytes);
  ASSERT_TRUE(reader.ok());
  Timeline restored;
  (*reader)(restored);
  ASSERT_TRUE(reader->complete());
  other.play(400, restored);
  // The second `play` starts its pattern of winners over; 300 is a multiple of its length.
  EXPECT_EQ(described_json(restored.series(other.ledger(), 0, 2000)).dump(),
            described_json(whole.series(played.ledger(), 0, 2000)).dump());
}

TEST(Timeline, is_kept_in_the_snapshot) {
  ServedApi api;
  api.stop();
  api.snapshot_every = 10;
  api.start();
  start_three_arms(api);
  for (int k = 0; k < 40; ++k) {
    const Told duel = api.post(kE + "/duels", "{}");
    ASSERT_EQ(duel.status, 201);
    api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(first_arm(duel)));
  }
  const Told before = api.get(kE + "/timeline?points=2000");
  ASSERT_EQ(before.status, 200) << before.body.dump();
  EXPECT_GT(before.body.at("points").size(), 40U);
  api.restart();
  EXPECT_EQ(api.get(kE + "/timeline?points=2000").body.dump(), before.body.dump());
  EXPECT_LE(api.get(kE + "/timeline?points=5").body.at("points").size(), 5U);
}

}  // namespace
}  // namespace duel
