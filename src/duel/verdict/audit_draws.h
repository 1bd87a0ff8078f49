// Whether the duels that people audited are those that the coin of the log's key draws
// (experiment/audit_coin.h). Who runs an experiment could otherwise ask people only where the
// program has said what suits.
//
// The key is told with the last record. A key that was lost on the way is never told, and what it
// drew cannot be checked; one that was made from the seed is known from the first record on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/log/record.h"

namespace duel {

struct CheckedDraws {
  std::uint64_t checked = 0, unchecked = 0;

  static constexpr std::string_view schema = "CheckedDraws";
  static constexpr FieldList fields{
      required("checked", &CheckedDraws::checked, "draws that are those of the key"),
      required("unchecked", &CheckedDraws::unchecked,
               "draws by a key that was lost, or that the log will tell at its end")};
};

class AuditDraws {
 public:
  explicit AuditDraws(const ExperimentRecord& experiment);

  // Every record after the first, in order. An error is what does not fit.
  Status note(const LogEntry& entry);
  // At the end of the log.
  Result<CheckedDraws> finish();

 private:
  struct Draw {
    std::string duel_id;
    double share = 0;
    bool drawn = false;
    std::uint64_t sequence = 0;
  };
  // Tosses the coins of the present key again, where it is known.
  Status toss();

  std::string key_, key_sha256_;
  TextMap<double> shares_;   // of the duels that are yet to be drawn
  std::vector<Draw> draws_;  // by the present key
  CheckedDraws found_;
};

}  // namespace duel
