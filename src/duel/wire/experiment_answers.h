// An experiment's answers as they go over the wire: functions from the words of the domain
// (experiment/experiment.h) to described bodies, and from bodies to the domain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/experiment.h"
#include "duel/wire/answers.h"
#include "duel/wire/report_token.h"
#include "duel/wire/requests.h"

namespace duel {

// --- What callers send ---------------------------------------------------------------------------

// `salt` keys the hashes of subjects and requests: without a key, a reader of the log could hash
// names and find out who was asked.
std::string subject_of(std::string_view name, std::string_view salt);
Wish wish_of(const DuelBody& body, bool voter, std::string_view salt);
// The hash by which a repeated request for a duel is recognised. Any thread may call these.
std::string request_hash(const DuelBody& body, std::string_view salt);
Result<Report> report_of(const std::string& duel_id, const OutcomeBody& body);
Lists lists_of(const InterleavingBody& body);
Result<std::vector<ComparisonRecord>> comparisons_of(const std::vector<ComparisonBody>& bodies);
// The present configuration, as far as it may change; and as JSON that names all of it, so that a
// patch can be merged into it.
ChangeableBody changeable_of(const Ledger& ledger);
Json whole_json(const ChangeableBody& body);
// A configuration as a record. An error if something of it cannot change.
Result<ConfiguredRecord> configured_by(const Ledger& ledger, const ChangeableBody& body);

// The id of the next duel after this one, for callers that name none: "n." and the SHA-256 in
// base 32 (RFC 4648) without padding. A client can compute it, too.
std::string next_id_after(const std::string& duel_id);

// --- What they get -------------------------------------------------------------------------------

std::string etag_of(const Ledger& ledger);
ExperimentAnswer experiment_answer(const Experiment& owned);
// REQUIRES: the arm is known, or was withdrawn.
ArmAnswer arm_answer(const Ledger& ledger, const std::string& arm_id);
DuelAnswer duel_answer(const std::string& experiment_id, const Offer& offer,
                       const ReportTokens& tokens);
// A voter votes blind. What the duel is for would tell which arm leads (of several contests, the
// one that is in all of them), and so would the probability of the choice.
DuelAnswer blind(DuelAnswer answer);
ProgressAnswer blind(const ProgressAnswer& progress);
// A count to one significant digit, a share in steps of 0.05: close enough for a voter to see how
// far the vote has got, too coarse to see for which arm one vote has counted.
std::optional<std::uint64_t> coarse_count(std::optional<std::uint64_t> count);
std::optional<double> coarse_share(std::optional<double> share);
DuelShown duel_shown(const Experiment& experiment, const DuelRecords& records);
// Teams have names that differ from duel to duel, unless the caller may read results.
PageAnswer page_answer(const Page& page, bool sees_teams, std::string_view salt);

}  // namespace duel
