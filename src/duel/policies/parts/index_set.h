// A set of small integers with its smallest member at or after any point found quickly: one bit per
// integer, and one bit per word of those.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace duel {

class IndexSet {
 public:
  // Empty; holds integers below `size`.
  explicit IndexSet(std::size_t size)
      : size_(size), words_((size + 63) / 64), summary_((words_.size() + 63) / 64) {}

  bool contains(std::size_t index) const { return (words_[index / 64] >> (index % 64) & 1) != 0; }
  void insert(std::size_t index) {
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
    summary_[index / 4096] |= std::uint64_t{1} << (index / 64 % 64);
  }
  void erase(std::size_t index) {
    std::uint64_t& word = words_[index / 64];
    word &= ~(std::uint64_t{1} << (index % 64));
    if (word == 0) summary_[index / 4096] &= ~(std::uint64_t{1} << (index / 64 % 64));
  }

  // The smallest member >= from, or `end()`.
  std::size_t first(std::size_t from = 0) const {
    if (from >= size_) return size_;
    const std::size_t word = from / 64;
    if (const std::uint64_t rest = words_[word] >> (from % 64) << (from % 64)) {
      return word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
    }
    std::size_t block = (word + 1) / 64;
    if (block >= summary_.size()) return size_;
    std::uint64_t rest = summary_[block] >> ((word + 1) % 64) << ((word + 1) % 64);
    while (rest == 0) {
      if (++block == summary_.size()) return size_;
      rest = summary_[block];
    }
    const std::size_t found = block * 64 + static_cast<std::size_t>(std::countr_zero(rest));
    return found * 64 + static_cast<std::size_t>(std::countr_zero(words_[found]));
  }
  std::size_t end() const { return size_; }
  bool empty() const { return first() == size_; }

  void swap(IndexSet& other) noexcept {
    words_.swap(other.words_);
    summary_.swap(other.summary_);
  }

  void fields(auto& archive) { archive(words_); }
  // After a restore: rebuilds the summary; false if the words are not those of such a set.
  bool restored() {
    if (words_.size() != (size_ + 63) / 64) return false;
    if (size_ % 64 != 0 && (words_.back() >> (size_ % 64)) != 0) return false;
    summary_.assign((words_.size() + 63) / 64, 0);
    for (std::size_t word = 0; word < words_.size(); ++word) {
      if (words_[word] != 0) summary_[word / 64] |= std::uint64_t{1} << (word % 64);
    }
    return true;
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;  // which words are not 0
};

}  // namespace duel
