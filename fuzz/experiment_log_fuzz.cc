// Any bytes are a log or an error, never a crash; and what the reader takes, the ledger takes or
// refuses. The chain would hide everything behind its hashes, so that the input is read as it is
// and once more with the hashes that its lines should have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/check.h"
#include "duel/experiment/ledger.h"
#include "duel/log/experiment_log.h"

namespace {

duel::Status fold(std::optional<duel::Ledger>& ledger, const duel::LogEntry& entry) {
  if (const auto* experiment = std::get_if<duel::ExperimentRecord>(&entry.record)) {
    if (experiment->arms.size() > 50) {
      return duel::Error::unsupported("too many arms to fuzz");
    }
    DUEL_ASSIGN(ledger, duel::Ledger::make(*experiment));
    return duel::Done{};
  }
  const auto effect = ledger->apply(entry);
  if (!effect.ok()) return effect.error();
  return duel::Done{};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)duel::read_log_text(text, "fuzz.jsonl",
                            [](const duel::LogEntry&) -> duel::Status { return duel::Done{}; });
  // The same lines with the hashes they should have.
  std::string chained;
  std::string head(duel::kHexDigits, '0');
  duel::Sha256 sha;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    line = line.substr(0, line.rfind(",\"hash\":\""));
    head = sha.hex(head, line);
    chained += std::string(line) + ",\"hash\":\"" + head + "\"}\n";
  }
  std::optional<duel::Ledger> ledger;
  std::string written;
  std::string written_head(duel::kHexDigits, '0');
  const auto extent =
      duel::read_log_text(chained, "fuzz.jsonl", [&](const duel::LogEntry& entry) -> duel::Status {
        // What was read can be written, and reads as the same.
        auto line = duel::log_line(entry.sequence, entry.time_ms, entry.record, written_head, sha);
        DUEL_CHECK(line.ok());
        written += *line;
        return fold(ledger, entry);
      });
  if (extent.ok()) {
    const auto again = duel::read_log_text(
        written, "again.jsonl", [](const duel::LogEntry&) -> duel::Status { return duel::Done{}; });
    DUEL_CHECK(again.ok() && again->records == extent->records);
  } else {
    DUEL_CHECK(!extent.error().message.empty());
  }
  return 0;
}
