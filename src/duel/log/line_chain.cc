#include "duel/log/line_chain.h"

#include <fmt/format.h>

#include "duel/store/line.h"

namespace duel {

LineChain::LineChain() : head_(kHexDigits, '0'), next_(kHexDigits, '0') {}

void LineChain::begin_after(const Head& at) {
  lines_ = at.sequence;
  head_ = at.hash;
}

Status LineChain::follow(std::string_view line) {
  const auto no_hash = [] {
    return Error::invalid_data(
        "the line does not end with its hash: it was changed, or is not a line of a log");
  };
  const auto parts = split_line(line);
  if (!parts) return no_hash();
  sha_.hex_to(next_.data(), head_, parts->body);
  // The hash covers the line's number as well, so this comparison finds every fault. The rest only
  // finds words for it.
  if (next_ != parts->hash) {
    if (!is_sha256_hex(parts->hash)) return no_hash();
    if (const auto number = number_of(line); number && *number != lines_ + 1) {
      return Error::invalid_data(
          fmt::format("this is record {} where record {} belongs: lines are missing, repeated or "
                      "moved",
                      *number, lines_ + 1));
    }
    return Error::invalid_data("the hash does not fit the line: the line was changed");
  }
  ++lines_;
  head_.swap(next_);
  return Done{};
}

}  // namespace duel
