#include "duel/core/timestamp.h"

#include <chrono>
#include <cmath>
#include <cstddef>

#include "duel/core/check.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr std::int64_t kDay = 86'400'000;

void write_digits(std::string& text, std::size_t begin, std::size_t count, std::int64_t value) {
  for (std::size_t k = begin + count; k-- > begin; value /= 10) {
    text[k] = static_cast<char>('0' + value % 10);
  }
}

// A text of the grammar, in its parts.
struct TimeParts {
  std::int64_t minutes = 0;  // since 1970, by the clock of its zone
  int second = 0;            // 60 is a leap second
  double fraction = 0;       // of a second
  int fraction_digits = 0;
  bool has_seconds = false, has_t = false;
  enum class Zone { none, utc, offset } zone = Zone::none;
  int offset_minutes = 0;

  double seconds() const {
    return 60.0 * static_cast<double>(minutes - offset_minutes) + second + fraction;
  }
};

// Takes a text apart from its beginning.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : rest_(text) {}

  std::optional<TimeParts> parts() {
    TimeParts time;
    const auto year = digits(4, '-'), month = digits(2, '-'), day = digits(2);
    time.has_t = take('T');
    const bool parted = time.has_t || take(' ');
    const auto hour = digits(2, ':'), minute = digits(2);
    if (!parted || !year || !month || !day || !hour || !minute) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok() || *hour > 23 || *minute > 59) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
    time.minutes = (days * 24 + *hour) * 60 + *minute;
    if (take(':') && !take_seconds(time)) return std::nullopt;
    if (!take_zone(time) || !rest_.empty()) return std::nullopt;
    return time;
  }

 private:
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
  bool take_seconds(TimeParts& time) {
    const auto second = digits(2);
    if (!second || *second > 60) return false;
    time.has_seconds = true;
    time.second = *second;
    if (!take('.')) return true;
    double unit = 1;
    while (const auto digit = digits(1)) {
      time.fraction += *digit * (unit /= 10);
      ++time.fraction_digits;
    }
    return time.fraction_digits > 0;
  }
  bool take_zone(TimeParts& time) {
    if (rest_.empty()) return true;
    time.zone = take('Z') ? TimeParts::Zone::utc : TimeParts::Zone::offset;
    if (time.zone == TimeParts::Zone::utc) return true;
    const int sign = take('-') ? -1 : take('+') ? 1 : 0;
    const auto hours = digits(2);
    take(':');
    const auto minutes = digits(2);
    if (sign == 0 || !hours || !minutes) return false;
    time.offset_minutes = sign * (60 * *hours + *minutes);
    return true;
  }

  std::string_view rest_;
};

// In UTC with a T, to the second or the millisecond.
std::optional<std::int64_t> parse_utc(std::string_view text, bool milliseconds_required) {
  const auto time = TimeText(text).parts();
  if (!time || !time->has_t || !time->has_seconds || time->second > 59) return std::nullopt;
  if (time->zone != TimeParts::Zone::utc) return std::nullopt;
  const int digits = time->fraction_digits;
  if (digits != 3 && (milliseconds_required || digits != 0)) return std::nullopt;
  return (time->minutes * 60 + time->second) * 1000 + std::llround(time->fraction * 1000);
}

// 1973. A smaller number is no time but perhaps how long somebody took, and rows in the order of
// that would be in an order that depends on the answer.
constexpr double kLeastSeconds = 1e8;

}  // namespace

std::string format_timestamp(std::int64_t milliseconds) {
  using std::chrono::days;
  using std::chrono::sys_days;
  const std::int64_t day = milliseconds / kDay - static_cast<std::int64_t>(milliseconds % kDay < 0);
  const std::int64_t rest = milliseconds - day * kDay;
  const std::chrono::year_month_day date{sys_days{days{day}}};
  const int year = static_cast<int>(date.year());
  DUEL_CHECK(year >= 0 && year <= 9999);
  // Every duel has a few: fmt::format takes ten times as long.
  std::string text = "0000-00-00T00:00:00.000Z";
  write_digits(text, 0, 4, year);
  write_digits(text, 5, 2, static_cast<unsigned>(date.month()));
  write_digits(text, 8, 2, static_cast<unsigned>(date.day()));
  write_digits(text, 11, 2, rest / 3'600'000);
  write_digits(text, 14, 2, rest / 60'000 % 60);
  write_digits(text, 17, 2, rest / 1000 % 60);
  write_digits(text, 20, 3, rest % 1000);
  return text;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) { return parse_utc(text, true); }

std::optional<std::int64_t> parse_time(std::string_view text) { return parse_utc(text, false); }

std::optional<WrittenTime> parse_written_time(std::string_view text) {
  const bool is_date = text.size() > 4 && text[4] == '-';
  if (!is_date) {
    const auto number = parse_number(text);
    if (!number.ok() || *number < kLeastSeconds) return std::nullopt;
    return WrittenTime{WrittenTime::Form::seconds, *number};
  }
  const auto time = TimeText(text).parts();
  if (!time) return std::nullopt;
  const bool zoned = time->zone != TimeParts::Zone::none;
  return WrittenTime{zoned ? WrittenTime::Form::zoned : WrittenTime::Form::local, time->seconds()};
}

std::int64_t current_time_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace duel
