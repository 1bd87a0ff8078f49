// Described structs (core/described.h) as JSON text, without a Json in between: the answer to a
// serve or an outcome has a dozen fields, each of which would be an allocation or two.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/json_line.h"

namespace duel {

// Appends the very bytes of described_json(body).dump().
template <class Body>
void append_described(std::string& out, const Body& body) {
  const auto append_all = [&](char open, char close, const auto& append_each) {
    out += open;
    bool first = true;
    append_each([&] {
      if (!std::exchange(first, false)) out += ',';
    });
    out += close;
  };
  if constexpr (std::is_same_v<Body, std::string>) {
    append_json_text(out, body);
  } else if constexpr (std::is_same_v<Body, bool>) {
    out += body ? "true" : "false";
  } else if constexpr (std::is_same_v<Body, Timestamp>) {
    append_json_text(out, format_timestamp(body.ms));
  } else if constexpr (std::is_enum_v<Body>) {
    append_json_text(out, to_word(body));
  } else if constexpr (std::is_integral_v<Body>) {
    out += std::to_string(body);
  } else if constexpr (std::is_floating_point_v<Body>) {
    append_json_number(out, body);
  } else if constexpr (described_detail::IsOptional<Body>::value) {
    if (body) {
      append_described(out, *body);
    } else {
      out += "null";
    }
  } else if constexpr (described_detail::IsVector<Body>::value &&
                       !described_detail::IsNamed<Body>::value) {
    append_all('[', ']', [&](const auto& next) {
      for (const auto& item : body) {
        next();
        append_described(out, item);
      }
    });
  } else if constexpr (described_detail::IsArray<Body>) {
    append_all('[', ']', [&](const auto& next) {
      const auto add = [&](const auto& field) {
        next();
        append_described(out, std::invoke(field.get, body));
      };
      Described<Body>::fields.visit([&](const auto&... field) { (add(field), ...); });
    });
  } else if constexpr (described_detail::HasFields<Body>) {
    append_all('{', '}', [&](const auto& next) {
      const auto add = [&]<class Field>(const Field& field) {
        const auto& member = std::invoke(field.get, body);
        if constexpr (!Field::required) {
          static const Body kNew{};
          if (described_detail::is_new(member, std::invoke(field.get, kNew))) return;
        }
        next();
        out += '"';
        out += field.name;
        out += "\":";
        append_described(out, member);
      };
      Described<Body>::fields.visit([&](const auto&... field) { (add(field), ...); });
    });
  } else {
    out += described_json(body).dump();  // among it values by name, of which some may be repeated
  }
}

template <class Body>
std::string described_text(const Body& body) {
  constexpr std::size_t kMostAnswers = 1'000;  // are shorter
  std::string text;
  text.reserve(kMostAnswers);
  append_described(text, body);
  return text;
}

}  // namespace duel
