// All of the library that a program may use: what `#include "duel/duel.h"` gives, and nothing else
// is installed (docs/library.md). Each room can be included by itself, too.
#pragma once

// Values that everything speaks in: arms, duels, outcomes, errors, random streams.
#include "duel/core/duel.h"
#include "duel/core/pair_counts.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/core/ties.h"

// Policies, asked and told; and writing one of your own.
#include "duel/policies/policy.h"
#include "duel/policies/registry.h"

// Known truths, and simulations and studies against them.
#include "duel/study/study.h"
#include "duel/truth/preference_matrix.h"

// Live experiments: in memory or with a log, by hand or by a loop that asks judges.
#include "duel/experiment/local_experiment.h"
#include "duel/experiment/local_questions.h"
#include "duel/judging/judge_loop.h"

// What came of them.
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/verdict.h"
#include "duel/verdict/verification.h"

// Rankings merged into one list, and clicks on it credited.
#include "duel/ranking/interleaving/impression.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/version_info.h"
