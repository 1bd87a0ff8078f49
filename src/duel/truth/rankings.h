// From rankings to preferences: PrefLib files of orders (soc, soi, toc, toi: strict or with ties,
// complete or incomplete; Mattei and Walsh, ADT 2013) become counts w_ij, how many voters put i
// above j, and P_ij = w_ij/(w_ij + w_ji). Alternatives tied in a ballot are not compared there.
//
// Both forms of the files are read: with a header of `# NUMBER ALTERNATIVES: 7` and
// `# ALTERNATIVE NAME 1: ...` and ballots `count: 3,{1,2},7`; and the older one, which begins with
// the number of alternatives, a line `1,name` each, a line of totals, and ballots
// `count,3,{1,2},7`.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// What a ballot says of the alternatives that it leaves out.
enum class Unranked {
  ignore,  // nothing: only pairs that a voter ranked are compared
  last,    // every ranked one is above every one left out, the usual reading in elections
};

// "ignore" or "last".
Result<Unranked> parse_unranked(const std::string& word);

struct RankingOptions {
  Unranked unranked = Unranked::ignore;
  std::size_t most_alternatives = 5000;  // more are refused; the counts take 8 bytes per pair
};

struct RankingCounts {
  std::string name;  // the file's, without directory and ending
  std::vector<std::string> alternatives;
  std::vector<std::uint64_t> wins;               // row-major w_ij
  std::uint64_t voters = 0;                      // sum of the ballots' multiplicities; at most 2^53
  std::uint64_t ballots = 0;                     // lines
  std::optional<std::uint64_t> declared_voters;  // what the header says; differs in a cut file
  std::uint64_t unmet_pairs = 0;                 // pairs that nobody compared: P = 1/2

  std::uint64_t operator()(Arm i, Arm j) const { return wins[i * alternatives.size() + j]; }
};

// `path` may be "-", standard input.
Result<RankingCounts> read_rankings_file(const std::string& path,
                                         const RankingOptions& options = {});
Result<RankingCounts> read_rankings_text(const std::string& name, std::string_view text,
                                         const RankingOptions& options = {});

// P_ij = w_ij/(w_ij + w_ji); 1/2 where the pair never met.
Result<PreferenceMatrix> matrix_from_counts(const RankingCounts& counts);

// CSV with a header of names, then w_ij.
void write_counts_csv(const RankingCounts& counts, std::ostream& out);

// The counts and the matrix that they make (docs/formats.md).
Json to_json(const RankingCounts& counts, const PreferenceMatrix& matrix);

}  // namespace duel
