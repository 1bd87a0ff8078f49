#include "duel/judging/judge_command.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

using Words = std::vector<std::string>;

Question question() {
  Question q;
  q.duel_id = "d1";
  q.first = {.arm_id = "a", .path = "dir with blank/a.txt", .payload = "one\ntwo"};
  q.second = {.arm_id = "b", .path = "", .payload = "b"};
  q.task = Json::parse(R"({"prompt":"say 'hi'","n":3})");
  return q;
}

Words filled(const std::string& text) {
  return JudgeCommand::parse(text, true, true).value().words_for(question()).value();
}

TEST(JudgeCommand, splits_words_as_a_shell_does) {
  EXPECT_EQ(split_words("a b\t c\n").value(), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words(R"(sh -c 'echo "$1"' x)").value(), (Words{"sh", "-c", "echo \"$1\"", "x"}));
  EXPECT_EQ(split_words(R"(a"b c"'d e'f)").value(), (Words{"ab cd ef"}));
  EXPECT_EQ(split_words(R"("\"\\\$\`\n")").value(), (Words{R"("\$`\n)"}));
  EXPECT_EQ(split_words(R"(a\ b \'c)").value(), (Words{"a b", "'c"}));
  EXPECT_EQ(split_words("'' x").value(), (Words{"", "x"}));
  EXPECT_EQ(split_words("").value(), Words{});
  EXPECT_EQ(split_words("a 'b").error().message, "a quote ' is not closed");
  EXPECT_EQ(split_words("a \"b").error().message, "a quote \" is not closed");
  EXPECT_FALSE(split_words("a\\").ok());
}

TEST(JudgeCommand, fills_places_without_splitting_them) {
  EXPECT_EQ(filled("j {first} {second}"), (Words{"j", "dir with blank/a.txt", "b"}));
  EXPECT_EQ(filled("j --a={first.id} {second.id} {duel_id}"), (Words{"j", "--a=a", "b", "d1"}));
  EXPECT_EQ(filled("j {first.payload} {second.payload}"), (Words{"j", "one\ntwo", "b"}));
  EXPECT_EQ(filled("j {first} {task.prompt} {task.n}"),
            (Words{"j", "dir with blank/a.txt", "say 'hi'", "3"}));
  EXPECT_EQ(filled("j {first} {task}").back(), R"({"prompt":"say 'hi'","n":3})");
}

TEST(JudgeCommand, leaves_braces_alone_that_hold_no_name) {
  EXPECT_EQ(filled(R"(awk '{print $1}' {first})"),
            (Words{"awk", "{print $1}", "dir with blank/a.txt"}));
  EXPECT_EQ(filled(R"(j '{"x":{first.id}}')"), (Words{"j", R"({"x":a})"}));
  EXPECT_EQ(filled("j {first} { {} }"), (Words{"j", "dir with blank/a.txt", "{", "{}", "}"}));
}

TEST(JudgeCommand, adds_the_arms_and_the_task_where_no_place_is_named) {
  EXPECT_EQ(filled("./judge.sh -v"), (Words{"./judge.sh", "-v", "dir with blank/a.txt", "b",
                                            R"({"prompt":"say 'hi'","n":3})"}));
  const auto stays = JudgeCommand::parse("./judge.py", true, false).value();
  EXPECT_EQ(stays.words_for(question()).value(), (Words{"./judge.py"}));
}

TEST(JudgeCommand, says_which_place_is_unknown) {
  EXPECT_EQ(JudgeCommand::parse("j {frist} {second}", false, true).error().to_string(),
            "unknown place '{frist}' (did you mean 'first'? known: first, second, first.id, "
            "second.id, first.payload, second.payload, task, duel_id)");
  EXPECT_EQ(JudgeCommand::parse("j {first} {task}", false, true).error().to_string(),
            "'{task}' without tasks (add `tasks`)");
  EXPECT_EQ(JudgeCommand::parse("  ", false, true).error().message, "it names no program");
}

// An arm that says `$(..)` must not become a command.
TEST(JudgeCommand, refuses_a_place_inside_code_and_takes_it_as_an_argument) {
  for (const char* text :
       {"sh -c 'x {first} {second}'", "bash -ec \"x '{first.payload}'\"", "/bin/dash -c {task}",
        "env A=1 nice sh -o pipefail -c 'x {task.id}'", "python3.11 -c 'print(\"{second}\")'",
        "python3 -I -c 'f({task.prompt})'", "perl -ne 'x {first}' y", "perl -e'x {first}'",
        "node --eval 'x({first.payload})'", "sh -c", "bash -l -c 'x {first.id} {first}'"}) {
    const auto parsed = JudgeCommand::parse(text, true, true);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find("could run commands"), std::string::npos) << text;
    EXPECT_NE(parsed.error().hint.find("as an argument"), std::string::npos) << text;
  }
  EXPECT_EQ(filled("sh -c 'x \"$1\" \"$2\"' sh {first} {second}"),
            (Words{"sh", "-c", "x \"$1\" \"$2\"", "sh", "dir with blank/a.txt", "b"}));
  EXPECT_EQ(filled("sh -c 'x {first.id} {second.id} {duel_id}'").at(2), "x a b d1");
  for (const char* text :
       {"bash judge.sh -c {first}", "python3 judge.py -c {first}", "j -c {first}",
        "python3 -c 'import sys' {first}", "git -c a={first.payload} x"}) {
    EXPECT_TRUE(JudgeCommand::parse(text, true, true).ok()) << text;
  }
}

TEST(JudgeCommand, refuses_what_a_question_does_not_have) {
  const auto field = JudgeCommand::parse("j {first} {task.promt}", true, true).value();
  EXPECT_EQ(field.words_for(question()).error().message,
            R"(a task has no field "promt": '{"prompt":"say 'hi'","n":3}')");
  Question binary = question();
  binary.first.payload.reset();
  const auto payload = JudgeCommand::parse("j {first.payload}", true, true).value();
  EXPECT_EQ(payload.words_for(binary).error().code, ErrorCode::invalid_data);
  Question large = question();
  large.first.payload = std::string(200'000, 'x');
  EXPECT_EQ(payload.words_for(large).error().where, "duel d1");
}

TEST(JudgeCommand, as_it_is_written_is_the_same_with_and_without_tasks) {
  const auto command = [](const char* text, bool has_tasks) {
    return JudgeCommand::parse(text, has_tasks, true).value();
  };
  EXPECT_NE(command("./judge", true).entry().sha256, command("./judge", false).entry().sha256);
  EXPECT_EQ(command("./judge", true).entry_as_written().sha256,
            command("./judge", false).entry_as_written().sha256);
  EXPECT_NE(command("./judge -v", true).entry_as_written().sha256,
            command("./judge", true).entry_as_written().sha256);
  // Nothing is added where an arm is named.
  EXPECT_EQ(command("./judge {first}", true).entry_as_written().sha256,
            command("./judge {first}", true).entry().sha256);
}

}  // namespace
}  // namespace duel
