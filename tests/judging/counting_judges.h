// Judges that count what they are asked, for loops that are ended at every step: each question that
// was asked is in the log with what became of it, however the run ends.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/rng.h"
#include "duel/judging/judge_loop.h"

namespace duel {

// The arm that comes first in the alphabet wins. One answer a turn, seldom that of the question
// that was asked first.
class CountingJudges final : public Judges {
 public:
  explicit CountingJudges(std::size_t places) : places_(places) {}

  std::size_t free() const override { return places_ - out_.size(); }
  void ask(Question question) override {
    ++asked[question.duel_id];
    out_.push_back(std::move(question));
  }
  std::vector<Judged> wait(std::chrono::milliseconds) override {
    if (out_.empty()) return {};
    ++turns;
    const std::size_t lot = hash_text(std::to_string(turns)) % out_.size();
    const auto at = out_.begin() + static_cast<std::ptrdiff_t>(lot);
    Judged judged{.question = std::move(*at)};
    out_.erase(at);
    if (turns == breaks_at) {
      judged.failed_tries = 1;
      judged.failure = "it broke";
      judged.ends = Error::io("the judge broke");
    } else if (wrong_from > 0 && turns >= wrong_from) {
      judged.outcome = Outcome::none;
    } else {
      const bool first = judged.question.first.arm_id < judged.question.second.arm_id;
      judged.outcome = first ? Outcome::first_wins : Outcome::second_wins;
      judged.response_ms = 1;
      ++answered[judged.question.duel_id];
    }
    return {std::move(judged)};
  }
  std::vector<Judged> abandon() override {
    std::vector<Judged> lost;
    for (Question& question : out_) lost.push_back({.question = std::move(question)});
    out_.clear();
    return lost;
  }

  std::size_t turns = 0;
  std::size_t breaks_at = 0;   // the turn in which a judge is broken for good; 0: never
  std::size_t wrong_from = 0;  // the turn from which on answers make no sense; 0: never
  std::map<std::string, int> asked, answered;  // by duel

 private:
  std::size_t places_;
  std::vector<Question> out_;
};

inline JudgeLoopOptions counting_options() {
  return {.source = {"judge", "j"}, .broken = [](std::uint64_t in_a_row, const Judged&) {
            return Error::io(fmt::format("no answer to {} in a row", in_a_row));
          }};
}

// What became of each duel of a log: "win", "invalid", "expired", .., or "" where that is open.
class Fates {
 public:
  void add(std::string_view line) {
    const Json record = *Json::parse(line);
    const std::string kind = record.at("record").get<std::string>();
    certified = certified || kind == "certified";
    completed = completed || kind == "completed";
    const Json* duel = record.find("duel_id");
    if (duel == nullptr) return;
    std::string& fate = of[duel->get<std::string>()];
    EXPECT_EQ(fate, "") << "two fates: " << line;
    if (kind == "expired") fate = kind;
    if (kind == "outcome") fate = record.at("result").get<std::string>();
  }
  std::map<std::string, std::string> of;
  bool certified = false;
  bool completed = false;
};

enum class EndedBy { certificate, first_interrupt, broken_judge, second_interrupt };

// Ends runs at every step until one ends by its certificate before. `run` calls `play` with the
// questions of a new experiment and gives its log; `lost` is the fate of a duel that gets no
// answer.
inline void end_at_every_step(
    EndedBy by, int orders, const std::string& lost,
    const std::function<Fates(const std::function<void(Questions&)>& play)>& run) {
  bool at_certificate = false;
  for (std::size_t step = 1; !at_certificate; ++step) {
    SCOPED_TRACE(fmt::format("step {}", step));
    ASSERT_LT(step, 200U);
    CountingJudges judges(4);
    if (by == EndedBy::broken_judge) judges.breaks_at = step;
    const auto stopping = [&] {
      if (judges.turns < step) return Stopping::no;
      if (by == EndedBy::first_interrupt) return Stopping::after_answers;
      return by == EndedBy::second_interrupt ? Stopping::at_once : Stopping::no;
    };
    std::size_t given_up = 0;
    const Fates fates = run([&](Questions& questions) {
      JudgeLoop loop(questions, judges, counting_options());
      const auto ended = loop.run(stopping, [&] { given_up = loop.in_flight(); });
      at_certificate = ended.ok() && *ended == RunEnding::certified;
      if (by == EndedBy::broken_judge && !at_certificate) {
        EXPECT_EQ(ended.error().message, "the judge broke");
      } else if (!at_certificate) {
        EXPECT_EQ(*ended, RunEnding::interrupted);
      }
      EXPECT_TRUE(at_certificate || by != EndedBy::certificate);
    });
    // What was asked is what the log has, and each was asked once in each order.
    std::size_t missing = 0;
    EXPECT_EQ(fates.of.size(), judges.asked.size());
    for (const auto& [duel_id, fate] : fates.of) {
      EXPECT_LE(judges.asked[duel_id], orders) << duel_id;
      const bool has_answer = judges.answered[duel_id] == orders;
      EXPECT_EQ(fate, has_answer ? "win" : lost) << duel_id;
      missing += has_answer ? 0 : 1;
    }
    EXPECT_TRUE(fates.certified || !at_certificate);
    const std::size_t expected = at_certificate                    ? 0
                                 : by == EndedBy::second_interrupt ? given_up
                                 : by == EndedBy::broken_judge     ? 1
                                                                   : 0;
    EXPECT_EQ(missing, expected);
  }
}

}  // namespace duel
