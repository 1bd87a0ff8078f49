#include "duel/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "duel/cli/command.h"
#include "duel/core/display_width.h"

namespace duel::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLine = std::chrono::seconds(10);

std::size_t stderr_width() {
  const std::size_t columns = terminal_size(STDERR_FILENO).columns;
  return columns > 0 ? columns : 80;
}

}  // namespace

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(std::string unit, std::uint64_t total, bool quiet)
    : unit_(std::move(unit)),
      total_(total),
      active_(!quiet && total > 0),
      terminal_(can_redraw()),
      begin_(Clock::now()),
      next_(begin_ + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine))) {}

void Progress::start_at(std::uint64_t done) {
  const std::lock_guard lock(mutex_);
  first_ = done;
}

std::string Progress::line(std::uint64_t done, const std::string& label, double seconds) const {
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double rate =
      seconds > 0 && done > first_ ? static_cast<double>(done - first_) / seconds : 0;
  const std::string left =
      rate > 0 && done < total_
          ? ", " + format_duration(static_cast<double>(total_ - done) / rate) + " left"
          : "";
  return fmt::format("{:3.0f} %  {} of {} {}, {:.3g} per second{}  {}", 100 * share, done, total_,
                     unit_, rate, left, label);
}

void Progress::update(std::uint64_t done, const std::string& label) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (!active_ || now < next_) return;
  next_ = now + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine));
  const std::string text = line(done, label, std::chrono::duration<double>(now - begin_).count());
  if (!terminal_) {
    say(fmt::format("duel: {}\n", text));
    return;
  }
  const std::size_t width = stderr_width();
  constexpr std::size_t kBar = 24;
  std::string bar;
  if (display_width(text) + kBar + 4 < width) {
    const auto filled =
        static_cast<std::size_t>(kBar * static_cast<double>(done) / static_cast<double>(total_));
    for (std::size_t i = 0; i < kBar; ++i) bar += i < filled ? "━" : "╌";
    bar += "  ";
  }
  say(fmt::format("\r\033[K{}{}", bar, shortened(text, width - 1)));
  drawn_ = true;
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (drawn_) {
    say("\r\033[K");
  }
  active_ = false;
  drawn_ = false;
}

}  // namespace duel::cli
