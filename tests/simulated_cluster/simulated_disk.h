// The disk of one machine, on which a server with an SQLite database runs after the other. A
// process that is killed leaves all that it wrote. A loss of power leaves what was synced and a
// part of the rest, which may end in the middle of a commit.
//
// Each process has files of its own, which the next one gets as copies: the one before is never
// destroyed, and would write on.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "duel/store/sqlite.h"
#include "tests/store/faulty_vfs.h"
#include "tests/support/temporary_directory.h"

namespace duel {

class SimulatedDisk {
 public:
  // For the next process. `on_sync` is called in each sync.
  void begin(std::function<void()> on_sync) {
    vfs_.push_back(std::make_unique<FaultyVfs>());
    vfs().pretend_to_sync();
    vfs().on_sync(std::move(on_sync));
    for (const auto& [name, content] : synced_) vfs().know_synced(directory() / name, content);
    is_full_ = false;
  }
  FaultyVfs& vfs() { return *vfs_.back(); }
  std::filesystem::path file() const { return directory() / kNames[0]; }
  // Changes with every loss of power.
  std::string boot() const { return "boot " + std::to_string(losses_); }

  void fill() {
    is_full_ = true;
    vfs().fill(true);
  }
  void make_room() {
    is_full_ = false;
    vfs().make_room();
  }
  bool is_full() const { return is_full_; }

  // The process has ended.
  void kill() {
    const std::filesystem::path before = directory();
    for (const char* name : kNames) {
      if (vfs().synced(before / name).empty()) continue;
      synced_[name] = vfs().synced(before / name);
    }
    begin_directory();
    for (const char* name : kNames) {
      if (!std::filesystem::exists(before / name)) continue;
      std::filesystem::copy_file(before / name, directory() / name);
    }
  }
  // The machine has: of the log `kept` bytes survive that were not synced.
  void lose_power(std::size_t kept) {
    ++losses_;
    const FaultyVfs& before = vfs();
    begin_directory();
    before.lose_power(directory(), kept);
    for (const char* name : kNames) {
      const std::filesystem::path file = directory() / name;
      if (!std::filesystem::exists(file) && synced_.contains(name)) {
        write_content(file, synced_[name]);
      }
      synced_[name] = content_of(file);
    }
  }

  // Where an experiment ends in the files as they are now, and up to where all is known to be
  // there.
  struct End {
    std::uint64_t head = 0;
    std::uint64_t mark = 0;
  };
  std::map<std::string, End> ends() const {
    std::map<std::string, End> all;
    const TemporaryDirectory copy;  // whoever opens a database writes to it
    for (const char* name : kNames) write_content(copy / name, content_of(directory() / name));
    auto opened = SqliteConnection::open(copy / kNames[0], SQLITE_OPEN_READWRITE);
    if (!opened.ok()) return all;
    auto rows = opened->prepare("SELECT name, head_sequence, mark FROM experiments");
    if (!rows.ok()) return all;  // there is no table yet
    for (auto row = rows->step(); row.ok() && *row; row = rows->step()) {
      all[std::string(rows->text(0))] = {rows->number(1), rows->number(2)};
    }
    return all;
  }

 private:
  static constexpr std::array<const char*, 2> kNames{"duel.db", "duel.db-wal"};

  std::filesystem::path directory() const { return root_ / std::to_string(lives_); }
  void begin_directory() {
    ++lives_;
    std::filesystem::create_directory(directory());
  }

  TemporaryDirectory root_;
  int lives_ = 0;
  int losses_ = 0;
  bool is_full_ = false;
  std::map<std::string, std::string> synced_;    // content by name, when the last process began
  std::vector<std::unique_ptr<FaultyVfs>> vfs_;  // of each process

 public:
  SimulatedDisk() { std::filesystem::create_directory(directory()); }
};

}  // namespace duel
