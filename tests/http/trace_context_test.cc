#include "duel/http/trace_context.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace duel {
namespace {

constexpr const char* kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr const char* kSpan = "00f067aa0ba902b7";

std::string header(const std::string& version, const std::string& flags = "01") {
  return version + "-" + kTrace + "-" + kSpan + "-" + flags;
}

TEST(TraceContext, reads_the_example_of_the_standard) {
  const auto trace = parse_traceparent(header("00"));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->trace_id, kTrace);
  EXPECT_EQ(trace->span_id, kSpan);
  EXPECT_EQ(trace->flags, "01");
  EXPECT_EQ(trace->to_header(), header("00"));
}

TEST(TraceContext, refuses_what_is_not_of_that_form) {
  const std::string good = header("00");
  EXPECT_FALSE(parse_traceparent(""));
  EXPECT_FALSE(parse_traceparent(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(parse_traceparent(good + "-00")) << "this version has no more";
  EXPECT_FALSE(parse_traceparent(header("ff")));
  EXPECT_FALSE(parse_traceparent(header("0x")));
  EXPECT_FALSE(parse_traceparent("00-" + std::string(32, '0') + "-" + kSpan + "-01"));
  EXPECT_FALSE(parse_traceparent(std::string("00-") + kTrace + "-" + std::string(16, '0') + "-01"));
  for (std::size_t k = 0; k < good.size(); ++k) {
    for (const char c : {'A', 'g', ' ', '-'}) {
      std::string bad = good;
      bad[k] = c;
      if (bad == good) continue;
      EXPECT_FALSE(parse_traceparent(bad)) << bad;
    }
  }
}

TEST(TraceContext, takes_of_a_later_version_what_it_knows) {
  EXPECT_TRUE(parse_traceparent(header("01")));
  EXPECT_TRUE(parse_traceparent(header("cc") + "-what-comes-then"));
  EXPECT_FALSE(parse_traceparent(header("cc") + "what-comes-then"));
  EXPECT_EQ(parse_traceparent(header("00", "ff"))->flags, "03") << "two bits are known";
  EXPECT_EQ(parse_traceparent(header("00", "fc"))->flags, "00");
}

TEST(TraceContext, gives_each_request_a_span_of_its_own) {
  HttpRequest request;
  request.headers = {{"traceparent", header("00")}, {"tracestate", "a=1"}, {"accept", "*/*"}};
  std::set<std::string> spans{kSpan};
  for (int k = 0; k < 100; ++k) {
    HttpRequest one = request;
    const auto trace = continue_trace(one, false);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->trace_id, kTrace);
    EXPECT_EQ(trace->parent_id, kSpan);
    EXPECT_EQ(*one.header("traceparent"), trace->to_header());
    EXPECT_EQ(*one.header("tracestate"), "a=1");
    EXPECT_EQ(one.headers.size(), 3U);
    EXPECT_TRUE(spans.insert(trace->span_id).second);
  }
}

TEST(TraceContext, begins_a_trace_only_where_that_is_wanted) {
  // A state without its trace means nothing, and two traces mean as little.
  for (const HttpFields& headers :
       {HttpFields{{"tracestate", "a=1"}},
        HttpFields{{"traceparent", "nonsense"}, {"tracestate", "a=1"}},
        HttpFields{{"traceparent", header("00")}, {"traceparent", header("00")}}}) {
    HttpRequest request;
    request.headers = headers;
    EXPECT_FALSE(continue_trace(request, false));
    EXPECT_TRUE(request.headers.empty());
    request.headers = headers;
    const auto trace = continue_trace(request, true);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->parent_id, "");
    EXPECT_NE(trace->trace_id, kTrace);
    ASSERT_EQ(request.headers.size(), 1U);
    EXPECT_TRUE(parse_traceparent(request.headers[0].second));
  }
}

}  // namespace
}  // namespace duel
