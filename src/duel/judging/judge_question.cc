#include "duel/judging/judge_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/experiment/remarks.h"
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

namespace {

// A number that makes sense as a count or a price.
std::optional<double> amount(const Json& json, const char* name) {
  const Json* const field = json.find(name);
  if (field == nullptr || !field->is_number()) return std::nullopt;
  const double value = field->get<double>();
  return value >= 0 && value < 1e15 ? std::optional(value) : std::nullopt;
}

void read_remarks(const Json& json, Said& said) {
  if (const auto cost = amount(json, "cost")) said.cost = *cost;
  if (const auto price = amount(json, "price")) said.cost = *price;
  if (const auto tokens = amount(json, "tokens")) {
    said.tokens = static_cast<std::uint64_t>(*tokens);
  }
  if (const Json* const reason = json.find("reason"); reason != nullptr && reason->is_string()) {
    said.reason = reason_within_bounds(reason->get<std::string>());
  }
  if (const Json* const features = json.find("features");
      features != nullptr && features->is_object()) {
    said.features = *features;
  }
}

Result<Said> said_with_score(double score) {
  if (!(score >= 0 && score <= 1)) {
    return senseless(fmt::format("its score is {}", format_number(score)),
                     "0 to 1: 1 where the first is as much better as can be");
  }
  Said said;
  said.score = score;
  return said;
}

// What an object says of the arms.
Result<Said> answer_in_object(const Json& json, std::string_view line, const Question& question) {
  const auto text_of = [&](const char* name) -> Result<std::string> {
    const Json* field = json.find(name);
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
  if (const Json* const score = json.find("score"); score != nullptr && !json.contains("result")) {
    if (score->is_number()) return said_with_score(score->get<double>());
    return senseless(fmt::format("its score is {}", excerpt(score->dump())), "a number, 0 to 1");
  }
  DUEL_ASSIGN(const std::string result, text_of("result"));
  if (result == "tie") return Said(Outcome::tie);
  if (result == "both_bad") return Said(Outcome::both_bad);
  if (result == "skip") return Said(Outcome::skip);
  if (result != "win") {
    const std::vector<std::string> known = {"win", "tie", "both_bad", "skip"};
    return senseless(
        fmt::format("the result of its answer is {}", excerpt(result)),
        result.size() > 100 ? "known: win, tie, both_bad, skip" : spelling_hint(result, known));
  }
  DUEL_ASSIGN(const std::string winner, text_of("winner"));
  if (winner == question.first.arm_id || winner == "first") return Said(Outcome::first_wins);
  if (winner == question.second.arm_id || winner == "second") return Said(Outcome::second_wins);
  return senseless(
      fmt::format("the winner of its answer is {}", excerpt(winner)),
      fmt::format("allowed: {}, {}, first, second", question.first.arm_id, question.second.arm_id));
}

}  // namespace

void read_remarks(std::string_view output, Said& said) {
  const std::string_view text = trimmed(output);
  const std::size_t begin = text.rfind('\n');
  if (begin == std::string_view::npos) return;
  const auto json = Json::parse(text.substr(begin + 1));
  if (json && json->is_object()) read_remarks(*json, said);
}

Result<Said> answer_in_words(std::string_view text, const Question& question) {
  const std::string_view word = trimmed(text);
  if (word == question.first.arm_id) return Said(Outcome::first_wins);
  if (word == question.second.arm_id) return Said(Outcome::second_wins);
  if (const auto outcome = outcome_of_word(word)) return Said(*outcome);
  constexpr std::string_view kScore = "score";
  if (lowered(word.substr(0, kScore.size())) == kScore && word.size() > kScore.size()) {
    std::string_view rest = word.substr(kScore.size());
    if (rest.front() == ':' || rest.front() == '=') rest.remove_prefix(1);
    const auto score = parse_number(trimmed(rest));
    if (score.ok()) return said_with_score(*score);
  }
  if (word.starts_with('{')) {
    if (const auto json = Json::parse(word); json && json->is_object()) {
      DUEL_ASSIGN(Said said, answer_in_object(*json, word, question));
      read_remarks(*json, said);
      return said;
    }
  }
  const std::string allowed =
      fmt::format("allowed: first, second, 1, 2, tie, both_bad, skip, {}, {}, score 0.8",
                  question.first.arm_id, question.second.arm_id);
  if (word.empty()) return senseless("it answered nothing", allowed);
  const std::string nearest =
      word.size() > 100 ? "" : nearest_spelling(word, allowed_words(question));
  return senseless(
      fmt::format("it answered {}", excerpt(word)),
      nearest.empty() ? allowed : fmt::format("did you mean '{}'? {}", nearest, allowed));
}

Result<Said> answer_in_json(std::string_view line, const Question& question) {
  const auto json = Json::parse(line);
  if (!json || !json->is_object()) {
    return senseless(fmt::format("it answered {}", excerpt(line)),
                     R"(one JSON object on a line: {"duel_id":..,"result":"win","winner":..})");
  }
  const Json* const duel_id = json->find("duel_id");
  if (duel_id == nullptr) {
    return senseless(
        fmt::format("the field \"duel_id\" is missing in its answer {}", excerpt(line, 200)), "");
  }
  if (!duel_id->is_string()) {
    return senseless(fmt::format("the field \"duel_id\" of its answer is {}, not a text",
                                 excerpt(duel_id->dump())),
                     "");
  }
  if (duel_id->get<std::string>() != question.duel_id) {
    return senseless(fmt::format("it answered duel {}, but was asked {}",
                                 excerpt(duel_id->get<std::string>()), question.duel_id),
                     "one answer for each question, in their order");
  }
  DUEL_ASSIGN(Said said, answer_in_object(*json, line, question));
  read_remarks(*json, said);
  return said;
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
