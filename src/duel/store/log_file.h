// Experiments in files, one each: the log of `duel run`, a file of lines. The name of an experiment
// is the path of its file. REQUIRES: one thread at a time.
//
// A group of lines is written by one write(2) to a file opened with O_APPEND and locked against a
// second writer. A kill at any byte leaves at most a last line without its line end, which nobody
// was told of and which does not count.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

// The calls by which a log reaches the disk; they set errno if they fail. Tests inject faults here,
// below all the code that has to survive them.
class Disk {
 public:
  virtual ~Disk() = default;
  virtual ssize_t write(int descriptor, std::string_view bytes);
  virtual bool truncate(int descriptor, std::uint64_t size);
  virtual bool sync(int descriptor);

  static Disk& real();
};

class LogFiles final : public Store {
 public:
  // Gives the key of a line. A file keeps nothing but lines, so keys are found by reading them.
  using KeyOf = std::function<std::string(std::string_view line)>;

  // Names are paths relative to `directory`, or any paths if that is empty. Without `key_of` lines
  // cannot be found by key.
  explicit LogFiles(std::filesystem::path directory = {}, Disk& disk = Disk::real(),
                    KeyOf key_of = {});
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;
  ~LogFiles() override;

  // The logs in the directory itself, not in its subdirectories.
  Result<std::vector<std::string>> list() override;
  // Never overwrites a file with content, except the cut-off beginning of a first line.
  Status create(const std::string& experiment) override;
  Status own(const std::string& experiment) override;
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  // One group at a time, because two files cannot be committed together. If a write fails, the part
  // of the group that was written is cut off again.
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  bool broken() const override;
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  // Syncs every file that was appended to.
  Status sync() override;

  // A file keeps nothing but lines. Tags are in memory only: the reader of a log adds them. There
  // is never a snapshot; everything else that a file cannot keep is refused.
  Result<std::uint64_t> synced(const std::string& experiment) override;
  Result<LastStop> last_stop() override { return LastStop::clean; }
  Status put_snapshot(const std::string&, const Snapshot&) override {
    return refusal("log files keep no snapshots");
  }
  Result<std::optional<Snapshot>> snapshot(const std::string&) override {
    return std::optional<Snapshot>();
  }
  Result<std::vector<Outline>> outlines() override {
    return refusal("log files keep no snapshots");
  }
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override;
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override;
  Status put(std::string_view, std::string_view, std::string_view) override { return no_table(); }
  Result<std::optional<std::string>> get(std::string_view, std::string_view) override {
    return no_table();
  }
  Result<std::vector<std::pair<std::string, std::string>>> entries(std::string_view) override {
    return no_table();
  }
  Result<bool> erase(std::string_view, std::string_view) override { return no_table(); }
  Status check() override {
    return refusal("log files have nothing to check beside their chains", "verify each log");
  }
  Status backup(const std::filesystem::path&) override {
    return refusal("log files are backed up by copying them");
  }
  Status compact() override { return refusal("log files have no unused space"); }

 private:
  struct Owned;

  std::filesystem::path path_of(const std::string& experiment) const;
  // Opens and locks the file; `failure` is for the message.
  Result<std::unique_ptr<Owned>> take(const std::string& experiment, int flags,
                                      const char* failure) const;
  Status append_group(const Group& group);
  Status sync(Owned& owned);
  Error refusal(const char* what, const char* hint = "") const;
  Error no_table() const { return refusal("log files keep no secrets and tokens"); }

  std::filesystem::path directory_;
  Disk& disk_;
  KeyOf key_of_;
  std::map<std::string, std::unique_ptr<Owned>> owned_;
};

}  // namespace duel
