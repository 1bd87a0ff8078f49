#include "duel/verdict/certificate_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "duel/verdict/health.h"
#include "tests/experiment/played_log.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

PlayedLog certified(Goal goal = Goal::condorcet) {
  ExperimentRecord experiment = experiment_of({"best", "good", "bad"});
  experiment.goal = goal;
  PlayedLog log(experiment);
  while (!log.live().done()) play(log, {.gap = 0.3, .in_flight = 3, .troubles = true}, 10);
  return log;
}

TEST(CertificateFile, says_what_was_found_and_from_which_record) {
  const TemporaryDirectory directory;
  const PlayedLog log = certified();
  write_content(directory / "log.jsonl", log.text());
  const auto text = certificate_of_log((directory / "log.jsonl").string());
  ASSERT_TRUE(text.ok()) << text.error().to_string();
  const nlohmann::json json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["kind"], "winner");
  EXPECT_EQ(json["winner"], "best");
  EXPECT_EQ(json["alpha"], 0.05);
  ASSERT_EQ(json["findings"].size(), 2U);
  for (const nlohmann::json& finding : json["findings"]) {
    EXPECT_EQ(finding["winner"], "best");
    EXPECT_GE(finding["log_evidence"].get<double>(), finding["log_threshold"].get<double>());
    // Three arms of a fixed set at 0.05.
    EXPECT_EQ(finding["threshold"], "60");
  }
  const std::uint64_t at = log.live().certificate()->sequence;
  EXPECT_EQ(json["log"]["sequence"], at);
  EXPECT_EQ(json["log"]["head"], log.entries()[at - 1].hash);
}

TEST(CertificateFile, is_the_same_whatever_is_logged_after_it) {
  const TemporaryDirectory directory;
  for (const Goal& goal :
       {Goal(Goal::condorcet), Goal(Goal::copeland), Goal(Goal::borda), Goal(Goal::set, 2),
        Goal(Goal::order, 2), Goal(Goal::ranking), Goal(Goal::epsilon, 0, 0.05),
        Goal(Goal::condorcet, 0, 0, Assumption::order)}) {
    const PlayedLog log = certified(goal);
    const std::uint64_t at = log.live().certificate()->sequence;
    write_content(directory / "whole", log.text());
    write_content(directory / "part", log.text().substr(0, log.ends()[at - 1]));
    write_content(directory / "less", log.text().substr(0, log.ends()[at - 2]));
    const auto whole = certificate_of_log((directory / "whole").string());
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(*whole, *certificate_of_log((directory / "part").string()));
    EXPECT_FALSE(certificate_of_log((directory / "less").string()).ok());
    EXPECT_FALSE(certificate_difference(*whole, *whole));
  }
}

TEST(CertificateFile, names_the_arms_the_goal_and_what_it_takes_for_granted) {
  const TemporaryDirectory directory;
  const auto certificate = [&](const Goal& goal) {
    write_content(directory / "log.jsonl", certified(goal).text());
    return nlohmann::json::parse(*certificate_of_log((directory / "log.jsonl").string()));
  };
  using Names = std::vector<std::string>;
  const nlohmann::json set = certificate(Goal(Goal::set, 2, 0, Assumption::order));
  EXPECT_EQ(set["kind"], "set");
  EXPECT_EQ(set["named"].get<Names>(), (Names{"best", "good"}));
  EXPECT_FALSE(set.contains("winner"));
  EXPECT_EQ(set["rule"]["goal"], "set");
  EXPECT_EQ(set["rule"]["top"], 2);
  EXPECT_EQ(set["rule"]["assume"], "order");
  EXPECT_EQ(set["findings"].size(), 2U);
  EXPECT_EQ(set["findings"][0]["threshold"], "22");  // 1/alpha + 2
  EXPECT_GE(set["findings"][0]["wins"], set["findings"][0]["reached_at"]["wins"]);
  EXPECT_TRUE(set["statement"].get<std::string>().starts_with(
      "The top 2 are 'best' and 'good': each of them beats the other arm, winning more than half"))
      << set["statement"];
  EXPECT_NE(set["statement"].get<std::string>().find("assumes that the arms have an order"),
            std::string::npos);
  const nlohmann::json ranking = certificate(Goal::ranking);
  EXPECT_EQ(ranking["named"].get<Names>(), (Names{"best", "good", "bad"}));
  EXPECT_EQ(ranking["rule"]["assume"], "none");
  EXPECT_EQ(ranking["findings"].size(), 3U);
  EXPECT_TRUE(ranking["statement"].get<std::string>().starts_with(
      "The arms in order, the best first, are 'best', 'good', 'bad': each beats every arm after "
      "it"))
      << ranking["statement"];
  const nlohmann::json epsilon = certificate(Goal(Goal::epsilon, 0, 0.05));
  EXPECT_EQ(epsilon["kind"], "epsilon");
  EXPECT_EQ(epsilon["rule"]["epsilon"], 0.05);
  EXPECT_NE(epsilon["statement"].get<std::string>().find(
                "loses to no other arm by more than 0.05: it wins more than 45 %"),
            std::string::npos)
      << epsilon["statement"];
}

TEST(CertificateFile, names_the_field_that_differs) {
  const TemporaryDirectory directory;
  write_content(directory / "log.jsonl", certified().text());
  const std::string text = *certificate_of_log((directory / "log.jsonl").string());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos);
    other.replace(at, from.size(), to);
    return certificate_difference(other, text).value_or("no difference");
  };
  EXPECT_EQ(changed("\"winner\": \"best\"", "\"winner\": \"good\""),
            "winner: the certificate says \"good\", the log says \"best\"");
  EXPECT_TRUE(changed("\"alpha\": 0.05", "\"alpha\": 0.01").starts_with("alpha: "));
  EXPECT_TRUE(changed("\"wins\": ", "\"wins\": 1").starts_with("findings/0/wins: "));
  EXPECT_TRUE(changed("\"decisive\"", "\"decided\"").starts_with("decisive: missing"));
  EXPECT_TRUE(changed("  \"kind\"", "   \"kind\"").starts_with("byte "));
  // As earlier versions wrote one number of a thousand.
  EXPECT_EQ(changed("\"alpha\": 0.05,", "\"alpha\": 0.050000000000000003,"), "no difference");
  EXPECT_TRUE(changed("\"alpha\": 0.05,", "\"alpha\": 0.0500000000000001,").starts_with("alpha"));
  // No byte can change unnoticed.
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string other = text;
    other[k] = static_cast<char>(other[k] ^ 1);
    ASSERT_TRUE(certificate_difference(other, text)) << k;
  }
}

TEST(Health, finds_a_first_place_that_wins_too_often_and_lost_answers_on_one_side) {
  const auto verdict = [](const Ledger& ledger, const std::string& name) {
    for (const HealthCheck& check : check_health(ledger)) {
      if (check.name == name) return check.verdict;
    }
    ADD_FAILURE() << name;
    return HealthVerdict::unknown;
  };
  PlayedLog sound(experiment_of({"a", "b"}, "uniform"));
  play(sound, {.gap = 0.1}, 300);
  for (const char* name :
       {"missing_answers", "position_balance", "position_bias", "ties", "voters"}) {
    EXPECT_EQ(verdict(sound.live().ledger(), name), HealthVerdict::passed) << name;
  }
  EXPECT_EQ(verdict(sound.live().ledger(), "aa"), HealthVerdict::unknown);

  PlayedLog biased(experiment_of({"a", "b"}, "uniform"));
  for (int k = 0; k < 300; ++k) {
    const ServeRecord serve = *biased.next();
    biased.add(serve);
    // The first place always wins, and what shows `b` first is lost half of the time.
    if (serve.first == "b" && k % 2 == 0) {
      biased.add(ExpiredRecord{serve.duel_id});
    } else {
      biased.add(OutcomeRecord{serve.duel_id,
                               {Answered::win, serve.first},
                               {"human", k < 5 ? "two" : "one"},
                               {},
                               {},
                               ""});
    }
  }
  for (const char* name : {"missing_answers", "position_bias", "voters"}) {
    EXPECT_EQ(verdict(biased.live().ledger(), name), HealthVerdict::failed) << name;
  }
  EXPECT_EQ(overall(check_health(biased.live().ledger())), HealthVerdict::failed);
}

}  // namespace
}  // namespace duel
