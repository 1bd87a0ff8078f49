#include "duel/log/record_reader.h"

// Makes every conversion that could throw a compile error: bad input is an error, no exception.
#define SIMDJSON_EXCEPTIONS 0

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "duel/core/simdjson_number.h"
#include "duel/core/spelling.h"
#include "duel/core/timestamp.h"
#include "duel/log/record_fields.h"
#include "duel/store/line.h"

namespace duel {
namespace {

namespace ondemand = simdjson::ondemand;
using Value = ondemand::value;

Error bad(std::string message, std::string hint = {}) {
  return Error::invalid_data(std::move(message)).with_hint(std::move(hint));
}

Error not_json(simdjson::error_code code) {
  return bad(fmt::format("the line is not a JSON object: {}", simdjson::error_message(code)));
}

// A field of the wrong type, or JSON that is broken there.
Error wrong_value(std::string_view name, std::string_view wanted) {
  return bad(fmt::format("the field '{}' is not {}", name, wanted));
}

// The fields that an object may have. At most 32.
struct Shape {
  std::span<const std::string_view> names;
  std::uint32_t required;  // one bit each, in the order of the names
};

// Finds each field of an object among those it may have, and refuses one that comes twice.
class FieldFinder {
 public:
  explicit FieldFinder(const Shape& shape) : shape_(shape) {}

  Result<std::size_t> find(std::string_view key) {
    std::size_t tried = 0;
    while (tried < shape_.names.size() && shape_.names[at_] != key) {
      ++tried;
      advance();
    }
    if (tried == shape_.names.size()) return unknown(key);
    const std::size_t found = at_;
    if (has(seen_, found)) return bad(fmt::format("the field '{}' is given twice", key));
    seen_ |= 1U << found;
    advance();
    return found;
  }
  Status complete() const {
    if ((shape_.required & ~seen_) == 0) return Done{};
    const auto missing = static_cast<std::size_t>(std::countr_zero(shape_.required & ~seen_));
    return bad(fmt::format("the field '{}' is missing", shape_.names[missing]));
  }

 private:
  static bool has(std::uint32_t bits, std::size_t index) { return (bits >> index & 1U) != 0; }

  void advance() {
    if (++at_ == shape_.names.size()) at_ = 0;
  }

  Error unknown(std::string_view key) const {
    std::vector<std::string> known;
    for (const bool required : {true, false}) {
      for (std::size_t index = 0; index < shape_.names.size(); ++index) {
        if (has(shape_.required, index) == required) known.emplace_back(shape_.names[index]);
      }
    }
    return bad(fmt::format("the field '{}' is unknown", key), spelling_hint(key, known));
  }

  Shape shape_;
  std::uint32_t seen_ = 0;
  std::size_t at_ = 0;  // where to look first, since fields mostly come in the table's order
};

template <class Owner, std::size_t Index>
Status read_field(Value value, Owner& owner);

// How an object is read, made from its description. Names and bits begin with `hash`, which only
// lines have and other objects do not.
template <class Owner>
struct ReadAs {
  static constexpr std::size_t kCount = decltype(Described<Owner>::fields)::kSize;

  static constexpr std::array<std::string_view, kCount + 1> kNames = Described<Owner>::fields.visit(
      [](const auto&... field) { return std::array{std::string_view("hash"), field.name...}; });
  static constexpr std::uint32_t kRequired =
      Described<Owner>::fields.visit([](const auto&... field) {
        std::uint32_t bits = 1;
        int index = 0;
        ((bits |= std::uint32_t{field.required} << ++index), ...);
        return bits;
      });
  static constexpr Shape kLine{kNames, kRequired};
  static constexpr Shape kObject{std::span(kNames).subspan(1), kRequired >> 1};

  // The reader of each field, by number, without the hash.
  static constexpr auto kFields = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array{read_field<Owner, Index>...};
  }(std::make_index_sequence<kCount>{});
};

// Calls take(key, value) for each field in the order of the text.
template <class Take>
Status for_each_field(ondemand::object object, const Take& take) {
  for (auto item : object) {
    ondemand::field field;
    std::string_view key;
    auto code = std::move(item).get(field);
    if (code == simdjson::SUCCESS) code = field.unescaped_key().get(key);
    if (code != simdjson::SUCCESS) return not_json(code);
    DUEL_RETURN_IF_ERROR(take(key, field.value()));
  }
  return Done{};
}

Status check_answer(const Answer& answer) {
  if (answer.place > 2 || (answer.place != 0 && answer.result != Answered::win)) {
    return bad(fmt::format("a result '{}' has the place {}", to_word(answer.result), answer.place),
               "the place of a win is 1 or 2");
  }
  if ((answer.result == Answered::win) == !answer.winner.empty()) return Done{};
  return bad(answer.winner.empty()
                 ? "a win has no field 'winner'"
                 : fmt::format("a result '{}' has a field 'winner'", to_word(answer.result)));
}

// Checks that concern several fields.
template <class Owner>
Status check_whole(const Owner& owner) {
  if constexpr (requires { owner.answer; }) return check_answer(owner.answer);
  return Done{};
}

// Reads a value as the type of its member; `name` is for the message.

Status read_value(Value value, std::string_view name, std::string& out) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return wrong_value(name, "a string");
  out.assign(text);
  return Done{};
}

Status read_value(Value value, std::string_view name, std::uint64_t& out) {
  if (value.get_uint64().get(out) != simdjson::SUCCESS) return wrong_value(name, "a whole number");
  return Done{};
}

Status read_value(Value value, std::string_view name, std::optional<std::uint64_t>& out) {
  return read_value(value, name, out.emplace());
}

Status read_value(Value value, std::string_view name, double& out) {
  if (!read_double(value, out)) return wrong_value(name, "a number");
  return Done{};
}

Status read_value(Value value, std::string_view name, Timestamp& out) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return wrong_value(name, "a string");
  const auto time_ms = parse_timestamp(text);
  if (!time_ms) return wrong_value(name, "a time as 2026-11-15T09:00:00.123Z");
  out.ms = *time_ms;
  return Done{};
}

Status read_value(Value value, std::string_view name, bool& out) {
  if (value.get_bool().get(out) != simdjson::SUCCESS) return wrong_value(name, "true or false");
  return Done{};
}

template <class Enum>
  requires std::is_enum_v<Enum>
Status read_value(Value value, std::string_view name, Enum& out) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return wrong_value(name, "a string");
  auto parsed = parse_word<Enum>(text);
  if (!parsed.ok()) return bad(parsed.error().message, parsed.error().hint);
  out = *parsed;
  return Done{};
}

template <class Part>
  requires std::is_class_v<Part>
Status read_value(Value value, std::string_view name, Part& out) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return wrong_value(name, "an object");
  FieldFinder finder(ReadAs<Part>::kObject);
  DUEL_RETURN_IF_ERROR(for_each_field(object, [&](std::string_view key, Value inner) -> Status {
    DUEL_ASSIGN(const std::size_t index, finder.find(key));
    return ReadAs<Part>::kFields[index](inner, out);
  }));
  DUEL_RETURN_IF_ERROR(finder.complete());
  return check_whole(out);
}

template <class Part>
Status read_value(Value value, std::string_view name, std::vector<Part>& out) {
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) return wrong_value(name, "an array");
  for (auto item : array) {
    Value element;
    if (const auto code = std::move(item).get(element); code != simdjson::SUCCESS) {
      return not_json(code);
    }
    DUEL_RETURN_IF_ERROR(read_value(element, name, out.emplace_back()));
  }
  return Done{};
}

Status read_value(Value value, std::string_view name, Json& out) {
  std::string_view raw;
  std::optional<Json> json;
  if (simdjson::to_json_string(value).get(raw) == simdjson::SUCCESS) {
    json = Json::parse(raw, {.numbers_as_written = true});
  }
  if (!json) return wrong_value(name, "JSON");
  out = std::move(*json);
  return Done{};
}

Status read_value(Value value, std::string_view name,
                  std::vector<std::pair<std::string, Json>>& out) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return wrong_value(name, "an object");
  return for_each_field(object, [&](std::string_view key, Value inner) {
    auto& [column, json] = out.emplace_back(std::string(key), Json());
    return read_value(inner, column, json);
  });
}

Status read_value(Value value, std::string_view name,
                  std::vector<std::pair<std::string, std::vector<double>>>& out) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return wrong_value(name, "an object");
  return for_each_field(object, [&](std::string_view key, Value inner) {
    auto& [arm, numbers] = out.emplace_back(std::string(key), std::vector<double>());
    return read_value(inner, arm, numbers);
  });
}

template <class Owner, std::size_t Index>
Status read_field(Value value, Owner& owner) {
  static constexpr auto kField = Described<Owner>::fields.template at<Index>();
  auto& member = std::invoke(kField.get, owner);
  DUEL_RETURN_IF_ERROR(read_value(value, kField.name, member));
  if constexpr (requires { kField.check(member); }) {
    if (const Status status = kField.check(member); !status.ok()) {
      return bad(status.error().message, status.error().hint);
    }
  }
  return Done{};
}

// Makes `record` an empty one of the kind, in place: moving a variant would cost more than reading
// it.
template <class... Kinds>
Status begin_record(std::string_view kind, std::variant<Kinds...>& record) {
  const auto begin = [&]<class Kind>(std::type_identity<Kind>) {
    if (kind != Described<Kind>::name) return false;
    record.template emplace<Kind>();
    return true;
  };
  if ((begin(std::type_identity<Kinds>{}) || ...)) return Done{};
  const std::vector<std::string> known{std::string(Described<Kinds>::name)...};
  return bad(fmt::format("'{}' is not a kind of record", kind), spelling_hint(kind, known));
}

constexpr std::array<std::string_view, 3> kFirstFields = {"seq", "time", "record"};

Status read_first_field(std::size_t position, Value value, LogEntry& entry) {
  if (position == 0) return read_value(value, "seq", entry.sequence);
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) {
    return wrong_value(kFirstFields[position], "a string");
  }
  if (position == 2) return begin_record(text, entry.record);
  const auto time_ms = parse_timestamp(text);
  if (!time_ms) {
    return bad(fmt::format("'{}' is no time", text), "a time is written 2026-11-15T09:00:00.123Z");
  }
  entry.time_ms = *time_ms;
  return Done{};
}

}  // namespace

static_assert(kReadableAfterLine >= simdjson::SIMDJSON_PADDING);

struct RecordReader::State {
  ondemand::parser parser;
};

RecordReader::RecordReader() : state_(std::make_unique<State>()) {}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

Status RecordReader::read(std::string_view line, LogEntry& entry) {
  const simdjson::padded_string_view padded(line, line.size() + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  ondemand::object object;
  auto code = state_->parser.iterate(padded).get(document);
  if (code == simdjson::SUCCESS) code = document.get_object().get(object);
  if (code != simdjson::SUCCESS) return not_json(code);
  // seq, time and record must come first, since the kind decides which fields may follow.
  std::size_t position = 0;
  std::optional<FieldFinder> finder;
  DUEL_RETURN_IF_ERROR(for_each_field(object, [&](std::string_view key, Value value) -> Status {
    if (position < kFirstFields.size()) {
      if (key != kFirstFields[position]) {
        return bad(
            fmt::format("the field '{}' is where '{}' belongs", key, kFirstFields[position]));
      }
      return read_first_field(position++, value, entry);
    }
    if (!finder) {
      finder.emplace(
          std::visit([]<class Kind>(const Kind&) { return ReadAs<Kind>::kLine; }, entry.record));
    }
    DUEL_ASSIGN(const std::size_t index, finder->find(key));
    if (index == 0) return Done{};  // the hash was checked with the chain
    return std::visit(
        [&]<class Kind>(Kind& record) { return ReadAs<Kind>::kFields[index - 1](value, record); },
        entry.record);
  }));
  if (!finder) {
    return bad(position < kFirstFields.size()
                   ? fmt::format("the field '{}' is missing", kFirstFields[position])
                   : "the line has no hash");
  }
  DUEL_RETURN_IF_ERROR(finder->complete());
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return bad("something follows the JSON object");
  }
  return std::visit([](const auto& record) { return check_whole(record); }, entry.record);
}

}  // namespace duel
