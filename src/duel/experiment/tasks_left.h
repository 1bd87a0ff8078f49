// Whether the tasks that are left can still bring a certificate, where it is about tasks like
// these: a task is evidence about a pair once.
#pragma once

#include "duel/core/duel.h"

namespace duel {

class Ledger;

// What the certificate needs of the pair is not known yet: neither side has been shown to win.
bool is_open(const Ledger& ledger, Arm i, Arm j);
// Nothing more can become known of the pair that the certificate needs: neither side has been shown
// to win, and no task is fresh.
bool needs_more_tasks(const Ledger& ledger, Arm i, Arm j);
// No answer to come could bring a certificate: for each that there might be, a pair lacks evidence
// and has no fresh task. O(K^2).
bool needs_more_tasks(const Ledger& ledger);

}  // namespace duel
