// `duel serve --log-format json`: every line on stderr is one JSON object.
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_command.h"
#include "tests/cli/served_store.h"

namespace duel {
namespace {

std::vector<nlohmann::json> lines_of(const std::string& log) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// What it says of a request, a note and a trace, until its end.
std::string log_of(const std::vector<std::string>& more,
                   std::map<std::string, std::optional<std::string>> variables = {}) {
  TemporaryDirectory place;
  std::vector<std::string> words{"serve", "--listen", "127.0.0.1:0", "--store", place / "duel.db"};
  words.insert(words.end(), more.begin(), more.end());
  RunningDuel server(words, {.variables = std::move(variables)});
  wait_for([&] { return contains(server.out_so_far(), "\n"); });
  const std::string out = server.out_so_far();
  const std::string url = out.substr(0, out.find('\n'));
  EXPECT_EQ(run_duel({"experiment", "new", "logo", "--arms", "a,b", "--server", url}).exit_code, 0);
  server.send(SIGTERM);
  const CommandResult ended = server.wait();
  EXPECT_EQ(ended.exit_code, 0);
  return ended.err;
}

TEST(ServeCommand, logs_notes_and_requests_as_json) {
  const std::vector<nlohmann::json> lines = lines_of(log_of({"--log-format", "json"}));
  std::map<std::string, nlohmann::json> by_route;
  std::string notes;
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(line.at("level"), "info");
    EXPECT_EQ(line.at("time").get<std::string>().back(), 'Z');
    if (line.at("message") == "request") {
      by_route[line.at("route")] = line;
    } else {
      notes += line.at("message").get<std::string>() + "\n";
    }
  }
  EXPECT_TRUE(contains(notes, "serving; store "));
  EXPECT_TRUE(contains(notes, "there are no tokens"));
  EXPECT_TRUE(contains(notes, "draining"));
  ASSERT_TRUE(by_route.contains("create_experiment"));
  const nlohmann::json& made = by_route["create_experiment"];
  EXPECT_EQ(made.at("method"), "PUT");
  EXPECT_EQ(made.at("path"), "/v1/experiments/logo");
  EXPECT_EQ(made.at("status"), 201);
  EXPECT_EQ(made.at("client"), "127.0.0.1");
  EXPECT_EQ(made.at("experiment_id"), "logo");
  EXPECT_EQ(made.at("trace_id").get<std::string>().size(), 32U);
  EXPECT_FALSE(made.contains("parent_span_id"));
  EXPECT_GE(made.at("duration_ms").get<double>(), 0);
}

TEST(ServeCommand, takes_the_format_of_its_log_from_a_variable) {
  EXPECT_FALSE(lines_of(log_of({}, {{"DUEL_LOG_FORMAT", "json"}})).empty());
  const std::string text = log_of({}, {{"DUEL_LOG_FORMAT", "text"}});
  EXPECT_TRUE(text.starts_with("duel: ")) << text;
  EXPECT_FALSE(contains(text, "create_experiment"));
  EXPECT_EQ(run_duel({"serve", "--log-format", "xml"}).exit_code, 2);
}

TEST(ServeCommand, keeps_requests_in_a_quiet_log) {
  const std::vector<nlohmann::json> lines = lines_of(log_of({"--log-format", "json", "--quiet"}));
  ASSERT_FALSE(lines.empty());
  for (const nlohmann::json& line : lines) EXPECT_EQ(line.at("message"), "request");
}

}  // namespace
}  // namespace duel
