// Structs that describe themselves: one table of fields per struct, from which readers, writers,
// their errors, schemas and documents follow, so that none of them can say something else.
//
//   template <>
//   struct Described<ServeRecord> {
//     static constexpr FieldList fields{
//         required("ordinal", &ServeRecord::ordinal, "0, 1, 2, .. the order of serving"), ..};
//   };
//
// The type of the member says what the field holds: a text, a whole number, a number, true or
// false, a word of an enum (core/words.h), a time, an object (a described struct), a list of these,
// or any JSON.
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

struct Unchecked {};

template <class Get, class Check>
struct Field {
  std::string_view name;
  Get get;               // std::invoke(get, record) is the member
  bool required;         // where it is not, a member that is as in a new record is left out
  std::string_view doc;  // what the name does not say
  Check check;           // what the type does not say of a value; called with the member
};

template <class Get, class Check = Unchecked>
constexpr Field<Get, Check> required(std::string_view name, Get get, std::string_view doc = "",
                                     Check check = {}) {
  return {name, get, true, doc, check};
}

template <class Get, class Check = Unchecked>
constexpr Field<Get, Check> optional(std::string_view name, Get get, std::string_view doc = "",
                                     Check check = {}) {
  return {name, get, false, doc, check};
}

// A member of a member.
template <class Part, class Get>
struct MemberOf {
  Part part;
  Get get;

  constexpr auto& operator()(auto& record) const {
    return std::invoke(get, std::invoke(part, record));
  }
};

// The fields of `part`, a member of the record, among the fields of the record itself.
template <class Part, class... Gets, class... Checks>
constexpr auto inlined(Part part, const FieldList<Field<Gets, Checks>...>& fields) {
  return fields.visit([&](const auto&... field) {
    return FieldList{Field<MemberOf<Part, Gets>, Checks>{
        field.name, {part, field.get}, field.required, field.doc, field.check}...};
  });
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
