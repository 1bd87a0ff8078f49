// Tools that ask nobody: simulate and plan.
#pragma once

#include <vector>

#include "duel/mcp/mcp_tool.h"

namespace duel {

std::vector<McpTool> study_tools();

}  // namespace duel
