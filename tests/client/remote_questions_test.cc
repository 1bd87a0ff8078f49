// The judge loop at an experiment of a server, whose routes are asked in this process.
#include "duel/client/remote_questions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <tuple>

#include "duel/client/local_api.h"
#include "tests/judging/counting_judges.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

// A connection that loses requests, and answers to requests that were heard.
class LossyConnection final : public ApiClient {
 public:
  explicit LossyConnection(ApiClient& client) : client_(client) {}

  Result<HttpResponse> send(HttpMethod method, const std::string& target, const std::string& body,
                            const std::string& media_type, Repeat repeat) override {
    const bool broken = method != HttpMethod::get && loses_every > 0 && ++sent % loses_every == 0;
    if (gone || (broken && ++lost % 2 == 0)) return Error::io("the request was lost");
    auto response = client_.send(method, target, body, media_type, repeat);
    if (broken) return Error::io("the answer was lost");
    return response;
  }
  Result<HttpResponse> stream(const std::string& target, const Sink& sink) override {
    return client_.stream(target, sink);
  }
  std::string place() const override { return client_.place(); }

  std::size_t loses_every = 0;
  std::size_t sent = 0, lost = 0;
  bool gone = false;  // nothing is heard any more

 private:
  ApiClient& client_;
};

class RemoteRuns : public ::testing::Test {
 protected:
  RemoteRuns() : server_(LocalApi::open(place_ / "duel.db").value()), connection_(*server_) {}

  // A new experiment that runs; with a limit or tasks, one that is far from a certificate there.
  std::string create(bool both_orders = false, int max_duels = 0, int tasks = 0) {
    std::string id = fmt::format("e{}", ++experiments_);
    Json body;
    body["arms"] = Json::array();
    for (const char* arm : {"a", "b"}) body["arms"].push_back(Json{{"arm_id", arm}});
    body["policy"] = "uniform";
    body["seed"] = 1;
    const bool certifies = max_duels == 0 && tasks == 0;
    body["stopping"] = {{"alpha", certifies ? 0.2 : 1e-6}, {"max_duels", max_duels}};
    if (tasks > 0) body["tasks"] = Json::array();
    for (int t = 1; t <= tasks; ++t) {
      body["tasks"].push_back(Json{{"task_id", fmt::format("t{}", t)}});
    }
    body["presentation"] = {{"order", both_orders ? "both" : "random"}};
    EXPECT_TRUE(server_->ask(HttpMethod::put, experiment_target(id), body).ok());
    EXPECT_TRUE(server_->ask(HttpMethod::post, experiment_target(id, "/start")).ok());
    return id;
  }
  Fates fates(const std::string& id) {
    std::string log;
    EXPECT_TRUE(server_
                    ->stream(experiment_target(id, "/export?what=audit"),
                             [&](std::string_view piece) {
                               log += piece;
                               return true;
                             })
                    .ok());
    Fates fates;
    for (std::size_t at = 0; at < log.size();) {
      const std::size_t end = log.find('\n', at);
      fates.add(std::string_view(log).substr(at, end - at));
      at = end + 1;
    }
    return fates;
  }
  PatientClient patient(std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    return {connection_, patience, [this](const std::string& text) { told_ += text + "\n"; }};
  }
  static bool never() { return false; }
  static Stopping goes_on() { return Stopping::no; }

  TemporaryDirectory place_;
  std::unique_ptr<LocalApi> server_;
  LossyConnection connection_;
  int experiments_ = 0;
  std::string told_;
};

class RemoteLoopEnds : public RemoteRuns,
                       public ::testing::WithParamInterface<std::tuple<EndedBy, bool>> {};

TEST_P(RemoteLoopEnds, with_all_that_was_asked_in_the_log) {
  const auto [by, both_orders] = GetParam();
  end_at_every_step(by, both_orders ? 2 : 1, "invalid", [&](const auto& play) {
    const std::string id = create(both_orders);
    PatientClient client = patient();
    RemoteQuestions questions(client, id);
    EXPECT_TRUE(questions.open(never).ok());
    EXPECT_EQ(questions.both_orders(), both_orders);
    play(questions);
    EXPECT_EQ(questions.unsent(), 0U);
    // The duel that came with the last answer was asked of nobody.
    Fates all = fates(id);
    std::erase_if(all.of, [](const auto& duel) { return duel.second.empty(); });
    return all;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Remote, RemoteLoopEnds,
    ::testing::Combine(::testing::Values(EndedBy::certificate, EndedBy::first_interrupt,
                                         EndedBy::broken_judge, EndedBy::second_interrupt),
                       ::testing::Bool()));

TEST_F(RemoteRuns, what_is_lost_on_the_way_is_sent_again_and_counts_once) {
  const std::string id = create(false, 12);
  connection_.loses_every = 5;
  PatientClient client = patient();
  RemoteQuestions questions(client, id);
  ASSERT_TRUE(questions.open(never).ok());
  CountingJudges judges(2);
  JudgeLoop loop(questions, judges, counting_options());
  EXPECT_EQ(loop.run(goes_on, [] {}).value(), RunEnding::undecided);
  EXPECT_GE(connection_.lost, 3U);
  EXPECT_NE(told_.find("answers again"), std::string::npos);
  EXPECT_EQ(loop.answered(), 12U);
  EXPECT_EQ(questions.progress().refused, 0U);
  const Fates all = fates(id);
  EXPECT_EQ(all.of.size(), 12U);
  for (const auto& [duel_id, fate] : all.of) {
    EXPECT_EQ(fate, "win") << duel_id;
    EXPECT_EQ(judges.asked[duel_id], 1) << duel_id;
  }
}

TEST_F(RemoteRuns, a_server_that_stays_away_ends_it_with_the_answers_that_it_never_got) {
  const std::string id = create();
  PatientClient client = patient(std::chrono::milliseconds(1));
  RemoteQuestions questions(client, id);
  ASSERT_TRUE(questions.open(never).ok());
  CountingJudges judges(2);
  JudgeLoop loop(questions, judges, counting_options());
  const auto ended = loop.run(goes_on, [&] { connection_.gone = judges.turns >= 3; });
  EXPECT_EQ(ended.value(), RunEnding::out_of_reach);
  // The answer of the third turn, and that of the judge who was at work then.
  EXPECT_EQ(questions.unsent(), 2U);
  EXPECT_EQ(judges.turns, 4U);
}

TEST_F(RemoteRuns, an_answer_that_comes_after_anothers_is_refused_and_the_run_goes_on) {
  const std::string id = create(false, 4);
  PatientClient client = patient();
  RemoteQuestions questions(client, id);
  ASSERT_TRUE(questions.open(never).ok());
  CountingJudges judges(1);
  JudgeLoop loop(questions, judges, counting_options());
  const auto first = fates(id).of.begin()->first;
  Json other;
  other["result"] = "tie";
  ASSERT_TRUE(server_
                  ->ask(HttpMethod::put,
                        experiment_target(id, fmt::format("/duels/{}/outcome", first)), other)
                  .ok());
  EXPECT_EQ(loop.run(goes_on, [] {}).value(), RunEnding::undecided);
  EXPECT_EQ(questions.progress().refused, 1U);
  EXPECT_EQ(questions.progress().last_refusal.find("duel " + first), 0U);
  EXPECT_EQ(loop.answered(), 4U);
}

// Says what every answer cost and why, more than a record takes.
class TalkativeJudges final : public Judges {
 public:
  std::size_t free() const override { return 1; }
  void ask(Question question) override { out_.push_back(std::move(question)); }
  std::vector<Judged> wait(std::chrono::milliseconds) override {
    std::vector<Judged> done;
    for (Question& question : out_) {
      Said said = Outcome::first_wins;
      said.reason = std::string(1500, 'x');
      said.cost = 0.25;
      said.tokens = 3;
      done.push_back({.question = std::move(question), .outcome = said});
    }
    out_.clear();
    return done;
  }
  std::vector<Judged> abandon() override { return {}; }

 private:
  std::vector<Question> out_;
};

TEST_F(RemoteRuns, what_judges_say_beside_their_answers_comes_along) {
  for (const bool both_orders : {false, true}) {
    const std::string id = create(both_orders, 4);
    PatientClient client = patient();
    RemoteQuestions questions(client, id);
    ASSERT_TRUE(questions.open(never).ok());
    TalkativeJudges judges;
    JudgeLoop loop(questions, judges, counting_options());
    EXPECT_EQ(loop.run(goes_on, [] {}).value(), RunEnding::undecided);
    EXPECT_EQ(questions.progress().refused, 0U) << questions.progress().last_refusal;
    const auto result = server_->ask(HttpMethod::get, experiment_target(id, "/result"));
    ASSERT_TRUE(result.ok());
    const Json judging = result->at("judging");
    EXPECT_EQ(judging.at("answers").get<int>(), 4);
    EXPECT_EQ(judging.at("cost").get<double>(), both_orders ? 2 : 1);
    EXPECT_EQ(judging.at("tokens").get<int>(), both_orders ? 24 : 12);
  }
}

// A server that went on serving the pair would let a paid judge answer for nothing.
TEST_F(RemoteRuns, no_judge_is_asked_once_the_tasks_are_used_up) {
  const std::string id = create(false, 0, 6);
  PatientClient client = patient();
  RemoteQuestions questions(client, id);
  ASSERT_TRUE(questions.open(never).ok());
  CountingJudges judges(2);
  JudgeLoop loop(questions, judges, counting_options());
  EXPECT_EQ(loop.run(goes_on, [] {}).value(), RunEnding::tasks_used_up);
  EXPECT_EQ(loop.answered(), 6U);
  EXPECT_EQ(fates(id).of.size(), 6U);
}

}  // namespace
}  // namespace duel
