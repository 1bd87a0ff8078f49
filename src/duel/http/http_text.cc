#include "duel/http/http_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace duel {
namespace {

// ASCII only, independent of the locale.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<int> hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower(c);
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return std::nullopt;
}

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  if (text.find_first_of("%+") == std::string_view::npos) return std::string(text);
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      decoded += plus_is_space && text[k] == '+' ? ' ' : text[k];
      continue;
    }
    if (k + 2 >= text.size()) return std::nullopt;
    const auto high = hex_value(text[k + 1]), low = hex_value(text[k + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high * 16 + *low);
    k += 2;
  }
  return decoded;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) { return decode(text, false); }

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte / 16];
    encoded += kDigits[byte % 16];
  }
  return encoded;
}

std::optional<HttpFields> parse_query(std::string_view query) {
  HttpFields fields;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (field.empty()) continue;
    const std::size_t equals = std::min(field.find('='), field.size());
    auto name = decode(field.substr(0, equals), true);
    auto value = decode(field.substr(std::min(equals + 1, field.size())), true);
    if (!name || !value) return std::nullopt;
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

std::optional<std::vector<std::string>> path_segments(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> segments;
  segments.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')));
  for (;;) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    auto segment = percent_decode(path.substr(0, end));
    if (!segment) return std::nullopt;
    segments.push_back(std::move(*segment));
    path.remove_prefix(end);
    if (path.empty()) return segments;
  }
}

std::optional<bool> if_match_holds(std::string_view header, std::string_view etag) {
  const auto skip = [&](std::string_view characters) {
    header.remove_prefix(std::min(header.find_first_not_of(characters), header.size()));
  };
  skip(" \t");
  if (header.starts_with('*')) {
    header.remove_prefix(1);
    skip(" \t");
    return header.empty() ? std::optional(true) : std::nullopt;
  }
  bool found = false, any = false;
  for (skip(" \t,"); !header.empty(); any = true) {
    const bool weak = header.starts_with("W/");
    if (weak) header.remove_prefix(2);
    const std::size_t end = header.starts_with('"') ? header.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    found = found || (!weak && header.substr(0, end + 1) == etag);
    header.remove_prefix(end + 1);
    skip(" \t");
    if (!header.empty() && !header.starts_with(',')) return std::nullopt;
    skip(" \t,");
  }
  return any ? std::optional(found) : std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace duel
