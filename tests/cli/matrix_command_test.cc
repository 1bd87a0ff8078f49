#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

CommandOptions with_input(std::string text) {
  CommandOptions options;
  options.input = std::move(text);
  return options;
}

Json json_of(const std::vector<std::string>& arguments, int exit_code = 0) {
  const CommandResult result = run_duel(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  return Json::parse(result.out, nullptr, false);
}

// show -------------------------------------------------------------------------------------------

TEST(MatrixShow, describes_a_matrix_for_people) {
  const CommandResult result = run_duel({"matrix", "show", "arxiv"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const char* line :
       {"arxiv  6 arms\n", "r1  0.500  0.550  0.550  0.540  0.610  0.610\n",
        "Condorcet winner  r1\n", "Copeland winner   r1, 5 of 5 victories\n",
        "Borda winner      r1, 0.572\n", "von Neumann       r1\n", "Smith set         1 arm: r1\n",
        "winner's gap      0.04\n", "pairs at 1/2      1: r4 - r6\n",
        "total order                no        1 of 15  r4 does not beat r6: p = 0.5\n",
        "weak transitivity (WST)    yes       0 of 17\n",
        "r4 > r5 > r6: e_ik = 0 < max(0.04, 0.01)\n",
        "relaxed SST holds from the winner with gamma = 1.25\n",
        "lower bound 20.7350 ln T, average regret\n", "k=2 93.3 %"}) {
    EXPECT_TRUE(contains(result.out, line)) << line << "\n" << result.out;
  }
}

TEST(MatrixShow, gives_json_that_a_script_can_read) {
  const Json json = json_of({"matrix", "show", "arxiv", "--json"});
  EXPECT_EQ(json["name"], "arxiv");
  EXPECT_EQ(json["num_arms"], 6);
  EXPECT_EQ(json["arms"], (Names{"r1", "r2", "r3", "r4", "r5", "r6"}));
  EXPECT_EQ(json["condorcet_winner"], "r1");
  EXPECT_EQ(json["copeland"]["scores"], (std::vector<int>{5, 4, 3, 1, 1, 0}));
  EXPECT_EQ(json["copeland"]["set"], Names{"r1"});
  EXPECT_EQ(json["copeland"]["ties"], Json::parse(R"([["r4", "r6"]])"));
  EXPECT_EQ(json["borda"]["winner"], "r1");
  EXPECT_DOUBLE_EQ(json["borda"]["scores"][0], 0.572);
  EXPECT_EQ(json["von_neumann"]["weights"][0], 1.0);
  EXPECT_EQ(json["von_neumann"]["guarantee"], 0.5);
  EXPECT_EQ(json["smith_set"], Names{"r1"});
  EXPECT_EQ(json["gaps"]["winner"], 0.04);
  EXPECT_EQ(json["gaps"]["any"], 0.01);
  EXPECT_EQ(json["gaps"]["per_arm"], (std::vector<double>{0, 0.05, 0.05, 0.04, 0.11, 0.11}));
  EXPECT_NEAR(json["lower_bound"], 20.7350, 5e-5);
  EXPECT_NEAR(json["lower_bound_condorcet_target"], 20.7350, 5e-5);
  EXPECT_EQ(json["best_opponents"], Json::parse(R"([null, "r1", "r1", "r1", "r1", "r1"])"));
  EXPECT_EQ(json["lower_bound_terms"].size(), 6u);
  const Json& assumptions = json["assumptions"];
  EXPECT_EQ(assumptions["total_order"]["holds"], false);
  EXPECT_EQ(assumptions["total_order"]["witness"]["arms"], (Names{"r4", "r6"}));
  EXPECT_EQ(assumptions["wst"]["holds"], true);
  EXPECT_EQ(assumptions["wst"]["witness"], nullptr);
  EXPECT_EQ(assumptions["sst"]["violations"], 4);
  EXPECT_EQ(assumptions["sst"]["examined"], 17);
  EXPECT_EQ(assumptions["sti"]["witness"]["arms"], (Names{"r1", "r3", "r5"}));
  EXPECT_EQ(assumptions["sti"]["witness"]["gap_ik"], 0.11);
  EXPECT_EQ(assumptions["relaxed_sst_gamma"], 1.25);
  EXPECT_EQ(assumptions["relaxed_sti_factor"], 3.0);
  EXPECT_EQ(json["subset_condorcet_share"].size(), 6u);
}

TEST(MatrixShow, says_null_where_there_is_no_condorcet_winner) {
  const Json json = json_of({"matrix", "show", "no-condorcet(k=3)", "--json"});
  for (const char* key : {"condorcet_winner", "lower_bound", "lower_bound_condorcet_target",
                          "lower_bound_terms", "best_opponents"}) {
    EXPECT_TRUE(json.contains(key) && json[key].is_null()) << key;
  }
  EXPECT_TRUE(json["gaps"]["winner"].is_null());
  EXPECT_TRUE(json["assumptions"]["relaxed_sst_gamma"].is_null());
  EXPECT_EQ(json["smith_set"].size(), 3u);
  const CommandResult text = run_duel({"matrix", "show", "no-condorcet(k=3)"});
  EXPECT_TRUE(contains(text.out, "Condorcet winner  none\n"));
  EXPECT_TRUE(contains(text.out, "no lower bound: it needs a Condorcet winner\n"));
}

TEST(MatrixShow, summarises_many_arms_and_numbers_long_names) {
  const CommandResult many = run_duel({"matrix", "show", "bradley-terry(k=40)"});
  EXPECT_EQ(many.exit_code, 0);
  EXPECT_TRUE(contains(many.out, "best 10 arms"));
  EXPECT_TRUE(contains(many.out, "30 more arms; all of them with --json\n"));
  EXPECT_FALSE(contains(many.out, "0.500  "));
  const CommandResult numbered =
      run_duel({"matrix", "show", "-"}, with_input("a long name indeed,b\n0.5,0.6\n0.4,0.5\n"));
  EXPECT_TRUE(contains(numbered.out, "stdin  2 arms\n"));
  EXPECT_TRUE(contains(numbered.out, "1  a long name indeed  0.500  0.600\n")) << numbered.out;
}

TEST(MatrixShow, takes_a_single_arm_and_all_ties) {
  EXPECT_EQ(run_duel({"matrix", "show", "-"}, with_input("x\n0.5\n")).exit_code, 0);
  EXPECT_EQ(run_duel({"matrix", "show", "mallows(k=3,phi=1)"}).exit_code, 0);
  EXPECT_EQ(json_of({"matrix", "show", "mallows(k=3,phi=1)", "--json"})["gaps"]["any"], nullptr);
}

TEST(MatrixShow, says_where_a_lottery_is_approximate) {
  const CommandResult result = run_duel({"matrix", "show", "no-condorcet(k=501)"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "(approximate: no arm beats it by more than 0.00"))
      << result.out;
  EXPECT_FALSE(contains(run_duel({"matrix", "show", "no-condorcet(k=50)"}).out, "approximate"));
}

TEST(MatrixShow, refuses_bad_matrices_with_file_line_and_column) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("bad.csv", "x,y\n0.5,0.6\n0.5,0.5\n");
  const CommandResult result = run_duel({"matrix", "show", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "duel: error: " + path +
                ":3, column 1: P('y' beats 'x') = 0.5 and P('x' beats 'y') = 0.6 add up to 1.1, "
                "not 1 (one of the two arms wins a duel)\n");
  EXPECT_EQ(run_duel({"matrix", "show", folder / "none.csv"}).exit_code, 1);
}

TEST(MatrixShow, calls_unknown_names_wrong_usage) {
  const CommandResult result = run_duel({"matrix", "show", "arxv"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err,
                       "there is no matrix and no file named 'arxv' (did you mean "
                       "'arxiv'?"))
      << result.err;
  const CommandResult option = run_duel({"matrix", "show", "mallows(phy=1)"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_TRUE(contains(option.err, "has no option 'phy' (did you mean 'phi'?")) << option.err;
}

TEST(MatrixShow, needs_a_matrix) {
  const CommandResult result = run_duel({"matrix", "show"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "MATRIX")) << result.err;
}

// check ------------------------------------------------------------------------------------------

TEST(MatrixCheck, accepts_a_sound_file_without_further_requirements) {
  const CommandResult result = run_duel({"matrix", "check", "arxiv"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "arxiv  a preference matrix of 6 arms\n");
}

TEST(MatrixCheck, exits_with_zero_where_all_requirements_hold) {
  const CommandResult result =
      run_duel({"matrix", "check", "slides", "--require", "condorcet,total-order,wst,sst,sti"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "slides  a preference matrix of 6 arms\n"
            "condorcet    holds  A\n"
            "total-order  holds\n"
            "wst          holds\n"
            "sst          holds\n"
            "sti          holds\n");
}

TEST(MatrixCheck, exits_with_four_and_a_witness_where_one_fails) {
  const CommandResult result = run_duel(
      {"matrix", "check", "arxiv", "--require", "condorcet,total-order", "--require", "sst"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.out,
            "arxiv  a preference matrix of 6 arms\n"
            "condorcet    holds  r1\n"
            "total-order  fails  r4 does not beat r6: p = 0.5 (1 of 15 pairs)\n"
            "sst          fails  r4 > r5 > r6: e_ik = 0 < max(0.04, 0.01) (4 of 17 chains)\n");
  const CommandResult circle =
      run_duel({"matrix", "check", "no-condorcet(k=3)", "--require", "condorcet"});
  EXPECT_EQ(circle.exit_code, 4);
  EXPECT_TRUE(contains(circle.out, "condorcet    fails  nobody beats every other arm\n"));
}

TEST(MatrixCheck, gives_its_verdicts_as_json) {
  const Json json =
      json_of({"matrix", "check", "cyclic", "--require", "condorcet,wst", "--json"}, 4);
  EXPECT_EQ(json["name"], "cyclic");
  EXPECT_EQ(json["holds"], false);
  EXPECT_EQ(json["checks"][0]["require"], "condorcet");
  EXPECT_EQ(json["checks"][0]["holds"], true);
  EXPECT_EQ(json["checks"][0]["winner"], "a1");
  EXPECT_EQ(json["checks"][1]["holds"], false);
  EXPECT_EQ(json["checks"][1]["violations"], 3);
  EXPECT_EQ(json["checks"][1]["witness"]["arms"], (Names{"a2", "a3", "a4"}));
}

TEST(MatrixCheck, refuses_unknown_requirements) {
  const CommandResult result = run_duel({"matrix", "check", "arxiv", "--require", "total_order"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "duel: error: --require: unknown requirement 'total_order' (did you mean "
            "'total-order'? known: condorcet, total-order, wst, sst, sti)\n");
}

TEST(MatrixCheck, fails_on_every_kind_of_bad_input) {
  const TemporaryDirectory folder;
  const std::string gigabytes = folder.write("huge.csv", "x,y\n");
  std::filesystem::resize_file(gigabytes, std::uintmax_t{3} << 30);
  const std::vector<std::pair<std::string, std::string>> cases{
      {folder.write("square.csv", "x,y\n0.5,0.6\n"), "1 rows of numbers for 2 arms"},
      {folder.write("sum.csv", "x,y\n0.5,0.6\n0.6,0.5\n"), "add up to 1.2, not 1"},
      {folder.write("nan.csv", "x,y\n0.5,nan\n0.6,0.5\n"), ":2, column 2: 'nan' is not a number"},
      {folder.write("range.csv", "x,y\n0.5,1.6\n-0.6,0.5\n"), ":2, column 2: "},
      {folder.write("missing.csv", "x,\n0.5,0.6\n0.4,0.5\n"), "the name of arm 2 is empty"},
      {folder.write("repeated.csv", "x,x\n0.5,0.6\n0.4,0.5\n"), "'x' is given twice"},
      {folder.write("empty.csv", ""), "the file is empty"},
      {folder.write("binary.csv", std::string("\x7f"
                                              "ELF\0\1",
                                              6)),
       "this is not text"},
      {gigabytes, "more than 2 GiB of text"},
      {folder.path().string(), "is a directory, not a file"},
  };
  for (const auto& [path, message] : cases) {
    const CommandResult result = run_duel({"matrix", "check", path});
    EXPECT_EQ(result.exit_code, 1) << path;
    EXPECT_EQ(result.out, "") << path;
    EXPECT_TRUE(contains(result.err, path)) << result.err;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  }
}

// generate ---------------------------------------------------------------------------------------

TEST(MatrixGenerate, writes_csv_to_standard_output) {
  const CommandResult result = run_duel({"matrix", "generate", "arithmetic(k=3,step=0.1)"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "a1,a2,a3\n0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n");
}

TEST(MatrixGenerate, writes_a_file_that_reads_back) {
  const TemporaryDirectory folder;
  const CommandResult result =
      run_duel({"matrix", "generate", "thurstone(k=5,seed=3)", "-o", folder / "t.csv"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "duel: thurstone(k=5,seed=3,spread=1): 5 arms, written to " +
                            (folder / "t.csv").string() + "\n");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"t.csv"});
  EXPECT_EQ(content_of(folder / "t.csv"),
            run_duel({"matrix", "generate", "thurstone(k=5,seed=3)"}).out);
  const CommandResult again = run_duel({"matrix", "check", folder / "t.csv", "--require", "sst"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(run_duel({"matrix", "generate", "arxiv", "-q", "-o", folder / "a.csv"}).err, "");
}

TEST(MatrixGenerate, leaves_nothing_where_the_output_cannot_be_written) {
  const TemporaryDirectory folder;
  const CommandResult result =
      run_duel({"matrix", "generate", "arxiv", "-o", folder / "none/a.csv"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "none/a.csv")) << result.err;
  EXPECT_TRUE(names_in(folder.path()).empty());
  std::filesystem::create_directory(folder / "taken");
  EXPECT_EQ(run_duel({"matrix", "generate", "arxiv", "-o", folder / "taken"}).exit_code, 1);
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"taken"});
}

TEST(MatrixGenerate, keeps_the_old_file_where_the_name_is_wrong) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("keep.csv", "precious");
  EXPECT_EQ(run_duel({"matrix", "generate", "mallows(phi=2)", "-o", path}).exit_code, 2);
  EXPECT_EQ(content_of(path), "precious");
}

TEST(MatrixGenerate, lists_what_there_is) {
  const CommandResult result = run_duel({"matrix", "generate", "--list"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"arxiv", "slides", "mslr-slide", "cyclic", "arithmetic(k=8,step=0.05)",
                           "bradley-terry(k=10,seed=1,spread=1)", "random-condorcet", "mallows",
                           "plackett-luce", "dispersion"}) {
    EXPECT_TRUE(contains(result.out, part)) << part;
  }
  const Json json = json_of({"matrix", "generate", "--list", "--json"});
  EXPECT_EQ(json["matrices"].size(), 11u);
  EXPECT_EQ(json["matrices"][4]["name"], "arithmetic");
  EXPECT_EQ(json["matrices"][4]["options"][1]["name"], "step");
  EXPECT_EQ(json["matrices"][4]["options"][1]["default"], "0.05");
}

TEST(MatrixGenerate, refuses_missing_and_unknown_names) {
  const CommandResult missing = run_duel({"matrix", "generate"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(contains(missing.err, "a name is missing")) << missing.err;
  const CommandResult unknown = run_duel({"matrix", "generate", "bradly-terry(k=3)"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'bradley-terry'?")) << unknown.err;
  EXPECT_EQ(run_duel({"matrix", "generate", "arxiv", "--json"}).exit_code, 2);
  EXPECT_EQ(run_duel({"matrix", "generate", "bradley-terry(k=1e9)"}).exit_code, 2);
}

// from-rankings ----------------------------------------------------------------------------------

const char* const kVotes =
    "# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 4\n"
    "# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n"
    "3: 1,{2,3}\n1: 2,1\n";

TEST(MatrixFromRankings, prints_the_matrix) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("votes.toi", kVotes);
  const CommandResult result = run_duel({"matrix", "from-rankings", path});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "Ann,Bob,Cy\n0.5,0.75,1\n0.25,0.5,0.5\n0,0.5,0.5\n");
  EXPECT_EQ(result.err,
            "duel: votes: 4 voters, 2 different ballots, 3 alternatives\n"
            "duel: warning: votes: 1 pair was never compared, and 1/2 is assumed\n");
  EXPECT_EQ(run_duel({"matrix", "from-rankings", "-"}, with_input(kVotes)).out, result.out);
}

TEST(MatrixFromRankings, ranks_those_left_out_last_on_request) {
  const CommandResult result =
      run_duel({"matrix", "from-rankings", "-", "--unranked", "last"}, with_input(kVotes));
  EXPECT_EQ(result.out, "Ann,Bob,Cy\n0.5,0.75,1\n0.25,0.5,1\n0,0,0.5\n");
  const CommandResult wrong = run_duel({"matrix", "from-rankings", "-", "--unranked", "lasst"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.err,
            "duel: error: --unranked: 'lasst' is not a known value (did you mean 'last'? known: "
            "ignore, last)\n");
}

TEST(MatrixFromRankings, writes_matrix_and_counts_to_files) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("votes.toi", kVotes);
  const CommandResult result = run_duel({"matrix", "from-rankings", path, "-o", folder / "m.csv",
                                         "--counts", folder / "c.csv", "-q"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(content_of(folder / "c.csv"), "Ann,Bob,Cy\n0,3,3\n1,0,0\n0,0,0\n");
  EXPECT_EQ(content_of(folder / "m.csv"), "Ann,Bob,Cy\n0.5,0.75,1\n0.25,0.5,0.5\n0,0.5,0.5\n");
}

TEST(MatrixFromRankings, gives_both_as_json) {
  const TemporaryDirectory folder;
  const Json json =
      json_of({"matrix", "from-rankings", folder.write("votes.toi", kVotes), "--json"});
  EXPECT_EQ(json["name"], "votes");
  EXPECT_EQ(json["arms"], (Names{"Ann", "Bob", "Cy"}));
  EXPECT_EQ(json["voters"], 4);
  EXPECT_EQ(json["ballots"], 2);
  EXPECT_EQ(json["unmet_pairs"], 1);
  EXPECT_EQ(json["counts"], Json::parse("[[0,3,3],[1,0,0],[0,0,0]]"));
  EXPECT_EQ(json["matrix"][0], Json::parse("[0.5,0.75,1.0]"));
}

TEST(MatrixFromRankings, refuses_two_results_in_one_place) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("votes.toi", kVotes);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--counts", "-"},
        {"--json", "-o", "-"},
        {"-o", folder / "x.csv", "--counts", folder / "x.csv"}}) {
    std::vector<std::string> arguments{"matrix", "from-rankings", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run_duel(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err,
              "duel: error: two results would go to the same place "
              "(give -o and --counts files of their own)\n");
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"votes.toi"});
}

TEST(MatrixFromRankings, warns_of_a_file_that_is_cut_short) {
  const std::string votes = kVotes;
  const CommandResult result =
      run_duel({"matrix", "from-rankings", "-"}, with_input(votes.substr(0, votes.find("1: 2,1"))));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "the header announces 4 voters, the ballots hold 3"))
      << result.err;
}

TEST(MatrixFromRankings, says_where_a_ballot_is_wrong) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("votes.toi", std::string(kVotes) + "1: 1,4\n");
  const CommandResult result = run_duel({"matrix", "from-rankings", path, "-o", folder / "m.csv"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "duel: error: " + path + ":9: there is no alternative 4 (1 .. 3)\n");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"votes.toi"});
}

// help -------------------------------------------------------------------------------------------

TEST(MatrixCommand, explains_itself) {
  for (const char* command : {"show", "check", "generate", "from-rankings"}) {
    const CommandResult result = run_duel({"matrix", command, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(contains(result.out, std::string("duel matrix ") + command)) << result.out;
    EXPECT_TRUE(contains(result.out, "Example")) << result.out;
    EXPECT_TRUE(contains(run_duel({"matrix", "--help"}).out, command));
  }
  const CommandResult wrong = run_duel({"matrix", "shwo"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "did you mean 'show'?")) << wrong.err;
}

}  // namespace
}  // namespace duel
