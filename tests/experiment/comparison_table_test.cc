#include "duel/experiment/comparison_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "duel/experiment/ledger.h"
#include "duel/verdict/board.h"
#include "tests/experiment/played_log.h"
#include "tests/support/places.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

constexpr const char* kArena =
    "model_a,model_b,winner,judge,tstamp,turn,language\n"
    "gpt-4,claude v2,model_a,user_1,1682351591.13,1,English\n"
    "claude v2,\"llama, 13b\",model_b,user_2,1682351592.5,2,\"fran\xc3\xa7"
    "ais, \"\"oui\"\"\"\n"
    "gpt-4,\"llama, 13b\",tie,user_1,1682351593,1,\n"
    "gpt-4,claude v2,tie (bothbad),user_3,1682351594,1,English\n";

TEST(ComparisonTable, reads_an_arena_file_and_writes_the_same_bytes) {
  const auto table = parse_comparisons_csv(kArena, "arena.csv");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  ASSERT_EQ(table->rows.size(), 4U);
  ASSERT_EQ(table->arms.size(), 3U);
  EXPECT_EQ(table->arms[0], (ArmEntry{"gpt-4", "", ""}));
  EXPECT_EQ(table->arms[1], (ArmEntry{"claude-v2", "claude v2", ""}));
  EXPECT_EQ(table->rows[1].answer, (Answer{Answered::win, "llama--13b"}));
  EXPECT_EQ(table->rows[2].answer, (Answer{Answered::tie, ""}));
  EXPECT_EQ(table->rows[3].answer, (Answer{Answered::both_bad, ""}));
  EXPECT_EQ(table->rows[1].extra[1].second,
            "fran\xc3\xa7"
            "ais, \"oui\"");
  EXPECT_EQ(to_text(*table, ComparisonFormat::arena), kArena);
}

TEST(ComparisonTable, goes_through_every_format_and_through_a_log_without_loss) {
  const auto table = parse_comparisons_csv(kArena, "arena.csv");
  ASSERT_TRUE(table.ok());
  for (const ComparisonFormat format : {ComparisonFormat::csv, ComparisonFormat::jsonl}) {
    const std::string text = to_text(*table, format);
    const auto again = format == ComparisonFormat::csv ? parse_comparisons_csv(text, "again")
                                                       : parse_comparisons_jsonl(text, "again");
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(again->arms, table->arms);
    EXPECT_EQ(again->rows, table->rows);
    EXPECT_EQ(to_text(*again, ComparisonFormat::arena), kArena);
  }
  const TemporaryDirectory directory;
  PlayedLog log(experiment_of(*table, "arena", 0.05, true));
  for (const ComparisonRecord& row : table->rows) log.add(row);
  write_content(directory / "log.jsonl", log.text());
  const auto exported = comparisons_of_log(directory / "log.jsonl");
  ASSERT_TRUE(exported.ok()) << exported.error().to_string();
  EXPECT_EQ(to_text(*exported, ComparisonFormat::arena), kArena);
}

TEST(ComparisonTable, an_arena_file_knows_four_winners_and_what_is_left_out_is_said) {
  const std::string text =
      "first,second,result,winner\na,b,win,b\na,b,skip,\na,b,tie,\na,b,invalid,\na,b,both_bad,\n";
  const auto table = parse_comparisons_csv(text, "votes.csv");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  ASSERT_EQ(table->rows.size(), 5U);
  EXPECT_EQ(to_text(*table, ComparisonFormat::arena),
            "model_a,model_b,winner,judge,tstamp\n"
            "a,b,model_b,,\na,b,tie,,\na,b,tie (bothbad),,\n");
  EXPECT_EQ(left_out_of(*table, ComparisonFormat::arena),
            (std::vector<std::string>{"2 comparisons skipped or invalid"}));
  EXPECT_TRUE(left_out_of(*table, ComparisonFormat::csv).empty());
}

TEST(ComparisonTable, a_score_says_how_much_where_no_winner_is_named) {
  const auto table = parse_comparisons_csv("model_a,model_b,score\na,b,0.8\nb,a,1\na,b,0.5\n", "s");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  ASSERT_EQ(table->rows.size(), 3U);
  EXPECT_EQ(table->rows[0].answer, answer_of_score(0.8, "a", "b"));
  EXPECT_EQ(table->rows[1].answer, answer_of_score(1, "b", "a"));
  EXPECT_EQ(table->rows[1].answer.winner, "b");
  EXPECT_EQ(table->rows[2].answer.result, Answered::tie);
  EXPECT_TRUE(table->rows[0].extra.empty());
  // What is written is read again, in both formats that have graded answers.
  const std::string csv = to_text(*table, ComparisonFormat::csv);
  EXPECT_NE(csv.find("made_at,score\na,b,graded,,,,,0.8\n"), std::string::npos) << csv;
  for (const ComparisonFormat format : {ComparisonFormat::csv, ComparisonFormat::jsonl}) {
    const auto again = parse_comparisons(to_text(*table, format), "again");
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(again->rows[0].answer, table->rows[0].answer);
  }
  EXPECT_EQ(left_out_of(*table, ComparisonFormat::arena),
            std::vector<std::string>{"1 graded comparison"});
  EXPECT_EQ(to_text(*table, ComparisonFormat::arena),
            "model_a,model_b,winner,judge,tstamp\nb,a,model_a,,\na,b,tie,,\n");
}

TEST(ComparisonTable, a_score_beside_a_winner_is_a_column_of_its_own) {
  const auto table =
      parse_comparisons_csv("model_a,score,model_b,winner\na,7,b,model_b\n", "votes.csv");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ(table->rows[0].answer, (Answer{Answered::win, "b"}));
  ASSERT_EQ(table->rows[0].extra.size(), 1U);
  EXPECT_EQ(table->rows[0].extra[0].first, "score");
  // Nor is it the answer where another column is called like one.
  const auto guessed = parse_comparisons_csv("first,second,score,vote\na,b,7,b\n", "votes.csv");
  ASSERT_TRUE(guessed.ok()) << guessed.error().to_string();
  EXPECT_EQ(guessed->rows[0].answer.winner, "b");
}

TEST(ComparisonTable, a_score_out_of_its_range_is_named_with_its_line) {
  for (const char* score : {"1.5", "-0.1", "nan", "high", ""}) {
    const auto table =
        parse_comparisons_csv(fmt::format("first,second,score\na,b,{}\n", score), "votes.csv");
    ASSERT_FALSE(table.ok()) << score;
    EXPECT_EQ(table.error().where, "votes.csv:2");
    EXPECT_NE(table.error().message.find("is no number from 0 to 1"), std::string::npos)
        << table.error().message;
  }
  const auto bare = parse_comparisons_csv("first,second,result\na,b,graded\n", "votes.csv");
  EXPECT_FALSE(bare.ok()) << "graded, and not how much";
}

TEST(ComparisonTable, numbers_and_objects_of_other_columns_stay_what_they_are) {
  const std::string text =
      R"({"first":"a","second":"b","result":"win","winner":"a","turn":3,"share":0.25,)"
      R"("meta":{"k":[1,"z"]},"ok":true,"none":null,"text":"3"})"
      "\n";
  const auto table = parse_comparisons_jsonl(text, "rows.jsonl");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ(to_text(*table, ComparisonFormat::jsonl), text);
  const TemporaryDirectory directory;
  PlayedLog log(experiment_of(*table, "rows", 0.05, false));
  for (const ComparisonRecord& row : table->rows) log.add(row);
  write_content(directory / "log.jsonl", log.text());
  const auto exported = comparisons_of_log(directory / "log.jsonl");
  ASSERT_TRUE(exported.ok()) << exported.error().to_string();
  EXPECT_EQ(to_text(*exported, ComparisonFormat::jsonl), text);
}

TEST(ComparisonTable, keeps_control_characters_in_names_of_columns) {
  using namespace std::string_literals;
  const std::string text = "first,second,winner,q\0\x7f\t\x1f\na,b,tie,\x7f\n"s;
  const auto table = parse_comparisons_csv(text, "odd.csv");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto again =
      parse_comparisons_jsonl(to_text(*table, ComparisonFormat::jsonl), "again.jsonl");
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(again->rows, table->rows);
}

TEST(ComparisonTable, tells_arms_that_are_called_like_columns_apart) {
  const auto table = parse_comparisons_csv(
      "first,second,result,winner\na,first,win,first\nfirst,a,win,a\n", "a.csv");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ(table->rows[0].answer.winner, "first");
  EXPECT_EQ(table->rows[1].answer.winner, "a");
  const auto riddle = parse_comparisons_csv("first,second,winner\na,first,first\n", "a.csv");
  ASSERT_FALSE(riddle.ok());
  EXPECT_NE(riddle.error().message.find("is an arm and also a column"), std::string::npos);
}

TEST(ComparisonTable, takes_arms_by_name_and_other_names_of_columns) {
  const auto table = parse_comparisons_csv(
      "observer,context,arm_a,arm_b,winner\nM01,window,x,y,y\nM02,desk,y,x,arm_a\nM02,desk,x,y,"
      "skip\n",
      "plain.csv");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ(table->rows[0].answer.winner, "y");
  EXPECT_EQ(table->rows[0].source.id, "M01");
  EXPECT_EQ(table->rows[0].extra.front(), (std::pair<std::string, Json>{"context", "window"}));
  EXPECT_EQ(table->rows[1].answer.winner, "y");
  EXPECT_EQ(table->rows[2].answer.result, Answered::skip);
}

TEST(ComparisonTable, names_file_and_line_of_what_it_cannot_take) {
  const auto error = [](const std::string& text) {
    return parse_comparisons_csv(text, "a.csv").error().to_string();
  };
  EXPECT_TRUE(error("model_a,model_b,winner\nx,y,model_a\nx,y,modl_b\n").starts_with("a.csv:3: "));
  EXPECT_NE(error("model_a,model_b,winner\nx,y,modl_b\n").find("did you mean 'model_b'"),
            std::string::npos);
  EXPECT_TRUE(error("model_a,model_b,winner\nx,x,tie\n").starts_with("a.csv:2: 'x' is compared"));
  EXPECT_TRUE(error("model_a,model_b,winner\nx,y\n").starts_with("a.csv:2: 2 fields"));
  EXPECT_TRUE(error("model_a,winner\nx,tie\n").starts_with("a.csv:1: there is no column"));
  EXPECT_TRUE(error("model_a,model_b,tstamp\n")
                  .starts_with("a.csv:1: there is no column for the winner (expected: CSV or TSV"));
  EXPECT_TRUE(
      error("model_a,model_b,winner,x,x\na,b,tie,1,2\n").starts_with("a.csv:1: two columns"));
  // A second column for one thing, under its other name.
  EXPECT_TRUE(error("model_a,model_b,winner,first\nx,y,tie,z\n")
                  .starts_with("a.csv:2: two columns for the first arm: 'model_a' and 'first'"));
  EXPECT_TRUE(error("first,second,winner,arm_b\nx,y,tie,z\n").starts_with("a.csv:2: two columns"));
  EXPECT_TRUE(error("first,second,winner,judge,voter\nx,y,tie,1,2\n")
                  .starts_with("a.csv:2: two columns for who answered"));
  EXPECT_TRUE(error("first,second,winner,tstamp,time\nx,y,tie,1,2\n")
                  .starts_with("a.csv:2: two columns for when"));
  EXPECT_NE(error("model_a,model_b,winner\n").find("no comparison"), std::string::npos);
  EXPECT_NE(error("").find("empty"), std::string::npos);
  EXPECT_TRUE(parse_comparisons_jsonl("{\"first\":\"a\"\n", "a.jsonl")
                  .error()
                  .to_string()
                  .starts_with("a.jsonl:1: "));
}

TEST(ComparisonTable, exports_the_answered_duels_of_an_experiment_and_says_what_it_leaves_out) {
  const TemporaryDirectory directory;
  PlayedLog log(experiment_of({"a", "b", "c"}));
  play(log, {.troubles = true}, 60);
  log.add(*log.next());
  write_content(directory / "log.jsonl", log.text());
  const auto table = comparisons_of_log(directory / "log.jsonl");
  ASSERT_TRUE(table.ok());
  const ShownCounts all = log.live().ledger().total();
  EXPECT_EQ(table->rows.size(), all.answered());
  EXPECT_EQ(table->left_out.front(), std::to_string(all.expired + 1) + " duels without an answer");
  const auto again = parse_comparisons_csv(to_text(*table, ComparisonFormat::csv), "again");
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(to_text(*again, ComparisonFormat::csv), to_text(*table, ComparisonFormat::csv));
}

TEST(ComparisonTable, rows_are_put_in_the_order_of_their_times_where_all_have_one) {
  const auto order_of = [](const std::string& first, const std::string& second,
                           const std::string& third) {
    auto table = parse_comparisons_csv("model_a,model_b,winner,tstamp\na,b,a," + first +
                                           "\na,b,b," + second + "\na,b,tie," + third + "\n",
                                       "table");
    EXPECT_TRUE(table.ok());
    if (!sort_by_time(*table)) return std::string("unknown");
    std::string order;
    for (const ComparisonRecord& row : table->rows) {
      order += row.answer.winner.empty() ? "t" : row.answer.winner;
    }
    return order;
  };
  EXPECT_EQ(order_of("1700000003", "1700000001", "1700000002.5"), "bta");
  EXPECT_EQ(order_of("1700000001", "1700000001", "1700000000"), "unknown");  // which came first?
  EXPECT_EQ(order_of("3", "1", "2.5"), "unknown");                           // how long they took
  EXPECT_EQ(order_of("2026-01-02 00:00", "2026-01-01T23:59:59.5", "2025-12-31 10:00:00"), "tba");
  EXPECT_EQ(order_of("2026-01-01T10:00:00Z", "2026-01-01T11:00:00+02:00", "2026-01-01T09:30:00Z"),
            "bta");
  EXPECT_EQ(order_of("1700000001", "", "1700000002"), "unknown");
  EXPECT_EQ(order_of("1700000001", "2026-01-01T10:00:00Z", "1700000002"), "unknown");
  EXPECT_EQ(order_of("2026-02-30T10:00:00Z", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
            "unknown");
}

// Sorted by winner the evidence was once beyond every threshold; 500 : 500 says nothing.
TEST(ComparisonTable, a_serving_order_settles_rows_of_one_time_and_rows_without) {
  const auto order = [](const std::string& rows) {
    auto table = parse_comparisons_csv("first,second,winner,tstamp,serving_order,n\n" + rows, "x");
    EXPECT_TRUE(table.ok());
    if (!sort_by_time(*table)) return std::string("unknown");
    std::string text;
    for (const ComparisonRecord& row : table->rows)
      text += row.extra.back().second.get<std::string>();
    return text;
  };
  const std::string noon = "2026-11-15T12:00:00Z";
  EXPECT_EQ(order("a,b,a," + noon + ",2,x\na,b,b," + noon + ",1,y\n"), "yx");
  EXPECT_EQ(order("a,b,a,,10,x\na,b,b,,9,y\n"), "yx");
  EXPECT_EQ(order("a,b,a,,1,x\na,b,b,,1,y\n"), "unknown");
  EXPECT_EQ(order("a,b,a,,1,x\na,b,b,,,y\n"), "unknown");
  EXPECT_EQ(order("a,b,a,,1,x\na,b,b,,soon,y\n"), "unknown");
}

TEST(ComparisonTable, interleaved_arms_have_no_places) {
  const auto placement = [](const std::string& rows) {
    const auto table = parse_comparisons_csv("first,second,winner,presentation\n" + rows, "x");
    EXPECT_TRUE(table.ok());
    return experiment_of(*table, "x", 0.05, true).order;
  };
  EXPECT_EQ(placement("a,b,a,interleaved\nb,a,b,interleaved\n"), Placement::fixed);
  EXPECT_EQ(placement("a,b,a,interleaved\na,b,b,side_by_side\n"), Placement::random);
}

// An order of m arms is all of its pairs, a choice those of the chosen arm.
TEST(ComparisonTable, answers_about_several_arms_are_their_pairs) {
  const auto pairs = [](const ComparisonTable& table) {
    std::string text;
    for (const ComparisonRecord& row : table.rows) {
      EXPECT_EQ(row.answer.winner, row.first);
      text += row.first + row.second + " ";
    }
    return text;
  };
  const ComparisonTable ordered =
      parse_comparisons("judge,order\nann,b > a > c\nben,c>b\n", "orders.csv").value();
  EXPECT_EQ(pairs(ordered), "ba bc ac cb ");
  EXPECT_EQ(ordered.rows[0].source.id, "ann");
  EXPECT_TRUE(ordered.interleaved);
  EXPECT_TRUE(experiment_of(ordered, "e", 0.05, true).stopping.shared_causes);
  EXPECT_NE(notes_of(ordered).at(0).find("4 comparisons"), std::string::npos);

  const ComparisonTable chosen =
      parse_comparisons("chosen;among\nc;a|b|c\n", "choices.csv").value();
  EXPECT_EQ(pairs(chosen), "ca cb ");
  EXPECT_EQ(pairs(parse_comparisons(R"({"order":["b","a"]})", "orders.jsonl").value()), "ba ");
  EXPECT_EQ(pairs(parse_comparisons(R"([{"chosen":"a","among":["b","a"]}])", "c.json").value()),
            "ab ");
  // What was written from it is read again as pairs.
  const ComparisonTable again =
      parse_comparisons(to_text(ordered, ComparisonFormat::csv), "again.csv").value();
  EXPECT_EQ(pairs(again), "ba bc ac cb ");
  EXPECT_FALSE(again.several_at_once);
  EXPECT_TRUE(again.interleaved);  // the better arm comes first there: that was no place
  // A number in a column of that name is something else.
  EXPECT_EQ(parse_comparisons("left,right,choice,order\na,b,left,1\nb,a,left,2\n", "x.csv")
                .value()
                .rows.size(),
            2U);

  const auto wrong = [](const char* text) {
    return parse_comparisons(text, "x.csv").error().to_string();
  };
  EXPECT_NE(wrong("order\nb>a\na\n").find("x.csv:3: fewer than two arms"), std::string::npos);
  EXPECT_NE(wrong("order\na>\n").find("x.csv:2: an arm has no name"), std::string::npos);
  EXPECT_NE(wrong("order\na>b>a\n").find("'a' stands there twice"), std::string::npos);
  EXPECT_NE(wrong("chosen,among\na,\"a,b,c\"\n").find("a choice is among a;b;c"),
            std::string::npos);
  EXPECT_NE(wrong("chosen,among\nd,a;b\n").find("'d' is not among those shown"), std::string::npos);
}

TEST(ComparisonTable, rows_of_unknown_order_are_looked_at_once) {
  std::string text = "model_a,model_b,winner\n";
  for (int k = 0; k < 500; ++k) text += "a,b,model_a\n";
  for (int k = 0; k < 500; ++k) text += "a,b,model_b\n";
  const auto certified = [](const std::string& csv) {
    auto table = parse_comparisons_csv(csv, "table");
    EXPECT_TRUE(table.ok());
    const bool in_order = sort_by_time(*table);
    EXPECT_FALSE(in_order);
    Ledger ledger = std::move(Ledger::make(experiment_of(*table, "e", 0.05, in_order))).value();
    std::uint64_t sequence = 1;
    for (const ComparisonRecord& row : table->rows) {
      EXPECT_TRUE(ledger.apply({++sequence, 0, row, ""}).ok());
    }
    return ledger.certificate().has_value();
  };
  EXPECT_FALSE(certified(text));
  for (int k = 0; k < 200; ++k) text += "a,b,model_a\n";
  EXPECT_TRUE(certified(text));
}

// Tone mapping of video: seven operators, 1213 duels of 18 observers.
TEST(ComparisonTable, reads_a_published_log_of_duels) {
  const std::string file = shared_dir() + "/data/image_quality/tmo_7.duels.csv";
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "NOT CHECKED: the shared data file tmo_7.duels.csv is absent";
  }
  const auto table = read_comparisons(file);
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ(table->rows.size(), 1213U);
  EXPECT_EQ(table->arms.size(), 7U);
}

TEST(ComparisonTable, knows_the_format_by_the_content) {
  const auto read = [](const std::string& text) {
    const auto table = parse_comparisons(text, "votes");
    return table.ok() ? to_text(*table, ComparisonFormat::arena) : table.error().to_string();
  };
  const std::string csv = "model_a,model_b,winner,judge,tstamp\nx,\"y, z\",model_b,me,17\n";
  EXPECT_EQ(read(csv), csv);
  EXPECT_EQ(read("\xef\xbb\xbf" + csv), csv);
  EXPECT_EQ(read("model_a\tmodel_b\twinner\tjudge\ttstamp\nx\ty, z\tmodel_b\tme\t17\n"), csv);
  EXPECT_EQ(read("model_a;model_b;winner;judge;tstamp\r\nx;y, z;model_b;me;17\r\n"), csv);
  const std::string row =
      R"({"model_a":"x","model_b":"y, z","winner":"model_b","judge":"me","tstamp":17})";
  EXPECT_EQ(read(row + "\n"), csv);
  EXPECT_EQ(read("[\n  " + row + "\n]\n"), csv);
  EXPECT_EQ(read("[" + row + "]"), csv);
  EXPECT_TRUE(read("[" + row + ", {\"model_a\":\"x\"}]").starts_with("votes: item 2: there is no"));
  EXPECT_TRUE(read("[" + row).starts_with("votes: this is not a JSON array (expected: "));
  EXPECT_TRUE(
      read("hello\n").starts_with("votes:1: there is no column for the first arm (expected"))
      << read("hello\n");
  EXPECT_TRUE(read(" \n").starts_with("votes: the file is empty (expected: "));
}

TEST(ComparisonTable, people_see_the_names_of_the_file) {
  const auto table = parse_comparisons_csv(
      "model_a,model_b,winner\n"
      "\xd0\x9c\xd0\xbe\xd0\xb4\xd0\xb5\xd0\xbb\xd1\x8c,a b,model_a\n"
      "a-b,a b,model_a\nbell\a\xc2\x9b,plain,model_b\n",
      "x");
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  const auto ledger = Ledger::make(experiment_of(*table, "x", 0.05, true));
  ASSERT_TRUE(ledger.ok());
  EXPECT_EQ(ledger->name_of(0), "\xd0\x9c\xd0\xbe\xd0\xb4\xd0\xb5\xd0\xbb\xd1\x8c");
  EXPECT_EQ(ledger->name_of(1), "a b");
  EXPECT_EQ(ledger->id_of(2), "a-b-2");
  EXPECT_EQ(ledger->name_of(2), "a-b");
  EXPECT_EQ(ledger->name_of(3), "bell??");  // no controls on a terminal
  EXPECT_EQ(ledger->name_of(4), "plain");
}

TEST(ComparisonTable, a_payload_is_a_name_only_where_the_id_was_made_from_it) {
  EXPECT_EQ(original_name({"gpt-4", "gpt", "", {}}), "gpt");  // as a second `gpt` would be numbered
  EXPECT_EQ(original_name({"gpt-4o", "gpt", "", {}}), "gpt-4o");
  EXPECT_EQ(original_name({"a-b", "a b", std::string(64, '0'), {}}), "a-b");
  EXPECT_EQ(original_name({"a", "folder/a.txt", "", {}}), "a");
  // Arms of one name are shown by their ids.
  ExperimentRecord three = experiment_of({"gpt-4", "gpt-5", "gpt-6"}, "uniform");
  for (ArmEntry& arm : three.arms) arm.payload = "gpt";
  const auto ledger = Ledger::make(three);
  ASSERT_TRUE(ledger.ok()) << ledger.error().to_string();
  EXPECT_EQ(ledger->name_of(0), "gpt-4");
  EXPECT_EQ(ledger->name_of(1), "gpt-5");
  EXPECT_EQ(ledger->name_of(2), "gpt-6");
}

TEST(Board, names_the_rivals_that_are_not_ruled_out_rather_than_a_false_order) {
  PlayedLog even(experiment_of({"a", "b", "c"}, "uniform"));
  play(even, {.gap = 0}, 90);
  const Board board = board_of(even.live().ledger());
  EXPECT_GE(board.not_ruled_out.size(), 1U);
  const auto& open = board.not_ruled_out;
  EXPECT_EQ(std::count(open.begin(), open.end(), *board.standing.leader), 0);
  EXPECT_FALSE(board.standing.too_little);
  EXPECT_TRUE(board.strengths);
  double sum = board.standing.places.probability_no_winner;
  for (const BoardArm& arm : board.arms) sum += arm.probability_best;
  EXPECT_NEAR(sum, 1, 1e-9);

  PlayedLog young(experiment_of({"a", "b", "c"}, "uniform"));
  play(young, {.gap = 0.3}, 6);
  EXPECT_TRUE(board_of(young.live().ledger()).standing.too_little);
  const PlayedLog newborn(experiment_of({"a", "b"}));
  EXPECT_TRUE(board_of(newborn.live().ledger()).standing.too_little);
}

TEST(Board, intervals_use_the_order_of_serving_and_tie_model_fits_the_answers) {
  PlayedLog log(experiment_of({"a", "b"}, "uniform"));
  const ServeRecord one = *log.next();
  log.add(one);
  const ServeRecord two = *log.next();
  log.add(two);
  log.add(OutcomeRecord{two.duel_id, {Answered::win, "a"}, {}, {}, {}, ""});
  Board board = board_of(log.live().ledger());
  EXPECT_EQ(board.pairs.front().counts.decisive(), 1U);
  EXPECT_EQ(board.pairs.front().interval, Interval{});
  EXPECT_EQ(board.tie_model, TieModel::halves);
  log.add(OutcomeRecord{one.duel_id, {Answered::tie, ""}, {}, {}, {}, ""});
  board = board_of(log.live().ledger());
  EXPECT_EQ(board.tie_model, TieModel::davidson);
  EXPECT_NE(board.pairs.front().interval, Interval{});
}

}  // namespace
}  // namespace duel
