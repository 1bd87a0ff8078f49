// A body that is too large for memory. It is written to a file without a name as it comes and then
// mapped, so that it takes memory only while the system has some to spare. Nothing is left on the
// disk when the last holder goes, or the process is killed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "duel/core/descriptor.h"
#include "duel/core/result.h"

namespace duel {

class HttpBodyFile {
 public:
  // Errors name no path: they are told to callers.
  static Result<std::shared_ptr<HttpBodyFile>> create(const std::filesystem::path& directory);
  ~HttpBodyFile();
  HttpBodyFile(const HttpBodyFile&) = delete;
  HttpBodyFile& operator=(const HttpBodyFile&) = delete;

  Status append(std::string_view bytes);
  std::size_t size() const { return size_; }
  // Ends the writing. From here on any thread may read.
  Status close();
  // REQUIRES: closed.
  std::string_view text() const { return {static_cast<const char*>(mapped_), size_}; }

 private:
  explicit HttpBodyFile(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
  std::size_t size_ = 0;
  void* mapped_ = nullptr;
};

}  // namespace duel
