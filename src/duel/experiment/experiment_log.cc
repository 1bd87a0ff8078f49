#include "duel/experiment/experiment_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "duel/core/whole_file.h"
#include "duel/experiment/record_reader.h"
#include "duel/experiment/timestamp.h"

namespace duel {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;
constexpr std::string_view kHashKey = ",\"hash\":\"";
constexpr std::string_view kLineEnd = "\"}";
constexpr std::size_t kTailBytes = kHashKey.size() + kHexDigits + kLineEnd.size();
constexpr std::string_view kFirstLine = "{\"seq\":1,";

std::string no_hash() { return std::string(kHexDigits, '0'); }

Error damaged(std::string message) { return Error::invalid_data(std::move(message)); }

// The number that a line gives itself, for messages about lines that do not fit.
std::optional<std::uint64_t> own_number(std::string_view line) {
  constexpr std::string_view kKey = "{\"seq\":";
  if (!line.starts_with(kKey)) return std::nullopt;
  std::uint64_t number = 0;
  std::size_t k = kKey.size();
  for (; k < line.size() && k < kKey.size() + 18 && line[k] >= '0' && line[k] <= '9'; ++k) {
    number = number * 10 + static_cast<std::uint64_t>(line[k] - '0');
  }
  if (k == kKey.size() || k == line.size() || line[k] != ',') return std::nullopt;
  return number;
}

// Takes the lines of a log one after the other.
class ChainReader {
 public:
  ChainReader(std::string name, const RecordSink& sink) : name_(std::move(name)), sink_(sink) {
    extent_.head = no_hash();
  }

  // `line` is without its end. REQUIRES: RecordReader::padding() readable bytes after it.
  Status take(std::string_view line) {
    if (Status status = take_unplaced(line); !status.ok()) {
      Error error = status.error();
      if (error.where.empty()) error.where = here();
      return error;
    }
    extent_.bytes += line.size() + 1;
    ++extent_.records;
    std::swap(extent_.head, entry_.hash);
    return Done{};
  }

  LogExtent finish(std::uint64_t rest) {
    extent_.cut_bytes = rest;
    return std::move(extent_);
  }
  std::string here() const { return fmt::format("{}:{}", name_, extent_.records + 1); }

 private:
  Status take_unplaced(std::string_view line) {
    const std::uint64_t expected = extent_.records + 1;
    const std::string_view tail =
        line.size() > kTailBytes ? line.substr(line.size() - kTailBytes) : std::string_view();
    const auto no_hash_here = [] {
      return damaged("the line does not end with its hash: it was changed, or is no line of a log");
    };
    if (!tail.starts_with(kHashKey) || !tail.ends_with(kLineEnd)) return no_hash_here();
    entry_.hash.resize(kHexDigits);
    sha_.hex_to(entry_.hash.data(), extent_.head, line.substr(0, line.size() - kTailBytes));
    if (entry_.hash != tail.substr(kHashKey.size(), kHexDigits)) {
      if (!is_sha256_hex(tail.substr(kHashKey.size(), kHexDigits))) return no_hash_here();
      if (const auto number = own_number(line); number && *number != expected) {
        return damaged(
            fmt::format("this is record {} where record {} belongs: lines are missing, repeated or "
                        "moved",
                        *number, expected));
      }
      return damaged("the hash does not fit the line: the line was changed");
    }
    DUEL_RETURN_IF_ERROR(reader_.read(line, entry_));
    if (entry_.sequence != expected) {
      return damaged(
          fmt::format("this is record {} where record {} belongs", entry_.sequence, expected));
    }
    if (std::holds_alternative<ExperimentRecord>(entry_.record) != (expected == 1)) {
      return damaged(expected == 1 ? "a log begins with the record 'experiment'"
                                   : "a second record 'experiment'");
    }
    return sink_(entry_);
  }

  std::string name_;
  const RecordSink& sink_;
  LogExtent extent_;
  Sha256 sha_;
  RecordReader reader_;
  LogEntry entry_;
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

Result<LogExtent> read_descriptor(int descriptor, const std::filesystem::path& file,
                                  const RecordSink& sink) {
  ChainReader chain(file.string(), sink);
  std::vector<char> buffer(kBlockBytes + RecordReader::padding());
  std::size_t held = 0;  // bytes of a line whose end is not read yet
  for (;;) {
    if (held + RecordReader::padding() == buffer.size()) {
      if (held > kMostLineBytes) {
        Error error = damaged(fmt::format("the line is longer than {} bytes", kMostLineBytes));
        error.where = chain.here();
        return error;
      }
      buffer.resize(2 * held + RecordReader::padding());
    }
    const ssize_t got =
        ::read(descriptor, buffer.data() + held, buffer.size() - RecordReader::padding() - held);
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error("cannot be read", file, errno);
    }
    if (got == 0) return chain.finish(held);
    const std::size_t filled = held + static_cast<std::size_t>(got);
    std::size_t begin = 0;
    for (std::size_t from = held;;) {
      const void* found = std::memchr(buffer.data() + from, '\n', filled - from);
      if (found == nullptr) break;
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data());
      DUEL_RETURN_IF_ERROR(chain.take({buffer.data() + begin, end - begin}));
      begin = from = end + 1;
    }
    held = filled - begin;
    std::memmove(buffer.data(), buffer.data() + begin, held);
  }
}

Status lock(int descriptor, const std::filesystem::path& file) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return Done{};
  if (errno != EWOULDBLOCK) return system_error("cannot be locked", file, errno);
  return Error::io("another process is writing to this log", file.string(),
                   "wait for it to end, or choose another log");
}

// A new name is durable when its directory is.
Status sync_directory(const std::filesystem::path& file) {
  const std::filesystem::path parent = file.parent_path();
  const std::filesystem::path directory = parent.empty() ? "." : parent;
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a directory; that is not the user's mistake.
  if (opened.get() < 0 || (::fsync(opened.get()) != 0 && errno != EINVAL)) {
    return system_error("cannot be written", directory, errno);
  }
  return Done{};
}

// Whether the file holds nothing, or only the cut beginning of a first line.
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

bool begins_as_log(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::array<char, kFirstLine.size()> bytes{};
  input.read(bytes.data(), bytes.size());
  return input && std::string_view(bytes.data(), bytes.size()) == kFirstLine;
}

Result<LogExtent> read_log(const std::filesystem::path& file, const RecordSink& sink) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) {
    Error error = system_error("cannot be read", file, errno);
    if (errno == ENOENT) error.code = ErrorCode::not_found;
    return error;
  }
  return read_descriptor(descriptor.get(), file, sink);
}

Result<LogExtent> read_log_text(std::string_view text, const std::string& name,
                                const RecordSink& sink) {
  ChainReader chain(name, sink);
  std::string line;
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return chain.finish(text.size());
    line.assign(text.substr(0, end));
    line.resize(end + RecordReader::padding());
    DUEL_RETURN_IF_ERROR(chain.take(std::string_view(line).substr(0, end)));
    text.remove_prefix(end + 1);
  }
}

Result<std::string> log_line(std::uint64_t sequence, std::int64_t time_ms, const Record& record,
                             std::string& head, Sha256& sha) {
  std::string line =
      fmt::format("{{\"seq\":{},\"time\":\"{}\",", sequence, format_timestamp(time_ms));
  DUEL_RETURN_IF_ERROR(append_fields(line, record));
  if (line.size() + kTailBytes > kMostLineBytes) {
    return Error::invalid_argument(
               fmt::format("the record has more than {} bytes", kMostLineBytes - kTailBytes))
        .with_hint("give arms and tasks by reference");
  }
  head = sha.hex(head, line);
  line += kHashKey;
  line += head;
  line += kLineEnd;
  line += '\n';
  return line;
}

Result<ExperimentLog> ExperimentLog::create(const std::filesystem::path& file,
                                            const ExperimentRecord& experiment,
                                            std::int64_t time_ms) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (descriptor < 0) return system_error("cannot be written", file, errno);
  ExperimentLog log(file, descriptor);
  DUEL_RETURN_IF_ERROR(lock(descriptor, file));
  DUEL_ASSIGN(const bool unborn, is_unborn(descriptor, file));
  if (!unborn) {
    return Error::invalid_argument("the file exists", file.string(),
                                   "resume it, or choose another log");
  }
  if (::ftruncate(descriptor, 0) != 0 && errno != EINVAL) {
    return system_error("cannot be written", file, errno);
  }
  log.extent_.head = no_hash();
  const auto first = log.append(experiment, time_ms);
  if (!first.ok()) return first.error();
  DUEL_RETURN_IF_ERROR(log.sync());
  DUEL_RETURN_IF_ERROR(sync_directory(file));
  return log;
}

Result<ExperimentLog> ExperimentLog::resume(const std::filesystem::path& file,
                                            const RecordSink& sink) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) {
    Error error = system_error("cannot be opened", file, errno);
    if (errno == ENOENT) error.code = ErrorCode::not_found;
    return error;
  }
  ExperimentLog log(file, descriptor);
  DUEL_RETURN_IF_ERROR(lock(descriptor, file));
  DUEL_ASSIGN(log.extent_, read_descriptor(descriptor, file, sink));
  if (log.extent_.records == 0) {
    return Error::invalid_data("the log holds no experiment", file.string(),
                               "its first line is missing or incomplete");
  }
  if (log.extent_.cut_bytes > 0 &&
      ::ftruncate(descriptor, static_cast<off_t>(log.extent_.bytes)) != 0) {
    return system_error("cannot be written", file, errno);
  }
  return log;
}

ExperimentLog::ExperimentLog(ExperimentLog&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      extent_(std::move(other.extent_)),
      sha_(std::move(other.sha_)),
      broken_(other.broken_) {}

ExperimentLog::~ExperimentLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status ExperimentLog::write_line(std::string_view line) {
  ssize_t written = -1;
  do {
    written = ::write(descriptor_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) return Done{};
  // A short write: the disk is full, or a limit of the file's size is reached.
  const int code = written < 0 ? errno : ENOSPC;
  if (written > 0) broken_ = ::ftruncate(descriptor_, static_cast<off_t>(extent_.bytes)) != 0;
  return system_error("the record cannot be written", file_, code);
}

Result<LogEntry> ExperimentLog::append(Record record, std::int64_t time_ms) {
  if (broken_) {
    return Error::io("the log takes no more records after a failed write", file_.string(),
                     "mend the disk and resume");
  }
  LogEntry entry{extent_.records + 1, time_ms, std::move(record), extent_.head};
  DUEL_ASSIGN(const std::string line,
              log_line(entry.sequence, time_ms, entry.record, entry.hash, sha_));
  DUEL_RETURN_IF_ERROR(write_line(line));
  extent_.head = entry.hash;
  extent_.bytes += line.size();
  ++extent_.records;
  return entry;
}

Status ExperimentLog::sync() {
  if (::fdatasync(descriptor_) == 0) return Done{};
  // Pipes and terminals have nothing to sync; a file that has is not trusted any more.
  if (errno == EINVAL || errno == EROFS) return Done{};
  broken_ = true;
  return system_error("cannot be written to the disk", file_, errno);
}

}  // namespace duel
