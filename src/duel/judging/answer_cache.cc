#include "duel/judging/answer_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/whole_file.h"
#include "duel/judging/judge_question.h"

namespace duel {
namespace {

constexpr std::string_view kCacheEnding = ".json";
constexpr std::size_t kMostBytesOfAnswer = std::size_t{1} << 20;

// As a judge would say it in JSON, so that it is read by the same rules.
Json as_judge_says(const Said& said) {
  Json json;
  if (said.score) {
    json["score"] = *said.score;
  } else if (said.outcome == Outcome::first_wins || said.outcome == Outcome::second_wins) {
    json["result"] = "win";
    json["winner"] = said.outcome == Outcome::first_wins ? "first" : "second";
  } else {
    json["result"] = said.outcome == Outcome::tie        ? "tie"
                     : said.outcome == Outcome::both_bad ? "both_bad"
                                                         : "skip";
  }
  if (!said.reason.empty()) json["reason"] = said.reason;
  if (!said.features.is_null()) json["features"] = said.features;
  return json;
}

}  // namespace

Result<AnswerCache> AnswerCache::open(std::string directory, std::string judge_sha256,
                                      const std::vector<ListedArm>& arms,
                                      std::function<void(const std::string&)> tell) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) {
    return Error::io(fmt::format("cannot be made: {}", failed.message()), directory,
                     "a directory for answers that judges have given");
  }
  AnswerCache cache(std::move(directory), std::move(judge_sha256), std::move(tell));
  for (std::filesystem::directory_iterator it(cache.directory_, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (it->path().extension() == kCacheEnding) cache.kept_.insert(it->path().stem().string());
  }
  if (failed) {
    return Error::io(fmt::format("cannot be read: {}", failed.message()), cache.directory_);
  }
  for (const ListedArm& arm : arms) {
    if (!arm.sha256.empty()) cache.contents_[arm.shown.arm_id] = arm.sha256;
  }
  return cache;
}

std::string AnswerCache::content_of(const ShownArm& arm) const {
  const auto found = contents_.find(arm.arm_id);
  if (found != contents_.end()) return found->second;
  return sha256_hex(arm.payload ? arm.payload->dump() : arm.arm_id);
}

std::string AnswerCache::key_of(const Question& question) const {
  // No part but the last holds a newline.
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}", judge_, content_of(question.first),
                                content_of(question.second), question.vote,
                                question.task ? question.task->dump() : ""));
}

std::string AnswerCache::file_of(const std::string& key) const {
  return (std::filesystem::path(directory_) / (key + std::string(kCacheEnding))).string();
}

bool AnswerCache::knows(const Question& question) {
  return find(question).has_value() ||
         (question.both_orders && find(turned_round(question)).has_value());
}

std::optional<Said> AnswerCache::find(const Question& question) {
  const std::string key = key_of(question);
  if (!kept_.contains(key)) return std::nullopt;
  const std::string file = file_of(key);
  // Whatever is wrong with the file, the judge can be asked.
  const auto no_use = [&](const std::string& why) {
    kept_.erase(key);
    tell_(fmt::format("{} is no use and is passed over: {}", file, why));
    return std::nullopt;
  };
  const auto text = read_whole_file(file, kMostBytesOfAnswer);
  if (!text.ok()) return no_use(text.error().message);
  const auto json = Json::parse(*text);
  if (!json || !json->is_object()) return no_use("it holds no JSON object");
  const Json* const asked = json->find("question");
  if (asked == nullptr || !asked->is_string() || asked->get<std::string>() != key) {
    return no_use("it is of another question");
  }
  auto said = answer_in_words(*text, question);
  if (!said.ok()) return no_use(said.error().message);
  said->cost = 0;
  said->tokens = 0;
  said->cached = true;
  return std::move(*said);
}

void AnswerCache::keep(const Question& question, const Said& said) {
  std::string key = key_of(question);
  if (!said.answers() || kept_.contains(key)) return;
  Json json;
  json["question"] = key;
  json["judge"] = judge_;
  json.update(as_judge_says(said));
  const Status written = write_whole_file(file_of(key), json.dump() + "\n");
  if (written.ok()) {
    kept_.insert(std::move(key));
  } else if (!std::exchange(cannot_keep_, true)) {
    tell_(fmt::format("answers cannot be kept: {}", written.error().to_string()));
  }
}

std::size_t CachedJudges::free() const {
  const std::size_t inner = judges_.free();
  // Otherwise a loop that fills all places would never be done.
  return inner - std::min(inner, done_.size());
}

void CachedJudges::ask(Question question) {
  if (!question.evidence) {
    if (std::optional<Said> said = cache_.find(question)) {
      ++remembered_;
      done_.push_back({.question = std::move(question), .outcome = std::move(said)});
      return;
    }
  }
  judges_.ask(std::move(question));
}

std::vector<Judged> CachedJudges::wait(std::chrono::milliseconds most) {
  std::vector<Judged> all = std::exchange(done_, {});
  for (Judged& judged : judges_.wait(all.empty() ? most : std::chrono::milliseconds(0))) {
    if (judged.outcome) cache_.keep(judged.question, *judged.outcome);
    all.push_back(std::move(judged));
  }
  return all;
}

std::vector<Judged> CachedJudges::abandon() {
  std::vector<Judged> lost = judges_.abandon();
  for (Judged& judged : done_) {
    judged.outcome.reset();
    lost.push_back(std::move(judged));
  }
  done_.clear();
  return lost;
}

}  // namespace duel
