// An experiment while it runs: on a terminal a small table redrawn in place; elsewhere a line every
// ten seconds; with --quiet nothing. Always on stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/judging/interview.h"
#include "duel/verdict/standing.h"

namespace duel::cli {

// The active arms as they are shown while duels run: by the order that is to be certified, or the
// leader, those that are tied with it, and the others by how many arms each seems to beat. The
// result has them by strength, which takes too long to work out for every redrawing.
std::vector<Arm> arms_by_place(const Ledger& ledger, const Standing& standing);

class LiveTable {
 public:
  // REQUIRES: `interview` outlives the table.
  LiveTable(const Interview& interview, bool quiet);
  ~LiveTable() { clear(); }
  LiveTable(const LiveTable&) = delete;
  LiveTable& operator=(const LiveTable&) = delete;

  // Call often; draws when it is time. `in_flight` duels wait for an answer, `trouble` is what went
  // wrong last ("" for nothing).
  void update(std::uint64_t in_flight, const std::string& trouble);
  // Removes the table from the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<std::string> lines(const Standing& standing, std::uint64_t in_flight,
                                 const std::string& trouble, std::size_t rows,
                                 std::size_t columns) const;
  std::vector<std::string> space_lines(const Standing& standing, std::uint64_t in_flight,
                                       const std::string& trouble, std::size_t rows,
                                       std::size_t columns) const;
  std::string title(std::uint64_t in_flight) const;
  std::string line(const Standing& standing) const;
  std::string headline(const Standing& standing) const;
  double rate(Clock::time_point now) const;
  // Rows that the lines drawn take on a terminal of so many columns.
  std::size_t drawn_rows(std::size_t columns) const;

  const Interview& interview_;
  bool active_;
  bool terminal_;
  std::vector<std::size_t> drawn_;  // widths of the lines on the terminal
  std::uint64_t first_;             // duels answered before this run
  Clock::time_point begin_;
  Clock::time_point next_;
};

}  // namespace duel::cli
