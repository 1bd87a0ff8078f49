// Null space gradient descent: its ring, its directions, its queue of difficult queries, and that
// it is multileave gradient descent where it has nothing to remember.
#include "duel/ranking/learners/null_space_descent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "duel/continuous/direction.h"
#include "duel/core/archive.h"
#include "duel/core/vectors.h"
#include "duel/ranking/interleaving/methods.h"
#include "tests/ranking/learners/scripted_multileaver.h"

namespace duel {
namespace {

using Vector = std::vector<double>;
using Clicks = std::vector<Position>;

Vector copy(std::span<const double> values) { return {values.begin(), values.end()}; }

const LearnerStreams kStreams(4, 0, "null_space_descent_test");

// Queries with documents drawn at random.
struct RandomQueries {
  static constexpr std::size_t kDocuments = 12;
  explicit RandomQueries(std::size_t num_features) : d(num_features) {
    RoundRng rng(9, 0, 0);
    for (int q = 0; q < 20; ++q) {
      std::vector<float>& query = features.emplace_back(kDocuments * d);
      for (float& x : query) x = static_cast<float>(rng.uniform());
    }
  }
  QueryDocuments at(Round round) const {
    return {features[round % features.size()].data(), kDocuments, d};
  }
  std::size_t d;
  std::vector<std::vector<float>> features;
};

std::shared_ptr<const Multileaver> team_draft() {
  return configure_multileaver(parse_call("team-draft-multileave").value()).value();
}

// Clicks that depend on the round alone.
Clicks clicks_of(Round round, std::size_t length) {
  RoundRng rng = Stream(6, 0, Purpose::test).at(round);
  Clicks clicks;
  for (Position position = 0; position < length; ++position) {
    if (rng.bernoulli(0.3)) clicks.push_back(position);
  }
  return clicks;
}

TEST(OrthonormalBasis, splits_a_vector_into_span_and_rest) {
  RoundRng rng(1, 0, 0);
  constexpr std::size_t kDimension = 30;
  OrthonormalBasis basis;
  std::vector<Vector> added;
  for (int k = 0; k < 12; ++k) {
    Vector x(kDimension);
    draw_direction(rng, x);
    if (k % 3 == 2) add_scaled(added[0], 1e-7, x, x);  // nearly dependent
    added.push_back(x);
    basis.add(x);
  }
  EXPECT_EQ(basis.size(kDimension), 12U);
  basis.add(added[3]);
  EXPECT_EQ(basis.size(kDimension), 12U);  // nothing new
  Vector x(kDimension);
  draw_direction(rng, x);
  Vector span = x, rest = x;
  basis.project(span);
  basis.remove(rest);
  for (std::size_t i = 0; i < kDimension; ++i) EXPECT_NEAR(span[i] + rest[i], x[i], 1e-13);
  for (const Vector& y : added) EXPECT_NEAR(dot(rest, y), 0, 1e-14);
}

TEST(LosingDirections, give_the_largest_deficits_and_of_equal_ones_the_newest) {
  LosingDirections ring(3, 1);
  const auto add = [&](double name, double deficit) { ring.add(Vector{name}, deficit); };
  const auto worst = [&](std::size_t count) {
    Vector names;
    for (const std::size_t i : ring.worst(count)) names.push_back(ring.direction(i)[0]);
    return names;
  };
  EXPECT_TRUE(worst(2).empty());
  add(1, 5);
  add(2, 1);
  EXPECT_EQ(worst(3), (Vector{1, 2}));
  add(3, 1);
  EXPECT_EQ(worst(3), (Vector{1, 3, 2}));
  add(4, 1);  // in the place of 1, the oldest
  EXPECT_EQ(ring.size(), 3U);
  EXPECT_EQ(worst(3), (Vector{4, 3, 2}));
  add(5, 2);
  EXPECT_EQ(worst(2), (Vector{5, 4}));

  LosingDirections none(0, 1);
  none.add(Vector{1}, 1);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_TRUE(none.fits());
}

TEST(DifficultQueries, keep_recent_ones_with_clicks_far_down) {
  const std::vector<float> features = {3, 2, 1};  // three documents, one feature
  const QueryDocuments documents(features.data(), 3, 1);
  const std::vector<Document> list = {0, 1, 2};
  DifficultQueries queries(2, 10);
  const Vector up = {1}, down = {-1}, flat = {0};
  queries.offer(1, documents, list, Clicks{0});
  EXPECT_EQ(queries.gain(up), 1);
  EXPECT_EQ(queries.gain(down), 1.0 / 3);
  EXPECT_EQ(queries.gain(flat), 0.5);  // all share rank 2
  queries.offer(2, documents, list, Clicks{1, 2});
  EXPECT_NEAR(queries.gain(up), 1 + 1.0 / 2 + 1.0 / 3, 1e-15);
  queries.offer(3, documents, list, Clicks{0, 1});  // easier than both: not taken
  EXPECT_NEAR(queries.gain(up), 1 + 1.0 / 2 + 1.0 / 3, 1e-15);
  queries.offer(4, documents, list, Clicks{2});  // 1/3: instead of the first, 1
  EXPECT_NEAR(queries.gain(up), 1.0 / 3 + 1.0 / 2 + 1.0 / 3, 1e-15);
  queries.offer(12, documents, list, Clicks{0, 1, 2});  // easy, but all were within 10 impressions
  EXPECT_NEAR(queries.gain(up), 1.0 / 3 + 1.0 / 2 + 1.0 / 3, 1e-15);
  queries.offer(13, documents, list, Clicks{0, 1, 2});  // that of impression 2 is too old
  EXPECT_NEAR(queries.gain(up), 1.0 / 3 + 1 + 1.0 / 2 + 1.0 / 3, 1e-15);
  queries.offer(100, documents, list, Clicks{0});
  EXPECT_EQ(queries.size(), 1U);
}

TEST(NullSpaceDescent, keeps_the_candidates_that_lost_worst) {
  // Clicks: the current ranker 3; candidates 4, 1, 2, 0, 1, 3. The third fewest of all is 1.
  NullSpaceOptions options;
  options.candidates = 6;
  options.losers = 3;
  const auto verdict = std::make_shared<ScriptedMultileaver>(std::vector<bool>(6, false),
                                                             Vector{3, 4, 1, 2, 0, 1, 3});
  NullSpaceDescent learner("nsgd", options, verdict, 20, 4);
  const RandomQueries queries(20);
  learner.show(queries.at(1), 1, kStreams);
  learner.observe(Clicks{0});
  ASSERT_EQ(learner.losing().size(), 3U);
  EXPECT_EQ(copy(learner.losing().direction(0)), copy(learner.direction(1)));
  EXPECT_EQ(copy(learner.losing().direction(1)), copy(learner.direction(3)));
  EXPECT_EQ(copy(learner.losing().direction(2)), copy(learner.direction(4)));
  learner.show(queries.at(2), 2, kStreams);
  learner.observe({});  // no click, nobody lost
  EXPECT_EQ(learner.losing().size(), 3U);
}

TEST(NullSpaceDescent, tries_unit_directions_orthogonal_to_the_worst) {
  for (const std::size_t d : {1U, 2U, 5U, 46U}) {
    NullSpaceOptions options;
    const auto method = team_draft();
    NullSpaceDescent learner("nsgd", options, method, d, 10);
    const RandomQueries queries(d);
    std::size_t largest = 0;
    for (Round round = 1; round <= 300; ++round) {
      LosingDirections ring = learner.losing();
      learner.show(queries.at(round), round, kStreams);
      const auto worst = ring.worst(learner.most_left_out());
      largest = std::max(largest, worst.size());
      for (std::size_t k = 0; k < options.candidates; ++k) {
        ASSERT_NEAR(norm(learner.direction(k)), 1, 1e-13);
        for (const std::size_t i : worst) {
          ASSERT_NEAR(dot(learner.direction(k), ring.direction(i)), 0, 1e-12) << d << " " << round;
        }
      }
      learner.observe(clicks_of(round, 10));
      for (const double weight : learner.weights()) ASSERT_TRUE(std::isfinite(weight));
    }
    EXPECT_EQ(largest, std::min<std::size_t>(25, d / 2)) << d;
  }
}

// Within the null space the directions are uniform: the squares of their coordinates in an
// orthonormal basis of it have mean 1/m, m its dimension, and no favourite sign.
TEST(NullSpaceDescent, draws_uniformly_from_the_null_space) {
  NullSpaceOptions options;
  options.candidates = 2;
  options.sampled = 2;  // no choice between them
  options.losers = 1;   // keeps the candidate without clicks
  const auto verdict =
      std::make_shared<ScriptedMultileaver>(std::vector<bool>{false, false}, Vector{2, 0, 1});
  NullSpaceDescent learner("nsgd", options, verdict, 4, 4);
  const RandomQueries queries(4);
  learner.show(queries.at(1), 1, kStreams);
  learner.observe(Clicks{0});
  learner.show(queries.at(2), 2, kStreams);
  learner.observe(Clicks{0});
  ASSERT_EQ(learner.losing().size(), 2U);  // two of four dimensions are left out
  OrthonormalBasis basis;
  basis.add(learner.losing().direction(0));
  basis.add(learner.losing().direction(1));
  std::vector<Vector> axes;
  for (std::size_t i = 0; i < 4 && axes.size() < 2; ++i) {
    Vector e(4, 0.0);
    e[i] = 1;
    basis.remove(e);
    if (norm(e) < 1e-6) continue;
    scale(e, 1 / norm(e));
    basis.add(e);
    axes.push_back(e);
  }
  ASSERT_EQ(axes.size(), 2U);
  constexpr int kDraws = 20'000;
  double square = 0, sign = 0, cross = 0;
  for (Round round = 3; round < 3 + kDraws; ++round) {
    learner.show(queries.at(round), round, kStreams);
    learner.observe({});
    const double x = dot(learner.direction(0), axes[0]), y = dot(learner.direction(0), axes[1]);
    EXPECT_NEAR(x * x + y * y, 1, 1e-12);
    square += x * x / kDraws;
    sign += x / kDraws;
    cross += x * y / kDraws;
  }
  // On a circle x^2 and 2 x y have mean 1/2 and 0 and variance 1/8 and 1/2; x has variance 1/2.
  EXPECT_NEAR(square, 0.5, 5 * std::sqrt(0.125 / kDraws));
  EXPECT_NEAR(sign, 0, 5 * std::sqrt(0.5 / kDraws));
  EXPECT_NEAR(cross, 0, 5 * std::sqrt(0.125 / kDraws));
}

TEST(NullSpaceDescent, tries_what_the_query_tells_apart_best) {
  NullSpaceOptions all, some;
  all.candidates = 20;
  all.sampled = 20;
  some.candidates = 9;  // 2 (9 + 1) = 20 are drawn
  const auto verdict = std::make_shared<ScriptedMultileaver>(std::vector<bool>(20, false));
  NullSpaceDescent drawn("nsgd", all, verdict, 7, 4), kept("nsgd", some, verdict, 7, 4);
  const RandomQueries queries(7);
  for (Round round = 1; round <= 20; ++round) {
    const QueryDocuments documents = queries.at(round);
    drawn.show(documents, round, kStreams);
    kept.show(documents, round, kStreams);
    Vector mean(7, 0.0);
    for (Document i = 0; i < documents.num_documents(); ++i) {
      for (std::size_t k = 0; k < 7; ++k) mean[k] += documents.row(i)[k];
    }
    std::vector<std::pair<double, Vector>> by_spread;
    for (std::size_t k = 0; k < 20; ++k) {
      by_spread.emplace_back(-std::fabs(dot(mean, drawn.direction(k))), copy(drawn.direction(k)));
    }
    std::sort(by_spread.begin(), by_spread.end());
    std::vector<Vector> expected, tried;
    for (std::size_t k = 0; k < 9; ++k) {
      expected.push_back(by_spread[k].second);
      tried.push_back(copy(kept.direction(k)));
    }
    std::sort(expected.begin(), expected.end());
    std::sort(tried.begin(), tried.end());
    EXPECT_EQ(tried, expected) << round;
    drawn.observe({});
    kept.observe({});
  }
}

TEST(NullSpaceDescent, is_multileave_descent_with_nothing_to_remember) {
  MultileaveDescentOptions plain;
  plain.candidates = 5;
  plain.eta = 0.1;
  NullSpaceOptions options;
  options.candidates = 5;
  options.eta = 0.1;
  options.kept = 0;
  options.sampled = 5;
  options.queue = 0;
  const auto method = team_draft();
  MultileaveDescent mgd("same", plain, method, 8, 6);
  NullSpaceDescent nsgd("same", options, method, 8, 6);
  const RandomQueries queries(8);
  for (Round round = 1; round <= 300; ++round) {
    const auto expected = mgd.show(queries.at(round), round, kStreams);
    const auto shown = nsgd.show(queries.at(round), round, kStreams);
    ASSERT_TRUE(std::equal(shown.begin(), shown.end(), expected.begin(), expected.end()));
    mgd.observe(clicks_of(round, 6));
    nsgd.observe(clicks_of(round, 6));
    ASSERT_EQ(copy(nsgd.weights()), copy(mgd.weights())) << round;
  }
  EXPECT_GT(norm(nsgd.weights()), 0);
}

TEST(NullSpaceDescent, follows_the_winner_that_ranks_difficult_queries_best) {
  // One feature that counts: the clicked document of the only query has the largest one. Of the
  // winners that one is followed whose weights rank it highest; equal ones are drawn.
  const std::vector<float> features = {0.1F, 0.9F, 0.5F, 0.2F, 0.3F, 0.4F, 0.8F, 0.1F};
  const QueryDocuments documents(features.data(), 4, 2);
  NullSpaceOptions options;
  options.candidates = 4;
  options.eta = 0.5;
  const auto verdict =
      std::make_shared<ScriptedMultileaver>(std::vector<bool>{true, false, true, true});
  std::map<std::size_t, int> followed;
  for (Round round = 1; round <= 200; ++round) {
    NullSpaceDescent learner("nsgd", options, verdict, 2, 4);
    const auto list = learner.show(documents, round, kStreams);
    const auto place =
        static_cast<Position>(std::find(list.begin(), list.end(), Document{3}) - list.begin());
    learner.observe(Clicks{place});
    const auto rank_of_clicked = [&](std::size_t k) {
      Vector scores(4);
      score_documents(documents, learner.direction(k), scores);  // w is 0
      return std::count_if(scores.begin(), scores.end(), [&](double x) { return x > scores[3]; });
    };
    const auto best = std::min({rank_of_clicked(0), rank_of_clicked(2), rank_of_clicked(3)});
    int matched = 0;
    for (const std::size_t k : {0U, 2U, 3U}) {
      if (learner.weights()[0] != 0.5 * learner.direction(k)[0]) continue;
      ++matched;
      ++followed[k];
      EXPECT_EQ(rank_of_clicked(k), best) << round;
    }
    EXPECT_EQ(matched, 1);
  }
  EXPECT_EQ(followed.size(), 3U);  // not always the first
}

TEST(NullSpaceDescent, saves_and_restores_between_any_two_impressions) {
  const RandomQueries queries(6);
  const auto method = team_draft();
  NullSpaceOptions options;
  options.kept = 20;
  options.queue = 3;
  options.window = 20;
  const auto fresh = [&] {
    return std::make_unique<NullSpaceDescent>("nsgd", options, method, 6, 10);
  };
  auto whole = fresh(), parts = fresh();
  for (Round round = 1; round <= 120; ++round) {
    whole->show(queries.at(round), round, kStreams);
    whole->observe(clicks_of(round, 10));
    auto next = fresh();
    ASSERT_TRUE(next->restore(parts->save()).ok());
    parts = std::move(next);
    parts->show(queries.at(round), round, kStreams);
    parts->observe(clicks_of(round, 10));
    ASSERT_EQ(parts->save(), whole->save()) << round;
  }
  EXPECT_EQ(whole->losing().size(), 20U);
  EXPECT_EQ(whole->difficult().size(), 3U);

  const std::string state = whole->save();
  NullSpaceDescent other("nsgd", options, method, 7, 10),
      named("nsgd(eta=1)", options, method, 6, 10);
  EXPECT_FALSE(other.restore(state).ok());
  EXPECT_FALSE(named.restore(state).ok());
  NullSpaceOptions smaller = options;
  smaller.kept = 10;
  EXPECT_FALSE(NullSpaceDescent("nsgd", smaller, method, 6, 10).restore(state).ok());
  EXPECT_FALSE(whole->restore(state.substr(0, state.size() / 2)).ok());
  EXPECT_FALSE(whole->restore(MultileaveDescent("nsgd", options, method, 6, 10).save()).ok());
  EXPECT_EQ(whole->save(), state);
}

// A state whose numbers were altered, with a checksum that fits.
TEST(NullSpaceDescent, refuses_states_that_could_not_have_been) {
  NullSpaceOptions options;
  const auto method = team_draft();
  NullSpaceDescent learner("nsgd", options, method, 2, 4);
  const std::string base = MultileaveDescent("nsgd", options, method, 2, 4).save();
  struct Query {
    std::uint64_t round;
    double gain;
    std::vector<float> features;
    std::vector<Document> clicked;
  };
  const auto accepts = [&](const Vector& directions, const Vector& deficits, std::uint64_t next,
                           const std::vector<Query>& queries) {
    StateWriter writer;
    writer(base, directions, deficits, next, static_cast<std::uint64_t>(queries.size()));
    for (const Query& query : queries) {
      writer(query.round, query.gain, query.features, query.clicked);
    }
    return NullSpaceDescent("nsgd", options, method, 2, 4).restore(writer.finish()).ok();
  };
  EXPECT_TRUE(accepts({}, {}, 0, {}));
  EXPECT_TRUE(accepts({1, 0}, {1}, 1, {{1, 0.5, {1, 2, 3, 4}, {1}}}));
  EXPECT_FALSE(accepts({1, 0}, {1}, 0, {}));                         // the place of the next
  EXPECT_FALSE(accepts({1, 0, 1}, {1}, 1, {}));                      // half a direction
  EXPECT_FALSE(accepts({1, std::nan("")}, {1}, 1, {}));              // not a number
  EXPECT_FALSE(accepts({}, {}, 0, {{1, 0.5, {1, 2, 3}, {0}}}));      // half a document
  EXPECT_FALSE(accepts({}, {}, 0, {{1, 0.5, {1, 2, 3, 4}, {2}}}));   // clicked what is not there
  EXPECT_FALSE(accepts({}, {}, 0, {{1, 0.5, {}, {}}}));              // nothing
  EXPECT_FALSE(accepts({}, {}, 0, {{1, 0.5, {1, INFINITY}, {0}}}));  // not finite
}

}  // namespace
}  // namespace duel
