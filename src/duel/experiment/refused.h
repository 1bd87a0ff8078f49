// Why an experiment does not do what it is asked: a closed list. The command line, the server and
// Python each have one table from these reasons to their own words, statuses and exit codes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/core/words.h"

namespace duel {

enum class Reason {
  unknown_experiment,
  unknown_duel,
  unknown_arm,
  other_question,      // the id was given to another question
  id_taken,            // by a duel that was served to another request
  answered_otherwise,  // both answers are kept, the first counts
  proof_mismatch,      // the proof of a serve does not fit the duel
  proof_expired,
  proof_forged,  // it is not a proof of this experiment
  other_proof,   // it is of another duel
  not_running,
  illegal_state,  // the state cannot follow the one that the experiment is in
  arms_fixed,     // the set of arms, or this arm, does not change
  too_many_arms,
  wrong_mode,  // pages are drafted, or answers are taken, in the other mode
  closed,      // the duel has ended
  exists,
  outdated,  // the configuration has changed since the caller saw it
  not_ours,  // another node owns the experiment
  overloaded,
  store_unavailable,
  damaged,         // the log cannot be read as it is
  ahead_of_clock,  // the log ends at a time that the clock will reach only much later
  internal,        // a check of our own failed
};

template <>
struct Words<Reason> {
  static constexpr std::string_view noun = "reason";
  static constexpr auto all =
      words_table<Reason>({{"unknown_experiment", Reason::unknown_experiment},
                           {"unknown_duel", Reason::unknown_duel},
                           {"unknown_arm", Reason::unknown_arm},
                           {"other_question", Reason::other_question},
                           {"id_taken", Reason::id_taken},
                           {"answered_otherwise", Reason::answered_otherwise},
                           {"proof_mismatch", Reason::proof_mismatch},
                           {"proof_expired", Reason::proof_expired},
                           {"proof_forged", Reason::proof_forged},
                           {"other_proof", Reason::other_proof},
                           {"not_running", Reason::not_running},
                           {"illegal_state", Reason::illegal_state},
                           {"arms_fixed", Reason::arms_fixed},
                           {"too_many_arms", Reason::too_many_arms},
                           {"wrong_mode", Reason::wrong_mode},
                           {"closed", Reason::closed},
                           {"exists", Reason::exists},
                           {"outdated", Reason::outdated},
                           {"not_ours", Reason::not_ours},
                           {"overloaded", Reason::overloaded},
                           {"store_unavailable", Reason::store_unavailable},
                           {"damaged", Reason::damaged},
                           {"ahead_of_clock", Reason::ahead_of_clock},
                           {"internal", Reason::internal}});
};

// `field` is the input at fault as the library names it: "exclude", "judgements[1].winner". The
// error's code follows from the reason.
Error refused(Reason reason, std::string message, std::string_view field = {});
// Nothing where the error was not made by `refused`.
std::optional<Reason> reason_of(const Error& error);

}  // namespace duel
