
#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/core/timestamp.h"
#include "duel/server/api_tokens.h"

namespace duel::cli {
namespace {

struct TokenArguments {
  ClientOptions client;
  std::string scope;
  std::string name;
  std::string experiment;
  std::string expires;
  std::string token_id;
  LinkRule link;
  std::vector<const Option*> link_options;
};

Result<int> create_token(const TokenArguments& arguments, CommandContext& context) {
  const auto scope = parse_word<TokenScope>(arguments.scope);
  if (!scope.ok()) return usage_error("--scope", scope.error());
  Json body;
  body["scope"] = arguments.scope;
  if (!arguments.name.empty()) body["name"] = arguments.name;
  if (!arguments.experiment.empty()) body["experiment_id"] = arguments.experiment;
  if (!arguments.expires.empty()) {
    if (!parse_time(arguments.expires)) {
      return usage_error("--expires", Error::invalid_argument("is not a time")
                                          .with_hint("a time is written 2026-11-15T09:00:00Z"));
    }
    body["expires_at"] = arguments.expires;
  }
  if (const Option* option = first_given(arguments.link_options)) {
    if (*scope != TokenScope::vote) {
      return Error::invalid_argument("is for a share link", option->name(), "--scope vote");
    }
    body.update(described_json(arguments.link));
  }
  return with_client(arguments.client, StoreUse::created, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const Json made, client.ask(HttpMethod::post, "/v1/tokens", body, Repeat::never));
    if (arguments.client.json) return context.done(made.dump_pretty());
    context.print(shown_text(made, "token") + "\n");
    context.note("token {} created; it is shown only this once", shown_text(made, "token_id"));
    return kExitDone;
  });
}

Result<int> list_tokens(const TokenArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const Json listed, client.get("/v1/tokens"));
    if (arguments.client.json) return context.done(listed.at("items").dump_pretty());
    Table table("token,scope,name,experiment,expires", Align::left);
    for (const Json& token : listed.at("items").items()) {
      table.row(std::vector<std::string>{
          shown_text(token, "token_id"), shown_text(token, "scope"), shown_text(token, "name"),
          shown_text(token, "experiment_id"), shown_text(token, "expires_at")});
    }
    if (table.num_rows() == 0) {
      context.note("there are no tokens");
    } else {
      context.print(table.to_string());
    }
    return kExitDone;
  });
}

Result<int> revoke_token(const TokenArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_RETURN_IF_ERROR(
        client.ask(HttpMethod::del, "/v1/tokens/" + percent_encoded(arguments.token_id)));
    context.note("token {} revoked", arguments.token_id);
    return kExitDone;
  });
}

}  // namespace

void add_token_command(Command& program) {
  Command& token = program.add_command(
      "token", "Creates, lists and revokes the tokens that callers of a server need.");
  token.needs_command = true;
  token.footer = "Example:\n  duel token create --scope duel --name shop";

  Command& create = token.add_command("create", "Creates a token and prints it once.");
  TokenArguments& made = create.runs(create_token);
  create
      .add_required(
          "--scope SCOPE", &made.scope,
          "admin (everything), read (results), duel (ask and report), vote, or judge (ask, and "
          "report as a program).")
      .offers = [] { return std::vector<std::string>{"admin", "read", "duel", "vote", "judge"}; };
  create.add("--name TEXT", &made.name, "What it is for.");
  create.add("--experiment ID", &made.experiment, "Limit the token to this experiment.");
  create.add("--expires TIME", &made.expires, "Expiry time, such as 2026-11-15T09:00:00Z.");
  made.link_options = {
      &create.add("--one-browser", &made.link.one_browser,
                  "Of a share link (scope vote): only the first browser that opens it can vote by "
                  "it."),
      &create.add("--member NAME", not_empty(&made.link.member),
                  "Of a share link: it is for this member of a panel's list. Give each member a "
                  "link of their own."),
      &create.add("--voters-per-day N", count(&made.link.max_subjects_per_day, 1, 1'000'000),
                  "Of a share link: browsers that may vote by it in a day (default 1000)."),
      &create.add("--voters-per-address N",
                  count(&made.link.max_subjects_per_address_per_day, 1, 1'000'000),
                  "Of a share link: browsers that may begin to vote from one address in a day "
                  "(default 30).")};
  add_json_client_options(create, made.client);
  create.footer =
      "Examples:\n  duel token create --scope admin --name me\n"
      "  duel token create --scope vote --experiment logo --member ann";

  Command& list = token.add_command("list", "Lists all tokens, without their secrets.");
  add_json_client_options(list, list.runs(list_tokens).client);
  list.footer = "Example:\n  duel token list";

  Command& revoke = token.add_command("revoke", "Revokes a token.");
  TokenArguments& revoked = revoke.runs(revoke_token);
  revoke.add_required("TOKEN_ID", &revoked.token_id,
                      "Id of the token, as 'duel token list' shows it.");
  add_client_options(revoke, revoked.client);
  revoke.footer = "Example:\n  duel token revoke t0123456789abcde";
}

}  // namespace duel::cli
