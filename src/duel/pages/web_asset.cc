#include "duel/pages/web_asset.h"

#include <algorithm>
#include <cstddef>

#include "duel/core/deflate.h"

namespace duel {

const WebAsset* find_web_asset(std::string_view name) {
  const std::span<const WebAsset> all = web_assets();
  const auto found = std::ranges::lower_bound(all, name, {}, &WebAsset::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::string plain_bytes(const WebAsset& asset) {
  constexpr std::size_t kPlenty = std::size_t{1} << 30;
  return *inflated(asset.gzip, kPlenty);  // it was packed when Duel was built
}

}  // namespace duel
