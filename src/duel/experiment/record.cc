#include "duel/experiment/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/experiment/record_reader.h"

namespace duel {
namespace {

template <class Enum, std::size_t N>
using Words = std::array<std::pair<std::string_view, Enum>, N>;

constexpr Words<Goal, 3> kGoals = {
    {{"condorcet", Goal::condorcet}, {"copeland", Goal::copeland}, {"borda", Goal::borda}}};
constexpr Words<Placement, 3> kPlacements = {
    {{"random", Placement::random}, {"both", Placement::both}, {"fixed", Placement::fixed}}};
constexpr Words<Serving, 3> kServings = {
    {{"explore", Serving::explore}, {"fallback", Serving::fallback}, {"aa", Serving::aa}}};
constexpr Words<Answered, 5> kAnswers = {{{"win", Answered::win},
                                          {"tie", Answered::tie},
                                          {"both_bad", Answered::both_bad},
                                          {"skip", Answered::skip},
                                          {"invalid", Answered::invalid}}};
constexpr Words<CertificateKind, 4> kKinds = {{{"winner", CertificateKind::winner},
                                               {"no_winner", CertificateKind::no_winner},
                                               {"copeland", CertificateKind::copeland},
                                               {"borda", CertificateKind::borda}}};

template <class Enum, std::size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return word;
  }
  DUEL_CHECK(false);
  return {};
}

template <class Enum, std::size_t N>
Result<Enum> parse_word(const Words<Enum, N>& words, std::string_view noun, std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [word, meaning] : words) {
    if (word == text) return meaning;
    known.emplace_back(word);
  }
  return Error::invalid_argument(fmt::format("'{}' is no {}", text, noun))
      .with_hint(spelling_hint(text, known));
}

// Appends `,"name":value` to a line.
class FieldWriter {
 public:
  FieldWriter(std::string& out, bool first) : out_(out), first_(first) {}

  void text(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(out_, value);
    if (!bad_ && !is_utf8(value)) bad_ = name;
  }
  // Empty texts are left out.
  void optional_text(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void count(std::string_view name, std::uint64_t value) {
    key(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void number(std::string_view name, double value) {
    key(name);
    out_ += format_number(value);
  }
  void flag(std::string_view name, bool value) {
    key(name);
    out_ += value ? "true" : "false";
  }
  template <class Fields>
  void object(std::string_view name, const Fields& fields) {
    key(name);
    nested(fields);
  }
  template <class Items, class Fields>
  void array(std::string_view name, const Items& items, const Fields& fields) {
    key(name);
    out_ += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += ',';
      first = false;
      nested([&](FieldWriter& inner) { fields(inner, item); });
    }
    out_ += ']';
  }

  // Names of fields are ours, but for columns of other programs.
  void check_key(std::string_view name) {
    if (!bad_ && !is_utf8(name)) bad_ = "extra";
  }

  Status status() const {
    if (!bad_) return Done{};
    return Error::invalid_argument(fmt::format("the text of the field '{}' is not UTF-8", *bad_));
  }

 private:
  void key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    append_json_string(out_, name);
    out_ += ':';
  }
  template <class Fields>
  void nested(const Fields& fields) {
    out_ += '{';
    FieldWriter inner(out_, true);
    fields(inner);
    out_ += '}';
    if (!bad_) bad_ = inner.bad_;
  }

  std::string& out_;
  bool first_;
  std::optional<std::string> bad_;
};

void write_arm(FieldWriter& out, const ArmEntry& arm) {
  out.text("arm_id", arm.id);
  out.optional_text("payload", arm.payload);
  out.optional_text("sha256", arm.sha256);
}

void write_answer(FieldWriter& out, const Answer& answer) {
  out.text("result", to_word(answer.result));
  out.optional_text("winner", answer.winner);
  if (answer.place != 0) out.count("place", answer.place);
}

void write_source(FieldWriter& out, const Source& source) {
  if (source == Source{}) return;
  out.object("source", [&](FieldWriter& inner) {
    inner.optional_text("type", source.type);
    inner.optional_text("id", source.id);
  });
}

void write(FieldWriter& out, const ExperimentRecord& record) {
  out.text("record", "experiment");
  out.count("format", 1);
  out.text("experiment_id", record.experiment_id);
  out.array("arms", record.arms, write_arm);
  out.text("policy", record.policy);
  out.text("goal", to_word(record.goal));
  out.object("stopping", [&](FieldWriter& inner) {
    inner.number("alpha", record.stopping.alpha);
    inner.count("min_decisive_per_pair", record.stopping.min_decisive_per_pair);
    inner.count("max_duels", record.stopping.max_duels);
    inner.flag("arms_fixed", record.stopping.arms_fixed);
  });
  out.text("order", to_word(record.order));
  out.number("aa_rate", record.aa_rate);
  out.flag("comparisons_count", record.comparisons_count);
  out.count("seed", record.seed);
}

void write(FieldWriter& out, const ServeRecord& record) {
  out.text("record", "serve");
  out.text("duel_id", record.duel_id);
  out.count("ordinal", record.ordinal);
  out.count("round", record.round);
  out.text("first", record.first);
  out.text("second", record.second);
  out.text("serving", to_word(record.serving));
  out.optional_text("task", record.task);
}

void write(FieldWriter& out, const OutcomeRecord& record) {
  out.text("record", "outcome");
  out.text("duel_id", record.duel_id);
  write_answer(out, record.answer);
  write_source(out, record.source);
  if (record.response_ms) out.count("response_ms", *record.response_ms);
  if (!record.judgements.empty()) {
    out.array("judgements", record.judgements, [](FieldWriter& inner, const Judgement& judgement) {
      inner.text("first", judgement.first);
      write_answer(inner, judgement.answer);
    });
  }
  out.optional_text("note", record.note);
}

void write(FieldWriter& out, const ExpiredRecord& record) {
  out.text("record", "expired");
  out.text("duel_id", record.duel_id);
}

void write(FieldWriter& out, const ArmAddedRecord& record) {
  out.text("record", "arm_added");
  write_arm(out, record.arm);
}

void write(FieldWriter& out, const ArmRetiredRecord& record) {
  out.text("record", "arm_retired");
  out.text("arm_id", record.arm_id);
}

void write(FieldWriter& out, const ComparisonRecord& record) {
  out.text("record", "comparison");
  out.text("first", record.first);
  out.text("second", record.second);
  write_answer(out, record.answer);
  write_source(out, record.source);
  out.optional_text("made_at", record.made_at);
  if (!record.extra.empty()) {
    out.object("extra", [&](FieldWriter& inner) {
      for (const auto& [name, value] : record.extra) {
        inner.text(name, value);
        inner.check_key(name);
      }
    });
  }
}

void write(FieldWriter& out, const CertifiedRecord& record) {
  out.text("record", "certified");
  out.text("kind", to_word(record.kind));
  out.optional_text("winner", record.winner);
  out.count("at", record.at);
}

void write(FieldWriter& out, const CompletedRecord& record) {
  out.text("record", "completed");
  out.text("reason", record.reason);
}

bool is_id_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string_view to_word(Goal goal) { return word_of(kGoals, goal); }
std::string_view to_word(Placement placement) { return word_of(kPlacements, placement); }
std::string_view to_word(Serving serving) { return word_of(kServings, serving); }
std::string_view to_word(Answered answered) { return word_of(kAnswers, answered); }
std::string_view to_word(CertificateKind kind) { return word_of(kKinds, kind); }
Result<Goal> parse_goal(std::string_view word) { return parse_word(kGoals, "goal", word); }
Result<Placement> parse_placement(std::string_view word) {
  return parse_word(kPlacements, "order of showing", word);
}
Result<Serving> parse_serving(std::string_view word) {
  return parse_word(kServings, "kind of serving", word);
}
Result<Answered> parse_answered(std::string_view word) {
  return parse_word(kAnswers, "result", word);
}
Result<CertificateKind> parse_certificate_kind(std::string_view word) {
  return parse_word(kKinds, "kind of certificate", word);
}

Status check_id(std::string_view noun, std::string_view id) {
  const bool fits = !id.empty() && id.size() <= 100 && is_id_letter(id.front()) &&
                    std::all_of(id.begin(), id.end(), [](char c) {
                      return is_id_letter(c) || c == '.' || c == '_' || c == ':' || c == '-';
                    });
  if (fits) return Done{};
  return Error::invalid_argument(fmt::format("'{}' cannot be the id of {}", id, noun))
      .with_hint(
          "an id has 1 to 100 letters, digits and . _ : - and begins with a letter or digit");
}

Answer combined(std::span<const Judgement> judgements) {
  DUEL_CHECK(!judgements.empty());
  const auto any = [&](Answered result) {
    return std::any_of(judgements.begin(), judgements.end(), [&](const Judgement& judgement) {
      return judgement.answer.result == result;
    });
  };
  for (const Answered empty : {Answered::invalid, Answered::skip}) {
    if (any(empty)) return {.result = empty, .winner = ""};
  }
  const Answer& first = judgements.front().answer;
  const bool agree =
      std::all_of(judgements.begin(), judgements.end(),
                  [&](const Judgement& judgement) { return judgement.answer == first; });
  return agree ? first : Answer{.result = Answered::tie, .winner = ""};
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  // Stretches that need no escape are copied whole. JSON lets DEL stand as it is, our readers of
  // lines take it for a sign of a binary file.
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '\x7f';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && plain(text[end])) ++end;
    out.append(text, begin, end - begin);
    begin = end + 1;
    if (end == text.size()) break;
    switch (text[end]) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(text[end]));
    }
  }
  out += '"';
}

Status append_fields(std::string& out, const Record& record) {
  FieldWriter writer(out, true);
  std::visit([&](const auto& kind) { write(writer, kind); }, record);
  return writer.status();
}

}  // namespace duel
