// Reads a line of the log back into its record.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/log/record.h"

namespace duel {

bool is_utf8(std::string_view text);

// Keeps its buffers, so that a million lines are read without a million allocations. REQUIRES: one
// thread at a time.
class RecordReader {
 public:
  RecordReader();
  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  // `line` is a JSON object with the fields seq, time, record, those of its kind, and hash. Sets
  // all but `entry.hash`. A field that is missing, unknown, given twice or of the wrong type is an
  // error that names it. REQUIRES: kReadableAfterLine bytes after the line may be read.
  Status read(std::string_view line, LogEntry& entry);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duel
