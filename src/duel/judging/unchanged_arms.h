// Questions whose arms lie in files that somebody may change while judges read them: an answer
// about another content than the log's is not recorded, and nothing more is asked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/questions.h"
#include "duel/judging/arm_list.h"

namespace duel {

class UnchangedArms final : public Questions {
 public:
  // The files are as they were listed. REQUIRES: `questions` lives longer.
  UnchangedArms(Questions& questions, const std::vector<ListedArm>& arms);

  Result<Next> next() override { return questions_.next(); }
  Result<Next> next_audit() override { return questions_.next_audit(); }
  Result<Taken> answer(std::vector<Given> given) override;
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return questions_.progress(); }

 private:
  // When a file was written last (seconds and nanoseconds), and how large it is: what changes when
  // somebody writes to it.
  using FileTime = std::array<std::int64_t, 3>;
  struct File {
    FileTime seen{};
    std::string sha256;  // of the content
  };
  static FileTime time_of(const std::string& path);
  Status check(const ShownArm& arm);

  Questions& questions_;
  std::unordered_map<std::string, File> files_;  // by arm
};

}  // namespace duel
