#include "duel/store/postgres_database.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/store/postgres.h"
#include "duel/store/postgres_schema.h"

namespace duel {
namespace {

// Statements are planned once. If that happens while the tables are still empty, PostgreSQL would
// choose sequential scans, so they are off: every frequent query has an index.
constexpr std::string_view kPlanOnce =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off";

// SQL: how long after the last crash of the database node `n` may still come back.
#define DUEL_BACK_UNTIL \
  "((SELECT coalesce(max(l.since), clock_timestamp()) FROM duel.life l) + n.lease)"

// SQL: the owner of experiment `e` lives (database.h).
#define DUEL_OWNER_LIVES                                    \
  "EXISTS (SELECT 1 FROM duel.nodes n WHERE n.id = e.owner" \
  " AND greatest(n.lease_until, " DUEL_BACK_UNTIL ") > clock_timestamp())"

// SQL: experiments with the owner whose lease holds, if there is one; the columns of `tenure_at`.
#define DUEL_TENURES                                                                   \
  "SELECT e.name, e.epoch, n.id, n.url FROM duel.experiments e LEFT JOIN duel.nodes n" \
  " ON n.id = e.owner AND n.lease_until > clock_timestamp()"

// SQL: the columns of `row_at`.
#define DUEL_ROW "id, coalesce(owner, ''), epoch, head_sequence, head_hash"

// The first statement of a transaction whose commit must be durable.
constexpr const char* kWaitForDisk = "SELECT set_config('synchronous_commit', 'on', true)";

// Checks the owners and writes the lines in one statement. Rows are locked in the order of their
// ids, so that two commits cannot deadlock. $1 is the node, $2 to $7 have one entry per experiment,
// $8 is the life, $9 to $12 have one entry per line, $13 and $14 one per tag.
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

// Taking an experiment locks its row, then that of its owner's lease (node_lease.h), in statements
// of their own: the next statement then reads the clock with both locks held.
constexpr const char* kLockExperiment =
    "SELECT coalesce(owner, '') FROM duel.experiments WHERE name = $1 FOR UPDATE";
constexpr const char* kLockOwner =
    "SELECT 1 FROM duel.nodes WHERE id ="
    " (SELECT owner FROM duel.experiments WHERE name = $1) FOR UPDATE";
// $3 is the epoch that we certainly hold, and keep; $5 and $6 are bounds of the head. The commit is
// synchronous, and so makes everything durable that the owner before appended in this life of the
// database.
constexpr const char* kTake =
    "UPDATE duel.experiments e SET owner = $2, epoch = epoch + 1,"
    " mark = CASE WHEN life = $4 THEN head_sequence ELSE mark END"
    " WHERE name = $1 AND CASE WHEN owner = $2 THEN epoch <> $3"
    " ELSE NOT " DUEL_OWNER_LIVES " END AND head_sequence BETWEEN $5 AND $6";

constexpr const char* kRowAfterTaking =
    "SELECT id, coalesce(owner, ''), epoch, head_sequence, head_hash,"
    " (" DUEL_OWNER_LIVES ")::int::bigint FROM duel.experiments e WHERE name = $1";

ExperimentRow row_at(const PostgresRows& rows, std::size_t k) {
  return {
      rows.number(k, 0), rows.text(k, 1), rows.number(k, 2), {rows.number(k, 3), rows.text(k, 4)}};
}

Tenure tenure_at(const PostgresRows& rows, std::size_t k) {
  Tenure tenure{rows.text(k, 0), std::nullopt, rows.number(k, 1)};
  if (!rows.is_null(k, 2)) tenure.owner = NodeAddress{rows.text(k, 2), rows.text(k, 3)};
  return tenure;
}

std::vector<std::string> texts_of(const PostgresRows& rows) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < rows.size(); ++k) texts.push_back(rows.text(k, 0));
  return texts;
}

PostgresParameters append_parameters(const std::string& node, const std::string& life,
                                     std::span<const HeadMove> moves) {
  std::vector<std::uint64_t> ids, epochs, at_sequences, to_sequences, experiments, sequences;
  std::vector<std::uint64_t> tagged, tags;
  std::vector<std::string_view> at_hashes, to_hashes, keys, texts;
  for (const HeadMove& move : moves) {
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

class PostgresSession final : public DatabaseSession {
 public:
  PostgresSession(PostgresConnection connection, std::string where,
                  std::chrono::milliseconds answer_limit)
      : connection_(std::move(connection)), where_(std::move(where)), limit_(answer_limit) {}

  bool lost() const override { return connection_.lost(); }
  bool lost_meanwhile() override { return connection_.lost_meanwhile(); }

  Status prepare() override {
    DUEL_ASSIGN(const std::size_t version,
                postgres_schema_version(connection_, postgres_schema_steps()));
    if (version < postgres_schema_steps().size()) {
      DUEL_RETURN_IF_ERROR(bring_up_to_date(connection_, postgres_schema_steps()));
    }
    // The experiments of nodes that died long ago can be taken without their rows.
    return connection_.execute(
        "DELETE FROM duel.nodes WHERE lease_until < clock_timestamp() - interval '1 day'",
        write_limit());
  }

  Status look() override {
    DUEL_ASSIGN(const std::size_t version,
                postgres_schema_version(connection_, postgres_schema_steps()));
    if (version == postgres_schema_steps().size()) return Done{};
    return Error::unsupported(version == 0
                                  ? "the database holds no store"
                                  : fmt::format("the store has the older version {}", version),
                              where_, version == 0 ? "" : "open it once for writing");
  }

  Result<Renewal> renew(const NodeAddress& node, std::chrono::milliseconds lease) override {
    // The second query asks whether the lease had run out. It comes after the lock: a node that
    // held the lock before may have judged by a later clock, and taken experiments.
    const auto self = PostgresParameters().add(node.node_id);
    const std::vector<PostgresQuery> queries = {
        {"SELECT 1 FROM duel.nodes WHERE id = $1 FOR UPDATE", self},
        {"SELECT (lease_until > clock_timestamp())::int::bigint FROM duel.nodes WHERE id = $1",
         self},
        {"INSERT INTO duel.nodes AS n (id, url, lease_until, lease)"
         " VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond',"
         " $3 * interval '1 millisecond')"
         " ON CONFLICT (id) DO UPDATE SET lease_until ="
         " clock_timestamp() + $3 * interval '1 millisecond'",
         PostgresParameters(self).add(node.url).add(static_cast<std::uint64_t>(lease.count()))},
        {"SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"}};
    DUEL_ASSIGN(const std::vector<PostgresRows> rows,
                connection_.run_together(queries, write_limit()));
    return Renewal{rows[1].size() == 1 && rows[1].number(0, 0) == 1,
                   static_cast<std::int64_t>(rows[3].number(0, 0))};
  }

  Status probe() override {
    DUEL_RETURN_IF_ERROR(run("SELECT 1"));
    return Done{};
  }

  Result<std::vector<std::pair<std::string, std::uint64_t>>> owned_by(
      const std::string& node_id) override {
    DUEL_ASSIGN(const PostgresRows rows,
                connection_.run("SELECT name, epoch FROM duel.experiments WHERE owner = $1",
                                PostgresParameters().add(node_id), write_limit()));
    std::vector<std::pair<std::string, std::uint64_t>> owned;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      owned.emplace_back(rows.text(k, 0), rows.number(k, 1));
    }
    return owned;
  }

  Result<std::string> life(const std::string& name_of_new) override {
    const std::vector<PostgresQuery> queries = {
        {"INSERT INTO duel.life (id) VALUES ($1) ON CONFLICT DO NOTHING",
         PostgresParameters().add(name_of_new)},
        {"SELECT id FROM duel.life"}};
    DUEL_ASSIGN(const std::vector<PostgresRows> rows,
                connection_.run_together(queries, write_limit()));
    return rows[1].text(0, 0);
  }

  Result<Taken> take(const std::string& node_id, const std::string& life,
                     const Taking& taking) override {
    const auto name = PostgresParameters().add(taking.experiment);
    std::vector<PostgresQuery> queries;
    queries.push_back({kWaitForDisk, {}});
    if (taking.is_new) {
      queries.push_back(
          {"INSERT INTO duel.experiments"
           " (name, owner, epoch, head_sequence, head_hash, mark, life)"
           " VALUES ($1, NULL, 0, 0, '', 0, $2) ON CONFLICT (name) DO NOTHING",
           PostgresParameters(name).add(life)});
    }
    queries.push_back({kLockExperiment, name});
    queries.push_back({kLockOwner, name});
    queries.push_back({kTake, PostgresParameters(name)
                                  .add(node_id)
                                  .add(taking.kept_epoch)
                                  .add(life)
                                  .add(taking.lowest)
                                  .add(taking.highest)});
    queries.push_back({kRowAfterTaking, name});
    DUEL_ASSIGN(const std::vector<PostgresRows> rows,
                connection_.run_together(queries, write_limit()));
    const PostgresRows& before = rows[queries.size() - 4];
    const PostgresRows& after = rows[queries.size() - 1];
    Taken taken;
    if (before.size() == 1) taken.owner_before = before.text(0, 0);
    taken.moved = rows[queries.size() - 2].changed() > 0;
    if (after.size() == 1) {
      taken.row = row_at(after, 0);
      taken.owner_lives = after.number(0, 5) != 0;
    }
    return taken;
  }

  Status give_away(const std::string& node_id, const std::string& life,
                   const std::string& experiment, std::uint64_t epoch) override {
    // The head becomes the mark, but only if all lines are of this life: then none is missing.
    return durably(
        {"UPDATE duel.experiments SET owner = NULL,"
         " mark = CASE WHEN life = $4 THEN head_sequence ELSE mark END"
         " WHERE name = $1 AND owner = $2 AND epoch = $3",
         PostgresParameters().add(experiment).add(node_id).add(epoch).add(life)});
  }

  Status leave(const std::string& node_id, const std::string& life) override {
    const auto self = PostgresParameters().add(node_id);
    const std::vector<PostgresQuery> queries = {
        {kWaitForDisk},
        {"SELECT 1 FROM duel.experiments WHERE owner = $1 ORDER BY id FOR UPDATE", self},
        {"UPDATE duel.experiments SET owner = NULL,"
         " mark = CASE WHEN life = $2 THEN head_sequence ELSE mark END WHERE owner = $1",
         PostgresParameters(self).add(life)},
        {"DELETE FROM duel.nodes WHERE id = $1", self}};
    DUEL_RETURN_IF_ERROR(connection_.run_together(queries, write_limit()));
    return Done{};
  }

  Result<std::vector<ExperimentRow>> rows(std::span<const std::uint64_t> ids) override {
    DUEL_ASSIGN(const PostgresRows found,
                connection_.run("SELECT " DUEL_ROW " FROM duel.experiments WHERE id = ANY ($1)",
                                PostgresParameters().add_numbers(ids), write_limit()));
    std::vector<ExperimentRow> rows;
    for (std::size_t k = 0; k < found.size(); ++k) rows.push_back(row_at(found, k));
    return rows;
  }

  Result<std::set<std::uint64_t>> append(const std::string& node_id, const std::string& life,
                                         std::span<const HeadMove> moves) override {
    DUEL_ASSIGN(const PostgresRows rows,
                connection_.run(kAppend, append_parameters(node_id, life, moves), write_limit()));
    std::set<std::uint64_t> accepted;
    for (std::size_t k = 0; k < rows.size(); ++k) accepted.insert(rows.number(k, 0));
    return accepted;
  }

  Status set_life(const std::string& node_id, const std::string& life,
                  std::span<const std::uint64_t> ids) override {
    DUEL_RETURN_IF_ERROR(connection_.run(
        "UPDATE duel.experiments SET life = $3"
        " WHERE id = ANY ($1) AND owner = $2",
        PostgresParameters().add_numbers(ids).add(node_id).add(life), write_limit()));
    return Done{};
  }

  Result<bool> put_snapshot(const std::string& experiment, const Snapshot& snapshot) override {
    DUEL_ASSIGN(
        const PostgresRows rows,
        connection_.run(
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
            write_limit()));
    return rows.changed() > 0;
  }

  Result<bool> add_tags(const std::string& experiment,
                        std::span<const std::uint64_t> tags) override {
    DUEL_ASSIGN(
        const PostgresRows rows,
        connection_.run(
            "WITH e AS (SELECT id FROM duel.experiments WHERE name = $1 AND head_sequence > 0),"
            " added AS (INSERT INTO duel.tags"
            " SELECT e.id, t.tag FROM e, unnest($2::bigint[]) AS t (tag)"
            " ON CONFLICT DO NOTHING)"
            " SELECT id FROM e",
            PostgresParameters().add(experiment).add_numbers(tags), write_limit()));
    return rows.size() > 0;
  }

  Status put(std::string_view space, std::string_view key, std::string_view bytes) override {
    return durably(
        {"INSERT INTO duel.entries VALUES ($1, $2, $3)"
         " ON CONFLICT (space, key) DO UPDATE SET bytes = excluded.bytes",
         PostgresParameters().add_bytes(space).add_bytes(key).add_bytes(bytes)});
  }

  Result<bool> erase(std::string_view space, std::string_view key) override {
    const std::vector<PostgresQuery> queries = {
        {kWaitForDisk},
        {"DELETE FROM duel.entries WHERE space = $1 AND key = $2",
         PostgresParameters().add_bytes(space).add_bytes(key)}};
    DUEL_ASSIGN(const std::vector<PostgresRows> rows,
                connection_.run_together(queries, write_limit()));
    return rows[1].changed() > 0;
  }

  Status sync() override {
    // The smallest transaction that PostgreSQL has to bring to the disk.
    DUEL_RETURN_IF_ERROR(run("SELECT pg_logical_emit_message(true, 'duel', '')"));
    // A warning means that the wait for a standby was given up: durable here, but perhaps not after
    // a fail-over, so it does not count.
    if (connection_.warning().empty()) return Done{};
    return Error::io(fmt::format("the database did not confirm a sync: {}", connection_.warning()),
                     where_);
  }

  Status set_marks(const std::string& node_id, std::span<const ClockMark> marks) override {
    std::vector<std::uint64_t> ids, epochs, sequences;
    for (const ClockMark& mark : marks) {
      ids.push_back(mark.id);
      epochs.push_back(mark.epoch);
      sequences.push_back(mark.sequence);
    }
    PostgresParameters parameters;
    parameters.add(node_id).add_numbers(ids).add_numbers(epochs).add_numbers(sequences);
    const std::vector<PostgresQuery> queries = {
        {"SELECT set_config('synchronous_commit', 'off', true)"},
        {"WITH given AS (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])"
         " AS g (id, epoch, mark)),"
         " locked AS MATERIALIZED (SELECT e.id FROM duel.experiments e JOIN given g ON g.id = e.id"
         " ORDER BY e.id FOR UPDATE OF e)"
         " UPDATE duel.experiments e SET mark = greatest(e.mark, least(g.mark, e.head_sequence))"
         " FROM locked l JOIN given g ON g.id = l.id"
         " WHERE e.id = l.id AND e.owner = $1 AND e.epoch = g.epoch",
         parameters}};
    DUEL_RETURN_IF_ERROR(connection_.run_together(queries, limit_));
    return Done{};
  }

  Result<std::optional<std::uint64_t>> synced(const std::string& experiment) override {
    // If the life has changed since the last append, records after the mark may be missing.
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT CASE WHEN e.life = l.id THEN e.head_sequence ELSE e.mark END"
                    " FROM duel.experiments e LEFT JOIN duel.life l ON true"
                    " WHERE e.name = $1 AND e.head_sequence > 0",
                    PostgresParameters().add(experiment)));
    if (rows.size() == 0) return std::optional<std::uint64_t>();
    return std::optional(rows.number(0, 0));
  }

  Result<bool> lines_in_doubt() override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT count(*) FROM duel.experiments e LEFT JOIN duel.life l ON true"
                    " WHERE e.mark < e.head_sequence AND e.life IS DISTINCT FROM l.id"));
    return rows.number(0, 0) > 0;
  }

  Result<std::optional<ExperimentRow>> row(const std::string& experiment) override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT " DUEL_ROW " FROM duel.experiments WHERE name = $1",
                    PostgresParameters().add(experiment)));
    if (rows.size() == 0) return std::optional<ExperimentRow>();
    return std::optional(row_at(rows, 0));
  }

  // In portions: who takes them may be slow, and lines may be long.
  Result<LinePortion> lines(std::uint64_t id, std::uint64_t after) override {
    constexpr std::uint64_t kPortionLines = 1'000;
    constexpr std::uint64_t kPortionBytes = std::uint64_t{1} << 20;
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT text FROM (SELECT sequence, text, sum(octet_length(text))"
                    " OVER (ORDER BY sequence) - octet_length(text) AS before FROM duel.lines"
                    " WHERE experiment = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS part"
                    " WHERE before < $4 ORDER BY sequence",
                    PostgresParameters().add(id).add(after).add(kPortionLines).add(kPortionBytes)));
    LinePortion portion;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      portion.bytes += rows.bytes(k, 0);
      portion.ends.push_back(portion.bytes.size());
    }
    portion.more = rows.size() == kPortionLines || portion.bytes.size() >= kPortionBytes;
    return portion;
  }

  Result<std::vector<FoundLine>> find(std::uint64_t id, std::string_view key) override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT sequence, text FROM duel.lines"
                    " WHERE key = $1 AND experiment = $2 ORDER BY sequence",
                    PostgresParameters().add_bytes(key).add(id)));
    std::vector<FoundLine> lines;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      lines.push_back({rows.number(k, 0), rows.text(k, 1)});
    }
    return lines;
  }

  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    return names(
        "SELECT name FROM duel.experiments WHERE id IN"
        " (SELECT experiment FROM duel.lines WHERE key = $1) ORDER BY name",
        PostgresParameters().add_bytes(key));
  }

  Result<bool> owners_may_come_back() override {
    DUEL_ASSIGN(const PostgresRows rows, run("SELECT count(*) FROM duel.nodes n"
                                             " WHERE " DUEL_BACK_UNTIL " > clock_timestamp()"));
    return rows.number(0, 0) > 0;
  }

  Result<std::optional<std::pair<std::uint64_t, bool>>> tagged(const std::string& experiment,
                                                               std::uint64_t tag) override {
    using Found = std::optional<std::pair<std::uint64_t, bool>>;
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT head_sequence, EXISTS (SELECT 1 FROM duel.tags t"
                    " WHERE t.tag = $2 AND t.experiment = e.id)::int::bigint"
                    " FROM duel.experiments e WHERE name = $1",
                    PostgresParameters().add(experiment).add(tag)));
    if (rows.size() == 0) return Found();
    return Found({rows.number(0, 0), rows.number(0, 1) == 1});
  }

  Result<std::optional<Snapshot>> snapshot(std::uint64_t id) override {
    using Found = std::optional<Snapshot>;
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT sequence, hash, version, bytes, summary FROM duel.snapshots"
                    " WHERE experiment = $1",
                    PostgresParameters().add(id)));
    if (rows.size() == 0) return Found();
    return Found(Snapshot{rows.number(0, 0), rows.text(0, 1), rows.text(0, 2), rows.text(0, 3),
                          rows.text(0, 4)});
  }

  Result<std::vector<std::string>> list() override {
    return names("SELECT name FROM duel.experiments WHERE head_sequence > 0 ORDER BY name");
  }

  Result<std::vector<Outline>> outlines() override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT e.name, e.head_sequence, e.head_hash, s.sequence, s.hash,"
                    " s.version, s.summary FROM duel.experiments e"
                    " LEFT JOIN duel.snapshots s ON s.experiment = e.id"
                    " WHERE e.head_sequence > 0 ORDER BY e.name"));
    std::vector<Outline> outlines;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Outline outline{rows.text(k, 0), {rows.number(k, 1), rows.text(k, 2)}, std::nullopt};
      if (!rows.is_null(k, 3)) {
        outline.snapshot =
            Snapshot{rows.number(k, 3), rows.text(k, 4), rows.text(k, 5), "", rows.text(k, 6)};
      }
      outlines.push_back(std::move(outline));
    }
    return outlines;
  }

  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override {
    using Found = std::optional<std::string>;
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT bytes FROM duel.entries WHERE space = $1 AND key = $2",
                    PostgresParameters().add_bytes(space).add_bytes(key)));
    return rows.size() > 0 ? Found(rows.text(0, 0)) : Found();
  }

  Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT key, bytes FROM duel.entries WHERE space = $1 ORDER BY key",
                    PostgresParameters().add_bytes(space)));
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      found.emplace_back(rows.bytes(k, 0), rows.bytes(k, 1));
    }
    return found;
  }

  Result<std::optional<Tenure>> tenure(const std::string& experiment) override {
    DUEL_ASSIGN(const PostgresRows rows,
                run(DUEL_TENURES " WHERE e.name = $1"
                                 " AND (e.head_sequence > 0 OR n.id IS NOT NULL)",
                    PostgresParameters().add(experiment)));
    if (rows.size() == 0) return std::optional<Tenure>();
    return std::optional(tenure_at(rows, 0));
  }

  Result<std::vector<Tenure>> tenures() override {
    DUEL_ASSIGN(const PostgresRows rows,
                run(DUEL_TENURES " WHERE e.head_sequence > 0 ORDER BY e.name"));
    std::vector<Tenure> tenures;
    for (std::size_t k = 0; k < rows.size(); ++k) tenures.push_back(tenure_at(rows, k));
    return tenures;
  }

  Result<std::vector<std::string>> ownerless() override {
    return names(
        "SELECT name FROM duel.experiments e WHERE head_sequence > 0"
        " AND NOT " DUEL_OWNER_LIVES " ORDER BY name");
  }

  Result<std::vector<NodeAddress>> live() override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT id, url FROM duel.nodes WHERE lease_until > clock_timestamp()"
                    " ORDER BY id"));
    std::vector<NodeAddress> nodes;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      nodes.push_back({rows.text(k, 0), rows.text(k, 1)});
    }
    return nodes;
  }

  Result<std::vector<NodeState>> states() override {
    DUEL_ASSIGN(const PostgresRows rows,
                run("SELECT n.id, n.url,"
                    " floor(extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::bigint,"
                    " (SELECT count(*) FROM duel.experiments e"
                    " WHERE e.owner = n.id AND e.head_sequence > 0)"
                    " FROM duel.nodes n ORDER BY n.id"));
    std::vector<NodeState> states;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      states.push_back({{rows.text(k, 0), rows.text(k, 1)},
                        static_cast<std::int64_t>(rows.number(k, 2)),
                        rows.number(k, 3)});
    }
    return states;
  }

  Status check() override {
    // Every experiment must have the lines 1, 2, .. up to its head and none beyond. One statement,
    // so that an append at the same time is seen whole or not at all.
    DUEL_ASSIGN(
        const PostgresRows rows,
        connection_.run("SELECT coalesce(e.name, ''), coalesce(e.head_sequence, 0),"
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
  }

  Status compact() override {
    return connection_.execute(
        "VACUUM (ANALYZE) duel.lines, duel.tags, duel.snapshots, duel.entries,"
        " duel.experiments, duel.nodes",
        PostgresConnection::kNoLimit);
  }

 private:
  // For a statement that may wait for locks.
  std::chrono::milliseconds write_limit() const { return limit_ + std::chrono::seconds(1); }
  Result<PostgresRows> run(const char* sql, const PostgresParameters& parameters = {}) {
    return connection_.run(sql, parameters, limit_);
  }
  Result<std::vector<std::string>> names(const char* sql,
                                         const PostgresParameters& parameters = {}) {
    DUEL_ASSIGN(const PostgresRows rows, run(sql, parameters));
    return texts_of(rows);
  }
  Status durably(PostgresQuery query) {
    const std::vector<PostgresQuery> queries = {{kWaitForDisk}, std::move(query)};
    DUEL_RETURN_IF_ERROR(connection_.run_together(queries, write_limit()));
    return Done{};
  }

  PostgresConnection connection_;
  const std::string where_;
  const std::chrono::milliseconds limit_;
};

}  // namespace

PostgresDatabase::PostgresDatabase(std::string location, std::chrono::milliseconds answer_limit,
                                   std::chrono::milliseconds lease)
    : location_(std::move(location)),
      where_(postgres_place(location_)),
      answer_limit_(answer_limit),
      lease_(lease) {}

std::string PostgresDatabase::settings_for(SessionUse use) const {
  const auto limit = answer_limit_.count();
  const auto idle = lease_.count() / 2 + 1;
  switch (use) {
    case SessionUse::writing:
      return fmt::format(
          "SET synchronous_commit = off; SET statement_timeout = {}; SET lock_timeout = {};"
          " SET idle_in_transaction_session_timeout = {}; {}",
          limit, limit / 2 + 1, idle, kPlanOnce);
    case SessionUse::syncing:
      // No timeout on the server's side: if it cancels the wait for a standby, PostgreSQL reports
      // the commit as done.
      return fmt::format(
          "SET synchronous_commit = on; SET statement_timeout = 0; SET lock_timeout = 1000;"
          " SET jit = off; SET idle_in_transaction_session_timeout = {}",
          idle);
    case SessionUse::lease:
      // synchronous_commit must be on: if a crash of the database took a renewal back, the others
      // would see the lease run out while this node still believes in it.
      return fmt::format(
          "SET synchronous_commit = on; SET jit = off; SET lock_timeout = {};"
          " SET idle_in_transaction_session_timeout = {}",
          limit, idle);
    case SessionUse::reading:
      return fmt::format(
          "SET default_transaction_read_only = on; SET jit = off;"
          " SET idle_in_transaction_session_timeout = {}",
          idle);
    case SessionUse::upkeep:
      return "";
  }
  return "";
}

Result<std::unique_ptr<DatabaseSession>> PostgresDatabase::connect(SessionUse use) {
  DUEL_ASSIGN(PostgresConnection opened,
              PostgresConnection::open(location_, answer_limit_, settings_for(use)));
  return std::unique_ptr<DatabaseSession>(
      std::make_unique<PostgresSession>(std::move(opened), where_, answer_limit_));
}

}  // namespace duel
