// What a caller's token allows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "duel/core/words.h"

namespace duel {

// `admin` may do everything; `vote` may do nothing but vote, and `judge` nothing but answer as a
// program: where people audit it, it cannot answer in their place.
enum class TokenScope { admin, read, duel, vote, judge };
template <>
struct Words<TokenScope> {
  static constexpr std::string_view noun = "scope of a token";
  static constexpr auto all = words_table<TokenScope>({{"admin", TokenScope::admin},
                                                       {"read", TokenScope::read},
                                                       {"duel", TokenScope::duel},
                                                       {"vote", TokenScope::vote},
                                                       {"judge", TokenScope::judge}});
};

// A share link may be passed on to anybody. These bound what whoever has it can add to the votes:
// the server makes the subjects, one for each browser that begins to vote, and counts them.
struct LinkRule {
  std::uint64_t max_subjects_per_day = 1000;
  std::uint64_t max_subjects_per_address_per_day = 30;  // a school or an office has one address
  bool one_browser = false;                             // the first that opens it
  std::string member{};                                 // of a panel: who votes by it

  friend bool operator==(const LinkRule&, const LinkRule&) = default;
};

}  // namespace duel
