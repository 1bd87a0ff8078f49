#include "duel/http/body_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "duel/core/whole_file.h"

namespace duel {
namespace {

Error cannot_keep_body() {
  return Error::io(std::string("the body cannot be kept on the disk: ") + std::strerror(errno));
}

}  // namespace

Result<std::shared_ptr<HttpBodyFile>> HttpBodyFile::create(const std::filesystem::path& directory) {
  // Not every file system has files without a name (overlays have not): then the name is taken away
  // at once.
  Descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600));
  if (file.get() >= 0) return std::shared_ptr<HttpBodyFile>(new HttpBodyFile(std::move(file)));
  std::string name = (directory / ".duel-body-XXXXXX").string();
  Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (named.get() < 0) return cannot_keep_body();
  ::unlink(name.c_str());
  return std::shared_ptr<HttpBodyFile>(new HttpBodyFile(std::move(named)));
}

HttpBodyFile::~HttpBodyFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
}

Status HttpBodyFile::append(std::string_view bytes) {
  if (!write_fully(file_.get(), bytes)) return cannot_keep_body();
  size_ += bytes.size();
  return Done{};
}

Status HttpBodyFile::close() {
  if (size_ == 0) return Done{};
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (mapped == MAP_FAILED) return cannot_keep_body();
  mapped_ = mapped;
  return Done{};
}

}  // namespace duel
