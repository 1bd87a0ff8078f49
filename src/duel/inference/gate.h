// Is a candidate no worse than a baseline? A statement about the mean score (1 + E y)/2 over all
// answers, ties among them: y is +1 where the candidate wins, -1 where the baseline does, 0 for a
// tie. Among decisive answers alone, as certificates of winners count, a change that does no harm
// would hardly ever pass: 80 % ties leave one answer in five to say anything.
//
// With the margin m = 2 epsilon, each claim has a process of its own, made as in evidence.h, that
// is expected never to grow where the claim is false: its k-th product is multiplied by
// 1 + 2 gap_k u,
//     better         u = y                        false where E y <= 0
//     not worse      u = (y + m)/(1 - m m)        false where E y <= -m
//     worse          u = -y                       false where E y >= 0
//     beyond margin  u = -(y + m)/(1 + m)         false where E y >= -m
// Better implies not worse on every path: its factors are never above those of "not worse".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/words.h"
#include "duel/inference/evidence.h"

namespace duel {

enum class GateClaim { better, not_worse, worse, beyond_margin };

template <>
struct Words<GateClaim> {
  static constexpr std::string_view noun = "claim of a gate";
  static constexpr auto all = words_table<GateClaim>({{"better", GateClaim::better},
                                                      {"not-worse", GateClaim::not_worse},
                                                      {"worse", GateClaim::worse},
                                                      {"beyond-margin", GateClaim::beyond_margin}});
};

struct GateRule {
  double alpha = 0.05;                     // of each claim
  double margin = 0.05;                    // epsilon: of the mean score
  GateClaim claim = GateClaim::not_worse;  // or `better`: what lets the candidate pass
  GateClaim fail = GateClaim::worse;       // or `beyond_margin`: what makes it fail
};
// An error names the field that is out of range.
Status check_gate(const GateRule& rule);

enum class GateEnd { open, passed, failed };

// The fewest answers that would have to be the reverse of what they are (y becomes -y) for the mean
// of all answers to be on the other side of the claim's bound; nothing where no number is enough,
// as a tie is its own reverse. `answers` are from the candidate's side, -1 <= y <= 1.
std::optional<std::uint64_t> fewest_to_reverse(GateClaim claim, double margin,
                                               std::span<const double> answers);

class Gate {
 public:
  // REQUIRES: check_gate(rule).
  explicit Gate(const GateRule& rule);

  // A final answer in the order of serving; `first_wins`: the candidate. A tie and `both_bad`
  // count; what is skipped, invalid or lost does not. Nothing counts once the gate has passed or
  // failed.
  void observe(Outcome outcome);
  // The same of a graded answer, -1 < y < 1 from the candidate's side.
  void observe(double y);

  GateEnd end() const { return end_; }
  // Whether the claim was shown by then, whatever the gate asks for.
  bool shown(GateClaim claim) const { return of(claim).most >= log_threshold_; }
  double log_evidence(GateClaim claim) const { return of(claim).now; }
  double log_threshold() const { return log_threshold_; }
  // Answers that counted, and what they said.
  std::uint64_t answers() const { return wins_ + losses_ + ties_ + num_graded_; }
  std::uint64_t wins() const { return wins_; }
  std::uint64_t losses() const { return losses_; }
  std::uint64_t ties() const { return ties_; }
  std::uint64_t graded() const { return num_graded_; }
  std::optional<double> mean_score() const;

 private:
  struct Logs {  // ln E, and the largest so far
    double now = 0;
    double most = 0;
  };
  static constexpr std::size_t kNumComponents = PairEvidence::kComponents.size();
  // What one answer adds to the logarithm of each product.
  struct Rates {
    double win, loss, tie;
  };
  using Table = std::array<Rates, kNumComponents>;
  const Logs& of(GateClaim claim) const { return logs_[static_cast<std::size_t>(claim)]; }
  using Graded = PairEvidence::Logs;  // what graded answers add to the logarithms
  double mixture(const Table& rates, const Graded& graded) const;
  void look();

  GateRule rule_;
  double log_threshold_;
  PairEvidence even_;
  std::array<double, kNumComponents> log_weights_{};
  Table not_worse_{}, beyond_margin_{};
  std::array<Logs, 4> logs_;
  std::uint64_t wins_ = 0, losses_ = 0, ties_ = 0;
  std::array<Graded, 4> graded_{};  // by claim
  std::uint64_t num_graded_ = 0;
  double score_sum_ = 0;
  GateEnd end_ = GateEnd::open;
};

}  // namespace duel
