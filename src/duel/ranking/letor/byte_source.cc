#include "duel/ranking/letor/byte_source.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace duel {
namespace {

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

// zlib passes plain bytes through untouched.
class GzipSource final : public ByteSource {
 public:
  GzipSource(GzipFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  Result<std::size_t> read(char* into, std::size_t most) override {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    const int got = gzread(file_.get(), into, static_cast<unsigned>(std::min(most, kMostAtOnce)));
    if (got > 0) return static_cast<std::size_t>(got);
    // A gzip stream that ends too early is an error here, not an end.
    int code = Z_OK;
    const char* text = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) {
      return Error::invalid_data("the gzip data end too early", name_);
    }
    if (code == Z_ERRNO) {
      return Error::io(fmt::format("cannot be read: {}", std::strerror(errno)), name_);
    }
    if (code != Z_OK && code != Z_STREAM_END) {
      return Error::invalid_data(fmt::format("broken gzip data: {}", text), name_);
    }
    return std::size_t{0};
  }

 private:
  GzipFile file_;
  std::string name_;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}

  Result<std::size_t> read(char* into, std::size_t most) override {
    const std::size_t size = std::min(most, text_.size());
    std::copy_n(text_.data(), size, into);
    text_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view text_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_byte_source(const std::string& path) {
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
  GzipFile file(standard_input ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return Error::io(
        fmt::format("cannot be read: {}", errno == 0 ? "not enough memory" : std::strerror(errno)),
        path);
  }
  // Small enough that zlib hands plain bytes through without a copy of its own.
  gzbuffer(file.get(), 1U << 16);
  return std::unique_ptr<ByteSource>(
      std::make_unique<GzipSource>(std::move(file), standard_input ? "<stdin>" : path));
}

std::unique_ptr<ByteSource> byte_source_of(std::string_view text) {
  return std::make_unique<TextSource>(text);
}

}  // namespace duel
