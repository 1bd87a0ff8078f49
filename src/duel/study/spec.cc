#include "duel/study/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/utf8.h"
#include "duel/core/whole_file.h"
#include "duel/policies/registry.h"
#include "duel/study/toml_document.h"

namespace duel {
namespace {

constexpr std::size_t kMaxStudyFileBytes = 10'000'000;

Error invalid(std::string message, std::string hint = "") {
  return Error::invalid_argument(std::move(message)).with_hint(std::move(hint));
}

// --- one reader per kind of value
// -----------------------------------------------------------------

Result<std::uint64_t> count_in(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_count(text);
  if (!value.ok() || *value < least || *value > most) {
    return invalid(fmt::format("{} is not possible here", trimmed(text)),
                   fmt::format("a whole number from {} to {}, also written 1e6", least, most));
  }
  return *value;
}

Result<bool> flag_of(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return invalid(fmt::format("'{}' is neither true nor false", text));
}

Result<std::string> text_of(std::string_view text) {
  // It could not be written to TOML or JSON.
  if (find_invalid_utf8(text) != std::string_view::npos)
    return invalid(fmt::format("'{}' is not UTF-8", text));
  return std::string(text);
}

Result<std::string> policy_of(std::string_view text) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  DUEL_RETURN_IF_ERROR(find_policy(call.name));
  return to_string(call);
}

Result<std::string> matrix_of(std::string_view text) {
  if (text.empty()) return invalid("the name of a matrix is empty");
  return text_of(text);
}

Result<Round> checkpoint_of(std::string_view text) { return count_in(text, 1, kMaxRounds); }

// --- keys
// -----------------------------------------------------------------------------------------

enum class ValueType { text, count, flag, texts, counts };

struct Key {
  const char* name;
  ValueType type;
  // The items of a list, or the one item of a single value.
  std::function<Status(StudyDraft&, const std::vector<std::string>&)> read;
};

template <class T, class Read>
Key single(const char* name, ValueType type, std::optional<T> StudyDraft::* field, Read read) {
  return {name, type, [=](StudyDraft& draft, const std::vector<std::string>& items) -> Status {
            DUEL_ASSIGN(const auto value, read(items.front()));
            draft.*field = static_cast<T>(value);
            return Done{};
          }};
}

template <class T, class Read>
Key list(const char* name, ValueType type, std::optional<std::vector<T>> StudyDraft::* field,
         Read read) {
  return {name, type, [=](StudyDraft& draft, const std::vector<std::string>& items) -> Status {
            std::vector<T> values;
            for (const std::string& item : items) {
              DUEL_ASSIGN(auto value, read(item));
              values.push_back(std::move(value));
            }
            draft.*field = std::move(values);
            return Done{};
          }};
}

auto count_reader(std::uint64_t least, std::uint64_t most) {
  return [=](std::string_view text) { return count_in(text, least, most); };
}

const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      single("name", ValueType::text, &StudyDraft::name, text_of),
      list("policies", ValueType::texts, &StudyDraft::policies, policy_of),
      list("matrices", ValueType::texts, &StudyDraft::matrices, matrix_of),
      single("rounds", ValueType::count, &StudyDraft::rounds, count_reader(1, kMaxRounds)),
      single("trials", ValueType::count, &StudyDraft::trials, count_reader(1, kMaxTrials)),
      single("seed", ValueType::count, &StudyDraft::seed, count_reader(0, kMaxSeed)),
      list("checkpoints", ValueType::counts, &StudyDraft::checkpoints, checkpoint_of),
      list("regrets", ValueType::texts, &StudyDraft::regrets, parse_regret_notion),
      single("horizon_per_checkpoint", ValueType::flag, &StudyDraft::horizon_per_checkpoint,
             flag_of),
      single("batch", ValueType::count, &StudyDraft::batch, count_reader(1, kMostOutstanding)),
      single("delay", ValueType::count, &StudyDraft::delay, count_reader(0, kMostOutstanding)),
      single("trials_csv", ValueType::flag, &StudyDraft::trials_csv, flag_of),
      single("threads", ValueType::count, &StudyDraft::threads, count_reader(0, kMaxThreads)),
  };
  return all;
}

Result<const Key*> find_key(std::string_view name) {
  std::vector<std::string> names;
  for (const Key& key : keys()) {
    if (key.name == name) return &key;
    names.emplace_back(key.name);
  }
  return invalid(fmt::format("unknown key '{}'", name), spelling_hint(name, names));
}

bool is_list(ValueType type) { return type == ValueType::texts || type == ValueType::counts; }

Status read_key(StudyDraft& draft, const Key& key, const std::vector<std::string>& items) {
  const Status status = key.read(draft, items);
  if (status.ok()) return status;
  Error error = status.error();
  // Errors of policies and of parsed calls name their place; what is left names the key.
  error.message = error.where.empty()
                      ? fmt::format("{}: {}", key.name, error.message)
                      : fmt::format("{}: {}: {}", key.name, error.where, error.message);
  error.where.clear();
  return error;
}

// --- TOML
// -----------------------------------------------------------------------------------------

// In the order of ValueType.
constexpr const char* kAllowedInToml[] = {"a string", "a whole number", "true or false",
                                          "an array of strings", "an array of whole numbers"};

// A scalar as `StudyDraft::set` would get it, or nullopt where its type does not fit.
std::optional<std::string> scalar_text(const TomlDocument& document, const toml::node& node,
                                       ValueType type) {
  if (type == ValueType::flag) {
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    return std::nullopt;
  }
  if (const auto* text = node.as_string()) return document.spelled(text->get());
  if (type == ValueType::text || type == ValueType::texts) return std::nullopt;
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return format_number(number->get());
  return std::nullopt;
}

Status read_toml_entry(StudyDraft& draft, const Key& key, const toml::node& node,
                       const TomlDocument& document) {
  const auto wrong_type = [&](const toml::node& at) {
    std::ostringstream type;
    type << at.type();
    return Error::invalid_data(
        fmt::format("{} must be {}, not {}", key.name,
                    kAllowedInToml[static_cast<std::size_t>(key.type)], type.str()),
        document.where(at.source()));
  };
  std::vector<std::string> items;
  std::vector<toml::source_region> places;
  const toml::array* array = node.as_array();
  if (is_list(key.type) && array != nullptr) {
    for (const toml::node& element : *array) {
      auto text = scalar_text(document, element, key.type);
      if (!text) return wrong_type(element);
      items.push_back(*std::move(text));
      places.push_back(element.source());
    }
  } else {
    auto text = scalar_text(document, node, key.type);
    if (!text || (is_list(key.type) && !node.is_string())) return wrong_type(node);
    items = is_list(key.type) ? split_list(*text) : std::vector{*std::move(text)};
    places.assign(items.size(), node.source());
  }
  Status status = read_key(draft, key, items);
  if (status.ok()) return status;
  Error error = status.error();
  // The item that is at fault, for its line.
  error.where = document.where(node.source());
  for (std::size_t i = 0; i < items.size() && is_list(key.type); ++i) {
    StudyDraft unused;
    if (!key.read(unused, {items[i]}).ok()) {
      error.where = document.where(places[i]);
      break;
    }
  }
  error.code = ErrorCode::invalid_data;
  return error;
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string toml_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(toml_string(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

// For each key what the draft and the spec have of it.
template <class Take>
void each_key(Take take) {
  take(&StudyDraft::name, &StudySpec::name);
  take(&StudyDraft::policies, &StudySpec::policies);
  take(&StudyDraft::matrices, &StudySpec::matrices);
  take(&StudyDraft::rounds, &StudySpec::rounds);
  take(&StudyDraft::trials, &StudySpec::trials);
  take(&StudyDraft::seed, &StudySpec::seed);
  take(&StudyDraft::checkpoints, &StudySpec::checkpoints);
  take(&StudyDraft::regrets, &StudySpec::regrets);
  take(&StudyDraft::horizon_per_checkpoint, &StudySpec::horizon_per_checkpoint);
  take(&StudyDraft::batch, &StudySpec::batch);
  take(&StudyDraft::delay, &StudySpec::delay);
  take(&StudyDraft::trials_csv, &StudySpec::trials_csv);
  take(&StudyDraft::threads, &StudySpec::threads);
}

// A value that stands in the list more than once.
template <class T>
std::optional<T> repeated(const std::vector<T>& values) {
  for (const T& value : values) {
    if (std::count(values.begin(), values.end(), value) > 1) return value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> pieces;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      pieces.emplace_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && depth > 0) {
      --depth;
    }
  }
  return pieces;
}

Status StudyDraft::set(std::string_view key, std::string_view text) {
  DUEL_ASSIGN(const Key* found, find_key(key));
  return read_key(*this, *found,
                  is_list(found->type) ? split_list(text) : std::vector{std::string(text)});
}

StudyDraft over(StudyDraft upper, StudyDraft lower) {
  each_key([&](auto given, auto) {
    if (!(upper.*given)) upper.*given = std::move(lower.*given);
  });
  return upper;
}

Result<StudySpec> complete(const StudyDraft& draft) {
  StudySpec spec;
  each_key([&](auto given, auto field) {
    if (draft.*given) spec.*field = *(draft.*given);
  });
  return checked(std::move(spec));
}

Result<StudySpec> checked(StudySpec spec) {
  if (spec.policies.empty()) {
    return invalid("the study names no policy", "a name such as rucb");
  }
  if (spec.matrices.empty()) {
    return invalid("the study names no matrix", "a built-in such as arxiv, or a file");
  }
  DUEL_RETURN_IF_ERROR(text_of(spec.name));
  for (const std::string& matrix : spec.matrices) DUEL_RETURN_IF_ERROR(matrix_of(matrix));
  if (spec.regrets.empty()) {
    return invalid("the study asks for no regret",
                   fmt::format("known: {}", fmt::join(regret_notion_names(), ", ")));
  }
  // Fields that were set without `set` are held to the same limits.
  if (spec.rounds < 1 || spec.rounds > kMaxRounds) {
    return invalid(fmt::format("rounds: {} is not possible here", spec.rounds),
                   fmt::format("a whole number from 1 to {}", kMaxRounds));
  }
  if (spec.batch < 1 || spec.batch > kMostOutstanding || spec.delay > kMostOutstanding) {
    return invalid("batch or delay is out of range",
                   fmt::format("a batch is 1 .. {0} rounds, a delay 0 .. {0}", kMostOutstanding));
  }
  if (spec.trials < 1) return invalid("trials: 0 is not possible here", "1 or more");
  const auto given_twice = [](const char* what, const std::string& which) {
    return invalid(fmt::format("{} '{}' is given twice", what, which));
  };
  if (const auto policy = repeated(spec.policies)) return given_twice("policy", *policy);
  if (const auto matrix = repeated(spec.matrices)) return given_twice("matrix", *matrix);
  if (const auto regret = repeated(spec.regrets)) return given_twice("regret", to_string(*regret));
  if (!spec.checkpoints.empty()) {
    DUEL_ASSIGN(spec.checkpoints, complete_checkpoints(spec.checkpoints, spec.rounds));
  }
  return spec;
}

Result<StudyDraft> parse_study_toml(std::string_view text, const std::string& source) {
  DUEL_ASSIGN(const TomlDocument document, TomlDocument::parse(text, source));
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : document.table()) entries.emplace_back(&key, &node);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.first->source().begin.line < b.first->source().begin.line;
  });
  StudyDraft draft;
  for (const auto& [name, node] : entries) {
    const auto key = find_key(document.spelled(name->str()));
    if (!key.ok()) {
      Error error = key.error();
      error.code = ErrorCode::invalid_data;
      error.where = document.where(name->source());
      return error;
    }
    DUEL_RETURN_IF_ERROR(read_toml_entry(draft, **key, *node, document));
  }
  return draft;
}

Result<StudyDraft> read_study_file(const std::filesystem::path& file) {
  DUEL_ASSIGN(const std::string text, read_whole_file(file, kMaxStudyFileBytes));
  return parse_study_toml(text, file.string());
}

std::string to_toml(const StudySpec& spec) {
  std::string text;
  const auto line = [&](const char* key, const std::string& value) {
    text += fmt::format("{} = {}\n", key, value);
  };
  if (!spec.name.empty()) line("name", toml_string(spec.name));
  line("policies", toml_strings(spec.policies));
  line("matrices", toml_strings(spec.matrices));
  line("rounds", fmt::format("{}", spec.rounds));
  line("trials", fmt::format("{}", spec.trials));
  line("seed", fmt::format("{}", spec.seed));
  if (!spec.checkpoints.empty()) {
    line("checkpoints", fmt::format("[{}]", fmt::join(spec.checkpoints, ", ")));
  }
  std::vector<std::string> regrets;
  for (const RegretNotion regret : spec.regrets) regrets.push_back(to_string(regret));
  line("regrets", toml_strings(regrets));
  line("horizon_per_checkpoint", spec.horizon_per_checkpoint ? "true" : "false");
  if (spec.batch != 1) line("batch", fmt::format("{}", spec.batch));
  if (spec.delay != 0) line("delay", fmt::format("{}", spec.delay));
  line("trials_csv", spec.trials_csv ? "true" : "false");
  if (spec.threads != 0) line("threads", fmt::format("{}", spec.threads));
  return text;
}

StudySpec essence_of(StudySpec spec) {
  spec.name.clear();
  spec.threads = 0;
  spec.trials_csv = false;
  return spec;
}

}  // namespace duel
