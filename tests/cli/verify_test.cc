// `duel verify`, `duel result`, `duel import` and `duel export` from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;

// Forty decisive rows: `best` wins all its duels, so that its certificate comes.
std::string arena_csv() {
  std::string text = "model_a,model_b,winner,judge,tstamp,turn\n";
  for (int k = 0; k < 40; ++k) {
    const std::string judge = "user_" + std::to_string(k % 4);
    text += k % 2 == 0 ? "best model,other,model_a," : "other,best model,model_b,";
    text += judge + "," + std::to_string(1700000000 + k) + ",1\n";
  }
  return text + "other,best model,tie,user_9,1700000099,2\n";
}

class LogCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    csv_ = directory_.write("arena.csv", arena_csv());
    log_ = directory_ / "arena.jsonl";
    const CommandResult result = run_duel({"import", csv_, "-o", log_});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.err, "41 comparisons of 2 arms")) << result.err;
    EXPECT_TRUE(contains(result.err, "'best model' is called 'best-model'")) << result.err;
  }

  TemporaryDirectory directory_;
  std::string csv_;
  std::string log_;
};

TEST_F(LogCommands, import_and_export_give_the_same_bytes_back) {
  EXPECT_EQ(run_duel({"export", log_, "--format", "arena"}).out, arena_csv());
  for (const std::string format : {"csv", "jsonl"}) {
    const std::string file = directory_ / ("again." + format);
    ASSERT_EQ(run_duel({"export", log_, "--format", format, "-o", file}).exit_code, 0);
    const std::string again = directory_ / (format + ".log");
    ASSERT_EQ(run_duel({"import", file, "-o", again, "--quiet"}).exit_code, 0);
    EXPECT_EQ(run_duel({"export", again, "--format", "arena"}).out, arena_csv());
  }
}

TEST_F(LogCommands, import_takes_all_rows_or_nothing_and_never_writes_over_a_log) {
  const std::string broken = directory_.write("broken.csv", arena_csv() + "a,b,c,d,e,f\n");
  const CommandResult result = run_duel({"import", broken, "-o", directory_ / "new.jsonl"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "broken.csv:43: the winner 'c'")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "new.jsonl"));
  EXPECT_EQ(run_duel({"import", csv_, "-o", log_}).exit_code, 2);
}

TEST_F(LogCommands, verify_recomputes_a_certificate_to_the_last_byte_and_names_what_differs) {
  const CommandResult alone = run_duel({"verify", "--log", log_, "--json"});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const auto json = nlohmann::ordered_json::parse(alone.out);
  EXPECT_EQ(json["records"], 42);
  ASSERT_EQ(json["certificate"]["winner"], "best-model");
  const std::string text = json["certificate"].dump(2) + "\n";
  const std::string certificate = directory_.write("certificate.json", text);
  const CommandResult good = run_duel({"verify", certificate, "--log", log_});
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  EXPECT_TRUE(contains(good.out, "VERIFIED")) << good.out;

  std::string forged = text;
  forged.replace(forged.find("\"winner\": \"best-model\""), 22, "\"winner\": \"other\"     ");
  const CommandResult bad = run_duel({"verify", directory_.write("forged", forged), "--log", log_});
  EXPECT_EQ(bad.exit_code, 5);
  EXPECT_TRUE(contains(bad.out, "winner: the certificate says \"other\"")) << bad.out;

  std::string changed = content_of(log_);
  changed.replace(changed.find("user_3"), 6, "user_2");
  const CommandResult tampered =
      run_duel({"verify", certificate, "--log", directory_.write("changed.jsonl", changed)});
  EXPECT_EQ(tampered.exit_code, 5);
  EXPECT_TRUE(contains(tampered.out, "changed.jsonl:5: the hash does not fit")) << tampered.out;

  EXPECT_EQ(run_duel({"verify", certificate, "--log", directory_ / "none"}).exit_code, 1);
  EXPECT_EQ(run_duel({"verify", csv_, "--log", log_}).exit_code, 5);
  EXPECT_EQ(run_duel({"verify", certificate}).exit_code, 2);
}

TEST_F(LogCommands, verify_warns_of_a_cut_last_line_and_checks_the_rest) {
  const std::string text = content_of(log_);
  const std::string cut = directory_.write("cut.jsonl", text.substr(0, text.size() - 9));
  const CommandResult result = run_duel({"verify", "--log", cut});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "cut.jsonl:42: the last line has no end")) << result.err;
  EXPECT_TRUE(contains(result.out, "41 records")) << result.out;
}

TEST_F(LogCommands, result_shows_the_same_board_from_the_log_and_from_the_file) {
  const CommandResult from_log = run_duel({"result", "--log", log_});
  ASSERT_EQ(from_log.exit_code, 0) << from_log.err;
  EXPECT_TRUE(from_log.out.starts_with("Arm 'best model' beats the other arm")) << from_log.out;
  EXPECT_FALSE(contains(from_log.out, "best-model")) << from_log.out;
  EXPECT_TRUE(contains(from_log.out, "41 duels: 40 decisive, 1 tie,")) << from_log.out;
  EXPECT_EQ(run_duel({"result", csv_}).out, from_log.out);
  const Json json = Json::parse(run_duel({"result", csv_, "--json"}).out);
  EXPECT_EQ(json["state"], "certified");
  EXPECT_EQ(json["certificate"]["winner"], "best-model");
  EXPECT_EQ(json["arms"][0]["arm_id"], "best-model");
  EXPECT_EQ(json["arms"][0]["name"], "best model");
  EXPECT_EQ(json["not_ruled_out"], Json::array());
  EXPECT_EQ(json["bradley_terry"]["ties"], "davidson");
  EXPECT_EQ(json["health"].size(), 9U);
}

// Two pairs that nothing links, one duel each: by symmetry each is a pair alone, and with one win
// added each way the odds are 2 : 1.
TEST_F(LogCommands, result_has_strengths_for_any_duels_with_a_prior) {
  const std::string apart =
      directory_.write("apart.csv", "model_a,model_b,winner\na,b,model_a\nc,d,model_a\n");
  const Json without = Json::parse(run_duel({"result", apart, "--json"}).out);
  EXPECT_EQ(
      without["bradley_terry"]["error"],
      "duels: no chain of duels links 'a' and 'c' (strengths can be compared only where duels "
      "link the arms)");
  EXPECT_TRUE(without["arms"][0]["elo"].is_null());
  const Json with = Json::parse(run_duel({"result", apart, "--prior", "2", "--json"}).out);
  EXPECT_EQ(with["bradley_terry"]["prior_shape"], 2);
  double a = 0, b = 0;
  for (const auto& arm : with["arms"]) {
    if (arm["arm_id"] == "a") a = arm["elo"];
    if (arm["arm_id"] == "b") b = arm["elo"];
  }
  EXPECT_NEAR(a - b, 400 * std::log10(2.0), 1e-6);
  EXPECT_TRUE(contains(run_duel({"result", apart, "--prior", "2"}).out,
                       "with a Gamma prior of shape 2 on the strengths"));
  const CommandResult refused = run_duel({"result", apart, "--prior", "1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "--prior: 1 is out of range (above 1)")) << refused.err;
}

TEST_F(LogCommands, result_knows_a_table_by_its_content_and_not_by_its_name) {
  const std::string board = run_duel({"result", csv_}).out;
  std::string tabs = arena_csv();
  std::replace(tabs.begin(), tabs.end(), ',', '\t');
  EXPECT_EQ(run_duel({"result", directory_.write("arena.tsv", tabs)}).out, board);
  const std::string lines = directory_ / "lines.jsonl";
  ASSERT_EQ(run_duel({"export", log_, "--format", "jsonl", "-o", lines}).exit_code, 0);
  const CommandResult of_lines = run_duel({"result", lines});
  EXPECT_EQ(of_lines.out, board) << of_lines.err;
  std::string array = "[" + content_of(lines);
  for (std::size_t at = array.find("}\n{"); at != std::string::npos; at = array.find("}\n{", at)) {
    array.replace(at, 2, "},");
  }
  EXPECT_EQ(run_duel({"result", directory_.write("votes.json", array + "]")}).out, board);
  // A log without its beginning is still a log, and a damaged one.
  const std::string text = content_of(log_);
  const std::string rest = directory_.write("rest.jsonl", text.substr(text.find('\n') + 1));
  EXPECT_TRUE(contains(run_duel({"result", rest}).err, "rest.jsonl:1: this is record 2"))
      << run_duel({"result", rest}).err;
  const CommandResult other = run_duel({"result", directory_.write("notes.txt", "hello\n")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(contains(other.err, "expected: CSV or TSV")) << other.err;
}

TEST_F(LogCommands, result_lists_rivals_by_evidence_and_in_readable_numbers) {
  std::string rows = "first,second,winner\n";
  for (int k = 0; k < 100; ++k) rows += "a,far,a\nfar,a,a\n";
  for (int k = 0; k < 20; ++k) rows += k % 4 == 0 ? "a,near,near\n" : "near,a,a\n";
  const std::string out = run_duel({"result", directory_.write("rivals.csv", rows)}).out;
  const std::string table = out.substr(out.find("Evidence that a beats its rivals"));
  EXPECT_TRUE(contains(table, "> 1 000 000")) << table;
  EXPECT_FALSE(contains(table, "e+")) << table;
  EXPECT_LT(table.find("\nnear "), table.find("\nfar ")) << table;
}

TEST_F(LogCommands, result_says_what_is_missing) {
  EXPECT_EQ(run_duel({"result"}).exit_code, 2);
  EXPECT_EQ(run_duel({"result", directory_ / "none.jsonl"}).exit_code, 1);
  const std::string few = directory_.write("few.csv", "model_a,model_b,winner\na,b,a\nb,c,tie\n");
  const CommandResult result = run_duel({"result", few});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("Not enough data after 2 duels: a has fewer than 10"))
      << result.out;
  // One voter gives all answers.
  std::string one = "model_a,model_b,winner,judge\n";
  for (int k = 0; k < 30; ++k) one += k % 2 == 0 ? "a,b,a,me\n" : "b,a,b,me\n";
  EXPECT_EQ(run_duel({"result", directory_.write("one.csv", one), "--strict"}).exit_code, 4);
  EXPECT_EQ(run_duel({"export", log_, "--format", "arean"}).exit_code, 2);
}

}  // namespace
}  // namespace duel
