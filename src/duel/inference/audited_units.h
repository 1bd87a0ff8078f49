// People audit a program: it answers every duel, they answer a drawn share of them, and the
// statement is about people. A doubly robust estimate, weighted by how the program has done so far.
//
// For duel t of a pair, pi_t is the probability that it is drawn, fixed when it was served; F_t the
// program's answer, Y_t a person's, both in [-1, 1]. From the pair's own earlier audits
//     w_t = min(1, max(0, (2 + sum Y F)/(4 + sum F F)))
//     b_t = (1 + w_t (1 - pi_t))/pi_t
//     Z_t = w_t F_t where it was not drawn, w_t F_t + (Y_t - w_t F_t)/pi_t where it was
//     u_t = Z_t/b_t,   of the reverse pair -u_t.
// Given everything but the coin, Z_t has the mean Y_t, and |Z_t| <= b_t. So where people do not
// prefer i, u_t has a mean of at most 0 given the past, whatever the program says, and is a unit of
// evidence.h.
//
// What would make a false certificate (tests/inference/audited_units_test.cc has each):
//   - a bound b_t that looks at F_t: it stakes more where the program says i. Nothing of the duel
//     itself may enter it; that is why pi_t is fixed before F_t.
//   - audits that are lost. One that is given up counts as the worst for each direction: Y = -1 for
//     i against j, Y = +1 for j against i. It is left out of the sums.
//   - answers that count as they come. Here they are told in serving order (serving_order.h).
//   - weights from other pairs: they have met tasks that this pair has still to meet.
#pragma once

#include <cstdint>

#include "duel/core/archive_containers.h"
#include "duel/inference/evidence_answer.h"

namespace duel {

// Of one pair, always seen from the same of its arms.
class AuditedUnits {
 public:
  struct Unit {
    double weight = 0;   // w
    double scale = 1;    // b
    double value = 0;    // Z; of a lost audit, as it counts for the pair as seen
    double unit = 0;     // u
    double reverse = 0;  // of the other direction: -u, but for a lost audit
  };
  // The next duel in serving order. REQUIRES: 0 < share <= 1.
  Unit release(const AuditedAnswer& answer);

  // w of the next duel.
  double weight() const;
  // The correlation of people and program, shrunk towards 1/2.
  double correlation() const;

  std::uint64_t duels() const { return duels_; }
  std::uint64_t audited() const { return audited_; }    // drawn and answered
  std::uint64_t lost() const { return lost_; }          // drawn and given up
  std::uint64_t decisive() const { return decisive_; }  // audited, and Y is not 0
  // Of the audited ones in which both are decisive: how many there are, and how often they agree.
  std::uint64_t comparable() const { return comparable_; }
  std::uint64_t agreed() const { return agreed_; }
  double people() const { return people_; }    // sum of Y
  double program() const { return program_; }  // sum of F over all duels
  double lead() const { return lead_; }        // sum of Z without lost audits
  // With the weight 0 after so many audits the program says nothing, or the reverse.
  static constexpr std::uint64_t kEnoughToTell = 20;
  bool useless() const { return audited_ >= kEnoughToTell && weight() == 0; }

  void fields(auto& archive) {
    archive(duels_, audited_, lost_, decisive_, comparable_, agreed_, people_program_,
            program_program_, people_people_, people_, program_, lead_);
  }

 private:
  std::uint64_t duels_ = 0, audited_ = 0, lost_ = 0, decisive_ = 0, comparable_ = 0, agreed_ = 0;
  // Sums over the audited duels.
  double people_program_ = 0, program_program_ = 0, people_people_ = 0, people_ = 0;
  double program_ = 0, lead_ = 0;
};

// The share of duels to draw that costs least where an answer of the program costs `price_ratio` of
// a person's, within `least` and 1: the variance of an answer of a person is then
// 1 - (1 - share) correlation^2 of what it is with people alone.
double best_audit_share(double price_ratio, double correlation, double least);

}  // namespace duel
