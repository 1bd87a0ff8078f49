// SQLite on a disk that fails, loses answers and loses power when it is told to: a layer under
// SQLite, above the system's files.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "tests/store/faulty_disk.h"
#include "tests/support/temporary_directory.h"

namespace duel {

class FaultyVfs {
 public:
  enum class Call { write, sync };

  FaultyVfs() : real_(sqlite3_vfs_find(nullptr)) {
    static int count = 0;
    name_ = "duel-faulty-" + std::to_string(++count);
    vfs_ = *real_;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.pNext = nullptr;
    vfs_.xOpen = &open;
    sqlite3_vfs_register(&vfs_, 0);
  }
  ~FaultyVfs() { sqlite3_vfs_unregister(&vfs_); }
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  const std::string& name() const { return name_; }

  // The call on the write-ahead log that comes after `calls` others of its kind fails with `code`;
  // where it `loses_answer`, it is done all the same.
  void arm(Call call, std::size_t calls, int code, Fault fault = Fault::fails) {
    const std::lock_guard lock(mutex_);
    armed_[call] = {calls, code, fault};
  }
  // From now on the disk is full: nothing can be written. Where a process was killed, SQLite cuts
  // the index of the log that it left, which makes room for a new one; otherwise there is none.
  void fill(bool index_has_room) {
    full_ = true;
    index_has_room_ = index_has_room;
  }
  void make_room() { full_ = false; }
  std::size_t syncs() const {
    const std::lock_guard lock(mutex_);
    return syncs_;
  }
  // Syncs take no time of the machine's: what counts as synced is known here.
  void pretend_to_sync() { pretends_ = true; }
  // What is on the disk of a file: as after its last sync, or as another layer has left it.
  std::string synced(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = synced_.find(path);
    return found == synced_.end() ? "" : found->second;
  }
  void know_synced(const std::string& path, std::string content) {
    const std::lock_guard lock(mutex_);
    synced_[path] = std::move(content);
  }
  // Called in every sync of the write-ahead log, before it is done.
  void on_sync(std::function<void()> callback) {
    const std::lock_guard lock(mutex_);
    on_sync_ = std::move(callback);
  }

  // Writes to `directory` what a loss of power now would leave of the files: what was synced, and
  // the first `kept` unsynced bytes of the write-ahead log.
  void lose_power(const std::filesystem::path& directory, std::size_t kept = 0) const {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths_) {
      const auto found = synced_.find(path);
      std::string content = found == synced_.end() ? "" : found->second;
      if (path.ends_with("-wal") && kept > 0) {
        const std::string now = content_of(path);
        if (now.size() > content.size()) content += now.substr(content.size(), kept);
      }
      write_content(directory / std::filesystem::path(path).filename().string(), content);
    }
  }

 private:
  struct File {
    sqlite3_file base;
    FaultyVfs* vfs;
    const std::string* path;  // in paths_; null for other files
    bool is_log;
    // SQLite's own file follows.
  };
  static File* file_of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  static sqlite3_file* real_of(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(file_of(file) + 1);
  }

  struct Armed {
    std::size_t calls;
    int code;
    Fault fault;
  };
  std::optional<Armed> due(Call call) {
    const auto found = armed_.find(call);
    if (found == armed_.end() || found->second.calls-- > 0) return std::nullopt;
    const Armed now = found->second;
    armed_.erase(found);
    return now;
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    auto* self = static_cast<FaultyVfs*>(vfs->pAppData);
    File* opened = file_of(file);
    opened->base.pMethods = nullptr;
    opened->vfs = self;
    opened->path = nullptr;
    opened->is_log = (flags & SQLITE_OPEN_WAL) != 0;
    const int code = self->real_->xOpen(self->real_, path, real_of(file), flags, out);
    if (code != SQLITE_OK) return code;
    if ((flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)) != 0) {
      const std::lock_guard lock(self->mutex_);
      opened->path = &*self->paths_.insert(path).first;
    }
    opened->base.pMethods = &methods();
    return SQLITE_OK;
  }

  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    File* opened = file_of(file);
    std::optional<Armed> fault;
    if (opened->is_log) {
      const std::lock_guard lock(opened->vfs->mutex_);
      fault = opened->vfs->due(Call::write);
    }
    if (fault && fault->fault == Fault::fails) return fault->code;
    if (opened->vfs->full_) return SQLITE_FULL;
    const int code = real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
    return fault ? fault->code : code;
  }

  // In one piece: every sync reads the whole log, and byte by byte a test would do little else.
  static std::string read_at_once(const std::string& path) {
    std::ifstream input(path, std::ios::binary | std::ios::ate);
    std::string content(input ? static_cast<std::size_t>(input.tellg()) : 0, '\0');
    input.seekg(0).read(content.data(), static_cast<std::streamsize>(content.size()));
    return content;
  }

  static int sync(sqlite3_file* file, int flags) {
    File* opened = file_of(file);
    std::optional<Armed> fault;
    std::function<void()> callback;
    if (opened->is_log) {
      const std::lock_guard lock(opened->vfs->mutex_);
      ++opened->vfs->syncs_;
      fault = opened->vfs->due(Call::sync);
      callback = opened->vfs->on_sync_;
    }
    if (callback) callback();
    if (fault && fault->fault == Fault::fails) return fault->code;
    // What is written while a sync runs may be missed by it, and here it is.
    std::string content;
    if (opened->path != nullptr) content = read_at_once(*opened->path);
    const bool pretends = opened->vfs->pretends_;
    const int code = pretends ? SQLITE_OK : real_of(file)->pMethods->xSync(real_of(file), flags);
    if (opened->path != nullptr) {
      const std::lock_guard lock(opened->vfs->mutex_);
      opened->vfs->synced_[*opened->path] = std::move(content);
    }
    return fault ? fault->code : code;
  }

  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods all = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;  // with shared memory, without memory-mapped reading
      m.xClose = [](sqlite3_file* f) { return real_of(f)->pMethods->xClose(real_of(f)); };
      m.xRead = [](sqlite3_file* f, void* to, int count, sqlite3_int64 offset) {
        return real_of(f)->pMethods->xRead(real_of(f), to, count, offset);
      };
      m.xWrite = &write;
      m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
        return real_of(f)->pMethods->xTruncate(real_of(f), size);
      };
      m.xSync = &sync;
      m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
        return real_of(f)->pMethods->xFileSize(real_of(f), size);
      };
      m.xLock = [](sqlite3_file* f, int k) { return real_of(f)->pMethods->xLock(real_of(f), k); };
      m.xUnlock = [](sqlite3_file* f, int k) {
        return real_of(f)->pMethods->xUnlock(real_of(f), k);
      };
      m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
        return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
      };
      m.xFileControl = [](sqlite3_file* f, int op, void* argument) {
        return real_of(f)->pMethods->xFileControl(real_of(f), op, argument);
      };
      m.xSectorSize = [](sqlite3_file* f) { return real_of(f)->pMethods->xSectorSize(real_of(f)); };
      m.xDeviceCharacteristics = [](sqlite3_file* f) {
        return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
      };
      m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
        const FaultyVfs& vfs = *file_of(f)->vfs;
        const bool full = vfs.full_ && !vfs.index_has_room_;
        const int code =
            real_of(f)->pMethods->xShmMap(real_of(f), page, size, full ? 0 : extend, out);
        const bool missing = full && extend != 0 && code == SQLITE_OK && *out == nullptr;
        return missing ? SQLITE_IOERR_SHMSIZE : code;
      };
      m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
        return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
      };
      m.xShmBarrier = [](sqlite3_file* f) { real_of(f)->pMethods->xShmBarrier(real_of(f)); };
      m.xShmUnmap = [](sqlite3_file* f, int remove) {
        return real_of(f)->pMethods->xShmUnmap(real_of(f), remove);
      };
      return m;
    }();
    return all;
  }

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  std::string name_;
  mutable std::mutex mutex_;
  std::set<std::string> paths_;  // of databases and their logs
  std::map<std::string, std::string> synced_;
  std::map<Call, Armed> armed_;
  std::size_t syncs_ = 0;
  std::atomic<bool> full_ = false, index_has_room_ = false, pretends_ = false;
  std::function<void()> on_sync_;
};

}  // namespace duel
