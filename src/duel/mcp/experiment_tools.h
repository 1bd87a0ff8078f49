// Tools that ask a server, or the store on this machine: create_experiment, list_experiments,
// next_pair, report, result, certificate. What they take, refuse and answer is the HTTP API's.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "duel/client/api_client.h"
#include "duel/core/result.h"
#include "duel/mcp/mcp_tool.h"

namespace duel {

// Opens what is asked, once for each call: between two of them other commands can use the store. A
// store that is not there is made for a new experiment only.
using OpenClient = std::function<Result<std::unique_ptr<ApiClient>>(bool may_create)>;

std::vector<McpTool> experiment_tools(const OpenClient& open);

}  // namespace duel
