// The words that logs, bodies and commands have for the values of an enum: one table per enum.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/result.h"
#include "duel/core/spelling.h"

namespace duel {

// Specialised for an enum: `noun` for messages, `all` its words in order, and `older`, where there
// are words that are still read and never written.
template <class Enum>
struct Words;

template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires { Words<Enum>::all; };

template <class Enum, std::size_t Count>
constexpr auto words_table(const std::pair<std::string_view, Enum> (&words)[Count]) {
  return std::to_array(words);
}

template <HasWords Enum>
std::string_view to_word(Enum value) {
  for (const auto& [word, meaning] : Words<Enum>::all) {
    if (meaning == value) return word;
  }
  DUEL_CHECK(false);
  return {};
}

template <HasWords Enum>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> words;
  for (const auto& [word, meaning] : Words<Enum>::all) words.push_back(word);
  return words;
}

// An unknown word is an error with the nearest spelling.
template <HasWords Enum>
Result<Enum> parse_word(std::string_view word) {
  for (const auto& [known, meaning] : Words<Enum>::all) {
    if (known == word) return meaning;
  }
  if constexpr (requires { Words<Enum>::older; }) {
    for (const auto& [known, meaning] : Words<Enum>::older) {
      if (known == word) return meaning;
    }
  }
  std::vector<std::string> all;
  for (const auto& [known, meaning] : Words<Enum>::all) all.emplace_back(known);
  return Error::invalid_argument(fmt::format("'{}' is no {}", word, Words<Enum>::noun))
      .with_hint(spelling_hint(word, all));
}

}  // namespace duel
