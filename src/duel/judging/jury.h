// The judges of a run: one program, or several. Of several, either all answer each duel and the
// mean of what they say counts as one answer that says how much, or one is drawn for each duel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/judging/answer_cache.h"
#include "duel/judging/judge_command.h"
#include "duel/judging/judge_pool.h"
#include "duel/judging/judges.h"

namespace duel {

enum class JuryRule { mean, drawn };

// For the log: of several judges all commands, and a hash of their hashes.
JudgeEntry entry_of_jury(const std::vector<JudgeCommand>& judges, JuryRule rule);

class Jury final : public Judges {
 public:
  // `seed`: of the draws. REQUIRES: at least one judge, no two of one name.
  Jury(std::vector<JudgeCommand> judges, const JudgeOptions& options, JuryRule rule,
       std::uint64_t seed);

  // What they say is kept in a directory, and they are not asked again for it (answer_cache.h).
  Status remember(const std::string& directory, const std::vector<ListedArm>& arms,
                  const std::function<void(const std::string&)>& tell);
  // Whether one of them has answered it before.
  bool knows(const Question& question);

  // As a source of answers.
  std::string name() const;

  std::size_t free() const override;
  void ask(Question question) override;
  std::vector<Judged> wait(std::chrono::milliseconds most) override;
  std::vector<Judged> abandon() override;

  // As of JudgePool, over all judges.
  JudgeTroubles troubles() const;
  std::uint64_t times_busy() const;
  bool stayed_busy() const;
  std::string busy_now() const;
  void finish();
  std::uint64_t remembered() const;

 private:
  struct Juror {
    std::string name;
    std::string sha256;
    std::unique_ptr<JudgePool> pool;
    std::unique_ptr<AnswerCache> answers{};
    std::unique_ptr<CachedJudges> cached{};

    Judges& judges() const { return cached ? static_cast<Judges&>(*cached) : *pool; }
  };
  // A duel that not all have answered.
  struct Open {
    Judged so_far;
    std::size_t out = 0;
  };

  bool all_answer() const { return jurors_.size() > 1 && rule_ == JuryRule::mean; }
  // How many duels have been asked about and are not answered.
  std::size_t out() const;
  const Juror& drawn_for(const std::string& duel_id) const;
  // Adds what a juror said; gives the whole once all have spoken.
  std::optional<Judged> add(const Juror& juror, Judged judged);

  std::vector<Juror> jurors_;
  std::size_t places_;  // how many duels may be out at a time
  JuryRule rule_;
  std::uint64_t seed_;
  std::map<std::string, Open> open_;  // by duel
};

}  // namespace duel
