// The coins of audits, tossed again by the key that a log tells.
#include "duel/verdict/audit_draws.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "duel/core/digest.h"
#include "duel/experiment/audit_coin.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

constexpr double kShare = 0.3;

// A log of serves and draws.
class DrawsOfALog {
 public:
  explicit DrawsOfALog(bool from_seed = false)
      : key_(from_seed ? audit_key_of_seed(experiment_.seed, experiment_.experiment_id)
                       : new_audit_key()) {
    experiment_.audit = {.share = kShare, .key_sha256 = sha256_hex(key_), .from_seed = from_seed};
    draws_.emplace(experiment_);
  }

  Status note(Record record) { return draws_->note({++sequence_, 0, std::move(record), ""}); }
  // Serves so many duels and draws as the key says; of the number `lie` the opposite is logged.
  void play(int duels, int lie = -1) {
    for (int k = 0; k < duels; ++k) {
      ServeRecord serve;
      serve.duel_id = "d" + std::to_string(++served_);
      serve.audit = kShare;
      ASSERT_TRUE(note(serve).ok());
      const bool drawn = is_drawn(key_, serve.duel_id, kShare);
      ASSERT_TRUE(note(AuditRecord{serve.duel_id, drawn != (k == lie)}).ok());
    }
  }
  Status end(const std::string& key) {
    CompletedRecord record{"certified"};
    record.audit_key = key;
    return note(std::move(record));
  }
  Status end() { return end(key_); }
  Status renew() {
    key_ = new_audit_key();
    return note(AuditKeyRecord{sha256_hex(key_)});
  }
  Result<CheckedDraws> finish() { return draws_->finish(); }

 private:
  ExperimentRecord experiment_ = experiment_of({"a", "b"});
  std::string key_;
  std::optional<AuditDraws> draws_;
  std::uint64_t sequence_ = 1;
  int served_ = 0;
};

void expect_draws(DrawsOfALog& log, std::uint64_t checked, std::uint64_t unchecked) {
  const auto found = log.finish();
  ASSERT_TRUE(found.ok()) << found.error().to_string();
  EXPECT_EQ(found->checked, checked);
  EXPECT_EQ(found->unchecked, unchecked);
}

TEST(AuditDraws, are_those_of_the_key_that_the_log_tells_at_its_end) {
  DrawsOfALog log;
  log.play(50);
  ASSERT_TRUE(log.end().ok());
  expect_draws(log, 50, 0);
}

TEST(AuditDraws, cannot_be_checked_before_the_end) {
  DrawsOfALog log;
  log.play(50, 7);
  expect_draws(log, 0, 50);
}

TEST(AuditDraws, of_a_key_from_the_seed_are_checked_at_once) {
  DrawsOfALog honest(true), lying(true);
  honest.play(50);
  expect_draws(honest, 50, 0);
  lying.play(50, 7);
  EXPECT_FALSE(lying.finish().ok());
}

TEST(AuditDraws, that_were_not_drawn_are_found) {
  for (const int lie : {0, 20, 49}) {
    DrawsOfALog log;
    log.play(50, lie);
    ASSERT_TRUE(log.end().ok());
    const auto found = log.finish();
    ASSERT_FALSE(found.ok()) << lie;
    EXPECT_NE(found.error().message.find("'d" + std::to_string(lie + 1) + "'"), std::string::npos)
        << found.error().message;
  }
}

TEST(AuditDraws, need_the_key_whose_hash_the_log_begins_with) {
  DrawsOfALog log;
  log.play(5);
  EXPECT_FALSE(log.end(new_audit_key()).ok());
}

TEST(AuditDraws, by_a_key_that_was_lost_are_counted_and_the_rest_is_checked) {
  DrawsOfALog log;
  log.play(30, 3);
  ASSERT_TRUE(log.renew().ok());
  log.play(20);
  ASSERT_TRUE(log.end().ok());
  expect_draws(log, 20, 30);
}

}  // namespace
}  // namespace duel
