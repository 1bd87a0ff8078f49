// Checks the hashes that chain the lines of a log (experiment_log.h), without reading what the
// lines say. REQUIRES: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "duel/core/digest.h"
#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

class LineChain {
 public:
  LineChain();

  // The next line must follow this one.
  void begin_after(const Head& at);

  // `line` is without its line end. An error if it is not the line that was chained to the one
  // before: something was changed, or is missing.
  Status follow(std::string_view line);

  std::uint64_t lines() const { return lines_; }
  const std::string& head() const { return head_; }  // zeros before the first line

 private:
  std::uint64_t lines_ = 0;
  std::string head_;
  std::string next_;  // a buffer for the hash of the line at hand
  Sha256 sha_;
};

}  // namespace duel
