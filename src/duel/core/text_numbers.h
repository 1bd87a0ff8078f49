// Texts by number, in the order in which they first appear. For many millions of them: the texts
// lie one after the other, and a lookup touches a slot and the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/rng.h"

namespace duel {

class TextNumbers {
 public:
  std::size_t size() const { return ends_.size() - 1; }
  std::string_view text(std::uint32_t number) const {
    return std::string_view(texts_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }

  // The number of the text, which is new if it was the size. REQUIRES: fewer than 2^32 - 1 texts.
  std::uint32_t number(std::string_view text) {
    if (2 * size() >= slots_.size()) grow();
    const std::uint64_t hash = mix64(hash_text(text));
    const std::size_t at = place(text, hash);
    if (slots_[at].number == 0) {
      texts_ += text;
      ends_.push_back(texts_.size());
      slots_[at] = {static_cast<std::uint32_t>(size()), static_cast<std::uint32_t>(hash >> 32)};
    }
    return slots_[at].number - 1;
  }

  std::optional<std::uint32_t> find(std::string_view text) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place(text, mix64(hash_text(text)))];
    return slot.number == 0 ? std::nullopt : std::optional(slot.number - 1);
  }

 private:
  struct Slot {
    std::uint32_t number = 0;  // + 1; 0: free
    std::uint32_t tag = 0;     // other bits of the hash than those that give the place
  };

  // Where the text is, or where it would go.
  std::size_t place(std::string_view wanted, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & mask;
    while (slots_[at].number != 0 &&
           (slots_[at].tag != tag || text(slots_[at].number - 1) != wanted)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    const std::size_t wider = slots_.empty() ? 64 : 2 * slots_.size();
    slots_.assign(wider, {});
    for (std::uint32_t k = 0; k < size(); ++k) {
      const std::uint64_t hash = mix64(hash_text(text(k)));
      slots_[place(text(k), hash)] = {k + 1, static_cast<std::uint32_t>(hash >> 32)};
    }
  }

  std::string texts_;
  std::vector<std::uint64_t> ends_ = {0};
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace duel
