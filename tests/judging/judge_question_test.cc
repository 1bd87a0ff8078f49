#include "duel/judging/judge_question.h"

#include <gtest/gtest.h>

#include "duel/judging/printable.h"

namespace duel {
namespace {

Question question() {
  Question q;
  q.duel_id = "d7";
  q.first = {.arm_id = "short", .path = "p/short.txt", .payload = "Be \"brief\".\n"};
  q.second = {.arm_id = "long", .path = "", .payload = "long"};
  return q;
}

TEST(JudgeQuestion, is_one_line_of_json) {
  Question q = question();
  EXPECT_EQ(question_line(q),
            R"({"duel_id":"d7","first":{"arm_id":"short","path":"p/short.txt",)"
            R"("payload":"Be \"brief\".\n"},"second":{"arm_id":"long","payload":"long"}})");
  q.task = Json::parse(R"({"b":1,"a":[2]})");
  EXPECT_TRUE(question_line(q).ends_with(R"("task":{"b":1,"a":[2]}})"));
}

TEST(JudgeQuestion, takes_words_numbers_and_ids_for_answers) {
  const Question q = question();
  const auto answer = [&](std::string_view text) {
    return answer_in_words(text, q).value().side();
  };
  EXPECT_EQ(answer("first"), Outcome::first_wins);
  EXPECT_EQ(answer(" SECOND \r"), Outcome::second_wins);
  EXPECT_EQ(answer("1"), Outcome::first_wins);
  EXPECT_EQ(answer("2"), Outcome::second_wins);
  EXPECT_EQ(answer("Tie"), Outcome::tie);
  EXPECT_EQ(answer("both_bad"), Outcome::both_bad);
  EXPECT_EQ(answer("skip"), Outcome::skip);
  EXPECT_EQ(answer("short"), Outcome::first_wins);
  EXPECT_EQ(answer("long"), Outcome::second_wins);
}

TEST(JudgeQuestion, names_what_makes_no_sense_and_what_is_allowed) {
  const Question q = question();
  EXPECT_EQ(
      answer_in_words("frist", q).error().to_string(),
      "it answered 'frist' (did you mean 'first'? allowed: first, second, 1, 2, tie, both_bad, "
      "skip, short, long, score 0.8)");
  EXPECT_EQ(answer_in_words("", q).error().message, "it answered nothing");
  EXPECT_EQ(answer_in_words("Short", q).ok(), false);  // ids are exact
  EXPECT_EQ(answer_in_words("3", q).ok(), false);
}

TEST(JudgeQuestion, takes_scores_of_the_first_arm) {
  const Question q = question();
  EXPECT_EQ(answer_in_words("score 0.8", q)->score, 0.8);
  EXPECT_EQ(answer_in_words("Score: 0.25", q)->score, 0.25);
  EXPECT_EQ(answer_in_words(R"({"score":1})", q)->score, 1.0);
  EXPECT_EQ(answer_in_json(R"({"duel_id":"d7","score":0.5})", q)->score, 0.5);
  for (const char* wrong : {"score", "score 1.2", "score -0.1", "score nan", "score x", "0.8"}) {
    EXPECT_FALSE(answer_in_words(wrong, q).ok()) << wrong;
  }
  EXPECT_FALSE(answer_in_json(R"({"duel_id":"d7","score":"0.5"})", q).ok());
}

TEST(JudgeQuestion, keeps_what_is_said_beside_an_answer) {
  const Question q = question();
  const Said said =
      answer_in_json(R"({"duel_id":"d7","result":"tie","cost":0.5,"tokens":7,"reason":"both fit"})",
                     q)
          .value();
  EXPECT_EQ(said.cost, 0.5);
  EXPECT_EQ(said.tokens, 7U);
  EXPECT_EQ(said.reason, "both fit");
  Said words(Outcome::tie);
  read_remarks("tie\nlog line\n{\"price\":2,\"tokens\":-3,\"reason\":4}\n", words);
  EXPECT_EQ(words.cost, 2);
  EXPECT_EQ(words.tokens, 0U);  // what makes no sense is passed over
  EXPECT_EQ(words.reason, "");
  read_remarks("{\"cost\":9}", words);  // the answer's own line
  EXPECT_EQ(words.cost, 2);
}

TEST(JudgeQuestion, takes_json_answers) {
  const Question q = question();
  const auto answer = [&](std::string_view text) { return answer_in_json(text, q); };
  EXPECT_EQ(answer(R"({"duel_id":"d7","result":"win","winner":"short"})")->side(),
            Outcome::first_wins);
  EXPECT_EQ(answer(R"({"duel_id":"d7","result":"win","winner":"second","why":"x"})")->side(),
            Outcome::second_wins);
  EXPECT_EQ(answer(R"({"result":"tie","duel_id":"d7"})")->side(), Outcome::tie);
  EXPECT_EQ(answer(R"({"result":"both_bad","duel_id":"d7"})")->side(), Outcome::both_bad);
  EXPECT_EQ(answer(R"({"result":"skip","duel_id":"d7"})")->side(), Outcome::skip);
  const auto complaint = [&](std::string_view text) { return answer(text).error().to_string(); };
  EXPECT_EQ(complaint("ready"),
            R"(it answered 'ready' (one JSON object on a line: {"duel_id":..,"result":"win",)"
            R"("winner":..}))");
  EXPECT_EQ(
      complaint(R"({"duel_id":"d6","result":"tie"})"),
      "it answered duel 'd6', but was asked d7 (one answer for each question, in their order)");
  EXPECT_EQ(complaint(R"({"duel_id":"d7"})"),
            R"(the field "result" is missing in its answer '{"duel_id":"d7"}')");
  EXPECT_EQ(complaint(R"({"duel_id":"d7","result":1})"),
            R"(the field "result" of its answer is '1', not a text)");
  EXPECT_EQ(
      complaint(R"({"duel_id":"d7","result":"won"})"),
      "the result of its answer is 'won' (did you mean 'win'? known: win, tie, both_bad, skip)");
  EXPECT_EQ(complaint(R"({"duel_id":"d7","result":"win","winner":"third"})"),
            "the winner of its answer is 'third' (allowed: short, long, first, second)");
  EXPECT_FALSE(answer(R"({"duel_id":"d7","result":"win"})").ok());
}

TEST(JudgeQuestion, takes_only_exit_codes_that_no_failure_gives) {
  for (const int code : {0, 1, 2, 10, 16, 126, 127, 137, 139}) {
    EXPECT_FALSE(answer_in_exit_code(code).has_value()) << code;
  }
  EXPECT_EQ(answer_in_exit_code(11), Outcome::first_wins);
  EXPECT_EQ(answer_in_exit_code(12), Outcome::second_wins);
  EXPECT_EQ(answer_in_exit_code(13), Outcome::tie);
  EXPECT_EQ(answer_in_exit_code(14), Outcome::both_bad);
  EXPECT_EQ(answer_in_exit_code(15), Outcome::skip);
}

TEST(Printable, tells_text_from_bytes) {
  EXPECT_TRUE(is_text(""));
  EXPECT_TRUE(is_text("plain\n"));
  EXPECT_TRUE(is_text("é € 𝄞"));
  EXPECT_FALSE(is_text(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_text("\xc0\xaf"));          // '/' in two bytes
  EXPECT_FALSE(is_text("\xed\xa0\x80"));      // half of a pair
  EXPECT_FALSE(is_text("\xf4\x90\x80\x80"));  // beyond Unicode
  EXPECT_FALSE(is_text("\xe2\x82"));          // cut
  EXPECT_FALSE(is_text("\xff"));
}

TEST(Printable, cuts_between_characters_and_hides_what_cannot_be_printed) {
  EXPECT_EQ(excerpt("short"), "'short'");
  EXPECT_EQ(excerpt("a\tb\x01"), "'a?b?'");
  EXPECT_EQ(excerpt("aéb", 2), "'a…'");
  EXPECT_EQ(excerpt("aéb", 3), "'a…'");  // the last byte may begin a longer character
  EXPECT_EQ(excerpt("abc", 2), "'ab…'");
  EXPECT_EQ(excerpt("x\xff"), "'x?'");
}

}  // namespace
}  // namespace duel
