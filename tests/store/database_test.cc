// What the store of several nodes relies on, whatever database is below it: the tables in memory
// that the simulated cluster runs on keep the same rules as PostgreSQL.
#include "duel/store/database.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/world.h"
#include "duel/store/line.h"
#include "duel/store/postgres_database.h"
#include "tests/store/memory_database.h"
#include "tests/store/postgres_server.h"
#include "tests/store/shelf.h"

namespace duel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Session = std::unique_ptr<DatabaseSession>;

// A database that a test breaks.
class Bench {
 public:
  virtual ~Bench() = default;
  virtual Session connect(SessionUse use) = 0;
  virtual void crash() = 0;  // and is back
  virtual void end_lease(const std::string& node) = 0;
  virtual void end_time_to_come_back() = 0;
};

class MemoryBench final : public Bench {
 public:
  Session connect(SessionUse use) override { return MemoryDatabase(server_).connect(use).value(); }
  void crash() override {
    server_->crash();
    server_->run();
  }
  void end_lease(const std::string& node) override { server_->end_lease(node); }
  void end_time_to_come_back() override { server_->end_time_to_come_back(); }

 private:
  std::shared_ptr<MemoryServer> server_ =
      std::make_shared<MemoryServer>([] { return system_world().wall_time_ms(); });
};

// It writes what nobody waits for only every ten seconds, so that a crash loses it.
class PostgresBench final : public Bench {
 public:
  Session connect(SessionUse use) override {
    return PostgresDatabase(location_, std::chrono::seconds(60), hours(1)).connect(use).value();
  }
  void crash() override {
    server_.crash();
    server_.run();
  }
  void end_lease(const std::string& node) override {
    PostgresServer::query(
        location_, "UPDATE duel.nodes SET lease_until = '-infinity' WHERE id = '" + node + "'");
  }
  void end_time_to_come_back() override {
    PostgresServer::query(location_, "UPDATE duel.life SET since = '-infinity'");
  }

 private:
  PostgresServer server_{"wal_writer_delay = 10s\nfsync = off"};
  std::string location_ = server_.new_database();
};

enum class Kind { memory, postgres };
void PrintTo(Kind kind, std::ostream* out) {
  *out << (kind == Kind::memory ? "memory" : "postgres");
}

class DatabaseRules : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::memory) {
      bench_ = std::make_unique<MemoryBench>();
    } else {
      DUEL_NEEDS_POSTGRES();
      bench_ = std::make_unique<PostgresBench>();
    }
    ASSERT_TRUE(connect(SessionUse::writing)->prepare().ok());
    a_ = connect(SessionUse::writing);
    for (const char* node : {"a", "b"}) {
      ASSERT_TRUE(
          connect(SessionUse::lease)->renew({node, "http://" + std::string(node)}, hours(1)).ok());
    }
    life_ = a_->life("a life").value();
  }
  Session connect(SessionUse use) { return bench_->connect(use); }

  ExperimentRow create(const std::string& node, const std::string& name) {
    return a_->take(node, life_, {name, true, 0, 0, 0}).value().row.value();
  }
  // Whether it was taken, and the row as it is then.
  Taken take(const std::string& node, const std::string& name, std::uint64_t kept_epoch = 0) {
    return a_->take(node, life_, {name, false, kept_epoch, 0, 1'000}).value();
  }
  // Appends one line at that head as the node believes it; whether it was taken.
  bool append(const std::string& node, ExperimentRow& row, const std::string& text,
              std::uint64_t tag = 0) {
    const std::string line = line_of(row.head.sequence + 1, text);
    const Line one{line, key_of(line), tag};
    HeadMove move{"", row.id, row.epoch, row.head, {}, {&one}, {}};
    move.to = {row.head.sequence + 1, std::string(split_line(line)->hash)};
    const auto accepted = a_->append(node, life_, std::vector{move});
    EXPECT_TRUE(accepted.ok()) << accepted.error().to_string();
    if (!accepted->contains(row.id)) return false;
    row.head = move.to;
    return true;
  }

  std::unique_ptr<Bench> bench_;
  Session a_;
  std::string life_;
};

TEST_P(DatabaseRules, append_needs_the_owner_the_epoch_and_the_head) {
  ExperimentRow row = create("a", "tones");
  EXPECT_EQ(row.epoch, 1U);
  const ExperimentRow empty = row;
  ASSERT_TRUE(append("a", row, "d1: served"));
  const auto refused = [&](const std::string& node, ExperimentRow at) {
    return !append(node, at, "x");
  };
  ExperimentRow other_epoch = row, other_hash = row, other_number = row;
  other_epoch.epoch = 2;
  other_hash.head.hash = std::string(64, '0');
  other_number.head.sequence = 2;
  EXPECT_TRUE(refused("b", row));
  EXPECT_TRUE(refused("a", other_epoch));
  EXPECT_TRUE(refused("a", other_hash));
  EXPECT_TRUE(refused("a", other_number));
  EXPECT_TRUE(refused("a", empty));
  ASSERT_TRUE(append("a", row, "2"));
  EXPECT_EQ(a_->lines(row.id, 0)->ends.size(), 2U);
  EXPECT_EQ(a_->lines(row.id, 1)->bytes, line_of(2, "2"));
  EXPECT_EQ(a_->row("tones").value()->head, row.head);
}

TEST_P(DatabaseRules, one_refused_experiment_keeps_no_other_back) {
  ExperimentRow mine = create("a", "mine"), others = create("b", "others");
  const std::string line = line_of(1, "1");
  const Line one{line, "", 0};
  const Head to{1, std::string(split_line(line)->hash)};
  const std::vector<HeadMove> moves{{"", others.id, others.epoch, others.head, to, {&one}, {}},
                                    {"", mine.id, mine.epoch, mine.head, to, {&one}, {}}};
  EXPECT_EQ(*a_->append("a", life_, moves), (std::set<std::uint64_t>{mine.id}));
  EXPECT_EQ(*a_->list(), (std::vector<std::string>{"mine"}));
}

TEST_P(DatabaseRules, is_taken_from_nobody_who_lives) {
  ExperimentRow row = create("a", "tones");
  ASSERT_TRUE(append("a", row, "1"));
  Taken taken = take("b", "tones");
  EXPECT_FALSE(taken.moved);
  EXPECT_EQ(taken.row->owner, "a");
  EXPECT_TRUE(taken.owner_lives);
  EXPECT_TRUE(a_->ownerless()->empty());
  bench_->end_lease("a");
  EXPECT_EQ(*a_->ownerless(), (std::vector<std::string>{"tones"}));
  EXPECT_EQ(a_->tenure("tones").value()->owner, std::nullopt);
  taken = take("b", "tones");
  EXPECT_TRUE(taken.moved);
  EXPECT_EQ(taken.owner_before, "a");
  EXPECT_EQ(taken.row->owner, "b");
  EXPECT_EQ(taken.row->epoch, 2U);
  EXPECT_EQ(a_->tenure("tones").value()->owner->url, "http://b");
  EXPECT_FALSE(append("a", row, "2")) << "the epoch has changed";
  EXPECT_FALSE(take("b", "nothing").row);
}

TEST_P(DatabaseRules, owner_keeps_its_epoch_unless_it_is_in_doubt) {
  ExperimentRow row = create("a", "tones");
  EXPECT_EQ(take("a", "tones", 1).row->epoch, 1U);
  EXPECT_EQ(take("a", "tones").row->epoch, 2U);
  EXPECT_EQ(take("a", "tones", 1).row->epoch, 3U) << "not the epoch that it holds";
  // A head outside of the bounds is not taken.
  const Taken taken = a_->take("a", life_, {"tones", false, 0, 1, 1'000}).value();
  EXPECT_FALSE(taken.moved);
  EXPECT_EQ(taken.row->epoch, 3U);
}

TEST_P(DatabaseRules, what_is_given_away_is_free_at_once_and_known_to_be_whole) {
  ExperimentRow one = create("a", "one"), two = create("a", "two");
  ASSERT_TRUE(append("a", one, "1"));
  ASSERT_TRUE(append("a", two, "1"));
  ASSERT_TRUE(a_->give_away("a", life_, "one", 7).ok());
  EXPECT_TRUE(a_->ownerless()->empty()) << "another epoch";
  ASSERT_TRUE(a_->give_away("a", life_, "one", 1).ok());
  EXPECT_EQ(*a_->ownerless(), (std::vector<std::string>{"one"}));
  EXPECT_EQ(a_->owned_by("a")->size(), 1U);
  ASSERT_TRUE(a_->leave("a", life_).ok());
  EXPECT_EQ(a_->ownerless()->size(), 2U);
  EXPECT_EQ(a_->live()->size(), 1U);
  EXPECT_EQ(a_->states()->size(), 1U);
  EXPECT_EQ(*a_->lines_in_doubt(), false);
}

TEST_P(DatabaseRules, renewal_says_whether_the_lease_had_run_out) {
  const Session lease = connect(SessionUse::lease);
  EXPECT_TRUE(lease->renew({"a", "http://a"}, hours(1))->held);
  bench_->end_lease("a");
  EXPECT_EQ(lease->live()->size(), 1U);
  EXPECT_FALSE(lease->renew({"a", "http://a"}, hours(1))->held);
  EXPECT_TRUE(lease->renew({"a", "http://a"}, hours(1))->held);
  EXPECT_FALSE(lease->renew({"c", ""}, hours(1))->held);
  EXPECT_EQ(lease->live()->size(), 3U);
}

TEST_P(DatabaseRules, mark_is_the_owners_and_never_beyond_the_head) {
  ExperimentRow row = create("a", "tones");
  ASSERT_TRUE(append("a", row, "1"));
  ASSERT_TRUE(append("a", row, "2"));
  ASSERT_TRUE(connect(SessionUse::syncing)->sync().ok());
  ASSERT_TRUE(a_->set_marks("b", std::vector<ClockMark>{{row.id, 1, 2}}).ok());
  ASSERT_TRUE(a_->set_marks("a", std::vector<ClockMark>{{row.id, 2, 2}}).ok());
  bench_->crash();
  EXPECT_EQ(**connect(SessionUse::reading)->synced("tones"), 0U) << "neither is the owner's";
  EXPECT_TRUE(*connect(SessionUse::reading)->lines_in_doubt());
  a_ = connect(SessionUse::writing);
  ASSERT_TRUE(a_->set_marks("a", std::vector<ClockMark>{{row.id, 1, 1}}).ok());
  EXPECT_EQ(**a_->synced("tones"), 1U);
  ASSERT_TRUE(a_->set_marks("a", std::vector<ClockMark>{{row.id, 1, 9}}).ok());
  EXPECT_EQ(**a_->synced("tones"), 2U);
  EXPECT_FALSE(*a_->lines_in_doubt());
  EXPECT_EQ(*a_->synced("nothing"), std::nullopt);
}

TEST_P(DatabaseRules, crash_ends_sessions_and_may_take_what_nobody_waited_for) {
  ExperimentRow row = create("a", "tones");
  ASSERT_TRUE(append("a", row, "1"));
  ASSERT_TRUE(connect(SessionUse::syncing)->sync().ok());
  const Head durable = row.head;
  // PostgreSQL may have written it by its own clock: then once more.
  bool lost = false;
  for (int attempt = 0; attempt < 10 && !lost; ++attempt) {
    ASSERT_TRUE(append("a", row, "2"));
    ASSERT_TRUE(a_->put("space", "key", "durable, and all before it").ok());
    const Head synced = row.head;
    ASSERT_TRUE(append("a", row, "3"));
    bench_->crash();
    EXPECT_FALSE(a_->probe().ok());
    EXPECT_TRUE(a_->lost());
    a_ = connect(SessionUse::writing);
    const std::string before =
        std::exchange(life_, a_->life("life " + std::to_string(attempt)).value());
    EXPECT_NE(life_, before);
    EXPECT_EQ(*a_->life("another name"), life_) << "it has just begun only once";
    const Head head = a_->row("tones").value()->head;
    EXPECT_TRUE(head == synced || head == row.head);
    lost = head == synced;
    EXPECT_EQ(a_->lines(row.id, 0)->ends.size(), head.sequence);
    row.head = head;
  }
  EXPECT_TRUE(lost);
  EXPECT_EQ(a_->row("tones").value()->epoch, 1U) << "a change of owner is durable";
}

TEST_P(DatabaseRules, owner_has_a_leases_time_to_come_back_after_a_crash) {
  ExperimentRow row = create("a", "tones");
  ASSERT_TRUE(append("a", row, "1"));
  ASSERT_TRUE(connect(SessionUse::syncing)->sync().ok());
  EXPECT_FALSE(*a_->owners_may_come_back());
  bench_->crash();
  bench_->end_lease("a");
  EXPECT_TRUE(connect(SessionUse::reading)->ownerless()->empty()) << "nobody is back yet";
  a_ = connect(SessionUse::writing);
  life_ = a_->life("a new life").value();
  EXPECT_TRUE(*a_->owners_may_come_back());
  EXPECT_TRUE(a_->ownerless()->empty());
  EXPECT_FALSE(take("b", "tones").moved);
  EXPECT_EQ(a_->tenure("tones").value()->owner, std::nullopt) << "but it does not answer yet";
  bench_->end_time_to_come_back();
  EXPECT_FALSE(*a_->owners_may_come_back());
  EXPECT_TRUE(take("b", "tones").moved);
}

TEST_P(DatabaseRules, finds_lines_tags_snapshots_and_entries) {
  ExperimentRow row = create("a", "tones");
  EXPECT_FALSE(*a_->put_snapshot("tones", {}));
  EXPECT_FALSE(*a_->add_tags("tones", std::vector<std::uint64_t>{1}));
  ASSERT_TRUE(append("a", row, "d1: served", 5));
  ASSERT_TRUE(append("a", row, "d2: served"));
  EXPECT_EQ(*a_->find(row.id, "d2"), (std::vector<FoundLine>{{2, line_of(2, "d2: served")}}));
  EXPECT_EQ(*a_->experiments_of("d1"), (std::vector<std::string>{"tones"}));
  EXPECT_TRUE(a_->experiments_of("d3")->empty());
  EXPECT_EQ(*a_->tagged("tones", 5), (std::pair<std::uint64_t, bool>{2, true}));
  EXPECT_EQ(*a_->tagged("tones", 6), (std::pair<std::uint64_t, bool>{2, false}));
  EXPECT_TRUE(*a_->add_tags("tones", std::vector<std::uint64_t>{6}));
  EXPECT_EQ(*a_->tagged("tones", 6), (std::pair<std::uint64_t, bool>{2, true}));
  EXPECT_EQ(*a_->tagged("nothing", 6), std::nullopt);
  const Snapshot saved{2, row.head.hash, "v", "bytes", "summary"};
  EXPECT_TRUE(*a_->put_snapshot("tones", saved));
  EXPECT_EQ(*a_->snapshot(row.id), saved);
  ASSERT_EQ(a_->outlines()->size(), 1U);
  EXPECT_EQ(a_->outlines()->front().snapshot->bytes, "");
  ASSERT_TRUE(a_->put("s", "k", "1").ok());
  ASSERT_TRUE(a_->put("s", "k", "2").ok());
  EXPECT_EQ(*a_->get("s", "k"), "2");
  EXPECT_EQ(a_->entries("s")->size(), 1U);
  EXPECT_TRUE(*a_->erase("s", "k"));
  EXPECT_FALSE(*a_->erase("s", "k"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, DatabaseRules, testing::Values(Kind::memory, Kind::postgres),
                         testing::PrintToStringParamName());

// --- The way to the database in memory -----------------------------------------------------------

TEST(MemoryDatabase, keeps_the_beginning_of_what_was_not_on_its_disk) {
  MemoryServer server([] { return std::int64_t{1'000}; });
  const auto shared = std::shared_ptr<MemoryServer>(&server, [](MemoryServer*) {});
  Session session = MemoryDatabase(shared).connect(SessionUse::writing).value();
  ExperimentRow row = session->take("a", "first", {"tones", true, 0, 0, 0})->row.value();
  for (const char* text : {"1", "2", "3"}) {
    const std::string line = line_of(row.head.sequence + 1, text);
    const Line one{line, "", 0};
    const Head to{row.head.sequence + 1, std::string(split_line(line)->hash)};
    const HeadMove move{"", row.id, row.epoch, row.head, to, {&one}, {}};
    ASSERT_TRUE(session->append("a", "first", std::vector{move})->contains(row.id));
    row.head = to;
  }
  EXPECT_EQ(server.not_on_disk(), 3U);
  server.crash(2);
  server.run();
  session = MemoryDatabase(shared).connect(SessionUse::writing).value();
  EXPECT_EQ(session->row("tones").value()->head.sequence, 2U);
}

TEST(MemoryDatabase, loses_questions_and_answers_and_lets_statements_come_late) {
  const auto server = std::make_shared<MemoryServer>([] { return std::int64_t{1'000}; });
  Passage next = Passage::through;
  Network network;
  network.question = [&](SessionUse, std::string_view) {
    return std::exchange(next, Passage::through);
  };
  MemoryDatabase database(server, network);
  const auto put = [&](Passage passage, const std::string& key) {
    const Session session = database.connect(SessionUse::writing).value();
    next = passage;
    const bool ok = session->put("s", key, "").ok();
    EXPECT_EQ(session->lost(), !ok);
    return ok;
  };
  const auto there = [&](const std::string& key) {
    return database.connect(SessionUse::reading).value()->get("s", key)->has_value();
  };
  EXPECT_TRUE(put(Passage::through, "1"));
  EXPECT_FALSE(put(Passage::question_lost, "2"));
  EXPECT_FALSE(put(Passage::answer_lost, "3"));
  EXPECT_FALSE(put(Passage::late, "4"));
  EXPECT_TRUE(there("1"));
  EXPECT_FALSE(there("2"));
  EXPECT_TRUE(there("3"));
  EXPECT_FALSE(there("4"));
  EXPECT_EQ(server->late_statements(), 1U);
  server->let_late_statements_arrive();
  EXPECT_TRUE(there("4"));
  EXPECT_FALSE(put(Passage::late, "5"));
  server->crash();
  server->run();
  server->let_late_statements_arrive();
  EXPECT_FALSE(there("5")) << "its session ended with the crash";
}

}  // namespace
}  // namespace duel
