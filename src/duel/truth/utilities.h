// For programs that include it: utilities are declared beside the strengths that they make.
#pragma once

#include "duel/truth/strengths.h"
