#include "duel/log/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <type_traits>

#include "duel/core/json_line.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/timestamp.h"
#include "duel/log/record_fields.h"
#include "duel/log/record_reader.h"

namespace duel {
namespace {

template <class Enum>
struct Words;

template <>
struct Words<Goal::Kind> {
  static constexpr std::string_view noun = "goal";
  static constexpr auto all =
      std::to_array<std::pair<std::string_view, Goal::Kind>>({{"condorcet", Goal::condorcet},
                                                              {"copeland", Goal::copeland},
                                                              {"borda", Goal::borda},
                                                              {"set", Goal::set},
                                                              {"order", Goal::order},
                                                              {"ranking", Goal::ranking},
                                                              {"epsilon", Goal::epsilon}});
};

template <>
struct Words<Assumption> {
  static constexpr std::string_view noun = "assumption";
  static constexpr auto all = std::to_array<std::pair<std::string_view, Assumption>>(
      {{"none", Assumption::none}, {"order", Assumption::order}});
};

template <>
struct Words<Placement> {
  static constexpr std::string_view noun = "order of showing";
  static constexpr auto all = std::to_array<std::pair<std::string_view, Placement>>(
      {{"random", Placement::random}, {"both", Placement::both}, {"fixed", Placement::fixed}});
};

template <>
struct Words<Drafting> {
  static constexpr std::string_view noun = "method of interleaving";
  static constexpr auto all = std::to_array<std::pair<std::string_view, Drafting>>(
      {{"team_draft", Drafting::team_draft},
       {"probabilistic", Drafting::probabilistic},
       {"team_draft_multileave", Drafting::team_draft_multileave},
       {"probabilistic_multileave", Drafting::probabilistic_multileave}});
};

template <>
struct Words<Serving> {
  static constexpr std::string_view noun = "kind of serving";
  static constexpr auto all =
      std::to_array<std::pair<std::string_view, Serving>>({{"explore", Serving::explore},
                                                           {"contest", Serving::contest},
                                                           {"aa", Serving::aa},
                                                           {"exploit", Serving::exploit}});
  // In logs of formats 1 and 2.
  static constexpr auto older =
      std::to_array<std::pair<std::string_view, Serving>>({{"fallback", Serving::contest}});
};

template <>
struct Words<ServedBy> {
  static constexpr std::string_view noun = "chooser of duels";
  static constexpr auto all =
      std::to_array<std::pair<std::string_view, ServedBy>>({{"policy", ServedBy::policy},
                                                            {"floor", ServedBy::floor},
                                                            {"exclude", ServedBy::exclude},
                                                            {"recovered", ServedBy::recovered}});
};

template <>
struct Words<Mode> {
  static constexpr std::string_view noun = "mode";
  static constexpr auto all = std::to_array<std::pair<std::string_view, Mode>>(
      {{"duel", Mode::duel}, {"interleave", Mode::interleave}});
};

template <>
struct Words<ExperimentState> {
  static constexpr std::string_view noun = "state";
  static constexpr auto all = std::to_array<std::pair<std::string_view, ExperimentState>>(
      {{"draft", ExperimentState::draft},
       {"running", ExperimentState::running},
       {"paused", ExperimentState::paused},
       {"completed", ExperimentState::completed},
       {"archived", ExperimentState::archived}});
};

template <>
struct Words<OnTimeout> {
  static constexpr std::string_view noun = "meaning of a missing answer";
  static constexpr auto all = std::to_array<std::pair<std::string_view, OnTimeout>>(
      {{"discard", OnTimeout::discard}, {"tie", OnTimeout::tie}});
};

template <>
struct Words<OnCertified> {
  static constexpr std::string_view noun = "action on a certificate";
  static constexpr auto all = std::to_array<std::pair<std::string_view, OnCertified>>(
      {{"notify", OnCertified::notify},
       {"exploit", OnCertified::exploit},
       {"complete", OnCertified::complete}});
};

template <>
struct Words<Answered> {
  static constexpr std::string_view noun = "result";
  static constexpr auto all =
      std::to_array<std::pair<std::string_view, Answered>>({{"win", Answered::win},
                                                            {"tie", Answered::tie},
                                                            {"both_bad", Answered::both_bad},
                                                            {"skip", Answered::skip},
                                                            {"invalid", Answered::invalid}});
};

template <>
struct Words<CertificateKind> {
  static constexpr std::string_view noun = "kind of certificate";
  static constexpr auto all = std::to_array<std::pair<std::string_view, CertificateKind>>(
      {{"winner", CertificateKind::winner},
       {"no_winner", CertificateKind::no_winner},
       {"copeland", CertificateKind::copeland},
       {"borda", CertificateKind::borda},
       {"set", CertificateKind::set},
       {"order", CertificateKind::order},
       {"ranking", CertificateKind::ranking},
       {"epsilon", CertificateKind::epsilon}});
};

template <>
struct Words<TaskScope> {
  static constexpr std::string_view noun = "scope of tasks";
  static constexpr auto all = std::to_array<std::pair<std::string_view, TaskScope>>(
      {{"tasks_like_these", TaskScope::tasks_like_these}, {"these_tasks", TaskScope::these_tasks}});
};

template <class Enum>
std::string_view word_of(Enum value) {
  for (const auto& [word, meaning] : Words<Enum>::all) {
    if (meaning == value) return word;
  }
  DUEL_CHECK(false);
  return {};
}

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
  void value(std::string_view /*name*/, std::uint64_t count) {
    fmt::format_to(std::back_inserter(out_), "{}", count);
  }
  void value(std::string_view name, const std::optional<std::uint64_t>& count) {
    value(name, *count);
  }
  void value(std::string_view /*name*/, const Timestamp& time) {
    append_json_string(out_, format_timestamp(time.ms));
  }
  void value(std::string_view /*name*/, double number) { out_ += format_number(number); }
  void value(std::string_view /*name*/, bool flag) { out_ += flag ? "true" : "false"; }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void value(std::string_view /*name*/, Enum member) {
    append_json_string(out_, word_of(member));
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
  // Names of fields are ours, but for columns of other programs.
  void value(std::string_view name, const std::vector<std::pair<std::string, Json>>& columns) {
    out_ += '{';
    for (const auto& [column, json] : columns) {
      member_of(column, json);
      if (!bad_ && !is_utf8(column)) bad_ = name;
    }
    out_ += '}';
  }

  std::string& out_;
  std::optional<std::string> bad_;  // the first field whose text is not UTF-8
};

template <class Member>
struct ElementOf {
  using type = Member;
};
template <class Part>
struct ElementOf<std::vector<Part>> {
  using type = Part;
};

template <class Owner>
std::vector<FieldFact> facts_of() {
  const auto fact_of = [](const auto& field) {
    FieldFact fact{field.name, field.required, field.doc, {}, {}};
    using Member = std::remove_cvref_t<decltype(std::invoke(field.get, std::declval<Owner&>()))>;
    using Element = typename ElementOf<Member>::type;
    if constexpr (std::is_enum_v<Member>) {
      for (const auto& [word, meaning] : Words<Member>::all) fact.words.push_back(word);
    } else if constexpr (requires { Described<Element>::fields; }) {
      fact.members = facts_of<Element>();
    }
    return fact;
  };
  return Described<Owner>::fields.visit(
      [&](const auto&... field) { return std::vector{fact_of(field)...}; });
}

bool is_id_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string_view to_word(Goal::Kind kind) { return word_of(kind); }
std::string_view to_word(Assumption assumption) { return word_of(assumption); }
std::string_view to_word(Placement placement) { return word_of(placement); }
std::string_view to_word(Serving serving) { return word_of(serving); }
std::string_view to_word(Answered answered) { return word_of(answered); }
std::string_view to_word(CertificateKind kind) { return word_of(kind); }
std::string_view to_word(TaskScope scope) { return word_of(scope); }
std::string_view to_word(Mode mode) { return word_of(mode); }
std::string_view to_word(ServedBy by) { return word_of(by); }
std::string_view to_word(ExperimentState state) { return word_of(state); }
std::string_view to_word(OnTimeout on_timeout) { return word_of(on_timeout); }
std::string_view to_word(Drafting drafting) { return word_of(drafting); }
std::string_view to_word(OnCertified on_certified) { return word_of(on_certified); }

template <class Enum>
Result<Enum> parse_word(std::string_view word) {
  for (const auto& [known, meaning] : Words<Enum>::all) {
    if (known == word) return meaning;
  }
  if constexpr (requires { Words<Enum>::older; }) {
    for (const auto& [known, meaning] : Words<Enum>::older) {
      if (known == word) return meaning;
    }
  }
  std::vector<std::string> all;
  for (const auto& [known, meaning] : Words<Enum>::all) all.emplace_back(known);
  return Error::invalid_argument(fmt::format("'{}' is no {}", word, Words<Enum>::noun))
      .with_hint(spelling_hint(word, all));
}
template Result<Goal::Kind> parse_word(std::string_view);
template Result<Assumption> parse_word(std::string_view);
template Result<Placement> parse_word(std::string_view);
template Result<Serving> parse_word(std::string_view);
template Result<Answered> parse_word(std::string_view);
template Result<CertificateKind> parse_word(std::string_view);
template Result<TaskScope> parse_word(std::string_view);
template Result<Mode> parse_word(std::string_view);
template Result<ServedBy> parse_word(std::string_view);
template Result<ExperimentState> parse_word(std::string_view);
template Result<OnTimeout> parse_word(std::string_view);
template Result<Drafting> parse_word(std::string_view);
template Result<OnCertified> parse_word(std::string_view);

template <class Enum>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> words;
  for (const auto& [word, meaning] : Words<Enum>::all) words.push_back(word);
  return words;
}
template std::vector<std::string_view> words_of<Goal::Kind>();
template std::vector<std::string_view> words_of<Assumption>();
template std::vector<std::string_view> words_of<Placement>();
template std::vector<std::string_view> words_of<Serving>();
template std::vector<std::string_view> words_of<Answered>();
template std::vector<std::string_view> words_of<CertificateKind>();
template std::vector<std::string_view> words_of<TaskScope>();
template std::vector<std::string_view> words_of<Mode>();
template std::vector<std::string_view> words_of<ServedBy>();
template std::vector<std::string_view> words_of<ExperimentState>();
template std::vector<std::string_view> words_of<OnTimeout>();
template std::vector<std::string_view> words_of<Drafting>();
template std::vector<std::string_view> words_of<OnCertified>();

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

std::uint64_t InterleavedRecord::num_ids() const {
  std::uint64_t count = first.size() + second.size();
  for (const OtherRanking& other : others) count += other.list.size();
  return count;
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

std::vector<RecordFact> record_facts() {
  return []<class... Kinds>(std::type_identity<std::variant<Kinds...>>) {
    return std::vector{
        RecordFact{Described<Kinds>::name, Described<Kinds>::doc, facts_of<Kinds>()}...};
  }(std::type_identity<Record>{});
}

std::string id_from(std::string_view text) {
  std::string id;
  for (const char c : text) {
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool inner = letter || c == '.' || c == '_' || c == ':' || c == '-';
    if (id.empty() && !letter) {
      if (inner) continue;
      id += "x-";
      continue;
    }
    id += inner ? c : '-';
  }
  if (id.empty()) id = "x";
  return id.substr(0, 100);
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
