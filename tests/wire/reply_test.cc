#include "duel/wire/reply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "duel/experiment/refused.h"

namespace duel {
namespace {

TEST(Refusal, says_where_in_the_body) {
  const ServerAnswer answer = refusal(Error::invalid_argument("is empty", "/lists", "give two"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body.at("detail").get<std::string>(), "/lists is empty; give two");
  EXPECT_EQ(answer.body.at("errors").items()[0].at("pointer").get<std::string>(), "/lists");
}

TEST(Refusal, does_not_say_which_file_of_this_machine) {
  for (const Error& error : {Error::not_found("there is no experiment 'x'", "/var/lib/duel/db"),
                             Error::conflict("the file exists", "/var/lib/duel/db"),
                             Error::invalid_data("the database is damaged", "/var/lib/duel/db"),
                             Error::io("the disk is full", "/var/lib/duel/db")}) {
    const ServerAnswer answer = refusal(error);
    EXPECT_EQ(answer.body.dump().find("/var"), std::string::npos) << answer.body.dump();
    EXPECT_EQ(answer.body.at("detail").get<std::string>(), error.message);
  }
}

// RFC 9457 lets a problem say more of itself: programs read `reason`, people `detail`.
TEST(Refusal, says_the_reason_of_the_experiment_and_its_status) {
  const std::map<Reason, int> statuses{{Reason::unknown_experiment, 404},
                                       {Reason::unknown_duel, 404},
                                       {Reason::unknown_arm, 404},
                                       {Reason::other_question, 422},
                                       {Reason::id_taken, 409},
                                       {Reason::answered_otherwise, 409},
                                       {Reason::proof_mismatch, 409},
                                       {Reason::proof_expired, 410},
                                       {Reason::proof_forged, 401},
                                       {Reason::other_proof, 409},
                                       {Reason::not_running, 409},
                                       {Reason::illegal_state, 409},
                                       {Reason::arms_fixed, 409},
                                       {Reason::too_many_arms, 409},
                                       {Reason::wrong_mode, 409},
                                       {Reason::closed, 409},
                                       {Reason::exists, 409},
                                       {Reason::outdated, 412},
                                       {Reason::not_ours, 421},
                                       {Reason::overloaded, 429},
                                       {Reason::store_unavailable, 503},
                                       {Reason::ahead_of_clock, 503},
                                       {Reason::damaged, 503},
                                       {Reason::internal, 500}};
  const std::vector<int> worth_a_retry{421, 429, 503};
  std::size_t reasons = 0;
  for (const auto& [word, reason] : Words<Reason>::all) {
    const ServerAnswer answer = refusal(refused(reason, "no"));
    EXPECT_EQ(answer.status, statuses.at(reason)) << word;
    EXPECT_EQ(answer.body.at("status").get<int>(), answer.status) << word;
    EXPECT_EQ(answer.body.at("reason").get<std::string>(), word);
    EXPECT_EQ(answer.body.at("retryable").get<bool>(),
              std::ranges::count(worth_a_retry, answer.status) > 0)
        << word;
    EXPECT_FALSE(answer.body.at("detail").get<std::string>().empty()) << word;
    ++reasons;
  }
  EXPECT_EQ(reasons, statuses.size());
  EXPECT_EQ(refusal(Error::conflict("no")).body.find("reason"), nullptr);
}

TEST(Refusal, points_into_the_body_where_the_library_names_a_field) {
  const auto pointer_of = [](const std::string& field) {
    const ServerAnswer answer = refusal(Error::invalid_argument("is wrong").in_field(field));
    return answer.body.at("errors").items()[0].at("pointer").get<std::string>();
  };
  EXPECT_EQ(pointer_of("exclude"), "/exclude");
  EXPECT_EQ(pointer_of("stopping.alpha"), "/stopping/alpha");
  EXPECT_EQ(pointer_of("judgements[1].winner"), "/judgements/1/winner");
  EXPECT_EQ(pointer_of("[3].made_at"), "/3/made_at");
  EXPECT_EQ(pointer_of("lists.v1.2/x~y"), "/lists/v1.2~1x~0y") << "an arm's id may hold dots";
}

}  // namespace
}  // namespace duel
