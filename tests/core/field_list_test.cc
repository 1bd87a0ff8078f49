#include "duel/core/field_list.h"

#include <gtest/gtest.h>

#include <string_view>

namespace duel {
namespace {

using namespace std::string_view_literals;

TEST(FieldList, is_visited_and_joined_in_the_order_of_its_fields) {
  constexpr FieldList few{1, "two"sv};
  constexpr auto all = joined(few, FieldList{3.5}, few);
  static_assert(few.kSize == 2 && all.kSize == 5);
  static_assert(all.at<0>() == 1 && all.at<2>() == 3.5 && all.at<4>() == "two"sv);
  all.visit([](int a, std::string_view b, double c, int d, std::string_view e) {
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, "two");
    EXPECT_EQ(c, 3.5);
    EXPECT_EQ(d, 1);
    EXPECT_EQ(e, "two");
  });
}

}  // namespace
}  // namespace duel
