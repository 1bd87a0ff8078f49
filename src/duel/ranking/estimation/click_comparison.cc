#include "duel/ranking/estimation/click_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "duel/ranking/click_models/exact_clicks.h"

namespace duel {
namespace {

// What a click at each position is worth to the first ranker, where that is a whole number
// throughout.
bool whole_credits(const Interleaver& method, const Interleaving& shown,
                   std::vector<int>& credits) {
  if (!method.is_additive()) return false;
  credits.clear();
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const double value = shown.first_credit[k] - shown.second_credit[k];
    if (value != std::round(value) || std::abs(value) > 16) return false;
    credits.push_back(static_cast<int>(value));
  }
  return true;
}

// In the order of ClickOutcome.
constexpr double OutcomeShares::* kByOutcome[] = {
    &OutcomeShares::first_wins, &OutcomeShares::second_wins, &OutcomeShares::ties,
    &OutcomeShares::no_feedback, &OutcomeShares::no_contest};

}  // namespace

void grades_of(std::span<const Document> documents, std::span<const Grade> judged,
               std::vector<Grade>& grades) {
  grades.clear();
  for (const Document document : documents) grades.push_back(judged[document]);
}

void OutcomeShares::add(ClickOutcome outcome, double amount) {
  this->*kByOutcome[static_cast<std::size_t>(outcome)] += amount;
}

OutcomeShares& OutcomeShares::operator+=(const OutcomeShares& other) {
  for (const auto share : kByOutcome) this->*share += other.*share;
  return *this;
}

OutcomeShares OutcomeShares::scaled(double factor) const {
  OutcomeShares result;
  for (const auto share : kByOutcome) result.*share = this->*share * factor;
  return result;
}

const PreparedInterleaving& PreparedLists::get(std::size_t first, std::size_t second,
                                               std::size_t query) {
  const std::uint64_t pair = std::uint64_t{first} * queries_.num_rankers() + second;
  const std::uint64_t key = pair * queries_.num_queries() + query;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = lists_.find(key); found != lists_.end()) return *found->second;
  }
  // Two threads may prepare the same at once; they make the same, and one of them is kept.
  RoundRng rng = Stream(seed_, 0, Purpose::impression, "prepare").at(key);
  auto prepared = setting_.method->prepare(queries_.top(first, query), queries_.top(second, query),
                                           queries_.length(), rng);
  const std::unique_lock lock(mutex_);
  return *lists_.try_emplace(key, std::move(prepared)).first->second;
}

ClickOutcome ClickComparison::draw(std::size_t first, std::size_t second, RoundRng& rng) {
  const auto query = static_cast<std::size_t>(rng.below(queries_.num_queries()));
  if (setting_.method->prepares()) {
    lists_.get(first, second, query).draw(rng, shown_);
  } else {
    setting_.method->interleave(queries_.top(first, query), queries_.top(second, query),
                                queries_.length(), rng, shown_);
  }
  if (!shown_.contest) return ClickOutcome::no_contest;
  grades_of(shown_.documents, queries_.grades(query), grades_);
  setting_.user->click(grades_, rng, clicks_);
  return setting_.method->credit(shown_, clicks_).outcome;
}

Status check_pattern_length(std::size_t length) {
  constexpr std::size_t kMost = 14;
  if (length <= kMost) return Done{};
  return Error::unsupported(fmt::format("a list of {} documents can be clicked in 2^{} ways, "
                                        "which are too many to go through",
                                        length, length))
      .with_hint(fmt::format("lists of at most {} documents", kMost));
}

Result<OutcomeShares> exact_comparison(const RankedQueries& queries, const ClickSetting& setting,
                                       std::size_t first, std::size_t second, std::size_t query) {
  OutcomeShares shares;
  const auto a = queries.top(first, query);
  const auto b = queries.top(second, query);
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) {
    shares.no_contest = 1;
    return shares;
  }
  DUEL_ASSIGN(const std::vector<WeightedInterleaving> lists,
              setting.method->enumerate(a, b, queries.length()));
  std::vector<Grade> grades;
  std::vector<int> credits;
  for (const WeightedInterleaving& list : lists) {
    if (!list.shown.contest) {
      shares.no_contest += list.probability;
      continue;
    }
    grades_of(list.shown.documents, queries.grades(query), grades);
    if (whole_credits(*setting.method, list.shown, credits)) {
      const CreditDistribution credit = click_credit_distribution(*setting.user, grades, credits);
      const double none = click_pattern_probability(*setting.user, grades, {});
      shares.first_wins += list.probability * credit.probability_of_positive();
      shares.second_wins += list.probability * credit.probability_of_negative();
      shares.no_feedback += list.probability * none;
      shares.ties += list.probability * std::max(0.0, credit.probability_of_zero() - none);
      continue;
    }
    DUEL_RETURN_IF_ERROR(check_pattern_length(list.shown.size()));
    for_each_click_pattern(*setting.user, grades,
                           [&](std::span<const Position> clicks, double probability) {
                             shares.add(setting.method->credit(list.shown, clicks).outcome,
                                        list.probability * probability);
                           });
  }
  return shares;
}

}  // namespace duel
