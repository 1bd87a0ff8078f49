// Several arms shown at once: one of them is chosen, or every two are compared.
#include "duel/truth/set_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/options.h"
#include "duel/core/rng.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/strengths.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

struct SetOptions {
  std::string matrix;
  std::uint64_t m = 4;
};

OptionTable<SetOptions> set_table(std::string doc) {
  OptionTable<SetOptions> table;
  table.text("matrix", &SetOptions::matrix, std::move(doc), Shown::always);
  table.count("m", &SetOptions::m, 2, 100, "most arms shown at once", Shown::always);
  return table;
}

// What the two kinds share: arms that stay the same.
class SetTrial : public RoundTrial {
 public:
  SetTrial(const std::vector<double>& gaps, const std::vector<double>& utility_gaps, Arm best,
           Stream answers)
      : gaps_(gaps), utility_gaps_(utility_gaps), best_(best), answers_(answers) {}

  Scene begin(Round round) override {
    round_ = round;
    return {nullptr, best_, gaps_, utility_gaps_};
  }

 protected:
  RoundRng rng() const { return answers_.at(round_); }

 private:
  const std::vector<double>& gaps_;
  const std::vector<double>& utility_gaps_;
  Arm best_;
  Stream answers_;
  Round round_ = 0;
};

class SetProblem : public RoundProblem {
 public:
  const PreferenceMatrix* matrix() const override { return &matrix_; }

 protected:
  SetProblem(std::string name, PreferenceMatrix matrix, Arm winner, std::size_t most,
             bool has_utilities)
      : RoundProblem(std::move(name), matrix.num_arms(), most, has_utilities),
        matrix_(std::move(matrix)),
        winner_(winner),
        gaps_(gaps_to_winner(matrix_, winner_)) {}

  PreferenceMatrix matrix_;
  Arm winner_;
  std::vector<double> gaps_;
  std::vector<double> utility_gaps_;
};

class Multileave final : public SetProblem {
 public:
  Multileave(std::string name, PreferenceMatrix matrix, Arm winner, std::size_t most)
      : SetProblem(std::move(name), std::move(matrix), winner, most, false) {}

  std::unique_ptr<RoundTrial> trial(std::uint64_t seed, std::uint32_t trial) const override {
    class Trial final : public SetTrial {
     public:
      Trial(const Multileave& problem, Stream answers)
          : SetTrial(problem.gaps_, problem.utility_gaps_, problem.winner_, answers),
            matrix_(problem.matrix_) {}
      Answer answer(std::span<const Arm> shown) override {
        RoundRng draws = rng();
        Answer answer;
        for (std::size_t a = 0; a < shown.size(); ++a) {
          for (std::size_t b = a + 1; b < shown.size(); ++b) {
            const bool first = draws.bernoulli(matrix_(shown[a], shown[b]));
            answer.pairs.push_back(
                {shown[a], shown[b], first ? Outcome::first_wins : Outcome::second_wins});
          }
        }
        return answer;
      }

     private:
      const PreferenceMatrix& matrix_;
    };
    return std::make_unique<Trial>(*this, Stream(seed, trial, Purpose::outcome, "multileave"));
  }
};

class Choice final : public SetProblem {
 public:
  Choice(std::string name, PreferenceMatrix matrix, Arm winner, std::size_t most,
         std::vector<double> utilities, bool gumbel)
      : SetProblem(std::move(name), std::move(matrix), winner, most, true),
        utilities_(std::move(utilities)),
        gumbel_(gumbel) {
    for (const double u : utilities_) utility_gaps_.push_back(utilities_[winner_] - u);
  }

  std::unique_ptr<RoundTrial> trial(std::uint64_t seed, std::uint32_t trial) const override {
    class Trial final : public SetTrial {
     public:
      Trial(const Choice& problem, Stream answers)
          : SetTrial(problem.gaps_, problem.utility_gaps_, problem.winner_, answers),
            utilities_(problem.utilities_),
            gumbel_(problem.gumbel_) {}
      // argmax u_i + noise: with Gumbel's, i with probability exp(u_i)/sum exp(u_j).
      Answer answer(std::span<const Arm> shown) override {
        RoundRng draws = rng();
        Answer answer;
        double largest = -HUGE_VAL;
        for (const Arm arm : shown) {
          const double noise =
              gumbel_ ? -std::log(-std::log(draws.uniform_open())) : draws.normal();
          if (utilities_[arm] + noise <= largest) continue;
          largest = utilities_[arm] + noise;
          answer.chosen = arm;
        }
        return answer;
      }

     private:
      const std::vector<double>& utilities_;
      bool gumbel_;
    };
    return std::make_unique<Trial>(*this, Stream(seed, trial, Purpose::outcome, "choice"));
  }

 private:
  std::vector<double> utilities_;
  bool gumbel_;
};

}  // namespace

Result<RoundProblemPtr> set_problem(const CallSpec& call) {
  const bool is_choice = call.name == kChoice;
  const auto table =
      set_table(is_choice ? "plackett-luce(..), bradley-terry(..) or thurstone(..)"
                          : "the matrix by which every two of those shown are compared");
  SetOptions options;
  options.matrix = is_choice ? "plackett-luce(k=10,seed=1,spread=1)" : "arxiv";
  DUEL_ASSIGN(options, table.parse(call, options, "matrix"));
  DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(options.matrix));
  const auto winner = condorcet_winner(matrix);
  if (!winner) {
    return Error::unsupported(
        fmt::format("matrix '{}' has no Condorcet winner, against which regret of a set is counted",
                    matrix.name()),
        call.name);
  }
  options.matrix = matrix.name();
  std::string name = table.canonical(call.name, options);
  if (!is_choice) {
    return RoundProblemPtr(
        std::make_shared<Multileave>(std::move(name), std::move(matrix), *winner, options.m));
  }
  const auto model = parse_call(matrix.name());
  const bool known = model.ok() && (model->name == "plackett-luce" ||
                                    model->name == "bradley-terry" || model->name == "thurstone");
  if (!known) {
    return Error::unsupported(
        fmt::format("matrix '{}' says who wins a duel, not who is chosen of more", matrix.name()),
        call.name, "write choice(matrix=plackett-luce(k=10,seed=1,spread=1),m=4)");
  }
  const auto number = [&](std::string_view key) {
    for (const auto& [name_of, value] : model->arguments) {
      if (name_of == key) return parse_number(value).value();
    }
    return 0.0;
  };
  // As the catalogue draws them; the canonical call names all three.
  std::vector<double> utilities = normal_utilities(
      matrix.num_arms(), static_cast<std::uint64_t>(number("seed")), number("spread"), model->name);
  return RoundProblemPtr(std::make_shared<Choice>(std::move(name), std::move(matrix), *winner,
                                                  options.m, std::move(utilities),
                                                  model->name != "thurstone"));
}

}  // namespace duel
