// Is a judge any good? Its answers beside people's, about the same questions: how often they agree,
// whom it judges the other way round, what the places do to it, and whether it agrees with itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/inference/interval.h"
#include "duel/verdict/experiment_result.h"

namespace duel {

// A question that people have answered, and judges perhaps as well.
struct JudgedRow {
  std::string first, second;  // names of what was compared, as shown
  Outcome people = Outcome::none;
  // By the columns that were asked for; `none` is an answer that is missing.
  std::vector<Outcome> judges;
  Json task;                            // the other columns
  std::string first_text, second_text;  // columns first_text and second_text, or text_a and text_b
};

struct JudgedVotes {
  std::vector<JudgedRow> rows;
  std::vector<std::string> judges;  // the columns
  std::string sha256;               // of the file
};

// A CSV file with the columns model_a (or first, arm_a), model_b, one with what people said and any
// number with what judges said. An answer is a, b, t, tie, `tie (bothbad)`, model_a, model_b,
// first, second, skip or the name of one of the two. An error names file:line.
Result<JudgedVotes> read_judged_votes(std::string_view text, const std::string& name,
                                      const std::string& people,
                                      const std::vector<std::string>& judges);

// A pair that people and the judge see the other way round.
struct ReversedPair {
  std::string first, second;
  std::uint64_t people_first = 0, people_second = 0, judge_first = 0, judge_second = 0;
  // ln of the evidence that each side's sign is right; both above ln 20 is hardly chance.
  double people_evidence = 0, judge_evidence = 0;

  static constexpr std::string_view schema = "JudgeReversedPair";
  static constexpr FieldList fields{
      required("first", &ReversedPair::first),
      required("second", &ReversedPair::second),
      required("people_first", &ReversedPair::people_first, "answers of people for `first`"),
      required("people_second", &ReversedPair::people_second),
      required("judge_first", &ReversedPair::judge_first, "answers of the judge for `first`"),
      required("judge_second", &ReversedPair::judge_second),
      required("people_evidence", &ReversedPair::people_evidence,
               "ln of the evidence that people's sign is right"),
      required("judge_evidence", &ReversedPair::judge_evidence)};
};

struct JudgeFigures {
  std::string judge;
  std::uint64_t answers = 0, first = 0, second = 0, ties = 0, missing = 0;
  std::uint64_t agree = 0, differ = 0;  // where both lean to one side
  std::optional<double> agreement;
  Interval agreement_interval;
  std::optional<double> first_share;  // of the answers that lean to one side
  Interval first_share_interval;
  std::uint64_t pairs = 0;  // with enough answers, and a sign of people and of the judge
  std::vector<ReversedPair> reversed;
  std::uint64_t both_orders = 0, flips = 0;  // questions asked in both orders
  std::uint64_t repeats = 0, repeated_otherwise = 0;

  static constexpr std::string_view schema = "JudgeFigures";
  static constexpr FieldList fields{
      required("judge", &JudgeFigures::judge),
      required("answers", &JudgeFigures::answers),
      required("first", &JudgeFigures::first, "answers for what was shown first"),
      required("second", &JudgeFigures::second),
      required("ties", &JudgeFigures::ties),
      required("missing", &JudgeFigures::missing),
      required("agree", &JudgeFigures::agree, "with people, where both lean to one side"),
      required("differ", &JudgeFigures::differ),
      required("agreement", &JudgeFigures::agreement),
      required("agreement_interval", &JudgeFigures::agreement_interval, "95 %, whenever you look"),
      required("first_share", &JudgeFigures::first_share,
               "of the answers that lean to one side: for what was shown first"),
      required("first_share_interval", &JudgeFigures::first_share_interval,
               "95 %, whenever you look; 1/2 outside of it is a bias of places if places were "
               "drawn"),
      required("pairs", &JudgeFigures::pairs,
               "with enough answers, in which both people and the judge lean to one side"),
      required("reversed", &JudgeFigures::reversed, "of these, those with opposite signs"),
      required("both_orders", &JudgeFigures::both_orders, "questions asked in both orders"),
      required("flips", &JudgeFigures::flips, "of these, those with two different answers"),
      required("repeats", &JudgeFigures::repeats, "questions asked again in the same order"),
      required("repeated_otherwise", &JudgeFigures::repeated_otherwise)};
};

// Collects answers of one judge.
class JudgeCheck {
 public:
  JudgeCheck(std::string judge, std::uint64_t least_of_pair) : least_(least_of_pair) {
    figures_.judge = std::move(judge);
  }

  void add(const JudgedRow& row, Outcome answer);
  // The same question in the other order, already as seen from the first; and again.
  void add_turned(Outcome answer, Outcome turned);
  void add_repeat(Outcome answer, Outcome again);

  JudgeFigures figures() const;

 private:
  struct PairSums {
    std::uint64_t answers = 0;
    std::uint64_t people_low = 0, people_high = 0, judge_low = 0, judge_high = 0;
  };

  std::uint64_t least_;
  JudgeFigures figures_;
  std::map<std::pair<std::string, std::string>, PairSums> pairs_;
};

// What binds figures to a judge and to the votes: a passport, as JSON text.
struct JudgePassport {
  std::string command, command_sha256, votes_file, votes_sha256, people;
  std::uint64_t rows = 0;
  JudgeFigures figures;

  static constexpr std::string_view schema = "JudgePassport";
  static constexpr FieldList fields{
      optional("command", &JudgePassport::command),
      optional("command_sha256", &JudgePassport::command_sha256,
               "of the command and the files that it names, prompts among them"),
      required("votes_file", &JudgePassport::votes_file),
      required("votes_sha256", &JudgePassport::votes_sha256),
      required("people", &JudgePassport::people, "the column of people's answers"),
      required("rows", &JudgePassport::rows),
      required("figures", &JudgePassport::figures)};
};

}  // namespace duel
