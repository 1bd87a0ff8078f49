// For programs that include it: pilots are declared beside the plans that they are for.
#pragma once

#include "duel/study/plan.h"
