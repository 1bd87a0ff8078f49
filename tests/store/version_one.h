// The SQLite store of the first version, for tests that open it with today's.
#pragma once

namespace duel {

// The tables of the first version, as they were released: this text never changes.
inline constexpr const char* kTablesOfVersionOne = R"sql(
PRAGMA application_id=1685415276;
PRAGMA user_version=1;
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE experiments (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  head_sequence INTEGER NOT NULL, head_hash TEXT NOT NULL, mark INTEGER NOT NULL);
CREATE TABLE lines (experiment INTEGER NOT NULL, sequence INTEGER NOT NULL, key TEXT,
  text TEXT NOT NULL, PRIMARY KEY (experiment, sequence)) WITHOUT ROWID;
CREATE INDEX lines_by_key ON lines (key) WHERE key IS NOT NULL;
CREATE TABLE snapshots (experiment INTEGER PRIMARY KEY, sequence INTEGER NOT NULL,
  hash TEXT NOT NULL, version TEXT NOT NULL, bytes BLOB NOT NULL);
CREATE TABLE entries (space TEXT NOT NULL, key TEXT NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (space, key)) WITHOUT ROWID;
INSERT INTO state VALUES ('stop', 'clean');
)sql";

}  // namespace duel
