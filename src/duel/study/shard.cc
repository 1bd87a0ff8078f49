#include "duel/study/shard.h"

#include <fmt/format.h>

#include "duel/core/numbers.h"

namespace duel {

Result<Shard> parse_shard(std::string_view text) {
  constexpr std::uint64_t kMostShards = 1'000'000;
  const auto slash = text.find('/');
  const auto wrong = [&](std::string hint) {
    return Error::invalid_argument(fmt::format("'{}' is not a shard", text))
        .with_hint(std::move(hint));
  };
  if (slash == std::string_view::npos) return wrong("such as 3/64, the third of 64");
  const auto number = parse_count(text.substr(0, slash));
  const auto count = parse_count(text.substr(slash + 1));
  if (!number.ok() || !count.ok()) return wrong("such as 3/64, the third of 64");
  if (*count < 1 || *count > kMostShards) return wrong(fmt::format("1 to {} shards", kMostShards));
  if (*number < 1 || *number > *count)
    return wrong(fmt::format("they are numbered 1 to {}", *count));
  return Shard{static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*count)};
}

}  // namespace duel
