#include "duel/study/study_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace duel {
namespace {

constexpr std::string_view kPrefix = "shard-";
constexpr std::string_view kMiddle = "-of-";
constexpr std::string_view kSuffix = ".csv";

}  // namespace

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
