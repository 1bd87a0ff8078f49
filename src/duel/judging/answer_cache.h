// Answers that a judge has given before, in a directory: who asks the same question again need not
// pay for it again.
//
// A question is known by the judge with its files, the contents of both arms as they were shown,
// the task, and which of several answers is asked for. An answer that was known when a duel was
// served is nothing new, so that it is no evidence: the serve says so before anybody looks
// (`evidence`), and the outcome says where it came from (`cached`). What may be evidence is asked
// anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"
#include "duel/judging/arm_list.h"
#include "duel/judging/judges.h"

namespace duel {

class AnswerCache {
 public:
  // `judge_sha256`: of the command line and the files that it names. The directory is made where
  // there is none. `tell` hears of files that are no use; nothing ends for them.
  static Result<AnswerCache> open(std::string directory, std::string judge_sha256,
                                  const std::vector<ListedArm>& arms,
                                  std::function<void(const std::string&)> tell);

  // Whether the judge has said anything about it, in any order in which it will be asked.
  bool knows(const Question& question);
  // What it said, without what that cost.
  std::optional<Said> find(const Question& question);
  // The first answer to a question stays.
  void keep(const Question& question, const Said& said);

 private:
  AnswerCache(std::string directory, std::string judge_sha256,
              std::function<void(const std::string&)> tell)
      : directory_(std::move(directory)), judge_(std::move(judge_sha256)), tell_(std::move(tell)) {}

  std::string key_of(const Question& question) const;
  std::string content_of(const ShownArm& arm) const;
  std::string file_of(const std::string& key) const;

  std::string directory_;
  std::string judge_;
  std::function<void(const std::string&)> tell_;
  std::unordered_map<std::string, std::string> contents_;  // hashes, by arm
  std::unordered_set<std::string> kept_;                   // keys that have a file
  bool cannot_keep_ = false;
};

// Judges with such a memory. A question that cannot be evidence is answered from it.
class CachedJudges final : public Judges {
 public:
  // REQUIRES: both live longer.
  CachedJudges(Judges& judges, AnswerCache& cache) : judges_(judges), cache_(cache) {}

  std::size_t free() const override;
  void ask(Question question) override;
  std::vector<Judged> wait(std::chrono::milliseconds most) override;
  std::vector<Judged> abandon() override;

  std::uint64_t remembered() const { return remembered_; }  // answers from the memory

 private:
  Judges& judges_;
  AnswerCache& cache_;
  std::vector<Judged> done_;
  std::uint64_t remembered_ = 0;
};

}  // namespace duel
