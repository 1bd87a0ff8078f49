#include "duel/study/click_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "duel/experiment/comparison_table.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

std::vector<PairAtOneLook> pairs_at_one_look(const CreditedLog& log, const DeltaOptions& options) {
  struct Sums {
    PairAtOneLook report;
    std::vector<ClusterOutcomes> clusters;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sums> pairs;
  for (const CreditedImpression& impression : log.impressions) {
    const auto key = std::minmax(impression.first, impression.second);
    Sums& sums = pairs[{key.first, key.second}];
    ++sums.report.impressions;
    sums.report.no_feedback += impression.outcome == ClickOutcome::no_feedback ? 1 : 0;
    sums.report.no_contest += impression.outcome == ClickOutcome::no_contest ? 1 : 0;
    if (as_answer(impression.outcome) == Outcome::none) continue;
    if (sums.clusters.empty()) sums.clusters.resize(log.num_clusters);
    ClusterOutcomes& cluster = sums.clusters[impression.cluster];
    if (impression.outcome == ClickOutcome::tie) {
      ++cluster.ties;
    } else {
      const bool by_first = impression.outcome == ClickOutcome::first_wins;
      ++(by_first == (impression.first == key.first) ? cluster.wins : cluster.losses);
    }
  }
  std::vector<PairAtOneLook> reports;
  for (auto& [key, sums] : pairs) {
    sums.report.first = key.first;
    sums.report.second = key.second;
    sums.report.delta = delta_ab(sums.clusters, options);
    reports.push_back(sums.report);
  }
  return reports;
}

// The votes as an experiment that was never logged, for its certificate.
Result<ReadAnswers> answers_of_votes(const CreditedLog& log, const std::string& id, double alpha) {
  ComparisonTable table;
  table.interleaved = true;
  for (const std::string& name : log.rankers) {
    std::string arm = id_from(name);
    const auto taken = [&] {
      return std::any_of(table.arms.begin(), table.arms.end(),
                         [&](const ArmEntry& entry) { return entry.id == arm; });
    };
    for (int k = 2; taken(); ++k) arm = fmt::format("{}-{}", id_from(name).substr(0, 90), k);
    table.arms.push_back({arm, arm == name ? "" : name, ""});
  }
  for (const CreditedImpression& impression : log.impressions) {
    if (as_answer(impression.outcome) == Outcome::none) continue;
    ComparisonRecord row{.first = table.arms[impression.first].id,
                         .second = table.arms[impression.second].id};
    row.evidence = impression.evidence;
    if (impression.outcome == ClickOutcome::tie) {
      row.answer = {Answered::tie, ""};
    } else {
      row.answer = {Answered::win,
                    impression.outcome == ClickOutcome::first_wins ? row.first : row.second};
    }
    table.rows.push_back(std::move(row));
  }
  return answers_of(table, id, alpha, log.in_order);
}

}  // namespace

Result<ClickVerdict> click_verdict(const CreditedLog& log, const ClickVerdictSpec& spec) {
  ClickVerdict verdict;
  verdict.pairs = pairs_at_one_look(log, spec.delta);
  for (const CreditedImpression& impression : log.impressions) {
    if (as_answer(impression.outcome) == Outcome::none) continue;
    ++verdict.answers;
    verdict.evidence += impression.evidence ? 1 : 0;
  }
  if (verdict.answers == 0) return verdict;
  DUEL_ASSIGN(const ReadAnswers read, answers_of_votes(log, spec.experiment_id, spec.alpha));
  verdict.sentence = verdict_of(read.ledger, standing_of(read.ledger));
  verdict.if_wrong = read.if_wrong.text;
  return verdict;
}

Json to_json(const CreditedLog& log, const ClickVerdict& verdict) {
  Json json;
  json["impressions"] = log.impressions.size();
  json["rankings"] = log.rankers;
  json["cluster"] = to_word(log.cluster);
  json["clusters"] = log.num_clusters;
  json["in_order"] = log.in_order;
  json["competitive_items"] = log.competitive_items;
  json["items"] = log.items;
  json["pairs"] = Json::array();
  for (const PairAtOneLook& pair : verdict.pairs) {
    const DeltaAb& delta = pair.delta;
    json["pairs"].push_back(
        {{"first", log.rankers[pair.first]},
         {"second", log.rankers[pair.second]},
         {"impressions", pair.impressions},
         {"wins", delta.wins},
         {"losses", delta.losses},
         {"ties", delta.ties},
         {"no_feedback", pair.no_feedback},
         {"no_contest", pair.no_contest},
         {"delta_ab", delta.value},
         {"standard_error", delta.clustered_error},
         {"standard_error_independent", delta.independent_error},
         {"interval",
          delta.bootstrap ? Json{delta.bootstrap->lower, delta.bootstrap->upper} : Json()},
         {"clusters", delta.clusters},
         {"sign_test", delta.sign_test},
         {"cluster_sign_test", delta.cluster_sign_test},
         {"design_effect", delta.design_effect()}});
  }
  json["answers"] = verdict.answers;
  json["evidence"] = verdict.evidence;
  json["verdict"] = verdict.sentence;
  if (!verdict.if_wrong.empty()) json["if_wrong"] = verdict.if_wrong;
  const RejectedEvents& rejected = log.rejected;
  json["rejected_events"] = {
      {"not_shown", rejected.not_shown},         {"wrong_ordinal", rejected.wrong_ordinal},
      {"unknown_impression", rejected.unknown},  {"other_actions", rejected.other_actions},
      {"without_query_id", rejected.without_id}, {"without_item", rejected.without_item}};
  json["events"] = log.events;
  json["ordinals_from"] = log.ordinals.base();
  json["unusable_pages"] = Json::array();
  for (const Unusable& page : log.unusable_pages) {
    json["unusable_pages"].push_back({{"why", page.why}, {"count", page.count}});
  }
  return json;
}

}  // namespace duel
