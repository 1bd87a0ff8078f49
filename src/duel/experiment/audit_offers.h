// Which duels wait for a person where people audit a program: who holds an offer of one and until
// when, which pairs each was offered, and which duel somebody is offered next. Kept as the log
// goes, so that no request looks at every duel that waits.
//
// Cost  next: O(P log n) for P pairs with a duel that nobody holds, and O(log n) for each offer
//       that has ended since.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/text_map.h"
#include "duel/experiment/ledger.h"

namespace duel {

class AuditOffers {
 public:
  // After so many offers a duel is given up; 0: never.
  explicit AuditOffers(std::uint64_t most_offers = 0) : most_offers_(most_offers) {}

  // --- Records. `duel` as it is after the record. ------------------------------------------------
  // The duel was drawn.
  void drawn(const std::string& duel_id, const LedgerDuel& duel);
  // It was offered. REQUIRES: it was drawn.
  void offered(const std::string& duel_id, const LedgerDuel& duel, const std::string& subject,
               std::int64_t until_ms);
  // It waits no more.
  void ended(const std::string& duel_id);

  struct Next {
    // Offered as often as may be, and held by nobody: to be given up before, in this order.
    std::vector<std::string> spent;
    std::optional<std::string> duel_id;    // the first that the subject may be asked about
    std::optional<std::int64_t> until_ms;  // where the subject holds it already
  };
  // `once`: no pair that the subject was offered before.
  Next next(const std::string& subject, bool once, std::int64_t now_ms);

  template <class Archive>
  void fields(Archive& archive) {
    archive_fields(archive, held_, offered_pairs_);
  }
  // The rest of a saved state, which follows from these and from the ledger.
  void restored(const Ledger& ledger);

 private:
  using Pair = std::pair<Arm, Arm>;
  struct Held {
    std::string subject;
    std::int64_t until_ms = 0;
    void fields(auto& archive) { archive(subject, until_ms); }
  };
  struct Waiting {
    std::uint64_t ordinal = 0;
    Pair pair;
    std::uint64_t offers = 0;
  };
  using ByOrdinal = std::map<std::uint64_t, std::string>;  // ids of duels

  void hold(const std::string& duel_id, const Waiting& waiting, const Held& held);
  void free(const std::string& duel_id, const Waiting& waiting);
  // It is none of these.
  void take_out(const std::string& duel_id, const Waiting& waiting);
  void free_ended(std::int64_t now_ms);

  std::uint64_t most_offers_;
  TextMap<Held> held_;                     // by duel: the last offer, also after it has ended
  TextMap<std::set<Pair>> offered_pairs_;  // by subject
  // Derived: a duel that waits is held, free or spent.
  TextMap<Waiting> waiting_;
  std::map<Pair, ByOrdinal> free_;
  ByOrdinal spent_;
  TextMap<ByOrdinal> held_by_;                             // by subject
  std::set<std::pair<std::int64_t, std::string>> by_end_;  // of what is held
};

}  // namespace duel
