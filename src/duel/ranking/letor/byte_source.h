// Where the bytes of a data file come from: a file (plain or gzip), standard input, or memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

// Reads up to `most` bytes; 0 only at the end. REQUIRES: most > 0.
using ByteSource = std::function<Result<std::size_t>(char* into, std::size_t most)>;

// `path` may be "-", standard input. Gzip is recognised by its first bytes, whatever the name.
Result<ByteSource> open_byte_source(const std::string& path);

// REQUIRES: `text` outlives the source.
ByteSource byte_source_of(std::string_view text);

}  // namespace duel
