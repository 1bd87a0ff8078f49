#include "duel/core/written_time.h"

#include <chrono>
#include <cstddef>

#include "duel/core/numbers.h"

namespace duel {
namespace {

// Takes a text apart from its beginning.
class TimeParts {
 public:
  explicit TimeParts(std::string_view text) : rest_(text) {}

  bool ended() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // So many digits, and the character after them where one is given.
  std::optional<int> digits(std::size_t count, char after = 0) {
    int value = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return std::nullopt;
      value = 10 * value + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (after != 0 && !take(after)) return std::nullopt;
    return value;
  }
  // 00 .. 60, with a fraction or without.
  std::optional<double> seconds() {
    const auto whole = digits(2);
    if (!whole || *whole > 60) return std::nullopt;
    double value = *whole, unit = 1;
    if (!take('.')) return value;
    while (const auto digit = digits(1)) value += *digit * (unit /= 10);
    return unit < 1 ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

// 1973. A smaller number is no time but perhaps how long somebody took, and rows in the order of
// that would be in an order that depends on the answer.
constexpr double kLeastSeconds = 1e8;

}  // namespace

std::optional<WrittenTime> parse_written_time(std::string_view text) {
  const bool is_date = text.size() > 4 && text[4] == '-';
  if (!is_date) {
    const auto number = parse_number(text);
    if (!number.ok() || *number < kLeastSeconds) return std::nullopt;
    return WrittenTime{WrittenTime::Form::seconds, *number};
  }
  TimeParts parts(text);
  const auto year = parts.digits(4, '-'), month = parts.digits(2, '-'), day = parts.digits(2);
  const bool parted = parts.take('T') || parts.take(' ');
  const auto hour = parts.digits(2, ':'), minute = parts.digits(2);
  if (!parted || !year || !month || !day || !hour || !minute) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59) return std::nullopt;
  double seconds =
      86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) +
      3600.0 * *hour + 60.0 * *minute;
  if (parts.take(':')) {
    const auto rest = parts.seconds();
    if (!rest) return std::nullopt;
    seconds += *rest;
  }
  if (parts.ended()) return WrittenTime{WrittenTime::Form::local, seconds};
  if (!parts.take('Z')) {
    const int sign = parts.take('-') ? -1 : parts.take('+') ? 1 : 0;
    const auto hours = parts.digits(2);
    parts.take(':');
    const auto minutes = parts.digits(2);
    if (sign == 0 || !hours || !minutes) return std::nullopt;
    seconds -= sign * (3600.0 * *hours + 60.0 * *minutes);
  }
  if (!parts.ended()) return std::nullopt;
  return WrittenTime{WrittenTime::Form::zoned, seconds};
}

}  // namespace duel
