// Rankers by name, or from a file of weights. Each kind registers itself from its own source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/catalogue.h"
#include "duel/core/result.h"
#include "duel/ranking/letor/ranker.h"

namespace duel {

struct RankerFacts {
  std::string name;
};

// Made for the data that it is to rank.
using RankerKind = CatalogueKind<RankerFacts, std::unique_ptr<const Ranker>, JudgedQueries>;
Catalogue<RankerKind>& ranker_catalogue();

// What a user means by `text`, for data that these queries are of:
//   features                         one ranker per feature: f1, f2, ..
//   feature(index=3),bm25(tf=25,length=15,idf=20)    rankers by name, separated by commas
//   anything else                    a file of linear rankers, read by `read_rankers_file`
// At least one ranker, and names differ. The rankers may outlive `queries`.
Result<Rankers> resolve_rankers(std::string_view text, const JudgedQueries& queries);

// Linear rankers, one a line: a name, then either one weight per feature, `best 0.5 0 -1.25`, or
// weights by ascending 1-based feature index, `best 1:0.5 3:-1.25`; words are separated by blanks.
// Empty lines and what follows a # are skipped. Errors carry file and line.
Result<Rankers> read_rankers_file(const std::string& path, std::size_t num_features);
Result<Rankers> read_rankers_text(std::string name, std::string_view text,
                                  std::size_t num_features);

// --- for a ranker's own source ------------------------------------------------------------------

// The largest number of a feature, from 1, that an option takes.
inline constexpr std::uint64_t kMostFeature = 1'000'000'000;
Error no_such_feature(const std::string& name, std::uint64_t feature, const JudgedQueries& queries);

}  // namespace duel
