// A log as it goes into a store or to a server.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "duel/client/api_client.h"
#include "duel/core/result.h"

namespace duel::cli {

inline constexpr std::size_t kMostBytesOfLog = std::size_t{2} << 30;

// The id in the first record of a log, whose chain is followed to the end.
Result<std::string> experiment_of_log(std::string_view text, const std::string& name);

// A refusal because the experiment exists is none where it is this very log: an answer was lost.
Status import_log(ApiClient& client, const std::string& experiment_id, const std::string& text);

}  // namespace duel::cli
