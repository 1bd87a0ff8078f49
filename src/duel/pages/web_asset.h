// The files of the pages, embedded when the program was built. A build without npm has none.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace duel {

struct WebAsset {
  std::string_view name;  // "index.html", "dashboard-3XK2.js"
  std::string_view type;  // for Content-Type
  std::string_view etag;  // with its quotes; changes with the bytes
  std::string_view gzip;  // the file, compressed
};

// Sorted by name. Defined in a source that web/build.mjs writes, or in the one that stands in for
// it where the pages were not built.
std::span<const WebAsset> web_assets();

// Null where there is no such file.
const WebAsset* find_web_asset(std::string_view name);

// The file as it was before compression.
std::string plain_bytes(const WebAsset& asset);

}  // namespace duel
