// How far a long command is: on a terminal one line with rate and time left, redrawn in place;
// elsewhere a line every ten seconds; with --quiet nothing. Always on stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace duel::cli {

class Progress {
 public:
  // `unit` is what is counted: "trials".
  Progress(std::string unit, std::uint64_t total, bool quiet);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total` are done; `label` says what is at work. Any thread may call it, often.
  void update(std::uint64_t done, const std::string& label);
  // The work starts with `done` done already (a resumed run): the rate counts from there.
  void start_at(std::uint64_t done);
  // Removes the line from a terminal. Later updates are ignored.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(std::uint64_t done, const std::string& label, double seconds) const;

  std::mutex mutex_;
  std::string unit_;
  std::uint64_t total_;
  std::uint64_t first_ = 0;
  bool active_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point begin_;
  Clock::time_point next_;
};

// 75 -> "1 min 15 s", 7300 -> "2 h 2 min".
std::string format_duration(double seconds);

}  // namespace duel::cli
