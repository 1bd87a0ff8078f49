#include "duel/experiment/live_experiment.h"

namespace duel {
namespace {

// The ledger is the first field of a saved state, so that it can be read alone.
Status read_ledger(StateReader& reader, Ledger& ledger) {
  reader(ledger);
  if (ledger.restored()) return Done{};
  return Error::invalid_data("the saved ledger does not fit the experiment");
}

}  // namespace

Result<LiveExperiment> LiveExperiment::make(const ExperimentRecord& experiment,
                                            std::unique_ptr<SettledDuels> settled) {
  DUEL_ASSIGN(Ledger ledger, Ledger::make(experiment, std::move(settled)));
  DUEL_ASSIGN(Chooser chooser, Chooser::make(ledger));
  return LiveExperiment(std::move(ledger), std::move(chooser));
}

Status LiveExperiment::check(const Record& record) const {
  DUEL_RETURN_IF_ERROR(ledger_.check(record));
  return chooser_.check(ledger_, record);
}

Result<Effect> LiveExperiment::apply(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(check(entry.record));
  return take(entry);
}

Result<Effect> LiveExperiment::take(const LogEntry& entry) {
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    DUEL_RETURN_IF_ERROR(chooser_.served(ledger_, *serve));
  } else if (has_choice()) {
    return Error::conflict("a duel was chosen and is to be served first");
  }
  chooser_.before(ledger_, entry.record);
  const Ledger::Folded folded = ledger_.fold(entry);
  if (folded.settled) {
    const Heard answer = heard(*folded.settled, ledger_.feedback().on_timeout, ledger_.parts());
    if (answer.chooser) chooser_.tell(ledger_, *folded.settled, *answer.chooser);
  }
  chooser_.after(ledger_, entry.record);
  if (std::holds_alternative<ArmAddedRecord>(entry.record) ||
      std::holds_alternative<ArmRetiredRecord>(entry.record) ||
      std::holds_alternative<PolicyRebuiltRecord>(entry.record)) {
    chooser_.begin_again(ledger_);
  }
  return folded.effect;
}

bool LiveExperiment::done() const {
  if (ledger_.completed() || ledger_.certificate()) return true;
  const std::uint64_t limit = ledger_.experiment().stopping.max_duels;
  return limit > 0 && ledger_.served() >= limit && !ledger_.has_pending();
}

std::optional<std::string> LiveExperiment::save() const {
  // A learner of points is made again from the log.
  if (ledger_.tuned() != nullptr) return std::nullopt;
  if (has_choice() || divergence() || ledger_.num_active() < 2) return std::nullopt;
  StateWriter writer;
  writer(ledger_);
  chooser_.save(writer);
  return writer.finish();
}

Status LiveExperiment::restore_ledger(std::string_view saved, Ledger& ledger) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  return read_ledger(reader, ledger);
}

Status LiveExperiment::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  DUEL_RETURN_IF_ERROR(read_ledger(reader, ledger_));
  return chooser_.restore(reader, ledger_);
}

}  // namespace duel
