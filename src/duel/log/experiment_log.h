// The log of one experiment: an append-only sequence of JSON lines in a store, chained by hashes.
//
//   {"seq":1,"time":"2026-11-15T09:00:00.123Z","record":"experiment",..,"hash":"<64 hex>"}
//   {"seq":2,"time":"..","record":"serve",..,"hash":"<64 hex>"}
//
// `hash` is SHA-256 over the 64 digits of the line before (zeros before the first) and the bytes of
// this line up to the comma before `"hash"`. So no byte can change, and no line vanish or move,
// unnoticed.
//
// The chain is made and checked here and not in the store: one check for all stores, which finds a
// damaged database as it finds a damaged file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "duel/core/digest.h"
#include "duel/core/result.h"
#include "duel/log/record.h"
#include "duel/store/store.h"

namespace duel {

// Called for every record in order; an error ends the reading and gets file and line.
using RecordSink = std::function<Status(const LogEntry&)>;

struct LogExtent {
  std::uint64_t records = 0;    // complete ones
  std::string head;             // hash of the last; zeros if there is none
  std::uint64_t bytes = 0;      // up to the end of the last complete line
  std::uint64_t cut_bytes = 0;  // after it: a line that was cut by a kill
};

// Reads the whole log and checks its chain. Anything wrong but a cut last line is an error that
// names file:line and what was found.
Result<LogExtent> read_log(const std::filesystem::path& file, const RecordSink& sink);
// The same for an experiment in a store.
Result<LogExtent> read_log(Store& store, const std::string& name, const RecordSink& sink);
// The same, as if the log already ended with a `recovered` record about the records after `after`.
Result<LogExtent> read_log_recovered(Store& store, const std::string& name, std::uint64_t after,
                                     const RecordSink& sink);
// Reads the first record alone, with its hash.
Result<LogEntry> read_first_record(Store& store, const std::string& name);
// Reads the records after number `at.sequence`, for a caller that has the state there. An error
// (`conflict`) if the log has another hash there, so that the state is not of this log, or if a
// later `recovered` record takes evidence from records before: the state counts it wrongly then.
Result<LogExtent> read_log_after(Store& store, const std::string& name, const Head& at,
                                 const RecordSink& sink);
// `read_log` for a text in memory; messages call it `name`.
Result<LogExtent> read_log_text(std::string_view text, const std::string& name,
                                const RecordSink& sink);

// Whether the file begins with the first record of a log; false if it cannot be read.
bool begins_as_log(const std::filesystem::path& file);
// Whether the file begins with any record of a log: it may be a log that has lost its first
// lines.
bool looks_like_log(const std::filesystem::path& file);

// The line of a record, with its line end. `head` is the hash of the line before and becomes that
// of this one. An error if a text in the record is not UTF-8.
Result<std::string> log_line(std::uint64_t sequence, std::int64_t time_ms, const Record& record,
                             std::string& head, Sha256& sha);

}  // namespace duel
