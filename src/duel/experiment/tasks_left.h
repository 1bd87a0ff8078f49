// Whether the tasks that are left can still bring a certificate, where it is about tasks like
// these: a task is evidence about a pair once.
#pragma once

#include <string_view>

#include "duel/core/duel.h"

namespace duel {

class Ledger;
class TunedSpace;

// What the certificate needs of the pair is not known yet: neither side has been shown to win.
bool is_open(const Ledger& ledger, Arm i, Arm j);
// Nothing more can become known of the pair that the certificate needs: neither side has been shown
// to win, and no task is fresh.
bool needs_more_tasks(const Ledger& ledger, Arm i, Arm j);
// No answer to come could bring a certificate: for each that there might be, a pair lacks evidence
// and has no fresh task. O(K^2).
bool needs_more_tasks(const Ledger& ledger);
// Of a space: whether a duel of a proof may be about the task, which is kept for proofs and new.
bool may_prove(const TunedSpace& space, std::string_view task);
// Of a space: a candidate stands, and there is no such task any more. False where the log does not
// name the tasks. O(tasks).
bool proof_needs_more_tasks(const Ledger& ledger);

}  // namespace duel
