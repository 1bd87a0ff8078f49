// What several nodes may rely on that share a PostgreSQL: who owns an experiment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/store/postgres_stores.h"

namespace duel {
namespace {

TEST_F(PostgresStores, an_owner_taken_for_dead_finds_its_appends_refused_and_nothing_of_them) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1", "2"});
  EXPECT_EQ(first->nodes()->epoch("tones"), 1U);
  end_lease(*first);
  shelf.moves_to(*second);
  EXPECT_EQ(second->nodes()->epoch("tones"), 2U);
  EXPECT_EQ(second->nodes()->counts().taken_over, 1U);

  const Lines late = shelf.group({"from the past"});
  const std::vector<Line> lines = {{late[0], "key", 7}};
  const Status refused = first->append_to("tones", shelf.head(), lines);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(first->nodes()->epoch("tones"), std::nullopt);
  EXPECT_EQ(first->nodes()->counts().fenced, 1U);
  EXPECT_FALSE(first->broken());
  EXPECT_FALSE(*second->tagged("tones", 7));
  EXPECT_TRUE(second->find("tones", "key")->empty());
  shelf.append({"3"});
  // And the second time it is known here.
  EXPECT_EQ(first->append_to("tones", shelf.head(), lines).error().code, ErrorCode::conflict);
}

TEST_F(PostgresStores, the_epoch_alone_keeps_an_owner_of_before_out) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  // Away and back: the owner and the head are those of before, only the epoch is not.
  ask("UPDATE duel.experiments SET epoch = epoch + 2");
  EXPECT_NE(shelf.refusal({"2"}), "");
  EXPECT_EQ(first->nodes()->counts().fenced, 1U);
}

TEST_F(PostgresStores, the_owner_alone_keeps_others_out) {
  const auto first = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  ask("UPDATE duel.experiments SET owner = 'another'");
  EXPECT_NE(shelf.refusal({"2"}), "");
}

TEST_F(PostgresStores, the_head_in_the_database_decides_and_not_what_the_owner_remembers) {
  const auto first = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  ask("UPDATE duel.experiments SET head_hash = repeat('0', 64)");
  EXPECT_NE(shelf.refusal({"2"}), "");
}

TEST_F(PostgresStores, the_sequence_of_the_head_alone_keeps_an_append_out) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  ask("UPDATE duel.experiments SET head_sequence = head_sequence + 1");
  const Lines late = shelf.group({"2"});
  EXPECT_EQ(store->append_to("tones", shelf.head(), as_lines(late)).error().code,
            ErrorCode::conflict);
  EXPECT_EQ(ask("SELECT count(*) FROM duel.lines"), "1");
}

TEST_F(PostgresStores, an_append_is_one_statement_and_all_or_nothing) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  note("statement_timestamp()", {"UPDATE ON duel.experiments", "INSERT ON duel.lines"});
  shelf.append({"1", "2"});
  EXPECT_EQ(ask("SELECT count(*), count(DISTINCT value) FROM public.seen"), "2|1");
  ask("CREATE FUNCTION public.no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$");
  ask("CREATE TRIGGER no BEFORE INSERT ON duel.lines EXECUTE FUNCTION public.no()");
  EXPECT_NE(shelf.refusal({"3"}), "");
  EXPECT_EQ(ask("SELECT head_sequence FROM duel.experiments"), "2");
  ask("DROP TRIGGER no ON duel.lines");
  shelf.append({"3"});  // nothing is in doubt
}

// Otherwise two commits could wait for each other.
TEST_F(PostgresStores, rows_are_locked_in_the_order_of_their_ids) {
  const auto store = open();
  Shelf low(*store, "z"), high(*store, "a");  // ids are given in the order of creation
  for (Shelf* one : {&low, &high}) {
    one->create();
    one->append({"1"});
  }
  FILE* const holder = psql();
  tell(holder, "BEGIN; SELECT 1 FROM duel.experiments WHERE name = 'z' FOR UPDATE;");
  wait_until([&] { return !row_is_free("duel.experiments WHERE name = 'z'"); });
  const Lines h = high.group({"2"}), l = low.group({"2"});
  const auto h_lines = as_lines(h), l_lines = as_lines(l);
  const std::vector<Group> groups = {{"a", high.head(), h_lines}, {"z", low.head(), l_lines}};
  std::thread append([&] { EXPECT_TRUE(store->append(groups).ok()); });
  wait_until([&] { return lock_waits() == "1"; });
  EXPECT_TRUE(row_is_free("duel.experiments WHERE name = 'a'")) << "nothing is held out of order";
  tell(holder, "COMMIT;");
  ::pclose(holder);
  append.join();
  low.expect(l);
  high.expect(h);
}

TEST_F(PostgresStores, a_node_has_a_new_id_with_every_start) {
  PostgresOptions options = quiet();
  options.url = "http://the-same:1";
  const auto before = open(options);
  Shelf shelf(*before, "tones");
  shelf.create();
  shelf.append({"1"});
  // It was killed, and its lease still holds: the process that follows is somebody else.
  const auto after = open(options);
  EXPECT_NE(after->nodes()->self().node_id, before->nodes()->self().node_id);
  EXPECT_EQ(after->own("tones").error().code, ErrorCode::conflict);
}

TEST_F(PostgresStores, one_lost_experiment_does_not_abort_a_commit) {
  const auto first = open(), second = open();
  Shelf lost(*first, "lost"), kept(*first, "kept"), more(*first, "more");
  for (Shelf* shelf : {&lost, &kept, &more}) {
    shelf->create();
    shelf->append({"1"});
  }
  end_lease(*first);
  ASSERT_TRUE(second->own("lost").ok());
  const Lines k2 = kept.group({"k2"}), l2 = lost.group({"l2"}), m2 = more.group({"m2", "m3"});
  const auto k_lines = as_lines(k2), l_lines = as_lines(l2), m_lines = as_lines(m2);
  const std::vector<Group> groups = {{"more", more.head(), m_lines},
                                     {"lost", lost.head(), l_lines},
                                     {"kept", kept.head(), k_lines}};
  const auto results = first->append(groups);
  ASSERT_TRUE(results.ok()) << results.error().to_string();
  EXPECT_TRUE((*results)[0].ok());
  EXPECT_EQ((*results)[1].error().code, ErrorCode::conflict);
  EXPECT_TRUE((*results)[2].ok());
  more.expect(m2);
  kept.expect(k2);
  lost.is_as_expected();
  EXPECT_EQ(first->nodes()->epoch("lost"), std::nullopt);
  EXPECT_EQ(first->nodes()->epoch("kept"), 1U);
}

TEST_F(PostgresStores, what_somebody_alive_owns_is_a_conflict_and_the_store_says_who) {
  PostgresOptions options = quiet();
  options.url = "http://one:1";
  const auto first = open(options);
  options.url = "http://two:2";
  const auto second = open(options);
  Shelf shelf(*first, "tones");
  EXPECT_EQ(first->nodes()->tenure("tones").error().code, ErrorCode::not_found);
  shelf.create();
  shelf.append({"1"});
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::conflict);
  EXPECT_EQ(second->nodes()->epoch("tones"), std::nullopt);
  EXPECT_EQ(*second->nodes()->tenure("tones"), (Tenure{"tones", first->nodes()->self(), 1}));
  EXPECT_EQ(first->nodes()->self().url, "http://one:1");
  EXPECT_TRUE(second->nodes()->ownerless()->empty());
  EXPECT_EQ(second->nodes()->live()->size(), 2U);
  end_lease(*first);
  EXPECT_EQ(*second->nodes()->ownerless(), Lines{"tones"});
  EXPECT_EQ(*second->nodes()->live(), std::vector<NodeAddress>{second->nodes()->self()});
  EXPECT_EQ(*second->nodes()->tenure("tones"), (Tenure{"tones", std::nullopt, 1}));
  EXPECT_EQ(second->nodes()->tenures()->front().owner, std::nullopt);
  const auto states = *second->nodes()->states();
  const auto dead = std::ranges::find(states, first->nodes()->self(), &NodeState::address);
  ASSERT_NE(dead, states.end());
  EXPECT_LT(dead->lease_left_ms, 0);
  EXPECT_EQ(dead->experiments, 1U);
}

TEST_F(PostgresStores, owning_once_more_what_is_ours_changes_no_epoch) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  shelf.moves_to(*store);
  EXPECT_EQ(store->nodes()->epoch("tones"), 1U);
  shelf.append({"2"});
}

TEST_F(PostgresStores, what_is_given_away_others_may_take_at_once) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  ASSERT_TRUE(first->nodes()->give_away("tones").ok());
  EXPECT_EQ(first->nodes()->epoch("tones"), std::nullopt);
  EXPECT_TRUE(first->nodes()->give_away("tones").ok());
  EXPECT_EQ(*second->nodes()->ownerless(), Lines{"tones"});
  const Lines late = shelf.group({"late"});
  EXPECT_EQ(first->append_to("tones", shelf.head(), as_lines(late)).error().code,
            ErrorCode::conflict);
  shelf.moves_to(*second);
  shelf.append({"2"});
  EXPECT_EQ(second->nodes()->counts().taken_over, 0U);  // nobody was left behind
}

TEST_F(PostgresStores, a_store_that_closes_gives_everything_away_and_ends_its_lease) {
  auto first = open();
  const auto second = open();
  Shelf tones(*first, "tones"), colours(*first, "colours");
  tones.create();
  tones.append({"1"});
  colours.create();
  colours.append({"1", "2"});
  const std::string id = first->nodes()->self().node_id;
  first.reset();
  EXPECT_EQ(*second->nodes()->ownerless(), (Lines{"colours", "tones"}));
  EXPECT_EQ(ask("SELECT count(*) FROM duel.nodes WHERE id = '" + id + "'"), "0");
  EXPECT_EQ(*second->synced("colours"), 2U);
  tones.moves_to(*second);
  tones.append({"2"});
}

TEST_F(PostgresStores, exactly_one_of_many_creates_and_takes) {
  constexpr int kNodes = 4;
  std::vector<std::unique_ptr<Store>> nodes;
  for (int k = 0; k < kNodes; ++k) nodes.push_back(open());
  for (int round = 0; round < 10; ++round) {
    const std::string name = "e" + std::to_string(round);
    std::vector<int> created(kNodes), taken(kNodes);
    const auto all_at_once = [&](const std::function<void(int)>& work) {
      std::vector<std::thread> threads;
      for (int k = 0; k < kNodes; ++k) threads.emplace_back(work, k);
      for (std::thread& one : threads) one.join();
    };
    all_at_once([&](int k) { created[k] = nodes[k]->create(name).ok() ? 1 : 0; });
    ASSERT_EQ(std::ranges::count(created, 1), 1) << round;
    const auto winner = std::ranges::find(created, 1) - created.begin();
    Shelf shelf(*nodes[winner], name);
    shelf.append({"1"});
    ASSERT_TRUE(nodes[winner]->nodes()->give_away(name).ok());
    all_at_once([&](int k) { taken[k] = nodes[k]->own(name).ok() ? 1 : 0; });
    EXPECT_EQ(std::ranges::count(taken, 1), 1) << round;
    EXPECT_EQ(ask("SELECT epoch FROM duel.experiments WHERE name = '" + name + "'"), "2");
  }
}

TEST_F(PostgresStores, a_name_whose_creator_died_before_the_first_line_is_free_again) {
  const auto first = open(), second = open();
  ASSERT_TRUE(first->create("tones").ok());
  EXPECT_EQ(second->create("tones").error().code, ErrorCode::conflict);
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::conflict);
  end_lease(*first);
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::not_found);
  Shelf shelf(*second, "tones");
  shelf.create();
  shelf.append({"1"});
  const Lines late = {line_of(1, "late")};
  EXPECT_EQ(first->append_to("tones", {}, as_lines(late)).error().code, ErrorCode::conflict);
  shelf.is_as_expected();
}

}  // namespace
}  // namespace duel
