#include "duel/core/short_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "duel/core/display_width.h"

namespace duel {
namespace {

using Names = std::vector<std::string>;

TEST(ShortNames, names_that_fit_stay_as_they_are) {
  EXPECT_EQ(short_names({"red", "blue"}, 8), (Names{"red", "blue"}));
  EXPECT_EQ(short_names({}, 8), Names{});
}

TEST(ShortNames, long_names_are_cut_inside_where_their_ends_differ) {
  EXPECT_EQ(short_names({"a-long-prompt-1", "a-long-prompt-2"}, 9),
            (Names{"a-lo…pt-1", "a-lo…pt-2"}));
}

TEST(ShortNames, what_all_begin_and_end_with_goes_where_the_cut_would_make_two_alike) {
  // Cut inside to nine columns, the names 01, 11 and 21 would read alike.
  Names names;
  for (const char* number : {"01", "11", "21"}) {
    names.push_back(std::string("campaign-in-the-north-") + number + "-final");
  }
  EXPECT_EQ(short_names(names, 9), (Names{"…0…", "…1…", "…2…"}));
  names.emplace_back("campaign-in-the-north-02-final");
  EXPECT_EQ(short_names(names, 9), (Names{"…01…", "…11…", "…21…", "…02…"}));
}

TEST(ShortNames, a_name_that_is_the_beginning_of_another_keeps_its_place) {
  const Names cut = short_names({"campaign-of-the-north-x-x", "campaign-of-the-north-x"}, 7);
  EXPECT_EQ((std::set<std::string>(cut.begin(), cut.end()).size()), 2U);
  for (const std::string& name : cut) EXPECT_LE(display_width(name), 7U) << name;
}

TEST(ShortNames, no_character_is_cut) {
  // é and è share their first byte.
  EXPECT_EQ(short_names({"le-petit-é-du-nord", "le-petit-è-du-nord"}, 6), (Names{"…é…", "…è…"}));
}

TEST(ShortNames, equal_names_stay_equal) {
  EXPECT_EQ(short_names({"the-very-same-name", "the-very-same-name"}, 9),
            (Names{"the-…name", "the-…name"}));
}

}  // namespace
}  // namespace duel
