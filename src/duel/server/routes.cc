// The table of routes: what there is, for whom, what goes in, and what comes out. A new route is
// its function (api.h), the structs of its body and its answer, and one entry here: the router,
// checks of scope and origin, limits, /openapi.json, docs/http-api.md and the pages' types follow.
#include <cstddef>
#include <string>

#include "duel/server/api.h"
#include "duel/server/recent_duels.h"
#include "duel/study/plan.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/timeline.h"
#include "duel/wire/answers.h"
#include "duel/wire/requests.h"

namespace duel {

namespace {

// Limits of bodies that need more than the default of 1000 members and items, 20 deep. An arm's
// payload is JSON of any shape, an experiment has 1000 arms at most and as many tasks as fit,
// a page has up to 1000 ids from each arm, and a batch 10 000 outcomes or events.
constexpr std::size_t kDepthOfPayload = 100;
constexpr std::size_t kOfExperiment = 2'000'000, kOfArm = 100'000, kOfComparisons = 2'000'000;
constexpr std::size_t kOfDuels = 10'000, kOfLists = 1'000'000;
constexpr std::size_t kOfOutcomes = 300'000, kOfEvents = 1'000'000;
constexpr std::size_t kBytesOfImport = std::size_t{256} << 20;
// For callers with a report token only. A browser's `sendBeacon` takes 64 KiB, `fetch` more.
constexpr std::size_t kBytesOfOutcome = std::size_t{64} << 10;
constexpr std::size_t kBytesOfEvents = std::size_t{1} << 20, kFewEvents = 20'000;

}  // namespace

void Api::add_routes() {
  using enum HttpMethod;
  using enum TokenScope;
  const std::string one = "/v1/experiments/{eid}";
  // Any node can answer these, since they only read the records of an experiment.
  const auto add_view = [&](const std::string& path, const std::string& name,
                            const std::string& summary, const std::vector<TokenScope>& scopes,
                            Handler handler) -> RouteFact& {
    return add(get, one + path, name, summary, scopes, handler)
        .refuses({404})
        .is(&RouteFact::for_any_node);
  };

  // --- Experiments ---
  add(put, one, "create_experiment", "Create an experiment; an identical repeat changes nothing.",
      {admin}, &Api::create_experiment)
      .takes<ExperimentBody>()
      .at_most(kOfExperiment, kDepthOfPayload)
      .gives<ExperimentAnswer>({200, 201})
      .refuses({409});
  add(get, "/v1/experiments", "list_experiments", "List all experiments, by id.", {read},
      &Api::list_experiments)
      .asks("limit", "experiments on this page", number_schema(1, 1000))
      .asks("cursor", "`next_cursor` of the page before", text_schema())
      .gives<ListOf<ExperimentSummary>>()
      .refuses({400});
  add(get, one, "show_experiment", "Configuration and state.", {read}, &Api::show_experiment)
      .gives<ExperimentAnswer>()
      .refuses({404});
  add(patch, one, "patch_experiment", "Change name, feedback or guardrails.", {admin},
      &Api::patch_experiment)
      .needs_header("If-Match", "the `ETag` that you saw, a list of such, or `*`")
      .takes<PatchBody>()
      .gives<ExperimentAnswer>()
      .refuses({404, 409, 412, 428});
  const auto add_verb = [&](const std::string& verb, const std::string& summary) {
    add(post, one + "/" + verb, verb + "_experiment", summary, {admin}, &Api::change_state)
        .gives<ExperimentAnswer>()
        .refuses({404, 409});
  };
  add_verb("start", "Start a draft.");
  add_verb("pause", "Serve fallbacks until it is resumed.");
  add_verb("resume", "Go on after a pause.");
  add_verb("complete", "End it: nothing is served any more but fallbacks.");
  add_verb("archive", "Put a completed experiment away.");
  add(post, one + "/panel/close", "close_panel",
      "The panel is those who have answered by now, for good. Repeating it changes nothing.",
      {admin}, &Api::close_panel)
      .gives<ExperimentAnswer>()
      .refuses({404, 409});
  add(post, one + "/panel/absent", "miss_members",
      "Members of an early panel will not come, for good: what they have not answered counts "
      "against "
      "both arms of a pair, and what they answer later is late.",
      {admin}, &Api::miss_members)
      .takes<AbsentBody>()
      .gives<ExperimentAnswer>()
      .refuses({404, 409});
  add(put, one + "/arms/{aid}", "put_arm",
      "Add an arm. A fixed set takes one until its start or its first comparison.", {admin},
      &Api::put_arm)
      .takes<NewArmBody>()
      .at_most(kOfArm, kDepthOfPayload)
      .or_no_body()
      .gives<ArmAnswer>({200, 201})
      .refuses({404, 409});
  add(del, one + "/arms/{aid}", "delete_arm",
      "Retire an arm; nothing is erased. A fixed set lets one go until its start or its first "
      "comparison.",
      {admin}, &Api::delete_arm)
      .gives<ArmAnswer>()
      .refuses({404, 409});
  add(post, one + "/comparisons", "take_comparisons",
      "Comparisons made elsewhere: the policy learns from them, the certificate does not. A "
      "mistake in one refuses all. They are recorded in groups, in their order: after a 503 or no "
      "answer the first of them may be recorded. With a `comparison_id` each, the request can be "
      "repeated: what is known is not counted again, and the same id with other content is 422.",
      {admin}, &Api::take_comparisons)
      .takes<std::vector<ComparisonBody>>()
      .at_most(kOfComparisons, 20)
      .gives<AcceptedAnswer>()
      .refuses({404, 409, 422});
  add(post, one + "/import", "import_log", "Make an experiment of a log.", {admin},
      &Api::import_log)
      .takes_text("application/x-ndjson")
      .at_most_in_file(kBytesOfImport)
      .gives<ExperimentAnswer>({201})
      .refuses({409, 422});

  // --- Duels ---
  add(post, one + "/duels", "serve_duels", "Serve one duel, or `count` of them.",
      {duel, vote, judge}, &Api::serve_duels)
      .takes<DuelBody>()
      .at_most(kOfDuels, 20)
      .or_no_body()
      .gives<DuelAnswer, DuelBatch>({200, 201})
      .refuses({404, 409, 422})
      .is(&RouteFact::for_pages);
  add_view("/duels", "list_duels", "The last duels, the newest first.", {read}, &Api::list_duels)
      .asks("limit", "so many duels", number_schema(1, 200))
      .gives<ListOf<RecentDuel>>()
      .refuses({400});
  add(get, one + "/duels/{did}", "show_duel", "One duel with its outcome.", {read}, &Api::show_duel)
      .gives<DuelShown>()
      .refuses({404});
  add(put, one + "/duels/{did}/interleaving", "interleave_duel",
      "Send the two lists, get the merged page.", {duel}, &Api::interleave_duel)
      .takes<InterleavingBody>()
      .at_most(kOfLists, 20)
      .gives<PageAnswer>()
      .refuses({404, 409})
      .is(&RouteFact::for_pages);
  add(put, one + "/duels/{did}/outcome", "report_outcome", "Report the outcome of a duel.",
      {duel, vote, judge}, &Api::report_outcome)
      .asks("next", "`1`: answer with the next duel", words_schema({"1"}))
      .asks("next_duel_id",
            "the id of the next duel; without it `n.` and the SHA-256 of this one's in base 32",
            text_schema())
      .takes<OutcomeBody>()
      .or_report_token(kBytesOfOutcome, 1'000)
      .gives<OutcomeAnswer>()
      .refuses({404, 409, 410})
      .is(&RouteFact::for_pages);
  add(post, one + "/interleavings", "interleave_in_one",
      "All lists in, a pair chosen, the merged page out.", {duel}, &Api::interleave_in_one)
      .takes<OneShotBody>()
      .at_most(kOfLists, 20)
      .gives<OneShotAnswer>({200, 201})
      .refuses({404, 409, 422})
      .is(&RouteFact::for_pages);
  add(post, one + "/outcomes", "report_outcomes", "Report many outcomes; a status for each.",
      {duel, judge}, &Api::report_outcomes)
      .takes_many<OutcomeBody>()
      .at_most(kOfOutcomes, 20)
      .gives<BatchOutcomes>()
      .refuses({404});
  add(post, "/v1/events", "take_events", "UBI events: clicks and other actions.", {duel},
      &Api::take_events)
      .takes_many<UbiBody>()
      .takes_text("text/plain")
      .at_most(kOfEvents, kDepthOfPayload)
      .or_report_token(kBytesOfEvents, kFewEvents)
      .gives<EventsAnswer>({202})
      .is(&RouteFact::for_pages);

  // --- Results ---
  add_view("/result", "show_result", "Verdict, leader, matrix, intervals, certificate.", {read},
           &Api::show_result)
      .gives<ResultAnswer>();
  add_view("/certificate", "show_certificate",
           "The certificate, self-contained: the bytes of the file that `duel verify` checks.",
           {read}, &Api::show_certificate)
      .gives<Certificate>();
  add_view("/health", "show_health", "Whether the answers can be trusted.", {read},
           &Api::show_health)
      .gives<Health>();
  add(get, one + "/slices", "show_slices",
      "Of a space: what its learner believes along each dimension. It proves nothing.", {read},
      &Api::show_slices)
      .gives<ShownSlices>()
      .refuses({404, 409});
  add_view("/timeline", "show_timeline", "Series for plots.", {read}, &Api::show_timeline)
      .asks("points", "about so many moments", number_schema(2, 2000))
      .gives<TimelineSeries>()
      .refuses({400});
  add_view("/progress", "show_progress",
           "How far the evidence has got, without naming an arm; for voters.", {duel, vote},
           &Api::show_progress)
      .gives<VotingProgress>();
  add_view(
      "/stream", "open_stream",
      "Server-sent events: `result`, `state`, `certified`, `reset`; with `Last-Event-ID` those "
      "that were missed come first.",
      {read}, &Api::open_stream)
      .gives_text({"text/event-stream"})
      .is(&RouteFact::for_nodes);
  add_view("/export", "export_log", "The log, or what it says of duels.", {read}, &Api::export_log)
      .asks("what", "`audit` is the whole log",
            words_schema({"duels", "nonvotes", "events", "audit"}))
      .asks("format",
            "of `duels`; the others are `jsonl`; in `arena` the `winner` is `model_a`, "
            "`model_b`, `tie` or `tie (bothbad)`, and skipped and invalid duels are left out",
            words_schema({"jsonl", "csv", "arena"}))
      .gives_text({"application/x-ndjson", "text/csv"})
      .refuses({400});
  add(post, "/v1/plan", "plan", "How many duels will it take?", {read}, &Api::plan)
      .takes<PlanBody>()
      .gives<PlanResults>();
  add(get, "/v1/policies", "list_policies", "The policies that can serve, with their options.",
      {read}, &Api::list_policies)
      .gives<ListOf<PolicyAnswer>>();

  // --- Tokens and operations ---
  add(get, "/v1/tokens", "list_tokens", "All tokens, without their secrets.", {admin},
      &Api::list_tokens)
      .gives<ListOf<TokenAnswer>>();
  add(post, "/v1/tokens", "create_token",
      "A new token; it is shown once. The first one has to be of scope `admin`, for all "
      "experiments.",
      {admin}, &Api::create_token)
      .takes<TokenBody>()
      .gives<NewTokenAnswer>({201})
      .refuses({409});
  add(del, "/v1/tokens/{tid}", "delete_token", "Revoke a token.", {admin}, &Api::delete_token)
      .gives<RevokedAnswer>()
      .refuses({404});
  add(get, "/healthz", "healthz", "Whether the process answers.", {}, &Api::healthz)
      .gives<StatusAnswer>();
  add(get, "/readyz", "readyz",
      "Whether outcomes can be taken, and which experiments cannot be served.", {}, &Api::readyz)
      .gives<ReadyAnswer>();
  add(get, "/metrics", "metrics", "Figures for Prometheus.", {read}, &Api::metrics)
      .gives_text({"text/plain"});
  add(get, "/openapi.json", "openapi", "This API in OpenAPI 3.1.", {}, &Api::show_openapi)
      .gives<Json>();
  add(get, "/v1/version", "version", "The version of the server.", {}, &Api::version)
      .gives<VersionAnswer>();
}

}  // namespace duel
