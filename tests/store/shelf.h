// An experiment in a store, and the lines that should be there.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/digest.h"
#include "duel/store/line.h"
#include "duel/store/store.h"

namespace duel {

using Lines = std::vector<std::string>;

inline std::string line_of(std::uint64_t number, const std::string& text) {
  std::string line = fmt::format("{{\"seq\":{},\"text\":\"{}\"", number, text);
  const std::string hash = sha256_hex(line);
  close_line(line, hash);
  return line;
}

// A line of the text "d1: served" has the key d1; one without a colon has none.
inline std::string_view key_of(std::string_view line) {
  constexpr std::string_view kBefore = "\"text\":\"";
  const std::size_t found = line.find(kBefore);
  if (found == std::string_view::npos) return {};
  const std::string_view text = line.substr(found + kBefore.size());
  const std::size_t end = text.find_first_of(":\"");
  return end != std::string_view::npos && text[end] == ':' ? text.substr(0, end)
                                                           : std::string_view();
}

// As a group takes them; `texts` must outlive it.
inline std::vector<Line> as_lines(const Lines& texts) {
  std::vector<Line> lines;
  for (const std::string& text : texts) lines.push_back({text, key_of(text)});
  return lines;
}

inline Lines lines_of(Store& store, const std::string& experiment, std::uint64_t after = 0) {
  Lines lines;
  const auto rest = store.read(experiment, after, [&](std::string_view line) -> Status {
    lines.emplace_back(line);
    return Done{};
  });
  EXPECT_TRUE(rest.ok()) << rest.error().to_string();
  return lines;
}

class Shelf {
 public:
  Shelf(Store& store, std::string experiment)
      : store_(&store), experiment_(std::move(experiment)) {}

  // A group of lines with these texts, where it belongs.
  Lines group(const std::vector<std::string>& texts) const {
    Lines lines;
    for (const std::string& text : texts) {
      lines.push_back(line_of(expected_.size() + lines.size() + 1, text));
    }
    return lines;
  }
  Head head() const {
    if (expected_.empty()) return {};
    return {expected_.size(), std::string(split_line(expected_.back())->hash)};
  }

  void create() {
    const Status status = store_->create(experiment_);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
  }
  void append(const std::vector<std::string>& texts) {
    const Lines lines = group(texts);
    const Status status = store_->append_to(experiment_, head(), as_lines(lines));
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    expected_.insert(expected_.end(), lines.begin(), lines.end());
    is_as_expected();
  }
  // The message, and nothing has changed.
  std::string refusal_at(const Head& at, const std::vector<std::string>& texts) {
    const Lines lines = group(texts);
    const Status status = store_->append_to(experiment_, at, as_lines(lines));
    EXPECT_FALSE(status.ok());
    is_as_expected();
    return status.ok() ? "" : status.error().message;
  }
  std::string refusal(const std::vector<std::string>& texts) { return refusal_at(head(), texts); }
  void sync() { ASSERT_TRUE(store_->sync().ok()); }

  // The same lines in the store opened again.
  void moves_to(Store& store) {
    store_ = &store;
    const Status status = store_->own(experiment_);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
  }
  // Of a group that somebody appended in another way.
  void expect(const Lines& lines) {
    expected_.insert(expected_.end(), lines.begin(), lines.end());
    is_as_expected();
  }
  void is_as_expected() { EXPECT_EQ(lines_of(*store_, experiment_), expected_); }
  const Lines& expected() const { return expected_; }

 private:
  Store* store_;
  std::string experiment_;
  Lines expected_;
};

}  // namespace duel
