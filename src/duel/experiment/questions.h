// What there is to ask of those who can only compare, and where their answers go: an experiment in
// this process (local_questions.h) or one that a server holds (client/remote_questions.h). The loop
// that asks (judging/judge_loop.h) knows no difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/words.h"
#include "duel/log/record.h"

namespace duel {

// An arm as a judge sees it.
struct ShownArm {
  std::string arm_id;
  std::string path;             // "" where the arm is no file
  std::optional<Json> payload;  // none where the file is no text
};

struct Question {
  std::string duel_id;
  ShownArm first;
  ShownArm second;
  std::optional<Json> task;
  bool both_orders = false;  // asked a second time with the arms in the other order
  bool audit = false;        // a program has answered it, and a person is to answer it, too
  bool evidence = true;      // its answer may be evidence, as far as is known here
  std::uint64_t vote = 0;    // which of several answers of the same judge is asked for
  VotingRule voting{};       // what people are told
};

// The same question with the arms in the other order.
Question turned_round(Question question);

// What became of a question without an answer. Never a loss for either arm.
enum class Missing {
  lost,     // no answer came, and none is waited for
  invalid,  // an answer came that makes no sense
  skipped,  // counted as if the judge had skipped it
};

// What one of several judges says, who all answer the question.
struct Voice {
  std::string judge;
  Outcome outcome = Outcome::none;  // as of Said
  std::optional<double> score{};
};

// What somebody says of two arms as they are shown.
struct Said {
  Said() = default;
  Said(Outcome said) : outcome(said) {}  // NOLINT(google-explicit-constructor): most say no more

  Outcome outcome = Outcome::none;  // of no meaning where there is a score
  std::optional<double> score{};    // of the arm shown first, from 0 to 1
  // Beside the answer, as OutcomeRecord has it.
  std::string reason{};
  double cost = 0;
  std::uint64_t tokens = 0;
  bool cached = false;
  Json features{};
  // Of several judges; their mean is then the answer, and there is no other.
  std::vector<Voice> voices{};

  // For whom it is, however much. REQUIRES: it is of one judge.
  Outcome side() const {
    if (!score) return outcome;
    return *score > 0.5 ? Outcome::first_wins : *score < 0.5 ? Outcome::second_wins : Outcome::tie;
  }
  // It is an answer.
  bool answers() const { return score || outcome != Outcome::none || !voices.empty(); }
};

// An answer, or why there is none.
struct Given {
  Question question;
  // As seen: `first_wins` is the arm shown first. One, or two in both orders, the second of the
  // question turned round; empty: no answer. `none` is an answer that makes no sense.
  std::vector<Said> judgements{};
  Missing missing = Missing::lost;  // where there is no answer
  std::string why{};                // there is none
  Source source{};
  std::optional<double> response_ms{};
  std::uint64_t failed_tries = 0;
};

// What an answer says about arms that were shown in this order.
Answer answer_of(const Said& said, const std::string& first, const std::string& second);

// What came of answers that were given.
struct Taken {
  std::uint64_t unsent = 0;  // still on their way
  bool hopeless = false;     // and for longer than anybody has patience
  // Why nothing more is to be asked. What is out may still be answered.
  std::optional<Error> ends{};
};

enum class RunEnding {
  certified,
  undecided,      // the duels are used up
  tasks_used_up,  // the same for want of tasks
  asked_all,      // of a panel: nothing that this member could still say can matter
  interrupted,
  out_of_reach,  // the server
};

template <>
struct Words<RunEnding> {
  static constexpr std::string_view noun = "ending of a run";
  static constexpr auto all = words_table<RunEnding>({{"certified", RunEnding::certified},
                                                      {"undecided", RunEnding::undecided},
                                                      {"undecided", RunEnding::tasks_used_up},
                                                      {"asked_all", RunEnding::asked_all},
                                                      {"interrupted", RunEnding::interrupted},
                                                      {"out_of_reach", RunEnding::out_of_reach}});
};

// What is known without asking anybody.
struct QuestionsProgress {
  bool certified = false;
  std::string verdict{};      // in a sentence, where a server has said it
  std::uint64_t refused = 0;  // answers that came too late, or after another one
  std::string last_refusal{};
};

// An error of `next` says why nothing more can be asked; one of the others, that nothing more can
// be recorded.
class Questions {
 public:
  struct Later {};  // nothing now; there may be something when answers have come
  struct Over {
    RunEnding why;
  };  // nothing unless answers that are out change that
  using Next = std::variant<Question, Later, Over>;

  virtual ~Questions() = default;

  virtual Result<Next> next() = 0;
  // The same for people who audit a program, where they do.
  virtual Result<Next> next_audit() { return Next(Later{}); }
  // Several at once share a commit. What they say is recorded, or on its way, when this returns.
  virtual Result<Taken> answer(std::vector<Given> given) = 0;
  // Sends what is on its way, where that is possible now.
  virtual Result<Taken> flush() = 0;
  virtual QuestionsProgress progress() const = 0;
};

}  // namespace duel
