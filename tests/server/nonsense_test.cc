// Whatever callers send, they are told what is wrong with it: no request is answered 500, and no
// answer speaks of our sources.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/served_api.h"

namespace duel {
namespace {

class Nonsense {
 public:
  explicit Nonsense(std::uint64_t seed) : state_(seed) {}

  std::size_t below(std::size_t count) {
    // splitmix64: the sequence is the same everywhere.
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::size_t>((z ^ (z >> 31)) % count);
  }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  // Mostly what fits the place, sometimes what does not.
  std::string value(const std::vector<std::string>& fitting) {
    static const std::vector<std::string> kAny{"null",
                                               "true",
                                               "0",
                                               "-1",
                                               "1.5",
                                               "1e308",
                                               "-1e-320",
                                               "18446744073709551615",
                                               "18446744073709551616",
                                               "-9223372036854775808",
                                               "9007199254740993",
                                               R"("")",
                                               R"("a")",
                                               R"("\u0000")",
                                               R"("..")",
                                               "[]",
                                               "{}",
                                               "[[]]",
                                               R"({"a":1})",
                                               R"(["a","b"])",
                                               R"("2026-11-15T00:00:00Z")",
                                               "1e6",
                                               "0.5",
                                               R"("win")"};
    return chance(6) ? one_of(kAny) : one_of(fitting);
  }
  // Each member is there with the chance given, now and then all of one kind.
  std::string object(const std::vector<std::pair<std::string, std::vector<std::string>>>& members,
                     std::size_t out_of = 2) {
    std::string text;
    for (const auto& [name, values] : members) {
      if (!chance(out_of)) continue;
      text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, value(values));
    }
    return "{" + text + "}";
  }

 private:
  std::uint64_t state_;
};

struct Asked {
  HttpMethod method;
  std::string target, body, type = "application/json";
};

const std::vector<std::string> kIds{R"("a")", R"("b")", R"("c")", R"("d")", R"("zz")"};
const std::vector<std::string> kDuelIds{R"("q1")", R"("q2")", R"("q3")", R"("n.1")"};
const std::vector<std::string> kSmall{"0", "1", "2", "3", "0.1", "0.5", "100"};

std::string experiment_body(Nonsense& draw) {
  const std::vector<std::string> goals{R"("condorcet")", R"("epsilon")",  R"("set")",  R"("order")",
                                       R"("ranking")",   R"("copeland")", R"("borda")"};
  const std::string arms =
      draw.value({R"([{"arm_id":"a"},{"arm_id":"b"}])",
                  R"([{"arm_id":"a","payload":{"x":1}},{"arm_id":"b","default":true},)"
                  R"({"arm_id":"c"}])",
                  R"([{"arm_id":"a"},{"arm_id":"b"},{"arm_id":"c"},{"arm_id":"d"}])",
                  R"([{"arm_id":"a"}])", "[]"});
  const std::string rest = draw.object(
      {{"mode", {R"("duel")", R"("interleave")"}},
       {"policy",
        {R"("auto")", R"~("rucb(alpha=0.6)")~", R"("imed")", R"("rmed1")", R"("uniform")",
         R"("dts")", R"("btm")", R"~("rucb(alpha=1e308)")~", R"("savage")", R"("ecw_rmed")"}},
       {"goal", goals},
       {"assume", {R"("order")", R"("nothing")"}},
       {"epsilon", kSmall},
       {"top", kSmall},
       {"stopping",
        {draw.object({{"alpha", {"0.05", "0.5", "1e-300", "1e-16", "0.999999"}},
                      {"arms", {R"("fixed")", R"("open")"}},
                      {"pairs_independent", {"true", "false"}},
                      {"max_duels", kSmall},
                      {"min_decisive_per_pair", kSmall},
                      {"on_certified", {R"("notify")", R"("exploit")", R"("complete")"}}})}},
       {"feedback",
        {draw.object({{"timeout_s", {"1", "60"}}, {"on_timeout", {R"("tie")", R"("discard")"}}})}},
       {"presentation", {draw.object({{"order", {R"("random")", R"("both")", R"("fixed")"}}})}},
       {"guardrails",
        {draw.object({{"explore_floor", {"0", "0.5", "1"}},
                      {"aa_rate", {"0", "0.4"}},
                      {"max_duels_per_subject_per_day", kSmall},
                      {"max_pending", {"1", "5", "100"}}})}},
       {"interleave",
        {draw.object({{"method", {R"("team_draft")", R"("team_draft_multileave")"}},
                      {"length", {"1", "10"}},
                      {"actions", {R"({"click":1})", R"({"click":0.5,"buy":3})"}},
                      {"per_item_cap", {"0", "1"}}})}},
       {"tasks",
        {R"([{"task_id":"t1","payload":1},{"task_id":"t2"}])", R"([{"task_id":"t1"}])", "[]"}},
       {"seed", kSmall}},
      3);
  return fmt::format(R"({{"arms":{}{}{})", arms, rest == "{}" ? "" : ",", rest.substr(1));
}

Asked asked(Nonsense& draw) {
  using enum HttpMethod;
  const std::string e = "/v1/experiments/" + draw.one_of<std::string>({"e", "f", "g", "h"});
  const std::string duel = draw.one_of<std::string>({"q1", "q2", "q3", "b1.1", "b1.2"});
  const auto outcome = [&] {
    return draw.object(
        {{"result",
          {R"("win")", R"("tie")", R"("both_bad")", R"("skip")", R"("invalid")", R"("close")"}},
         {"winner", kIds},
         {"duel_id", kDuelIds},
         {"place", {"1", "2"}},
         {"response_ms", kSmall},
         {"judgements",
          {R"([{"first":"a","result":"win","winner":"a"},{"first":"b","result":"tie"}])",
           R"([{"first":"a","result":"skip"}])"}},
         {"source", {R"({"type":"human","id":"x"})"}},
         {"report_token", {R"("x.y.z")"}}});
  };
  const auto duels = [&](const std::string& more = "") {
    const std::string body = draw.object({{"duel_id", kDuelIds},
                                          {"batch_id", {R"("b1")"}},
                                          {"count", {"1", "2", "3"}},
                                          {"subject_id", {R"("s1")", R"("s2")"}},
                                          {"exclude", {R"(["a"])", R"(["a","b"])", R"(["zz"])"}},
                                          {"task_id", {R"("t1")", R"("t2")", R"("t9")"}}},
                                         3);
    return more.empty()   ? body
           : body == "{}" ? "{" + more + "}"
                          : "{" + more + "," + body.substr(1);
  };
  const std::string lists =
      R"("lists":)" + draw.value({R"({"a":["1","2"],"b":["2","3"]})", R"({"a":[],"b":[]})",
                                  R"({"a":["1"],"b":["1"],"c":["1","4"]})"});
  const std::string event = draw.object(
      {{"action_name", {R"("click")", R"("buy")"}},
       {"timestamp", {R"("2026-11-15T00:00:01Z")"}},
       {"query_id", kDuelIds},
       {"event_attributes",
        {R"({"object":{"object_id":"1"},"position":{"ordinal":1}})",
         R"({"object":{"object_id":"9"},"position":{"ordinal":0},"duel":{"experiment_id":"e"}})"}}},
      1);
  switch (draw.below(22)) {
    case 0:
    case 1:
      return {put, e, experiment_body(draw)};
    case 2:
      return {post, e + "/start", ""};
    case 3:
      return {post, e + draw.one_of<std::string>({"/pause", "/resume", "/complete", "/archive"}),
              ""};
    case 4:
      return {put, e + "/arms/" + draw.one_of<std::string>({"a", "d", "%00", "zz"}),
              draw.object({{"payload", kSmall}})};
    case 5:
      return {del, e + "/arms/" + draw.one_of<std::string>({"a", "b", "d", "zz", "%2e"}), ""};
    case 6:
      return {post, e + "/comparisons",
              "[" +
                  draw.object({{"first", kIds},
                               {"second", kIds},
                               {"result", {R"("win")", R"("tie")", R"("skip")"}},
                               {"winner", kIds},
                               {"made_at", {R"("2026-11-15T00:00:00Z")", R"("x")"}}},
                              1) +
                  "]"};
    case 7:
    case 8:
    case 9:
      return {post, e + "/duels", duels()};
    case 10:
    case 11:
      return {put, e + "/duels/" + duel + "/outcome" + (draw.chance(2) ? "?next=1" : ""),
              outcome()};
    case 12:
      return {put, e + "/duels/" + duel + "/interleaving", "{" + lists + "}"};
    case 13:
      return {post, e + "/interleavings", duels(lists)};
    case 14:
      return {post, e + "/outcomes", "[" + outcome() + "," + outcome() + "]"};
    case 15:
      return {post, "/v1/events", event};
    case 16:
      return {patch, e,
              draw.object({{"name", {R"("x")"}},
                           {"feedback", {draw.object({{"timeout_s", {"1", "60"}}})}},
                           {"guardrails", {draw.object({{"max_pending", {"1", "9"}}})}}})};
    case 17:
      return {get, e + "/duels/" + duel, ""};
    case 18:
      return {get,
              e + draw.one_of<std::string>({"/result", "/health", "/progress", "/certificate",
                                            "/timeline?points=2", "/duels?limit=3", ""}),
              ""};
    case 19:
      return {get,
              draw.one_of<std::string>({"/v1/experiments?limit=2", "/v1/policies", "/v1/tokens",
                                        "/v1/experiments?cursor=%00", "/metrics"}),
              ""};
    case 20:
      return {post, e + "/import",
              R"({"seq":1,"time":"2026-11-15T00:00:00.000Z","record":"serve"})"
              "\n",
              "application/x-ndjson"};
    default:
      // Few duels: others would take up to 20 s, and find nothing more.
      return {post, "/v1/plan",
              R"({"max_duels":50,"trials":10,)" +
                  draw.object({{"arms", {"2", "3"}},
                               {"gap", {"0.1", "0.4", "1e-17"}},
                               {"alpha", {"0.05", "0.9", "1e-300"}},
                               {"parallel", {"1", "3"}},
                               {"policy", {R"("auto")", R"("imed")", R"("btm")"}},
                               {"tie_rate", kSmall}},
                              1)
                      .substr(1)};
  }
}

// Most of what goes wrong does so in states that only some sequences of requests lead to, so the
// requests of a round meet the experiments that those before them left.
TEST(Nonsense, no_request_finds_a_check_of_ours_that_fails) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Nonsense draw(seed);
    ServedApi api;
    std::string said;
    api.say = [&](const std::string& message) { said = message; };
    api.restart();
    for (int k = 0; k < 300; ++k) {
      const Asked one = asked(draw);
      const Told told = api.call(one.method, one.target, one.body,
                                 {{"content-type", one.type}, {"if-match", "*"}});
      ASSERT_NE(told.status, 500) << to_word(one.method) << ' ' << one.target << ' ' << one.body
                                  << '\n'
                                  << said;
      const std::string answer = told.body.dump();
      ASSERT_EQ(answer.find("check failed"), std::string::npos) << one.body << '\n' << answer;
      if (draw.chance(20)) api.pass(61'000);
      if (draw.chance(200)) api.restart();
    }
  }
}

}  // namespace
}  // namespace duel
