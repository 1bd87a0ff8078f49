// Judges that behave and judges that do not: hang, crash, answer nonsense, print megabytes, close
// their input, ignore SIGTERM, leave children behind.
#include "duel/judging/judge_pool.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <set>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

// For whom the answer is; `none` where there is no answer.
Outcome side_of(const Judged& judged) { return judged.outcome.value_or(Outcome::none).side(); }

using namespace std::chrono_literals;

class JudgePools : public ::testing::Test {
 protected:
  JudgePools() { ::signal(SIGPIPE, SIG_IGN); }

  std::string script(const std::string& name, const std::string& body) {
    const auto file = directory_ / name;
    write_content(file, "#!/bin/sh\n" + body);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

  static Question question(int number) {
    Question q;
    q.duel_id = "d" + std::to_string(number);
    q.first = {.arm_id = "a", .path = "", .payload = "a"};
    q.second = {.arm_id = "b", .path = "", .payload = "b"};
    return q;
  }

  static JudgePool pool_of(const std::string& command, JudgeOptions options) {
    return {JudgeCommand::parse(command, false, options.protocol == JudgeProtocol::call).value(),
            options};
  }

  static std::vector<Judged> all(JudgePool& pool, std::size_t count = 1) {
    std::vector<Judged> done;
    while (done.size() < count) {
      std::vector<Judged> judged = pool.wait(1s);
      done.insert(done.end(), judged.begin(), judged.end());
    }
    return done;
  }

  static Judged one(JudgePool& pool) {
    pool.ask(question(1));
    return all(pool).at(0);
  }

  static std::set<std::string> open_descriptors() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  TemporaryDirectory directory_;
  JudgeOptions quick_{.protocol = JudgeProtocol::call,
                      .parallel = 1,
                      .timeout_seconds = 20,
                      .retries = 0,
                      .retry_seconds = 0.001};
};

TEST_F(JudgePools, takes_the_first_line_of_a_call) {
  JudgePool pool = pool_of(script("j", "echo b; echo first\n"), quick_);
  const Judged judged = one(pool);
  EXPECT_EQ(side_of(judged), Outcome::second_wins);
  EXPECT_EQ(judged.failed_tries, 0);
  EXPECT_EQ(judged.failure, "");
  EXPECT_GT(judged.response_ms, 0);
  EXPECT_EQ(pool.troubles().total(), 0);
}

TEST_F(JudgePools, gives_a_call_its_arguments_and_the_question_on_standard_input) {
  JudgePool pool =
      pool_of(script("j", R"(read line; [ "$1 $2" = "a b" ] && case "$line" in *d1*) echo 2;; esac)"
                          "\n"),
              quick_);
  EXPECT_EQ(side_of(one(pool)), Outcome::second_wins);
}

TEST_F(JudgePools, takes_an_exit_code_that_means_an_answer) {
  JudgePool pool = pool_of(script("j", "echo whatever; exit 13\n"), quick_);
  EXPECT_EQ(side_of(one(pool)), Outcome::tie);
}

TEST_F(JudgePools, never_takes_a_failure_for_an_answer) {
  JudgePool pool = pool_of(script("j", "echo first; echo no key >&2; exit 1\n"), quick_);
  const Judged judged = one(pool);
  EXPECT_FALSE(judged.outcome.has_value());
  EXPECT_EQ(judged.failure, "it gave no answer: exit code 1; standard error ends with 'no key'");
  EXPECT_EQ(pool.troubles().crashes, 1);
  JudgePool crash = pool_of(script("k", "kill -SEGV $$\n"), quick_);
  EXPECT_TRUE(one(crash).failure.starts_with("it gave no answer: ended by signal 11"));
}

TEST_F(JudgePools, asks_again_after_nonsense_and_after_a_crash) {
  quick_.retries = 3;
  const std::string count = (directory_ / "count").string();
  JudgePool pool = pool_of(
      script("j", "echo x >> " + count + "; n=$(wc -l < " + count +
                      ")\n[ $n = 1 ] && exit 1\n[ $n = 2 ] && { echo dunno; exit 0; }\necho tie\n"),
      quick_);
  const Judged judged = one(pool);
  EXPECT_EQ(side_of(judged), Outcome::tie);
  EXPECT_EQ(judged.failed_tries, 2);
  EXPECT_TRUE(judged.failure.starts_with("it answered 'dunno'"));
  EXPECT_EQ(pool.troubles().crashes, 1);
  EXPECT_EQ(pool.troubles().senseless, 1);
}

// Busy twice, then a failure, then busy once more, then an answer.
TEST_F(JudgePools, asks_a_busy_judge_again_without_counting_a_try) {
  quick_.retries = 1;
  const std::string count = (directory_ / "count").string();
  JudgePool pool =
      pool_of(script("j", "echo x >> " + count + "; n=$(wc -l < " + count +
                              ")\ncase $n in 1|2|4) exit 75;; 3) exit 1;; esac\necho first\n"),
              quick_);
  const Judged judged = one(pool);
  EXPECT_EQ(side_of(judged), Outcome::first_wins);
  EXPECT_EQ(judged.failed_tries, 1);
  EXPECT_EQ(pool.troubles().total(), 1);
  EXPECT_EQ(pool.times_busy(), 3);
  EXPECT_FALSE(pool.stayed_busy());
  EXPECT_EQ(pool.busy_now(), "");
}

TEST_F(JudgePools, rests_longer_before_each_try_of_a_busy_judge) {
  quick_.retry_seconds = 0.05;
  const std::string count = (directory_ / "count").string();
  JudgePool pool = pool_of(script("j", "echo x >> " + count + "; [ $(wc -l < " + count +
                                           ") -gt 3 ] && exit 12\nexit 75\n"),
                           quick_);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(side_of(one(pool)), Outcome::second_wins);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 350ms);  // 50 + 100 + 200 ms of rest
}

TEST_F(JudgePools, ends_when_a_judge_stays_busy_and_says_so_while_it_is) {
  quick_.busy_seconds = 0.3;
  quick_.retry_seconds = 0.02;
  JudgePool pool = pool_of(script("j", "echo first; exit 75\n"), quick_);
  pool.ask(question(1));
  std::vector<Judged> done;
  bool was_said = false;
  while (done.empty()) {
    done = pool.wait(10ms);
    was_said = was_said || pool.busy_now().starts_with("the judge is busy: 1 duel waits");
  }
  EXPECT_TRUE(was_said);
  EXPECT_FALSE(done[0].outcome);
  EXPECT_EQ(done[0].failed_tries, 0);
  EXPECT_EQ(done[0].failure, "the judge stayed busy for 0.3 s");
  ASSERT_TRUE(done[0].ends);
  EXPECT_TRUE(pool.stayed_busy());
  EXPECT_EQ(pool.troubles().total(), 0);
}

TEST_F(JudgePools, hears_that_a_judge_that_stays_is_busy_and_keeps_it) {
  quick_.protocol = JudgeProtocol::jsonl;
  const std::string starts = (directory_ / "starts").string();
  JudgePool pool =
      pool_of(script("j", "echo x >> " + starts +
                              "\nread q; echo '{\"duel_id\":\"d1\",\"result\":\"busy\"}'\n"
                              "read q; echo '{\"duel_id\":\"d1\",\"result\":\"tie\"}'\nread q\n"),
              quick_);
  EXPECT_EQ(side_of(one(pool)), Outcome::tie);
  EXPECT_EQ(pool.times_busy(), 1);
  EXPECT_EQ(content_of(starts), "x\n");
}

TEST_F(JudgePools, says_whether_the_last_answer_made_no_sense) {
  JudgePool nonsense = pool_of(script("j", "echo dunno\n"), quick_);
  EXPECT_TRUE(one(nonsense).made_no_sense);
  JudgePool silent = pool_of(script("k", "exit 3\n"), quick_);
  EXPECT_FALSE(one(silent).made_no_sense);
}

TEST_F(JudgePools, rests_longer_before_each_try) {
  quick_.retries = 3;
  quick_.retry_seconds = 0.05;
  JudgePool pool = pool_of(script("j", "exit 1\n"), quick_);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(one(pool).failed_tries, 4);
  // 50 + 100 + 200 ms of rest; it can only take longer.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 350ms);
}

TEST_F(JudgePools, ends_one_that_hangs_with_everything_it_started) {
  quick_.timeout_seconds = 0.2;
  const std::string pids = (directory_ / "pids").string();
  // The child ignores SIGTERM, the grandchild too.
  JudgePool pool = pool_of(script("j", "trap '' TERM\nsh -c 'trap \"\" TERM; echo $$ >> " + pids +
                                           "; while :; do sleep 1; done' &\necho $$ >> " + pids +
                                           "\nwhile :; do sleep 1; done\n"),
                           quick_);
  const Judged judged = one(pool);
  EXPECT_FALSE(judged.outcome.has_value());
  EXPECT_EQ(judged.failure, "no answer within 0.2 s");
  EXPECT_EQ(pool.troubles().timeouts, 1);
  std::ifstream file(pids);
  int left = 0;
  for (pid_t pid = 0; file >> pid;) {
    // A killed orphan may be a zombie of the machine's init for a moment.
    for (int tries = 0; tries < 200 && ::kill(pid, 0) == 0; ++tries) {
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string number;
      std::string name;
      std::string state;
      stat >> number >> name >> state;
      if (state == "Z") break;
      std::this_thread::sleep_for(5ms);
      if (tries == 199) ++left;
    }
  }
  EXPECT_EQ(left, 0);
}

TEST_F(JudgePools, does_not_wait_for_a_child_that_holds_the_pipe) {
  JudgePool pool = pool_of(script("j", "sleep 60 &\necho first\n"), quick_);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(side_of(one(pool)), Outcome::first_wins);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 50s);
}

TEST_F(JudgePools, takes_an_answer_before_megabytes_and_refuses_one_of_megabytes) {
  JudgePool pool =
      pool_of(script("j", "echo second; head -c 8000000 /dev/zero | tr '\\0' x\n"), quick_);
  EXPECT_EQ(side_of(one(pool)), Outcome::second_wins);
  JudgePool line = pool_of(script("k", "head -c 8000000 /dev/zero | tr '\\0' x; echo\n"), quick_);
  EXPECT_EQ(one(line).failure, "its answer is longer than 1048576 bytes");
  JudgePool complaints = pool_of(
      script("l",
             "head -c 8000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo the end >&2; exit 1\n"),
      quick_);
  EXPECT_TRUE(one(complaints).failure.ends_with("the end'"));
}

TEST_F(JudgePools, minds_no_closed_input_and_no_large_question) {
  JudgePool closed = pool_of(script("j", "exec <&-\nsleep 0.05; echo tie\n"), quick_);
  Question large = question(1);
  large.first.payload = std::string(3'000'000, 'x');
  // The words come from the id here: the payload would not fit a command line.
  JudgePool pool(JudgeCommand::parse(
                     script("k", "exec <&-\nsleep 0.05; echo tie\n") + " {first.id}", false, true)
                     .value(),
                 quick_);
  pool.ask(large);
  EXPECT_EQ(side_of(all(pool).at(0)), Outcome::tie);
  EXPECT_EQ(side_of(one(closed)), Outcome::tie);
  JudgePool reads(
      JudgeCommand::parse(script("l", "[ $(wc -c) -gt 3000000 ] && echo 2\n") + " {first.id}",
                          false, true)
          .value(),
      quick_);
  reads.ask(large);
  EXPECT_EQ(side_of(all(reads).at(0)), Outcome::second_wins);
}

TEST_F(JudgePools, says_at_once_what_cannot_be_started) {
  JudgePool missing = pool_of((directory_ / "nowhere").string(), quick_);
  missing.ask(question(1));
  EXPECT_EQ(missing.free(), 0);  // until it was told
  EXPECT_EQ(missing.wait(1s).at(0).ends->message, "there is no such program");
  EXPECT_EQ(missing.free(), 1);
  write_content(directory_ / "plain", "echo first\n");
  JudgePool plain = pool_of((directory_ / "plain").string(), quick_);
  EXPECT_EQ(one(plain).ends->message, "it may not be run");
}

constexpr const char* kEcho =
    "while read -r line; do\n"
    "  id=${line#*'\"duel_id\":\"'}; id=${id%%'\"'*}\n"
    "  printf '{\"duel_id\":\"%s\",\"result\":\"win\",\"winner\":\"b\"}\\n' \"$id\"\n"
    "done\n";

TEST_F(JudgePools, speaks_with_programs_that_stay) {
  quick_.protocol = JudgeProtocol::jsonl;
  quick_.parallel = 2;
  const std::string starts = (directory_ / "starts").string();
  JudgePool pool = pool_of(script("j", "echo x >> " + starts + "\n" + kEcho), quick_);
  std::size_t done = 0;
  for (int k = 0; k < 10; k += 2) {
    pool.ask(question(k));
    pool.ask(question(k + 1));
    for (const Judged& judged : all(pool, 2)) {
      done += side_of(judged) == Outcome::second_wins ? 1u : 0u;
    }
  }
  EXPECT_EQ(done, 10);
  EXPECT_EQ(content_of(starts), "x\nx\n");  // one process per slot
  pool.finish();
}

TEST_F(JudgePools, restarts_one_that_ended_and_one_that_is_out_of_step) {
  quick_.protocol = JudgeProtocol::jsonl;
  quick_.retries = 1;
  const std::string answer =
      "read -r line; id=${line#*'\"duel_id\":\"'}; id=${id%%'\"'*}\n"
      "printf '{\"duel_id\":\"%s\",\"result\":\"tie\"}\\n' \"$id\"\n";
  JudgePool once = pool_of(script("once", answer), quick_);  // answers one question, then ends
  for (int k = 0; k < 3; ++k) {
    once.ask(question(k));
    EXPECT_EQ(side_of(all(once).at(0)), Outcome::tie);
  }
  // Says more than it was asked: the second line would be taken for the next answer.
  JudgePool twice = pool_of(script("twice", answer + "echo more\nsleep 30\n"), quick_);
  for (int k = 0; k < 3; ++k) {
    twice.ask(question(k));
    EXPECT_EQ(side_of(all(twice).at(0)), Outcome::tie);
  }
  JudgePool never = pool_of(script("never", "read line; exit 7\n"), quick_);
  const Judged judged = one(never);
  EXPECT_FALSE(judged.outcome.has_value());
  EXPECT_EQ(judged.failed_tries, 2);
  EXPECT_EQ(judged.failure, "it gave no answer: exit code 7");
}

TEST_F(JudgePools, keeps_as_many_in_flight_as_allowed) {
  quick_.parallel = 4;
  quick_.timeout_seconds = 120;
  // Each waits for the others to have begun; one after the other they would wait for ever.
  const std::string begun = (directory_ / "begun").string();
  JudgePool pool = pool_of(script("j", "echo x >> " + begun + "\nwhile [ $(wc -l < " + begun +
                                           ") -lt 4 ]; do sleep 0.02; done; echo first\n"),
                           quick_);
  for (int k = 0; k < 4; ++k) pool.ask(question(k));
  EXPECT_EQ(pool.free(), 0);
  for (const Judged& judged : all(pool, 4)) EXPECT_EQ(side_of(judged), Outcome::first_wins);
}

TEST_F(JudgePools, leaves_no_descriptor_and_no_zombie) {
  const std::set<std::string> before = open_descriptors();
  {
    quick_.parallel = 3;
    quick_.timeout_seconds = 0.1;
    JudgePool pool = pool_of(script("j", "sleep 30\n"), quick_);
    for (int k = 0; k < 3; ++k) pool.ask(question(k));
    EXPECT_EQ(all(pool, 3).size(), 3);
    for (int k = 0; k < 3; ++k) pool.ask(question(k));
  }  // ends while three are at work
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(JudgePools, gives_a_program_no_descriptor_of_the_others) {
  quick_.parallel = 4;
  const std::string counts = (directory_ / "counts").string();
  JudgePool pool = pool_of(
      script("j", "ls /proc/self/fd | wc -l >> " + counts + "; sleep 0.2; echo first\n"), quick_);
  for (int k = 0; k < 4; ++k) pool.ask(question(k));
  EXPECT_EQ(all(pool, 4).size(), 4);
  std::ifstream file(counts);
  std::set<int> seen;
  for (int count = 0; file >> count;) seen.insert(count);
  EXPECT_EQ(seen.size(), 1);
}

}  // namespace
}  // namespace duel
