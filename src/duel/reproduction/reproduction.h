// A published figure or table done again: what was printed beside what comes out here.
//
// A reproduction is a function that its paper's source registers:
//
//   Result<Reproduction> run(const ReproductionContext& context) {
//     Reproduction out{context.seed};
//     TidyTable& table = out.add_table("walks", "arms");
//     ...
//     table.add({"16"}, {.mean = mean, .se = se, .trials = n});
//     out.findings.within("steps of the walk", "1 + H_15 = 4.318", measured, {4.2, 4.4});
//     return out;
//   }
//   const bool registered = register_paper("Yue et al.", {{"if-walk", "section 4", "..", run}});
//
// Sources of papers take formatting, containers and algorithms from here. A reproduction draws all
// randomness from the seed, gives the same numbers on any number of threads, prints
// and writes nothing, and says honestly what does not match.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/catalogue.h"
#include "duel/core/result.h"
#include "duel/core/table.h"
#include "duel/core/words.h"
#include "duel/jobs/jobs.h"
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
  // The same for a part of the work: what it reports as 0 .. 1 is `begin` .. `end` of this one's.
  ReproductionContext part(double begin, double end) const;
  // The i-th of n equal parts.
  ReproductionContext part_of(std::size_t i, std::size_t n) const;
  // The first given matrix that bears one of `names`, else the first that fits and whose name
  // contains one of them; null if there is none. Earlier names come first.
  const PreferenceMatrix* matrix(
      const std::vector<std::string>& names,
      const std::function<bool(const PreferenceMatrix&)>& fits = nullptr) const;
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

  friend bool operator==(const Measured&, const Measured&) = default;
};
Measured measured(std::span<const double> values);
// The share of `successes` among `n`.
Measured measured_share(std::uint64_t successes, std::uint64_t n);
inline Measured exactly(double value) { return {value, 0, 0}; }
// The mean of a - b, paired by trial. REQUIRES: a.size() == b.size().
Measured paired_difference(std::span<const double> a, std::span<const double> b);

// One row per point: keys, mean, se, trials, seed, and perhaps more.
class TidyTable {
 public:
  // `name` is the file's, without `.csv`. Columns are separated by commas.
  TidyTable(std::string name, std::string_view keys, std::string_view more, std::uint64_t seed);

  const std::string& name() const { return name_; }
  std::size_t num_rows() const { return table_.num_rows(); }
  // REQUIRES: as many keys, and as many of `more`, as the table has columns for.
  void add(std::vector<Cell> keys, const Measured& value, const std::vector<double>& more = {});
  std::string to_csv() const { return table_.to_csv(); }

 private:
  std::string name_;
  std::size_t keys_;
  std::uint64_t seed_;
  Table table_;
};

struct Figure {
  std::string name;     // of its files, without ending
  std::string caption;  // a sentence or two for the report
  Chart chart;
};

enum class Axes { linear, log_x, log_log };
ChartPanel panel_of(std::string title, std::string x_label, std::string y_label,
                    Axes axes = Axes::linear, std::optional<ChartRange> y_range = std::nullopt);

// Adds a point to the curve of that label, which is begun at need. Its band is two standard errors
// on either side; what is exact has none.
void plot(ChartPanel& panel, const std::string& label, double x, const Measured& value,
          ChartLine line = ChartLine::curve);

enum class FindingVerdict {
  pass,
  fail,
  shown,    // ours beside the published one; nothing is asked of it
  skipped,  // could not be done; `note` says why and what is missing
  unclear,  // outside what is asked, in a quick run: what is asked is meant for the full size
};
template <>
struct Words<FindingVerdict> {
  static constexpr std::string_view noun = "verdict";
  static constexpr auto all = words_table<FindingVerdict>({{"pass", FindingVerdict::pass},
                                                           {"fail", FindingVerdict::fail},
                                                           {"shown", FindingVerdict::shown},
                                                           {"skipped", FindingVerdict::skipped},
                                                           {"unclear", FindingVerdict::unclear}});
};

// What the paper says and where it is from. Only what it prints can be read to its last digit.
struct Published {
  std::string text;    // "-" where it is a check of our own
  std::string source;  // empty then

  // NOLINTBEGIN(google-explicit-constructor): printed, unless it says otherwise
  Published(std::string printed);
  Published(const char* printed) : Published(std::string(printed)) {}
  // NOLINTEND(google-explicit-constructor)
  Published(std::string said, std::string where)
      : text(std::move(said)), source(std::move(where)) {}
};
Published from_figure(std::string text);
Published derived(std::string text);  // from what is printed
// A number from another implementation than the authors', which was run again: "20 runs".
Published rerun(std::string text, std::string_view runs);

// A published number or claim, and ours.
struct Finding {
  std::string claim;      // what is compared: "RMED1 on arXiv-6, regret at 1e5"
  std::string published;  // what the paper says, or "-" where it is a check of our own
  std::string ours;       // as shown
  Measured value;         // the number behind `ours`, where it is one
  std::string tolerance;  // what is asked: "within 15 %", "[3, 20]"; empty where nothing is
  FindingVerdict verdict = FindingVerdict::shown;
  std::string note{};    // why it failed or was skipped; may be empty
  std::string source{};  // of `published`; empty for a check of our own

  friend bool operator==(const Finding&, const Finding&) = default;
};

// What ours must lie in.
struct Accepted {
  double low = 0;
  double high = 0;
};
inline Accepted around(double centre, double room) { return {centre - room, centre + room}; }

// Each maker adds a finding and returns it.
struct Findings : std::vector<Finding> {
  // `value` is shown as mean ± se and passes where low <= mean <= high.
  Finding& within(std::string claim, Published published, const Measured& value, Accepted accepted,
                  std::string tolerance = "");
  // A claim that is true or false.
  Finding& that(std::string claim, Published published, std::string ours, std::string tolerance,
                bool holds);
  Finding& shown(std::string claim, Published published, const Measured& value);
  Finding& skipped(std::string claim, Published published, std::string why);
  void append(const Findings& more) { insert(end(), more.begin(), more.end()); }
};

// 259.0 ± 5.6: the standard error to two digits and the mean to the same place.
std::string measured_text(const Measured& value);

struct Reproduction {
  std::uint64_t seed = 0;        // for the rows of the tables
  std::deque<TidyTable> tables;  // whose addresses stay as tables are added
  std::vector<Figure> figures;
  Findings findings;
  // Paragraphs: what does not match and why, run sizes that differ from the paper's.
  std::vector<std::string> remarks;

  TidyTable& add_table(std::string name, std::string_view keys, std::string_view more = "") {
    return tables.emplace_back(std::move(name), keys, more, seed);
  }
  void draw(std::string name, std::string caption, Chart chart) {
    figures.push_back({std::move(name), std::move(caption), std::move(chart)});
  }
  void draw(std::string name, std::string caption, ChartPanel panel) {
    draw(std::move(name), std::move(caption), Chart{.title = "", .panels = {std::move(panel)}});
  }
};

// --- what plays it ------------------------------------------------------------------------------

// Independent trials on the threads and ranks of the context.
//
// What `play` puts into `out` for each of `count` trials, which must depend on the number alone.
// `T` can be copied as bytes, or is a vector of such. `play` returns false where it gave up because
// `stop` was set. Progress is the share of finished trials, or what `share` says. An error where it
// was stopped.
template <class T>
Result<std::vector<T>> run_each(
    const ReproductionContext& context, std::uint64_t count, const std::string& step,
    const std::function<bool(std::uint64_t trial, const std::atomic<bool>& stop, T& out)>& play,
    const std::function<double()>& share = nullptr) {
  std::vector<T> results(count);
  JobHooks hooks{.stop = context.stop};
  hooks.on_progress = [&](std::uint64_t finished) {
    context.report(share ? share() : static_cast<double>(finished) / static_cast<double>(count),
                   step);
  };
  const JobTransfer transfer = transfer_of(results);
  DUEL_ASSIGN(const JobsRun ran,
              run_jobs(
                  count, context.threads, hooks,
                  [&](std::uint64_t trial, const std::atomic<bool>& stop) {
                    return play(trial, stop, results[trial]);
                  },
                  [&](std::uint64_t trial) { return fmt::format("{}, trial {}", step, trial); },
                  &transfer));
  if (ran.finished < count) return interrupted_reproduction();
  return results;
}

// --- what there is ------------------------------------------------------------------------------

struct ReproductionFacts {
  std::string name;         // "rmed-arxiv"
  std::string paper;        // "Komiyama et al., COLT 2015"
  std::string what;         // "Figure 2 (a)"
  std::string description;  // a line
  // What it takes from the user, or empty: "--matrix sushi=FILE: 16 kinds of sushi".
  std::string needs{};

  // Whether its numbers depend on --matrix and --data.
  bool uses_matrices() const { return needs.find("--matrix") != std::string::npos; }
  bool uses_data() const { return needs.find("--data") != std::string::npos; }
};

using RunReproduction = std::function<Result<Reproduction>(const ReproductionContext&)>;

struct ReproductionKind {
  ReproductionFacts facts;
  RunReproduction run;
};

Catalogue<ReproductionKind>& reproduction_catalogue();

// For a paper's own source: name, what, description and run of each, and what it needs.
struct PaperEntry {
  std::string name, what, description;
  RunReproduction run;
  std::string needs{};
};
bool register_paper(const std::string& paper, const std::vector<PaperEntry>& entries);

}  // namespace duel
