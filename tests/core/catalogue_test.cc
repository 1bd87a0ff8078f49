#include "duel/core/catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace duel {
namespace {

struct ShapeFacts {
  std::string name;
  std::string doc{};
};
// Makes the canonical call and the area, in units of a setting.
using ShapeKind = CatalogueKind<ShapeFacts, std::pair<std::string, double>, double>;

struct SquareOptions {
  double side = 2;
};

Catalogue<ShapeKind> shapes() {
  Catalogue<ShapeKind> all("shape", "flat shape");
  all.add({"square", "four sides"},
          OptionTable<SquareOptions>().number("side", &SquareOptions::side, {.above = 0}, "length"),
          [](const SquareOptions& options, std::string canonical, double unit) {
            return std::pair(std::move(canonical), options.side * options.side * unit);
          });
  all.add({"point"}, OptionTable<NoOptions>(),
          [](const NoOptions&, const std::string& canonical, double) -> ShapeKind::Made {
            return Error::unsupported(canonical + " has no area");
          });
  return all;
}

std::string message(const ShapeKind::Made& made) {
  return made.ok() ? "" : made.error().to_string();
}

TEST(Catalogue, lists_by_name_whatever_the_order_of_entry) {
  Catalogue<ShapeKind> all("shape");
  for (const char* name : {"b", "c", "a"}) all.add({{name}, {}, {}});
  EXPECT_EQ(all.names(), (std::vector<std::string>{"a", "b", "c"}));
  std::vector<std::string> seen;
  for (const ShapeKind& kind : all) seen.push_back(kind.facts.name);
  EXPECT_EQ(seen, all.names());
}

TEST(Catalogue, lists_kinds_with_a_place_before_the_others) {
  Catalogue<ShapeKind> all("shape");
  all.add({{"b"}, {}, {}});
  all.add({{"z"}, {}, {}}, 1);
  all.add({{"a"}, {}, {}});
  all.add({{"y"}, {}, {}}, 2);
  all.add({{"x"}, {}, {}}, 2);
  EXPECT_EQ(all.names(), (std::vector<std::string>{"z", "x", "y", "a", "b"}));
  for (const std::string& name : all.names()) {
    EXPECT_EQ(all.find(name).value()->facts.name, name);
  }
}

TEST(Catalogue, refuses_a_second_kind_of_a_name) {
  Catalogue<ShapeKind> all = shapes();
  EXPECT_THROW(all.add({{"square"}, {}, {}}, 7), std::logic_error);
}

TEST(Catalogue, makes_what_a_call_asks_for_in_a_setting) {
  const auto all = shapes();
  const auto made = all.configure({"square", {{"side", "3"}}}, 0.5).value();
  EXPECT_EQ(made.first, "square(side=3)");
  EXPECT_EQ(made.second, 4.5);
  EXPECT_EQ(all.configure({"square", {}}, 1.0).value().first, "square");
  EXPECT_EQ(message(all.configure({"point", {}}, 1.0)), "point has no area");
}

TEST(Catalogue, tells_the_options_of_a_kind) {
  const auto all = shapes();
  EXPECT_EQ(all.find("square").value()->facts.doc, "four sides");
  const std::vector<OptionFact>& options = all.find("square").value()->options;
  ASSERT_EQ(options.size(), 1U);
  EXPECT_EQ(options[0].name, "side");
  EXPECT_EQ(options[0].default_value, "2");
  EXPECT_TRUE(all.find("point").value()->options.empty());
}

TEST(Catalogue, says_what_is_wrong_with_a_call) {
  const auto all = shapes();
  EXPECT_EQ(message(all.configure({"sqaure", {}}, 1.0)),
            "there is no flat shape 'sqaure' (did you mean 'square'? known: point, square)");
  EXPECT_EQ(message(all.configure({"square", {{"sid", "3"}}}, 1.0)),
            "shape 'square' has no option 'sid' (did you mean 'side'? known: side)");
  EXPECT_EQ(message(all.configure({"square", {{"side", "0"}}}, 1.0)),
            "option 'side' of shape 'square': 0 is out of range (allowed: > 0)");
  EXPECT_EQ(message(all.configure({"point", {{"x", "1"}}}, 1.0)),
            "shape 'point' has no option 'x' (it has no options)");
  EXPECT_EQ(Catalogue<ShapeKind>("shape").unknown("x", {"y", "z"}).to_string(),
            "there is no shape 'x' (known: y, z)");
}

TEST(MeansFile, where_there_is_one_or_the_text_looks_like_a_path) {
  EXPECT_TRUE(means_file("-", "-"));
  EXPECT_TRUE(means_file("no/such", "no/such"));
  EXPECT_TRUE(means_file("no.such", "no.such"));
  EXPECT_FALSE(means_file("nosuch", "nosuch"));
  EXPECT_FALSE(means_file("nosuch(a=0.5)", "nosuch"));
  const auto directory = std::filesystem::temp_directory_path();
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory);
  std::filesystem::create_directory("catalogue-test");
  EXPECT_TRUE(means_file("catalogue-test", "catalogue-test"));
  std::filesystem::remove("catalogue-test");
  EXPECT_FALSE(means_file("catalogue-test", "catalogue-test"));
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace duel
