// What a judge is asked and what it may answer (docs/run.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel {

// One line of JSON without its end:
// {"duel_id":..,"first":{"arm_id":..,"path":..,"payload":..},"second":{..},"task":..}.
std::string question_line(const Question& question);

// Answers in words: first | second | 1 | 2 | tie | both_bad | skip in any case, the id of one of
// the two arms, `score 0.8` (of the first, from 0 to 1), or a JSON object like those below without
// a duel_id. The error says what was found and what is allowed.
Result<Said> answer_in_words(std::string_view text, const Question& question);

// {"duel_id":..,"result":"win","winner":"<arm id> | first | second"}, or "result":"tie", "both_bad"
// or "skip" without a winner, or {"duel_id":..,"score":0.8}. Beside it may stand "reason", "cost",
// "tokens" and "features". Other fields are the judge's own.
Result<Said> answer_in_json(std::string_view line, const Question& question);

// The last line of an output of several, where it is a JSON object: what the answer cost and why.
// What makes no sense there is passed over, since the answer is good without it.
void read_remarks(std::string_view output, Said& said);

// What a program says by its exit code: 11 first, 12 second, 13 tie, 14 both bad, 15 skip. Codes
// that no failure gives by chance, or a judge that crashes would vote.
std::optional<Outcome> answer_in_exit_code(int code);

// A judge that is busy says so before it looks at the question (a rate limit, a queue that is
// full), so that trying again favours no answer. By its exit code, EX_TEMPFAIL of sysexits.h:
inline constexpr int kBusyExitCode = 75;
// Or by {"duel_id":..,"result":"busy"}.
bool says_busy(std::string_view line, const Question& question);

// A word that means something in an answer and so cannot name an arm.
bool is_answer_word(std::string_view text);

}  // namespace duel
