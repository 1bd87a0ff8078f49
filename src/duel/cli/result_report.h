// A result for people: of a log, of comparisons in a file, or of an experiment on a server.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "duel/cli/command.h"
#include "duel/verdict/by_slice.h"
#include "duel/verdict/given_reasons.h"

namespace duel::cli {

// The verdict in a sentence, the arms, the pairs, what is still open, and the health checks.
std::string result_text(const ExperimentResult& result, const Paint& paint);

// The verdicts by slice: a block for each slice, with a line for each of its values. "" if the
// experiment has no slices.
std::string slices_text(const SlicedResult& result, const Paint& paint);

// "Why not yet" with a line for each reason; "" if there is no reason. Failed health checks are
// left out, since `failed_checks_text` tells of them.
std::string why_not_yet_text(const std::vector<WhyNotYet>& reasons, std::size_t width);

// "Health check failed: .." for each, to stand right below the verdict; "" where none failed.
std::string failed_checks_text(const std::vector<HealthCheck>& health, const Paint& paint,
                               std::size_t width);

// What judging has cost, and how several judges get on; "" where nothing is known of it.
std::string judging_text(const ResultJudging& judging);

// Why judges answered as they did: a line for each answer that has a reason.
std::string reasons_text(const std::vector<GivenReason>& reasons);

// What would overturn the certificate, to stand below it; "" where there is nothing to say.
std::string if_wrong_text(const IfWrong& if_wrong, std::size_t width);

// What people and the judge that they audit have said of each other, to stand below that.
std::string audit_text(const AuditStanding& audit, std::size_t width);

// "1200 duels: 1100 decisive, 40 ties, ..".
std::string duel_counts(const ShownCounts& counts);

}  // namespace duel::cli
