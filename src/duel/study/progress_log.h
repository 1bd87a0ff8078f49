// progress.csv: the finished trials of a study that is not yet complete. One line per trial,
//   matrix,policy,trial,{correct,informative,value..} per checkpoint,checksum
// with indices for matrix and policy, after a first line that names the study. Lines are only ever
// appended; one that was cut by a kill, or altered, fails its checksum and its trial is run again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/simulation/simulation.h"

namespace duel {

class ProgressLog {
 public:
  enum class Opening {
    fresh,     // what was there is dropped
    continued  // what was there is kept if it belongs to the same study; otherwise an error
  };

  // `study` identifies everything that decides the values; a log of another study is not continued.
  // The file is locked: a second process that opens it gets an error.
  static Result<ProgressLog> open(const std::filesystem::path& file, const std::string& study,
                                  std::size_t matrices, std::size_t policies, Opening opening);
  ProgressLog(ProgressLog&& other) noexcept;
  ProgressLog& operator=(ProgressLog&&) = delete;
  ~ProgressLog();

  // The logged trials of one policy on one matrix, one at a time: `take` gets each in `row`, a
  // table of one trial, with its number. A number may come twice. Lines that do not fit are passed
  // over.
  Status load(std::size_t matrix, std::size_t policy, TrialTable& row,
              const std::function<void(std::uint32_t trial)>& take) const;

  // The trial stands in row `row` of the table. May be called from several threads at once. Nothing
  // reaches the disk before `flush`.
  void append(std::size_t matrix, std::size_t policy, const TrialTable& table, std::uint32_t row,
              std::uint32_t trial);
  Status flush();

  const std::filesystem::path& file() const { return file_; }

  // The study is complete: removes the file.
  Status remove();

 private:
  struct Stretch {  // of the file: consecutive good lines of one policy on one matrix
    std::uint64_t begin;
    std::uint64_t end;
  };

  ProgressLog(std::filesystem::path file, int descriptor, std::size_t matrices,
              std::size_t policies)
      : file_(std::move(file)),
        descriptor_(descriptor),
        policies_(policies),
        stretches_(matrices * policies) {}

  Result<bool> index(const std::string& study);

  std::filesystem::path file_;
  int descriptor_;
  std::size_t policies_;
  std::vector<std::vector<Stretch>> stretches_;  // per matrix and policy
  std::mutex mutex_;
  std::string buffer_;  // guarded by mutex_
};

}  // namespace duel
