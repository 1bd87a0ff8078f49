#include "duel/core/call_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/numbers.h"

namespace duel {
namespace {

Error malformed(std::string_view text, std::string message) {
  return Error::invalid_argument(std::move(message), fmt::format("'{}'", text),
                                 "write name or name(key=value, key=value)");
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || c == '-' || c == '_'; });
}

// Cuts at commas outside parentheses; an error where parentheses do not match.
Result<std::vector<std::string_view>> cut_at_commas(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth-- == 0) return malformed(text, "unexpected ')'");
    if (text[i] == ',' && depth == 0) {
      pieces.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (depth != 0) return malformed(text, "missing ')'");
  pieces.push_back(trimmed(text.substr(begin)));
  return pieces;
}

}  // namespace

Result<CallSpec> parse_call(std::string_view text) {
  const std::string_view body = trimmed(text);
  const auto open = body.find('(');
  CallSpec call;
  call.name = std::string(trimmed(body.substr(0, open)));
  if (!is_name(call.name)) {
    return malformed(text, call.name.empty() ? "a name is missing"
                                             : fmt::format("'{}' is not a name", call.name));
  }
  if (open == std::string_view::npos) return call;
  if (body.back() != ')') return malformed(text, "missing ')' at the end");
  const std::string_view inside = trimmed(body.substr(open + 1, body.size() - open - 2));
  if (inside.empty()) return call;
  DUEL_ASSIGN(const auto pieces, cut_at_commas(inside));
  for (const std::string_view piece : pieces) {
    const auto equals = piece.find('=');
    if (equals == std::string_view::npos) {
      return malformed(text, fmt::format("'{}' is not key=value", piece));
    }
    const std::string key(trimmed(piece.substr(0, equals)));
    const std::string value(trimmed(piece.substr(equals + 1)));
    if (!is_name(key)) return malformed(text, fmt::format("'{}' is not an option name", key));
    if (value.empty()) return malformed(text, fmt::format("option '{}' has no value", key));
    for (const auto& [known, unused] : call.arguments) {
      if (known == key) return malformed(text, fmt::format("option '{}' is given twice", key));
    }
    call.arguments.emplace_back(key, value);
  }
  return call;
}

Result<std::vector<CallSpec>> parse_call_list(std::string_view text) {
  DUEL_ASSIGN(const auto pieces, cut_at_commas(text));
  std::vector<CallSpec> calls;
  for (const std::string_view piece : pieces) {
    DUEL_ASSIGN(CallSpec call, parse_call(piece));
    calls.push_back(std::move(call));
  }
  return calls;
}

std::string to_string(const CallSpec& call) {
  if (call.arguments.empty()) return call.name;
  std::string text = call.name + "(";
  for (const auto& [key, value] : call.arguments) {
    if (text.back() != '(') text += ",";
    text += key + "=" + value;
  }
  return text + ")";
}

}  // namespace duel
