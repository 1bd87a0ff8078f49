#include "duel/store/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "duel/core/check.h"
#include "duel/store/commit_syncer.h"
#include "duel/store/line.h"
#include "duel/store/node_lease.h"
#include "duel/store/postgres.h"
#include "duel/store/postgres_schema.h"
#include "duel/store/reconnect_pause.h"

namespace duel {
namespace {

using Limit = PostgresConnection::Limit;

// The fence and the lines in one statement. Rows are locked in the order of their ids, so that two
// commits never wait for each other. $1 is the node, $2 to $7 one entry per experiment, $8 the life,
// $9 to $12 one entry per line, $13 and $14 per tag.
constexpr const char* kAppend = R"sql(
WITH given AS (
  SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[],
                       $7::text[])
    AS g (id, epoch, at_sequence, at_hash, to_sequence, to_hash)
), locked AS MATERIALIZED (
  SELECT e.id FROM duel.experiments e JOIN given g ON g.id = e.id
   ORDER BY e.id FOR UPDATE OF e
), moved AS (
  UPDATE duel.experiments e
     SET head_sequence = g.to_sequence, head_hash = g.to_hash, life = $8
    FROM locked l JOIN given g ON g.id = l.id
   WHERE e.id = l.id AND e.owner = $1 AND e.epoch = g.epoch
     AND e.head_sequence = g.at_sequence AND e.head_hash = g.at_hash
  RETURNING e.id
), written AS (
  INSERT INTO duel.lines (experiment, sequence, key, text)
  SELECT l.experiment, l.sequence, l.key, l.text
    FROM unnest($9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[])
      AS l (experiment, sequence, key, text)
    JOIN moved m ON m.id = l.experiment
), remembered AS (
  INSERT INTO duel.tags (experiment, tag)
  SELECT t.experiment, t.tag
    FROM unnest($13::bigint[], $14::bigint[]) AS t (experiment, tag)
    JOIN moved m ON m.id = t.experiment
  ON CONFLICT DO NOTHING
)
SELECT id FROM moved)sql";

constexpr const char* kRows =
    "SELECT id, coalesce(owner, ''), epoch, head_sequence, head_hash FROM duel.experiments"
    " WHERE id = ANY ($1)";

// The owner is alive.
#define DUEL_OWNER_LIVES                                    \
  "EXISTS (SELECT 1 FROM duel.nodes n WHERE n.id = e.owner" \
  " AND n.lease_until > clock_timestamp())"

// What was asked first is at work when the next is looked at, so that every clock here is read
// with the locks in hand: the row of the experiment, then that of its owner (node_lease.h).
constexpr const char* kLockExperiment =
    "SELECT coalesce(owner, '') FROM duel.experiments WHERE name = $1 FOR UPDATE";
constexpr const char* kLockOwner =
    "SELECT 1 FROM duel.nodes WHERE id ="
    " (SELECT owner FROM duel.experiments WHERE name = $1) FOR UPDATE";
// $3 is the epoch that we hold without doubt and keep, $5 and $6 bound the head. The commit is synchronous, so that all that
// the owner before appended in this life of the database is durable with it.
constexpr const char* kTake =
    "UPDATE duel.experiments e SET owner = $2, epoch = epoch + 1,"
    " mark = CASE WHEN life = $4 THEN head_sequence ELSE mark END"
    " WHERE name = $1 AND CASE WHEN owner = $2 THEN epoch <> $3"
    " ELSE NOT " DUEL_OWNER_LIVES " END AND head_sequence BETWEEN $5 AND $6";
constexpr const char* kRowByName =
    "SELECT id, coalesce(owner, ''), epoch, head_sequence, head_hash FROM duel.experiments"
    " WHERE name = $1";

constexpr const char* kRowAfterTaking =
    "SELECT id, coalesce(owner, ''), epoch, head_sequence, head_hash,"
    " (" DUEL_OWNER_LIVES ")::int::bigint FROM duel.experiments e WHERE name = $1";

constexpr const char* kWaitForDisk = "SELECT set_config('synchronous_commit', 'on', true)";

std::string random_hex(int digits) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device device;
  std::string out;
  for (int k = 0; k < digits; ++k) out += kDigits[device() % kDigits.size()];
  return out;
}

// A line that outlives the call that brought it.
struct KeptLine {
  std::string text;
  std::string key;
  std::uint64_t tag = 0;
};

// Lines that are appended and perhaps not durable.
struct TailGroup {
  std::uint64_t commit = 0;
  Head at;
  Head to;
  std::vector<KeptLine> lines;
};

struct Owned {
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;
  Head head;
  bool appended = false;         // by this process
  std::optional<Head> doubtful;  // where an append of unknown fate would have led
  std::deque<TailGroup> tail;
};

// An experiment as it is in the table.
struct Row {
  std::uint64_t id = 0;
  std::string owner;
  std::uint64_t epoch = 0;
  Head head;
};

Row row_at(const PostgresRows& rows, std::size_t k) {
  return {rows.number(k, 0),
          std::string(rows.bytes(k, 1)),
          rows.number(k, 2),
          {rows.number(k, 3), std::string(rows.bytes(k, 4))}};
}

// The lines of one experiment in a commit.
struct Move {
  std::string experiment;
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;
  Head at;
  Head to;
  std::vector<const Line*> lines;
  std::vector<std::size_t> groups;  // which of the caller's
};

Head head_after(const Head& at, std::span<const Line> lines) {
  Head to{at.sequence + lines.size(), at.hash};
  if (!lines.empty()) {
    if (const auto parts = split_line(lines.back().text)) to.hash = parts->hash;
  }
  return to;
}

PostgresParameters append_parameters(const std::string& node, const std::string& life,
                                     std::span<const Move> moves) {
  std::vector<std::uint64_t> ids, epochs, at_sequences, to_sequences, experiments, sequences;
  std::vector<std::uint64_t> tagged, tags;
  std::vector<std::string_view> at_hashes, to_hashes, keys, texts;
  for (const Move& move : moves) {
    ids.push_back(move.id);
    epochs.push_back(move.epoch);
    at_sequences.push_back(move.at.sequence);
    at_hashes.push_back(move.at.hash);
    to_sequences.push_back(move.to.sequence);
    to_hashes.push_back(move.to.hash);
    std::uint64_t sequence = move.at.sequence;
    for (const Line* line : move.lines) {
      experiments.push_back(move.id);
      sequences.push_back(++sequence);
      keys.push_back(line->key);
      texts.push_back(line->text);
      if (line->tag == 0) continue;
      tagged.push_back(move.id);
      tags.push_back(line->tag);
    }
  }
  PostgresParameters parameters;
  parameters.add(node).add_numbers(ids).add_numbers(epochs).add_numbers(at_sequences);
  parameters.add_texts(at_hashes).add_numbers(to_sequences).add_texts(to_hashes).add(life);
  parameters.add_numbers(experiments).add_numbers(sequences);
  parameters.add_byte_strings(keys, true).add_byte_strings(texts);
  parameters.add_numbers(tagged).add_numbers(tags);
  return parameters;
}

class PostgresStore final : public Store, public Nodes {
 public:
  PostgresStore(std::string location, PostgresOptions options)
      : location_(std::move(location)),
        where_(postgres_place(location_)),
        options_(std::move(options)),
        self_{random_hex(16), options_.url},
        pause_(options_.first_pause, options_.last_pause, std::random_device()()) {}
  ~PostgresStore() override;

  Status open();

  // Store.
  Result<std::vector<std::string>> list() override;
  Status create(const std::string& experiment) override { return take(experiment, true); }
  Status own(const std::string& experiment) override { return take(experiment, false); }
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  bool broken() const override { return false; }
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  Status sync() override;
  Result<std::uint64_t> synced(const std::string& experiment) override;
  Result<LastStop> last_stop() override;
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override;
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override;
  Result<std::vector<Outline>> outlines() override;
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override;
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override;
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override;
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override;
  Result<std::vector<std::pair<std::string, std::string>>> entries(std::string_view space) override;
  Result<bool> erase(std::string_view space, std::string_view key) override;
  Status check() override;
  Status backup(const std::filesystem::path& file) override;
  Status compact() override;
  Nodes* nodes() override { return this; }

  // Nodes.
  const NodeAddress& self() const override { return self_; }
  std::chrono::milliseconds lease() const override { return options_.lease; }
  bool holds_lease() const override;
  std::int64_t now_ms() const override;
  Result<Tenure> tenure(const std::string& experiment) override;
  std::optional<std::uint64_t> epoch(const std::string& experiment) const override;
  Status give_away(const std::string& experiment) override;
  Result<std::vector<std::string>> ownerless() override;
  Result<std::vector<NodeAddress>> live() override;
  Result<std::vector<NodeState>> states() override;
  Result<std::vector<Tenure>> tenures() override;
  Counts counts() const override;

 private:
  Error no_experiment(std::string_view experiment) const {
    return Error::not_found(fmt::format("there is no experiment '{}'", experiment), where_);
  }
  Error ends_elsewhere(std::string_view experiment, const Head& head) const {
    return Error::conflict(
        fmt::format("another process has written to the experiment '{}': it ends with record {}",
                    experiment, head.sequence),
        where_, "read it again");
  }
  Error owned_elsewhere(std::string_view experiment) const {
    return Error::conflict(fmt::format("another node owns the experiment '{}'", experiment),
                           where_);
  }

  std::string session_settings(std::string_view synchronous_commit) const;
  // A new connection, unless it is too early to try again.
  Result<PostgresConnection> connect(const std::string& set_up);
  // The same, and in which life of the database it was opened.
  Result<PostgresConnection> connect_in_life(const std::string& set_up, std::string& life);
  // What a statement that waits for locks may take.
  Limit write_limit() const { return options_.answer_limit + std::chrono::seconds(1); }

  // REQUIRES, here and below up to the next comment of that kind: write_mutex_ is held.
  Status become_node();
  Status ensure_writer();
  Status recover(bool crashed);
  // What the caller's groups come to, and the answers that need no database.
  std::vector<Move> plan_moves(std::span<const Group> groups, std::vector<Status>& results);
  Result<std::set<std::uint64_t>> move_heads(std::span<const Move> moves);
  void moved(const Move& move, std::uint64_t commit);
  Status refused(std::span<const Move> moves, std::vector<Status>& results);
  // `work` on the writer, once more where the connection was lost: it may be done twice.
  template <class Work>
  auto with_writer(const Work& work) -> decltype(work(std::declval<PostgresConnection&>()));

  Status take(const std::string& experiment, bool is_new);
  void drop(const std::string& experiment);
  Status lease_had_lapsed(PostgresConnection& connection);

  // From the thread of the syncer.
  Status sync_commits(std::uint64_t target, bool by_clock);
  Status ensure_sync_connection();

  template <class Work>
  auto with_reader(const Work& work) -> decltype(work(std::declval<PostgresConnection&>()));
  Result<PostgresConnection> take_reader(bool fresh);
  Result<Row> row_for_reading(PostgresConnection& reader, const std::string& experiment);
  Result<std::vector<std::string>> names(const char* sql, const PostgresParameters& parameters);

  const std::string location_;
  const std::string where_;
  const PostgresOptions options_;
  const NodeAddress self_;
  ReconnectPause pause_;

  std::mutex write_mutex_;
  PostgresConnection writer_;
  std::atomic<bool> is_node_ = false;
  std::unique_ptr<NodeLease> lease_;
  std::unique_ptr<CommitSyncer> syncer_;

  mutable std::mutex state_mutex_;  // taken last
  std::map<std::string, Owned> owned_;
  std::set<std::string> with_tail_;
  std::map<std::string, std::uint64_t> unmarked_;  // appended since the last mark, and where
  std::string life_;  // of the database when the writer's connection was opened
  Counts counts_;

  // The thread of the syncer's own.
  PostgresConnection sync_connection_;
  std::string sync_life_;

  std::mutex readers_mutex_;
  std::condition_variable reader_returned_;
  std::vector<PostgresConnection> readers_;  // that nobody uses now
  std::size_t readers_lent_ = 0;
};

// --- connections --------------------------------------------------------------------------------

// A plan is made once and kept. It may be made while the tables are empty, and everything that is asked
// often has an index.
constexpr std::string_view kPlanOnce =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off";

std::string PostgresStore::session_settings(std::string_view synchronous_commit) const {
  const auto limit = options_.answer_limit.count();
  return fmt::format(
      "SET synchronous_commit = {}; SET statement_timeout = {}; SET lock_timeout = {};"
      " SET idle_in_transaction_session_timeout = {}; {}",
      synchronous_commit, limit, limit / 2 + 1, options_.lease.count() / 2 + 1, kPlanOnce);
}

Result<PostgresConnection> PostgresStore::connect(const std::string& set_up) {
  if (const auto left = pause_.left()) {
    return Error::io(
        fmt::format("the database cannot be reached; the next attempt is in {} ms", left->count()),
        where_);
  }
  auto opened = PostgresConnection::open(location_, options_.answer_limit, set_up);
  if (opened.ok()) {
    pause_.succeeded();
  } else {
    pause_.failed();
  }
  return opened;
}

Result<PostgresConnection> PostgresStore::connect_in_life(const std::string& set_up,
                                                          std::string& life) {
  DUEL_ASSIGN(PostgresConnection opened, connect(set_up));
  std::vector<PostgresQuery> queries(2);
  queries[0].sql = "INSERT INTO duel.life (id) VALUES ($1) ON CONFLICT DO NOTHING";
  queries[0].parameters.add(random_hex(16));
  queries[1].sql = "SELECT id FROM duel.life";
  DUEL_ASSIGN(const std::vector<PostgresRows> rows, opened.run_together(queries, write_limit()));
  life = rows[1].bytes(0, 0);
  return opened;
}

Status PostgresStore::open() {
  if (options_.access == PostgresAccess::own) {
    const std::lock_guard lock(write_mutex_);
    return become_node();
  }
  return with_reader([&](PostgresConnection& reader) -> Status {
    DUEL_ASSIGN(const std::size_t version,
                postgres_schema_version(reader, postgres_schema_steps()));
    if (version == postgres_schema_steps().size()) return Done{};
    return Error::unsupported(version == 0
                                  ? "the database holds no store"
                                  : fmt::format("the store has the older version {}", version),
                              where_, version == 0 ? "" : "open it once for writing");
  });
}

Status PostgresStore::become_node() {
  if (is_node_) return Done{};
  const std::string set_up = session_settings("off");
  {
    DUEL_ASSIGN(PostgresConnection first, connect(set_up));
    DUEL_ASSIGN(const std::size_t version, postgres_schema_version(first, postgres_schema_steps()));
    if (version < postgres_schema_steps().size()) {
      DUEL_RETURN_IF_ERROR(bring_up_to_date(first, postgres_schema_steps()));
    }
    // Who left without a word long ago owns nothing that its row is needed for.
    DUEL_RETURN_IF_ERROR(
        first.execute("DELETE FROM duel.nodes"
                      " WHERE lease_until < clock_timestamp() - interval '1 day'",
                      write_limit()));
  }
  std::string life;
  DUEL_ASSIGN(writer_, connect_in_life(set_up, life));
  {
    const std::lock_guard state(state_mutex_);
    life_ = life;
  }
  auto lease = std::make_unique<NodeLease>(
      NodeLease::Settings{location_, self_, options_.lease, options_.answer_limit}, pause_,
      [this](PostgresConnection& connection) { return lease_had_lapsed(connection); });
  DUEL_RETURN_IF_ERROR(lease->begin());
  lease_ = std::move(lease);
  syncer_ = std::make_unique<CommitSyncer>(
      options_.sync_interval,
      [this](std::uint64_t target, bool by_clock) { return sync_commits(target, by_clock); });
  is_node_ = true;
  return Done{};
}

PostgresStore::~PostgresStore() {
  if (!is_node_) return;
  // What the syncer has not brought to the disk comes there with the last commit.
  syncer_->stop();
  lease_->stop();
  const std::lock_guard lock(write_mutex_);
  // Where the database is away the lease runs out by itself.
  if (!ensure_writer().ok()) return;
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
  }
  std::vector<PostgresQuery> queries(4);
  queries[0].sql = kWaitForDisk;
  queries[1].sql = "SELECT 1 FROM duel.experiments WHERE owner = $1 ORDER BY id FOR UPDATE";
  queries[1].parameters.add(self_.node_id);
  queries[2].sql =
      "UPDATE duel.experiments SET owner = NULL,"
      " mark = CASE WHEN life = $2 THEN head_sequence ELSE mark END WHERE owner = $1";
  queries[2].parameters.add(self_.node_id).add(life);
  queries[3].sql = "DELETE FROM duel.nodes WHERE id = $1";
  queries[3].parameters.add(self_.node_id);
  (void)writer_.run_together(queries, write_limit());
}

Status PostgresStore::ensure_writer() {
  DUEL_RETURN_IF_ERROR(become_node());
  if (!writer_.lost_meanwhile()) return Done{};
  std::string life;
  DUEL_ASSIGN(PostgresConnection opened, connect_in_life(session_settings("off"), life));
  bool crashed = false;
  {
    const std::lock_guard state(state_mutex_);
    ++counts_.reconnects;
    crashed = life_ != life;
    life_ = life;
  }
  writer_ = std::move(opened);
  Status recovered = recover(crashed);
  // It is tried again, from the beginning, before anything else is written.
  if (!recovered.ok()) writer_ = PostgresConnection();
  return recovered;
}

// Where the experiments stand that we own, after the connection was lost. What stands in its own
// tail lost the rest of it with the database, and gets it back.
Status PostgresStore::recover(bool crashed) {
  std::map<std::string, Owned> before;
  {
    const std::lock_guard state(state_mutex_);
    before = owned_;
  }
  if (before.empty()) return Done{};
  std::vector<std::uint64_t> ids;
  for (const auto& [name, owned] : before) ids.push_back(owned.id);
  DUEL_ASSIGN(const PostgresRows found,
              writer_.run(kRows, PostgresParameters().add_numbers(ids), write_limit()));
  std::map<std::uint64_t, Row> rows;
  for (std::size_t k = 0; k < found.size(); ++k) rows[found.number(k, 0)] = row_at(found, k);

  std::vector<Move> again;
  std::deque<std::vector<Line>> lines;  // that the moves point to
  std::vector<std::uint64_t> whole;     // nothing of them is missing
  std::vector<std::string> gone;
  for (const auto& [name, owned] : before) {
    const auto row = rows.find(owned.id);
    if (row == rows.end() || row->second.owner != self_.node_id ||
        row->second.epoch != owned.epoch) {
      gone.push_back(name);
      continue;
    }
    const Head& head = row->second.head;
    if (head == owned.head || (owned.doubtful && head == *owned.doubtful)) {
      if (owned.appended) whole.push_back(owned.id);
      const std::lock_guard state(state_mutex_);
      if (const auto mine = owned_.find(name); mine != owned_.end()) mine->second.head = head;
      continue;
    }
    const auto from = std::ranges::find(owned.tail, head, &TailGroup::at);
    if (from == owned.tail.end()) {
      gone.push_back(name);
      continue;
    }
    Move move{name, owned.id, owned.epoch, head, owned.head, {}, {}};
    std::vector<Line>& kept = lines.emplace_back();
    for (auto group = from; group != owned.tail.end(); ++group) {
      for (const KeptLine& line : group->lines) kept.push_back({line.text, line.key, line.tag});
    }
    for (const Line& line : kept) move.lines.push_back(&line);
    again.push_back(std::move(move));
  }
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
  }
  if (!again.empty()) {
    DUEL_ASSIGN(const std::set<std::uint64_t> accepted, move_heads(again));
    for (const Move& move : again) {
      if (!accepted.contains(move.id)) {
        gone.push_back(move.experiment);
        continue;
      }
      const std::lock_guard state(state_mutex_);
      ++counts_.tails_appended_again;
    }
  }
  if (crashed && !whole.empty()) {
    DUEL_RETURN_IF_ERROR(writer_.run(
        "UPDATE duel.experiments SET life = $3"
        " WHERE id = ANY ($1) AND owner = $2",
        PostgresParameters().add_numbers(whole).add(self_.node_id).add(life), write_limit()));
  }
  bool lines_lost = false;
  for (const std::string& name : gone) {
    // Without a crash all that was appended is there, whoever owns the experiment now.
    lines_lost = lines_lost || (crashed && !before[name].tail.empty());
    drop(name);
  }
  // All the lines that stayed are those of this life, and as little durable as new ones.
  (void)syncer_->committed();
  if (lines_lost) {
    syncer_->lost(
        Error::io("the database lost records that were not yet durable when it stopped", where_));
  }
  return Done{};
}

template <class Work>
auto PostgresStore::with_writer(const Work& work)
    -> decltype(work(std::declval<PostgresConnection&>())) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  auto result = work(writer_);
  if (result.ok() || !writer_.lost()) return result;
  DUEL_RETURN_IF_ERROR(ensure_writer());
  return work(writer_);
}

void PostgresStore::drop(const std::string& experiment) {
  const std::lock_guard state(state_mutex_);
  owned_.erase(experiment);
  with_tail_.erase(experiment);
  unmarked_.erase(experiment);
}

// While the lease had run out others may have taken what was ours.
Status PostgresStore::lease_had_lapsed(PostgresConnection& connection) {
  std::map<std::string, std::uint64_t> before;
  {
    const std::lock_guard state(state_mutex_);
    for (const auto& [name, owned] : owned_) before[name] = owned.epoch;
  }
  if (before.empty()) return Done{};
  DUEL_ASSIGN(const PostgresRows rows,
              connection.run("SELECT name, epoch FROM duel.experiments WHERE owner = $1",
                             PostgresParameters().add(self_.node_id), write_limit()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto known = before.find(std::string(rows.bytes(k, 0)));
    if (known != before.end() && known->second == rows.number(k, 1)) before.erase(known);
  }
  bool lines_lost = false;
  for (const auto& [name, epoch] : before) {
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(name);
    if (mine == owned_.end() || mine->second.epoch != epoch) continue;
    // They are there unless the database crashed, which the writer's connection finds out.
    lines_lost = lines_lost || !mine->second.tail.empty();
    owned_.erase(mine);
    with_tail_.erase(name);
    unmarked_.erase(name);
  }
  if (lines_lost && syncer_) {
    syncer_->lost(
        Error::io("another node took over an experiment before its records were durable", where_));
  }
  return Done{};
}

// --- writing ------------------------------------------------------------------------------------

Status PostgresStore::take(const std::string& experiment, bool is_new) {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  std::uint64_t kept_epoch = 0;
  // A new one has no line yet, any other has, but one that was created here and not written to.
  std::uint64_t lowest = is_new ? 0 : 1;
  const std::uint64_t highest = is_new ? 0 : std::uint64_t{1} << 62;
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end()) {
      lowest = 0;
      if (!mine->second.doubtful) kept_epoch = mine->second.epoch;
    }
  }
  std::vector<PostgresQuery> queries;
  queries.push_back({kWaitForDisk, {}});
  if (is_new) {
    queries.push_back(
        {"INSERT INTO duel.experiments"
         " (name, owner, epoch, head_sequence, head_hash, mark, life)"
         " VALUES ($1, NULL, 0, 0, '', 0, $2) ON CONFLICT (name) DO NOTHING",
         PostgresParameters().add(experiment).add(life)});
  }
  queries.push_back({kLockExperiment, PostgresParameters().add(experiment)});
  queries.push_back({kLockOwner, PostgresParameters().add(experiment)});
  queries.push_back({kTake, PostgresParameters()
                                .add(experiment)
                                .add(self_.node_id)
                                .add(kept_epoch)
                                .add(life)
                                .add(lowest)
                                .add(highest)});
  queries.push_back({kRowAfterTaking, PostgresParameters().add(experiment)});
  DUEL_ASSIGN(const std::vector<PostgresRows> rows, writer_.run_together(queries, write_limit()));
  const PostgresRows& owner_before = rows[queries.size() - 4];
  const bool taken = rows[queries.size() - 2].changed() > 0;
  const PostgresRows& after = rows[queries.size() - 1];
  if (after.size() == 0) return no_experiment(experiment);
  Row row = row_at(after, 0);
  const bool has_lines = row.head.sequence > 0;
  if (is_new && has_lines) {
    return Error::conflict(fmt::format("the experiment '{}' exists", experiment), where_);
  }
  if (row.owner != self_.node_id) {
    // A name that nobody uses any more, and a line was never written.
    drop(experiment);
    if (!is_new && !has_lines && after.number(0, 5) == 0) return no_experiment(experiment);
    return owned_elsewhere(experiment);
  }
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (!is_new && !has_lines && mine == owned_.end()) return no_experiment(experiment);
  if (taken && owner_before.size() == 1) {
    const std::string_view owner = owner_before.bytes(0, 0);
    if (!owner.empty() && owner != self_.node_id) ++counts_.taken_over;
  }
  if (mine != owned_.end() && mine->second.epoch == row.epoch && mine->second.head == row.head) {
    return Done{};
  }
  Owned& owned = owned_[experiment];
  owned = Owned();
  owned.id = row.id;
  owned.epoch = row.epoch;
  owned.head = std::move(row.head);
  with_tail_.erase(experiment);
  unmarked_.erase(experiment);
  return Done{};
}

std::vector<Move> PostgresStore::plan_moves(std::span<const Group> groups,
                                            std::vector<Status>& results) {
  std::vector<Move> moves;
  const std::lock_guard state(state_mutex_);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Group& group = groups[k];
    const auto found = owned_.find(std::string(group.experiment));
    if (found == owned_.end()) {
      results[k] = Error::conflict(
          fmt::format("this node does not own the experiment '{}'", group.experiment), where_);
      continue;
    }
    const Owned& owned = found->second;
    if (owned.doubtful) {
      results[k] = Error::conflict(
          fmt::format("it is not known whether the last records of the experiment '{}' are there",
                      group.experiment),
          where_, "read it again");
      continue;
    }
    auto move = std::ranges::find(moves, group.experiment, &Move::experiment);
    const Head& head = move != moves.end() ? move->to : owned.head;
    const Head& at = group.at;
    if (at.sequence != head.sequence || (at.sequence > 0 && at.hash != head.hash)) {
      results[k] = ends_elsewhere(group.experiment, head);
      continue;
    }
    if (group.lines.empty()) continue;
    if (move == moves.end()) {
      moves.push_back({found->first, owned.id, owned.epoch, owned.head, owned.head, {}, {}});
      move = std::prev(moves.end());
    }
    move->to = head_after(move->to, group.lines);
    move->groups.push_back(k);
    for (const Line& line : group.lines) move->lines.push_back(&line);
  }
  return moves;
}

Result<std::set<std::uint64_t>> PostgresStore::move_heads(std::span<const Move> moves) {
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
  }
  DUEL_ASSIGN(const PostgresRows rows,
              writer_.run(kAppend, append_parameters(self_.node_id, life, moves), write_limit()));
  std::set<std::uint64_t> accepted;
  for (std::size_t k = 0; k < rows.size(); ++k) accepted.insert(rows.number(k, 0));
  return accepted;
}

// REQUIRES: state_mutex_ is held.
void PostgresStore::moved(const Move& move, std::uint64_t commit) {
  const auto found = owned_.find(move.experiment);
  // The thread of the lease may have dropped it since.
  if (found == owned_.end() || found->second.epoch != move.epoch) return;
  Owned& owned = found->second;
  TailGroup group{commit, move.at, move.to, {}};
  group.lines.reserve(move.lines.size());
  for (const Line* line : move.lines) {
    group.lines.push_back({std::string(line->text), std::string(line->key), line->tag});
  }
  owned.tail.push_back(std::move(group));
  owned.head = move.to;
  owned.appended = true;
  with_tail_.insert(move.experiment);
  unmarked_[move.experiment] = move.to.sequence;
}

// Why the database did not take them.
Status PostgresStore::refused(std::span<const Move> moves, std::vector<Status>& results) {
  std::vector<std::uint64_t> ids;
  for (const Move& move : moves) ids.push_back(move.id);
  std::map<std::uint64_t, Row> rows;
  auto found = writer_.run(kRows, PostgresParameters().add_numbers(ids), write_limit());
  if (found.ok()) {
    for (std::size_t k = 0; k < found->size(); ++k) rows[found->number(k, 0)] = row_at(*found, k);
  }
  for (const Move& move : moves) {
    const auto row = rows.find(move.id);
    const bool ours =
        row != rows.end() && row->second.owner == self_.node_id && row->second.epoch == move.epoch;
    Error error =
        ours ? ends_elsewhere(move.experiment, row->second.head) : owned_elsewhere(move.experiment);
    for (const std::size_t group : move.groups) results[group] = error;
    // In either case what is known here is not what is there.
    drop(move.experiment);
    const std::lock_guard state(state_mutex_);
    if (found.ok() && !ours) ++counts_.fenced;
  }
  return Done{};
}

Result<std::vector<Status>> PostgresStore::append(std::span<const Group> groups) {
  const std::lock_guard lock(write_mutex_);
  std::vector<Status> results(groups.size(), Status(Done{}));
  if (groups.empty()) return results;
  DUEL_RETURN_IF_ERROR(ensure_writer());
  const std::vector<Move> moves = plan_moves(groups, results);
  if (moves.empty()) return results;
  const auto accepted = move_heads(moves);
  if (!accepted.ok()) {
    // Refused by the database, nothing is there. Otherwise nobody knows.
    if (!writer_.lost()) return accepted.error();
    const std::lock_guard state(state_mutex_);
    for (const Move& move : moves) {
      const auto mine = owned_.find(move.experiment);
      if (mine != owned_.end()) mine->second.doubtful = move.to;
    }
    return accepted.error();
  }
  const std::uint64_t commit = syncer_->committed();
  std::vector<Move> not_taken;
  {
    const std::lock_guard state(state_mutex_);
    for (const Move& move : moves) {
      if (accepted->contains(move.id)) {
        moved(move, commit);
      } else {
        not_taken.push_back(move);
      }
    }
  }
  if (!not_taken.empty()) DUEL_RETURN_IF_ERROR(refused(not_taken, results));
  return results;
}

Status PostgresStore::give_away(const std::string& experiment) {
  const std::lock_guard lock(write_mutex_);
  std::uint64_t epoch = 0;
  std::string life;
  {
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(experiment);
    if (mine == owned_.end()) return Done{};
    epoch = mine->second.epoch;
  }
  DUEL_RETURN_IF_ERROR(ensure_writer());
  {
    const std::lock_guard state(state_mutex_);
    life = life_;
  }
  std::vector<PostgresQuery> queries(2);
  queries[0].sql = kWaitForDisk;
  queries[1].sql =
      "UPDATE duel.experiments SET owner = NULL,"
      " mark = CASE WHEN life = $4 THEN head_sequence ELSE mark END"
      " WHERE name = $1 AND owner = $2 AND epoch = $3";
  queries[1].parameters.add(experiment).add(self_.node_id).add(epoch).add(life);
  DUEL_RETURN_IF_ERROR(writer_.run_together(queries, write_limit()));
  drop(experiment);
  return Done{};
}

Status PostgresStore::put_snapshot(const std::string& experiment, const Snapshot& snapshot) {
  const auto rows = with_writer([&](PostgresConnection& writer) {
    return writer.run(
        "INSERT INTO duel.snapshots AS s SELECT id, $2, $3, $4, $5, $6 FROM duel.experiments"
        " WHERE name = $1 AND head_sequence > 0"
        " ON CONFLICT (experiment) DO UPDATE SET sequence = excluded.sequence,"
        " hash = excluded.hash, version = excluded.version, bytes = excluded.bytes,"
        " summary = excluded.summary",
        PostgresParameters()
            .add(experiment)
            .add(snapshot.sequence)
            .add_bytes(snapshot.hash)
            .add_bytes(snapshot.version)
            .add_bytes(snapshot.bytes)
            .add_bytes(snapshot.summary),
        write_limit());
  });
  if (!rows.ok()) return rows.error();
  if (rows->changed() == 0) return no_experiment(experiment);
  (void)syncer_->committed();
  return Done{};
}

Status PostgresStore::add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) {
  const auto rows = with_writer([&](PostgresConnection& writer) {
    return writer.run(
        "WITH e AS (SELECT id FROM duel.experiments WHERE name = $1 AND head_sequence > 0),"
        " added AS (INSERT INTO duel.tags SELECT e.id, t.tag FROM e, unnest($2::bigint[]) AS t (tag)"
        " ON CONFLICT DO NOTHING)"
        " SELECT id FROM e",
        PostgresParameters().add(experiment).add_numbers(tags), write_limit());
  });
  if (!rows.ok()) return rows.error();
  if (rows->size() == 0) return no_experiment(experiment);
  (void)syncer_->committed();
  return Done{};
}

Status PostgresStore::put(std::string_view space, std::string_view key, std::string_view bytes) {
  std::vector<PostgresQuery> queries(2);
  queries[0].sql = kWaitForDisk;
  queries[1].sql =
      "INSERT INTO duel.entries VALUES ($1, $2, $3)"
      " ON CONFLICT (space, key) DO UPDATE SET bytes = excluded.bytes";
  queries[1].parameters.add_bytes(space).add_bytes(key).add_bytes(bytes);
  DUEL_RETURN_IF_ERROR(with_writer(
      [&](PostgresConnection& writer) { return writer.run_together(queries, write_limit()); }));
  return Done{};
}

Result<bool> PostgresStore::erase(std::string_view space, std::string_view key) {
  std::vector<PostgresQuery> queries(2);
  queries[0].sql = kWaitForDisk;
  queries[1].sql = "DELETE FROM duel.entries WHERE space = $1 AND key = $2";
  queries[1].parameters.add_bytes(space).add_bytes(key);
  const auto rows = with_writer(
      [&](PostgresConnection& writer) { return writer.run_together(queries, write_limit()); });
  if (!rows.ok()) return rows.error();
  return (*rows)[1].changed() > 0;
}

Status PostgresStore::compact() {
  const std::lock_guard lock(write_mutex_);
  DUEL_RETURN_IF_ERROR(ensure_writer());
  DUEL_ASSIGN(PostgresConnection vacuum, connect(""));
  return vacuum.execute(
      "VACUUM (ANALYZE) duel.lines, duel.tags, duel.snapshots, duel.entries,"
      " duel.experiments, duel.nodes",
      PostgresConnection::kNoLimit);
}

// --- durability ---------------------------------------------------------------------------------

Status PostgresStore::sync() {
  // Whoever only reads has nothing to sync.
  if (!is_node_) return Done{};
  return syncer_->wait();
}

Status PostgresStore::ensure_sync_connection() {
  if (!sync_connection_.lost_meanwhile()) return Done{};
  // No limit on the server's side: a commit whose wait for a standby is cancelled counts as done.
  DUEL_ASSIGN(sync_connection_,
              connect_in_life("SET synchronous_commit = on; SET statement_timeout = 0;"
                              " SET lock_timeout = 1000; SET jit = off",
                              sync_life_));
  return Done{};
}

Status PostgresStore::sync_commits(std::uint64_t target, bool by_clock) {
  std::map<std::string, std::uint64_t> marks;
  if (by_clock) {
    const std::lock_guard state(state_mutex_);
    marks = unmarked_;
  }
  Status status = Done{};
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (status = ensure_sync_connection(); !status.ok()) return status;
    // After a crash the tails come first: a sync of another life says nothing about this one.
    bool same_life = false;
    const auto compare = [&] {
      const std::lock_guard state(state_mutex_);
      same_life = life_ == sync_life_;
    };
    compare();
    if (!same_life) {
      const std::lock_guard lock(write_mutex_);
      compare();
      if (!same_life) {
        writer_ = PostgresConnection();
        if (status = ensure_writer(); !status.ok()) return status;
        compare();
      }
    }
    if (!same_life) {
      sync_connection_ = PostgresConnection();
      status = Error::io("the database has restarted", where_);
      continue;
    }
    // The smallest thing that has to be on the disk before its commit is answered.
    auto done = sync_connection_.run("SELECT pg_logical_emit_message(true, 'duel', '')", {},
                                     options_.answer_limit);
    if (done.ok() && sync_connection_.warning().empty()) {
      status = Done{};
      break;
    }
    status = done.ok() ? Status(Error::io(fmt::format("the database did not confirm a sync: {}",
                                                      sync_connection_.warning()),
                                          where_))
                       : Status(done.error());
    if (!sync_connection_.lost()) break;
  }
  if (!status.ok()) return status;
  {
    const std::lock_guard state(state_mutex_);
    for (auto name = with_tail_.begin(); name != with_tail_.end();) {
      auto& tail = owned_.at(*name).tail;
      while (!tail.empty() && tail.front().commit <= target) tail.pop_front();
      name = tail.empty() ? with_tail_.erase(name) : std::next(name);
    }
  }
  if (!marks.empty()) {
    std::vector<std::uint64_t> ids, epochs, sequences;
    {
      const std::lock_guard state(state_mutex_);
      for (const auto& [name, sequence] : marks) {
        const auto mine = owned_.find(name);
        if (mine == owned_.end()) continue;
        ids.push_back(mine->second.id);
        epochs.push_back(mine->second.epoch);
        sequences.push_back(sequence);
        const auto unmarked = unmarked_.find(name);
        if (unmarked != unmarked_.end() && unmarked->second == sequence) unmarked_.erase(unmarked);
      }
    }
    // They are durable with the next sync, as in any other store; one that is lost is too low.
    std::vector<PostgresQuery> queries(2);
    queries[0].sql = "SELECT set_config('synchronous_commit', 'off', true)";
    queries[1].sql =
        "WITH given AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])"
        " AS g (id, epoch, mark)),"
        " locked AS MATERIALIZED (SELECT e.id FROM duel.experiments e JOIN given g ON g.id = e.id"
        " ORDER BY e.id FOR UPDATE OF e)"
        " UPDATE duel.experiments e SET mark = greatest(e.mark, g.mark)"
        " FROM locked l JOIN given g ON g.id = l.id"
        " WHERE e.id = l.id AND e.owner = $1 AND e.epoch = g.epoch";
    queries[1]
        .parameters.add(self_.node_id)
        .add_numbers(ids)
        .add_numbers(epochs)
        .add_numbers(sequences);
    (void)sync_connection_.run_together(queries, options_.answer_limit);
  }
  return Done{};
}

// In another life of the database the records after the mark may have lost their neighbours.
Result<std::uint64_t> PostgresStore::synced(const std::string& experiment) {
  {
    const std::lock_guard state(state_mutex_);
    const auto mine = owned_.find(experiment);
    if (mine != owned_.end() && (mine->second.appended || mine->second.head.sequence == 0)) {
      return mine->second.head.sequence;
    }
  }
  return with_reader([&](PostgresConnection& reader) -> Result<std::uint64_t> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT CASE WHEN e.life = l.id THEN e.head_sequence ELSE e.mark END"
                           " FROM duel.experiments e LEFT JOIN duel.life l ON true"
                           " WHERE e.name = $1 AND e.head_sequence > 0",
                           PostgresParameters().add(experiment), options_.answer_limit));
    if (rows.size() == 0) return no_experiment(experiment);
    return rows.number(0, 0);
  });
}

Result<LastStop> PostgresStore::last_stop() {
  return with_reader([&](PostgresConnection& reader) -> Result<LastStop> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT count(*) FROM duel.experiments e LEFT JOIN duel.life l ON true"
                           " WHERE e.mark < e.head_sequence AND e.life IS DISTINCT FROM l.id",
                           {}, options_.answer_limit));
    return rows.number(0, 0) == 0 ? LastStop::clean : LastStop::machine_stopped;
  });
}

// --- reading ------------------------------------------------------------------------------------

template <class Work>
auto PostgresStore::with_reader(const Work& work)
    -> decltype(work(std::declval<PostgresConnection&>())) {
  for (bool again = false;; again = true) {
    {
      std::unique_lock lock(readers_mutex_);
      reader_returned_.wait(lock, [&] { return readers_lent_ < options_.most_readers; });
      ++readers_lent_;
    }
    auto reader = take_reader(again);
    std::optional<decltype(work(std::declval<PostgresConnection&>()))> result;
    if (reader.ok()) {
      result = work(*reader);
    } else {
      result = reader.error();
    }
    const bool lost = !reader.ok() || reader->lost();
    {
      const std::lock_guard lock(readers_mutex_);
      --readers_lent_;
      if (!lost) readers_.push_back(std::move(*reader));
    }
    reader_returned_.notify_one();
    // One that was lost while nobody used it is found out by using it.
    if (result->ok() || !reader.ok() || !lost || again) return std::move(*result);
  }
}

Result<PostgresConnection> PostgresStore::take_reader(bool fresh) {
  if (!fresh) {
    for (;;) {
      PostgresConnection reader;
      {
        const std::lock_guard lock(readers_mutex_);
        if (readers_.empty()) break;
        reader = std::move(readers_.back());
        readers_.pop_back();
      }
      if (!reader.lost_meanwhile()) return reader;
    }
  }
  return connect(
      fmt::format("SET default_transaction_read_only = on; SET jit = off;"
                  " SET idle_in_transaction_session_timeout = {}",
                  options_.lease.count() / 2 + 1));
}

// An experiment that was created here exists before its first line.
Result<Row> PostgresStore::row_for_reading(PostgresConnection& reader,
                                           const std::string& experiment) {
  DUEL_ASSIGN(const PostgresRows rows,
              reader.run(kRowByName, PostgresParameters().add(experiment), options_.answer_limit));
  if (rows.size() == 1) {
    Row row = row_at(rows, 0);
    if (row.head.sequence > 0) return row;
    const std::lock_guard state(state_mutex_);
    if (owned_.contains(experiment)) return row;
  }
  return no_experiment(experiment);
}

Result<std::vector<std::string>> PostgresStore::names(const char* sql,
                                                      const PostgresParameters& parameters) {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<std::string>> {
    DUEL_ASSIGN(const PostgresRows rows, reader.run(sql, parameters, options_.answer_limit));
    std::vector<std::string> found;
    for (std::size_t k = 0; k < rows.size(); ++k) found.emplace_back(rows.bytes(k, 0));
    return found;
  });
}

Result<std::vector<std::string>> PostgresStore::list() {
  return names("SELECT name FROM duel.experiments WHERE head_sequence > 0 ORDER BY name", {});
}

Result<std::uint64_t> PostgresStore::read(const std::string& experiment, std::uint64_t after,
                                          const LineSink& sink) {
  // In portions: a sink may be slow, and lines may be long.
  constexpr std::uint64_t kPortionLines = 1'000;
  constexpr std::uint64_t kPortionBytes = std::uint64_t{1} << 20;
  std::optional<Row> row;  // when the reading began; the head can only have grown
  for (bool more = true; more;) {
    std::string bytes;
    std::vector<std::size_t> ends;
    const auto take = [&](PostgresConnection& reader) -> Status {
      bytes.clear();
      ends.clear();
      if (!row) {
        DUEL_ASSIGN(row, row_for_reading(reader, experiment));
      }
      DUEL_ASSIGN(
          const PostgresRows rows,
          reader.run(
              "SELECT text FROM (SELECT sequence, text, sum(octet_length(text))"
              " OVER (ORDER BY sequence) - octet_length(text) AS before FROM duel.lines"
              " WHERE experiment = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS part"
              " WHERE before < $4 ORDER BY sequence",
              PostgresParameters().add(row->id).add(after).add(kPortionLines).add(kPortionBytes),
              options_.answer_limit));
      for (std::size_t k = 0; k < rows.size(); ++k) {
        bytes += rows.bytes(k, 0);
        ends.push_back(bytes.size());
      }
      more = rows.size() == kPortionLines || bytes.size() >= kPortionBytes;
      return Done{};
    };
    DUEL_RETURN_IF_ERROR(with_reader(take));
    bytes.append(kReadableAfterLine, '\0');
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      DUEL_RETURN_IF_ERROR(sink(std::string_view(bytes).substr(begin, end - begin)));
      begin = end;
    }
    after += ends.size();
  }
  if (after < row->head.sequence) {
    return Error::invalid_data(
        fmt::format("the experiment '{}' should have {} records and ends with record {}",
                    experiment, row->head.sequence, after),
        where_, "restore a backup");
  }
  return std::uint64_t{0};
}

Result<Head> PostgresStore::head(const std::string& experiment) {
  return with_reader([&](PostgresConnection& reader) -> Result<Head> {
    DUEL_ASSIGN(Row row, row_for_reading(reader, experiment));
    return std::move(row.head);
  });
}

Result<std::vector<FoundLine>> PostgresStore::find(const std::string& experiment,
                                                   std::string_view key) {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<FoundLine>> {
    DUEL_ASSIGN(const Row row, row_for_reading(reader, experiment));
    std::vector<FoundLine> lines;
    if (key.empty()) return lines;
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT sequence, text FROM duel.lines"
                           " WHERE key = $1 AND experiment = $2 ORDER BY sequence",
                           PostgresParameters().add_bytes(key).add(row.id), options_.answer_limit));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      lines.push_back({rows.number(k, 0), std::string(rows.bytes(k, 1))});
    }
    return lines;
  });
}

Result<std::vector<std::string>> PostgresStore::experiments_of(std::string_view key) {
  if (key.empty()) return std::vector<std::string>();
  return names(
      "SELECT name FROM duel.experiments WHERE id IN"
      " (SELECT experiment FROM duel.lines WHERE key = $1) ORDER BY name",
      PostgresParameters().add_bytes(key));
}

Result<bool> PostgresStore::tagged(const std::string& experiment, std::uint64_t tag) {
  return with_reader([&](PostgresConnection& reader) -> Result<bool> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT 1 FROM duel.tags WHERE tag = $2 AND experiment ="
                           " (SELECT id FROM duel.experiments WHERE name = $1)",
                           PostgresParameters().add(experiment).add(tag), options_.answer_limit));
    return rows.size() > 0;
  });
}

Result<std::optional<Snapshot>> PostgresStore::snapshot(const std::string& experiment) {
  using Found = std::optional<Snapshot>;
  return with_reader([&](PostgresConnection& reader) -> Result<Found> {
    DUEL_ASSIGN(const Row row, row_for_reading(reader, experiment));
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT sequence, hash, version, bytes, summary FROM duel.snapshots"
                           " WHERE experiment = $1",
                           PostgresParameters().add(row.id), options_.answer_limit));
    if (rows.size() == 0) return Found();
    return Found(Snapshot{rows.number(0, 0), std::string(rows.bytes(0, 1)),
                          std::string(rows.bytes(0, 2)), std::string(rows.bytes(0, 3)),
                          std::string(rows.bytes(0, 4))});
  });
}

Result<std::vector<Outline>> PostgresStore::outlines() {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<Outline>> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT e.name, e.head_sequence, e.head_hash, s.sequence, s.hash,"
                           " s.version, s.summary FROM duel.experiments e"
                           " LEFT JOIN duel.snapshots s ON s.experiment = e.id"
                           " WHERE e.head_sequence > 0 ORDER BY e.name",
                           {}, options_.answer_limit));
    std::vector<Outline> outlines;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Outline outline{std::string(rows.bytes(k, 0)),
                      {rows.number(k, 1), std::string(rows.bytes(k, 2))},
                      std::nullopt};
      if (!rows.is_null(k, 3)) {
        outline.snapshot =
            Snapshot{rows.number(k, 3), std::string(rows.bytes(k, 4)),
                     std::string(rows.bytes(k, 5)), "", std::string(rows.bytes(k, 6))};
      }
      outlines.push_back(std::move(outline));
    }
    return outlines;
  });
}

Result<std::optional<std::string>> PostgresStore::get(std::string_view space,
                                                      std::string_view key) {
  using Found = std::optional<std::string>;
  return with_reader([&](PostgresConnection& reader) -> Result<Found> {
    DUEL_ASSIGN(
        const PostgresRows rows,
        reader.run("SELECT bytes FROM duel.entries WHERE space = $1 AND key = $2",
                   PostgresParameters().add_bytes(space).add_bytes(key), options_.answer_limit));
    return rows.size() > 0 ? Found(rows.bytes(0, 0)) : Found();
  });
}

Result<std::vector<std::pair<std::string, std::string>>> PostgresStore::entries(
    std::string_view space) {
  using Entries = std::vector<std::pair<std::string, std::string>>;
  return with_reader([&](PostgresConnection& reader) -> Result<Entries> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT key, bytes FROM duel.entries WHERE space = $1 ORDER BY key",
                           PostgresParameters().add_bytes(space), options_.answer_limit));
    Entries found;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      found.emplace_back(rows.bytes(k, 0), rows.bytes(k, 1));
    }
    return found;
  });
}

Status PostgresStore::check() {
  return with_reader([&](PostgresConnection& reader) -> Status {
    // One statement, so that appends beside it are seen whole or not at all: every experiment has
    // the lines 1, 2, .. up to its head and none beyond.
    DUEL_ASSIGN(
        const PostgresRows rows,
        reader.run("SELECT coalesce(e.name, ''), coalesce(e.head_sequence, 0),"
                   " coalesce(l.lines, 0), coalesce(l.last, 0), (e.id IS NULL)::int::bigint"
                   " FROM duel.experiments e FULL JOIN (SELECT experiment, count(*) AS lines,"
                   " max(sequence) AS last, min(sequence) AS first FROM duel.lines"
                   " GROUP BY experiment) AS l ON l.experiment = e.id"
                   " WHERE e.id IS NULL OR e.head_sequence <> coalesce(l.lines, 0)"
                   " OR e.head_sequence <> coalesce(l.last, 0) OR coalesce(l.first, 1) <> 1"
                   " ORDER BY e.name LIMIT 1",
                   {}, PostgresConnection::kNoLimit));
    if (rows.size() == 0) return Done{};
    if (rows.number(0, 4) != 0) {
      return Error::invalid_data(
          fmt::format("{} records belong to no experiment", rows.number(0, 2)), where_,
          "restore a backup");
    }
    return Error::invalid_data(
        fmt::format("the experiment '{}' should have the records 1 to {}, and has {} of which the "
                    "last is {}",
                    rows.bytes(0, 0), rows.number(0, 1), rows.number(0, 2), rows.number(0, 3)),
        where_, "restore a backup");
  });
}

Status PostgresStore::backup(const std::filesystem::path&) {
  return Error::unsupported("PostgreSQL makes its own backups", where_,
                            "pg_dump --schema=duel, or pg_basebackup");
}

// --- nodes --------------------------------------------------------------------------------------

bool PostgresStore::holds_lease() const { return is_node_ && lease_->holds(); }

std::int64_t PostgresStore::now_ms() const {
  if (is_node_) return lease_->now_ms();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<Tenure> PostgresStore::tenure(const std::string& experiment) {
  return with_reader([&](PostgresConnection& reader) -> Result<Tenure> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT e.epoch, n.id, n.url FROM duel.experiments e"
                           " LEFT JOIN duel.nodes n ON n.id = e.owner"
                           " AND n.lease_until > clock_timestamp() WHERE e.name = $1"
                           " AND (e.head_sequence > 0 OR n.id IS NOT NULL)",
                           PostgresParameters().add(experiment), options_.answer_limit));
    if (rows.size() == 0) return no_experiment(experiment);
    Tenure tenure{experiment, std::nullopt, rows.number(0, 0)};
    if (!rows.is_null(0, 1)) {
      tenure.owner = NodeAddress{std::string(rows.bytes(0, 1)), std::string(rows.bytes(0, 2))};
    }
    return tenure;
  });
}

std::optional<std::uint64_t> PostgresStore::epoch(const std::string& experiment) const {
  const std::lock_guard state(state_mutex_);
  const auto mine = owned_.find(experiment);
  if (mine == owned_.end()) return std::nullopt;
  return mine->second.epoch;
}

Result<std::vector<std::string>> PostgresStore::ownerless() {
  return names(
      "SELECT name FROM duel.experiments e WHERE head_sequence > 0"
      " AND NOT " DUEL_OWNER_LIVES " ORDER BY name",
      {});
}

Result<std::vector<NodeAddress>> PostgresStore::live() {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<NodeAddress>> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT id, url FROM duel.nodes WHERE lease_until > clock_timestamp()"
                           " ORDER BY id",
                           {}, options_.answer_limit));
    std::vector<NodeAddress> nodes;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      nodes.push_back({std::string(rows.bytes(k, 0)), std::string(rows.bytes(k, 1))});
    }
    return nodes;
  });
}

Result<std::vector<NodeState>> PostgresStore::states() {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<NodeState>> {
    DUEL_ASSIGN(
        const PostgresRows rows,
        reader.run("SELECT n.id, n.url,"
                   " floor(extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::bigint,"
                   " (SELECT count(*) FROM duel.experiments e"
                   " WHERE e.owner = n.id AND e.head_sequence > 0)"
                   " FROM duel.nodes n ORDER BY n.id",
                   {}, options_.answer_limit));
    std::vector<NodeState> states;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      states.push_back({{std::string(rows.bytes(k, 0)), std::string(rows.bytes(k, 1))},
                        static_cast<std::int64_t>(rows.number(k, 2)),
                        rows.number(k, 3)});
    }
    return states;
  });
}

Result<std::vector<Tenure>> PostgresStore::tenures() {
  return with_reader([&](PostgresConnection& reader) -> Result<std::vector<Tenure>> {
    DUEL_ASSIGN(const PostgresRows rows,
                reader.run("SELECT e.name, e.epoch, n.id, n.url FROM duel.experiments e"
                           " LEFT JOIN duel.nodes n ON n.id = e.owner"
                           " AND n.lease_until > clock_timestamp()"
                           " WHERE e.head_sequence > 0 ORDER BY e.name",
                           {}, options_.answer_limit));
    std::vector<Tenure> tenures;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Tenure tenure{std::string(rows.bytes(k, 0)), std::nullopt, rows.number(k, 1)};
      if (!rows.is_null(k, 2)) {
        tenure.owner = NodeAddress{std::string(rows.bytes(k, 2)), std::string(rows.bytes(k, 3))};
      }
      tenures.push_back(std::move(tenure));
    }
    return tenures;
  });
}

Nodes::Counts PostgresStore::counts() const {
  const std::lock_guard state(state_mutex_);
  Counts counts = counts_;
  if (is_node_) counts.reconnects += lease_->reconnects();
  return counts;
}

}  // namespace

bool has_postgres() { return true; }

bool has_password(const std::string& location) { return postgres_password_in(location); }

std::string shown_location(const std::string& location) { return postgres_place(location); }

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& location,
                                                   PostgresOptions options) {
  if (const auto wrong = postgres_location_error(location)) {
    return Error::invalid_argument("the location of the database is wrong: " + *wrong);
  }
  auto store = std::make_unique<PostgresStore>(location, std::move(options));
  DUEL_RETURN_IF_ERROR(store->open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace duel
