#include "duel/http/trace_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/secrets.h"

namespace duel {
namespace {

constexpr std::size_t kTraceDigits = 32, kSpanDigits = 16;
// "00-<trace>-<span>-<flags>"
constexpr std::size_t kLength = 3 + kTraceDigits + 1 + kSpanDigits + 3;

// Section 3.2.2.1: HEXDIGLC, digits and lower-case letters.
bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}
bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

bool is_trace(const HttpFields::value_type& field) { return field.first == kTraceHeader; }

std::string random_id(std::size_t digits) {
  for (;;) {
    std::string id;
    for (const char byte : random_bytes(digits / 2)) {
      id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    if (!is_zero(id)) return id;  // which stands for none
  }
}

}  // namespace

std::string TraceContext::to_header() const {
  return fmt::format("00-{}-{}-{}", trace_id, span_id, flags);
}

std::optional<TraceContext> parse_traceparent(std::string_view header) {
  if (header.size() < kLength) return std::nullopt;
  const std::string_view version = header.substr(0, 2);
  const std::string_view trace = header.substr(3, kTraceDigits);
  const std::string_view span = header.substr(4 + kTraceDigits, kSpanDigits);
  const std::string_view flags = header.substr(kLength - 2, 2);
  if (header[2] != '-' || header[3 + kTraceDigits] != '-' || header[kLength - 3] != '-') {
    return std::nullopt;
  }
  for (const std::string_view part : {version, trace, span, flags}) {
    if (!is_hexadecimal(part)) return std::nullopt;
  }
  if (version == "ff" || is_zero(trace) || is_zero(span)) return std::nullopt;
  // A later version may have more behind a dash; this one has not.
  if (header.size() > kLength && (version == "00" || header[kLength] != '-')) return std::nullopt;
  // Of the flags the first two bits are known, sampled and random; the others must go on as zero.
  const int known = (flags[1] >= 'a' ? flags[1] - 'a' + 10 : flags[1] - '0') & 3;
  return TraceContext{std::string(trace), std::string(span), "", fmt::format("0{}", known)};
}

std::optional<TraceContext> next_span(const HttpRequest& request, bool begin) {
  // Twice is as good as never: nobody could say which one counts.
  std::optional<TraceContext> caller;
  if (std::ranges::count_if(request.headers, is_trace) == 1) {
    caller = parse_traceparent(*request.header(kTraceHeader));
  }
  if (!caller && !begin) return std::nullopt;
  TraceContext trace{caller ? caller->trace_id : random_id(kTraceDigits), random_id(kSpanDigits)};
  if (caller) {
    trace.parent_id = std::move(caller->span_id);
    trace.flags = std::move(caller->flags);
  }
  return trace;
}

std::optional<TraceContext> continue_trace(HttpRequest& request, bool begin) {
  std::optional<TraceContext> trace = next_span(request, begin);
  const bool goes_on = trace && !trace->parent_id.empty();
  std::erase_if(request.headers, [&](const auto& field) {
    return is_trace(field) || (!goes_on && field.first == kTraceStateHeader);
  });
  if (trace) request.headers.emplace_back(kTraceHeader, trace->to_header());
  return trace;
}

HttpFields trace_headers(const HttpRequest& request) {
  HttpFields headers;
  for (const auto& field : request.headers) {
    if (is_trace(field) || field.first == kTraceStateHeader) headers.push_back(field);
  }
  return headers;
}

}  // namespace duel
