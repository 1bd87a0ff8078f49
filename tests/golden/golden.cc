#include "tests/golden/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/live_experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/log/record_fields.h"
#include "duel/verdict/board.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/experiment_result.h"
#include "tests/support/places.h"
#include "tests/support/temporary_directory.h"

namespace duel::golden {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

// The part of a line around its first difference, so that a long one can be read.
std::string excerpt(const std::string& line, std::size_t at) {
  constexpr std::size_t kBefore = 100, kLength = 300;
  const std::size_t begin = at > kBefore ? at - kBefore : 0;
  return (begin > 0 ? ".." : "") + line.substr(std::min(begin, line.size()), kLength) +
         (begin + kLength < line.size() ? ".." : "");
}

// Where two texts differ, for people; empty where they are the same.
std::string first_difference(const std::string& expected, const std::string& actual) {
  if (expected == actual) return {};
  const std::vector<std::string> old_lines = lines_of(expected), new_lines = lines_of(actual);
  for (std::size_t k = 0; k < std::max(old_lines.size(), new_lines.size()); ++k) {
    const std::string missing = "(the text ends before)";
    const std::string& before = k < old_lines.size() ? old_lines[k] : missing;
    const std::string& after = k < new_lines.size() ? new_lines[k] : missing;
    if (before == after) continue;
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
    return fmt::format("line {} differs\n  recorded: {}\n  now:      {}", k + 1,
                       excerpt(before, at), excerpt(after, at));
  }
  return "they differ in the ends of lines";
}

std::string_view kind_of(const Record& record) {
  return std::visit([]<class Kind>(const Kind&) { return Described<Kind>::name; }, record);
}

// Calls `each` with the state after every record.
template <class Each>
void fold(const std::string& log, const Each& each) {
  std::optional<LiveExperiment> live;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(live, LiveExperiment::make(*first));
    } else {
      DUEL_RETURN_IF_ERROR(live->apply(entry));
    }
    each(*live, entry);
    return Done{};
  };
  const auto read = read_log_text(log, "log", sink);
  EXPECT_TRUE(read.ok()) << read.error().to_string();
}

// What would overturn the certificate of the ledger, which is the state at some record of the log.
IfWrong if_wrong_then(const std::string& log, const Ledger& ledger) {
  const auto found = if_wrong_now(ledger, [&](const RecordSink& sink) -> Status {
    const auto read = read_log_text(log, "log", sink);
    return read.ok() ? Status(Done{}) : Status(read.error());
  });
  EXPECT_TRUE(found.ok());
  return *found;
}

}  // namespace

bool writes_goldens() {
  const char* asked = std::getenv("DUEL_WRITE_GOLDENS");
  return asked != nullptr && std::string_view(asked) == "1";
}

std::string golden_file(const std::string& name) {
  return source_dir() + "/tests/golden/data/" + name;
}

std::string recorded(const std::string& name) { return content_of(golden_file(name)); }

void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path file = golden_file(name);
  if (writes_goldens()) {
    if (actual.empty()) {
      std::filesystem::remove(file);
      return;
    }
    std::filesystem::create_directories(file.parent_path());
    write_content(file, actual);
    return;
  }
  const std::string differs = first_difference(recorded(name), actual);
  if (!differs.empty()) ADD_FAILURE() << file.string() << ": " << differs;
}

bool use_quick_directory() {
  return std::filesystem::is_directory("/dev/shm") && ::setenv("TMPDIR", "/dev/shm", 1) == 0;
}

std::string states_of_log(const std::string& log) {
  std::string states;
  fold(log, [&](const LiveExperiment& live, const LogEntry& entry) {
    states += fmt::format("{} {} {:016x} {:016x}{}\n", entry.sequence, kind_of(entry.record),
                          live.ledger().state_hash(), live.state_hash(),
                          live.divergence() ? " diverges" : "");
  });
  return states;
}

std::uint64_t last_state_of(const std::string& log) {
  std::uint64_t hash = 0;
  fold(log, [&](const LiveExperiment& live, const LogEntry&) { hash = live.state_hash(); });
  return hash;
}

std::string certificate_of(const std::string& log, std::uint64_t format) {
  std::string text;
  fold(log, [&](const LiveExperiment& live, const LogEntry& entry) {
    const auto& given = live.ledger().certificate();
    if (!given || given->sequence != entry.sequence) return;
    Certificate certificate = duel::certificate_of(live.ledger());
    certificate.if_wrong = if_wrong_then(log, live.ledger());
    text = certificate_text(certificate, format);
  });
  return text;
}

std::string result_of(const std::string& log) {
  std::string text;
  const std::size_t last = static_cast<std::size_t>(std::ranges::count(log, '\n'));
  fold(log, [&](const LiveExperiment& live, const LogEntry& entry) {
    if (entry.sequence != last) return;
    const Ledger& ledger = live.ledger();
    text = described_json(duel::result_of(ledger, board_of(ledger), if_wrong_then(log, ledger)))
               .dump_pretty();
  });
  return text;
}

std::string retimed(const std::string& log, std::size_t kept) {
  constexpr std::int64_t kFirst = 1'794'700'800'000;  // 2026-11-15T00:00:00Z
  const std::string time_field = R"("time":")", hash_field = R"(,"hash":")";
  std::string text, head(64, '0');
  std::int64_t time_ms = kFirst - 1000;
  const std::vector<std::string> lines = lines_of(log);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string line = lines[k];
    const std::size_t time_at = line.find(time_field) + time_field.size();
    const std::size_t time_size = line.find('"', time_at) - time_at;
    if (k < kept) {
      time_ms = parse_timestamp(line.substr(time_at, time_size)).value();
      text += line + "\n";
      head = line.substr(line.rfind(hash_field) + hash_field.size(), 64);
      continue;
    }
    time_ms += 1000;
    line.replace(time_at, time_size, format_timestamp(time_ms));
    line.resize(line.rfind(hash_field));
    head = sha256_hex(head + line);
    text += line + hash_field + head + "\"}\n";
  }
  return text;
}

}  // namespace duel::golden
