// What is kept of an experiment's past besides its state: the series for plots, the certificate as
// it was when it was given, and what open pages of results have earned. A fold over the records, as
// the ledger is. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "duel/experiment/ledger.h"
#include "duel/log/record.h"
#include "duel/verdict/page_tally.h"
#include "duel/verdict/timeline.h"

namespace duel {

class History {
 public:
  // To be called after the record was applied to the ledger.
  void note(const Ledger& ledger, const LogEntry& entry);

  const Timeline& timeline() const { return timeline_; }
  // Of an experiment that serves pages of results.
  const PageTally& pages() const { return pages_; }
  // The text of the certificate file without what follows from the single answers (if_wrong.h);
  // empty while there is none.
  const std::string& certificate() const { return certificate_; }

  std::string save() const;
  // False if the bytes are not a saved history. An empty text is the state before the first record.
  bool restore(std::string_view saved);

 private:
  Timeline timeline_;
  PageTally pages_;
  std::string certificate_;
};

}  // namespace duel
