// The person at the terminal, who sees one question at a time. On a terminal the next question
// comes with the key that answers the one before. That answer is held back until the next one is
// given, or for five seconds: an answer is final once it is recorded, and cannot be taken back
// then.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "duel/judging/judges.h"

namespace duel::cli {

class Booth : public Judges {
 public:
  // The voter has left, or the input has ended.
  virtual bool stopped() const = 0;
  // Nothing more is to be asked: the answer that is held back comes with the next `wait`.
  virtual void close() = 0;
  // Whether a question is on the screen.
  virtual bool asks() const = 0;
  // Whether an answer is held back.
  virtual bool holds() const = 0;
  // What is on the screen is not wanted any more, and is lost.
  virtual void drop_question() = 0;
};

// `progress` is shown beside each question. The terminal is as it was once the booth is gone.
std::unique_ptr<Booth> terminal_booth(std::function<std::string()> progress);

}  // namespace duel::cli
