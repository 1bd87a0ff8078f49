// Experiments in files, one each: the log of `duel run`, a file of lines. The name of an experiment
// is the path of its file.
//
// A group of lines is written by one write(2) to a file opened with O_APPEND and locked against a
// second writer. A kill at any byte leaves at most a last line without its end; what has no end was
// never used and does not count.
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

// The calls by which a log reaches the disk, with errno where they fail. Tests put their faults
// here, below all that has to survive them.
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
  // The key of a line: a file keeps lines and nothing beside them, so that it is found by reading.
  using KeyOf = std::function<std::string(std::string_view line)>;

  // Paths are relative to `directory`; where it is empty they are any paths. Without `key_of` lines
  // cannot be found by key.
  explicit LogFiles(std::filesystem::path directory = {}, Disk& disk = Disk::real(),
                    KeyOf key_of = {});
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;
  ~LogFiles() override;

  // The logs that lie in the directory itself.
  Result<std::vector<std::string>> list() override;
  // A file that holds something is never written over, but for the cut beginning of a first line.
  Status create(const std::string& experiment) override;
  Status own(const std::string& experiment) override;
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override;
  Result<Head> head(const std::string& experiment) override;
  // One group at a time: nothing commits two files at once. What a failed write left of the group
  // is cut off again.
  Result<std::vector<Status>> append(std::span<const Group> groups) override;
  bool broken() const override;
  Result<std::vector<FoundLine>> find(const std::string& experiment, std::string_view key) override;
  Result<std::vector<std::string>> experiments_of(std::string_view key) override;
  // Of every file that was appended to.
  Status sync() override;

  // Lines are all that a file keeps. Tags live in memory: the reader of a log adds them. There is
  // never a snapshot; what else a file cannot keep is refused.
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

 private:
  struct Owned;

  std::filesystem::path path_of(const std::string& experiment) const;
  // Opens and locks the file; `failure` is for the message.
  Result<std::unique_ptr<Owned>> take(const std::string& experiment, int flags,
                                      const char* failure) const;
  Status append_group(const Group& group);
  Status sync(Owned& owned);
  Error refusal(const char* what, const char* hint = "") const;

  std::filesystem::path directory_;
  Disk& disk_;
  KeyOf key_of_;
  std::map<std::string, std::unique_ptr<Owned>> owned_;
};

}  // namespace duel
