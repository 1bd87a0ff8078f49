#include "duel/store/line.h"

#include "duel/core/digest.h"

namespace duel {
namespace {

constexpr std::string_view kNumberKey = "{\"seq\":";
constexpr std::string_view kHashKey = ",\"hash\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kClosing = kHashKey.size() + kHexDigits + kEnd.size();

}  // namespace

std::optional<std::uint64_t> number_of(std::string_view line) {
  if (!line.starts_with(kNumberKey)) return std::nullopt;
  constexpr std::size_t kMostDigits = 18;  // no overflow
  std::uint64_t number = 0;
  std::size_t k = kNumberKey.size();
  for (; k < line.size() && k < kNumberKey.size() + kMostDigits && line[k] >= '0' && line[k] <= '9';
       ++k) {
    number = number * 10 + static_cast<std::uint64_t>(line[k] - '0');
  }
  if (k == kNumberKey.size() || k == line.size() || line[k] != ',') return std::nullopt;
  return number;
}

std::optional<LineParts> split_line(std::string_view line) {
  if (line.size() <= kClosing) return std::nullopt;
  const std::string_view closing = line.substr(line.size() - kClosing);
  if (!closing.starts_with(kHashKey) || !closing.ends_with(kEnd)) return std::nullopt;
  return LineParts{line.substr(0, line.size() - kClosing),
                   closing.substr(kHashKey.size(), kHexDigits)};
}

void close_line(std::string& body, std::string_view hash) {
  body += kHashKey;
  body += hash;
  body += kEnd;
}

std::size_t closing_bytes() { return kClosing; }

}  // namespace duel
