#include "duel/experiment/record_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/spelling.h"
#include "duel/experiment/digest.h"
#include "duel/experiment/timestamp.h"

namespace duel {
namespace {

namespace ondemand = simdjson::ondemand;
using Value = ondemand::value;

Error bad(std::string message, std::string hint = {}) {
  return Error::invalid_data(std::move(message)).with_hint(std::move(hint));
}

Error not_json(simdjson::error_code code) {
  return bad(fmt::format("the line is no JSON object: {}", simdjson::error_message(code)));
}

// A field of the wrong type, or JSON that is broken there.
Error wrong_value(std::string_view name, std::string_view wanted) {
  return bad(fmt::format("the field '{}' is not {}", name, wanted));
}

// The fields that an object may have, those that it must have first.
struct Shape {
  std::span<const std::string_view> names;
  std::size_t required;
};

// Finds each field of an object among those it may have, and none twice.
class FieldFinder {
 public:
  explicit FieldFinder(const Shape& shape) : shape_(shape) {}

  Result<std::size_t> find(std::string_view key) {
    std::size_t tried = 0;
    while (tried < shape_.names.size() && shape_.names[at_] != key) {
      ++tried;
      advance();
    }
    if (tried == shape_.names.size()) {
      return bad(
          fmt::format("the field '{}' is unknown", key),
          spelling_hint(key, std::vector<std::string>(shape_.names.begin(), shape_.names.end())));
    }
    const std::size_t found = at_;
    if ((seen_ >> found & 1U) != 0) return bad(fmt::format("the field '{}' is given twice", key));
    seen_ |= 1U << found;
    advance();
    return found;
  }
  Status complete() const {
    for (std::size_t index = 0; index < shape_.required; ++index) {
      if ((seen_ >> index & 1U) == 0) {
        return bad(fmt::format("the field '{}' is missing", shape_.names[index]));
      }
    }
    return Done{};
  }

 private:
  void advance() {
    if (++at_ == shape_.names.size()) at_ = 0;
  }

  Shape shape_;
  std::uint32_t seen_ = 0;
  std::size_t at_ = 0;  // fields mostly come in the order of their names
};

// Calls take(key, value) for each field in the order of the text.
template <class Take>
Status for_each_field(ondemand::object object, const Take& take) {
  for (auto item : object) {
    ondemand::field field;
    if (const auto code = std::move(item).get(field); code != simdjson::SUCCESS) {
      return not_json(code);
    }
    std::string_view key;
    if (const auto code = field.unescaped_key().get(key); code != simdjson::SUCCESS) {
      return not_json(code);
    }
    DUEL_RETURN_IF_ERROR(take(key, field.value()));
  }
  return Done{};
}

// Calls take(index, value) for each field in the order of the text.
template <class Take>
Status read_fields(ondemand::object object, const Shape& shape, const Take& take) {
  FieldFinder finder(shape);
  DUEL_RETURN_IF_ERROR(for_each_field(object, [&](std::string_view key, Value value) -> Status {
    DUEL_ASSIGN(const std::size_t index, finder.find(key));
    return take(index, value);
  }));
  return finder.complete();
}

Status read_text(Value value, std::string_view name, std::string& out) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return wrong_value(name, "a string");
  out.assign(text);
  return Done{};
}

Status read_count(Value value, std::string_view name, std::uint64_t& out) {
  if (value.get_uint64().get(out) != simdjson::SUCCESS) return wrong_value(name, "a whole number");
  return Done{};
}

Status read_number(Value value, std::string_view name, double& out) {
  if (value.get_double().get(out) != simdjson::SUCCESS) return wrong_value(name, "a number");
  return Done{};
}

Status read_flag(Value value, std::string_view name, bool& out) {
  if (value.get_bool().get(out) != simdjson::SUCCESS) return wrong_value(name, "true or false");
  return Done{};
}

template <class Enum, class Parse>
Status read_word(Value value, std::string_view name, Enum& out, const Parse& parse) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return wrong_value(name, "a string");
  auto parsed = parse(text);
  if (!parsed.ok()) return bad(parsed.error().message, parsed.error().hint);
  out = *parsed;
  return Done{};
}

// An id is checked where it comes in; an unknown one is found by the ledger.
Status read_id(Value value, std::string_view name, std::string_view noun, std::string& out) {
  DUEL_RETURN_IF_ERROR(read_text(value, name, out));
  if (const Status status = check_id(noun, out); !status.ok()) {
    return bad(status.error().message, status.error().hint);
  }
  return Done{};
}

template <class Take>
Status read_object(Value value, std::string_view name, const Shape& shape, const Take& take) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return wrong_value(name, "an object");
  return read_fields(object, shape, take);
}

template <class Take>
Status read_array(Value value, std::string_view name, const Take& take) {
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) return wrong_value(name, "an array");
  for (auto item : array) {
    Value element;
    if (const auto code = std::move(item).get(element); code != simdjson::SUCCESS) {
      return not_json(code);
    }
    DUEL_RETURN_IF_ERROR(take(element));
  }
  return Done{};
}

constexpr std::array<std::string_view, 3> kArmNames = {"arm_id", "payload", "sha256"};

Status take_arm(std::size_t index, Value value, ArmEntry& arm) {
  switch (index) {
    case 0:
      return read_id(value, "arm_id", "an arm", arm.id);
    case 1:
      return read_text(value, "payload", arm.payload);
    default:
      DUEL_RETURN_IF_ERROR(read_text(value, "sha256", arm.sha256));
      if (!is_sha256_hex(arm.sha256)) return wrong_value("sha256", "64 hexadecimal digits");
      return Done{};
  }
}

Status read_source(Value value, Source& source) {
  static constexpr std::array<std::string_view, 2> kNames = {"type", "id"};
  return read_object(value, "source", {kNames, 0}, [&](std::size_t index, Value inner) {
    return read_text(inner, kNames[index], index == 0 ? source.type : source.id);
  });
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

// What the fields after seq, time and record are, by kind of record.

Status take_experiment(std::size_t index, Value value, ExperimentRecord& record) {
  switch (index) {
    case 0: {
      std::uint64_t format = 0;
      DUEL_RETURN_IF_ERROR(read_count(value, "format", format));
      if (format == 1) return Done{};
      return bad(fmt::format("the log has format {}", format), "this version reads format 1");
    }
    case 1:
      return read_id(value, "experiment_id", "an experiment", record.experiment_id);
    case 2:
      return read_array(value, "arms", [&](Value element) {
        return read_object(element, "arms", {kArmNames, 1},
                           [&, &arm = record.arms.emplace_back()](std::size_t field, Value inner) {
                             return take_arm(field, inner, arm);
                           });
      });
    case 3:
      return read_text(value, "policy", record.policy);
    case 4:
      return read_word(value, "goal", record.goal, parse_goal);
    case 5: {
      static constexpr std::array<std::string_view, 4> kNames = {"alpha", "min_decisive_per_pair",
                                                                 "max_duels", "arms_fixed"};
      StoppingRule& rule = record.stopping;
      return read_object(value, "stopping", {kNames, 4}, [&](std::size_t field, Value inner) {
        if (field == 0) return read_number(inner, kNames[0], rule.alpha);
        if (field == 1) return read_count(inner, kNames[1], rule.min_decisive_per_pair);
        if (field == 2) return read_count(inner, kNames[2], rule.max_duels);
        return read_flag(inner, kNames[3], rule.arms_fixed);
      });
    }
    case 6:
      return read_word(value, "order", record.order, parse_placement);
    case 7:
      return read_number(value, "aa_rate", record.aa_rate);
    case 8:
      return read_flag(value, "comparisons_count", record.comparisons_count);
    default:
      return read_count(value, "seed", record.seed);
  }
}

Status take_serve(std::size_t index, Value value, ServeRecord& record) {
  switch (index) {
    case 0:
      return read_id(value, "duel_id", "a duel", record.duel_id);
    case 1:
      return read_count(value, "ordinal", record.ordinal);
    case 2:
      return read_count(value, "round", record.round);
    case 3:
      return read_text(value, "first", record.first);
    case 4:
      return read_text(value, "second", record.second);
    case 5:
      return read_word(value, "serving", record.serving, parse_serving);
    default:
      return read_text(value, "task", record.task);
  }
}

Status take_judgement(std::size_t index, Value value, Judgement& judgement) {
  if (index == 0) return read_text(value, "first", judgement.first);
  if (index == 1) return read_word(value, "result", judgement.answer.result, parse_answered);
  if (index == 2) return read_text(value, "winner", judgement.answer.winner);
  return read_count(value, "place", judgement.answer.place);
}

Status take_outcome(std::size_t index, Value value, OutcomeRecord& record) {
  switch (index) {
    case 0:
      return read_id(value, "duel_id", "a duel", record.duel_id);
    case 1:
      return read_word(value, "result", record.answer.result, parse_answered);
    case 2:
      return read_text(value, "winner", record.answer.winner);
    case 3:
      return read_source(value, record.source);
    case 4:
      return read_count(value, "response_ms", record.response_ms.emplace());
    case 5:
      return read_array(value, "judgements", [&](Value element) -> Status {
        static constexpr std::array<std::string_view, 4> kNames = {"first", "result", "winner",
                                                                   "place"};
        Judgement& judgement = record.judgements.emplace_back();
        DUEL_RETURN_IF_ERROR(
            read_object(element, "judgements", {kNames, 2}, [&](std::size_t field, Value inner) {
              return take_judgement(field, inner, judgement);
            }));
        return check_answer(judgement.answer);
      });
    case 6:
      return read_text(value, "note", record.note);
    default:
      return read_count(value, "place", record.answer.place);
  }
}

Status take_comparison(std::size_t index, Value value, ComparisonRecord& record) {
  switch (index) {
    case 0:
      return read_text(value, "first", record.first);
    case 1:
      return read_text(value, "second", record.second);
    case 2:
      return read_word(value, "result", record.answer.result, parse_answered);
    case 3:
      return read_text(value, "winner", record.answer.winner);
    case 4:
      return read_source(value, record.source);
    case 5:
      return read_text(value, "made_at", record.made_at);
    default: {
      ondemand::object object;
      if (value.get_object().get(object) != simdjson::SUCCESS) {
        return wrong_value("extra", "an object");
      }
      return for_each_field(object, [&](std::string_view key, Value inner) {
        auto& [name, text] = record.extra.emplace_back(std::string(key), "");
        return read_text(inner, name, text);
      });
    }
  }
}

Status take_certified(std::size_t index, Value value, CertifiedRecord& record) {
  if (index == 0) return read_word(value, "kind", record.kind, parse_certificate_kind);
  if (index == 1) return read_count(value, "at", record.at);
  return read_text(value, "winner", record.winner);
}

// What follows the first fields of a line: the fields of its kind, and the hash.
constexpr std::array<std::string_view, 3> kFirstFields = {"seq", "time", "record"};
constexpr std::array<std::string_view, 11> kExperiment = {
    "hash",  "format",  "experiment_id",     "arms", "policy", "goal", "stopping",
    "order", "aa_rate", "comparisons_count", "seed"};
constexpr std::array<std::string_view, 8> kServe = {"hash",  "duel_id", "ordinal", "round",
                                                    "first", "second",  "serving", "task"};
constexpr std::array<std::string_view, 9> kOutcome = {
    "hash", "duel_id", "result", "winner", "source", "response_ms", "judgements", "note", "place"};
constexpr std::array<std::string_view, 2> kExpired = {"hash", "duel_id"};
constexpr std::array<std::string_view, 4> kArmAdded = {"hash", "arm_id", "payload", "sha256"};
constexpr std::array<std::string_view, 2> kArmRetired = {"hash", "arm_id"};
constexpr std::array<std::string_view, 8> kComparison = {"hash",   "first",  "second",  "result",
                                                         "winner", "source", "made_at", "extra"};
constexpr std::array<std::string_view, 4> kCertified = {"hash", "kind", "at", "winner"};
constexpr std::array<std::string_view, 2> kCompleted = {"hash", "reason"};

Shape shape_of(const Record& record) {
  switch (record.index()) {
    case 0:
      return {kExperiment, kExperiment.size()};
    case 1:
      return {kServe, kServe.size() - 1};
    case 2:
      return {kOutcome, 3};
    case 3:
      return {kExpired, kExpired.size()};
    case 4:
      return {kArmAdded, 2};
    case 5:
      return {kArmRetired, kArmRetired.size()};
    case 6:
      return {kComparison, 4};
    case 7:
      return {kCertified, 3};
    default:
      return {kCompleted, kCompleted.size()};
  }
}

struct TakeField {
  std::size_t index;
  Value value;

  Status operator()(ExperimentRecord& record) { return take_experiment(index, value, record); }
  Status operator()(ServeRecord& record) { return take_serve(index, value, record); }
  Status operator()(OutcomeRecord& record) { return take_outcome(index, value, record); }
  Status operator()(ExpiredRecord& record) {
    return read_id(value, "duel_id", "a duel", record.duel_id);
  }
  Status operator()(ArmAddedRecord& record) { return take_arm(index, value, record.arm); }
  Status operator()(ArmRetiredRecord& record) { return read_text(value, "arm_id", record.arm_id); }
  Status operator()(ComparisonRecord& record) { return take_comparison(index, value, record); }
  Status operator()(CertifiedRecord& record) { return take_certified(index, value, record); }
  Status operator()(CompletedRecord& record) { return read_text(value, "reason", record.reason); }
};

// Makes `record` an empty one of the kind, in place: a move of the variant costs more than the
// reading.
Status begin_record(std::string_view kind, Record& record) {
  if (kind == "serve") {
    record.emplace<ServeRecord>();
  } else if (kind == "outcome") {
    record.emplace<OutcomeRecord>();
  } else if (kind == "experiment") {
    record.emplace<ExperimentRecord>();
  } else if (kind == "expired") {
    record.emplace<ExpiredRecord>();
  } else if (kind == "arm_added") {
    record.emplace<ArmAddedRecord>();
  } else if (kind == "arm_retired") {
    record.emplace<ArmRetiredRecord>();
  } else if (kind == "comparison") {
    record.emplace<ComparisonRecord>();
  } else if (kind == "certified") {
    record.emplace<CertifiedRecord>();
  } else if (kind == "completed") {
    record.emplace<CompletedRecord>();
  } else {
    const std::vector<std::string> known = {"experiment", "serve",     "outcome",
                                            "expired",    "arm_added", "arm_retired",
                                            "comparison", "certified", "completed"};
    return bad(fmt::format("'{}' is no kind of record", kind), spelling_hint(kind, known));
  }
  return Done{};
}

Status read_first_field(std::size_t position, Value value, LogEntry& entry) {
  if (position == 0) return read_count(value, "seq", entry.sequence);
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

struct RecordReader::State {
  ondemand::parser parser;
};

RecordReader::RecordReader() : state_(std::make_unique<State>()) {}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

std::size_t RecordReader::padding() { return simdjson::SIMDJSON_PADDING; }

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

Status RecordReader::read(std::string_view line, LogEntry& entry) {
  ondemand::document document;
  if (const auto code =
          state_->parser
              .iterate(simdjson::padded_string_view(line, line.size() + simdjson::SIMDJSON_PADDING))
              .get(document);
      code != simdjson::SUCCESS) {
    return not_json(code);
  }
  ondemand::object object;
  if (const auto code = document.get_object().get(object); code != simdjson::SUCCESS) {
    return not_json(code);
  }
  // seq, time and record come first: what may follow depends on the kind.
  std::size_t position = 0;
  std::optional<FieldFinder> finder;
  DUEL_RETURN_IF_ERROR(for_each_field(object, [&](std::string_view key, Value value) -> Status {
    if (position < kFirstFields.size()) {
      if (key != kFirstFields[position]) {
        return bad(
            fmt::format("the field '{}' stands where '{}' belongs", key, kFirstFields[position]));
      }
      return read_first_field(position++, value, entry);
    }
    if (!finder) finder.emplace(shape_of(entry.record));
    DUEL_ASSIGN(const std::size_t index, finder->find(key));
    if (index == 0) return Done{};  // the hash was checked with the chain
    return std::visit(TakeField{index - 1, value}, entry.record);
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
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    return check_answer(outcome->answer);
  }
  if (const auto* comparison = std::get_if<ComparisonRecord>(&entry.record)) {
    return check_answer(comparison->answer);
  }
  return Done{};
}

}  // namespace duel
