#include "duel/ranking/letor/byte_source.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace duel {
namespace {

// zlib passes plain bytes through untouched.
Result<std::size_t> read_gzip(gzFile file, const std::string& name, char* into, std::size_t most) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
  const int got = gzread(file, into, static_cast<unsigned>(std::min(most, kMostAtOnce)));
  if (got > 0) return static_cast<std::size_t>(got);
  // A gzip stream that ends too early is an error here, not an end.
  int code = Z_OK;
  const char* text = gzerror(file, &code);
  if (code == Z_BUF_ERROR) {
    return Error::invalid_data("the gzip data end too early", name);
  }
  if (code == Z_ERRNO) {
    return Error::io(fmt::format("cannot be read: {}", std::strerror(errno)), name);
  }
  if (code != Z_OK && code != Z_STREAM_END) {
    return Error::invalid_data(fmt::format("broken gzip data: {}", text), name);
  }
  return std::size_t{0};
}

}  // namespace

Result<ByteSource> open_byte_source(const std::string& path) {
  const bool standard_input = path == "-";
  if (!standard_input) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (status.type() == std::filesystem::file_type::not_found) {
      return Error::not_found("there is no such file", path);
    }
    if (std::filesystem::is_directory(status)) {
      return Error::io("is a directory, not a file", path);
    }
  }
  errno = 0;
  const gzFile file =
      standard_input ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return Error::io(
        fmt::format("cannot be read: {}", errno == 0 ? "not enough memory" : std::strerror(errno)),
        path);
  }
  // Small enough that zlib hands plain bytes through without a copy of its own.
  gzbuffer(file, 1U << 16);
  const std::shared_ptr<gzFile_s> owned(file, gzclose_r);
  return ByteSource(
      [owned, name = standard_input ? "<stdin>" : path](char* into, std::size_t most) {
        return read_gzip(owned.get(), name, into, most);
      });
}

ByteSource byte_source_of(std::string_view text) {
  return [text](char* into, std::size_t most) mutable -> Result<std::size_t> {
    const std::size_t size = std::min(most, text.size());
    std::copy_n(text.data(), size, into);
    text.remove_prefix(size);
    return size;
  };
}

}  // namespace duel
