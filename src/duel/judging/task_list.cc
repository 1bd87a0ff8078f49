#include "duel/judging/task_list.h"

#include <fmt/format.h>

#include <utility>

#include "duel/core/check.h"
#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"
#include "duel/judging/printable.h"

namespace duel {
namespace {

std::string reference_of(const Json& content, std::string_view line, std::uint64_t number) {
  for (const char* name : {"task_id", "id"}) {
    if (content.is_object() && content.contains(name)) {
      const Json& id = content[name];
      if (id.is_string()) return id.get<std::string>();
      if (id.is_number()) return id.with_plain_numbers().dump();
    }
  }
  return fmt::format("{}:{}", number, sha256_hex(line).substr(0, 8));
}

}  // namespace

Result<TaskList> TaskList::read(const std::string& file) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(file));
  return from(std::move(lines));
}

Result<TaskList> TaskList::parse(const std::string& name, std::string_view text) {
  return from(TextLines::of_text(name, text));
}

Result<TaskList> TaskList::from(TextLines lines) {
  TaskList list;
  std::unordered_map<std::string, std::uint64_t> contents;  // and their lines
  while (true) {
    DUEL_ASSIGN(const auto next, lines.next());
    if (!next) break;
    const std::string_view line = trimmed(*next);
    if (line.empty()) continue;
    Task task;
    auto content = Json::parse(line, {.numbers_as_written = true});
    if (!content) {
      return Error::invalid_data(fmt::format("{} is not JSON", excerpt(line)), lines.here(),
                                 R"(one value per line: {"question":".."} or "..")");
    }
    task.content = *std::move(content);
    task.reference = reference_of(task.content, line, lines.line_number());
    const auto [known, fresh] = list.by_reference_.emplace(task.reference, list.tasks_.size());
    if (!fresh) {
      return Error::invalid_data(fmt::format("the task {} is a duplicate", excerpt(task.reference)),
                                 lines.here());
    }
    // An id is no difference: the same question twice is evidence once.
    const auto [same, is_new] = contents.emplace(std::string(line), lines.line_number());
    if (!is_new) {
      return Error::invalid_data(fmt::format("the same task is in line {}", same->second),
                                 lines.here(), "a task is evidence once; remove one of them");
    }
    list.tasks_.push_back(std::move(task));
    list.lines_.emplace_back(line);
  }
  if (list.tasks_.empty()) {
    return Error::invalid_data("there is no task in it", lines.name());
  }
  return list;
}

std::string TaskList::sha256_of_first(std::size_t count) const {
  DUEL_CHECK(count <= lines_.size());
  std::string all;
  for (std::size_t k = 0; k < count; ++k) all += lines_[k] + "\n";
  return sha256_hex(all);
}

const Task* TaskList::find(std::string_view reference) const {
  const auto found = by_reference_.find(std::string(reference));
  return found == by_reference_.end() ? nullptr : &tasks_[found->second];
}

}  // namespace duel
