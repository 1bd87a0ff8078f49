#include "duel/core/deflate.h"

#include <gtest/gtest.h>

#include <string>

#include "duel/core/rng.h"

namespace duel {
namespace {

constexpr std::size_t kPlenty = 1 << 20;

TEST(Deflate, gives_back_what_was_packed) {
  RoundRng rng = Stream(3, 0, Purpose::test, "deflate").at(1);
  for (int run = 0; run < 50; ++run) {
    std::string bytes;
    while (bytes.size() < rng.below(60'000)) {  // more than one portion of either direction
      if (rng.coin()) {
        bytes.append(rng.below(600), '\0');
      } else {
        bytes += static_cast<char>(rng.below(256));
      }
    }
    const auto inflated_bytes = inflated(deflated(bytes), kPlenty);
    ASSERT_TRUE(inflated_bytes.ok());
    ASSERT_EQ(*inflated_bytes, bytes);
  }
  EXPECT_EQ(*inflated(deflated(""), 0), "");
}

TEST(Deflate, makes_a_table_of_small_counts_small) {
  std::string table(80'000, '\0');
  for (std::size_t k = 0; k < table.size(); k += 8) table[k] = 3;
  EXPECT_LT(deflated(table).size(), table.size() / 60);
}

TEST(Deflate, refuses_more_than_was_allowed) {
  const std::string packed = deflated(std::string(100'000, '\0'));
  EXPECT_TRUE(inflated(packed, 100'000).ok());
  EXPECT_FALSE(inflated(packed, 99'999).ok());
}

TEST(Deflate, refuses_what_is_cut_changed_or_followed_by_more) {
  const std::string packed = deflated("the state of an experiment");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(inflated(packed.substr(0, size), kPlenty).ok()) << size;
  }
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto read = inflated(changed, kPlenty);
    EXPECT_FALSE(read.ok() && *read != "the state of an experiment") << at;
  }
  EXPECT_FALSE(inflated(packed + "x", kPlenty).ok());
}

}  // namespace
}  // namespace duel
