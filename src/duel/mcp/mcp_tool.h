// A tool of the Model Context Protocol: what an agent reads of it, and what it does.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/result.h"

namespace duel {

struct ToolCall {
  Json arguments;  // an object whose names the schema of the tool knows
  // Who asks, as the client calls itself; "" if it has not said.
  std::string client;
  // Set from another thread where the client no longer wants the answer.
  const std::atomic<bool>& stop;
  // How far the work is. Any thread may call it.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct McpTool {
  std::string name;
  std::string title;
  std::string description;  // for the model that chooses among tools
  Json schema;              // of the arguments
  bool only_reads = false;
  std::function<Result<Json>(const ToolCall&)> call;
};

// The schema with everything that it refers to written out: it travels alone, and many hosts follow
// no `$ref`. REQUIRES: no struct holds itself.
Json without_references(const Json& schema, const SchemaSet& set);

// The schema of a tool whose arguments are those of a body. With `names` only these of them.
template <class Body>
Json schema_of_arguments(const std::vector<std::string_view>& names = {});

// The same schema with one more argument, the first.
Json with_argument(const Json& schema, std::string_view name, Json of_argument, bool required);
// The schema with these of its arguments alone; all of them where there are none.
Json with_only(const Json& schema, const std::vector<std::string_view>& names);

// The schema of a text, a flag, or a list, with what it means.
Json described_schema(std::string_view type, std::string_view doc);

template <class Body>
Json schema_of_arguments(const std::vector<std::string_view>& names) {
  SchemaSet set;
  const Json schema = set.of<Body>(Shape::taken);
  return with_only(without_references(schema, set), names);
}

}  // namespace duel
