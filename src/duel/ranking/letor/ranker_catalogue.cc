#include "duel/ranking/letor/ranker_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"

namespace duel {
namespace {

// --- files of weights ---------------------------------------------------------------------------

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

class RankerLine {
 public:
  RankerLine(const TextLines& lines, std::size_t num_features)
      : where_(lines.here()), num_features_(num_features) {}

  Result<std::unique_ptr<const Ranker>> parse(std::span<const std::string_view> words) const {
    const std::string name(words.front());
    words = words.subspan(1);
    if (words.empty()) return error(fmt::format("ranker '{}' has no weights", name), kForms);
    const bool sparse = words.front().find(':') != std::string_view::npos;
    DUEL_ASSIGN(auto terms, sparse ? sparse_terms(words) : dense_terms(words));
    return std::unique_ptr<const Ranker>(std::make_unique<LinearRanker>(name, std::move(terms)));
  }

 private:
  static constexpr const char* kForms = "name 0.5 0 -1 or name 1:0.5 3:-1";
  using Terms = std::vector<LinearRanker::Term>;

  Error error(std::string message, std::string hint) const {
    return Error::invalid_data(std::move(message), where_, std::move(hint));
  }

  Result<double> weight_of(std::string_view text) const {
    const auto weight = parse_number(text);
    if (!weight.ok()) return error(fmt::format("'{}' is not a weight", text), kForms);
    if (std::abs(*weight) > LinearRanker::kMostWeight) {
      return error(fmt::format("weight {} is too large", text), "at most 1e100 in size");
    }
    return *weight;
  }

  Result<Terms> dense_terms(std::span<const std::string_view> words) const {
    if (words.size() != num_features_) {
      return error(fmt::format("{} weights for {} features", words.size(), num_features_),
                   "one weight per feature, or index:weight");
    }
    Terms terms;
    for (std::uint32_t f = 0; f < words.size(); ++f) {
      DUEL_ASSIGN(const double weight, weight_of(words[f]));
      if (weight != 0) terms.push_back({f, weight});
    }
    return terms;
  }

  Result<Terms> sparse_terms(std::span<const std::string_view> words) const {
    Terms terms;
    std::uint64_t previous = 0;
    for (const std::string_view word : words) {
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) {
        return error(fmt::format("'{}' is not index:weight", word), kForms);
      }
      const auto index = parse_count(word.substr(0, colon));
      if (!index.ok() || *index == 0 || *index > num_features_) {
        return error(fmt::format("'{}' is not a feature", word.substr(0, colon)),
                     fmt::format("the data have features 1 to {}", num_features_));
      }
      if (*index <= previous) {
        return error(fmt::format("feature {} after feature {}", *index, previous),
                     "the indices of a line must ascend");
      }
      previous = *index;
      DUEL_ASSIGN(const double weight, weight_of(word.substr(colon + 1)));
      terms.push_back({static_cast<std::uint32_t>(*index - 1), weight});
    }
    return terms;
  }

  std::string where_;
  std::size_t num_features_;
};

Result<Rankers> read_rankers(TextLines& lines, std::size_t num_features) {
  Rankers rankers;
  std::set<std::string, std::less<>> names;
  for (;;) {
    DUEL_ASSIGN(const auto line, lines.next());
    if (!line) break;
    const auto words = words_of(line->substr(0, line->find('#')));
    if (words.empty()) continue;
    if (!names.emplace(words.front()).second) {
      return Error::invalid_data(fmt::format("a second ranker named '{}'", words.front()),
                                 lines.here());
    }
    DUEL_ASSIGN(auto ranker, RankerLine(lines, num_features).parse(words));
    rankers.push_back(std::move(ranker));
  }
  if (rankers.empty()) {
    return Error::invalid_data("there are no rankers", lines.name());
  }
  return rankers;
}

// --- rankers by name ----------------------------------------------------------------------------

constexpr std::string_view kAllFeatures = "features";  // a ranker each

Result<Rankers> feature_rankers(const JudgedQueries& queries) {
  if (queries.num_features() == 0) {
    return Error::unsupported("the data have no features to rank by");
  }
  Rankers rankers;
  for (std::uint32_t f = 0; f < queries.num_features(); ++f) {
    rankers.push_back(std::make_unique<FeatureRanker>(f));
  }
  return rankers;
}

Result<Rankers> named_rankers(const std::vector<CallSpec>& calls, const JudgedQueries& queries) {
  Rankers rankers;
  std::set<std::string> names;
  for (const CallSpec& call : calls) {
    if (!ranker_catalogue().knows(call.name)) {
      std::vector<std::string> known = ranker_catalogue().names();
      known.emplace(known.begin(), kAllFeatures);
      return ranker_catalogue().unknown(call.name, known);
    }
    DUEL_ASSIGN(auto ranker, ranker_catalogue().configure(call, queries));
    if (!names.insert(ranker->name()).second) {
      return Error::invalid_argument(fmt::format("ranker '{}' is named twice", ranker->name()));
    }
    rankers.push_back(std::move(ranker));
  }
  return rankers;
}

}  // namespace

Catalogue<RankerKind>& ranker_catalogue() {
  static Catalogue<RankerKind> all("ranker");
  return all;
}

Error no_such_feature(const std::string& name, std::uint64_t feature,
                      const JudgedQueries& queries) {
  return Error::invalid_argument(fmt::format("the data have no feature {}", feature),
                                 fmt::format("ranker '{}'", name),
                                 fmt::format("1 to {}", queries.num_features()));
}

Result<Rankers> read_rankers_file(const std::string& path, std::size_t num_features) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  return read_rankers(lines, num_features);
}

Result<Rankers> read_rankers_text(std::string name, std::string_view text,
                                  std::size_t num_features) {
  TextLines lines = TextLines::of_text(std::move(name), text);
  return read_rankers(lines, num_features);
}

Result<Rankers> resolve_rankers(std::string_view text, const JudgedQueries& queries) {
  const std::string_view body = trimmed(text);
  if (body == kAllFeatures) return feature_rankers(queries);
  const std::string_view first = trimmed(body.substr(0, body.find_first_of("(,")));
  const bool known = first == kAllFeatures || ranker_catalogue().knows(first);
  if (!known && means_file(body, first)) {
    return read_rankers_file(std::string(body), queries.num_features());
  }
  DUEL_ASSIGN(const auto calls, parse_call_list(body));
  return named_rankers(calls, queries);
}

}  // namespace duel
