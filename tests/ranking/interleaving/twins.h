// Slow twins of the methods: the numbered steps of each written out over plain vectors, giving the
// exact law of (list, attribution). They share no code with the product.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "duel/ranking/document.h"

namespace duel {

using List = std::vector<Document>;
// Attribution: the team of each position, or -1 for all where it is no part of the law.
using ShownList = std::pair<List, std::vector<int>>;
using Law = std::map<ShownList, double>;

inline bool holds(const List& list, Document x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}
inline int literal_rank(const List& list, Document x) {
  return static_cast<int>(std::find(list.begin(), list.end(), x) - list.begin()) + 1;
}
inline List literal_union(const std::vector<List>& lists) {
  List all;
  for (const List& list : lists) {
    for (const Document x : list) {
      if (!holds(all, x)) all.push_back(x);
    }
  }
  return all;
}
// The best document of `list` that is not in `shown`, as an iterator.
inline List::const_iterator literal_top(const List& list, const List& shown) {
  return std::find_if(list.begin(), list.end(), [&](Document x) { return !holds(shown, x); });
}

inline Law balanced_law(const List& a, const List& b, std::size_t length) {
  Law law;
  for (const bool first_is_a : {true, false}) {
    List shown;
    std::size_t ka = 0, kb = 0;
    while (ka < a.size() && kb < b.size() && shown.size() < length) {
      if (ka < kb || (ka == kb && first_is_a)) {
        if (!holds(shown, a[ka])) shown.push_back(a[ka]);
        ++ka;
      } else {
        if (!holds(shown, b[kb])) shown.push_back(b[kb]);
        ++kb;
      }
    }
    law[{shown, std::vector<int>(shown.size(), -1)}] += 0.5;
  }
  return law;
}

// The page filled up: both rankings take their turn at every common depth, then the longer goes on.
inline Law filled_balanced_law(const List& a, const List& b, std::size_t length) {
  Law law;
  for (const bool first_is_a : {true, false}) {
    List turns;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      turns.push_back(first_is_a ? a[k] : b[k]);
      turns.push_back(first_is_a ? b[k] : a[k]);
    }
    for (const List& list : {a, b}) turns.insert(turns.end(), list.begin(), list.end());
    List shown;
    for (const Document x : turns) {
      if (shown.size() < length && !holds(shown, x)) shown.push_back(x);
    }
    law[{shown, std::vector<int>(shown.size(), -1)}] += 0.5;
  }
  return law;
}

inline int balanced_winner(const List& a, const List& b, const List& clicked) {
  if (clicked.empty()) return 0;
  const int k = std::min(literal_rank(a, clicked.back()), literal_rank(b, clicked.back()));
  int ha = 0, hb = 0;
  for (const Document x : clicked) {
    ha += literal_rank(a, x) <= k ? 1 : 0;
    hb += literal_rank(b, x) <= k ? 1 : 0;
  }
  return (ha > hb ? 1 : 0) - (ha < hb ? 1 : 0);
}

// Rounds in which all rankers pick once, in an order drawn uniformly among all permutations.
inline Law team_draft_law(const std::vector<List>& lists, std::size_t length) {
  Law law;
  std::vector<int> everyone;
  for (std::size_t r = 0; r < lists.size(); ++r) everyone.push_back(static_cast<int>(r));
  std::function<void(List, std::vector<int>, std::vector<int>, double)> go =
      [&](List shown, std::vector<int> teams, std::vector<int> waiting, double p) {
        bool ended = shown.size() == length;
        for (const List& list : lists) ended = ended || literal_top(list, shown) == list.end();
        if (ended) {
          law[{shown, teams}] += p;
          return;
        }
        if (waiting.empty()) waiting = everyone;
        for (const int r : waiting) {
          List longer = shown;
          longer.push_back(*literal_top(lists[static_cast<std::size_t>(r)], shown));
          std::vector<int> more = teams;
          more.push_back(r);
          std::vector<int> rest = waiting;
          rest.erase(std::find(rest.begin(), rest.end(), r));
          go(longer, more, rest, p / static_cast<double>(waiting.size()));
        }
      };
  go({}, {}, {}, 1);
  return law;
}

// Two rankers, the page filled up. A pick counts (has a team) if, whichever ranker opens the round,
// there is a pick at its place in the round by the ranker whose turn it is. With `passed`, a
// document that both want next is shown without a team before the round begins.
inline Law filled_draft_law(const List& a, const List& b, std::size_t length, bool passed) {
  Law law;
  const List* lists[] = {&a, &b};
  std::function<void(List, std::vector<int>, double)> go = [&](List shown, std::vector<int> teams,
                                                               double p) {
    const auto top = [&](int r, const List& without) {
      const auto at = literal_top(*lists[r], without);
      return at == lists[r]->end() ? -1 : static_cast<int>(*at);
    };
    if (shown.size() >= length || (top(0, shown) < 0 && top(1, shown) < 0)) {
      shown.resize(std::min(shown.size(), length));
      teams.resize(shown.size());
      law[{shown, teams}] += p;
      return;
    }
    const auto show = [](List& to, std::vector<int>& of, int document, int team) {
      to.push_back(static_cast<Document>(document));
      of.push_back(team);
    };
    const bool one_ended = top(0, shown) < 0 || top(1, shown) < 0;
    if (one_ended || (passed && top(0, shown) == top(1, shown))) {
      show(shown, teams, std::max(top(0, shown), top(1, shown)), -1);
      go(shown, teams, p);
      return;
    }
    // Is there a second pick, by the one whose turn it is, under both coins?
    bool both = true;
    for (const int opener : {0, 1}) {
      List after = shown;
      after.push_back(static_cast<Document>(top(opener, shown)));
      both = both && top(1 - opener, after) >= 0;
    }
    for (const int opener : {0, 1}) {
      List longer = shown;
      std::vector<int> more = teams;
      show(longer, more, top(opener, shown), opener);
      const int second = top(1 - opener, longer);
      if (second >= 0) {
        show(longer, more, second, both ? 1 - opener : -1);
      } else if (const int rest = top(opener, longer); rest >= 0) {
        show(longer, more, rest, -1);
      }
      go(longer, more, p / 2);
    }
  };
  go({}, {}, 1);
  return law;
}

// P_r(x) of probabilistic interleaving among `left`, added up again each time.
inline double literal_softmax(const List& list, const List& left, Document x, double tau) {
  double sum = 0;
  for (const Document y : left) sum += std::pow(literal_rank(list, y), -tau);
  return std::pow(literal_rank(list, x), -tau) / sum;
}

// The law with the coins kept; `law[{list, teams}]`.
inline Law probabilistic_law(const std::vector<List>& lists, std::size_t length, double tau,
                             bool draft = false) {
  Law law;
  const List all = literal_union(lists);
  std::function<void(List, std::vector<int>, double)> go = [&](List shown, std::vector<int> teams,
                                                               double p) {
    List left;
    for (const Document x : all) {
      if (!holds(shown, x)) left.push_back(x);
    }
    if (left.empty() || shown.size() == length) {
      law[{shown, teams}] += p;
      return;
    }
    std::vector<int> choices;
    if (draft && teams.size() % 2 == 1) {
      choices = {1 - teams.back()};
    } else {
      for (std::size_t r = 0; r < lists.size(); ++r) choices.push_back(static_cast<int>(r));
    }
    for (const int r : choices) {
      for (const Document x : left) {
        List longer = shown;
        longer.push_back(x);
        std::vector<int> more = teams;
        more.push_back(r);
        go(longer, more,
           p / static_cast<double>(choices.size()) *
               literal_softmax(lists[static_cast<std::size_t>(r)], left, x, tau));
      }
    }
  };
  go({}, {}, 1);
  return law;
}

inline Law without_teams(const Law& law) {
  Law merged;
  for (const auto& [shown, p] : law) {
    merged[{shown.first, std::vector<int>(shown.first.size(), -1)}] += p;
  }
  return merged;
}

// Each position: a uniform ranker adds its best (sample-only scored multileaving).
inline Law prefix_law(const std::vector<List>& lists, std::size_t length) {
  Law law;
  std::function<void(List, double)> go = [&](List shown, double p) {
    std::vector<Document> tops;
    for (const List& list : lists) {
      if (const auto top = literal_top(list, shown); top != list.end()) tops.push_back(*top);
    }
    if (tops.empty() || shown.size() == length) {
      law[{shown, std::vector<int>(shown.size(), -1)}] += p;
      return;
    }
    for (const Document x : tops) {
      List longer = shown;
      longer.push_back(x);
      go(longer, p / static_cast<double>(tops.size()));
    }
  };
  go({}, 1);
  return law;
}

// Omega(i), i from 1: documents in any ranker's top i not yet shown.
inline List omega(const std::vector<List>& lists, const List& shown, std::size_t i) {
  List candidates;
  for (const List& list : lists) {
    for (std::size_t k = 0; k < std::min(i, list.size()); ++k) {
      if (!holds(shown, list[k]) && !holds(candidates, list[k])) candidates.push_back(list[k]);
    }
  }
  return candidates;
}

inline Law pairwise_law(const std::vector<List>& lists, std::size_t length) {
  Law law;
  std::function<void(List, double)> go = [&](List shown, double p) {
    const List candidates = omega(lists, shown, shown.size() + 1);
    if (candidates.empty() || shown.size() == length) {
      law[{shown, std::vector<int>(shown.size(), -1)}] += p;
      return;
    }
    for (const Document x : candidates) {
      List longer = shown;
      longer.push_back(x);
      go(longer, p / static_cast<double>(candidates.size()));
    }
  };
  go({}, 1);
  return law;
}

// Scores of pairwise preference multileaving for clicked positions (from 0, ascending).
inline std::vector<double> pairwise_scores(const std::vector<List>& lists, const List& shown,
                                           const std::vector<Position>& clicks) {
  std::vector<double> scores(lists.size(), 0);
  if (clicks.empty()) return scores;
  std::vector<double> num_candidates;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const List above(shown.begin(), shown.begin() + static_cast<long>(k));
    num_candidates.push_back(static_cast<double>(omega(lists, above, k + 1).size()));
  }
  const auto best = [&](Document x) {
    int rank = 1'000'000;
    for (const List& list : lists) {
      if (holds(list, x)) rank = std::min(rank, literal_rank(list, x));
    }
    return rank;
  };
  const std::size_t seen = std::min<std::size_t>(shown.size(), clicks.back() + 2);
  for (const Position x : clicks) {
    for (Position y = 0; y < seen; ++y) {
      if (std::find(clicks.begin(), clicks.end(), y) != clicks.end()) continue;
      const int rx = best(shown[x]), ry = best(shown[y]);
      if (static_cast<int>(std::min(x, y)) + 1 < std::max(rx, ry)) continue;
      double product = 1;
      for (int i = std::min(rx, ry); i < std::max(rx, ry); ++i) {
        product *= 1 - 1 / num_candidates[static_cast<std::size_t>(i - 1)];
      }
      for (std::size_t r = 0; r < lists.size(); ++r) {
        const int mine = literal_rank(lists[r], shown[x]), other = literal_rank(lists[r], shown[y]);
        scores[r] += ((mine < other ? 1 : 0) - (mine > other ? 1 : 0)) / product;
      }
    }
  }
  return scores;
}

// Every permutation of 1..n.
inline std::vector<List> permutations(Document n) {
  List list;
  for (Document x = 1; x <= n; ++x) list.push_back(x);
  std::vector<List> all;
  do {
    all.push_back(list);
  } while (std::next_permutation(list.begin(), list.end()));
  return all;
}

// Every list of distinct documents among 1..n, the empty one as well.
inline std::vector<List> all_lists(Document n) {
  std::vector<List> all{{}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (Document x = 1; x <= n; ++x) {
      if (holds(all[k], x)) continue;
      List longer = all[k];
      longer.push_back(x);
      all.push_back(longer);
    }
  }
  return all;
}

// Every set of clicks on a list of the given size.
inline std::vector<std::vector<Position>> click_sets(std::size_t size) {
  std::vector<std::vector<Position>> all;
  for (unsigned bits = 0; bits < (1U << size); ++bits) {
    std::vector<Position> clicks;
    for (Position k = 0; k < size; ++k) {
      if (((bits >> k) & 1U) != 0) clicks.push_back(k);
    }
    all.push_back(clicks);
  }
  return all;
}

}  // namespace duel
