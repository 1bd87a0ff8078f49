// For programs that include it: schedules are matrices by name.
#pragma once

#include "duel/truth/matrix_catalogue.h"
