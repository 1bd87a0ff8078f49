// The trace that a request belongs to (W3C Trace Context, https://www.w3.org/TR/trace-context/).
// The header `traceparent` names the trace, the same for all requests that one cause has made, and
// the span that this request is a part of. Whoever sends a request on names a span of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duel/http/http.h"

namespace duel {

inline constexpr const char* kTraceHeader = "traceparent";
// What vendors add to it. It goes with the first, or not at all.
inline constexpr const char* kTraceStateHeader = "tracestate";

struct TraceContext {
  std::string trace_id;     // 32 hexadecimal digits
  std::string span_id;      // 16: of this process, for this request
  std::string parent_id{};  // of the caller; empty: the trace begins here
  std::string flags = "00";

  // The header for a request that is made to answer this one.
  std::string to_header() const;
};

// What a header of another process says, a span of which we are to continue. Nothing where it is
// not of the form that the standard has: then it is to be ignored.
std::optional<TraceContext> parse_traceparent(std::string_view header);

// A new span of the trace that the request names, or of a new trace if it names none and `begin` is
// true.
std::optional<TraceContext> next_span(const HttpRequest& request, bool begin);
// The same, and the request bears it in place of its caller's, for what is sent on. A header that
// is of no use is taken off.
std::optional<TraceContext> continue_trace(HttpRequest& request, bool begin);
// The headers of the trace that the request bears, for another request that is made to answer it.
HttpFields trace_headers(const HttpRequest& request);

}  // namespace duel
