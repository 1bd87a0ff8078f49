#include "duel/experiment/refused.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace duel {
namespace {

// What a program that knows nothing of reasons does with them: the command line takes its exit code
// from the code, and a caller tries again after `io`.
const std::map<Reason, ErrorCode> kCodes{{Reason::unknown_experiment, ErrorCode::not_found},
                                         {Reason::unknown_duel, ErrorCode::not_found},
                                         {Reason::unknown_arm, ErrorCode::not_found},
                                         {Reason::other_question, ErrorCode::invalid_data},
                                         {Reason::id_taken, ErrorCode::conflict},
                                         {Reason::answered_otherwise, ErrorCode::conflict},
                                         {Reason::proof_mismatch, ErrorCode::conflict},
                                         {Reason::proof_expired, ErrorCode::conflict},
                                         {Reason::proof_forged, ErrorCode::conflict},
                                         {Reason::other_proof, ErrorCode::conflict},
                                         {Reason::not_running, ErrorCode::conflict},
                                         {Reason::illegal_state, ErrorCode::conflict},
                                         {Reason::arms_fixed, ErrorCode::conflict},
                                         {Reason::too_many_arms, ErrorCode::conflict},
                                         {Reason::wrong_mode, ErrorCode::conflict},
                                         {Reason::closed, ErrorCode::conflict},
                                         {Reason::exists, ErrorCode::conflict},
                                         {Reason::outdated, ErrorCode::conflict},
                                         {Reason::not_ours, ErrorCode::io},
                                         {Reason::overloaded, ErrorCode::io},
                                         {Reason::store_unavailable, ErrorCode::io},
                                         {Reason::damaged, ErrorCode::io},
                                         {Reason::ahead_of_clock, ErrorCode::io},
                                         {Reason::internal, ErrorCode::io}};

TEST(Refused, every_reason_has_a_word_that_reads_back_and_a_code) {
  std::size_t words = 0;
  for (const auto& [word, reason] : Words<Reason>::all) {
    const Error error = refused(reason, "a message", "a.field");
    EXPECT_EQ(error.reason, word);
    EXPECT_EQ(reason_of(error), reason) << word;
    ASSERT_TRUE(kCodes.contains(reason)) << word;
    EXPECT_EQ(error.code, kCodes.at(reason)) << word;
    EXPECT_EQ(error.message, "a message");
    EXPECT_EQ(error.field, "a.field");
    ++words;
  }
  EXPECT_EQ(words, kCodes.size());
  EXPECT_EQ(words, static_cast<std::size_t>(Reason::internal) + 1) << "the last of the list";
}

TEST(Refused, other_errors_have_no_reason) {
  EXPECT_FALSE(reason_of(Error::conflict("there is an arm 'a' already")));
  Error error = Error::io("the disk is full");
  error.reason = "a_word_of_another_version";
  EXPECT_FALSE(reason_of(error));
}

TEST(Refused, a_reason_stays_with_its_error_on_the_way_out) {
  const Status inner = refused(Reason::closed, "the duel 'q' is closed");
  const auto outer = [&]() -> Result<int> {
    DUEL_RETURN_IF_ERROR(in_field("duel_id", inner));
    return 1;
  }();
  ASSERT_FALSE(outer.ok());
  EXPECT_EQ(reason_of(outer.error()), Reason::closed);
  EXPECT_EQ(outer.error().field, "duel_id");
}

}  // namespace
}  // namespace duel
