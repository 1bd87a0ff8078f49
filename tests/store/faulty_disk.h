// A disk that fails, tears, delays and loses answers when it is told to.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "duel/store/log_file.h"

namespace duel {

enum class Fault {
  fails,         // nothing is done, and the call says so
  tears,         // a write does a part and says how much; other calls fail
  loses_answer,  // all is done, and the call says that nothing was
  kills,         // a write does a part, and the process is gone: every later call fails
};

class FaultyDisk final : public Disk {
 public:
  // The call that comes after `calls` others has the fault; `part` is what a torn write does.
  void arm(std::size_t calls, Fault fault, std::size_t part = 0) { armed_ = {calls, fault, part}; }
  // Whether the call that was to fail has come.
  bool struck() const { return struck_; }

  // Writes reach a file when it is synced: what was not is lost but for `kept` bytes. REQUIRES: the
  // files are still open.
  void lose_power(std::uint64_t kept = 0) {
    for (const auto& [descriptor, synced] : synced_) {
      const auto size = static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_END));
      if (size > synced + kept) Disk::truncate(descriptor, synced + kept);
    }
  }

  ssize_t write(int descriptor, std::string_view bytes) override {
    synced_.try_emplace(descriptor, 0);
    const std::optional<Armed> now = due();
    if (!now) return Disk::write(descriptor, bytes);
    if (now->fault == Fault::loses_answer) Disk::write(descriptor, bytes);
    if (now->fault == Fault::tears || now->fault == Fault::kills) {
      const ssize_t done = Disk::write(descriptor, bytes.substr(0, now->part));
      if (now->fault == Fault::tears) return done;
    }
    errno = EIO;
    return -1;
  }
  bool truncate(int descriptor, std::uint64_t size) override {
    const std::optional<Armed> now = due();
    if (!now) return Disk::truncate(descriptor, size);
    if (now->fault == Fault::loses_answer) Disk::truncate(descriptor, size);
    errno = EIO;
    return false;
  }
  bool sync(int descriptor) override {
    const std::optional<Armed> now = due();
    if (!now || now->fault == Fault::loses_answer) {
      synced_[descriptor] = static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_END));
    }
    errno = EIO;
    return !now;
  }

 private:
  struct Armed {
    std::size_t calls;
    Fault fault;
    std::size_t part;
  };

  // The fault of this call. A killed process stays so.
  std::optional<Armed> due() {
    if (killed_) return Armed{0, Fault::fails, 0};
    if (!armed_ || armed_->calls-- > 0) return std::nullopt;
    const Armed now = *armed_;
    armed_.reset();
    struck_ = true;
    killed_ = now.fault == Fault::kills;
    return now;
  }

  std::optional<Armed> armed_;
  bool struck_ = false;
  bool killed_ = false;
  std::map<int, std::uint64_t> synced_;  // size at the last sync, by descriptor
};

}  // namespace duel
