#include "duel/cli/demo_shop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "duel/core/check.h"
#include "duel/ranking/interleaving/impression_draft.h"

namespace duel::cli {
namespace {

constexpr std::size_t kItems = 20;

// The less noise, the better the ranker.
struct Ranker {
  std::string_view name;
  double noise;
};
constexpr std::array<Ranker, 6> kRankers = {{{"bm25", 2.4},
                                             {"popularity", 4.0},
                                             {"semantic", 1.9},
                                             {"hybrid-30", 1.3},
                                             {"hybrid-50", 0.4},
                                             {"hybrid-70", 1.5}}};

constexpr std::size_t kWords = 0;    // bm25
constexpr std::size_t kMeaning = 2;  // semantic

// Chances of a click by grade, and of reading on after an item.
constexpr std::array<double, 4> kClick = {0.04, 0.15, 0.4, 0.75};
constexpr double kReadsOn = 0.85;

std::string object_of(std::size_t item) { return fmt::format("d{}", item); }

}  // namespace

DemoShop::DemoShop(std::uint64_t seed) : seed_(seed) {
  const Stream worth(seed, 0, Purpose::generate, "demo/grades");
  for (std::size_t query = 0; query < kQueries; ++query) {
    RoundRng rng = worth.at(query + 1);
    std::vector<std::uint32_t>& grades = grades_.emplace_back();
    // A few items answer the query, most do not.
    for (std::size_t item = 0; item < kItems; ++item) {
      const double u = rng.uniform();
      grades.push_back(u < 0.1 ? 3 : u < 0.25 ? 2 : u < 0.5 ? 1 : 0);
    }
  }
  for (const Ranker& ranker : kRankers) {
    rankers_.emplace_back(ranker.name);
    const Stream noise(seed, 0, Purpose::generate, ranker.name);
    std::vector<std::vector<std::string>>& lists = rankings_.emplace_back();
    for (std::size_t query = 0; query < kQueries; ++query) {
      RoundRng rng = noise.at(query + 1);
      std::vector<std::pair<double, std::size_t>> scored;
      for (std::size_t item = 0; item < kItems; ++item) {
        scored.emplace_back(grades_[query][item] + ranker.noise * rng.normal(), item);
      }
      std::ranges::sort(scored, std::greater<>());
      std::vector<std::string>& list = lists.emplace_back();
      for (std::size_t k = 0; k < kPage; ++k) list.push_back(object_of(scored[k].second));
    }
  }
}

std::vector<std::string> DemoShop::hybrid(double weight, std::size_t query) const {
  std::vector<std::pair<double, std::size_t>> scored;
  for (std::size_t item = 0; item < kItems; ++item) scored.emplace_back(0, item);
  for (const auto& [ranker, share] : {std::pair(kWords, 1 - weight), std::pair(kMeaning, weight)}) {
    RoundRng rng = Stream(seed_, 0, Purpose::generate, kRankers[ranker].name).at(query + 1);
    for (auto& [score, item] : scored) {
      score += share * (grades_[query][item] + kRankers[ranker].noise * rng.normal());
    }
  }
  std::ranges::sort(scored, std::greater<>());
  std::vector<std::string> list;
  for (std::size_t k = 0; k < kPage; ++k) list.push_back(object_of(scored[k].second));
  return list;
}

double DemoShop::hybrid_wins(double weight, double other, std::uint64_t pages) const {
  return share_won(
      fmt::format("demo/truth/{}/{}", weight, other), pages,
      [&](std::size_t query) { return hybrid(weight, query); },
      [&](std::size_t query) { return hybrid(other, query); });
}

std::uint32_t DemoShop::grade(std::string_view object, std::size_t query) const {
  std::size_t item = 0;
  std::from_chars(object.data() + 1, object.data() + object.size(), item);
  return grades_[query][item];
}

std::vector<std::size_t> DemoShop::clicks(const std::vector<std::string>& page, std::size_t query,
                                          RoundRng& rng) const {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < page.size(); ++place) {
    if (rng.bernoulli(kClick[grade(page[place], query)])) places.push_back(place);
    if (!rng.bernoulli(kReadsOn)) break;
  }
  return places;
}

double DemoShop::share_won(const std::string& stream, std::uint64_t pages, const Ranking& one,
                           const Ranking& other) const {
  const Stream visits(seed_, 0, Purpose::impression, stream);
  double won = 0, lost = 0;
  for (std::uint64_t n = 0; n < pages; ++n) {
    RoundRng rng = visits.at(n + 1);
    const std::size_t query = query_of(rng);
    const DraftedPage drafted = draft_page(rng.bits(), "page", one(query), other(query), 0, kPage);
    std::vector<std::string> shown;
    for (const DraftedItem& item : drafted.items) shown.push_back(item.object_id);
    int credit = 0;
    for (const std::size_t place : clicks(shown, query, rng)) {
      const Team team = drafted.items[place].team;
      credit += team == Team::first ? 1 : team == Team::second ? -1 : 0;
    }
    won += credit > 0 ? 1 : 0;
    lost += credit < 0 ? 1 : 0;
  }
  // Half a win each way, so that nothing is certain.
  return (won + 0.5) / (won + lost + 1);
}

PreferenceMatrix DemoShop::truth(std::uint64_t pages) const {
  const std::size_t K = rankers_.size();
  std::vector<double> p(K * K, 0.5);
  for (std::size_t i = 0; i < K; ++i) {
    for (std::size_t j = i + 1; j < K; ++j) {
      p[i * K + j] = share_won(
          fmt::format("demo/truth/{}/{}", rankers_[i], rankers_[j]), pages,
          [&](std::size_t query) { return ranking(i, query); },
          [&](std::size_t query) { return ranking(j, query); });
      p[j * K + i] = 1 - p[i * K + j];
    }
  }
  auto matrix = PreferenceMatrix::create("demo", rankers_, std::move(p));
  DUEL_CHECK(matrix.ok());
  return std::move(*matrix);
}

}  // namespace duel::cli
