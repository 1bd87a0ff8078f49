#include "duel/judging/judge_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/spelling.h"
#include "duel/core/whole_file.h"
#include "duel/judging/printable.h"

namespace duel {
namespace {

// Linux refuses an argument of 128 KiB.
constexpr std::size_t kMostBytesOfWord = (std::size_t{1} << 17) - 1;

const std::array<std::string, 8> kPlaces = {"first",     "second",        "first.id",
                                            "second.id", "first.payload", "second.payload",
                                            "task",      "duel_id"};

bool is_known(std::string_view name) {
  return std::find(kPlaces.begin(), kPlaces.end(), name) != kPlaces.end() ||
         (name.starts_with("task.") && name.size() > 5);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
         });
}

// Calls `text(part)` and `place(name)` for the parts of a word in their order.
template <class OnText, class OnPlace>
Status for_each_part(std::string_view word, OnText&& on_text, OnPlace&& on_place) {
  while (!word.empty()) {
    const std::size_t open = word.find('{');
    const std::size_t close = open == std::string_view::npos ? open : word.find('}', open);
    if (close == std::string_view::npos) {
      on_text(word);
      break;
    }
    const std::string_view name = word.substr(open + 1, close - open - 1);
    if (!is_name(name)) {
      on_text(word.substr(0, open + 1));
      word.remove_prefix(open + 1);
      continue;
    }
    on_text(word.substr(0, open));
    DUEL_RETURN_IF_ERROR(on_place(name));
    word.remove_prefix(close + 1);
  }
  return Done{};
}

std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// Programs that run an argument as code, and the letters of the options before it.
struct Interpreter {
  std::string_view name;  // without a version at its end
  std::string_view code;
  std::string_view with_value{};  // options whose value is a word of its own
};
constexpr std::array<Interpreter, 14> kInterpreters = {{{"sh", "c", "oO"},
                                                        {"ash", "c", "oO"},
                                                        {"bash", "c", "oO"},
                                                        {"dash", "c", "oO"},
                                                        {"fish", "c"},
                                                        {"ksh", "c", "oO"},
                                                        {"mksh", "c", "oO"},
                                                        {"zsh", "c", "oO"},
                                                        {"python", "c", "WX"},
                                                        {"perl", "eE", "I"},
                                                        {"ruby", "e", "I"},
                                                        {"node", "ep"},
                                                        {"php", "r"},
                                                        {"Rscript", "e"}}};

const Interpreter* known_interpreter(std::string_view word) {
  word.remove_prefix(word.find_last_of('/') + 1);  // npos + 1 is 0
  word = word.substr(0, word.find_last_not_of("0123456789.-") + 1);
  const auto found = std::ranges::find(kInterpreters, word, &Interpreter::name);
  return found == kInterpreters.end() ? nullptr : &*found;
}

// Which words an interpreter among them would run as code; it may stand behind `env` or `nice`.
std::vector<bool> run_as_code(const std::vector<std::string>& words) {
  std::vector<bool> code(words.size(), false);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const Interpreter* const program = known_interpreter(words[k]);
    if (program == nullptr) continue;
    for (std::size_t at = k + 1; at < words.size() && words[at].starts_with('-'); ++at) {
      const std::string& option = words[at];
      const bool is_long = option.starts_with("--");
      const auto has_one_of = [&](std::string_view letters) {
        return !is_long && option.find_first_of(letters, 1) != std::string::npos;
      };
      if (has_one_of(program->code) || option == "--eval" || option == "--print") {
        code[at] = true;  // perl -e'..'
        if (at + 1 < words.size()) code[at + 1] = true;
        break;
      }
      if (option.size() == 2 && has_one_of(program->with_value)) ++at;
    }
  }
  return code;
}

// Ids are made of letters that mean nothing to any interpreter. All other places hold what an arm,
// a file's name or a task says.
bool is_harmless_in_code(std::string_view place) {
  return place == "first.id" || place == "second.id" || place == "duel_id";
}

Status check_code(const std::vector<std::string>& words) {
  const std::vector<bool> code = run_as_code(words);
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!code[k]) continue;
    DUEL_RETURN_IF_ERROR(for_each_part(
        words[k], [](std::string_view) {},
        [](std::string_view place) -> Status {
          if (is_harmless_in_code(place)) return Done{};
          return Error::invalid_argument(
                     fmt::format("'{{{}}}' stands in code that is run, so that the text of an arm "
                                 "or of a task could run commands",
                                 place))
              .with_hint(
                  fmt::format("give it as an argument: sh -c 'judge \"$1\"' sh {{{}}}", place));
        }));
  }
  return Done{};
}

Result<std::string> payload_of(const ShownArm& arm) {
  if (!arm.payload) {
    return Error::invalid_data("the file is not text, so it has no {..payload}", arm.path,
                               "give the judge its path: {first}");
  }
  return text_of(*arm.payload);
}

Result<std::string> value_of(std::string_view place, const Question& question) {
  if (place == "duel_id") return question.duel_id;
  if (place.starts_with("task")) {
    if (!question.task) {
      return Error::invalid_argument(fmt::format("{{{}}} without tasks", place))
          .with_hint("add `tasks`")
          .in_field("judge");
    }
    if (place == "task") return text_of(*question.task);
    const std::string field(place.substr(5));
    if (!question.task->is_object() || !question.task->contains(field)) {
      return Error::invalid_data(
          fmt::format("a task has no field \"{}\": {}", field, excerpt(text_of(*question.task))),
          fmt::format("{{{}}}", place));
    }
    return text_of(question.task->at(field));
  }
  const ShownArm& arm = place.starts_with("first") ? question.first : question.second;
  if (place.ends_with(".id")) return arm.arm_id;
  if (place.ends_with(".payload") || arm.path.empty()) return payload_of(arm);
  return arm.path;
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  const auto open_quote = [](char quote) {
    return Error::invalid_argument(fmt::format("a quote {} is not closed", quote));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == '\'') {
      const std::size_t end = text.find('\'', at + 1);
      if (end == std::string_view::npos) return open_quote('\'');
      word += text.substr(at + 1, end - at - 1);
      at = end;
    } else if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        const bool escapes =
            text[at] == '\\' && at + 1 < text.size() &&
            std::string_view("\"\\$`").find(text[at + 1]) != std::string_view::npos;
        if (escapes) ++at;
        word += text[at];
      }
      if (at == text.size()) return open_quote('"');
    } else if (c == '\\') {
      if (++at == text.size()) {
        return Error::invalid_argument("it ends in a lone backslash");
      }
      word += text[at];
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

Result<JudgeCommand> JudgeCommand::parse(const std::string& text, bool has_tasks, bool adds_arms) {
  JudgeCommand command;
  command.text_ = text;
  if (text.find('\0') != std::string::npos) {
    return Error::invalid_argument("it contains a zero byte");
  }
  DUEL_ASSIGN(command.words_, split_words(text));
  if (command.words_.empty() || command.words_[0].empty()) {
    return Error::invalid_argument("it names no program")
        .with_hint("such as './judge.sh {first} {second}'");
  }
  bool names_arm = false;
  bool names_task = false;
  for (const std::string& word : command.words_) {
    DUEL_RETURN_IF_ERROR(for_each_part(
        word, [](std::string_view) {},
        [&](std::string_view name) -> Status {
          if (!is_known(name)) {
            std::string hint = spelling_hint(name, kPlaces);
            return Error::invalid_argument(fmt::format("unknown place '{{{}}}'", name))
                .with_hint(std::move(hint));
          }
          const bool is_task = name.starts_with("task");
          names_task |= is_task;
          names_arm |= name.starts_with("first") || name.starts_with("second");
          if (is_task && !has_tasks) {
            return Error::invalid_argument(fmt::format("'{{{}}}' without tasks", name))
                .with_hint("add `tasks`");
          }
          return Done{};
        }));
  }
  command.num_written_ = command.words_.size();
  if (adds_arms && !names_arm) {
    command.words_.emplace_back("{first}");
    command.words_.emplace_back("{second}");
    if (has_tasks && !names_task) command.words_.emplace_back("{task}");
  }
  DUEL_RETURN_IF_ERROR(check_code(command.words_));
  return command;
}

std::string JudgeCommand::name() const {
  return fmt::format("{}@{}", std::filesystem::path(program()).filename().string(),
                     entry().sha256.substr(0, 12));
}

JudgeEntry JudgeCommand::entry() const { return entry_of(words_.size()); }

JudgeEntry JudgeCommand::entry_as_written() const { return entry_of(num_written_); }

JudgeEntry JudgeCommand::entry_of(std::size_t num_words) const {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  std::string all;
  for (std::size_t k = 0; k < num_words; ++k) {
    all += words_[k];
    all += '\0';
    std::error_code unknown;
    const bool looked_up = k == 0 && words_[k].find('/') == std::string::npos;
    if (looked_up || !std::filesystem::is_regular_file(words_[k], unknown)) continue;
    const auto content = read_whole_file(words_[k], kMostBytes);
    if (content.ok()) all += sha256_hex(*content);
  }
  return {.command = text_, .sha256 = sha256_hex(all)};
}

Result<std::vector<std::string>> JudgeCommand::words_for(const Question& question) const {
  std::vector<std::string> words;
  words.reserve(words_.size());
  for (const std::string& pattern : words_) {
    std::string word;
    DUEL_RETURN_IF_ERROR(for_each_part(
        pattern, [&](std::string_view part) { word += part; },
        [&](std::string_view place) -> Status {
          DUEL_ASSIGN(const std::string value, value_of(place, question));
          word += value;
          return Done{};
        }));
    if (word.size() > kMostBytesOfWord || word.find('\0') != std::string::npos) {
      return Error::invalid_data(
          fmt::format("'{}' becomes {} bytes, more than a command line can hold", pattern,
                      word.size()),
          "duel " + question.duel_id, "the judge finds everything on its standard input, too");
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace duel
