#include "duel/mcp/mcp_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "duel/core/spelling.h"
#include "duel/version_info.h"

namespace duel {
namespace {

// The revisions whose messages these are. A client that knows none of them is offered the newest.
constexpr std::array<std::string_view, 4> kRevisions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};

// JSON-RPC 2.0, section 5.1.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;

constexpr JsonLimits kLimits{.values = 2'000'000, .depth = 100, .numbers_as_written = true};

bool is_id(const Json& id) { return id.is_string() || id.is_number(); }

// What a call gives: as JSON for programs, and the same as text for those that know no better.
Json content_of(const Result<Json>& result) {
  Json text;
  text["type"] = "text";
  text["text"] = result.ok() ? result->dump() : result.error().to_string();
  Json given;
  given["content"] = Json(Json::Array{std::move(text)});
  if (result.ok()) {
    given["structuredContent"] = *result;
  } else {
    // Not an error of the protocol: the model is shown it and may do better.
    given["isError"] = true;
  }
  return given;
}

// A model that misspells an argument should hear of it, whatever the tool makes of the others.
Status check_names(const Json& arguments, const Json& schema) {
  std::vector<std::string> known;
  for (const auto& [name, of_argument] : schema.at("properties").members()) known.push_back(name);
  for (const auto& [name, value] : arguments.members()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return Error::invalid_argument(fmt::format("there is no argument '{}'", name), "",
                                   spelling_hint(name, known));
  }
  const Json* required = schema.find("required");
  if (required == nullptr) return Done{};
  for (const Json& name : required->items()) {
    if (arguments.contains(name.get<std::string>())) continue;
    return Error::invalid_argument(
        fmt::format("the argument '{}' is missing", name.get<std::string>()));
  }
  return Done{};
}

}  // namespace

McpSession::McpSession(std::vector<McpTool> tools, std::string instructions, Write write)
    : tools_(std::move(tools)),
      instructions_(std::move(instructions)),
      write_(std::move(write)),
      worker_([this] { work(); }) {}

McpSession::~McpSession() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void McpSession::take(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  JsonFault fault;
  const std::optional<Json> message = Json::parse(line, kLimits, &fault);
  if (!message) return refuse({}, kParseError, "the message " + fault.message);
  const Json* method = message->find("method");
  const Json* id = message->find("id");
  if (method == nullptr && id != nullptr &&
      (message->contains("result") || message->contains("error"))) {
    return;  // an answer, though nothing was asked
  }
  const Json* version = message->find("jsonrpc");
  if (version == nullptr || *version != Json("2.0") || method == nullptr || !method->is_string() ||
      (id != nullptr && !is_id(*id))) {
    return refuse({}, kInvalidRequest, "the message is no request of JSON-RPC 2.0");
  }
  const Json* parameters = message->find("params");
  if (parameters != nullptr && !parameters->is_object()) {
    return id == nullptr ? void() : refuse(*id, kInvalidParams, "'params' is no object");
  }
  const auto name = method->get<std::string>();
  Json given = parameters == nullptr ? Json::object() : *parameters;
  if (id != nullptr) return handle(*id, name, std::move(given));
  // A notification has no answer, not even where nobody knows it.
  if (name == "notifications/cancelled") give_up(given);
}

void McpSession::handle(const Json& id, const std::string& method, Json parameters) {
  if (method == "initialize") return initialize(id, parameters);
  if (method == "ping") return answer(id, Json::object());
  if (method == "tools/list") return list_tools(id);
  if (method == "tools/call") return take_call(id, std::move(parameters));
  refuse(id, kMethodNotFound, fmt::format("there is no method '{}'", method));
}

void McpSession::initialize(const Json& id, const Json& parameters) {
  const Json* wanted = parameters.find("protocolVersion");
  if (wanted == nullptr || !wanted->is_string()) {
    return refuse(id, kInvalidParams, "'protocolVersion' is missing");
  }
  const auto revision = wanted->get<std::string>();
  const bool known = std::ranges::find(kRevisions, revision) != kRevisions.end();
  if (const Json* client = parameters.find("clientInfo")) {
    const Json* name = client->find("name");
    const std::lock_guard lock(mutex_);
    client_ = name != nullptr && name->is_string() ? name->get<std::string>() : "";
  }
  Json result;
  result["protocolVersion"] = known ? revision : std::string(kRevisions.front());
  result["capabilities"]["tools"] = Json::object();
  result["serverInfo"]["name"] = "duel";
  result["serverInfo"]["title"] = "Duel";
  result["serverInfo"]["version"] = kVersion;
  result["instructions"] = instructions_;
  answer(id, std::move(result));
}

void McpSession::list_tools(const Json& id) {
  Json tools = Json::array();
  for (const McpTool& tool : tools_) {
    Json one;
    one["name"] = tool.name;
    one["title"] = tool.title;
    one["description"] = tool.description;
    one["inputSchema"] = tool.schema;
    Json hints;
    hints["readOnlyHint"] = tool.only_reads;
    // Nothing is ever erased, and nobody outside of the store is asked.
    hints["destructiveHint"] = false;
    hints["openWorldHint"] = false;
    one["annotations"] = std::move(hints);
    tools.push_back(std::move(one));
  }
  Json result;
  result["tools"] = std::move(tools);
  answer(id, std::move(result));
}

const McpTool* McpSession::tool_of(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, &McpTool::name);
  return found == tools_.end() ? nullptr : &*found;
}

void McpSession::take_call(const Json& id, Json parameters) {
  const Json* name = parameters.find("name");
  const std::string wanted =
      name != nullptr && name->is_string() ? name->get<std::string>() : std::string();
  if (tool_of(wanted) == nullptr) {
    return refuse(id, kInvalidParams, fmt::format("there is no tool '{}'", wanted));
  }
  const Json* arguments = parameters.find("arguments");
  if (arguments != nullptr && !arguments->is_object()) {
    return refuse(id, kInvalidParams, "'arguments' is no object");
  }
  const std::lock_guard lock(mutex_);
  waiting_.push_back({id, std::move(parameters), std::make_shared<std::atomic<bool>>(false)});
  changed_.notify_all();
}

void McpSession::give_up(const Json& parameters) {
  const Json* id = parameters.find("requestId");
  if (id == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (at_work_ && at_work_->id == *id) at_work_->given_up->store(true);
  std::erase_if(waiting_, [&](const Request& request) { return request.id == *id; });
}

void McpSession::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    at_work_ = std::move(waiting_.front());
    waiting_.pop_front();
    const Request request = *at_work_;
    lock.unlock();
    call(request);
    lock.lock();
    at_work_.reset();
  }
}

void McpSession::call(const Request& request) {
  const McpTool& tool = *tool_of(request.parameters.at("name").get<std::string>());
  const Json* arguments = request.parameters.find("arguments");
  ToolCall call{arguments == nullptr ? Json::object() : *arguments, "", *request.given_up, {}};
  {
    const std::lock_guard lock(mutex_);
    call.client = client_;
  }
  const Json* meta = request.parameters.find("_meta");
  const Json* token = meta == nullptr ? nullptr : meta->find("progressToken");
  call.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (token == nullptr || request.given_up->load()) return;
    Json notice;
    notice["method"] = "notifications/progress";
    notice["params"]["progressToken"] = *token;
    notice["params"]["progress"] = done;
    notice["params"]["total"] = total;
    write(std::move(notice));
  };
  Result<Json> result = Json();
  try {
    const Status named = check_names(call.arguments, tool.schema);
    result = named.ok() ? tool.call(call) : named.error();
  } catch (const std::exception& exception) {
    // One call that fails for a reason that nobody thought of must not end the session.
    result = Error::io(exception.what());
  }
  if (!request.given_up->load()) answer(request.id, content_of(result));
}

void McpSession::answer(const Json& id, Json result) {
  Json message;
  message["id"] = id;
  message["result"] = std::move(result);
  write(std::move(message));
}

void McpSession::refuse(const Json& id, int code, const std::string& message) {
  Json refusal;
  refusal["id"] = id;
  refusal["error"]["code"] = code;
  refusal["error"]["message"] = message;
  write(std::move(refusal));
}

void McpSession::write(Json message) {
  Json whole;
  whole["jsonrpc"] = "2.0";
  whole.update(message);
  const std::string line = whole.dump() + "\n";
  const std::lock_guard lock(writing_);
  write_(line);
}

}  // namespace duel
