#include "duel/ranking/interleaving/impression_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "duel/core/spelling.h"
#include "duel/ranking/interleaving/team_draft.h"

namespace duel {
namespace {

// Text ids as documents: number k is the k-th distinct text.
class TextNumbers {
 public:
  std::vector<Document> numbers(std::span<const std::string> texts) {
    std::vector<Document> documents;
    documents.reserve(texts.size());
    for (const std::string& text : texts) {
      const auto [at, added] = number_.try_emplace(text, static_cast<Document>(texts_.size()));
      if (added) texts_.push_back(&text);
      documents.push_back(at->second);
    }
    return documents;
  }
  const std::string& text(Document document) const { return *texts_[document]; }

 private:
  std::unordered_map<std::string_view, Document> number_;
  std::vector<const std::string*> texts_;
};

}  // namespace

RoundRng impression_rng(std::uint64_t seed, std::string_view impression_id) {
  // The prefix keeps these draws apart from those of a policy that has the same name.
  return Stream(seed, 0, Purpose::choice, fmt::format("impression:{}", impression_id)).at(0);
}

DraftedPage draft_page(std::uint64_t seed, std::string_view impression_id,
                       std::span<const std::string> first, std::span<const std::string> second,
                       std::uint64_t offset, std::uint64_t limit) {
  TextNumbers texts;
  const std::vector<Document> first_documents = texts.numbers(first);
  const std::vector<Document> second_documents = texts.numbers(second);
  RankingPool pool;
  pool.assign(first_documents, second_documents);
  const std::uint64_t begin = std::min<std::uint64_t>(offset, pool.size());
  const std::uint64_t end = begin + std::min<std::uint64_t>(limit, pool.size() - begin);

  RoundRng rng = impression_rng(seed, impression_id);
  TeamDraft draft(pool, SharedTop::passed);
  DraftedPage page;
  for (std::uint64_t ordinal = 1; ordinal <= end; ++ordinal) {
    const DraftPick pick = draft.next([&] { return rng.coin(); });
    pool.take(pick.index);
    if (ordinal <= begin) continue;
    page.items.push_back({texts.text(pool.document(pick.index)), pick.team, ordinal});
  }
  if (end < pool.size()) page.next_offset = end;
  return page;
}

double competitive_coverage(std::span<const DraftedItem> items) {
  if (items.empty()) return 0;
  const auto competitive =
      std::count_if(items.begin(), items.end(), [](const auto& item) { return item.competitive(); });
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
