#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "duel/cli/commands.h"
#include "duel/cli/store_location.h"
#include "duel/core/json.h"
#include "duel/experiment/timestamp.h"
#include "duel/server/api_tokens.h"

namespace duel::cli {
namespace {

struct CreateArguments {
  std::string store;
  std::string scope;
  std::string name;
  std::string experiment;
  std::string expires;
  bool json = false;
};

struct ListArguments {
  std::string store;
  bool json = false;
};

struct RevokeArguments {
  std::string store;
  std::string token_id;
};

Result<int> run_create(const CreateArguments& arguments, CommandContext& context) {
  const auto scope = parse_token_scope(arguments.scope);
  if (!scope.ok()) return usage_error("--scope", scope.error());
  std::int64_t expires_ms = 0;
  if (!arguments.expires.empty()) {
    const auto time = parse_time(arguments.expires);
    if (!time) {
      return usage_error("--expires", Error::invalid_argument("is not a time")
                                          .with_hint("a time is written 2026-11-15T09:00:00Z"));
    }
    expires_ms = *time;
  }
  DUEL_ASSIGN(const auto store, open_store(arguments.store));
  DUEL_ASSIGN(const auto tokens, ApiTokens::open(store));
  DUEL_ASSIGN(const auto made,
              tokens->create(*scope, arguments.name, arguments.experiment, expires_ms));
  if (arguments.json) {
    Json json = to_json(made.second);
    json["token"] = made.first;
    context.print(json.dump_pretty());
  } else {
    context.print(made.first + "\n");
    context.note(fmt::format("token {} made; it is shown this once", made.second.token_id));
  }
  return kExitDone;
}

Result<int> run_list(const ListArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const auto store, open_store(arguments.store));
  DUEL_ASSIGN(const auto tokens, ApiTokens::open(store));
  Json items = Json::array();
  for (const ApiToken& token : tokens->list()) {
    items.push_back(to_json(token));
    if (arguments.json) continue;
    context.print(fmt::format("{:<18} {:<6} {}{}\n", token.token_id, to_word(token.scope),
                              token.name,
                              token.experiment_id.empty() ? "" : " (" + token.experiment_id + ")"));
  }
  if (arguments.json) context.print(items.dump_pretty());
  return kExitDone;
}

Result<int> run_revoke(const RevokeArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const auto store, open_store(arguments.store));
  DUEL_ASSIGN(const auto tokens, ApiTokens::open(store));
  DUEL_ASSIGN(const bool was_there, tokens->erase(arguments.token_id));
  if (!was_there)
    return Error::not_found(fmt::format("there is no token '{}'", arguments.token_id));
  context.note(fmt::format("token {} revoked", arguments.token_id));
  return kExitDone;
}

}  // namespace

void add_token_command(Command& program) {
  Command& token = program.add_command(
      "token",
      "Makes, lists and revokes the tokens that callers of a server need.\n"
      "Works on the store while no server runs on it; a running server does the same at "
      "/v1/tokens.");
  token.footer = "Example:\n  duel token create --scope duel --name shop";

  Command& create = token.add_command("create", "Makes a token and prints it, this once.");
  CreateArguments& made = create.runs(run_create);
  create.add_required("--scope SCOPE", &made.scope,
                      "admin (everything), read (results), duel (ask and report) or vote.");
  create.add("--name TEXT", &made.name, "What it is for.");
  create.add("--experiment ID", &made.experiment, "The one experiment that it is for.");
  create.add("--expires TIME", &made.expires, "When it ends, as 2026-11-15T09:00:00Z.");
  create.add("--store FILE", &made.store,
             "SQLite database (default $XDG_STATE_HOME/duel/duel.db).");
  create.add("--json", &made.json, "Print JSON.");
  create.footer = "Example:\n  duel token create --scope admin --name me";

  Command& list = token.add_command("list", "Lists all tokens, without their secrets.");
  ListArguments& listed = list.runs(run_list);
  list.add("--store FILE", &listed.store,
           "SQLite database (default $XDG_STATE_HOME/duel/duel.db).");
  list.add("--json", &listed.json, "Print JSON.");
  list.footer = "Example:\n  duel token list";

  Command& revoke = token.add_command("revoke", "Revokes a token.");
  RevokeArguments& revoked = revoke.runs(run_revoke);
  revoke.add_required("TOKEN_ID", &revoked.token_id, "Its id, as `list` shows it.");
  revoke.add("--store FILE", &revoked.store,
             "SQLite database (default $XDG_STATE_HOME/duel/duel.db).");
  revoke.footer = "Example:\n  duel token revoke t0123456789abcde";
}

}  // namespace duel::cli
