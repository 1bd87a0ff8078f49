#include "duel/log/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "duel/log/record_fields.h"
#include "tests/support/places.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

template <class Member>
struct ElementOf {
  using type = Member;
};
template <class Part>
struct ElementOf<std::vector<Part>> {
  using type = Part;
};

template <class Owner>
std::string described() {
  const auto text_of = [](const auto& field) {
    using Member = std::remove_cvref_t<decltype(std::invoke(field.get, std::declval<Owner&>()))>;
    using Element = typename ElementOf<Member>::type;
    std::vector<std::string> remarks;
    if constexpr (std::is_enum_v<Member>) {
      remarks.push_back(fmt::format("`{}`", fmt::join(words_of<Member>(), "`, `")));
    } else if constexpr (requires { Described<Element>::fields; }) {
      remarks.push_back(described<Element>());
    }
    if (!field.doc.empty()) remarks.emplace_back(field.doc);
    std::string text = fmt::format("`{}`", field.name);
    if (!remarks.empty()) text += fmt::format(" ({})", fmt::join(remarks, "; "));
    return field.required ? text : "[" + text + "]";
  };
  const auto texts = Described<Owner>::fields.visit(
      [&](const auto&... field) { return std::vector<std::string>{text_of(field)...}; });
  return fmt::format("{}", fmt::join(texts, ", "));
}

template <class Kind>
void expect_row(const std::string& page) {
  const std::string row = fmt::format("| `{}` | {} | {} |\n", Described<Kind>::name,
                                      Described<Kind>::doc, described<Kind>());
  EXPECT_NE(page.find(row), std::string::npos) << row;
}

TEST(Record, the_documents_have_every_field_of_every_record) {
  const std::string page = content_of(source_dir() + "/docs/logs-and-certificates.md");
  []<class... Kinds>(std::type_identity<std::variant<Kinds...>>, const std::string& text) {
    (expect_row<Kinds>(text), ...);
  }(std::type_identity<Record>{}, page);
}

}  // namespace
}  // namespace duel
