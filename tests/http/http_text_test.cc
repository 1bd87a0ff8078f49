#include "duel/http/http_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "duel/core/json.h"
#include "tests/http/http_call.h"

namespace duel {
namespace {

using Segments = std::vector<std::string>;

TEST(HttpText, decodes_what_is_escaped_and_nothing_else) {
  EXPECT_EQ(percent_decode("a%2Fb%20+%c3%A9"), "a/b +\xc3\xa9");
  EXPECT_EQ(percent_decode(""), "");
  EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
  for (const char* broken : {"%", "%4", "a%", "%g0", "%0g", "%%30", "%+1", "% 1"}) {
    EXPECT_EQ(percent_decode(broken), std::nullopt) << broken;
  }
}

RC_GTEST_PROP(HttpText, what_is_encoded_decodes_to_itself, (const std::string& text)) {
  RC_ASSERT(percent_decode(percent_encode(text)) == text);
  const auto fields = parse_query(percent_encode(text) + "=" + percent_encode(text));
  RC_ASSERT(fields && fields->size() == 1 && fields->front().first == text &&
            fields->front().second == text);
  const auto segments = path_segments("/" + percent_encode(text) + "/x");
  RC_ASSERT(segments == (Segments{text, "x"}));
}

TEST(HttpText, reads_a_query_in_its_order) {
  EXPECT_EQ(parse_query("a=1&b=x+y&c&a=%26%3D&=v&&"),
            (HttpFields{{"a", "1"}, {"b", "x y"}, {"c", ""}, {"a", "&="}, {"", "v"}}));
  EXPECT_EQ(parse_query(""), HttpFields());
  EXPECT_EQ(parse_query("a=1=2"), (HttpFields{{"a", "1=2"}}));
  EXPECT_EQ(parse_query("a=%"), std::nullopt);
  EXPECT_EQ(parse_query("%zz=1"), std::nullopt);
}

TEST(HttpText, divides_a_path_before_it_decodes) {
  EXPECT_EQ(path_segments("/"), Segments{""});
  EXPECT_EQ(path_segments("/v1/a%2Fb/"), (Segments{"v1", "a/b", ""}));
  EXPECT_EQ(path_segments("//x"), (Segments{"", "x"}));
  EXPECT_EQ(path_segments("/%2e%2E/.."), (Segments{"..", ".."}));
  EXPECT_EQ(path_segments(""), std::nullopt);
  EXPECT_EQ(path_segments("v1"), std::nullopt);
  EXPECT_EQ(path_segments("*"), std::nullopt);
  EXPECT_EQ(path_segments("/%"), std::nullopt);
}

TEST(HttpAddress, is_read_with_its_port) {
  EXPECT_EQ(*parse_http_address("127.0.0.1:7557"), (HttpAddress{"127.0.0.1", 7557}));
  EXPECT_EQ(*parse_http_address("[::1]:0"), (HttpAddress{"::1", 0}));
  EXPECT_EQ(*parse_http_address(":8080"), (HttpAddress{"", 8080}));
  EXPECT_EQ(*parse_http_address("localhost:65535"), (HttpAddress{"localhost", 65535}));
  EXPECT_EQ(parse_http_address("[::1]:80")->to_string(), "[::1]:80");
  EXPECT_EQ(parse_http_address("a.b:80")->to_string(), "a.b:80");
  for (const char* wrong :
       {"", "7557", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1",
        "::1:80", "[1.2.3.4]:80", "[::1]", "a/b:80", "127.0.0.1:80 "}) {
    const auto address = parse_http_address(wrong);
    ASSERT_FALSE(address.ok()) << wrong;
    EXPECT_EQ(address.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(address.error().message.find(std::string("'") + wrong + "'"), std::string::npos);
  }
}

TEST(HttpAddress, knows_loopback_by_its_spelling) {
  for (const char* host : {"127.0.0.1", "127.8.8.8", "::1", "localhost"}) {
    EXPECT_TRUE((HttpAddress{host, 1}.is_loopback())) << host;
  }
  for (const char* host : {"", "0.0.0.0", "::", "128.0.0.1", "127.0.0.1.example.org", "example.org",
                           "127.evil.org", "localhost.example.org"}) {
    EXPECT_FALSE((HttpAddress{host, 1}.is_loopback())) << host;
  }
}

TEST(HttpReply, that_is_dropped_answers_500_and_one_that_is_used_answers_once) {
  const auto dropped = std::make_shared<RecordedExchange>();
  {
    const HttpReply reply(dropped);
  }
  EXPECT_EQ(dropped->response().status, 500);
  const auto used = std::make_shared<RecordedExchange>();
  {
    HttpReply reply(used);
    HttpReply moved(std::move(reply));
    moved.send({200, {}, "ok"});
  }
  EXPECT_EQ(used->response().body, "ok");
  EXPECT_EQ(used->answers(), 1);
}

TEST(HttpProblem, is_what_rfc_9457_says) {
  const HttpResponse response = problem(404, "there is no \"x\"", true);
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(*response.header("content-type"), "application/problem+json");
  const auto body = Json::parse(response.body);
  EXPECT_EQ(*body, (Json{{"type", "about:blank"},
                         {"title", "Not Found"},
                         {"status", 404},
                         {"detail", "there is no \"x\""},
                         {"retryable", true}}));
}

TEST(HttpMethods, are_read_as_they_are_written) {
  for (const HttpMethod method :
       {HttpMethod::get, HttpMethod::head, HttpMethod::post, HttpMethod::put, HttpMethod::patch,
        HttpMethod::del, HttpMethod::options}) {
    EXPECT_EQ(http_method_of(to_word(method)), method);
  }
  EXPECT_EQ(http_method_of("get"), HttpMethod::other);
  EXPECT_EQ(http_method_of("TRACE"), HttpMethod::other);
}

}  // namespace
}  // namespace duel
