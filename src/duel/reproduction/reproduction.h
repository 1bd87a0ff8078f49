// A published figure or table done again: what was printed beside what comes out here.
//
// A reproduction is one source that registers itself (reproduction/registry.h):
//
//   Result<Reproduction> run(const ReproductionContext& context) {
//     Reproduction out;
//     TidyTable table("walks", {"arms"}, context.seed);
//     ...
//     table.add({"16"}, {.mean = mean, .se = se, .trials = n});
//     out.findings.push_back(finding_within("steps of the walk", "1 + H_15 = 4.318", measured,
//                                           {.low = 4.2, .high = 4.4}));
//     out.tables.push_back(std::move(table));
//     return out;
//   }
//   const bool registered = register_reproduction({.name = "if-walk", ..}, run);
//
// It draws all randomness from the seed, gives the same numbers on any number of threads, prints
// and writes nothing, and says honestly what does not match.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/table.h"
#include "duel/pictures/chart.h"
#include "duel/simulation/aggregate.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// --- what a reproduction is given ---------------------------------------------------------------

// A matrix of the user's.
struct GivenMatrix {
  std::string name;  // as given, NAME=PATH, or the name of the file
  std::shared_ptr<const PreferenceMatrix> matrix;
};

struct ReproductionContext {
  bool quick = false;  // fewer trials and rounds, for a first look
  std::uint64_t seed = 0;
  unsigned threads = 0;                     // 0: one per core; changes no result
  const std::atomic<bool>* stop = nullptr;  // may be null
  std::vector<GivenMatrix> matrices;        // --matrix
  std::vector<std::string> data;            // --data: paths of judged data, LETOR text
  // How far it is, 0 .. 1, and what is at work. May be empty. From the thread that called `run`.
  std::function<void(double share, std::string_view step)> progress;

  bool stopped() const { return stop != nullptr && stop->load(); }
  void report(double share, std::string_view step) const {
    if (progress) progress(share, step);
  }
  // The first given matrix whose name is `name`, else the first whose name contains it; null where
  // there is none.
  const PreferenceMatrix* matrix(std::string_view name) const;
  // `quick ? small : full`.
  template <class T>
  T size(T small, T full) const {
    return quick ? small : full;
  }
};

// What `run` returns when `stop` was set.
Error interrupted_reproduction();

// --- what it gives back -------------------------------------------------------------------------

// A mean over trials. `se` is NaN where it is unknown and 0 for what is exact; an exact value has
// no trials.
struct Measured {
  double mean = kUndefined;
  double se = kUndefined;
  std::uint64_t trials = 0;
};
Measured measured(std::span<const double> values);
// Of a share of `successes` among `n`.
Measured measured_share(std::uint64_t successes, std::uint64_t n);
Measured exactly(double value);

// One row per point: keys, mean, se, trials, seed, and perhaps more.
class TidyTable {
 public:
  // `name` is the file's, without `.csv`.
  TidyTable(std::string name, const std::vector<std::string>& keys, std::uint64_t seed,
            const std::vector<std::string>& more = {});

  const std::string& name() const { return name_; }
  std::size_t num_rows() const { return table_.num_rows(); }
  // REQUIRES: as many keys, and as many of `more`, as the table has columns for.
  void add(const std::vector<std::string>& keys, const Measured& value,
           const std::vector<double>& more = {});
  std::string to_csv() const { return table_.to_csv(); }

 private:
  std::string name_;
  std::size_t keys_;
  std::uint64_t seed_;
  Table table_;
};

// A picture; the caller runs gnuplot.
struct Figure {
  std::string name;     // of its files, without ending
  std::string caption;  // a sentence or two for the report
  std::function<Result<std::string>(PlotFormat)> script;
};
// The figure of a chart (pictures/chart.h).
Figure figure_of(std::string name, std::string caption, Chart chart);

enum class FindingVerdict {
  pass,
  fail,
  shown,    // ours beside the published one; nothing is asked of it
  skipped,  // could not be done; `note` says why and what is missing
  unclear,  // outside what is asked, in a quick run: what is asked is meant for the full size
};
std::string to_string(FindingVerdict verdict);
Result<FindingVerdict> parse_verdict(std::string_view text);

// Where a published number is from. Only what the paper prints can be read to its last digit.
namespace published {
inline constexpr const char* kPrinted = "printed";
inline constexpr const char* kFigure = "read from the figure";
inline constexpr const char* kDerived = "worked out from what is printed";
inline constexpr const char* kIndependent = "an independent one, not the authors'";
// "other implementation, re-run (whose it is, 20 runs)"
std::string rerun(std::string_view whose, std::string_view runs);
}  // namespace published

// A published number or claim, and ours.
struct Finding {
  std::string claim;      // what is compared: "RMED1 on arXiv-6, regret at 1e5"
  std::string published;  // what the paper says, or "-" where it is a check of our own
  std::string ours;       // as shown
  Measured value;         // the number behind `ours`, where it is one
  std::string tolerance;  // what is asked: "within 15 %", "[3, 20]"; empty where nothing is
  FindingVerdict verdict = FindingVerdict::shown;
  std::string note{};  // why it failed or was skipped; may be empty
  std::string
      source{};  // of `published`; the makers say printed, or nothing for a check of our own

  // The same finding about a number from elsewhere.
  Finding from(std::string where) && {
    source = std::move(where);
    return std::move(*this);
  }
};

// What ours must lie in.
struct Accepted {
  double low = 0;
  double high = 0;
};

// `value` is shown as mean ± se and passes where low <= mean <= high.
Finding finding_within(std::string claim, std::string published, const Measured& value,
                       Accepted accepted, std::string tolerance = "");
// A claim that is true or false.
Finding finding_that(std::string claim, std::string published, std::string ours,
                     std::string tolerance, bool holds);
Finding finding_shown(std::string claim, std::string published, const Measured& value);
Finding finding_skipped(std::string claim, std::string published, std::string why);

// 259.0 ± 5.6: the standard error to two digits and the mean to the same place.
std::string measured_text(const Measured& value);

struct Reproduction {
  std::vector<TidyTable> tables;
  std::vector<Figure> figures;
  std::vector<Finding> findings;
  // Paragraphs: what does not match and why, run sizes that differ from the paper's.
  std::vector<std::string> remarks;
};

}  // namespace duel
