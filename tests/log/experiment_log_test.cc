#include "duel/log/experiment_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "duel/core/timestamp.h"
#include "duel/store/log_file.h"
#include "tests/experiment/played_log.h"
#include "tests/log/written_log.h"
#include "tests/store/faulty_disk.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

Status ignore(const LogEntry& /*entry*/) { return Done{}; }

Result<WrittenLog> create_log(const std::filesystem::path& file) {
  return WrittenLog::create(std::make_shared<LogFiles>(), file.string(), experiment_of({"a", "b"}),
                            kStart);
}

// A log of a few lines with every kind of record.
PlayedLog every_kind() {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.arms[0] = {"a", "prompts/\"a\"\n\t\x01é.txt", std::string(64, 'f')};
  experiment.stopping.arms_fixed = false;
  experiment.stopping.alpha = 0.9;
  experiment.comparisons_count = true;
  PlayedLog log(experiment);
  ServeRecord serve = *log.next();
  serve.task = "{\"question\": 1}";
  serve.evidence = false;  // a task reaches several pairs, which are declared to be independent
  log.add(serve);
  log.add(OutcomeRecord{"d1", {Answered::win, "a"}, {"human", "rater-7"}, 4210, {}, "sure"});
  log.add(*log.next());
  log.add(ExpiredRecord{"d2"});
  log.add(ArmAddedRecord{{"c", "c.txt", std::string(64, '0')}});
  log.add(ArmRetiredRecord{"c"});
  for (int k = 0; k < 6; ++k) {
    log.add(ComparisonRecord{.first = "b",
                             .second = "a",
                             .answer = {Answered::win, "a"},
                             .source = {"arena", "judge 1"},
                             .made_at = "1700000000.5",
                             .extra = {{"turn", "1"}, {"language", "français"}}});
  }
  const auto& given = *log.live().certificate();
  log.add(CertifiedRecord{given.kind, "a", given.sequence});
  log.add(CompletedRecord{"certified"});
  return log;
}

// A log about tasks, whose set of arms is fixed.
PlayedLog with_tasks() {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "certify");
  experiment.tasks = {.count = 1, .sha256 = std::string(64, 'a')};
  experiment.stopping.shared_causes = true;
  experiment.judge = {.command = "./judge.sh {first} {second}", .sha256 = std::string(64, 'b')};
  PlayedLog log(experiment);
  for (const bool evidence : {true, false}) {
    ServeRecord serve = *log.next();
    serve.task = "t1";
    serve.evidence = evidence;
    log.add(serve);
    if (evidence) {
      OutcomeRecord outcome{serve.duel_id, {Answered::win, "a"}, {"judge", "judge.sh@b"}};
      outcome.failed_tries = 2;
      log.add(outcome);
    } else {
      log.add(ExpiredRecord{serve.duel_id, 3, "no answer within 1 s"});
    }
  }
  log.add(TasksAddedRecord{2, std::string(64, 'c')});
  return log;
}

// A log as a server writes it.
PlayedLog with_service() {
  ExperimentRecord experiment = experiment_of({"a", "b"}, "certify");
  experiment.arms[0].content = Json::parse(R"({"alpha":0.3,"tags":["x"]})").value();
  experiment.service.name = "Weights";
  experiment.service.starts = ExperimentState::draft;
  experiment.service.default_arm = "b";
  experiment.service.on_certified = OnCertified::exploit;
  experiment.service.feedback = {.timeout_s = 60, .on_timeout = OnTimeout::tie};
  experiment.service.interleave.actions = {{"click", 1}, {"add_to_cart", 2.5}};
  PlayedLog log(experiment);
  log.add(StateRecord{ExperimentState::running});
  log.add(ConfiguredRecord{"Weights, October", {.timeout_s = 90}, {.explore_floor = 0.02}});
  ServeRecord serve = *log.next("q-1");
  serve.expires_at = {kStart + 60'000};
  serve.subject = "5f3a";
  log.add(serve);
  log.add(InterleavedRecord{"q-1", {"x", "y"}, {"y", "z"}, {}, {0, 2}});
  log.add(PagedRecord{"q-1", {2, 3}});
  log.add(EventRecord{"q-1", std::string(64, 'e'), "click", "x", 1, 2.5, false});
  log.add(PolicyRebuiltRecord{"another version"});
  log.add(RecoveredRecord{4});
  return log;
}

std::vector<LogEntry> read_all(const std::string& text) {
  std::vector<LogEntry> entries;
  const auto extent = read_log_text(text, "log.jsonl", [&](const LogEntry& entry) -> Status {
    entries.push_back(entry);
    return Done{};
  });
  EXPECT_TRUE(extent.ok()) << extent.error().to_string();
  return entries;
}

TEST(ExperimentLog, every_kind_of_record_is_read_as_it_was_written) {
  std::set<std::size_t> kinds;
  for (const PlayedLog& log : {every_kind(), with_tasks(), with_service()}) {
    const std::vector<LogEntry> read = read_all(log.text());
    ASSERT_EQ(read.size(), log.entries().size());
    for (std::size_t k = 0; k < read.size(); ++k) {
      EXPECT_EQ(read[k].sequence, k + 1);
      EXPECT_EQ(read[k].time_ms, log.entries()[k].time_ms);
      EXPECT_EQ(read[k].hash, log.entries()[k].hash);
      EXPECT_TRUE(read[k].record == log.entries()[k].record) << k + 1;
      kinds.insert(read[k].record.index());
    }
  }
  // The two of panels need people who answer, the four of audits a program and people, the three of
  // spaces a learner: panel_test.cc, audited_experiment_test.cc and tuned_space_test.cc in
  // tests/experiment read their logs.
  EXPECT_EQ(kinds.size(), std::variant_size_v<Record> - 9);
}

// Not by Duel, which writes as few as it takes.
TEST(ExperimentLog, numbers_may_be_written_with_many_digits) {
  std::string line = with_service().text();
  line.resize(line.find('\n') + 1);
  const std::string alpha = "\"alpha\":0.05,";
  const std::size_t at = line.find(alpha);
  ASSERT_NE(at, std::string::npos);
  line.insert(at + alpha.size() - 1, "00000000000000000000");
  line.resize(line.rfind(",\"hash\":\""));
  line += ",\"hash\":\"" + sha256_hex(std::string(64, '0') + line) + "\"}\n";
  const std::vector<LogEntry> read = read_all(line);
  ASSERT_EQ(read.size(), 1);
  EXPECT_EQ(std::get<ExperimentRecord>(read[0].record).stopping.alpha, 0.05);
}

TEST(ExperimentLog, the_chain_can_be_followed_with_any_sha256_program) {
  // printf '%064d{"seq":1,...' 0 | sha256sum, worked out with coreutils.
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const PlayedLog log = every_kind();
  std::string before(64, '0');
  std::size_t begin = 0;
  for (const std::size_t end : log.ends()) {
    const std::string line = log.text().substr(begin, end - begin - 1);
    const std::size_t key = line.rfind(",\"hash\":\"");
    before = sha256_hex(before + line.substr(0, key));
    EXPECT_EQ(line.substr(key), ",\"hash\":\"" + before + "\"}");
    begin = end;
  }
}

TEST(ExperimentLog, a_cut_at_every_byte_leaves_the_complete_lines) {
  const PlayedLog log = every_kind();
  std::size_t complete = 0;
  for (std::size_t size = 0; size <= log.text().size(); ++size) {
    if (complete < log.ends().size() && size == log.ends()[complete]) ++complete;
    std::size_t count = 0;
    const auto extent =
        read_log_text(log.text().substr(0, size), "log.jsonl", [&](const LogEntry&) -> Status {
          ++count;
          return Done{};
        });
    ASSERT_TRUE(extent.ok()) << size << ": " << extent.error().to_string();
    ASSERT_EQ(extent->records, complete);
    ASSERT_EQ(count, complete);
    ASSERT_EQ(extent->bytes, complete == 0 ? 0 : log.ends()[complete - 1]);
    ASSERT_EQ(extent->cut_bytes, size - extent->bytes);
  }
}

TEST(ExperimentLog, a_change_of_every_byte_is_found_and_its_line_is_named) {
  const PlayedLog log = every_kind();
  std::size_t line = 1;
  for (std::size_t k = 0; k < log.text().size(); ++k) {
    if (k == log.ends()[line - 1]) ++line;
    for (const int bit : {0, 5}) {
      std::string changed = log.text();
      changed[k] = static_cast<char>(changed[k] ^ (1 << bit));
      const auto extent = read_log_text(changed, "log.jsonl", ignore);
      if (k + 1 == log.text().size()) {
        // Without its end the last line was never complete.
        ASSERT_TRUE(extent.ok());
        ASSERT_EQ(extent->records, log.ends().size() - 1);
        ASSERT_GT(extent->cut_bytes, 0U);
        continue;
      }
      ASSERT_FALSE(extent.ok()) << "byte " << k;
      ASSERT_EQ(extent.error().where, "log.jsonl:" + std::to_string(line)) << "byte " << k;
    }
  }
}

TEST(ExperimentLog, a_missing_a_repeated_and_a_moved_line_are_found_and_named) {
  const PlayedLog log = every_kind();
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (const std::size_t end : log.ends()) {
    lines.push_back(log.text().substr(begin, end - begin));
    begin = end;
  }
  const auto error_of = [](const std::vector<std::string>& changed) {
    std::string text;
    for (const std::string& line : changed) text += line;
    return read_log_text(text, "log.jsonl", ignore).error();
  };
  auto missing = lines;
  missing.erase(missing.begin() + 3);
  EXPECT_EQ(error_of(missing).where, "log.jsonl:4");
  EXPECT_NE(error_of(missing).message.find("record 5 where record 4"), std::string::npos);
  auto repeated = lines;
  repeated.insert(repeated.begin() + 3, lines[3]);
  EXPECT_EQ(error_of(repeated).where, "log.jsonl:5");
  EXPECT_NE(error_of(repeated).message.find("record 4 where record 5"), std::string::npos);
  auto moved = lines;
  std::swap(moved[3], moved[4]);
  EXPECT_EQ(error_of(moved).where, "log.jsonl:4");
  auto beheaded = lines;
  beheaded.erase(beheaded.begin());
  EXPECT_EQ(error_of(beheaded).where, "log.jsonl:1");
}

// A log with a sound chain around one line of any text.
Error error_of_line(const std::string& fields) {
  std::string head(64, '0');
  Sha256 sha;
  std::string text = std::move(log_line(1, kStart, experiment_of({"a", "b"}), head, sha)).value();
  const std::string body = "{\"seq\":2,\"time\":\"2025-11-15T09:00:00.000Z\"," + fields;
  text += body + ",\"hash\":\"" + sha256_hex(head + body) + "\"}\n";
  const auto extent = read_log_text(text, "log.jsonl", ignore);
  return extent.ok() ? Error{} : extent.error();
}

TEST(ExperimentLog, a_field_that_is_missing_unknown_doubled_or_of_the_wrong_type_is_named) {
  const std::string serve =
      R"("record":"serve","duel_id":"d1","ordinal":0,"round":1,"first":"a","second":"b")";
  EXPECT_EQ(error_of_line(serve + R"(,"serving":"explore")").message, "");
  EXPECT_EQ(error_of_line(serve).message, "the field 'serving' is missing");
  const Error unknown = error_of_line(serve + R"(,"serving":"explore","tsk":"x")");
  EXPECT_EQ(unknown.message, "the field 'tsk' is unknown");
  EXPECT_NE(unknown.hint.find("task"), std::string::npos);
  EXPECT_EQ(unknown.where, "log.jsonl:2");
  EXPECT_EQ(error_of_line(serve + R"(,"serving":"explore","first":"b")").message,
            "the field 'first' is given twice");
  EXPECT_NE(error_of_line(serve + R"(,"serving":"explored")").hint.find("explore"),
            std::string::npos);
  EXPECT_EQ(error_of_line(serve + R"(,"serving":7)").message,
            "the field 'serving' is not a string");
  EXPECT_EQ(error_of_line(R"("record":"expired","duel_id":"a b")").message,
            "'a b' cannot be the id of a duel");
  EXPECT_EQ(error_of_line(R"("record":"outcome","duel_id":"d1","result":"win")").message,
            "a win has no field 'winner'");
  EXPECT_NE(error_of_line(R"("record":"served")").hint.find("serve"), std::string::npos);
  EXPECT_NE(error_of_line(R"("record":"experiment")").message.find("missing"), std::string::npos);
  EXPECT_NE(error_of_line(R"("record":"expired","duel_id":"d1","hash":""},{"x":1)")
                .message.find("follows"),
            std::string::npos);
}

// A value of any kind is skipped or read; what stands behind it is read, too.
TEST(ExperimentLog, a_colon_behind_a_text_of_any_json_is_refused) {
  const auto added = [](const std::string& content) {
    return error_of_line(R"("record":"arm_added","arm_id":"c","content":)" + content).message;
  };
  EXPECT_EQ(added(R"("x")"), "");
  EXPECT_EQ(added(R"({"x":1})"), "");
  EXPECT_NE(added(R"("x":1)"), "");
  EXPECT_NE(added(R"(1:1)"), "");
  EXPECT_NE(added(R"({"x":"y":1})"), "");
  EXPECT_NE(added(R"(["x":1])"), "");
}

// Power was lost after record 6, which was safe, and record 12 says so: what was served between
// them is no evidence, the serve at record 6 itself is, and so is all that was served afterwards.
TEST(ExperimentLog, serves_between_the_last_safe_record_and_the_recovery_are_no_evidence) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.service.name = "served";
  PlayedLog log(experiment);
  play(log, {.gap = 0}, 5);
  log.add(RecoveredRecord{6});
  play(log, {.gap = 0}, 2);
  using Serves = std::map<std::uint64_t, bool>;  // by record, whether it is evidence
  const auto serves_of = [](const auto& read) {
    Serves serves;
    const auto extent = read([&](const LogEntry& entry) -> Status {
      if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
        serves[entry.sequence] = serve->evidence;
      }
      return Done{};
    });
    EXPECT_TRUE(extent.ok()) << extent.error().to_string();
    return serves;
  };
  const Serves all{{2, true},   {4, true},  {6, true}, {8, false},
                   {10, false}, {13, true}, {15, true}};
  EXPECT_EQ(serves_of([&](const RecordSink& sink) { return read_log_text(log.text(), "", sink); }),
            all);

  TemporaryDirectory directory;
  directory.write("log", log.text());
  const std::string name = directory / "log";
  LogFiles files;
  EXPECT_EQ(serves_of([&](const RecordSink& sink) { return read_log(files, name, sink); }), all);
  // Lost once more, of which the log does not speak yet.
  for (const std::uint64_t safe : {12, 13}) {
    Serves lost = all;
    lost[13] = safe == 13;
    lost[15] = false;
    EXPECT_EQ(serves_of([&](const RecordSink& sink) {
                return read_log_recovered(files, name, safe, sink);
              }),
              lost);
  }
  // A state of record 6 can be gone on with; one of record 7 counts what was lost.
  const auto after = [&](std::uint64_t sequence) {
    return Head{sequence, log.entries()[sequence - 1].hash};
  };
  EXPECT_EQ(serves_of([&](const RecordSink& sink) {
              return read_log_after(files, name, after(6), sink);
            }),
            (Serves{{8, false}, {10, false}, {13, true}, {15, true}}));
  const auto refused = read_log_after(files, name, after(7), ignore);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
}

TEST(ExperimentLog, writes_what_it_reads_and_goes_on_after_a_cut_line) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  {
    auto log = create_log(file);
    ASSERT_TRUE(log.ok()) << log.error().to_string();
    ASSERT_TRUE(log->append({ExpiredRecord{"d1"}}, kStart + 1).ok());
  }
  const std::string whole = content_of(file);
  write_content(file, whole + "{\"seq\":3,\"ti");
  {
    auto files = std::make_shared<LogFiles>();
    ASSERT_TRUE(files->own(file.string()).ok());
    const auto extent = read_log(*files, file.string(), ignore);
    ASSERT_TRUE(extent.ok()) << extent.error().to_string();
    EXPECT_EQ(extent->cut_bytes, 12U);
    EXPECT_EQ(extent->records, 2U);
    WrittenLog log(files, file.string(), {extent->records, extent->head});
    ASSERT_TRUE(log.append({ExpiredRecord{"d2"}}, kStart + 2).ok());
  }
  EXPECT_TRUE(content_of(file).starts_with(whole));
  EXPECT_EQ(read_all(content_of(file)).size(), 3U);
}

TEST(ExperimentLog, lets_only_one_process_write) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  auto log = create_log(file);
  ASSERT_TRUE(log.ok());
  const Status second = LogFiles().own(file.string());
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another process"), std::string::npos);
}

TEST(ExperimentLog, never_begins_in_a_file_that_holds_something) {
  const TemporaryDirectory directory;
  for (const std::string& content : {std::string("my thesis"), std::string("{}\n")}) {
    write_content(directory / "file", content);
    const auto log = create_log(directory / "file");
    ASSERT_FALSE(log.ok());
    EXPECT_EQ(log.error().message, "the file exists");
    EXPECT_EQ(content_of(directory / "file"), content);
  }
  // A kill while the first line was written leaves nothing to lose.
  write_content(directory / "cut", "{\"seq\":1,\"time\":\"20");
  EXPECT_TRUE(create_log(directory / "cut").ok());
  EXPECT_EQ(read_all(content_of(directory / "cut")).size(), 1U);
}

TEST(ExperimentLog, a_full_disk_is_an_error_and_leaves_no_half_record) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  // In a child, so that the limit on file sizes ends with it.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto log = create_log(file);
    if (!log.ok()) ::_exit(2);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int written = 0;
    while (written < 100 && log->append({ExpiredRecord{"d1"}}, kStart).ok()) ++written;
    // Still usable: the half record is gone.
    const bool refused = !log->append({ExpiredRecord{"d1"}}, kStart).ok();
    ::_exit(written > 0 && written < 100 && refused ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const std::string text = content_of(file);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_GE(read_all(text).size(), 2U);
}

TEST(ExperimentLog, refuses_text_that_is_not_utf8_and_writes_nothing) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  auto log = create_log(file);
  ASSERT_TRUE(log.ok());
  OutcomeRecord outcome{"d1", {Answered::skip, ""}, {}, {}, {}, "caf\xe9"};
  const Status written = log->append({outcome}, kStart);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("'note'"), std::string::npos);
  EXPECT_EQ(read_all(content_of(file)).size(), 1U);
}

TEST(ExperimentLog, a_group_is_appended_whole_or_not_at_all) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  FaultyDisk disk;
  auto log = WrittenLog::create(std::make_shared<LogFiles>(std::filesystem::path(), disk),
                                file.string(), experiment_of({"a", "b"}), kStart);
  ASSERT_TRUE(log.ok());
  const std::string before = content_of(file);
  disk.arm(0, Fault::tears, 300);
  EXPECT_FALSE(log->append({ExpiredRecord{"d1"}, ExpiredRecord{"d2"}}, kStart).ok());
  EXPECT_EQ(content_of(file), before);
  // The chain goes on from where it was.
  ASSERT_TRUE(log->append({ExpiredRecord{"d3"}, ExpiredRecord{"d4"}}, kStart).ok());
  EXPECT_EQ(log->head().sequence, 3U);
  const std::vector<LogEntry> read = read_all(content_of(file));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read.back().hash, log->head().hash);
}

}  // namespace
}  // namespace duel
