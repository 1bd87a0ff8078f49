#include "duel/core/json_objects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace duel {
namespace {

std::vector<std::string> objects_in(std::string_view text) {
  JsonObjects objects(TextLines::of_text("t", text));
  std::vector<std::string> found;
  for (;;) {
    const auto next = objects.next();
    if (!next.ok()) {
      found.push_back(next.error().to_string());
      return found;
    }
    if (!*next) return found;
    found.emplace_back(**next);
  }
}

TEST(JsonObjects, are_on_a_line_each_or_begin_with_a_brace_alone) {
  EXPECT_EQ(objects_in("{\"a\":1}\n\n  {\"b\":2} \n"),
            (std::vector<std::string>{"{\"a\":1}", "  {\"b\":2} "}));
  const std::string several = "{\n \"a\": [1,\n  \"}\\\"{\"],\n \"b\": {}\n}";
  EXPECT_EQ(objects_in(several + "\n{\"c\":3}\n" + several),
            (std::vector<std::string>{several, "{\"c\":3}", several}));
}

TEST(JsonObjects, one_that_does_not_end_is_an_error_where_it_begins) {
  EXPECT_EQ(objects_in("{}\n{\n\"a\": {\n}\n"),
            (std::vector<std::string>{"{}", "t:2: the JSON object does not end"}));
}

TEST(JsonObjects, what_is_no_object_is_given_as_it_is) {
  EXPECT_EQ(objects_in("nonsense\n"), (std::vector<std::string>{"nonsense"}));
}

}  // namespace
}  // namespace duel
