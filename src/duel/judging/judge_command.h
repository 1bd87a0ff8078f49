// The judge's command line: words with places for the arms and the task, run without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"
#include "duel/log/record.h"

namespace duel {

// Words as a POSIX shell splits them: blanks separate, '..' takes everything as it is, ".." all but
// \" \\ \$ \`, a backslash the next character. Nothing else of a shell: no variables, no globs, no
// pipes. An error for an open quote.
Result<std::vector<std::string>> split_words(std::string_view text);

// "python3 judge.py {first} {second}". Places:
//   {first} {second}                   the file's path, or the arm's text where it is no file
//   {first.id} {second.id}             the arm's id
//   {first.payload} {second.payload}   the file's content, or the arm's text
//   {task} {task.NAME}                 the task (a text, or compact JSON), a field of it
//   {duel_id}                          the duel's id
// A place is filled inside its word and never split. Braces around anything but a name stay as they
// are. Inside code (sh -c '.. {first}') a place would let an arm's text run commands, and is
// refused there, but for ids.
class JudgeCommand {
 public:
  // With `adds_arms` a template that names neither arm gets {first} {second} at its end, and {task}
  // where there are tasks and it names none. An error names an unknown place and the nearest known.
  static Result<JudgeCommand> parse(const std::string& text, bool has_tasks, bool adds_arms);

  const std::string& program() const { return words_.front(); }
  // As a source of answers: of two judges of one name, the log can tell whose answer it is.
  std::string name() const;
  // As it was written, for messages and the log.
  const std::string& text() const { return text_; }
  // For the log: the SHA-256 covers the words of the command line and the content of every file
  // that one of them names; a program that is looked up in PATH goes by its name.
  JudgeEntry entry() const;
  // The same without the words that `parse` added, so that it is the same with and without tasks.
  JudgeEntry entry_as_written() const;

  // An error if the arm has no such part: a file that is no text, a task without the field, or a
  // content that is too long for a command line.
  Result<std::vector<std::string>> words_for(const Question& question) const;

 private:
  JudgeEntry entry_of(std::size_t num_words) const;

  std::string text_;
  std::vector<std::string> words_;
  std::size_t num_written_ = 0;  // of them, before those that were added
};

}  // namespace duel
