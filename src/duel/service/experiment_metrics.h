// Metrics of experiments for Prometheus. Counters count what this process did since its start, so
// the sum over nodes is right, and a series stays when its experiment leaves memory. Any thread may
// call.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "duel/experiment/ledger.h"

namespace duel {

// How many duels have ended how, over all pairs and A/A duels.
class OutcomeCounts {
 public:
  OutcomeCounts() = default;
  explicit OutcomeCounts(const Ledger& ledger);

  static constexpr std::array<std::string_view, 6> kResults = {"win",  "tie",     "both_bad",
                                                               "skip", "invalid", "expired"};
  std::uint64_t operator[](std::size_t result) const { return counts_[result]; }
  void add_difference(const OutcomeCounts& now, const OutcomeCounts& before);

 private:
  std::array<std::uint64_t, kResults.size()> counts_{};
};

class ExperimentMetrics {
 public:
  // Begins the series of an experiment that exists. Nothing is counted for other names: a caller
  // who makes up names would otherwise fill the memory with series.
  void know(const std::string& experiment_id);
  // Adds the outcomes since `before`, and sets the gauges to the ledger's present state.
  void count(const Ledger& ledger, const OutcomeCounts& before, const OutcomeCounts& now);
  // Drops the gauges, because this node no longer knows the experiment's present state.
  void forget_standing(const std::string& experiment_id);

  // A duel was given to a caller: a word of Serving, or `fallback`.
  void count_served(const std::string& experiment_id, std::string_view serving);
  // An outcome was reported and not applied.
  void count_rejected(const std::string& experiment_id, std::string_view why);

  std::string text() const;

 private:
  struct Standing {
    std::uint64_t pending = 0;
    bool certified = false;
  };
  struct Series {
    std::map<std::string, std::uint64_t, std::less<>> served;    // by serving
    std::map<std::string, std::uint64_t, std::less<>> rejected;  // by reason
    OutcomeCounts outcomes;
    std::optional<Standing> standing;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Series, std::less<>> series_;
};

}  // namespace duel
