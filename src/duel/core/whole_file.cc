#include "duel/core/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace duel {

Error system_error(const std::string& what, const std::filesystem::path& path, int code) {
  std::string message = fmt::format("{}: {}", what, std::generic_category().message(code));
  return code == ENOENT ? Error::not_found(std::move(message), path.string())
                        : Error::io(std::move(message), path.string());
}

Result<std::string> read_whole_file(const std::filesystem::path& file, std::size_t most_bytes) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return system_error("cannot be read", file, errno);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t size = read(descriptor.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_error("cannot be read", file, errno);
    if (size == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
    if (text.size() > most_bytes) {
      return Error::invalid_data(
          fmt::format("the file is larger than {} MB", most_bytes / 1'000'000), file.string());
    }
  }
}

Status make_directory(const std::filesystem::path& directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) return system_error("the directory cannot be created", directory, code.value());
  if (!std::filesystem::is_directory(directory, code)) {
    return system_error("cannot write there", directory, ENOTDIR);
  }
  return Done{};
}

bool write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(descriptor, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) {
  // Two writers of one study are kept apart by the lock on its progress, so the name may be fixed:
  // what a killed run left is replaced, not added to.
  std::filesystem::path temporary = target;
  temporary.replace_filename("." + target.filename().string() + ".tmp");
  Descriptor descriptor(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                             S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
  if (descriptor.get() < 0) return system_error("cannot be written", target, errno);
  return AtomicFile(target, std::move(temporary), std::move(descriptor));
}

AtomicFile::~AtomicFile() {
  if (descriptor_.get() >= 0) unlink(temporary_.c_str());
}

Status AtomicFile::write(std::string_view text) {
  if (!write_fully(descriptor_.get(), text)) {
    return system_error("cannot be written", target_, errno);
  }
  return Done{};
}

Status AtomicFile::commit() {
  if (fsync(descriptor_.get()) != 0 || rename(temporary_.c_str(), target_.c_str()) != 0) {
    return system_error("cannot be written", target_, errno);
  }
  const Descriptor closed(std::move(descriptor_));
  return Done{};
}

Status write_whole_file(const std::filesystem::path& file, std::string_view text) {
  DUEL_ASSIGN(AtomicFile writer, AtomicFile::create(file));
  DUEL_RETURN_IF_ERROR(writer.write(text));
  return writer.commit();
}

}  // namespace duel
