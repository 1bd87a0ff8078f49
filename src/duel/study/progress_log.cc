#include "duel/study/progress_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "duel/core/rng.h"
#include "duel/core/whole_file.h"

namespace duel {
namespace {

std::string checksum_of(std::string_view body) { return fmt::format("{:016x}", hash_text(body)); }

std::string first_line(const std::string& study) { return "duel-progress-1," + study; }

// Reads the numbers of a line from left to right.
class Fields {
 public:
  explicit Fields(std::string_view body) : rest_(body) {}

  template <class Number>
  std::optional<Number> next() {
    Number value{};
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.empty()) return value;
    if (rest_.front() != ',') return std::nullopt;
    rest_.remove_prefix(1);
    return value;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// The line without its checksum, or nullopt where that does not fit.
std::optional<std::string_view> checked_body(std::string_view line) {
  const auto comma = line.rfind(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view body = line.substr(0, comma);
  if (line.substr(comma + 1) != checksum_of(body)) return std::nullopt;
  return body;
}

// Reads a line into `row`, a table of one trial; the trial's number, or nullopt where the line does
// not fit as a whole.
std::optional<std::uint32_t> read_trial(Fields fields, TrialTable& row) {
  const auto trial = fields.next<std::uint32_t>();
  if (!trial) return std::nullopt;
  for (std::size_t c = 0; c < row.num_checkpoints(); ++c) {
    const auto correct = fields.next<unsigned>();
    const auto informative = fields.next<std::uint64_t>();
    if (!correct || *correct > 1 || !informative) return std::nullopt;
    row.set_facts(0, c, *correct == 1, *informative);
    for (std::size_t r = 0; r < row.num_regrets(); ++r) {
      const auto value = fields.next<double>();
      if (!value) return std::nullopt;
      row.set(0, c, r, *value);
    }
  }
  if (!fields.at_end()) return std::nullopt;
  return trial;
}

}  // namespace

Result<ProgressLog> ProgressLog::open(const std::filesystem::path& file, const std::string& study,
                                      std::size_t matrices, std::size_t policies, Opening opening) {
  const int descriptor =
      ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (descriptor < 0) return system_error("cannot be written", file, errno);
  ProgressLog log(file, descriptor, matrices, policies);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("cannot be locked", file, errno);
    return Error::io("another run is writing to this directory", file.string(),
                     "wait for it to end, or choose another directory");
  }
  if (opening == Opening::continued) {
    DUEL_ASSIGN(const bool has_study, log.index(study));
    if (has_study) return log;
  }
  if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0 ||
      !write_fully(descriptor, first_line(study) + "\n")) {
    return system_error("cannot be written", file, errno);
  }
  return log;
}

ProgressLog::ProgressLog(ProgressLog&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      policies_(other.policies_),
      stretches_(std::move(other.stretches_)),
      buffer_(std::move(other.buffer_)) {}

ProgressLog::~ProgressLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

// Finds the good lines and cuts off a torn last one. False where the file has no complete first
// line, so that there is nothing to continue.
Result<bool> ProgressLog::index(const std::string& study) {
  std::ifstream input(file_, std::ios::binary);
  std::string line;
  // getline reaches the end of the file exactly where the line has no \n.
  if (!std::getline(input, line) || input.eof()) return false;
  if (line != first_line(study)) {
    return Error::unsupported(
        "the unfinished run here is of another study, of other matrices, or by another version",
        file_.string(), "start over with `force`");
  }
  std::uint64_t offset = line.size() + 1;
  while (std::getline(input, line) && !input.eof()) {
    const std::uint64_t begin = offset;
    offset += line.size() + 1;
    const auto body = checked_body(line);
    if (!body) continue;
    Fields fields(*body);
    const auto matrix = fields.next<std::size_t>();
    const auto policy = fields.next<std::size_t>();
    if (!matrix || !policy || *policy >= policies_ || *matrix >= stretches_.size() / policies_) {
      continue;
    }
    auto& mine = stretches_[*matrix * policies_ + *policy];
    if (!mine.empty() && mine.back().end == begin) {
      mine.back().end = offset;
    } else {
      mine.push_back({begin, offset});
    }
  }
  if (input.bad()) return system_error("cannot be read", file_, EIO);
  const auto end = static_cast<off_t>(offset);
  if (ftruncate(descriptor_, end) != 0 || lseek(descriptor_, end, SEEK_SET) != end) {
    return system_error("cannot be written", file_, errno);
  }
  return true;
}

Status ProgressLog::load(std::size_t matrix, std::size_t policy, TrialTable& row,
                         const std::function<void(std::uint32_t trial)>& take) const {
  const auto& mine = stretches_[matrix * policies_ + policy];
  if (mine.empty()) return Done{};
  std::ifstream input(file_, std::ios::binary);
  std::string line;
  for (const Stretch& stretch : mine) {
    input.seekg(static_cast<std::streamoff>(stretch.begin));
    std::uint64_t offset = stretch.begin;
    while (offset < stretch.end) {
      if (!std::getline(input, line)) return system_error("cannot be read", file_, EIO);
      offset += line.size() + 1;
      const auto body = checked_body(line);
      if (!body) continue;
      Fields fields(*body);
      fields.next<std::size_t>();  // matrix and policy are known
      fields.next<std::size_t>();
      if (const auto trial = read_trial(fields, row)) take(*trial);
    }
  }
  return Done{};
}

void ProgressLog::append(std::size_t matrix, std::size_t policy, const TrialTable& table,
                         std::uint32_t row, std::uint32_t trial) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{},{},{}", matrix, policy, trial);
  for (std::size_t c = 0; c < table.num_checkpoints(); ++c) {
    fmt::format_to(out, ",{},{}", table.correct(row, c) ? 1 : 0, table.informative(row, c));
    for (std::size_t r = 0; r < table.num_regrets(); ++r) {
      fmt::format_to(out, ",{}", table.value(row, c, r));
    }
  }
  const std::string_view body(text.data(), text.size());
  const std::string checksum = checksum_of(body);
  const std::scoped_lock lock(mutex_);
  buffer_.append(body);
  buffer_ += ',';
  buffer_ += checksum;
  buffer_ += '\n';
}

Status ProgressLog::flush() {
  std::string ready;
  {
    const std::scoped_lock lock(mutex_);
    ready.swap(buffer_);
  }
  if (!write_fully(descriptor_, ready)) return system_error("cannot be written", file_, errno);
  return Done{};
}

Status ProgressLog::remove() {
  if (unlink(file_.c_str()) != 0) return system_error("cannot be removed", file_, errno);
  return Done{};
}

}  // namespace duel
