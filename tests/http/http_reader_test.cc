#include "duel/http/http_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "duel/core/json.h"

namespace duel {
namespace {

using State = HttpRequestReader::State;

// Feeds in portions of so many bytes, each with what was left before it, as a connection does.
struct Fed {
  explicit Fed(const std::string& text, std::size_t portion = ~std::size_t{0},
               HttpLimits its_limits = {})
      : limits(std::move(its_limits)), reader(limits) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t count = std::min(portion, text.size() - at);
      rest += text.substr(at, count);
      at += count;
      for (std::size_t used = 1; used > 0;) {
        used = reader.feed(rest);
        rest.erase(0, used);
      }
    }
  }
  int refused() const { return reader.state() == State::refused ? reader.refusal().status : 0; }
  std::string detail() const {
    return Json::parse(reader.refusal().body)->at("detail").get<std::string>();
  }

  HttpLimits limits;
  HttpRequestReader reader;
  std::string rest;
};

const std::string kHost = "Host: x\r\n";

TEST(HttpRequestReader, reads_a_request_in_portions_of_any_size) {
  const std::string text =
      "\r\nPUT /v1/a%2Fb?x=1&y=a+b HTTP/1.1\r\nHost: h:1\r\nX-Two:  spaced \r\n"
      "x-two: again\r\nContent-Length: 5\r\n\r\nhelloGET /next";
  for (std::size_t portion = 1; portion <= text.size(); ++portion) {
    Fed fed(text, portion);
    ASSERT_EQ(fed.reader.state(), State::complete) << portion;
    EXPECT_EQ(fed.rest, "GET /next");
    EXPECT_TRUE(fed.reader.keep_alive());
    const HttpRequest request = fed.reader.take();
    EXPECT_EQ(request.method, HttpMethod::put);
    EXPECT_EQ(request.target, "/v1/a%2Fb?x=1&y=a+b");
    EXPECT_EQ(request.path, "/v1/a%2Fb");
    EXPECT_EQ(request.query, (HttpFields{{"x", "1"}, {"y", "a b"}}));
    EXPECT_EQ(
        request.headers,
        (HttpFields{
            {"host", "h:1"}, {"x-two", "spaced"}, {"x-two", "again"}, {"content-length", "5"}}));
    EXPECT_EQ(*request.header("x-two"), "spaced");
    EXPECT_EQ(request.header("x-three"), nullptr);
    EXPECT_EQ(request.body, "hello");
  }
}

TEST(HttpRequestReader, puts_chunks_together_in_portions_of_any_size) {
  const std::string text = "POST / HTTP/1.1\r\n" + kHost +
                           "Transfer-Encoding: Chunked\r\n\r\n"
                           "3;note=x\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nrest";
  for (std::size_t portion = 1; portion <= text.size(); ++portion) {
    Fed fed(text, portion);
    ASSERT_EQ(fed.reader.state(), State::complete) << portion;
    EXPECT_EQ(fed.rest, "rest");
    EXPECT_EQ(fed.reader.declared_body_bytes(), std::nullopt);
    const HttpRequest request = fed.reader.take();
    EXPECT_EQ(request.body, "abc0123456789");
    EXPECT_EQ(request.header("trailer"), nullptr);  // comes too late to be believed
  }
}

TEST(HttpChunkDecoder, takes_what_the_grammar_has_and_nothing_else) {
  const auto decode = [](const std::string& text, std::size_t portion) -> std::string {
    HttpChunkDecoder decoder;
    std::string rest, body;
    for (std::size_t at = 0; at < text.size(); at += portion) {
      rest += text.substr(at, portion);
      rest.erase(0, decoder.feed(rest, body, 1'000));
    }
    if (decoder.fault() != HttpChunkDecoder::Fault::none) return "refused";
    return decoder.complete() ? body + "|" + rest : "incomplete";
  };
  const std::string ext = ";a=\"b c\";d";
  for (const std::size_t portion : {1, 2, 3, 1'000}) {
    EXPECT_EQ(decode("0\r\n\r\nnext", portion), "|next");
    EXPECT_EQ(decode("000\r\n\r\n", portion), "|");
    EXPECT_EQ(decode("2\r\nab\r\n1" + ext + "\r\n\n\r\n0" + ext + "\r\nA: b\r\n\r\n", portion),
              "ab\n|");
    EXPECT_EQ(decode("3\r\n\r\n0\r\n0\r\n\r\n", portion), "\r\n0|");
    for (const char* cut :
         {"", "2", "2\r", "2\r\n", "2\r\na", "2\r\nab\r", "0\r\n", "0\r\nA: b\r\n"}) {
      EXPECT_EQ(decode(cut, portion), "incomplete") << cut;
    }
    for (const char* wrong :
         {"\r\n", "g\r\n", " 2\r\n", "2 \r\n", "2\nab\n", "2\r\rab", "0x2\r\n", "+2\r\n",
          "2\r\nabc\r\n", "2\r\nab0\r\n\r\n", "1;a\x01\r\n", "1234567890123456\r\n", "3e9\r\n",
          "0\r\nno colon\r\n", "0\r\n A: folded\r\n", "0\r\nA: b\n\r\n", "0\r\n,00 OK-\n/"}) {
      EXPECT_EQ(decode(wrong, portion), "refused") << wrong;
    }
  }
}

TEST(HttpRequestReader, refuses_what_two_servers_could_read_differently) {
  const std::string post = "POST / HTTP/1.1\r\n" + kHost;
  for (const std::string& text : {
           post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
           post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
           post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
           post + "Content-Length: 3, 3\r\n\r\nabc",
           post + "Content-Length: +3\r\n\r\nabc",
           post + "Content-Length: 0x3\r\n\r\nabc",
           post + "Content-Length: -1\r\n\r\n",
           post + "Content-Length: 99999999999999999999999\r\n\r\n",
           post + "Content-Length : 3\r\n\r\nabc",
           post + " Content-Length: 3\r\n\r\nabc",
           post + "X: a\r\n Content-Length: 3\r\n\r\nabc",
           post + "X: a\r\n\tb\r\n\r\n",
           post + "X: a\nContent-Length: 3\r\n\r\nabc",
           post + "X: a\rContent-Length: 3\r\n\r\nabc",
           post + std::string("X: a\0b\r\n\r\n", 10),
           post + "Transfer-Encoding: chunked\r\n\r\nx\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
           std::string("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
           std::string("GET / HTTP/1.1\r\n\r\n"),
           "GET / HTTP/1.1\r\n" + kHost + "Host: y\r\n\r\n",
           std::string("GET / HTTP/1.1\nHost: x\n\n"),
           std::string("GET  / HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("G(T / HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("GET x HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("GET /?a=%zz HTTP/1.1\r\nHost: x\r\n\r\n"),
           std::string("\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n", 11),  // TLS
       }) {
    for (const std::size_t portion : {std::size_t{1}, text.size()}) {
      const Fed fed(text, portion);
      EXPECT_TRUE(fed.refused() == 400 || fed.refused() == 413) << text << fed.refused();
    }
  }
}

TEST(HttpRequestReader, says_what_it_does_not_understand) {
  EXPECT_EQ(
      Fed("POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n").refused(),
      501);
  EXPECT_EQ(Fed("POST / HTTP/1.1\r\n" + kHost + "Expect: a-pony\r\n\r\n").refused(), 417);
  EXPECT_EQ(Fed("GET / HTTP/2.0\r\n" + kHost + "\r\n").refused(), 505);
  EXPECT_EQ(Fed("BREW /pot HTTP/1.1\r\n" + kHost + "\r\n").reader.take().method, HttpMethod::other);
}

TEST(HttpRequestReader, holds_the_limits_to_the_byte) {
  HttpLimits limits;
  limits.header_bytes = 64;
  limits.header_count = 2;
  limits.body_bytes = 10;
  const std::string start = "GET / HTTP/1.1\r\n" + kHost;
  const std::string exact = start + "A: " + std::string(64 - start.size() - 7, 'a') + "\r\n\r\n";
  ASSERT_EQ(exact.size(), 64U);
  const std::string longer = start + "A: " + std::string(64 - start.size() - 6, 'a') + "\r\n\r\n";
  for (const std::size_t portion : {1, 7, 1'000}) {
    EXPECT_EQ(Fed(exact, portion, limits).reader.state(), State::complete);
    EXPECT_EQ(Fed(longer, portion, limits).refused(), 431);
    EXPECT_EQ(Fed(std::string(65, 'G'), portion, limits).refused(), 431);
    EXPECT_EQ(Fed(std::string(64, 'G'), portion, limits).reader.state(), State::head);
    EXPECT_EQ(Fed(start + "A:a\r\n\r\n", portion, limits).reader.state(), State::complete);
    EXPECT_EQ(Fed(start + "A:a\r\nB:b\r\n\r\n", portion, limits).refused(), 431);
  }
  limits.header_bytes = 1'000;
  const std::string post = "POST / HTTP/1.1\r\n" + kHost;
  EXPECT_EQ(Fed(post + "Content-Length: 10\r\n\r\n0123456789", 3, limits).reader.state(),
            State::complete);
  EXPECT_EQ(Fed(post + "Content-Length: 11\r\n\r\n", 3, limits).refused(), 413);
  const std::string chunks = post + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(Fed(chunks + "5\r\n01234\r\n5\r\n01234\r\n0\r\n\r\n", 3, limits).reader.state(),
            State::complete);
  EXPECT_EQ(Fed(chunks + "5\r\n01234\r\n6\r\n012345\r\n0\r\n\r\n", 3, limits).refused(), 413);
  // The line of a chunk is no way around the limits.
  EXPECT_EQ(Fed(chunks + "1;" + std::string(5'000, 'x'), 100, limits).refused(), 400);
}

TEST(HttpRequestReader, takes_the_limit_of_the_route) {
  HttpLimits limits;
  limits.few_body_bytes = 0;
  limits.admit = [](const HttpRequest& head) -> HttpAdmission {
    return {.body_bytes = head.path == "/import" ? 100 : 2};
  };
  const std::string rest = " HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\n\r\nabc";
  EXPECT_EQ(Fed("POST /import?x" + rest, 5, limits).reader.state(), State::complete);
  EXPECT_EQ(Fed("POST /other" + rest, 5, limits).refused(), 413);
}

TEST(HttpRequestReader, knows_who_keeps_the_connection_and_who_waits_to_be_told) {
  EXPECT_FALSE(Fed("GET / HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\n").reader.keep_alive());
  EXPECT_FALSE(Fed("GET / HTTP/1.0\r\n\r\n").reader.keep_alive());
  EXPECT_TRUE(Fed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").reader.keep_alive());
  const Fed waits("PUT / HTTP/1.1\r\n" + kHost +
                  "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_EQ(waits.reader.state(), State::body);
  EXPECT_TRUE(waits.reader.expects_continue());
}

TEST(HttpRequestReader, takes_a_target_with_its_host) {
  Fed fed("GET http://other:81/p?q HTTP/1.1\r\n" + kHost + "\r\n");
  ASSERT_EQ(fed.reader.state(), State::complete);
  const HttpRequest request = fed.reader.take();
  EXPECT_EQ(request.path, "/p");
  EXPECT_EQ(*request.header("host"), "other:81");
  EXPECT_EQ(Fed("GET http://other HTTP/1.1\r\n" + kHost + "\r\n").reader.take().path, "/");
  EXPECT_EQ(Fed("OPTIONS * HTTP/1.1\r\n" + kHost + "\r\n").reader.take().path, "*");
}

TEST(HttpResponseReader, reads_lengths_chunks_and_bodies_up_to_the_end) {
  for (const auto& [head, body, to_end] : std::vector<std::tuple<std::string, std::string, bool>>{
           {"Content-Length: 5\r\n\r\n", "hello", false},
           {"Transfer-Encoding: chunked\r\n\r\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", false},
           {"\r\n", "hello", true}}) {
    const std::string text = "HTTP/1.1 201 Created\r\nX-A: b\r\n" + head + body;
    for (std::size_t portion = 1; portion <= text.size(); ++portion) {
      HttpResponseReader reader(false);
      std::string rest, content;
      for (std::size_t at = 0; at < text.size(); at += portion) {
        rest += text.substr(at, portion);
        const auto used = reader.feed(rest);
        ASSERT_TRUE(used.ok());
        rest.erase(0, *used);
        if (reader.head_done()) content += reader.take_body();
      }
      EXPECT_EQ(reader.complete(), !to_end);
      EXPECT_TRUE(reader.finish().ok());
      EXPECT_EQ(content, "hello") << portion;
      EXPECT_EQ(reader.head().status, 201);
      EXPECT_EQ(*reader.head().header("x-a"), "b");
    }
  }
}

TEST(HttpResponseReader, finds_an_answer_that_was_cut_or_is_none) {
  HttpResponseReader cut(false);
  ASSERT_TRUE(cut.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel").ok());
  EXPECT_FALSE(cut.finish().ok());
  HttpResponseReader none(false);
  EXPECT_FALSE(none.finish().ok());
  HttpResponseReader other(false);
  EXPECT_FALSE(other.feed("220 mail.example.org ESMTP\r\n\r\n").ok());
  HttpResponseReader head(true);
  ASSERT_TRUE(head.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").ok());
  EXPECT_TRUE(head.complete());
}

}  // namespace
}  // namespace duel
