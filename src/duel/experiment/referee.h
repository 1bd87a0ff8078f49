// What ends an experiment: the answers that may count, in the order of serving, and the certificate
// that they give for its goal. One rule for the ledger of a live experiment and for the simulated
// ones of `duel plan` (study/certified_run.h), so that a plan speaks of what will be run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/duel.h"
#include "duel/core/goal.h"
#include "duel/core/result.h"
#include "duel/inference/audited_units.h"
#include "duel/inference/certificate.h"
#include "duel/inference/evidence_answer.h"
#include "duel/inference/order_certificate.h"
#include "duel/inference/score_certificate.h"
#include "duel/inference/serving_order.h"
#include "duel/log/record.h"

namespace duel {

// What is certified.
struct Decision {
  CertificateKind kind = CertificateKind::winner;
  std::optional<Arm> winner;  // where one arm is named
  std::vector<Arm> arms;      // of a set, an order or a ranking, the best first where they have one
};

class Referee {
 public:
  // `borda_looks` is for simulations, which cannot afford Borda's bounds after every duel. An error
  // names the field that is out of range.
  static Result<Referee> make(std::size_t num_arms, const Goal& goal, const StoppingRule& stopping,
                              Looks borda_looks = Looks::every_duel, bool one_look = false);
  // Of answers whose order is unknown: nothing is decided before `look`, which is called once.
  static Result<Referee> of_one_look(std::size_t num_arms, const Goal& goal,
                                     const StoppingRule& stopping) {
    return make(num_arms, goal, stopping, Looks::once, true);
  }
  void look();
  // The Copeland certificate of logs of format 1.
  void settle_the_lowest_only() {
    if (scores_) scores_->settle_the_lowest_only();
  }

  // REQUIRES: the set of arms is not fixed.
  void add_arm() { DUEL_CHECK(certifier_.add_arm().ok()); }
  void retire(Arm arm) { DUEL_CHECK(certifier_.retire(arm).ok()); }

  // A duel went out; its place in the order of serving.
  std::uint64_t served(Arm first, Arm second);
  // Its final answer, in whatever order they come. `Outcome::none`: it was lost. REQUIRES of an
  // answer that is graded or audited: `takes_units`.
  void answered(std::uint64_t place, const EvidenceAnswer& answer);
  // Whether answers may say how much, or be audited: scores and a margin take wins and losses only.
  bool takes_units() const { return !scores_ && goal_.kind != Goal::epsilon; }

  // The first certificate stays, whatever follows. O(1).
  std::optional<Decision> decision() const;

  // Fed whatever the goal: it knows the contest that is closest.
  const Certifier& certifier() const { return certifier_; }
  // Only for the goals copeland and borda.
  const std::optional<ScoreCertifier>& scores() const { return scores_; }
  // Only for the goals set, order and ranking.
  const std::optional<OrderCertifier>& orders() const { return orders_; }
  const ServingOrder& order() const { return order_; }
  // What people and program have said of the pair, from the lower arm's side; null before its first
  // duel under audit was released.
  const AuditedUnits* audited(Arm i, Arm j) const;

  // The state between two calls (core/archive.h), for one of the same goal and stopping rule;
  // `restored` says whether it makes sense.
  void fields(auto& archive) {
    archive(order_, certifier_);
    archive_fields(archive, units_, audited_);
    // Whether there are any is the goal's.
    if (scores_) archive(*scores_);
    if (orders_) archive(*orders_);
  }
  bool restored() const;

 private:
  Referee(const Goal& goal, Certifier certifier) : goal_(goal), certifier_(std::move(certifier)) {}

  // An answer that waits for its turn and is no Outcome.
  struct Waiting {
    bool is_audited = false;
    GradedAnswer graded;
    AuditedAnswer audited;

    void fields(auto& archive) {
      archive(is_audited, graded.y, audited.share, audited.program, audited.drawn, audited.person,
              audited.lost);
    }
  };
  void release(const Duel& duel, Outcome answer);
  void release(const Duel& duel, const Waiting& answer);

  Goal goal_;
  ServingOrder order_;
  Certifier certifier_;
  std::map<std::uint64_t, Waiting> units_;               // by place
  std::map<std::pair<Arm, Arm>, AuditedUnits> audited_;  // of low and high
  std::optional<ScoreCertifier> scores_;
  std::optional<OrderCertifier> orders_;
};

}  // namespace duel
