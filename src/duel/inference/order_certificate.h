// Certificates of the goals that are about the order of arms (core/goal.h): a set of k arms that
// each beat every arm outside, the first k in their order, or the order of all.
//
// A candidate needs the pairs in which it puts one arm before another: (member, outsider) of a set;
// (i_a, every arm that comes later or is not named) of a sequence. It is certified once each needed
// E_ij has at some time reached the threshold (order_threshold.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/goal.h"
#include "duel/core/result.h"
#include "duel/inference/certificate.h"

namespace duel {

// The pairs (i, j) that a candidate needs, i over j. `named` is the set or the sequence.
std::vector<Duel> needed_pairs(const Goal& goal, const std::vector<Arm>& named,
                               std::size_t num_arms);

struct OrderCertificate {
  std::vector<Arm> named;  // the set, ascending; or the sequence, the best first, all of a ranking
  std::uint64_t decisive = 0;         // decisive duels counted, over all pairs
  std::vector<PairFinding> findings;  // one for each needed pair

  void fields(auto& archive) { archive(named, decisive, findings); }
};

// Reads the evidence of the pairs from a `Certifier`, which is told of each answer first.
class OrderCertifier {
 public:
  // An error names the field that is out of range, or says that the set of arms must be fixed.
  // REQUIRES: goal.is_order(); `options` are those of the certifier.
  static Result<OrderCertifier> make(const Goal& goal, std::size_t num_arms,
                                     const CertificateOptions& options);

  // The pair has an answer more. O(1) but for a pair that has reached the threshold just now.
  void observe(const Certifier& pairs, Arm i, Arm j);
  // After the one look of the certifier.
  void look(const Certifier& pairs);

  const Goal& goal() const { return goal_; }
  double log_threshold() const { return log_threshold_; }
  // Whether E_ij has reached the threshold.
  bool reached(Arm i, Arm j) const { return reached_[i * num_arms_ + j] != 0; }
  // Given once and for good.
  const std::optional<OrderCertificate>& certificate() const { return certificate_; }

  // The arms at the beginning of the order that are certain already, though the whole is not: each
  // has reached the threshold against every arm that comes later. The threshold of the whole makes
  // all such beginnings right at once, with probability 1 - alpha (docs/certificates.md). Empty for
  // a set, which has no beginning.
  std::vector<Arm> certain_beginning() const;

  // The state between two calls (core/archive.h), for one of the same arms and options; `restored`
  // says whether it makes sense.
  void fields(auto& archive) { archive_fields(archive, reached_, taken_, beats_, certificate_); }
  bool restored() const;

 private:
  OrderCertifier(const Goal& goal, std::size_t num_arms, const CertificateOptions& options);

  bool taken(Arm i, Arm j) const { return taken_[i * num_arms_ + j] != 0; }
  bool update(const Certifier& pairs, Arm i, Arm j);
  void take(Arm i, Arm j, bool now);
  void look_for_certificate(const Certifier& pairs);
  std::optional<std::vector<Arm>> find_set() const;
  std::optional<std::vector<Arm>> find_sequence() const;
  std::vector<Arm> find_beginning() const;

  Goal goal_;
  std::size_t num_arms_;
  std::size_t num_named_;  // arms whose pairs are needed: k, of a ranking K - 1
  std::uint64_t min_decisive_per_pair_;
  double log_threshold_;
  std::vector<std::uint8_t> reached_;  // E_ij >= threshold at some time, at i * K + j
  // The same with at most one direction of a pair: where both have reached the threshold one is an
  // error, and the side that is ahead now is taken. So the candidate is found by counting.
  std::vector<std::uint8_t> taken_;
  std::vector<std::size_t> beats_;  // arms j with taken(i, j)
  std::optional<OrderCertificate> certificate_;
};

}  // namespace duel
