#include "duel/core/archive.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "duel/core/duel.h"

namespace duel {
namespace {

enum class Phase : std::uint8_t { exploring, exploiting };

struct Inner {
  std::vector<double> scores;
  Arm leader = 0;

  template <class Archive>
  void fields(Archive& archive) {
    archive(scores, leader);
  }
  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
  std::uint64_t round = 0;
  std::int64_t balance = 0;
  double mean = 0;
  bool done = false;
  Phase phase = Phase::exploring;
  std::string name;
  Duel pending;
  std::vector<Duel> queue;
  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> table;
  std::vector<bool> alive;
  std::vector<Inner> inners;
  Inner inner;

  template <class Archive>
  void fields(Archive& archive) {
    archive(round, balance, mean, done, phase, name);
    archive(pending, queue, names, table, alive, inners, inner);
  }
  friend bool operator==(const Outer&, const Outer&) = default;
};

Outer example() {
  Outer state;
  state.round = 123'456'789'012;
  state.balance = -5;
  state.mean = 0.1;
  state.done = true;
  state.phase = Phase::exploiting;
  state.name = std::string("a\0b", 3);
  state.pending = {3, 4, 99, true};
  state.queue = {{0, 1, 7, false}, {2, 2, 8, true}};
  state.names = {"rucb", "", "rmed1"};
  state.table = {{1, 2}, {}, {3}};
  state.alive = {true, false, true};
  state.inners = {{{1.5, -2.5}, 1}, {{}, 2}};
  state.inner = {{std::numeric_limits<double>::infinity()}, 7};
  return state;
}

template <class... Fields>
std::string saved(const Fields&... fields) {
  StateWriter writer;
  writer(fields...);
  return writer.finish();
}

// Reads into `state`; false where anything was wrong.
template <class T>
bool restore(std::string_view bytes, T& state) {
  auto reader = StateReader::open(bytes);
  if (!reader.ok()) return false;
  (*reader)(state);
  return reader->complete();
}

TEST(Archive, gives_back_what_was_saved) {
  Outer back;
  ASSERT_TRUE(restore(saved(example()), back));
  EXPECT_EQ(back, example());
}

TEST(Archive, replaces_what_was_there_before) {
  Outer back = example();
  ASSERT_TRUE(restore(saved(Outer{}), back));
  EXPECT_EQ(back, Outer{});
}

TEST(Archive, gives_equal_bytes_for_equal_states) {
  EXPECT_EQ(saved(example()), saved(example()));
  Outer other = example();
  other.pending.foreign = false;
  EXPECT_NE(saved(other), saved(example()));
}

TEST(Archive, keeps_every_bit_of_a_double) {
  for (const double value :
       {0.0, -0.0, 0.1, std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    double back = 1;
    ASSERT_TRUE(restore(saved(value), back));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
  }
}

// The format, so that states saved by one version open in the next.
TEST(Archive, writes_magic_length_fields_and_checksum_in_little_endian) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
  };
  const std::string body = bytes({4, 3, 2, 1}) +                     // a 32-bit word
                           bytes({2, 0, 0, 0, 0, 0, 0, 0}) + "hi" +  // a string
                           bytes({1, 0, 0, 0, 0, 0, 0, 0, 9}) +      // a vector of bytes
                           bytes({5, 0, 0, 0, 6, 0, 0, 0,            // a duel: its arms,
                                  7, 0, 0, 0, 0, 0, 0, 0, 1});       // round, foreign
  std::string checksum;
  std::uint64_t hash = hash_text(body);
  for (int k = 0; k < 8; ++k, hash >>= 8) checksum += static_cast<char>(hash & 0xff);
  const std::string expected =
      "duelst01" + bytes({static_cast<int>(body.size()), 0, 0, 0, 0, 0, 0, 0}) + body + checksum;
  EXPECT_EQ(saved(std::uint32_t{0x01020304}, std::string("hi"), std::vector<std::uint8_t>{9},
                  Duel{5, 6, 7, true}),
            expected);
}

TEST(Archive, an_empty_state_is_a_state) {
  const std::string bytes = saved();
  EXPECT_EQ(bytes.size(), 24u);
  EXPECT_TRUE(StateReader::open(bytes).value().complete());
}

TEST(Archive, refuses_every_truncation) {
  for (const std::string& whole : {saved(example()), saved()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ASSERT_FALSE(StateReader::open(std::string_view(whole).substr(0, size)).ok()) << size;
      ASSERT_FALSE(StateReader::open(std::string_view(whole).substr(whole.size() - size)).ok())
          << size;
    }
  }
}

TEST(Archive, refuses_every_flipped_bit) {
  const std::string whole = saved(example());
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string altered = whole;
      altered[place] = static_cast<char>(altered[place] ^ (1 << bit));
      ASSERT_FALSE(StateReader::open(altered).ok()) << "byte " << place << ", bit " << bit;
    }
  }
}

// FNV-1a is a bijection of the hash for a given byte, so one changed byte can never go unnoticed.
TEST(Archive, refuses_every_changed_byte) {
  const std::string whole = saved(std::string("state"), Duel{1, 2, 3, false});
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (int value = 0; value < 256; ++value) {
      std::string altered = whole;
      altered[place] = static_cast<char>(value);
      if (altered == whole) continue;
      ASSERT_FALSE(StateReader::open(altered).ok()) << "byte " << place << ", value " << value;
    }
  }
}

TEST(Archive, refuses_trailing_bytes) {
  const std::string whole = saved(example());
  EXPECT_FALSE(StateReader::open(whole + '\0').ok());
  EXPECT_FALSE(StateReader::open(whole + whole).ok());
}

TEST(Archive, calls_a_damaged_state_invalid_data) {
  for (const std::string& text : {std::string(), std::string("duelst01"), std::string(100, 'x')}) {
    const Error error = StateReader::open(text).error();
    EXPECT_EQ(error.code, ErrorCode::invalid_data);
    EXPECT_EQ(error.to_string(), "the saved state is damaged or incomplete");
  }
}

TEST(Archive, is_incomplete_where_fields_are_left_over) {
  const std::string bytes = saved(std::uint32_t{1}, std::uint32_t{2});
  StateReader reader = StateReader::open(bytes).value();
  EXPECT_FALSE(reader.complete());
  std::uint32_t value = 0;
  reader(value);
  EXPECT_FALSE(reader.complete());
  reader(value);
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(value, 2u);
}

TEST(Archive, stays_incomplete_where_fields_are_missing) {
  const std::string bytes = saved(std::uint32_t{1});
  StateReader reader = StateReader::open(bytes).value();
  std::uint64_t too_wide = 42;
  reader(too_wide);
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(too_wide, 42u);
  std::uint32_t fits = 0;
  reader(fits);  // what remains may be read, the state is refused all the same
  EXPECT_FALSE(reader.complete());
}

TEST(Archive, refuses_sizes_larger_than_what_is_there) {
  for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    std::vector<double> values = {1};
    EXPECT_FALSE(restore(saved(size), values));
    EXPECT_TRUE(values.empty());
    std::vector<Inner> inners;
    EXPECT_FALSE(restore(saved(size), inners));
    std::string text = "x";
    EXPECT_FALSE(restore(saved(size), text));
    EXPECT_EQ(text, "");
  }
  // Two doubles announced with the bytes of one and a half: enough bytes to pass the first look.
  std::vector<double> values;
  EXPECT_FALSE(restore(saved(std::uint64_t{2}, 1.5, std::uint32_t{0}), values));
}

TEST(Archive, reads_one_state_out_of_a_longer_buffer_without_copying_it) {
  const std::string bytes = "prefix" + saved(example()) + "suffix";
  Outer back;
  ASSERT_TRUE(restore(std::string_view(bytes).substr(6, bytes.size() - 12), back));
  EXPECT_EQ(back, example());
}

RC_GTEST_PROP(Archive, gives_back_any_vectors_and_strings,
              (const std::vector<std::string>& names,
               const std::vector<std::vector<std::uint64_t>>& table, std::int32_t number)) {
  const std::string bytes = saved(names, table, number);
  StateReader reader = StateReader::open(bytes).value();
  std::vector<std::string> names_back;
  std::vector<std::vector<std::uint64_t>> table_back;
  std::int32_t number_back = 0;
  reader(names_back, table_back, number_back);
  RC_ASSERT(reader.complete());
  RC_ASSERT(names_back == names);
  RC_ASSERT(table_back == table);
  RC_ASSERT(number_back == number);
}

RC_GTEST_PROP(Archive, refuses_any_bytes_that_were_never_saved, (const std::string& text)) {
  RC_ASSERT(!StateReader::open(text).ok());
  RC_ASSERT(!StateReader::open("duelst01" + text).ok());
}

// Well-framed bytes of any content never crash a reader of another shape.
RC_GTEST_PROP(Archive, survives_a_state_of_another_shape, (const std::string& text)) {
  StateWriter writer;
  for (const char c : text) writer(c);
  const std::string bytes = writer.finish();
  StateReader reader = StateReader::open(bytes).value();
  std::vector<std::vector<std::string>> values;
  std::vector<Inner> inners;
  std::uint64_t round = 0;
  reader(values, inners, round);
  if (text.size() < 24) RC_ASSERT(!reader.complete());
}

}  // namespace
}  // namespace duel
