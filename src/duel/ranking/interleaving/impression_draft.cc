#include "duel/ranking/interleaving/impression_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "duel/core/spelling.h"
#include "duel/ranking/interleaving/team_draft.h"

namespace duel {
namespace {

// The prefix keeps these draws apart from those of a policy that has the same name.
constexpr std::string_view kOwnerPrefix = "impression:";

}  // namespace

NumberedLists::NumberedLists(std::span<const std::vector<std::string>> texts) {
  std::unordered_map<std::string_view, Document> numbers;
  for (const std::vector<std::string>& text : texts) {
    std::vector<Document>& list = lists.emplace_back();
    for (const std::string& id : text) {
      const auto [at, added] = numbers.try_emplace(id, static_cast<Document>(ids.size()));
      if (added) ids.push_back(id);
      list.push_back(at->second);
    }
  }
}

RoundRng impression_rng(std::uint64_t seed, std::string_view impression_id) {
  return Stream(seed, 0, Purpose::choice, fmt::format("{}{}", kOwnerPrefix, impression_id)).at(0);
}

void PageDrafter::number(std::span<const std::string_view> texts,
                         std::vector<Document>& documents) {
  documents.clear();
  const std::size_t mask = slots_.size() - 1;
  for (const std::string_view text : texts) {
    std::size_t slot = mix64(hash_text(text)) & mask;
    while (slots_[slot] != 0 && texts_[slots_[slot] - 1] != text) slot = (slot + 1) & mask;
    if (slots_[slot] == 0) {
      texts_.push_back(text);
      slots_[slot] = static_cast<std::uint32_t>(texts_.size());
    }
    documents.push_back(slots_[slot] - 1);
  }
}

std::span<const PageDrafter::Item> PageDrafter::draft(std::uint64_t seed,
                                                      std::string_view impression_id,
                                                      std::span<const std::string_view> first,
                                                      std::span<const std::string_view> second,
                                                      std::uint64_t limit) {
  texts_.clear();
  slots_.assign(std::bit_ceil(2 * (first.size() + second.size()) + 1), 0);
  number(first, first_);
  number(second, second_);
  pool_.assign(first_, second_);
  owner_.assign(kOwnerPrefix);
  owner_ += impression_id;
  RoundRng rng = Stream(seed, 0, Purpose::choice, owner_).at(0);
  TeamDraft draft(pool_, SharedTop::passed);
  items_.clear();
  const std::uint64_t size = std::min<std::uint64_t>(limit, pool_.size());
  while (items_.size() < size) {
    const DraftPick pick = draft.next([&] { return rng.coin(); });
    pool_.take(pick.index);
    items_.push_back({texts_[pool_.document(pick.index)], pick.team});
  }
  return items_;
}

DraftedPage draft_page(std::uint64_t seed, std::string_view impression_id,
                       std::span<const std::string> first, std::span<const std::string> second,
                       std::uint64_t offset, std::uint64_t limit) {
  const std::vector<std::string_view> one(first.begin(), first.end());
  const std::vector<std::string_view> other(second.begin(), second.end());
  PageDrafter drafter;
  const std::uint64_t end = limit > ~offset ? ~std::uint64_t{0} : offset + limit;
  const auto items = drafter.draft(seed, impression_id, one, other, end);
  DraftedPage page;
  for (std::uint64_t k = offset; k < items.size(); ++k) {
    page.items.push_back({std::string(items[k].object_id), items[k].team, k + 1});
  }
  if (items.size() < drafter.num_documents()) page.next_offset = items.size();
  return page;
}

double competitive_coverage(std::span<const DraftedItem> items) {
  if (items.empty()) return 0;
  const auto competitive = std::count_if(items.begin(), items.end(),
                                         [](const auto& item) { return item.competitive(); });
  return static_cast<double>(competitive) / static_cast<double>(items.size());
}

Error not_shown(const std::string& id, std::span<const std::string> shown) {
  const std::string near = nearest_spelling(id, shown);
  return Error::invalid_argument(fmt::format("'{}' was not shown", id))
      .with_hint(near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

Result<Credit> draft_credit(std::span<const DraftedItem> items,
                            std::span<const std::string> clicked_ids) {
  const std::unordered_set<std::string_view> clicked(clicked_ids.begin(), clicked_ids.end());
  Credit credit;
  std::size_t found = 0;
  bool contest = false;
  for (const DraftedItem& item : items) {
    contest = contest || item.competitive();
    if (!clicked.contains(item.object_id)) continue;
    ++found;
    if (!item.competitive()) continue;
    (item.team == Team::first ? credit.first : credit.second) += 1;
  }
  if (found < clicked.size()) {
    std::vector<std::string> shown;
    for (const DraftedItem& item : items) shown.push_back(item.object_id);
    for (const std::string& id : clicked_ids) {
      if (std::find(shown.begin(), shown.end(), id) != shown.end()) continue;
      return not_shown(id, shown);
    }
  }
  credit.value = credit.first - credit.second;
  credit.outcome = outcome_of(credit.value, contest, !clicked.empty());
  return credit;
}

}  // namespace duel
