#include "duel/pages/web_asset.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "duel/core/check.h"

namespace duel {

const WebAsset* find_web_asset(std::string_view name) {
  const std::span<const WebAsset> all = web_assets();
  const auto found = std::ranges::lower_bound(all, name, {}, &WebAsset::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::string plain_bytes(const WebAsset& asset) {
  constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header
  z_stream stream{};
  DUEL_CHECK(inflateInit2(&stream, kGzip) == Z_OK);
  // zlib's interface wants a pointer to what it only reads.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(asset.gzip.data()));
  stream.avail_in = static_cast<uInt>(asset.gzip.size());
  std::string plain;
  std::array<char, 16384> piece{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  DUEL_CHECK(status == Z_STREAM_END);
  return plain;
}

}  // namespace duel
