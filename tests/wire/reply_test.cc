#include "duel/wire/reply.h"

#include <gtest/gtest.h>

namespace duel {
namespace {

TEST(Refusal, says_where_in_the_body) {
  const ServerAnswer answer = refusal(Error::invalid_argument("is empty", "/lists", "give two"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body.at("detail").get<std::string>(), "/lists is empty; give two");
  EXPECT_EQ(answer.body.at("errors").items()[0].at("pointer").get<std::string>(), "/lists");
}

TEST(Refusal, does_not_say_which_file_of_this_machine) {
  for (const Error& error : {Error::not_found("there is no experiment 'x'", "/var/lib/duel/db"),
                             Error::conflict("the file exists", "/var/lib/duel/db"),
                             Error::invalid_data("the database is damaged", "/var/lib/duel/db"),
                             Error::io("the disk is full", "/var/lib/duel/db")}) {
    const ServerAnswer answer = refusal(error);
    EXPECT_EQ(answer.body.dump().find("/var"), std::string::npos) << answer.body.dump();
    EXPECT_EQ(answer.body.at("detail").get<std::string>(), error.message);
  }
}

}  // namespace
}  // namespace duel
