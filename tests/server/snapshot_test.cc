// An experiment that comes back from its snapshot is the one that its whole log makes, and a
// snapshot that does not fit the log is not used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/log/experiment_log.h"
#include "duel/server/owned_experiment.h"
#include "duel/store/sqlite.h"
#include "duel/store/sqlite_store.h"
#include "tests/server/served_api.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

constexpr std::int64_t kNow = 1'794'700'800'000;
const ExperimentSecrets kSecrets{"salt", 77};

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

// A store of its own, with an experiment that its owner plays.
class Owner {
 public:
  explicit Owner(const ExperimentRecord& record) : Owner() {
    EXPECT_TRUE(store_->create("e").ok());
    owned_ = std::move(OwnedExperiment::create(store_, record, kNow, kSecrets, tokens_)).value();
    commit();
  }
  // The first lines of another store's experiment.
  explicit Owner(const std::vector<Line>& lines) : Owner() {
    EXPECT_TRUE(store_->create("e").ok());
    append(lines);
  }

  OwnedExperiment& experiment() { return *owned_; }
  Store& store() { return *store_; }
  std::filesystem::path file() const { return directory_ / "duel.db"; }

  void commit() {
    if (!owned_->has_staged()) return;
    const std::vector<Line> lines = owned_->staged_lines();
    const Status status = store_->append_to("e", owned_->stored_head(), lines);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    for (const Line& line : lines) {
      texts_.emplace_back(line.text);
      keys_.emplace_back(line.key);
      tags_.push_back(line.tag);
    }
    owned_->committed();
  }
  void append(const std::vector<Line>& lines) {
    const Status status = store_->append_to("e", *store_->head("e"), lines);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
  }
  std::vector<Line> lines(std::size_t begin, std::size_t end) const {
    std::vector<Line> lines;
    for (std::size_t k = begin; k < end; ++k) lines.push_back({texts_[k], keys_[k], tags_[k]});
    return lines;
  }
  std::size_t size() const { return texts_.size(); }

  // As another process would find it.
  std::unique_ptr<OwnedExperiment> load(std::int64_t now_ms = kNow) {
    auto loaded = OwnedExperiment::load(store_, "e", now_ms, kSecrets, tokens_);
    EXPECT_TRUE(loaded.ok()) << loaded.error().to_string();
    return std::move(loaded).value();
  }
  void close() {
    owned_.reset();
    store_.reset();
  }
  void reopen() { store_ = std::shared_ptr<Store>(std::move(SqliteStore::open(file())).value()); }

 private:
  Owner() { reopen(); }

  TemporaryDirectory directory_;
  std::shared_ptr<Store> store_;
  ReportTokens tokens_{"k1", "secret"};
  std::unique_ptr<OwnedExperiment> owned_;
  std::vector<std::string> texts_, keys_;
  std::vector<std::uint64_t> tags_;
};

// Duels with answers of every kind, in any order, late ones and repeats among them.
void play(Owner& owner, int duels) {
  RoundRng rng = Stream(11, 0, Purpose::test, "snapshot").at(1);
  std::vector<std::pair<std::string, std::string>> open;  // id, first arm
  OwnedExperiment& experiment = owner.experiment();
  std::int64_t now = kNow;
  for (int k = 0; k < duels; ++k) {
    now += 1000;
    DuelBody body;
    body.duel_id = fmt::format("q{}", k);
    if (rng.coin()) body.subject_id = fmt::format("s{}", rng.below(4));
    if (rng.below(8) == 0) body.exclude = {"c"};
    const auto served = experiment.serve(body, false, now);
    ASSERT_TRUE(served.ok()) << served.error().to_string();
    if (served->body.at("learn").get<bool>()) {
      open.emplace_back(body.duel_id,
                        served->body.at("arms").items()[0].at("arm_id").get<std::string>());
    }
    while (open.size() > rng.below(5)) {
      const std::size_t which = rng.below(open.size());
      OutcomeBody outcome;
      outcome.result = rng.below(5) == 0 ? "tie" : "win";
      if (outcome.result == "win") outcome.winner = open[which].second;
      outcome.source = {"human", fmt::format("r{}", rng.below(3))};
      const auto told = experiment.report(open[which].first, outcome, {}, now);
      ASSERT_TRUE(told.ok()) << told.error().to_string();
      if (rng.below(4) == 0) {
        outcome.result = "skip";  // another answer to the same duel
        outcome.winner.clear();
        ASSERT_TRUE(experiment.report(open[which].first, outcome, {}, now).ok());
      }
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (rng.below(12) == 0) now += 70'000;  // what is open expires
    ASSERT_TRUE(experiment.expire(now).ok());
    owner.commit();
  }
}

void play_pages(Owner& owner, int pages) {
  OwnedExperiment& experiment = owner.experiment();
  RoundRng rng = Stream(12, 0, Purpose::test, "snapshot").at(1);
  std::int64_t now = kNow;
  for (int k = 0; k < pages; ++k) {
    now += 1000;
    const std::string id = fmt::format("q{}", k);
    ASSERT_TRUE(experiment.serve({.duel_id = id}, false, now).ok());
    InterleavingBody body;
    body.lists = {{"a", {"1", "2", "3"}}, {"b", {"3", "4", "5"}}, {"c", {"6", "1", "7"}}};
    ASSERT_TRUE(experiment.interleave(id, body, true, now).ok());
    for (std::uint64_t clicks = rng.below(4); clicks > 0; --clicks) {
      const PageEvent event{id, "click", std::to_string(1 + rng.below(7)), std::nullopt,
                            fmt::format("{}-{}", id, clicks)};
      ASSERT_TRUE(experiment.take_event(event, now).ok());
    }
    if (rng.below(3) == 0) {
      OutcomeBody close;
      close.result = "close";
      ASSERT_TRUE(experiment.report(id, close, {}, now).ok());
    }
    if (rng.below(9) == 0) now += 70'000;
    ASSERT_TRUE(experiment.expire(now).ok());
    owner.commit();
  }
}

std::string everything(OwnedExperiment& experiment) {
  std::string text = experiment.show()->body.dump() + experiment.result()->body.dump() +
                     experiment.health()->body.dump();
  const auto certificate = experiment.certificate();
  if (certificate.ok()) text += certificate->body.dump();
  return text;
}

// Two owners of the same state answer the same from here on.
void expect_same_future(OwnedExperiment& a, OwnedExperiment& b) {
  for (int k = 0; k < 20; ++k) {
    const std::int64_t now = kNow + 10'000'000 + 1000 * k;
    DuelBody body;
    body.duel_id = fmt::format("later{}", k);
    body.subject_id = fmt::format("s{}", k % 4);
    const auto one = a.serve(body, k % 2 == 0, now), other = b.serve(body, k % 2 == 0, now);
    ASSERT_TRUE(one.ok() && other.ok());
    ASSERT_EQ(one->body.dump(), other->body.dump());
    ASSERT_EQ(a.staged_lines().size(), b.staged_lines().size());
  }
  ASSERT_EQ(a.staged_lines().back().text, b.staged_lines().back().text);
}

// Cut after every record: the snapshot there and the rest of the log make the whole.
void cut_everywhere(Owner& owner) {
  ASSERT_GT(owner.size(), 40U);
  const auto whole = owner.load();
  const Snapshot last = *whole->snapshot();
  EXPECT_EQ(whole->snapshot_sequence(), 0U);
  EXPECT_EQ(last.bytes, owner.experiment().snapshot()->bytes);  // lived through and read
  for (std::size_t cut = 1; cut <= owner.size(); cut += 3) {
    Owner other(owner.lines(0, cut));
    const std::optional<Snapshot> snapshot = other.load()->snapshot();
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(snapshot->sequence, cut);
    other.append(owner.lines(cut, owner.size()));
    ASSERT_TRUE(other.store().put_snapshot("e", *snapshot).ok());
    const auto restored = other.load();
    ASSERT_EQ(restored->refused_snapshot(), "");
    ASSERT_EQ(restored->snapshot_sequence(), cut);
    ASSERT_EQ(restored->live().state_hash(), whole->live().state_hash()) << cut;
    ASSERT_EQ(restored->snapshot()->bytes, last.bytes) << cut;
    ASSERT_EQ(everything(*restored), everything(*whole)) << cut;
    if (cut % 30 == 1) {
      const auto again = owner.load();
      expect_same_future(*restored, *again);
    }
  }
}

TEST(FoldSnapshot, and_the_rest_of_the_log_make_the_whole_wherever_it_is_cut) {
  Owner owner(experiment_of());
  play(owner, 40);
  cut_everywhere(owner);
}

TEST(FoldSnapshot, holds_pages_and_their_clicks) {
  ExperimentRecord record = experiment_of("uniform");
  record.service.mode = Mode::interleave;
  Owner owner(record);
  play_pages(owner, 30);
  cut_everywhere(owner);
}

TEST(FoldSnapshot, remembers_fallbacks_for_as_long_as_memory_would) {
  Owner owner(experiment_of());
  ASSERT_TRUE(owner.experiment().change_state("pause", kNow).ok());
  ASSERT_TRUE(owner.experiment().serve({.duel_id = "shown"}, false, kNow).ok());
  owner.commit();
  ASSERT_TRUE(owner.store().put_snapshot("e", *owner.experiment().snapshot()).ok());
  OutcomeBody outcome;
  outcome.result = "win";
  outcome.winner = "a";
  const auto told = owner.load()->report("shown", outcome, {}, kNow);
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->body.at("status").get<std::string>(), "ignored");
}

class RefusedSnapshot : public ::testing::Test {
 protected:
  RefusedSnapshot() : owner_(experiment_of()) {
    play(owner_, 25);
    snapshot_ = *owner_.experiment().snapshot();
    play_on();
    expected_ = owner_.load()->live().state_hash();
  }
  void play_on() {
    ASSERT_TRUE(owner_.experiment().serve({.duel_id = "one-more"}, false, kNow + 1'000'000).ok());
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

  Owner owner_;
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
  for (const char* version : {"", "1", "2/9.9.9", "rmed1/3"}) {
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
  Owner elsewhere(experiment_of("rucb"));
  play(elsewhere, 25);
  expect_refused(*elsewhere.experiment().snapshot(), "not used");
  ExperimentRecord other_seed = experiment_of();
  other_seed.seed = 8;
  Owner sown(other_seed);
  play(sown, 25);
  expect_refused(*sown.experiment().snapshot(), "of the log differs");
}

TEST_F(RefusedSnapshot, is_one_from_beyond_the_end_of_the_log) {
  Owner shorter(owner_.lines(0, 10));
  ASSERT_TRUE(shorter.store().put_snapshot("e", snapshot_).ok());
  const auto loaded = shorter.load();
  EXPECT_EQ(loaded->snapshot_sequence(), 0U);
  EXPECT_EQ(loaded->ledger().sequence(), 10U);
  EXPECT_NE(loaded->refused_snapshot(), "");
}

// --- A loss of power ----------------------------------------------------------------------------

// What the store looks like when the machine has stopped after record `synced` was on the disk.
void lose_power(Owner& owner, std::uint64_t synced) {
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
  Owner owner(record);
  play(owner, 30);
  const std::uint64_t whole = owner.experiment().ledger().certifier().decisive();
  // A snapshot that counts what the loss takes away.
  ASSERT_TRUE(owner.store().put_snapshot("e", *owner.experiment().snapshot()).ok());
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
  EXPECT_EQ(again->snapshot()->bytes, recovered->snapshot()->bytes);
  // A new one is.
  ASSERT_TRUE(owner.store().put_snapshot("e", *again->snapshot()).ok());
  const auto third = owner.load();
  EXPECT_GT(third->snapshot_sequence(), 0U);
  EXPECT_EQ(third->live().state_hash(), recovered->live().state_hash());
}

// --- The engine ---------------------------------------------------------------------------------

// An event that a thread brings about; the limit is for a test that would hang.
void wait_until(const std::function<bool()>& happened) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!happened()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

const std::string kE = "/v1/experiments/e";

TEST(Residents, leave_when_idle_and_come_back_as_they_were) {
  ServedApi api;
  start_three_arms(api);
  for (int k = 0; k < 10; ++k) {
    const Told duel = api.post(kE + "/duels");
    api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of(first_arm(duel)));
  }
  const std::string before = api.get(kE + "/result").body.dump();
  api.pass(11 * 60 * 1000);
  wait_until([&] { return api.engine().counts().in_memory == 0; });
  EXPECT_EQ(api.engine().counts().snapshots, 1U);
  EXPECT_EQ(api.get(kE + "/result").body.dump(), before);
  wait_until([&] { return api.engine().counts().in_memory == 1; });
  EXPECT_EQ(api.engine().counts().snapshots_refused, 0U);
}

TEST(Residents, are_woken_when_an_answer_is_due) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  api.pass(11 * 60 * 1000);  // idle, and the answer may still come
  wait_until([&] { return api.engine().counts().in_memory == 0; });
  const std::uint64_t head = api.engine().store().head("e")->sequence;
  api.pass(31 * 60 * 1000);
  wait_until([&] { return api.engine().store().head("e")->sequence > head; });
  EXPECT_EQ(api.get(kE + "/duels/q").text("state"), "expired");
}

TEST(Residents, that_a_process_left_waiting_are_woken_by_the_next) {
  ServedApi api;
  start_three_arms(api);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  const std::uint64_t head = api.engine().store().head("e")->sequence;
  api.stop();
  api.pass(60 * 60 * 1000);
  api.start();
  wait_until([&] {
    api.pass(2);  // to the next tick, and not to the end of the grace
    return api.engine().counts().in_memory == 1;
  });
  EXPECT_EQ(api.engine().store().head("e")->sequence, head);  // the pause was the server's
  api.pass(61 * 1000);
  wait_until([&] { return api.engine().store().head("e")->sequence > head; });
}

TEST(Residents, are_not_needed_for_a_list) {
  ServedApi api;
  api.stop();
  api.most_in_memory = 2;
  api.start();
  for (int k = 0; k < 6; ++k) {
    const std::string path = fmt::format("/v1/experiments/x{}", k);
    ASSERT_EQ(api.put(path, kThreeArms).status, 201);
    if (k % 2 != 0) continue;
    ASSERT_EQ(api.post(path + "/start").status, 200);
  }
  const std::string before = api.get("/v1/experiments").body.dump();
  api.restart();
  const Told list = api.get("/v1/experiments");
  EXPECT_EQ(list.body.dump(), before);
  EXPECT_EQ(list.body.at("items").items().size(), 6U);
  EXPECT_EQ(list.body.at("items").items()[1].at("state").get<std::string>(), "draft");
  EXPECT_EQ(api.engine().counts().in_memory, 0U);
  // One that has changed since its snapshot is read; only as many as may be stay.
  ASSERT_TRUE(api.engine().store().put_snapshot("x3", {1, "h", "v", "b"}).ok());
  EXPECT_EQ(api.get("/v1/experiments").body.dump(), before);
  EXPECT_LE(api.engine().counts().in_memory, 2U);
}

TEST(Residents, are_saved_every_so_many_records_and_at_a_clean_stop) {
  ServedApi api;
  api.stop();
  api.snapshot_every = 10;
  api.start();
  start_three_arms(api);
  for (int k = 0; k < 30; ++k) ASSERT_EQ(api.post(kE + "/duels").status, 201);
  EXPECT_GE(api.engine().counts().snapshots, 2U);
  api.restart();
  const auto snapshot = *api.engine().store().snapshot("e");
  ASSERT_TRUE(snapshot);
  EXPECT_EQ((Head{snapshot->sequence, snapshot->hash}), *api.engine().store().head("e"));
}

// (pair, subject) is remembered by the store, also by one of a version that did not.
TEST(Residents, know_from_the_store_who_has_seen_which_pair) {
  ServedApi api;
  const auto evidence = [&] {
    std::size_t count = 0;
    const std::string log = api.streamed(kE + "/export?what=audit");
    EXPECT_TRUE(read_log_text(log, "log", [&](const LogEntry& entry) -> Status {
                  const auto* serve = std::get_if<ServeRecord>(&entry.record);
                  if (serve != nullptr && serve->evidence) ++count;
                  return Done{};
                }).ok());
    return count;
  };
  const auto ask_often = [&] {
    for (int k = 0; k < 12; ++k) {
      ASSERT_EQ(api.post(kE + "/duels", R"({"subject_id":"one"})").status, 201);
    }
  };
  start_three_arms(api);
  ask_often();
  EXPECT_LE(evidence(), 3U);
  api.restart();  // from the snapshot
  ask_often();
  EXPECT_LE(evidence(), 3U);
  api.stop();
  {
    auto raw = SqliteConnection::open(api.file(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw->execute("DELETE FROM tags; DELETE FROM snapshots").ok());
  }
  api.start();  // from the log
  ask_often();
  EXPECT_LE(evidence(), 3U);
}

}  // namespace
}  // namespace duel
