// A session of the Model Context Protocol with one client, the server's side
// (modelcontextprotocol.io, revision 2025-11-25): JSON-RPC 2.0, one message a line.
//
// Calls of tools are worked on one after the other, on a thread of the session; everything else is
// answered at once, so that a client can ask whether the session lives, or give a call up, while a
// long simulation runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "duel/core/json.h"
#include "duel/mcp/mcp_tool.h"

namespace duel {

class McpSession {
 public:
  // Writes one message, which ends with its line. Called from two threads, but never from both at
  // once.
  using Write = std::function<void(const std::string& line)>;

  // `instructions` tell the client's model what the tools are for.
  McpSession(std::vector<McpTool> tools, std::string instructions, Write write);
  // Waits for the calls that were taken.
  ~McpSession();
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;

  // A line of the client, without its end.
  void take(std::string_view line);

 private:
  struct Request {
    Json id;
    Json parameters;
    std::shared_ptr<std::atomic<bool>> given_up;  // by the client, who then wants no answer
  };

  void answer(const Json& id, Json result);
  void refuse(const Json& id, int code, const std::string& message);
  void write(Json message);

  void handle(const Json& id, const std::string& method, Json parameters);
  void initialize(const Json& id, const Json& parameters);
  void list_tools(const Json& id);
  void take_call(const Json& id, Json parameters);
  void give_up(const Json& parameters);
  const McpTool* tool_of(std::string_view name) const;

  // On the thread of the calls.
  void work();
  void call(const Request& request);

  const std::vector<McpTool> tools_;
  const std::string instructions_;
  const Write write_;
  std::mutex writing_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string client_;
  std::deque<Request> waiting_;
  std::optional<Request> at_work_;
  bool ends_ = false;
  std::thread worker_;
};

}  // namespace duel
