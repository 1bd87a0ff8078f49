// Where the bytes of a data file come from: a file (plain or gzip), standard input, or memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `most` bytes; 0 only at the end. REQUIRES: most > 0.
  virtual Result<std::size_t> read(char* into, std::size_t most) = 0;
};

// `path` may be "-", standard input. Gzip is recognised by its first bytes, whatever the name.
Result<std::unique_ptr<ByteSource>> open_byte_source(const std::string& path);

// REQUIRES: `text` outlives the source.
std::unique_ptr<ByteSource> byte_source_of(std::string_view text);

}  // namespace duel
