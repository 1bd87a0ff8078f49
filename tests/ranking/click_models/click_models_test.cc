// The samplers against the chains, and the chains against the papers.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/exact_clicks.h"
#include "tests/ranking/click_models/literal_users.h"

namespace duel {
namespace {

std::shared_ptr<const ClickModel> model_of(const std::string& text, std::size_t num_grades = 3) {
  auto model = configure_click_model(text, num_grades);
  EXPECT_TRUE(model.ok()) << text << ": " << (model.ok() ? "" : model.error().to_string());
  return *model;
}

std::string error_of(const std::string& text, std::size_t num_grades = 3) {
  const auto model = configure_click_model(text, num_grades);
  return model.ok() ? "no error" : model.error().to_string();
}

// All lists of 0 .. most documents with grades 0 .. num_grades - 1.
void for_each_list(std::size_t most, Grade num_grades,
                   const std::function<void(const std::vector<Grade>&)>& visit) {
  std::vector<std::vector<Grade>> lists{{}};
  for (std::size_t length = 0; length <= most; ++length) {
    std::vector<std::vector<Grade>> longer;
    for (const auto& list : lists) {
      visit(list);
      for (Grade g = 0; g < num_grades; ++g) {
        longer.push_back(list);
        longer.back().push_back(g);
      }
    }
    lists = std::move(longer);
  }
}

PatternDistribution exact_distribution(const ClickModel& model, const std::vector<Grade>& grades) {
  PatternDistribution distribution;
  for_each_click_pattern(model, grades, [&](std::span<const Position> clicks, double p) {
    distribution[Pattern(clicks.begin(), clicks.end())] = p;
  });
  return distribution;
}

const std::vector<std::string>& model_texts() {
  static const std::vector<std::string> texts{
      "perfect",
      "navigational",
      "informational",
      "almost-random",
      "perfect(stop=always)",
      "navigational(stop=always)",
      "informational(stop=always)",
      "almost-random(stop=always)",
      "cascade(attraction=0.1/0.5/0.9)",
      "dependent-click(click=0.3/0.6/1,stop=0/0.5/1)",
      "dependent-click-stop-anywhere(click=0.3/0.6/1,stop=0/0.5/1)",
      "dynamic-bayesian(attraction=0.2/0.5/0.8,satisfaction=0.1/0.5/0.9,gamma=0.8)",
      "position-based(attraction=0.2/0.5/0.8)",
      "position-based(eta=0.5,attraction=0.2/0.5/1)",
      "user-browsing(attraction=0.2/0.5/0.8)",
      "user-browsing(examination=0.9/0.4,attraction=0.2/0.5/1)"};
  return texts;
}

// --- numbers ------------------------------------------------------------------------------------

struct PublishedUser {
  std::string name;
  std::vector<double> click;
  std::vector<double> stop;
};

const std::vector<PublishedUser>& published_users() {
  static const std::vector<PublishedUser> users{
      {"perfect", {0, .2, .4, .8, 1}, {0, 0, 0, 0, 0}},
      {"navigational", {.05, .3, .5, .7, .95}, {.2, .3, .5, .7, .9}},
      {"informational", {.4, .6, .7, .8, .9}, {.1, .2, .3, .4, .5}},
      {"almost-random", {.4, .45, .5, .55, .6}, {.5, .5, .5, .5, .5}},
      {"perfect", {0, .5, 1}, {0, 0, 0}},
      {"navigational", {.05, .5, .95}, {.2, .5, .9}},
      {"informational", {.4, .7, .9}, {.1, .3, .5}},
      {"almost-random", {.4, .5, .6}, {.5, .5, .5}},
      {"perfect", {0, 1}, {0, 0}},
      {"navigational", {.05, .95}, {.2, .9}},
      {"informational", {.4, .9}, {.1, .5}},
      {"almost-random", {.4, .6}, {.5, .5}},
  };
  return users;
}

TEST(ClickModels, named_users_have_the_published_numbers) {
  for (const PublishedUser& user : published_users()) {
    const auto after_click = model_of(user.name, user.click.size());
    const auto always = model_of(user.name + "(stop=always)", user.click.size());
    ASSERT_EQ(after_click->num_grades(), user.click.size());
    for (std::size_t grade = 0; grade < user.click.size(); ++grade) {
      for (const auto& model : {after_click, always}) {
        const UserStep step = model->step(0, 3, static_cast<Grade>(grade));
        EXPECT_EQ(step.click, user.click[grade]) << user.name;
        EXPECT_EQ(step.stop_after_click, user.stop[grade]) << user.name;
        EXPECT_EQ(step.stop_after_skip, model == always ? user.stop[grade] : 0) << user.name;
      }
    }
  }
}

TEST(ClickModels, data_between_the_published_scales_meet_the_next_larger_one) {
  EXPECT_EQ(model_of("navigational", 1)->num_grades(), 2u);
  EXPECT_EQ(model_of("navigational", 4)->num_grades(), 5u);
  EXPECT_EQ(model_of("navigational", 4)->step(0, 0, 3).click, .7);
}

TEST(ClickModels, more_grades_than_published_need_numbers_of_their_own) {
  EXPECT_EQ(error_of("informational", 6),
            "the informational user is known for 2, 3 and 5 grades, not for 6 (give a probability "
            "per grade, as in dependent-click(click=0/0.5/1,stop=0/0/0.5), or merge grades)");
  EXPECT_EQ(model_of("dependent-click(click=0/0/0/0/0/1,stop=0/0/0/0/0/1)", 6)->num_grades(), 6u);
}

TEST(ClickModels, binary_navigational_user_by_hand) {
  // Grades (0, 1): click .05 and .95, stop .2 and .9.
  const std::vector<Grade> list{0, 1};
  const auto after_click = exact_distribution(*model_of("navigational", 2), list);
  EXPECT_NEAR(after_click.at({}), .95 * .05, 1e-15);
  EXPECT_NEAR(after_click.at({0}), .05 * (.2 + .8 * .05), 1e-15);
  EXPECT_NEAR(after_click.at({1}), .95 * .95, 1e-15);
  EXPECT_NEAR(after_click.at({0, 1}), .05 * .8 * .95, 1e-15);
  const auto always = exact_distribution(*model_of("navigational(stop=always)", 2), list);
  EXPECT_NEAR(always.at({}), .95 * (.2 + .8 * .05), 1e-15);
  EXPECT_NEAR(always.at({0}), .05 * (.2 + .8 * .05), 1e-15);
  EXPECT_NEAR(always.at({1}), .95 * .8 * .95, 1e-15);
  EXPECT_NEAR(always.at({0, 1}), .05 * .8 * .95, 1e-15);
  // The marginals that docs/click-models.md quotes.
  EXPECT_NEAR(click_probabilities(*model_of("navigational", 2), list)[1], .9405, 1e-15);
  EXPECT_NEAR(click_probabilities(*model_of("navigational(stop=always)", 2), list)[1], .76, 1e-15);
}

TEST(ClickModels, position_based_marginals_by_hand) {
  const auto model = model_of("position-based(attraction=0/0.6)", 2);
  const std::vector<double> expected{.6, .3, 0, .15};
  EXPECT_EQ(click_probabilities(*model, std::vector<Grade>{1, 1, 0, 1}), expected);
}

TEST(ClickModels, listed_examination_holds_its_last_value_below) {
  const auto model = model_of("position-based(examination=1/0.5/0.25,attraction=1/1)", 2);
  const std::vector<double> expected{1, .5, .25, .25, .25};
  EXPECT_EQ(click_probabilities(*model, std::vector<Grade>(5, 1)), expected);
}

TEST(ClickModels, deep_ranks_follow_the_same_power) {
  const auto model = model_of("position-based(eta=0.5,attraction=1/1)", 2);
  for (const Position k : {Position{0}, Position{255}, Position{256}, Position{5000}}) {
    EXPECT_NEAR(model->step(0, k, 1).click, 1 / std::sqrt(k + 1.0), 1e-15);
  }
}

TEST(ClickModels, user_browsing_by_hand) {
  // a = .5; rank 1 at distance 1, rank 2 at distance 2 without a click above and 1 with one.
  const auto model = model_of("user-browsing(attraction=0/0.5)", 2);
  const auto distribution = exact_distribution(*model, {1, 1});
  EXPECT_NEAR(distribution.at({}), .5 * .75, 1e-15);
  EXPECT_NEAR(distribution.at({1}), .5 * .25, 1e-15);
  EXPECT_NEAR(distribution.at({0}), .5 * .5, 1e-15);
  EXPECT_NEAR(distribution.at({0, 1}), .5 * .5, 1e-15);
}

// --- chains against the papers ------------------------------------------------------------------

void expect_same(const PatternDistribution& exact, const PatternDistribution& literal,
                 const std::string& what) {
  double total = 0;
  for (const auto& [clicks, p] : literal) {
    const auto found = exact.find(clicks);
    // Sums of at most 8^5 products of probabilities.
    EXPECT_NEAR(found == exact.end() ? 0 : found->second, p, 1e-12) << what;
  }
  for (const auto& [clicks, p] : exact) total += p;
  EXPECT_NEAR(total, 1, 1e-12) << what;
}

TEST(ClickModels, chain_of_the_dependent_click_model_is_the_literal_model) {
  const std::vector<double> click{.3, .6, 1};
  const std::vector<double> stop{0, .5, .9};
  for (const bool anywhere : {false, true}) {
    const auto model =
        model_of(std::string(anywhere ? "dependent-click-stop-anywhere" : "dependent-click") +
                 "(click=0.3/0.6/1,stop=0/0.5/0.9)");
    for_each_list(5, 3, [&](const std::vector<Grade>& list) {
      PatternDistribution literal;
      literal_dependent_click(list, click, stop, anywhere, 0, {}, 1, literal);
      expect_same(exact_distribution(*model, list), literal, model->canonical());
    });
  }
}

TEST(ClickModels, chain_of_the_cascade_model_is_the_literal_model) {
  const auto model = model_of("cascade(attraction=0.1/0.5/0.9)");
  for_each_list(5, 3, [&](const std::vector<Grade>& list) {
    PatternDistribution literal;
    literal_dependent_click(list, {.1, .5, .9}, {1, 1, 1}, false, 0, {}, 1, literal);
    expect_same(exact_distribution(*model, list), literal, "cascade");
  });
}

TEST(ClickModels, chain_of_the_dynamic_bayesian_model_is_the_literal_model) {
  const auto model =
      model_of("dynamic-bayesian(attraction=0.2/0.5/0.8,satisfaction=0.1/0.5/0.9,gamma=0.8)");
  for_each_list(4, 3, [&](const std::vector<Grade>& list) {
    PatternDistribution literal;
    literal_dynamic_bayesian(list, {.2, .5, .8}, {.1, .5, .9}, .8, 0, true, {}, 1, literal);
    expect_same(exact_distribution(*model, list), literal, "dynamic-bayesian");
  });
}

TEST(ClickModels, chains_of_examination_models_are_the_literal_models) {
  for (const bool browsing : {false, true}) {
    for (const double eta : {1.0, 0.5}) {
      const auto model = model_of(std::string(browsing ? "user-browsing" : "position-based") +
                                  (eta == 1 ? "(" : "(eta=0.5,") + "attraction=0.2/0.5/0.8)");
      for_each_list(5, 3, [&](const std::vector<Grade>& list) {
        PatternDistribution literal;
        literal_examination(list, {.2, .5, .8}, eta, browsing, 0, {}, 1, literal);
        expect_same(exact_distribution(*model, list), literal, model->canonical());
      });
    }
  }
}

TEST(ClickModels, marginals_counts_and_credits_are_sums_over_patterns) {
  const std::vector<int> credits{1, -1, 2, 0, -3};
  for (const std::string& text : model_texts()) {
    const auto model = model_of(text);
    for_each_list(5, 3, [&](const std::vector<Grade>& list) {
      std::vector<double> marginals(list.size());
      std::vector<double> counts(list.size() + 1);
      std::map<int, double> earned;
      for (const auto& [clicks, p] : exact_distribution(*model, list)) {
        int sum = 0;
        for (const Position k : clicks) {
          marginals[k] += p;
          sum += credits[k];
        }
        counts[clicks.size()] += p;
        earned[sum] += p;
      }
      const auto got_marginals = click_probabilities(*model, list);
      const auto got_counts = click_count_distribution(*model, list);
      ASSERT_EQ(got_counts.size(), counts.size());
      for (std::size_t k = 0; k < list.size(); ++k) {
        EXPECT_NEAR(got_marginals[k], marginals[k], 1e-12);
        EXPECT_NEAR(got_counts[k + 1], counts[k + 1], 1e-12);
      }
      const auto got =
          click_credit_distribution(*model, list, std::span(credits).first(list.size()));
      double mean = 0;
      double positive = 0;
      double negative = 0;
      for (const auto& [sum, p] : earned) {
        EXPECT_NEAR(got.share.at(static_cast<std::size_t>(sum - got.low)), p, 1e-12);
        mean += sum * p;
        (sum > 0 ? positive : negative) += sum == 0 ? 0 : p;
      }
      EXPECT_NEAR(got.mean(), mean, 1e-12);
      EXPECT_NEAR(got.probability_of_positive(), positive, 1e-12);
      EXPECT_NEAR(got.probability_of_negative(), negative, 1e-12);
      EXPECT_NEAR(got.probability_of_zero(), earned[0], 1e-12);
    });
  }
}

// --- samplers against chains --------------------------------------------------------------------

// The largest excess of |count - n p| over 6 standard errors plus 6, over all patterns; a right
// sampler stays below 0. The 6 is for rare patterns: a Poisson count of mean m strays by more than
// 6 sqrt(m) + 6 with probability below 1e-6 for every m, and below 1e-8 from m = 10 on, so that the
// 25 000 comparisons below raise a false alarm less than once in forty seeds; the seed is fixed.
double worst_excess(const ClickModel& sampled, const ClickModel& exact,
                    const std::vector<Grade>& list, std::uint64_t n, std::uint64_t seed) {
  std::map<Pattern, std::uint64_t> counts;
  Pattern clicks;
  const Stream stream(seed, 0, Purpose::test, "clicks");
  for (std::uint64_t i = 0; i < n; ++i) {
    RoundRng rng = stream.at(i);
    sampled.click(list, rng, clicks);
    ++counts[clicks];
  }
  const auto distribution = exact_distribution(exact, list);
  double worst = -1e300;
  for (const auto& [pattern, p] : distribution) {
    const double mean = static_cast<double>(n) * p;
    const double count = static_cast<double>(counts[pattern]);
    worst = std::max(worst, std::abs(count - mean) - 6 * std::sqrt(mean * (1 - p)) - 6);
  }
  for (const auto& [pattern, count] : counts) {
    if (!distribution.contains(pattern)) worst = std::max(worst, static_cast<double>(count));
  }
  return worst;
}

TEST(ClickModels, samplers_follow_their_chains_on_all_lists_of_up_to_four_documents) {
  std::uint64_t seed = 1;
  for (const std::string& text : model_texts()) {
    const auto model = model_of(text);
    for_each_list(4, 3, [&](const std::vector<Grade>& list) {
      EXPECT_LT(worst_excess(*model, *model, list, 5000, seed++), 0) << text;
    });
  }
}

TEST(ClickModels, the_comparison_tells_the_two_stopping_conventions_apart) {
  const auto after_click = model_of("navigational");
  const auto always = model_of("navigational(stop=always)");
  EXPECT_GT(worst_excess(*always, *after_click, {0, 1, 2}, 5000, 1), 0);
}

TEST(ClickModels, perfect_user_never_clicks_where_nothing_is_relevant) {
  for (const std::string text : {"perfect", "perfect(stop=always)", "cascade", "position-based"}) {
    const auto model = model_of(text, 5);
    Pattern clicks;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      RoundRng rng = Stream(1, 0, Purpose::test).at(i);
      model->click(std::vector<Grade>(10, 0), rng, clicks);
      EXPECT_TRUE(clicks.empty());
    }
  }
}

TEST(ClickModels, perfect_user_clicks_every_document_of_the_top_grade) {
  const auto model = model_of("perfect", 5);
  Pattern clicks;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    RoundRng rng = Stream(1, 0, Purpose::test).at(i);
    model->click(std::vector<Grade>{4, 0, 4, 4, 0}, rng, clicks);
    EXPECT_EQ(clicks, (Pattern{0, 2, 3}));
  }
}

TEST(ClickModels, cascade_user_clicks_at_most_once) {
  const auto model = model_of("cascade(attraction=0.5/0.5/0.5)");
  Pattern clicks;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    RoundRng rng = Stream(1, 0, Purpose::test).at(i);
    model->click(std::vector<Grade>(10, 1), rng, clicks);
    EXPECT_LE(clicks.size(), 1u);
  }
}

TEST(ClickModels, empty_list_gets_no_click_and_drops_what_was_there) {
  for (const std::string& text : model_texts()) {
    Pattern clicks{1, 2, 3};
    RoundRng rng = Stream(1, 0, Purpose::test).at(0);
    model_of(text)->click({}, rng, clicks);
    EXPECT_TRUE(clicks.empty());
    EXPECT_EQ(click_pattern_probability(*model_of(text), {}, {}), 1);
  }
}

TEST(ClickModels, unknown_grade_is_a_broken_precondition) {
  const auto model = model_of("navigational", 2);
  Pattern clicks;
  RoundRng rng = Stream(1, 0, Purpose::test).at(0);
  EXPECT_ANY_THROW(model->click(std::vector<Grade>{2}, rng, clicks));
}

// --- names --------------------------------------------------------------------------------------

TEST(ClickModels, canonical_text_configures_the_same_user) {
  for (const std::string& text : model_texts()) {
    const auto model = model_of(text);
    EXPECT_EQ(model->canonical(), text);
    const auto again = model_of(model->canonical());
    for (Grade g = 0; g < 3; ++g) {
      EXPECT_EQ(again->step(0, 0, g).click, model->step(0, 0, g).click);
    }
  }
}

TEST(ClickModels, every_name_works_without_options) {
  EXPECT_EQ(click_model_catalogue().names().size(), 10u);
  for (const ClickModelKind& kind : click_model_catalogue()) {
    const ClickModelFacts& facts = kind.facts;
    for (const std::size_t num_grades : {2, 3, 5}) {
      EXPECT_EQ(model_of(facts.name, num_grades)->canonical(), facts.name);
    }
    EXPECT_FALSE(facts.doc.empty() || facts.source.empty() || kind.options.empty());
  }
}

TEST(ClickModels, errors_name_the_model_the_option_and_what_is_allowed) {
  EXPECT_NE(error_of("navigatonal")
                .find("there is no click model 'navigatonal' (did you mean "
                      "'navigational'?"),
            std::string::npos);
  EXPECT_NE(error_of("perfect(stop=never)").find("'never' is not a known value"),
            std::string::npos);
  EXPECT_EQ(error_of("cascade(attraction=0.5/1)"),
            "option 'attraction' of click model 'cascade': 2 values for 3 grades (one value per "
            "grade, from grade 0, separated by slashes)");
  EXPECT_NE(error_of("cascade(attraction=0.5/2/1)").find("2 is out of range"), std::string::npos);
  EXPECT_NE(error_of("cascade(attraction=0.5/)").find("'' is not a number"), std::string::npos);
  EXPECT_NE(error_of("position-based(eta=-1)").find("-1 is out of range"), std::string::npos);
  EXPECT_NE(error_of("cascade(click=1)").find("has no option 'click'"), std::string::npos);
}

}  // namespace
}  // namespace duel
