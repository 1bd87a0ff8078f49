// Where the records of experiments are kept: for each experiment its lines (line.h), numbered
// 1, 2, 3, .. without gaps.
//
// A store does not know what a line says, and trusts the hash it bears: whoever reads follows the
// chain (experiment_log.h), in one place for all stores, so that a damaged store is found out
// whatever it is made of. To the store the hash of the last line is the name of a history: an
// append says after which one it comes, and two writers cannot both be right.
//
// Log files, SQLite: one interface, one conformance suite (tests/store). What a kind of store
// cannot do it refuses with `unsupported`.
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

// A line to append, without its end. `key` is what `find` finds it by (a duel's id), or empty; many
// lines may have the same. `tag` says that something has happened (this subject has seen this
// pair), and 0 that nothing is to be remembered: `tagged` asks for it.
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
  std::string version;  // of whoever made the bytes; compared by the reader
  std::string bytes;
  std::string summary{};  // what a list of experiments shows of it, as its owner saw fit
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

// Takes a line without its end; kReadableAfterLine bytes after it may be read.
using LineSink = std::function<Status(std::string_view line)>;

class Store {
 public:
  virtual ~Store() = default;

  // The experiments that have a line, sorted by name.
  virtual Result<std::vector<std::string>> list() = 0;

  // A new experiment without lines, or one that is there. It belongs to this store from then on:
  // nobody else may append to it while the store is open. An error where that is impossible, where
  // the new one exists, and where the other does not (`not_found`). What belongs to this store
  // already is opened anew.
  virtual Status create(const std::string& experiment) = 0;
  virtual Status own(const std::string& experiment) = 0;

  // Gives the lines after number `after` in order; an error of the sink ends the reading and is
  // returned. Anybody may read. Returns how many bytes follow the last line: what a kill left of a
  // line that was never complete and does not count. Where the experiment belongs to this store
  // the next append removes them.
  virtual Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                                     const LineSink& sink) = 0;
  // The last line's number and hash.
  virtual Result<Head> head(const std::string& experiment) = 0;

  // Appends groups in one commit, one result each, in their order. A group whose `at` is not the
  // head of its experiment is refused alone (`conflict`, the message says where the head is); the
  // others go in. Groups of one experiment follow each other. An error in place of the results
  // means that no group is there (the disk is full), or that nobody can say; in that case the store
  // takes no more lines until it is opened anew (`broken`). After a kill a commit is there or is
  // not; of a log file, which takes one group at a time, the first lines of a group may be.
  // REQUIRES: `create` or `own` of every experiment.
  virtual Result<std::vector<Status>> append(std::span<const Group> groups) = 0;
  // The same of one group.
  Status append_to(std::string_view experiment, const Head& at, std::span<const Line> lines);
  // Whether a failed write or sync has ended the writing.
  virtual bool broken() const = 0;

  // The lines with that key in their order; none is no error. They are found as soon as they are
  // appended.
  virtual Result<std::vector<FoundLine>> find(const std::string& experiment,
                                              std::string_view key) = 0;
  // The experiments that have a line with that key, sorted by name.
  virtual Result<std::vector<std::string>> experiments_of(std::string_view key) = 0;

  // Whether a line with that tag was appended to the experiment. It is a set of numbers: who asks
  // chooses them so that two meanings hardly share one.
  virtual Result<bool> tagged(const std::string& experiment, std::uint64_t tag) = 0;
  // Adds tags of lines that are there, which an older store did not keep.
  virtual Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) = 0;

  // Returns when everything appended before the call survives a loss of power. Calls that wait at
  // the same time share one sync. After an error the store takes no more lines: the system may have
  // dropped what it could not write.
  virtual Status sync() = 0;

  // How far the syncs that come by the clock had got in that experiment: its head, if the process
  // that wrote it stopped cleanly. Where it is less, the lines after it may have had neighbours
  // that were lost, and those that are there are not a fair sample: syncs that somebody waited for
  // saved them. Once this process has appended to the experiment it is the head.
  virtual Result<std::uint64_t> synced(const std::string& experiment) = 0;
  virtual Result<LastStop> last_stop() = 0;

  // The newest snapshot of an experiment replaces the one before. It is on the disk with the next
  // sync.
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

  // Whether the store is sound in itself; an error says what is not. The chains are the reader's.
  virtual Status check() = 0;
  // A copy of the whole at one moment, made while the store is in use. An error if the file exists.
  virtual Status backup(const std::filesystem::path& file) = 0;
  // Gives unused space back. Appends wait meanwhile.
  virtual Status compact() = 0;

  // Who else uses the store; nothing where only one process at a time can. It lives as long as the
  // store.
  virtual Nodes* nodes() { return nullptr; }
};

}  // namespace duel
