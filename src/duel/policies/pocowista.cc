#include "duel/policies/pocowista.h"

#include <algorithm>
#include <utility>

#include "duel/core/logarithm.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/policies/stopping.h"

namespace duel {

CopelandSearch::CopelandSearch(double delta, bool transitive, std::size_t num_arms)
    : num_arms_(num_arms),
      transitive_(transitive),
      relations_(num_arms * num_arms),
      scores_(num_arms),
      compared_(num_arms, 1) {
  const auto k = static_cast<double>(std::max<std::size_t>(num_arms, 2));
  const double shares = transitive ? k * natural_log(k) : k * (k - 1) / 2;
  log_bar_ = natural_log(2.0 * shares / delta);
}

void CopelandSearch::set_relation(Arm i, Arm j, Relation relation) {
  relations_[i * num_arms_ + j] = relation;
  relations_[j * num_arms_ + i] = relation == kWins    ? kLoses
                                  : relation == kLoses ? kWins
                                                       : relation;
}

// Step 2.
std::uint8_t CopelandSearch::judge(const Match& match, RoundRng& /*rng*/) const {
  const std::uint64_t wins = (match.first_points - match.ties) / 2;
  const std::uint64_t losses = (match.second_points - match.ties) / 2;
  std::pair<std::uint64_t, Match::Verdict> counts[] = {
      {wins, Match::first_wins}, {match.ties, Match::drawn}, {losses, Match::second_wins}};
  std::stable_sort(std::begin(counts), std::end(counts),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const double evidence = beta_binomial_log_evidence(counts[0].first, counts[1].first, 0.5, 1, 1);
  return evidence >= log_bar_ ? counts[0].second : Match::undecided;
}

// Step 3.
std::vector<Match> CopelandSearch::played(std::span<const Match> matches, RoundRng& /*rng*/) {
  const Match& match = matches.front();
  set_relation(match.first, match.second,
               match.verdict == Match::drawn        ? kTies
               : match.verdict == Match::first_wins ? kWins
                                                    : kLoses);
  if (transitive_) close();
  count();
  return next_match();
}

// What is known already is never overruled, so that contradictory answers end all the same.
void CopelandSearch::close() {
  for (bool grew = true; grew;) {
    grew = false;
    for (Arm i = 0; i < num_arms_; ++i) {
      for (Arm j = 0; j < num_arms_; ++j) {
        const Relation upper = relation(i, j);
        if (upper != kWins && upper != kTies) continue;
        for (Arm k = 0; k < num_arms_; ++k) {
          const Relation lower = relation(j, k);
          if (k == i || (lower != kWins && lower != kTies) || relation(i, k) != kUnknown) continue;
          set_relation(i, k, upper == kTies && lower == kTies ? kTies : kWins);
          grew = true;
        }
      }
    }
  }
}

void CopelandSearch::count() {
  for (Arm i = 0; i < num_arms_; ++i) {
    scores_[i] = 0;
    compared_[i] = 1;
    for (Arm j = 0; j < num_arms_; ++j) {
      const Relation known = relation(i, j);
      scores_[i] += known == kWins ? 2 : known == kTies ? 1 : 0;
      compared_[i] += known == kUnknown || i == j ? 0 : 1;
    }
  }
}

// The largest score; among equals the arm that can still gain most.
Arm CopelandSearch::best() const {
  Arm best = 0;
  for (Arm arm = 1; arm < num_arms_; ++arm) {
    if (std::pair(scores_[arm], potential_halves(arm)) >
        std::pair(scores_[best], potential_halves(best))) {
      best = arm;
    }
  }
  return best;
}

// Steps 1 and 4.
std::vector<Match> CopelandSearch::next_match() const {
  const Arm best = this->best();
  Arm i = 0;
  bool over = true;
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    if (potential_halves(arm) > potential_halves(i)) i = arm;
    over = over && (arm == best || potential_halves(arm) <= scores_[best]);
  }
  if (over) return {};
  std::size_t j = num_arms_;
  for (Arm arm = 0; arm < num_arms_; ++arm) {
    if (arm == i || relation(i, arm) != kUnknown) continue;
    if (j == num_arms_ || scores_[arm] > scores_[j]) j = arm;
  }
  return {{.first = i, .second = static_cast<Arm>(j)}};
}

Arm CopelandSearch::leader(std::span<const Match> /*matches*/, RoundRng /*rng*/) const {
  return best();
}

bool CopelandSearch::restored(std::size_t num_arms, std::span<const Match> matches) {
  if (relations_.size() != num_arms * num_arms) return false;
  for (Arm i = 0; i < num_arms; ++i) {
    if (relation(i, i) != kUnknown) return false;
    for (Arm j = 0; j < i; ++j) {
      const Relation known = relation(i, j), mirrored = relation(j, i);
      if (known > kLoses || mirrored > kLoses ||
          mirrored != (known == kWins    ? kLoses
                       : known == kLoses ? kWins
                                         : known)) {
        return false;
      }
    }
  }
  count();
  const std::vector<Match> expected = next_match();
  return matches.size() == expected.size() &&
         (matches.empty() || (matches.front().first == expected.front().first &&
                              matches.front().second == expected.front().second));
}

namespace {

const char* const kPocowistaPaper =
    "Bengs, Haddenhorst, Huellermeier: Identifying Copeland Winners in Dueling Bandits with "
    "Indifferences. 2023, Algorithm ";
const char* const kPocowistaGuarantee =
    "stops on a Copeland winner with probability >= 1 - delta, a tie of a pair counting half";

template <class Options>
OptionTable<Options> pocowista_options() {
  return OptionTable<Options>().number(
      "delta", static_cast<double Options::*>(&PocowistaOptions::delta), {.above = 0, .below = 1},
      "probability of stopping on another arm; a run that certifies gives its level",
      Shown::always);
}

const bool pocowista_is_registered = register_stopping_policy<Pocowista>(
    {.name = "pocowista",
     .title = "POCOWISTA, a Copeland winner with ties as answers",
     .paper = std::string(kPocowistaPaper) + "POCOWISTA",
     .setting = "Copeland winners, ties allowed",
     .guarantee = kPocowistaGuarantee,
     .status = "tested",
     .jumping = Jumping::exact},
    Finds::copeland, pocowista_options<Pocowista::Options>());

const bool tra_pocowista_is_registered = register_stopping_policy<TraPocowista>(
    {.name = "tra-pocowista",
     .title = "POCOWISTA for transitive arms",
     .paper = std::string(kPocowistaPaper) + "TRA-POCOWISTA",
     .setting = "transitive preferences, ties allowed",
     .guarantee = std::string(kPocowistaGuarantee) + "; under transitivity",
     .departs = "scores and sets are worked out anew from the closed relation; the printed update "
                "takes complements of the wrong sets",
     .status = "tested",
     .jumping = Jumping::exact},
    Finds::copeland, pocowista_options<TraPocowista::Options>());

}  // namespace
}  // namespace duel
