// The log of one experiment: an append-only file of JSON lines, chained by hashes.
//
//   {"seq":1,"time":"2026-11-15T09:00:00.123Z","record":"experiment",..,"hash":"<64 hex>"}
//   {"seq":2,"time":"..","record":"serve",..,"hash":"<64 hex>"}
//
// `hash` is SHA-256 over the 64 digits of the line before (zeros before the first) and the bytes of
// this line up to the comma before `"hash"`. So no byte can change, and no line vanish or move,
// unnoticed.
//
// A record is written by one write(2) to a file opened with O_APPEND and locked against a second
// writer. A kill at any byte leaves at most a last line without its end; what has no end was never
// used and does not count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/result.h"
#include "duel/experiment/digest.h"
#include "duel/experiment/record.h"

namespace duel {

// Called for every record in order; an error ends the reading and gets file and line.
using RecordSink = std::function<Status(const LogEntry&)>;

struct LogExtent {
  std::uint64_t records = 0;    // complete ones
  std::string head;             // hash of the last; zeros where there is none
  std::uint64_t bytes = 0;      // up to the end of the last complete line
  std::uint64_t cut_bytes = 0;  // after it: a line that was cut by a kill
};

// Reads the whole log and checks its chain. Anything wrong but a cut last line is an error that
// names file:line and what was found.
Result<LogExtent> read_log(const std::filesystem::path& file, const RecordSink& sink);
// The same of a text in memory; `name` stands for the file in messages.
Result<LogExtent> read_log_text(std::string_view text, const std::string& name,
                                const RecordSink& sink);

// Whether the file begins with the first record of a log; false where it cannot be read.
bool begins_as_log(const std::filesystem::path& file);

// The line of a record, with its end. `head` is the hash of the line before and becomes that of
// this one. An error where a text in the record is not UTF-8.
Result<std::string> log_line(std::uint64_t sequence, std::int64_t time_ms, const Record& record,
                             std::string& head, Sha256& sha);

class ExperimentLog {
 public:
  // A new log with its first record. An error if the file exists.
  static Result<ExperimentLog> create(const std::filesystem::path& file,
                                      const ExperimentRecord& experiment, std::int64_t time_ms);
  // Reads the log, cuts off a line without end, and appends from there.
  static Result<ExperimentLog> resume(const std::filesystem::path& file, const RecordSink& sink);
  ExperimentLog(ExperimentLog&& other) noexcept;
  ExperimentLog& operator=(ExperimentLog&&) = delete;
  ~ExperimentLog();

  // One write(2). A record that did not get to the file whole (disk full) is removed again and is
  // an error; a log that cannot be mended takes no more records.
  Result<LogEntry> append(Record record, std::int64_t time_ms);
  // Returns when everything appended is on the disk. After a failure the log takes no more records:
  // the system may have dropped what it could not write.
  Status sync();

  const std::filesystem::path& file() const { return file_; }
  std::uint64_t records() const { return extent_.records; }
  const std::string& head() const { return extent_.head; }
  // Of the line that was cut off at `resume`.
  std::uint64_t cut_bytes() const { return extent_.cut_bytes; }

 private:
  ExperimentLog(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  Status write_line(std::string_view line);

  std::filesystem::path file_;
  int descriptor_;
  LogExtent extent_;
  Sha256 sha_;
  bool broken_ = false;
};

}  // namespace duel
