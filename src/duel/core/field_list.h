// A list of fields of different types, known when Duel is compiled: what std::tuple is, without the
// constructors, comparisons and conversions that make a tuple of thirty fields take a second to
// compile in every source that sees it.
#pragma once

#include <cstddef>
#include <utility>

namespace duel {

namespace field_list_detail {

template <std::size_t Index, class Field>
struct Place {
  Field field;
};

template <class Numbers, class... Fields>
struct Places;

template <std::size_t... Index, class... Fields>
struct Places<std::index_sequence<Index...>, Fields...> : Place<Index, Fields>... {
  constexpr explicit Places(const Fields&... fields) : Place<Index, Fields>{fields}... {}

  template <class Visit>
  constexpr decltype(auto) visit(const Visit& visit) const {
    return visit(Place<Index, Fields>::field...);
  }
};

template <std::size_t Index, class Field>
constexpr const Field& at(const Place<Index, Field>& place) {
  return place.field;
}

}  // namespace field_list_detail

template <class... Fields>
struct FieldList : field_list_detail::Places<std::index_sequence_for<Fields...>, Fields...> {
  static constexpr std::size_t kSize = sizeof...(Fields);

  constexpr explicit FieldList(const Fields&... fields)
      : field_list_detail::Places<std::index_sequence_for<Fields...>, Fields...>(fields...) {}

  template <std::size_t Index>
  constexpr const auto& at() const {
    return field_list_detail::at<Index>(*this);
  }
};

template <class... Fields>
FieldList(Fields...) -> FieldList<Fields...>;

template <class... First, class... Second, class... Rest>
constexpr auto joined(const FieldList<First...>& first, const FieldList<Second...>& second,
                      const Rest&... rest) {
  const auto both = first.visit([&](const First&... a) {
    return second.visit(
        [&](const Second&... b) { return FieldList<First..., Second...>(a..., b...); });
  });
  if constexpr (sizeof...(Rest) == 0) {
    return both;
  } else {
    return joined(both, rest...);
  }
}

}  // namespace duel
