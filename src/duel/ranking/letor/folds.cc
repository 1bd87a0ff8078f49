#include "duel/ranking/letor/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "duel/core/rng.h"

namespace duel {
namespace {

Result<JudgedQueries> read_part(const std::string& folder, const std::string& part,
                                const LetorLimits& limits) {
  const std::string plain = (std::filesystem::path(folder) / (part + ".txt")).string();
  std::error_code ignored;
  if (std::filesystem::exists(plain, ignored)) return read_letor_file(plain, limits);
  const std::string packed = plain + ".gz";
  if (std::filesystem::exists(packed, ignored)) return read_letor_file(packed, limits);
  return Error::not_found(fmt::format("there is no {}.txt and no {}.txt.gz", part, part), folder,
                          "a fold is a folder with train.txt, vali.txt and test.txt");
}

}  // namespace

Result<JudgedFold> read_fold(const std::string& folder, const LetorLimits& limits) {
  JudgedFold fold;
  DUEL_ASSIGN(fold.train, read_part(folder, "train", limits));
  DUEL_ASSIGN(fold.vali, read_part(folder, "vali", limits));
  DUEL_ASSIGN(fold.test, read_part(folder, "test", limits));
  const std::size_t features =
      std::max({fold.train.num_features(), fold.vali.num_features(), fold.test.num_features()});
  for (JudgedQueries* part : {&fold.train, &fold.vali, &fold.test}) {
    part->widen(features);
  }
  return fold;
}

std::vector<std::vector<std::size_t>> split_queries(std::size_t num_queries, std::size_t parts,
                                                    std::uint64_t seed) {
  DUEL_CHECK(parts >= 1);
  std::vector<std::size_t> order(num_queries);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RoundRng rng = Stream(seed, 0, Purpose::generate, "query split").at(0);
  for (std::size_t i = num_queries; i > 1; --i) {  // Fisher and Yates
    std::swap(order[i - 1], order[static_cast<std::size_t>(rng.below(i))]);
  }
  std::vector<std::vector<std::size_t>> split(parts);
  for (std::size_t i = 0; i < num_queries; ++i) split[i % parts].push_back(order[i]);
  for (auto& part : split) std::sort(part.begin(), part.end());
  return split;
}

Result<JudgedFold> letor_fold(const JudgedQueries& queries, std::size_t number,
                              std::uint64_t seed) {
  constexpr std::size_t kParts = 5;
  DUEL_CHECK(number < kParts);
  if (queries.num_queries() < kParts) {
    return Error::unsupported(
        fmt::format("{} queries cannot be cut into five parts", queries.num_queries()));
  }
  const auto parts = split_queries(queries.num_queries(), kParts, seed);
  std::vector<std::size_t> train;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& part = parts[(number + i) % kParts];
    train.insert(train.end(), part.begin(), part.end());
  }
  std::sort(train.begin(), train.end());
  return JudgedFold{queries.subset(train), queries.subset(parts[(number + 3) % kParts]),
                    queries.subset(parts[(number + 4) % kParts])};
}

}  // namespace duel
