#include "duel/store/owner_lock.h"

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

// "process 4711 on host alpha", as `take` wrote it.
std::string holder_in(int descriptor) {
  std::array<char, 512> bytes{};
  const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  text = text.substr(0, text.find('\n'));
  return text.starts_with("process ") ? std::string(text) : "another process";
}

}  // namespace

Result<OwnerLock> OwnerLock::take(const std::filesystem::path& file) {
  const int descriptor =
      ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (descriptor < 0) return system_error("cannot be written", file, errno);
  OwnerLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot be locked", file, errno);
    return Error::conflict(fmt::format("{} is using the store", holder_in(descriptor)),
                           file.string(), "ask it over HTTP, or stop it");
  }
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::string text = fmt::format("process {} on host {}\n", ::getpid(), host.data());
  // Only the lock counts. If the disk is full the name of its holder is missing, and that is all.
  if (::ftruncate(descriptor, 0) == 0) (void)write_fully(descriptor, text);
  return lock;
}

}  // namespace duel
