#include "duel/ranking/click_credit/credited_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/text_numbers.h"
#include "duel/ranking/interleaving/impression_draft.h"

namespace duel {
namespace {

// In the order of ClusterBy.
constexpr std::string_view kClusterWords[] = {"user", "query", "impression"};

class LogCrediting {
 public:
  LogCrediting(Impressions& lines, ClickEvents& events, const CreditSpec& spec)
      : lines_(lines), events_(events), spec_(spec) {}

  Result<CreditedLog> run() {
    for (;;) {
      DUEL_ASSIGN(const bool more, lines_.next(impression_));
      if (!more) break;
      DUEL_RETURN_IF_ERROR(take());
    }
    log_.unusable_pages = lines_.unusable();
    if (log_.impressions.empty() && log_.unusable_pages.empty()) {
      return Error::invalid_data("there is no impression", lines_.here());
    }
    log_.rejected.unknown = events_.num_unmet(log_.rejected.example_unknown);
    log_.rejected.other_actions = events_.num_other_actions();
    log_.rejected.without_id = events_.num_without_impression();
    log_.rejected.without_item = events_.num_without_item();
    log_.events = events_.num_events() + log_.rejected.without_id + log_.rejected.without_item;
    log_.ordinals = events_.ordinals();
    DUEL_RETURN_IF_ERROR(check_usable());
    number_clusters();
    put_in_order();
    mark_evidence();
    return std::move(log_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Shown {
    std::string_view object_id;
    std::uint64_t ordinal = 0;
    Team team = Team::none;
    std::uint64_t done = 0;  // actions on it so far, a bit each
    double worth = 0;
  };

  Error bad(std::string message, std::string hint = {}) const {
    return Error::invalid_data(std::move(message), lines_.here(), std::move(hint));
  }

  Status take() {
    if (const std::uint32_t number = ids_.number(impression_.id);
        number < log_.impressions.size()) {
      return bad(fmt::format("the impression '{}' is in line {} already", impression_.id,
                             log_.impressions[number].line),
                 "every impression needs an id of its own");
    }
    DUEL_RETURN_IF_ERROR(take_page());
    CreditedImpression credited;
    credited.line = lines_.line_number();
    credited.first = ranker(impression_.names[0]);
    credited.second = ranker(impression_.names[1]);
    credit(credited);
    credited.text = log_.texts.size();
    credited.id_length = static_cast<std::uint32_t>(impression_.id.size());
    credited.user_length = static_cast<std::uint32_t>(impression_.user.size());
    credited.time_length = static_cast<std::uint32_t>(impression_.time.size());
    log_.texts += impression_.id;
    log_.texts += impression_.user;
    log_.texts += impression_.time;
    note_cluster();
    times_.push_back(impression_.time.empty() ? std::nullopt
                                              : parse_written_time(impression_.time));
    any_time_ = any_time_ || !impression_.time.empty();
    log_.impressions.push_back(credited);
    return Done{};
  }

  Status take_page() {
    page_.clear();
    if (impression_.has_lists) {
      for (const PageDrafter::Item& item :
           drafter_.draft(spec_.seed, impression_.id, impression_.lists[0], impression_.lists[1],
                          spec_.length)) {
        page_.push_back({item.object_id, page_.size() + 1, item.team});
      }
    } else {
      for (const LoggedImpression::Item& item : impression_.items) {
        for (const Shown& above : page_) {
          if (above.object_id == item.object_id) {
            return bad(fmt::format("the page shows '{}' twice", item.object_id));
          }
        }
        page_.push_back({item.object_id, item.ordinal, item.team});
      }
    }
    // Which items are competitive is unknown where only clicks name their teams.
    if (impression_.teams_of_clicks) return Done{};
    log_.items += page_.size();
    for (const Shown& item : page_) log_.competitive_items += item.team != Team::none ? 1 : 0;
    return Done{};
  }

  // What is lost may be lost because of what it says: with a fifth of it gone, what is left is no
  // picture of the whole.
  Status check_usable() const {
    std::uint64_t unusable = 0;
    for (const Unusable& one : log_.unusable_pages) unusable += one.count;
    const std::uint64_t pages = log_.impressions.size() + unusable;
    if (log_.impressions.empty() || (!spec_.partial && unusable > 0 && 5 * unusable >= pages)) {
      std::vector<Unusable> reasons = log_.unusable_pages;
      std::ranges::stable_sort(reasons, std::greater(), &Unusable::count);
      return too_little(unusable, pages, "page", reasons);
    }
    const std::uint64_t lost = log_.rejected.lost();
    if (!spec_.partial && lost > 0 && 5 * lost >= log_.events) {
      return too_little(lost, log_.events, "event", reasons_of(log_.rejected));
    }
    return Done{};
  }

  Error too_little(std::uint64_t lost, std::uint64_t all, std::string_view noun,
                   const std::vector<Unusable>& reasons) const {
    constexpr std::size_t kMostReasons = 3;
    std::string why;
    for (std::size_t k = 0; k < std::min(reasons.size(), kMostReasons); ++k) {
      why += fmt::format("{} {} {}", k == 0 ? ":" : ";", reasons[k].count, reasons[k].why);
      if (!reasons[k].example.empty()) why += fmt::format(" (such as {})", reasons[k].example);
    }
    const bool too_low = log_.rejected.one_too_low > 0 && noun == "event";
    return bad(fmt::format("{} of {} cannot be used{}", lost, counted(all, noun), why),
               log_.impressions.empty() ? ""
               : too_low
                   ? "where positions count from 0, `ordinals` says so; `partial` goes on with "
                     "what is left"
                   : "`partial` goes on with what is left");
  }

  Shown* item_of(const ClickEvent& event) {
    for (Shown& item : page_) {
      if (event.object_id.empty() ? item.ordinal == event.ordinal
                                  : item.object_id == event.object_id) {
        return &item;
      }
    }
    return nullptr;
  }

  void credit(CreditedImpression& credited) {
    events_.of(impression_.id, of_impression_);
    bool acted = false;
    RejectedEvents& rejected = log_.rejected;
    for (const ClickEvent& event : of_impression_) {
      Shown* item = item_of(event);
      const auto describe = [&] {
        return event.object_id.empty()
                   ? fmt::format("position {} of '{}'", event.ordinal, impression_.id)
                   : fmt::format("'{}' of '{}'", event.object_id, impression_.id);
      };
      if (item == nullptr) {
        if (rejected.not_shown++ == 0) rejected.example_not_shown = describe();
        continue;
      }
      if (event.ordinal != 0 && item->ordinal != 0 && event.ordinal != item->ordinal) {
        rejected.one_too_low += event.ordinal + 1 == item->ordinal ? 1 : 0;
        if (rejected.wrong_ordinal++ == 0) {
          rejected.example_wrong_ordinal = fmt::format("{}, shown at {} and not at {}", describe(),
                                                       item->ordinal, event.ordinal);
        }
        continue;
      }
      acted = true;
      const auto& [action, weight] = spec_.rule.actions[event.action];
      const std::uint64_t bit = std::uint64_t{1} << event.action;
      if (action == kDwell) {
        item->worth += weight * event.seconds;
      } else if ((item->done & bit) == 0) {
        item->worth += weight;
      }
      item->done |= bit;
    }
    bool contest = impression_.teams_of_clicks;
    for (const Shown& item : page_) {
      if (item.team == Team::none) continue;
      contest = true;
      if (item.worth == 0) continue;
      const double worth = spec_.rule.capped(item.worth * spec_.rule.position_weight(item.ordinal));
      (item.team == Team::first ? credited.first_credit : credited.second_credit) += worth;
    }
    credited.outcome = outcome_of(credited.first_credit - credited.second_credit, contest, acted);
  }

  std::uint32_t ranker(std::string_view name) {
    for (std::uint32_t k = 0; k < log_.rankers.size(); ++k) {
      if (log_.rankers[k] == name) return k;
    }
    log_.rankers.emplace_back(name);
    return static_cast<std::uint32_t>(log_.rankers.size() - 1);
  }

  void note_cluster() {
    const std::string_view text =
        spec_.cluster == ClusterBy::query ? impression_.query : impression_.user;
    clusters_of_.push_back(text.empty() ? kNone : clusters_.number(text));
  }

  void number_clusters() {
    log_.cluster =
        spec_.cluster.value_or(clusters_.size() > 0 ? ClusterBy::user : ClusterBy::impression);
    const bool alone = log_.cluster == ClusterBy::impression;
    log_.num_clusters = alone ? 0 : clusters_.size();
    for (std::size_t k = 0; k < log_.impressions.size(); ++k) {
      if (!alone && clusters_of_[k] != kNone) {
        log_.impressions[k].cluster = clusters_of_[k];
      } else {
        log_.impressions[k].cluster = static_cast<std::uint32_t>(log_.num_clusters++);
        log_.without_cluster += alone ? 0 : 1;
      }
    }
  }

  // By time; impressions of one time in the order of the file, which was written when they were
  // served and knows nothing of their outcomes.
  void put_in_order() {
    const auto& form = times_.front();
    const bool known = std::all_of(times_.begin(), times_.end(), [&](const auto& time) {
      return time && form && time->form == form->form;
    });
    log_.in_order = known || (spec_.in_order && !any_time_);
    if (!known) return;
    const auto earlier = [&](std::size_t one, std::size_t other) {
      return times_[one]->seconds < times_[other]->seconds;
    };
    std::vector<std::size_t> order(times_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (std::is_sorted(order.begin(), order.end(), earlier)) return;
    std::stable_sort(order.begin(), order.end(), earlier);
    std::vector<CreditedImpression> sorted;
    sorted.reserve(order.size());
    for (const std::size_t k : order) sorted.push_back(log_.impressions[k]);
    log_.impressions = std::move(sorted);
  }

  void mark_evidence() {
    if (log_.cluster == ClusterBy::impression) {
      for (CreditedImpression& impression : log_.impressions) impression.evidence = true;
      return;
    }
    const auto num_rankers = static_cast<std::uint64_t>(log_.rankers.size());
    // A bit for each cluster, pair by pair.
    std::map<std::uint64_t, std::vector<bool>> met;
    for (CreditedImpression& impression : log_.impressions) {
      const auto [low, high] = std::minmax(impression.first, impression.second);
      std::vector<bool>& clusters = met[low * num_rankers + high];
      if (clusters.empty()) clusters.resize(log_.num_clusters);
      impression.evidence = !clusters[impression.cluster];
      clusters[impression.cluster] = true;
    }
  }

  Impressions& lines_;
  ClickEvents& events_;
  const CreditSpec& spec_;
  LoggedImpression impression_;
  PageDrafter drafter_;
  std::vector<Shown> page_;
  std::vector<ClickEvent> of_impression_;
  TextNumbers ids_;       // number k is impression k
  TextNumbers clusters_;  // users or queries
  std::vector<std::uint32_t> clusters_of_;
  std::vector<std::optional<WrittenTime>> times_;
  bool any_time_ = false;
  CreditedLog log_;
};

}  // namespace

Result<ClusterBy> parse_cluster_by(std::string_view word) {
  const auto known = std::find(std::begin(kClusterWords), std::end(kClusterWords), word);
  if (known != std::end(kClusterWords)) return static_cast<ClusterBy>(known - kClusterWords);
  const std::vector<std::string> words(std::begin(kClusterWords), std::end(kClusterWords));
  return Error::invalid_argument(fmt::format("'{}' is not a kind of cluster", word))
      .with_hint(spelling_hint(word, words));
}

std::vector<Unusable> reasons_of(const RejectedEvents& rejected) {
  std::vector<Unusable> reasons = {
      {"on an item that was not shown", rejected.not_shown, rejected.example_not_shown},
      {"at another position than the page has", rejected.wrong_ordinal,
       rejected.example_wrong_ordinal},
      {"on a page that is not in the log", rejected.unknown,
       rejected.example_unknown.empty() ? "" : fmt::format("'{}'", rejected.example_unknown)},
      {"without a query_id", rejected.without_id, ""},
      {"on neither an item nor a position", rejected.without_item, ""}};
  std::erase_if(reasons, [](const Unusable& one) { return one.count == 0; });
  std::ranges::stable_sort(reasons, std::greater(), &Unusable::count);
  return reasons;
}

std::string_view to_word(ClusterBy by) { return kClusterWords[static_cast<std::size_t>(by)]; }

Result<CreditedLog> credit_log(Impressions& impressions, ClickEvents& events,
                               const CreditSpec& spec) {
  DUEL_RETURN_IF_ERROR(check_rule(spec.rule));
  DUEL_RETURN_IF_ERROR(CreditSpec::kLength.check("length", spec.length));
  return LogCrediting(impressions, events, spec).run();
}

}  // namespace duel
