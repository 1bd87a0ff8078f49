#include "duel/pictures/board_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ranges>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/pictures/canvas.h"
#include "duel/verdict/pair_weight.h"
#include "duel/verdict/places.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

// Orange for a share of 0, white for one half, blue for 1.
constexpr std::array<Color, 3> kOrangeToBlue = {{{213, 94, 0}, {250, 250, 248}, {0, 114, 178}}};
constexpr const char* kBlue = "#0072b2";
constexpr const char* kTooLittle = "#e4e4e4";  // to say who wins
constexpr const char* kNever = "#f6f6f6";
constexpr std::size_t kLongestName = 32;

constexpr double kMargin = 16;
constexpr double kCharacter = 7.4;
constexpr double kTitleLine = 19;
constexpr double kStrengths = 330;  // width of the axis
constexpr double kGap = 34;

// Of a pair, by the evidence that its row wins or loses. The pages have the same depths.
std::string color_of(PairWeight weight, bool row_wins) {
  const auto mixed = [&](double depth) {
    return color_at(kOrangeToBlue, 0.5 + (row_wins ? depth : -depth) / 2);
  };
  switch (weight) {
    case PairWeight::too_little:
      return kTooLittle;
    case PairWeight::leaning:
      return mixed(0.22);
    case PairWeight::told_apart:
      return mixed(0.5);
    case PairWeight::beyond:
      return mixed(0.9);
  }
  return kTooLittle;
}

// Many arms get small cells, and then no numbers.
struct CellSize {
  double width;
  double height;
  int font;  // of the numbers; 0: none
};

CellSize size_for(std::size_t arms) {
  if (arms <= 12) return {.width = 44, .height = 26, .font = 10};
  if (arms <= 32) return {.width = 27, .height = 22, .font = 8};
  return {.width = 15, .height = 15, .font = 0};
}

// The distance of ticks that leaves at most `most` of them: 1, 2 or 5 times a power of ten.
double tick_distance(double range, double most) {
  const double least = range / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= least) return digit * power;
  }
  return 10 * power;
}

class BoardPicture {
 public:
  BoardPicture(const Ledger& ledger, const Board& board)
      : board_(board),
        arms_(board.arms),
        cell_(size_for(arms_.size())),
        title_(fmt::format("{}: {} after {}", ledger.experiment().experiment_id,
                           board.strengths ? "strengths and wins" : "wins",
                           counted(ledger.total().served, "duel"))) {
    double longest = 0, longest_place = 0;
    for (const BoardArm& arm : arms_) {
      places_.push_back(to_text(arm.rank_range));
      longest_place = std::max(longest_place, characters(places_.back()));
      names_.push_back(shortened_inside(printable_line(ledger.name_of(arm.arm)), kLongestName));
      longest = std::max(longest, characters(names_.back()));
    }
    const auto count = static_cast<double>(arms_.size());
    places_right_ = kMargin + kCharacter * std::max(longest_place, characters("place"));
    left_ = places_right_ + kCharacter * longest + 26;
    map_left_ = left_ + (board.strengths ? kStrengths + kGap : 0);
    map_right_ = map_left_ + cell_.width * count;
    // Names of columns rise to the right at 45 degrees.
    const double rise = 6.6 * longest / std::numbers::sqrt2 + 14;
    constexpr double kScaleText = 240;
    width_ = std::max({map_right_ + rise, map_left_ + kScaleText, 640.0});
    const std::string failed = failed_checks_sentence(board.health);
    verdict_ = lines_of(verdict_of(ledger, board.standing) + (failed.empty() ? "" : " " + failed));
    const double head = 30 + kTitleLine * static_cast<double>(verdict_.size()) + 8;
    height_ = head + rise + cell_.height * count + 66;
    top_ = height_ - head - rise;
    bottom_ = top_ - cell_.height * count;
  }

  std::string script(PlotFormat format) const {
    Canvas canvas(width_, height_);
    canvas.text(kMargin, height_ - 20, title_, "left noenhanced font ',14'");
    for (std::size_t k = 0; k < verdict_.size(); ++k) {
      canvas.text(kMargin, height_ - 42 - kTitleLine * static_cast<double>(k), verdict_[k],
                  "left noenhanced font ',11' textcolor rgb '#404040'");
    }
    const std::string right = fmt::format("right noenhanced font ',{}'", cell_.font == 0 ? 8 : 11);
    canvas.text(places_right_, top_ + 9, "place", "right noenhanced font ',9'");
    for (std::size_t row = 0; row < arms_.size(); ++row) {
      canvas.text(places_right_, middle_of(row), places_[row], right + " textcolor rgb '#404040'");
      canvas.text(left_ - 8, middle_of(row), names_[row], right);
    }
    if (board_.strengths) draw_strengths(canvas);
    draw_map(canvas);
    draw_scale(canvas);
    return canvas.script(format, title_, "duel result");
  }

 private:
  std::vector<std::string> lines_of(const std::string& text) const {
    const std::string filled =
        wrapped(text, static_cast<std::size_t>((width_ - 2 * kMargin) / kCharacter));
    std::vector<std::string> lines;
    for (const auto line : std::views::split(filled, '\n')) {
      lines.emplace_back(line.begin(), line.end());
    }
    return lines;
  }

  double middle_of(std::size_t row) const {
    return top_ - cell_.height * (static_cast<double>(row) + 0.5);
  }

  void draw_strengths(Canvas& canvas) const {
    double low = 0, high = 0;
    for (const BoardArm& arm : arms_) {
      low = std::min(low, arm.elo_interval->lower);
      high = std::max(high, arm.elo_interval->upper);
    }
    if (low == high) high = low + 1;
    const double room = 0.04 * (high - low);
    const auto x_of = [&](double elo) {
      return left_ + kStrengths * (elo - low + room) / (high - low + 2 * room);
    };
    const double step = tick_distance(high - low, 8);
    for (double tick = std::ceil(low / step) * step; tick <= high; tick += step) {
      const double x = x_of(tick);
      canvas.line(x, bottom_, x, top_,
                  std::abs(tick) < step / 2 ? "lc rgb '#909090' lw 1 back"
                                            : "lc rgb '#e4e4e4' lw 0.8 back");
      canvas.text(x, bottom_ - 11,
                  std::abs(tick) < step / 2 ? std::string("0") : fmt::format("{:+g}", tick),
                  "center font ',9'");
    }
    canvas.text(left_ + kStrengths / 2, bottom_ - 28, "Elo, 95 % intervals; 0 is the average arm",
                "center noenhanced font ',10'");
    for (std::size_t row = 0; row < arms_.size(); ++row) {
      const BoardArm& arm = arms_[row];
      const double y = middle_of(row);
      canvas.line(x_of(arm.elo_interval->lower), y, x_of(arm.elo_interval->upper), y,
                  fmt::format("lc rgb '{}' lw 2 back", kBlue));
      canvas.text(x_of(*arm.elo), y, "",
                  fmt::format("point pt 7 ps {} lc rgb '{}'", cell_.font == 0 ? 0.5 : 0.8, kBlue));
    }
  }

  void draw_map(Canvas& canvas) const {
    for (std::size_t column = 0; column < arms_.size(); ++column) {
      const double x = map_left_ + cell_.width * static_cast<double>(column);
      canvas.text(x + cell_.width / 2 - 3, top_ + 7, names_[column],
                  fmt::format("left rotate by 45 noenhanced font ',{}'", cell_.font == 0 ? 7 : 10));
      for (std::size_t row = 0; row < arms_.size(); ++row) {
        if (row == column) continue;
        const auto pair = pair_of(board_, arms_[row].arm, arms_[column].arm);
        const double y = top_ - cell_.height * static_cast<double>(row + 1);
        const bool known = pair && pair->counts.decisive() > 0;
        const PairWeight weight = known ? pair_weight(pair->interval) : PairWeight::too_little;
        canvas.cell(x, y, cell_.width - 1, cell_.height - 1,
                    known ? color_of(weight, pair->rate >= 0.5) : kNever);
        if (!known || cell_.font == 0) continue;
        const bool dark = weight == PairWeight::beyond;
        canvas.text(x + cell_.width / 2, y + cell_.height / 2,
                    fmt::format("{:.0f}", 100 * pair->rate),
                    fmt::format("center font ',{}' textcolor rgb '{}'", cell_.font,
                                dark ? "#ffffff" : "#000000"));
      }
    }
  }

  void draw_scale(Canvas& canvas) const {
    using enum PairWeight;
    constexpr double kSwatch = 22;
    const double y = bottom_ - 24;
    double x = map_left_;
    for (const auto& [weight, row_wins] :
         {std::pair(beyond, false), std::pair(told_apart, false), std::pair(leaning, false),
          std::pair(too_little, true), std::pair(leaning, true), std::pair(told_apart, true),
          std::pair(beyond, true)}) {
      canvas.cell(x, y, kSwatch - 1, 10, color_of(weight, row_wins));
      x += kSwatch;
    }
    canvas.text(map_left_, y - 8, "row loses", "left font ',9'");
    canvas.text(x, y - 8, "row wins", "right font ',9'");
    canvas.text(map_left_, y - 23, "Colour: evidence; grey: too little to say",
                "left noenhanced font ',9'");
    if (cell_.font > 0) {
      canvas.text(map_left_, y - 36, "Numbers: % of decisive duels won by the row",
                  "left noenhanced font ',9'");
    }
  }

  const Board& board_;
  std::vector<BoardArm> arms_;
  CellSize cell_;
  std::string title_;
  std::vector<std::string> names_;
  std::vector<std::string> places_;  // the ranges that the evidence leaves open
  std::vector<std::string> verdict_;
  double places_right_ = 0;
  double left_ = 0;  // of the strengths, or the map where there are none
  double map_left_ = 0;
  double map_right_ = 0;
  double width_ = 0;
  double height_ = 0;
  double top_ = 0;  // of the first row
  double bottom_ = 0;
};

}  // namespace

std::string board_picture_script(const Ledger& ledger, const Board& board, PlotFormat format) {
  DUEL_CHECK(!board.arms.empty());
  return BoardPicture(ledger, board).script(format);
}

}  // namespace duel
