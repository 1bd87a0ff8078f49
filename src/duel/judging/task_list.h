// What the duels are about: a file of tasks (experiment/task_draw.h draws one for each duel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/text_lines.h"

namespace duel {

struct Task {
  // What the log calls it: its field "task_id" or "id", or its line number and the beginning of the
  // SHA-256 of its text ("17:1f3a9c2b").
  std::string reference;
  Json content;
};

class TaskList {
 public:
  // JSON Lines: a value a line, mostly an object or a text. `name` may be "-". Blank lines are
  // passed over. Errors name file and line.
  static Result<TaskList> read(const std::string& file);
  // The same for the text of such a file; messages call it `name`.
  static Result<TaskList> parse(const std::string& name, std::string_view text);

  std::size_t size() const { return tasks_.size(); }
  const Task& operator[](std::size_t index) const { return tasks_[index]; }

  // Of the first tasks as they stand in the file.
  std::string sha256_of_first(std::size_t count) const;
  std::string sha256() const { return sha256_of_first(size()); }

  // nullptr where there is none.
  const Task* find(std::string_view reference) const;

 private:
  static Result<TaskList> from(TextLines lines);

  std::vector<Task> tasks_;
  std::unordered_map<std::string, std::size_t> by_reference_;
  std::vector<std::string> lines_;  // of the file, one a task
};

}  // namespace duel
