#include "duel/cli/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/study/spec.h"

namespace duel::cli {

Value checked(Target target, Check check) {
  Value value(std::move(target));
  value.check = std::move(check);
  return value;
}

Value not_empty(Target target) {
  return checked(std::move(target),
                 [](const std::string& text) { return text.empty() ? "it is empty" : ""; });
}

Value one_of(Target target, std::vector<std::string> words) {
  Value value = checked(std::move(target), [words](const std::string& text) {
    const bool known = std::ranges::find(words, text) != words.end();
    return known ? "" : fmt::format("'{}' is not known ({})", text, spelling_hint(text, words));
  });
  value.words = std::move(words);
  return value;
}

Value count(std::uint64_t* target, std::uint64_t least, std::uint64_t most) {
  return Check([target, least, most](const std::string& text) -> std::string {
    const auto value = parse_count(text);
    const std::string range = most >= std::numeric_limits<std::int64_t>::max()
                                  ? fmt::format("{} or more, at most 2^63 - 1", least)
                                  : fmt::format("{} .. {}", least, most);
    if (!value.ok()) return fmt::format("{} (allowed: {})", value.error().message, range);
    if (*value < least || *value > most) {
      return fmt::format("'{}' is out of range (allowed: {})", text, range);
    }
    *target = *value;
    return "";
  });
}

Value counts(std::vector<std::uint64_t>* target, std::uint64_t least, std::uint64_t most) {
  return Check([target, least, most](const std::string& text) -> std::string {
    std::vector<std::uint64_t> values;
    for (const std::string& item : split_list(text)) {
      std::uint64_t value = 0;
      const std::string wrong = std::get<Check>(count(&value, least, most).target)(item);
      if (!wrong.empty()) return wrong;
      if (std::ranges::find(values, value) != values.end()) {
        return fmt::format("{} is given twice", value);
      }
      values.push_back(value);
    }
    *target = std::move(values);
    return "";
  });
}

Value number(double* target, bool (*fits)(double), std::string allowed) {
  return Check(
      [target, fits, allowed = std::move(allowed)](const std::string& text) -> std::string {
        const auto value = parse_number(text);
        if (!value.ok() || !fits(*value)) {
          return fmt::format("'{}' is out of range (allowed: {})", text, allowed);
        }
        *target = *value;
        return "";
      });
}

Value error_level(double* target) {
  return number(target, [](double alpha) { return alpha > 0 && alpha < 1; }, "> 0 and < 1");
}

std::string Option::name() const {
  for (const std::string& spelling : spellings) {
    if (spelling.starts_with("--")) return spelling;
  }
  return names;
}

const Option* first_given(const std::vector<const Option*>& options) {
  const auto found = std::ranges::find_if(options, &Option::given);
  return found == options.end() ? nullptr : *found;
}

Command::Command(std::string name_, std::string about_, const Command* above_)
    : name(std::move(name_)), about(std::move(about_)), above(above_) {
  add("-h,--help", {}, "Print this help and exit.");
}

Command& Command::add_command(std::string command_name, std::string command_about) {
  return commands.emplace_back(std::move(command_name), std::move(command_about), this);
}

Option& Command::add(std::string_view declared, Value value, std::string doc) {
  Option& option = options.emplace_back();
  const std::size_t space = std::min(declared.find(' '), declared.size());
  option.names = declared.substr(0, space);
  option.word = declared.substr(std::min(space + 1, declared.size()));
  option.doc = std::move(doc);
  option.target = std::move(value.target);
  option.check = std::move(value.check);
  if (!value.words.empty()) {
    option.word += fmt::format(":{{{}}}", fmt::join(value.words, ","));
    option.offers = [words = std::move(value.words)] { return words; };
  }
  if (declared.starts_with("-")) option.spellings = split_list(option.names);
  return option;
}

Option& Command::add_required(std::string_view declared, Value value, std::string doc) {
  Option& option = add(declared, std::move(value), std::move(doc));
  option.required = true;
  return option;
}

Option& Command::add_configurable(std::string_view declared, Value value, std::string doc) {
  Option& option = add(declared, std::move(value), std::move(doc));
  option.configurable = true;
  return option;
}

void Command::add_seed(std::uint64_t* seed) {
  add_configurable("--seed N", count(seed, 0, kMaxSeed), "Seed of all randomness (default 0).");
}

void Command::add_threads(std::uint64_t* threads, std::uint64_t least) {
  add_configurable("--threads N", count(threads, least, kMaxThreads),
                   "Threads (default: one per core).");
}

Option& Command::add_judged_data(std::string* data) {
  return add("--data DATA", not_empty(data),
             "Judged queries: a LETOR file (also gzip), - for standard input, "
             "letor(file=FILE,zero-based=true) where features are numbered from 0, or "
             "synthetic(queries=200,features=20).");
}

void Command::add_rankers(std::string* rankers) {
  add("--rankers RANKERS", not_empty(rankers),
      "features: one ranker per feature (default); a list such as "
      "'feature(index=3),bm25(tf=25,length=15)'; or a file of linear rankers.");
}

void Command::add_scale(std::string* normalise, std::uint64_t* grades) {
  add("--normalise KIND", one_of(normalise, {"none", "min-max", "z-score"}),
      "Scale features within each query: none (default), min-max or z-score.");
  add("--grades N", count(grades, 1, 256),
      "Number of grades, if the data does not contain the highest.");
}

std::string Command::path() const { return above == nullptr ? name : above->path() + " " + name; }

std::vector<std::string> Command::command_names() const {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

namespace {

// "--max-duels" for "max_duels"; as it is where the command has no such option.
std::string spelled(const Command& command, std::string field) {
  std::ranges::replace(field, '_', '-');
  for (const Option& option : command.options) {
    if (!option.is_argument() && option.key() == field) return option.name();
  }
  return field;
}

// The same of every `field` in the text. Backquotes round anything else stay.
std::string with_options(const Command& command, std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) return result.append(text);
    const std::string quoted(text.substr(begin + 1, end - begin - 1));
    const std::string option = spelled(command, quoted);
    const bool is_field = option.starts_with("--");
    result.append(text.substr(0, begin)).append(is_field ? option : '`' + quoted);
    text.remove_prefix(is_field ? end + 1 : end);
  }
}

}  // namespace

Error as_option(const Command& command, Error error) {
  error.hint = with_options(command, error.hint);
  if (error.field.empty()) return error;
  const std::string option = spelled(command, std::exchange(error.field, ""));
  error.where = error.where.empty() ? option : option + ": " + error.where;
  return error;
}

}  // namespace duel::cli
