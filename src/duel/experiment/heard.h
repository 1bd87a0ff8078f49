// What an answer is. The one place that says it: for the counts, for the chooser and for the
// evidence, which may each take the same answer for something else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/duels.h"
#include "duel/experiment/parts.h"
#include "duel/inference/evidence_answer.h"
#include "duel/log/record.h"

namespace duel {

// A record that the log cannot go on with.
inline Error unfit_record(std::string message, std::string hint = {}) {
  return Error::invalid_data(std::move(message)).with_hint(std::move(hint));
}

struct Heard {
  // `none` of an answer: it was invalid. Of a duel without one: it expired.
  Outcome counted = Outcome::none;
  std::optional<Outcome>
      chooser{};  // `none`: the duel was lost; nothing: not a question of its own
  // `none`: the duel's place in the serving order is free, without an answer. Nothing: the duel has
  // no place there, and its answer is never evidence.
  std::optional<EvidenceAnswer> evidence{};
};

// `silence`: what the absence of an answer means. REQUIRES: the duel is settled, or a comparison
// made elsewhere.
Heard heard(const LedgerDuel& duel, OnTimeout silence, const Parts& parts);

// What a graded answer is for a policy that can only hear of wins: a win of the arm shown first
// with the probability of its score, by a coin that the log's reader can toss again. A coin says
// nothing about later answers, so that choosing by it does no more harm than choosing by the
// answer.
Outcome lot_of(double score, std::uint64_t seed, std::string_view duel_id);

// What an answer says of the arms with these ids as they were shown: `none` for an invalid one, and
// for one that is graded. An error if the winner is neither.
Result<Outcome> outcome_of(const Answer& answer, const std::string& first,
                           const std::string& second);
// Whether the record has the judgements that the order of the experiment asks for, and they make
// its answer.
Status check_judgements(const OutcomeRecord& record, Placement order, const std::string& first,
                        const std::string& second);

}  // namespace duel
