#include "duel/verdict/history.h"

#include "duel/core/archive.h"
#include "duel/verdict/certificate_file.h"

namespace duel {

void History::note(const Ledger& ledger, const LogEntry& entry) {
  timeline_.note(ledger, entry.time_ms);
  pages_.note(ledger, entry);
  if (ledger.certificate() && ledger.certificate()->sequence == entry.sequence) {
    certificate_ = certificate_text(certificate_of(ledger));
  }
}

std::string History::save() const {
  StateWriter writer;
  writer(certificate_, timeline_, pages_);
  return writer.finish();
}

bool History::restore(std::string_view saved) {
  *this = {};
  if (saved.empty()) return true;
  auto reader = StateReader::open(saved);
  if (!reader.ok()) return false;
  (*reader)(certificate_, timeline_, pages_);
  return reader->complete();
}

}  // namespace duel
