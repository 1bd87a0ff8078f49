// `bm25(tf=25,length=15,idf=20)`.
//
// Okapi BM25 of one text field (Robertson et al., TREC-3, 1994), from features that hold its parts:
//   idf * tf (k1 + 1) / (tf + k1 (1 - b + b length/mean_length)),
// with the query terms' summed frequency tf, the field's length, and idf (1 where it is not given;
// it is the same for all documents of a query in most data and then changes no ranking). The mean
// length is taken over all documents of the data. A document with tf = 0 scores 0. The features
// must be raw: after a normalisation within queries this is no longer BM25.
#include <fmt/format.h>

#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

struct Bm25Options {
  std::uint64_t tf = 0;  // 1-based features; 0: not given
  std::uint64_t length = 0;
  std::uint64_t idf = 0;
  double k1 = 1.2;
  double b = 0.75;
};

class Bm25Ranker final : public Ranker {
 public:
  // REQUIRES: tf and length given, none beyond the data's features, tf and length nowhere negative.
  Bm25Ranker(std::string name, const Bm25Options& options, const JudgedQueries& queries)
      : Ranker(std::move(name)), options_(options) {
    double sum = 0;
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      for (Document d = 0; d < queries.num_documents(q); ++d) {
        sum += static_cast<double>(queries.features(q, d)[options.length - 1]);
      }
    }
    mean_length_ = sum / static_cast<double>(queries.num_documents());
  }

  void score(const JudgedQueries& queries, std::size_t query,
             std::span<double> scores) const override {
    const auto [tf_index, length_index, idf_index, k1, b] = options_;
    for (Document d = 0; d < scores.size(); ++d) {
      const auto row = queries.features(query, d);
      const auto tf = static_cast<double>(row[tf_index - 1]);
      if (tf == 0) {
        scores[d] = 0;
        continue;
      }
      const auto length = static_cast<double>(row[length_index - 1]);
      const double relative = mean_length_ > 0 ? length / mean_length_ : 1;
      const double idf = idf_index == 0 ? 1 : static_cast<double>(row[idf_index - 1]);
      scores[d] = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * relative));
    }
  }

 private:
  Bm25Options options_;
  double mean_length_ = 0;
};

// BM25 is made of counts; a negative one means that the feature is something else.
Status check_nowhere_negative(std::uint64_t feature, const JudgedQueries& queries) {
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    for (Document d = 0; d < queries.num_documents(q); ++d) {
      const float value = queries.features(q, d)[feature - 1];
      if (value < 0) {
        return Error::invalid_data(
            fmt::format("feature {} is {} in query {}", feature, value, queries.qid(q)),
            "ranker 'bm25'", "term frequencies and lengths are 0 or more");
      }
    }
  }
  return Done{};
}

RankerKind::Made configure_bm25(const Bm25Options& options, const std::string& canonical,
                                const JudgedQueries& queries) {
  if (options.tf == 0 || options.length == 0) {
    return Error::invalid_argument("the features 'tf' and 'length' must be named", "ranker 'bm25'",
                                   "write bm25(tf=25,length=15,idf=20)");
  }
  for (const std::uint64_t feature : {options.tf, options.length, options.idf}) {
    if (feature > queries.num_features()) return no_such_feature("bm25", feature, queries);
  }
  DUEL_RETURN_IF_ERROR(check_nowhere_negative(options.tf, queries));
  DUEL_RETURN_IF_ERROR(check_nowhere_negative(options.length, queries));
  return RankerKind::Made(std::make_unique<Bm25Ranker>(canonical, options, queries));
}

const bool bm25_ranker_is_registered = ranker_catalogue().add(
    {.name = "bm25"},
    OptionTable<Bm25Options>()
        .count("tf", &Bm25Options::tf, 1, kMostFeature, "feature of the summed term frequency")
        .count("length", &Bm25Options::length, 1, kMostFeature, "feature of the field's length")
        .count("idf", &Bm25Options::idf, 0, kMostFeature, "feature of the idf; 0: none")
        .number("k1", &Bm25Options::k1, {.least = 0, .most = 1e6}, "saturation of frequency")
        .number("b", &Bm25Options::b, {.least = 0, .most = 1}, "weight of the length"),
    configure_bm25);

}  // namespace
}  // namespace duel
