// Exports of an experiment's log: its duels as a table, or chosen records as they were written.
// They run on background threads, read from the store alone, and never ask the engine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <variant>

#include "duel/experiment/comparison_table.h"
#include "duel/log/line_chain.h"
#include "duel/log/record_reader.h"
#include "duel/server/api.h"

namespace duel {
namespace {

// Blocks while the client reads slowly. False if the client is gone.
bool write_in_pieces(HttpStream& stream, std::string_view text) {
  constexpr std::size_t kPiece = 65'536;
  while (!text.empty()) {
    while (stream.buffered() > stream.capacity() / 2 && !stream.closed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!stream.write(std::string(text.substr(0, kPiece)))) return false;
    text.remove_prefix(std::min(kPiece, text.size()));
  }
  return true;
}

// A duel that ended, or a comparison made elsewhere, without a vote for either arm.
bool is_nonvote(const Record& record) {
  const auto says_nothing = [](const Answer& answer) {
    return answer.result == Answered::skip || answer.result == Answered::invalid ||
           answer.result == Answered::both_bad;
  };
  if (const auto* outcome = std::get_if<OutcomeRecord>(&record)) {
    return says_nothing(outcome->answer);
  }
  if (const auto* comparison = std::get_if<ComparisonRecord>(&record)) {
    return says_nothing(comparison->answer);
  }
  return std::holds_alternative<ExpiredRecord>(record);
}

}  // namespace

void Api::export_log(Call& call) {
  const std::string* what = call.request.query_value("what");
  const std::string* format = call.request.query_value("format");
  const std::string wanted = what != nullptr ? *what : "duels";
  const std::string form = format != nullptr ? *format : "jsonl";
  const auto is_known = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* one) { return word == one; });
  };
  if (!is_known(wanted, {"duels", "nonvotes", "events", "audit"})) {
    return call.send(refusal(400, "what is one of duels, nonvotes, events, audit"));
  }
  if (!is_known(form, {"jsonl", "csv", "arena"})) {
    return call.send(refusal(400, "format is one of jsonl, csv, arena"));
  }
  if (wanted != "duels" && form != "jsonl") {
    return call.send(refusal(400, fmt::format("{} are exported as jsonl", wanted)));
  }
  run_on(*exports_, call, [this, wanted, form, eid = call.eid(), send = call.send] {
    Store& store = engine_.store();
    if (const auto head = store.head(eid); !head.ok() || head->sequence == 0) {
      return send(refusal(404, "there is no experiment '" + eid + "'"));
    }
    if (wanted == "duels") {
      const auto table = comparisons_of_log(store, eid);
      if (!table.ok()) return send(refusal(table.error()));
      const auto parsed = parse_comparison_format(form);
      const auto stream = send.stream(form == "jsonl" ? "application/x-ndjson" : "text/csv");
      if (write_in_pieces(*stream, to_text(*table, *parsed))) stream->finish();
      return;
    }
    const auto stream = send.stream("application/x-ndjson");
    // The chain is checked here because serving may rest on a snapshot and never read the older
    // lines. At a damaged line the stream ends without `finish`, so that the client sees an
    // incomplete answer and does not take it for the whole log.
    LineChain chain;
    RecordReader reader;
    const auto read = store.read(eid, 0, [&](std::string_view line) -> Status {
      DUEL_RETURN_IF_ERROR(chain.follow(line));
      if (wanted != "audit") {
        LogEntry entry;
        DUEL_RETURN_IF_ERROR(reader.read(line, entry));
        const bool is_wanted = wanted == "events"
                                   ? std::holds_alternative<EventRecord>(entry.record)
                                   : is_nonvote(entry.record);
        if (!is_wanted) return Done{};
      }
      if (write_in_pieces(*stream, std::string(line) + "\n")) return Done{};
      return Error::unsupported("the client has disconnected");
    });
    if (read.ok()) stream->finish();
  });
}

}  // namespace duel
