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

// The names of the columns of a CSV file.
Result<std::vector<std::string>> columns_of_votes(std::string_view text, const std::string& name);

// Adds what judges said of the same rows in a file of their own. Rows belong together by the
// columns that both files have beside names and texts, such as a number of the question; without
// any, line by line. Where the file names the two in the other order, its answers are turned round.
// A row that the file does not have is a missing answer. `judges` may be empty if only one column
// can be meant.
Status add_judge_votes(JudgedVotes& votes, std::string_view text, const std::string& name,
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
  std::optional<double> flip_rate;
  Interval flip_interval;
  std::uint64_t repeats = 0, repeated_otherwise = 0;  // questions asked again
  std::optional<double> repeat_rate;
  Interval repeat_interval;
  std::uint64_t asked = 0;   // answers that the judge was asked for: turned and again, too
  std::uint64_t cached = 0;  // of these, those that were known and cost nothing
  double cost = 0;
  std::uint64_t tokens = 0;

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
      required("flip_rate", &JudgeFigures::flip_rate),
      required("flip_interval", &JudgeFigures::flip_interval, "95 %, whenever you look"),
      required("repeats", &JudgeFigures::repeats, "questions asked again in the same order"),
      required("repeated_otherwise", &JudgeFigures::repeated_otherwise,
               "of these, those with another answer than the first at least once"),
      required("repeat_rate", &JudgeFigures::repeat_rate),
      required("repeat_interval", &JudgeFigures::repeat_interval, "95 %, whenever you look"),
      required("asked", &JudgeFigures::asked,
               "answers that the judge was asked for, in either order and again"),
      required("cached", &JudgeFigures::cached, "of these, those that a cache knew"),
      required("cost", &JudgeFigures::cost, "of all that the judge was asked for, as it says"),
      required("tokens", &JudgeFigures::tokens)};
};

// Collects answers of one judge.
class JudgeCheck {
 public:
  JudgeCheck(std::string judge, std::uint64_t least_of_pair) : least_(least_of_pair) {
    figures_.judge = std::move(judge);
  }

  void add(const JudgedRow& row, Outcome answer);
  // The same question in the other order, already as seen from the first; and again, as often as it
  // was asked: a question counts once, since its answers hang together.
  void add_turned(Outcome answer, Outcome turned);
  void add_repeats(Outcome answer, const std::vector<Outcome>& again);
  // What an answer cost that the judge was asked for.
  void add_price(double cost, std::uint64_t tokens, bool cached);

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
  std::string judge_votes_file,
      judge_votes_sha256;  // where the judge's answers are in another file
  std::uint64_t rows = 0;
  JudgeFigures figures;

  static constexpr std::string_view schema = "JudgePassport";
  static constexpr FieldList fields{
      optional("command", &JudgePassport::command),
      optional("command_sha256", &JudgePassport::command_sha256,
               "of the command as it is written and the files that it names, prompts among them"),
      required("votes_file", &JudgePassport::votes_file),
      required("votes_sha256", &JudgePassport::votes_sha256),
      required("people", &JudgePassport::people, "the column of people's answers"),
      optional("judge_votes_file", &JudgePassport::judge_votes_file),
      optional("judge_votes_sha256", &JudgePassport::judge_votes_sha256),
      required("rows", &JudgePassport::rows, "that the judge was asked about, or all"),
      required("figures", &JudgePassport::figures)};
};

// What `duel judge check --passport` wrote: a passport, or a list of them.
Result<std::vector<JudgePassport>> read_passports(std::string_view text, const std::string& name);

// "agrees with people in 83.6 % (82.6 to 84.5) of 7236 answers; 3 of 160 pairs are reversed".
std::string passport_text(const JudgePassport& passport);

}  // namespace duel
