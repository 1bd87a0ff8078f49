#include "tests/golden/local_door.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/rng.h"
#include "duel/judging/interview_request.h"
#include "duel/judging/judge_question.h"
#include "tests/golden/golden.h"
#include "tests/judging/asked_interview.h"

namespace duel::golden {
namespace {

const std::string kLog = "run.jsonl";
const Source kJudge{"judge", "j"};
const Source kPerson{"human", "p"};

std::string text_or(const Json& json, std::string_view name, const std::string& otherwise) {
  const Json* value = json.find(name);
  return value == nullptr ? otherwise : value->get<std::string>();
}

std::vector<std::string> texts_of(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  return value == nullptr ? std::vector<std::string>() : value->get<std::vector<std::string>>();
}

// As the judge saw the question.
Outcome outcome_of(const std::string& word, const Question& seen) {
  const bool first_is_better = seen.first.arm_id < seen.second.arm_id;
  if (word == "first") return Outcome::first_wins;
  if (word == "second") return Outcome::second_wins;
  if (word == "better") return first_is_better ? Outcome::first_wins : Outcome::second_wins;
  if (word == "worse") return first_is_better ? Outcome::second_wins : Outcome::first_wins;
  if (word == "tie") return Outcome::tie;
  if (word == "both_bad") return Outcome::both_bad;
  if (word == "skip") return Outcome::skip;
  if (word == "invalid") return Outcome::none;
  throw std::runtime_error("no answer: " + word);
}

duel::Said said_of(const std::string& word, const Question& seen) {
  if (!is_score(word)) return outcome_of(word, seen);
  duel::Said said;
  said.score = std::stod(word);
  return said;
}

}  // namespace

LocalDoor::LocalDoor() : quick_(use_quick_directory()), before_(std::filesystem::current_path()) {
  // Files are named as seen from here, so that no path of this machine gets into a log.
  std::filesystem::current_path(directory_.path());
}

LocalDoor::~LocalDoor() { std::filesystem::current_path(before_); }

void LocalDoor::open(const Json& wanted) {
  interview_.reset();
  needs_more_tasks_ = false;
  wanted_ = wanted;
  InterviewRequest request;
  request.arms = texts_of(wanted, "arms");
  request.log = kLog;
  request.name = text_or(wanted, "name", "e");
  request.policy = text_or(wanted, "policy", "");
  request.goal = text_or(wanted, "goal", "condorcet");
  request.order = text_or(wanted, "order", "random");
  request.about = text_or(wanted, "about", "tasks-like-these");
  request.seed = wanted.at("seed").get<std::uint64_t>();
  if (const Json* top = wanted.find("top")) request.top = top->get<std::uint64_t>();
  if (const Json* epsilon = wanted.find("epsilon")) request.epsilon = epsilon->get<double>();
  if (const Json* alpha = wanted.find("alpha")) request.alpha = alpha->get<double>();
  if (const Json* most = wanted.find("max_duels")) request.max_duels = most->get<std::uint64_t>();
  request.open_arms = wanted.contains("open_arms");
  request.allows_new_judge = wanted.contains("new_judge");
  request.add_arm = texts_of(wanted, "add");
  request.retire_arm = texts_of(wanted, "retire");
  if (const Json* judge = wanted.find("judge")) {
    request.judge = {judge->get<std::string>(),
                     std::string(64, judge->get<std::string>().empty() ? '0' : 'a')};
  }
  if (const Json* size = wanted.find("panel")) request.panel = size->dump();
  const Json* const audits = wanted.find("audits");
  if (audits != nullptr) {
    request.judge = {"judge", std::string(64, 'a')};
    request.audited = true;
    request.audits = audits->get<double>();
  }
  if (const std::vector<std::string> tasks = texts_of(wanted, "tasks"); !tasks.empty()) {
    std::string lines;
    for (const std::string& id : tasks) {
      lines += fmt::format(R"({{"task_id":"{0}","question":"about {0}"}})", id) + "\n";
    }
    directory_.write("tasks.jsonl", lines);
    request.tasks = "tasks.jsonl";
  }
  auto opened = [&]() -> Result<Interview> {
    DUEL_ASSIGN(InterviewPlan plan, plan_interview(request));
    plan.audit_key = text_or(wanted, "audit_key", "");
    return Interview::open(std::move(plan));
  }();
  if (!opened.ok()) {
    replies_ += opened.error().to_string() + "\n";
    return;
  }
  interview_.emplace(std::move(*opened));
  replies_ += fmt::format("resumed {}, given up {}, joined [{}], left [{}], cut {}\n",
                          interview_->resumed(), interview_->given_up(),
                          fmt::join(interview_->joined(), ","), fmt::join(interview_->left(), ","),
                          interview_->cut_bytes());
}

Interview& LocalDoor::interview() {
  if (!interview_) throw std::runtime_error("no experiment is open");
  return *interview_;
}

std::optional<Question> LocalDoor::ask(const std::string& subject) {
  RunEnding why = RunEnding::undecided;
  std::optional<Question> question = next_of(interview(), &why, subject);
  if (question) asked_[question->duel_id] = *question;
  needs_more_tasks_ = !question && why == RunEnding::tasks_used_up;
  return question;
}

Status LocalDoor::audit(const std::string& word) {
  DUEL_ASSIGN(const Questions::Next next, interview().questions().next_audit());
  const auto* const question = std::get_if<Question>(&next);
  if (question == nullptr) return Error::not_found("no duel waits for a person");
  replies_ += question_line(*question) + "\n";
  return give({.question = *question,
               .judgements = {outcome_of(word, *question)},
               .source = kPerson,
               .response_ms = 1});
}

Status LocalDoor::record_answer(const std::string& duel_id, const std::string& word,
                                std::uint64_t tries) {
  const Question& question = asked_.at(duel_id);
  std::vector<duel::Said> outcomes;
  if (interview().ledger().experiment().order == Placement::both) {
    const std::size_t slash = std::min(word.find('/'), word.size());
    outcomes.push_back(outcome_of(word.substr(0, slash), question));
    outcomes.push_back(
        outcome_of(slash == word.size() ? word : word.substr(slash + 1), turned_round(question)));
  } else {
    outcomes.push_back(said_of(word, question));
  }
  return give({.question = question,
               .judgements = std::move(outcomes),
               .source = kJudge,
               .response_ms = 1,
               .failed_tries = tries});
}

Status LocalDoor::give(Given given) {
  const auto taken = interview().questions().answer({std::move(given)});
  return taken.ok() ? Status(Done{}) : Status(taken.error());
}

void LocalDoor::play_many(const Step& step) {
  const std::size_t in_flight = std::stoul(step.value_of("in_flight", "1"));
  std::size_t left = std::stoul(step.words.at(0));
  std::deque<std::string> flying;
  for (;;) {
    while (left > 0 && flying.size() < in_flight) {
      const auto question = ask(step.value_of("subject"));
      if (!question) {
        left = 0;
        break;
      }
      --left;
      flying.push_back(question->duel_id);
      replies_ +=
          fmt::format("{} {} {} {}\n", question->duel_id, question->first.arm_id,
                      question->second.arm_id, question->task ? question->task->dump() : "-");
    }
    // What is out when the certificate comes is awaited.
    if (flying.empty()) break;
    const auto next =
        flying.begin() + static_cast<std::ptrdiff_t>(hash_text(flying.front()) % flying.size());
    std::string word = word_of(said_about(*next));
    if (interview().ledger().experiment().order == Placement::both) {
      word += "/" + word_of(said_about(*next + "/turned"));
    }
    const Status recorded = record_answer(*next, word, 0);
    replies_ += fmt::format("{} {}{}\n", *next, word,
                            recorded.ok() ? "" : ": " + recorded.error().to_string());
    flying.erase(next);
  }
  replies_ += fmt::format("certified {}, needs more tasks {}\n", interview().certified(),
                          needs_more_tasks_);
}

void LocalDoor::cut(std::size_t bytes) {
  interview_.reset();
  const std::string text = content_of(kLog);
  write_content(kLog, text.substr(0, text.size() - bytes));
}

void LocalDoor::play(const Step& step) {
  const auto word = [&](std::size_t k) -> const std::string& { return step.words.at(k); };
  const std::uint64_t tries = std::stoull(step.value_of("tries", "0"));
  const auto told = [&](const Status& status) {
    replies_ += status.ok() ? "recorded\n" : status.error().to_string() + "\n";
  };
  replies_ += "> " + step.text + "\n";
  if (step.verb == "open") return open(*Json::parse(step.json));
  if (step.verb == "add-arm" || step.verb == "retire-arm") {
    // A run takes such a change when it begins.
    Json wanted = wanted_;
    wanted[step.verb == "add-arm" ? "add" : "retire"].push_back(word(0));
    return open(wanted);
  }
  if (step.verb == "play") return play_many(step);
  if (step.verb == "serve") {
    const auto question = ask(step.value_of("subject"));
    replies_ += question ? question_line(*question) + "\n"
                         : fmt::format("nothing; needs more tasks {}\n", needs_more_tasks_);
  } else if (step.verb == "answer") {
    told(record_answer(word(0), word(1), tries));
  } else if (step.verb == "expire") {
    told(give({.question = asked_.at(word(0)), .why = "expired", .failed_tries = tries}));
  } else if (step.verb == "audit") {
    told(audit(word(0)));
  } else if (step.verb == "close-panel") {
    told(interview().local().close_panel());
  } else if (step.verb == "complete") {
    told(interview().certified()
             ? interview().local().complete("the certificate came before the answer")
             : Status(Done{}));
  } else if (step.verb == "close") {
    interview_.reset();
  } else if (step.verb == "cut") {
    cut(std::stoul(word(0)));
  } else if (step.verb == "write") {
    std::string lines;
    for (const std::string& line : Json::parse(step.json)->get<std::vector<std::string>>()) {
      lines += line + "\n";
    }
    std::filesystem::create_directories((directory_ / word(0)).parent_path());
    directory_.write(word(0), lines);
  } else if (step.verb == "begin") {
    const std::string text = recorded("formats/" + word(0));
    kept_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    directory_.write(kLog, text);
  } else {
    throw std::runtime_error("no step of a run: " + step.text);
  }
}

std::string LocalDoor::log() const { return retimed(content_of(directory_ / kLog), kept_); }

std::optional<std::uint64_t> LocalDoor::state_hash() const {
  if (!interview_) return std::nullopt;
  return interview_->experiment().state_hash();
}

}  // namespace duel::golden
