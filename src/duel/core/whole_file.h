// Files are read whole and written whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "duel/core/descriptor.h"
#include "duel/core/result.h"

namespace duel {

// An error names the file and says whether it is missing, not a file, unreadable or larger than
// `most_bytes`.
Result<std::string> read_whole_file(const std::filesystem::path& file, std::size_t most_bytes);

// Creates the directory and its parents where missing.
Status make_directory(const std::filesystem::path& directory);

Error system_error(const std::string& what, const std::filesystem::path& path, int code);

// Writes to a hidden file beside the target and renames it when all of it is on disk. Dropped
// before `commit`, it leaves nothing.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& target);
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Status write(std::string_view text);
  Status commit();

 private:
  AtomicFile(std::filesystem::path target, std::filesystem::path temporary, Descriptor descriptor)
      : target_(std::move(target)),
        temporary_(std::move(temporary)),
        descriptor_(std::move(descriptor)) {}

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  Descriptor descriptor_;  // none once committed or moved from
};

Status write_whole_file(const std::filesystem::path& file, std::string_view text);

// All of `text` to a file descriptor; false with errno set.
bool write_fully(int descriptor, std::string_view text);

}  // namespace duel
