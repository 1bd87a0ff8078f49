// From clicks to a verdict over a whole log, CPU time on one thread: two lists of 10 for each
// impression, text as it comes from files.
#include <fmt/format.h>

#include <ctime>
#include <functional>
#include <string>

#include "bench/workloads.h"
#include "duel/core/rng.h"
#include "duel/ranking/click_credit/click_events.h"
#include "duel/ranking/click_credit/credited_log.h"
#include "duel/ranking/click_credit/impression_lines.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/study/click_verdict.h"

namespace duel {
namespace {

constexpr int kImpressions = 200'000;

double seconds_of(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::string list_of(RoundRng& rng) {
  std::string text;
  for (int k = 0; k < 10; ++k) {
    text += fmt::format("{}\"doc-{:05}\"", k == 0 ? "" : ",", rng.below(40));
  }
  return text;
}

}  // namespace

void credit_workload() {
  std::string impressions, events;
  const Stream stream(1, 0, Purpose::generate, "credit_bench");
  for (int k = 0; k < kImpressions; ++k) {
    RoundRng rng = stream.at(static_cast<Round>(k));
    impressions += fmt::format(
        R"({{"query_id":"q-{:07}","user_id":"u{}","user_query":"query {}","timestamp":{},)"
        R"("lists":{{"bm25":[{}],"hybrid":[{}]}}}})",
        k, rng.below(kImpressions / 5), k % 997, 1'790'000'000 + k, list_of(rng), list_of(rng));
    impressions += '\n';
    if (rng.below(2) == 0) continue;
    events += fmt::format(R"({{"action_name":"click","query_id":"q-{:07}","timestamp":"t",)"
                          R"("event_attributes":{{"position":{{"ordinal":{}}}}}}})",
                          k, 1 + rng.below(8));
    events += '\n';
  }

  const double drafting = seconds_of([&] {
    ImpressionLines lines = ImpressionLines::of_text("impressions", impressions);
    LoggedImpression impression;
    PageDrafter drafter;
    while (lines.next(impression).value()) {
      drafter.draft(1, impression.id, impression.lists[0], impression.lists[1], 10);
    }
  });
  const double all = seconds_of([&] {
    CreditSpec spec;
    ImpressionLines lines = ImpressionLines::of_text("impressions", impressions);
    ClickEvents clicks = ClickEvents::read_text("events", events, spec.rule).value();
    const CreditedLog log = credit_log(lines, clicks, spec).value();
    if (!click_verdict(log, {}).ok()) fmt::print("no verdict\n");
  });
  fmt::print("\n## From clicks to a verdict: {} impressions, lists of 10, {:.0f} MB of text\n\n",
             kImpressions, static_cast<double>(impressions.size() + events.size()) / 1e6);
  fmt::print("| work | seconds | impressions per second |\n|---|---|---|\n");
  fmt::print("| read and draft | {:.2f} | {:.0f} |\n", drafting, kImpressions / drafting);
  fmt::print("| read, draft, credit, verdict | {:.2f} | {:.0f} |\n", all, kImpressions / all);
}

}  // namespace duel
