// What an impression costs: merging two lists of ten document numbers, and crediting clicks.
// `scripts/bench interleaving` runs it; bench/performance.md quotes it.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/workloads.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

// CPU time of this thread, whatever else the machine does.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Nanoseconds of one call of `work(k)`, the median of 15 runs.
double nanoseconds(int calls, const std::function<void(int)>& run_all) {
  std::vector<double> runs;
  for (int run = 0; run < 15; ++run) {
    const double start = thread_seconds();
    run_all(calls);
    runs.push_back((thread_seconds() - start) / calls);
  }
  std::sort(runs.begin(), runs.end());
  return 1e9 * runs[runs.size() / 2];
}

std::vector<Document> shuffled(std::size_t size, std::size_t shown, RoundRng rng) {
  std::vector<Document> documents(size);
  std::iota(documents.begin(), documents.end(), 1000U);
  for (std::size_t k = 0; k < shown; ++k) {
    std::swap(documents[k], documents[k + rng.below(size - k)]);
  }
  documents.resize(shown);
  return documents;
}

// Pairs of lists of ten out of `universe` documents, so that branches are not learnt by heart.
struct Pairs {
  explicit Pairs(std::size_t universe) {
    const Stream stream(1, 0, Purpose::test, "interleaving_bench");
    for (Round k = 0; k < 64; ++k) {
      first.push_back(shuffled(universe, 10, stream.at(2 * k)));
      second.push_back(shuffled(universe, 10, stream.at(2 * k + 1)));
    }
  }
  std::vector<std::vector<Document>> first, second;
};

void merging() {
  fmt::print("\n## Two lists of 10 documents, 10 shown: ns per impression, the draws included\n\n");
  fmt::print("| method | same 10 documents | 10 of 20 documents each |\n|---|---|---|\n");
  const Pairs same(10), other(20);
  for (const std::string name :
       {"balanced", "team-draft", "probabilistic", "probabilistic(credit=marginal)",
        "probabilistic(credit=marginal,coins=draft)"}) {
    const auto method = configure_interleaver(name).value();
    const auto cost = [&](const Pairs& pairs) {
      Interleaving shown;
      return nanoseconds(100'000, [&](int calls) {
        const Stream stream(7, 0, Purpose::choice, "interleaving_bench");
        for (int k = 0; k < calls; ++k) {
          RoundRng rng = stream.at(static_cast<Round>(k));
          const auto at = static_cast<std::size_t>(k) % 64;
          method->interleave(pairs.first[at], pairs.second[at], 10, rng, shown);
          keep(shown);
        }
      });
    };
    fmt::print("| {} | {:.0f} | {:.0f} |\n", name, cost(same), cost(other));
  }
}

void crediting() {
  fmt::print("\n## Credit for clicks on a list of 10: ns per impression\n\n");
  fmt::print("| method | 1 click | 3 clicks | 10 clicks |\n|---|---|---|---|\n");
  const Pairs pairs(20);
  const std::vector<std::vector<Position>> clicks{{4}, {0, 3, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  for (const std::string name :
       {"balanced", "team-draft", "probabilistic", "probabilistic(credit=difference)"}) {
    const auto method = configure_interleaver(name).value();
    std::vector<Interleaving> shown(64);
    for (std::size_t k = 0; k < shown.size(); ++k) {
      RoundRng rng = Stream(3, 0, Purpose::choice).at(k);
      method->interleave(pairs.first[k], pairs.second[k], 10, rng, shown[k]);
    }
    fmt::print("| {} ", name);
    for (const auto& clicked : clicks) {
      fmt::print("| {:.0f} ", nanoseconds(100'000, [&](int calls) {
                   double sum = 0;
                   for (int k = 0; k < calls; ++k) {
                     const Interleaving& list = shown[static_cast<std::size_t>(k) % 64];
                     if (clicked.back() < list.size()) sum += method->credit(list, clicked).value;
                   }
                   keep(sum);
                 }));
    }
    fmt::print("|\n");
  }
}

void optimised() {
  const auto method = configure_interleaver("optimised").value();
  const Pairs pairs(20);
  RoundRng rng(1, 0, 0);
  const double solving = nanoseconds(4, [&](int calls) {
    for (int k = 0; k < calls; ++k) {
      const auto at = static_cast<std::size_t>(k);
      keep(method->prepare(pairs.first[at], pairs.second[at], 10, rng));
    }
  });
  const auto plan = method->prepare(pairs.first[0], pairs.second[0], 10, rng);
  Interleaving shown;
  const double drawing = nanoseconds(100'000, [&](int calls) {
    for (int k = 0; k < calls; ++k) {
      plan->draw(rng, shown);
      keep(shown);
    }
  });
  fmt::print("\n## Optimised, lists of 10 of 20 documents\n\n");
  fmt::print("solving {:.1f} ms per pair of lists, drawing {:.0f} ns per impression\n",
             1e-6 * solving, drawing);
}

void multileaving() {
  fmt::print("\n## Multileaving lists of 10 of 20 documents, 3 clicks: us per impression\n\n");
  fmt::print(
      "| method | 5 rankers: merge | credit | 50 rankers: merge | credit |\n"
      "|---|---|---|---|---|\n");
  const Pairs pairs(20);
  const std::vector<Position> clicks{0, 3, 7};
  for (const std::string& name : multileaver_catalogue().names()) {
    const auto method = configure_multileaver(name).value();
    fmt::print("| {} ", name);
    for (const std::size_t rankers : {5, 50}) {
      std::vector<std::span<const Document>> rankings(
          pairs.first.begin(), pairs.first.begin() + static_cast<int>(rankers));
      Multileaving shown;
      MultileaveCredit credit;
      RoundRng rng(5, 0, 0);
      const double merge = nanoseconds(1'000, [&](int calls) {
        for (int k = 0; k < calls; ++k) method->multileave(rankings, 10, rng, shown);
      });
      const double crediting = nanoseconds(1'000, [&](int calls) {
        for (int k = 0; k < calls; ++k) method->credit(shown, clicks, credit);
      });
      fmt::print("| {:.2f} | {:.2f} ", 1e-3 * merge, 1e-3 * crediting);
    }
    fmt::print("|\n");
  }
}

void production() {
  const auto texts = [](const std::vector<Document>& documents) {
    std::vector<std::string> ids;
    for (const Document document : documents) ids.push_back(fmt::format("product-{}", document));
    return ids;
  };
  const Pairs pairs(20);
  const auto first = texts(pairs.first[0]), second = texts(pairs.second[0]);
  const double cost = nanoseconds(10'000, [&](int calls) {
    for (int k = 0; k < calls; ++k) keep(draft_page(1, "q-01J8", first, second, 0, 10));
  });
  fmt::print("\n## Production team draft, text ids, a page of 10: {:.0f} ns\n", cost);
}

}  // namespace

void interleaving_workload() {
  merging();
  crediting();
  production();
  multileaving();
  optimised();
}

}  // namespace duel
