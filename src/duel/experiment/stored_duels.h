// The settled duels of an experiment, looked up in its store by id.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/experiment/ledger.h"
#include "duel/log/record.h"
#include "duel/log/record_reader.h"
#include "duel/store/store.h"

namespace duel {

// The records of one duel, as far as there are any, or of one comparison.
struct DuelRecords {
  std::optional<LogEntry> serve;
  // Its first outcome, or its expiry. Of a duel that was drawn for a person, the person's.
  std::optional<LogEntry> settled;
  std::optional<LogEntry> program;   // of a duel under audit: the program's outcome, or its expiry
  std::optional<bool> drawn;         // and whether it was drawn
  bool lost = false;                 // and given up
  std::optional<OfferRecord> offer;  // and to whom it was offered last
  std::optional<LogEntry> page;
  std::vector<PagedRecord> paged;   // its pages after the first
  std::vector<EventRecord> events;  // on them
  std::vector<Answer> refused;      // those after the first
  std::optional<ComparisonRecord> comparison;
};

class StoredDuels final : public SettledDuels {
 public:
  StoredDuels(std::shared_ptr<Store> store, std::string experiment)
      : store_(std::move(store)), experiment_(std::move(experiment)) {}

  // As the ledger numbers them.
  void know_arms(const std::vector<LedgerArm>& arms) {
    arms_.clear();
    for (Arm k = 0; k < arms.size(); ++k) arms_.emplace(arms[k].entry.id, k);
  }
  // A line of a duel that is applied but not in the store yet; `committed` says that all are.
  void staged(const std::string& duel_id, const LogEntry& entry);
  void committed();

  // The records of a duel before number `before`. What was read last is remembered, so that one
  // request reads its duel once; it ends with the next `staged`, `committed` or `forget`.
  Result<const DuelRecords*> look_up(std::string_view duel_id, std::uint64_t before) const;
  // A request begins: the store is asked again.
  void forget() { last_.reset(); }

  bool guards_ids() const override { return false; }
  void add(std::string_view /*duel_id*/, const LedgerDuel& /*duel*/) override {}
  Result<std::optional<LedgerDuel>> find(std::string_view duel_id,
                                         std::uint64_t before) const override;

 private:
  struct Read {
    std::string duel_id;
    std::uint64_t before = 0;
    DuelRecords records;
  };

  static void take(DuelRecords& records, LogEntry entry);

  std::shared_ptr<Store> store_;
  std::string experiment_;
  TextMap<Arm> arms_;
  TextMap<std::vector<LogEntry>> staged_;
  mutable std::optional<Read> last_;
};

}  // namespace duel
