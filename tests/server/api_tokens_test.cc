#include "duel/server/api_tokens.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "duel/server/store_copy.h"
#include "duel/store/sqlite_store.h"
#include "tests/server/served_api.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

const std::string kExperiments = "/v1/experiments";

void revoke_all(ServedApi& api) {
  for (const ApiToken& token : api.tokens().list()) {
    EXPECT_TRUE(*api.tokens().erase(token.token_id));
  }
}

TEST(ApiTokens, who_revokes_the_last_token_does_not_open_the_server_at_its_next_start) {
  ServedApi api;
  EXPECT_EQ(api.get(kExperiments).status, 200);
  api.restart();
  EXPECT_EQ(api.get(kExperiments).status, 200);  // none was ever made
  api.tokens().create(TokenScope::admin, "me", "", 0).value();
  revoke_all(api);
  EXPECT_EQ(api.get(kExperiments).status, 401);
  api.restart();
  EXPECT_TRUE(api.tokens().list().empty());
  EXPECT_EQ(api.get(kExperiments).status, 401);
  EXPECT_EQ(api.put("/v1/experiments/e", kThreeArms).status, 401);
}

TEST(ApiTokens, a_store_of_an_older_version_that_has_a_token_counts) {
  ServedApi api;
  api.tokens().create(TokenScope::admin, "me", "", 0).value();
  // As it was before the store said that one was made.
  ASSERT_TRUE(*api.engine().store().erase(kTokensMadeSpace, "ever"));
  api.restart();
  EXPECT_TRUE(api.engine().store().get(kTokensMadeSpace, "ever").value().has_value());
  revoke_all(api);
  api.restart();
  EXPECT_EQ(api.get(kExperiments).status, 401);
}

TEST(ApiTokens, another_node_learns_that_one_was_made_although_it_is_gone) {
  const TemporaryDirectory place;
  const std::shared_ptr<Store> store = SqliteStore::open(place / "duel.db").value();
  const auto here = ApiTokens::open(store).value();
  const auto there = ApiTokens::open(store).value();
  const auto made = here->create(TokenScope::admin, "", "", 0).value();
  ASSERT_TRUE(*here->erase(made.second.token_id));
  ASSERT_TRUE(there->refresh().ok());
  EXPECT_TRUE(there->list().empty());
  EXPECT_TRUE(there->any());
}

TEST(ApiTokens, a_copy_of_the_store_is_as_shut_as_the_store) {
  const TemporaryDirectory place;
  const std::shared_ptr<Store> from = SqliteStore::open(place / "from.db").value();
  const std::shared_ptr<Store> to = SqliteStore::open(place / "to.db").value();
  ASSERT_TRUE(from->put("secret", "server", "key").ok());
  const auto tokens = ApiTokens::open(from).value();
  const auto made = tokens->create(TokenScope::admin, "", "", 0).value();
  ASSERT_TRUE(*tokens->erase(made.second.token_id));
  ASSERT_TRUE(copy_server_entries(*from, *to).ok());
  EXPECT_TRUE(ApiTokens::open(to).value()->any());
}

TEST(ApiTokens, the_first_one_can_make_others) {
  ServedApi api;
  for (const char* body :
       {R"({"scope":"read"})", R"({"scope":"vote"})", R"({"scope":"admin","experiment_id":"e"})"}) {
    const Told told = api.post("/v1/tokens", body);
    EXPECT_EQ(told.status, 409) << body;
    EXPECT_NE(told.text("detail").find("--scope admin"), std::string::npos);
  }
  EXPECT_EQ(api.get(kExperiments).status, 200);  // nobody is shut out
  const Told admin = api.post("/v1/tokens", R"({"scope":"admin"})");
  ASSERT_EQ(admin.status, 201);
  api.token = admin.text("token");
  EXPECT_EQ(api.post("/v1/tokens", R"({"scope":"read"})").status, 201);
}

TEST(ApiTokens, none_is_made_that_has_expired) {
  ServedApi api;
  const Told told =
      api.post("/v1/tokens", R"({"scope":"admin","expires_at":"2001-01-01T00:00:00Z"})");
  EXPECT_EQ(told.status, 400);
  EXPECT_EQ(told.body.at("errors").items()[0].at("pointer").get<std::string>(), "/expires_at");
  EXPECT_EQ(api.get(kExperiments).status, 200);
}

TEST(ApiTokens, the_scheme_is_of_either_case) {
  ServedApi api;
  const std::string token = api.tokens().create(TokenScope::admin, "", "", 0).value().first;
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER "}) {
    EXPECT_EQ(
        api.call(HttpMethod::get, kExperiments, "", {{"authorization", scheme + token}}).status,
        200)
        << scheme;
  }
  for (const char* scheme : {"Bearer", "Basic ", "Beare ", ""}) {
    EXPECT_EQ(
        api.call(HttpMethod::get, kExperiments, "", {{"authorization", scheme + token}}).status,
        401)
        << scheme;
  }
}

}  // namespace
}  // namespace duel
