// Asks a judge about pairs until one slogan is certified to beat the others.
#include <iostream>
#include <string>

#include "duel/duel.h"

namespace {

// Yours would ask a person or a model.
std::string better_of(const std::string& one, const std::string& other) {
  return one.size() < other.size() ? one : other;
}

duel::Status run() {
  duel::ExperimentRecord record;
  record.experiment_id = "slogans";
  for (const std::string id : {"brief", "longer", "longest"}) {
    record.arms.push_back({.id = id, .payload = "", .sha256 = "", .content = {}});
  }
  record.stopping.alpha = 0.05;
  DUEL_ASSIGN(record.policy, duel::canonical_policy(record, record.arms.size()));

  // LocalExperiment::create and resume keep it in a log.
  DUEL_ASSIGN(auto experiment, duel::LocalExperiment::in_memory(record));
  while (!experiment.experiment().live().done()) {
    DUEL_ASSIGN(const duel::Offer offer, experiment.serve({}));
    const auto* served = std::get_if<duel::Served>(&offer);
    if (served == nullptr) break;  // nothing is left to ask
    duel::Report report;
    report.duel_id = served->serve.duel_id;
    report.answer = {duel::Answered::win, better_of(served->serve.first, served->serve.second)};
    DUEL_RETURN_IF_ERROR(experiment.report(report));
  }
  const duel::Ledger& ledger = experiment.ledger();
  std::cout << ledger.served() << " duels. " << duel::verdict_of(ledger, duel::standing_of(ledger))
            << '\n';
  return duel::Done{};
}

}  // namespace

int main() {
  const duel::Status ended = run();
  if (ended.ok()) return 0;
  std::cerr << ended.error().to_string() << '\n';
  return 1;
}
