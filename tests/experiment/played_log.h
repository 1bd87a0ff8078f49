// A log of everything that can happen, played against a known truth.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/experiment/live_experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/log/record.h"

namespace duel {

inline constexpr std::int64_t kStart = 1'763'197'200'000;  // 2025-11-15T09:00:00Z

inline ExperimentRecord experiment_of(std::vector<std::string> arms,
                                      const std::string& policy = "dts-plus") {
  ExperimentRecord record;
  record.experiment_id = "prompts";
  for (std::string& id : arms) record.arms.push_back({std::move(id), "", ""});
  record.policy = policy;
  record.seed = 7;
  return record;
}

// What the experiment would serve next; nothing is changed.
inline std::optional<ServeRecord> next_of(LiveExperiment& live, const std::string& duel_id = {}) {
  LiveExperiment::Undo undo = live.before_choice();
  const std::optional<ServeRecord> serve = live.choose(duel_id, {});
  live.undo_choice(std::move(undo));
  return serve;
}

// An experiment whose records are kept as the lines of a log.
class PlayedLog {
 public:
  explicit PlayedLog(const ExperimentRecord& experiment)
      : live_(std::move(LiveExperiment::make(experiment)).value()), head_(64, '0') {
    write(experiment);
  }

  // Writes and applies.
  Effect add(Record record) {
    const Status status = live_.check(record);
    EXPECT_TRUE(status.ok()) << status.error().to_string();
    return std::move(live_.apply(write(std::move(record)))).value();
  }

  std::optional<ServeRecord> next(const std::string& duel_id = {}) {
    return next_of(live_, duel_id);
  }
  const LiveExperiment& live() const { return live_; }
  const std::string& text() const { return text_; }
  const std::vector<LogEntry>& entries() const { return entries_; }
  // Where each line ends in the text, by sequence.
  const std::vector<std::size_t>& ends() const { return ends_; }

 private:
  const LogEntry& write(Record record) {
    LogEntry entry{entries_.size() + 1, kStart + 1000 * static_cast<std::int64_t>(entries_.size()),
                   std::move(record), ""};
    text_ += std::move(log_line(entry.sequence, entry.time_ms, entry.record, head_, sha_)).value();
    entry.hash = head_;
    ends_.push_back(text_.size());
    entries_.push_back(std::move(entry));
    return entries_.back();
  }

  LiveExperiment live_;
  std::string head_;
  Sha256 sha_;
  std::string text_;
  std::vector<LogEntry> entries_;
  std::vector<std::size_t> ends_;
};

struct PlayedWorld {
  double gap = 0.2;  // arm i beats arm j > i with probability 1/2 + gap
  std::size_t in_flight = 1;
  bool troubles = false;  // ties, both-bad, skips, invalid, expired, duplicate and late answers
  std::uint64_t seed = 1;
};

inline Answer answer_of(const ServeRecord& serve, const LiveExperiment& live,
                        const PlayedWorld& world, RoundRng& rng) {
  if (world.troubles) {
    const std::uint64_t lot = rng.below(20);
    if (lot < 2) return {Answered::tie, ""};
    if (lot == 2) return {Answered::both_bad, ""};
    if (lot == 3) return {Answered::skip, ""};
    if (lot == 4) return {Answered::invalid, ""};
  }
  if (serve.serving == Serving::aa) return {Answered::win, serve.first, rng.coin() ? 1U : 2U};
  const Arm i = *live.ledger().find_arm(serve.first), j = *live.ledger().find_arm(serve.second);
  const double p = i < j ? 0.5 + world.gap : 0.5 - world.gap;
  return {Answered::win, rng.bernoulli(p) ? serve.first : serve.second};
}

// The judgements that make `answer`, where the order is `both`.
inline std::vector<Judgement> judgements_of(const ServeRecord& serve, const Answer& answer) {
  if (answer.result == Answered::tie) {  // a flip
    return {{serve.first, {Answered::win, serve.first}},
            {serve.second, {Answered::win, serve.second}}};
  }
  return {{serve.first, answer}, {serve.second, answer}};
}

// Serves and answers until `duels` were served or nothing is left to ask. Answers come in random
// order.
inline void play(PlayedLog& log, const PlayedWorld& world, std::size_t duels) {
  RoundRng rng = Stream(world.seed, 0, Purpose::test, "played log").at(1);
  std::deque<ServeRecord> flying;
  const bool both = log.live().ledger().experiment().order == Placement::both;
  for (std::size_t served = 0; served < duels || !flying.empty();) {
    if (served < duels && flying.size() < world.in_flight) {
      const auto serve = log.next();
      ++served;
      if (!serve) {
        served = duels;
        continue;
      }
      log.add(*serve);
      flying.push_back(*serve);
      continue;
    }
    const std::size_t k = rng.below(flying.size());
    const ServeRecord serve = flying[k];
    flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(k));
    OutcomeRecord outcome{serve.duel_id, answer_of(serve, log.live(), world, rng), {}, {}, {}, ""};
    if (both) outcome.judgements = judgements_of(serve, outcome.answer);
    outcome.source = {"human", "rater-" + std::to_string(rng.below(5))};
    if (rng.coin()) outcome.response_ms = rng.below(5000);
    const std::uint64_t lot = world.troubles ? rng.below(20) : 9;
    if (lot == 0) {
      log.add(ExpiredRecord{serve.duel_id});
      EXPECT_EQ(log.add(outcome), Effect::late);
      continue;
    }
    EXPECT_EQ(log.add(outcome), Effect::applied);
    if (lot == 1) {
      EXPECT_EQ(log.add(outcome), Effect::duplicate);
    }
    if (lot == 2) {
      outcome.answer = {Answered::skip, ""};
      outcome.judgements.clear();
      log.add(outcome);
    }
  }
}

}  // namespace duel
