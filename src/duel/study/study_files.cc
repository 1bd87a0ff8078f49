#include "duel/study/study_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr std::string_view kPrefix = "shard-";
constexpr std::string_view kMiddle = "-of-";
constexpr std::string_view kSuffix = ".csv";

}  // namespace

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

std::filesystem::path StudyFiles::shard(const Shard& shard) const {
  return directory /
         fmt::format("{}{}{}{}{}", kPrefix, shard.number, kMiddle, shard.count, kSuffix);
}

std::optional<Shard> StudyFiles::shard_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  std::string text = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  const auto middle = text.find(kMiddle);
  if (middle == std::string::npos) return std::nullopt;
  const auto shard = parse_shard(text.replace(middle, kMiddle.size(), "/"));
  return shard.ok() ? std::optional(*shard) : std::nullopt;
}

std::vector<std::filesystem::path> StudyFiles::shards() const {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;  // a directory that is not there has none
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (shard_of(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace duel
