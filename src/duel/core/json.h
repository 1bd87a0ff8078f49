// A JSON value with its members in the order in which they were added. Texts are read by simdjson,
// behind json.cc. Reading, writing and comparing take time in proportion to the text (with a
// logarithm where names are sorted), whatever a caller sends.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace duel {

// Thrown by `get` and `at` where the value is of another kind or a member is missing.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a text may ask of its reader.
struct JsonLimits {
  std::size_t values = std::numeric_limits<std::size_t>::max();  // members and items, all together
  std::size_t depth = 500;    // arrays and objects inside each other
  bool names_differ = false;  // true: an object with two members of one name is refused
  // True: `dump` gives numbers in the digits that they were read in, whatever their size.
  bool numbers_as_written = false;
};

// Why a text was not taken.
struct JsonFault {
  enum class Kind { not_json, too_deep, too_many, repeated_name } kind = Kind::not_json;
  std::string pointer;  // to what was at fault (RFC 6901); empty: the whole text
  std::string message;  // goes on after its subject: "is not JSON: line 2, column 7"
};

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  Json() noexcept;  // null
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  // NOLINTBEGIN(google-explicit-constructor): a value is what it holds
  Json(std::nullptr_t) noexcept;
  Json(std::same_as<bool> auto value) : Json(Boolean{value}) {}
  Json(std::signed_integral auto value) : Json(Integer{value}) {}
  Json(std::unsigned_integral auto value)
    requires(!std::same_as<decltype(value), bool>)
      : Json(Unsigned{value}) {}
  Json(double value);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(Array items);
  Json(Object members);
  Json(std::span<const double> numbers);
  template <class T>
  Json(const std::vector<T>& items) : Json(array_of(items)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  // An object where every item is a pair of a text and a value, otherwise an array.
  Json(std::initializer_list<Json> items);
  // NOLINTEND(google-explicit-constructor)

  static Json array();
  static Json object();

  // Nothing where the text is not one JSON value within the limits. Of two members of one name the
  // last counts, in the place of the first.
  static std::optional<Json> parse(std::string_view text, const JsonLimits& limits = {},
                                   JsonFault* fault = nullptr);
  // The same with numbers as `parse` reads them without `numbers_as_written`: 0.30 becomes 0.3, and
  // what no 64 bits hold becomes the nearest double. Only what is beyond doubles stays as written.
  Json with_plain_numbers() const;
  // The same with one spelling for all those of one value that are kept as written.
  Json with_exact_numbers() const;
  // On one line. Bytes that are not UTF-8 become the replacement character.
  std::string dump() const;
  // About as many bytes as `dump` gives.
  std::size_t text_size() const;
  // With two spaces a level and a newline at the end, as every file and every `--json` has it.
  std::string dump_pretty() const;

  bool is_null() const { return std::holds_alternative<std::monostate>(content_); }
  bool is_boolean() const { return std::holds_alternative<bool>(content_); }
  bool is_unsigned() const { return std::holds_alternative<std::uint64_t>(content_); }
  bool is_number() const {
    return is_unsigned() || std::holds_alternative<std::int64_t>(content_) ||
           std::holds_alternative<double>(content_) || std::holds_alternative<Written>(content_);
  }
  bool is_string() const { return std::holds_alternative<std::string>(content_); }
  bool is_array() const { return std::holds_alternative<Array>(content_); }
  bool is_object() const { return std::holds_alternative<Object>(content_); }
  // Integers, unsigned integers and other numbers are three kinds; one that is kept as written,
  // since `dump` would spell it otherwise, is of a fourth.
  bool same_kind(const Json& other) const { return content_.index() == other.content_.index(); }

  // The value as bool, a number, std::string, or a vector of these. Throws JsonError.
  template <class T>
  T get() const;

  // Of an object; null becomes an empty object, and a new name a null member. Each call looks at
  // all members: an object with the names that a caller sent is built by `add`.
  Json& operator[](std::string_view name);
  Json& operator[](int) = delete;  // a literal 0 would be a null pointer to a name
  // Throw JsonError where there is no such member.
  const Json& at(std::string_view name) const;
  const Json& operator[](std::string_view name) const { return at(name); }
  const Json& operator[](int) const = delete;
  // Null where there is no such member, or this is not an object.
  const Json* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // Appends a member. REQUIRES: an object or null, and no member of this name.
  void add(std::string name, Json value);
  // Adds the members of another object; those of the same name take its values.
  void update(const Json& other);
  std::span<const Member> members() const;  // none where this is not an object

  // Of an array; null becomes an empty array.
  void push_back(Json item);
  std::span<const Json> items() const;  // none where this is not an array
  Array take_items() &&;                // the same, moved out
  // Of an array or an object.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Numbers are equal by value, objects whatever the order of their members. A double equals all
  // numbers that are read as this double.
  friend bool operator==(const Json& one, const Json& other);

 private:
  struct Boolean {
    bool value;
  };
  struct Integer {
    std::int64_t value;
  };
  struct Unsigned {
    std::uint64_t value;
  };
  struct Written {
    std::string digits;
  };
  explicit Json(Boolean value);
  explicit Json(Integer value);
  explicit Json(Unsigned value);
  explicit Json(Written value);
  template <class T>
  static Array array_of(const std::vector<T>& items);

  bool as_boolean() const;
  double as_double() const;
  std::int64_t as_integer() const;
  std::uint64_t as_unsigned() const;
  const std::string& as_string() const;
  const Array& as_array() const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object, Written>
      content_;

  friend struct JsonAccess;
};

struct Json::Member {
  std::string name;
  Json value;
};

template <class T>
Json::Array Json::array_of(const std::vector<T>& items) {
  return Array(items.begin(), items.end());
}

namespace json_detail {
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
}  // namespace json_detail

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, bool>) {
    return as_boolean();
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(as_double());
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<T>(as_integer());
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(as_unsigned());
  } else if constexpr (json_detail::IsVector<T>::value) {
    T values;
    for (const Json& item : as_array()) values.push_back(item.get<typename T::value_type>());
    return values;
  } else {
    static_assert(std::same_as<T, std::string>);
    return as_string();
  }
}

// JSON has no NaN and no infinity: what is not finite is null.
Json finite_or_null(double value);

// Appends the text as `dump` writes it: in quotes, and what is not UTF-8 as U+FFFD.
void append_json_text(std::string& out, std::string_view text);

// A member's name as a part of a JSON pointer: "/name" with ~ and / escaped.
std::string pointer_part(std::string_view name);

}  // namespace duel
