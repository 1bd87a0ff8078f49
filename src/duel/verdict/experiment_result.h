// The result of an experiment, from its log or from comparisons made elsewhere, as JSON: what
// `duel result --json`, the server and Python give.
#pragma once

#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/ledger.h"
#include "duel/verdict/board.h"

namespace duel {

// Of a log, or of comparisons in a file that `read_comparisons` takes, as an experiment at level
// `alpha` for `goal` that never was logged: in the order of their times, or where that is unknown
// by one look at all of them. Which of the two it is, its content says.
Result<Ledger> read_ledger(const std::string& file, double alpha, const Goal& goal = {});

// The same of comparisons at hand, which are in their order where `in_order` says so.
Result<Ledger> ledger_of(const ComparisonTable& table, const std::string& experiment_id,
                         double alpha, bool in_order, const Goal& goal = {});

// REQUIRES: `board` is the board of `ledger`.
Json result_json(const Ledger& ledger, const Board& board);

// Where the goal is a set or an order: the arms as they stand, and the pairs that are open.
Json to_json(const Ledger& ledger, const OrderStanding& order);

Json to_json(const ShownCounts& counts);
Json to_json(const std::vector<HealthCheck>& checks);

}  // namespace duel
