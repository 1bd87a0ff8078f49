#include "duel/core/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "duel/core/check.h"

namespace duel {
namespace {

// zlib's interface wants a pointer to what it only reads, and counts in 32 bits.
void feed(z_stream& stream, std::string_view& rest) {
  const auto portion = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
  stream.avail_in = static_cast<uInt>(portion);
  rest.remove_prefix(portion);
}

// Appends what one call of `step` makes, and returns its status.
template <class Step>
int append_piece(z_stream& stream, std::string& out, Step step) {
  std::array<char, 16384> piece;
  stream.next_out = reinterpret_cast<Bytef*>(piece.data());
  stream.avail_out = static_cast<uInt>(piece.size());
  const int status = step(stream);
  out.append(piece.data(), piece.size() - stream.avail_out);
  return status;
}

}  // namespace

std::string deflated(std::string_view bytes) {
  z_stream stream{};
  DUEL_CHECK(deflateInit(&stream, Z_BEST_SPEED) == Z_OK);
  std::string packed;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) feed(stream, bytes);
    status = append_piece(stream, packed, [&](z_stream& its) {
      return deflate(&its, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    });
  }
  deflateEnd(&stream);
  DUEL_CHECK(status == Z_STREAM_END);
  return packed;
}

Result<std::string> inflated(std::string_view packed, std::size_t most_bytes) {
  constexpr int kZlibOrGzip = 15 + 32;  // the largest window; the header says which
  z_stream stream{};
  DUEL_CHECK(inflateInit2(&stream, kZlibOrGzip) == Z_OK);
  std::string bytes;
  int status = Z_OK;
  while (status == Z_OK && bytes.size() <= most_bytes) {
    if (stream.avail_in == 0) feed(stream, packed);
    // Without input it returns Z_BUF_ERROR: the end is missing.
    status = append_piece(stream, bytes, [](z_stream& its) { return inflate(&its, Z_NO_FLUSH); });
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0 && packed.empty();
  inflateEnd(&stream);
  if (!whole || bytes.size() > most_bytes) {
    return Error::invalid_data("the packed bytes are damaged");
  }
  return bytes;
}

}  // namespace duel
