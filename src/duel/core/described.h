// Structs that describe themselves: one table of fields per struct, from which readers, writers,
// their errors, schemas and documents follow, so that none of them can say something else.
//
//   struct PageItem {
//     std::uint64_t ordinal = 0;
//
//     static constexpr std::string_view schema = "PageItem";
//     static constexpr FieldList fields{
//         required("ordinal", &PageItem::ordinal, "1 for the first item of the first page"), ..};
//   };
//
// If the struct belongs to another room, or is used by code that should not see its table, the same
// goes into a specialisation of Described. `schema` is the name in /openapi.json; without one the
// object is written out wherever it is used.
//
// The type of the member says what the field holds: a text, a whole number, a number, true or
// false, a word of an enum (core/words.h), a time, an object (a described struct), a list of these,
// or any JSON. A struct whose description says `as_array` is written as an array of its members.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "duel/core/field_list.h"
#include "duel/core/id.h"
#include "duel/core/result.h"

namespace duel {

template <class Struct>
struct Described;

template <class Struct>
  requires requires { Struct::fields; }
struct Described<Struct> : Struct {};

struct Unchecked {};

// A member of a member.
template <class Part, class Get>
struct MemberOf {
  Part part;
  Get get;

  constexpr decltype(auto) operator()(auto& record) const {
    return std::invoke(get, std::invoke(part, record));
  }
};

template <class Get, class Check, bool Required>
struct Field {
  // If it is not required, a member with its default value is left out.
  static constexpr bool required = Required;

  std::string_view name;
  // std::invoke(get, record) is the member. One that is returned by value is worked out from the
  // others: it is written, and passed over when the record is read.
  Get get;
  std::string_view doc;  // what the name does not say
  Check check;           // what the type does not say of a value; called with the member

  template <bool Needed>
  constexpr Field<Get, Check, Needed> as_required() const {
    return {name, get, doc, check};
  }
  template <class Part>
  constexpr Field<MemberOf<Part, Get>, Check, Required> of(Part part) const {
    return {name, {part, get}, doc, check};
  }
};

template <class Get, class Check = Unchecked>
constexpr Field<Get, Check, true> required(std::string_view name, Get get,
                                           std::string_view doc = "", Check check = {}) {
  return {name, get, doc, check};
}

template <class Get, class Check = Unchecked>
constexpr Field<Get, Check, false> optional(std::string_view name, Get get,
                                            std::string_view doc = "", Check check = {}) {
  return {name, get, doc, check};
}

// The fields of `part`, a member of the record, among the fields of the record itself.
template <class Part, class... Fields>
constexpr auto inlined(Part part, const FieldList<Fields...>& fields) {
  return fields.visit([&](const auto&... field) { return FieldList{field.of(part)...}; });
}

// The same fields, none of them required.
template <class... Fields>
constexpr auto as_optional(const FieldList<Fields...>& fields) {
  return fields.visit(
      [](const auto&... field) { return FieldList{field.template as_required<false>()...}; });
}

// The same fields, all of them required: in an answer nothing is left out.
template <class... Fields>
constexpr auto as_required(const FieldList<Fields...>& fields) {
  return fields.visit(
      [](const auto&... field) { return FieldList{field.template as_required<true>()...}; });
}

// An id is checked where it comes in; whether it is known is another question.
struct IsIdOf {
  std::string_view noun;
  Status operator()(std::string_view id) const { return check_id(noun, id); }
};

// A text that is one of a few words; the schema says which.
struct OneOf {
  std::array<std::string_view, 8> words{};
  std::size_t count = 0;

  template <class... Words>
  constexpr explicit OneOf(Words... all) : words{all...}, count(sizeof...(all)) {}
  std::span<const std::string_view> all() const { return std::span(words).first(count); }
  Status operator()(std::string_view word) const;
};

// A number within bounds that the schema says, too.
struct Between {
  double low = 0;
  double high = 0;

  Status operator()(double value) const;
  template <class Number>
  Status operator()(const std::optional<Number>& value) const {
    return value ? (*this)(static_cast<double>(*value)) : Status(Done{});
  }
};

// A text in the caller's own words. An empty one is a value that the caller lost.
struct NotEmpty {
  Status operator()(std::string_view text) const;
};

}  // namespace duel
