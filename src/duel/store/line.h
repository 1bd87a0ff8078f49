// The parts of a line that a store reads: its number in front and its hash at the end.
//
//   {"seq":7,..,"hash":"<64 hexadecimal digits>"}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace duel {

inline constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;
// Bytes after a line, as a store gives it, that may be read.
inline constexpr std::size_t kReadableAfterLine = 64;

// How the first line of every experiment begins.
inline constexpr std::string_view kFirstLine = "{\"seq\":1,";

// The number that a line gives itself.
std::optional<std::uint64_t> number_of(std::string_view line);

struct LineParts {
  std::string_view body;  // up to the comma before `"hash"`
  std::string_view hash;  // 64 characters
};
// Nothing if the line does not end with a hash.
std::optional<LineParts> split_line(std::string_view line);

// Makes a body a line. The caller checks kMostLineBytes.
void close_line(std::string& body, std::string_view hash);
// What `close_line` adds.
std::size_t closing_bytes();

}  // namespace duel
