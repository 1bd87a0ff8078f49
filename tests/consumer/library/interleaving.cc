// Two rankings become one list, and a click on it says which of them was better.
#include <iostream>

#include "duel/duel.h"

namespace {

duel::Status run() {
  duel::ImpressionSpec spec;
  spec.method = "team-draft";
  spec.id = "query-17";
  spec.rankings = {"bm25", "hybrid"};
  spec.length = 4;
  DUEL_ASSIGN(const auto plan, duel::ImpressionPlan::create(spec));

  const std::vector<duel::DocumentIds> lists{{"d1", "d2", "d3"}, {"d3", "d4", "d1"}};
  DUEL_ASSIGN(const duel::Impression shown, plan.show(lists));
  for (const duel::Impression::Item& item : shown.items) {
    std::cout << item.ordinal << ' ' << item.object_id << ' ' << item.team.value_or("-") << '\n';
  }
  // The same id and lists give the same page, now with what was clicked.
  DUEL_ASSIGN(const duel::Impression clicked, plan.show(lists, duel::DocumentIds{"d4"}));
  std::cout << duel::to_string(clicked.answer->preferences.at(0).outcome) << '\n';
  return duel::Done{};
}

}  // namespace

int main() {
  const duel::Status ended = run();
  if (ended.ok()) return 0;
  std::cerr << ended.error().to_string() << '\n';
  return 1;
}
