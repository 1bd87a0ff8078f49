// Checks a log that is to become an experiment of this server: all of it is read and folded before
// a line is written. So every imported log can be loaded, and a bad one leaves its name free.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/world.h"
#include "duel/log/record.h"
#include "duel/store/store.h"

namespace duel {

// What a store keeps beside a line (store.h).
struct LineMark {
  std::string key;
  std::uint64_t tag = 0;
};

// A log, which may be in memory or in a file, and what keeps it there.
struct LogText {
  std::string_view text;
  std::shared_ptr<const void> holder;
};

struct ImportLimits {
  std::size_t most_arms = 0;
  std::int64_t now_ms = 0;                 // by the server's clock
  std::chrono::milliseconds most_ahead{};  // of that clock
};

// Gives one mark for each line of the text. An error (`invalid_data`) names the line: "line 3". Any
// thread may call it. Settled duels are held in memory meanwhile, about as much as the text itself.
Result<std::vector<LineMark>> check_imported(const std::string& experiment_id,
                                             std::string_view text, const ImportLimits& limits);

// The space of the store in which half imported experiments are marked.
inline constexpr std::string_view kHalfImportedSpace = "half-imported";

// Appends the lines of a log that was checked, in many commits, so that no other experiment's wait
// long for the store. Until all are there the experiment is marked as half imported; after a stop
// or a failure in between, another import of the same log goes on where this one ended, and one of
// another log is refused (`exists`). REQUIRES: the experiment is ours.
Status append_imported(Store& store, World& world, const std::string& experiment_id,
                       std::string_view text, const std::vector<LineMark>& marks);
// Whether that is so: to its callers there is no such experiment.
Result<bool> is_half_imported(Store& store, const std::string& experiment_id);

// Whether a server can serve what the first record says. The body of a request is checked field by
// field and cannot say anything else, but a log can come from anywhere.
Status check_servable(const ExperimentRecord& experiment);
Status check_servable(const FeedbackRule& feedback, const Guardrails& guardrails);

// The message about too many arms: the state of K arms takes memory for K^2 pairs.
std::string too_many_arms(std::size_t arms, std::size_t most_arms);

}  // namespace duel
