#include "duel/judging/judge_question.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/judging/printable.h"

namespace duel {
namespace {

struct AnswerWord {
  std::string_view word;
  Outcome outcome;
};
constexpr std::array<AnswerWord, 7> kWords = {{{"first", Outcome::first_wins},
                                               {"second", Outcome::second_wins},
                                               {"1", Outcome::first_wins},
                                               {"2", Outcome::second_wins},
                                               {"tie", Outcome::tie},
                                               {"both_bad", Outcome::both_bad},
                                               {"skip", Outcome::skip}}};
constexpr std::array<Outcome, 5> kByExitCode = {Outcome::first_wins, Outcome::second_wins,
                                                Outcome::tie, Outcome::both_bad, Outcome::skip};
constexpr int kFirstExitCode = 11;

std::string lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

std::optional<Outcome> outcome_of_word(std::string_view text) {
  const std::string low = lowered(text);
  for (const AnswerWord& entry : kWords) {
    if (entry.word == low) return entry.outcome;
  }
  return std::nullopt;
}

Json to_json(const ShownArm& arm) {
  Json json;
  json["arm_id"] = arm.arm_id;
  if (!arm.path.empty()) json["path"] = arm.path;
  if (arm.payload) json["payload"] = *arm.payload;
  return json;
}

std::vector<std::string> allowed_words(const Question& question) {
  std::vector<std::string> words;
  for (const AnswerWord& entry : kWords) words.emplace_back(entry.word);
  words.push_back(question.first.arm_id);
  words.push_back(question.second.arm_id);
  return words;
}

Error senseless(std::string message, std::string hint) {
  return Error::invalid_data(std::move(message)).with_hint(std::move(hint));
}

}  // namespace

std::string question_line(const Question& question) {
  Json json;
  json["duel_id"] = question.duel_id;
  json["first"] = to_json(question.first);
  json["second"] = to_json(question.second);
  if (question.task) json["task"] = *question.task;
  return json.dump();
}

Result<Outcome> answer_in_words(std::string_view text, const Question& question) {
  const std::string_view word = trimmed(text);
  if (word == question.first.arm_id) return Outcome::first_wins;
  if (word == question.second.arm_id) return Outcome::second_wins;
  if (const auto outcome = outcome_of_word(word)) return *outcome;
  const std::string allowed =
      fmt::format("allowed: first, second, 1, 2, tie, both_bad, skip, {}, {}",
                  question.first.arm_id, question.second.arm_id);
  if (word.empty()) return senseless("it answered nothing", allowed);
  const std::string nearest =
      word.size() > 100 ? "" : nearest_spelling(word, allowed_words(question));
  return senseless(
      fmt::format("it answered {}", excerpt(word)),
      nearest.empty() ? allowed : fmt::format("did you mean '{}'? {}", nearest, allowed));
}

Result<Outcome> answer_in_json(std::string_view line, const Question& question) {
  const auto json = Json::parse(line);
  if (!json || !json->is_object()) {
    return senseless(fmt::format("it answered {}", excerpt(line)),
                     R"(one JSON object on a line: {"duel_id":..,"result":"win","winner":..})");
  }
  const auto text_of = [&](const char* name) -> Result<std::string> {
    const Json* field = json->find(name);
    if (field == nullptr) {
      return senseless(
          fmt::format("the field \"{}\" is missing in its answer {}", name, excerpt(line, 200)),
          "");
    }
    if (!field->is_string()) {
      return senseless(fmt::format("the field \"{}\" of its answer is {}, not a text", name,
                                   excerpt(field->dump())),
                       "");
    }
    return field->get<std::string>();
  };
  DUEL_ASSIGN(const std::string duel_id, text_of("duel_id"));
  if (duel_id != question.duel_id) {
    return senseless(
        fmt::format("it answered duel {}, but was asked {}", excerpt(duel_id), question.duel_id),
        "one answer for each question, in their order");
  }
  DUEL_ASSIGN(const std::string result, text_of("result"));
  if (result == "tie") return Outcome::tie;
  if (result == "both_bad") return Outcome::both_bad;
  if (result == "skip") return Outcome::skip;
  if (result != "win") {
    const std::vector<std::string> known = {"win", "tie", "both_bad", "skip"};
    return senseless(
        fmt::format("the result of its answer is {}", excerpt(result)),
        result.size() > 100 ? "known: win, tie, both_bad, skip" : spelling_hint(result, known));
  }
  DUEL_ASSIGN(const std::string winner, text_of("winner"));
  if (winner == question.first.arm_id || winner == "first") return Outcome::first_wins;
  if (winner == question.second.arm_id || winner == "second") return Outcome::second_wins;
  return senseless(
      fmt::format("the winner of its answer is {}", excerpt(winner)),
      fmt::format("allowed: {}, {}, first, second", question.first.arm_id, question.second.arm_id));
}

std::optional<Outcome> answer_in_exit_code(int code) {
  const int place = code - kFirstExitCode;
  if (place < 0 || place >= static_cast<int>(kByExitCode.size())) return std::nullopt;
  return kByExitCode[static_cast<std::size_t>(place)];
}

bool says_busy(std::string_view line, const Question& question) {
  const auto json = Json::parse(line);
  if (!json || !json->is_object()) return false;
  const auto says = [&](const char* name, std::string_view text) {
    const Json* field = json->find(name);
    return field != nullptr && field->is_string() && field->get<std::string>() == text;
  };
  return says("duel_id", question.duel_id) && says("result", "busy");
}

bool is_answer_word(std::string_view text) { return outcome_of_word(text).has_value(); }

}  // namespace duel
