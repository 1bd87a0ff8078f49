// Saving and restoring a state between any two calls. A class lists its fields once, in
// `template <class Archive> void fields(Archive& archive) { archive(a_, b_); }`, and the same list
// serves both directions. The bytes are little-endian with a length and a checksum, so that a cut
// or altered state is refused and never half restored.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/rng.h"

namespace duel {

static_assert(std::endian::native == std::endian::little,
              "states are written as they lie in memory");

// Written as they lie in memory, and many of them in one piece.
template <class T>
inline constexpr bool kIsPlain =
    !std::is_same_v<T, bool> && (std::is_arithmetic_v<T> || std::is_enum_v<T>);

class StateWriter {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (write(fields), ...);
  }

  // The saved state: magic, length, fields, checksum.
  std::string finish() const {
    StateWriter framed;
    framed.bytes_.reserve(bytes_.size() + 24);
    framed.bytes_ = kMagic;
    framed.write(static_cast<std::uint64_t>(bytes_.size()));
    framed.bytes_ += bytes_;
    framed.write(hash_text(bytes_));
    return framed.bytes_;
  }

  static constexpr const char* kMagic = "duelst01";

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (requires(T& object) { object.fields(*this); }) {
      const_cast<T&>(value).fields(*this);  // `fields` only reads here
    } else {
      static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>,
                    "padding would make equal states differ");
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    if constexpr (kIsPlain<T>) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) write(value);
    }
  }
  void write(const Duel& duel) { (*this)(duel.first, duel.second, duel.round, duel.foreign); }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }

  std::string bytes_;
};

class StateReader {
 public:
  // Checks the frame; the fields are read afterwards.
  static Result<StateReader> open(std::string_view saved) {
    const Error damaged = Error::invalid_data("the saved state is damaged or incomplete");
    const std::string_view magic = StateWriter::kMagic;
    if (!saved.starts_with(magic) || saved.size() < magic.size() + 16) return damaged;
    std::uint64_t length = 0;
    std::memcpy(&length, saved.data() + magic.size(), 8);
    if (length != saved.size() - magic.size() - 16) return damaged;
    const std::string_view body = saved.substr(magic.size() + 8, length);
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, body.data() + length, 8);
    if (checksum != hash_text(body)) return damaged;
    return StateReader(body);
  }

  template <class... Fields>
  void operator()(Fields&... fields) {
    (read(fields), ...);
  }

  // Everything was read, and nothing was missing or left over.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  explicit StateReader(std::string_view body) : rest_(body) {}

  template <class T>
  void read(T& value) {
    if constexpr (requires { value.fields(*this); }) {
      value.fields(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      if (rest_.size() < sizeof(T)) {
        ok_ = false;
        return;
      }
      std::memcpy(&value, rest_.data(), sizeof(T));
      rest_.remove_prefix(sizeof(T));
    }
  }
  template <class T>
  void read(std::vector<T>& values) {
    const std::uint64_t size = read_size();
    values.clear();
    if constexpr (kIsPlain<T>) {
      if (size > rest_.size() / sizeof(T)) {
        ok_ = false;
        return;
      }
      values.resize(size);
      if (size > 0) std::memcpy(values.data(), rest_.data(), size * sizeof(T));
      rest_.remove_prefix(size * sizeof(T));
    } else {
      for (std::uint64_t i = 0; i < size && ok_; ++i) {
        T value{};
        read(value);
        values.push_back(std::move(value));
      }
    }
  }
  void read(Duel& duel) { (*this)(duel.first, duel.second, duel.round, duel.foreign); }
  void read(std::string& text) {
    const std::uint64_t size = read_size();
    text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
  }
  std::uint64_t read_size() {
    std::uint64_t size = 0;
    read(size);
    if (size > rest_.size()) ok_ = false;
    return ok_ ? size : 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace duel
