// Those who answer questions: programs (judge_pool.h), a person at a terminal, functions of Python.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel {

struct Judged {
  Question question;
  // None: there is no answer. `Outcome::none` is an answer that makes no sense and that was not
  // asked for again.
  std::optional<Said> outcome{};
  std::optional<double> response_ms{};
  std::string judge{};  // which of several was drawn to answer; "": there is no choice
  std::uint64_t failed_tries = 0;
  std::string failure{};       // why the last failed try failed; "" if none did
  bool made_no_sense = false;  // it failed by an answer that makes no sense
  // Why these judges are to be asked nothing more: trying again would not help.
  std::optional<Error> ends{};
};

class Judges {
 public:
  virtual ~Judges() = default;

  // How many questions can be asked now.
  virtual std::size_t free() const = 0;
  // REQUIRES: free() > 0.
  virtual void ask(Question question) = 0;
  // Waits until a question is done, `most` has passed or a signal came; gives what is done, in the
  // order in which it was done. Their places are free then.
  virtual std::vector<Judged> wait(std::chrono::milliseconds most) = 0;
  // Ends all work; the questions that are to be recorded as lost.
  virtual std::vector<Judged> abandon() = 0;
};

}  // namespace duel
