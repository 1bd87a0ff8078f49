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
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  // Paths are relative to `directory`; where it is empty they are any paths.
  explicit LogFiles(std::filesystem::path directory = {}, Disk& disk = Disk::real());
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
  // What a failed write left of the group is cut off again.
  Status append(const std::string& experiment, const Head& at,
                std::span<const std::string> lines) override;
  Status sync(const std::string& experiment) override;

 private:
  struct Owned;

  std::filesystem::path path_of(const std::string& experiment) const;
  // Opens and locks the file; `failure` is for the message.
  Result<std::unique_ptr<Owned>> take(const std::string& experiment, int flags,
                                      const char* failure) const;

  std::filesystem::path directory_;
  Disk& disk_;
  std::map<std::string, std::unique_ptr<Owned>> owned_;
};

}  // namespace duel
