#include "duel/store/store_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "duel/core/whole_file.h"

namespace duel {
namespace {

// "process 4711 on host alpha", as `lock_store` wrote it.
std::string holder_in(int descriptor) {
  std::array<char, 512> bytes{};
  const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  text = text.substr(0, text.find('\n'));
  return text.starts_with("process ") ? std::string(text) : "another process";
}

}  // namespace

Status create_private_file(const std::filesystem::path& file) {
  const Descriptor created(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (created.get() < 0 && errno != EEXIST) {
    return system_error("the database cannot be created", file, errno);
  }
  return Done{};
}

Status sync_path(const std::filesystem::path& path, int flags) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (opened.get() < 0 || (::fsync(opened.get()) != 0 && errno != EINVAL)) {
    return system_error("cannot be written to the disk", path, errno);
  }
  return Done{};
}

Result<Descriptor> lock_store(const std::filesystem::path& file) {
  std::filesystem::path lock_file = file;
  lock_file += ".lock";
  Descriptor lock(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                         S_IRUSR | S_IWUSR));
  struct stat found{};
  const bool is_link = lock.get() < 0 && errno == ELOOP;
  if (lock.get() < 0 && !is_link) return system_error("cannot be written", lock_file, errno);
  if (is_link || ::fstat(lock.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_nlink != 1) {
    return Error::io("is a link, or no plain file", lock_file.string(),
                     "remove it, unless you know what it is for");
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot be locked", lock_file, errno);
    return Error::conflict(fmt::format("{} is using the store", holder_in(lock.get())),
                           file.string(), "ask it over HTTP, or stop it");
  }
  // An older version made it readable for all.
  (void)::fchmod(lock.get(), S_IRUSR | S_IWUSR);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  // Only the lock counts. If the disk is full the name of its holder is missing, and that is all.
  (void)write_fully(lock.get(), fmt::format("process {} on host {}\n", ::getpid(), host.data()));
  return lock;
}

std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino};
}

}  // namespace duel
