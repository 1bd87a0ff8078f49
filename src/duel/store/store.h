// Where the records of experiments are kept: for each experiment its lines (line.h), numbered
// 1, 2, 3, .. without gaps.
//
// A store does not know what a line says, and trusts the hash it bears. The reader follows the
// chain (experiment_log.h), in one place for all kinds of stores, and so notices a damaged store.
// To the store the hash of the last line is the name of a history: an append says after which one
// it comes, and two writers cannot both be right.
//
// Memory, log files, SQLite, PostgreSQL: one interface, one conformance suite (tests/store). What a
// kind of store cannot do it refuses with `unsupported`. Any thread may call, but for log files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/store/nodes.h"

namespace duel {

// The last line of an experiment, after which the next one goes.
struct Head {
  std::uint64_t sequence = 0;  // 0: there is no line yet, and the hash says nothing
  std::string hash;
  bool operator==(const Head&) const = default;
};

// A line to append, without its line end. `find` finds it by `key` (a duel's id), unless that is
// empty; many lines may have the same key. `tag` is a fact to remember (this subject has seen this
// pair), for which `tagged` asks; 0 is none.
struct Line {
  std::string_view text;
  std::string_view key{};
  std::uint64_t tag = 0;
};

// Lines of one experiment that go in together or not at all.
struct Group {
  std::string_view experiment;
  Head at;
  std::span<const Line> lines;
};

struct FoundLine {
  std::uint64_t sequence = 0;
  std::string text;
  bool operator==(const FoundLine&) const = default;
};

// The state of an experiment after a line, as its owner saved it: a shortcut and never the truth.
struct Snapshot {
  std::uint64_t sequence = 0;
  std::string hash;     // of that line
  std::string version;  // of the format of the bytes; the reader compares it with its own
  std::string bytes;
  std::string summary{};  // what a list of experiments shows; the store does not read it
  bool operator==(const Snapshot&) const = default;
};

// An experiment without its lines and its state.
struct Outline {
  std::string experiment;
  Head head;
  std::optional<Snapshot> snapshot;  // without its bytes
  bool operator==(const Outline&) const = default;
};

// How the process that had the store before ended.
enum class LastStop {
  clean,           // it closed the store, or there was none
  process_killed,  // under this boot of the machine: all that it appended is there
  machine_stopped  // what was appended after the last sync may be lost
};

// Takes a line without its line end; kReadableAfterLine bytes after it may be read.
using LineSink = std::function<Status(std::string_view line)>;

class Store {
 public:
  virtual ~Store() = default;

  // The experiments that have a line, sorted by name.
  virtual Result<std::vector<std::string>> list() = 0;

  // `create` makes a new experiment without lines, `own` takes one that exists. It belongs to this
  // store from then on: nobody else may append to it while the store is open. An error if that is
  // impossible, if the new one exists, or if the other does not (`not_found`). An experiment that
  // belongs to this store already is opened once more.
  virtual Status create(const std::string& experiment) = 0;
  virtual Status own(const std::string& experiment) = 0;

  // Gives the lines after number `after` in order; an error of the sink ends the reading and is
  // returned. Reading needs no ownership. Returns how many bytes follow the last line: a kill can
  // leave the beginning of a line, which does not count. If the experiment belongs to this store,
  // the next append removes it.
  virtual Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                                     const LineSink& sink) = 0;
  // The last line's number and hash.
  virtual Result<Head> head(const std::string& experiment) = 0;

  // Appends groups in one commit, one result each, in their order. A group whose `at` is not the
  // head of its experiment is refused alone (`conflict`, the message says where the head is); the
  // others go in. Groups of one experiment follow each other. An error in place of the results
  // means that no group is stored (the disk is full), or that it is unknown which are; in that case
  // the store takes no more lines until it is opened again (`broken`). After a kill a commit is
  // stored or not, never half; a log file, which takes one group at a time, may keep its first
  // lines. REQUIRES: `create` or `own` of every experiment.
  virtual Result<std::vector<Status>> append(std::span<const Group> groups) = 0;
  // The same for one group.
  Status append_to(std::string_view experiment, const Head& at, std::span<const Line> lines);
  // Whether a failed write or sync has ended the writing.
  virtual bool broken() const = 0;
  // Whether it could take lines now, as far as that shows without writing one: an error if its file
  // was deleted or replaced since it was opened, or if the disk was too full to begin.
  virtual Status check_place() { return Done{}; }

  // The lines with that key in their order; none is no error. They are found as soon as they are
  // appended.
  virtual Result<std::vector<FoundLine>> find(const std::string& experiment,
                                              std::string_view key) = 0;
  // The experiments that have a line with that key, sorted by name.
  virtual Result<std::vector<std::string>> experiments_of(std::string_view key) = 0;

  // Whether a line with that tag was appended to the experiment. A tag is a number only: the caller
  // makes it from a hash, so that two facts hardly ever share one.
  virtual Result<bool> tagged(const std::string& experiment, std::uint64_t tag) = 0;
  // Adds tags for lines that are stored already: an older version of the store kept none.
  virtual Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) = 0;

  // Returns when everything appended before the call survives a loss of power. Calls that wait at
  // the same time share one sync. After an error the store takes no more lines: the system may have
  // dropped what it could not write.
  virtual Status sync() = 0;

  // Up to which line the syncs that come by the clock had got; the head, if the process that wrote
  // it stopped cleanly. After a loss of power lines beyond it may be missing, and those that are
  // left are not a fair sample, because answers that somebody waited for were synced and serves
  // without an answer were not. Once this process has appended to the experiment it is the head.
  virtual Result<std::uint64_t> synced(const std::string& experiment) = 0;
  virtual Result<LastStop> last_stop() = 0;

  // A new snapshot of an experiment replaces the one before. It is durable after the next sync.
  // `snapshot` gives it, or nothing.
  virtual Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) = 0;
  virtual Result<std::optional<Snapshot>> snapshot(const std::string& experiment) = 0;
  // All experiments that have a line, sorted by name.
  virtual Result<std::vector<Outline>> outlines() = 0;

  // A small table beside the experiments: secrets, tokens. `space` keeps kinds apart. `put`
  // replaces; both `put` and `erase` return when the change is durable.
  virtual Status put(std::string_view space, std::string_view key, std::string_view bytes) = 0;
  virtual Result<std::optional<std::string>> get(std::string_view space, std::string_view key) = 0;
  // Key and bytes, sorted by key.
  virtual Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) = 0;
  // Whether it was there.
  virtual Result<bool> erase(std::string_view space, std::string_view key) = 0;

  // Checks the store's own structure; an error says what is damaged. It does not check the chains.
  virtual Status check() = 0;
  // A copy of the whole at one moment, made while the store is in use. An error if the file exists.
  virtual Status backup(const std::filesystem::path& file) = 0;
  // Gives unused space back. Appends wait meanwhile.
  virtual Status compact() = 0;

  // The other processes that use the store; null if only one at a time can. It lives as long as the
  // store.
  virtual Nodes* nodes() { return nullptr; }
};

}  // namespace duel
