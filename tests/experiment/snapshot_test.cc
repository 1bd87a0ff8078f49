// An experiment that comes back from its snapshot is the one that its whole log makes, and a
// snapshot that does not fit the log is not used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/archive.h"
#include "duel/core/deflate.h"
#include "duel/core/described_json.h"
#include "duel/core/digest.h"
#include "duel/core/rng.h"
#include "duel/experiment/experiment.h"
#include "duel/store/sqlite.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/view.h"
#include "duel/wire/experiment_answers.h"
#include "tests/experiment/held_experiment.h"

namespace duel {
namespace {

constexpr std::int64_t kNow = HeldExperiment::kNow;

ExperimentRecord experiment_of(const std::string& policy = "dts-plus") {
  ExperimentRecord record;
  record.experiment_id = "e";
  for (const char* id : {"a", "b", "c"}) record.arms.push_back({id, "", "", {}});
  record.policy = policy;
  record.seed = 7;
  record.stopping.alpha = 0.2;
  record.service.name = "Logos";
  record.service.feedback.timeout_s = 60;
  record.service.guardrails.max_duels_per_subject_per_day = 40;
  return record;
}

// Duels with answers of every kind, in any order, late ones and repeats among them.
void play(HeldExperiment& owner, int duels) {
  RoundRng rng = Stream(11, 0, Purpose::test, "snapshot").at(1);
  std::vector<std::pair<std::string, std::string>> open;  // id, first arm
  Experiment& experiment = owner.experiment();
  std::int64_t now = kNow;
  for (int k = 0; k < duels; ++k) {
    now += 1000;
    Wish wish;
    wish.duel_id = fmt::format("q{}", k);
    wish.request = "request of " + wish.duel_id;
    if (rng.coin()) wish.subject = fmt::format("s{}", rng.below(4));
    if (rng.below(8) == 0) wish.excluded = {"c"};
    const auto offer = experiment.serve(wish, {now});
    ASSERT_TRUE(offer.ok()) << offer.error().to_string();
    const auto* served = std::get_if<Served>(&*offer);
    if (served != nullptr && served->serve.serving != Serving::exploit) {
      open.emplace_back(wish.duel_id, served->serve.first);
    }
    while (open.size() > rng.below(5)) {
      const std::size_t which = rng.below(open.size());
      Report report;
      report.duel_id = open[which].first;
      report.answer =
          rng.below(5) == 0 ? Answer{Answered::tie, ""} : Answer{Answered::win, open[which].second};
      report.source = {"human", fmt::format("r{}", rng.below(3))};
      const auto told = experiment.report(report, {now});
      ASSERT_TRUE(told.ok()) << told.error().to_string();
      if (rng.below(4) == 0) {
        report.answer = Answer{Answered::skip, ""};  // another answer to the same duel
        ASSERT_TRUE(experiment.report(report, {now}).ok());
      }
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (rng.below(12) == 0) now += 70'000;  // what is open expires
    ASSERT_TRUE(experiment.expire({now}).ok());
    owner.commit();
  }
}

// An arm whose payload is larger than all others comes in the middle.
TEST(FoldSnapshot, knows_how_much_a_duel_shows_with_arms_that_came_later) {
  ExperimentRecord record = experiment_of();
  record.stopping.arms_fixed = false;
  record.stopping.shared_causes = false;
  HeldExperiment owner(record);
  play(owner, 6);
  const Json payload(std::string(5'000, 'x'));
  ASSERT_TRUE(owner.experiment().add_arm({"d", "", "", payload}, {kNow + 1'000'000}).ok());
  owner.commit();
  const std::size_t bytes = owner.experiment().most_bytes_shown();
  EXPECT_GT(bytes, 5'000U);
  ASSERT_TRUE(owner.store().put_snapshot("e", *owner.save()).ok());
  const auto restored = owner.load();
  ASSERT_EQ(restored->snapshot_sequence(), owner.size());
  EXPECT_EQ(restored->most_bytes_shown(), bytes);
}

void play_pages(HeldExperiment& owner, int pages) {
  Experiment& experiment = owner.experiment();
  RoundRng rng = Stream(12, 0, Purpose::test, "snapshot").at(1);
  std::int64_t now = kNow;
  for (int k = 0; k < pages; ++k) {
    now += 1000;
    const std::string id = fmt::format("q{}", k);
    ASSERT_TRUE(experiment.serve({.duel_id = id}, {now}).ok());
    const Lists lists{
        .lists = {{"a", {"1", "2", "3"}}, {"b", {"3", "4", "5"}}, {"c", {"6", "1", "7"}}}};
    ASSERT_TRUE(experiment.page(id, lists, {now}).ok());
    for (std::uint64_t clicks = rng.below(4); clicks > 0; --clicks) {
      const PageEvent event{id, "click", std::to_string(1 + rng.below(7)), std::nullopt,
                            fmt::format("{}-{}", id, clicks)};
      ASSERT_TRUE(experiment.click(event, {now}).ok());
    }
    if (rng.below(3) == 0) {
      Report close;
      close.duel_id = id;
      close.close = true;
      ASSERT_TRUE(experiment.report(close, {now}).ok());
    }
    if (rng.below(9) == 0) now += 70'000;
    ASSERT_TRUE(experiment.expire({now}).ok());
    owner.commit();
  }
}

// All that can be asked of it.
std::string everything(const Followed& followed) {
  const Experiment& experiment = *followed;
  const Ledger& ledger = experiment.ledger();
  const std::vector<HealthCheck> health = check_health(ledger);
  return described_json(experiment_answer(experiment)).dump() +
         described_json(result_of(ledger, board_of(ledger), {})).dump() +
         std::string(to_word(overall(health))) + described_json(health).dump() +
         std::to_string(experiment.most_bytes_shown()) + followed.history->certificate() +
         described_json(followed.history->timeline().series(ledger, experiment.last_time_ms(), 200))
             .dump();
}

// Two owners of the same state answer the same from here on.
void expect_same_future(Experiment& a, Experiment& b) {
  const ReportTokens tokens("k1", "secret");
  const auto body_of = [&](const Experiment& experiment, const Offer& offer) {
    return described_json(duel_answer(experiment.id(), offer, tokens)).dump();
  };
  for (int k = 0; k < 20; ++k) {
    const Moment moment{kNow + 10'000'000 + 1000 * k};
    Wish wish;
    wish.duel_id = fmt::format("later{}", k);
    wish.subject = fmt::format("s{}", k % 4);
    wish.voter = k % 2 == 0 && !a.ledger().parts().pages;  // voters are not asked about pages
    const auto one = a.serve(wish, moment), other = b.serve(wish, moment);
    ASSERT_TRUE(one.ok() && other.ok());
    ASSERT_EQ(body_of(a, *one), body_of(b, *other));
    ASSERT_EQ(a.staged_lines().size(), b.staged_lines().size());
  }
  ASSERT_EQ(a.staged_lines().back().text, b.staged_lines().back().text);
}

// Cut after every record: the snapshot there and the rest of the log make the whole.
void cut_everywhere(HeldExperiment& owner) {
  ASSERT_GT(owner.size(), 40U);
  const auto whole = owner.load();
  const Snapshot last = *whole.save();
  EXPECT_EQ(whole->snapshot_sequence(), 0U);
  EXPECT_EQ(last.bytes, owner.save()->bytes);  // lived through and read
  for (std::size_t cut = 1; cut <= owner.size(); cut += 3) {
    HeldExperiment other(owner.lines(0, cut));
    const std::optional<Snapshot> snapshot = other.load().save();
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(snapshot->sequence, cut);
    other.append(owner.lines(cut, owner.size()));
    ASSERT_TRUE(other.store().put_snapshot("e", *snapshot).ok());
    const auto restored = other.load();
    ASSERT_EQ(restored->refused_snapshot(), "");
    ASSERT_EQ(restored->snapshot_sequence(), cut);
    ASSERT_EQ(restored->live().state_hash(), whole->live().state_hash()) << cut;
    ASSERT_EQ(restored.save()->bytes, last.bytes) << cut;
    ASSERT_EQ(everything(restored), everything(whole)) << cut;
    if (cut % 30 == 1) {
      const auto again = owner.load();
      expect_same_future(*restored, *again);
    }
  }
}

TEST(FoldSnapshot, and_the_rest_of_the_log_make_the_whole_wherever_it_is_cut) {
  HeldExperiment owner(experiment_of());
  play(owner, 40);
  cut_everywhere(owner);
}

TEST(FoldSnapshot, holds_pages_and_their_clicks) {
  ExperimentRecord record = experiment_of("uniform");
  record.service.mode = Mode::interleave;
  HeldExperiment owner(record);
  play_pages(owner, 30);
  cut_everywhere(owner);
}

// People who audit a program: duels that wait for one, that one holds, and that are given up.
void play_audits(HeldExperiment& owner, int duels) {
  Experiment& experiment = owner.experiment();
  RoundRng rng = Stream(13, 0, Purpose::test, "snapshot").at(1);
  std::int64_t now = kNow;
  const auto said = [&](const ServeRecord& serve, const std::string& by) {
    Report report;
    report.duel_id = serve.duel_id;
    report.answer = Answer{Answered::win, rng.coin() ? serve.first : serve.second};
    report.source = {by, by};
    ASSERT_TRUE(experiment.report(report, {now}).ok());
  };
  for (int k = 0; k < duels; ++k) {
    now += 1000;
    const auto offer = experiment.serve({.duel_id = fmt::format("q{}", k)}, {now});
    ASSERT_TRUE(offer.ok()) << offer.error().to_string();
    said(std::get<Served>(*offer).serve, "judge");
    const auto asked =
        experiment.serve({.subject = fmt::format("v{}", rng.below(5)), .voter = true}, {now});
    ASSERT_TRUE(asked.ok()) << asked.error().to_string();
    const auto* held = std::get_if<Served>(&*asked);
    if (held != nullptr && rng.below(3) == 0) said(held->serve, "human");
    if (rng.below(10) == 0) now += 70'000;  // offers end
    owner.commit();
  }
}

TEST(FoldSnapshot, holds_who_was_offered_which_duel_of_a_program_that_people_audit) {
  ExperimentRecord record = experiment_of("certify");
  record.audit = {.share = 0.6, .give_up_after = 2, .key_sha256 = sha256_hex("key")};
  record.stopping.alpha = 1e-6;
  Setting setting;
  setting.audit_key = "key";
  HeldExperiment owner(record, std::move(setting));
  play_audits(owner, 40);
  cut_everywhere(owner);
}

TEST(FoldSnapshot, remembers_fallbacks_for_as_long_as_memory_would) {
  HeldExperiment owner(experiment_of());
  ASSERT_TRUE(owner.experiment().change_state(Experiment::Step::pause, {kNow}).ok());
  ASSERT_TRUE(owner.experiment().serve({.duel_id = "shown"}, {kNow}).ok());
  owner.commit();
  ASSERT_TRUE(owner.store().put_snapshot("e", *owner.save()).ok());
  const Report report{.duel_id = "shown", .answer = Answer{Answered::win, "a"}};
  const auto told = owner.load()->report(report, {kNow});
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->what, Reported::What::ignored);
}

class RefusedSnapshot : public ::testing::Test {
 protected:
  RefusedSnapshot() : owner_(experiment_of()) {
    play(owner_, 25);
    snapshot_ = *owner_.save();
    play_on();
    expected_ = owner_.load()->live().state_hash();
  }
  void play_on() {
    ASSERT_TRUE(owner_.experiment().serve({.duel_id = "one-more"}, {kNow + 1'000'000}).ok());
    owner_.commit();
  }
  // The log is read instead, and what was wrong is said.
  void expect_refused(const Snapshot& snapshot, const std::string& why) {
    ASSERT_TRUE(owner_.store().put_snapshot("e", snapshot).ok());
    const auto loaded = owner_.load();
    EXPECT_EQ(loaded->snapshot_sequence(), 0U) << why;
    EXPECT_EQ(loaded->live().state_hash(), expected_) << why;
    EXPECT_NE(loaded->refused_snapshot().find(why), std::string::npos)
        << loaded->refused_snapshot();
  }

  HeldExperiment owner_;
  Snapshot snapshot_;
  std::uint64_t expected_ = 0;
};

TEST_F(RefusedSnapshot, the_whole_one_is_used) {
  ASSERT_TRUE(owner_.store().put_snapshot("e", snapshot_).ok());
  const auto loaded = owner_.load();
  EXPECT_EQ(loaded->snapshot_sequence(), snapshot_.sequence);
  EXPECT_EQ(loaded->live().state_hash(), expected_);
}

TEST_F(RefusedSnapshot, is_one_with_any_byte_changed_or_missing) {
  for (std::size_t place = 0; place < snapshot_.bytes.size();
       place += 1 + snapshot_.bytes.size() / 61) {
    Snapshot altered = snapshot_;
    altered.bytes[place] = static_cast<char>(altered.bytes[place] ^ (1 << place % 8));
    expect_refused(altered, "its bytes are damaged");
    altered.bytes.resize(place);
    expect_refused(altered, "its bytes are damaged");
  }
}

TEST_F(RefusedSnapshot, is_one_of_another_version_or_format) {
  const std::string before = "3" + snapshot_.version.substr(snapshot_.version.find('/'));
  for (const std::string& version :
       {std::string(), std::string("1"), std::string("2/9.9.9"), std::string("rmed1/3"), before}) {
    Snapshot other = snapshot_;
    other.version = version;
    expect_refused(other, "it is of version");
  }
}

TEST_F(RefusedSnapshot, is_one_that_is_of_another_log) {
  Snapshot other = snapshot_;
  other.hash = std::string(64, 'a');
  expect_refused(other, "of another record than it says");
  other = snapshot_;
  ++other.sequence;
  expect_refused(other, "of another record than it says");
  // A log of the same length that went otherwise.
  HeldExperiment elsewhere(experiment_of("rucb"));
  play(elsewhere, 25);
  expect_refused(*elsewhere.save(), "not used");
  ExperimentRecord other_seed = experiment_of();
  other_seed.seed = 8;
  HeldExperiment sown(other_seed);
  play(sown, 25);
  expect_refused(*sown.save(), "of the log differs");
}

TEST_F(RefusedSnapshot, is_one_from_beyond_the_end_of_the_log) {
  HeldExperiment shorter(owner_.lines(0, 10));
  ASSERT_TRUE(shorter.store().put_snapshot("e", snapshot_).ok());
  const auto loaded = shorter.load();
  EXPECT_EQ(loaded->snapshot_sequence(), 0U);
  EXPECT_EQ(loaded->ledger().sequence(), 10U);
  EXPECT_NE(loaded->refused_snapshot(), "");
}

// The bytes of a snapshot with another experiment's live state in place of its own.
std::string with_live_state(const std::string& bytes, const std::string& live) {
  const std::string magic = StateWriter::kMagic;
  const auto number_at = [](std::string_view text) {
    std::uint64_t number = 0;
    std::memcpy(&number, text.data(), sizeof number);
    return number;
  };
  const auto number = [](std::uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::string state =
      inflated(std::string_view(bytes).substr(kHexDigits), std::size_t{1} << 24).value();
  const std::string_view body =
      std::string_view(state).substr(magic.size() + 8, state.size() - magic.size() - 16);
  const std::string forged =
      number(live.size()) + live + std::string(body.substr(8 + number_at(body)));
  const std::string packed =
      deflated(magic + number(forged.size()) + forged + number(hash_text(forged)));
  return sha256_hex(packed) + packed;
}

// It fits its record in all that a load can see, and would be used for ever.
TEST(ForgedSnapshot, is_found_by_the_audit) {
  const auto play_with = [](HeldExperiment& owner, const std::string& third_winner) {
    for (int k = 0; k < 6; ++k) {
      const std::string id = fmt::format("q{}", k);
      ASSERT_TRUE(owner->serve({.duel_id = id}, {kNow}).ok());
      const auto duel = *owner->ledger().find_open(id);
      const bool second = k == 3 && third_winner == "second";
      const Answer answer{Answered::win, owner->ledger().id_of(second ? duel.second : duel.first)};
      ASSERT_TRUE(owner->report({.duel_id = id, .answer = answer}, {kNow}).ok());
      owner.commit();
    }
  };
  HeldExperiment owner(experiment_of()), other(experiment_of());
  play_with(owner, "first");
  play_with(other, "second");
  const std::shared_ptr<Store> store(&owner.store(), [](Store*) {});
  const auto audit = [&] { return View::audit(store, "e", [] { return false; }); };
  Snapshot snapshot = *owner.save();
  ASSERT_TRUE(store->put_snapshot("e", snapshot).ok());
  EXPECT_TRUE(audit().ok());
  snapshot.bytes = with_live_state(snapshot.bytes, *other->live().save());
  ASSERT_TRUE(store->put_snapshot("e", snapshot).ok());
  const auto loaded = owner.load();
  ASSERT_EQ(loaded->snapshot_sequence(), snapshot.sequence) << loaded->refused_snapshot();
  ASSERT_EQ(loaded->ledger().state_hash(), other->ledger().state_hash());
  const Status audited = audit();
  ASSERT_FALSE(audited.ok());
  EXPECT_NE(audited.error().message.find("is not the one that the records make"), std::string::npos)
      << audited.error().message;
}

// --- A loss of power ----------------------------------------------------------------------------

// What the store looks like when the machine has stopped after record `synced` was on the disk.
void lose_power(HeldExperiment& owner, std::uint64_t synced) {
  owner.close();
  {
    auto raw = SqliteConnection::open(owner.file(), SQLITE_OPEN_READWRITE);
    const std::string sql = fmt::format(
        "UPDATE state SET value = 'another boot'; UPDATE experiments SET mark = {}", synced);
    ASSERT_TRUE(raw->execute(sql.c_str()).ok());
  }
  owner.reopen();
  ASSERT_TRUE(owner.store().own("e").ok());
}

TEST(LossOfPower, leaves_the_state_that_everybody_reads_from_the_log_afterwards) {
  ExperimentRecord record = experiment_of();
  record.stopping.alpha = 1e-6;  // no certificate that would stand before the loss
  HeldExperiment owner(record);
  play(owner, 30);
  const std::uint64_t whole = owner.experiment().ledger().certifier().decisive();
  // A snapshot that counts what the loss takes away.
  ASSERT_TRUE(owner.store().put_snapshot("e", *owner.save()).ok());
  const std::size_t size = owner.size();
  lose_power(owner, size / 2);
  const auto recovered = owner.load();
  ASSERT_TRUE(recovered->has_staged());
  EXPECT_EQ(recovered->snapshot_sequence(), 0U);
  EXPECT_LT(recovered->ledger().certifier().decisive(), whole);
  ASSERT_TRUE(
      owner.store().append_to("e", recovered->stored_head(), recovered->staged_lines()).ok());
  recovered->committed();
  // The old snapshot is of the log's own past, and yet it must not be used.
  const auto again = owner.load();
  EXPECT_NE(again->refused_snapshot().find("power was lost"), std::string::npos);
  EXPECT_EQ(again->live().state_hash(), recovered->live().state_hash());
  EXPECT_EQ(again.save()->bytes, recovered.save()->bytes);
  // A new one is.
  ASSERT_TRUE(owner.store().put_snapshot("e", *again.save()).ok());
  const auto third = owner.load();
  EXPECT_GT(third->snapshot_sequence(), 0U);
  EXPECT_EQ(third->live().state_hash(), recovered->live().state_hash());
}

}  // namespace
}  // namespace duel
