#include "duel/core/call_spec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace duel {
namespace {

using Arguments = std::vector<std::pair<std::string, std::string>>;

std::string error_of(std::string_view text) {
  const auto result = parse_call(text);
  return result.ok() ? "no error" : result.error().to_string();
}

const std::string kHint = " (write name or name(key=value, key=value))";

TEST(ParseCall, reads_a_name_alone_or_with_empty_parentheses) {
  EXPECT_EQ(parse_call("rucb").value(), (CallSpec{"rucb", {}}));
  EXPECT_EQ(parse_call("rucb()").value(), (CallSpec{"rucb", {}}));
  EXPECT_EQ(parse_call("  rucb ( ) ").value(), (CallSpec{"rucb", {}}));
}

TEST(ParseCall, reads_arguments_in_the_order_written) {
  EXPECT_EQ(parse_call("rucb(alpha=0.6)").value(), (CallSpec{"rucb", {{"alpha", "0.6"}}}));
  EXPECT_EQ(parse_call("if2(horizon=1e6,ci=colt)").value(),
            (CallSpec{"if2", {{"horizon", "1e6"}, {"ci", "colt"}}}));
  EXPECT_EQ(parse_call("if2( ci = colt ,\thorizon= 1e6 )").value(),
            (CallSpec{"if2", {{"ci", "colt"}, {"horizon", "1e6"}}}));
}

TEST(ParseCall, accepts_digits_dashes_and_underscores_in_names) {
  EXPECT_EQ(parse_call("beat-the_mean2(a-b_c1=x)").value(),
            (CallSpec{"beat-the_mean2", {{"a-b_c1", "x"}}}));
  EXPECT_EQ(parse_call("2d").value().name, "2d");
}

TEST(ParseCall, keeps_an_inner_call_whole) {
  const auto clicks = parse_call("clicks(model=dcm(stop=0.3,grow=0.1),seed=4)");
  EXPECT_EQ(clicks.value().arguments,
            (Arguments{{"model", "dcm(stop=0.3,grow=0.1)"}, {"seed", "4"}}));
  const auto deep = parse_call("a(b=c(d=e(f=1,g=2),h=i()),j=k)");
  EXPECT_EQ(deep.value().arguments, (Arguments{{"b", "c(d=e(f=1,g=2),h=i())"}, {"j", "k"}}));
  const auto inner = parse_call(deep.value().arguments[0].second);
  EXPECT_EQ(inner.value(), (CallSpec{"c", {{"d", "e(f=1,g=2)"}, {"h", "i()"}}}));
}

TEST(ParseCall, splits_key_from_value_at_the_first_equals_sign) {
  EXPECT_EQ(parse_call("a(b=c=d)").value().arguments, (Arguments{{"b", "c=d"}}));
}

TEST(ParseCall, refuses_what_is_not_a_name) {
  EXPECT_EQ(error_of(""), "'': a name is missing" + kHint);
  EXPECT_EQ(error_of("  "), "'  ': a name is missing" + kHint);
  EXPECT_EQ(error_of("(a=1)"), "'(a=1)': a name is missing" + kHint);
  EXPECT_EQ(error_of("RUCB"), "'RUCB': 'RUCB' is not a name" + kHint);
  EXPECT_EQ(error_of("-a"), "'-a': '-a' is not a name" + kHint);
  EXPECT_EQ(error_of("a b"), "'a b': 'a b' is not a name" + kHint);
  EXPECT_EQ(error_of("rucb)"), "'rucb)': 'rucb)' is not a name" + kHint);
  EXPECT_EQ(error_of("a=1"), "'a=1': 'a=1' is not a name" + kHint);
  EXPECT_EQ(error_of("a,b"), "'a,b': 'a,b' is not a name" + kHint);
}

TEST(ParseCall, refuses_parentheses_that_do_not_match) {
  EXPECT_EQ(error_of("rucb(alpha=1"), "'rucb(alpha=1': missing ')' at the end" + kHint);
  EXPECT_EQ(error_of("rucb("), "'rucb(': missing ')' at the end" + kHint);
  EXPECT_EQ(error_of("rucb(a=1) x"), "'rucb(a=1) x': missing ')' at the end" + kHint);
  for (const char* text : {"rucb(a=(1)", "rucb(a=b(c)", "rucb(()"}) {
    EXPECT_EQ(parse_call(text).error().message, "missing ')'") << text;
  }
  for (const char* text : {"rucb(a=1))", "rucb(a=1)(b=2)", "rucb())", "rucb()()", "rucb(a=1),b)"}) {
    EXPECT_EQ(parse_call(text).error().message, "unexpected ')'") << text;
  }
}

TEST(ParseCall, refuses_arguments_that_are_not_key_and_value) {
  EXPECT_EQ(error_of("rucb(0.6)"), "'rucb(0.6)': '0.6' is not key=value" + kHint);
  EXPECT_EQ(error_of("rucb(alpha)"), "'rucb(alpha)': 'alpha' is not key=value" + kHint);
  EXPECT_EQ(error_of("rucb(a=1,)"), "'rucb(a=1,)': '' is not key=value" + kHint);
  EXPECT_EQ(error_of("rucb(,a=1)"), "'rucb(,a=1)': '' is not key=value" + kHint);
  EXPECT_EQ(error_of("rucb(=1)"), "'rucb(=1)': '' is not an option name" + kHint);
  EXPECT_EQ(error_of("rucb(Alpha=1)"), "'rucb(Alpha=1)': 'Alpha' is not an option name" + kHint);
  EXPECT_EQ(error_of("rucb(alpha=)"), "'rucb(alpha=)': option 'alpha' has no value" + kHint);
  EXPECT_EQ(error_of("rucb(alpha= )"), "'rucb(alpha= )': option 'alpha' has no value" + kHint);
}

TEST(ParseCall, refuses_an_option_that_is_given_twice) {
  EXPECT_EQ(error_of("rucb(a=1,b=2,a=1)"),
            "'rucb(a=1,b=2,a=1)': option 'a' is given twice" + kHint);
  EXPECT_TRUE(parse_call("rucb(a=x(b=1),b=2)").ok());  // another call's option of the same name
}

TEST(ParseCall, reports_an_invalid_argument) {
  EXPECT_EQ(parse_call("?").error().code, ErrorCode::invalid_argument);
}

TEST(ParseCallList, cuts_at_commas_outside_parentheses) {
  EXPECT_EQ(parse_call_list("rucb").value(), (std::vector<CallSpec>{{"rucb", {}}}));
  EXPECT_EQ(parse_call_list("rucb, if2(ci=colt,horizon=9) ,rmed1").value(),
            (std::vector<CallSpec>{
                {"rucb", {}}, {"if2", {{"ci", "colt"}, {"horizon", "9"}}}, {"rmed1", {}}}));
  EXPECT_EQ(parse_call_list("rucb,rucb").value().size(), 2u);
}

TEST(ParseCallList, refuses_a_list_with_a_bad_call) {
  EXPECT_EQ(parse_call_list("").error().message, "a name is missing");
  EXPECT_EQ(parse_call_list("rucb,").error().message, "a name is missing");
  EXPECT_EQ(parse_call_list("rucb,,if2").error().message, "a name is missing");
  EXPECT_EQ(parse_call_list("rucb,if2(").error().message, "missing ')'");
  EXPECT_EQ(parse_call_list("rucb),if2").error().message, "unexpected ')'");
  EXPECT_EQ(parse_call_list("rucb,If2").error().message, "'If2' is not a name");
}

TEST(CallSpecToString, writes_the_shortest_form) {
  EXPECT_EQ(to_string(CallSpec{"rucb", {}}), "rucb");
  EXPECT_EQ(to_string(CallSpec{"rucb", {{"alpha", "0.6"}}}), "rucb(alpha=0.6)");
  EXPECT_EQ(to_string(CallSpec{"if2", {{"a", "1"}, {"b", "c(d=2)"}}}), "if2(a=1,b=c(d=2))");
}

rc::Gen<std::string> a_name() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::elementOf(std::string("abz019")),
                    rc::gen::container<std::string>(rc::gen::elementOf(std::string("abz019-_")))),
      [](const std::pair<char, std::string>& parts) { return parts.first + parts.second; });
}

CallSpec some_call(int depth) {
  CallSpec call{*a_name(), {}};
  const int size = *rc::gen::inRange(0, 4);
  for (int k = 0; k < size; ++k) {
    const std::string key = std::to_string(k) + *a_name();
    const bool nested = depth > 0 && *rc::gen::arbitrary<bool>();
    call.arguments.emplace_back(key, nested ? to_string(some_call(depth - 1)) : *a_name());
  }
  return call;
}

RC_GTEST_PROP(CallSpecToString, reads_back_to_the_same_call, ()) {
  const CallSpec call = some_call(3);
  const auto back = parse_call(to_string(call));
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == call);
}

RC_GTEST_PROP(ParseCallList, reads_back_joined_calls, ()) {
  std::vector<CallSpec> calls;
  std::string text;
  const int size = *rc::gen::inRange(1, 5);
  for (int k = 0; k < size; ++k) {
    calls.push_back(some_call(1));
    text += (k == 0 ? "" : ",") + to_string(calls.back());
  }
  RC_ASSERT(parse_call_list(text).value() == calls);
}

// Whatever was read has one canonical text, and errors say something.
void expect_settled(const std::string& text) {
  const auto call = parse_call(text);
  if (call.ok()) {
    RC_ASSERT(parse_call(to_string(*call)).value() == *call);
  } else {
    RC_ASSERT(!call.error().message.empty());
    RC_ASSERT(!call.error().hint.empty());
  }
  const auto list = parse_call_list(text);
  if (call.ok()) RC_ASSERT(list.value() == std::vector<CallSpec>{*call});
  if (!list.ok()) RC_ASSERT(!list.error().message.empty());
}

RC_GTEST_PROP(ParseCall, survives_any_bytes, (const std::string& text)) { expect_settled(text); }

RC_GTEST_PROP(ParseCall, survives_any_mixture_of_its_own_signs, ()) {
  expect_settled(
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aab01-_(())==,, \t\n'"))));
}

RC_GTEST_PROP(ParseCall, survives_one_wrong_sign_in_a_good_call, ()) {
  std::string text = to_string(some_call(2));
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  text[place] = *rc::gen::elementOf(std::string("a1(),= "));
  expect_settled(text);
}

}  // namespace
}  // namespace duel
