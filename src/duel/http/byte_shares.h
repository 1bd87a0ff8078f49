// A number of bytes that all connections share, of which no caller gets more than a part: one that
// takes all it can leaves room for the others. Any thread may call it.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "duel/core/text_map.h"

namespace duel {

// What counts as one caller: an IPv4 address, or the first half of an IPv6 address, since the other
// half is usually for the caller to choose.
std::string network_of(std::string_view address);

class ByteShares {
 public:
  ByteShares(std::size_t most, std::size_t most_of_one) : most_(most), most_of_one_(most_of_one) {}

  // Takes so many bytes for the caller. False, and nothing is taken, if they are not there.
  bool take(const std::string& network, std::size_t bytes);
  // REQUIRES: they were taken for the same caller.
  void give_back(const std::string& network, std::size_t bytes);

  std::size_t taken() const;

 private:
  const std::size_t most_;
  const std::size_t most_of_one_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  TextMap<std::size_t> of_network_;  // none of 0
};

}  // namespace duel
