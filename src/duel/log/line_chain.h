// The hashes that chain the lines of a log (experiment_log.h), followed without reading what the
// lines say.
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

  // Goes on after a line that is known.
  void begin_after(const Head& at);

  // `line` is without its end. An error where it is not the line that was chained to the one
  // before: something was changed, or is missing.
  Status follow(std::string_view line);

  std::uint64_t lines() const { return lines_; }
  const std::string& head() const { return head_; }  // zeros before the first line

 private:
  std::uint64_t lines_ = 0;
  std::string head_;
  std::string next_;
  Sha256 sha_;
};

}  // namespace duel
