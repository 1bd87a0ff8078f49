#include "duel/ranking/interleaving/interleaver.h"

#include <fmt/format.h>

namespace duel {
std::string_view to_string(ClickOutcome outcome) {
  constexpr std::string_view kWords[] = {"first", "second", "tie", "no_feedback", "no_contest"};
  return kWords[static_cast<std::size_t>(outcome)];
}

Outcome as_answer(ClickOutcome outcome) {
  constexpr Outcome kAnswers[] = {Outcome::first_wins, Outcome::second_wins, Outcome::tie,
                                  Outcome::none, Outcome::none};
  return kAnswers[static_cast<std::size_t>(outcome)];
}

ClickOutcome outcome_of(double value, bool contest, bool clicked) {
  if (!contest) return ClickOutcome::no_contest;
  if (!clicked) return ClickOutcome::no_feedback;
  if (value > kCreditRounding) return ClickOutcome::first_wins;
  if (value < -kCreditRounding) return ClickOutcome::second_wins;
  return ClickOutcome::tie;
}

void Interleaving::clear() {
  documents.clear();
  teams.clear();
  first_ranks.clear();
  second_ranks.clear();
  first_credit.clear();
  second_credit.clear();
  contest = false;
  filled_from = std::numeric_limits<std::size_t>::max();
}

void Interleaving::resize(std::size_t size) {
  documents.resize(size);
  teams.resize(size);
  first_ranks.resize(size);
  second_ranks.resize(size);
  first_credit.resize(size);
  second_credit.resize(size);
}

std::unique_ptr<const PreparedInterleaving> Interleaver::prepare(std::span<const Document> first,
                                                                 std::span<const Document> second,
                                                                 std::size_t length,
                                                                 RoundRng& /*rng*/) const {
  return std::make_unique<PreparedInterleaving>(PreparedInterleaving{
      [this, one = std::vector<Document>(first.begin(), first.end()),
       other = std::vector<Document>(second.begin(), second.end()), length](
          RoundRng& rng, Interleaving& shown) { interleave(one, other, length, rng, shown); }});
}

Credit additive_credit(const Interleaving& shown, std::span<const Position> clicks) {
  DUEL_CHECK(clicks.empty() || clicks.back() < shown.first_credit.size());
  Credit credit;
  for (const Position position : clicks) {
    credit.first += shown.first_credit[position];
    credit.second += shown.second_credit[position];
  }
  credit.value = credit.first - credit.second;
  credit.outcome = outcome_of(credit.value, shown.contest, !clicks.empty());
  return credit;
}

Error too_many_paths(const std::string& method, std::size_t limit) {
  return Error::unsupported(
             fmt::format("{} has more than {} ways to merge these rankings, too many to list",
                         method, limit))
      .with_hint("use shorter lists, or draw a sample");
}

}  // namespace duel
