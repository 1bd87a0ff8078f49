// What a caller's token allows.
#pragma once

#include <string_view>

#include "duel/core/words.h"

namespace duel {

// `admin` may do everything; `vote` may do nothing but vote.
enum class TokenScope { admin, read, duel, vote };
template <>
struct Words<TokenScope> {
  static constexpr std::string_view noun = "scope of a token";
  static constexpr auto all = words_table<TokenScope>({{"admin", TokenScope::admin},
                                                       {"read", TokenScope::read},
                                                       {"duel", TokenScope::duel},
                                                       {"vote", TokenScope::vote}});
};

}  // namespace duel
