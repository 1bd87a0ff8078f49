#include "duel/http/http_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <iterator>

#include "duel/http/http.h"

namespace duel {
namespace {

// "Sun, 06 Nov 1994 08:49:37 GMT", made once per second and thread.
const std::string& http_date() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now == second) return text;
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&now, &parts);
  second = now;
  text = fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

}  // namespace

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

void append_field(std::string& head, std::string_view name, std::string_view value) {
  const auto ends_line = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  const auto append = [&](std::string_view text) {
    if (std::ranges::none_of(text, ends_line)) {
      head += text;
      return;
    }
    std::ranges::remove_copy_if(text, std::back_inserter(head), ends_line);
  };
  append(name);
  head += ": ";
  append(value);
  head += "\r\n";
}

std::string head_of(int status, const HttpFields& headers, bool close) {
  constexpr std::size_t kMostHeads = 400;  // are shorter
  std::string head;
  head.reserve(kMostHeads);
  head += "HTTP/1.1 ";
  head += std::to_string(status);
  head += ' ';
  head += reason_phrase(status);
  head += "\r\nDate: ";
  head += http_date();
  head += "\r\n";
  for (const auto& [name, value] : headers) append_field(head, name, value);
  if (close) head += "Connection: close\r\n";
  return head;
}
}  // namespace duel
