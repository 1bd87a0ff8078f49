#include "duel/store/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "duel/core/descriptor.h"
#include "duel/core/directory.h"
#include "duel/core/text_map.h"
#include "duel/core/whole_file.h"
#include "duel/store/line.h"

namespace duel {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// The content of a file: lines, and perhaps the beginning of one more.
struct Content {
  Head head;
  std::uint64_t bytes = 0;  // up to the end of the last line
  std::uint64_t rest = 0;   // after it
};

Result<Content> read_lines(int descriptor, const std::filesystem::path& file, std::uint64_t after,
                           const LineSink& sink) {
  Content content;
  std::vector<char> buffer(kBlockBytes + kReadableAfterLine);
  std::size_t held = 0;  // bytes of a line whose end is not read yet
  // This fails on a pipe, which is then read as it comes.
  ::lseek(descriptor, 0, SEEK_SET);
  for (;;) {
    if (held + kReadableAfterLine == buffer.size()) {
      if (held > kMostLineBytes) {
        return Error::invalid_data(fmt::format("the line is longer than {} bytes", kMostLineBytes),
                                   fmt::format("{}:{}", file.string(), content.head.sequence + 1));
      }
      buffer.resize(2 * held + kReadableAfterLine);
    }
    const ssize_t got =
        ::read(descriptor, buffer.data() + held, buffer.size() - kReadableAfterLine - held);
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error("cannot be read", file, errno);
    }
    if (got == 0) {
      content.rest = held;
      return content;
    }
    const std::size_t filled = held + static_cast<std::size_t>(got);
    std::size_t begin = 0;
    std::string_view last;
    for (std::size_t from = held;;) {
      const void* found = std::memchr(buffer.data() + from, '\n', filled - from);
      if (found == nullptr) break;
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data());
      last = {buffer.data() + begin, end - begin};
      if (++content.head.sequence > after) DUEL_RETURN_IF_ERROR(sink(last));
      begin = from = end + 1;
    }
    if (const auto parts = split_line(last)) content.head.hash = parts->hash;
    content.bytes += begin;
    held = filled - begin;
    std::memmove(buffer.data(), buffer.data() + begin, held);
  }
}

// Between fork and exec the process of a judge shares its parent's lock. If the parent is killed in
// that moment, the lock outlives it for an instant, and a `duel run` that resumes the log must wait
// for that instant. A writer that is alive keeps the lock for longer than this.
constexpr std::chrono::milliseconds kLockOfTheDead{3000};

Status lock(int descriptor, const std::filesystem::path& file) {
  const auto deadline = std::chrono::steady_clock::now() + kLockOfTheDead;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot be locked", file, errno);
    if (std::chrono::steady_clock::now() >= deadline) {
      return Error::io("another process is writing to this log", file.string(),
                       "wait for it to end, or choose another log");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Done{};
}

// A new file's name is durable only after its directory has been synced.
Status sync_directory(const std::filesystem::path& file) {
  const std::filesystem::path parent = file.parent_path();
  const std::filesystem::path directory = parent.empty() ? "." : parent;
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a directory (EINVAL). Nothing can be done about that.
  if (opened.get() < 0 || (::fsync(opened.get()) != 0 && errno != EINVAL)) {
    return system_error("cannot be written", directory, errno);
  }
  return Done{};
}

// Whether the file is empty, or has only the cut-off beginning of a first line.
Result<bool> is_unborn(int descriptor, const std::filesystem::path& file) {
  std::vector<char> text(kBlockBytes);
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  if (got < 0) return system_error("cannot be read", file, errno);
  const std::string_view seen(text.data(), static_cast<std::size_t>(got));
  const std::size_t common = std::min(seen.size(), kFirstLine.size());
  return seen.size() < text.size() && seen.find('\n') == std::string_view::npos &&
         seen.substr(0, common) == kFirstLine.substr(0, common);
}

}  // namespace

ssize_t Disk::write(int descriptor, std::string_view bytes) {
  return ::write(descriptor, bytes.data(), bytes.size());
}

bool Disk::truncate(int descriptor, std::uint64_t size) {
  return ::ftruncate(descriptor, static_cast<off_t>(size)) == 0;
}

bool Disk::sync(int descriptor) { return ::fdatasync(descriptor) == 0; }

Disk& Disk::real() {
  static Disk disk;
  return disk;
}

// A file that belongs to this store.
struct LogFiles::Owned {
  Owned(std::filesystem::path path, int number) : file(std::move(path)), descriptor(number) {}

  std::filesystem::path file;
  Descriptor descriptor;
  std::optional<Head> head;  // unknown until the file was read to its end
  std::uint64_t bytes = 0;   // up to the end of the last line
  bool cut_line = false;     // the beginning of another line follows, which never counted
  bool new_name = false;     // the directory with its name is not on the disk yet
  bool unsynced = false;     // lines were appended since the last sync
  bool broken = false;       // after a failure it is unknown what the file holds
  // Where the lines of each key are. Made by the first `find`, since most logs are never searched.
  struct Place {
    std::uint64_t sequence;
    std::uint64_t begin;
    std::size_t size;
  };
  std::optional<TextMap<std::vector<Place>>> by_key;
  std::set<std::uint64_t> tags;

  Status usable() const {
    if (!broken) return Done{};
    return Error::io("the log takes no more records after a failed write", file.string(),
                     "repair the disk and resume");
  }
};

LogFiles::LogFiles(std::filesystem::path directory, Disk& disk, KeyOf key_of)
    : directory_(std::move(directory)), disk_(disk), key_of_(std::move(key_of)) {}
LogFiles::~LogFiles() = default;

std::filesystem::path LogFiles::path_of(const std::string& experiment) const {
  return directory_ / experiment;
}

Result<std::vector<std::string>> LogFiles::list() {
  DUEL_ASSIGN(const auto entries,
              directory_entries(directory_.empty() ? "." : directory_.string()));
  std::vector<std::string> names;
  for (const std::filesystem::path& entry : entries) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(entry, unknown)) continue;
    bool is_log = false;
    const auto see_first = [&](std::string_view line) -> Status {
      is_log = line.starts_with(kFirstLine);
      return Error::interrupted("one line is enough");
    };
    (void)read(entry.filename().string(), 0, see_first);
    if (is_log) names.push_back(entry.filename().string());
  }
  return names;
}

Result<std::unique_ptr<LogFiles::Owned>> LogFiles::take(const std::string& experiment, int flags,
                                                        const char* failure) const {
  const std::filesystem::path file = path_of(experiment);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (descriptor < 0) return system_error(failure, file, errno);
  auto owned = std::make_unique<Owned>(file, descriptor);
  DUEL_RETURN_IF_ERROR(lock(descriptor, file));
  return owned;
}

Status LogFiles::create(const std::string& experiment) {
  owned_.erase(experiment);  // releases our own lock, for which `take` would wait
  DUEL_ASSIGN(auto owned, take(experiment, O_CREAT, "cannot be written"));
  DUEL_ASSIGN(const bool unborn, is_unborn(owned->descriptor.get(), owned->file));
  if (!unborn) {
    return Error::conflict("the file exists", owned->file.string(),
                           "resume it, or choose another log");
  }
  if (!disk_.truncate(owned->descriptor.get(), 0) && errno != EINVAL) {
    return system_error("cannot be written", owned->file, errno);
  }
  owned->head.emplace();
  owned->new_name = true;
  owned_[experiment] = std::move(owned);
  return Done{};
}

Status LogFiles::own(const std::string& experiment) {
  owned_.erase(experiment);
  DUEL_ASSIGN(owned_[experiment], take(experiment, 0, "cannot be opened"));
  return Done{};
}

Result<std::uint64_t> LogFiles::read(const std::string& experiment, std::uint64_t after,
                                     const LineSink& sink) {
  const auto found = owned_.find(experiment);
  if (found == owned_.end()) {
    const std::filesystem::path file = path_of(experiment);
    const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor.get() < 0) return system_error("cannot be read", file, errno);
    DUEL_ASSIGN(const Content content, read_lines(descriptor.get(), file, after, sink));
    return content.rest;
  }
  Owned& owned = *found->second;
  DUEL_ASSIGN(Content content, read_lines(owned.descriptor.get(), owned.file, after, sink));
  owned.head = std::move(content.head);
  owned.bytes = content.bytes;
  owned.cut_line = content.rest > 0;
  return content.rest;
}

Result<Head> LogFiles::head(const std::string& experiment) {
  const auto found = owned_.find(experiment);
  if (found != owned_.end() && found->second->head) return *found->second->head;
  Head head;
  const auto follow = [&](std::string_view line) -> Status {
    ++head.sequence;
    if (const auto parts = split_line(line)) head.hash = parts->hash;
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read(experiment, 0, follow));
  return head;
}

Result<std::vector<Status>> LogFiles::append(std::span<const Group> groups) {
  if (groups.size() > 1) {
    return refusal("log files take the lines of one experiment at a time");
  }
  std::vector<Status> results;
  for (const Group& group : groups) {
    Status status = append_group(group);
    if (!status.ok() && status.error().code != ErrorCode::conflict) return status.error();
    results.push_back(std::move(status));
  }
  return results;
}

Status LogFiles::append_group(const Group& group) {
  const std::string experiment(group.experiment);
  Owned& owned = *owned_.at(experiment);
  DUEL_RETURN_IF_ERROR(owned.usable());
  if (!owned.head) {
    DUEL_RETURN_IF_ERROR(read(experiment, 0, [](std::string_view) -> Status { return Done{}; }));
  }
  const Head& at = group.at;
  if (at.sequence != owned.head->sequence || (at.sequence > 0 && at.hash != owned.head->hash)) {
    return Error::conflict(
        fmt::format("another process has written to the log: it ends with record {}",
                    owned.head->sequence),
        owned.file.string(), "read it again");
  }
  // The cut line is removed here and not in `read`: if the reader refuses the log, the file must
  // stay as it was.
  if (owned.cut_line) {
    if (!disk_.truncate(owned.descriptor.get(), owned.bytes)) {
      return system_error("cannot be written", owned.file, errno);
    }
    owned.cut_line = false;
  }
  if (group.lines.empty()) return Done{};
  // One write for the whole group: a kill between two writes would leave half of it more often.
  std::string text;
  for (const Line& line : group.lines) {
    text += line.text;
    text += '\n';
  }
  ssize_t written = -1;
  do {
    written = disk_.write(owned.descriptor.get(), text);
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(text.size())) {
    // A short write means that the disk is full or the file has reached a size limit. What it wrote
    // must not stay: the caller is told that the group was not stored.
    const int code = written < 0 ? errno : ENOSPC;
    owned.broken = !disk_.truncate(owned.descriptor.get(), owned.bytes);
    return system_error("the record cannot be written", owned.file, code);
  }
  owned.unsynced = true;
  std::uint64_t sequence = owned.head->sequence, begin = owned.bytes;
  for (const Line& line : group.lines) {
    ++sequence;
    if (owned.by_key && !line.key.empty()) {
      (*owned.by_key)[std::string(line.key)].push_back({sequence, begin, line.text.size()});
    }
    if (line.tag != 0) owned.tags.insert(line.tag);
    begin += line.text.size() + 1;
  }
  owned.bytes = begin;
  owned.head->sequence = sequence;
  if (const auto parts = split_line(group.lines.back().text)) owned.head->hash = parts->hash;
  return Done{};
}

bool LogFiles::broken() const {
  return std::ranges::any_of(owned_, [](const auto& entry) { return entry.second->broken; });
}

Result<std::vector<FoundLine>> LogFiles::find(const std::string& experiment, std::string_view key) {
  if (!key_of_) return refusal("log files keep no keys");
  std::vector<FoundLine> lines;
  const auto known = owned_.find(experiment);
  if (known == owned_.end()) {
    std::uint64_t sequence = 0;
    const auto compare = [&](std::string_view line) -> Status {
      ++sequence;
      if (!key.empty() && key_of_(line) == key) lines.push_back({sequence, std::string(line)});
      return Done{};
    };
    DUEL_RETURN_IF_ERROR(read(experiment, 0, compare));
    return lines;
  }
  Owned& owned = *known->second;
  if (!owned.by_key) {
    TextMap<std::vector<Owned::Place>> by_key;
    std::uint64_t sequence = 0, begin = 0;
    const auto note = [&](std::string_view line) -> Status {
      ++sequence;
      if (std::string of_line = key_of_(line); !of_line.empty()) {
        by_key[std::move(of_line)].push_back({sequence, begin, line.size()});
      }
      begin += line.size() + 1;
      return Done{};
    };
    DUEL_RETURN_IF_ERROR(read(experiment, 0, note));
    owned.by_key = std::move(by_key);
  }
  const auto found = owned.by_key->find(key);
  if (found == owned.by_key->end()) return lines;
  for (const Owned::Place& place : found->second) {
    std::string text(place.size, '\0');
    const ssize_t got =
        ::pread(owned.descriptor.get(), text.data(), text.size(), static_cast<off_t>(place.begin));
    if (got != static_cast<ssize_t>(text.size())) {
      return system_error("cannot be read", owned.file, got < 0 ? errno : EIO);
    }
    lines.push_back({place.sequence, std::move(text)});
  }
  return lines;
}

Result<std::vector<std::string>> LogFiles::experiments_of(std::string_view key) {
  DUEL_ASSIGN(const std::vector<std::string> all, list());
  std::vector<std::string> names;
  for (const std::string& experiment : all) {
    DUEL_ASSIGN(const std::vector<FoundLine> lines, find(experiment, key));
    if (!lines.empty()) names.push_back(experiment);
  }
  return names;
}

Status LogFiles::sync() {
  for (auto& [experiment, owned] : owned_) DUEL_RETURN_IF_ERROR(sync(*owned));
  return Done{};
}

Status LogFiles::sync(Owned& owned) {
  DUEL_RETURN_IF_ERROR(owned.usable());
  if (!owned.unsynced && !owned.new_name) return Done{};
  // EINVAL and EROFS: pipes and terminals cannot be synced. After any other failure the system may
  // have dropped the lines, and a later sync would succeed without them.
  if (!disk_.sync(owned.descriptor.get()) && errno != EINVAL && errno != EROFS) {
    owned.broken = true;
    return system_error("cannot be written to the disk", owned.file, errno);
  }
  owned.unsynced = false;
  if (!owned.new_name) return Done{};
  // Once after the first sync of a new file, or a loss of power could take the file with its name.
  DUEL_RETURN_IF_ERROR(sync_directory(owned.file));
  owned.new_name = false;
  return Done{};
}

Error LogFiles::refusal(const char* what, const char* hint) const {
  return Error::unsupported(what, directory_.string(), hint);
}

// A log file has no syncs by the clock, and a cut last line never counted, so all lines count.
Result<std::uint64_t> LogFiles::synced(const std::string& experiment) {
  DUEL_ASSIGN(const Head last, head(experiment));
  return last.sequence;
}

Result<bool> LogFiles::tagged(const std::string& experiment, std::uint64_t tag) {
  const auto found = owned_.find(experiment);
  return found != owned_.end() && found->second->tags.contains(tag);
}

Status LogFiles::add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) {
  const auto found = owned_.find(experiment);
  if (found == owned_.end()) return Error::not_found("the log was not opened", experiment);
  found->second->tags.insert(tags.begin(), tags.end());
  return Done{};
}

}  // namespace duel
