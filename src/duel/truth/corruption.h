// An adversary that turns answers around, so that a policy can be tried against wrong ones.
//
//   corrupt(base=arxiv,budget=1000,mode=first)
//
// first: the first `budget` answers. spread: each with probability budget/rounds. champion: those
// that the arm which has met others most often wins, `budget` of them. What is right, and regret,
// go by the base.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "duel/core/call_spec.h"
#include "duel/core/result.h"
#include "duel/core/trial_arena.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

class Corruption {
 public:
  static constexpr const char* kName = "corrupt";
  enum class Mode { first, spread, champion };

  static Result<std::shared_ptr<const Corruption>> create(const CallSpec& call);

  const std::string& name() const { return name_; }  // canonical
  const PreferenceMatrix& matrix() const { return matrix_; }
  // Answers of one trial. What is turned around depends on what a policy asks, so that policies of
  // a trial do not meet the same answers. It must not outlive this.
  std::unique_ptr<OutcomeSource> outcomes(std::uint64_t seed, std::uint32_t trial) const;

 private:
  Corruption(std::string name, PreferenceMatrix matrix)
      : name_(std::move(name)), matrix_(std::move(matrix)) {}

  std::string name_;
  PreferenceMatrix matrix_;
  Mode mode_ = Mode::first;
  std::uint64_t budget_ = 0;
  double chance_ = 0;
};

}  // namespace duel
