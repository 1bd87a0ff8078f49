// The client commands, on the store of this machine and on a server: one story, told twice.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "duel/log/experiment_log.h"
#include "tests/cli/run_command.h"
#include "tests/cli/served_store.h"

namespace duel {
namespace {

using Words = std::vector<std::string>;

// What differs from run to run: times, hashes, tokens and ids of the server's making.
std::string without_chance(const std::string& text) {
  static const std::regex kChance(
      R"([0-9a-f]{64}|[0-9a-f]{32}|duel_[a-z]+_[A-Za-z0-9_-]{20,}|t[0-9a-f]{15,16}|[0-9T:.-]{23}Z|)"
      R"(c[0-9a-f]{28})");
  static const std::regex kWhere(R"( --(server|store) [^ '\n]+)");
  return std::regex_replace(std::regex_replace(text, kChance, "*"), kWhere, "");
}

class ClientCommands : public ::testing::Test {
 protected:
  CommandResult local(Words words) const {
    words.insert(words.end(), {"--store", place_ / "local.db"});
    return run_duel(words, {.directory = place_.path()});
  }
  CommandResult served(Words words) {
    if (!server_) server_ = std::make_unique<ServedStore>(place_ / "served.db");
    words.insert(words.end(), {"--server", server_->url()});
    return run_duel(words, {.directory = place_.path()});
  }
  // The same words to both; what the local store said.
  CommandResult both(const Words& words) {
    const CommandResult here = local(words);
    const CommandResult there = served(words);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    EXPECT_EQ(here.exit_code, there.exit_code) << line << here.err << there.err;
    EXPECT_EQ(without_chance(here.out), without_chance(there.out)) << line;
    EXPECT_EQ(without_chance(here.err), without_chance(there.err)) << line;
    return here;
  }

  TemporaryDirectory place_;
  std::unique_ptr<ServedStore> server_;
};

TEST_F(ClientCommands, the_store_and_a_server_use_the_same_words_and_exit_codes) {
  place_.write("logo.json", R"({"name":"Logos","seed":7,"arms":[{"arm_id":"red","payload":"r.svg"},
    {"arm_id":"blue","default":true},{"arm_id":"green"}]})");
  EXPECT_EQ(both({"experiment", "new", "logo", "--config", "logo.json"}).out, "logo is draft\n");
  EXPECT_EQ(both({"experiment", "new", "logo", "--config", "logo.json", "--start"}).out,
            "logo is running\n");
  EXPECT_EQ(both({"experiment", "new", "logo", "--arms", "a,b"}).exit_code, 1);
  EXPECT_TRUE(contains(both({"experiment", "list"}).out, "logo        running  duel"));
  EXPECT_TRUE(contains(both({"experiment", "show", "logo"}).out, "blue   active, default"));
  EXPECT_TRUE(contains(both({"experiment", "arms", "list", "logo"}).out, "red    active"));
  EXPECT_EQ(both({"experiment", "arms", "add", "logo", "violet"}).exit_code, 1);  // fixed arms

  const CommandResult duel = both({"next", "logo", "--id", "d1", "--subject", "ann"});
  EXPECT_TRUE(duel.out.starts_with("duel d1\n")) << duel.out;
  EXPECT_EQ(both({"next", "logo", "--id", "d1", "--subject", "ann"}).out, duel.out);
  EXPECT_EQ(both({"next", "logo", "--id", "d1", "--subject", "bob"}).exit_code, 1);
  EXPECT_EQ(both({"next", "logo", "--exclude", "pink"}).exit_code, 2);
  EXPECT_EQ(both({"report", "logo", "d1", "second", "--voter", "ann"}).out, "d1: counted\n");
  EXPECT_EQ(both({"report", "logo", "d1", "second"}).out, "d1: already known; it counts once\n");
  EXPECT_EQ(both({"report", "logo", "d1", "tie"}).exit_code, 1);
  EXPECT_EQ(both({"report", "logo", "d1", "pink"}).exit_code, 2);
  EXPECT_EQ(both({"report", "logo", "nothing", "tie"}).exit_code, 1);
  EXPECT_TRUE(contains(both({"result", "logo"}).out, "1 duel: 1 decisive"));
  EXPECT_EQ(both({"result", "nothing"}).exit_code, 1);
  EXPECT_EQ(both({"result", "logo", "--alpha", "0.1"}).exit_code, 2);
  EXPECT_TRUE(
      contains(both({"export", "logo", "--format", "arena"}).out, "model_a,model_b,winner"));
  EXPECT_EQ(both({"export", "logo", "--what", "audit", "--format", "csv"}).exit_code, 2);

  EXPECT_EQ(both({"experiment", "pause", "logo"}).out, "logo is paused\n");
  EXPECT_TRUE(contains(both({"next", "logo", "--id", "d2"}).err, "fallback"));
  EXPECT_EQ(both({"experiment", "start", "logo"}).exit_code, 1);  // it is resumed, not started
  EXPECT_EQ(both({"experiment", "resume", "logo"}).out, "logo is running\n");
  EXPECT_EQ(both({"experiment", "complete", "logo"}).out, "logo is completed\n");
  EXPECT_EQ(both({"experiment", "archive", "logo"}).out, "logo is archived\n");
  EXPECT_EQ(both({"experiment", "show", "nothing"}).exit_code, 1);
}

TEST_F(ClientCommands, a_duel_has_slices_and_a_context_and_an_answer_says_how_much_and_why) {
  place_.write("e.json", R"({"seed":7,"policy":"lin-ts","slices":{"language":["de","en"]},
    "arms":[{"arm_id":"a","features":[1,0]},{"arm_id":"b","features":[0,1]}]})");
  ASSERT_EQ(both({"experiment", "new", "e", "--config", "e.json", "--start"}).exit_code, 0);
  EXPECT_EQ(both({"next", "e", "--id", "d1", "--slice", "language=de", "--context",
                  R"({"a":[2,1],"b":[0,1]})"})
                .exit_code,
            0);
  EXPECT_EQ(both({"report", "e", "d1", "score=0.75", "--reason", "shorter", "--cost", "0.002",
                  "--tokens", "310"})
                .out,
            "d1: counted\n");
  const std::string log = both({"export", "e", "--what", "audit"}).out;
  for (const char* said :
       {R"("slices":{"language":"de"})", R"("context":{"a":[2,1],"b":[0,1]})", R"("score":0.75)",
        R"("reason":"shorter")", R"("cost":0.002)", R"("tokens":310)"}) {
    EXPECT_TRUE(contains(log, said)) << said;
  }
  const std::vector<std::pair<Words, std::string>> wrong{
      {{"next", "e", "--slice", "language"}, "--slice: language: is not NAME=VALUE"},
      {{"next", "e", "--slice", "=de"}, "--slice"},
      {{"next", "e", "--context", "[1]"}, "--context: is no JSON object"},
      {{"report", "e", "d1", "score=2"}, "ANSWER"},
      {{"report", "e", "d1", "score=much"}, "ANSWER"},
      {{"report", "e", "d1", "a", "--cost", "-1"}, "--cost"}};
  for (const auto& [words, named] : wrong) {
    const CommandResult refused = both(words);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_TRUE(contains(refused.err, named)) << refused.err;
  }
}

TEST_F(ClientCommands,
       a_space_takes_the_place_of_arms_in_a_file_of_its_own_or_in_the_configuration) {
  place_.write("space.toml", "[weight]\nlow = 0\nhigh = 1\ndefault = 0.5\n");
  place_.write("seed.json", R"({"seed":7})");
  place_.write("whole.json", R"({"seed":7,"space":{"weight":{"low":0,"high":1,"default":0.5}}})");
  EXPECT_EQ(both({"experiment", "new", "one", "--space", "space.toml", "--config", "seed.json",
                  "--start"})
                .out,
            "one is running\n");
  EXPECT_EQ(both({"experiment", "new", "two", "--config", "whole.json", "--start"}).out,
            "two is running\n");
  const auto space_of = [&](const std::string& id) {
    const CommandResult shown = both({"experiment", "show", id, "--json"});
    return nlohmann::json::parse(shown.out).at("space");
  };
  EXPECT_EQ(space_of("one"), space_of("two"));
  EXPECT_TRUE(contains(both({"experiment", "show", "one"}).out, "space       weight: 0 to 1\n"));
  const CommandResult duel = both({"next", "one", "--id", "d1"});
  EXPECT_TRUE(contains(duel.out, "weight")) << duel.out << duel.err;
  EXPECT_EQ(both({"report", "one", "d1", "first"}).out, "d1: counted\n");
  place_.write("wrong.toml", "[weight]\nlow = 1\nhigh = 0\n");
  EXPECT_EQ(both({"experiment", "new", "three", "--space", "wrong.toml"}).exit_code, 2);
  EXPECT_EQ(
      both({"experiment", "new", "three", "--space", "space.toml", "--arms", "a,b"}).exit_code, 2);
  const CommandResult nothing = both({"experiment", "new", "three", "--config", "seed.json"});
  EXPECT_TRUE(contains(nothing.err, "no arms are given")) << nothing.err;
}

TEST_F(ClientCommands, a_wrong_value_is_named_as_it_was_given) {
  EXPECT_TRUE(contains(both({"experiment", "new", "e", "--arms", "a,b", "--policy", "rcub"}).err,
                       "error: --policy: "));
  EXPECT_TRUE(contains(both({"experiment", "new", "e"}).err, "--arms: no arms are given"));
  place_.write("wrong.json",
               R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"guardrails":{"exlore":1}})");
  const CommandResult unknown = both({"experiment", "new", "e", "--config", "wrong.json"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "/guardrails/exlore")) << unknown.err;
  EXPECT_EQ(both({"experiment", "new", "no spaces", "--arms", "a,b"}).exit_code, 2);
  EXPECT_EQ(both({"experiment", "new", "e", "--arms", "only"}).exit_code, 2);
}

TEST_F(ClientCommands, arms_come_from_names_files_and_lists) {
  place_.write("list.txt", "short\nlong\n# a comment\n");
  place_.write("p1.txt", "Be brief.");
  place_.write("p2.txt", "Be kind.");
  ASSERT_EQ(local({"experiment", "new", "listed", "--arms", "list.txt"}).exit_code, 0);
  EXPECT_TRUE(contains(local({"experiment", "arms", "list", "listed"}).out, "\nshort  active"));
  ASSERT_EQ(local({"experiment", "new", "files", "--arms", "p*.txt"}).exit_code, 0);
  const auto arms =
      nlohmann::json::parse(local({"experiment", "arms", "list", "files", "--json"}).out);
  EXPECT_EQ(arms[1]["payload"], "Be kind.");
}

TEST_F(ClientCommands, arms_may_come_and_go_where_that_was_said_at_the_start) {
  place_.write("open.json", R"({"stopping":{"arms":"open","pairs_independent":true}})");
  ASSERT_EQ(both({"experiment", "new", "e", "--arms", "a,b", "--config", "open.json", "--start"})
                .exit_code,
            0);
  EXPECT_EQ(both({"experiment", "arms", "add", "e", "c", "--payload", "{\"x\":1}"}).exit_code, 0);
  EXPECT_EQ(both({"experiment", "arms", "retire", "e", "a"}).out, "a is retired\n");
  EXPECT_TRUE(contains(both({"experiment", "arms", "list", "e"}).out, "a    retired"));
  EXPECT_EQ(both({"experiment", "arms", "retire", "e", "z"}).exit_code, 1);
}

TEST_F(ClientCommands, a_member_of_a_panel_who_has_answered_everything_is_told_so) {
  place_.write("panel.json", R"({"seed":7,"about":"these-people","panel":{"size":3},
    "arms":[{"arm_id":"a"},{"arm_id":"b"}]})");
  ASSERT_EQ(both({"experiment", "new", "e", "--config", "panel.json", "--start"}).exit_code, 0);
  const Words next = {"next", "e", "--subject", "ann"};
  Words first = next;
  first.insert(first.end(), {"--id", "d1"});
  EXPECT_TRUE(both(first).out.starts_with("duel d1\n"));
  ASSERT_EQ(both({"report", "e", "d1", "tie"}).exit_code, 0);
  const CommandResult done = both(next);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "ann has nothing left to say\n");
  EXPECT_TRUE(contains(done.err, "asked about each pair once")) << done.err;
  EXPECT_FALSE(contains(done.err, "one arm to show")) << done.err;
}

TEST_F(ClientCommands, a_certificate_is_fetched_and_verifies_against_the_exported_log) {
  ASSERT_EQ(both({"experiment", "new", "logo", "--arms", "a,b", "--start"}).exit_code, 0);
  const CommandResult none = both({"certificate", "logo"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(contains(none.err, "there is no certificate yet")) << none.err;
  EXPECT_EQ(both({"certificate", "nothing"}).exit_code, 1);
  for (const std::string_view door : {"local", "served"}) {
    const auto ask = [&](const Words& words) {
      return door == "local" ? local(words) : served(words);
    };
    // It ends with its certificate, also where each command is a process of its own.
    bool completed = false;
    for (int k = 0; k < 20 && !completed; ++k) {
      const std::string id = "d" + std::to_string(k);
      ASSERT_EQ(ask({"next", "logo", "--id", id}).exit_code, 0);
      ASSERT_EQ(ask({"report", "logo", id, "a"}).exit_code, 0);
      completed = contains(ask({"experiment", "show", "logo"}).out, "logo is completed");
    }
    EXPECT_TRUE(completed) << door;
    const std::string file = std::string(door) + ".json", log = std::string(door) + ".jsonl";
    const CommandResult fetched = ask({"certificate", "logo", "-o", file});
    ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
    EXPECT_EQ(ask({"certificate", "logo"}).out, content_of(place_ / file));
    ASSERT_EQ(ask({"export", "logo", "--what", "audit", "-o", log}).exit_code, 0);
    const CommandResult verified = run_duel({"verify", place_ / file, "--log", place_ / log});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    // The log itself gives the same bytes.
    EXPECT_EQ(run_duel({"certificate", place_ / log}).out, content_of(place_ / file));
  }
}

TEST_F(ClientCommands, a_log_goes_out_and_in_again) {
  place_.write("votes.csv", "first,second,winner\na,b,a\nb,c,b\na,c,tie\n");
  EXPECT_EQ(both({"import", "votes.csv"}).out, "votes is imported\n");
  EXPECT_EQ(both({"import", "votes.csv", "--id", "again"}).out, "again is imported\n");
  ASSERT_EQ(local({"export", "votes", "--what", "audit", "-o", "votes.jsonl"}).exit_code, 0);
  EXPECT_EQ(run_duel({"verify", "--log", place_ / "votes.jsonl"}).exit_code, 0);
  EXPECT_EQ(run_duel({"result", place_ / "votes.jsonl"}).out, local({"result", "votes"}).out);
  // The same log again is no error: an answer may have been lost. Another of its id is.
  EXPECT_EQ(local({"import", "votes.jsonl"}).exit_code, 0);
  EXPECT_EQ(served({"import", "votes.jsonl"}).exit_code, 1);
  std::string text = content_of(place_ / "votes.jsonl");
  text[text.size() / 2] ^= 1;
  place_.write("broken.jsonl", text);
  EXPECT_EQ(local({"import", "broken.jsonl"}).exit_code, 1);
}

// An outcome without its serve: the chain is sound, and the fold is not.
TEST_F(ClientCommands, a_log_that_makes_no_sense_leaves_nothing_in_the_store) {
  ExperimentRecord experiment;
  experiment.experiment_id = "votes";
  for (const char* id : {"a", "b"}) {
    experiment.arms.push_back({.id = id, .payload = "", .sha256 = "", .content = {}});
  }
  OutcomeRecord outcome;
  outcome.duel_id = "d1";
  outcome.answer = {Answered::tie, ""};
  const auto text_of = [](const std::vector<Record>& records) {
    std::string text, head(kHexDigits, '0');
    Sha256 sha;
    for (const Record& record : records) {
      text += log_line(1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')),
                       1'794'700'800'000, record, head, sha)
                  .value();
    }
    return text;
  };
  place_.write("bad.jsonl", text_of({experiment, outcome}));
  place_.write("good.jsonl", text_of({experiment}));
  const CommandResult refused = both({"import", "bad.jsonl"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "line 2: no duel 'd1' was served")) << refused.err;
  EXPECT_EQ(local({"store", "check"}).exit_code, 0);
  EXPECT_EQ(both({"import", "good.jsonl"}).out, "votes is imported\n");
}

TEST_F(ClientCommands, a_server_takes_as_many_arms_as_its_operator_says) {
  ServedStore server(place_ / "served.db");
  server.kill();
  server.restart({"--max-arms", "2"});
  const auto create = [&](const std::string& id, const std::string& arms) {
    return run_duel({"experiment", "new", id, "--arms", arms, "--server", server.url()});
  };
  const CommandResult refused = create("three", "a,b,c");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "and this server takes 2")) << refused.err;
  EXPECT_EQ(create("two", "a,b").exit_code, 0);
  EXPECT_EQ(run_duel({"serve", "--max-arms", "1"}).exit_code, 2);
}

TEST_F(ClientCommands, a_store_that_is_served_says_to_use_the_server) {
  ServedStore server(place_ / "local.db");
  for (const Words& words :
       {Words{"experiment", "list"}, Words{"next", "e"}, Words{"token", "list"},
        Words{"experiment", "new", "e", "--arms", "a,b"}}) {
    const CommandResult result = local(words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(contains(result.err, "use --server URL")) << result.err;
  }
}

TEST_F(ClientCommands, no_store_and_no_file_are_told) {
  const CommandResult result = local({"experiment", "list"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "there is no store")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(place_ / "local.db"));  // looking makes none
}

TEST_F(ClientCommands, the_server_may_come_from_a_variable_and_a_store_on_the_line_wins) {
  ServedStore server(place_ / "served.db");
  const CommandOptions options{.variables = {{"DUEL_SERVER", server.url()}}};
  ASSERT_EQ(run_duel({"experiment", "new", "e", "--arms", "a,b"}, options).exit_code, 0);
  EXPECT_TRUE(contains(run_duel({"experiment", "list"}, options).out, "\ne "));
  EXPECT_TRUE(contains(run_duel({"result", "e"}, options).out, "0 duels: 0 decisive"));
  EXPECT_EQ(run_duel({"experiment", "list", "--store", place_ / "none.db"}, options).exit_code, 1);
  EXPECT_EQ(run_duel({"experiment", "list", "--store", "x", "--server", server.url()}).exit_code,
            2);
  EXPECT_EQ(run_duel({"experiment", "list", "--server", "ftp://x"}).exit_code, 2);
}

TEST_F(ClientCommands, a_server_out_of_reach_is_75) {
  for (const Words& words :
       {Words{"experiment", "list"}, Words{"next", "e"}, Words{"report", "e", "d", "tie"},
        Words{"result", "e"}, Words{"export", "e"}, Words{"token", "create", "--scope", "read"}}) {
    Words all = words;
    all.insert(all.end(), {"--server", "http://127.0.0.1:1"});
    const CommandResult result = run_duel(all);
    EXPECT_EQ(result.exit_code, 75) << words[0];
    EXPECT_TRUE(contains(result.err, "cannot be reached")) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(ClientCommands, tokens_are_made_listed_used_and_revoked) {
  // Who begins with another one could make no more.
  const CommandResult first = both({"token", "create", "--scope", "read", "--name", "board"});
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_TRUE(contains(first.err, "duel token create --scope admin")) << first.err;
  ASSERT_EQ(local({"experiment", "new", "e", "--arms", "a,b", "--start"}).exit_code, 0);
  std::string admin = local({"token", "create", "--scope", "admin", "--name", "me"}).out;
  std::string duel = local({"token", "create", "--scope", "duel", "--experiment", "e"}).out;
  ASSERT_TRUE(admin.starts_with("duel_admin_")) << admin;
  EXPECT_EQ(local({"experiment", "list"}).exit_code, 0);  // a user who has the file needs no token
  EXPECT_EQ(local({"token", "create", "--scope", "kin"}).exit_code, 2);

  ServedStore server(place_ / "local.db");
  const auto ask = [&](Words words, const std::string& token) {
    words.insert(words.end(), {"--server", server.url()});
    return run_duel(words, {.variables = {{"DUEL_TOKEN", token.substr(0, token.find('\n'))}}});
  };
  const CommandResult refused = run_duel({"experiment", "list", "--server", server.url()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "--token-file")) << refused.err;
  EXPECT_EQ(ask({"experiment", "list"}, admin).exit_code, 0);
  EXPECT_EQ(ask({"experiment", "list"}, duel).exit_code, 1);
  EXPECT_EQ(ask({"next", "e"}, duel).exit_code, 0);
  const std::string file = place_.write("token", admin);
  const CommandResult listed =
      run_duel({"token", "list", "--server", server.url(), "--token-file", file, "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  for (const auto& token : nlohmann::json::parse(listed.out)) {
    if (token["scope"] != "duel") continue;
    EXPECT_EQ(ask({"token", "revoke", token["token_id"]}, admin).exit_code, 0);
  }
  EXPECT_EQ(ask({"next", "e"}, duel).exit_code, 1);
  EXPECT_EQ(ask({"token", "revoke", "nothing"}, admin).exit_code, 1);
  EXPECT_EQ(run_duel({"token"}).exit_code, 2);
}

// A server that takes a request, loses its answer, and answers when it comes again.
class ForgetfulServer {
 public:
  explicit ForgetfulServer(std::string answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 4) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no socket");
    }
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] {
      for (const bool answers : {false, true}) serve(answers);
    });
  }
  ~ForgetfulServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  const std::string& url() const { return url_; }
  std::vector<std::string> bodies;

 private:
  void serve(bool answers) {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    std::string request;
    char bytes[4096];
    for (;;) {
      const std::size_t head = request.find("\r\n\r\n");
      const std::size_t length = request.find("Content-Length: ");
      if (head != std::string::npos &&
          request.size() >= head + 4 + std::stoul(request.substr(length + 16))) {
        break;
      }
      const ssize_t got = ::read(client, bytes, sizeof bytes);
      if (got <= 0) break;
      request.append(bytes, static_cast<std::size_t>(got));
    }
    bodies.push_back(request.substr(request.find("\r\n\r\n") + 4));
    const std::string text =
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(answer_.size()) + "\r\n\r\n" + answer_;
    if (answers && ::write(client, text.data(), text.size()) < 0) bodies.clear();
    ::close(client);
  }

  std::string answer_;
  std::string url_;
  int listener_ = -1;
  std::thread thread_;
};

TEST(ClientRetries, a_serve_whose_answer_was_lost_is_asked_for_again_under_the_same_id) {
  CommandResult result;
  std::vector<std::string> bodies;
  {
    ForgetfulServer server(
        R"({"duel_id":"x","serving":"explore","arms":[{"arm_id":"a","position":1},)"
        R"({"arm_id":"b","position":2}]})");
    result = run_duel({"next", "e", "--server", server.url()});
    bodies = server.bodies;
  }
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_TRUE(contains(bodies[0], "duel_id")) << bodies[0];
  EXPECT_EQ(bodies[0], bodies[1]);
}

TEST(ClientRetries, a_token_is_never_made_twice) {
  CommandResult result;
  std::size_t requests = 0;
  {
    ForgetfulServer server("{}");
    result = run_duel({"token", "create", "--scope", "read", "--server", server.url()});
    requests = server.bodies.size();
  }
  EXPECT_EQ(result.exit_code, 75);
  EXPECT_EQ(requests, 1U);
}

}  // namespace
}  // namespace duel
