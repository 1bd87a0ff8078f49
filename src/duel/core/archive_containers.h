// Containers as fields of a saved state (archive.h): optional values, pairs, maps and sets.
//
// What has no order of its own is written in the order of its keys, so that equal states have equal
// bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "duel/core/archive.h"

namespace duel {

template <class Archive>
inline constexpr bool kReadsState = std::is_same_v<Archive, StateReader>;

// Like archive(fields..), with containers among them.
template <class Archive, class... Fields>
void archive_fields(Archive& archive, Fields&... fields);

namespace archive_detail {

template <class T>
concept Set = requires { typename T::key_type; };
template <class T>
concept Map = Set<T> && requires { typename T::mapped_type; };

// What a container holds, as a state of its own: so the reader's limits on vectors hold for it.
template <class... Parts>
struct Item {
  std::tuple<Parts...> parts;
  template <class Archive>
  void fields(Archive& archive) {
    std::apply([&](auto&... part) { archive_fields(archive, part...); }, parts);
  }
  friend bool operator<(const Item& a, const Item& b) {
    return std::get<0>(a.parts) < std::get<0>(b.parts);
  }
};

template <class Archive, class T>
void field(Archive& archive, T& value) {
  if constexpr (Map<T>) {
    std::vector<Item<typename T::key_type, typename T::mapped_type>> items;
    if constexpr (!kReadsState<Archive>) {
      for (const auto& [key, mapped] : value) items.push_back({{key, mapped}});
      std::sort(items.begin(), items.end());
    }
    archive(items);
    if constexpr (kReadsState<Archive>) {
      value.clear();
      for (auto& item : items) {
        value.emplace(std::move(std::get<0>(item.parts)), std::move(std::get<1>(item.parts)));
      }
    }
  } else if constexpr (Set<T>) {
    std::vector<Item<typename T::key_type>> items;
    if constexpr (!kReadsState<Archive>) {
      for (const auto& key : value) items.push_back({{key}});
      std::sort(items.begin(), items.end());
    }
    archive(items);
    if constexpr (kReadsState<Archive>) {
      value.clear();
      for (auto& item : items) value.insert(std::move(std::get<0>(item.parts)));
    }
  } else {
    archive(value);
  }
}
template <class Archive, class T>
void field(Archive& archive, std::optional<T>& value) {
  std::uint8_t there = value ? 1 : 0;
  archive(there);
  if constexpr (kReadsState<Archive>) {
    value.reset();
    if (there != 0) value.emplace();
  }
  if (value) archive_fields(archive, *value);
}
template <class Archive, class A, class B>
void field(Archive& archive, std::pair<A, B>& value) {
  archive_fields(archive, value.first, value.second);
}

}  // namespace archive_detail

template <class Archive, class... Fields>
void archive_fields(Archive& archive, Fields&... fields) {
  (archive_detail::field(archive, fields), ...);
}

}  // namespace duel
