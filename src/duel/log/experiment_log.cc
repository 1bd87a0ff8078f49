#include "duel/log/experiment_log.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/timestamp.h"
#include "duel/log/line_chain.h"
#include "duel/log/record_reader.h"
#include "duel/store/line.h"
#include "duel/store/log_file.h"

namespace duel {
namespace {

std::string no_hash() { return std::string(kHexDigits, '0'); }

Error damaged(std::string message) { return Error::invalid_data(std::move(message)); }

// A loss of power: no serve after record `after` and before record `recovered` is evidence
// (RecoveredRecord).
struct Gap {
  std::uint64_t after = 0;
  std::uint64_t recovered = 0;
};

// Finds the gaps in a first pass, before the records are folded: a `recovered` record takes
// evidence from records before it. Only a server writes such records, and its first line shows that
// it is one, so other logs are not read twice.
class GapFinder {
 public:
  explicit GapFinder(std::uint64_t after = 0) : number_(after) {}

  // False if this log cannot have gaps, so that the first pass can end.
  bool take(std::string_view line) {
    if (++number_ == 1) return line.find("\"service\":") != std::string_view::npos;
    constexpr std::size_t kBeginning = 100;  // number, time and kind come first in a line
    if (line.substr(0, kBeginning).find("\"record\":\"recovered\"") != std::string_view::npos) {
      LogEntry entry;
      if (reader_.read(line, entry).ok()) {  // the second pass reports a bad line
        gaps_.push_back({std::get<RecoveredRecord>(entry.record).after, number_});
      }
    }
    return true;
  }
  std::vector<Gap> finish() { return std::move(gaps_); }

 private:
  std::uint64_t number_ = 0;
  RecordReader reader_;
  std::vector<Gap> gaps_;
};

// Gives the lines of a log from the first on, and returns the bytes after the last.
using Lines = std::function<Result<std::uint64_t>(const LineSink&)>;

Result<std::vector<Gap>> gaps_of(const Lines& lines) {
  GapFinder finder;
  bool more = true;
  const auto read = lines([&](std::string_view line) -> Status {
    more = finder.take(line);
    if (more) return Done{};
    return Error::unsupported("the rest need not be read");
  });
  if (!read.ok() && more) return read.error();
  return finder.finish();
}

// Takes the lines of a log one after the other: checks the chain, reads each record, marks serves
// inside a gap as no evidence, and gives them to the sink.
class ChainReader {
 public:
  ChainReader(std::string name, const RecordSink& sink, std::vector<Gap> gaps = {})
      : name_(std::move(name)), sink_(sink), gaps_(std::move(gaps)) {}

  // `line` is without its line end. REQUIRES: kReadableAfterLine readable bytes after it.
  Status take(std::string_view line) {
    const std::uint64_t number = chain_.lines() + 1;
    if (Status status = take_unplaced(line, number); !status.ok()) {
      Error error = status.error();
      if (error.where.empty()) error.where = fmt::format("{}:{}", name_, number);
      return error;
    }
    bytes_ += line.size() + 1;
    return Done{};
  }

  // The next line must follow this record.
  void begin_after(const Head& at) { chain_.begin_after(at); }

  LogExtent finish(std::uint64_t rest) const {
    return {.records = chain_.lines(), .head = chain_.head(), .bytes = bytes_, .cut_bytes = rest};
  }

 private:
  Status take_unplaced(std::string_view line, std::uint64_t expected) {
    DUEL_RETURN_IF_ERROR(chain_.follow(line));
    entry_.hash = chain_.head();
    DUEL_RETURN_IF_ERROR(reader_.read(line, entry_));
    if (entry_.sequence != expected) {
      return damaged(
          fmt::format("this is record {} where record {} belongs", entry_.sequence, expected));
    }
    if (std::holds_alternative<ExperimentRecord>(entry_.record) != (expected == 1)) {
      return damaged(expected == 1 ? "a log begins with the record 'experiment'"
                                   : "a second record 'experiment'");
    }
    if (auto* serve = std::get_if<ServeRecord>(&entry_.record); serve != nullptr) {
      for (const Gap& gap : gaps_) {
        if (expected <= gap.after || gap.recovered <= expected) continue;
        serve->evidence = false;
        serve->around_loss = true;
      }
    }
    return sink_(entry_);
  }

  std::string name_;
  const RecordSink& sink_;
  std::vector<Gap> gaps_;
  LineChain chain_;
  std::uint64_t bytes_ = 0;
  RecordReader reader_;
  LogEntry entry_;
};

Lines lines_of(Store& store, const std::string& name) {
  return [&](const LineSink& take) { return store.read(name, 0, take); };
}

Result<LogExtent> read_with_gaps(const Lines& lines, const std::string& name, std::vector<Gap> gaps,
                                 const RecordSink& sink) {
  ChainReader chain(name, sink, std::move(gaps));
  DUEL_ASSIGN(const std::uint64_t rest,
              lines([&](std::string_view line) { return chain.take(line); }));
  return chain.finish(rest);
}

// Calls take(line) for the first `count` lines after number `after`. Returns how many there were.
Result<std::uint64_t> read_some(Store& store, const std::string& name, std::uint64_t after,
                                std::uint64_t count, const LineSink& take) {
  std::uint64_t taken = 0;
  Status wrong = Done{};
  const auto read = store.read(name, after, [&](std::string_view line) -> Status {
    if (taken == count) return Error::unsupported("the rest need not be read");
    ++taken;
    wrong = take(line);
    return wrong;
  });
  if (!wrong.ok()) return wrong.error();
  if (!read.ok() && taken < count) return read.error();
  return taken;
}

}  // namespace

Result<LogExtent> read_log(Store& store, const std::string& name, const RecordSink& sink) {
  const Lines lines = lines_of(store, name);
  DUEL_ASSIGN(std::vector<Gap> gaps, gaps_of(lines));
  return read_with_gaps(lines, name, std::move(gaps), sink);
}

Result<LogExtent> read_log_recovered(Store& store, const std::string& name, std::uint64_t after,
                                     const RecordSink& sink) {
  const Lines lines = lines_of(store, name);
  DUEL_ASSIGN(std::vector<Gap> gaps, gaps_of(lines));
  gaps.push_back({after, ~std::uint64_t{0}});
  return read_with_gaps(lines, name, std::move(gaps), sink);
}

Result<LogEntry> read_first_record(Store& store, const std::string& name) {
  LogEntry first;
  const RecordSink keep = [&](const LogEntry& entry) -> Status {
    first = entry;
    return Done{};
  };
  ChainReader chain(name, keep);
  DUEL_ASSIGN(const std::uint64_t lines, read_some(store, name, 0, 1, [&](std::string_view line) {
                return chain.take(line);
              }));
  if (lines == 0) return Error::invalid_data("the log holds no experiment", name);
  return first;
}

Result<LogExtent> read_log_after(Store& store, const std::string& name, const Head& at,
                                 const RecordSink& sink) {
  DUEL_CHECK(at.sequence > 0);
  // Reads record `at` with the one before it, so that its hash is checked against its content: a
  // line that was changed still bears its old hash.
  const std::uint64_t before = at.sequence > 1 ? at.sequence - 2 : 0;
  const RecordSink ignore = [](const LogEntry&) -> Status { return Done{}; };
  ChainReader there(name, ignore);
  Head found{before, no_hash()};
  const auto take = [&](std::string_view line) -> Status {
    const auto parts = split_line(line);
    if (!parts) return damaged("the line does not end with its hash");
    if (++found.sequence == at.sequence) DUEL_RETURN_IF_ERROR(there.take(line));
    found.hash = parts->hash;
    there.begin_after(found);
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_some(store, name, before, at.sequence - before, take));
  if (found != at) {
    return Error::conflict(fmt::format("record {} of the log differs", at.sequence), name);
  }
  GapFinder finder(at.sequence);
  const auto find_gaps = [&](std::string_view line) -> Status {
    finder.take(line);
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(store.read(name, at.sequence, find_gaps));
  std::vector<Gap> gaps = finder.finish();
  for (const Gap& gap : gaps) {
    if (gap.after >= at.sequence) continue;
    return Error::conflict(fmt::format("power was lost after record {}, and record {} says so",
                                       gap.after, gap.recovered),
                           name);
  }
  ChainReader chain(name, sink, std::move(gaps));
  chain.begin_after(at);
  DUEL_ASSIGN(const std::uint64_t rest, store.read(name, at.sequence, [&](std::string_view line) {
    return chain.take(line);
  }));
  return chain.finish(rest);
}

namespace {

bool begins_with(const std::filesystem::path& file, std::string_view beginning) {
  std::ifstream input(file, std::ios::binary);
  std::string bytes(beginning.size(), '\0');
  input.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return input && bytes == beginning;
}

}  // namespace

bool begins_as_log(const std::filesystem::path& file) { return begins_with(file, kFirstLine); }

bool looks_like_log(const std::filesystem::path& file) {
  return begins_with(file, kFirstLine.substr(0, kFirstLine.find('1')));
}

Result<LogExtent> read_log(const std::filesystem::path& file, const RecordSink& sink) {
  LogFiles files;
  return read_log(files, file.string(), sink);
}

Result<LogExtent> read_log_text(std::string_view text, const std::string& name,
                                const RecordSink& sink) {
  std::string line;
  const Lines lines = [&](const LineSink& take) -> Result<std::uint64_t> {
    for (std::string_view rest = text;;) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return rest.size();
      line.assign(rest.substr(0, end));
      line.resize(end + kReadableAfterLine);
      DUEL_RETURN_IF_ERROR(take(std::string_view(line).substr(0, end)));
      rest.remove_prefix(end + 1);
    }
  };
  DUEL_ASSIGN(std::vector<Gap> gaps, gaps_of(lines));
  return read_with_gaps(lines, name, std::move(gaps), sink);
}

Result<std::string> log_line(std::uint64_t sequence, std::int64_t time_ms, const Record& record,
                             std::string& head, Sha256& sha) {
  constexpr std::size_t kMostLines = 500;  // are shorter, and grow without being moved
  std::string line;
  line.reserve(kMostLines);
  line += "{\"seq\":";
  line += std::to_string(sequence);
  line += ",\"time\":\"";
  line += format_timestamp(time_ms);
  line += "\",";
  DUEL_RETURN_IF_ERROR(append_fields(line, record));
  if (line.size() + closing_bytes() > kMostLineBytes) {
    return Error::invalid_argument(
               fmt::format("the record has more than {} bytes", kMostLineBytes - closing_bytes()))
        .with_hint("give arms and tasks by reference");
  }
  DUEL_CHECK(head.size() == kHexDigits);
  sha.hex_to(head.data(), head, line);
  close_line(line, head);
  line += '\n';
  return line;
}

}  // namespace duel
