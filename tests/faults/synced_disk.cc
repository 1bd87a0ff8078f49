// A disk that loses power, for a program that does not know of it: preloaded (LD_PRELOAD), it keeps
// beside every file of a directory a copy of what was last synced, and lets syncs fail on request.
// scripts/fault-test builds it. After a kill the copies are what a loss of power would have left at
// least; whatever was written later may be there or not.
//
//   DUEL_DISK_OF         the directory whose files are followed
//   DUEL_DISK_COPIES     where the copies go
//   DUEL_DISK_FAILS_AT   the sync with this number and all after it fail with EIO, and copy nothing
//   DUEL_BOOT_ID         a file that is read in place of the machine's boot id
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The file's name within the directory that is followed, or nothing.
std::string followed_name(int descriptor) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::array<char, PATH_MAX> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = readlink(link.c_str(), target.data(), target.size());
  if (size <= 0) return {};
  const std::string_view path(target.data(), static_cast<std::size_t>(size));
  const std::string directory = setting("DUEL_DISK_OF") + "/";
  if (directory == "/" || !path.starts_with(directory)) return {};
  return std::string(path.substr(directory.size()));
}

std::string content_of(int descriptor) {
  std::string content;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got =
        pread(descriptor, piece.data(), piece.size(), static_cast<off_t>(content.size()));
    if (got <= 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(got));
  }
}

void keep(const std::string& name, const std::string& content) {
  const std::string file = setting("DUEL_DISK_COPIES") + "/" + name;
  const std::string partial = file + ".partial";
  std::FILE* out = std::fopen(partial.c_str(), "wb");
  if (out == nullptr) std::abort();
  const bool written = std::fwrite(content.data(), 1, content.size(), out) == content.size();
  if (std::fclose(out) != 0 || !written) std::abort();
  if (std::rename(partial.c_str(), file.c_str()) != 0) std::abort();
}

int synced(int descriptor, int (*sync)(int)) {
  static std::mutex mutex;
  static long count = 0;
  const std::string name = followed_name(descriptor);
  if (name.empty()) return sync(descriptor);
  const std::lock_guard lock(mutex);
  const std::string fails_at = setting("DUEL_DISK_FAILS_AT");
  if (++count >= std::atol(fails_at.c_str()) && !fails_at.empty()) {
    errno = EIO;
    return -1;
  }
  // What is written while the sync runs may be missed by it, and here it is.
  const std::string content = content_of(descriptor);
  const int code = sync(descriptor);
  if (code == 0) keep(name, content);
  return code;
}

const char* redirected(const char* path) {
  static const std::string boot = setting("DUEL_BOOT_ID");
  const bool asks = std::strcmp(path, "/proc/sys/kernel/random/boot_id") == 0;
  return asks && !boot.empty() ? boot.c_str() : path;
}

}  // namespace

extern "C" {

int fsync(int descriptor) { return synced(descriptor, next_of<int(int)>("fsync")); }
int fdatasync(int descriptor) { return synced(descriptor, next_of<int(int)>("fdatasync")); }

std::FILE* fopen(const char* path, const char* mode) {
  return next_of<std::FILE*(const char*, const char*)>("fopen")(redirected(path), mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  return next_of<std::FILE*(const char*, const char*)>("fopen64")(redirected(path), mode);
}

}  // extern "C"
