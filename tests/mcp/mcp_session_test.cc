// The protocol, on tools of the test's own. What the tools of Duel do is asked with the official
// client (web/tests/mcp).
#include "duel/mcp/mcp_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "duel/wire/requests.h"

namespace duel {
namespace {

class Session {
 public:
  Session() {
    Json schema;
    schema["type"] = "object";
    schema["properties"]["text"] = described_schema("string", "what to say");
    schema["required"] = Json(Json::Array{"text"});
    std::vector<McpTool> tools;
    tools.push_back({.name = "echo",
                     .title = "Echo",
                     .description = "says it again",
                     .schema = schema,
                     .only_reads = true,
                     .call = [](const ToolCall& call) -> Result<Json> { return call.arguments; }});
    tools.push_back({.name = "fail",
                     .title = "Fail",
                     .description = "throws",
                     .schema = schema,
                     .call = [](const ToolCall&) -> Result<Json> {
                       throw std::runtime_error("something broke");
                     }});
    tools.push_back({.name = "wait",
                     .title = "Wait",
                     .description = "until it is given up",
                     .schema = schema,
                     .call = [this](const ToolCall& call) -> Result<Json> {
                       call.progress(1, 2);
                       while (!call.stop) std::this_thread::yield();
                       ++given_up_;
                       return Json();
                     }});
    session_ = std::make_unique<McpSession>(std::move(tools), "Be brief.",
                                            [this](const std::string& line) { said_ += line; });
  }

  void take(const std::string& line) { session_->take(line); }
  // Everything that was said, once all calls are worked on.
  std::vector<Json> end() {
    session_.reset();
    std::vector<Json> messages;
    for (std::size_t at = 0; at < said_.size();) {
      const std::size_t end = said_.find('\n', at);
      messages.push_back(*Json::parse(std::string_view(said_).substr(at, end - at)));
      at = end + 1;
    }
    return messages;
  }
  // The only answer to one line.
  static Json answer_to(const std::string& line) {
    Session session;
    session.take(line);
    const std::vector<Json> said = session.end();
    EXPECT_EQ(said.size(), 1U) << line;
    return said.empty() ? Json() : said.front();
  }
  int given_up() const { return given_up_; }

 private:
  std::string said_;
  int given_up_ = 0;
  std::unique_ptr<McpSession> session_;
};

std::string call(std::string_view tool, std::string_view arguments) {
  return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + std::string(tool) +
         R"(","arguments":)" + std::string(arguments) + "}}";
}

TEST(McpSession, offers_the_revision_that_the_client_knows) {
  const auto revision_for = [](const std::string& wanted) {
    const Json answer = Session::answer_to(
        R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":")" +
        wanted + R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
    EXPECT_EQ(answer.at("id"), Json("a"));
    EXPECT_TRUE(answer.at("result").at("capabilities").contains("tools"));
    EXPECT_EQ(answer.at("result").at("instructions"), Json("Be brief."));
    return answer.at("result").at("protocolVersion").get<std::string>();
  };
  EXPECT_EQ(revision_for("2024-11-05"), "2024-11-05");
  EXPECT_EQ(revision_for("2025-11-25"), "2025-11-25");
  EXPECT_EQ(revision_for("1999-01-01"), "2025-11-25");
}

TEST(McpSession, refuses_what_is_no_request) {
  const auto code_of = [](const std::string& line) {
    return Session::answer_to(line).at("error").at("code").get<int>();
  };
  EXPECT_EQ(code_of("{"), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of(R"({"id":1,"method":"ping"})"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"nothing"})"), -32601);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})"), -32602);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"), -32602);
  EXPECT_EQ(code_of(call("nothing", "{}")), -32602);
  EXPECT_EQ(code_of(call("echo", "[]")), -32602);
}

TEST(McpSession, says_nothing_to_notifications_answers_and_empty_lines) {
  Session session;
  session.take("");
  session.take(" \r");
  session.take(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  session.take(R"({"jsonrpc":"2.0","method":"notifications/of_tomorrow","params":{}})");
  session.take(R"({"jsonrpc":"2.0","method":"ping","params":[]})");
  session.take(R"({"jsonrpc":"2.0","id":3,"result":{}})");
  EXPECT_TRUE(session.end().empty());
}

TEST(McpSession, gives_the_answer_as_json_and_as_text) {
  const Json result = Session::answer_to(call("echo", R"({"text":"h\u00e9"})")).at("result");
  EXPECT_EQ(result.at("structuredContent").dump(), "{\"text\":\"h\u00e9\"}");
  const Json& content = result.at("content").items()[0];
  EXPECT_EQ(content.at("type"), Json("text"));
  EXPECT_EQ(content.at("text"), Json("{\"text\":\"h\u00e9\"}"));
  EXPECT_FALSE(result.contains("isError"));
}

TEST(McpSession, tells_the_model_of_a_call_that_fails) {
  const auto complaint = [](const std::string& line) {
    const Json result = Session::answer_to(line).at("result");
    EXPECT_EQ(result.at("isError"), Json(true)) << line;
    return result.at("content").items()[0].at("text").get<std::string>();
  };
  EXPECT_EQ(complaint(call("fail", R"({"text":""})")), "something broke");
  EXPECT_EQ(complaint(call("echo", "{}")), "the argument 'text' is missing");
  EXPECT_EQ(complaint(call("echo", R"({"text":"","txet":1})")),
            "there is no argument 'txet' (did you mean 'text'? known: text)");
}

TEST(McpSession, answers_calls_in_their_order_and_all_before_it_ends) {
  Session session;
  for (int k = 0; k < 50; ++k)
    session.take(call("echo", R"({"text":")" + std::to_string(k) + "\"}"));
  const std::vector<Json> said = session.end();
  ASSERT_EQ(said.size(), 50U);
  for (int k = 0; k < 50; ++k) {
    EXPECT_EQ(said[k].at("result").at("structuredContent").at("text"), Json(std::to_string(k)));
  }
}

TEST(McpSession, goes_on_beside_a_long_call_and_gives_it_up) {
  Session session;
  session.take(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",)"
               R"("arguments":{"text":""},"_meta":{"progressToken":"p"}}})");
  session.take(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait",)"
               R"("arguments":{"text":""}}})");
  session.take(R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  const auto cancel = [&](int id) {
    session.take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                 std::to_string(id) + "}}");
  };
  cancel(2);   // has not begun, or has: either way nobody waits for it
  cancel(99);  // is not known
  cancel(1);
  int pings = 0;
  for (const Json& message : session.end()) {
    const Json* id = message.find("id");
    if (id == nullptr) {
      EXPECT_EQ(message.at("method"), Json("notifications/progress"));
      EXPECT_EQ(message.at("params").dump(), R"({"progressToken":"p","progress":1,"total":2})");
    } else {
      EXPECT_EQ(*id, Json(3));
      ++pings;
    }
  }
  EXPECT_EQ(pings, 1);
  EXPECT_LE(session.given_up(), 1);
}

TEST(McpTool, the_schema_of_a_body_stands_alone) {
  const Json schema = schema_of_arguments<ExperimentBody>();
  EXPECT_EQ(schema.dump().find("$ref"), std::string::npos);
  EXPECT_FALSE(schema.contains("required")) << "it has arms or a space";
  const Json some = with_argument(schema_of_arguments<DuelBody>({"task_id"}), "id",
                                  described_schema("string", "d"), true);
  EXPECT_EQ(some.at("properties").size(), 2U);
  EXPECT_EQ(some.at("properties").members()[0].name, "id");
  EXPECT_EQ(some.at("required").dump(), R"(["id"])");
}

}  // namespace
}  // namespace duel
