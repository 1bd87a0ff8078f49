#include "duel/core/timestamp.h"

#include <array>
#include <chrono>

#include "duel/core/check.h"

namespace duel {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";

// The digits of `text` from `begin` on, or -1.
int digits(std::string_view text, std::size_t begin, std::size_t count) {
  int value = 0;
  for (std::size_t k = begin; k < begin + count; ++k) {
    if (text[k] < '0' || text[k] > '9') return -1;
    value = value * 10 + (text[k] - '0');
  }
  return value;
}

void write_digits(std::string& text, std::size_t begin, std::size_t count, std::int64_t value) {
  for (std::size_t k = begin + count; k-- > begin; value /= 10) {
    text[k] = static_cast<char>('0' + value % 10);
  }
}

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
  std::string text(kForm);
  write_digits(text, 0, 4, year);
  write_digits(text, 5, 2, static_cast<unsigned>(date.month()));
  write_digits(text, 8, 2, static_cast<unsigned>(date.day()));
  write_digits(text, 11, 2, rest / 3'600'000);
  write_digits(text, 14, 2, rest / 60'000 % 60);
  write_digits(text, 17, 2, rest / 1000 % 60);
  write_digits(text, 20, 3, rest % 1000);
  return text;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t k = 0; k < kForm.size(); ++k) {
    const bool digit = text[k] >= '0' && text[k] <= '9';
    if (kForm[k] == '0' ? !digit : text[k] != kForm[k]) return std::nullopt;
  }
  const std::chrono::year_month_day date{
      std::chrono::year{digits(text, 0, 4)},
      std::chrono::month{static_cast<unsigned>(digits(text, 5, 2))},
      std::chrono::day{static_cast<unsigned>(digits(text, 8, 2))}};
  const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t day = std::chrono::sys_days{date}.time_since_epoch().count();
  return day * kDay + hour * std::int64_t{3'600'000} + minute * 60'000 + second * 1000 +
         digits(text, 20, 3);
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  constexpr std::size_t kWithoutMilliseconds = 20;
  if (text.size() != kWithoutMilliseconds || text.back() != 'Z') return parse_timestamp(text);
  return parse_timestamp(std::string(text.substr(0, text.size() - 1)) + ".000Z");
}

std::int64_t current_time_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace duel
