// Comparisons in files of other programs: arena CSV (`model_a,model_b,winner,judge,tstamp`), plain
// CSV, the same with tabs or semicolons, JSON lines, and a JSON array of objects. What is read can
// be written again without loss, but for skipped and invalid rows in an arena file; columns that
// Duel does not know are kept.
//
// Columns, each by one of these names:
//   the first arm    first, model_a, arm_a            the second arm   second, model_b, arm_b
//   winner           the arm's name, or the name of its column; tie; both_bad, tie (bothbad); skip;
//                    invalid. Where there is a column `result` (win, tie, ..) it says so there
//   who answered     judge, source_id, observer, voter (and source_type)
//   when             tstamp, made_at, time
// A table whose columns have other names is read by a guess (vote_columns.h), and a square of
// numbers as wins of rows over columns (win_counts.h); `ComparisonTable::read_as` says so.
//
// Two columns say what kind of comparisons these are:
//   presentation     `interleaved` where the arms were merged into one list: there is no first and
//                    second place that could be uneven
//   serving_order    a whole number, for rows of one time and for rows without times
//
// Answers about more than two arms stand in tables without a first and a second arm:
//   order, ranking   "b > a > c", the best first, or an array of names: every arm beats those after
//                    it; there are no ties
//   chosen, among    the chosen one beats each of the others among "a;b;c;d", or an array of names
// Where who else is shown does not change which of two is preferred, these are as many comparisons
// as pairs: all pairs of an order, and those of the chosen arm. One answer moves several pairs at
// once, so that no threshold below K/alpha holds (the pairs have common causes, as in all tables).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/vote_columns.h"
#include "duel/log/record.h"
#include "duel/store/store.h"

namespace duel {

enum class ComparisonFormat { jsonl, csv, arena };
Result<ComparisonFormat> parse_comparison_format(std::string_view word);

struct ComparisonTable {
  std::vector<ArmEntry> arms;  // in the order in which they appear
  std::vector<ComparisonRecord> rows;
  bool interleaved = false;           // all of them: the places of the arms mean nothing
  bool several_at_once = false;       // answers about more than two arms, as their pairs
  std::vector<std::string> left_out;  // what has no place in such a file, for people
  std::string read_as;                // how the columns were understood, where it was guessed

  // The id of the arm of that name, which is new or an error where the name cannot be one.
  Status add_arm(const std::string& name, const std::string& where);
};

// All rows or an error that names file:line. A name that cannot be an id becomes one and is kept as
// the arm's payload.
Result<ComparisonTable> parse_comparisons_csv(std::string_view text, const std::string& name,
                                              const VoteColumns* columns = nullptr);
Result<ComparisonTable> parse_comparisons_jsonl(std::string_view text, const std::string& name,
                                                const VoteColumns* columns = nullptr);
Result<ComparisonTable> parse_comparisons_json(std::string_view text, const std::string& name,
                                               const VoteColumns* columns = nullptr);
// The format is known by the content: `{` begins JSON lines and `[` a JSON array; otherwise the
// first line names the columns, and what stands between them separates the fields. With `columns`
// nothing is guessed.
Result<ComparisonTable> parse_comparisons(std::string_view text, const std::string& name,
                                          const VoteColumns* columns = nullptr);
Result<ComparisonTable> read_comparisons(const std::filesystem::path& file,
                                         const VoteColumns* columns = nullptr);

// What a person should know of how a file was read: the guess at its columns, the rows without a
// vote.
std::vector<std::string> notes_of(const ComparisonTable& table);

// What stands in another column of that name; "" where nothing does.
std::string extra_of(const ComparisonRecord& row, const std::string& column);

// All comparisons that a log holds, the answered duels of the experiment among them.
Result<ComparisonTable> comparisons_of_log(const std::filesystem::path& file);
Result<ComparisonTable> comparisons_of_log(Store& store, const std::string& experiment);

// Whether an arena file has a word for it: a win, a tie or `tie (bothbad)`. Skipped and invalid
// comparisons have none, and readers of such files take every row for a vote.
bool fits_arena(const ComparisonRecord& row);

std::string to_text(const ComparisonTable& table, ComparisonFormat format);
// The same line by line, until `sink` says false. Whether it never did.
using TableSink = std::function<bool(std::string_view line)>;
bool write_text(const ComparisonTable& table, ComparisonFormat format, const TableSink& sink);
// What `to_text` writes nothing of, for people.
std::vector<std::string> left_out_of(const ComparisonTable& table, ComparisonFormat format);

// Puts the rows in the order in which they were made. False, and as it was, where that is unknown:
// not every row has a `serving_order` of its own, and a row has no time, two rows of a pair have
// the same, or the times are of different kinds (seconds since 1970, or 2026-11-15T09:00:00Z and
// the like).
bool sort_by_time(ComparisonTable& table);

// An experiment around comparisons that were made before it: they are its evidence, in order where
// `in_order` says so, otherwise by one look at all of them.
ExperimentRecord experiment_of(const ComparisonTable& table, const std::string& experiment_id,
                               double alpha, bool in_order, const Goal& goal = {});

}  // namespace duel
