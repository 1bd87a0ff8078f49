// For programs that include it: orders of subsets are declared beside the subsets.
#pragma once

#include "duel/truth/submatrix.h"
