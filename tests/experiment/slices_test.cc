#include "duel/experiment/slices.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "tests/experiment/played_log.h"

namespace duel {
namespace {

ExperimentRecord sliced(Slices slices) {
  ExperimentRecord experiment = experiment_of({"a", "b"});
  experiment.stopping.alpha = 0.06;
  experiment.slices = std::move(slices);
  return experiment;
}

// A log that the ledger of the whole and those of the parts read together.
class Log {
 public:
  explicit Log(const ExperimentRecord& experiment)
      : whole_(std::move(Ledger::make(experiment)).value()),
        parts_(std::move(SliceLedgers::make(experiment)).value()) {}

  Result<Effect> add(Record record) {
    LogEntry entry{whole_.sequence() + 1, 0, std::move(record),
                   std::to_string(whole_.sequence() + 1)};
    auto effect = whole_.apply(entry);
    if (effect.ok()) parts_.note(entry);
    return effect;
  }
  Result<Effect> serve(const SliceValues& values, bool evidence = true) {
    ServeRecord serve{"d" + std::to_string(whole_.served() + 1),
                      whole_.served(),
                      1,
                      "a",
                      "b",
                      Serving::explore,
                      ""};
    serve.slices = values;
    serve.evidence = evidence;
    return add(serve);
  }
  void answer(std::uint64_t duel, const std::string& winner) {
    ASSERT_TRUE(add(OutcomeRecord{"d" + std::to_string(duel), {Answered::win, winner}}).ok());
  }
  void played(const SliceValues& values, const std::string& winner, bool evidence = true) {
    ASSERT_TRUE(serve(values, evidence).ok());
    answer(whole_.served(), winner);
  }

  const Ledger& whole() const { return whole_; }
  const Ledger& part(const std::string& slice, const std::string& value) const {
    for (const SliceLedgers::Part& part : parts_.parts()) {
      if (part.slice == slice && part.value == value) return part.ledger;
    }
    ADD_FAILURE() << slice << " has no part " << value;
    return whole_;
  }

 private:
  Ledger whole_;
  SliceLedgers parts_;
};

// The literal twin of a part: an experiment at its level that has had its duels alone.
TEST(Slices, have_the_evidence_of_an_experiment_with_their_duels_alone) {
  const Slices slices{{"language", {"de", "en"}}, {"device", {"phone"}}};
  Log log(sliced(slices));
  ExperimentRecord alone = experiment_of({"a", "b"});
  alone.stopping.alpha = alpha_of_each(0.06, 3);
  std::vector<std::pair<std::pair<std::string, std::string>, Ledger>> twins;
  for (const auto& [slice, values] : slices) {
    for (const std::string& value : values) {
      twins.emplace_back(std::pair(slice, value), std::move(Ledger::make(alone)).value());
    }
  }
  const Stream stream(1, 0, Purpose::answer, "slices");
  for (std::uint64_t t = 1; t <= 200; ++t) {
    RoundRng rng = stream.at(t);
    const std::string language = rng.below(2) == 0 ? "de" : "en";
    const std::string device = rng.below(2) == 0 ? "phone" : "desk";
    const bool evidence = rng.below(10) != 0;
    const std::string winner = rng.below(4) == 0 ? "b" : "a";
    log.played({{"language", language}, {"device", device}}, winner, evidence);
    for (auto& [name, twin] : twins) {
      if (name.second != language && name.second != device) continue;
      ServeRecord serve{"d" + std::to_string(t), twin.served(), 1, "a", "b", Serving::explore, ""};
      serve.evidence = evidence;
      ASSERT_TRUE(twin.apply({twin.sequence() + 1, 0, serve, ""}).ok());
      ASSERT_TRUE(twin.apply({twin.sequence() + 1, 0,
                              OutcomeRecord{serve.duel_id, {Answered::win, winner}}, ""})
                      .ok());
    }
    for (const auto& [name, twin] : twins) {
      const Ledger& part = log.part(name.first, name.second);
      ASSERT_EQ(part.shown(0, 1), twin.shown(0, 1));
      ASSERT_EQ(part.certifier().log_evidence(0, 1), twin.certifier().log_evidence(0, 1));
      ASSERT_EQ(part.certificate().has_value(), twin.certificate().has_value());
    }
  }
  EXPECT_TRUE(log.part("language", "de").certificate());
  EXPECT_EQ(log.part("language", "de").certificate()->winner, Arm{0});
}

TEST(Slices, share_alpha_rounded_down_to_four_digits) {
  EXPECT_EQ(alpha_of_each(0.05, 1), 0.05);
  EXPECT_DOUBLE_EQ(alpha_of_each(0.05, 2), 0.025);
  EXPECT_DOUBLE_EQ(alpha_of_each(0.05, 3), 0.01666);
  EXPECT_DOUBLE_EQ(alpha_of_each(0.06, 3), 0.02);
  EXPECT_DOUBLE_EQ(alpha_of_each(0.1, 7), 0.01428);
  for (std::size_t n = 2; n <= kMostSliceValues; ++n) {
    EXPECT_LE(alpha_of_each(0.05, n) * static_cast<double>(n), 0.05 * (1 + 1e-11));
    EXPECT_GE(alpha_of_each(0.05, n) * static_cast<double>(n), 0.05 * (1 - 1e-3));
  }
}

TEST(Slices, keep_the_order_of_serving_among_their_own_duels) {
  Log log(sliced({{"language", {"de", "en"}}}));
  ASSERT_TRUE(log.serve({{"language", "de"}}).ok());  // d1 is open
  ASSERT_TRUE(log.serve({{"language", "en"}}).ok());
  log.answer(2, "a");
  EXPECT_EQ(log.part("language", "en").certifier().decisive(), 1U) << "d1 is of another part";
  EXPECT_EQ(log.whole().certifier().decisive(), 0U) << "d1 may come still";
  log.answer(1, "b");
  EXPECT_EQ(log.part("language", "de").certifier().decisive(), 1U);
  EXPECT_EQ(log.whole().certifier().decisive(), 2U);
}

TEST(Slices, count_what_was_not_declared_as_other_and_state_nothing_of_it) {
  Log log(sliced({{"language", {"de"}}}));
  for (int k = 0; k < 60; ++k) log.played({}, "a");
  for (int k = 0; k < 60; ++k) log.played({{"language", "fr"}}, "a");
  EXPECT_EQ(log.part("language", "de").total().served, 0U);
  EXPECT_EQ(log.part("language", "other").total().served, 120U);
  EXPECT_TRUE(log.whole().certificate());
  EXPECT_FALSE(log.part("language", "other").certificate());
}

TEST(Slices, of_a_duel_are_declared_and_named_once) {
  Log log(sliced({{"language", {"de"}}}));
  const auto why = [&](const SliceValues& values) {
    const auto effect = log.serve(values);
    return effect.ok() ? std::string() : effect.error().message;
  };
  EXPECT_EQ(why({{"device", "phone"}}), "the experiment has no slice 'device'");
  EXPECT_EQ(why({{"language", "de"}, {"language", "en"}}), "the slice 'language' is named twice");
  EXPECT_NE(why({{"language", "d e"}}), "");
  EXPECT_EQ(log.whole().served(), 0U);
}

TEST(Slices, say_what_cannot_be_declared) {
  const auto why = [](Slices slices) {
    const auto ledger = Ledger::make(sliced(std::move(slices)));
    return ledger.ok() ? std::string() : ledger.error().message;
  };
  EXPECT_EQ(why({{"language", {"de", "en"}}}), "");
  EXPECT_EQ(why({{"language", {}}}), "the slice 'language' has no values");
  EXPECT_EQ(why({{"language", {"de", "de"}}}), "the slice 'language' has the value 'de' twice");
  EXPECT_EQ(why({{"language", {"de"}}, {"language", {"en"}}}),
            "the slice 'language' is there twice");
  EXPECT_NE(why({{"language", {"other"}}}).find("is taken"), std::string::npos);
  std::vector<std::string> many;
  for (int k = 0; k < 65; ++k) many.push_back("v" + std::to_string(k));
  EXPECT_EQ(why({{"language", many}}), "the slices have 65 values together, and 64 are allowed");
  ExperimentRecord panel = sliced({{"language", {"de"}}});
  panel.about = Audience::these_people;
  panel.panel.size = 5;
  EXPECT_NE(Ledger::make(panel).error().message.find("a panel has no slices"), std::string::npos);
}

}  // namespace
}  // namespace duel
