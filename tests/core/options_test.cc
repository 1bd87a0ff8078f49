#include "duel/core/options.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace duel {
namespace {

enum class Handling { coin, half, drop };

struct DemoOptions {
  double alpha = 0.51;
  double share = 0.25;
  double offset = 0;
  std::optional<double> scale;
  std::uint64_t batch = 10;
  std::uint64_t horizon = 0;
  Handling ties = Handling::coin;
  bool verbose = false;

  friend bool operator==(const DemoOptions&, const DemoOptions&) = default;
};

OptionTable<DemoOptions> demo_table() {
  OptionTable<DemoOptions> table;
  table.number("alpha", &DemoOptions::alpha, {.above = 0}, "width of the bounds", Shown::always)
      .number("share", &DemoOptions::share, {.least = 0, .most = 1}, "share of rounds")
      .number("offset", &DemoOptions::offset, {}, "added to everything")
      .automatic_number("scale", &DemoOptions::scale, {.least = 1}, "auto: K", Shown::when_set)
      .count("batch", &DemoOptions::batch, 1, 1000, "duels at a time")
      .choice<Handling>(
          "ties", &DemoOptions::ties,
          {{"coin", Handling::coin}, {"half", Handling::half}, {"drop", Handling::drop}},
          "how a tie counts")
      .flag("verbose", &DemoOptions::verbose, "says more");
  return table;
}

OptionTable<DemoOptions> table_with_horizon() {
  OptionTable<DemoOptions> table;
  table.horizon(&DemoOptions::horizon);
  return table;
}

Result<DemoOptions> parse(std::string_view text) {
  return demo_table().parse(parse_call(text).value(), DemoOptions{}, "policy");
}

std::string error_of(std::string_view text) {
  const auto result = parse(text);
  return result.ok() ? "no error" : result.error().to_string();
}

TEST(OptionTable, leaves_what_is_not_named_as_it_was) {
  EXPECT_EQ(parse("demo").value(), DemoOptions{});
  DemoOptions start;
  start.batch = 77;
  start.verbose = true;
  const auto call = parse_call("demo(alpha=2)").value();
  const DemoOptions options = demo_table().parse(call, start, "policy").value();
  EXPECT_EQ(options.alpha, 2.0);
  EXPECT_EQ(options.batch, 77u);
  EXPECT_TRUE(options.verbose);
}

TEST(OptionTable, sets_every_kind_of_option) {
  const DemoOptions options =
      parse("demo(verbose=true,ties=drop,batch=1e2,scale=2.5,offset=-3,share=1,alpha=0.6)").value();
  EXPECT_EQ(options.alpha, 0.6);
  EXPECT_EQ(options.share, 1.0);
  EXPECT_EQ(options.offset, -3.0);
  EXPECT_EQ(options.scale, 2.5);
  EXPECT_EQ(options.batch, 100u);
  EXPECT_EQ(options.ties, Handling::drop);
  EXPECT_TRUE(options.verbose);
}

TEST(OptionTable, takes_auto_back_to_the_policy) {
  DemoOptions start;
  start.scale = 4;
  const auto call = parse_call("demo(scale=auto)").value();
  EXPECT_EQ(demo_table().parse(call, start, "policy").value().scale, std::nullopt);
}

TEST(OptionTable, names_an_unknown_option_and_the_nearest_known) {
  EXPECT_EQ(error_of("demo(alhpa=1)"),
            "policy 'demo' has no option 'alhpa' (did you mean 'alpha'? known: alpha, share, "
            "offset, scale, batch, ties, verbose)");
  EXPECT_EQ(error_of("demo(temperature=1)"),
            "policy 'demo' has no option 'temperature' (known: alpha, share, offset, scale, batch, "
            "ties, verbose)");
}

TEST(OptionTable, says_where_there_are_no_options_at_all) {
  const auto result =
      OptionTable<DemoOptions>().parse(parse_call("arxiv(k=3)").value(), DemoOptions{}, "matrix");
  EXPECT_EQ(result.error().to_string(), "matrix 'arxiv' has no option 'k' (it has no options)");
}

TEST(OptionTable, names_option_value_and_range_of_a_number_out_of_range) {
  EXPECT_EQ(error_of("demo(alpha=-1)"),
            "option 'alpha' of policy 'demo': -1 is out of range (allowed: > 0)");
  EXPECT_EQ(error_of("demo(alpha=0)"),
            "option 'alpha' of policy 'demo': 0 is out of range (allowed: > 0)");
  EXPECT_EQ(error_of("demo(share=1.01)"),
            "option 'share' of policy 'demo': 1.01 is out of range (allowed: >= 0 and <= 1)");
  EXPECT_EQ(error_of("demo(scale=0.9)"),
            "option 'scale' of policy 'demo': 0.9 is out of range (allowed: auto | >= 1)");
}

TEST(OptionTable, names_option_value_and_range_of_what_is_not_a_number) {
  EXPECT_EQ(error_of("demo(alpha=wide)"),
            "option 'alpha' of policy 'demo': 'wide' is not a number (allowed: > 0)");
  EXPECT_EQ(error_of("demo(alpha=inf)"),
            "option 'alpha' of policy 'demo': 'inf' is not a number (allowed: > 0)");
  EXPECT_EQ(error_of("demo(alpha=1e999)"),
            "option 'alpha' of policy 'demo': '1e999' is out of range (allowed: > 0)");
  EXPECT_EQ(error_of("demo(scale=automatic)"),
            "option 'scale' of policy 'demo': 'automatic' is not a number (allowed: auto | >= 1)");
  EXPECT_EQ(error_of("demo(offset=x)"),
            "option 'offset' of policy 'demo': 'x' is not a number (allowed: any number)");
}

TEST(OptionTable, names_option_value_and_range_of_a_bad_count) {
  EXPECT_EQ(error_of("demo(batch=0)"),
            "option 'batch' of policy 'demo': 0 is out of range (allowed: 1 .. 1000)");
  EXPECT_EQ(error_of("demo(batch=1001)"),
            "option 'batch' of policy 'demo': 1001 is out of range (allowed: 1 .. 1000)");
  EXPECT_EQ(
      error_of("demo(batch=2.5)"),
      "option 'batch' of policy 'demo': '2.5' is not a whole number, 0 or more (allowed: 1 .. "
      "1000)");
  EXPECT_EQ(error_of("demo(batch=many)"),
            "option 'batch' of policy 'demo': 'many' is not a number (allowed: 1 .. 1000)");
}

TEST(OptionTable, names_the_options_own_range_for_a_count_beyond_all_counts) {
  const std::string error = error_of("demo(batch=99999999999999999999)");
  EXPECT_NE(error.find("option 'batch' of policy 'demo': "), std::string::npos) << error;
  EXPECT_NE(error.find("99999999999999999999"), std::string::npos) << error;
  EXPECT_NE(error.find("allowed: 1 .. 1000"), std::string::npos) << error;
}

TEST(OptionTable, names_option_value_and_nearest_spelling_of_an_unknown_choice) {
  EXPECT_EQ(error_of("demo(ties=hlaf)"),
            "option 'ties' of policy 'demo': 'hlaf' is not a known value (did you mean 'half'? "
            "known: coin, half, drop)");
  EXPECT_EQ(error_of("demo(ties=nonsense)"),
            "option 'ties' of policy 'demo': 'nonsense' is not a known value (known: coin, half, "
            "drop)");
  EXPECT_EQ(error_of("demo(verbose=ture)"),
            "option 'verbose' of policy 'demo': 'ture' is not a known value (did you mean 'true'? "
            "known: true, false)");
}

TEST(OptionTable, calls_every_refusal_an_invalid_argument) {
  for (const char* text : {"demo(alpha=-1)", "demo(alpha=x)", "demo(beta=1)", "demo(ties=x)",
                           "demo(batch=0)", "demo(batch=1e99)"}) {
    EXPECT_EQ(parse(text).error().code, ErrorCode::invalid_argument) << text;
  }
}

TEST(OptionTable, includes_or_excludes_the_ends_of_a_range_as_it_says) {
  EXPECT_TRUE(parse("demo(share=0)").ok());
  EXPECT_TRUE(parse("demo(share=1)").ok());
  EXPECT_TRUE(parse("demo(scale=1)").ok());
  EXPECT_TRUE(parse("demo(batch=1)").ok());
  EXPECT_TRUE(parse("demo(batch=1000)").ok());
  EXPECT_TRUE(parse("demo(alpha=1e-300)").ok());
  EXPECT_FALSE(parse("demo(alpha=0)").ok());
}

TEST(NumberRange, describes_what_it_contains) {
  EXPECT_EQ(NumberRange{}.to_string(), "any number");
  EXPECT_EQ((NumberRange{.above = 0}).to_string(), "> 0");
  EXPECT_EQ((NumberRange{.below = 2.5}).to_string(), "< 2.5");
  EXPECT_EQ((NumberRange{.least = 1}).to_string(), ">= 1");
  EXPECT_EQ((NumberRange{.most = 1}).to_string(), "<= 1");
  EXPECT_EQ((NumberRange{.above = 0, .below = 1}).to_string(), "> 0 and < 1");
  EXPECT_EQ((NumberRange{.above = 0, .most = 1}).to_string(), "> 0 and <= 1");
  EXPECT_EQ((NumberRange{.below = 1, .least = 0.5}).to_string(), ">= 0.5 and < 1");
}

TEST(NumberRange, contains_exactly_what_it_describes) {
  const NumberRange open{.above = 0, .below = 1};
  EXPECT_FALSE(open.contains(0));
  EXPECT_TRUE(open.contains(std::nextafter(0, 1)));
  EXPECT_TRUE(open.contains(std::nextafter(1, 0)));
  EXPECT_FALSE(open.contains(1));
  const NumberRange closed{.least = 0, .most = 1};
  EXPECT_FALSE(closed.contains(std::nextafter(0, -1)));
  EXPECT_TRUE(closed.contains(0));
  EXPECT_TRUE(closed.contains(1));
  EXPECT_FALSE(closed.contains(std::nextafter(1, 2)));
  EXPECT_TRUE(NumberRange{}.contains(-1e308));
  EXPECT_FALSE(NumberRange{}.contains(std::nan("")));
}

TEST(Canonical, shows_what_is_always_shown_and_what_differs_from_the_default) {
  const auto table = demo_table();
  DemoOptions options;
  EXPECT_EQ(table.canonical("demo", options), "demo(alpha=0.51)");
  options.ties = Handling::half;
  options.scale = 3;
  options.verbose = true;
  EXPECT_EQ(table.canonical("demo", options), "demo(alpha=0.51,scale=3,ties=half,verbose=true)");
  options = {};
  options.alpha = 0.6;
  options.batch = 20;
  EXPECT_EQ(table.canonical("demo", options), "demo(alpha=0.6,batch=20)");
}

TEST(Canonical, is_a_bare_name_where_nothing_needs_to_be_shown) {
  OptionTable<DemoOptions> table;
  table.flag("verbose", &DemoOptions::verbose, "says more");
  EXPECT_EQ(table.canonical("demo", {}), "demo");
}

TEST(Canonical, is_the_same_for_every_way_to_write_the_same_options) {
  const auto canonical = [](std::string_view text) {
    return demo_table().canonical("demo", parse(text).value());
  };
  EXPECT_EQ(canonical("demo"), canonical("demo(alpha=0.51)"));
  EXPECT_EQ(canonical("demo( batch=1e1 , alpha=5.1e-1 )"), canonical("demo"));
  EXPECT_EQ(canonical("demo(ties=half,batch=20)"), canonical("demo(batch=2e1,ties=half)"));
}

rc::Gen<double> positive_number() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
    const auto value = std::bit_cast<double>((bits * 0x9e3779b97f4a7c15u) >> 1);  // sign 0
    return std::isnormal(value) ? value : 1.0;
  });
}

DemoOptions some_options() {
  DemoOptions options;
  options.alpha = *positive_number();
  options.share = *rc::gen::inRange(0, 1001) / 1000.0;
  options.offset = *rc::gen::arbitrary<bool>() ? -*positive_number() : *positive_number();
  if (*rc::gen::arbitrary<bool>()) options.scale = 1 + *rc::gen::inRange(0, 10'000) / 7.0;
  options.batch = *rc::gen::inRange<std::uint64_t>(1, 1001);
  options.ties = *rc::gen::element(Handling::coin, Handling::half, Handling::drop);
  options.verbose = *rc::gen::arbitrary<bool>();
  return options;
}

RC_GTEST_PROP(Canonical, reads_back_to_the_same_options, ()) {
  const DemoOptions options = some_options();
  const std::string text = demo_table().canonical("demo", options);
  const auto back = parse(text);
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == options);
  RC_ASSERT(demo_table().canonical("demo", *back) == text);
}

RC_GTEST_PROP(OptionTable, survives_any_value_and_names_its_option_where_it_refuses,
              (const std::string& value)) {
  for (const OptionFact& fact : demo_table().facts()) {
    const CallSpec call{"demo", {{fact.name, value}}};
    const auto result = demo_table().parse(call, DemoOptions{}, "policy");
    if (result.ok()) continue;
    RC_ASSERT(result.error().where == "option '" + fact.name + "' of policy 'demo'");
    RC_ASSERT(result.error().message.find(trimmed(value)) != std::string::npos);
    RC_ASSERT(!result.error().hint.empty());
  }
}

RC_GTEST_PROP(OptionTable, survives_any_option_name, (const std::string& name)) {
  const CallSpec call{"demo", {{name, "1"}}};
  const auto result = demo_table().parse(call, DemoOptions{}, "policy");
  if (!result.ok()) RC_ASSERT(result.error().to_string().find(name) != std::string::npos);
}

TEST(HorizonOption, is_left_to_the_run_until_it_is_given) {
  const auto facts = table_with_horizon().facts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].name, "horizon");
  EXPECT_EQ(facts[0].type, "count");
  EXPECT_EQ(facts[0].default_value, "the run's rounds");
  EXPECT_EQ(facts[0].allowed, "1 or more");
}

TEST(HorizonOption, is_always_shown_once_known_and_reads_back) {
  const auto table = table_with_horizon();
  DemoOptions options;
  options.horizon = 1'000'000;
  const std::string text = table.canonical("if2", options);
  EXPECT_EQ(text, "if2(horizon=1000000)");
  EXPECT_EQ(table.parse(parse_call(text).value(), {}, "policy").value(), options);
  EXPECT_EQ(table.parse(parse_call("if2(horizon=1e6)").value(), {}, "policy").value(), options);
}

TEST(HorizonOption, refuses_zero) {
  const auto result =
      table_with_horizon().parse(parse_call("if2(horizon=0)").value(), {}, "policy");
  EXPECT_EQ(result.error().to_string(),
            "option 'horizon' of policy 'if2': 0 is out of range (allowed: 1 or more)");
}

TEST(OptionFacts, describe_every_option_in_the_order_declared) {
  const auto facts = demo_table().facts();
  std::vector<std::vector<std::string>> rows;
  for (const OptionFact& fact : facts) {
    rows.push_back({fact.name, fact.type, fact.default_value, fact.allowed, fact.doc});
  }
  EXPECT_EQ(rows, (std::vector<std::vector<std::string>>{
                      {"alpha", "number", "0.51", "> 0", "width of the bounds"},
                      {"share", "number", "0.25", ">= 0 and <= 1", "share of rounds"},
                      {"offset", "number", "0", "any number", "added to everything"},
                      {"scale", "number", "auto", "auto | >= 1", "auto: K"},
                      {"batch", "count", "10", "1 .. 1000", "duels at a time"},
                      {"ties", "choice", "coin", "coin | half | drop", "how a tie counts"},
                      {"verbose", "choice", "false", "true | false", "says more"},
                  }));
}

struct ListOptions {
  std::vector<double> click;
};

OptionTable<ListOptions> list_table() {
  OptionTable<ListOptions> table;
  table.numbers("click", &ListOptions::click, {.least = 0, .most = 1}, "auto: the table's");
  return table;
}

TEST(OptionTable, list_of_numbers_is_written_with_slashes) {
  const auto table = list_table();
  const auto parsed = table.parse(parse_call("m(click=0.1/1e-1/1)").value(), {}, "model");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->click, (std::vector<double>{0.1, 0.1, 1}));
  EXPECT_EQ(table.canonical("m", *parsed), "m(click=0.1/0.1/1)");
  const auto single = table.parse(parse_call("m(click=0.5)").value(), {}, "model");
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(single->click, std::vector<double>{0.5});
  const auto automatic = table.parse(parse_call("m(click=auto)").value(), *parsed, "model");
  ASSERT_TRUE(automatic.ok());
  EXPECT_TRUE(automatic->click.empty());
  EXPECT_EQ(table.canonical("m", *automatic), "m");
  EXPECT_EQ(table.facts()[0].default_value, "auto");
}

TEST(OptionTable, list_of_numbers_names_the_entry_that_is_wrong) {
  const auto error_of_list = [](std::string_view text) {
    const auto parsed = list_table().parse(parse_call(text).value(), {}, "model");
    return parsed.ok() ? "no error" : parsed.error().message;
  };
  EXPECT_EQ(error_of_list("m(click=0.1/2)"), "2 is out of range");
  EXPECT_EQ(error_of_list("m(click=0.1/x)"), "'x' is not a number");
  EXPECT_EQ(error_of_list("m(click=0.1/)"), "'' is not a number");
  EXPECT_EQ(error_of_list("m(click=/0.1)"), "'' is not a number");
}

}  // namespace
}  // namespace duel
