#include "duel/log/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "duel/core/check.h"
#include "duel/core/json_line.h"
#include "duel/core/numbers.h"
#include "duel/core/timestamp.h"
#include "duel/log/record_fields.h"
#include "duel/log/record_reader.h"

namespace duel {
namespace {

// Appends fields to a line, each value by its type.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  template <class Owner>
  void fields(const Owner& owner) {
    static const Owner kNew{};
    const auto write = [&](const auto& field) {
      const auto& member = std::invoke(field.get, owner);
      if (field.required || member != std::invoke(field.get, kNew)) member_of(field.name, member);
    };
    Described<Owner>::fields.visit([&](const auto&... field) { (write(field), ...); });
  }

  Status status() const {
    if (!bad_) return Done{};
    return Error::invalid_argument(fmt::format("the text of the field '{}' is not UTF-8", *bad_));
  }

 private:
  void member_of(std::string_view name, const auto& member) {
    if (out_.back() != '{') out_ += ',';
    append_json_string(out_, name);
    out_ += ':';
    value(name, member);
  }

  void value(std::string_view name, const std::string& text) {
    append_json_string(out_, text);
    if (!bad_ && !is_utf8(text)) bad_ = name;
  }
  void value(std::string_view name, const Json& json) {
    append_json(out_, json);
    if (!bad_ && json.is_string() && !is_utf8(json.get<std::string>())) bad_ = name;
  }
  void value(std::string_view /*name*/, std::uint64_t count) { out_ += std::to_string(count); }
  void value(std::string_view name, const std::optional<std::uint64_t>& count) {
    value(name, *count);
  }
  void value(std::string_view name, const std::optional<double>& number) { value(name, *number); }
  void value(std::string_view /*name*/, const Timestamp& time) {
    append_json_string(out_, format_timestamp(time.ms));
  }
  void value(std::string_view /*name*/, double number) { out_ += format_number(number); }
  void value(std::string_view /*name*/, bool flag) { out_ += flag ? "true" : "false"; }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void value(std::string_view /*name*/, Enum member) {
    append_json_string(out_, to_word(member));
  }
  template <class Part>
    requires std::is_class_v<Part>
  void value(std::string_view /*name*/, const Part& part) {
    out_ += '{';
    fields(part);
    out_ += '}';
  }
  template <class Part>
  void value(std::string_view name, const std::vector<Part>& parts) {
    out_ += '[';
    for (const Part& part : parts) {
      if (out_.back() != '[') out_ += ',';
      value(name, part);
    }
    out_ += ']';
  }
  // These names come from other programs, so they must be escaped; all others are ours.
  template <class Part>
  void value(std::string_view name, const std::vector<std::pair<std::string, Part>>& columns) {
    out_ += '{';
    for (const auto& [column, part] : columns) {
      member_of(column, part);
      if (!bad_ && !is_utf8(column)) bad_ = name;
    }
    out_ += '}';
  }

  std::string& out_;
  std::optional<std::string> bad_;  // the first field whose text is not UTF-8
};

}  // namespace

Result<Goal> parse_goal(std::string_view kind, std::uint64_t top, double epsilon,
                        std::string_view assume) {
  DUEL_ASSIGN(const Goal::Kind known, in_field("goal", parse_goal(kind)));
  DUEL_ASSIGN(const Assumption taken, in_field("assume", parse_word<Assumption>(assume)));
  return Goal(known, top, epsilon, taken);
}

std::string describe(const Goal& goal) {
  std::string text(to_word(goal.kind));
  if (goal.top > 0) text += fmt::format(" of {}", goal.top);
  if (goal.margin > 0) text += " " + format_number(goal.margin);
  if (goal.assume == Assumption::order) text += ", the arms taken to have an order";
  return text;
}

std::uint64_t InterleavedRecord::num_ids() const {
  std::uint64_t count = first.size() + second.size();
  for (const OtherRanking& other : others) count += other.list.size();
  return count;
}

Answer answer_of_score(double score, const std::string& first, const std::string& second) {
  Answer answer{.result = Answered::graded, .winner = {}, .score = score};
  if (score == 0.5) answer.result = Answered::tie;
  if (score != 1 && score != 0) return answer;
  answer.result = Answered::win;
  answer.winner = score == 1 ? first : second;
  if (first == second) answer.place = score == 1 ? 1 : 2;
  return answer;
}

std::optional<double> score_of(const Answer& answer, const std::string& first,
                               const std::string& second) {
  if (answer.result == Answered::invalid) return std::nullopt;
  if (answer.result == Answered::graded) return answer.score;
  if (answer.result != Answered::win) return 0.5;
  if (first == second) return answer.place == 1 ? 1 : 0;
  return answer.winner == first ? 1 : 0;
}

Answer combined(std::span<const Judgement> judgements, const std::string& first,
                const std::string& second) {
  DUEL_CHECK(!judgements.empty());
  const auto is_part_of_mean = [](const Judgement& judgement) {
    return judgement.answer.score.has_value() || !judgement.judge.empty();
  };
  if (std::ranges::any_of(judgements, is_part_of_mean)) {
    double sum = 0, count = 0;
    for (const Judgement& judgement : judgements) {
      const bool turned = judgement.first != first;
      const auto score = turned ? score_of(judgement.answer, second, first)
                                : score_of(judgement.answer, first, second);
      if (!score) continue;
      sum += turned ? 1.0 - *score : *score;
      count += 1;
    }
    if (count == 0) return {.result = Answered::invalid, .winner = ""};
    return answer_of_score(sum / count, first, second);
  }
  for (const Answered empty : {Answered::invalid, Answered::skip}) {
    for (const Judgement& judgement : judgements) {
      if (judgement.answer.result == empty) return {.result = empty, .winner = ""};
    }
  }
  const Answer& one = judgements.front().answer;
  const bool agree = std::ranges::count(judgements, one, &Judgement::answer) ==
                     static_cast<std::ptrdiff_t>(judgements.size());
  return agree ? one : Answer{.result = Answered::tie, .winner = ""};
}

bool is_program(const Source& source) { return source.type == "judge" || source.type == "program"; }

Status append_fields(std::string& out, const Record& record) {
  FieldWriter writer(out);
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        out += "\"record\":";
        append_json_string(out, Described<Kind>::name);
        writer.fields(kind);
      },
      record);
  return writer.status();
}

std::string original_name(const ArmEntry& arm) {
  if (arm.payload.empty() || !arm.sha256.empty()) return arm.id;
  const std::string made = id_from(arm.payload);
  if (arm.id == made) return arm.payload;
  const std::string_view id = arm.id;
  const std::string base = made.substr(0, 90) + "-";
  const bool numbered = id.starts_with(base) && id.size() > base.size() &&
                        id.find_first_not_of("0123456789", base.size()) == std::string_view::npos;
  return numbered ? arm.payload : arm.id;
}

}  // namespace duel
