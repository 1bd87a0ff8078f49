// What others wrote, made fit for a message or a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace duel {

// Whether bytes are text that JSON can carry: UTF-8 without zero bytes.
bool is_text(std::string_view bytes);

// `text` in quotes: its first `most` bytes, what cannot be printed as '?'.
std::string excerpt(std::string_view text, std::size_t most = 60);

}  // namespace duel
