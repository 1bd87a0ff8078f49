#include "duel/truth/corruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "duel/core/options.h"
#include "duel/core/rng.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

struct CorruptionOptions {
  std::string base = "arxiv";
  std::uint64_t budget = 1000;
  Corruption::Mode mode = Corruption::Mode::first;
  std::uint64_t rounds = 100'000;
};

OptionTable<CorruptionOptions> corruption_table() {
  using Mode = Corruption::Mode;
  OptionTable<CorruptionOptions> table;
  table.text("base", &CorruptionOptions::base, "the matrix by which duels are answered",
             Shown::always);
  table.count("budget", &CorruptionOptions::budget, 0, 1'000'000'000'000,
              "how many answers are turned around", Shown::always);
  table.choice("mode", &CorruptionOptions::mode,
               std::vector<std::pair<std::string, Mode>>{
                   {"first", Mode::first}, {"spread", Mode::spread}, {"champion", Mode::champion}},
               "which: the first ones, any, or wins of the arm that has met others most often",
               Shown::always);
  table.count("rounds", &CorruptionOptions::rounds, 1, 1'000'000'000'000'000,
              "over how many answers mode=spread spreads them");
  return table;
}

class CorruptedAnswers final : public OutcomeSource {
 public:
  CorruptedAnswers(const PreferenceMatrix& matrix, Corruption::Mode mode, std::uint64_t budget,
                   double chance, std::uint64_t seed, std::uint32_t trial)
      : matrix_(matrix),
        mode_(mode),
        left_(budget),
        chance_(chance),
        outcomes_(seed, trial),
        turns_(seed, trial, Purpose::outcome, Corruption::kName),
        met_(matrix.num_arms()) {}

  Outcome answer(Arm low, Arm high, std::uint32_t meeting) override {
    // The rule of TrialArena::meet.
    const bool low_wins =
        static_cast<double>(outcomes_.draw(low, high, meeting)) < matrix_(low, high) * 0x1p53;
    ++asked_;
    bool turned = false;
    if (mode_ == Corruption::Mode::spread) {
      turned = turns_.at(asked_).bernoulli(chance_);
    } else if (left_ > 0) {
      const auto champion =
          static_cast<Arm>(std::max_element(met_.begin(), met_.end()) - met_.begin());
      turned = mode_ == Corruption::Mode::first || (low_wins ? low : high) == champion;
      left_ -= turned ? 1 : 0;
    }
    ++met_[low];
    ++met_[high];
    return low_wins != turned ? Outcome::first_wins : Outcome::second_wins;
  }

 private:
  const PreferenceMatrix& matrix_;
  Corruption::Mode mode_;
  std::uint64_t left_;
  double chance_;
  OutcomeStream outcomes_;
  Stream turns_;
  std::uint64_t asked_ = 0;
  std::vector<std::uint64_t> met_;
};

}  // namespace

Result<std::shared_ptr<const Corruption>> Corruption::create(const CallSpec& call) {
  const auto table = corruption_table();
  DUEL_ASSIGN(CorruptionOptions options, table.parse(call, {}, "matrix"));
  DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(options.base));
  options.base = matrix.name();
  if (options.mode == Mode::spread && options.budget > options.rounds) {
    return Error::invalid_argument(
        fmt::format("{} of {} answers cannot be turned around", options.budget, options.rounds),
        kName, "`rounds` is over how many they are spread");
  }
  Corruption made(table.canonical(kName, options), std::move(matrix));
  made.mode_ = options.mode;
  made.budget_ = options.budget;
  made.chance_ = static_cast<double>(options.budget) / static_cast<double>(options.rounds);
  return std::make_shared<const Corruption>(std::move(made));
}

std::unique_ptr<OutcomeSource> Corruption::outcomes(std::uint64_t seed, std::uint32_t trial) const {
  return std::make_unique<CorruptedAnswers>(matrix_, mode_, budget_, chance_, seed, trial);
}

}  // namespace duel
