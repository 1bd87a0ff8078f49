// For programs that include it: shards are declared beside the files they leave.
#pragma once

#include "duel/study/study_files.h"
