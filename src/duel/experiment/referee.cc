#include "duel/experiment/referee.h"

#include <fmt/format.h>

#include <utility>

#include "duel/core/check.h"

namespace duel {

Result<Referee> Referee::make(std::size_t num_arms, Goal goal, const StoppingRule& stopping,
                              Looks borda_looks) {
  return make(num_arms, goal, stopping, borda_looks, false);
}

Result<Referee> Referee::of_one_look(std::size_t num_arms, Goal goal,
                                     const StoppingRule& stopping) {
  return make(num_arms, goal, stopping, Looks::once, true);
}

Result<Referee> Referee::make(std::size_t num_arms, Goal goal, const StoppingRule& stopping,
                              Looks borda_looks, bool one_look) {
  DUEL_ASSIGN(Certifier certifier,
              Certifier::make(num_arms, {.alpha = stopping.alpha,
                                         .arms_fixed = stopping.arms_fixed,
                                         .min_decisive_per_pair = stopping.min_decisive_per_pair,
                                         .shared_causes = stopping.shared_causes,
                                         .one_look = one_look}));
  if (goal == Goal::condorcet) return Referee(std::move(certifier), std::nullopt);
  if (!stopping.arms_fixed) {
    return Error::unsupported(fmt::format("the goal {} needs a fixed set of arms", to_word(goal)),
                              "stopping.arms_fixed", "set it to true, or take the goal condorcet");
  }
  const bool borda = goal == Goal::borda;
  DUEL_ASSIGN(ScoreCertifier scores,
              ScoreCertifier::make(num_arms, borda ? Score::borda : Score::copeland, stopping.alpha,
                                   stopping.min_decisive_per_pair,
                                   borda || one_look ? borda_looks : Looks::every_duel));
  return Referee(std::move(certifier), std::move(scores));
}

void Referee::look() {
  certifier_.look();
  if (scores_) scores_->look();
}

void Referee::add_arm() { DUEL_CHECK(certifier_.add_arm().ok()); }

void Referee::retire(Arm arm) { DUEL_CHECK(certifier_.retire(arm).ok()); }

std::uint64_t Referee::served(Arm first, Arm second) {
  const std::uint64_t place = order_.released() + order_.waiting();
  certifier_.served({.first = first, .second = second});
  order_.served(place, first, second, [](const Duel&, Outcome) {});  // no answer before its serve
  return place;
}

void Referee::answered(std::uint64_t place, Outcome outcome) {
  order_.answered(place, outcome, [&](const Duel& duel, Outcome answer) {
    certifier_.observe(duel, answer);
    if (!scores_) return;
    if (answer == Outcome::first_wins) scores_->observe(duel.first, duel.second);
    if (answer == Outcome::second_wins) scores_->observe(duel.second, duel.first);
  });
}

std::optional<Decision> Referee::decision() const {
  if (scores_) {
    if (!scores_->winner()) return std::nullopt;
    return Decision{
        scores_->score() == Score::copeland ? CertificateKind::copeland : CertificateKind::borda,
        scores_->winner()};
  }
  if (certifier_.winner()) return Decision{CertificateKind::winner, certifier_.winner()->winner};
  if (certifier_.no_winner()) return Decision{CertificateKind::no_winner, std::nullopt};
  return std::nullopt;
}

}  // namespace duel
