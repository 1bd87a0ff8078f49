#include "duel/core/zero_runs.h"

#include <gtest/gtest.h>

#include <string>

#include "duel/core/rng.h"

namespace duel {
namespace {

constexpr std::size_t kPlenty = 1 << 20;

TEST(ZeroRuns, writes_a_run_as_its_length) {
  EXPECT_EQ(pack_zero_runs(""), "");
  EXPECT_EQ(pack_zero_runs("abc"), "abc");
  EXPECT_EQ(pack_zero_runs(std::string("a\0\0\0b", 5)), std::string("a\0\3b", 4));
  EXPECT_EQ(pack_zero_runs(std::string(300, '\0')), std::string("\0\xff\0\x2d", 4));
}

TEST(ZeroRuns, gives_back_what_was_packed) {
  RoundRng rng = Stream(3, 0, Purpose::test, "zero runs").at(1);
  for (int run = 0; run < 200; ++run) {
    std::string bytes;
    while (bytes.size() < rng.below(2000)) {
      if (rng.coin()) {
        bytes.append(rng.below(600), '\0');
      } else {
        bytes += static_cast<char>(rng.below(256));
      }
    }
    const auto unpacked = unpack_zero_runs(pack_zero_runs(bytes), kPlenty);
    ASSERT_TRUE(unpacked.ok());
    ASSERT_EQ(*unpacked, bytes);
  }
}

TEST(ZeroRuns, makes_a_table_of_small_counts_small) {
  std::string table(8000, '\0');
  for (std::size_t k = 0; k < table.size(); k += 8) table[k] = 3;
  EXPECT_LT(pack_zero_runs(table).size(), table.size() / 2);
}

TEST(ZeroRuns, refuses_what_is_no_packing_or_too_much) {
  EXPECT_FALSE(unpack_zero_runs(std::string("ab\0", 3), kPlenty).ok());
  EXPECT_FALSE(unpack_zero_runs(std::string("ab\0\0", 4), kPlenty).ok());
  EXPECT_FALSE(unpack_zero_runs(std::string("\0\xff\0\xff", 4), 509).ok());
  EXPECT_TRUE(unpack_zero_runs(std::string("\0\xff\0\xff", 4), 510).ok());
  EXPECT_FALSE(unpack_zero_runs("abc", 2).ok());
}

}  // namespace
}  // namespace duel
