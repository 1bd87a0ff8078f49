// The head of an answer: its first line and its fields.
#pragma once

#include <string>
#include <string_view>

#include "duel/http/http.h"

namespace duel {

bool has_no_body(int status);

// With the date, and without the empty line that ends it. `close`: no further request is read.
std::string head_of(int status, const HttpFields& headers, bool close);

// Drops line ends: one inside a value would let a caller smuggle in another header.
void append_field(std::string& head, std::string_view name, std::string_view value);

}  // namespace duel
