#include "duel/ranking/metrics/judged_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

constexpr std::size_t kTabledRanks = 1024;

double natural_discount(std::size_t rank) {
  return 1.0 / natural_log(static_cast<double>(rank) + 1);
}

// 1/log2(rank + 1), exactly 1 at rank 1.
double binary_discount(std::size_t rank) {
  static const double log_two = natural_log(2.0);
  return log_two / natural_log(static_cast<double>(rank) + 1);
}

double discount(std::size_t rank, DiscountBase base) {
  if (base == DiscountBase::natural) return natural_discount(rank);
  if (base == DiscountBase::letor && rank > 1) --rank;  // 1/log2(rank)
  static const auto table = [] {
    std::array<double, kTabledRanks> values{};
    for (std::size_t i = 0; i < kTabledRanks; ++i) values[i] = binary_discount(i + 1);
    return values;
  }();
  return rank <= kTabledRanks ? table[rank - 1] : binary_discount(rank);
}

double gain_of(Grade grade, Gain gain) {
  if (gain == Gain::linear) return grade;
  constexpr unsigned kWhole = 53;  // beyond it the 1 is lost in rounding anyway
  return grade < kWhole ? static_cast<double>((std::uint64_t{1} << grade) - 1)
                        : std::ldexp(1.0, grade);
}

template <class Choice>
Result<Choice> choice_of(const char* field, const std::string& word,
                         const std::vector<std::pair<std::string, Choice>>& known) {
  std::vector<std::string> words;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    words.push_back(name);
  }
  return Error::invalid_argument(fmt::format("'{}' is not known", word))
      .with_hint(spelling_hint(word, words))
      .in_field(field);
}

}  // namespace

double dcg(std::span<const Grade> ranked, std::size_t k, Gain gain, DiscountBase base) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(k, ranked.size()); ++i) {
    if (ranked[i] > 0) sum += gain_of(ranked[i], gain) * discount(i + 1, base);
  }
  return sum;
}

double ideal_dcg(std::span<const Grade> judged, std::size_t k, Gain gain, DiscountBase base) {
  // Sorting by counting: grades are bytes.
  std::array<std::uint32_t, 256> counts{};
  for (const Grade grade : judged) ++counts[grade];
  double sum = 0;
  std::size_t rank = 1;
  for (std::size_t g = counts.size() - 1; g > 0; --g) {
    for (std::uint32_t i = 0; i < counts[g]; ++i, ++rank) {
      if (rank > k) return sum;
      sum += gain_of(static_cast<Grade>(g), gain) * discount(rank, base);
    }
  }
  return sum;
}

double ndcg(std::span<const Grade> ranked, std::span<const Grade> judged, std::size_t k, Gain gain,
            DiscountBase base) {
  const double ideal = ideal_dcg(judged, k, gain, base);
  return ideal > 0 ? dcg(ranked, k, gain, base) / ideal : 0;
}

double tie_averaged_ndcg(std::span<const double> scores, std::span<const Grade> grades,
                         std::size_t k, Gain gain) {
  DUEL_CHECK(scores.size() == grades.size());
  const double ideal = ideal_dcg(grades, k, gain);
  if (ideal == 0) return 0;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  double sum = 0;
  for (std::size_t begin = 0; begin < std::min(k, order.size());) {
    std::size_t end = begin;
    double gains = 0;
    double discounts = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      gains += gain_of(grades[order[end]], gain);
      if (end < k) discounts += discount(end + 1, DiscountBase::two);
    }
    sum += gains * discounts / static_cast<double>(end - begin);
    begin = end;
  }
  return sum / ideal;
}

double precision(std::span<const Grade> ranked, std::size_t k, Grade relevant) {
  DUEL_CHECK(k >= 1 && relevant >= 1);
  const auto top = ranked.first(std::min(k, ranked.size()));
  const auto hits =
      std::count_if(top.begin(), top.end(), [&](Grade grade) { return grade >= relevant; });
  return static_cast<double>(hits) / static_cast<double>(k);
}

double average_precision(std::span<const Grade> ranked, std::span<const Grade> judged,
                         Grade relevant) {
  DUEL_CHECK(relevant >= 1);
  const auto total =
      std::count_if(judged.begin(), judged.end(), [&](Grade grade) { return grade >= relevant; });
  if (total == 0) return 0;
  double sum = 0;
  double hits = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (ranked[i] < relevant) continue;
    ++hits;
    sum += hits / static_cast<double>(i + 1);
  }
  return sum / static_cast<double>(total);
}

double reciprocal_rank(std::span<const Grade> ranked, Grade relevant) {
  DUEL_CHECK(relevant >= 1);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (ranked[i] >= relevant) return 1.0 / static_cast<double>(i + 1);
  }
  return 0;
}

double expected_reciprocal_rank(std::span<const Grade> ranked, std::size_t k, Grade highest) {
  double sum = 0;
  double looking = 1;
  for (std::size_t i = 0; i < std::min(k, ranked.size()); ++i) {
    DUEL_CHECK(ranked[i] <= highest);
    const double stop = std::ldexp(gain_of(ranked[i], Gain::exponential), -int{highest});
    sum += looking * stop / static_cast<double>(i + 1);
    looking *= 1 - stop;
  }
  return sum;
}

bool has_relevant(std::span<const Grade> judged, Grade relevant) {
  return std::any_of(judged.begin(), judged.end(), [&](Grade grade) { return grade >= relevant; });
}

Result<Gain> gain_named(const std::string& word) {
  return choice_of<Gain>("gain", word,
                         {{"exponential", Gain::exponential}, {"linear", Gain::linear}});
}

Result<DiscountBase> discount_named(const std::string& word) {
  return choice_of<DiscountBase>(
      "discount", word,
      {{"log2", DiscountBase::two}, {"ln", DiscountBase::natural}, {"letor", DiscountBase::letor}});
}

Result<NoRelevant> no_relevant_named(const std::string& word) {
  return choice_of<NoRelevant>("no_relevant", word,
                               {{"zero", NoRelevant::zero}, {"skip", NoRelevant::skip}});
}

}  // namespace duel
