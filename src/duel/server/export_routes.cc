// Exports of an experiment's log: its duels as a table, or chosen records as they were written.
// They run on background threads, read from the store alone, and never ask the engine.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "duel/experiment/comparison_table.h"
#include "duel/log/line_chain.h"
#include "duel/log/record_reader.h"
#include "duel/server/api.h"
#include "duel/server/paced_stream.h"

namespace duel {
namespace {

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
      PacedStream stream(send.stream(form == "jsonl" ? "application/x-ndjson" : "text/csv"),
                         engine_.world());
      const auto sink = [&](std::string_view line) { return stream.write(line); };
      if (write_text(*table, *parsed, sink)) stream.finish();
      return;
    }
    PacedStream stream(send.stream("application/x-ndjson"), engine_.world());
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
      if (stream.write(line) && stream.write("\n")) return Done{};
      return Error::unsupported("the client has disconnected, or reads too slowly");
    });
    if (read.ok()) stream.finish();
  });
}

}  // namespace duel
