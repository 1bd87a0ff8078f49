// The table of routes: what there is, for whom, and which bodies go in.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "duel/server/api.h"
#include "duel/server/bodies.h"

namespace duel {

void Api::add_routes() {
  using Method = HttpMethod;
  constexpr auto kAdmin = TokenScope::admin;
  constexpr auto kRead = TokenScope::read;
  constexpr auto kDuel = TokenScope::duel;
  const std::string one = "/v1/experiments/{eid}";
  add(Method::put, one, "create_experiment",
      "Create an experiment; an identical repeat changes nothing.", kAdmin, &Api::create_experiment,
      schema_of<ExperimentBody>, {200, 201});
  add(Method::get, "/v1/experiments", "list_experiments", "List all experiments.", kRead,
      &Api::list_experiments);
  add(Method::get, one, "show_experiment", "Configuration and state.", kRead,
      &Api::show_experiment);
  add(Method::patch, one, "patch_experiment", "Change what may change; needs If-Match.", kAdmin,
      &Api::patch_experiment, schema_of<PatchBody>);
  for (const char* verb : {"start", "pause", "resume", "complete", "archive"}) {
    add(Method::post, one + "/" + verb, std::string(verb) + "_experiment",
        fmt::format("Change the state: {}.", verb), kAdmin, &Api::change_state);
  }
  add(Method::put, one + "/arms/{aid}", "put_arm", "Add an arm.", kAdmin, &Api::put_arm,
      schema_of<NewArmBody>, {200, 201});
  add(Method::del, one + "/arms/{aid}", "delete_arm", "Retire an arm; nothing is erased.", kAdmin,
      &Api::delete_arm);
  add(Method::post, one + "/duels", "serve_duels", "Serve one duel, or several.", kDuel,
      &Api::serve_duels, schema_of<DuelBody>, {200, 201});
  add(Method::get, one + "/duels", "list_duels", "The last duels, the newest first.", kRead,
      &Api::list_duels);
  add(Method::get, one + "/duels/{did}", "show_duel", "One duel with its outcome.", kRead,
      &Api::show_duel);
  add(Method::put, one + "/duels/{did}/interleaving", "interleave_duel",
      "Send the two lists, get the merged page.", kDuel, &Api::interleave_duel,
      schema_of<InterleavingBody>);
  add(Method::put, one + "/duels/{did}/outcome", "report_outcome", "Report the outcome of a duel.",
      kDuel, &Api::report_outcome, schema_of<OutcomeBody>);
  add(Method::post, one + "/interleavings", "interleave_in_one",
      "All lists in, a pair chosen, the merged page out.", kDuel, &Api::interleave_in_one,
      schema_of<InterleavingBody>, {200, 201});
  add(Method::post, one + "/outcomes", "report_outcomes",
      "Report many outcomes, a status for each.", kDuel, &Api::report_outcomes,
      schema_of<std::vector<OutcomeBody>>);
  add(Method::post, one + "/comparisons", "take_comparisons", "Comparisons made elsewhere.", kAdmin,
      &Api::take_comparisons, schema_of<std::vector<ComparisonBody>>);
  add(Method::post, one + "/import", "import_log", "A log becomes an experiment.", kAdmin,
      &Api::import_log, {}, {201});
  add(Method::post, "/v1/events", "take_events", "UBI events: clicks and other actions.", kDuel,
      &Api::take_events, schema_of<Json>, {202});
  add(Method::get, one + "/result", "show_result", "Leader, matrix, intervals, certificate.", kRead,
      &Api::show_result);
  add(Method::get, one + "/certificate", "show_certificate", "The certificate, self-contained.",
      kRead, &Api::show_certificate);
  add(Method::get, one + "/health", "show_health", "Whether the answers can be trusted.", kRead,
      &Api::show_health);
  add(Method::get, one + "/timeline", "show_timeline", "Series for plots.", kRead,
      &Api::show_timeline);
  add(Method::get, one + "/progress", "show_progress",
      "How far the evidence has got, without naming an arm; for voters.", kDuel,
      &Api::show_progress);
  add(Method::get, one + "/stream", "open_stream", "Server-sent events.", kRead, &Api::open_stream);
  add(Method::get, one + "/export", "export_log", "The log, or its comparisons.", kRead,
      &Api::export_log);
  add(Method::post, "/v1/plan", "plan", "How many duels will it take?", kRead, &Api::plan,
      schema_of<Json>);
  add(Method::get, "/v1/policies", "list_policies", "The policies that can serve, with options.",
      kRead, &Api::list_policies);
  add(Method::get, "/v1/tokens", "list_tokens", "All tokens, without their secrets.", kAdmin,
      &Api::list_tokens);
  add(Method::post, "/v1/tokens", "create_token", "A new token; it is shown once.", kAdmin,
      &Api::create_token, schema_of<Json>, {201});
  add(Method::del, "/v1/tokens/{tid}", "delete_token", "Revoke a token.", kAdmin,
      &Api::delete_token);
  add(Method::get, "/healthz", "healthz", "Whether the process answers.", std::nullopt,
      &Api::healthz);
  add(Method::get, "/readyz", "readyz", "Whether outcomes can be taken.", std::nullopt,
      &Api::readyz);
  add(Method::get, "/metrics", "metrics", "Figures for Prometheus.", kRead, &Api::metrics);
  add(Method::get, "/openapi.json", "openapi", "This API in OpenAPI 3.1.", std::nullopt,
      &Api::show_openapi);
  add(Method::get, "/v1/version", "version", "The version of the server.", std::nullopt,
      &Api::version);
}

}  // namespace duel
