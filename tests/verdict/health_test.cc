#include "duel/verdict/health.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "duel/core/rng.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

// `arms` arms, every pair shown `duels` times, each time with a fair coin for the place; the pair
// (0, 1) with arm 0 first in `first_of_ten` of ten duels.
Ledger shown(int arms, int duels, int first_of_ten, std::uint64_t seed) {
  std::vector<std::string> ids;
  for (int k = 0; k < arms; ++k) ids.push_back(fmt::format("a{:02}", k));
  Ledger ledger = std::move(Ledger::make(experiment_of(ids))).value();
  RoundRng rng = Stream(seed, 0, Purpose::test, "health").at(1);
  for (int i = 0; i < arms; ++i) {
    for (int j = i + 1; j < arms; ++j) {
      for (int k = 0; k < duels; ++k) {
        const bool first =
            i == 0 && j == 1 && first_of_ten != 5 ? k % 10 < first_of_ten : rng.coin();
        ServeRecord serve;
        serve.duel_id = fmt::format("d{}", ledger.served());
        serve.ordinal = ledger.served();
        serve.round = ledger.served() + 1;
        serve.first = ids[static_cast<std::size_t>(first ? i : j)];
        serve.second = ids[static_cast<std::size_t>(first ? j : i)];
        EXPECT_TRUE(ledger.apply({ledger.sequence() + 1, 0, serve, "h"}).ok());
      }
    }
  }
  return ledger;
}

HealthCheck check_of(const Ledger& ledger, std::string_view name) {
  const std::vector<HealthCheck> checks = check_health(ledger);
  const auto found = std::ranges::find(checks, name, &HealthCheck::name);
  EXPECT_NE(found, checks.end());
  return *found;
}

HealthCheck position_balance(const Ledger& ledger) { return check_of(ledger, "position_balance"); }

// The same duels, of which every tenth of every pair expires by chance, and of the pair (0, 1)
// those that `lost` says.
Ledger answered(int arms, int duels, std::uint64_t seed, const std::function<bool(int)>& lost) {
  Ledger ledger = shown(arms, duels, 5, seed);
  RoundRng rng = Stream(seed, 1, Purpose::test, "health").at(1);
  std::uint64_t duel = 0;
  for (int i = 0; i < arms; ++i) {
    for (int j = i + 1; j < arms; ++j) {
      for (int k = 0; k < duels; ++k) {
        const std::string id = fmt::format("d{}", duel++);
        const bool by_chance = rng.below(10) == 0;
        const bool expires = lost && i == 0 && j == 1 ? lost(k) : by_chance;
        const Record record =
            expires ? Record(ExpiredRecord{.duel_id = id})
                    : Record(OutcomeRecord{.duel_id = id, .answer = {.result = Answered::tie}});
        EXPECT_TRUE(ledger.apply({ledger.sequence() + 1, 0, record, "h"}).ok());
      }
    }
  }
  return ledger;
}

double worst_of(const Ledger& ledger) {
  double worst = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      const auto n = static_cast<double>(ledger.pair(i, j).served);
      const auto first = static_cast<double>(ledger.shown(i, j).served);
      worst = std::max(worst, std::abs(first - n / 2) / std::sqrt(n / 4));
    }
  }
  return worst;
}

// Of 780 fair pairs two are beyond three standard errors on average, and the chance that none is is
// below 0.13. Ten seeds: together the corrected check fails with probability 0.027 at most, and the
// seeds are fixed.
TEST(Health, position_balance_is_corrected_for_the_number_of_pairs) {
  int beyond_three = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Ledger ledger = shown(40, 40, 5, seed);
    beyond_three += worst_of(ledger) > 3 ? 1 : 0;
    failed += position_balance(ledger).verdict == HealthVerdict::failed ? 1 : 0;
  }
  EXPECT_GE(beyond_three, 5) << "without the correction the check would have failed";
  EXPECT_EQ(failed, 0);
}

TEST(Health, position_balance_finds_one_pair_among_many) {
  // 36 of 40: 5.1 standard errors; 4.4e-7 times 780 is below the level of 0.0027.
  const HealthCheck check = position_balance(shown(40, 40, 9, 1));
  EXPECT_EQ(check.verdict, HealthVerdict::failed) << check.detail;
  EXPECT_NE(check.detail.find("a00 was shown before a01 in 36 of 40 duels"), std::string::npos)
      << check.detail;
}

TEST(Health, position_balance_of_one_pair_goes_by_three_standard_errors) {
  EXPECT_EQ(position_balance(shown(2, 100, 7, 1)).verdict, HealthVerdict::failed);  // 4.0
  EXPECT_EQ(position_balance(shown(2, 100, 6, 1)).verdict, HealthVerdict::passed);  // 2.0
  EXPECT_EQ(position_balance(shown(2, 10, 9, 1)).verdict, HealthVerdict::unknown);
}

// 190 pairs and their 380 sides: without the correction some are beyond three standard errors by
// chance. With it the check fails in about 1 of 370 runs; the five seeds are fixed.
TEST(Health, missing_answers_are_corrected_for_the_number_of_pairs) {
  int failed = 0, beyond_three = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Ledger ledger = answered(20, 100, seed, nullptr);
    failed += check_of(ledger, "missing_answers").verdict == HealthVerdict::failed ? 1 : 0;
    for (Arm i = 0; i < ledger.num_arms(); ++i) {
      for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
        const auto lost = static_cast<double>(ledger.pair(i, j).expired);
        beyond_three += std::abs(lost - 10) > 3 * std::sqrt(100 * 0.1 * 0.9) ? 1 : 0;
      }
    }
  }
  EXPECT_GE(beyond_three, 1) << "without the correction the check would have failed";
  EXPECT_EQ(failed, 0);
}

TEST(Health, missing_answers_finds_one_pair_among_many) {
  const auto every_third = [](int k) { return k % 3 == 0; };
  const HealthCheck check = check_of(answered(20, 100, 1, every_third), "missing_answers");
  EXPECT_EQ(check.verdict, HealthVerdict::failed) << check.detail;
  EXPECT_NE(check.detail.find("a00 and a01: 34.0 %"), std::string::npos) << check.detail;
}

TEST(Health, missing_answers_of_too_few_duels_pass_no_verdict_on_pairs) {
  // 190 pairs of 10 duels: enough duels in all, and no pair with twenty.
  EXPECT_EQ(check_of(answered(20, 10, 1, nullptr), "missing_answers").verdict,
            HealthVerdict::passed);
}

// Two rankers as good as each other; one page in `every` ends without a click, or is lost.
Ledger paged(int pages, int every, std::string_view note) {
  ExperimentRecord record = experiment_of({"a", "b"});
  record.service.mode = Mode::interleave;
  Ledger ledger = std::move(Ledger::make(record)).value();
  for (int k = 0; k < pages; ++k) {
    ServeRecord serve{.duel_id = fmt::format("d{}", k), .ordinal = ledger.served()};
    serve.round = ledger.served() + 1;
    serve.first = k % 2 == 0 ? "a" : "b";
    serve.second = k % 2 == 0 ? "b" : "a";
    EXPECT_TRUE(ledger.apply({ledger.sequence() + 1, 0, serve, "h"}).ok());
    const Record end =
        k % every == 0 ? Record(ExpiredRecord{.duel_id = serve.duel_id, .note = std::string(note)})
                       : Record(OutcomeRecord{.duel_id = serve.duel_id,
                                              .answer = {.result = Answered::win,
                                                         .winner = k / 3 % 2 == 0 ? "a" : "b"}});
    EXPECT_TRUE(ledger.apply({ledger.sequence() + 1, 0, end, "h"}).ok());
  }
  return ledger;
}

// A page that nobody clicked on had no answer to lose. One whose rankings never came may have.
TEST(Health, pages_without_a_click_are_no_lost_answers) {
  const Ledger clickless = paged(60, 3, "no_feedback"), lost = paged(60, 3, "");
  EXPECT_EQ(clickless.total().expired, 20U);
  EXPECT_EQ(clickless.total().clickless, 20U);
  EXPECT_EQ(lost.total().clickless, 0U);
  EXPECT_EQ(check_of(clickless, "lost_answers").detail, "0 of 40 tries gave no answer (0.0 %)");
  EXPECT_EQ(check_of(clickless, "missing_answers").detail,
            "0.0 % of the duels got no usable answer");
  EXPECT_TRUE(check_of(lost, "lost_answers").detail.starts_with("20 of 60 tries gave no answer"));
  // As certificates of format 1 had it.
  const auto old = check_health(clickless, Clickless::missing);
  const auto found = std::ranges::find(old, "lost_answers", &HealthCheck::name);
  ASSERT_NE(found, old.end());
  EXPECT_TRUE(found->detail.starts_with("20 of 60 tries gave no answer")) << found->detail;
}

// Six people on a voting page answer as "human" without an id, and are told apart by their
// subjects.
TEST(Health, answers_that_do_not_say_who_gave_them_are_no_voter) {
  const auto voters = [](std::uint64_t format, const Source& source) {
    ExperimentRecord experiment = experiment_of({"a", "b"}, "uniform");
    experiment.format = format;
    PlayedLog log(experiment);
    for (int k = 0; k < 30; ++k) {
      ServeRecord serve = *log.next();
      serve.subject = "s" + std::to_string(k % 6);
      log.add(serve);
      OutcomeRecord outcome{serve.duel_id, {Answered::tie, ""}, {}, {}, {}, ""};
      outcome.source = source;
      log.add(outcome);
    }
    return check_of(log.live().ledger(), "voters");
  };
  EXPECT_EQ(voters(kLogFormat, {"human", ""}).detail, "the answers do not say who gave them");
  EXPECT_EQ(voters(kLogFormat, {"human", "ann"}).detail,
            "one voter: the result is what that voter prefers");
  // Certificates of older logs keep their bytes.
  EXPECT_EQ(voters(3, {"human", ""}).detail, "one voter: the result is what that voter prefers");
}

TEST(Health, failed_checks_stand_in_a_sentence) {
  EXPECT_EQ(failed_checks_sentence({judged_check("ties", false, ""), unknown_check("aa", "")}), "");
  EXPECT_EQ(failed_checks_sentence({judged_check("ties", true, ""), unknown_check("aa", "")}),
            "Health check failed: ties.");
  EXPECT_EQ(failed_checks_sentence({judged_check("ties", true, ""), judged_check("aa", true, "")}),
            "Health checks failed: ties, aa.");
}

// People who prefer a in every second duel audit a judge that says what `judge` makes of that.
HealthCheck of_audited_judge(int audits, const std::function<bool(bool)>& judge) {
  ExperimentRecord record = experiment_of({"a", "b"});
  record.audit = {.share = 1, .key_sha256 = std::string(64, '0')};
  Ledger ledger = std::move(Ledger::make(record)).value();
  const auto add = [&](Record one) {
    EXPECT_TRUE(ledger.apply({ledger.sequence() + 1, 0, std::move(one), "h"}).ok());
  };
  const auto says = [&](const std::string& duel_id, const char* type, bool for_a) {
    OutcomeRecord outcome{.duel_id = duel_id};
    outcome.answer = {Answered::win, for_a ? "a" : "b"};
    outcome.source = {type, type};
    add(outcome);
  };
  for (int k = 0; k < audits; ++k) {
    ServeRecord serve;
    serve.duel_id = fmt::format("d{}", k);
    serve.ordinal = ledger.served();
    serve.round = ledger.served() + 1;
    serve.first = "a";
    serve.second = "b";
    serve.audit = 1;
    add(serve);
    says(serve.duel_id, "judge", judge(k % 2 == 0));
    add(AuditRecord{serve.duel_id, true});
    says(serve.duel_id, "human", k % 2 == 0);
  }
  return check_of(ledger, "judge");
}

TEST(Health, of_a_judge_under_audit_fails_where_it_says_nothing_or_the_reverse) {
  const auto honest = [](bool people) { return people; };
  const auto reversed = [](bool people) { return !people; };
  EXPECT_EQ(of_audited_judge(19, reversed).verdict, HealthVerdict::unknown);
  EXPECT_EQ(of_audited_judge(20, honest).verdict, HealthVerdict::passed);
  const HealthCheck failed = of_audited_judge(20, reversed);
  EXPECT_EQ(failed.verdict, HealthVerdict::failed);
  EXPECT_NE(failed.detail.find("about a and b"), std::string::npos) << failed.detail;
}

TEST(Health, has_no_check_of_a_judge_that_nobody_audits) {
  const std::vector<HealthCheck> checks = check_health(shown(2, 30, 5, 1));
  EXPECT_EQ(std::ranges::find(checks, "judge", &HealthCheck::name), checks.end());
}

}  // namespace
}  // namespace duel
